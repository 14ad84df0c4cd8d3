"""The commands about tasks, from sentences to a treebank, a report and an account."""

import json

import pytest
import tests.assist.serving  # noqa: F401 (it registers the task)
from typer.testing import CliRunner

from tolka.assist.tasks import Given, open_tasks
from tolka.cli.main import app
from tolka.cli.start import main

SENTENCES = ["apart the first", "pair the <b>second</b>", "word three four", "unreadable sentence"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.tok").write_text("\n".join(SENTENCES) + "\n", "utf-8")

    def run(*arguments, fails=False):
        done = CliRunner().invoke(app, ["assist", *arguments], catch_exceptions=not fails)
        assert fails or done.exit_code == 0, done.output
        return done.stdout

    return run


@pytest.fixture
def tasks(run, tmp_path):
    run("init", "tasks", "--task", "readings", "--source", "s.tok", "--quiet")
    return tmp_path / "tasks"


def answer_all(folder, said=False):
    with open_tasks(folder) as held:
        held.invite("anna")
        anna = held.named("anna")
        while (shown := held.view(anna).shown) is not None:
            if shown.kind == "blank":
                held.answer(anna, shown.task, Given(ticked=(0,)))
            elif shown.kind == "substitute":
                at = next(at for at, word in enumerate(shown.choices) if "second" in word)
                held.answer(anna, shown.task, Given(said=at))
            else:
                low = tuple("second rewriting" in one for one in shown.choices)
                held.answer(anna, shown.task, Given(said=low if not said else (True,) * len(low)))


def test_from_sentences_to_results(run, tasks):
    found = json.loads(run("status", "tasks", "--json"))
    assert (found["sentences"], found["open"], found["unreadable"], found["answers"]) == (4, 3, 1, 0)
    assert run("invite", "tasks", "bert").startswith("bert: http://127.0.0.1:8080/join/")
    run("export", "tasks", "-o", "before.ptb")
    answer_all(tasks)
    assert "left to ask: 0 questions" in run("status", "tasks")
    counts = json.loads(run("export", "tasks", "-o", "after.ptb", "--account", "account.jsonl", "--json"))
    before, after = ((tasks.parent / name).read_text("utf-8").split("\n") for name in ("before.ptb", "after.ptb"))
    assert before == [*(f"(HIGH {one})" for one in SENTENCES[:3]), "", ""]
    assert after == [*(f"(LOW {one})" for one in SENTENCES[:3]), "", ""]
    assert (counts["sentences"], counts["changed"], counts["answers"], counts["empty"]) == (4, 3, 4, 1)
    lines = [json.loads(line) for line in (tasks.parent / "account.jsonl").read_text("utf-8").splitlines()]
    assert [line["sentence"] for line in lines] == [1, 1, 2, 3]
    assert {line["by"] for line in lines} == {"anna"}
    assert {line["after"] for line in lines if line["changed"]} == set(after) - {""}


def test_the_report_says_what_changed_and_is_only_text(run, tasks):
    answer_all(tasks)
    run("report", "tasks", "-o", "report.html")
    page = (tasks.parent / "report.html").read_text("utf-8")
    assert "4 answers were expected to tell" in page
    assert page.count("<del>(HIGH</del>") == page.count("<ins>(LOW</ins>") == 3
    assert "pair the &lt;b&gt;second&lt;/b&gt;" in page
    assert "<b>second" not in page
    assert "no reading was found" in page
    assert "anna" in page
    assert "<polyline" in page
    run("report", "tasks", "-o", "quiet.html", "--anonymous")
    page = (tasks.parent / "quiet.html").read_text("utf-8")
    assert "anna" not in page
    assert "helper 1" in page


def test_a_report_before_anybody_came(run, tasks):
    found = json.loads(run("report", "tasks", "--json"))
    assert found["answers"] == 0
    assert "too few answers for a curve" in (tasks.parent / "report.html").read_text("utf-8")


def test_settings_and_test_questions_from_files(run, tmp_path):
    (tmp_path / "own.toml").write_text('task = "readings"\n[ask]\njudgements = 3\n', "utf-8")
    (tmp_path / "known.jsonl").write_text('{"text": "I ___ it.", "options": ["saw", "sees"], "right": ["saw"]}\n')
    run(
        "init",
        "tasks",
        "--settings",
        "own.toml",
        "--source",
        "s.tok",
        "--tests",
        "known.jsonl",
        "--language",
        "de-AT",
        "-q",
    )
    with open_tasks(tmp_path / "tasks") as held:
        assert held.settings.ask.judgements == 3
        assert held.settings.language == held.settings.tests.language == "de-AT"
        with held.store.reading() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM test").scalar() > 5


@pytest.mark.parametrize(
    ("arguments", "told", "code"),
    [
        (["init", "t", "--source", "s.tok"], "which task is it?", 2),
        (["init", "t", "--task", "other", "--source", "s.tok"], "there is no task 'other'", 2),
        (["init", "t", "--task", "senses", "--source", "s.tok"], "the task senses needs --model", 2),
        (["init", "t", "--task", "readings", "--source", "s.tok", "--model", "m"], "does not take --model", 2),
        (["init", "t", "--task", "readings", "--source", "none.tok"], "none.tok", 1),
        (["init", "t", "--task", "readings", "--source", "gap.tok"], "gap.tok, line 2: the line is empty", 1),
        (["init", "t", "--task", "readings", "--source", "s.tok", "--tests", "s.tok"], "what kind of file", 1),
        (["status", "nowhere"], "there are no tasks here", 1),
        (["export", "nowhere", "-o", "x"], "there are no tasks here", 1),
    ],
)
def test_mistakes_are_told_in_a_sentence(run, tmp_path, capsys, monkeypatch, arguments, told, code):
    (tmp_path / "gap.tok").write_text("one\n\ntwo\n", "utf-8")
    monkeypatch.setattr("sys.argv", ["tolka", "assist", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == code
    assert told in capsys.readouterr().err
    assert not (tmp_path / "t").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".t")]


def test_an_existing_directory_is_refused(tasks, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["tolka", "assist", "init", str(tasks), "--task", "readings", "--source", "s.tok"])
    with pytest.raises(SystemExit):
        main()
    assert "this is there already" in capsys.readouterr().err
