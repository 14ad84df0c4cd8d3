"""`tolka lm` as people type it."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tolka.cli import app
from tolka.lm import LanguageModel, LanguageModelTrainer

TEXT = "the house is small\nthe house is big\na small dog\n"


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["lm", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.tok"
    path.write_text(TEXT)
    return path


def test_the_whole_way(tmp_path, text):
    arpa = tmp_path / "lm.arpa"
    command = [sys.executable, "-m", "tolka", "lm", "train", str(text), "--order", "3", "--prune", "0", "0", "1"]
    done = subprocess.run([*command, "-o", str(arpa)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "warning: the text is too small" in done.stderr
    assert LanguageModel.load(arpa).counts[2] < 6

    lines = run("score", str(arpa), str(text)).split("\n")
    assert [line.split("\t")[1] for line in lines[:3]] == ["0", "0", "0"]
    assert float(lines[0].split("\t")[0]) == pytest.approx(
        LanguageModel.load(arpa).score("the house is small"), abs=1e-5
    )

    found = json.loads(run("score", str(arpa), str(text), "--json"))
    assert (found["sentences"], found["tokens"], found["oovs"]) == (3, 11, 0)
    assert found["perplexity"] == pytest.approx(found["perplexity_without_oovs"])


def test_train_to_tlm_query_info_convert(tmp_path, text):
    tlm = tmp_path / "lm.tlm"
    report = json.loads(run("train", str(text), "--order", "2", "-o", str(tlm), "--form", "small", "--json", "-q"))
    assert report["tokens"] == 11
    info = json.loads(run("info", str(tlm), "--json"))
    assert (info["order"], info["form"], info["bytes"]) == (2, "small", tlm.stat().st_size)
    assert "form\tsmall" in run("info", str(tlm))
    new = tmp_path / "new"
    new.write_text("a cat\n")
    assert run("query", str(tlm), str(new)).startswith("a=2 ")
    assert [word["oov"] for word in json.loads(run("query", str(tlm), str(new), "--json"))["words"]] == [
        False,
        True,
        False,
    ]
    run("train", str(text), "-o", str(tmp_path / "lm.arpa.gz"), "--smoothing", "witten-bell")
    run("convert", str(tmp_path / "lm.arpa.gz"), "-o", str(tlm))
    assert LanguageModel.load(tlm).form == "fast"


def test_mix_prune_classes(tmp_path, text):
    one, two, out = tmp_path / "1.arpa", tmp_path / "2.arpa", tmp_path / "out.arpa"
    other = tmp_path / "other.tok"
    other.write_text("a dog is a dog\nno house\n")
    run("train", str(text), "--order", "3", "-o", str(one), "--smoothing", "witten-bell", "--memory", "16")
    run("train", str(other), "--order", "2", "-o", str(two), "-q")
    mixed = json.loads(run("mix", str(one), str(two), "--tune", str(text), "-o", str(out), "--json"))
    assert mixed["weights"][0] > 0.9
    told = run("mix", str(one), str(two), "--tune", str(text), "-o", str(out)).split("\n")[:-1]
    assert [line.split("\t")[1] for line in told] == [str(one), str(two)]
    assert float(told[0].split("\t")[0]) > 0.9
    mixed = json.loads(
        run("mix", str(one), str(two), "--weights", "0.5,0.8", "--method", "log-linear", "-o", str(out), "--json")
    )
    assert list(LanguageModel.load(out).counts) == mixed["counts"]
    pruned = json.loads(run("prune", str(one), "--threshold", "0.05", "-o", str(out), "--json"))
    assert sum(pruned["after"]) < sum(pruned["before"])
    found = run("classes", str(text), "--classes", "2")
    assert found.startswith("the\tc")
    (tmp_path / "classes").write_text(found)
    tlm = tmp_path / "class.tlm"
    run("train", str(text), "--classes", str(tmp_path / "classes"), "-o", str(tlm), "-q")
    assert json.loads(run("info", str(tlm), "--json"))["classes"] is True


def test_mistakes(tmp_path, text):
    empty, whole, cut, foreign = (tmp_path / name for name in ("empty", "whole.arpa", "cut.tlm", "foreign.binary"))
    empty.touch()
    model = LanguageModelTrainer(2).train(["a b", "a c"])
    model.save(whole)
    model.save(tmp_path / "whole.tlm")
    cut.write_bytes((tmp_path / "whole.tlm").read_bytes()[:-10])
    foreign.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0" + bytes(100))
    command = [sys.executable, "-m", "tolka", "lm"]
    for arguments, code, complaint in [
        (["train", "a", "b", "-o", "m.arpa"], 2, "expected one text"),
        (["train", str(text), "-o", str(tmp_path / "m.bin")], 2, "does not say what to write"),
        (["score", str(text), str(text)], 1, "no ARPA file"),
        (["score", str(tmp_path / "none"), str(text)], 1, "No such file"),
        (["train", str(empty), "-o", str(tmp_path / "m.arpa")], 1, "the corpus is empty"),
        (["train", str(text), "--order", "9", "-o", str(tmp_path / "m.arpa")], 2, "--order"),
        (["score", str(cut), str(text)], 1, "cut off"),
        (["score", str(foreign), str(text)], 1, "KenLM binary"),
        (["mix", str(whole), str(whole), "--weights", "1", "-o", str(tmp_path / "m.arpa")], 2, "one for each"),
    ]:
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == code
        assert complaint in done.stderr
        assert "Traceback" not in done.stderr
