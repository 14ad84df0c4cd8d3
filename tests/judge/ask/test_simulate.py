"""Learning curves on made-up items and on real answers, and the command."""

import json
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.ask import Curve, Pool, answers_to_reach, kendall, replay, saving, simulate
from tolka.judge.ask.simulate import checkpoints


def test_active_against_random():
    """Section 9.11 of the specification: 15 items with spread 1.5 after 50 and 100 answers.

    There, 60 runs gave tau .618 and .714 for random pairs, .679 and .771 for information; of 20 runs each mean is
    within three standard errors (about .02 each) of that.
    """
    found = simulate(15, 1.5, 100, ["random", "information"], runs=20, at=[50, 100])
    random, information = found.curves
    assert random.tau.mean(axis=0) == pytest.approx([0.618, 0.714], abs=0.07)
    assert information.tau.mean(axis=0) == pytest.approx([0.679, 0.771], abs=0.07)
    assert random.error.mean(axis=0) == pytest.approx([0.857, 0.659], abs=0.12)
    assert information.error.mean(axis=0) == pytest.approx([0.785, 0.605], abs=0.12)
    assert (information.tau.mean(axis=0) > random.tau.mean(axis=0)).all()
    # Better scores, yet wider intervals: the ones that hold whatever the answers made it ask.
    assert (information.width.mean(axis=0) > random.width.mean(axis=0)).all()


def test_same_seed_same_curves():
    runs = [
        simulate(4, 1.0, 30, ["information", "order"], runs=2, batch=3, explore=0.1, seed=seed) for seed in (1, 1, 2)
    ]
    assert runs[0].as_json() == runs[1].as_json() != runs[2].as_json()


def test_no_strategy_is_favoured_by_where_it_stands():
    """Judges' luck has nothing to do with the items' scores: the same strategy does as well first as second."""
    first = simulate(8, 1.0, 8, ["uniform", "random"], runs=150, at=[8]).curves[0]
    second = simulate(8, 1.0, 8, ["random", "uniform"], runs=150, at=[8]).curves[1]
    error = np.hypot(*(curve.tau.std() / np.sqrt(150) for curve in (first, second)))
    assert abs(first.tau.mean() - second.tau.mean()) < 3.5 * error


def test_every_strategy_and_no_prior():
    names = ["information", "order", "random", "uniform", "adjacent", "trueskill"]
    for prior in (0.25, 0.0):
        found = simulate(4, 0.3, 60, names, runs=1, prior=prior, at=[60])
        assert all(np.isfinite(curve.tau).all() for curve in found.curves)


def test_sloppy_judges_cost_answers():
    good, sloppy = (simulate(6, 1.0, 200, ["uniform"], runs=10, at=[200], lapse=lapse) for lapse in (0.0, 0.6))
    assert good.curves[0].tau.mean() > sloppy.curves[0].tau.mean()


def test_a_lean_to_one_side_does_no_harm_when_sides_are_shuffled():
    plain, leaning = (simulate(6, 1.0, 300, ["uniform"], runs=10, at=[300], side=side) for side in (0.0, 0.7))
    assert leaning.curves[0].tau.mean() > plain.curves[0].tau.mean() - 0.12


@pytest.mark.parametrize("last", [1, 7, 50, 100, 500, 777, 12_345])
def test_checkpoints(last):
    looks = checkpoints(last)
    assert looks[-1] == last
    assert list(looks) == sorted(set(looks))
    assert len(looks) <= 42
    assert looks[0] >= 1


def test_answers_to_reach():
    tau = np.array([0.1, 0.3, 0.5])
    assert answers_to_reach([10, 20, 30], tau, 0.4) == pytest.approx(25)
    assert answers_to_reach([10, 20, 30], tau, 0.05) == 10
    assert answers_to_reach([10, 20, 30], tau, 0.6) == float("inf")


def made(name, tau):
    table = np.array(tau)
    return Curve(name, tuple(range(10, 10 * table.shape[1] + 1, 10)), table, table, table)


