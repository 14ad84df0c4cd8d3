"""The treebank whose truth is known."""

import subprocess
import sys
from collections import Counter

import pytest

import tolka.syntax
from tolka.errors import SettingsError
from tolka.syntax import synthetic_treebank


def test_parts_belong_together() -> None:
    bank = synthetic_treebank(seed=3, sentences=200)
    assert len(bank) == len(bank.targets) == len(bank.links) == len(bank.orders) == 200
    for tree, target, links, order in zip(bank.trees, bank.targets, bank.links, bank.orders, strict=True):
        assert sorted(order) == list(range(len(tree)))
        assert len(tree.roots) == 1
        assert all(i < len(tree) and j < len(target) for i, j in links)


def test_linked_words_stand_in_the_order_of_their_translations() -> None:
    bank = synthetic_treebank(seed=4, sentences=200)
    for links, order in zip(bank.links, bank.orders, strict=True):
        leftmost = {i: min(j for k, j in links if k == i) for i, _ in links}
        places = [leftmost[word] for word in order if word in leftmost]
        assert places == sorted(places)


def test_seed_and_start() -> None:
    assert synthetic_treebank(5, 10) == synthetic_treebank(5, 10)
    assert synthetic_treebank(5, 10).trees[4:] == synthetic_treebank(5, 6, start=4).trees
    assert synthetic_treebank(5, 10) != synthetic_treebank(6, 10)


def test_clauses_have_one_finite_verb_and_tags_of_stts() -> None:
    bank = synthetic_treebank(seed=1, sentences=500)
    seen: Counter[str] = Counter()
    for tree in bank.trees:
        seen.update(tree.xpos)
        # The verbs of a main clause without coordination or subordination: exactly one is finite.
        if not {"conj", "advcl", "acl", "ccomp", "xcomp", "csubj"} & set(tree.deprels):
            assert sum(tag in {"VVFIN", "VAFIN", "VMFIN"} for tag in tree.xpos) == 1, tree
    assert {"VVFIN", "VAFIN", "VMFIN", "VVINF", "VVPP", "PTKNEG", "PTKVZ", "KOUS", "PRELS", "$,", "$."} <= set(seen)


def test_no_sentences() -> None:
    with pytest.raises(SettingsError, match="0 sentences"):
        synthetic_treebank(sentences=0)


def test_reading_trees_brings_no_generator_along() -> None:
    program = "import sys, tolka.syntax; print([name for name in sys.modules if 'synthetic' in name])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[]\n"


def test_unknown_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tolka.syntax.nonsense
