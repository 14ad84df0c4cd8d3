"""Undirected search through Python; the search itself is tested in the engine, against a worked example and a naive twin."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tolka.decode import Decoder, Sentence
from tolka.decode.sentence import Given
from tolka.errors import InputError, SettingsError
from tolka.grammar import Extractor, Grammar
from tolka.lm import LanguageModel, LanguageModelTrainer

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = ["das haus ist klein", "das kleine haus", "ein haus", "das ist ein kleines haus", "ist das klein"]
TARGET = ["the house is small", "the small house", "a house", "this is a small house", "is this small"]
LINKS = ["0-0 1-1 2-2 3-3", "0-0 1-1 2-2", "0-0 1-1", "0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2"]


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return LanguageModelTrainer(order=3, smoothing="witten-bell").train(TARGET)


@pytest.fixture(scope="module", params=["hiero", "phrase"])
def grammar(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Grammar:
    path = tmp_path_factory.mktemp("grammar") / "g.tbl"
    return Extractor(request.param).extract(SOURCE, TARGET, LINKS, path)


@pytest.fixture(scope="module")
def make(grammar: Grammar, lm: LanguageModel) -> Callable[..., Decoder]:
    def made(**settings: Any) -> Decoder:
        return Decoder(grammar, lm, kind="undirected", **settings)

    return made


def test_it_translates_what_it_has_seen(make: Callable[..., Decoder]) -> None:
    assert make().translate(SOURCE) == TARGET
    assert make().translate(SOURCE * 20, threads=3) == TARGET * 20


def test_empty_lines_unknown_words_and_long_sentences_come_through(make: Callable[..., Decoder]) -> None:
    decoder = make()
    assert decoder.translate(["", " ", "xyzzy", "xyzzy plugh"]) == ["", "", "xyzzy", "xyzzy plugh"]
    long = " ".join(SOURCE[at % 5] for at in range(120))
    assert len(decoder.translate([long])[0].split()) > 300
    hurried = make(time_limit=0.0).statistics([long])[0]
    assert hurried.hurried
    assert hurried.text


def test_repairs_of_very_long_sentences_end(make: Callable[..., Decoder]) -> None:
    # Each repair costs as much as the sentence is long.
    long = " ".join(SOURCE[at % 5] for at in range(1200))
    found = make(beam=1, repairs=1000).statistics([long])[0]
    assert found.hurried
    assert len(found.text.split()) > 3000
    assert not make(beam=1, repairs=0).statistics([long])[0].hurried


def test_it_needs_no_language_model(grammar: Grammar) -> None:
    decoder = Decoder(grammar, kind="undirected")
    assert all(decoder.translate(SOURCE))
    nothing = decoder.with_weights(dict.fromkeys(decoder.weights, 0.0))
    assert all(nothing.translate(SOURCE))


def test_lists_derivations_and_counts_agree(make: Callable[..., Decoder]) -> None:
    decoder = make(prune=None, narrow=None)
    for line, listed in zip(SOURCE, decoder.nbest(SOURCE, 8), strict=True):
        assert listed[0].score >= listed[-1].score
        assert len({candidate.text for candidate in listed}) == len(listed)
        for candidate in listed:
            sums = sum(decoder.weights[name] * value for name, value in candidate.features.items())
            assert candidate.score == pytest.approx(sums, abs=1e-3), line
    explained = decoder.explain(SOURCE)
    counted = decoder.statistics(SOURCE)
    assert [one.text for one in explained] == [one.text for one in counted] == decoder.translate(SOURCE)
    for derivation, counts in zip(explained, counted, strict=True):
        assert derivation.score == pytest.approx(counts.score, abs=1e-3)
        assert counts.pops >= len(derivation.steps)
        assert counts.queries > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"lm": "full"},
        {"lm": "both"},
        {"lm": "again"},
        {"factors": "split"},
        {"factors": "off"},
        {"rest": "rules"},
        {"rest": "words"},
        {"order": "margin"},
        {"start": "glue"},
        {"relative": False},
        {"beam": 8, "starts": 8, "repairs": 2},
        {"scored": 1},
        {"lazy": False},
        {"shallow": 1},
        {"scale": 8.5},
    ],
)
def test_every_setting_translates(make: Callable[..., Decoder], settings: dict[str, Any]) -> None:
    decoder = make(**settings)
    assert decoder.settings == settings
    assert all(decoder.translate(SOURCE))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"pop_limit": 3}, "unknown setting `pop_limit`"),
        ({"beam": 0}, "a beam of 0 trees"),
        ({"beam": 9}, "a beam of 9 trees"),
        ({"starts": 0}, "0 rules to start with"),
        ({"context": -1}, "context cannot be -1, which is negative or too large"),
        ({"beam": 8, "repairs": 1 << 70}, f"repairs cannot be {1 << 70}, which is"),
        ({"prune": -1.0}, "not a positive number"),
        ({"scale": 0.0}, "not a positive number"),
        ({"lm": "half"}, "unknown lm"),
        ({"order": "any"}, "unknown order"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[..., Decoder], settings: dict[str, Any], complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        make(**settings)


def test_actions_have_weights_of_their_own(make: Callable[..., Decoder], grammar: Grammar, lm: LanguageModel) -> None:
    decoder = make()
    same = decoder.with_weights({f"action.{name}": weight for name, weight in decoder.weights.items()})
    assert same.translate(SOURCE) == TARGET
    other = make(prune=None, narrow=None).with_weights({"action.lm": -20.0})
    new = ["ist das haus klein", "das ist das", "das ist ein haus"]
    assert other.translate(new) != decoder.translate(new)
    assert other.weights["action.lm"] == -20.0
    with pytest.raises(SettingsError, match="actions have no feature `nothing`"):
        decoder.with_weights({"action.nothing": 1.0})
    with pytest.raises(SettingsError, match="not a finite number"):
        decoder.with_weights({"action.lm": float("inf")})
    with pytest.raises(InputError, match=r"no feature 'action\.lm'"):
        Decoder(grammar, lm, weights={"action.lm": 1.0})


def test_explanations_have_the_order_of_growth(
    make: Callable[..., Decoder], grammar: Grammar, lm: LanguageModel
) -> None:
    decoder = make(beam=1, repairs=0)
    new = [*SOURCE, "das haus ist ein haus", "das ist xyzzy ist das klein", ""]
    for derivation in decoder.explain(new):
        growth = [step.grown for step in derivation.steps if step.grown]
        assert sorted(grown.order for grown in growth) == list(range(len(derivation.steps)))
        assert [grown.how == "start" for grown in sorted(growth)] == [at == 0 for at in range(len(growth))]
        for step, grown in zip(derivation.steps, growth, strict=True):
            below = [growth[part].order for part in step.parts]
            if grown.how == "start":
                assert not step.parts
            elif grown.how == "up":
                # One of its gaps has what was there before; the other is filled later.
                assert min(below) < grown.order
                assert all(order > grown.order for order in sorted(below)[1:])
            else:
                assert all(order > grown.order for order in below)
        told = json.loads(derivation.to_json())
        assert told == derivation.to_dict()
        assert [step["grown"] for step in told["steps"]] == [{"order": number, "how": how} for number, how in growth]
        numbers = re.findall(r'<text class="page"[^>]*>(\d+)</text></g>', derivation.to_svg())
        assert sorted(map(int, numbers)) == list(range(1, len(growth) + 1))
    for derivation in Decoder(grammar, lm).explain(new):
        assert not any(step.grown for step in derivation.steps)
        assert "grown" not in derivation.to_json()


def test_repaired_trees_have_an_order_too(make: Callable[..., Decoder]) -> None:
    for derivation in make(beam=1, repairs=3, narrow=0.0).explain([*SOURCE, "das haus ist ein haus"]):
        growth = [step.grown for step in derivation.steps if step.grown]
        assert sorted(grown.order for grown in growth) == list(range(len(derivation.steps)))
        assert [grown.order for grown in growth if grown.how == "start"] == [0]


def test_given_translations_hold(make: Callable[..., Decoder]) -> None:
    sentence = Sentence("das haus ist klein", given=(Given(1, 2, (("Casa", 0.0),)),))
    assert "Casa" in make().translate([sentence])[0].split()