def test_saving():
    quick = made("quick", [[0.2, 0.6, 0.9, 1.0]] * 3)
    slow = made("slow", [[0.1, 0.2, 0.4, 0.6]] * 3)
    found = saving([quick], [slow], 0.6)
    assert found.ratio == pytest.approx(20 / 40)
    assert found.low == pytest.approx(0.5)
    assert found.high == pytest.approx(0.5)
    assert (found.sets, found.missed, found.of) == (1, 0, 1)
    assert saving([quick], [slow], 0.7) is None
    missed = saving([slow], [quick], 0.9)
    assert (missed.missed, missed.ratio) == (1, pytest.approx(40 / 30))
    with pytest.raises(SettingsError):
        saving([quick], [], 0.6)


def test_kendall():
    scores = np.arange(5.0)
    assert kendall(scores, scores) == 1
    assert kendall(scores, -scores) == -1


def campaign(number=3000, seed=1):
    """Answers about six systems with some noise, ties, and a pair nobody was asked about."""
    rng = np.random.default_rng(seed)
    scores = dict(zip("abcdef", (1.2, 0.9, 0.3, 0.1, -0.8, -1.5), strict=True))
    answers = []
    while len(answers) < number:
        left, right = rng.choice(list(scores), 2, replace=False)
        if {left, right} == {"a", "f"}:
            continue
        chance = 1 / (1 + np.exp(scores[right] - scores[left]))
        choice = Choice.TIE if rng.random() < 0.1 else Choice.LEFT if rng.random() < chance else Choice.RIGHT
        answers.append(Answer(str(left), str(right), choice))
    return answers


def test_replay():
    pool = Pool(campaign())
    assert ("a", "f") not in pool.pairs()
    assert all(choice is not Choice.TIE for _, choice in pool.answers)
    found = replay(pool, ["order", "random"], budget=600, runs=4, at=[100, 600])
    order, random = found.curves
    assert order.tau[:, -1].mean() > 0.85
    assert random.tau[:, -1].mean() > 0.75
    assert (order.tau[:, 1] >= order.tau[:, 0]).mean() > 0.5


def test_replay_of_the_whole_pool_is_the_final_ranking():
    pool = Pool(campaign(200), ties="half")
    found = replay(pool, ["information", "random", "uniform"], budget=len(pool.answers), runs=1, at=[len(pool.answers)])
    for curve in found.curves:
        assert curve.tau[0, -1] == 1
        assert curve.error[0, -1] < 1e-5


def test_impossible_replays():
    with pytest.raises(InputError, match="no answers to replay"):
        Pool([Answer("a", "b", Choice.TIE)])
    with pytest.raises(SettingsError, match="cannot be replayed"):
        replay([Answer("a", "b")], budget=5)


def test_command_as_written():
    command = "judge simulate --items 7 --spread 0.5 --answers 60 --strategy information random --runs 3 --json"
    done = subprocess.run([sys.executable, "-m", "tolka", *command.split()], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert [curve["strategy"] for curve in found["curves"]] == ["information", "random"]
    assert found["curves"][0]["answers"][-1] == 60
    assert len(found["curves"][0]["tau"]) == len(found["curves"][0]["answers"])


def test_command_for_people(tmp_path):
    page = tmp_path / "curves.html"
    arguments = ["--items", "4", "--answers", "40", "--runs", "2", "--strategy", "order", "--strategy", "random"]
    done = CliRunner().invoke(app, ["judge", "simulate", *arguments, "-o", str(page)])
    assert done.exit_code == 0, done.output
    assert "Kendall's tau" in done.output
    assert "<svg" in page.read_text(encoding="utf-8")


def test_command_replays(tmp_path):
    path = tmp_path / "answers.csv"
    rows = [f"1,{one.winner},{one.loser}" for one in campaign(400) if one.winner]
    path.write_text("\n".join(["segment,better,worse", *rows, ""]), encoding="utf-8")
    arguments = [
        "--replay",
        str(path),
        "--format",
        "preferences",
        "--runs",
        "2",
        "--json",
        "--strategy",
        "order",
        "random",
    ]
    done = CliRunner().invoke(app, ["judge", "simulate", *arguments])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["settings"]["pool"] == len(rows)


@pytest.mark.parametrize(
    "arguments", [["--strategy", "best"], ["information"], ["--items", "1"], ["--strategy", "order", "worst"]]
)
def test_wrong_usage(arguments):
    done = CliRunner().invoke(app, ["judge", "simulate", "--answers", "5", *arguments])
    assert done.exit_code != 0
