"""Dataclasses that are checked against their annotations."""

from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.files.checked import Checked, CheckError, at_least, at_most, length, pattern


@dataclass(frozen=True)
class Inner(Checked):
    name: Annotated[str, pattern("[a-z]{1,3}")]
    size: Annotated[int, at_least(0), at_most(9)] = 0


@dataclass(frozen=True)
class Outer(Checked):
    kind: Literal["one", "two"]
    inner: Inner
    share: float = 0.5
    flags: dict[str, bool | int | float | str] = field(default_factory=dict)
    names: Annotated[list[Annotated[str, pattern("[a-z]+")]], length(0, 2)] = field(default_factory=list)
    more: list[int] | None = None
    any: Any = None
    inners: dict[str, Inner] = field(default_factory=dict)


GOOD = {"kind": "one", "inner": {"name": "abc"}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "three"}, "^kind: must be one of 'one', 'two', not 'three'$"),
        ({"kind": 1}, "^kind: "),
        ({"inner": 3}, "^inner: must be a table, not 3$"),
        ({"inner": {}}, "^inner.name: is missing$"),
        ({"inner": {"name": "abcd"}}, "^inner.name: 'abcd' is not allowed here$"),
        ({"inner": {"name": "abc\n"}}, "^inner.name: "),
        ({"inner": {"name": "a", "size": True}}, "^inner.size: must be a whole number, not True$"),
        ({"inner": {"name": "a", "size": 1.0}}, "^inner.size: "),
        ({"inner": {"name": "a", "size": -1}}, "^inner.size: must be at least 0, not -1$"),
        ({"inner": {"name": "a", "size": 10}}, "^inner.size: must be at most 9, not 10$"),
        ({"share": "0.5"}, "^share: must be a number"),
        ({"share": True}, "^share: "),
        ({"flags": {"a": None}}, "^flags.a: must be true or false or a whole number or a number or text in quotes"),
        ({"flags": {1: True}}, "^flags.1: must be text"),
        ({"names": ["a", "b", "c"]}, "^names: must have 0 to 2 items, not 3$"),
        ({"names": ["a", "B"]}, "^names.1: 'B' is not allowed here$"),
        ({"names": "ab"}, "^names: must be a list"),
        ({"more": [1, "2"]}, r"^more.1: must be a whole number, not '2'$"),
        ({"inners": {"x": {"name": "abc", "sise": 1}}}, "^inners.x.sise: is not known$"),
        ({"other": 1}, "^other: is not known$"),
    ],
)
def test_mistakes_are_named_with_their_place(change, message):
    with pytest.raises(CheckError, match=message):
        Outer.read({**GOOD, **change})


def test_what_is_built_by_hand_is_checked_too():
    good = Outer.read(GOOD)
    assert good.inner == Inner("abc")
    with pytest.raises(CheckError, match="share"):
        replace(good, share="half")
    with pytest.raises(CheckError, match="kind: is missing"):
        Outer.read({"inner": {"name": "a"}})


VALUES = st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


@given(
    st.builds(
        Outer,
        kind=st.sampled_from(["one", "two"]),
        inner=st.builds(Inner, name=st.from_regex("[a-z]{1,3}", fullmatch=True), size=st.integers(0, 9)),
        share=st.floats(allow_nan=False) | st.integers(),
        flags=st.dictionaries(st.text(), VALUES),
        names=st.lists(st.from_regex("[a-z]+", fullmatch=True), max_size=2),
        more=st.none() | st.lists(st.integers()),
        any=VALUES,
    )
)
def test_nothing_is_converted(made):
    again = Outer.read(asdict(made))
    assert again == made
    assert [type(value) for value in again.flags.values()] == [type(value) for value in made.flags.values()]
    assert type(again.share) is type(made.share)
