"""Word senses as a task: what is kept of a sentence asks and learns what the model itself would."""

import json

import numpy as np
import pytest

from tolka.align import Aligner
from tolka.assist.senses import SenseModel
from tolka.assist.tasks import Given, TaskSettings, create_tasks, open_tasks
from tolka.assist.tasks.making import maker
from tolka.assist.tasks.outcome import results
from tolka.assist.tasks.senses import SenseTask
from tolka.errors import InputError, SettingsError
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer
from tolka.translate import Description, ModelFiles, TextSettings, Translator

PAIRS = [
    ("das buch ist schwer", "the book is heavy"),
    ("die frage ist schwer", "the question is hard"),
    ("die frage ist schwierig", "the question is hard"),
    ("der koffer ist gewichtig", "the suitcase is heavy"),
    ("das buch ist gewichtig", "the book is heavy"),
    ("das spiel ist schwierig", "the game is hard"),
    ("der stein ist schwer", "the stone is heavy"),
    ("das spiel ist schwer", "the game is hard"),
    ("der stein ist alt", "the stone is old"),
    ("der koffer ist alt", "the suitcase is old"),
] * 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of phrases that does not know what is heavy and what is hard."""
    place = tmp_path_factory.mktemp("model")
    source, target = [one for one, _ in PAIRS], [other for _, other in PAIRS]
    links = Aligner(model="hmm", threads=1).train(PAIRS).lines()
    LanguageModelTrainer(order=2).train(target).save(place / "lm.tlm")
    Extractor("phrase", max_length=2).extract(source, target, links, place / "rules.tbl")
    description = Description(kind="phrase", langs=["de", "en"], text=TextSettings(tokenised=True))
    files = ModelFiles({"grammar": place / "rules.tbl"}, {"lm": place / "lm.tlm"}, {})
    Translator(description, files, stages=["test"]).save(place / "model")
    return place / "model"


@pytest.fixture(scope="module")
def model(folder):
    return SenseModel.load(folder, functions=0)


def test_what_is_kept_asks_and_learns_what_the_model_would(model):
    task = SenseTask(model)
    for text in ("das koffer ist schwer", "das buch ist schwer", "der stein ist schwer"):
        kept = json.loads(json.dumps(task.prepare(text)))
        with_model, alone = task.dialogue(kept, lambda _: None), SenseTask().dialogue(kept, lambda _: None)
        live = model.dialogue(text)
        asked = 0
        while (question := live.question) is not None:
            assert alone.question == question == with_model.question
            for one in (live, alone, with_model):
                one.answer(question.id, asked % 2)
            asked += 1
        assert asked
        assert alone.question is None
        assert with_model.result == live.result
        assert [one.gained for one in alone.account()] == [one.gained for one in live.account()]


def test_those_who_are_believed_less_change_less(model):
    kept = SenseTask(model).prepare("der stein ist schwer")
    beliefs = []
    for right in (None, 1.0, 0.7, 0.5, 0.2):
        dialogue = SenseTask().dialogue(kept, lambda _, right=right: right)
        before = dialogue.graph.posteriors()
        dialogue.answer(dialogue.question.id, 0, by="anna")
        beliefs.append(float(np.abs(dialogue.graph.posteriors() - before).sum()))
    usual, sure, less, coin, worse = beliefs
    assert usual == pytest.approx(sure)
    assert sure > less > coin
    assert coin == pytest.approx(0, abs=1e-12)
    assert worse == pytest.approx(0, abs=1e-12)


def test_people_make_the_translation_another_one(model, tmp_path):
    sentences = [one for one, _ in PAIRS[:2]]
    settings = TaskSettings.from_values({"task": "senses", "tests": {"rate": 0.0}})
    made = create_tasks(tmp_path / "tasks", sentences, settings, SenseTask(model))
    assert made.askable == 2
    with open_tasks(tmp_path / "tasks") as tasks:
        tasks.invite("anna")
        anna = tasks.named("anna")
        while (shown := tasks.view(anna).shown) is not None:
            heavy = "buch" in shown.text
            wanted = "gewichtig" if heavy else "schwierig"
            at = shown.choices.index(wanted) if wanted in shown.choices else None
            tasks.answer(anna, shown.task, Given(said=at))
        assert [one.result for one in results(tasks)] == ["the book is heavy", "the question is hard"]
        assert sum(one.result != one.first for one in results(tasks)) == 1


def test_models_that_are_missing_or_not_wanted(folder, tmp_path):
    with pytest.raises(SettingsError, match="the task senses needs --model"):
        maker("senses", model=None, parser=None)
    with pytest.raises(SettingsError, match="does not take --parser"):
        maker("senses", model=folder, parser=folder)
    with pytest.raises(SettingsError, match="no task 'other'"):
        maker("other")
    task = maker("senses", model=folder, parser=None, grammar=())
    assert task.prepare("das buch ist schwer")["text"] == "das buch ist schwer"
    with pytest.raises(SettingsError, match="prepared with a model"):
        SenseTask().prepare("das buch")
    with pytest.raises(InputError):
        task.prepare("")
