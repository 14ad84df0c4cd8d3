"""Parses from the command line: a treebank makes a parser, people's answers make a better treebank."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tolka.cli import app
from tolka.errors import InputError, LimitError, SettingsError, TolkaError
from tolka.syntax import read_forests, read_penn

if TYPE_CHECKING:
    from pathlib import Path

HIGH = "(S (NP-SBJ (PRP {}) ) (VP (VBD {}) (NP (DT the) (NN {})) (PP (IN with) (NP (DT a) (NN {})))))"
LOW = "(S (NP-SBJ (PRP {}) ) (VP (VBD {}) (NP (NP (DT the) (NN {})) (PP (IN with) (NP (DT a) (NN {}))))))"


def run(*arguments: object) -> str:
    found = CliRunner().invoke(app, [str(one) for one in arguments])
    if isinstance(found.exception, TolkaError):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences whose last phrase belongs now here, now there, whatever the words are; a little more often to the verb."""
    path = tmp_path_factory.mktemp("bank") / "trees.ptb"
    words = product(("he", "she", "they"), ("saw", "met"), ("man", "woman"), ("dog", "hat"))
    trees = [(HIGH if at % 5 < 3 else LOW).format(*row) for at, row in enumerate(words)]
    path.write_text("".join(f"{tree}\n" for tree in trees), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def parser(bank: Path) -> Path:
    path = bank.parent / "parser"
    run("parse", "train", bank, "-o", path, "--rounds", "0", "--quiet")
    return path


def test_an_oracle_repairs_what_the_parser_cannot_know(parser: Path, bank: Path) -> None:
    found = json.loads(
        run("assist", "simulate", "--task", "parse", "--parser", parser, "--gold", bank, "--json", "--quiet")
    )
    assert found["before"]["f1"] < found["after"]["f1"] == pytest.approx(100)
    assert found["questions"] >= found["better"] > 0
    assert found["worse"] == 0
    told = run(
        "assist", "simulate", "--task", "parse", "--parser", parser, "--gold", bank, "--quiet", "--strategy", "random"
    )
    assert "100.00 after" in told


def test_people_who_are_always_wrong_make_it_worse(parser: Path, bank: Path) -> None:
    wrong = ("--same-if-true", "0", "--same-if-false", "1")
    arguments = ("--task", "parse", "--parser", parser, "--gold", bank, *wrong, "--each", "1", "--json", "--quiet")
    found = json.loads(run("assist", "simulate", *arguments))
    assert found["after"]["f1"] < found["before"]["f1"]
    assert found["questions"] <= found["sentences"]


def test_an_option_of_the_other_task_is_refused(parser: Path, bank: Path) -> None:
    with pytest.raises(SettingsError, match="the task parse does not take --errors"):
        run("assist", "simulate", "--task", "parse", "--parser", parser, "--gold", bank, "--errors", "0.1")
    with pytest.raises(SettingsError, match="the task senses does not take --gold"):
        run("assist", "simulate", "--task", "senses", "--gold", bank)
    with pytest.raises(SettingsError, match="needs --parser and --gold"):
        run("assist", "simulate", "--task", "parse")
    with pytest.raises(SettingsError, match="no strategy nearest-half"):
        run("assist", "simulate", "--task", "parse", "--parser", parser, "--gold", bank, "--strategy", "nearest-half")


def test_no_gold_trees_are_refused(parser: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.ptb").write_text("")
    with pytest.raises(InputError, match="there are no trees"):
        run("assist", "simulate", "--task", "parse", "--parser", parser, "--gold", tmp_path / "empty.ptb", "--quiet")


def test_from_text_to_tasks_and_to_trees(parser: Path, tmp_path: Path) -> None:
    text, tasks, trees = tmp_path / "text.tok", tmp_path / "tasks", tmp_path / "corrected.ptb"
    text.write_text("he saw the man with a dog\nshe met\n", encoding="utf-8")
    forests = tmp_path / "forests.jsonl"
    run("parse", "apply", parser, text, "--forest", "--nbest", "50", "-o", forests, "--quiet")
    assert [one.words for one in read_forests(forests)] == [
        ("he", "saw", "the", "man", "with", "a", "dog"),
        ("she", "met"),
    ]
    run("assist", "init", tasks, "--task", "parse", "--parser", parser, "--source", text, "--quiet")
    run("assist", "export", tasks, "-o", trees)
    plain = tmp_path / "parsed.ptb"
    run("parse", "apply", parser, text, "-o", plain, "--quiet")
    assert [str(tree) for tree in read_penn(trees)] == [str(tree) for tree in read_penn(plain)]


def test_forests_of_another_parser_do_as_well(parser: Path, tmp_path: Path) -> None:
    text, forests = tmp_path / "text.tok", tmp_path / "forests.jsonl"
    text.write_text("he saw the man with a dog\n", encoding="utf-8")
    run("parse", "apply", parser, text, "--forest", "-o", forests, "--quiet")
    common = ("--task", "parse", "--source", text, "--quiet")
    run("assist", "init", tmp_path / "one", *common, "--parser", parser)
    run("assist", "init", tmp_path / "two", *common, "--forests", forests)
    left = [run("assist", "status", tmp_path / name).splitlines()[1] for name in ("one", "two")]
    assert "1 question" in left[0]
    assert left[0] == left[1]
    with pytest.raises(SettingsError, match="--parser or --forests"):
        run("assist", "init", tmp_path / "three", *common)
    text.write_text("she saw the man with a dog\n", encoding="utf-8")
    arguments = [str(one) for one in ("assist", "init", tmp_path / "four", *common, "--forests", forests)]
    told = CliRunner().invoke(app, arguments)
    assert told.exit_code == 0
    assert "line 1: there is no forest of this sentence" in told.output
    assert "0 questions" in run("assist", "status", tmp_path / "four")


def test_a_sentence_that_is_too_long_does_not_end_it_for_others(parser: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.tok"
    text.write_text("he saw the man with a dog\n" + "man " * 1500 + "\n", encoding="utf-8")
    arguments = (
        "assist",
        "init",
        tmp_path / "tasks",
        "--task",
        "parse",
        "--parser",
        parser,
        "--source",
        text,
        "--quiet",
    )
    told = CliRunner().invoke(app, [str(one) for one in arguments])
    assert told.exit_code == 0, told.output
    assert "line 2: " in told.output
    assert "1 question" in run("assist", "status", tmp_path / "tasks")
    assert run("assist", "export", tmp_path / "tasks", "-o", tmp_path / "out.ptb") is not None
    assert len((tmp_path / "out.ptb").read_text().splitlines()) == 2
    for command in (("parse", "apply", parser, text, "--forest"), ("assist", "rewrite", parser, text)):
        with pytest.raises(LimitError, match="line 2: "):
            run(*command, "--quiet")
