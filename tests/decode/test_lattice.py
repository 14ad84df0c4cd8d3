"""Lattices: search against all paths one by one, and the formats they are written in."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decode.naive_spans import WEIGHTS, Toy

from tolka.decode import Arc, Decoder, Lattice, Sentence, Span, read_input
from tolka.decode.lattice import EPSILON, MOST_ARCS, MOST_POSITIONS
from tolka.errors import FormatError, InputError, LimitError, SettingsError, TolkaError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _random(random: Random, *, epsilons: bool) -> Lattice:
    last = random.randint(1, 4)
    words = ["a", "b", "c", "unknown", *([EPSILON] if epsilons else [])]
    arcs = [Arc(at, at + 1, random.choice(words), random.uniform(-2, 0.5)) for at in range(last)]
    for _ in range(random.randint(0, 4)):
        start = random.randrange(last)
        arcs.append(Arc(start, random.randint(start + 1, last), random.choice(words), random.uniform(-2, 0.5)))
    return Lattice(tuple(arcs))


def _paths(lattice: Lattice, at: int = 0) -> Iterator[tuple[tuple[str, ...], float]]:
    if at == lattice.last:
        yield (), 0.0
    for arc in lattice.arcs:
        if arc.start == at:
            own = () if arc.word == EPSILON else (arc.word,)
            yield from (((*own, *words), arc.score + score) for words, score in _paths(lattice, arc.end))


@pytest.mark.parametrize("seed", range(16))
def test_the_best_of_all_paths(tmp_path: Path, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - a test needs no secrets
    searches: list[dict[str, Any]] = [{}, {"search": "boundary"}, {"passes": 2, "beam": None}]
    decoder = Toy(random, tmp_path, gaps=True, **searches[seed % 3]).decoder
    for _ in range(8):
        lattice = _random(random, epsilons=seed % 2 == 1)
        paths = [(" ".join(words), score) for words, score in _paths(lattice) if words]
        found = decoder.nbest([lattice], 1)[0][0]
        if not paths:
            assert (found.text, found.score) == ("", 0.0)
            continue
        alone = decoder.statistics([text for text, _ in paths])
        best = max(own.score + WEIGHTS["input"] * score for own, (_, score) in zip(alone, paths, strict=True))
        assert found.score == pytest.approx(best, abs=1e-3)
        total = sum(decoder.weights[name] * value for name, value in found.features.items())
        assert total == pytest.approx(found.score, abs=1e-3)
        (taken,) = decoder.statistics([lattice])
        assert taken.score == pytest.approx(best, abs=1e-3)
        (forced,) = decoder.force([lattice], [found.text])
        assert forced is not None
        assert forced.score == pytest.approx(best, abs=1e-3)


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    return Toy(Random(11), tmp_path_factory.mktemp("toy"), gaps=True).decoder  # noqa: S311 - a test needs no secrets


def test_one_word_in_each_slot_is_the_sentence(decoder: Decoder) -> None:
    lines = ["a b c", "c b unknown a", ""]
    networks = [Lattice.from_confusion([[word] for word in line.split()]) for line in lines]
    assert decoder.nbest(networks, 20) == decoder.nbest(lines, 20)
    forests = zip(decoder.forest(networks), decoder.forest(lines), strict=True)
    assert all(one.to_json() == other.to_json() for one, other in forests)
    assert decoder.explain(networks) == decoder.explain(lines)


def test_the_weight_of_the_input_decides(decoder: Decoder) -> None:
    lattice = Lattice.from_confusion([[("zig", -0.1), ("zag", -3.0)]])
    assert decoder.translate([lattice]) == ["zig"]
    assert decoder.with_weights({"input": -1.0}).translate([lattice]) == ["zag"]
    (best, other) = decoder.nbest([lattice], 9)[0]
    assert (best.features["input"], other.features["input"]) == pytest.approx((-0.1, -3.0))


def test_forests_and_derivations_of_lattices(decoder: Decoder) -> None:
    lattice = Lattice([(0, 1, "a", -0.5), (0, 2, "b", -0.2), (1, 2, "c", -0.1), (2, 3, "unknown", -0.3)])
    (forest,) = decoder.forest([lattice])
    assert forest.source == ()
    assert forest.viterbi().text == decoder.translate([lattice])[0]
    (derivation,) = decoder.explain([lattice])
    assert derivation.text == forest.viterbi().text
    assert derivation.to_svg().startswith("<svg")
    json.loads(derivation.to_json())
    for candidate in decoder.nbest([lattice], 10, derivations=True)[0]:
        assert all(0 <= begin < end <= 3 for (begin, end), _ in candidate.segments)
        assert all(source < 3 and target < len(candidate.text.split()) for source, target in candidate.links)
    (bare,) = decoder.forest([lattice], lm=False)
    assert len(list(bare.kbest(50))) > 1


def test_phrases_take_sentences_only(tmp_path: Path) -> None:
    phrases = Toy(Random(2), tmp_path, gaps=False).decoder  # noqa: S311 - a test needs no secrets
    assert phrases.translate([Lattice.from_confusion([["a"], ["b"]])]) == phrases.translate(["a b"])
    with pytest.raises(InputError, match="sentences, not lattices; decode with a chart"):
        phrases.translate([Lattice.from_confusion([["a", "b"]])])


_SCORES = st.floats(-50, 50, width=32)
_SIGNS = st.text(st.characters(blacklist_characters=" \t\r\n", blacklist_categories=["Cs"]), min_size=1, max_size=4)


@st.composite
def _lattices(draw: st.DrawFn) -> Lattice:
    last = draw(st.integers(0, 5))
    arcs = [Arc(at, at + 1, draw(_SIGNS), draw(_SCORES)) for at in range(last)]
    for _ in range(draw(st.integers(0, 4)) if last else 0):
        start = draw(st.integers(0, last - 1))
        arcs.append(Arc(start, draw(st.integers(start + 1, last)), draw(_SIGNS), draw(_SCORES)))
    return Lattice(tuple(arcs))


@given(_lattices())
def test_what_is_written_is_read(lattice: Lattice) -> None:
    assert Lattice.from_plf(lattice.to_plf(scores="log"), scores="log") == lattice
    again = Lattice.from_plf(lattice.to_plf())
    assert [arc[:3] for arc in again.arcs] == [arc[:3] for arc in lattice.arcs]
    assert [arc.score for arc in again.arcs] == pytest.approx([arc.score for arc in lattice.arcs], abs=1e-9)
    assert read_input(lattice.to_json(), "json") == lattice
    full = Lattice(lattice.arcs, [Span(0, 1), Span(0, 2, "whole")], [1])
    assert read_input(full.to_json(), "json") == full


@settings(max_examples=300)
@given(
    st.one_of(st.text("()',\\\"0123456789.-eä a", max_size=60), st.text(max_size=20)),
    st.sampled_from(["plf", "plf-log", "json"]),
)
def test_any_line_is_an_input_or_an_error(text: str, kind: Any) -> None:
    said: TolkaError | None = None
    try:
        read_input(text, kind, line=7)
    except TolkaError as error:
        said = error
    assert said is None or (said.line == 7 and "\n" not in str(said))


@settings(max_examples=200)
@given(_lattices(), st.integers(0, 200), st.text(max_size=2), st.integers(0, 3))
def test_a_damaged_line_is_an_input_or_an_error(lattice: Lattice, at: int, more: str, cut: int) -> None:
    for kind, text in (("plf", lattice.to_plf()), ("json", lattice.to_json())):
        with suppress(TolkaError):
            read_input(text[:at] + more + text[at + cut :], kind)  # type: ignore[arg-type]


def test_lines_of_json() -> None:
    arcs = read_input('{"arcs": [[0, 1, "ein", -0.1], [1, 2, "haus"]], "spans": [[0, 2]], "walls": [1]}', "json")
    assert arcs == Lattice([(0, 1, "ein", -0.1), (1, 2, "haus", 0.0)], [Span(0, 2)], [1])
    slots = read_input('{"slots": [["ein", ["kein", -2]], [["haus"]]]}', "json")
    assert slots == Lattice([(0, 1, "ein"), (0, 1, "kein", -2), (1, 2, "haus")])
    line = '{"text": "das haus", "given": [[1, 2, [["house", -0.5]], false]], "walls": [1]}'
    sentence = read_input(line, "json")
    assert isinstance(sentence, Sentence)
    assert (sentence.given[0].targets, sentence.given[0].exclusive) == ((("house", -0.5),), False)
    assert read_input("  ", "json") == Sentence("  ")
    for text, message in [
        ("[1]", "not an object"),
        ("{", "byte 2: not JSON"),
        ('{"text": "a", "arcs": []}', "one of text, slots and arcs"),
        ('{"text": "a", "more": 1}', "unknown key 'more'"),
        ('{"arcs": [[0, 1]]}', "3 to 4 items"),
        ('{"arcs": [[0, true, "a"]]}', "true is not a whole number"),
        ('{"arcs": [[0, 1, "a", NaN]]}', "NaN"),
        ('{"slots": "a"}', "slots are not a list"),
        ('{"text": "a", "spans": [[0, "b"]]}', "not a whole number"),
        ('{"text": "\\ud800"}', "not a character"),
        ("[" * 100_000, "not an input"),
    ]:
        with pytest.raises(FormatError, match=message.replace("[", r"\[")):
            read_input(text, "json")
    with pytest.raises(InputError, match="spans of a lattice"):
        read_input('{"slots": [["a"]], "given": []}', "json")
    with pytest.raises(SettingsError, match="unknown format"):
        read_input("x", "xml")  # type: ignore[arg-type]


def test_what_is_not_a_lattice_is_said() -> None:
    for arcs, message in [
        ([(1, 1, "a")], "from 1 to 1"),
        ([(0, 1, "a b")], "'a b' for a word"),
        ([(0, 1, "")], "for a word"),
        ([(0, 1, "a", math.nan)], "finite"),
        ([(0, 1, "a", 1e300)], "finite"),
        ([(0, 1)], "not an arc"),
        ([(0, 1.5, "a")], "not an arc"),
        ([(0, 1, "a"), (2, 3, "b")], "cannot be reached"),
    ]:
        with pytest.raises(InputError, match=message):
            Lattice(arcs)  # type: ignore[arg-type]
    with pytest.raises(LimitError, match="arcs"):
        Lattice(tuple(Arc(0, 1, "a") for _ in range(MOST_ARCS + 1)))
    with pytest.raises(LimitError, match="positions"):
        Lattice([(0, MOST_POSITIONS + 1, "a")])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no words"):
        Lattice.from_confusion([["a"], []])
    with pytest.raises(InputError, match="instead of a list"):
        Lattice.from_confusion(["abc"])
    with pytest.raises(InputError, match="cannot be reached"):
        Lattice.from_plf("((('a',1,1)),())")
    with pytest.raises(SettingsError, match="probability or log"):
        Lattice([]).to_plf(scores="cost")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="byte 8: -1 for the probability"):
        Lattice.from_plf("((('a',-1,1),),)")


def test_too_many_ways_around_are_an_error(decoder: Decoder) -> None:
    slots = [["a", "b", EPSILON]] * 800
    with pytest.raises(LimitError, match="arcs"):
        decoder.translate([Lattice.from_confusion(slots)])
    assert decoder.translate([Lattice.from_confusion([[EPSILON]] * 5)]) == [""]
