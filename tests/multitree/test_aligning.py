"""Multitreebanks by the hierarchical aligner, and systems that are taught by a bank."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import InputError, SettingsError
from tolka.multitree import (
    SYSTEMS,
    Multitrees,
    MultitreeSettings,
    MultitreeTranslator,
    align_multitrees,
    parse_multitrees,
    parse_pair,
    read_multitrees,
    synthetic_multitrees,
)
from tolka.multitree.aligning import steps_of, trees_of
from tolka.syntax import parse_penn

if TYPE_CHECKING:
    from pathlib import Path

    from tolka.corpus.synthetic import Example

Gold = list[tuple["Example", Multitrees]]
TAUGHT = replace(SYSTEMS["single-strict"], epochs=2, partitions=1, prune_pairs=0, most=500)


@pytest.fixture(scope="module")
def gold() -> Gold:
    return list(synthetic_multitrees(seed=3, pairs=60))


def test_steps_are_trees_and_back(gold: Gold) -> None:
    for example, pair in gold:
        tree = parse_penn(example.penn("en"))
        (found,) = trees_of(steps_of(pair), pair.source, pair.target, tree)
        assert [node.spans for node in found.nodes()] == [node.spans for node in pair.trees[0].nodes()]
        assert found.target_yield() == pair.target


def test_a_bank_of_gold_links_has_what_they_and_the_trees_allow(gold: Gold) -> None:
    pairs = [(list(pair.source), list(pair.target)) for _, pair in gold]
    trees = [parse_penn(example.penn("en")) for example, _ in gold]
    links = [[(i, j, 1.0) for i, j in example.links("en", "fr")] for example, _ in gold]
    bank = align_multitrees(pairs, trees, links=links)
    assert not bank.skipped
    # The best trees have leaves of up to three words, as the gold ones have.
    assert bank.complete == len(gold)
    for found, own, (_, given) in zip(bank.pairs, links, gold, strict=True):
        assert found.trees[0].source_yield() == given.source
        assert found.trees[0].target_yield() == given.target
        assert {(i, j) for i, j, _ in own} <= set(found.links())
        assert all(len(side) <= 3 for node in found.leaves() for side in node.words)
        assert found.trees[0].label == (given.trees[0].label[0], "X")
    assert align_multitrees(pairs, trees, links=links, threads=3) == bank


def test_trees_of_translations_have_brackets_too() -> None:
    words = ["a", "b", "c"], ["A", "B", "C"]
    links = [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]
    for tree, leaves in (("(S (X a) (NP (Y b) (Z c)))", (1, 3)), ("(S (NP (X a) (Y b)) (Z c))", (0, 2))):
        target = parse_penn(tree.replace("a", "A").replace("b", "B").replace("c", "C"))
        found = parse_pair(*words, links, target_tree=target, longest=(1, 1))
        assert found.trees[0].label == ("X", "S")
        assert {node.target: node.label for node in found.trees[0].nodes()}[leaves] == ("X", "NP")
        assert all(cost == 0 for cost in found.costs.values())
        bank = align_multitrees(
            [words], links=[links], target_trees=[target], settings=MultitreeSettings(longest=(1, 1))
        )
        assert bank.pairs[0].trees == found.trees
    # Both trees at once, which do not agree: one of two brackets is crossed.
    source = parse_penn("(S (NP (X a) (Y b)) (Z c))")
    target = parse_penn("(S (X A) (NP (Y B) (Z C)))")
    found = parse_pair(*words, links, tree=source, target_tree=target, longest=(1, 1))
    assert max(found.costs.values()) == 10
    with pytest.raises(InputError, match="other words"):
        parse_pair(*words, links, target_tree=source)
    translator = MultitreeTranslator(TAUGHT, threads=1)
    translator.train([words] * 3, links=[links] * 3, target_trees=[target, None, source])
    assert translator.account_ is not None
    assert translator.account_.skipped == {2: "a tree has other words than its sentence"}


def test_pairs_without_a_tree_are_covered_or_told() -> None:
    words = ["a", "b", "c", "d"], ["B", "D", "A", "C"]
    swapped = [(0, 2, 0.9), (1, 0, 0.9), (2, 3, 0.9), (3, 1, 0.9)]
    pairs = [words, words, (["a"], []), (["a"], ["A"]), (["a"], ["A"])]
    trees = [None, None, None, parse_penn("(NN other)"), None]
    links = [swapped, [], [], [(0, 0, 1.0)], [(0, 1, 1.0)]]
    bank = align_multitrees(pairs, trees, links=links, settings=MultitreeSettings(longest=(1, 1)))
    assert [len(pair.trees) for pair in bank.pairs] == [4, 0, 0, 0, 0]
    assert bank.complete == 0
    assert list(bank.skipped.values()) == [
        "there is no link",
        "a side is empty",
        "a tree has other words than its sentence",
        "a link leads out of its sentences",
    ]
    with pytest.raises(InputError, match="no pair can be learnt from"):
        align_multitrees([(["a"], [])], links=[[]])
    with pytest.raises(InputError, match="1 trees for 5 sentences"):
        align_multitrees(pairs, [None])


def test_a_bank_teaches(gold: Gold) -> None:
    pairs = [(list(pair.source), list(pair.target)) for _, pair in gold]
    trees = [parse_penn(example.penn("en")) for example, _ in gold]
    bank = [pair for _, pair in gold]
    translator = MultitreeTranslator(TAUGHT, threads=2).train(pairs, trees, multitrees=bank)
    account = translator.account_
    assert account is not None
    assert (account.pairs, account.skipped, account.complete) == (len(gold), {}, 1.0)
    # The lexicon has the leaves of the bank and no others.
    leaves = {node.words for pair in bank for node in pair.leaves()}
    assert account.lexicon[2] == len(leaves)
    # Another tree over the same links approves of other steps.
    other = MultitreeTranslator(TAUGHT, threads=2).train(
        pairs, trees, links=[[(i, j, 1.0) for i, j in pair.links()] for pair in bank]
    )
    assert other.curve_[0]["examples"] != translator.curve_[0]["examples"]


def test_banks_that_do_not_fit(tmp_path: Path) -> None:
    good = parse_multitrees("the house ||| la maison ||| (X [X the | la] [X house | maison])")
    long = parse_multitrees("a b c d ||| A ||| [X a b c d | A]")
    pairs = [(list(one.source), list(one.target)) for one in (good, good, long, good, good)]
    bank = [good, None, long, Multitrees(("a",), ("b",)), Multitrees(good.source, good.target)]
    links = [[(0, 0, 1.0)] for _ in bank]
    translator = MultitreeTranslator(TAUGHT, threads=1)
    translator.train(pairs, links=links, multitrees=bank, checkpoint=tmp_path / "kept")
    assert translator.account_ is not None
    assert translator.account_.skipped == {
        2: "a leaf has more than 3 and 3 words",
        3: "the multitree has other words than its pair",
        4: "a pair has no multitree",
    }
    # Another bank is another training.
    with pytest.raises(SettingsError, match="of other pairs or settings"):
        MultitreeTranslator(TAUGHT, threads=1).train(
            pairs, links=links, multitrees=[None, good, *bank[2:]], checkpoint=tmp_path / "kept"
        )
    with pytest.raises(SettingsError, match="know one tree of each pair"):
        MultitreeTranslator(SYSTEMS["forest-strict"]).train(pairs, links=links, multitrees=bank)
    with pytest.raises(InputError, match="5 multitrees for 4 sentences"):
        MultitreeTranslator(TAUGHT).train(pairs[:4], links=links[:4], multitrees=bank)


def test_the_command(tmp_path: Path) -> None:
    for name, text in {
        "a.en": "the red house\nyes\n",
        "a.fr": "la maison rouge\n\n",
        "a.links": "0-0 1-2:0.9 2-1:0.8\n\n",
        "a.penn": "(NP (DT the) (JJ red) (NN house))\n\n",
    }.items():
        (tmp_path / name).write_text(text)
    given = ["align", "multitrees", str(tmp_path / "a.en"), str(tmp_path / "a.fr")]
    given += ["--links", str(tmp_path / "a.links"), "-q"]
    bank = tmp_path / "a.multitrees"
    done = CliRunner().invoke(app, [*given, "--trees", str(tmp_path / "a.penn"), "-o", str(bank), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"pairs": 2, "complete": 1, "skipped": {"a side is empty": 1}}
    first, second = read_multitrees(bank)
    assert str(first.trees[0]) == "(NP [DT the | la] <NN* [JJ red | rouge] [NN house | maison]>)"
    assert (second.source, second.trees) == (("yes",), ())
    # Without trees, to standard output; in sums fewer steps cost less.
    done = CliRunner().invoke(app, [*given, "--semiring", "viterbi"])
    assert done.exit_code == 0, done.output
    assert done.stdout == "the red house ||| la maison rouge ||| [X the red house | la maison rouge]\nyes ||| |||\n"
    (tmp_path / "a.penn").write_text("(NP the\n\n")
    done = CliRunner().invoke(app, [*given, "--trees", str(tmp_path / "a.penn")])
    assert done.exit_code == 1
    assert "a.penn, line 1" in str(done.exception)
