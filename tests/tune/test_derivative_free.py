"""Maximising black boxes whose maxima are known."""

import json
import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.tune import Maximum, maximise
from tolka.tune.evaluations import EvaluationLog

BOX = {"a": (-2.0, 2.0), "b": (-1.0, 3.0)}
START = {"a": 0.0, "b": 0.0}


def hill(point):
    return 10.0 - 2.0 * (point["a"] - 0.7) ** 2 - (point["b"] - 1.2) ** 2 - 0.5 * point["a"] * point["b"]


# Where the gradient of `hill` is 0: -4 (a - 0.7) - 0.5 b = 0 and -2 (b - 1.2) - 0.5 a = 0.
TOP = dict(zip("ab", np.linalg.solve([[4.0, 0.5], [0.5, 2.0]], [2.8, 2.4]).tolist(), strict=True))


class Counted:
    """A function that remembers where it was asked."""

    def __init__(self, function):
        self.function = function
        self.points = []

    def __call__(self, point):
        self.points.append(dict(point))
        return self.function(point)


def reranked(sentences=80, components=3, seed=3):
    """Like the BLEU of an ensemble: the quality of the translations that a mixture of scores ranks first."""
    random = np.random.default_rng(seed)
    quality = random.uniform(size=(sentences, 20))
    trust = np.array([1.5, 0.1, 0.7, 0.3][:components])
    scores = trust * quality[:, :, None] + random.normal(0.0, 0.3, (*quality.shape, components))
    scores += np.array([0.0, 1.0, -1.0, 0.5][:components])

    def value(point):
        chosen = np.logaddexp.reduce(scores + np.array([0.0, *point.values()]), axis=2).argmax(axis=1)
        return 100.0 * float(quality[np.arange(sentences), chosen].mean())

    return value


@pytest.mark.parametrize("method", ["cobyqa", "nelder-mead"])
def test_finds_the_top_of_a_hill(method):
    asked = Counted(hill)
    found = maximise(asked, START, BOX, method=method, evaluations=90)
    assert found.point == pytest.approx(TOP, abs=0.05)
    assert found.value == pytest.approx(hill(TOP), abs=0.005)
    assert found.value == hill(found.point) == max(found.starts)
    assert [one.point for one in found.history] == asked.points
    assert asked.points[0] == START
    assert len(found.starts) == 3
    assert found.mean == pytest.approx(sum(found.starts) / 3)
    assert 0.0 <= found.deviation < 0.1


def test_finds_it_in_noise():
    def noisy(point):
        # The same point has the same noise, as the same weights give the same translations.
        noise = np.random.default_rng([abs(hash(value)) for value in point.values()]).normal(0.0, 0.02)
        return hill(point) + noise

    found = maximise(noisy, START, BOX, evaluations=90)
    assert hill(found.point) > hill(TOP) - 0.1


def test_finds_it_on_steps():
    value = reranked()
    box = {"b": (math.log(1e-3), math.log(10.0)), "c": (math.log(1e-3), math.log(10.0))}
    axis = np.linspace(*box["b"], 60)
    best = max(value({"b": b, "c": c}) for b in axis for c in axis)
    uniform = value({"b": 0.0, "c": 0.0})
    found = maximise(value, {"b": 0.0, "c": 0.0}, box, evaluations=90)
    # 3,600 points of a grid against 90.
    assert uniform < best
    assert found.value > uniform + 0.8 * (best - uniform)


def test_a_maximum_at_the_edge_of_the_box():
    asked = Counted(lambda point: point["a"] - point["b"])
    found = maximise(asked, START, BOX)
    assert found.point == {"a": 2.0, "b": -1.0}


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(0.01, 100), st.floats(0, 1)), min_size=1, max_size=4),
    st.integers(0, 5),
    st.sampled_from(["cobyqa", "nelder-mead"]),
)
@settings(max_examples=25, deadline=None)
def test_never_leaves_the_box_nor_asks_twice(box, seed, method):
    bounds = {str(at): (low, low + width) for at, (low, width, _) in enumerate(box)}
    start = {name: min(low + box[int(name)][2] * (high - low), high) for name, (low, high) in bounds.items()}
    asked = Counted(lambda point: math.sin(3.0 * sum(point.values())))
    found = maximise(asked, start, bounds, seed=seed, evaluations=25, method=method)
    assert len(asked.points) <= 25
    assert len({tuple(point.values()) for point in asked.points}) == len(asked.points)
    assert all(low <= point[name] <= high for point in asked.points for name, (low, high) in bounds.items())
    assert asked.points[0] == start
    assert found.value >= asked.function(start)
    again = maximise(asked.function, start, bounds, seed=seed, evaluations=25, method=method)
    assert again == found


