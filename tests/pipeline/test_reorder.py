"""Pre-ordering in recipes and in translators: `[parse]`, `[reorder]`, `tolka train --reorder`."""

import json
import shutil

import pytest

from tolka.align import read_links
from tolka.decode import Given, Sentence
from tolka.errors import FormatError, SettingsError
from tolka.pipeline import Recipe, StageError, TrainSettings, run, train, training_recipe
from tolka.pipeline.stages.reorder import reorder
from tolka.progress import SILENT
from tolka.reorder import load
from tolka.syntax import read_conllu, synthetic_treebank, train_parser
from tolka.translate import Translator
from tolka.translate.reordering import reorder_sentence

QUICK = ("tune.iterations=1", "tune.nbest=10", "align.model=hmm", "lm.order=3", "reorder.held_out=20")
PAIRS = 300


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def bank():
    return synthetic_treebank(seed=3, sentences=PAIRS + 40)


@pytest.fixture(scope="module")
def text(bank, tmp_path_factory):
    """Tokenised text of the treebank: train and dev, which has an empty line."""
    place = tmp_path_factory.mktemp("text")
    source = [" ".join(tree.forms) for tree in bank.trees]
    target = [" ".join(words) for words in bank.targets]
    write(place / "train.de", source[:PAIRS])
    write(place / "train.en", target[:PAIRS])
    write(place / "dev.de", ["", *source[PAIRS:]])
    write(place / "dev.en", ["", *target[PAIRS:]])
    return place


@pytest.fixture(scope="module")
def parser(bank, tmp_path_factory):
    place = tmp_path_factory.mktemp("parser")
    train_parser(bank.trees[:150], place / "de.model", tagger_iterations=2, iterations=1, hidden_layer=20)
    return place / "de.model"


def settings(text, **given):
    asked = {"overrides": QUICK, "dev": (text / "dev.de", text / "dev.en"), "tokenised": True, "compounds": False}
    return TrainSettings(text / "train.de", text / "train.en", ("de", "en"), kind="phrase", **asked | given)


@pytest.fixture(scope="module")
def trained(text, parser, tmp_path_factory):
    """A model that reorders by a parser and rules."""
    model = tmp_path_factory.mktemp("trained") / "de-en"
    train(settings(text, reorder="rules:collins-ud", parser=parser), model)
    return model


def test_the_recipe_has_the_stages_where_they_belong(text):
    with_classes = training_recipe(settings(text, reorder="gru"))
    assert [node.name for node in with_classes.graph.order] == [
        "corpus", "clean", "align", "reorder", "lm", "grammar", "tune", "model",
    ]  # fmt: skip
    named = training_recipe(settings(text, reorder="gru", parser="de.model"))
    names = [node.name for node in named.graph.order]
    assert names.index("parse") < names.index("reorder")
    links = {node.name: {name: link.node for name, link in node.links.items()} for node in named.graph.order}
    assert links["grammar"] == {"corpus": "reorder", "links": "reorder"}
    assert links["model"]["preorderer"] == "reorder"
    with pytest.raises(SettingsError, match="nothing that needs it"):
        training_recipe(settings(text, parser="de.model"))


def test_text_and_links_move_together(trained):
    work = trained.with_name("de-en.work") / "latest"
    before = (work / "clean" / "corpus" / "train.de").read_text(encoding="utf-8").splitlines()
    after = (work / "reorder" / "corpus" / "train.de").read_text(encoding="utf-8").splitlines()
    links = read_links(work / "align" / "links"), read_links(work / "reorder" / "links")
    assert len(before) == len(after) == len(links[0]) == len(links[1])
    assert any(one != other for one, other in zip(before, after, strict=True))
    for one, other, own, moved in zip(before, after, *links, strict=True):
        assert sorted(one.split()) == sorted(other.split())
        assert sorted((one.split()[i], j) for i, j in own) == sorted((other.split()[i], j) for i, j in moved)
    trees = list(read_conllu(work / "parse" / "trees" / "train.conllu"))
    assert [" ".join(tree.forms) for tree in trees] == before


