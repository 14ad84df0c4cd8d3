"""`tolka parse` as people type it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.syntax import Tree, read_conllu, synthetic_treebank, write_conllu

SMALL = ["--iterations", "1", "--tagger-iterations", "1", "--hidden", "10", "--embedding", "5", "--no-lemmas"]


def tolka(*arguments: str, into: str = "", cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tolka", *arguments],
        input=into,
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        check=False,
    )


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("parse")
    write_conllu(directory / "treebank.conllu", synthetic_treebank(1, 20).trees)
    return directory


def test_train_and_parse(workplace: Path) -> None:
    done = tolka("parse", "train", "treebank.conllu", "-o", "de.model", *SMALL, cwd=workplace)
    assert done.returncode == 0, done.stderr
    assert "trained on 20 sentences" in done.stderr
    assert "Training tagger" in done.stderr
    done = tolka("parse", "de.model", into="er  ist gelaufen .\nja\n", cwd=workplace)
    assert done.returncode == 0, done.stderr
    (workplace / "out.conllu").write_text(done.stdout)
    first, second = read_conllu(workplace / "out.conllu", one_root=True)
    assert first.forms == ("er", "ist", "gelaufen", ".")
    assert first.comments == ("# sent_id = 1", "# text = er ist gelaufen .")
    assert second.forms == ("ja",)
    done = tolka("parse", "de.model", into="er\n\nja\n", cwd=workplace)
    assert (done.returncode, done.stdout) == (1, "")
    assert "line 2: the line is empty" in done.stderr


def test_no_model(workplace: Path) -> None:
    done = tolka("parse", "treebank.conllu", into="er\n", cwd=workplace)
    assert done.returncode == 1
    assert "no model of UDPipe" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_small_ones(workplace: Path) -> None:
    runner = CliRunner()
    trees = str(workplace / "treebank.conllu")
    found = json.loads(runner.invoke(app, ["parse", "stats", trees, "--json"]).stdout)
    assert found["sentences"] == found["ordered"] == 20
    assert "projective" in runner.invoke(app, ["parse", "stats", trees]).stdout
    found = json.loads(runner.invoke(app, ["parse", "score", trees, trees, "--json"]).stdout)
    assert found["las"] == 100
    assert "100.00" in runner.invoke(app, ["parse", "score", trees, trees]).stdout
    image = workplace / "tree.svg"
    assert runner.invoke(app, ["parse", "draw", trees, "-n", "3", "-o", str(image)]).exit_code == 0
    assert image.read_text().startswith("<svg")
    assert "no sentence 21" in str(runner.invoke(app, ["parse", "draw", trees, "-n", "21"]).exception)
    assert "tolka parse train treebank.conllu -o de.model" in runner.invoke(app, ["parse", "train", "--help"]).stdout
    assert runner.invoke(app, ["parse", "--help"]).exit_code == 0


def test_convert(workplace: Path) -> None:
    runner = CliRunner()
    trees, out = str(workplace / "treebank.conllu"), workplace / "converted"
    bank = synthetic_treebank(1, 20)

    def converted(*arguments: str) -> str:
        assert runner.invoke(app, ["parse", "convert", trees, "-o", str(out), *arguments]).exit_code == 0
        return out.read_text()

    assert converted() == Path(trees).read_text()
    assert "Order=" in converted()
    assert "Order=" not in converted("--drop-order")
    assert converted("--to", "conllx", "--columns", "8", "--drop-order").split("\n")[0].count("\t") == 7
    lines = converted("--to", "tok").split("\n")
    assert lines[2] == " ".join(bank.trees[2].forms[word] for word in bank.orders[2])
    assert isinstance(bank.trees[2], Tree)
