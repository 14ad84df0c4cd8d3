"""The TOML writer: what it writes, `tomllib` reads as the same; what it cannot write, it refuses."""

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import SettingsError
from tolka.files import to_toml

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PLAIN = TEXT | st.booleans() | st.integers(-(1 << 63), (1 << 63) - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


@settings(deadline=None)
@given(st.dictionaries(TEXT, VALUES, max_size=6))
def test_reads_back_as_the_same(values):
    again = tomllib.loads(to_toml(values))
    assert again == values


def test_types_stay_apart():
    values = {
        "a": 1,
        "b": 1.0,
        "c": True,
        "d": -0.0,
        "e": 1e300,
        "f": 1e-7,
        "g": "1",
        "h": [],
        "i": {},
        "j": [{"k": {}}],
    }
    again = tomllib.loads(to_toml(values))
    assert again == values
    assert {key: type(value) for key, value in again.items()} == {key: type(value) for key, value in values.items()}


@pytest.mark.parametrize(
    "value",
    [
        None,
        float("nan"),
        float("inf"),
        1 << 63,
        b"bytes",
        object(),
        "\ud800",
        {1: 2},
        {"\udfff": 1},
        [None],
        {"a": {1}},
    ],
)
def test_refuses_what_would_change(value):
    with pytest.raises(SettingsError, match="key"):
        to_toml({"key": value})


def test_refuses_endless_nesting():
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(SettingsError, match="deep"):
        to_toml({"key": endless})
    circle: dict[str, object] = {}
    circle["key"] = circle
    with pytest.raises(SettingsError, match="deep"):
        to_toml(circle)
