"""A run that is killed at any moment, then run again, leaves the same bytes as one that was not."""

import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tolka.pipeline import Recipe, read_log, run

SCRIPT = str(Path(__file__).with_name("small.py"))


@pytest.fixture
def expected(kitchen, small):
    run(Recipe.load(kitchen, stages=small.STAGES), kitchen.parent / "whole")
    return small.snapshot(kitchen.parent / "whole")


def kills(*arguments: object) -> str:
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_logs(work: Path) -> None:
    for log in (work / "runs").iterdir():
        for event in read_log(log):
            assert event["event"]


def test_killed_once_at_file_operations(kitchen, small, expected):
    # Step through the file operations of a whole run, each time in a new work directory.
    killed = 0
    for line in kills("each", kitchen, kitchen.parent / "each", *range(1, 300, 9)).split("\n")[:-1]:
        work, once = line.rsplit(" ", 1)
        assert small.snapshot(Path(work)) == expected
        check_logs(Path(work))
        killed += int(once)
    assert 20 <= killed < 34, "the last numbers lie beyond the end of the run, so that all of it was covered"


def test_killed_again_and_again_in_one_directory(kitchen, small, expected):
    # Each run goes a little further than the one before; also the clearing up after a kill is killed.
    work = kitchen.parent / "work"
    chosen = random.Random(7)  # noqa: S311
    assert int(kills("again", kitchen, work, *(chosen.randrange(1, 120) for _ in range(40)))) >= 20
    assert small.snapshot(work) == expected
    check_logs(work)


def test_killed_at_random_moments(kitchen, small, expected):
    slow = kitchen.with_name("slow.toml")
    slow.write_text(small.RECIPE + "[again]\nstage = 'upper'\npause = 0.05\n")
    work, chosen = kitchen.parent / "work", random.Random(11)  # noqa: S311
    for _ in range(6):
        child = subprocess.Popen([sys.executable, SCRIPT, "run", str(slow), str(work)], stdout=subprocess.PIPE)
        wait_for(lambda child=child: child.poll() is not None or any((work / "runs").glob("*")))
        time.sleep(chosen.uniform(0, 0.3))
        child.send_signal(signal.SIGKILL)
        child.communicate()
    run(Recipe.load(slow, stages=small.STAGES), work)
    run(Recipe.load(slow, stages=small.STAGES), kitchen.parent / "other")
    assert small.snapshot(work) == small.snapshot(kitchen.parent / "other")


def test_a_killed_run_resumes_where_it_was(kitchen, small):
    kitchen.write_text(small.RECIPE + "[again]\nstage = 'upper'\npause = 60\n[count-again]\nstage = 'count'\n")
    work = kitchen.parent / "work"
    child = subprocess.Popen([sys.executable, SCRIPT, "run", str(kitchen), str(work)])
    wait_for(lambda: [event for event in events(work) if event.get("stage") == "again"])
    child.kill()
    child.wait()
    assert [event["stage"] for event in events(work) if event["event"] == "stage_end"] == [
        "read",
        "upper",
        "count",
        "join",
    ]
    assert events(work)[-1]["event"] == "stage_start"
    result = run(Recipe.load(kitchen, ["again.pause=0"], stages=small.STAGES), work)
    assert [one.cached for one in result.stages] == [True, True, True, True, False, False]


def test_a_stage_with_notes_goes_on_where_it_was(kitchen, small):
    kitchen.write_text("[climb]\nsteps = 60\npause = 0.05\n")
    work = kitchen.parent / "work"
    child = subprocess.Popen([sys.executable, SCRIPT, "run", str(kitchen), str(work)])
    wait_for(lambda: [note for note in (work / "notes").glob("climb-*") if int(note.read_text()) >= 3])
    child.kill()
    child.wait()
    steps = []

    class Counted:
        @contextmanager
        def task(self, *_what, **_more):
            yield steps.append

    result = run(Recipe.load(kitchen, stages=small.STAGES), work, progress=Counted())
    assert (result["climb"].outputs["height"]).read_text() == "60"
    assert sum(steps) <= 58, "three steps were done, and the stage itself counts as one"
    assert not any((work / "notes").iterdir())


def events(work: Path) -> list[dict]:
    log = work / "runs" / "1.jsonl"
    return list(read_log(log)) if log.exists() else []


def wait_for(condition) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited in vain")
