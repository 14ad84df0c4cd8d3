"""Schemes for the weights of components, over scores whose optimum is known."""

import math
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.combine.weights import idempotent, tune_jointly, tune_pairwise
from tolka.errors import InputError, SettingsError

BEST = {"direct": 1.0, "es": 0.4, "it": 0.05}


def separable(weights):
    """A score to which each component adds its own part, so that pairs find what all together find."""
    ratios = {name: math.log(weights[name] / weights["direct"]) for name in weights}
    return 30.0 - sum((ratio - math.log(BEST[name])) ** 2 for name, ratio in ratios.items())


def close(weights, wanted=BEST, by=0.1):
    return all(abs(math.log(weights[name] / wanted[name])) < by for name in wanted)


def test_jointly():
    found = tune_jointly(separable, list(BEST), evaluations=120)
    assert close(found.weights)
    assert found.weights["direct"] == 1.0
    assert found.uniform == separable(dict.fromkeys(BEST, 1.0)) < found.score == separable(found.weights)
    assert found.history[0].weights == dict.fromkeys(BEST, 1.0)
    assert found.temperatures == dict.fromkeys(BEST, 1.0)
    assert (len(found.scores), max(found.scores)) == (3, found.score)
    assert found.mean == pytest.approx(sum(found.scores) / 3)
    assert found.deviation >= 0.0
    assert len(found.history) <= 121
    assert tune_jointly(separable, list(BEST), evaluations=120) == found


def test_pairs_of_a_separable_score_find_the_joint_optimum():
    members = []

    def evaluate(weights):
        members.append(tuple(weights))
        return separable(weights)

    found = tune_pairwise(evaluate, list(BEST), evaluations=40)
    joint = tune_jointly(separable, list(BEST), evaluations=150)
    assert close(found.weights, joint.weights)
    assert found.score == separable(found.weights)
    assert found.uniform == separable(dict.fromkeys(BEST, 1.0))
    # All for equal weights and what is put together, else pairs.
    assert members.count(tuple(BEST)) == 2
    assert set(members) == {tuple(BEST), ("direct", "es"), ("direct", "it")}
    assert len(members) <= 2 + 2 * 40
    assert found.history[-1].weights == found.weights


def test_polishing_repairs_what_pairs_cannot_see():
    def tied(weights):
        """Alone, each should weigh as much as the first; together, half of it."""
        total = sum(weights.values()) - weights["direct"]
        return -abs(total / weights["direct"] - 1.0) - 0.1 * abs(total - 1.0)

    rough = tune_pairwise(tied, list(BEST), evaluations=30)
    assert tied(rough.weights) == rough.score
    fine = tune_pairwise(tied, list(BEST), evaluations=30, polish=60)
    assert fine.score > rough.score + 0.5
    assert len(fine.history) <= len(rough.history) + 60


def test_never_worse_than_equal_weights():
    def evaluate(weights):
        """Pairs mislead: each likes a low weight in a pair, and all together like equal ones."""
        if len(weights) == 2:
            return -weights["es" if "es" in weights else "it"]
        return -sum(abs(math.log(weight)) for weight in weights.values())

    found = tune_pairwise(evaluate, list(BEST))
    assert found.weights == dict.fromkeys(BEST, 1.0)
    assert found.score == found.uniform == 0.0
    assert found.scores[0] < 0.0
    assert tune_jointly(evaluate, list(BEST)).score == 0.0


@given(st.lists(st.floats(0.002, 5.0), min_size=1, max_size=4), st.integers(0, 3), st.booleans())
@settings(max_examples=15, deadline=None)
def test_weights_stay_within_bounds(wanted, seed, raw):
    names = [str(at) for at in range(len(wanted))]
    asked = []

    def evaluate(weights):
        asked.append(dict(weights))
        return -sum(abs(math.log(weights[name] / want)) for name, want in zip(names, wanted, strict=True))

    found = tune_jointly(evaluate, names, scaling="raw" if raw else "idempotent", seed=seed, evaluations=30)
    assert found.score == max(map(evaluate, list(asked))) >= found.uniform
    for weights in asked:
        ratios = [weight / weights["0"] for weight in weights.values()]
        assert min(ratios) > 0.999e-3
        assert max(ratios) < 10.01
        if raw:
            assert 0.0999 < sum(weights.values()) < 10.01


def test_a_free_scale_is_one_more_parameter():
    def evaluate(weights):
        return -abs(math.log(sum(weights.values()) / 3.0)) - abs(math.log(weights["a"] / weights["b"] / 2.0))

    found = tune_jointly(evaluate, ["a", "b"], scaling="raw", evaluations=120)
    assert found.history[0].weights == {"a": 0.5, "b": 0.5}
    assert close(found.weights, {"a": 2.0, "b": 1.0})
    kept = tune_jointly(evaluate, ["a", "b"], evaluations=120)
    assert kept.weights["a"] == 1.0
    # Of one component the scale is all there is.
    alone = tune_jointly(lambda weights: -abs(weights["a"] - 2.0), ["a"], scaling="raw", operation="wmax")
    assert close(alone.weights, {"a": 2.0})


def test_temperatures_are_further_parameters():
    def evaluate(weights, temperatures):
        return -abs(weights["b"] - 0.5) - abs(temperatures["a"] - 2.0) - abs(temperatures["b"] - 0.7)

    found = tune_jointly(evaluate, ["a", "b"], temperatures=True, evaluations=200)
    assert close(found.weights, {"b": 0.5}, 0.2)
    assert close(found.temperatures, {"a": 2.0, "b": 0.7}, 0.2)
    assert all(0.2499 < value < 4.001 for trial in found.history for value in trial.temperatures.values())


