"""Decoders through Python; the searches themselves are tested in the engine against enumeration."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tolka.corpus.synthetic import Synthetic
from tolka.decode import Decoder
from tolka.errors import InputError, LimitError, SettingsError
from tolka.grammar import Extractor, Grammar
from tolka.lm import LanguageModel, LanguageModelTrainer

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "das ist ein kleines haus", "ist das klein"]
TARGET = ["the house is small", "the small house", "a house", "this is a small house", "is this small"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2"]
KINDS = [("hiero", "chart"), ("phrase", "phrase")]


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return LanguageModelTrainer(order=3, smoothing="witten-bell").train(TARGET)


@pytest.fixture(scope="module", params=KINDS, ids=["chart", "phrase"])
def decoder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, lm: LanguageModel) -> Decoder:
    kind, strategy = request.param
    path = tmp_path_factory.mktemp("grammar") / "g.tbl"
    return Decoder(Extractor(kind).extract(SOURCE, TARGET, LINKS, path), lm, kind=strategy)


def test_it_translates_what_it_has_seen(decoder: Decoder) -> None:
    assert decoder.translate(SOURCE) == TARGET


def test_empty_lines_and_unknown_words_come_through(decoder: Decoder) -> None:
    assert decoder.translate(["", "  ", "xyzzy", "das xyzzy"])[:3] == ["", "", "xyzzy"]
    assert "xyzzy" in decoder.translate(["das xyzzy ist klein"])[0]
    assert [listed[0].text for listed in decoder.nbest(["", "xyzzy"], 3)] == ["", "xyzzy"]


def test_scores_are_the_weighted_sums_of_features(decoder: Decoder) -> None:
    lists = decoder.nbest(SOURCE, 20)
    assert max(map(len, lists)) > 1
    for listed, best in zip(lists, decoder.translate(SOURCE), strict=True):
        assert listed[0].text == best
        scores = [candidate.score for candidate in listed]
        assert scores == sorted(scores, reverse=True)
        assert len({candidate.text for candidate in listed}) == len(listed)
        for candidate in listed:
            total = sum(decoder.weights[name] * value for name, value in candidate.features.items())
            assert total == pytest.approx(candidate.score, abs=1e-3)
            assert candidate.features["word_count"] == len(candidate.text.split())


def test_lists_in_arrays_are_the_same_lists(decoder: Decoder) -> None:
    lists, rows = decoder.nbest(SOURCE, 20), decoder.nbest_rows(SOURCE, 20)
    assert rows.texts == [[found.text for found in listed] for listed in lists]
    flat = [found for listed in lists for found in listed]
    assert rows.scores.tolist() == [found.score for found in flat]
    assert [dict(zip(rows.names, row, strict=True)) for row in rows.features.tolist()] == [one.features for one in flat]
    with pytest.raises(SettingsError, match="0 translations"):
        decoder.nbest_rows(SOURCE, 0)


def test_the_language_model_feature_is_its_score(decoder: Decoder, lm: LanguageModel) -> None:
    for listed in decoder.nbest(SOURCE, 5):
        for candidate in listed:
            assert candidate.features["lm"] == pytest.approx(lm.score(candidate.text) * np.log(10), abs=1e-3)


def test_jumps_cost_something_before_tuning(decoder: Decoder) -> None:
    assert decoder.weights["distortion"] < 0
    for listed in decoder.nbest(SOURCE, 20):
        assert all(candidate.features["distortion"] >= 0 for candidate in listed)
    assert listed[0].features["distortion"] == 0


def test_a_decoder_does_not_change(decoder: Decoder) -> None:
    with pytest.raises(AttributeError, match="use with_weights"):
        decoder.weights = {"lm": 1.0}  # type: ignore[misc]
    with pytest.raises(AttributeError, match="make another"):
        decoder.settings = {"pop_limit": 5}  # type: ignore[misc]
    with pytest.raises(TypeError):
        decoder.weights["lm"] = 1.0  # type: ignore[index]


def test_weights_decide(decoder: Decoder) -> None:
    longer = decoder.with_weights({"word_count": 9.0})
    assert longer.weights["lm"] == decoder.weights["lm"]
    words = [sum(len(line.split()) for line in one.translate(SOURCE)) for one in (decoder, longer)]
    assert words[1] >= words[0]
    assert decoder.with_weights(decoder.weights).translate(SOURCE) == decoder.translate(SOURCE)


def _synthetic(count: int) -> tuple[list[str], list[str], list[str]]:
    examples = list(Synthetic(seed=5).sample(count))
    source, target = ([" ".join(example.tokens[side]) for example in examples] for side in ("de", "en"))
    return source, target, [example.links("de", "en") for example in examples]


@pytest.mark.parametrize(("kind", "strategy"), KINDS)
def test_threads_change_nothing(tmp_path: Path, kind: Any, strategy: Any) -> None:
    source, target, links = _synthetic(150)
    grammar = Extractor(kind).extract(source, target, links, tmp_path / "g.tbl")
    decoder = Decoder(grammar, LanguageModelTrainer(order=3, smoothing="witten-bell").train(target), kind=strategy)
    alone = decoder.nbest(source[:40], 5, threads=1)
    assert decoder.nbest(source[:40], 5, threads=3) == alone
    assert decoder.translate(source[:40], threads=2) == [listed[0].text for listed in alone]


def test_statistics_say_what_search_did(decoder: Decoder) -> None:
    found = decoder.statistics([*SOURCE, ""])
    assert [one.text for one in found] == [*decoder.translate(SOURCE), ""]
    for one in found[:-1]:
        assert one.pops == one.hypotheses + one.recombined
        assert one.scored >= one.pops >= one.cells > 0
        assert one.cubes > 0
        assert one.queries > 0
        assert not one.hurried
    assert (found[-1].pops, found[-1].score) == (0, 0.0)


def test_both_searches_of_a_chart_are_exact_without_limits(tmp_path: Path) -> None:
    source, target, links = _synthetic(60)
    grammar = Extractor("hiero").extract(source, target, links, tmp_path / "g.tbl")
    lm = LanguageModelTrainer(order=3, smoothing="witten-bell").train(target)
    short = [line for line in source if len(line.split()) <= 5][:5]
    scores = []
    for settings in ({}, {"search": "boundary"}, {"passes": 2, "beam": None}):
        decoder = Decoder(grammar, lm, pop_limit=0, table_limit=3, **settings)
        scores.append([one.score for one in decoder.statistics(short)])
    assert scores[0] == pytest.approx(scores[1], abs=1e-3)
    assert scores[0] == pytest.approx(scores[2], abs=1e-3)
    with pytest.raises(SettingsError, match="in 3 passes"):
        Decoder(grammar, lm, passes=3)
    with pytest.raises(SettingsError, match='unknown search "depth"'):
        Decoder(grammar, lm, search="depth")


@pytest.mark.parametrize(("kind", "strategy"), KINDS)
def test_little_memory_is_enough_for_a_translation(tmp_path: Path, lm: LanguageModel, kind: Any, strategy: Any) -> None:
    line = " ".join(SOURCE * 8)
    grammar = Extractor(kind).extract(SOURCE, TARGET, LINKS, tmp_path / "g.tbl")
    decoder, small = (Decoder(grammar, lm, kind=strategy, memory_limit=limit) for limit in (None, 20_000))
    (full,), (short,) = decoder.statistics([line]), small.statistics([line])
    assert short.hypotheses < full.hypotheses
    assert short.score <= full.score + 1e-3
    assert len(short.text.split()) > 20
    assert small.translate([line, line], threads=2) == [short.text, short.text]


def test_forced_decoding_finds_references_that_can_be_reached(decoder: Decoder, lm: LanguageModel) -> None:
    forced = decoder.force([*SOURCE, SOURCE[0], "", "das xyzzy"], [*TARGET, "the house is large", "", "the xyzzy"])
    assert forced[5] is None
    assert forced[6] is None
    for found, wanted in zip([*forced[:5], forced[7]], [*TARGET, "the xyzzy"], strict=True):
        assert found is not None
        assert found.text == wanted
        total = sum(decoder.weights[name] * value for name, value in found.features.items())
        assert total == pytest.approx(found.score, abs=1e-3)
        assert found.features["lm"] == pytest.approx(lm.score(wanted) * np.log(10), abs=1e-3)
    best = decoder.statistics(SOURCE)
    for found, one in zip(forced[:5], best, strict=True):
        assert found is not None
        assert found.score == pytest.approx(one.score, abs=1e-3)
    with pytest.raises(InputError, match="5 sentences but 1 references"):
        decoder.force(SOURCE, TARGET[:1])
    assert decoder.reachable([*SOURCE, SOURCE[0]], [*TARGET, "the house is large"]) == pytest.approx(5 / 6)
    with pytest.raises(InputError, match="no references"):
        decoder.reachable([], [])
    with pytest.raises(LimitError, match="a reference of 20001 words"):
        decoder.force(["das haus"], ["the " * 20_001])


def test_phrases_reach_as_far_as_they_may_jump(tmp_path: Path, lm: LanguageModel) -> None:
    grammar = Extractor("phrase").extract(SOURCE, TARGET, LINKS, tmp_path / "g.tbl")
    swapped = "small is house the"
    for limit, reached in ((3, 0.0), (4, 1.0)):
        decoder = Decoder(grammar, lm, kind="phrase", distortion_limit=limit, table_limit=1, pop_limit=1)
        assert decoder.reachable(SOURCE[:1], [swapped]) == reached
    (found,) = decoder.force(SOURCE[:1], [swapped])
    assert found is not None
    # To the last word, and three times over two words back.
    assert found.features["distortion"] == 9
    assert found.features["rule_count"] == 4
    lines = [*SOURCE, SOURCE[0]]
    assert decoder.force(lines, [*TARGET, swapped], threads=1) == decoder.force(lines, [*TARGET, swapped], threads=2)


def test_forests_without_language_models_come_from_charts(decoder: Decoder) -> None:
    if decoder.kind == "phrase":
        with pytest.raises(SettingsError, match="come from charts"):
            decoder.forest(SOURCE, lm=False)
        return
    for forest, wanted in zip(decoder.forest(SOURCE, lm=False), TARGET, strict=True):
        # No two nodes are the same category over the same span.
        nodes = forest.nodes
        places = zip(nodes.category.tolist(), nodes.begin.tolist(), nodes.end.tolist(), strict=True)
        assert len(set(places)) == len(nodes)
        best = forest.viterbi()
        assert best is not None
        assert best.features.get("lm", 0.0) == 0.0
        assert any(one.text == wanted for one in forest.kbest(100))


def test_several_grammars_and_language_models(tmp_path: Path, lm: LanguageModel) -> None:
    one = Extractor("hiero").extract(SOURCE[:2], TARGET[:2], LINKS[:2], tmp_path / "one.tbl")
    two = Extractor("hiero").extract(SOURCE[2:], TARGET[2:], LINKS[2:], tmp_path / "two.tbl")
    decoder = Decoder({"one": one, "two": two}, {"small": lm, "again": lm})
    assert {"one.phrase_ef", "two.phrase_ef", "small", "again"} <= set(decoder.feature_names)
    assert decoder.translate(["das kleine haus", "ein haus"]) == ["the small house", "a house"]
    for candidate in decoder.nbest(["das kleine haus"], 5)[0]:
        assert candidate.features["small"] == pytest.approx(candidate.features["again"])
    assert Decoder(one).translate(["das kleine haus"]) == ["the small house"]


def test_what_makes_no_sense_is_refused(tmp_path: Path, decoder: Decoder, lm: LanguageModel) -> None:
    grammar: Grammar = Extractor("hiero").extract(SOURCE, TARGET, LINKS, tmp_path / "g.tbl")
    with pytest.raises(InputError, match="no feature 'wrod_count'"):
        Decoder(grammar, lm, weights={"wrod_count": 1.0})
    with pytest.raises(InputError, match="not a finite number"):
        Decoder(grammar, lm, weights={"lm": float("nan")})
    with pytest.raises(SettingsError, match="unknown setting `pop_limt`"):
        Decoder(grammar, lm, pop_limt=3)
    with pytest.raises(SettingsError, match="kind of decoder"):
        Decoder(grammar, lm, kind="beam")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="cannot be listed"):
        decoder.nbest(SOURCE, 0)
    with pytest.raises(InputError, match="one sentence instead of a list"):
        decoder.translate("das haus")
    with pytest.raises(InputError, match="needs a table"):
        Decoder({}, lm)


def test_forests_hold_the_candidates(decoder: Decoder) -> None:
    for sentence, forest, listed in zip(SOURCE, decoder.forest(SOURCE), decoder.nbest(SOURCE, 30), strict=True):
        assert forest.source == tuple(sentence.split())
        found = list(forest.kbest(30, unique=True))
        assert [one.text for one in found] == [candidate.text for candidate in listed]
        assert [one.score for one in found] == pytest.approx([candidate.score for candidate in listed], abs=1e-4)
        assert forest.feature_names == decoder.feature_names
        again = forest.reweighted(decoder.weights)
        assert again.edges.score == pytest.approx(forest.edges.score, abs=1e-3)
        assert forest == type(forest).from_json(forest.to_json())
    assert decoder.forest([""])[0].viterbi() is None


def test_derivations_say_how_translations_were_made(decoder: Decoder) -> None:
    sentences = [*SOURCE, "das xyzzy ist klein", "klein ist das kleine haus ein haus"]
    for sentence, text, found in zip(sentences, decoder.translate(sentences), decoder.explain(sentences), strict=True):
        assert found.text == text
        words = sentence.split()
        assert found.source == tuple(words)
        for step in found.steps:
            own = [words[at] for at in step.source_words]
            assert own == [word for at, word in enumerate(step.rule.source) if at not in step.rule.source_gaps]
            assert step.rule.kind in {"rule", "copied", "glue"}
            if step.rule.kind == "rule":
                assert step.rule.id is not None
        # Every source word is translated once, every target word made once.
        assert sorted(at for step in found.steps for at in step.source_words) == list(range(len(words)))
        assert sorted(at for step in found.steps for at in step.target_words) == list(range(len(found.target)))
        total = sum(decoder.weights[name] * value for name, value in found.features.items())
        assert total == pytest.approx(found.score, abs=1e-3)
    unknown = decoder.explain(["das xyzzy ist klein"])[0]
    copied = [step for step in unknown.steps if step.rule.kind == "copied"]
    assert [step.source_words for step in copied] == [(1,)]
    assert unknown.target[copied[0].target_words[0]] == "xyzzy"
    assert decoder.explain([""])[0].steps == ()


def test_words_are_linked_as_in_training(decoder: Decoder) -> None:
    for found, links in zip(decoder.explain(SOURCE), LINKS, strict=True):
        assert " ".join(f"{source}-{target}" for source, target in found.links) == links


def test_candidates_may_keep_their_derivations(decoder: Decoder) -> None:
    plain, explained = decoder.nbest([*SOURCE, ""], 10), decoder.nbest([*SOURCE, ""], 10, derivations=True)
    for one, other in zip(plain, explained, strict=True):
        assert [candidate.text for candidate in one] == [candidate.text for candidate in other]
        for a, b in zip(one, other, strict=True):
            assert a.features == pytest.approx(b.features, abs=1e-4)
            covered = {at for segment in b.segments for at in range(*segment.source)}
            assert all(source in covered for source, _ in b.links)
    with pytest.raises(InputError, match="derivation was not kept"):
        _ = plain[0][0].links


def test_phrases_are_their_own_segments(tmp_path: Path, lm: LanguageModel) -> None:
    decoder = Decoder(Extractor("phrase").extract(SOURCE, TARGET, LINKS, tmp_path / "g.tbl"), lm, kind="phrase")
    found = decoder.explain(["klein ist das kleine haus"])[0]
    assert found.is_phrase_based
    spans = [segment.target for segment in found.segments]
    assert spans[0][0] == 0
    assert all(before[1] == after[0] for before, after in itertools.pairwise(spans))
    assert sorted(at for segment in found.segments for at in range(*segment.source)) == list(range(5))
