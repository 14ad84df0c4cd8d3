"""Keys: equal for equal meaning, different for anything that may change the bytes."""

import json
from enum import Enum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.pipeline.keys import Parts, Source, canonical

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def reordered(value):
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return tuple(map(reordered, value)) if isinstance(value, list) else value


@given(values)
def test_order_and_sequence_type_do_not_matter(value):
    assert canonical(value) == canonical(reordered(value))


@given(values)
def test_nothing_is_lost(value):
    assert json.loads(canonical(value)) == value
    assert canonical(json.loads(canonical(value))) == canonical(value)


@given(values, values)
def test_different_values_differ(one, other):
    # True == 1 == 1.0 in Python, but not in a recipe: compare with the types.
    def typed(value):
        if isinstance(value, dict):
            return {key: typed(inner) for key, inner in value.items()}
        return [typed(inner) for inner in value] if isinstance(value, list) else (type(value), repr(value))

    assert (canonical(one) == canonical(other)) == (typed(one) == typed(other))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_forms(number):
    forms = {float(f"{number:.17g}"), float(repr(number)), float(f"{number:.25e}")}
    assert {canonical(form) for form in forms} == {canonical(number)}


def test_other_types():
    class Colour(Enum):
        RED = "red"

    assert canonical({"c": Colour.RED, "p": Path("a/b"), "s": {3, 1, 2}}) == '{"c":"red","p":"a/b","s":[1,2,3]}'
    for bad in (float("nan"), float("inf"), {1: 2}, object(), b"bytes"):
        with pytest.raises(TypeError):
            canonical(bad)


BASE = Parts("clean", 1, {"max": 80}, {"text": Source("aa", "train.de")})


@pytest.mark.parametrize(
    "other",
    [
        Parts("tidy", 1, {"max": 80}, {"text": Source("aa", "train.de")}),
        Parts("clean", 2, {"max": 80}, {"text": Source("aa", "train.de")}),
        Parts("clean", 1, {"max": 81}, {"text": Source("aa", "train.de")}),
        Parts("clean", 1, {"max": 80, "min": None}, {"text": Source("aa", "train.de")}),
        Parts("clean", 1, {"max": 80}, {"text": Source("ab", "train.de")}),
        Parts("clean", 1, {"max": 80}, {"text": Source("aa", "train.de.gz")}),
        Parts("clean", 1, {"max": 80}, {"test": Source("aa", "train.de")}),
        Parts("clean", 1, {"max": 80}, {}),
        Parts("clean", 1, {"max": 80}, {"text": Source("aa", "train.de")}, format=2),
    ],
)
def test_every_part_counts(other):
    assert other.key != BASE.key


def test_parts_survive_json():
    assert Parts.from_json(json.loads(json.dumps(BASE.to_json()))) == BASE
    # A worked example: the key must never change by accident, or every store in the world is rebuilt.
    assert BASE.key == "f2a6d9ae81e9c514f461325be53093baf47af9e6d69977261fffdec0e1dd89e2"
