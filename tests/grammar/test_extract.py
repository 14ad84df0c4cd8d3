"""Extraction and scoring against the plain definitions."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.grammar import naive

from tolka.errors import FormatError, InputError, SettingsError
from tolka.grammar import Extractor, Grammar


@st.composite
def bitexts(draw: st.DrawFn) -> list[naive.Pair]:
    pairs = []
    for _ in range(draw(st.integers(1, 4))):
        source = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=7))
        target = draw(st.lists(st.sampled_from("uvwx"), min_size=1, max_size=7))
        link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
        pairs.append(naive.Pair(source, target, draw(st.sets(link, min_size=1, max_size=8))))
    return pairs


def extract(pairs: list[naive.Pair], path: Path, **keywords: Any) -> Grammar:
    return Extractor(**{"exact": True, **keywords}).extract(
        [" ".join(pair.source) for pair in pairs],
        [" ".join(pair.target) for pair in pairs],
        [sorted(pair.links) for pair in pairs],
        path,
    )


def compare(grammar: Grammar, expected: dict[naive.Key, tuple[float, list[float]]]) -> None:
    found = {(rule.source, rule.target): rule for rule in grammar}
    assert set(found) == set(expected)
    for key, (count, features) in expected.items():
        assert found[key].counts[2] == pytest.approx(count, abs=1e-5)
        assert list(found[key].features.values()) == pytest.approx(features, abs=2e-5), key


@settings(max_examples=60, deadline=None)
@given(
    bitexts(),
    st.fixed_dictionaries(
        {
            "max_length": st.integers(1, 8),
            "max_symbols": st.integers(1, 6),
            "max_gaps": st.integers(0, 2),
            "min_gap": st.integers(1, 2),
            "adjacent": st.booleans(),
            "loose": st.booleans(),
        }
    ),
    st.booleans(),
    st.sampled_from(["min", "max"]),
)
def test_hiero_rules_are_those_of_the_definition(
    pairs: list[naive.Pair], options: dict[str, Any], fractional: bool, several: str
) -> None:
    wanted = naive.table(pairs, naive.Settings(fractional=fractional, **options), several)
    counting = "fractional" if fractional else "unit"
    with TemporaryDirectory() as directory:
        path = Path(directory) / "t"
        if not wanted:
            with pytest.raises(InputError, match="no rule"):
                extract(pairs, path, kind="hiero", limit=0, counting=counting, several=several, **options)
            return
        compare(extract(pairs, path, kind="hiero", limit=0, counting=counting, several=several, **options), wanted)


@settings(max_examples=60, deadline=None)
@given(bitexts(), st.integers(1, 8), st.booleans(), st.sampled_from(["frequent", "min", "max"]))
def test_phrases_are_those_of_the_definition(
    pairs: list[naive.Pair], max_length: int, loose: bool, several: str
) -> None:
    wanted = naive.table(pairs, naive.Settings("phrase", max_length=max_length, loose=loose), several)
    with TemporaryDirectory() as directory:
        path = Path(directory) / "t"
        options = {"max_length": max_length, "loose": loose, "several": several, "limit": 0}
        if not wanted:
            with pytest.raises(InputError, match="no rule"):
                extract(pairs, path, kind="phrase", **options)
            return
        compare(extract(pairs, path, kind="phrase", **options), wanted)


def test_files_and_lines_give_the_same_table(tmp_path: Path) -> None:
    source, target, links = ["das haus", "ein buch"], ["the house", "a book"], ["0-0 1-1", "0-0 1-1"]
    for name, lines in (("s", source), ("t", target), ("a", links)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    one = Extractor("phrase")
    one.extract(tmp_path / "s", tmp_path / "t", tmp_path / "a", tmp_path / "one")
    Extractor("phrase", threads=1).extract(source, target, links, tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    report = one.last_report()
    assert (report.pairs, report.kept, report.spilled) == (2, 6, False)
    grammar = Grammar.load(tmp_path / "one", verify=True)
    assert len(grammar) == grammar.stats().rules == 6
    assert grammar.feature_names[:4] == ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
    [rule] = grammar.rules("das haus")
    assert (rule.target, rule.links, rule.counts) == ("the house", ((0, 0), (1, 1)), (1.0, 1.0, 1.0))
    assert grammar.rules("nicht da") == []
    assert dataclasses.asdict(report)["kind"] == "phrase"


def test_pruning_keeps_the_most_probable(tmp_path: Path) -> None:
    source = ["a"] * 6
    target = ["x", "x", "x", "y", "y", "z"]
    links = ["0-0"] * 6
    limited = Extractor("phrase", limit=2).extract(source, target, links, tmp_path / "l")
    assert [rule.target for rule in limited.rules("a")] == ["x", "y"]
    counted = Extractor("phrase", min_count=3).extract(source, target, links, tmp_path / "c")
    assert [rule.target for rule in counted.rules("a")] == ["x"]
    longer = (["a b c", "a b d", "a b e"], ["x y z", "x y w", "x y"], ["0-0 1-1 2-2", "0-0 1-1 2-2", "0-1 1-0 2-0 2-1"])
    kinds: list[Any] = ["phrase", "hiero"]
    for kind, longest in itertools.product(kinds, range(4)):
        all_of_them = {(r.source, r.target): r for r in Extractor(kind).extract(*longer, tmp_path / "a")}
        kept = Extractor(kind, singletons=longest).extract(*longer, tmp_path / "s")
        needed = {key for key, rule in all_of_them.items() if rule.counts[2] > 1 or len(key[0].split()) <= longest}
        words = {"[X,1]", "[X,2]"}.union(*(source.split() for source, _ in needed))
        wanted = {
            key: rule for key, rule in all_of_them.items() if key in needed or not words.issuperset(key[0].split())
        }
        assert {(rule.source, rule.target): rule for rule in kept} == wanted
    binned = Extractor("phrase", indicators=True).extract(source, target, links, tmp_path / "b")
    assert [rule.features["count_1"] for rule in binned.rules("a")] == [0.0, 0.0, 1.0]
    assert [rule.features["count_3_5"] for rule in binned.rules("a")] == [1.0, 0.0, 0.0]


def test_wrong_input_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="source has 1 lines, the target 2"):
        Extractor().extract(["a"], ["b", "c"], ["0-0"], tmp_path / "t")
    with pytest.raises(InputError, match="pair 1 has 1 source and 1 target words, but a link 0-1"):
        Extractor().extract(["a"], ["b"], ["0-1"], tmp_path / "t")
    (tmp_path / "a").write_text("0-0\n0:1\n", encoding="utf-8")
    with pytest.raises(FormatError, match="line 2"):
        Extractor().extract(["a", "a"], ["b", "b"], tmp_path / "a", tmp_path / "t")
    with pytest.raises(InputError, match="no links"):
        Extractor().extract([], [], [], tmp_path / "t")
    for wrong in ({"max_length": 99}, {"min_gap": 0}, {"floor": 0.0}, {"smoothing": "good-turing"}, {"threads": -1}):
        with pytest.raises(SettingsError):
            Extractor("hiero", **wrong).extract(["a"], ["b"], ["0-0"], tmp_path / "t")
    with pytest.raises(SettingsError):
        Extractor("tree").extract(["a"], ["b"], ["0-0"], tmp_path / "t")  # type: ignore[arg-type]
    assert not (tmp_path / "t").exists()


def test_significance_leaves_out_what_occurs_once(tmp_path: Path) -> None:
    source, target = ["a"] * 3 + ["b"] + ["c"] * 2, ["x"] * 3 + ["y"] + ["z"] * 2
    found = {}
    for level in ("alpha+epsilon", "alpha-epsilon", 2.8):
        made = Extractor("phrase", significance=level).extract(source, target, ["0-0"] * 6, tmp_path / "t")
        found[level] = {rule.source for rule in made}
    # -ln p is ln 20 for a, ln 15 for c, ln 6 (alpha) for b.
    assert found == {"alpha+epsilon": {"a", "c"}, "alpha-epsilon": {"a", "b", "c"}, 2.8: {"a"}}
    with pytest.raises(SettingsError):
        Extractor(significance="beta").extract(["a"], ["b"], ["0-0"], tmp_path / "t")  # type: ignore[arg-type]