def test_a_flat_function_ends_early_and_keeps_the_start():
    found = maximise(lambda _: 1.0, START, BOX, evaluations=10_000)
    assert found.point == START
    assert (found.mean, found.deviation) == (1.0, 0.0)
    assert len(found.history) < 500


@pytest.mark.parametrize("evaluations", [3, 4, 7, 20])
def test_budget(evaluations):
    asked = Counted(hill)
    found = maximise(asked, START, BOX, evaluations=evaluations)
    assert len(asked.points) == len(found.history) == evaluations
    assert {one.start for one in found.history} == {0, 1, 2}


def test_more_parameters_than_evaluations():
    names = [str(at) for at in range(50)]
    found = maximise(
        lambda point: -sum(value**2 for value in point.values()),
        dict.fromkeys(names, 1.0),
        dict.fromkeys(names, (-2.0, 2.0)),
        evaluations=30,
    )
    assert len(found.history) == 30
    assert found.value >= -50.0


def test_seeds_move_the_other_starts():
    one, other = (maximise(hill, START, BOX, seed=seed) for seed in (1, 2))
    begins = [next(each.point for each in found.history if each.start == 1) for found in (one, other)]
    assert begins[0] != begins[1]
    assert one.history[0] == other.history[0]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None, "high"])
def test_says_where_the_function_is_no_number(bad, tmp_path):
    def broken(point):
        return bad if point["a"] != 0.0 else 1.0

    log = tmp_path / "log"
    with pytest.raises(InputError, match=r"the value at a = [-\d.]+, b = [-\d.]+ is .*not a finite number"):
        maximise(broken, START, BOX, log=log)
    assert b"NaN" not in log.read_bytes()
    assert b"Infinity" not in log.read_bytes()


def test_errors_of_the_function_come_out():
    def singular(point):
        if point["a"] != 0.0:
            raise np.linalg.LinAlgError("mine")
        return 1.0

    with pytest.raises(np.linalg.LinAlgError, match="mine"):
        maximise(singular, START, BOX)


def test_refuses_to_wait_for_itself():
    def outer(point):
        return maximise(hill, START, BOX).value + point["a"]

    with pytest.raises(SettingsError, match="maximises another"):
        maximise(outer, {"a": 0.0}, {"a": (-1.0, 1.0)})
    # And the way out that the hint names; a search that failed leaves nothing behind.
    assert maximise(outer, {"a": 0.0}, {"a": (-1.0, 1.0)}, method="nelder-mead", evaluations=9).point["a"] > 0.5


@pytest.mark.parametrize(
    ("start", "bounds", "what"),
    [
        ({}, {}, "nothing to maximise"),
        ({"a": 0.0}, {}, "'a' has no bounds"),
        ({"a": 0.0}, {"a": (-1.0, 1.0), "b": (0.0, 1.0)}, "'b' has no start"),
        ({"a": math.nan}, {"a": (-1.0, 1.0)}, "start of 'a' is nan"),
        ({"a": 2.0}, {"a": (-1.0, 1.0)}, "start of 'a' is 2.0"),
        ({"a": 0.0}, {"a": (1.0, -1.0)}, "bounds of 'a' are 1.0 and -1.0"),
        ({"a": 0.0}, {"a": (0.0, 0.0)}, "bounds of 'a'"),
        ({"a": 0.0}, {"a": (math.nan, 1.0)}, "bounds of 'a'"),
        ({"a": 0.0}, {"a": (-math.inf, 1.0)}, "bounds of 'a'"),
        ({"a": 0.0}, {"a": (-1.7e308, 1.7e308)}, "bounds of 'a'"),
    ],
)
def test_refuses_starts_and_bounds(start, bounds, what):
    with pytest.raises(InputError, match=what):
        maximise(hill, start, bounds)


@pytest.mark.parametrize(
    "setting",
    [
        {"starts": 0},
        {"starts": 2.5},
        {"evaluations": 0},
        {"evaluations": 2},
        {"method": "simulated annealing"},
        {"seed": -1},
        {"seed": True},
        {"radius": 0.0},
        {"radius": math.nan},
        {"resolution": 1.0},
    ],
)
def test_refuses_settings(setting):
    with pytest.raises(SettingsError):
        maximise(hill, START, BOX, **setting)


def resumed_everywhere(log, step, **options):
    def search(function, log=None):
        return maximise(function, {"a": 0.0}, {"a": (-2.0, 2.0)}, log=log, **options)

    def value(point):
        return -abs(point["a"] - 0.7)

    whole = search(value, log)
    assert whole == search(value)
    written = log.read_bytes()
    for cut in range(0, len(written) + 1, step):
        log.write_bytes(written[:cut])
        asked = Counted(value)
        assert search(asked, log) == whole
        known = max(written[:cut].count(b"\n") - 1, 0)
        assert len(asked.points) == len(whole.history) - known
        assert log.read_bytes() == written


