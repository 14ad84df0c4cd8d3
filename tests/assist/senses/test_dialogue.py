"""Conversations about sentences of small models, and simulated people in them."""

import json

import numpy as np
import pytest

from tolka.assist import Dialogue, GoneError
from tolka.assist.senses import (
    LexiconUser,
    NoisyUser,
    ReferenceUser,
    SearchGraph,
    SenseDialogue,
    SenseModel,
    budget,
    calibrate,
    compared,
    reliability,
    simulate_senses,
    usual_scale,
)
from tolka.assist.senses.dialogue import places_of
from tolka.cli.assist.senses import simulate_senses_command
from tolka.errors import InputError, SettingsError
from tolka.evaluate import bleu

BAG = "die Tasche ist schwer ."


@pytest.fixture(scope="module", params=["phrase", "hiero"])
def model(models, request):
    return SenseModel.load(models[request.param], functions=0)


def test_an_answer_changes_the_translation(model):
    dialogue = model.dialogue(BAG)
    assert isinstance(dialogue, Dialogue)
    assert dialogue.result == model.translator.translate(BAG) == "the bag is heavy ."
    question = dialogue.question
    assert (question.kind, question.text, question.focused) == ("substitute", BAG, ("schwer",))
    assert set(question.choices) == {"gewichtig", "schwierig"}
    assert question.information == pytest.approx(dialogue.present.information)
    dialogue.answer(question.id, question.choices.index("schwierig"), by="ann")
    assert dialogue.result == "the bag is difficult ."
    [effect] = dialogue.account()
    assert (effect.question, effect.before, effect.after, effect.by) == (
        question, "the bag is heavy .", "the bag is difficult .", "ann",
    )  # fmt: skip
    assert effect.changed
    assert effect.gained is not None
    with pytest.raises(GoneError):
        dialogue.answer(question.id, 0)


def test_the_other_answer_makes_surer(model):
    dialogue = model.dialogue(BAG)
    question = dialogue.question
    dialogue.answer(question.id, question.choices.index("gewichtig"))
    [effect] = dialogue.account()
    assert not effect.changed
    assert effect.gained > 0


def test_neither_tells_nothing(model):
    dialogue = model.dialogue(BAG)
    before = dialogue.graph
    dialogue.answer(dialogue.question.id, None)
    assert dialogue.graph is before
    [effect] = dialogue.account()
    assert (effect.changed, effect.gained) == (False, 0.0)
    # The same is not asked again.
    assert dialogue.question is None or dialogue.question.id != effect.question.id


@pytest.mark.parametrize("answer", [2, -1, True, [True]])
def test_what_is_no_answer(model, answer):
    dialogue = model.dialogue(BAG)
    with pytest.raises(InputError):
        dialogue.answer(dialogue.question.id, answer)
    assert dialogue.account() == ()


def test_the_same_answers_lead_to_the_same_place(model):
    one, other = model.dialogue(BAG), model.dialogue(BAG)
    while one.question is not None:
        assert other.question == one.question
        for dialogue in (one, other):
            dialogue.answer(dialogue.question.id, 1)
        assert one.result == other.result
    assert one.account() == other.account()
    assert one.asked > 0


def test_limits(model):
    assert model.dialogue(BAG, most=0).question is None
    assert model.dialogue(BAG, least=0.69).question is None
    assert model.dialogue(BAG, per_word=0).question is None
    told = model.dialogue(BAG).question.information
    assert model.dialogue(BAG, least=told).question is not None


def test_nothing_to_ask(model):
    for line in ("", "  ", "xyzzy"):
        dialogue = model.dialogue(line)
        assert dialogue.question is None
        assert dialogue.result == model.translator.translate(line)
    with pytest.raises(GoneError):
        model.dialogue("").answer("0" * 16, 0)


def test_many_lines_are_one_by_one(model, bitext):
    lines = [source for source, _ in bitext[:70]] + [""]
    found = [dialogue.result for dialogue in model.dialogues(lines)]
    assert found == model.translator.translate(lines)


