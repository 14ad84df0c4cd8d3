"""Material of conversations: what comes back is what went in, and nothing else is believed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.assist.parsing import Candidate, ParseMaterial
from tolka.errors import FormatError
from tolka.syntax import parse_penn

LOW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN him)) (PP (IN at) (NP (NN home))))))"
HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (NN him)) (PP (IN at) (NP (NN home)))))"
MATERIAL = ParseMaterial(
    ("I", "saw", "him", "at", "home"),
    parse_penn(LOW),
    (parse_penn(LOW), parse_penn(HIGH)),
    (-1.0, -1.5),
    (Candidate("he was seen at home", "en.passive", "2-5"), Candidate("he at home was seen", "en.passive", "2-5")),
    ((1,), (0,)),
)


def test_what_comes_back_asks_the_same() -> None:
    again = ParseMaterial.from_json(MATERIAL.as_json())
    assert again.as_json() == MATERIAL.as_json()
    assert again.dialogue().question == MATERIAL.dialogue().question
    assert again.dialogue().belief.yields.tolist() == [[False, True], [True, False]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(json.loads(MATERIAL.as_json()))), JSON)
def test_another_value_is_refused_or_can_be_asked_about(key: str, value: Any) -> None:
    line = json.dumps({**json.loads(MATERIAL.as_json()), key: value})
    try:
        found = ParseMaterial.from_json(line)
    except FormatError:
        return
    talk = found.dialogue()
    if talk.question is not None:
        talk.answer(talk.question.id, [True] * len(talk.question.choices))
    assert parse_penn(talk.result).words() == list(found.words)


@given(st.integers(0, len(MATERIAL.as_json()) - 1), st.text(max_size=3))
def test_a_line_cut_or_changed_anywhere_is_refused_or_can_be_asked_about(at: int, other: str) -> None:
    whole = MATERIAL.as_json()
    for line in (whole[:at], whole[:at] + other + whole[at + 1 :]):
        try:
            found = ParseMaterial.from_json(line)
        except FormatError:
            continue
        found.dialogue()


@pytest.mark.parametrize(
    "change",
    [
        {"words": ["I", "saw", "her", "at", "home"]},
        {"trees": []},
        {"log_weights": [0.0]},
        {"log_weights": [float("nan"), 0.0]},
        {"rewrites": [{"text": "he was seen", "grammar": "g", "group": "g", "trees": [2]}]},
        {"rewrites": [{"text": "he was seen", "grammar": "g", "group": "g", "trees": [True]}]},
        {"rewrites": [{"text": "he", "grammar": "g", "group": "g", "trees": []}] * 2},
        {"rewrites": [{"text": " ", "grammar": "g", "group": "g", "trees": []}]},
    ],
)
def test_what_does_not_fit_together_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        ParseMaterial.from_json(json.dumps({**json.loads(MATERIAL.as_json()), **change}))
