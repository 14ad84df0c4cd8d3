"""`tolka run`: plans, summaries, JSON, exit codes, signals."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tolka.cli import app
from tolka.pipeline import read_log

SMALL = str(Path(__file__).with_name("small.py"))
COMMAND = [sys.executable, "-m", "tolka", "run"]


def tolka(*arguments):
    return CliRunner().invoke(app, ["run", "--stages", SMALL, *map(str, arguments)], catch_exceptions=True)


def test_plan_then_run_then_plan(kitchen):
    planned = tolka(kitchen, "--dry-run")
    assert planned.exit_code == 0, planned.output
    assert "read    will run   first run" in planned.output
    assert "join    may run    if count, upper give new output   report, size" in planned.output
    assert not kitchen.with_name("recipe.work").exists()

    done = tolka(kitchen)
    assert done.exit_code == 0, done.output
    assert "4 ran, 0 cached" in done.stdout
    assert (kitchen.with_name("recipe.work") / "latest" / "upper" / "text").read_text().startswith("ONE")

    planned = tolka(kitchen, "-n", "--set", "upper.repeat=3")
    assert "read    cached" in planned.output
    assert "upper   will run   repeat 2 -> 3" in planned.output


def test_json(kitchen):
    work = kitchen.with_name("elsewhere")
    done = json.loads(tolka(kitchen, "--json", "--work", work, "--until", "upper").stdout)
    assert [(one["stage"], one["cached"]) for one in done["stages"]] == [("read", False), ("upper", False)]
    assert done["log"] == str(work / "runs" / "1.jsonl")
    planned = json.loads(tolka(kitchen, "--json", "--work", work, "-n", "--force", "read").stdout)
    assert [one["status"] for one in planned["stages"]] == ["run", "depends", "depends", "depends"]
    assert planned["stages"][0]["why"] == "forced"


def test_prune(kitchen):
    tolka(kitchen, "--set", "upper.repeat=3")
    tolka(kitchen)
    planned = tolka(kitchen, "--prune", "--dry-run")
    assert planned.output.count("would remove") == 2
    assert "removed 2 unused outputs" in tolka(kitchen, "--prune", "-j", "2").output
    assert "would remove" not in tolka(kitchen, "--prune", "--dry-run").output


def test_damage_is_noted(kitchen):
    tolka(kitchen)
    victim = (kitchen.with_name("recipe.work") / "latest" / "upper" / "text").resolve()
    victim.chmod(0o644)
    victim.write_text("broken")
    done = tolka(kitchen)
    assert done.stderr == "tolka: note: [upper] cached copy damaged: text has 6 bytes instead of 76; it is made again\n"
    assert "1 ran, 3 cached" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["recipe.toml", "--set", "upper.repaet=3"], 2, "unknown key upper.repaet; did you mean repeat?"),
        (["recipe.toml", "--until", "uper"], 2, "the recipe has no stage [uper]; did you mean upper?"),
        (
            ["recipe.toml", "--set", "read.text=none"],
            1,
            "none: cannot read: No such file or directory; read.text names it",
        ),
        (["none.toml"], 1, "none.toml: cannot read the recipe: No such file or directory"),
        (["recipe.toml", "--stages", "none.py"], 1, "none.py: no such file"),
        (["recipe.toml", "--stages", "recipe.toml"], 2, "recipe.toml: not a Python file"),
        (["recipe.toml", "--stages", "bad.py"], 2, "bad.py: cannot load stages: ModuleNotFoundError"),
        (["recipe.toml", "--stages", "empty.py"], 2, "empty.py: defines no stages"),
    ],
)
def test_wrong_usage_is_one_sentence(kitchen, arguments, code, message):
    kitchen.with_name("bad.py").write_text("import no_such_module\n")
    kitchen.with_name("empty.py").write_text("")
    command = [*COMMAND, "--stages", SMALL, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=kitchen.parent)
    assert done.returncode == code
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
@pytest.mark.parametrize("polite", [True, False])
def test_signals(kitchen, number, code, word, polite):
    # A polite stage reports progress and stops there; the other one hears nothing, like one inside the engine.
    if polite:
        stages, settings = SMALL, ["--set", "upper.pause=60"]
        kitchen.with_name("words.txt").write_text("\n" * 100)
    else:
        stages, settings = str(kitchen.with_name("deaf.py")), []
        kitchen.with_name("deaf.py").write_text(
            "import time\n"
            "from tolka.pipeline import Settings, stage\n"
            "@stage('upper', version=1, settings=Settings, outputs=('text',))\n"
            "def upper(inputs, outputs, settings, progress):\n"
            "    time.sleep(600)\n"
        )
        kitchen.write_text("[upper]\n")
    work = kitchen.with_name("recipe.work")
    command = [*COMMAND, str(kitchen), "--stages", stages, *settings]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(3000):
        if list((work / "partial").glob("upper-*")):
            break
        time.sleep(0.02)
    child.send_signal(number)
    out, err = child.communicate(timeout=60)
    assert child.returncode == code
    assert out == ""
    assert err == f"tolka: {word}; finished stages are kept, the same command goes on from there\n"
    events = list(read_log(work / "runs" / "1.jsonl"))
    assert events[-1]["status"] == "interrupted"


def test_a_dead_holder_does_not_block(kitchen):
    holder = (
        "import os, sys, time\nfrom pathlib import Path\nfrom tolka.pipeline.work import WorkDirectory\n"
        "lock = WorkDirectory(Path(sys.argv[1])).open()\nprint(os.getpid(), flush=True)\ntime.sleep(600)\n"
    )
    work = kitchen.with_name("recipe.work")
    child = subprocess.Popen([sys.executable, "-c", holder, str(work)], stdout=subprocess.PIPE, text=True)
    held_by = child.stdout.readline().strip()
    blocked = tolka(kitchen)
    assert f"another run is using this work directory (process {held_by})" in str(blocked.exception)
    os.kill(int(held_by), signal.SIGKILL)
    child.communicate()
    assert tolka(kitchen).exit_code == 0
