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
    found = json.loads(run("rank", campaign, "--json"))
    # A campaign knows how it asks; a file has to be told, or says what it takes for granted.
    asked = found["settings"]["design"]
    assert asked == "order,explore=0.15,batch=20"
    assert found == json.loads(run("rank", answers, "-f", "wmt", "--json", "--asked", asked))
    alone = json.loads(run("rank", answers, "-f", "wmt", "--json"))
    assert alone["settings"]["design"] == "fixed"
    assert "too narrow" in alone["assumption"]
    assert alone["items"][0]["high"] < found["items"][0]["high"]
    assert run("export", campaign, "-o", lines) == "110 answers written\n"
    assert len(lines.read_text().split("\n")) == 111


def test_models(answers):
    base = ("rank", answers, "--format", "wmt")
    tied = json.loads(run(*base, "--model", "davidson", "--json"))
    assert tied["settings"]["model"] == "davidson"
    assert (tied["answers"], tied["tied"]) == (110.0, 20.0)
    assert 0 < tied["nu_low"] < tied["nu"] < tied["nu_high"]
    # Ties pull scores together where they count half, and do not where they are answers of their own.
    halved = json.loads(run(*base, "--json"))
    assert tied["items"][0]["score"] > halved["items"][0]["score"]
    printed = run(*base, "--model", "davidson")
    assert "two that are equally good tie with chance" in printed
    ranked = json.loads(run(*base, "--model", "plackett-luce", "--json"))
    assert ranked["answers"] == 70.0  # 40 rows with two systems joined, read in two ways of half the weight, and 30
    assert "70 rankings counted" in run(*base, "--model", "plackett-luce")
    with pytest.raises(SettingsError, match="ties of its own"):
        run(*base, "--model", "davidson", "--ties", "drop")
    with pytest.raises(SettingsError, match="leave --judges out"):
        run(*base, "--model", "plackett-luce", "--judges", "modelled")


def test_whole_rankings(tmp_path):
    path = tmp_path / "rankings.jsonl"
    lines = [{"ranking": ["a", ["b", "c"], "d"], "judge": "anna", "segment": str(i)} for i in range(12)]
    lines += [{"ranking": ["d", "c", "b", "a"]}] * 4
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    whole = json.loads(run("rank", path, "--format", "rankings", "--model", "plackett-luce", "--json", "--prior", 0))
    assert (whole["items"][0]["item"], whole["answers"], whole["items"][0]["comparisons"]) == ("a", 16.0, 16.0)
    apart = json.loads(run("rank", path, "--format", "rankings", "--json"))
    assert (apart["items"][0]["item"], apart["answers"], apart["tied"]) == ("a", 96.0, 12.0)


def test_other_ratings_beside_ours(answers):
    base = ("rank", answers, "--format", "wmt", "--ratings")
    printed = run(*base)
    assert "rank centrality" in printed
    assert "Kendall's tau with the scores: win rate" in printed
    found = json.loads(run(*base, "--json"))
    assert [one["item"] for one in found["ratings"]] == [one["item"] for one in found["items"]]
    assert found["ratings"][0]["win_rate"] > found["ratings"][-1]["win_rate"]
    assert found["ratings"][1]["expected_wins"] == found["items"][1]["expected_wins"]
    shuffled = json.loads(run(*base, "--json", "--shuffles", 5))
    assert shuffled["ratings"][0]["elo"] != found["ratings"][0]["elo"]
    assert "ratings" not in json.loads(run(*base[:-1], "--json"))
    assert "TrueSkill" in run(*base, "--model", "plackett-luce")


def test_ratings_leave_out_what_the_ranking_leaves_out(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"left": "b", "right": "a", "judge": "x", "seconds": 0.1}] * 9
    rows += [{"left": "a", "right": "b", "judge": "x", "seconds": 5}] * 3 + [{"left": "b", "right": "a"}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = json.loads(run("rank", path, "--ratings", "--least-seconds", 1, "--json"))
    assert found["ratings"][0] == {**found["ratings"][0], "item": "a", "win_rate": 0.75}


def test_random_judges(tmp_path):
    path = tmp_path / "a.jsonl"
    pairs = [("a", "b"), ("b", "c"), ("a", "c")] * 20
    rows = [{"left": one, "right": two, "judge": name} for name in "xy" for one, two in pairs]
    rows += [{"left": pair[i % 2], "right": pair[1 - i % 2], "judge": "z"} for i, pair in enumerate(pairs)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    printed = run("rank", path, "--guessing")
    assert "z: the 60 answers are " in printed
    assert "1 of 3 judges look like guessing" in printed
    found = json.loads(run("rank", path, "--guessing", "--json"))["guessing"]
    assert [one["doubted"] for one in found] == [False, False, True]
    assert "guessing" not in json.loads(run("rank", path, "--json"))


def test_a_tally_beside_the_ranking(tmp_path):
    path = tmp_path / "orders.jsonl"
    path.write_text('{"ranking": ["b", "a", ["c", "d"]]}\n' * 6, encoding="utf-8")
    found = json.loads(run("rank", path, "--format", "rankings", "--tally", "--json"))["tally"]
    assert [(one["item"], one["other"], one["wins"], one["losses"], one["ties"]) for one in found] == [
        ("b", "a", 6, 0, 0),
        ("a", "c", 6, 0, 0),
        ("a", "d", 6, 0, 0),
        ("b", "c", 6, 0, 0),
        ("b", "d", 6, 0, 0),
        ("c", "d", 0, 0, 6),
    ]
    assert (found[0]["p"], found[-1]["p"]) == (0.03125, 1.0)
    shown = run("rank", path, "--format", "rankings", "--tally")
    assert "p (sign test)" in shown
    assert "0.0312" in shown
    assert "sign test" not in run("rank", path, "--format", "rankings")
