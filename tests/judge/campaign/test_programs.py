"""Programs as judges: real processes that keep to the protocol, and some that do not."""

import sys
import time

import pytest

from tolka.errors import SettingsError
from tolka.judge.campaign import BlankTest
from tolka.judge.campaign.overview import overview
from tolka.judge.campaign.programs import ProgramError, ask_program

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
