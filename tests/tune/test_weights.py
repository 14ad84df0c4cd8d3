"""Files of weights."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import FormatError, InputError
from tolka.tune import read_weights, write_weights

NAME = st.text("abcXYZ_0:é", min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(NAME, st.floats(allow_nan=False, allow_infinity=False), max_size=8))
def test_round_trip(tmp_path_factory, weights):
    path = tmp_path_factory.mktemp("weights") / "w"
    write_weights(path, weights)
    assert list(read_weights(path).items()) == list(weights.items())


def test_moses(tmp_path):
    path = tmp_path / "moses.ini"
    path.write_text(
        "[feature]\nKENLM name=LM0\n# a comment\n\n[weight]\nLM0= 0.5\nTM0= 0.2 0.3 -1e-2\n[distortion-limit]\n6\n"
    )
    assert read_weights(path) == {"LM0": 0.5, "TM0_0": 0.2, "TM0_1": 0.3, "TM0_2": -0.01}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("LM nan\n", "line 1: 'nan' is not a finite number"),
        ("LM 1\nTM inf\n", "line 2: 'inf' is not a finite number"),
        ("LM 1_0\n", "not a finite number"),
        ("LM\n", "has no value"),
        ("LM 1 2\n", "one value"),
        ("LM 1\nLM 2\n", "line 2: the feature 'LM' comes twice"),
        ("[weight]\nLM0 0.5\n", "looks like LM0= 0.5"),
        ("[weight]\nLM0=\n", "has no value"),
        ("[weight-l]\n0.5\n", "old Moses"),
        ("[feature]\nKENLM\n", "no weight in a section"),
    ],
)
def test_malformed(tmp_path, text, what):
    path = tmp_path / "w"
    path.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_weights(path)
    assert what in str(caught.value)


@pytest.mark.parametrize("weights", [{"a b": 1.0}, {"": 1.0}, {"#a": 1.0}, {"[a": 1.0}, {"a": math.nan}])
def test_what_cannot_be_written(tmp_path, weights):
    path = tmp_path / "w"
    path.write_text("LM 1\n")
    with pytest.raises(InputError):
        write_weights(path, weights)
    assert read_weights(path) == {"LM": 1.0}
