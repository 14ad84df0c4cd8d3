"""The commands about campaigns."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import TolkaError
from tolka.judge.campaign import open_campaign


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in {
        "src": "eins\nzwei\n",
        "ref": "the one\nthe two\n",
        "a": "one\ntwo\n",
        "b": "an\ntwo\n",
        "c": "1\n2\n",
    }.items():
        (tmp_path / f"{name}.txt").write_text(lines, encoding="utf-8")
    return tmp_path


def run(*arguments, code=0):
    done = CliRunner().invoke(app, ["judge", *arguments])
    assert done.exit_code == code, (done.output, done.exception)
    return done


SYSTEMS = ("--system", "a.txt", "--system", "b.txt", "--system", "c.txt")


def test_the_commands_of_a_campaign(folder):
    told = run("init", "campaign/", "--source", "src.txt", "--reference", "ref.txt", *SYSTEMS)
    assert told.stdout == "campaign: 3 items, 2 segments, 5 questions\nnext: tolka judge serve campaign\n"
    link = run("invite", "campaign/", "anna", "--url", "https://judge.example.org/").stdout.strip()
    assert link.startswith("anna: https://judge.example.org/join/")
    assert set(json.loads(run("invite", "campaign/", "bert", "carl", "--json").stdout)["invitations"]) == {
        "bert",
        "carl",
    }
    (folder / "answers.jsonl").write_text('{"left": "a", "right": "b", "choice": "left", "judge": "zoe"}\n')
    assert run("import", "campaign/", "answers.jsonl").stdout == "1 answers imported\n"
    assert json.loads(run("import", "campaign/", "answers.jsonl", "--json").stdout)["imported"] == 0
    run("invite", "campaign/", "carl", "--revoke")
    status = json.loads(run("status", "campaign/", "--json").stdout)
    assert (status["state"], status["answers"], status["items"]) == ("running", 1, 3)
    assert {row["name"]: row["blocked"] for row in status["judges"]} == {
        "anna": False,
        "bert": False,
        "carl": True,
        "zoe": False,
    }
    assert "1 answers, 0 on their way" in run("status", "campaign/").stdout
    with open_campaign(folder / "campaign") as campaign:
        assert campaign.admit(link.rpartition("/")[2]).name == "anna"


def test_a_program_by_the_command_line(folder):
    run("init", "campaign", *SYSTEMS)
    program = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked['type'] == 'compare':\n"
        "        print(json.dumps({'task': asked['task'], 'choice': 'left'}), flush=True)\n"
    )
    command = (
        "ask-program",
        "campaign",
        "--name",
        "model",
        "--answers",
        "3",
        "--json",
        "--",
        sys.executable,
        "-c",
        program,
    )
    assert json.loads(run(*command).stdout)["answers"] == 3


def test_any_items(folder):
    (folder / "items.csv").write_text("item,text\nred,#f00\ngreen,#0f0\n")
    (folder / "tests.json").write_text('[{"better": "x", "worse": "y"}]')
    told = json.loads(
        run("init", "c", "--items", "items.csv", "--tests", "tests.json", "--title", "Colours", "--json").stdout
    )
    assert told == {"campaign": "c", "items": 2, "segments": 1, "questions": 1, "tests": 1}
    assert 'title = "Colours"' in (folder / "c" / "campaign.toml").read_text()


def test_settings_are_changed_and_keep_their_comments(folder):
    (folder / "mine.toml").write_text("# mine\n[ask]\ntarget = 9 # few\n")
    run("init", "c", *SYSTEMS, "--settings", "mine.toml", "--title", "Spring")
    path = folder / "c" / "campaign.toml"
    assert path.read_text() == 'title = "Spring"\n# mine\n[ask]\ntarget = 9 # few\n'
    run("set", "c", "ask.target=300", "cost.per_answer=1", "title=Summer 1", "ask.stop_when=any")
    assert "target = 300 # few\n" in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
    with open_campaign(folder / "c") as campaign:
        assert (campaign.settings.title, campaign.settings.cost.per_answer) == ("Summer 1", 1.0)
    for change, message in [
        ("ask.target", "is not KEY=VALUE"),
        ("ask.target=many", "ask.target must be a whole number"),
        ("database=postgresql://x/y", "cannot move to another database"),
    ]:
        done = CliRunner().invoke(app, ["judge", "set", "c", change])
        assert message in str(done.exception)


def test_names_of_systems(folder):
    run("init", "c", "--system", "first=a.txt", "--system", "b.txt")
    with open_campaign(folder / "c") as campaign:
        assert campaign.items == ("first", "b")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("init", "x"), 2, "give either --system files or --items"),
        (("init", "x", "--system", "a.txt"), 1, "at least two items"),
        (("init", "x", "--system", "a.txt", "--system", "a.txt"), 1, "two items are called 'a'"),
        (("init", "x", "--system", "a.txt", "--system", "none.txt"), 1, "none.txt"),
        (("init", "x", "--items", "i.csv", "--source", "src.txt"), 2, "--items has its own source"),
        (("init", "x", *SYSTEMS, "--database", "mysql://h/d"), 2, "mysql databases cannot be used"),
        (("serve", "nowhere"), 1, "there is no campaign here"),
        (("status", "nowhere"), 1, "there is no campaign here"),
    ],
)
def test_mistakes(folder, arguments, code, message):
    done = CliRunner().invoke(app, ["judge", *arguments])
    assert isinstance(done.exception, TolkaError)
    assert done.exception.exit_code == code
    assert message in str(done.exception)
    assert not (folder / "x" / "campaign.toml").exists()


def test_a_mistake_is_one_sentence(folder):
    command = [sys.executable, "-m", "tolka", "judge", "status", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1
    assert done.stderr == "tolka: nowhere: there is no campaign here; make one with: tolka judge init\n"


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("sqlalchemy", "tolka.judge.campaign"),
        ("argon2", "tolka.judge.campaign"),
        ("fastapi", "tolka.judge.web"),
        ("itsdangerous", "tolka.judge.web"),
    ],
)
def test_a_missing_extra_is_said(module, package):
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        f"try: import {package}\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.startswith("MissingExtraError"), done.stdout + done.stderr
    assert "pip install 'tolka[judge]'" in done.stdout