def test_goes_on_after_a_cut_at_any_byte(tmp_path):
    resumed_everywhere(tmp_path / "log", 1, starts=1, evaluations=3, method="nelder-mead")


def test_goes_on_after_a_cut_of_a_longer_log(tmp_path):
    resumed_everywhere(tmp_path / "log", 97, starts=2, evaluations=20)


KILLED = """
import json, os, sys
from tolka.tune import maximise
log, allowed = sys.argv[1], int(sys.argv[2])
left = allowed
def hill(point):
    global left
    if left == 0:
        os._exit(9)
    left -= 1
    return 1.0 - (point["a"] - 0.7) ** 2 - abs(point["b"] - 1.2)
found = maximise(hill, {"a": 0.0, "b": 0.0}, {"a": (-2.0, 2.0), "b": (-1.0, 3.0)}, evaluations=30, log=log)
print(json.dumps([found.point, found.value, found.starts, [[one.start, one.point, one.value] for one in found.history]]))
print(allowed - left)
"""


def run_killed(log, allowed):
    return subprocess.run(
        [sys.executable, "-c", KILLED, str(log), str(allowed)], capture_output=True, text=True, check=False
    )


def test_goes_on_after_it_was_killed(tmp_path):
    whole = run_killed(tmp_path / "whole", 1000)
    assert whole.returncode == 0
    *result, asked = whole.stdout.splitlines()
    log = tmp_path / "killed"
    for _ in range(2):
        assert run_killed(log, 11).returncode == 9
    resumed = run_killed(log, 1000)
    assert resumed.returncode == 0
    assert resumed.stdout.splitlines()[:-1] == result
    assert int(resumed.stdout.splitlines()[-1]) == int(asked) - 22
    assert log.read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_larger_budget_goes_on_with_the_same_log(tmp_path):
    log = tmp_path / "log"
    maximise(hill, START, BOX, starts=1, evaluations=6, log=log)
    asked = Counted(hill)
    more = maximise(asked, START, BOX, starts=1, evaluations=15, log=log)
    assert len(asked.points) == len(more.history) - 6


def test_refuses_the_log_of_another_problem(tmp_path):
    log = tmp_path / "log"
    maximise(hill, START, BOX, evaluations=5, log=log, key="one development set")
    written = log.read_bytes()
    with pytest.raises(InputError, match="another problem"):
        maximise(hill, START, BOX, evaluations=5, log=log, key="another")
    with pytest.raises(InputError, match="another problem"):
        maximise(hill, START, {**BOX, "a": (-1.0, 1.0)}, evaluations=5, log=log, key="one development set")
    assert log.read_bytes() == written


@pytest.mark.parametrize("content", [b"my precious thesis", b"my precious thesis\n", b"{}\n", b"[]\n", b"\xff\n"])
def test_leaves_other_files_alone(tmp_path, content):
    log = tmp_path / "log"
    log.write_bytes(content)
    with pytest.raises(InputError, match="no log of evaluations"):
        maximise(hill, START, BOX, log=log)
    assert log.read_bytes() == content


@pytest.mark.parametrize("line", [b"{", b'{"point": {"a": 0.0}}', b'{"point": {}, "value": NaN}', b"[1]", b"\xff"])
def test_says_which_line_of_a_log_is_damaged(tmp_path, line):
    log = tmp_path / "log"
    maximise(hill, START, BOX, evaluations=5, log=log)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:2], line + b"\n", *lines[2:]]))
    with pytest.raises(FormatError, match="line 3: not an evaluation"):
        maximise(hill, START, BOX, evaluations=5, log=log)


def test_refuses_places_that_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="not a regular file"):
        maximise(hill, START, BOX, log=tmp_path)
    with pytest.raises(FileError, match="does not exist"):
        maximise(hill, START, BOX, log=tmp_path / "missing" / "log")
    with EvaluationLog(tmp_path / "log", {}), pytest.raises(FileError, match="another process"):
        EvaluationLog(tmp_path / "log", {})


def test_the_log_keeps_what_came_first(tmp_path):
    with EvaluationLog(tmp_path / "log", {"p": 1}) as log:
        log.add({"a": 0.1}, 1.0)
        log.add({"a": 0.1}, 2.0)
    with EvaluationLog(tmp_path / "log", {"p": 1}) as log:
        assert log.get({"a": 0.1}) == 1.0
        assert len(log) == 1
    lines = [json.loads(line) for line in (tmp_path / "log").read_text("utf-8").splitlines()]
    assert [line.get("value") for line in lines] == [None, 1.0, 2.0]


def test_history_improves_from_the_start():
    found = maximise(hill, START, BOX, starts=1, evaluations=40)
    best = [max(one.value for one in found.history[: end + 1]) for end in range(len(found.history))]
    assert all(before <= after for before, after in pairwise(best))
    assert isinstance(found, Maximum)
    assert best[-1] > best[0]
