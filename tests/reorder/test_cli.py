"""`tolka reorder` from the command line."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tolka.align import write_links
from tolka.cli.main import app
from tolka.errors import InputError, SettingsError
from tolka.reorder import is_permutation
from tolka.syntax import synthetic_treebank, write_conllu

TEXT = synthetic_treebank(1, 120)
RUN = CliRunner()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("reorder")
    write_conllu(found / "src.conllu", TEXT.trees)
    write_links(found / "links.txt", TEXT.links)
    (found / "ref.txt").write_text("".join(" ".join(words) + "\n" for words in TEXT.targets))
    return found


@pytest.fixture(scope="module")
def model(folder):
    arguments = ["reorder", "train", str(folder / "src.conllu"), str(folder / "links.txt"), "-o", str(folder / "pre")]
    arguments += ["--set", "bits=12", "--set", "cost=0.1", "--set", "epochs=2", "--held-out", "20", "--json"]
    done = subprocess.run([sys.executable, "-m", "tolka", *arguments], capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    assert (report["model"], report["sentences"], report["held_out"]) == ("walker", 100, 20)
    assert report["after"]["tau01"] > report["before"]["tau01"]
    return folder / "pre"


def run(*arguments):
    done = RUN.invoke(app, ["reorder", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_analyse(folder):
    given = (folder / "src.conllu", folder / "links.txt")
    page = folder / "page.html"
    outputs = ("--baseline", folder / "ref.txt", "--oracle", folder / "ref.txt", "--ref", folder / "ref.txt")
    found = json.loads(run("analyse", *given, "--json", "--html", page, *outputs))
    assert found["sentences"] == len(TEXT)
    assert found["oracle_gap"]["bleu"] == 0
    assert len(found["correlations"]) == 22
    assert page.read_text().startswith("<!doctype html>")
    plain = run("analyse", *given)
    assert f"sentences\t{len(TEXT)}\n" in plain
    assert "tails[6].fragments\t" in plain


def test_apply_and_score(folder, model):
    source = folder / "src.conllu"
    words = run("apply", model, source).split("\n")[:-1]
    orders = run("apply", model, source, "--permutations")
    for tree, line, order in zip(TEXT.trees, words, orders.split("\n"), strict=False):
        places = tuple(map(int, order.split()))
        assert is_permutation(places, len(tree))
        assert line == " ".join(tree.forms[place] for place in places)
    assert run("apply", model, source, "--conllu").count("Order=1\n") == len(TEXT)
    run("apply", model, source, "--permutations", "--output", folder / "orders.txt", "--batch", 7)
    assert (folder / "orders.txt").read_text() == orders
    given = (source, folder / "links.txt", "--orders", folder / "orders.txt", "--model", model)
    rows = json.loads(run("score", *given, "--json"))
    assert rows[str(model)] == rows[str(folder / "orders.txt")]
    assert rows[str(model)]["tau01"] > rows["none"]["tau01"]
    assert run("score", *given).startswith("\tbleu\ttau\ttau01\tfuzzy\tcrossings\texact\nnone\t")


def test_confident_sentences(folder, tmp_path):
    numbers = tmp_path / "confidence.txt"
    numbers.write_text("".join(f"{k / len(TEXT)}\n" for k in range(len(TEXT))))
    given = (folder / "src.conllu", folder / "links.txt", "-o", tmp_path / "pre", "--confidence", numbers, "--json")
    small = ("--set", "bits=10", "--set", "cost=1", "--set", "epochs=1", "--set", "decoder=greedy")
    report = json.loads(run("train", *given, "--top", 50, "--held-out", 0, *small))
    assert report == {"model": "walker", "sentences": 50, "held_out": 0}
    report = json.loads(run("train", *given, "--longest", 12, "--sample", 20, *small))
    assert report["sentences"] + report["held_out"] == 20


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (["--top", "5"], SettingsError, "--top needs"),
        (["--set", "wings"], SettingsError, "'wings' is no setting"),
        (["--set", "wings=2"], SettingsError, "no setting 'wings'"),
        (["--model", "magic"], SettingsError, "no pre-orderer of kind 'magic'"),
        (["--longest", "1"], InputError, "no sentence is left"),
    ],
)
def test_mistakes_of_training_are_named(folder, tmp_path, arguments, error, message):
    given = ["train", folder / "src.conllu", folder / "links.txt", "-o", tmp_path / "pre", *arguments]
    with pytest.raises(error, match=message):
        run(*given)


def test_other_mistakes_are_named(folder, model, tmp_path):
    (tmp_path / "few.txt").write_text("0-0\n")
    with pytest.raises(InputError, match="120 sentences and 1 lines of links"):
        run("analyse", folder / "src.conllu", tmp_path / "few.txt")
    with pytest.raises(SettingsError, match="choose one"):
        run("apply", model, folder / "src.conllu", "--permutations", "--conllu")
    with pytest.raises(SettingsError, match="must read a file"):
        run("apply", model, "-", "--output", tmp_path / "out")
    given = ("score", folder / "src.conllu", folder / "links.txt", "--orders", tmp_path / "orders.txt")
    for text, message in (("0 x\n", "whole numbers"), ("0 0\n", "no permutation"), ("", "120 sentences and 0 orders")):
        (tmp_path / "orders.txt").write_text(text)
        with pytest.raises(InputError, match=message):
            run(*given)
    (tmp_path / "numbers.txt").write_text("0.5\nmuch\n")
    given = ("train", folder / "src.conllu", folder / "links.txt", "-o", tmp_path / "pre", "--top", 3)
    with pytest.raises(InputError, match="'much' is not a number"):
        run(*given, "--confidence", tmp_path / "numbers.txt")
