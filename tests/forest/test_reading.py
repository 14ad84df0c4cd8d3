"""Forests in files: what is written comes back, and what is broken costs one sentence."""

from __future__ import annotations

import gzip
import json
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forest import naive
from tests.forest.test_forest import TOY

from tolka.errors import FormatError, InputError, LimitError, TolkaError
from tolka.forest import Forest, read_forests, write_forests
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from pathlib import Path


@given(naive.forests())
@settings(deadline=None)
def test_what_is_written_comes_back(data: dict[str, Any]) -> None:
    forest = Forest.from_dict(data)
    line = forest.to_json()
    assert "\n" not in line
    again = Forest.from_json(line)
    assert again == forest
    assert again.to_json() == line
    loaded = json.loads(line)
    assert [edge["score"] for edge in loaded["edges"]] == forest.edges.score.tolist()
    assert {key: loaded[key] for key in ("categories", "features", "nodes")} == {
        key: data[key] for key in ("categories", "features", "nodes")
    }


@given(st.lists(st.text(), min_size=1, max_size=4))
@settings(deadline=None)
def test_any_word_survives(words: list[str]) -> None:
    data = deepcopy(TOY)
    data["source"] = [*words, "a", "b", "c", "d"]
    data["rules"][0]["target"] = words
    try:
        forest = Forest.from_dict(data)
    except FormatError:
        assert any("\ud800" <= letter <= "\udfff" for word in words for letter in word)
        return
    line = forest.to_json()
    assert len(line.splitlines()) == 1
    assert Forest.from_json(line).rules[0].target == tuple(words)


def test_files_hold_one_forest_per_line(tmp_path: Path) -> None:
    toy = Forest.from_dict(TOY)
    assert write_forests(tmp_path / "two.jsonl", [toy, toy.pruned(0.0)]) == 2
    assert list(read_forests(tmp_path / "two.jsonl")) == [toy, toy.pruned(0.0)]
    (tmp_path / "two.jsonl.gz").write_bytes(gzip.compress((tmp_path / "two.jsonl").read_bytes()))
    assert len(list(read_forests(tmp_path / "two.jsonl.gz"))) == 2
    with pytest.raises(LimitError):
        list(read_forests(tmp_path / "two.jsonl", limits=replace(DEFAULT, forest_bytes=100)))
    (tmp_path / "bad.jsonl").write_text(toy.to_json() + '\n{"nodes": 3}\n')
    with pytest.raises(FormatError, match=r"bad\.jsonl, line 2: a forest has no key 'categories'"):
        list(read_forests(tmp_path / "bad.jsonl"))


def _broken(change: Any) -> dict[str, Any]:
    data = deepcopy(TOY)
    change(data)
    return data


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data["edges"][4].update(tails=[6]), "edge 4 comes from node 6, which is not before its head 3"),
        (lambda data: data["edges"][4].update(tails=[3]), "not before its head"),
        (lambda data: data["edges"][4].update(tails=[99]), "not before its head"),
        (lambda data: data["edges"][4].update(tails=[]), "as many tails as its rule"),
        (lambda data: data["edges"][4].update(tails=[0, 1, 2]), "3 tails"),
        (lambda data: data["edges"][4].update(tails=[-1]), "whole number"),
        (lambda data: data["edges"][4].update(head=99), "leads to node 99"),
        (lambda data: data["edges"][4].update(head=2**32), "whole number"),
        (lambda data: data["edges"][4].update(rule=99), "has rule 99"),
        (lambda data: data["edges"][4].update(rule=True), "whole number"),
        (lambda data: data["edges"][4].update(score=float("nan")), "finite"),
        (lambda data: data["edges"][4].update(score=float("inf")), "edge 4"),
        (lambda data: data["edges"][4].update(score=1e200), "score"),
        (lambda data: data["edges"][4].update(score="1"), "not a number"),
        (lambda data: data["edges"][4].update(score=10**400), "too large"),
        (lambda data: data["edges"][4].update(features=[1.0]), "1 features"),
        (lambda data: data["edges"][4].update(features=[1.0, 1e300]), "finite"),
        (lambda data: data["edges"][4].update(span=[3, 2]), "span"),
        (lambda data: data["edges"][4].update(span=[3, 9]), "span"),
        (lambda data: data["edges"][4].update(sparse=[[0, 1.0]]), "features of an edge"),
        (lambda data: data["edges"][4].update(sparse=[[0]]), "sparse"),
        (lambda data: data["edges"][4].update(colour="red"), "unknown key 'colour'"),
        (lambda data: data["edges"].append(7), "not an object"),
        (lambda data: data["nodes"].append([0, 0]), "2 numbers instead of 3"),
        (lambda data: data["nodes"].append([9, 0, 1]), "category 9"),
        (lambda data: data["nodes"].append([0, 0, 99]), "span"),
        (lambda data: data["rules"][5].update(target=["old"]), "gaps of its target side"),
        (lambda data: data["rules"][5].update(target=["old", 1]), "gaps of its target side"),
        (lambda data: data["rules"][5].update(target=["old", 0, 0]), "gaps of its target side"),
        (lambda data: data["rules"][5].update(source=["jiu", 7]), "category 7"),
        (lambda data: data["rules"][5].update(source=[0, 0, 0], target=[0, 1, 2]), "gaps"),
        (lambda data: data["rules"][5].update(links=[[1, 0]]), "link"),
        (lambda data: data["rules"][5].update(links=[[0, 700]]), "link"),
        (lambda data: data["rules"][5].update(kind="magic"), "unknown kind"),
        (lambda data: data["rules"][5].update(kind="rule"), "id"),
        (lambda data: data["rules"][5].update(source=[None]), "whole number"),
        (lambda data: data["rules"][0].update(target=["\ud800"]), "not text"),
        (lambda data: data.update(tolka_forest=2), "version 2"),
        (lambda data: data.update(categories=[1]), "not text"),
        (lambda data: data.update(categories=["X"] * 300), "300 categories"),
        (lambda data: data.update(source="zhuxi"), "not a list"),
        (lambda data: data.update(sparse_features=["a", "a"]), "twice"),
        (lambda data: data.pop("rules"), "no key 'rules'"),
    ],
)
def test_broken_forests_cost_a_sentence(change: Any, says: str) -> None:
    with pytest.raises((FormatError, InputError, LimitError)) as caught:
        Forest.from_dict(_broken(change))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{", "null", "[" * 100_000, '{"categories": NaN}', '{"nodes": ' + "9" * 10_000 + "}", '"\\ud800"', "{}"],
)
def test_lines_that_are_no_forest_cost_a_sentence(line: str) -> None:
    with pytest.raises(FormatError) as caught:
        Forest.from_json(line)
    assert len(str(caught.value)) < 200


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["head", "rule", "lhs"]), inner),
    max_leaves=5,
)


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_no_change_of_a_forest_breaks_more_than_the_forest(data: Any) -> None:
    broken = deepcopy(TOY)
    part: Any = broken
    while isinstance(part, dict | list) and part:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(part[key], dict | list) or data.draw(st.booleans()):
            part[key] = data.draw(_values | st.integers(0, 12))
            break
        part = part[key]
    try:
        forest = Forest.from_dict(broken)
    except TolkaError:
        return
    for found in forest.kbest(3):
        assert found.text is not None
    forest.marginals()
    forest.sample(2)
    assert Forest.from_json(forest.to_json()) == forest
