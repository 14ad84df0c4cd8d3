"""Spans that belong together and walls: both searches against filtered enumeration, and what is refused."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.decode.naive_spans import WORDS, Toy, random_bounds

from tolka.decode import Given, Lattice, Sentence, Span, crosses
from tolka.errors import InputError, LimitError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SEARCHES: list[dict[str, Any]] = [{}, {"search": "boundary"}, {"passes": 2, "beam": None}]


def _text(random: Random, most: int) -> list[str]:
    return [random.choice(WORDS) for _ in range(random.randint(2, most))]


@pytest.mark.parametrize("seed", range(20))
def test_charts_keep_spans_and_walls(tmp_path: Path, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - a test needs no secrets
    toy = Toy(random, tmp_path, gaps=True, **SEARCHES[seed % len(SEARCHES)])
    for _ in range(6):
        text = _text(random, 5)
        spans, walls = random_bounds(random, len(text))
        (found,) = toy.decoder.nbest([Sentence(" ".join(text), spans=spans, walls=walls)], 1)
        assert found[0].score == pytest.approx(toy.best_sequence(text, spans, walls), abs=1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_phrases_keep_spans_and_walls(tmp_path: Path, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - a test needs no secrets
    limit = random.choice([0, 2, 3, 6])
    toy = Toy(random, tmp_path, gaps=False, distortion_limit=limit)
    for _ in range(6):
        text = _text(random, 5)
        spans, walls = random_bounds(random, len(text))
        (found,) = toy.decoder.nbest([Sentence(" ".join(text), spans=spans, walls=walls)], 1)
        assert found[0].score == pytest.approx(toy.best_order(text, limit, spans, walls), abs=1e-3)


@pytest.mark.parametrize("kind", ["chart", "phrase"])
def test_pruned_search_always_finds_something(tmp_path: Path, kind: str) -> None:
    random = Random(3)  # noqa: S311 - a test needs no secrets
    settings: dict[str, Any] = {"stack_size": 2, "distortion_limit": 3} if kind == "phrase" else {"max_span": 3}
    toy = Toy(random, tmp_path, gaps=kind == "chart", **{"pop_limit": 2, **settings})
    for _ in range(60):
        text = _text(random, 12)
        spans, walls = random_bounds(random, len(text))
        sentence = Sentence(" ".join(text), spans=spans, walls=walls)
        (found,) = toy.decoder.statistics([sentence])
        assert found.text
        (forced,) = toy.decoder.force([sentence], [found.text])
        assert forced is not None
        assert forced.score >= found.score - 1e-3


def test_nothing_said_changes_nothing(tmp_path: Path) -> None:
    for gaps in (True, False):
        toy = Toy(Random(5), tmp_path, gaps=gaps)  # noqa: S311 - a test needs no secrets
        lines = ["a b c a", "c c b"]
        plain: Sequence[Any] = [Sentence(line, spans=[Span(1, 2)]) for line in lines]
        assert toy.decoder.nbest(plain, 20) == toy.decoder.nbest(lines, 20)


@pytest.mark.parametrize(
    ("spans", "walls", "message"),
    [
        ([Span(0, 2), Span(1, 3)], [], "from 0 to 2 and from 1 to 3 cross"),
        ([Span(1, 5)], [], "a span from 1 to 5"),
        ([Span(2, 1)], [], "a span from 2 to 1"),
        ([Span(-1, 1)], [], "no word -1"),
        ([], [0], "a wall at 0"),
        ([], [3], "a wall at 3"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path: Path, spans: list[Span], walls: list[int], message: str) -> None:
    decoder = Toy(Random(1), tmp_path, gaps=True).decoder  # noqa: S311 - a test needs no secrets
    with pytest.raises(InputError, match=message):
        decoder.translate([Sentence("a b c", spans=spans, walls=walls)])


def test_spans_with_what_else_is_known(tmp_path: Path) -> None:
    decoder = Toy(Random(1), tmp_path, gaps=True).decoder  # noqa: S311 - a test needs no secrets
    given = [Given(0, 2, [("z", 0.0)])]
    for spans, walls in (([Span(1, 3)], []), ([], [1])):
        with pytest.raises(InputError, match="across the end of a span or a wall"):
            decoder.translate([Sentence("a b c", given, spans=spans, walls=walls)])
    assert decoder.translate([Sentence("a b c", given, spans=[Span(0, 2, "whole")], walls=[2])])[0].startswith("z ")
    around = Lattice([(0, 1, "a"), (1, 2, "b"), (2, 3, "c"), (0, 2, "c")], walls=[1])
    (found,) = decoder.explain([around])
    assert all(not step.source_span[0] < 1 < step.source_span[1] for step in found.steps if step.rule.kind != "glue")
    with pytest.raises(InputError, match="every path through the lattice crosses"):
        decoder.translate([Lattice([(0, 2, "a"), (2, 3, "b")], walls=[1])])
    with pytest.raises(LimitError, match="100 deep"):
        decoder.translate([Sentence("a " * 500, spans=[Span(at, 500 - at) for at in range(200)])])
    with pytest.raises(InputError, match="unknown kind"):
        Span(0, 1, "phrase")  # type: ignore[arg-type]


def test_crossing_is_symmetric() -> None:
    for start in range(5):
        for end in range(start + 1, 6):
            for other in range(5):
                for stop in range(other + 1, 6):
                    assert crosses(start, end, [Span(other, stop)], []) == crosses(other, stop, [Span(start, end)], [])
