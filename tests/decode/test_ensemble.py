"""Ensembles of decoders: the worked examples of Razmara 2013 as the specification has them, and what people can do wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tolka.decode import MOST_COMPONENTS, Decoder, EnsembleDecoder, Mixture
from tolka.errors import InputError, LimitError, SettingsError
from tolka.forest import Forest
from tolka.grammar import import_grammar
from tolka.lm import LanguageModel

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.grammar import Grammar

# Source side, target side, score.
A = [("f1", "e1", -1.0), ("f1", "e1b", -1.5), ("f2", "e2", -0.7), ("f1 f2", "E12", -2.2)]
B = [("f1", "e1", -0.8), ("f2", "e2b", -0.4), ("f2", "e2", -1.2), ("[X,1] f2", "e2 [X,1]", -0.65)]
HALVES = {"a": 0.5, "b": 0.5}
NOTHING = {"word_count": 0.0, "rule_count": 0.0, "unknown": -9.0}
ALL = {"pop_limit": 0, "table_limit": 0}


def table(rules: list[tuple[str, str, float]], path: Path) -> Grammar:
    lines = [f"[X] ||| {source} ||| {target} ||| tm={score}\n" for source, target, score in rules]
    path.with_suffix(".txt").write_text("".join(lines))
    return import_grammar(path.with_suffix(".txt"), path, format="cdec")


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, Decoder]:
    weights = {**NOTHING, "tm": 1.0, "glue": -0.2}
    return {
        name: Decoder(table(rules, tmp_path / f"{name}.tbl"), weights=weights, **ALL)
        for name, rules in (("a", A), ("b", B))
    }


def ranked(decoder: Decoder) -> list[tuple[str, float]]:
    return [(found.text, found.score) for found in decoder.nbest(["f1 f2"], 50)[0]]


CHART = {
    "wsum": "e1 e2 -2.014079; e1 e2b -2.188155; e2 e1 -2.238155; E12 -2.893147; e1b e2 -3.312217; e1b e2b -3.486294; "
    "e2 e1b -3.536294",
    "wmax": "e1 e2b -2.786294; e2 e1 -2.836294; E12 -2.893147; e1 e2 -3.086294; e1b e2b -3.486294; e2 e1b -3.536294; "
    "e1b e2 -3.786294",
    "prod": "e1 e2 -2.05; E12 -8.00775; e2 e1 -8.13275; e1 e2b -8.20775; e1b e2 -8.80775; e2 e1b -14.8905; "
    "e1b e2b -14.9655",
    "switch:max": "e1 e2b -1.4; e2 e1 -1.45; e1 e2 -2.2",
    "switch:sum": "e1 e2b -1.6; e2 e1 -1.65; e1b e2b -2.1; e2 e1b -2.15; e1 e2 -2.4; e1b e2 -2.9",
}


@pytest.mark.parametrize("operation", CHART)
@pytest.mark.parametrize("settings", [{}, {"search": "boundary"}, {"passes": 2, "beam": 1e9}], ids=str)
def test_a_chart_of_two_models(operation: str, settings: dict, bare: dict[str, Decoder]) -> None:
    # Vector T-5: glue does not feel the weights of components there.
    mixture = Mixture(operation, HALVES, scaling="raw", glue="average")
    found = ranked(EnsembleDecoder(bare, mixture, **ALL, **settings))
    wanted = [entry.rpartition(" ") for entry in CHART[operation].split("; ")]
    assert [text for text, _ in found] == [text for text, _, _ in wanted]
    assert [score for _, score in found] == pytest.approx([float(score) for _, _, score in wanted], abs=2e-6)


# A word whose context is not known yet adds nothing, as in the vector: unigrams are certain.
ARPA = """\\data\\
ngram 1=8
ngram 2=16

\\1-grams:
-9 <unk>
-99 <s> 0
0 </s>
0 e1 0
0 e1b 0
0 e2 0
0 e2b 0
0 E12 0

