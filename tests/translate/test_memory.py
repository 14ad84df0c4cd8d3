"""What a model remembers of its corrections."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.corpus import Truecaser
from tolka.decode import Sentence
from tolka.errors import FormatError, SettingsError
from tolka.translate import TextSettings, TextSteps
from tolka.translate.description import Remembering
from tolka.translate.given import GivenSettings
from tolka.translate.memory import (
    Correction,
    Memory,
    frame,
    match_of,
    pairing,
    read_corrections,
    similarity,
    verbatim,
    write_corrections,
)

if TYPE_CHECKING:
    from pathlib import Path

words = st.lists(st.sampled_from("abcd"), max_size=6)
WORDS = TextSteps("de", TextSettings(tokenised=True))


def naive_distance(one: list[str], other: list[str]) -> int:
    """The edit distance by its definition."""
    if not one or not other:
        return len(one) + len(other)
    changed = naive_distance(one[1:], other[1:]) + (one[0] != other[0])
    return min(changed, naive_distance(one[1:], other) + 1, naive_distance(one, other[1:]) + 1)


@given(words, words)
def test_similarity_is_its_definition(one: list[str], other: list[str]) -> None:
    longer = max(len(one), len(other), 1)
    assert similarity(one, other) == pytest.approx(1 - naive_distance(one, other) / longer)


@given(words, words)
def test_words_are_paired_in_the_fewest_edits(one: list[str], other: list[str]) -> None:
    pairs = pairing(one, other)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))
    alone = len(one) + len(other) - 2 * len(pairs)
    assert alone + sum(one[i] != other[j] for i, j in pairs) == naive_distance(one, other)


def memory(corrections: list[Correction], place: Path) -> Memory:
    write_corrections(place, corrections)
    return Memory([place], WORDS, Remembering(use="fuzzy"))


@given(st.lists(words.filter(bool), max_size=8), words, st.sampled_from([0.3, 0.5, 0.7, 1.0]))
def test_the_most_similar_is_found_without_comparing_all(
    tmp_path_factory: pytest.TempPathFactory, known: list[list[str]], asked: list[str], threshold: float
) -> None:
    corrections = [Correction("", f"{at}", " ".join(one), "x", ((0, 0),)) for at, one in enumerate(known)]
    last = {" ".join(one): at for at, one in enumerate(known)}
    scores = [(similarity(asked, known[at]), at) for at in last.values()]
    best = max((one for one in scores if one[0] >= threshold), default=None) if asked else None
    found = memory(corrections, tmp_path_factory.mktemp("m") / "u").similar(asked, threshold)
    assert (found and (found[1], int(found[0].target))) == best


@given(st.data())
def test_frames_hold_links_together(data: st.DataObject) -> None:
    source = data.draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=6))
    target = [f"t{at}" for at in range(data.draw(st.integers(1, 6)))]
    pairs = list(product(range(len(source)), range(len(target))))
    links = tuple(sorted(data.draw(st.sets(st.sampled_from(pairs), max_size=6))))
    asked = data.draw(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6))
    taken = data.draw(st.sets(st.integers(0, 5), max_size=2))
    found = frame(Correction("", "", " ".join(source), " ".join(target), links), asked, taken)
    assert sorted(found.order) == list(range(len(asked)))
    partner = {j: i for i, j in pairing(source, asked)}
    said: list[int] = []
    for one in found.given:
        places = found.order[one.start : one.end]
        own = {partner[at] for at in places}
        assert not taken & set(places)
        assert [asked[at] for at in places] == [source[partner[at]] for at in places]
        words_said = [int(word[1:]) for word in one.targets[0][0].split()]
        assert words_said == list(range(words_said[0], words_said[-1] + 1))
        assert all((i in own) == (j in words_said) for i, j in links if i in own or j in words_said)
        said += words_said
    # In the order of the translation, no word of it twice, each piece by itself.
    assert said == sorted(set(said))
    assert {one.start for one in found.given} <= {0, *found.walls}
    assert {one.end for one in found.given} <= {len(asked), *found.walls}
    if tuple(asked) == tuple(source) and not taken and links:
        assert {j for _, j in links} <= set(said)


@given(st.lists(st.tuples(st.text(), st.text()), max_size=4))
def test_files_give_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("m") / "u"
    said = [
        Correction(one, other, "a b", "c", None if at % 2 else ((0, 0), (1, 0)))
        for at, (one, other) in enumerate(texts)
    ]
    write_corrections(path, said)
    assert read_corrections(path.read_bytes(), path) == said


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "[]",
        '["a", "b", "c", 4, null]',
        '["a", "b", "c", "d", [0]]',
        '["a", "b", "c", "d", [0, 7]]',
        "[" * 9999,
    ],
)
def test_a_damaged_file_is_told_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "u"
    path.write_text(f"{Correction('a', 'b', 'c', 'd').line()}\n{line}\n")
    with pytest.raises(FormatError, match=r"u, line 2: not a correction"):
        read_corrections(path.read_bytes(), path)


def test_the_last_correction_counts_and_says_itself(tmp_path: Path) -> None:
    first = Correction("das  haus", "THE  house", "das haus", "the house", ((0, 0), (1, 1)))
    last = replace(first, target="that home .", target_words="that home .")
    known = memory([first, last], tmp_path / "u")
    lines = ["das haus", "das haus ist alt", "", "nichts"]
    sentences = [Sentence(line) for line in lines]
    found = known.sentences(lines, sentences, Remembering(use="exact"))
    assert verbatim(found, ["?"] * 4) == ["that home .", "?", "?", "?"]
    assert [one.given[0].targets[0][0] for one in found if one.given] == ["that home ."]
    assert known.sentences(lines, sentences, Remembering(use="off")) == sentences
    fuzzy = known.sentences(lines, sentences, Remembering(use="fuzzy", threshold=0.5))
    match = match_of(fuzzy[1])
    assert match is not None
    assert (match.exact, match.similarity, match.target) == (False, 0.5, "that home .")
    assert "50% like" in str(match)
    assert [(one.start, one.end, one.targets[0][0]) for one in fuzzy[1].given] == [(0, 2, "that home .")]
    assert match_of(fuzzy[3]) is None


def test_case_and_spaces_count_as_little_as_for_the_model(tmp_path: Path) -> None:
    cased = TextSteps("en", TextSettings(), Truecaser().train(["it is the house .", "I like the House of Lords ."]))
    path = tmp_path / "u"
    write_corrections(path, [Correction("The house.", "Das Haus!", "the house .", "das haus !")])
    known = Memory([path], cased, Remembering())
    lines = ["The house.", "the  house .", " The house.", "THE HOUSE.", "The House.", "The houses."]
    found = known.sentences(lines, [Sentence(one) for one in cased.prepare(lines)], Remembering())
    assert [match_of(one) is not None for one in found] == [True, True, True, True, False, False]


def test_uses_and_thresholds_that_there_are_not() -> None:
    for settings in ({"memory": "some"}, {"threshold": 0.0}, {"threshold": 1.5}):
        with pytest.raises(SettingsError, match="memory: "):
            GivenSettings(**settings).remembering(Remembering())


def test_lines_are_json() -> None:
    assert json.loads(Correction("ä", "b", "c", "d", ((0, 0),)).line()) == ["ä", "b", "c", "d", [0, 0]]


def test_placeholders_stand_for_what_the_sentence_has(tmp_path: Path) -> None:
    """Another number is another sentence, which `fuzzy` translates in the same way."""
    links = ((0, 0), (1, 1), (2, 2), (3, 3))
    path = tmp_path / "u"
    write_corrections(
        path,
        [Correction("es kostet 25 euro", "it costs EUR 25", "es kostet $num_1 euro", "it costs EUR $num_1", links)],
    )
    known = Memory([path], WORDS, Remembering())
    line, sentence = "es kostet 30 euro", Sentence("es kostet $num_1 euro", values=(("$num_1", "30"),))
    assert known.sentences([line], [sentence], Remembering(use="exact")) == [sentence]
    (found,) = known.sentences([line], [sentence], Remembering(use="fuzzy"))
    match = match_of(found)
    assert match is not None
    assert not match.exact
    said = found.fill(" ".join(one.targets[0][0] for one in found.given))
    assert said == "it costs EUR 30"
    # A stretch whose translation has a number from elsewhere is not taken.
    other = Correction("", "", "am $num_1 mai um $num_2 uhr", "at $num_2 on May $num_1", ((0, 1), (3, 0)))
    assert frame(other, ["am", "$num_1", "mai"]).given == []
