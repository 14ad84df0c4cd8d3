"""`tolka combine` and the other commands on ensembles."""

import json
import shutil
import subprocess
import sys

import pytest
from tests.combine.small import pairs_of
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.combine import make_ensemble, part_states
from tolka.corpus import write_pairs
from tolka.decode.mixture import Mixture
from tolka.translate import Translator
from tolka.tune import write_weights


def tolka(*arguments, code=0, text=""):
    """What a command prints; on standard error if it fails."""
    command = [sys.executable, "-m", "tolka", *map(str, arguments)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def refused(*arguments, code=2):
    said = tolka(*arguments, code=code)
    assert said.startswith("tolka: ")
    assert said.count("\n") == 1, said
    return said


@pytest.fixture
def dev(tmp_path):
    files = tmp_path / "dev.de", tmp_path / "dev.en"
    write_pairs(files, pairs_of(11, 40))
    return files


def test_making_an_ensemble(parts, tmp_path):
    out = tolka("combine", "ensemble", parts["one"], parts["two"], "-o", tmp_path / "both", "--weights", "0.6", "0.4")
    assert out.startswith("preparation: same\nsaved an ensemble of one, two by wsum to ")
    described, states = part_states(tmp_path / "both")
    assert described.mixture["weights"] == {"one": 0.6, "two": 0.4}
    assert [one.weight for one in states] == [0.6, 0.4]
    out = tolka(
        "combine", "ensemble", f"law={parts['one']}", f"news={parts['cased']}", "-o", tmp_path / "both", "--json",
        "--operation", "prod", "--weights", "2,1", "--set", "missing=veto", "--set", "pop_limit=9", "--scale", "lm",
        "--preparation", "common", "--lead", "news", "--inside",
    )  # fmt: skip
    said = json.loads(out)
    assert said["parts"] == ["law", "news"]
    assert said["weights"] == {"law": 2.0, "news": 1.0}
    assert (said["operation"], said["preparation"], said["score"]) == ("prod", "common", None)
    described, _ = part_states(tmp_path / "both")
    assert (described.mixture["missing"], described.search, described.scale) == ("veto", {"pop_limit": 9}, "lm")
    assert (described.lead, described.inside) == ("news", True)
    out = tolka("combine", "ensemble", parts["one"], parts["cased"], "-o", tmp_path / "both", "--names", "a,b")
    assert out.startswith("preparation: lattice (the parts a and b prepare source words differently (case))\n")


def test_ensembles_that_cannot_be_made(parts, tmp_path):
    both = [parts["one"], parts["two"]]
    place = tmp_path / "both"
    for arguments, said in [
        ([parts["one"]], "one model is no ensemble; name two or more"),
        ([*both, "--weights", "0.6"], "there are 1 weights for 2 models"),
        ([*both, "--weights", "0.6,x"], "'0.6,x' is not a list of numbers"),
        ([*both, "--names", "a"], "there are 1 names for 2 models"),
        ([parts["one"], parts["one"]], "two models are called one; name them"),
        ([f"a b={parts['one']}", parts["two"]], "'a b' cannot be the name"),
        ([*both, "--set", "odd"], "'odd' sets nothing"),
        ([*both, "--set", "odd=1"], "odd"),
        ([*both, "--set", "missing=never"], "unknown missing 'never'"),
        ([*both, "--set", "spans=3"], "spans cannot be 3; give a value to each component"),
        ([*both, "--set", "spans={one=3}"], "the factors of one are 3; give a list"),
        ([*both, "--set", "temperatures=3"], "temperatures cannot be 3; give a value to each component"),
        ([*both, "--set", "normalise=maybe"], "normalise cannot be 'maybe'; use true or false"),
        ([*both, "--set", "literal=3"], "literal cannot be 3; use true or false"),
        ([*both, "--set", "pop_limit=-3"], "search.pop_limit: pop_limit cannot be -3"),
        ([*both, "--set", "pop_limit=x"], "search.pop_limit cannot be 'x'"),
        ([*both, "--set", "max_span=1.5"], "search.max_span cannot be 1.5"),
        (["a=", parts["two"]], "'a=' does not say where the model is; write NAME=DIRECTORY"),
        ([*both, "--set", "operation=prod"], "--set operation is another option; use --operation"),
        ([*both, "--lead", "three"], "no part 'three' to lead"),
        ([parts["one"], parts["words"]], "the part words takes tokenised text"),
    ]:
        assert said in refused("combine", "ensemble", *arguments, "-o", place)
    for arguments, said in [
        ([*both, "--weights", "nan,1"], "the weight of one is nan, not a finite number"),
        ([*both, "--weights=-1,1"], "the weight of one is -1.0, below 0"),
        ([parts["one"], tmp_path / "nothing"], "there is no model to be the part nothing"),
    ]:
        assert said in refused("combine", "ensemble", *arguments, "-o", place, code=1)
    assert not place.exists()
    assert "Invalid value for '--operation'" in tolka(
        "combine", "ensemble", *both, "-o", place, "--operation", "sum", code=2
    )


def test_tuning_while_making(parts, dev, tmp_path):
    place = tmp_path / "both"
    made = "combine", "ensemble", parts["one"], parts["cased"], "-o", place, "-q"
    out = tolka(*made, "--dev", *dev, "--starts", 1)
    assert [line.split()[0] for line in out.splitlines()[:5]] == ["wsum", "wmax", "prod", "switch:max", "switch:sum"]
    assert out.count("chosen") == 1
    chosen = next(line.split()[0] for line in out.splitlines() if "chosen" in line)
    assert part_states(place)[0].mixture["operation"] == chosen
    searched = json.loads(tolka(*made, "--dev", *dev, "--json", "--operation", "wmax", "--starts", 1))
    assert {one["operation"] for one in searched["tried"]} == {"wmax"}
    said = json.loads(tolka(*made, "--dev", *dev, "--json", "--operation", "wmax", "--scheme", "uniform"))
    assert [one["operation"] for one in said["tried"]] == ["wmax"]
    assert said["score"] == said["tried"][0]["score"] <= searched["score"]
    assert said["weights"] == {"one": 1.0, "cased": 1.0}
    # What the search kept to go on from is gone.
    assert sorted(path.name for path in tmp_path.iterdir()) == ["both", "dev.de", "dev.en"]
    # Nothing is written if the set is wrong.
    shutil.rmtree(place)
    assert "named as en, but given in the place of de" in refused(*made, "--dev", *dev[::-1])
    swapped = tmp_path / "a", tmp_path / "b"
    write_pairs(swapped, [(target, source) for source, target in pairs_of(11, 60)])
    assert "a and b are swapped" in refused(*made, "--dev", *swapped, code=1)
    write_pairs(swapped, [])
    assert "no sentence with a translation" in refused(*made, "--dev", *swapped, code=1)
    assert not place.exists()


def test_tuning_again(parts, dev, tmp_path):
    place = tmp_path / "both"
    make_ensemble([parts["one"], parts["two"]], place)
    out = tolka("tune", place, "--dev", *dev, "-q")
    assert out.startswith("wsum ")
    assert f"saved to {place}" in out
    said = json.loads(
        tolka("tune", place, "--dev", *dev, "-q", "--json", "--operation", "auto", "-o", tmp_path / "other")
    )
    assert {one["operation"] for one in said["tried"]} == {"wsum", "wmax", "prod", "switch:max", "switch:sum"}
    assert said["score"] == max(one["score"] for one in said["tried"])
    assert Translator.load(tmp_path / "other").weights == said["weights"]
    assert Translator.load(tmp_path / "other").mixture.operation == said["operation"]
    out = json.loads(
        tolka("tune", place, "--dev", *dev, "-q", "--json", "--scheme", "expected", "-o", tmp_path / "third")
    )
    assert len(out["tried"]) > 1
    assert not list(tmp_path.glob("*.jsonl"))
    assert "--scheme is how an ensemble mixes" in refused("tune", parts["one"], "--dev", *dev, "--scheme", "joint")
    assert "--tuner is about features" in refused("tune", place, "--dev", *dev, "--tuner", "mert")
    assert "unknown operation 'sum'" in refused("tune", place, "--dev", *dev, "--operation", "sum")
    assert "--operation is how an ensemble mixes" in refused("tune", parts["one"], "--dev", *dev, "--operation", "prod")
    shutil.copy(dev[0], tmp_path / "b")
    shutil.copy(dev[1], tmp_path / "a")
    assert "a and b are swapped" in refused("tune", place, "--dev", tmp_path / "a", tmp_path / "b", code=1)


def test_showing_and_refreshing(parts, tmp_path):
    shutil.copytree(parts["one"], tmp_path / "one")
    make_ensemble({"own": tmp_path / "one", "other": parts["cased"]}, tmp_path / "both")
    out = tolka("combine", "show", tmp_path / "both")
    for said in ("ensemble    de to en, 2 parts", "operation   wsum", "preparation lattice, led by own", "as it was"):
        assert said in out
    said = json.loads(tolka("combine", "show", tmp_path / "both", "--json"))
    assert [one["name"] for one in said["parts"]] == ["own", "other"]
    assert {one["state"] for one in said["parts"]} == {"as it was"}
    assert "nothing has changed" in tolka("combine", "refresh", tmp_path / "both")
    Translator.load(tmp_path / "one").with_weights({"lm": 0.1}).save(tmp_path / "one")
    step = f"own has changed: `tolka combine refresh {tmp_path / 'both'}` takes it as it is now\n"
    assert tolka("combine", "show", tmp_path / "both").endswith(step)
    failed = refused("translate", tmp_path / "both", code=1)
    assert f"`tolka combine refresh {tmp_path / 'both'}` takes it as it is now" in failed
    assert tolka("combine", "refresh", tmp_path / "both") == "changed: own\n"
    shutil.move(tmp_path / "one", tmp_path / "moved")
    assert "own is missing: put it back, or `tolka combine refresh " in tolka("combine", "show", tmp_path / "both")
    assert "is missing; put it back" in refused("translate", tmp_path / "both", code=1)
    assert "does not say where a part is" in refused("combine", "refresh", tmp_path / "both", "--part", "own")
    place = f"own={tmp_path / 'moved'}"
    assert json.loads(tolka("combine", "refresh", tmp_path / "both", "--part", place, "--json"))["changed"] == []
    assert tolka("translate", tmp_path / "both", text="Der Hund schläft.\n").strip()
    (tmp_path / "moved" / "model.toml").write_text("format = ")
    said = json.loads(tolka("combine", "show", tmp_path / "both", "--json"))["parts"]
    assert [one["state"] for one in said] == ["damaged", "as it was"]
    assert "not valid TOML" in said[0]["why"]
    assert "own is damaged: " in tolka("combine", "show", tmp_path / "both")
    assert "is of kind translator, not" in refused("combine", "show", parts["one"], code=1)
    assert "is of kind translator, not" in refused("combine", "refresh", parts["one"], code=1)


def test_showing_what_is_unusual(parts, tmp_path):
    mixture = Mixture("prod", missing="veto", temperatures={"one": 1.5}, spans={"two": [1, 0.5]}, normalise=True)
    make_ensemble([parts["one"], parts["two"]], tmp_path / "both", mixture=mixture, search={"pop_limit": 9})
    out = tolka("combine", "show", tmp_path / "both")
    for said in ("missing     veto", "temperature one 1.5", "span        two 1 0.5", "normalise   yes", "pop_limit 9"):
        assert said in out
    assert "floor" not in out


def test_translating_with_every_option(parts, sentences, tmp_path):
    place = tmp_path / "both"
    make_ensemble([parts["one"], parts["cased"]], place)
    text = "".join(f"{source}\n" for source, _ in sentences[:4])
    plain = tolka("translate", place, text=text)
    assert plain == "".join(f"{line}\n" for line in Translator.load(place).translate(text.splitlines()))
    assert tolka("translate", place, "--threads", 1, text=text) == plain
    lists = tolka("translate", place, "--nbest", 3, text=text).splitlines()
    assert {line.split(" ||| ")[0] for line in lists} == {"0", "1", "2", "3"}
    found = [json.loads(line) for line in tolka("translate", place, "--json", text=text).splitlines()]
    assert [one["text"] for one in found] == plain.splitlines()
    page, forest = tmp_path / "why.html", tmp_path / "forest.jsonl"
    assert tolka("translate", place, "--explain", page, text=text) == plain
    assert "<svg" in page.read_text()
    assert tolka("translate", place, "--forest", forest, text=text) == plain
    assert len(forest.read_text().splitlines()) == 4
    for method in ("nbest", "forest", "consensus"):
        assert len(tolka("translate", place, "--mbr", method, text=text).splitlines()) == 4
    weights = tmp_path / "weights"
    write_weights(weights, {"cased": 0.0})
    alone = tolka("translate", place, "--weights", weights, text=text)
    assert alone == "".join(
        f"{one}\n" for one in Translator.load(place, weights={"cased": 0.0}).translate(text.splitlines())
    )
    terms = tmp_path / "terms.tsv"
    terms.write_text("Hund\tHOUND\tforced\n")
    assert "HOUND" in tolka("translate", place, "--terms", terms, text="Der Hund schläft.\n")
    assert "have their own language models" in refused("translate", place, "--lm", "x.arpa")
    assert "update one of its parts" not in refused("update", place, tmp_path / "x", tmp_path / "y", code=1)


def test_help():
    shown = CliRunner().invoke(app, ["combine", "--help"])
    assert shown.exit_code == 0
    for name in ("ensemble", "refresh", "show"):
        assert name in shown.stdout
