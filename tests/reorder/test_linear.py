"""Linear classifiers against an optimiser of scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from tolka._engine import linear_train
from tolka.errors import InputError, SettingsError

WIDTH = 6


def fit(rows, labels, loss, cost, passes=3000, tolerance=1e-9, seed=1):
    ends = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    features = np.array([feature for row in rows for feature in row], dtype=np.uint32)
    return linear_train(
        ends, features, np.array(labels), WIDTH, loss=loss, cost=cost, passes=passes, tolerance=tolerance, seed=seed
    )


def value(weights, rows, labels, loss, cost):
    x = np.zeros((len(rows), WIDTH))
    for at, row in enumerate(rows):
        for feature in row:
            x[at, feature] += 1  # listed twice counts twice
    margins = np.where(labels, 1, -1) * (x @ weights)
    losses = {
        "logistic": np.logaddexp(0, -margins),
        "hinge": np.maximum(0, 1 - margins),
        "squared-hinge": np.maximum(0, 1 - margins) ** 2,
    }[loss]
    return weights @ weights / 2 + cost * losses.sum()


ROWS = st.lists(
    st.tuples(st.lists(st.integers(0, WIDTH - 1), min_size=1, max_size=5), st.booleans()), min_size=1, max_size=12
)


@settings(max_examples=40, deadline=None)
@given(ROWS, st.sampled_from(["logistic", "squared-hinge"]), st.sampled_from([0.01, 0.5, 10.0]))
def test_equals_the_optimum(examples, loss, cost):
    rows, labels = zip(*examples, strict=True)
    found = fit(rows, labels, loss, cost)
    peer = minimize(value, np.zeros(WIDTH), (rows, np.array(labels), loss, cost), method="BFGS", options={"gtol": 1e-7})
    assert found == pytest.approx(peer.x, abs=1e-4)


@settings(max_examples=20, deadline=None)
@given(ROWS, st.sampled_from([0.01, 0.5]))
def test_the_plain_hinge_is_not_beaten(examples, cost):
    rows, labels = zip(*examples, strict=True)
    found = fit(rows, labels, "hinge", cost)
    own = value(found, rows, np.array(labels), "hinge", cost)
    generator = np.random.default_rng(1)
    for scale in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            other = found + scale * generator.normal(size=WIDTH)
            assert own <= value(other, rows, np.array(labels), "hinge", cost) + 1e-7


def test_the_same_seed_gives_the_same_weights():
    rows, labels = [[0, 1], [1, 2], [3], [0, 4, 4]], [True, False, True, False]
    assert np.array_equal(fit(rows, labels, "logistic", 1.0, 2), fit(rows, labels, "logistic", 1.0, 2))


def test_mistakes_are_named():
    with pytest.raises(SettingsError, match="regret"):
        fit([[0]], [True], "regret", 1.0)
    with pytest.raises(InputError, match="do not fit"):
        fit([[WIDTH]], [True], "hinge", 1.0)
