"""Damaged databases: every answer that is on disk is found, and every command says what to do."""

import json
import os
import shutil
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from typer.testing import CliRunner

from tolka.cli.judge.campaign import opened
from tolka.cli.main import app
from tolka.errors import FileError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.campaign import (
    BlankTest,
    CampaignSettings,
    ChoiceTest,
    Given,
    Material,
    create_campaign,
    open_campaign,
    schema,
)
from tolka.judge.campaign.overview import overview
from tolka.judge.campaign.rebuild import rebuild
from tolka.judge.campaign.salvage import find, is_damaged, salvage
from tolka.judge.exchange import read_answers

TESTS = [BlankTest("I ___ it.", ("want", "is"), (0,)), ChoiceTest("a good one", "one bad a")]
LONG = "a long text " * 500  # goes over several pages


def fill(folder):
    """A campaign of every kind of answer; returns the answers, and per answer the task's name."""
    rows = [
        {
            "item": item,
            "segment": f"seg {segment}",
            "text": f"{item} {segment} {LONG if segment == 3 and item == 'a' else ''}",
        }
        for item in "abcd"
        for segment in range(12)
    ]
    chosen = CampaignSettings.from_values({"tests": {"rate": 0.3}, "show": {"undecided": True}, "cost": {}})
    material = Material.of_rows(rows, where="rows", tests=TESTS)
    with create_campaign(folder, material, chosen) as campaign:
        for name in ("anna", "björn"):
            campaign.invite(name)
            account = campaign.named(name)
            for turn in range(40):
                task = campaign.next(account)
                blank = campaign.show(task).kind == "blank"
                choice = [Choice.LEFT, Choice.RIGHT, Choice.UNDECIDED][turn % 3]
                campaign.answer(account, task.id, Given(ticked=(0,)) if blank else Given(choice=choice, seconds=0.5))
                if turn % 7 == 3:
                    campaign.undo(account, task.id)
        outside = [Answer("a", "b", judge="zoe", segment=str(i), at=f"day {i}", weight=1.5) for i in range(30)]
        campaign.import_answers(outside, "0" * 64)
        with campaign.store.reading() as connection:
            task = schema.task.c
            standing = (select(task.id).join_from(schema.answer, schema.task).where(task.state == "answered")).order_by(
                schema.answer.c.id
            )
            return list(campaign.answers()), connection.execute(standing).scalars().all()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    answers, tasks = fill(folder)
    return folder, answers, tasks


@pytest.fixture
def broken(whole, tmp_path):
    """A copy of the campaign, and a way to overwrite pages of its database."""
    folder = tmp_path / "broken"
    shutil.copytree(whole[0], folder)
    path = folder / "campaign.db"

    def damage(*pages, data=b"", start=0):
        held = bytearray(path.read_bytes())
        for page in pages:
            place = page * 4096 + start
            new = data or np.random.default_rng(page).bytes(4096 - start)
            held[place : place + len(new)] = new
        path.write_bytes(held)

    return folder, path, damage


def test_nothing_is_lost_of_what_is_whole(whole):
    folder, answers, _ = whole
    found = salvage(folder)
    assert found.answers == answers
    assert (found.unresolved, found.lost, found.unnamed) == ([], 0, [])
    assert found.undone == 12
    assert not is_damaged(folder / "campaign.db")
    assert salvage(folder / "campaign.db") == found


def test_what_is_in_the_log_only_is_found(whole, broken, tmp_path):
    """As after a crash: the write-ahead log was never brought into the file."""
    answers = whole[1]
    folder, _, _ = broken
    with open_campaign(folder) as campaign:
        campaign.invite("carl")
        carl = campaign.named("carl")
        for _ in range(5):
            blank = campaign.show(task := campaign.next(carl)).kind == "blank"
            campaign.answer(carl, task.id, Given(ticked=(1,)) if blank else Given(choice=Choice.LEFT))
        later = [one for one in campaign.answers() if one.judge == "carl"]
        shutil.copytree(folder, tmp_path / "copy")
    assert (tmp_path / "copy" / "campaign.db-wal").stat().st_size
    found = salvage(tmp_path / "copy").answers
    assert Counter(found) == Counter([*answers, *later])
    (tmp_path / "copy" / "campaign.db-wal").write_bytes(os.urandom(5000))
    assert set(answers) <= set(salvage(tmp_path / "copy").answers)


