"""Statistics, a language model and classifiers, each by its weight."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from tests.multitree.test_translator import SMALL, pairs

from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.multitree import STATISTICS, MultitreeSettings, MultitreeTranslator

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
