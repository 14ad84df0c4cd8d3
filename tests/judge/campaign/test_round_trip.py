"""Answers go out and come back: nothing is lost, and nothing counts twice."""

import json
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.judge import Answer, Choice
from tolka.judge.campaign import BlankTest, ChoiceTest, Given
from tolka.judge.campaign.known import Known
from tolka.judge.exchange import read_answers, write_answers

TESTS = [BlankTest("I ___ it.", ("want", "is"), (0,)), ChoiceTest("a good one", "one bad a")]


def run(*arguments, code=0):
    done = CliRunner().invoke(app, ["judge", *map(str, arguments)])
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


@pytest.fixture
def tested(make, database, clock):
    """A campaign of 24 answers, four of them to test questions."""
    campaign = make(test_questions=TESTS, tests={"rate": 1.0}, database=database, show={"undecided": True})
    for name in ("anna", "bert"):
        campaign.invite(name)
        account = campaign.named(name)
        for turn in range(12):
            task = campaign.next(account)
            clock.forward(seconds=5 + turn)
            blank = campaign.show(task).kind == "blank"
            choice = [Choice.LEFT, Choice.RIGHT, Choice.LEFT, Choice.UNDECIDED][turn % 4]
            campaign.answer(account, task.id, Given(ticked=(0,)) if blank else Given(choice=choice))
    assert sum(one.test is not None for one in campaign.answers()) == 4
    return campaign


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_what_was_exported_reads_back(tested, tmp_path, format):  # noqa: A002
    file = tmp_path / f"answers.{format}"
    run("export", tested.directory, "-o", file, "--to", format)
    assert list(read_answers(file, format)) == list(tested.answers())
    ranked = json.loads(run("rank", file, "--format", format, "--json"))
    there = json.loads(run("rank", tested.directory, "--json"))
    assert ranked["items"] == there["items"]
    assert ranked["tests"] == 4
    run("report", file, "--format", format, "-o", tmp_path / "report.html")
    run("simulate", "--replay", file, "--format", format, "--strategy", "random", "--runs", "1", "--quiet")
    done = json.loads(run("import", tested.directory, file, "--format", format, "--json"))
    assert (done["imported"], done["known"]) == (0, 24)


def test_preferences_say_what_they_leave_out(tmp_path):
    file = tmp_path / "answers.jsonl"
    write_answers(file, [Answer("a", "b"), Answer("", "", test=Choice.LEFT), Answer("b", "a", Choice.RIGHT)])
    told = run("export", file, "-o", tmp_path / "p.csv", "--to", "preferences")
    assert told == "2 answers written; 1 answers to test questions left out, which preferences cannot say\n"
    assert [one.winner for one in read_answers(tmp_path / "p.csv", "preferences")] == ["a", "a"]


def test_what_a_campaign_costs(make, database, clock, tmp_path):
    """In status, report and export alike: per question, median and mean time, hours, money; tests are no answers."""
    cost = {"per_answer": 0.05, "currency": "CHF"}
    campaign = make(test_questions=TESTS[1:], tests={"rate": 1.0}, cost=cost, database=database)
    campaign.invite("anna")
    anna = campaign.named("anna")
    for seconds in (10, 20, 60):
        task = campaign.next(anna)
        clock.forward(seconds=seconds)
        campaign.answer(anna, task.id, Given(choice=Choice.LEFT))
    campaign.import_answers([Answer("a", "b", judge="zoe", seconds=500.0)], "0" * 64)
    spent = {
        "comparisons": 2,
        "tests": 1,
        "timed": 3,
        "median_seconds": 20.0,
        "mean_seconds": 30.0,
        "hours": 0.025,
        "price": 0.05,
        "cost": 0.15,
        "currency": "CHF",
    }
    where = campaign.directory
    assert json.loads(run("status", where, "--json"))["spent"] == spent
    assert json.loads(run("export", where, "-o", tmp_path / "a.jsonl", "--json"))["spent"] == spent
    page = tmp_path / "report.html"
    assert json.loads(run("report", where, "-o", page, "--json"))["spent"] == spent
    for sentence in (
        "time: median 20.0 s and mean 30.0 s a question, 0.03 h in all",
        "cost: 0.05 CHF a question, 0.15 CHF so far",
    ):
        assert sentence in run("status", where)
        assert sentence in run("export", where, "-o", tmp_path / "a.jsonl")
    text = page.read_text(encoding="utf-8")
    for fact in ("0.05 CHF", "0.15 CHF", "40.0 s", "147.5 s", "10 min"):  # times are those of all answers
        assert fact in text
    # Three comparisons, one of them imported, on as many segments; the test question is none.
    row = re.search(r"<bdi>anna</bdi>.*?</tr>", text, re.DOTALL)[0]
    assert re.findall(r">([^<>]+)</t[dh]>", row)[0] == "2"
    told = json.loads(run("report", tmp_path / "a.jsonl", "-o", page, "--json"))["spent"]
    assert (told["comparisons"], told["tests"], told["price"]) == (3, 1, None)


