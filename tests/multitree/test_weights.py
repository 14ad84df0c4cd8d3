"""Statistics, a language model and classifiers, each by its weight."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from tests.multitree.test_translator import SMALL, pairs

from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.multitree import STATISTICS, SYSTEMS, MultitreeSettings, MultitreeTranslator

if TYPE_CHECKING:
    from pathlib import Path

WEIGHED = {"semiring": "viterbi", "strategy": "chart", "identity": "boundary", "beam": 30, "weights": dict(STATISTICS)}


@pytest.fixture(scope="module")
def language(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made, *_ = pairs(200, 7)
    path = tmp_path_factory.mktemp("language") / "lm.tlm"
    LanguageModelTrainer(order=3).train([" ".join(target) for _, target in made]).save(path)
    return path


@pytest.fixture
def trained(language: Path) -> MultitreeTranslator:
    made, trees, links = pairs(60, 1)
    trained = MultitreeTranslator(SMALL, threads=1).train(made, trees, links=links)
    return trained.with_language(language).searching(**WEIGHED)


def test_proposals_are_scored_by_what_is_weighed(trained: MultitreeTranslator) -> None:
    made, trees, _ = pairs(12, 3)
    sources = [source for source, _ in made]
    for strategy in ("chart", "agenda"):
        proposed = trained.searching(strategy=strategy).proposals(sources, trees, most=8)
        best = trained.translate(sources, trees)
        assert [ones[0].words for ones in proposed] == [str(one) for one in best]
        for ones in proposed:
            assert 1 <= len(ones) <= 8
            assert len({one.words for one in ones}) == len(ones)
            scores = [sum(STATISTICS[name] * value for name, value in one.features.items()) for one in ones]
            # Costs are in fixed point.
            assert all(later - former < 1e-3 for former, later in pairwise(scores))
            assert all(set(one.features) == set(STATISTICS) for one in ones)
            assert all(one.features["words"] == len(one.words.split()) for one in ones)


def test_the_language_model_scores_whole_sentences(trained: MultitreeTranslator, language: Path) -> None:
    model = LanguageModel.load(language)
    made, trees, _ = pairs(8, 3)
    for ones in trained.proposals([source for source, _ in made], trees, most=4):
        for one in ones:
            assert one.features["lm"] == pytest.approx(model.score(one.words) * 2.302585, rel=1e-4, abs=1e-3)


def test_weights_are_tuned_and_kept(trained: MultitreeTranslator, tmp_path: Path) -> None:
    made, trees, _ = pairs(30, 3)
    sources, targets = [source for source, _ in made], [target for _, target in made]
    found = trained.tune_weights(sources, targets, trees, iterations=2, most=20)
    assert found.score == max(step.score for step in found.history)
    assert trained.settings.weights == found.weights
    trained.save(tmp_path / "model")
    opened = MultitreeTranslator.load(tmp_path / "model", threads=1)
    assert opened.settings == trained.settings
    assert opened.proposals(sources, trees, most=5) == trained.proposals(sources, trees, most=5)


def test_a_damaged_language_model_is_told(trained: MultitreeTranslator, tmp_path: Path) -> None:
    trained.save(tmp_path / "model")
    bundle = Bundle.open(tmp_path / "model")
    with save_bundle(tmp_path / "other", kind="multitree", settings=bundle.settings) as out:
        for name in bundle.names:
            data = bundle.file(name).read_bytes()
            out.file(name).write_bytes(data[: len(data) // 2] if name == "language.tlm" else data)
    with pytest.raises(FormatError):
        MultitreeTranslator.load(tmp_path / "other")


def test_what_cannot_be_weighed(trained: MultitreeTranslator, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no statistic"):
        trained.searching(weights={"tone": 1.0})
    with pytest.raises(SettingsError, match="cannot weigh"):
        trained.searching(weights={"lm": float("nan")})
    with pytest.raises(SettingsError, match="cannot weigh"):
        trained.searching(weights={"lm": "much"})
    with pytest.raises(SettingsError, match="threshold"):
        trained.searching(threshold=2.0)
    for none in (0, -1):
        with pytest.raises(SettingsError, match="cannot be proposed"):
            trained.proposals([["a"]], most=none)
    with pytest.raises(SettingsError, match="no setting of the search"):
        trained.searching(epochs=3)
    with pytest.raises(SettingsError, match="viterbi"):
        MultitreeSettings(weights=dict(STATISTICS))
    with pytest.raises(FileError):
        trained.with_language(tmp_path / "none.tlm")
    with pytest.raises(InputError, match="references"):
        trained.tune_weights([["a"]], [])
    # What was refused has changed nothing.
    assert trained.settings.weights == dict(STATISTICS)
    with pytest.raises(SettingsError, match="nothing is weighed"):
        trained.searching(weights=None).tune_weights([["a"]], [["b"]])


def test_a_language_model_that_went_away_is_told(trained: MultitreeTranslator, language: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.tlm"
    own.write_bytes(language.read_bytes())
    trained.with_language(own)
    own.unlink()
    with pytest.raises(FileError, match="language model"):
        trained.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_without_classifiers_statistics_decide(language: Path, tmp_path: Path) -> None:
    made, trees, links = pairs(60, 1)
    settings = replace(SYSTEMS["best"], epochs=0, prior=False)
    translator = MultitreeTranslator(settings, threads=1).train(made, trees, links=links, checkpoint=tmp_path / "kept")
    record = translator.record_
    assert record.account is not None
    assert record.account.pairs == 60
    assert record.curve == record.sureness == ()
    assert [allowed for allowed, _ in record.completeness] == [0, 1, 2, 3]
    assert translator.feature_mass() == []
    sources = [source for source, _ in made[:20]]
    found = translator.with_language(language).translate(sources, trees[:20])
    # A training that was stopped behind the lexicon ends in the same way, and so do disks.
    again = MultitreeTranslator(settings, threads=1).train(made, trees, links=links, checkpoint=tmp_path / "kept")
    assert again.record_ == record
    assert again.with_language(language).translate(sources, trees[:20]) == found
    translator.save(tmp_path / "model")
    opened = MultitreeTranslator.load(tmp_path / "model", threads=1)
    assert opened.record_ == record
    assert opened.translate(sources, trees[:20]) == found
    with pytest.raises(SettingsError, match="no classifiers"):
        translator.tune(sources, [target for _, target in made[:20]], trees[:20])
    # Then nobody would be left who says what an inference costs.
    with pytest.raises(SettingsError, match="epochs cannot be 0"):
        translator.searching(weights=None)


def test_what_is_not_weighed_is_not_tuned(trained: MultitreeTranslator) -> None:
    made, trees, _ = pairs(20, 3)
    some = {"lm": 0.5, "target": 0.1, "words": 0.2}
    found = trained.searching(weights=some).tune_weights(
        [source for source, _ in made], [target for _, target in made], trees, iterations=1, most=10
    )
    assert found.weights.keys() == some.keys()
    assert trained.settings.weights == found.weights


def test_context_says_which_translation_is_meant(language: Path, tmp_path: Path) -> None:
    """`bank` is a river's behind `green` and has money behind `old`; both are as frequent, so statistics cannot know."""
    made = [(["green", "bank"], ["rive", "verte"]), (["old", "bank"], ["vieille", "banque"])] * 12
    links = [[(0, 1, 1.0), (1, 0, 1.0)], [(0, 0, 1.0), (1, 1, 1.0)]] * 12
    settings = replace(SYSTEMS["best"], longest=(1, 1))
    translator = MultitreeTranslator(settings, threads=1).train(made, links=links, checkpoint=tmp_path / "kept")
    row = translator.curve_[-1]
    assert row["classifiers"] == 2
    assert row["examples"] == [48, 24, 0, 0]
    assert "seen" not in row
    chosen = translator.with_language(language).searching(weights={"leaf.classifiers": 1.0})
    told = {sentence: str(chosen.translate([sentence.split()])[0]) for sentence in ("green bank", "old bank")}
    assert set(told["green bank"].split()) == {"verte", "rive"}
    assert set(told["old bank"].split()) == {"vieille", "banque"}
    # What context says counts beside how often a pair is right, and is nothing without that.
    with pytest.raises(SettingsError, match="what context adds"):
        chosen.searching(weights=None, semiring="minmerge", strategy="agenda")
    again = MultitreeTranslator(settings, threads=1).train(made, links=links, checkpoint=tmp_path / "kept")
    assert again.record_ == translator.record_
    chosen.save(tmp_path / "model")
    opened = MultitreeTranslator.load(tmp_path / "model", threads=1)
    assert [str(one) for one in opened.translate([["green", "bank"]])] == [told["green bank"]]


def test_costs_are_minus_scores_however_long_a_sentence_is(language: Path) -> None:
    made, trees, links = pairs(60, 1)
    translator = MultitreeTranslator(replace(SYSTEMS["best"], beam=5), threads=1).train(made, trees, links=links)
    translator.with_language(language)
    weights = translator.settings.weights or {}
    for words in (made[0][0], made[0][0] * 80):
        found = translator.translate([words])[0]
        (best, *_) = translator.proposals([words], most=1)[0]
        score = sum(weights[name] * best.features[name] for name in weights)
        assert found.costs == pytest.approx([-score], abs=1e-2)
        assert sum(step[3] for step in found.steps) == pytest.approx(-score, abs=1e-2)


def test_an_oracle_knows_all_labels_or_asks_classifiers_alone(trained: MultitreeTranslator) -> None:
    made, trees, _ = pairs(4, 3)
    sources, wanted = [source for source, _ in made], [target for _, target in made]
    assert [list(one.words) for one in trained.translate_knowing(sources, wanted, trees)] == wanted
    with pytest.raises(SettingsError, match="no classifiers alone judge"):
        trained.translate_knowing(sources, wanted, trees, knowing="joins")
