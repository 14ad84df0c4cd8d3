"""Table 3.3 of any campaign."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import FormatError, InputError, SettingsError
from tolka.judge import Answer
from tolka.judge.experiment import (
    TABLE,
    analyse,
    campaign_table,
    correlations,
    metric_scores,
    read_human,
    tabulate,
)
from tolka.judge.rank import Ranker

WORDS = ["one", "two", "three", "four", "five", "six"]
SCORES = {"a": 1.0, "b": 0.5, "c": 0.0, "d": -0.5, "e": -1.0}


def run(*arguments):
    done = CliRunner().invoke(app, ["judge", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


def campaign(number=1500, seed=1):
    rng = np.random.default_rng(seed)
    answers = []
    for _ in range(number):
        left, right = (str(name) for name in rng.choice(list(SCORES), 2, replace=False))
        if rng.random() > 1 / (1 + math.exp(SCORES[right] - SCORES[left])):
            left, right = right, left
        answers.append(Answer(left, right, segment=str(rng.integers(60))))
    return answers


def test_the_thesis_table_comes_out_of_it():
    found = tabulate(
        {row.system: row.claire for row in TABLE},
        {row.system: row.sigma for row in TABLE},
        metrics={"bleu": {row.system: row.bleu for row in TABLE}},
        human={row.system: -row.human for row in TABLE},
    )
    printed = analyse()
    assert found.with_human == {"claire": printed.claire, "bleu": printed.bleu}
    assert {name: (each["claire"], each["bleu"]) for name, each in found.without.items()} == printed.without
    assert [line.system for line in found.lines] == [row.system for row in TABLE]
    assert {line.system: line.human for line in found.lines} == {row.system: row.human for row in TABLE}
    assert found.lines[0].metrics == {"bleu": TABLE[0].bleu}


def test_of_a_ranking():
    ranking = Ranker().fit(campaign())
    upside_down = {name: -score for name, score in SCORES.items()}
    found = campaign_table(ranking, metrics={"bleu": upside_down}, human=SCORES)
    assert [line.system for line in found.lines] == list(ranking.items)
    assert [line.error for line in found.lines] == ranking.errors.tolist()
    assert "answers of one segment taken together" in found.error_is
    assert "mean over systems is 0" in found.error_is
    assert found.with_human["claire"].spearman == pytest.approx(1)
    assert found.with_human["bleu"].spearman == pytest.approx(-1)
    assert found.with_claire["bleu"].kendall == pytest.approx(-1)
    assert set(found.without) == set(SCORES)
    assert found.signature == ranking.signature()
    alone = campaign_table(Ranker(cluster="none").fit(campaign()))
    assert "independent" in alone.error_is
    assert (alone.with_human, alone.with_claire) == ({}, {})


def test_equals_share_a_rank_and_say_nothing_together():
    flat = dict.fromkeys("abc", 1.0)
    found = tabulate({"a": 2, "b": 1, "c": 0}, flat, metrics={"bleu": flat}, human={"a": 1, "b": 1, "c": 0})
    assert [line.human for line in found.lines] == [1, 1, 3]
    assert set(found.with_human) == {"claire"}
    assert found.without == {}
    with pytest.raises(InputError, match="c has no score by people"):
        tabulate(flat, flat, metrics={}, human={"a": 1, "b": 2})
    with pytest.raises(InputError, match="c has no score by bleu"):
        tabulate(flat, flat, metrics={"bleu": {"a": 1, "b": 2}})


def test_metrics_that_are_better_when_lower_are_turned():
    reference = ["one two three four five"]
    outputs = {"good": reference, "bad": ["six seven eight nine ten"]}
    found = metric_scores(outputs, reference, ["bleu", "ter"])
    assert found["bleu"]["good"] > found["bleu"]["bad"]
    assert found["ter"]["good"] > found["ter"]["bad"]


def test_what_people_say(tmp_path):
    path = tmp_path / "people"
    for text, expected in (
        ("system\trank\na\t2\nb\t1\n", {"a": -2.0, "b": -1.0}),
        ("System,Score\n\na,2.5\nb,1\n", {"a": 2.5, "b": 1.0}),
        ("a 2.5 (1.0, 2.0)\n+++\nb 1 (1.0, 2.0)\n", {"a": 2.5, "b": 1.0}),
    ):
        path.write_text(text, encoding="utf-8")
        assert read_human(path) == expected
    for text, message in (
        ("system\tvotes\na\t2\n", "no column rank or score"),
        ("system\trank\na\tfirst\n", "line 2: 'first' in column rank is not a number"),
        ("system\trank\na\t1\na\t2\n", "line 3: 'a' is there twice"),
        ("what is this\n", "no system with its score"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=message):
            read_human(path)
    path.write_text("system\trank\n", encoding="utf-8")
    with pytest.raises(InputError, match="no systems"):
        read_human(path)


@pytest.fixture
def files(tmp_path):
    answers, outputs, human = (tmp_path / name for name in ("answers.csv", "outputs.tsv", "human.tsv"))
    rows = [f"{one.segment},{one.left},{one.right}" for one in campaign()]
    answers.write_text("\n".join(["segment,better,worse", *rows, ""]), encoding="utf-8")
    texts = [" ".join([*WORDS[: 6 - at], *["x"] * at]) for at in range(5)]
    lines = [f"{i}\tsource\t{' '.join(WORDS)}\t" + "\t".join(texts) for i in range(4)]
    outputs.write_text("\n".join(["segment\tsource\treference\t" + "\t".join(SCORES), *lines, ""]), encoding="utf-8")
    ranks = [f"{name}\t{at}" for at, name in enumerate(SCORES, 1)]
    human.write_text("\n".join(["system\trank", *ranks, ""]), encoding="utf-8")
    return answers, outputs, human


def test_command(files):
    answers, outputs, human = files
    given = ("table", answers, "--format", "preferences", "--outputs", outputs)
    printed = run(*given, "--human", human).stdout
    assert "human rank" in printed
    assert "Agreement with people's ranking (two-sided p)" in printed
    assert "without c" in printed
    assert "s.e.: standard error of a score whose mean over systems is 0" in printed
    found = json.loads(run(*given, "--human", human, "--metric", "bleu", "--metric", "chrf", "--json").stdout)
    assert [line["human"] for line in found["lines"]] == [1, 2, 3, 4, 5]
    assert set(found["lines"][0]["metrics"]) == {"bleu", "chrf"}
    assert found["with_human"]["bleu"]["spearman"] == pytest.approx(1)
    assert "Agreement with CLAIRE" in run(*given).stdout
    plain = run("table", answers, "--format", "preferences").stdout
    assert "Agreement" not in plain
    human.write_text("system\trank\nx\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match="has no score by people"):
        run(*given, "--human", human)


def test_a_campaign_has_its_own_outputs(files, tmp_path):
    answers = tmp_path / "fewer.csv"
    answers.write_text("".join(files[0].read_text(encoding="utf-8").splitlines(keepends=True)[:300]), encoding="utf-8")
    folder = tmp_path / "campaign"
    given = []
    for at, name in enumerate(SCORES):
        text = tmp_path / name
        text.write_text("".join(f"{' '.join(WORDS[: 6 - at])} {name} {i}\n" for i in range(60)), encoding="utf-8")
        given += ["--system", text]
    for name, line in (("source", "quelle"), ("reference", " ".join(WORDS))):
        (tmp_path / name).write_text("".join(f"{line} {i}\n" for i in range(60)), encoding="utf-8")
        given += [f"--{name}", tmp_path / name]
    run("init", folder, *given)
    run("import", folder, answers, "--format", "preferences")
    found = json.loads(run("table", folder, "--json").stdout)
    assert found["with_claire"]["bleu"]["spearman"] == pytest.approx(1)
    bare = tmp_path / "bare"
    run("init", bare, *given[:-2])
    run("import", bare, answers, "--format", "preferences")
    done = run("table", bare)
    assert "warning: no metric: no segment has a reference" in done.stderr
    assert "CLAIRE" in done.stdout


def test_baselines_beside_claire():
    found = {one.by: one for one in correlations(campaign(2500), runs=3)}
    assert {"claire", "win rate", "elo", "trueskill"} <= set(found)
    assert found["win rate"].mean.spearman > 0.9
    assert found["trueskill"].mean.spearman > 0.8
    assert found["elo"].runs == 3
    assert {one.by for one in correlations(campaign(2500), runs=1, baselines=())} == {
        "claire",
        "claire 200",
        "claire 1000",
    }
    with pytest.raises(SettingsError, match="unknown baseline 'chess'"):
        correlations(campaign(), baselines=["chess"])
