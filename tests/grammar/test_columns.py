"""More features for the rules of a grammar."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tolka.decode import Decoder
from tolka.errors import FormatError, InputError
from tolka.grammar import Extractor, Grammar, add_columns, add_features

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "das ist ein kleines haus"]
TARGET = ["the house is small", "the small house", "a house", "this is a small house"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4"]


@pytest.fixture
def grammar(tmp_path: Path) -> Grammar:
    return Extractor("hiero").extract(SOURCE, TARGET, LINKS, tmp_path / "old.tbl")


def test_functions_see_every_rule_and_nothing_else_changes(grammar: Grammar, tmp_path: Path) -> None:
    made = add_features(
        grammar, tmp_path / "new.tbl", {"chars": lambda s, t: len(s) * 100 + len(t), "gaps": lambda s, _: s.count("[X")}
    )
    assert made.feature_names == (*grammar.feature_names, "chars", "gaps")
    assert len(made) == len(grammar)
    for old, new in zip(grammar, made, strict=True):
        added = {"chars": float(len(old.source) * 100 + len(old.target)), "gaps": float(old.source.count("[X"))}
        assert new.features == {**old.features, **added}
        assert (new.lhs, new.source, new.target, new.links, new.counts) == (
            old.lhs,
            old.source,
            old.target,
            old.links,
            old.counts,
        )


def test_a_new_feature_decides(grammar: Grammar, tmp_path: Path) -> None:
    made = add_features(grammar, tmp_path / "new.tbl", {"the": lambda _, target: float(target.split()[0] == "the")})
    decoder = Decoder(made)
    assert decoder.weights["the"] == 0.0
    assert decoder.with_weights({"the": 9.0}).translate(["das"]) == ["the"]
    assert decoder.with_weights({"the": -9.0}).translate(["das"]) != ["the"]


def test_many_batches(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(9000)]
    old = Extractor("phrase").extract(words, words, ["0-0"] * len(words), tmp_path / "old.tbl")
    made = add_features(old, tmp_path / "new.tbl", {"number": lambda source, _: float(source[1:])})
    assert [rule.features["number"] for rule in made] == [float(rule.source[1:]) for rule in made]


def test_a_file_names_some_rules(grammar: Grammar, tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text("source\ttarget\tone\ttwo\nhaus\thouse\t1\t-2.5\ndas [X,1]\tthe [X,1]\t3\t4\nno\trule\t5\t6\n")
    made, found = add_columns(grammar, tmp_path / "new.tbl", scores, default=-1.0)
    assert found == 2
    values = {(rule.source, rule.target): (rule.features["one"], rule.features["two"]) for rule in made}
    assert values.pop(("haus", "house")) == (1.0, -2.5)
    assert values.pop(("das [X,1]", "the [X,1]")) == (3.0, 4.0)
    assert set(values.values()) == {(-1.0, -1.0)}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("a\tb\n", "no names", 1),
        ("s\tt\tx\na\tb\n", "2 columns instead of 3", 2),
        ("s\tt\tx\na\tb\tc\n", "not a finite number", 2),
        ("s\tt\tx\na\tb\tnan\n", "not a finite number", 2),
        ("s\tt\tx\na\tb\t1\na\tb\t2\n", "comes twice", 3),
    ],
)
def test_wrong_files_are_errors(grammar: Grammar, tmp_path: Path, text: str, message: str, line: int) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text(text)
    with pytest.raises(FormatError, match=message) as refused:
        add_columns(grammar, tmp_path / "new.tbl", scores)
    assert refused.value.line == line
    assert not (tmp_path / "new.tbl").exists()


def test_wrong_features_are_errors(grammar: Grammar, tmp_path: Path) -> None:
    new = tmp_path / "new.tbl"
    with pytest.raises(InputError, match="used twice"):
        add_features(grammar, new, {grammar.feature_names[0]: lambda *_: 0.0})
    with pytest.raises(InputError, match="not a finite number"):
        add_features(grammar, new, {"x": lambda *_: math.inf})
    with pytest.raises(InputError, match="no feature"):
        add_features(grammar, new, {})
    with pytest.raises(ZeroDivisionError):
        add_features(grammar, new, {"x": lambda *_: 1 / 0})
    with pytest.raises(InputError, match="replace the one"):
        add_features(grammar, grammar.path, {"x": lambda *_: 0.0})
    assert not new.exists()
    assert len(Grammar.load(grammar.path, verify=True)) == len(grammar)


def test_on_the_command_line(grammar: Grammar, tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text("haus\thouse\t0.5\n")
    command = [sys.executable, "-m", "tolka", "grammar", "add-features", str(grammar.path), str(scores)]
    command += ["-o", str(tmp_path / "new.tbl"), "--name", "mine", "--default", "-3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["found"] == 1
    (rule,) = Grammar.load(tmp_path / "new.tbl").rules("haus")
    assert rule.features["mine"] == 0.5
