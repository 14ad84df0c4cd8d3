"""`tolka evaluate` and `tolka compare` as people type them."""

import json
import subprocess
import sys

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from typer.testing import CliRunner

from tolka.cli import app
from tolka.errors import SettingsError


def run(*arguments, code=0):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done.stdout


@pytest.fixture
def files(tmp_path, corpus):
    paths = []
    for name, lines in zip(("ref.en", "ref2.en", "good.en", "poor.en"), corpus, strict=True):
        paths.append(tmp_path / name)
        paths[-1].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return paths


def tolka(*arguments):
    command = [sys.executable, "-m", "tolka", *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_json(files, corpus):
    reference, _, good, _ = files
    done = tolka("evaluate", good, "--ref", reference, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["sentences"], found["references"]) == (len(corpus[0]), 1)
    for name, peer in (("bleu", BLEU()), ("chrf", CHRF()), ("ter", TER())):
        assert found["scores"][name]["score"] == pytest.approx(peer.corpus_score(corpus[2], [corpus[0]]).score)
        assert found["scores"][name]["signature"] == str(peer.get_signature())


def test_tables(files):
    reference, second, good, poor = files
    shown = run(
        "evaluate", good, "-r", reference, "-r", second, "-m", "bleu", "-m", "gtm", "--confidence", "--rounds", 50
    )
    assert "2 references" in shown
    assert "GTM  precision " in shown
    several = run("evaluate", good, poor, "-r", reference, "-m", "gtm1")
    assert "GTM1  poor.en: precision " in several
    tested = run("evaluate", good, "--ref", reference, "--baseline", poor, "--rounds", 50)
    assert "Wilcoxon" in tested
    segments = run("evaluate", good, "--ref", reference, "--segments", "--tokenised", "--lowercase").split("\n")
    assert segments[0] == "line\tBLEU\tchrF2\tTER"
    assert segments[-2].startswith("72\t")
    listed = json.loads(
        run("evaluate", good, "--ref", reference, "--segments", "--json", "--baseline", poor, "--rounds", 20)
    )
    assert len(listed["scores"]["ter"]["segments"]) == 72
    assert listed["scores"]["ter"]["tests"][0]["test"] == "paired bootstrap"


def test_compare(files, tmp_path):
    reference, _, good, poor = files
    page = tmp_path / "report.html"
    done = tolka("compare", poor, good, "--ref", reference, "--source", reference, "-o", page, "--rounds", 50, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["systems"] == ["poor.en", "good.en"]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    run("compare", poor, poor, good, "--ref", reference, "--training", reference, "-o", page, "--rounds", 20)
    assert "(2)" in page.read_text(encoding="utf-8")


def test_mistakes(files, tmp_path):
    reference, _, good, _ = files
    short, empty, broken = (tmp_path / name for name in ("short", "empty", "broken"))
    short.write_text("a\n")
    empty.write_text("")
    broken.write_bytes(b"a\xff\n")
    for arguments, code, said in [
        ((good,), 2, "there is no reference; name one with --ref"),
        ((good, "--ref", short), 1, f"{good} has 72 lines and {short} has 1"),
        ((empty, "--ref", reference), 1, f"{empty} has no lines"),
        ((broken, "--ref", broken), 1, "not valid UTF-8"),
        ((good, "--ref", tmp_path / "none"), 1, "none"),
        ((good, "--ref", reference, "-m", "comet"), 2, "there is no metric 'comet'"),
        ((good, "--ref", reference, "--baseline", short), 1, f"{short} has 1"),
    ]:
        done = tolka("evaluate", *arguments)
        assert done.returncode == code
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
    assert "give 2 to 8" in tolka("compare", good, "--ref", reference).stderr


def test_several_systems_with_names(files, corpus):
    reference, second, good, poor = files
    named = ("--name", "ours", "--name", "theirs")
    found = json.loads(run("evaluate", good, poor, *named, "--ref", reference, "--json"))
    alone = json.loads(run("evaluate", poor, "--ref", reference, "--json"))
    assert list(found["systems"]) == ["ours", "theirs"]
    assert found["systems"]["theirs"] == alone["scores"]
    shown = run("evaluate", good, poor, *named, "--ref", reference, "--baseline", second)
    assert all(one in shown for one in ("ours", "theirs", "(baseline)", "approximate randomisation"))
    with pytest.raises(SettingsError, match="--name once for each"):
        run("evaluate", good, poor, "--name", "one", "--ref", reference)


def test_tokenisers_are_those_of_sacrebleu(files, corpus):
    reference, _, good, _ = files
    found = json.loads(run("evaluate", good, "--ref", reference, "-m", "bleu", "--tokeniser", "intl", "--json"))
    wanted = BLEU(tokenize="intl").corpus_score(corpus[2], [corpus[0]]).score
    assert found["scores"]["bleu"]["score"] == pytest.approx(wanted)
    assert "tok:intl" in found["scores"]["bleu"]["signature"]
    with pytest.raises(SettingsError, match="13a, intl"):
        run("evaluate", good, "--ref", reference, "--tokeniser", "nonsense")
    with pytest.raises(SettingsError, match="leave out one"):
        run("evaluate", good, "--ref", reference, "--tokeniser", "intl", "--tokenised")


def test_compare_prints_its_table_its_verdict_and_where_the_page_is(files, tmp_path):
    reference, _, good, poor = files
    page = tmp_path / "page.html"
    shown = run("compare", good, poor, "--name", "a", "--name", "b", "--ref", reference, "-o", page)
    verdict = next(line for line in shown.splitlines() if line.startswith("a is better than b by BLEU"))
    assert "p=0.00" in verdict
    assert str(page) in shown
    assert verdict.replace("<", "&lt;") in page.read_text(encoding="utf-8")
    same = run("compare", good, good, "--name", "a", "--name", "b", "--ref", reference, "-o", page)
    assert "cannot be told apart" in same