def test_an_answer_is_lost_only_with_its_own_pages(whole, broken):
    """Every page in turn: what does not lie on it is found."""
    _, answers, tasks = whole
    _, path, damage = broken
    held = path.read_bytes()
    own, brought = answers[: len(tasks)], answers[len(tasks) :]
    found_all = 0
    for page in range(len(held) // 4096):
        path.write_bytes(held)
        damage(page)
        gone = held[page * 4096 : page * 4096 + 4096]
        found = salvage(path)
        told = {(one.at, one.seconds, one.choice) for one in found.answers}
        for answer, task in zip(own, tasks, strict=True):
            if task.encode() not in gone and not (answer.test is Choice.LEFT and not answer.sided):
                assert (answer.at, answer.seconds, answer.choice) in told, page
        if not found.unnamed:
            assert Counter(found.answers) <= Counter(answers), page
        if b"zoe" not in gone:
            assert set(brought) <= set(found.answers), page
        found_all += found.answers == answers
    assert found_all > 3


def test_a_page_that_is_half_there_tells_its_half(whole, broken):
    _, answers, _ = whole
    _, path, damage = broken
    held = path.read_bytes()
    page = held.index(b"answerleft") // 4096  # what was answered follows the kind of the entry
    damage(page, data=b"\0" * 64)  # the page's own header and the places of its rows
    found = salvage(path)
    assert Counter(found.answers) == Counter(answers)


def test_the_header_and_the_schema_may_be_lost(whole, broken):
    _, answers, _ = whole
    folder, _, damage = broken
    damage(0)
    assert salvage(folder).answers == answers


@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_a_file_that_was_cut(whole, broken, share):
    _, answers, _ = whole
    folder, path, _ = broken
    held = path.read_bytes()
    path.write_bytes(held[: int(len(held) * share)])
    found = salvage(folder)
    assert Counter(found.answers) <= Counter(answers) or found.unnamed
    assert len(found.answers) < len(answers) or share > 0.9
    assert found.lost or share != 0.7


def test_a_file_cut_in_its_header_holds_nothing(whole, tmp_path):
    for size in range(101):
        (tmp_path / "cut.db").write_bytes((whole[0] / "campaign.db").read_bytes()[:size])
        assert not salvage(tmp_path / "cut.db").answers


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_damage_is_too_strange(whole, tmp_path_factory, data):
    folder, answers, _ = whole
    path = tmp_path_factory.mktemp("strange") / "campaign.db"
    held = bytearray((folder / "campaign.db").read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(held) - 1))
        new = data.draw(st.binary(min_size=1, max_size=60))
        held[place : place + len(new)] = new
    path.write_bytes(held[: data.draw(st.integers(0, len(held)))])
    found = salvage(path)
    assert len(found.answers) + len(found.unresolved) <= len(answers) + 12


COMMANDS = [
    ("status",),
    ("rank",),
    ("export", "-o", "x.jsonl"),
    ("report", "-o", "x.html"),
    ("import", "a.jsonl"),
    ("invite", "carl"),
    ("leave-out", "anna"),
    ("extend", "--tests", "t.jsonl"),
    ("ask-program", "--name", "p", "--", "true"),
    ("serve", "--port", "0"),
]


