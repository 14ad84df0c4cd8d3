"""Activations: their properties, their derivatives, and G(p)."""

import numpy as np
import pytest
from scipy import special

from tolka.errors import SettingsError
from tolka.judge.rank import (
    ACTIVATIONS,
    Activation,
    Counts,
    Laplace,
    Likelihood,
    Logistic,
    Probit,
    StudentT,
    activation_by_name,
    activation_of_settings,
    check_activation,
    newton,
)


class Cauchy(Activation):
    """A user's own: F(d) = 1/2 + arctan(d) / pi."""

    name = "cauchy"
    strictly_log_concave = False
    unimodal = False

    def log_cdf(self, difference):
        return np.log(np.arctan2(1.0, -np.asarray(difference, dtype=float)) / np.pi)

    def slope(self, difference):
        d = np.asarray(difference, dtype=float)
        return np.exp(-np.log(np.pi * (1 + d * d)) - self.log_cdf(d))

    def curvature(self, difference):
        d = np.asarray(difference, dtype=float)
        return self.slope(d) * (-2 * d / (1 + d * d) - self.slope(d))

    def quantile(self, probability):
        return np.tan(np.pi * (np.asarray(probability) - 0.5))


@pytest.mark.parametrize("activation", [Logistic(), Logistic(2), Logistic(0.1), Probit(), Laplace()])
def test_all_requirements(activation):
    assert check_activation(activation) == []
    assert activation.unimodal


@pytest.mark.parametrize("dof", [1.0, 4.0])
def test_student_is_not_log_concave(dof):
    found = check_activation(StudentT(dof), width=20)
    assert found == ["ln F is not concave: fits may have several maxima"]


def test_one_s_own_activation():
    assert check_activation(Cauchy()) == ["ln F is not concave: fits may have several maxima"]
    counts = Counts.from_matrix("ab", [[0, 3], [1, 0]])
    assert newton(Likelihood(counts, Cauchy())).scores[0] * 2 == pytest.approx(1.0, abs=1e-8)  # arctan(1) / pi = 1/4


class Broken(Logistic):
    def slope(self, difference):
        return 2 * super().slope(difference)


class Lapsing(Logistic):
    def log_cdf(self, difference):
        return np.log(0.9 * special.expit(difference) + 0.05)


def test_check_finds_what_is_wrong():
    assert "slope is not the derivative of log_cdf" in check_activation(Broken())
    assert any(message.startswith("F does not reach 1") for message in check_activation(Lapsing()))


def test_gain():
    p = [0.6, 0.75, 0.9]
    wanted = {
        "logistic": [0.692308, 0.9, 0.987805],
        "tanh": [0.692308, 0.9, 0.987805],
        "probit": [0.693815, 0.911328, 0.994813],
        "laplace": [0.68, 0.875, 0.98],
    }
    for name, values in wanted.items():
        np.testing.assert_allclose(activation_by_name(name).gain(p), values, atol=1e-6)
    np.testing.assert_allclose(Logistic().gain(p), np.square(p) / (np.square(p) + np.square(np.subtract(1, p))))


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.filterwarnings("error")
def test_far_out(name):
    activation = activation_by_name(name)
    d = np.array([-1e4, -300.0, -40.0, 0.0, 40.0, 300.0, 1e4])
    for values in (activation.log_cdf(d), activation.slope(d), activation.curvature(d), activation.information(d)):
        assert np.isfinite(values).all()
    assert (activation.slope(d) >= 0).all()
    assert (activation.information(d) >= 0).all()


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_settings_bring_it_back(name):
    activation = activation_by_name(name)
    again = activation_of_settings(activation.settings)
    assert (type(again), again.settings) == (type(activation), activation.settings)


def test_units():
    assert Logistic(2).scale == pytest.approx(2)
    assert Probit().scale == pytest.approx(4 / np.sqrt(2 * np.pi))
    assert Laplace().scale == pytest.approx(2)


def test_wrong_settings():
    for make in (lambda: Logistic(0), lambda: Logistic(float("nan")), lambda: StudentT(-1)):
        with pytest.raises(SettingsError, match="must be a positive number"):
            make()
    with pytest.raises(SettingsError, match="unknown activation 'cubic'; choose one of logistic, tanh"):
        activation_by_name("cubic")


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("expected", [False, True])
def test_terms_at_once_like_in_parts(name, expected):
    activation = activation_by_name(name)
    rng = np.random.default_rng(1)
    d = np.concatenate([rng.normal(0, 3, 200), [0.0, 30.0, -30.0, 700.0, -700.0]])
    ahead, behind = rng.integers(0, 9, (2, d.size)).astype(float)
    value, pull, weights = activation.terms(d, ahead, behind, expected=expected)
    in_parts = Activation.terms(activation, d, ahead, behind, expected=expected)
    assert value == pytest.approx(in_parts[0], rel=1e-12)
    np.testing.assert_allclose(pull, in_parts[1], rtol=1e-10, atol=1e-200)
    np.testing.assert_allclose(weights, in_parts[2], rtol=1e-10, atol=1e-200)
