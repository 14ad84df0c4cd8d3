"""`tolka assist number`."""

import json
from pathlib import Path

import pytest
import typer
from tests.assist.number.test_dependencies import TREE
from typer.testing import CliRunner

from tolka.cli.assist.number import number
from tolka.errors import SettingsError, TolkaError
from tolka.syntax import write_conllu

app = typer.Typer()
app.command()(number)


def run(*arguments: str) -> str:
    found = CliRunner().invoke(app, list(arguments))
    if isinstance(found.exception, TolkaError):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.output


def bank(tmp_path: Path) -> Path:
    path = tmp_path / "bank.ptb"
    path.write_text("(S (NP-SBJ (NP (DT a) (NN list)) (PP (IN of) (NP (NNS names)))) (VP (VBZ helps)))\n" * 3)
    return path


def test_brackets(tmp_path: Path) -> None:
    path = bank(tmp_path)
    rows = [line.split("\t") for line in run(str(path)).splitlines()]
    assert [row[:3] + row[4:] for row in rows[:3]] == [
        ["1", "1-4", "sing", "a list of names"],
        ["1", "1-2", "sing", "a list"],
        ["1", "4-4", "plur", "names"],
    ]
    found = json.loads(run(str(path), "--json"))
    assert found["feature"] == "number"
    assert len(found["phrases"]) == 9
    assert found["phrases"][2] == {**found["phrases"][2], "tree": 1, "first": 4, "last": 4, "value": "plur"}


def test_training_and_saving(tmp_path: Path) -> None:
    path, model = bank(tmp_path), tmp_path / "my.number"
    learnt = run(str(path), "--train", str(path), "--save", str(model))
    assert run(str(path), "--model", str(model)) == learnt


def test_dependencies(tmp_path: Path) -> None:
    path, model = tmp_path / "bank.conllu", tmp_path / "de.number"
    write_conllu(path, [TREE] * 20)
    rows = [line.split("\t") for line in run(str(path), "--train", str(path), "--save", str(model)).splitlines()]
    assert [rows[0][1], rows[0][2], rows[0][4]] == ["1-5", "plur", "Anna und Eva Kinder"]
    with pytest.raises(SettingsError, match="does not know brackets"):
        run(str(bank(tmp_path)), "--model", str(model))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--train", "a", "--model", "b"], "do not go together"),
        (["--save", "a"], "give --train"),
        (["--feature", "Gender"], "brackets do not show Gender"),
    ],
)
def test_options_that_make_no_sense(tmp_path: Path, options: list[str], what: str) -> None:
    with pytest.raises(SettingsError, match=what):
        run(str(bank(tmp_path)), *options)


def test_dependencies_need_a_model(tmp_path: Path) -> None:
    path = tmp_path / "bank.conllu"
    write_conllu(path, [TREE])
    with pytest.raises(SettingsError, match="CoNLL-U needs a model"):
        run(str(path))
    with pytest.raises(SettingsError, match="values of Case are not known"):
        run(str(path), "--train", str(path), "--feature", "Case")
