"""Weights of linear mixtures of tables."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.combine import naive
from tests.grammar.naive import Pair
from tests.grammar.test_extract import bitexts, extract

from tolka.combine import dev_pairs, mixture_weights, table_kind
from tolka.errors import InputError, SettingsError
from tolka.grammar import Extractor, Grammar, import_grammar, join_tables

FOUR = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
PAIRS = {("a", "x"): 0.5, ("a", "y"): 0.3, ("b", "x"): 0.2, ("b", "z"): 0.1}
ONE = {("a", "x"): 0.7, ("a", "y"): 0.1, ("b", "x"): 0.4}
TWO = {("a", "x"): 0.2, ("a", "y"): 0.6}


def phrases(path: Path, table: dict[tuple[str, str], float]) -> Grammar:
    """A table whose four probabilities are alike."""
    lines = [f"{source} ||| {target} ||| {p!r} {p!r} {p!r} {p!r} ||| 0-0" for (source, target), p in table.items()]
    path.with_suffix(".txt").write_text("\n".join(lines))
    return import_grammar(path.with_suffix(".txt"), path, format="moses-phrases")


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, Grammar]:
    return {"one": phrases(tmp_path / "one.tbl", ONE), "two": phrases(tmp_path / "two.tbl", TWO)}


@pytest.mark.parametrize(
    ("iterations", "weights", "objective"),
    [
        (0, (0.5, 0.5), -1.036088),
        (1, (0.631746, 0.368254), -0.983559),
        (2, (0.695319, 0.304681), -0.970079),
        (3, (0.727031, 0.272969), -0.966357),
        (1000, (0.765421, 0.234579), -0.964714),
    ],
)
def test_the_worked_example(
    tables: dict[str, Grammar], iterations: int, weights: tuple[float, float], objective: float
) -> None:
    found = mixture_weights(PAIRS, tables, iterations=iterations)
    assert tuple(found.weights) == FOUR
    for feature in FOUR:
        assert tuple(found.weights[feature].values()) == pytest.approx(weights, abs=1e-6)
        assert found.history[feature][-1] == pytest.approx(objective, abs=1e-6)
    assert found.kept == pytest.approx(1.0 / 1.1)
    assert (found.pairs, found.unknown) == (3, 1)
    assert found.converged == (iterations == 1000)


def test_the_worked_mixtures(tables: dict[str, Grammar], tmp_path: Path) -> None:
    found = mixture_weights(PAIRS, tables)
    mixed = join_tables(tables, tmp_path / "mixed.tbl", weights=found.weights)
    wanted = {("a", "x"): 0.582711, ("a", "y"): 0.217289, ("b", "x"): 0.306168}
    for feature in FOUR:
        assert {(rule.source, rule.target): math.exp(rule.features[feature]) for rule in mixed} == pytest.approx(
            wanted, abs=1e-6
        )
    both = join_tables(tables, tmp_path / "both.tbl", "log-linear")
    scores = {
        (rule.source, rule.target): 0.6 * rule.features["one.phrase_ef"] + 0.4 * rule.features["two.phrase_ef"]
        for rule in both
    }
    assert scores == pytest.approx({("a", "x"): -0.857780, ("a", "y"): -1.585881, ("b", "x"): -6.075979}, abs=1e-6)


probabilities = st.dictionaries(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), st.floats(0.001, 1.0), min_size=1, max_size=8
)


@settings(max_examples=60)
@given(
    st.dictionaries(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), st.integers(1, 9), min_size=1),
    st.lists(probabilities, min_size=1, max_size=4),
    st.integers(0, 12),
)
def test_weights_are_those_of_the_definition(
    pairs: dict[tuple[str, str], float], tables: list[dict[tuple[str, str], float]], iterations: int
) -> None:
    with TemporaryDirectory() as directory:
        opened = {str(at): phrases(Path(directory, f"{at}.tbl"), table) for at, table in enumerate(tables)}
        if not any(pair in table for pair in pairs for table in tables):
            with pytest.raises(InputError, match="no table has any"):
                mixture_weights(pairs, opened)
            return
        weights, history = naive.expectation_maximisation(pairs, tables, iterations)
        found = mixture_weights(pairs, opened, iterations=iterations, tolerance=1e-300)
        for feature in FOUR:
            assert list(found.weights[feature].values()) == pytest.approx(weights, abs=1e-6)
            done = found.history[feature]
            assert done == pytest.approx(history[: len(done)], abs=1e-6)
            assert all(after >= before - 1e-9 for before, after in itertools.pairwise(done))
        assert found.kept == pytest.approx(
            sum(count for pair, count in pairs.items() if any(pair in table for table in tables)) / sum(pairs.values())
        )


@settings(max_examples=25)
@given(bitexts(), bitexts(), bitexts(), st.sampled_from(["hiero", "phrase"]))
def test_a_table_of_pairs_is_the_same_as_its_counts(
    dev: list[Pair], one: list[Pair], two: list[Pair], kind: str
) -> None:
    shared = Pair(["a"], ["u"], {(0, 0)})
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        tables = {
            name: extract([*pairs, shared], folder / name, kind=kind) for name, pairs in (("one", one), ("two", two))
        }
        text = [*dev, shared]
        lines = [" ".join(pair.source) for pair in text], [" ".join(pair.target) for pair in text]
        pairs = dev_pairs(*lines, [sorted(pair.links) for pair in text], folder / "dev", kind)  # type: ignore[arg-type]
        counts = {(rule.source, rule.target): rule.counts[2] for rule in pairs}
        assert all(count == int(count) for count in counts.values())
        here, there = mixture_weights(pairs, tables), mixture_weights(counts, tables)
        for feature in FOUR:
            assert here.weights[feature] == pytest.approx(there.weights[feature], abs=1e-6)
        assert (here.kept, here.pairs, here.unknown) == (pytest.approx(there.kept), there.pairs, there.unknown)


def test_the_table_of_the_development_texts_domain_weighs_more(tmp_path: Path) -> None:
    law = Extractor("hiero").extract(
        ["das recht", "das gericht"], ["the law", "the court"], ["0-0 1-1"] * 2, tmp_path / "law"
    )
    talk = Extractor("hiero").extract(
        ["recht so", "das ist recht"], ["quite right", "that is right"], ["0-1 1-0", "0-0 1-1 2-2"], tmp_path / "talk"
    )
    tables = {"law": law, "talk": talk}
    assert table_kind(tables) == "hiero"
    for source, target, links, best in (
        ("das recht", "the law", "0-0 1-1", "law"),
        ("ist recht", "is right", "0-0 1-1", "talk"),
    ):
        pairs = dev_pairs([source], [target], [links], tmp_path / "dev", table_kind(tables))
        found = mixture_weights(pairs, tables)
        assert found.weights["phrase_ef"][best] > 0.6
        assert mixture_weights(pairs, tables, threads=1) == found


def test_threads_and_the_order_of_tables_do_not_matter(tables: dict[str, Grammar]) -> None:
    turned = dict(reversed(tables.items()))
    here, there = mixture_weights(PAIRS, tables), mixture_weights(PAIRS, turned)
    assert here.weights["lex_fe"] == pytest.approx(there.weights["lex_fe"], abs=1e-6)


def test_a_single_table_weighs_everything(tables: dict[str, Grammar]) -> None:
    assert mixture_weights(PAIRS, {"one": tables["one"]}).weights["phrase_ef"] == {"one": 1.0}


@pytest.mark.parametrize(
    ("pairs", "keywords", "error", "says"),
    [
        ({}, {}, InputError, "no counts"),
        ({("a", "x"): 0.0}, {}, InputError, "no counts"),
        ({("a", "x"): math.nan}, {}, InputError, "not a number from 0 up"),
        ({("a", "x"): -1.0}, {}, InputError, "not a number from 0 up"),
        ({("q", "x"): 1.0}, {}, InputError, "no table has any"),
        ([("a", "x")], {}, InputError, "neither a table nor counts"),
        (PAIRS, {"tolerance": 0.0}, SettingsError, "tolerance"),
        (PAIRS, {"tolerance": math.nan}, SettingsError, "tolerance"),
        (PAIRS, {"iterations": -1}, SettingsError, "-1 iterations"),
    ],
)
def test_what_cannot_be_weighed(
    tables: dict[str, Grammar], pairs: Any, keywords: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        mixture_weights(pairs, tables, **keywords)


def test_tables_that_cannot_be_weighed(tables: dict[str, Grammar], tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no table"):
        mixture_weights(PAIRS, {})
    (tmp_path / "x.txt").write_text("[X] ||| a ||| x ||| phrase_ef=-1 ||| 0-0")
    other = import_grammar(tmp_path / "x.txt", tmp_path / "x.tbl")
    with pytest.raises(InputError, match="one and other do not have the same"):
        mixture_weights(PAIRS, {**tables, "other": other})
    (tmp_path / "y.txt").write_text("[X] ||| a ||| x ||| q=-1 ||| 0-0")
    with pytest.raises(InputError, match="none of phrase_fe"):
        mixture_weights(PAIRS, {"y": import_grammar(tmp_path / "y.txt", tmp_path / "y.tbl")})
    with pytest.raises(InputError, match="no counts"):
        mixture_weights(other, tables)
    with pytest.raises(SettingsError, match="negative"):
        mixture_weights(other, tables, threads=-1)


def test_on_the_command_line(tables: dict[str, Grammar], tmp_path: Path) -> None:
    (tmp_path / "s").write_text("a\na\nb\n")
    (tmp_path / "t").write_text("x\ny\nz\n")
    (tmp_path / "l").write_text("0-0\n0-0\n0-0\n")
    command = [sys.executable, "-m", "tolka", "grammar", "join", "-q", "--json", "-o", str(tmp_path / "mixed.tbl")]
    command += [f"{name}={grammar.path}" for name, grammar in tables.items()]
    command += ["--dev", *(str(tmp_path / name) for name in "stl")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    wanted = mixture_weights({("a", "x"): 1, ("a", "y"): 1, ("b", "z"): 1}, tables)
    assert told["weights"] == wanted.weights
    assert told["kept"] == pytest.approx(2 / 3)
    join_tables(tables, tmp_path / "same.tbl", weights=wanted.weights)
    assert (tmp_path / "mixed.tbl").read_bytes() == (tmp_path / "same.tbl").read_bytes()
    done = subprocess.run([*command, "--how", "union"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--dev finds the weights" in done.stderr
