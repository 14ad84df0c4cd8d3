"""Rules found on demand against the extractor's table and the plain definitions."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.grammar import naive
from tests.grammar.test_extract import bitexts, compare

from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.grammar import Extractor, SuffixGrammar, filter_grammar

if TYPE_CHECKING:
    from pathlib import Path

    from tolka.grammar import Grammar

SOURCE = ["das haus ist alt", "das buch ist neu", "ein haus", "das alte haus"]
TARGET = ["the house is old", "the book is new", "a house", "the old house"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2 3-3", "0-0 1-1", "0-0 1-1 2-2"]


def lines(pairs: list[naive.Pair]) -> tuple[list[str], list[str], list[list[tuple[int, int]]]]:
    return (
        [" ".join(pair.source) for pair in pairs],
        [" ".join(pair.target) for pair in pairs],
        [sorted(pair.links) for pair in pairs],
    )


def matches(side: list[str], words: list[str]) -> bool:
    """Whether a source side fits somewhere in a sentence, a gap standing for one word or more."""

    def fits(at: int, symbol: int) -> bool:
        if symbol == len(side):
            return True
        if at >= len(words):
            return False
        if side[symbol].startswith("[X,"):
            return any(fits(end, symbol + 1) for end in range(at + 1, len(words) + 1))
        return words[at] == side[symbol] and fits(at + 1, symbol + 1)

    return any(fits(start, 0) for start in range(len(words)))


@settings(max_examples=60, deadline=None)
@given(
    bitexts(),
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=7),
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
    st.integers(0, 4),
)
def test_hiero_rules_are_those_of_the_definition(
    pairs: list[naive.Pair], words: list[str], options: dict[str, Any], fractional: bool, cut: int
) -> None:
    wanted = naive.table(pairs, naive.Settings(fractional=fractional, **options), "min")
    wanted = {key: value for key, value in wanted.items() if matches(key[0].split(), words)}
    counting = "fractional" if fractional else "unit"
    extractor = Extractor("hiero", limit=0, counting=counting, several="min", **options)
    with TemporaryDirectory() as directory:
        first, rest = pairs[: max(1, cut)], pairs[max(1, cut) :]
        grammar = SuffixGrammar.build(*lines(first), directory + "/g", extractor=extractor, samples=0)
        if rest:
            grammar.append(*lines(rest))
        compare(grammar.extract([" ".join(words)]), wanted)


@settings(max_examples=60, deadline=None)
@given(bitexts(), st.lists(st.sampled_from("abcde"), min_size=1, max_size=7), st.integers(1, 8), st.booleans())
def test_phrases_are_those_of_the_definition(
    pairs: list[naive.Pair], words: list[str], max_length: int, loose: bool
) -> None:
    wanted = naive.table(pairs, naive.Settings("phrase", max_length=max_length, loose=loose))
    wanted = {key: value for key, value in wanted.items() if matches(key[0].split(), words)}
    extractor = Extractor("phrase", max_length=max_length, loose=loose, limit=0)
    with TemporaryDirectory() as directory:
        grammar = SuffixGrammar.build(*lines(pairs), directory + "/g", extractor=extractor, samples=0)
        compare(grammar.extract([" ".join(words)]), wanted)


def same(one: Grammar, two: Grammar) -> None:
    assert one.feature_names == two.feature_names
    assert list(one) == list(two)


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_extract_gives_the_filtered_table(kind: Any, tmp_path: Path) -> None:
    extractor = Extractor(kind, limit=2)
    table = extractor.extract(SOURCE, TARGET, LINKS, tmp_path / "table")
    grammar = SuffixGrammar.build(SOURCE, TARGET, LINKS, tmp_path / "g", extractor=extractor, samples=0)
    for sentences in (["das haus ist neu"], ["ein buch", "das alte haus ist hier"]):
        same(grammar.extract(sentences), filter_grammar(table, sentences, tmp_path / "small"))
    # As many samples as there are occurrences are all.
    again = SuffixGrammar.load(tmp_path / "g", samples=300)
    same(again.extract(["das haus"]), filter_grammar(table, ["das haus"], tmp_path / "small"))
    assert len(grammar.extract(["nie gesehen"])) == len(grammar.extract([])) == 0
    assert grammar.feature_names == table.feature_names


def test_appended_pairs_are_there_at_once_and_for_others(tmp_path: Path) -> None:
    grammar = SuffixGrammar.build(SOURCE[:1], TARGET[:1], LINKS[:1], tmp_path / "g", samples=0)
    other = SuffixGrammar.load(tmp_path / "g")
    for pair in range(1, len(SOURCE)):
        grammar.append(SOURCE[pair : pair + 1], TARGET[pair : pair + 1], LINKS[pair : pair + 1])
    assert len(grammar) == len(SOURCE)
    assert len(other) == 1
    assert other.extract(["buch"]).rules("buch") == []
    other.append(["katze"], ["cat"], ["0-0"])
    assert [rule.target for rule in other.extract(["buch katze"]).rules("buch")] == ["book"]
    reopened = SuffixGrammar.load(tmp_path / "g", samples=0)
    assert len(reopened) == len(other) == len(SOURCE) + 1
    whole = Extractor("hiero", limit=0).extract(
        [*SOURCE, "katze"], [*TARGET, "cat"], [*LINKS, "0-0"], tmp_path / "whole"
    )
    expected = filter_grammar(whole, ["das alte buch"], tmp_path / "small")
    found = reopened.extract(["das alte buch"])
    assert {(r.source, r.target): r for r in found} == {(r.source, r.target): r for r in expected}
    stats = reopened.stats()
    assert (stats.pairs, stats.segments, stats.kind) == (5, 1, "hiero")
    assert stats.bytes > 0


def test_pairs_without_links_count_for_words(tmp_path: Path) -> None:
    source, target, links = ["a b", "b"], ["x", "x y"], ["0-0", ""]
    extractor = Extractor("phrase")
    table = extractor.extract(source, target, links, tmp_path / "table")
    grammar = SuffixGrammar.build(source, target, links, tmp_path / "g", extractor=extractor, samples=0)
    same(grammar.extract(["a b"]), filter_grammar(table, ["a b"], tmp_path / "small"))
    assert len(grammar) == 2


def test_max_span_limits_gaps(tmp_path: Path) -> None:
    grammar = SuffixGrammar.build(SOURCE, TARGET, LINKS, tmp_path / "g", samples=0)
    near = SuffixGrammar.load(tmp_path / "g", samples=0, max_span=2)
    assert grammar.extract(["das haus ist alt"]).rules("das [X,1] ist")
    assert not near.extract(["das haus ist alt"]).rules("das [X,1] ist")
    assert near.extract(["das haus ist alt"]).rules("das [X,1]")


def test_a_killed_append_leaves_the_old_grammar(tmp_path: Path) -> None:
    SuffixGrammar.build(SOURCE, TARGET, LINKS, tmp_path / "g")
    script = textwrap.dedent("""
        import os, sys
        from tolka.files import saving
        from tolka.grammar import SuffixGrammar
        saving._commit = lambda *_: os.kill(os.getpid(), 9)
        SuffixGrammar.load(sys.argv[1]).append(["katze"], ["cat"], ["0-0"])
    """)
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "g")], check=False)
    assert killed.returncode == -9
    grammar = SuffixGrammar.load(tmp_path / "g")
    assert len(grammar) == len(SOURCE)
    assert len(grammar.append(["katze"], ["cat"], ["0-0"])) == len(SOURCE) + 1


def test_wrong_use_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        SuffixGrammar.load(tmp_path / "nowhere")
    with pytest.raises(SettingsError, match="all rules"):
        SuffixGrammar.build(
            SOURCE, TARGET, LINKS, tmp_path / "g", extractor=Extractor("phrase", smoothing="good-turing")
        )
    with pytest.raises(SettingsError, match="all rules"):
        SuffixGrammar([], Extractor("phrase", significance=1.0))
    with pytest.raises(SettingsError):
        SuffixGrammar([], samples=-1)
    with pytest.raises(SettingsError, match="no directory"):
        SuffixGrammar([]).append(["a"], ["b"], ["0-0"])
    with pytest.raises(InputError, match="no links"):
        SuffixGrammar.build(["a"], ["b"], [""], tmp_path / "g")
    assert not (tmp_path / "g").exists()
    grammar = SuffixGrammar.build(SOURCE, TARGET, LINKS, tmp_path / "g")
    with pytest.raises(InputError, match="one string"):
        grammar.extract("das haus")
    with pytest.raises(InputError, match="source has 1 lines"):
        grammar.append(["a"], ["b", "c"], ["0-0"])
    assert len(SuffixGrammar.load(tmp_path / "g")) == len(SOURCE)
    [segment] = grammar.segments
    data = bytearray(segment.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    segment.write_bytes(bytes(data))
    with pytest.raises(FormatError):
        SuffixGrammar.load(tmp_path / "g")