\\2-grams:
{}
\\end\\
"""
BIGRAMS = """<s> e1 -.5;<s> e1b -2;<s> e2 -1;<s> e2b -2;<s> E12 -1.5;e1 e2 -.4;e1 e2b -1.2;e2 e1 -1.8;e1b e2 -1.0;e1b e2b -1.5;
e2 e1b -2.2;e1 </s> -1.5;e1b </s> -1.5;e2 </s> -.3;e2b </s> -.6;E12 </s> -.5"""


@pytest.fixture
def with_lm(bare: dict[str, Decoder], tmp_path: Path) -> dict[str, Decoder]:
    entries = (entry.strip().rpartition(" ") for entry in BIGRAMS.split(";"))
    lines = [f"{float(value) / math.log(10):.9f}\t{words}\n" for words, _, value in entries]
    (tmp_path / "lm.arpa").write_text(ARPA.format("".join(lines)))
    lm = LanguageModel.load(tmp_path / "lm.arpa")
    return {
        name: Decoder(next(iter(one.grammars.values())), lm, weights={**one.weights, "lm": weight}, **ALL)
        for (name, one), weight in zip(bare.items(), (0.5, 0.3), strict=True)
    }


EDGES = {
    "wsum": "e1 e2 -2.490381; e1 e2b -3.090793; E12 -3.673279; e2 e1 -3.747226",
    "wmax": "E12 -4.186294; e2 e1 -4.819442; e1 e2 -4.832589; e1 e2b -4.862589",
    "prod": "e1 e2 -2.53; E12 -8.80775; e1 e2b -9.12775; e2 e1 -9.85275",
    "wmax idempotent": "e1 e2 -2.06; e1 e2b -2.09; e2 e1 -2.74; E12 -2.8",
}


def at_edges(case: str) -> Mixture:
    operation, _, scaling = case.partition(" ")
    return Mixture(operation, HALVES, scaling=scaling or "raw", level="edge")


@pytest.mark.parametrize("case", EDGES)
def test_edges_are_mixed_with_language_models(case: str, with_lm: dict[str, Decoder]) -> None:
    # Vector T-6: every edge, glue included, is mixed.
    decoder = EnsembleDecoder(with_lm, at_edges(case), **ALL)
    assert decoder.mixes_edges
    wanted = {text: float(score) for text, _, score in (entry.rpartition(" ") for entry in EDGES[case].split("; "))}
    found = dict(ranked(decoder))
    assert next(iter(found)) == next(iter(wanted))
    assert {text: found[text] for text in wanted} == pytest.approx(wanted, abs=2e-6)
    forced = decoder.force(["f1 f2"] * len(wanted), list(wanted))
    assert [one and one.score for one in forced] == pytest.approx(list(wanted.values()), abs=2e-6)
    (forest,) = decoder.forest(["f1 f2"])
    shares = decoder.mixture.lambdas(["a", "b"])[0]
    again = forest.remixed(decoder.component_weights(), shares, operation=decoder.mixture.operation)
    assert again.edges.score.tolist() == pytest.approx(forest.edges.score.tolist(), abs=1e-5)


def test_rules_and_edges_agree_where_language_models_weigh_alike(with_lm: dict[str, Decoder]) -> None:
    same = {name: one.with_weights({"lm": 0.4}) for name, one in with_lm.items()}
    for operation in ("wsum", "wmax", "prod"):
        mixture = Mixture(operation, {"a": 0.7, "b": 0.3})
        quick, exact = (EnsembleDecoder(same, replace(mixture, level=level), **ALL) for level in ("auto", "edge"))
        assert not quick.mixes_edges
        assert exact.mixes_edges
        assert dict(ranked(quick)) == pytest.approx(dict(ranked(exact)), abs=1e-5)


def test_one_component_is_the_decoder_itself(with_lm: dict[str, Decoder]) -> None:
    for operation in CHART:
        alone = EnsembleDecoder({"a": with_lm["a"]}, Mixture(operation), **ALL)
        assert ranked(alone) == ranked(with_lm["a"])


def test_who_spoke_is_kept_and_drawn(bare: dict[str, Decoder], tmp_path: Path) -> None:
    decoder = EnsembleDecoder(bare, Mixture("wsum"), **ALL)
    (best,) = decoder.explain(["f1 f2"])
    spoken = {str(step.rule): step.rule.components for step in best.steps if step.rule.kind == "rule"}
    assert spoken == {"[X] ||| f1 ||| e1": ("a", "b"), "[X] ||| f2 ||| e2": ("a", "b")}
    (forest,) = decoder.forest(["f1 f2"])
    assert forest.components == ("a", "b")
    assert Forest.from_json(forest.to_json()) == forest
    alone = {rule.components for rule in forest.rules if rule.kind == "rule"}
    assert alone == {("a",), ("b",), ("a", "b")}
    assert "by a, b" in best.to_svg()
    assert "several" in best.to_svg()


def test_a_word_is_unknown_only_to_all(bare: dict[str, Decoder], tmp_path: Path) -> None:
    other = Decoder(table([("g", "h", -1.0)], tmp_path / "c.tbl"), weights=NOTHING, **ALL)
    for operation in CHART:
        decoder = EnsembleDecoder({**bare, "c": other}, Mixture(operation), **ALL)
        assert decoder.translate(["g new"]) == ["h new"]
        assert decoder.translates(["g", "f1", "new"]) == [True, True, False]


@pytest.mark.parametrize("operation", CHART)
def test_a_component_that_counts_nothing_is_not_there(operation: str, bare: dict[str, Decoder], tmp_path: Path) -> None:
    knowing = Decoder(table([("f3", "e3", -1.0)], tmp_path / "c.tbl"), weights=bare["a"].weights, **ALL)
    both = EnsembleDecoder({"a": bare["a"], "c": knowing}, Mixture(operation), **ALL)
    assert both.translate(["f1 f3"]) == ["e1 e3"]
    alone = both.with_mixture(Mixture(operation, weights={"c": 0.0}))
    # What only the silent one knows is unknown, and does not make the sentence impossible.
    assert alone.translate(["f1 f3"]) == bare["a"].translate(["f1 f3"]) == ["e1 f3"]
    assert [text for text, _ in ranked(alone)] == [text for text, _ in ranked(bare["a"])]
    assert (alone.translates(["f3"]), list(alone.components)) == ([False], ["a", "c"])
    assert alone.with_mixture(Mixture(operation)).translate(["f1 f3"]) == ["e1 e3"]
    nested = (
        EnsembleDecoder({"in": alone, "b": bare["b"]}, Mixture("wsum"), **ALL) if "switch" not in operation else alone
    )
    assert nested.translate(["f1 f3"]) == ["e1 f3"]


def test_ensembles_can_be_components(bare: dict[str, Decoder], tmp_path: Path) -> None:
    third = Decoder(table([("f2", "e3", -0.3)], tmp_path / "c.tbl"), weights={**NOTHING, "tm": 1.0}, **ALL)
    inner = EnsembleDecoder(bare, Mixture("wsum", {"a": 1.0, "b": 3.0}), **ALL)
    nested = EnsembleDecoder({"both": inner, "c": third}, Mixture("wsum", {"both": 4.0, "c": 1.0}), **ALL)
    flat = EnsembleDecoder({**bare, "c": third}, Mixture("wsum", {"a": 1.0, "b": 3.0, "c": 1.0}), **ALL)
    assert nested.component_names == ("both.a", "both.b", "c")
    assert dict(ranked(nested)) == pytest.approx(dict(ranked(flat)), abs=1e-5)
    with pytest.raises(SettingsError, match="'both' is an ensemble that switches"):
        EnsembleDecoder({"both": inner.with_mixture(Mixture("switch:max")), "c": third})


def test_lambdas_may_depend_on_the_length_of_spans(bare: dict[str, Decoder]) -> None:
    # Single words by one component, longer spans by the other.
    mixture = Mixture("wmax", spans={"a": [0.0, 1.0], "b": [1.0, 0.0]}, scaling="raw", glue="average")
    found = dict(ranked(EnsembleDecoder(bare, mixture, **ALL)))
    assert found["e1 e2b"] == pytest.approx(-0.8 - 0.4 - 0.2)
    assert found["E12"] == pytest.approx(-2.2)
    assert "e2 e1" not in found


def test_temperatures_divide_scores(bare: dict[str, Decoder]) -> None:
    hot = EnsembleDecoder(bare, Mixture("wsum", temperatures={"b": 2.0}), **ALL)
    cold = EnsembleDecoder(
        {"a": bare["a"], "b": bare["b"].with_weights({"tm": 0.5, "glue": -0.1})}, Mixture("wsum"), **ALL
    )
    assert dict(ranked(hot)) == pytest.approx(dict(ranked(cold)), abs=1e-5)


def test_phrases_are_mixed_by_rules(with_lm: dict[str, Decoder]) -> None:
    phrases = {
        name: Decoder(next(iter(one.grammars.values())), one.lms, kind="phrase", weights=one.weights)
        for name, one in with_lm.items()
    }
    for operation in CHART:
        found = EnsembleDecoder(phrases, Mixture(operation), kind="phrase").translate(["f1 f2"])
        assert found[0].split()[-1] in {"e2", "e2b", "e1", "E12"}
    with pytest.raises(SettingsError, match="cannot mix the scores of edges"):
        EnsembleDecoder(phrases, Mixture("wsum", level="edge"), kind="phrase")


def test_normalised_scores_decide_what_is_taken_first_only(bare: dict[str, Decoder]) -> None:
    plain = EnsembleDecoder(bare, Mixture("wsum"), **ALL)
    normal = EnsembleDecoder(bare, Mixture("wsum", normalise=True), **ALL)
    assert dict(ranked(plain)) == pytest.approx(dict(ranked(normal)), abs=1e-6)


@pytest.mark.parametrize("broken", [{"nobody": 1.0}, {"a": math.nan}, {"a": -1.0}, {"a": 0.0, "b": 0.0}], ids=str)
def test_weights_that_make_no_sense(broken: Mapping[str, float], bare: dict[str, Decoder]) -> None:
    with pytest.raises(InputError):
        EnsembleDecoder(bare, Mixture("wsum", broken))


def test_what_people_can_do_wrong(bare: dict[str, Decoder]) -> None:
    with pytest.raises(SettingsError, match="unknown operation 'sum'"):
        Mixture("sum")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no components"):
        EnsembleDecoder({})
    with pytest.raises(LimitError, match=f"more than {MOST_COMPONENTS}"):
        EnsembleDecoder({f"c{at}": bare["a"] for at in range(MOST_COMPONENTS + 1)})
    assert EnsembleDecoder({f"c{at}": bare["a"] for at in range(30)}, **ALL).translate(["f1 f2"])
    with pytest.raises(InputError, match=r"no component for the weight 'x\.tm'"):
        EnsembleDecoder(bare).with_weights({"x.tm": 1.0})
    with pytest.raises(SettingsError, match="unknown setting `pops`"):
        EnsembleDecoder(bare, pops=3)
    heavier = EnsembleDecoder(bare).with_weights({"a.tm": 2.0})
    assert heavier.weights["a.tm"] == 2.0
    assert heavier.components["a"].weights["tm"] == 2.0
