"""`tolka assist rewrite`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tolka.cli.assist.rewrite import rewrite
from tolka.syntax import ConstituencyParser, parse_penn

BANK = [
    "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT the) (NN dog))))))",
    "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (DT the) (NN dog)))))",
    "(S (NP (NN man)) (VP (VBD left)))",
]


@pytest.fixture
def parser(tmp_path: Path) -> Path:
    ConstituencyParser(rounds=0).train(map(parse_penn, BANK)).save(tmp_path / "en.parser")
    (tmp_path / "text.tok").write_text("I saw the man with the dog\n\nI left\n")
    return tmp_path / "en.parser"


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs the command; its lines go past what the runner sees."""
    app = typer.Typer()
    app.command()(rewrite)

    def ran(*arguments: str | Path) -> str:
        done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert done.exit_code == 0, done.output
        return done.stdout + capfd.readouterr().out

    return ran


def test_rewrites_with_masses(parser: Path, run: Callable[..., str]) -> None:
    shown = run(parser, parser.parent / "text.tok", "--quiet", "--grammar", "en.passive")
    assert "en.passive  The man was seen by me with the dog" in shown
    assert "en.passive  The man with the dog was seen by me" in shown
    lines = [json.loads(line) for line in run(parser, parser.parent / "text.tok", "--quiet", "--json").splitlines()]
    assert [line["sentence"] for line in lines] == [1, 2, 3]
    first, empty, last = lines
    assert first["exact"]
    assert sum(one["mass"] for one in first["rewrites"] if one["grammar"] == "en.passive") == pytest.approx(1, abs=0.01)
    assert empty["rewrites"] == []
    assert [one["text"] for one in last["rewrites"]] == ["It is I that left"]
    sure = run(parser, parser.parent / "text.tok", "--quiet", "--json", "--least", "0.9")
    assert {one["text"] for one in json.loads(sure.splitlines()[0])["rewrites"]} == {
        "It is I that saw the man with the dog"
    }
