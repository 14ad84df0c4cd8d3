from __future__ import annotations

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tolka.align import read_links
from tolka.cli import app

SOURCE = ["das Haus", "das Buch", "ein Buch", "ein kleines Haus", "", "das kleine Buch"] * 8
TARGET = ["the house", "the book", "a book", "a small house", "nothing", "the small book"] * 8


@pytest.fixture
def text(tmp_path):
    (tmp_path / "src.tok").write_text("\n".join(SOURCE) + "\n", encoding="utf-8")
    (tmp_path / "tgt.tok").write_text("\n".join(TARGET) + "\n", encoding="utf-8")
    gold = "\n".join(
        "" if not source else " ".join(f"{i}-{i}" for i in range(len(source.split()))) for source in SOURCE
    )
    (tmp_path / "gold.txt").write_text(gold + "\n", encoding="utf-8")
    return tmp_path


def invoke(*arguments):
    return CliRunner().invoke(app, ["align", *map(str, arguments)])


def test_the_documented_commands(text):
    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "tolka", "align", *arguments], cwd=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    run(
        "train", "src.tok", "tgt.tok", "--model", "fertility", "--symmetrise", "grow-diag-final-and",
        "-o", "links.txt", "--save", "aligner/",
    )  # fmt: skip
    assert len(read_links(text / "links.txt")) == len(SOURCE)
    run("apply", "aligner/", "src.tok", "tgt.tok", "-o", "new.txt", "--posteriors")
    assert ":" in (text / "new.txt").read_text(encoding="utf-8")
    score = json.loads(run("score", "links.txt", "gold.txt", "--json"))
    assert score["aer"] < 0.1
    assert {"aer", "precision", "recall"} <= set(score)
    run("draw", "src.tok", "tgt.tok", "links.txt", "--line", "4", "--gold", "gold.txt", "-o", "pair.svg")
    assert (text / "pair.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize("model", ["ibm1", "ibm2", "diagonal", "gauss", "hmm", "fertility"])
def test_links_go_to_standard_output(text, model):
    result = invoke("train", text / "src.tok", text / "tgt.tok", "--model", model)
    assert result.exit_code == 0
    lines = result.stdout.split("\n")
    assert len(lines) == len(SOURCE) + 1
    assert lines[4] == ""


def test_json_about_training(text):
    arguments = ["train", text / "src.tok", text / "tgt.tok", "--model", "ibm1", "-o", text / "links", "--json"]
    report = json.loads(invoke(*arguments).stdout)
    assert report["pairs"] == len(SOURCE)
    assert len(report["log_likelihood"]) == 5


def test_symmetrises_files(text):
    (text / "f").write_text("0-0 1-1\n\n", encoding="utf-8")
    (text / "b").write_text("0-0 1-2\n0-1\n", encoding="utf-8")
    result = invoke("symmetrise", text / "f", text / "b", "--method", "union")
    assert result.stdout == "0-0 1-1 1-2\n0-1\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "src.tok", "short"], "numbers of lines"),
        (["train", "src.tok", "tgt.tok", "--model", "best"], "no alignment model"),
        (["train", "src.tok", "tgt.tok", "--symmetrise", "best"], "no symmetrisation"),
        (["train", "src.tok", "tgt.tok", "--json"], "standard output"),
        (["train", "missing", "tgt.tok"], "missing"),
        (["apply", "missing", "src.tok", "tgt.tok"], "missing"),
        (["score", "short", "gold.txt"], "short, line 1, byte 1"),
        (["draw", "src.tok", "tgt.tok", "gold.txt", "--line", "99"], "no line 99"),
    ],
)
def test_mistakes_are_one_sentence(text, arguments, message):
    (text / "short").write_text("eins\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "tolka", "align", *arguments], cwd=text, capture_output=True, text=True, check=False
    )
    assert done.returncode in {1, 2}
    assert message in done.stderr
    assert done.stderr.startswith("tolka: ")
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