def test_a_translator_reorders_what_it_translates(trained, bank):
    translator = Translator.load(trained, verify=True)
    lines = [" ".join(tree.forms) for tree in bank.trees[PAIRS:]]
    prepared = translator.prepare(lines)
    assert prepared != lines
    assert [sorted(one.split()) for one in prepared] == [sorted(one.split()) for one in lines]
    assert [one.text for one in translator.sentences(["", *lines])] == ["", *prepared]
    assert translator.translate(lines, threads=1) == translator.translate(lines, threads=2)
    assert translator.translate("") == ""


def test_saving_keeps_the_reordering(trained, bank, tmp_path):
    translator = Translator.load(trained)
    translator.save(tmp_path / "copy")
    again = Translator.load(tmp_path / "copy", verify=True)
    lines = [" ".join(tree.forms) for tree in bank.trees[:20]]
    assert again.prepare(lines) == translator.prepare(lines)


def test_a_damaged_description_is_refused(trained, tmp_path):
    shutil.copytree(trained, tmp_path / "damaged")
    manifest = tmp_path / "damaged" / "model.toml"
    text = manifest.read_text(encoding="utf-8")
    assert 'analyser = "udpipe"' in text
    manifest.write_text(text.replace('analyser = "udpipe"', 'analyser = "nobody"'), encoding="utf-8")
    with pytest.raises(FormatError, match="describes no translator"):
        Translator.load(tmp_path / "damaged")


def test_classes_serve_where_there_is_no_parser(text, tmp_path):
    small = "reorder.options={units = 8, epochs = 1}"
    done = train(settings(text, reorder="gru", overrides=(*QUICK, small)), tmp_path / "model")
    translator = Translator.load(done.model)
    assert translator.description.reorder.analyser == "classes"
    line = (text / "train.de").read_text(encoding="utf-8").partition("\n")[0]
    assert sorted(translator.prepare([line])[0].split()) == sorted(line.split())


def test_parsed_sentences_must_be_those_of_the_corpus(text, parser, tmp_path):
    recipe = Recipe.from_text(
        f"""
        [corpus]
        langs = ["de", "en"]
        source = {json.dumps(str(text / "train.de"))}
        target = {json.dumps(str(text / "train.en"))}
        [parse]
        model = {json.dumps(str(parser))}
        [clean]
        max_tokens = 12
        [align]
        model = "ibm1"
        [reorder]
        model = "rules:collins-ud"
        """
    )
    with pytest.raises(StageError, match="is missing; let no stage between"):
        run(recipe, tmp_path / "work")


def test_words_with_a_given_translation_stay_together():
    given = [Given(1, 3, [("the book", 0.0)]), Given(2, 4, [("x", 0.0)], exclusive=False)]
    moved = reorder_sentence(Sentence("a b c d e", given), [4, 3, 0, 1, 2])
    assert moved.text == "e b c d a"
    assert [(one.start, one.end) for one in moved.given] == [(1, 3), (2, 4)]


def test_the_seed_reaches_the_model(text, tmp_path):
    recipe = training_recipe(settings(text, reorder="walker", seed=7, overrides=(*QUICK, "reorder.pairs=60")))
    done = run(recipe, tmp_path / "work")
    assert load(done["reorder"].outputs["preorderer"]).seed == 7


def test_pairs_are_drawn_or_the_surest(text, tmp_path):
    words = {}
    for choice in ("drawn", "surest"):
        extra = ("reorder.pairs=40", f"reorder.choose={choice}", "reorder.options={bits = 10, rare = 1}")
        recipe = training_recipe(settings(text, reorder="walker", overrides=(*QUICK, *extra)))
        done = run(recipe, tmp_path / "work", until="reorder")
        words[choice] = load(done["reorder"].outputs["preorderer"])._symbols.values["forms"]
    assert set(words["drawn"]) != set(words["surest"])
    given = {"corpus": done["clean"].outputs["corpus"], "links": done["align"].outputs["links"]}
    written = {name: tmp_path / name for name in (*reorder.outputs, "notes")}
    with pytest.raises(SettingsError, match="only an aligner says"):
        reorder.function(given, written, reorder.settings(model="walker", choose="surest"), SILENT)


def test_classes_are_of_no_use_beside_trees(text, parser, tmp_path):
    asked = settings(text, reorder="gru", parser=parser, overrides=(*QUICK, "reorder.classes=10"))
    with pytest.raises(StageError, match="no use where sentences are parsed"):
        run(training_recipe(asked), tmp_path / "work")