def test_one_component_is_scored_once():
    asked = []
    for tune in (tune_jointly, tune_pairwise):
        found = tune(lambda weights: asked.append(weights) or 7.0, ["alone"])
        assert (found.weights, found.score, found.uniform, found.deviation) == ({"alone": 1.0}, 7.0, 7.0, 0.0)
    assert asked == [{"alone": 1.0}] * 2


def test_thirty_components():
    names = [str(at) for at in range(30)]
    found = tune_pairwise(lambda weights: -sum(weights.values()), names, starts=1, evaluations=5)
    assert len(found.weights) == 30
    assert found.score > found.uniform


def test_starts_from_given_weights():
    given = {"direct": 2.0, "es": 1.0, "it": 0.1}
    found = tune_jointly(separable, list(BEST), start=given)
    assert found.history[0].weights == dict.fromkeys(BEST, 1.0)
    assert found.history[1].weights == pytest.approx({"direct": 1.0, "es": 0.5, "it": 0.05})
    raw = tune_jointly(separable, list(BEST), start=given, scaling="raw", evaluations=9)
    assert raw.history[1].weights == pytest.approx(given)
    # Weights at the very edge are inside.
    tune_jointly(separable, list(BEST), start={"direct": 1.0, "es": 10.0, "it": 1e-3}, evaluations=9)


def test_goes_on_from_a_log(tmp_path):
    asked = []

    def evaluate(weights):
        asked.append(dict(weights))
        return separable(weights)

    log = tmp_path / "log"
    found = tune_pairwise(evaluate, list(BEST), polish=10, log=log, key="dev")
    written, whole = log.read_bytes(), len(asked)
    for cut in (0, 10, len(written) // 3, len(written) - 1, len(written)):
        log.write_bytes(written[:cut])
        asked.clear()
        assert tune_pairwise(evaluate, list(BEST), polish=10, log=log, key="dev") == found
        assert len(asked) == whole - max(written[:cut].count(b"\n") - 1, 0)
        assert log.read_bytes() == written
    # The joint search knows what the pairs know.
    asked.clear()
    joint = tune_jointly(evaluate, list(BEST), log=log, key="dev", evaluations=9)
    assert dict.fromkeys(BEST, 1.0) not in asked
    assert joint.uniform == found.uniform
    with pytest.raises(InputError, match="another problem"):
        tune_jointly(separable, list(BEST), log=log, key="another dev")
    with pytest.raises(InputError, match="another problem"):
        tune_jointly(separable, list(BEST), log=log, key="dev", operation="wmax")


KILLED = """
import math, os, sys
from tolka.combine.weights import tune_jointly
left = int(sys.argv[2])
def evaluate(weights):
    global left
    if left == 0:
        os.kill(os.getpid(), 9)
    left -= 1
    return -abs(math.log(weights["b"] / 0.3)) - abs(math.log(weights["c"] / 2.0))
print(tune_jointly(evaluate, ["a", "b", "c"], evaluations=24, log=sys.argv[1]))
"""


def test_goes_on_after_it_was_killed(tmp_path):
    def run(log, allowed):
        command = [sys.executable, "-c", KILLED, os.fspath(tmp_path / log), str(allowed)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    whole = run("whole", 1000)
    assert whole.returncode == 0
    assert run("killed", 13).returncode == -9
    resumed = run("killed", 1000)
    assert (resumed.returncode, resumed.stdout) == (0, whole.stdout)
    assert (tmp_path / "killed").read_bytes() == (tmp_path / "whole").read_bytes()


@pytest.mark.parametrize("tune", [tune_jointly, tune_pairwise])
def test_says_for_which_weights_there_is_no_score(tune):
    with pytest.raises(InputError, match=r"the value at a = 1, b = 1 is nan, not a finite number"):
        tune(lambda _: math.nan, ["a", "b"])


@pytest.mark.parametrize("tune", [tune_jointly, tune_pairwise])
@pytest.mark.parametrize(
    ("components", "settings", "error"),
    [
        ([], {}, InputError),
        ("ab", {}, InputError),
        (["a", "a"], {}, InputError),
        (["a", "b"], {"operation": "sum"}, SettingsError),
        (["a", "b"], {"scaling": "cooked"}, SettingsError),
        (["a", "b"], {"bounds": (0.0, 10.0)}, SettingsError),
        (["a", "b"], {"bounds": (2.0, 10.0)}, SettingsError),
        (["a", "b"], {"bounds": (0.1, math.nan)}, SettingsError),
        (["a", "b"], {"starts": 0}, SettingsError),
        (["a", "b"], {"method": "luck"}, SettingsError),
    ],
)
def test_refuses(tune, components, settings, error):
    with pytest.raises(error):
        tune(lambda _: 1.0, components, **settings)


@pytest.mark.parametrize(
    ("start", "what"),
    [
        ({}, "weights of nothing"),
        ({"direct": 1.0, "es": 1.0}, "not of the components"),
        ({"direct": 1.0, "es": math.nan, "it": 1.0}, "'es'"),
        ({"direct": 1.0, "es": 0.0, "it": 1.0}, "'es'"),
        ({"direct": 1.0, "es": 11.0, "it": 1.0}, "not between"),
    ],
)
def test_refuses_starts(start, what):
    with pytest.raises(InputError, match=what):
        tune_jointly(separable, list(BEST), start=start)


def test_refuses_to_polish_less_than_nothing():
    with pytest.raises(SettingsError, match="polish"):
        tune_pairwise(separable, list(BEST), polish=-1)


@pytest.mark.parametrize("weights", [{}, {"a": 0.0}, {"a": math.nan}, {"a": 2.0, "b": -1.0}, {"a": math.inf}])
def test_scales_only_weights(weights):
    for operation in ("wsum", "wmax"):
        with pytest.raises(InputError):
            idempotent(weights, operation)
