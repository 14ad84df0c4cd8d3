"""`tolka parse` with constituency trees."""

import json
import lzma
from pathlib import Path

import pytest
from tests.syntax.test_constituents import BANK
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import FormatError, InputError, SettingsError
from tolka.syntax import ConstituentForest, read_forests, read_penn


def parsed(workplace: Path, text: str, *options: str) -> list[str]:
    (workplace / "text").write_text(text)
    files = [str(workplace / name) for name in ("en.const", "text", "out.ptb")]
    done = CliRunner().invoke(app, ["parse", *files[:2], "-o", files[2], "-q", *options])
    if done.exception:
        raise done.exception
    return (workplace / "out.ptb").read_text().splitlines()


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("constituents")
    with lzma.open(directory / "bank.ptb.xz", "wt") as out:
        out.write("\n".join(BANK))
    command = ["parse", "train", str(directory / "bank.ptb.xz"), "-o", str(directory / "en.const")]
    done = CliRunner().invoke(app, [*command, "--rounds", "1", "--passes", "3", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["trees"], found["words"], len(found["states"])) == (5, 6, 2)
    return directory


def test_trees_stand_beside_the_text(workplace: Path) -> None:
    first, _ = parsed(workplace, "I saw the man\nI don &apos;t ( saw )\n")
    assert first == "(ROOT (S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)))))"
    _, tree = read_penn(workplace / "out.ptb")
    assert tree.words() == ["I", "don", "&apos;t", "(", "saw", ")"]


def test_several_trees(workplace: Path) -> None:
    found = parsed(workplace, "I saw the man with the dog\n" * 2, "--n-best", "2")
    lines = [line.split(" ||| ") for line in found]
    assert [line[0] for line in lines] == ["0", "0", "1", "1"]
    assert lines[:2] == [["0", *line[1:]] for line in lines[2:]]
    assert float(lines[0][2]) < 0


@pytest.mark.parametrize("options", [[], ["--nbest", "2"]])
def test_forests(workplace: Path, options: list[str]) -> None:
    [line, other] = parsed(workplace, "I saw the man with the dog\nI don &apos;t see\n", "--forest", *options)
    forest = ConstituentForest.from_json(line)
    assert forest.best().words() == ["I", "saw", "the", "man", "with", "the", "dog"]
    assert ConstituentForest.from_json(other).words == ("I", "don", "&apos;t", "see")
    assert next(read_forests(workplace / "out.ptb")).words == forest.words
    assert len(forest.nbest(100)) == 2 if options else len(forest.nbest(100)) > 2
    files = [str(workplace / name) for name in ("en.const", "text", "again")]
    done = CliRunner().invoke(app, ["parse", "apply", *files[:2], "-o", files[2], "--forest", "-q", *options])
    assert done.exit_code == 0, done.output
    assert (workplace / "again").read_text().splitlines() == [line, other]


def test_scores(workplace: Path) -> None:
    bank = str(workplace / "bank.ptb.xz")
    done = CliRunner().invoke(app, ["parse", "score", bank, bank, "--json"])
    assert json.loads(done.stdout)["f1"] == 100.0
    done = CliRunner().invoke(app, ["parse", "score", bank, bank])
    assert "no crossing" in done.stdout.replace("_", " ")


def test_mistakes(workplace: Path) -> None:
    bank = str(workplace / "bank.ptb.xz")
    done = CliRunner().invoke(app, ["parse", "train", bank, "-o", str(workplace / "x"), "--hidden", "20"])
    assert isinstance(done.exception, SettingsError)
    assert "--hidden is for parsers of dependencies" in str(done.exception)
    (workplace / "one.conllu").write_text("1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n")
    one = str(workplace / "one.conllu")
    done = CliRunner().invoke(app, ["parse", "train", one, "-o", str(workplace / "x"), "--no-functions"])
    assert isinstance(done.exception, SettingsError)
    assert "--functions is for parsers of constituents" in str(done.exception)
    done = CliRunner().invoke(app, ["parse", "train", bank, one, "-o", str(workplace / "x")])
    assert isinstance(done.exception, FormatError)
    assert "one.conllu" in str(done.exception)
    done = CliRunner().invoke(app, ["parse", "train", "-", "-o", str(workplace / "x")], input="(S (NN a))")
    assert isinstance(done.exception, SettingsError)
    assert "--kind" in done.exception.hint
    assert not (workplace / "x").exists()
    with pytest.raises(InputError, match="the line is empty"):
        parsed(workplace, "a\n\nb\n")
    done = CliRunner().invoke(app, ["parse", bank, "--n-best", "2"], input="a\n")
    assert isinstance(done.exception, SettingsError | FormatError)
    (workplace / "broken.ptb").write_text("(S (NN a)")
    done = CliRunner().invoke(app, ["parse", "train", str(workplace / "broken.ptb"), "-o", "x"])
    assert isinstance(done.exception, FormatError)
