"""Programs as judges: real processes that keep to the protocol, and some that do not."""

import sys
import time

import pytest

from tolka.errors import SettingsError
from tolka.judge import Choice
from tolka.judge.campaign import BlankTest
from tolka.judge.campaign.overview import overview
from tolka.judge.campaign.programs import PositionBias, ProgramError, ask_program

GOOD = """
import json, sys
hello = json.loads(sys.stdin.readline())
assert hello["type"] == "hello" and hello["protocol"] == 1 and hello["question"]
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "bye":
        break
    if asked["type"] == "blank":
        answer = {"ticked": [i for i, option in enumerate(asked["options"]) if option == "wanted"]}
    else:
        assert set(asked) == {"type", "task", "source", "reference", "left", "right"}
        answer = {"choice": "left" if asked["left"] < asked["right"] else "right"}
    print(json.dumps({"task": asked["task"], **answer}), flush=True)
"""
ONE_LINE = "import sys; sys.stdin.readline(); [print({answer!r}, flush=True) for _ in sys.stdin]"


def python(program):
    return [sys.executable, "-c", program]


def test_a_program_answers(make, database):
    blank = BlankTest("I ___ the supplier.", ("know", "wanted"), (1,))
    campaign = make(test_questions=[blank], tests={"rate": 1.0}, database=database)
    done = ask_program(campaign, "model", python(GOOD), answers=10)
    assert (done.answers, done.wrong) == (10, 0)
    again = ask_program(campaign, "model", python(GOOD), answers=1000)
    assert again.ended == "no question is left"
    assert again.answers == 36 + 1 - 10
    answers = list(campaign.answers())
    assert all(one.winner == min(one.left, one.right) for one in answers if one.test is None)
    (row,) = overview(campaign).judges
    assert (row.name, row.role, row.answers, row.passed) == ("model", "program", 36, 1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("nonsense", "is not JSON"),
        ("[" * 10_000, "is not JSON"),
        ('{"choice": "left"}', "task and choice"),
        ('{"task": "other", "choice": "left"}', "another task"),
        ('{"task": "other", "choice": "left", "why": "x"}', "nothing else"),
    ],
)
def test_wrong_answers_end_it(make, answer, message):
    campaign = make()
    with pytest.raises(ProgramError, match=f"3 wrong answers in a row, the last: .*{message}"):
        ask_program(campaign, "model", python(ONE_LINE.format(answer=answer)), answers=5)
    assert not list(campaign.answers())


def test_wrong_choices_are_not_stored(make):
    campaign = make()
    program = GOOD.replace('"left" if asked["left"] < asked["right"] else "right"', '"tie"')
    with pytest.raises(ProgramError, match="one of left, right"):
        ask_program(campaign, "model", python(program), answers=5)
    program = program.replace('"tie"', '["left"]')
    with pytest.raises(ProgramError, match="is no choice"):
        ask_program(campaign, "model", python(program), answers=5)
    assert not list(campaign.answers())


def test_a_slow_program_is_stopped_with_its_children(make):
    campaign = make()
    program = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    start = time.monotonic()
    with pytest.raises(ProgramError, match=r"no answer within 0\.5 seconds; allow more with --timeout"):
        ask_program(campaign, "model", python(program), answers=5, timeout=0.5)
    assert time.monotonic() - start < 30


def test_a_program_that_ends_is_said(make):
    with pytest.raises(ProgramError, match="ended with exit code 3"):
        ask_program(make(), "model", python("raise SystemExit(3)"), answers=5)


def test_an_endless_line_is_refused(make):
    program = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    with pytest.raises(ProgramError, match="more than 1048576 bytes"):
        ask_program(make(), "model", python(program), answers=5)


def test_a_command_that_is_not_there(make):
    campaign = make()
    with pytest.raises(SettingsError, match="cannot start no-such-command: No such file"):
        ask_program(campaign, "model", ["no-such-command"], answers=5)
    with pytest.raises(SettingsError, match="cannot start nothing"):
        ask_program(campaign, "model", [], answers=5)


def test_a_persons_name_is_not_a_programs(make):
    campaign = make()
    campaign.invite("anna")
    with pytest.raises(SettingsError, match="'anna' is the name of a judge already"):
        ask_program(campaign, "anna", python(GOOD), answers=1)


