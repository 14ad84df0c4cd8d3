"""Models that grow as the pipeline makes them, and what is reported of models of any kind."""

import json
import subprocess
import sys

import pytest

from tolka.corpus import read_lines
from tolka.corpus.synthetic import Synthetic
from tolka.errors import SettingsError
from tolka.evaluate import evaluate
from tolka.files import Bundle
from tolka.grammar import SuffixGrammar
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.pipeline import Recipe, StageError, TrainSettings, run, train
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.train import update_model
from tolka.translate import Translator
from tolka.translate.bundle import LM_TEXT

QUICK = ("tune.iterations=1", "tune.nbest=10", "align.model=hmm", "lm.order=3")
RECIPE = """
[corpus]
source = "train.de"
target = "train.en"
langs = ["de", "en"]
[clean]
[split]
dev = 20
test = 20
[tokenise]
[truecase]
[align]
model = "hmm"
[lm]
order = 3
[grammar]
kind = "phrase"
growing = GROWING
[tune]
kind = "phrase"
iterations = 1
nbest = 10
[model]
kind = "phrase"
"""


def tolka(*arguments):
    done = subprocess.run(
        [sys.executable, "-m", "tolka", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Raw text of 300 pairs to train on, some of which cleaning throws away, and 20 to test with."""
    place = tmp_path_factory.mktemp("text")
    examples = [(one.raw["de"], one.raw["en"]) for one in Synthetic(9).sample(320)]
    dirty = [
        *examples[:5],
        ("", "Nothing."),
        ("wort " * 90, "word " * 90),
        ("Eins zwei drei vier fünf sechs sieben.", "1"),
    ]
    for name, pairs in (("train", [*examples[:300], *dirty]), ("test", examples[300:])):
        for side, lang in enumerate(("de", "en")):
            lines = "".join(f"{pair[side]}\n" for pair in pairs)
            (place / f"{name}.{lang}").write_text(lines, encoding="utf-8")
    return place


def said_of(model, source, target):
    """The BLEU of the model that is saved."""
    found = Translator.load(model, verify=True).translate(source)
    return next(one.score for one in evaluate(found, target).scores if one.metric == "bleu")


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
@pytest.mark.parametrize("growing", [True, False])
def test_what_is_reported_is_what_is_saved(text, tmp_path, kind, growing):
    model = tmp_path / "model"
    flags = ["--growing"] if growing else []
    sets = [part for one in QUICK for part in ("--set", one)]
    files = [text / "train.de", text / "train.en", "--test", text / "test.de", text / "test.en"]
    said = json.loads(tolka("train", *files, "--kind", kind, "-o", model, "--json", "--quiet", *flags, *sets))
    source, target = (list(read_lines(text / f"test.{lang}")) for lang in ("de", "en"))
    assert said["test"]["scores"]["bleu"]["score"] == said_of(model, source, target)
    assert said["weights"] == Translator.load(model).weights
    # The pairs are those that cleaning and holding out left.
    latest = tmp_path / "model.work" / "latest"
    left = sum(1 for _ in CorpusDirectory.open(latest / "split" / "corpus").pairs("train"))
    assert left < sum(1 for _ in read_lines(text / "train.de")) - 10
    assert Bundle.open(model).settings["made"]["pairs"] == said["sizes"]["pairs"] == left
    files = Translator.load(model).files
    assert bool(files.grammars) == (not growing)
    if growing:
        assert len(SuffixGrammar(files.segments())) == left
        assert files.text[LM_TEXT].exists()
        # The language model is what it will be made again of.
        again = LanguageModelTrainer(order=3).train(list(read_lines(files.text[LM_TEXT])))
        assert again.counts == LanguageModel.load(files.lms["lm"]).counts
        report = update_model(model, ["Der Kakadu schläft."], ["The cockatoo sleeps."])
        assert report.pairs == Bundle.open(model).settings["made"]["pairs"] == left + 1
        assert Translator.load(model).translate("Kakadu") == "Cockatoo"


@pytest.mark.parametrize("growing", [True, False])
def test_a_recipe_can_say_it(text, tmp_path, growing):
    recipe = text / f"recipe-{growing}.toml"
    recipe.write_text(RECIPE.replace("GROWING", str(growing).lower()))
    work = tmp_path / "work"
    said = json.loads(tolka("run", recipe, "--work", work, "--json"))
    model = work / "latest" / "model" / "model"
    raw = CorpusDirectory.open(work / "latest" / "split" / "corpus")
    source, target = zip(*raw.pairs("test"), strict=True)
    assert said["tests"]["model"]["scores"]["bleu"]["score"] == said_of(model, list(source), list(target))
    assert said["tests"]["model"]["lines"] == 20
    assert bool(Translator.load(model).files.text) == growing
    again = json.loads(tolka("run", recipe, "--work", work, "--json"))
    assert all(one["cached"] for one in again["stages"])
    assert again["tests"] == said["tests"]
    assert "test of model: bleu" in tolka("run", recipe, "--work", work)


def test_mixed_models_of_language_do_not_grow(text, tmp_path):
    (tmp_path / "more.en").write_text("The zebra is here.\n")
    asked = TrainSettings(
        text / "train.de", text / "train.en", ("de", "en"), growing=True, mono=(tmp_path / "more.en",), overrides=QUICK
    )
    train(asked, tmp_path / "model")
    translator = Translator.load(tmp_path / "model")
    assert translator.description.growing is not None
    assert translator.description.growing.lm is None
    assert LM_TEXT not in translator.files.text


def test_growing_models_need_what_they_grow_by(text, tmp_path):
    recipe = RECIPE.replace("GROWING", "true")
    for name in ("train.de", "train.en"):
        (tmp_path / name).write_text((text / name).read_text())
    (tmp_path / "r.toml").write_text(recipe)
    with pytest.raises(StageError, match="keep its aligner"):
        run(Recipe.load(tmp_path / "r.toml", ["model.keep_aligner=false", "tune.iterations=0"]), tmp_path / "work")
    with pytest.raises(StageError, match=r"smooth"):
        run(Recipe.load(tmp_path / "r.toml", ["grammar.smoothing=good-turing"]), tmp_path / "work")
    with pytest.raises(SettingsError, match=r"grammar.growing"):
        Recipe.load(tmp_path / "r.toml", ["grammar.growing=maybe"])
