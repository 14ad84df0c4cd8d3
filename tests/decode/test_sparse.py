"""Sparse features from rules to tuned weights; their scores are compared with enumeration in the engine."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tolka.decode import Decoder, SparseFeatures
from tolka.errors import InputError, SettingsError
from tolka.grammar import Extractor, Grammar
from tolka.lm import LanguageModelTrainer
from tolka.tune import Hypothesis, Tuner, tune_loop

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "das ist ein kleines haus", "ist das klein"]
TARGET = ["the house is small", "the small house", "a house", "this is a small house", "is this small"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2"]
KINDS = [("hiero", "chart"), ("phrase", "phrase")]
ALL = SparseFeatures(word_pair=3, rule_shape=True, rule_count=True)


@pytest.fixture(scope="module", params=KINDS, ids=["chart", "phrase"])
def decoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    kind, strategy = request.param
    path: Path = tmp_path_factory.mktemp("grammar") / "g.tbl"
    lm = LanguageModelTrainer(order=3, smoothing="witten-bell").train(TARGET)
    return Decoder(Extractor(kind).extract(SOURCE, TARGET, LINKS, path), lm, kind=strategy, sparse=ALL)


def test_scores_are_the_weighted_sums_of_all_features(decoder: Decoder) -> None:
    weighted = decoder.with_weights({"pair:haus~house": 0.7, "count:1": -0.3, "shape:w~w": 0.11})
    assert weighted.weights["pair:haus~house"] == 0.7
    assert "pair:haus~house" not in weighted.feature_names
    seen: Counter[str] = Counter()
    for listed, plain in zip(weighted.nbest(SOURCE, 20), decoder.nbest(SOURCE, 20), strict=True):
        for candidate in listed:
            every = {**candidate.features, **candidate.sparse}
            total = sum(weighted.weights.get(name, 0.0) * value for name, value in every.items())
            assert candidate.score == pytest.approx(total, abs=1e-3)
            assert all(candidate.sparse.values())
            seen.update(name.partition(":")[0] for name in candidate.sparse)
            # Each rule other than glue has one shape and one count.
            shapes = sum(value for name, value in candidate.sparse.items() if name.startswith("shape:"))
            counts = sum(value for name, value in candidate.sparse.items() if name.startswith("count:"))
            assert shapes == counts == candidate.features["rule_count"]
        assert listed[0].score >= plain[0].score or weighted.weights != decoder.weights
    assert set(seen) == {"pair", "shape", "count"}


def test_pairs_are_those_of_the_links(decoder: Decoder) -> None:
    (best, *_) = decoder.nbest(["ein haus"], 1)[0]
    assert best.text == "a house"
    pairs = {name: value for name, value in best.sparse.items() if name.startswith("pair:")}
    assert pairs.pop("pair:haus~house") == 1.0
    assert len(pairs) == 1


def test_without_templates_there_are_none(decoder: Decoder, tmp_path: Path) -> None:
    grammar = Extractor("hiero").extract(SOURCE, TARGET, LINKS, tmp_path / "g.tbl")
    plain = Decoder(grammar)
    assert plain.nbest(SOURCE[:1], 1)[0][0].sparse == {}
    with pytest.raises(InputError, match="no feature 'count:1' in this model"):
        plain.with_weights({"count:1": 1.0})
    assert decoder.sparse == ALL


@pytest.mark.parametrize(
    "name", ["pair:haus~hause", "pair:", "count:5", "shape:ww~w", "given2", "lm2", "pair:klein~small~"]
)
def test_unknown_names_are_errors(decoder: Decoder, name: str) -> None:
    with pytest.raises(InputError, match="no feature"):
        decoder.with_weights({name: 1.0})


def test_wrong_settings_are_errors() -> None:
    with pytest.raises(SettingsError, match="word_pair"):
        SparseFeatures(word_pair=-1)
    with pytest.raises(SettingsError, match="word_pair"):
        SparseFeatures(word_pair=True)


def toy(tmp_path: Path, kind: str) -> Grammar:
    """`x` is mostly p and sometimes q, `y` mostly r and sometimes s, with the same numbers."""
    source = [f"{word} {tail}" for word in "xy" for tail in ("a b c",) * 4]
    target = [f"{word} {tail}" for word in "pppqrrrs" for tail in ("A B C",)]
    return Extractor(kind).extract(source, target, ["0-0 1-1 2-2 3-3"] * 8, tmp_path / "toy.tbl")  # type: ignore[arg-type]


@pytest.mark.parametrize("tuner", ["mira", "pro"])
@pytest.mark.parametrize(("kind", "strategy"), KINDS)
def test_tuning_a_sparse_feature_repairs_a_translation(tmp_path: Path, kind: str, strategy: str, tuner: str) -> None:
    grammar = toy(tmp_path, kind)
    decoder = Decoder(grammar, kind=strategy, sparse=SparseFeatures(word_pair=20))  # type: ignore[arg-type]
    # x should be q, y should stay r: no weight of the dense features does both.
    sources, references = ["x a b c", "y a b c"] * 3, ["q A B C", "r A B C"] * 3
    assert decoder.translate(sources[:2]) == ["p A B C", "r A B C"]

    def decode(weights: Mapping[str, float]) -> list[list[Hypothesis]]:
        lists = decoder.with_weights(weights).nbest(sources, 20)
        return [[Hypothesis(one.text, one.features, one.sparse) for one in own] for own in lists]

    # Six sentences are few, so PRO has to believe them.
    options = {"interpolation": 1.0, "penalty": 0.01} if tuner == "pro" else {}
    found = Tuner(tuner, seed=1, **options)  # type: ignore[arg-type]
    result = tune_loop(decode, references, found, decoder.weights, iterations=8)
    tuned = decoder.with_weights(result.weights)
    assert tuned.translate(sources[:2]) == ["q A B C", "r A B C"]
    assert result.weights.get("pair:x~q", 0.0) > result.weights.get("pair:x~p", 0.0)
