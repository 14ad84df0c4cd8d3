"""Beliefs over parses: the worked example, Bayes' rule by brute force, and information as an expectation."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.assist.parsing import Belief, Penalty, Reliability, entropy
from tolka.errors import InputError, SettingsError

POSTERIOR = np.array([0.4, 0.3, 0.2, 0.1])
YIELDS = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)


def test_entropies_of_four_parses() -> None:
    belief = Belief(np.log(POSTERIOR), YIELDS)
    found = [belief.entropy([rewrite]) for rewrite in range(3)]
    assert found == pytest.approx([0.610864, 0.673012, 0.673012], abs=1e-6)


def test_a_refusal_at_ten_points() -> None:
    after = Belief(np.log(POSTERIOR), YIELDS).answered(1, False, Penalty(10)).posterior
    assert after == pytest.approx([0.000030, 0.499985, 0.333323, 0.166662], abs=1e-6)


def test_a_refusal_costs_two_points_by_default() -> None:
    yes, no = Reliability(0.9, 0.25).factors(False)
    assert yes - no == pytest.approx(math.log(0.1 / 0.75))


@st.composite
def beliefs(draw: st.DrawFn) -> Belief:
    parses, rewrites = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    weights = draw(st.lists(st.floats(-6, 6), min_size=parses, max_size=parses))
    marks = draw(
        st.lists(st.lists(st.booleans(), min_size=rewrites, max_size=rewrites), min_size=parses, max_size=parses)
    )
    return Belief(weights, marks)


reliabilities = st.builds(Reliability, st.floats(0.01, 0.99), st.floats(0.01, 0.99))


@given(beliefs(), st.lists(reliabilities, min_size=4, max_size=4), st.booleans())
def test_an_answer_is_bayes_rule(belief: Belief, trusts: list[Reliability], same: bool) -> None:
    trust = trusts[0]
    chances = np.array([trust.chance(bool(mark)) for mark in belief.yields[:, 0]])
    joint = belief.posterior * (chances if same else 1 - chances)
    assert belief.answered(0, same, trust).posterior == pytest.approx(joint / joint.sum())


@given(beliefs(), st.lists(reliabilities, min_size=4, max_size=4))
def test_information_is_the_expected_loss_of_entropy(belief: Belief, trusts: list[Reliability]) -> None:
    rewrites = list(range(belief.yields.shape[1]))
    expected = entropy(belief.posterior)
    for answers in product((False, True), repeat=len(rewrites)):
        after, chance = belief, 0.0
        said = np.ones(len(belief.posterior))
        for rewrite, same in zip(rewrites, answers, strict=True):
            chances = np.array([trusts[rewrite].chance(bool(mark)) for mark in belief.yields[:, rewrite]])
            said *= chances if same else 1 - chances
            after = after.answered(rewrite, same, trusts[rewrite])
        chance = float(belief.posterior @ said)
        expected -= chance * entropy(after.posterior)
    assert belief.information(rewrites, trusts[: len(rewrites)]) == pytest.approx(expected, abs=1e-9)


@given(beliefs())
def test_answers_that_are_always_right_tell_the_entropy_of_the_partition(belief: Belief) -> None:
    rewrites = list(range(belief.yields.shape[1]))
    assert belief.information(rewrites, [Penalty()] * len(rewrites)) == pytest.approx(
        belief.entropy(rewrites), abs=1e-9
    )


@given(beliefs())
def test_a_rewrite_that_all_or_none_yield_tells_nothing(belief: Belief) -> None:
    for mark in (True, False):
        same = Belief(np.log(belief.posterior + 1e-300), np.full((len(belief.posterior), 1), mark))
        assert same.information([0], [Reliability()]) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("weights", [[], [-math.inf, -math.inf], [math.nan, 0.0], [math.inf, 0.0]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(InputError, match="no parse that could be believed"):
        Belief(weights, np.zeros((len(weights), 1)))


@pytest.mark.parametrize(("one", "two"), [(0.0, 0.5), (1.0, 0.5), (0.5, 1.5), (math.nan, 0.5)])
def test_chances_that_are_none_are_refused(one: float, two: float) -> None:
    with pytest.raises(SettingsError):
        Reliability(one, two)
