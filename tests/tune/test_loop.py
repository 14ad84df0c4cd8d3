"""The loop, with a decoder that ranks all translations there are."""

import math
from itertools import pairwise, permutations

import numpy as np
import pytest

from tolka.errors import InputError, SettingsError
from tolka.tune import Hypothesis, Tuner, tune_loop

REFERENCES = ["the small house", "a big dog sleeps", "we see the sea"]
START = {"order": -0.1, "noise": 0.1}


def exhaustive():
    """All orders of words; "order" counts the neighbours that are right, so a weight above 0 finds the reference."""
    random = np.random.default_rng(1)
    space = []
    for reference in REFERENCES:
        words = reference.split()
        right = set(pairwise(words))
        own = []
        for mixed in permutations(words):
            kept = sum(pair in right for pair in pairwise(mixed))
            own.append(Hypothesis(" ".join(mixed), {"order": float(kept), "noise": float(random.uniform())}))
        space.append(own)
    return space


def decoder(size, calls=None):
    space = exhaustive()

    def decode(weights):
        if calls is not None:
            calls.append(dict(weights))

        def score(entry):
            return sum(weights[name] * value for name, value in entry.features.items())

        return [sorted(own, key=score, reverse=True)[:size] for own in space]

    return decode


@pytest.mark.parametrize("kind", ["mira", "pro", "mert"])
@pytest.mark.parametrize("metric", ["bleu", "ter"])
def test_finds_the_references(kind, metric):
    options = {"interpolation": 0.9} if kind == "pro" else {"aggressiveness": 0.1} if kind == "mira" else {}
    tuner = Tuner(kind, metric=metric, **options)
    result = tune_loop(decoder(6), REFERENCES, tuner, START, iterations=15, patience=6)
    assert result.score == pytest.approx(100.0 if metric == "bleu" else 0.0)
    assert result.weights["order"] > 0
    assert result.metric == metric
    best = min if metric == "ter" else max
    assert result.score == best(step.score for step in result.history)
    again = tune_loop(decoder(6), REFERENCES, tuner, START, iterations=15, patience=6)
    assert again == result


def test_stops_when_nothing_is_new():
    calls = []
    result = tune_loop(decoder(1000, calls), REFERENCES, Tuner("mert"), START, iterations=50)
    assert len(calls) == len(result.history) <= 3
    assert result.history[-1].added == 0


def test_patience():
    lists = iter(range(100))

    def decode(weights):
        return [[Hypothesis(f"word{next(lists)}", {"f": 1.0})]]

    result = tune_loop(decode, ["a b"], Tuner("mert"), {"f": 1.0}, iterations=50, patience=3)
    assert len(result.history) == 4
    assert result.history[-1].gathered == 4


def test_restarts():
    tuner = Tuner("mert", seed=2, restarts=2, frozen=["noise"])
    result = tune_loop(decoder(6), REFERENCES, tuner, START, iterations=3, restarts=3)
    assert len(result.scores) == 3
    assert result.score == max(result.scores)
    assert min(result.scores) <= result.mean <= max(result.scores)
    assert result.deviation >= 0
    starts = [step.weights for step in result.history if step.iteration == 0]
    assert starts[0] == START
    assert len({start["order"] for start in starts}) == 3
    assert all(start["noise"] == START["noise"] for start in starts)


def test_no_tuning_is_one_decoding():
    result = tune_loop(decoder(3), REFERENCES, Tuner(), START, iterations=0)
    assert (len(result.history), result.weights, result.deviation) == (1, START, 0.0)


def test_sentences_without_translations():
    result = tune_loop(lambda _: [[Hypothesis("a", {"f": 1.0})], []], ["a", "b"], Tuner(), {"f": 1.0})
    assert math.isfinite(result.score)


def test_refuses():
    with pytest.raises(InputError, match="1 lists for 3 sentences"):
        tune_loop(lambda _: [[]], REFERENCES, Tuner(), START)
    with pytest.raises(SettingsError, match="patience"):
        tune_loop(decoder(1), REFERENCES, Tuner(), START, patience=0)
    with pytest.raises(InputError, match="finite"):
        tune_loop(decoder(1), REFERENCES, Tuner(), {"order": math.nan, "noise": 1.0})
