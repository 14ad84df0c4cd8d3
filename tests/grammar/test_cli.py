"""`tolka grammar` from the outside."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tolka.cli.main import app

if TYPE_CHECKING:
    from pathlib import Path

RUNNER = CliRunner()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "s").write_text("das haus\nein haus\n", encoding="utf-8")
    (tmp_path / "t").write_text("the house\na house\n", encoding="utf-8")
    (tmp_path / "a").write_text("0-0 1-1\n0-0 1-1\n", encoding="utf-8")
    return tmp_path


def run(*arguments: object) -> str:
    result = RUNNER.invoke(app, ["grammar", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_from_text_to_rules(corpus: Path) -> None:
    table = corpus / "rules.tbl"
    report = json.loads(run("extract", corpus / "s", corpus / "t", corpus / "a", "-o", table, "--json"))
    assert (report["kind"], report["pairs"]) == ("hiero", 2)
    assert json.loads(run("info", table, "--json"))["rules"] == report["kept"]
    shown = run("show", table, "das [X]")
    assert shown.startswith("[X] ||| das [X,1] ||| the [X,1] ||| phrase_fe=")
    (corpus / "test").write_text("ein baum\n", encoding="utf-8")
    small = json.loads(run("filter", table, corpus / "test", "-o", corpus / "small", "--json"))
    assert small["rules"] < small["before"]
    run("export", table, "--format", "cdec", "-o", corpus / "g.gz")
    made = json.loads(run("import", corpus / "g.gz", "-o", corpus / "again", "--json"))
    assert made["rules"] == report["kept"]
    run("export", table, "-o", corpus / "moses.gz")
    assert json.loads(run("import", corpus / "moses.gz", "-o", corpus / "again", "--json"))["rules"] == made["rules"]


def test_errors_are_sentences(corpus: Path) -> None:
    command = [sys.executable, "-m", "tolka", "grammar"]
    done = subprocess.run(
        [*command, "info", str(corpus / "s")], capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 1
    assert done.stderr.startswith("tolka: ")
    assert "Traceback" not in done.stderr


def test_an_index_grows_and_gives_tables(corpus: Path) -> None:
    files = [corpus / "s", corpus / "t", corpus / "a"]
    made = json.loads(run("index", *files, "-o", corpus / "g", "--kind", "phrase", "--json", "--quiet"))
    assert (made["kind"], made["pairs"]) == ("phrase", 2)
    (corpus / "s").write_text("das buch\n", encoding="utf-8")
    (corpus / "t").write_text("the book\n", encoding="utf-8")
    (corpus / "a").write_text("0-0 1-1\n", encoding="utf-8")
    assert json.loads(run("index", *files, "-o", corpus / "g", "--append", "--json"))["pairs"] == 3
    assert json.loads(run("lookup", corpus / "g", corpus / "s", "-o", corpus / "t.tbl", "--json"))["rules"] == 3
    assert "the book" in run("show", corpus / "t.tbl", "das buch")
