"""Shifted sides, wherever the shift begins."""

import itertools

import numpy as np
import pytest

from tolka.corpus.runs import MOST_RUNS, RUN, Run, Runs
from tolka.corpus.shifts import _CHANGE as CHANGE
from tolka.corpus.shifts import FARTHEST, _likeliest, find_shifts
from tolka.corpus.synthetic import Synthetic


@pytest.fixture(scope="module")
def sides():
    examples = list(Synthetic(3).sample(400))
    return [one.raw["de"] for one in examples], [one.raw["en"] for one in examples]


def found(sources, targets):
    runs = Runs.of(zip(sources, targets, strict=True))
    assert runs.pairs == len(sources)
    return find_shifts(runs.kept)


def test_right_text_has_none(sides):
    assert found(*sides) == ()
    # Neither has text in which nothing fits anything: that is for others to say.
    shuffled = [str(one) for one in np.random.default_rng(1).permutation(sides[1])]
    assert found(sides[0], shuffled) == ()
    assert found(["x"] * 400, ["y"] * 400) == ()
    assert found([""] * 30, sides[1][:30]) == ()
    assert find_shifts([]) == find_shifts([Run(1)]) == ()


@pytest.mark.parametrize("by", [-2, -1, 1, 3])
def test_all_shifted(sides, by):
    source, target = sides
    (shift,) = found(source, target[-by:] + target[:-by])
    assert (shift.by, shift.lines) == (by, len(source))


@pytest.mark.parametrize("at", [100, 200, 300])
def test_shift_begins_and_ends_inside(sides, at):
    source, target = sides
    (shift,) = found(source, [*target[:at], "Something else.", *target[at:-1]])
    assert (shift.by, shift.last) == (1, 400)
    assert abs(shift.first - at) < 15
    (shift,) = found(source, [*target[: at - 80], "Odd.", *target[at - 80 : at + 60], *target[at + 61 :]])
    assert shift.by == 1
    assert abs(shift.first - (at - 80)) < 15
    assert abs(shift.last - (at + 60)) < 15


def test_a_large_corpus_is_looked_at_here_and_there(sides):
    source, target = sides
    copies = 60
    lines = [f"{n} {text}" for n in range(copies) for text in source]
    others = [f"{n} {text}" for n in range(copies) for text in target]
    half = len(lines) // 2
    (shift,) = found(lines, [*others[:half], "x", *others[half:-1]])
    assert shift.by == 1
    assert abs(shift.first - half) < 2 * len(lines) // (MOST_RUNS // 2)
    assert shift.lines < MOST_RUNS * RUN


def test_runs_are_spread_evenly():
    for pairs in (1, RUN, RUN * MOST_RUNS, RUN * MOST_RUNS + 1, RUN * 200 + 7):
        runs = Runs.of((str(n), "") for n in range(pairs))
        assert runs.pairs == pairs
        assert all(run.pairs[0][0] == str(run.first - 1) for run in runs.kept)
        gaps = {other.first - one.first for one, other in itertools.pairwise(runs.kept)}
        assert len(gaps) <= 1
        assert MOST_RUNS // 2 <= len(runs.kept) <= MOST_RUNS or pairs < RUN * MOST_RUNS


def test_the_likeliest_offsets_are_those_of_all_paths():
    generator = np.random.default_rng(1)
    states = 2 * FARTHEST + 1
    for _ in range(5):
        scores = generator.normal(scale=25, size=(4, states))
        best = max(
            itertools.product(range(states), repeat=4),
            key=lambda path: (
                sum(scores[at, one] for at, one in enumerate(path))
                - CHANGE * (sum(one != other for one, other in itertools.pairwise((FARTHEST, *path))))
            ),
        )
        assert tuple(_likeliest(scores)) == best
