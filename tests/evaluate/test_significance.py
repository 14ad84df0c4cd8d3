"""Resampling and tests: sacrebleu's where it has them, their definitions where it does not."""

from itertools import product

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

from tolka.errors import InputError, SettingsError
from tolka.evaluate import (
    Bleu,
    Chrf,
    Ter,
    approximate_randomisation,
    bootstrap_interval,
    bootstrap_scores,
    collect_statistics,
    paired_bootstrap,
    sign_test,
    wilcoxon,
)

METRICS = {"BLEU": (Bleu(), BLEU()), "chrF2": (Chrf(), CHRF()), "TER": (Ter(), TER())}


@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_as_sacrebleu(corpus, kind):
    reference, _, good, poor = corpus
    # Close enough to each other that p is neither 0 nor 1.
    mixed = [(good if number % 3 else poor)[number] for number in range(len(good))]
    peers = {name: peer for name, (_, peer) in METRICS.items()}
    rounds = 1000 if kind == "bs" else 2000
    test = PairedTest([("base", good), ("system", mixed)], peers, [reference], test_type=kind, n_samples=rounds)
    expected = test()[1]
    for name, (metric, _) in METRICS.items():
        baseline, system = collect_statistics(metric, [good, mixed], [reference])
        result = expected[name][1]
        assert system.score == pytest.approx(result.score)
        if kind == "bs":
            assert paired_bootstrap(system, baseline).p == pytest.approx(result.p_value, abs=1e-9)
            assert bootstrap_interval(system).mean == pytest.approx(result.mean, abs=1e-4)
        elif name == "TER":
            # Here shuffles that differ exactly as much count too.
            assert approximate_randomisation(system, baseline, rounds=rounds).p >= result.p_value
        else:
            assert approximate_randomisation(system, baseline, rounds=rounds).p == pytest.approx(result.p_value)


def test_randomisation_is_exact_in_the_limit():
    lines, others, reference = ["a b", "c x", "e f g"], ["a x", "c d", "e y z"], ["a b", "c d", "e f g"]
    system, baseline = collect_statistics(Ter(), [lines, others], [reference])
    real = abs(system.score - baseline.score)
    count = 0
    for sides in product([0, 1], repeat=3):
        rows = [np.where(np.array(s)[:, None], system.rows, baseline.rows) for s in (sides, [1 - x for x in sides])]
        scores = [system.native.score(one.sum(0)) for one in rows]
        count += abs(scores[0] - scores[1]) >= real - 1e-9
    assert approximate_randomisation(system, baseline, rounds=20_000).p == pytest.approx(count / 8, abs=0.02)


def test_the_same_twice(corpus):
    reference, _, good, _ = corpus
    system, same = collect_statistics(Bleu(), [good, list(good)], [reference])
    assert paired_bootstrap(system, same).p == 1.0
    assert approximate_randomisation(system, same, rounds=100).p == 1.0
    assert sign_test(system, same).p == wilcoxon(system, same).p == 1.0


def test_direction(corpus):
    reference, _, good, poor = corpus
    for metric, _ in METRICS.values():
        better, worse = collect_statistics(metric, [good, poor], [reference])
        for test in (paired_bootstrap, sign_test, wilcoxon):
            found = test(better, worse)
            assert found.wins > 0.5
            assert found.p < 0.05
            assert (found.difference > 0) == better.native.higher_is_better
            assert test(worse, better).wins < 0.5


def test_draws_do_not_depend_on_pieces(corpus, monkeypatch):
    reference, _, good, poor = corpus
    system, baseline = collect_statistics(Bleu(), [good, poor], [reference])
    whole = bootstrap_scores(system, rounds=100), approximate_randomisation(system, baseline, rounds=100)
    monkeypatch.setattr("tolka.evaluate.significance._AT_ONCE", 1)
    pieces = bootstrap_scores(system, rounds=100), approximate_randomisation(system, baseline, rounds=100)
    assert np.array_equal(whole[0], pieces[0])
    assert whole[1] == pieces[1]
    assert np.array_equal(whole[0], bootstrap_scores(system, rounds=100, threads=2))
    assert not np.array_equal(whole[0], bootstrap_scores(system, rounds=100, seed=7))


def test_mistakes(corpus):
    reference, _, good, _ = corpus
    [bleu], [chrf] = (collect_statistics(metric, [good], [reference]) for metric in (Bleu(), Chrf()))
    with pytest.raises(InputError, match="not scored alike"):
        sign_test(bleu, chrf)
    with pytest.raises(SettingsError, match="0 rounds"):
        bootstrap_interval(bleu, rounds=0)
    with pytest.raises(SettingsError, match="negative"):
        bootstrap_interval(bleu, seed=-1)