def test_a_paused_campaign_asks_nothing(make):
    campaign = make()
    campaign.turn("paused")
    done = ask_program(campaign, "model", python(GOOD), answers=5)
    assert (done.answers, done.ended) == (0, "the campaign is paused")


CHOOSE = '"left" if asked["left"] < asked["right"] else "right"'
# Prefers a's outputs to all others wherever they stand, and else takes what it sees first.
BIASED = GOOD.replace(CHOOSE, '"right" if asked["right"].startswith("a ") else "left"')


def test_both_orders_show_who_follows_the_side(make):
    campaign = make(show={"undecided": True})
    done = ask_program(campaign, "model", python(BIASED), answers=36)
    # Of six pairs on six segments, three are with a.
    assert (done.bias.pairs, done.bias.alike, done.bias.first, done.bias.second) == (36, 18, 18, 0)
    assert done.bias.p_value == pytest.approx(2 / 2**18)
    assert "18 of 36 pairs were answered alike in both orders" in str(done.bias)
    assert "the first 18 times and the second 0 times" in str(done.bias)
    answers = list(campaign.answers())
    assert len(answers) == 36
    with_a = [one for one in answers if "a" in (one.left, one.right)]
    assert all(one.winner == "a" for one in with_a)
    assert all(one.choice in {Choice.TIE, Choice.UNDECIDED} for one in answers if one not in with_a)


def test_where_there_is_no_tie_the_order_shown_decides(make):
    campaign = make()
    done = ask_program(campaign, "model", python(BIASED), answers=36)
    assert done.bias.first == 18
    others = [one for one in campaign.answers() if "a" not in (one.left, one.right)]
    assert {one.choice for one in others} == {Choice.LEFT}
    # Sides are random, so that this favours neither of two items.
    assert 0 < sum(one.left < one.right for one in others) < 18


def test_one_order_asks_once(make, tmp_path):
    log = tmp_path / "log"
    program = GOOD.replace(
        "    asked = json.loads(line)\n", f"    asked = json.loads(line)\n    open({str(log)!r}, 'a').write(line)\n"
    )
    done = ask_program(make(), "model", python(program), answers=5, both_orders=False)
    assert (done.answers, done.bias) == (5, PositionBias())
    assert log.read_text().count('"compare"') == 5
    log.unlink()
    done = ask_program(make(), "model", python(program), answers=5)
    assert (done.answers, done.bias.pairs, done.bias.alike) == (5, 5, 5)
    lines = log.read_text().splitlines()[:10]
    assert len({line.split('"task": ')[1].split(",")[0] for line in lines}) == 10


def test_a_wrong_second_answer_is_not_half_an_answer(make):
    campaign = make()
    program = GOOD.replace(CHOOSE, '"neither" if asked["task"].endswith("exchanged") else "left"')
    with pytest.raises(ProgramError, match="3 wrong answers in a row"):
        ask_program(campaign, "model", python(program), answers=5)
    assert not list(campaign.answers())


def test_what_was_said_in_each_order_is_kept(make):
    campaign = make()
    ask_program(campaign, "model", python(BIASED), answers=6)
    with campaign.store.reading() as connection:
        kept = connection.exec_driver_sql("SELECT choice, version FROM answer").all()
    assert len(kept) == 6
    for choice, version in kept:
        one, two = version.rpartition(": ")[2].split(", ")
        assert one == choice
        assert two in {"left", "right"}


@pytest.mark.parametrize(
    ("one", "two", "counted"),
    [
        ("left", "right", (1, 1, 0, 0)),
        ("right", "left", (1, 1, 0, 0)),
        ("left", "left", (1, 0, 1, 0)),
        ("right", "right", (1, 0, 0, 1)),
        ("undecided", "undecided", (1, 1, 0, 0)),
        ("tie", "left", (1, 0, 0, 0)),
    ],
)
def test_what_counts_as_position(one, two, counted):
    found = PositionBias().plus(Choice(one), Choice(two))
    assert (found.pairs, found.alike, found.first, found.second) == counted


def test_no_difference_is_no_bias():
    assert PositionBias(10, 10).p_value == 1
    assert PositionBias(10, 4, 3, 3).p_value == 1
