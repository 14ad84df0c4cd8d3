"""Training and translating by multitrees, end to end."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tolka import _engine
from tolka.errors import FormatError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.multitree import SYSTEMS, MultitreeSettings, MultitreeTranslator, SentenceEncoder, Symbols, Watch
from tolka.multitree.schedule import iterations
from tolka.multitree.tuning import pooled_f
from tolka.syntax import parse_penn

if TYPE_CHECKING:
    from pathlib import Path

    from tolka.syntax import Constituent

NOUNS = {"house": "maison", "car": "voiture", "table": "table", "city": "ville", "door": "porte"}
ADJECTIVES = {"red": "rouge", "green": "verte", "new": "nouvelle", "white": "blanche"}
SMALL = MultitreeSettings(epochs=2, partitions=2, templates="thesis", coarse=None, prune_pairs=0, most=500)

Pair = tuple[list[str], list[str]]


def pairs(number: int, seed: int) -> tuple[list[Pair], list[Constituent], list[list[tuple[int, int, float]]]]:
    """`the red house` is `la maison rouge`: the adjective follows the noun."""
    drawn = random.Random(seed)  # noqa: S311
    made, trees, links = [], [], []
    for _ in range(number):
        noun, adjective = drawn.choice(list(NOUNS)), drawn.choice(list(ADJECTIVES))
        if drawn.random() < 0.3:
            made.append((["the", noun], ["la", NOUNS[noun]]))
            trees.append(parse_penn(f"(ROOT (NP (DT the) (NN {noun})))"))
            links.append([(0, 0, 0.9), (1, 1, 0.8)])
        else:
            made.append((["the", adjective, noun], ["la", NOUNS[noun], ADJECTIVES[adjective]]))
            trees.append(parse_penn(f"(ROOT (NP (DT the) (JJ {adjective}) (NN {noun})))"))
            links.append([(0, 0, 0.9), (1, 2, 0.8), (2, 1, 0.8)])
    return made, trees, links


@pytest.fixture(scope="module")
def trained() -> MultitreeTranslator:
    made, trees, links = pairs(60, 1)
    return MultitreeTranslator(SMALL, threads=1).train(made, trees, links=links)


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_every_system_learns_the_order(system: str) -> None:
    made, trees, links = pairs(120, 1)
    settings = replace(SYSTEMS[system], epochs=min(SYSTEMS[system].epochs, 2), partitions=2, prune_pairs=0, most=500)
    translator = MultitreeTranslator(settings, threads=2).train(made, trees, links=links)
    new, new_trees, _ = pairs(20, 2)
    found = translator.translate([source for source, _ in new], new_trees)
    right = sum(list(one.words) == target for one, (_, target) in zip(found, new, strict=True))
    assert right >= 19
    assert all(one.complete and not one.limited for one in found)
    assert translator.account_ is not None
    assert translator.account_.complete == 1
    assert not translator.account_.skipped
    assert len(translator.curve_) == len(iterations(settings))


def test_a_translation_shows_how_it_came_about(trained: MultitreeTranslator) -> None:
    tree = parse_penn("(ROOT (NP (DT the) (JJ red) (NN door)))")
    (found,) = trained.translate([["the", "red", "door"]], [tree])
    assert str(found) == "la porte rouge"
    leaves = [step for step in found.steps if step[0] == "bilingual"]
    assert sum(step[1][1] - step[1][0] for step in leaves) == 3
    assert sum(step[2][1] - step[2][0] for step in leaves) == 3
    assert found.steps[0][1:3] == ((0, 3), (0, 3))
    assert list(found.costs) == sorted(found.costs, reverse=True)
    assert found.worst is not None
    assert found.worst[3] == pytest.approx(found.costs[0])
    assert sorted(round(step[3], 5) for step in found.steps) == sorted(round(cost, 5) for cost in found.costs)
    assert any(kind == "inverted" for kind, *_ in found.steps) or len(leaves) == 1


def test_an_oracle_knows_every_label(trained: MultitreeTranslator) -> None:
    tree = parse_penn("(ROOT (NP (DT the) (JJ red) (NN door)))")
    # In an order that nobody has learnt.
    wanted = ["la", "rouge", "porte"]
    (found,) = trained.translate_knowing([["the", "red", "door"]], [wanted], [tree])
    assert list(found.words) == wanted
    assert found.complete
    assert all(step[3] == pytest.approx(math.log1p(math.exp(-4)), abs=1e-4) for step in found.steps)
    # The order is a matter of joins; of pairs that are all right classifiers think as before.
    (joined,) = trained.translate_knowing([["the", "red", "door"]], [wanted], [tree], knowing="joins")
    assert list(joined.words) == wanted
    (paired,) = trained.translate_knowing([["the", "red", "door"]], [wanted], [tree], knowing="pairs")
    assert sorted(paired.words) == sorted(wanted)
    # Words that the lexicon does not have cannot be right.
    (found,) = trained.translate_knowing([["the", "red", "door"]], [["nothing", "of", "it"]])
    assert found.costs[0] == pytest.approx(math.log1p(math.exp(4)), abs=1e-3)
    with pytest.raises(InputError, match="0 references for 1 sentences"):
        trained.translate_knowing([["the"]], [])


def test_unknown_words_are_copied(trained: MultitreeTranslator) -> None:
    (found,) = trained.translate([["the", "bananas"]])
    assert list(found.words) == ["la", "bananas"]
    assert trained.translate([]) == []
    (empty,) = trained.translate([[]])
    assert empty.words == ()
    assert empty.complete


def test_threads_do_not_matter_and_disks_neither(trained: MultitreeTranslator, tmp_path: Path) -> None:
    made, trees, links = pairs(60, 1)
    other = MultitreeTranslator(SMALL, threads=3).train(made, trees, links=links)
    sentences = [source for source, _ in made[:20]]
    expected = trained.translate(sentences, trees[:20])
    assert other.translate(sentences, trees[:20]) == expected
    trained.save(tmp_path / "model")
    opened = MultitreeTranslator.load(tmp_path / "model", threads=2)
    assert opened.settings == trained.settings
    assert opened.translate(sentences, trees[:20]) == expected
    assert opened.feature_mass() == trained.feature_mass()
    file = next((tmp_path / "model").glob("lexicon-*"))
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(FormatError):
        MultitreeTranslator.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "value"), [("epochs", "many"), ("beam", -1), ("longest", [3]), ("depth", 2), ("penalty", "small")]
)
def test_settings_of_a_model_that_were_changed(
    trained: MultitreeTranslator, tmp_path: Path, name: str, value: object
) -> None:
    trained.save(tmp_path / "model")
    bundle = Bundle.open(tmp_path / "model")
    with save_bundle(tmp_path / "other", kind="multitree", settings={**bundle.settings, name: value}) as out:
        for file in bundle.names:
            out.file(file).write_bytes(bundle.file(file).read_bytes())
    with pytest.raises(FormatError, match="cannot be used"):
        MultitreeTranslator.load(tmp_path / "other")


def test_a_model_whose_symbols_are_gone(trained: MultitreeTranslator, tmp_path: Path) -> None:
    trained.save(tmp_path / "model")
    bundle = Bundle.open(tmp_path / "model")
    with save_bundle(tmp_path / "other", kind="multitree", settings=dict(bundle.settings)) as out:
        for file in bundle.names:
            out.file(file).write_bytes(b"the\n" if file == "symbols.txt" else bundle.file(file).read_bytes())
    with pytest.raises(FormatError, match="there are 1 symbols"):
        MultitreeTranslator.load(tmp_path / "other")
    with save_bundle(tmp_path / "broken", kind="multitree", settings=dict(bundle.settings)) as out:
        for file in bundle.names:
            out.file(file).write_bytes(b"\xff\n" if file == "symbols.txt" else bundle.file(file).read_bytes())
    with pytest.raises(FormatError, match="are no text"):
        MultitreeTranslator.load(tmp_path / "broken")


def test_words_with_odd_white_space_come_back_from_disk(tmp_path: Path) -> None:
    made = [(["the", "a\r"], ["la", "b\u2028"])] * 6
    links = [[(0, 0, 0.9), (1, 1, 0.9)]] * 6
    translator = MultitreeTranslator(SMALL, threads=1).train(made, links=links)
    translator.save(tmp_path / "model")
    opened = MultitreeTranslator.load(tmp_path / "model")
    assert opened.translate([["the", "a\r"]]) == translator.translate([["the", "a\r"]])


def test_another_penalty_needs_no_training(trained: MultitreeTranslator) -> None:
    made, trees, links = pairs(40, 3)
    translator = MultitreeTranslator(SMALL, threads=1).train(made, trees, links=links)
    before = translator.translate([made[0][0]], [trees[0]])
    after = translator.with_penalty(0.375).translate([made[0][0]], [trees[0]])
    # Next to nothing is learnt at that penalty.
    assert before[0].costs != after[0].costs
    with pytest.raises(SettingsError, match="penalty cannot be -1"):
        trained.with_penalty(-1)


def test_pairs_that_cannot_be_learnt_from_are_told() -> None:
    made, trees, links = pairs(12, 4)
    made[1] = (made[1][0], [])
    trees[2] = parse_penn("(ROOT (NN other))")
    links[3] = []
    links[4] = [(0, 99, 0.5)]
    made[5] = (["the"] * 500, ["la"])
    trees[5] = None  # type: ignore[call-overload]
    made[6] = (made[6][0], ["la\n", *made[6][1][1:]])
    links[7] = [(0, 0, float("nan"))]
    translator = MultitreeTranslator(SMALL, threads=1).train(made, trees, links=links)
    assert translator.account_ is not None
    skipped = translator.account_.skipped
    assert sorted(skipped) == [1, 2, 3, 4, 5, 6, 7]
    assert "is no word" in skipped[6]
    assert skipped[7] == "a link has no probability above 0, up to 1"
    assert "other words" in skipped[2]
    assert skipped[3] == "there is no link"
    assert skipped[4] == "a link leads out of its sentences"
    assert skipped[5] == "a sentence has more than 400 words"
    assert translator.account_.pairs == 5
    with pytest.raises(InputError, match="no pair can be learnt from"):
        MultitreeTranslator(SMALL).train([(["a"], [])], links=[[(0, 0, 1.0)]])
    with pytest.raises(InputError, match="there are 1 trees for 12 sentences"):
        MultitreeTranslator(SMALL).train(made, [trees[0]], links=links)
    with pytest.raises(SettingsError, match="nothing was learnt yet"):
        MultitreeTranslator().translate([["a"]])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"beam": 0}, "beam cannot be 0: use a whole number from 1 to 1000000000, or none"),
        ({"beam": -1}, "beam cannot be -1"),
        ({"beam": 2.5}, "beam cannot be 2.5"),
        ({"options": -1}, "options cannot be -1: use a whole number from 1"),
        ({"explore": -1}, "explore cannot be -1: use a whole number from 0"),
        ({"max_depth": -1}, "max_depth cannot be -1: use a whole number from 0 to 256, or none"),
        ({"most_per_pair": -1}, "most_per_pair cannot be -1: use a whole number from 1"),
        ({"most_per_pair": 0}, "most_per_pair cannot be 0"),
        ({"most_crossings": -1}, "most_crossings cannot be -1"),
        ({"prune_pairs": 2**40}, "prune_pairs cannot be 1099511627776: use a whole number from 0 to"),
        ({"partitions": 2**40}, "partitions cannot be"),
        ({"epochs": True}, "epochs cannot be True"),
        ({"threshold": 0.5}, "threshold cannot be 0.5: use a number from 1"),
        ({"crossing": -1.0}, "crossing cannot be -1.0: use a number from 0"),
        ({"longest": (0, 3)}, "longest cannot be .* from 1 to 16"),
        ({"longest": (3,)}, "longest cannot be .* two whole numbers"),
        ({"longest": 3}, "longest cannot be 3"),
        ({"semiring": "sum"}, "unknown semiring 'sum': use minmerge or viterbi"),
        ({"templates": "none"}, "unknown templates"),
        ({"labelling": "kind"}, "unknown labelling 'kind': use strict or permissive"),
        ({"time_limit": 0.0}, "time_limit cannot be 0"),
        ({"missing": float("nan")}, "missing cannot be nan: use a number from 0"),
        ({"least": 0.0}, "least cannot be 0.0: use a number from 1e-09 to 0.375"),
        ({"least": 0.4}, "least cannot be 0.4"),
        ({"penalty": 0.5}, "penalty cannot be 0.5"),
        ({"coarse": -1.0}, "coarse cannot be -1.0: .*, or none"),
        ({"tolerance": 1.0}, "tolerance cannot be 1.0"),
        ({"neutral": 1}, "neutral cannot be 1: use true or false"),
        ({"seed": -1}, "seed cannot be -1"),
        ({"weights": {"lm": float("inf")}, "semiring": "viterbi"}, "lm cannot weigh inf"),
        ({"weights": {"lmm": 1.0}, "semiring": "viterbi"}, "no statistic 'lmm'"),
        ({"weights": ["lm"], "semiring": "viterbi"}, "weights cannot be"),
        ({"hierarchies": {"predictor": 3}}, "hierarchy of predictor cannot be 3"),
        ({"hierarchies": "itg"}, "hierarchies cannot be 'itg'"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        replace(MultitreeSettings(), **settings)
    assert re.search(said, f"{caught.value.what}: {caught.value.hint}")


def test_settings_are_stored() -> None:
    for settings in (
        MultitreeSettings(),
        replace(MultitreeSettings(), explore=2, beam=None, threshold=3.0, coarse=None, max_depth=None),
    ):
        assert MultitreeSettings.restored(settings.stored()) == settings
    with pytest.raises(SettingsError, match="unknown setting 'depth'"):
        MultitreeSettings.restored({"depth": 3})
    with pytest.raises(SettingsError, match="epochs cannot be 0"):
        MultitreeSettings(epochs=0)
    with pytest.raises(SettingsError, match="unknown supervisor"):
        MultitreeSettings(supervisor="bush")  # type: ignore[arg-type]


def test_grammars_can_be_chosen(trained: MultitreeTranslator, tmp_path: Path) -> None:
    made, trees, links = pairs(30, 5)
    made.append((["the", "house"], ["la", "demeure"]))
    trees.append(parse_penn("(ROOT (NP (DT the) (NN house)))"))
    links.append([(0, 0, 0.9), (1, 1, 0.9)])
    # What is seen once is not in the lexicon, but a supervisor that does not ask it knows it all the same.
    asking = replace(SMALL, epochs=1, partitions=1, prune_pairs=9, longest=(1, 1))
    knowing = replace(asking, hierarchies={"first.supervisor": "itg : itg + fertility"})
    unknown = [
        MultitreeTranslator(one, threads=1).train(made, trees, links=links).curve_[0]["unknown"]
        for one in (asking, knowing)
    ]
    assert unknown[0] < unknown[1]
    # A translator that asks no classifiers, and is kept as it is.
    trained.save(tmp_path / "model")
    other = MultitreeTranslator.load(tmp_path / "model", threads=1)
    other.searching(hierarchies={"predictor": "itg : fuses + fertility"})
    sentence, tree = ["the", "red", "door"], parse_penn("(ROOT (NP (DT the) (JJ red) (NN door)))")
    (usual,), (cheap,) = (one.translate([sentence], [tree]) for one in (trained, other))
    # All ratios are the same here.
    assert sum(usual.costs) > sum(cheap.costs) == 0
    other.save(tmp_path / "other")
    assert MultitreeTranslator.load(tmp_path / "other").translate([sentence], [tree]) == [cheap]
    with pytest.raises(SettingsError, match="no hierarchy of grammars is for 'translator'"):
        replace(SMALL, hierarchies={"translator": "itg"})
    with pytest.raises(SettingsError, match="unknown grammar `tee`"):
        replace(SMALL, hierarchies={"predictor": "tee : itg"})
    with pytest.raises(SettingsError, match="has the grammar `tree`, but there is none"):
        other.searching(hierarchies={"predictor": "tree : classifiers"}).translate([sentence], [tree])


@pytest.mark.parametrize("search", [{}, {"strategy": "chart"}, {"bound": True}, {"semiring": "viterbi"}])
def test_a_profile_is_of_the_same_search(trained: MultitreeTranslator, tmp_path: Path, search: dict[str, Any]) -> None:
    trained.save(tmp_path / "model")
    translator = MultitreeTranslator.load(tmp_path / "model", threads=1).searching(**search)
    made, trees, _ = pairs(10, 3)
    sources = [source for source, _ in made]
    found, told = translator.translate(sources, trees), translator.profile(sources, trees)
    assert sum(count for count, _ in told.scored.values()) == sum(one.scored for one in found)
    assert set(told.scored) <= {
        "source scan",
        "target scan",
        "source fuse",
        "target fuse",
        "bilingual",
        "monotonic",
        "inverted",
    }
    assert {"bilingual", "monotonic", "inverted"} <= set(told.scored)
    assert told.proposed > 0
    assert told.popped > 0
    assert sum(told.shares.values()) == pytest.approx(1)
    with pytest.raises(SettingsError, match="nothing was learnt yet"):
        MultitreeTranslator().profile([["a"]])


def test_the_schedule_of_the_thesis() -> None:
    plan = iterations(SYSTEMS["forest-permissive"])
    assert [limit for _, limit, _ in plan] == [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5 + [4] * 5
    assert [trains for *_, trains in plan].index(True) == 4
    assert sum(trains for *_, trains in plan) == 21
    assert sum(trains for *_, trains in iterations(SYSTEMS["straw-man"])) == 1


def test_whose_words_are_elsewhere_in_the_reference() -> None:
    """Of `a b` and `x y`, `a` is `x`; that `y` is a translation of `a` elsewhere makes it right by WIQ1, not by approval."""
    text = [(["a", "b"], ["x", "y"]), (["a", "c"], ["y", "z"])]
    links = [[(0, 0, 0.9), (1, 1, 0.9)], [(0, 0, 0.9), (1, 1, 0.9)]]

    def examples(labelling: Any) -> list[int]:
        settings = replace(SMALL, epochs=1, partitions=1, longest=(1, 1), labelling=labelling)
        translator = MultitreeTranslator(settings, threads=1).train(text, links=links)
        found: list[int] = translator.curve_[-1]["examples"]
        return found

    # a-x, a-y and b-y in the first, a-x, a-y and c-z in the second; they are joined, and all is over.
    assert examples("strict") == [4, 2, 2, 0]
    assert examples("permissive") == [4, 2, 2, 0]
    assert examples("permissive-pairs") == [5, 1, 2, 0]
    # Pairs by approval, joins by F: both joins add a hit.
    assert examples("permissive-f") == [4, 2, 2, 0]


def test_hierarchies_and_e_scores() -> None:
    _engine.multitree_hierarchy("tree, itg : itg + fertility")
    with pytest.raises(SettingsError, match="unknown grammar `tee`"):
        _engine.multitree_hierarchy("tee : itg")
    # x a y
    assert _engine.multitree_quality([1, 2, 3], [[1, 3], [3, 1], [9]]) == pytest.approx(
        [0.91421, -0.08579, -0.5], abs=1e-5
    )


def test_flat_sentences_and_trees_of_other_words() -> None:
    encoder = SentenceEncoder(Symbols(), classes={"red": "C1"})
    _, tags, nodes = encoder.encode(["red", "door"])
    assert len(set(tags)) == 2
    assert nodes == [(nodes[0][0], 0, 2, 1)]
    assert encoder.encode([]) == ([], [], [])
    with pytest.raises(InputError, match="other words"):
        encoder.encode(["red"], parse_penn("(NN blue)"))
    with pytest.raises(InputError, match="two numbers"):
        Symbols(["a", "a"])


def test_ngrams_are_counted_in_other_text_alone(tmp_path: Path) -> None:
    made, trees, links = pairs(20, 1)
    text = [["la", "maison", "est", "rouge"]]

    def counts(name: str, counted: Any, text: list[list[str]]) -> bytes:
        settings = replace(SMALL, epochs=1, partitions=1, counted=counted)
        MultitreeTranslator(settings, threads=1).train(made, trees, links=links, text=text).save(tmp_path / name)
        return Bundle.open(tmp_path / name).file("counts.bin").read_bytes()

    both = counts("both", "all", text)
    assert counts("alone", "text", text) != both
    assert counts("same", "text", [target for _, target in made] + text) == both
    assert MultitreeTranslator.load(tmp_path / "alone").settings.counted == "text"
    nothing: list[list[list[str]]] = [[], [[]]]
    for none in nothing:
        with pytest.raises(SettingsError, match="there is none"):
            counts("none", "text", none)


def test_a_development_set_is_watched(tmp_path: Path) -> None:
    made, trees, links = pairs(60, 1)
    new, new_trees, _ = pairs(12, 2)
    watch = Watch([source for source, _ in new], [target for _, target in new], new_trees)
    train = partial(MultitreeTranslator(SMALL, threads=1).train, made, trees, links=links)
    translator = train(checkpoint=tmp_path / "checkpoint", watch=watch)
    scores = [row["score"] for row in translator.curve_ if "score" in row]
    # After the first pass and each part of the second; the last one is what the trained model makes of it.
    assert len(scores) == 3
    said = [str(one) for one in translator.translate(watch.sentences, watch.trees)]
    assert scores[-1] == pooled_f(said, [" ".join(target) for _, target in new])
    assert scores[-1] > 90
    # Nothing is learnt from it, and who watches something else begins anew.
    other = MultitreeTranslator(SMALL, threads=1).train(made, trees, links=links)
    assert [{**row, "score": None} for row in other.curve_] == [{**row, "score": None} for row in translator.curve_]
    assert other.translate(watch.sentences, new_trees) == translator.translate(watch.sentences, new_trees)
    with pytest.raises(SettingsError, match="of other pairs or settings"):
        MultitreeTranslator(SMALL, threads=1).train(made, trees, links=links, checkpoint=tmp_path / "checkpoint")
    with pytest.raises(InputError, match="1 trees for 12 sentences"):
        Watch(watch.sentences, watch.references, [None])
