"""What ensembles say: as their parts, where these agree, and everything that models do."""

import re
from collections import Counter

import pytest
from tests.combine.small import pairs_of, remade, train

from tolka.combine import make_ensemble
from tolka.decode import Lattice, Sentence
from tolka.decode.mixture import Mixture
from tolka.markup import Terms, find_placeholders
from tolka.train.growing import update_model
from tolka.translate import Translator

OPERATIONS = ("wsum", "wmax", "prod", "switch:max", "switch:sum")


def ensemble(place, *parts, operation="wsum", **settings):
    make_ensemble(list(parts), place, mixture=Mixture(operation), **settings)
    return Translator.load(place)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", ["one", "split"])
def test_a_part_alone_and_twice(parts, sentences, tmp_path, operation, name):
    texts = [source for source, _ in sentences]
    wanted = Translator.load(parts[name]).translate(texts)
    assert ensemble(tmp_path / "alone", parts[name], operation=operation).translate(texts) == wanted
    twice = {"a": parts[name], "b": parts[name]}
    make_ensemble(twice, tmp_path / "twice", mixture=Mixture(operation))
    assert Translator.load(tmp_path / "twice").translate(texts) == wanted


@pytest.mark.parametrize("operation", ["wsum", "wmax"])
def test_a_part_that_counts_nothing_is_as_if_it_was_not_there(parts, tmp_path, operation):
    # All words are known to the first: those that only the other knows would not be unknown to the ensemble.
    texts = [source for source, _ in pairs_of(3, 150)[:25]]
    both = ensemble(tmp_path / "both", parts["one"], parts["two"], operation=operation)
    wanted = Translator.load(parts["one"]).translate(texts)
    assert both.translate(texts) != wanted
    assert both.with_weights({"two": 0.0}).translate(texts) == wanted


@pytest.mark.parametrize("operation", OPERATIONS)
def test_parts_together_know_more(parts, sentences, tmp_path, operation):
    texts = [source for source, _ in pairs_of(3, 150)[:15] + pairs_of(4, 150)[:15]]
    both = ensemble(tmp_path / "both", parts["one"], parts["cased"], parts["phrases"], operation=operation)
    single = [Translator.load(parts[name]) for name in ("one", "cased")]
    words = sorted({word for line in both.prepare(texts) for word in line.split()})
    known = [translator.decoder.translates(words) for translator in single]
    assert both.decoder.translates(words) == [any(pair) for pair in zip(*known, strict=True)]
    found = both.translate(texts)
    assert len(found) == 30
    assert [both.translate(text) for text in texts[:3]] == found[:3]
    assert both.translate(["", "  "]) == ["", ""]
    assert both.translate(texts, threads=1) == both.translate(texts, threads=3)


def test_each_part_sees_the_sentence_its_own_way(tmp_path):
    def lines(*words):
        return [(f"Wir sehen {one} heute .", f"we see {other} today .") for one, other in words] * 4

    whole = train(tmp_path / "whole", lines(("Hauspforte", "doorway"), ("Regen", "rain")))
    cut = train(
        tmp_path / "cut",
        lines(("Haus", "house"), ("Pforte", "gate"), ("Regen", "rain"), ("Gartenpforte", "garden gate")),
        compounds=["Haus Pforte Garten Regen"] * 3,
    )
    both = ensemble(tmp_path / "both", whole, cut)
    assert both.preparation.kind == "lattice"
    text, other = "Wir sehen Hauspforte heute.", "Wir sehen Gartenpforte heute."
    (seen,) = both.sentences([text])
    assert isinstance(seen, Lattice)
    assert {"Hauspforte", "Haus", "Pforte"} <= {arc.word for arc in seen.arcs}
    # What one part has whole, and the other in parts, both translate.
    assert both.translate(text) == "We see doorway today."
    assert both.translate(other) == "We see garden gate today."
    assert both.with_weights({"whole": 0.0}).translate(text) == "We see house gate today."
    (plain,) = both.sentences(["Wir sehen Regen heute."])
    assert type(plain) is Sentence
    # As the first prepares it, or the second.
    common = ensemble(tmp_path / "common", whole, cut, preparation="common")
    assert "Gartenpforte" in common.prepare([other])[0]
    assert type(common.sentences([text])[0]) is Sentence
    led = ensemble(tmp_path / "led", whole, cut, preparation="common", lead="cut")
    assert "Garten Pforte" in led.prepare([other])[0]
    # Words that terms, placeholders or tags are about are those of the first part.
    terms = both.with_given(terms=Terms([("Hauspforte", "DOOR", True)]))
    assert terms.translate(text) == "We see DOOR today."
    assert "www.example.org" in both.translate("Hauspforte www.example.org")


