"""The weight of the language model: what it is, what it does, and what readers make of it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import InputError, SettingsError
from tolka.evaluate import evaluate
from tolka.judge import Answer, Choice
from tolka.judge.campaign import open_campaign
from tolka.judge.exchange import write_jsonl
from tolka.judge.experiment import Sweep, Swept, preferred, readers_answers, sweep
from tolka.judge.experiment.sweep import _information, _shared, alpha_of
from tolka.translate import Translator


def run(*arguments):
    return CliRunner().invoke(app, ["judge", "experiment", *map(str, arguments)])


@pytest.fixture(scope="module")
def found(model, words):
    source, reference = ([pair[at] for pair in words[1]] for at in (0, 1))
    return sweep(Translator.load(model), source, reference, alphas=[1, 0.1, 4], threads=1), source, reference


def test_alpha_counts_every_model_of_a_kind():
    weights = {"one.phrase_fe": 1, "two.lex_ef": 0.5, "reorder_prev_mono": 9, "a": 2, "b": 1, "word_count": 3}
    assert alpha_of(weights, ["a", "b"]) == (2, 1.5)
    with pytest.raises(InputError, match="no language model"):
        alpha_of(weights, [])
    with pytest.raises(InputError, match="weigh -1 together"):
        alpha_of({"phrase_fe": -1, "lm": 1}, ["lm"])


def test_points_are_the_model_under_those_weights(found, model):
    swept, source, reference = found
    translator = Translator.load(model)
    tuned, translation = alpha_of(translator.weights, ["lm"])
    assert swept.tuned == tuned
    assert [point.alpha for point in swept.points] == [0.1, 1, 4]
    for point in swept.points:
        scale = point.alpha / tuned
        words = translator.weights["word_count"] * scale
        other = translator.with_weights({"lm": point.alpha * translation, "word_count": words})
        outputs = other.translate(source, threads=1)
        assert list(point.outputs) == outputs
        assert point.bleu == evaluate(outputs, reference, ["bleu"], tokenised=True)["bleu"].score
    assert swept.best.bleu == max(point.bleu for point in swept.points)


def test_stronger_language_models_make_likelier_outputs(found):
    swept = found[0]
    means = [math.fsum(point.fluency) / len(point.fluency) for point in swept.points]
    assert means == sorted(means)
    assert means[0] < means[-1]


def test_the_fluent_reader_prefers_the_strongest(found):
    swept, _, reference = found
    ranking, alpha = preferred(readers_answers(swept, reference, "fluency", answers=600), swept)
    assert alpha == 4
    assert set(ranking.items) <= {"alpha-0.1", "alpha-1", "alpha-4"}


def test_readers_answer_by_what_they_like():
    points = (
        Swept(0.5, 0, 1, ("the red dog sleeps", "same"), (-9.0, -1.0)),
        Swept(1, 0, 1, ("the the the the", "same"), (-1.0, -1.0)),
    )
    reference = ["the red dog sleeps", "the same"]
    for reader, wanted in (("adequacy", "alpha-0.5"), ("fluency", "alpha-1")):
        said = readers_answers(Sweep(1, points), reference, reader, answers=50, lapse=0)
        assert {answer.winner for answer in said} == {wanted}
        assert {answer.segment for answer in said} == {"1"}  # equal outputs are never shown
        assert {answer.choice for answer in said} == {Choice.LEFT, Choice.RIGHT}
        assert said == readers_answers(Sweep(1, points), reference, reader, answers=50, lapse=0)
        assert said != readers_answers(Sweep(1, points), reference, reader, answers=50, lapse=0, seed=2)
    lapsed = readers_answers(Sweep(1, points), reference, "fluency", answers=400, lapse=1)
    assert 140 < sum(answer.winner == "alpha-1" for answer in lapsed) < 260


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_shared_information(said, meant):
    information = _information(["a b", "a c"])
    one, other = " ".join(said), " ".join(meant)
    share = _shared(one, other, information)
    assert 0 <= share <= 1
    assert share == _shared(other, one, information)
    assert (share == 1) == (sorted(said) == sorted(meant) != [])


def test_what_is_refused(found, model):
    swept, source, reference = found
    translator = Translator.load(model)
    with pytest.raises(InputError, match="parallel"):
        sweep(translator, source, reference[1:])
    for alphas in ([1], [1, 1], [-1, 1], [math.nan, 1], [math.inf, 1]):
        with pytest.raises(SettingsError, match="two different alphas"):
            sweep(translator, source, reference, alphas=alphas)
    with pytest.raises(SettingsError, match="no reader"):
        readers_answers(swept, reference, "taste")
    with pytest.raises(SettingsError, match="1 answer or more"):
        readers_answers(swept, reference, "fluency", answers=0)
    same = Sweep(1, (Swept(1, 0, 1, ("a",), (0,)), Swept(2, 0, 1, ("a",), (0,))))
    with pytest.raises(InputError, match="nothing to choose"):
        readers_answers(same, ["a"], "fluency")
    with pytest.raises(InputError, match="'google', which is no point"):
        preferred([Answer("google", "alpha-1")], swept)


def test_command(tmp_path, model, words):
    for at, lang in enumerate(("de", "en")):
        (tmp_path / f"t.{lang}").write_text("".join(f"{pair[at]}\n" for pair in words[1]), encoding="utf-8")
    texts = [model, tmp_path / "t.de", tmp_path / "t.en"]
    alphas = ["--alpha", 0.1, "--alpha", 4, "--threads", 1]
    done = run("sweep", *texts, *alphas, "--campaign", tmp_path / "campaign")
    assert done.exit_code == 0, done.output
    assert "best by fluency: 4" in done.output
    with open_campaign(tmp_path / "campaign") as campaign:
        assert campaign.items == ("alpha-0.1", "alpha-4")
        assert len(campaign.segments) == len(words[1])
    # People come before made-up readers.
    write_jsonl(tmp_path / "said.jsonl", [Answer("alpha-0.1", "alpha-4", judge="anna")] * 20)
    found = json.loads(run("sweep", *texts, *alphas, "--answers", tmp_path / "said.jsonl", "--json").output)
    assert found["best"]["people"] == 0.1
    assert found["points"][0]["people"]["score"] > found["points"][1]["people"]["score"]
    assert "adequacy" not in found["best"]
