"""`tolka judge rank` and `tolka judge export` as people type them."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tolka.cli import app
from tolka.errors import FileError, InputError, SettingsError

HEADER = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    rows = [f"ces,eng,{i},{i},judge{i % 3},good,1,bad+worse,{2 if i % 4 else 1},{i}" for i in range(40)]
    rows += [f"ces,eng,{i},{i},judge{i % 3},bad,{1 + i % 2},worse,{2 - i % 2},{i}" for i in range(30)]
    path.write_text(HEADER + "\n".join(rows) + "\n")
    return path


def run(*arguments):
    done = CliRunner().invoke(app, ["judge", *map(str, arguments)])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


def test_as_promised(answers):
    command = [sys.executable, "-m", "tolka", "judge", "rank", str(answers), "--format", "wmt", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert [item["item"] for item in found["items"]] == ["good", "bad", "worse"]
    assert {"item", "score", "low", "high", "rank", "rank_low", "rank_high"} <= set(found["items"][0])
    assert found["items"][0]["low"] < found["items"][0]["score"] < found["items"][0]["high"]
    assert found["groups"] == [["good"], ["bad", "worse"]]
    assert (found["answers"], found["tied"]) == (110.0, 20.0)
    assert found["signature"].startswith("claire|items:3|answers:110|activation:logistic|kappa:1|prior:0.25|")
    assert "|cluster:segment|" in found["signature"]


def test_the_table(answers):
    printed = run("rank", answers, "--format", "wmt", "--judges", "modelled", "--gauge", "elo", "--pin", "bad")
    assert "rank" in printed.split("\n")[1]
    assert "judge judge0: reliability" in printed
    assert "110 answers counted, 20 ties, 0 undecided" in printed
    assert "1500.000" in printed
    assert "gauge:elo|pin:bad" in printed


def test_options(answers):
    base = ("rank", answers, "--format", "wmt", "--json")
    assert json.loads(run(*base, "--ties", "drop"))["answers"] == 90.0
    assert json.loads(run(*base, "--posterior", "importance"))["ess"] > 100
    assert json.loads(run(*base, "--posterior", "bootstrap", "--rounds", "50"))["settings"]["rounds"] == 50
    assert len(json.loads(run(*base, "--tables"))["p_better"]) == 3
    twice = json.loads(run("rank", answers, answers, "--format", "wmt", "--json"))
    assert twice["answers"] == 220.0


def test_rules_and_warnings(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"left": "a", "right": "b", "judge": "x", "seconds": 0.1}] + [{"left": "a", "right": "b"}] * 3
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = CliRunner().invoke(app, ["judge", "rank", str(path), "--least-seconds", "1"])
    assert "warning: the answers do not connect all items (2 parts; a always beat the rest)" in done.stderr
    assert "left out: 1 answers of x (1 of 1 answers took less than 1 s)" in done.stdout
    with pytest.raises(InputError, match="use a prior"):
        run("rank", path, "--prior", "0")


def test_export(answers, tmp_path):
    table, lines = tmp_path / "out.csv", tmp_path / "out.jsonl"
    assert run("export", answers, "--format", "wmt", "-o", table, "--to", "csv") == "110 answers written\n"
    assert json.loads(run("export", table, "--format", "csv", "-o", lines, "--json"))["answers"] == 110
    ranked = [
        json.loads(run("rank", path, "-f", kind, "--json")) for path, kind in ((answers, "wmt"), (lines, "jsonl"))
    ]
    assert ranked[0] == ranked[1]


def test_mistakes(answers, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tolka", "judge", "rank", str(answers), "--format", "jsonl"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"tolka: {answers}, line 1: not JSON")
    with pytest.raises(SettingsError, match="unknown format"):
        run("rank", answers, "--format", "xml")
    wrong = [sys.executable, "-m", "tolka", "judge", "rank", answers, "--format", "wmt", "--cluster", "word"]
    done = subprocess.run(wrong, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "'word' is not one of 'auto'" in done.stderr
    with pytest.raises(FileError):
        run("rank", tmp_path / "missing")


def test_a_campaign_is_a_source_too(answers, tmp_path):
    texts = []
    for name in ("good", "bad", "worse"):
        text = tmp_path / name
        text.write_text("".join(f"{name} {i}\n" for i in range(3)))
        texts += ["--system", text]
    source = tmp_path / "source"
    source.write_text("eins\nzwei\ndrei\n")
    campaign, lines = tmp_path / "campaign", tmp_path / "out.jsonl"
    run("init", campaign, "--source", source, *texts)
    with pytest.raises(InputError, match="no answers to rank by"):
        run("rank", campaign)
    run("import", campaign, answers, "--format", "wmt")
    found = [json.loads(run("rank", given, "-f", "wmt", "--json")) for given in (campaign, answers)]
    assert found[0] == found[1]
    assert run("export", campaign, "-o", lines) == "110 answers written\n"
    assert len(lines.read_text().split("\n")) == 111
