"""`tolka translate` with files that say how, and by agreement."""

import json
import subprocess
import sys

import pytest

from tolka.forest import read_forests
from tolka.translate import Translator


def tolka(*arguments, text="", code=0):
    command = [sys.executable, "-m", "tolka", "translate", *map(str, arguments)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_explanations_come_beside_translations(models, bitext, tmp_path, kind):
    sources = [*(source for source, _ in bitext[1][:4]), ""]
    text = "\n".join(sources) + "\n"
    wanted = tolka(models[kind], text=text)
    assert tolka(models[kind], "--explain", tmp_path / "why.html", text=text) == wanted
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert page.count("<section>") == 5
    assert page.startswith("<!doctype html>")
    assert tolka(models[kind], "--explain", tmp_path / "why.jsonl", text=text) == wanted
    found = [json.loads(line) for line in (tmp_path / "why.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
    assert len(found) == 5
    translator = Translator.load(models[kind])
    assert translator.restore([" ".join(one["target"]) for one in found]) == wanted.split("\n")[:-1]
    assert (
        tolka(models[kind], "--explain", tmp_path / "why.svg", text=sources[0] + "\n") == wanted.split("\n")[0] + "\n"
    )
    assert (tmp_path / "why.svg").read_text(encoding="utf-8").startswith("<svg")


def test_forests_come_beside_translations(models, bitext, tmp_path):
    text = "".join(f"{source}\n" for source, _ in bitext[1][:3])
    wanted = tolka(models["hiero"], text=text)
    assert tolka(models["hiero"], "--forest", tmp_path / "found.jsonl", text=text) == wanted
    forests = list(read_forests(tmp_path / "found.jsonl"))
    translator = Translator.load(models["hiero"])
    assert translator.restore([forest.viterbi().text for forest in forests]) == wanted.split("\n")[:-1]


@pytest.mark.parametrize("method", ["nbest", "forest", "consensus"])
def test_agreement_chooses(models, bitext, method):
    out = tolka(models["hiero"], "--mbr", method, text=f"{bitext[1][0][0]}\n\n")
    assert len(out.split("\n")) == 3
    assert out.split("\n")[0]
    assert out.split("\n")[1] == ""


def test_what_does_not_go_together_is_refused(models, tmp_path):
    model = models["hiero"]
    assert "do not go together" in tolka(model, "--mbr", "nbest", "--json", code=2)
    assert "there is no --mbr vote" in tolka(model, "--mbr", "vote", code=2)
    assert "end the name in .html" in tolka(model, "--explain", tmp_path / "why.pdf", code=2)
    assert "at most 1 sentences" in tolka(model, "--explain", tmp_path / "why.svg", text="a\nb\n", code=1)
    assert not (tmp_path / "why.svg").exists()
