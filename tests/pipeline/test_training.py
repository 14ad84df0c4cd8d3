"""`tolka train` and `tolka tune` from end to end, on text of a grammar."""

import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace

import pytest

import tolka
from tolka.corpus import write_pairs
from tolka.corpus.synthetic import Synthetic
from tolka.errors import FileError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.pipeline import Recipe, StageError, TrainSettings, read_log, run, train, training_recipe
from tolka.train import defaults
from tolka.translate import Translator

QUICK = ("tune.iterations=2", "tune.nbest=20", "align.model=hmm", "lm.order=3", "grammar.max_length=5")


def command(*arguments, verb="train"):
    return [sys.executable, "-m", "tolka", verb, *map(str, arguments)]


def tolka_run(*arguments, verb="train", code=0):
    done = subprocess.run(command(*arguments, verb=verb), capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr + done.stdout
    return done.stderr if code else done.stdout


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A directory with train, dev and test of raw text."""
    place = tmp_path_factory.mktemp("text")
    examples = list(Synthetic(5).sample(470))
    for name, part in (("train", examples[:400]), ("dev", examples[400:440]), ("test", examples[440:])):
        for lang in ("de", "en"):
            write(place / f"{name}.{lang}", [one.raw[lang] for one in part])
    return place


def settings(text, **given):
    asked = {"overrides": QUICK, "dev": (text / "dev.de", text / "dev.en"), **given}
    return TrainSettings(text / "train.de", text / "train.en", ("de", "en"), **asked)


@pytest.fixture(scope="module")
def trained(text, tmp_path_factory):
    """A hiero model, trained once through the command line, and what was printed."""
    model = tmp_path_factory.mktemp("trained") / "de-en"
    sets = [part for one in QUICK for part in ("--set", one)]
    files = ["--dev", text / "dev.de", text / "dev.en", "--test", text / "test.de", text / "test.en"]
    out = tolka_run(
        text / "train.de", text / "train.en", "--langs", "de", "en", *files, "-o", model, "--json", "--quiet", *sets
    )
    return model, json.loads(out)


def test_train_end_to_end(trained, text):
    model, said = trained
    assert [one["stage"] for one in said["stages"]] == [
        "corpus", "clean", "tokenise", "truecase", "compounds", "align", "lm", "grammar", "tune", "model",
    ]  # fmt: skip
    assert said["dev"]["score"] == max(said["dev"]["history"]) > 25
    assert said["test"]["lines"] == 30
    assert said["test"]["scores"]["bleu"]["score"] > 20
    assert said["sizes"]["rules"] > 1000
    bundle = Bundle.open(model, kind="translator")
    assert bundle.stages == ("corpus", "clean", "tokenise", "truecase", "compounds", "model")
    translator = tolka.Translator.load(model, verify=True)
    assert translator.weights == said["weights"]
    source = (text / "test.de").read_text().split("\n")
    found = translator.translate(source[:-1])
    assert all(line[0].isupper() and not line.endswith(" .") for line in found)


def test_page_is_whole_and_closed(trained):
    model, said = trained
    page = (model / "report.html").read_text()
    assert "<svg" in page
    assert page.count("<circle") == len(said["dev"]["history"])
    assert f"{said['dev']['score']:.2f}" in page
    assert page.count("<dt>translation</dt>") == 10
    assert "pairs were read" in page
    assert not re.search(r"(?:src|href)=|https?:|@import|url\(", page)
    assert "default-src &#x27;none&#x27;" in page
    assert page.count("<tr>") > 25


def test_second_run_does_nothing_and_changes_nothing(trained, text):
    model, said = trained
    before = {path.name: path.stat().st_ino for path in model.iterdir() if path.name != "report.html"}
    asked = settings(text, test=(text / "test.de", text / "test.en"))
    result = train(asked, model)
    assert all(one.cached for one in result.run.stages)
    assert {path.name: path.stat().st_ino for path in model.iterdir() if path.name != "report.html"} == before
    # Threads are no reason to do anything again.
    assert all(one.cached for one in train(replace(asked, threads=1), model).run.stages)
    assert result.dev_score == said["dev"]["score"]


def test_same_bytes_whatever_the_threads(trained, text, tmp_path):
    model, _ = trained
    train(settings(text, threads=1), tmp_path / "other")
    one, other = Bundle.open(model).manifest, Bundle.open(tmp_path / "other").manifest
    assert one.files == other.files


def test_terminal_page_and_phrase_model(text, tmp_path):
    out = tolka_run(
        text / "train.de", text / "train.en", "--kind", "phrase", "--tuner", "pro", "--order", 3, "--no-keep-work",
        "-o", tmp_path / "model", "--set", "tune.iterations=1", "--set", "align.model=hmm",
    )  # fmt: skip
    assert re.search(r"dev +BLEU \d+\.\d\d of words", out)
    assert re.search(r"cleaned +400 pairs read, \d+ kept", out)
    assert re.search(r"made of +3[78]\d pairs", out), "5% were set aside"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]
    assert Translator.load(tmp_path / "model").description.kind == "phrase"


def test_tokenised_text_is_left_alone(tmp_path):
    examples = list(Synthetic(2).sample(250))
    for lang in ("de", "en"):
        write(tmp_path / f"a.{lang}", [" ".join(one.truecased[lang]) for one in examples])
    asked = TrainSettings(tmp_path / "a.de", tmp_path / "a.en", ("de", "en"), tokenised=True, overrides=QUICK)
    result = train(asked, tmp_path / "model")
    assert any("set aside" in note for note in result.notes)
    translator = Translator.load(tmp_path / "model")
    assert translator.description.text.tokenised
    odd = "a\u00a0b  C&D e\u0301"
    assert translator.prepare([odd]) == [odd]
    known = set((tmp_path / "a.en").read_text().split())
    found = translator.translate([" ".join(examples[0].truecased["de"])])
    assert set(found[0].split()) <= known


def test_further_text_and_other_language_models(text, tmp_path):
    write(tmp_path / "more.en", ["The Zebra visits the mouse.", "", "My zebra is here."])
    asked = settings(text, mono=(tmp_path / "more.en", text / "dev.en"))
    train(asked, tmp_path / "model", work=tmp_path / "work")
    lm = tmp_path / "work" / "latest" / "lm" / "lm"
    assert "zebra" in LanguageModel.load(lm), "prepared like the corpus, and in the mixture"
    LanguageModelTrainer(order=2).train(["the mouse is here ."]).save(tmp_path / "lm.arpa.gz")
    train(settings(text, lm=tmp_path / "lm.arpa.gz"), tmp_path / "other", work=tmp_path / "work")
    assert LanguageModel.load(Translator.load(tmp_path / "other").files.lms["lm"]).order == 2


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_three_sentences_make_a_model(tmp_path, kind):
    write(tmp_path / "a.de", ["Das Haus ist klein.", "Das Haus ist alt.", "Der Hund ist klein."])
    write(tmp_path / "a.en", ["The house is small.", "The house is old.", "The dog is small."])
    asked = TrainSettings(tmp_path / "a.de", tmp_path / "a.en", ("de", "en"), kind=kind)
    result = train(asked, tmp_path / "model")
    assert any("not tuned" in note for note in result.notes)
    assert Translator.load(tmp_path / "model").translate("Das Haus ist klein.").lower().endswith("house is small.")
    # A development set of one sentence and empty lines is one to tune on, too.
    write(tmp_path / "dev.de", ["", "Der Hund ist alt.", ""])
    write(tmp_path / "dev.en", ["", "The dog is old.", "x"])
    for tuner in ("mira", "pro", "mert"):
        dev = (tmp_path / "dev.de", tmp_path / "dev.en")
        again = TrainSettings(tmp_path / "a.de", tmp_path / "a.en", ("de", "en"), kind=kind, dev=dev, tuner=tuner)
        assert train(again, tmp_path / "model").dev_score is not None
        assert Translator.load(tmp_path / "model").translate("Der Hund ist alt.")


def test_what_cannot_be_trained(text, tmp_path):
    empty, short = write(tmp_path / "e.de", []), write(tmp_path / "s.en", ["one"])
    plain = {"langs": ("de", "en"), "dev": (text / "dev.de", text / "dev.en")}
    with pytest.raises(StageError, match="empty"):
        train(TrainSettings(empty, write(tmp_path / "e.en", []), **plain), tmp_path / "model")
    with pytest.raises(StageError, match="lines"):
        train(TrainSettings(text / "train.de", short, **plain), tmp_path / "model")
    with pytest.raises((InputError, StageError), match="lines"):
        train(TrainSettings(text / "train.de", short, ("de", "en")), tmp_path / "model")
    with pytest.raises(StageError, match="lines"):
        train(settings(text, dev=(text / "dev.de", short)), tmp_path / "model")
    blank = write(tmp_path / "blank", ["", ""])
    with pytest.raises(StageError, match="no sentence with a translation"):
        train(settings(text, dev=(blank, blank)), tmp_path / "model")
    with pytest.raises(SettingsError, match="klingon"):
        train(TrainSettings(text / "train.de", text / "train.en", ("klingon", "en")), tmp_path / "model")
    with pytest.raises(FileError, match=r"no such file|cannot read|does not exist"):
        train(settings(text, lm=tmp_path / "none.arpa"), tmp_path / "model")
    for given in ({"kind": "neural"}, {"strategy": "luck"}, {"tuner": "luck"}):
        (name,) = given
        with pytest.raises(SettingsError, match=rf"^there is no {name} '\w+'; use one of") as refused:
            train(settings(text, **given), tmp_path / "model")
        assert refused.value.line is None
    with pytest.raises(SettingsError, match="align") as refused:
        training_recipe(settings(text, overrides=("align.modell=x",)))
    assert refused.value.line is None
    assert not (tmp_path / "model").exists()


def test_outputs_that_are_something_else(text, tmp_path):
    (tmp_path / "photos").mkdir()
    write(tmp_path / "photos" / "cat.txt", ["cat"])
    with save_bundle(tmp_path / "corpus", kind="corpus"):
        pass
    write(tmp_path / "file", ["x"])
    for name, message in (("photos", "not a model"), ("corpus", "kind corpus"), ("file", "a file")):
        with pytest.raises(FileError, match=message):
            train(settings(text), tmp_path / name)
        assert not (tmp_path / f"{name}.work").exists(), "refused before any work was done"


def test_languages_from_names(text, tmp_path):
    error = tolka_run(write(tmp_path / "a.txt", ["x"]), write(tmp_path / "b.txt", ["x"]), "-o", tmp_path / "m", code=2)
    assert "--langs" in error
    error = tolka_run(text / "train.de", text / "dev.en", "-o", tmp_path / "m", "-q", code=1)
    assert "lines" in error
    assert error.count("\n") == 1


def test_languages_of_a_memory(text, tmp_path):
    pairs = zip(*((text / f"train.{lang}").read_text().splitlines() for lang in ("de", "en")), strict=True)
    write_pairs(tmp_path / "memory.tmx", list(pairs)[:30], langs=("de", "en"))
    sets = [part for one in QUICK if "tune" not in one for part in ("--set", one)]
    done = subprocess.run(
        command(tmp_path / "memory.tmx", "-o", tmp_path / "m", "--json", *sets),
        capture_output=True,
        text=True,
        check=True,
    )
    assert Translator.load(tmp_path / "m").description.langs == ["de", "en"]
    # Where nobody watches, there is a line a stage.
    stages = [one["stage"] for one in json.loads(done.stdout)["stages"]]
    told = [line.split(": ")[1] for line in done.stderr.splitlines() if "note" not in line]
    assert told == stages
    assert re.search(r"^tolka: align: done in \d", done.stderr, re.MULTILINE)


def test_mistakes_are_refused_before_any_work(text, tmp_path):
    train_files = (text / "train.de", text / "train.en")
    for files, message in (
        ((*train_files[::-1], "--langs", "de", "en"), "named as"),
        ((*train_files, "--dev", *train_files), "in the training text"),
        ((*train_files, "--test", text / "dev.en", text / "dev.de"), "dev.en"),
    ):
        done = subprocess.run(command(*files, "-o", tmp_path / "m"), capture_output=True, text=True, check=False)
        assert done.returncode in (1, 2)
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
        assert "--force" in done.stderr
    assert not list(tmp_path.iterdir())
    result = train(settings(text, dev=(text / "train.de", text / "train.en"), force=True), tmp_path / "m")
    assert any("in the training text" in note for note in result.notes)
    assert "in the training text" in result.report.read_text()


def test_the_account_of_cleaning(text, tmp_path):
    for lang in ("de", "en"):
        lines = (text / f"train.{lang}").read_text().splitlines()
        write(tmp_path / f"a.{lang}", [*lines[:100], *lines[:60], "", "x " * 90])
    asked = TrainSettings(tmp_path / "a.de", tmp_path / "a.en", ("de", "en"), overrides=QUICK[2:])
    told = []
    result = train(asked, tmp_path / "model", tell=told.append)
    counts = {one["rule"]: one["count"] for one in result.cleaning["rules"] if one["count"]}
    assert counts["empty"] == counts["length"] == 1
    assert counts["duplicate"] >= 60
    assert result.cleaning["pairs"] == 162
    page = result.report.read_text()
    assert "the pair was there before" in page
    assert f"{result.cleaning['dropped']} dropped" in page
    assert told == list(result.notes)
    assert any(note.startswith("cleaning dropped") and "duplicate" in note for note in told)


def test_killed_at_random_moments(text, tmp_path):
    sets = [part for one in QUICK for part in ("--set", one)]
    dev = ["--dev", text / "dev.de", text / "dev.en"]
    arguments = command(text / "train.de", text / "train.en", *dev, "-o", tmp_path / "model", *sets)
    work = tmp_path / "model.work"
    for delay in (0.0, 0.3, 0.8):
        child = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        before = len(list(work.glob("runs/*")))
        while child.poll() is None and len(list(work.glob("runs/*"))) == before:
            time.sleep(0.005)
        time.sleep(delay)
        child.kill()
        child.communicate()
    for log in work.glob("runs/*"):
        list(read_log(log))
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    train(settings(text), tmp_path / "whole")
    assert Bundle.open(tmp_path / "model").manifest.files == Bundle.open(tmp_path / "whole").manifest.files


def test_tune_replaces_the_weights(trained, text, tmp_path):
    model = tmp_path / "model"
    shutil.copytree(trained[0], model)
    dev = ["--dev", text / "dev.de", text / "dev.en"]
    before = Translator.load(model).weights
    said = json.loads(
        tolka_run(model, *dev, "--tuner", "mert", "--iterations", 1, "--nbest", 10, "--json", verb="tune")
    )
    assert Translator.load(model, verify=True).weights == said["weights"] != before
    assert said["score"] == max(said["history"])
    error = tolka_run(model, "--dev", text / "dev.en", text / "dev.de", verb="tune", code=2)
    assert "named as en" in error
    shutil.copy(text / "dev.en", tmp_path / "a")
    shutil.copy(text / "dev.de", tmp_path / "b")
    assert "swapped" in tolka_run(model, "--dev", tmp_path / "a", tmp_path / "b", verb="tune", code=1)
    options = ("--tuner", "forest-mert", "--density", 5, "--iterations", 1, "--json")
    said = json.loads(tolka_run(model, *dev, *options, verb="tune"))
    assert said["score"] == max(said["history"])
    LanguageModelTrainer(order=2).train(["the mouse is here ."]).save(tmp_path / "lm.arpa")
    out = tolka_run(model, *dev, "-o", tmp_path / "other", "--lm", tmp_path / "lm.arpa", "--iterations", 0, verb="tune")
    assert "BLEU" in out
    assert Translator.load(model).weights == said["weights"]
    assert Translator.load(tmp_path / "other", verify=True)
    error = tolka_run(model, "--dev", text / "dev.de", text / "test.en", verb="tune", code=1)
    assert "lines" in error or "sentences" in error
    assert "unknown tuner" in tolka_run(model, *dev, "--tuner", "luck", verb="tune", code=2)


def test_undirected_models_learn_what_their_actions_count(text, tmp_path):
    model, dev = tmp_path / "model", ["--dev", text / "dev.de", text / "dev.en"]
    sets = [part for one in (*QUICK, "tune.options={epochs=2}") for part in ("--set", one)]
    files = [text / "train.de", text / "train.en", "--langs", "de", "en", *dev]
    said = json.loads(tolka_run(*files, "--kind", "undirected", "-o", model, "--json", "--quiet", *sets))
    translator = Translator.load(model, verify=True)
    assert (translator.description.kind, translator.decoder.kind) == ("hiero", "undirected")
    # Before, and after each of the two epochs.
    assert len(said["dev"]["history"]) == 3
    assert said["dev"]["score"] == max(said["dev"]["history"]) > 25
    texts = (text / "dev.de").read_text().splitlines()
    assert len(translator.translate(texts)) == 40
    again = json.loads(tolka_run(model, *dev, "--resume", "-o", tmp_path / "other", "--json", verb="tune"))
    assert again["score"] == max(again["history"]) >= said["dev"]["score"]
    assert any(name.startswith("action.") for name in again["weights"])
    assert Translator.load(tmp_path / "other", verify=True).weights == again["weights"]
    refused = tolka_run(tmp_path / "other", *dev, "--tuner", "mira", verb="tune", code=2)
    assert "tune it with drl" in refused
    chart = tolka_run(
        *files, "--tuner", "drl", "-o", tmp_path / "chart", *(part for one in QUICK for part in ("--set", one)), code=1
    )
    assert "no actions to learn" in chart
    both = tolka_run(*files, "--kind", "undirected", "--strategy", "chart", "-o", tmp_path / "chart", code=2)
    assert "leave out --strategy" in both


def test_recipe_is_plain_stages(text, tmp_path):
    """What `tolka train` does can be written down as a recipe."""
    recipe = tmp_path / "train.toml"
    recipe.write_text(
        "[synth]\npairs = 200\n[split]\ndev = 20\ntest = 0\n[tokenise]\n[truecase]\n[align]\nmodel = 'hmm'\n"
        "[lm]\norder = 2\n[grammar]\nkind = 'phrase'\n[tune]\nkind = 'phrase'\niterations = 1\nnbest = 10\n"
        "[model]\nkind = 'phrase'\nkeep_aligner = false\n"
    )
    result = run(Recipe.load(recipe), tmp_path / "work")
    translator = Translator.load(result["model"].outputs["model"], verify=True)
    assert translator.files.aligner == {}
    assert json.loads(result["tune"].outputs["tuning"].read_text())["metric"] == "bleu"
    with pytest.raises(StageError, match="no development section"):
        run(Recipe.load(recipe, ["split.dev=0", "split.test=5"]), tmp_path / "work")
    names = [node.name for node in training_recipe(settings(text)).graph.order]
    assert names == ["corpus", "clean", "tokenise", "truecase", "compounds", "align", "lm", "grammar", "tune", "model"]


def test_defaults_of_the_kind_are_part_of_the_key(monkeypatch, text):
    before = {node.name: node.settings for node in training_recipe(settings(text)).graph.order}
    monkeypatch.setitem(defaults.__dict__, "SEARCH", {**defaults.SEARCH, "chart": {"pop_limit": 77}})
    monkeypatch.setitem(defaults.__dict__, "EXTRACT", {**defaults.EXTRACT, "hiero": {"limit": 7}})
    after = {node.name: node.settings for node in training_recipe(settings(text)).graph.order}
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"grammar", "tune", "model"}
