"""The penalty that translates best."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.multitree.test_translator import SMALL, pairs

from tolka.errors import FormatError, InputError, SettingsError
from tolka.evaluate import evaluate
from tolka.files import Bundle, save_bundle
from tolka.multitree import PENALTIES, MultitreeTranslator, Record
from tolka.multitree.analysis import Analysis
from tolka.multitree.tuning import pooled_f

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = replace(SMALL, least=3 / 512)


@pytest.fixture(scope="module")
def trained() -> MultitreeTranslator:
    made, trees, links = pairs(60, 1)
    return MultitreeTranslator(SETTINGS, threads=1).train(made, trees, links=links)


def test_the_best_penalty_is_kept_with_its_curve(trained: MultitreeTranslator, tmp_path: Path) -> None:
    made, trees, _ = pairs(20, 3)
    sources, targets = [source for source, _ in made], [target for _, target in made]
    found = trained.tune(sources, targets, trees)
    assert [penalty for penalty, _ in found.curve] == [one for one in PENALTIES if one >= 3 / 512]
    assert found.score == max(score for _, score in found.curve)
    assert found.penalty == next(penalty for penalty, score in found.curve if score == found.score)
    assert trained.settings.penalty == found.penalty
    assert (
        pooled_f([str(one) for one in trained.translate(sources, trees)], [" ".join(t) for t in targets]) == found.score
    )
    trained.save(tmp_path / "model")
    opened = MultitreeTranslator.load(tmp_path / "model")
    assert opened.record_ == trained.record_
    assert opened.record_.tuning == found
    assert opened.settings.penalty == found.penalty
    # Whatever counts as good.
    short = trained.tune(sources, targets, trees, score=lambda made, _: -float(sum(map(len, made))), metric="short")
    assert short.metric == "short"


def test_the_score_is_that_of_the_house() -> None:
    made = ["la maison verte", "une porte est blanche", "la", ""]
    wanted = ["la verte maison", "une porte blanche", "une", "la"]
    scores = evaluate(made, wanted, metrics=["gtm"], tokenised=True)
    assert pooled_f(made, wanted) == pytest.approx(scores.scores[0].score)


def test_what_cannot_be_tuned_on(trained: MultitreeTranslator) -> None:
    penalty = trained.settings.penalty
    for sentences, references, reason in (
        ([], [], "no sentence"),
        ([["the"]], [], "0 references for 1"),
        ([[]], [["la"]], "no sentence"),
    ):
        with pytest.raises(InputError, match=reason):
            trained.tune(sentences, references)
    with pytest.raises(InputError, match="2 trees for 1"):
        trained.tune([["the"]], [["la"]], [None, None])
    assert trained.settings.penalty == penalty
    with pytest.raises(SettingsError, match="nothing was learnt"):
        MultitreeTranslator(SETTINGS).tune([["the"]], [["la"]])


def test_figures_of_what_was_learnt(trained: MultitreeTranslator) -> None:
    record = trained.record_
    chosen = record.sure(trained.settings.penalty)
    assert [one.kind for one in chosen] == ["bilingual", "monotonic", "inverted"]
    leaves = chosen[0]
    assert sum(leaves.believed) + leaves.unknown == sum(trained.curve_[-1]["examples"][:2])
    assert sum(sum(one.believed) + one.unknown for one in chosen) == sum(trained.curve_[-1]["examples"])
    assert leaves.right > 0.9
    assert all(mean >= 0 for one in record.sureness for mean in one.mean)
    assert [allowed for allowed, _ in record.completeness] == [0, 1, 2, 3]
    parts = [part for _, part in record.completeness]
    assert parts == sorted(parts)


def test_confidence_is_told_of_the_penalty_that_was_chosen(tmp_path: Path) -> None:
    made, trees, links = pairs(60, 1)
    translator = MultitreeTranslator(SETTINGS, threads=1).train(made, trees, links=links)
    before = Analysis.of(translator).to_dict()["sureness"]
    assert {one["penalty"] for one in before} == {SETTINGS.penalty}
    new, new_trees, _ = pairs(20, 3)
    # Whoever likes little said chooses the classifiers that learnt least.
    score = iter(range(len(PENALTIES), 0, -1))
    found = translator.tune([one for one, _ in new], [one for _, one in new], new_trees, score=lambda *_: next(score))
    assert found.penalty == PENALTIES[0]
    translator.save(tmp_path / "model")
    opened = MultitreeTranslator.load(tmp_path / "model")
    told = Analysis.of(opened).to_dict()["sureness"]
    assert {one["penalty"] for one in told} == {PENALTIES[0]}
    # What the classifiers say that it now asks.
    anew = [one for one in translator._native.confidence(50_000, 1) if sum(one[1]) + one[4]]
    assert [list(one["mean"]) for one in told] == [list(one[2]) for one in anew]
    # A penalty off the path is that of the next one above.
    assert translator.record_.sure(0.2) == translator.record_.sure(0.375) != translator.record_.sure(0.1)
    assert translator.record_.sure(0.5) == ()


def test_which_features_count() -> None:
    made, _, links = pairs(60, 1)
    flat = MultitreeTranslator(SETTINGS, threads=1).train(made, links=links)
    joins = flat.feature_mass("joins")
    # Without trees only words tell what follows what.
    assert sum(one for _, one, _ in joins) == pytest.approx(1)
    assert sum(one for _, _, one in flat.feature_mass("all")) == pytest.approx(1)
    assert all(not one for name, one, _ in flat.feature_mass("pairs") if name.startswith("lm."))
    assert flat.feature_mass() == flat.feature_mass("joins") or any(one for _, one, _ in flat.feature_mass("pairs"))


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b'{"account": 1}', Record().to_json().encode()[:-1] + b', "more": 1}']
)
def test_records_that_are_none(trained: MultitreeTranslator, tmp_path: Path, text: bytes) -> None:
    trained.save(tmp_path / "model")
    bundle = Bundle.open(tmp_path / "model")
    with save_bundle(tmp_path / "other", kind="multitree", settings=dict(bundle.settings)) as out:
        for file in bundle.names:
            out.file(file).write_bytes(text if file == "training.json" else bundle.file(file).read_bytes())
    with pytest.raises(FormatError, match="record of training"):
        MultitreeTranslator.load(tmp_path / "other")


@pytest.mark.parametrize("text", [b"", b"[]", b"1", b"\xff"])
def test_classes_that_are_none(trained: MultitreeTranslator, tmp_path: Path, text: bytes) -> None:
    trained.save(tmp_path / "model")
    bundle = Bundle.open(tmp_path / "model")
    with save_bundle(tmp_path / "other", kind="multitree", settings=dict(bundle.settings)) as out:
        for file in bundle.names:
            out.file(file).write_bytes(text if file == "classes.json" else bundle.file(file).read_bytes())
    with pytest.raises(FormatError, match="word classes"):
        MultitreeTranslator.load(tmp_path / "other")


def test_rows_of_curves_are_looked_at(trained: MultitreeTranslator) -> None:
    good = json.loads(trained.record_.to_json())
    for changed in ({"iteration": "x"}, {"examples": [1]}, {"more": 1}, {"seen": None}):
        bad = {**good, "curve": [{**good["curve"][0], **changed}]}
        with pytest.raises(ValueError, match=r"."):
            Record.of_json(json.dumps(bad).encode())
    with pytest.raises(ValueError, match="no number"):
        Record.of_json(b'{"account": NaN}')