@pytest.mark.parametrize("how", ["overwritten", "empty", "cut", "no header", "no schema", "rubbish"])
def test_every_command_says_what_to_do(broken, monkeypatch, how):
    folder, path, damage = broken
    monkeypatch.chdir(folder.parent)
    (folder.parent / "a.jsonl").write_text('{"left": "a", "right": "b"}\n')
    (folder.parent / "t.jsonl").write_text('{"better": "a", "worse": "b"}\n')
    held = path.read_bytes()
    match how:
        case "cut":
            path.write_bytes(held[: len(held) // 3])
        case "empty":
            path.write_bytes(b"")
        case "no header":
            damage(0)
        case "no schema":
            damage(0, start=100)
        case "overwritten":
            damage(*range(1, len(held) // 4096))
        case "rubbish":
            path.write_bytes(b"no database at all, " * 100)
    before = path.read_bytes()
    for command, *rest in COMMANDS if how == "overwritten" else COMMANDS[:2]:
        done = CliRunner().invoke(app, ["judge", command, "broken", *rest])
        assert isinstance(done.exception, FileError), (command, done.exception, done.output)
        told = str(done.exception)
        assert told.endswith("save what is left with: tolka judge salvage broken -o answers.jsonl"), told
        assert "\n" not in told
    assert path.read_bytes() == before


def test_any_page_may_be_lost_without_a_traceback(broken):
    folder, path, damage = broken
    held = path.read_bytes()
    told = []
    for page in range(len(held) // 4096):
        for data in (b"", b"\0" * 4096):
            path.write_bytes(held)
            damage(page, data=data)
            try:
                with opened(folder) as campaign:
                    overview(campaign)
            except FileError as error:
                told.append(str(error))
    assert len(told) > 10
    assert all("save what is left with: tolka judge salvage" in one for one in told)


def test_from_damage_to_a_campaign_that_goes_on(whole, broken, monkeypatch):
    _, answers, _ = whole
    folder, _, damage = broken
    monkeypatch.chdir(folder.parent)
    damage(0, 1)

    def run(*arguments):
        done = CliRunner().invoke(app, ["judge", *arguments])
        assert done.exit_code == 0, (done.output, done.exception)
        return done.stdout

    told = run("salvage", "broken", "-o", "answers.jsonl")
    assert told.startswith(f"{len(answers)} answers found, 12 taken back; 0 entries of the log are lost\n")
    assert list(read_answers("answers.jsonl")) == answers
    rows = [{"item": item, "segment": "1", "text": item} for item in "abcd"]
    create_campaign(folder.parent / "new", Material.of_rows(rows, where="rows")).close()
    done = json.loads(run("import", "new", "answers.jsonl", "--json"))
    assert done["imported"] == len(answers)
    assert json.loads(run("rank", "new", "--json"))["answers"] == sum(
        one.weight for one in answers if one.test is None and one.winner
    )


def test_a_campaign_made_anew_goes_on_with_the_same_links(whole, broken, monkeypatch):
    _, answers, _ = whole
    folder, _, damage = broken
    monkeypatch.chdir(folder.parent)
    with open_campaign(folder) as campaign:
        links = {name: campaign.invite(name) for name in ("anna", "björn")}
        campaign.leave_out("anna")
        items, segments, number = campaign.items, campaign.segments, campaign.questions.number()
        settings_, questions = campaign.settings, {one: campaign.answered(campaign.named(one)) for one in links}
    damage(0, 1)
    done = CliRunner().invoke(app, ["judge", "salvage", "broken", "--campaign", "rescued"])
    assert done.exit_code == 0, done.exception
    assert "next: tolka judge serve rescued" in done.stdout
    with open_campaign("rescued") as campaign:
        assert list(campaign.answers()) == answers
        assert (campaign.items, campaign.segments, campaign.questions.number()) == (items, segments, number)
        assert (campaign.settings, campaign.state, campaign.tests) == (settings_, "paused", 2)
        assert set(campaign.left_out()) == {"anna"}
        assert (campaign.directory / "secret.key").read_bytes() == (folder / "secret.key").read_bytes()
        campaign.turn("running")
        for name, link in links.items():
            account = campaign.admit(link)
            assert account.name == name
            assert campaign.answered(account) == questions[name]
            task = campaign.next(account)
            blank = campaign.show(task).kind == "blank"
            campaign.answer(account, task.id, Given(ticked=(0,)) if blank else Given(choice=Choice.LEFT))
            assert campaign.undo(account, task.id) == "stored"
        assert not is_damaged(campaign.store.path)
    again = CliRunner().invoke(app, ["judge", "salvage", "broken", "--campaign", "rescued"])
    assert "the directory is not empty" in str(again.exception)


def test_whatever_page_is_lost_the_rest_is_a_campaign(whole, broken, tmp_path):
    _, answers, _ = whole
    _, path, damage = broken
    held = path.read_bytes()
    # Those with test questions and accounts, and a third of the others.
    places = [held.index(b"I ___ it"), held.index(b"$argon2"), *range(0, len(held), 3 * 4096)]
    for page in sorted({place // 4096 for place in places}):
        path.write_bytes(held)
        damage(page)
        rows = find(path)
        with rebuild(rows, path.parent, tmp_path / f"rescued{page}") as campaign:
            told = rows.told()
            assert Counter(campaign.answers()) == Counter(told.answers), page
            overview(campaign)
        assert len(told.answers) <= len(answers)


def test_postgres_has_its_own_means(tmp_path):
    (tmp_path / "campaign.toml").write_text('database = "postgresql://x/y"\n')
    with pytest.raises(SettingsError, match="in PostgreSQL; use its own tools"):
        salvage(tmp_path)
    with pytest.raises(FileError, match="cannot be read"):
        salvage(tmp_path / "none.db")
