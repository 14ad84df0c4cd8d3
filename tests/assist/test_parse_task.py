"""Parses as a task: what people say of rewritten sentences makes another treebank."""

import json

import pytest

from tolka.assist.parsing import Candidate, ParseMaterial
from tolka.assist.tasks import Given, TaskSettings, create_tasks, open_tasks
from tolka.assist.tasks.outcome import account_line, results
from tolka.assist.tasks.parse import ParseTask
from tolka.errors import FormatError, SettingsError
from tolka.syntax import ConstituentForest, parse_penn

HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (NN him)) (PP (IN at) (NP (NN home)))))"
LOW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN him)) (PP (IN at) (NP (NN home))))))"
REWRITES = ("he was seen by me at home", "he at home was seen by me")


class ByHand(ParseTask):
    """Prepares the one sentence whose two trees are known, without a parser."""

    def prepare(self, sentence):  # noqa: ARG002
        trees = [parse_penn(one) for one in (LOW, HIGH)]
        forest = ConstituentForest.from_trees([(trees[0], -0.5), (trees[1], -0.9)])
        candidates = tuple(Candidate(text, "en.passive", "2-5") for text in REWRITES)
        return ParseMaterial(trees[0], forest, candidates, ((1,), (0,))).as_json()


@pytest.fixture
def tasks(tmp_path):
    settings = TaskSettings.from_values({"task": "parse", "tests": {"rate": 0.0}})
    made = create_tasks(tmp_path / "tasks", ["I saw him at home"] * 2, settings, ByHand())
    assert made.askable == 2
    with open_tasks(tmp_path / "tasks") as tasks:
        yield tasks


def test_answers_make_another_treebank(tasks):
    tasks.invite("anna")
    anna = tasks.named("anna")
    shown = tasks.view(anna).shown
    assert shown.kind == "rewrite"
    assert set(shown.choices) == set(REWRITES)
    tasks.answer(anna, shown.task, Given(said=tuple(one == REWRITES[0] for one in shown.choices)))
    first, second = results(tasks)
    assert (first.first, first.result) == (LOW, HIGH)
    assert second.result == LOW
    line = account_line(first, first.effects[0])
    assert (line["by"], line["changed"], line["after"]) == ("anna", True, HIGH)
    assert json.loads(json.dumps(line)) is not None
    # Taken back, it is as it was.
    tasks.undo(anna, tasks.view(anna).undoable)
    assert [one.result for one in results(tasks)] == [LOW, LOW]


def test_who_cannot_tell_changes_nothing(tasks):
    tasks.invite("anna")
    anna = tasks.named("anna")
    while (shown := tasks.view(anna).shown) is not None:
        tasks.answer(anna, shown.task, Given(said=(None, None)))
    assert [one.result for one in results(tasks)] == [LOW, LOW]
    assert [len(one.effects) for one in results(tasks)] == [1, 1]


def test_who_was_often_wrong_is_believed_less():
    kept = ByHand().prepare("")
    gained = []
    for right in (None, 0.95, 0.6, 0.5):
        dialogue = ParseTask().dialogue(kept, lambda _, right=right: right)
        said = [one == REWRITES[1] for one in dialogue.question.choices]
        dialogue.answer(dialogue.question.id, said, by="anna")
        gained.append(dialogue.account()[0].gained)
    assert gained == sorted(gained, reverse=True)
    assert gained[-1] == pytest.approx(0, abs=1e-9)


def test_sentences_need_a_parser_and_material_must_make_sense():
    with pytest.raises(SettingsError, match="prepared with a parser"):
        ParseTask().prepare("I saw him")
    with pytest.raises(FormatError, match="no material of a conversation"):
        ParseTask().dialogue({"forest": []}, lambda _: None)