def test_dialogues_of_graphs_from_files(model):
    graph = model.graphs([BAG])[0]
    again = SenseDialogue(SearchGraph.from_json(graph.to_json()), model.asker)
    assert again.question == model.dialogue(BAG).question


def test_scales(model):
    assert model.scale == usual_scale(model.translator)
    sharp, flat = (model.with_scale(scale).dialogue(BAG).present.weights.max() for scale in (1.0, 0.1))
    assert sharp > model.dialogue(BAG).present.weights.max() > flat


@pytest.mark.parametrize(
    ("text", "words", "wanted"),
    [
        ("Das Haus, das!", "das Haus , das !", {0: 0, 1: 1, 3: 2}),
        # Parts of compounds, and words that came to be more or fewer, have no place.
        ("Die Handtasche", "die Hand Tasche", {0: 0}),
        ("ja nein", "ja ja nein", {2: 1}),
        ("...", ". . .", {}),
    ],
)
def test_places(text, words, wanted):
    assert places_of(text.split(), words.split()) == wanted


# Sentences whose language model is wrong about the sense.
HARD = [("die Tasche ist schwer .", "the bag is difficult ."), ("er sieht Schloss .", "he sees lock .")]
LEXICON = [("schwer", "difficult"), ("schwierig", "difficult"), ("gewichtig", "heavy"), ("schwer", "heavy")]


def _all(bitext):
    sources, references = ([pair[at] for pair in [*HARD, *bitext[:20]]] for at in range(2))
    return sources, references


def test_an_oracle_makes_it_better(model, bitext):
    sources, references = _all(bitext)
    found = simulate_senses(model, sources, references, questions=3)
    assert found.before == pytest.approx(bleu(found.texts, references))
    assert [one.questions for one in found.curve] == [1, 2, 3]
    assert found.after.bleu > found.before
    assert found.turns[0][0].text == HARD[0][1]
    first = found.curve[0]
    assert first.asked == sum(bool(own) for own in found.turns)
    assert first.answered == sum(own[0].answer is not None for own in found.turns if own)
    after = [own[-1].text if own else text for text, own in zip(found.texts, found.turns, strict=True)]
    assert found.after.bleu == pytest.approx(bleu(after, references))
    moved = sum(one != other for one, other in zip(after, found.texts, strict=True))
    assert found.after.changed == pytest.approx(moved / len(sources))
    assert json.loads(json.dumps(found.to_dict()))["before"]["bleu"] == pytest.approx(found.before, abs=1e-3)
    # The same again.
    assert simulate_senses(model, sources, references, questions=3) == found


def test_wrong_answers_make_it_worse(model, bitext):
    sources, references = _all(bitext)
    right, wrong = (
        simulate_senses(model, sources, references, user=NoisyUser(ReferenceUser(), errors), questions=1).after.bleu
        for errors in (0.0, 1.0)
    )
    assert wrong < right


def test_budgets(model, bitext):
    sources, references = _all(bitext)
    found = simulate_senses(model, sources, references, questions=3)
    every = sum(len(own) for own in found.turns)
    none, one, whole = budget(found, references, [0, 1, every])
    assert (none.bleu, none.asked) == (found.before, 0)
    assert one.asked == 1
    assert (whole.asked, whole.bleu) == (every, found.after.bleu)


def test_users(model):
    present = model.dialogue(BAG).present
    difficult = present.substitutes.index("schwierig")
    oracle, lexicon = ReferenceUser(), LexiconUser(LEXICON)
    for user in (oracle, lexicon):
        assert user.answer(present, "the bag is difficult .") == difficult
        assert user.answer(present, "the bag is heavy .") == 1 - difficult
        assert user.answer(present, "the bag is big .") is None
        assert user.answer(present, "heavy and difficult") is None
    # Inflected forms are known by how they begin.
    assert lexicon.answer(present, "the bag is difficulty") in {difficult, None}
    references = [f"the bag {at} is difficult ." for at in range(400)]
    noisy = NoisyUser(oracle, 0.2, seed=5)
    wrong = [noisy.answer(present, one) != difficult for one in references]
    assert 0.13 < np.mean(wrong) < 0.27
    assert wrong == [noisy.answer(present, one) != difficult for one in references]
    with pytest.raises(SettingsError, match="errors"):
        NoisyUser(oracle, 1.5)