def test_lists_forests_and_explanations_of_lattices(parts, sentences, tmp_path):
    both = ensemble(tmp_path / "both", parts["one"], parts["cased"], parts["split"])
    texts = [source for source, _ in sentences]
    seen = both.sentences(texts)
    assert any(isinstance(one, Lattice) for one in seen)
    best = both.translate(texts)
    assert [own[0].text for own in both.nbest(texts, 5)] == best
    lists = both.lists(texts, 3, derivations=True)
    assert [one.words is None for one in lists] == [isinstance(one, Lattice) for one in seen]
    assert all(one.translations[0].links for one in lists)
    explained = both.explain(texts)
    assert [both.restore([one.text])[0] for one in explained] == best
    assert both.restore([one.viterbi().text for one in both.forest(texts)]) == best


def test_memories_of_all_parts(parts, tmp_path):
    copies = [remade(parts[name], tmp_path / name) for name in ("one", "cased")]
    source = "Der Hund schläft im Garten."
    update_model(copies[1], [source, "Zwei."], ["A dog! Asleep!", "Second."])
    both = ensemble(tmp_path / "both", *copies)
    assert both.translate(source) == "A dog! Asleep!"
    assert both.nbest(source, 1)[0].memory.exact
    assert both.with_given(memory="off").translate(source) != "A dog! Asleep!"
    # What the first part says goes before.
    update_model(copies[0], [source], ["First."])
    both = ensemble(tmp_path / "both", *copies)
    assert both.translate([source, "Zwei."]) == ["First.", "Second."]


def test_tags_and_placeholders(parts, tmp_path):
    noting = [remade(parts[name], tmp_path / name, text_notation=True) for name in ("one", "cased")]
    both = ensemble(tmp_path / "both", *noting)
    assert both.preparation.kind == "lattice"
    for text in ("%s: %d", "Der Hund (%(x)s) sieht ${name}!", "Siehe https://a.org/B?c=d&e."):
        assert Counter(find_placeholders(both.translate(text))) == Counter(find_placeholders(text))
    found = both.translate("Der <b>Hund</b> schläft.")
    assert len(re.findall("</?b>", found)) == 2
    own = both.with_given(markup="exclusive")
    assert "Rex" in own.translate('Der <n translation="Rex">Hund</n> schläft.')


def test_masked_models(parts, tmp_path):
    masked = [remade(parts[name], tmp_path / name, text_masked=True) for name in ("one", "two")]
    both = ensemble(tmp_path / "both", *masked)
    assert "1999" in both.translate("Der Hund schläft im Jahr 1999.")


def test_tokenised_models(parts, tmp_path):
    other = remade(parts["two"], tmp_path / "other", text_tokenised=True)
    both = ensemble(tmp_path / "both", parts["words"], other)
    odd = "Zzz&amp; QqQ"
    assert sorted(both.translate(odd).split()) == ["QqQ", "Zzz&amp;"]


@pytest.mark.parametrize("strategy", ["phrase", "chart"])
def test_models_of_phrases(parts, sentences, tmp_path, strategy):
    both = pairs_of(3, 150) + pairs_of(4, 150)
    other = train(tmp_path / "other", pairs_of(3, 150), kind="phrase", casing=both, lm=both)
    texts = [source for source, _ in sentences]
    made = ensemble(tmp_path / "both", parts["phrases"], other, strategy=strategy)
    assert made.decoder.kind == strategy
    found = made.translate(texts)
    single = Translator.load(parts["phrases"]).translate(texts)
    assert found != single
    assert all(found)


def test_lines_that_are_lattices_already(parts, tmp_path):
    both = ensemble(tmp_path / "both", parts["one"], parts["cased"])
    own = both.with_given(input_format="plf")
    assert own.translate("((('der',1.0,1),),(('Hund',1.0,1),),)")


def test_threads_share_an_ensemble(parts, sentences, tmp_path, hammered):
    both = ensemble(tmp_path / "both", parts["one"], parts["cased"])
    said = hammered(both, [source for source, _ in sentences[:6]], rounds=2)
    for text in {text for one in said for text in one}:
        assert len(set().union(*(one.get(text, set()) for one in said))) == 1
