"""Whose answers count: by name, by failed test questions, live and in reports."""

import json

import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import InputError, TolkaError
from tolka.judge import Answer, Choice
from tolka.judge.campaign import ChoiceTest, Given, open_campaign
from tolka.judge.campaign.overview import audit_log, overview
from tolka.judge.campaign.planning import design_of, plan
from tolka.judge.rank import Counts, Ranker
from tolka.judge.web.ranked import ranked

TESTS = [ChoiceTest("right one", "wrong one"), ChoiceTest("right two", "wrong two")]


def run(*arguments, code=0):
    done = CliRunner().invoke(app, ["judge", *map(str, arguments)])
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


def answer(campaign, name, *, honest, most=8):
    """Judge as someone who knows the alphabet, or the other way round."""
    campaign.invite(name)
    account = campaign.named(name)
    for _ in range(most):
        shown = campaign.show(task := campaign.next(account))
        left = min(shown.left, shown.right) == shown.left
        campaign.answer(account, task.id, Given(choice=Choice.LEFT if left is honest else Choice.RIGHT))


@pytest.fixture
def judged(make, database):
    campaign = make(test_questions=TESTS, tests={"rate": 1.0}, database=database)
    answer(campaign, "anna", honest=True)
    answer(campaign, "bert", honest=False)
    tests = [one for one in campaign.answers() if one.test is not None]
    assert {(one.judge, one.choice is one.test) for one in tests} == {("anna", True), ("bert", False)}
    return campaign


def counted(campaign):
    return Counts.of(campaign.tallies()).total


def test_a_judge_is_left_out_by_name_live_and_in_reports(judged, tmp_path):
    assert counted(judged) == ranked(judged)[0].answers == 12
    judged.leave_out("bert")
    assert counted(judged) == 6
    live = ranked(judged)[0]
    assert (live.answers, [one.judge for one in live.excluded]) == (6, ["bert"])
    # What is left is the ranking by the other judge's answers.
    alone = Ranker(design=design_of(judged)).fit(one for one in judged.answers() if one.judge == "anna")
    assert live.items == alone.items
    assert live.scores == pytest.approx(alone.scores)
    told = json.loads(run("rank", judged.directory, "--json"))
    assert told["excluded"] == [
        {"rule": "without", "judge": "bert", "answers": 6.0, "reason": "left out by name", "kept": False}
    ]
    assert "left out: 6 answers of bert (left out by name)" in run("rank", judged.directory)
    assert json.loads(run("rank", judged.directory, "--all-judges", "--json"))["answers"] == 12
    run("report", judged.directory, "-o", tmp_path / "report.html")
    assert "left out by name" in (tmp_path / "report.html").read_text()
    assert [(row.name, row.left_out) for row in overview(judged).judges] == [("anna", ""), ("bert", "left out by name")]
    assert "left out of the ranking: bert (left out by name)" in run("status", judged.directory)
    assert sum(1 for _ in judged.answers()) == 16  # nothing is removed
    judged.leave_out("bert", out=False)
    assert counted(judged) == 12
    assert [line.what for line in audit_log(judged)][:2] == ["counted again", "left out"]


def test_a_judge_shut_out_leaves_the_ranking_if_asked(judged):
    run("invite", judged.directory, "bert", "--revoke")
    assert counted(judged) == 12
    run("invite", judged.directory, "bert", "--revoke", "--leave-out")
    assert counted(judged) == 6
    (row,) = [row for row in overview(judged).judges if row.name == "bert"]
    assert row.blocked
    assert row.left_out
    assert run("leave-out", judged.directory, "bert", "--undo") == "everyone counts\n"
    assert counted(judged) == 12
    with pytest.raises(InputError, match="nobody is called 'carl'"):
        judged.leave_out("carl")


def test_judges_who_fail_their_tests_do_not_count(judged, clock):
    run("set", judged.directory, "judges.least_correct=0.7")
    with open_campaign(judged.directory, clock=clock) as campaign:
        tests = sum(one.test is not None for one in campaign.answers() if one.judge == "bert")
        reason = f"0 of {tests} test questions were right"
        assert campaign.left_out() == {"bert": reason}
        assert counted(campaign) == ranked(campaign)[0].answers == 6
        assert overview(campaign).judges[1].left_out == reason
    assert json.loads(run("rank", judged.directory, "--json"))["answers"] == 6
    # A threshold that keeps a judge says so.
    told = run("rank", judged.directory, "--least-correct", "0.7", "--least-tests", "9")
    assert f"kept: bert: {reason}, too few for a rule that asks for 9" in told


def test_options_leave_out_judges_of_files(tmp_path):
    lines = [f'{{"left": "a", "right": "b", "judge": "{name}"}}\n' for name in ("x", "y", "y")]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    told = json.loads(run("rank", tmp_path / "a.jsonl", "--without-judge", "y", "--json"))
    assert (told["answers"], told["excluded"][0]["judge"]) == (1, "y")
    done = CliRunner().invoke(app, ["judge", "rank", str(tmp_path / "a.jsonl"), "--without-judge", "z"])
    assert isinstance(done.exception, TolkaError)
    assert "there is no judge 'z' to leave out" in str(done.exception)


def test_imported_judges_can_be_left_out(make):
    campaign = make()
    campaign.import_answers([Answer("a", "b", judge="zoe"), Answer("b", "a")], "0" * 64)
    campaign.leave_out("zoe")
    assert counted(campaign) == 1
    assert campaign.rules().without == ("zoe",)


def test_answers_that_do_not_count_do_not_meet_the_target(make):
    campaign = make(ask={"target": 6})
    answer(campaign, "anna", honest=True, most=3)
    answer(campaign, "bert", honest=False, most=2)  # anna has one more before her
    answer(campaign, "anna", honest=True, most=1)
    anna = campaign.named("anna")
    assert campaign.next(anna) is None
    campaign.leave_out("bert")
    plan(campaign)
    assert campaign.next(anna) is not None


def test_the_admin_leaves_nobody_out_who_said_nothing(make):
    campaign = make()
    campaign.invite("anna")
    campaign.leave_out("anna")
    answer(campaign, "bert", honest=True, most=3)
    assert ranked(campaign)[0].answers == 3