def test_calibration_finds_the_scale_that_sentences_were_drawn_with(models):
    model = SenseModel.load(models["phrase"], functions=0)
    truth = 0.6
    lines = ["die Tasche ist schwer .", "die Frage ist schwer .", "er sieht Schloss .", "sie öffnet Schloss ."]
    sources, references = [], []
    for line in lines:
        forest = model.translator.forest(line)
        for drawn in forest.sample(300, seed=3, temperature=1 / truth):
            sources.append(line)
            references.append(drawn.text)
    found = calibrate(model, sources, references)
    assert found.scale == pytest.approx(truth, rel=0.2)
    assert found.loss <= min(loss for _, loss in found.curve)
    assert found.loss <= found.loss_before
    assert sum(one.phrases for one in found.bins) == found.phrases
    assert found.error < 0.05


def test_reliability_tables():
    [low, high] = reliability(np.array([0.2, 0.3, 1.0]), np.array([True, False, True]), 2)
    assert (low.phrases, low.predicted, low.right) == (2, 0.25, 0.5)
    assert (high.low, high.high, high.phrases) == (0.5, 1.0, 1)
    with pytest.raises(SettingsError, match="bins"):
        reliability(np.array([0.5]), np.array([True]), 0)


def test_nothing_changed():
    found = compared(["a b c d"], ["a b c d"], ["a b c d"])
    assert (found.gain, found.changed, found.p_bootstrap, found.p_changed) == (0.0, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("call", "error", "what"),
    [
        (lambda model: simulate_senses(model, ["a"], []), InputError, "1 sentences and 0 references"),
        (lambda model: simulate_senses(model, [], []), InputError, "no sentences"),
        (lambda model: simulate_senses(model, ["a"], ["b"], questions=0), SettingsError, "0 questions"),
        (lambda model: simulate_senses(model, [BAG], ["b"], strategy="best"), SettingsError, "no strategy"),
        (lambda model: calibrate(model, ["a"], []), InputError, "1 sentences and 0 references"),
        (lambda model: calibrate(model, ["xyzzy"], ["b"]), InputError, "no word of these"),
    ],
)
def test_what_is_refused(model, call, error, what):
    with pytest.raises(error, match=what):
        call(model)


def test_command(models, bitext, tmp_path, capsys):
    sources, references = _all(bitext)
    for name, lines in (("s", sources), ("r", references)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "lexicon").write_text(
        "schwer\tdifficult, heavy\nschwierig\tdifficult\ngewichtig\theavy\n", encoding="utf-8"
    )
    place = (models["phrase"], tmp_path / "s", tmp_path / "r")
    dev = (tmp_path / "s", tmp_path / "r")
    simulate_senses_command(*place, questions=2, dev=dev, functions=0, json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["after"]["bleu"] >= found["before"]["bleu"]
    assert [one["questions"] for one in found["curve"]] == [1, 2]
    assert found["scale"] == found["calibration"]["scale"]
    simulate_senses_command(*place, user="lexicon", lexicon=tmp_path / "lexicon", errors=0.1, functions=0, quiet=True)
    assert "BLEU" in capsys.readouterr().out
    for settings, what in [
        ({"user": "me"}, "no user 'me'"),
        ({"user": "lexicon"}, "give both"),
        ({"scale": 1.0, "dev": dev}, "leave --scale or --dev out"),
    ]:
        with pytest.raises(SettingsError, match=what):
            simulate_senses_command(*place, **settings)
