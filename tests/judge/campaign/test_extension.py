"""New systems, segments and test questions join a campaign that runs."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import InputError, TolkaError
from tolka.judge import Choice
from tolka.judge.campaign import BlankTest, Given, Lines, Material, Rows, Segment, extend, open_campaign
from tolka.judge.campaign.overview import audit_log, overview
from tolka.judge.campaign.planning import plan
from tolka.judge.campaign.questions import Questions


def run(*arguments, code=0):
    done = CliRunner().invoke(app, ["judge", *map(str, arguments)])
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


def answer(campaign, name, most):
    campaign.invite(name)
    account = campaign.named(name)
    pairs = []
    for _ in range(most):
        task = campaign.next(account)
        pairs.append((task.low, task.high))
        campaign.answer(account, task.id, Given(choice=Choice.LEFT))
    return pairs


def rows_of(item, segments, text="{item} says {segment}"):
    return [{"item": item, "segment": str(s), "text": text.format(item=item, segment=s)} for s in segments]


def test_a_system_joins_while_another_process_serves(campaign, clock):
    answer(campaign, "anna", 10)
    before = list(campaign.answers())
    with open_campaign(campaign.directory, clock=clock) as elsewhere:
        done = extend(elsewhere, Rows.read(rows_of("e", range(6)), where="rows"))
    assert (done.items, done.segments, done.outputs, done.questions) == (("e",), 0, 6, 24)
    # This one takes it in by itself, asks about the new system, and has lost nothing.
    pairs = answer(campaign, "bert", 40)
    assert campaign.items == ("a", "b", "c", "d", "e")
    assert any(high == 4 for _low, high in pairs)
    assert list(campaign.answers())[:10] == before
    assert overview(campaign).items == 5
    assert audit_log(campaign)[-3].what == "extended"
    again = extend(campaign, Rows.read(rows_of("e", range(6)), where="rows"))
    assert again == type(again)((), 0, 0, 0, 0)


def test_a_new_system_is_asked_about_first(make, clock):
    """What was learnt of the others is still known: answers go to the new one."""
    campaign = make(ask={"explore": 0.0, "refit_every": 1})
    names = [f"judge-{number}" for number in range(6)]
    for name in names:
        answer(campaign, name, 30)
    extend(campaign, Rows.read(rows_of("e", range(6)), where="rows"))
    plan(campaign)
    queue = [(low, high) for low, high, _gain in campaign.questions._queue]
    assert sum(high == 4 for _low, high in queue) > len(queue) / 2
    clock.forward(seconds=1)


def test_segments_join(make):
    campaign = make()
    more = Lines(("neu",), ("new",), {"a": ("A!",), "b": ("B!",)})
    done = extend(campaign, more)
    assert (done.segments, done.outputs, done.questions) == (1, 2, 1)
    assert campaign.segments[-1] == "7"  # there were 0 to 5, and the sixth name is taken as well
    with pytest.raises(InputError, match="1 of 1 lines are segments of the campaign already; give new lines only"):
        extend(campaign, more)


def test_files_with_new_lines_at_their_end(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"src": "eins zwei", "a": "one two", "b": "an too", "c": "1 2"}
    for name, words in files.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{word}\n" for word in words.split()))
    run("init", "c", "--source", "src.txt", "--system", "a.txt", "--system", "b.txt")
    told = run("extend", "c", "--system", "c.txt")
    assert told == "c: 3 items, 2 segments, 6 questions; new: 1 items, 0 segments, 4 questions, 0 tests\n"
    for name, word in {"src": "drei", "a": "three", "b": "drey", "c": "3"}.items():
        with (tmp_path / f"{name}.txt").open("a") as file:
            file.write(f"{word}\n")
    systems = [part for name in "abc" for part in ("--system", f"{name}.txt")]
    told = json.loads(run("extend", "c", "--source", "src.txt", *systems, "--json"))
    assert (told["segments"], told["questions"], told["new"]["segments"]) == (3, 9, 1)
    (tmp_path / "tests.jsonl").write_text('{"better": "x", "worse": "y"}\n')
    for new in (1, 0):
        told = json.loads(run("extend", "c", "--tests", "tests.jsonl", "--json"))
        assert (told["tests"], told["new"]["tests"]) == (1, new)
    (tmp_path / "d.txt").write_text("one\n")
    for arguments, message in [
        (("--system", "d.txt"), "there are 1 lines, and the campaign has 3 segments"),
        (("--source", "a.txt", "--system", "d=b.txt"), "line 1 has another source or reference than segment '1'"),
        ((), "nothing is given that could join"),
        (("--items", "x.csv", "--system", "d.txt"), "give either --system files or --items"),
    ]:
        done = CliRunner().invoke(app, ["judge", "extend", "c", *arguments])
        assert isinstance(done.exception, TolkaError)
        assert message in str(done.exception)


def test_what_judges_may_have_seen_does_not_change(campaign):
    for rows, message in [
        (rows_of("a", [0], "other"), "item 'a' has another text for segment '0' in the campaign"),
        ([{"item": "e", "segment": "0", "text": "x", "source": "y"}], "segment '0' has another source"),
    ]:
        with pytest.raises(InputError, match=message):
            extend(campaign, Rows.read(rows, where="rows"))
    assert len(campaign.items) == 4


def test_tests_join(campaign, anna):
    assert campaign.desk.tests == 0
    assert extend(campaign, tests=[BlankTest("I ___", ("a", "b"), (0,))]).tests == 1
    assert campaign.desk.tests == 1
    assert campaign.next(anna) is not None


def test_a_campaign_that_knew_enough_may_know_enough_again(make):
    campaign = make(ask={"stop_width": 50.0})
    answer(campaign, "anna", 3)
    plan(campaign)
    assert campaign.state == "paused"
    campaign.turn("running")
    plan(campaign)
    assert campaign.state == "running"
    extend(campaign, Rows.read(rows_of("e", range(6)), where="rows"))
    plan(campaign)
    assert campaign.state == "paused"


@given(st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), max_size=5))
def test_questions_are_counted(table):
    texts = np.array(table, dtype=np.int32).reshape(-1, 4)
    questions = Questions(texts, explore=0.0, overlap=0.0)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    assert questions.number() == sum(len(questions.differing(i, j)) for i, j in pairs)


def test_questions_of_material_and_campaign_agree(make, rows):
    for row in rows[:9]:
        row["text"] = "the same"
    material = Material.of_rows(rows, where="rows")
    assert isinstance(material.segments[0], Segment)
    assert make(rows).questions.number() == material.questions()