def test_a_longer_file_adds_what_is_new(make, database, tmp_path):
    campaign = make(database=database)
    answers = [
        Answer("ab"[i % 2], "c", judge="zoe", segment=str(i), seconds=3.0, at=f"2026-03-01T12:{i:02}:00Z")
        for i in range(30)
    ]
    for name, part in (("first", answers[:20]), ("second", answers[10:]), ("third", answers)):
        write_answers(tmp_path / name, part)
    assert run("import", campaign.directory, tmp_path / "first") == "20 answers imported\n"
    assert run("import", campaign.directory, tmp_path / "second") == "10 answers imported; 10 were there already\n"
    assert run("import", campaign.directory, tmp_path / "third") == "0 answers imported; 30 were there already\n"
    # A format without sides and times holds the same answers.
    write_answers(tmp_path / "plain.csv", answers, "preferences")
    told = run("import", campaign.directory, tmp_path / "plain.csv", "--format", "preferences")
    assert told == "0 answers imported; 30 were there already\n"
    assert campaign.number() == 30


def test_equal_answers_of_nobody_in_particular(make, tmp_path):
    campaign = make()
    (tmp_path / "one.csv").write_text("better,worse\na,b\na,b\n")
    (tmp_path / "two.csv").write_text("better,worse\na,b\na,b\na,b\n")
    plain = ("--format", "preferences")
    run("import", campaign.directory, tmp_path / "one.csv", *plain)
    assert campaign.number() == 2  # what a file says twice was said twice
    run("import", campaign.directory, tmp_path / "two.csv", *plain)
    assert campaign.number() == 3
    for _ in range(2):
        run("import", campaign.directory, tmp_path / "one.csv", *plain, "--equal")
    assert campaign.number() == 3  # it is that very file again
    (tmp_path / "more.csv").write_text("better,worse\na,b\n\n")
    run("import", campaign.directory, tmp_path / "more.csv", *plain, "--equal")
    assert campaign.number() == 4


ANSWERS = st.lists(
    st.builds(
        Answer,
        st.just("a"),
        st.sampled_from("bc"),
        st.sampled_from(list(Choice)),
        judge=st.sampled_from(["", "x"]),
        at=st.sampled_from(["", "2026-03-01", "2026-03-02"]),
    ),
    max_size=12,
)


@settings(max_examples=200)
@given(ANSWERS, ANSWERS)
def test_importing_is_a_union(one, two):
    """Every answer is there as often as in either; without missing times that is the union of multisets."""
    held = [*one, *(two[at] for at in Known(one).new(two))]
    assert not Known(held).new(one)
    assert not Known(held).new(two)
    assert max(len(one), len(two)) <= len(held) <= len(one) + len(two)
    if all(answer.at for answer in [*one, *two]):
        assert Counter(held) == Counter(one) | Counter(two)
