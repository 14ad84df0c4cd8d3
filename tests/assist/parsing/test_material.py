"""Material of conversations: what comes back is what went in, and nothing else is believed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.assist.parsing import Candidate, ParseMaterial
from tolka.errors import FormatError
from tolka.syntax import ConstituentForest, parse_penn

LOW = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN him)) (PP (IN at) (NP (NN home))))))"
HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (NN him)) (PP (IN at) (NP (NN home)))))"
MATERIAL = ParseMaterial(
    parse_penn(LOW),
    ConstituentForest.from_trees([(parse_penn(LOW), -1.0), (parse_penn(HIGH), -1.5)]),
    (Candidate("he was seen at home", "en.passive", "2-5"), Candidate("he at home was seen", "en.passive", "2-5")),
    ((1,), (0,)),
)


def test_what_comes_back_asks_the_same() -> None:
    again = ParseMaterial.from_json(json.loads(json.dumps(MATERIAL.as_json())))
    assert again.as_json() == MATERIAL.as_json()
    assert again.dialogue().question == MATERIAL.dialogue().question
    assert again.dialogue().belief.yields.tolist() == [[False, True], [True, False]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(st.text(max_size=8), part, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(MATERIAL.as_json())), JSON)
def test_another_value_is_refused_or_can_be_asked_about(key: str, value: Any) -> None:
    try:
        found = ParseMaterial.from_json({**MATERIAL.as_json(), key: value})
    except FormatError:
        return
    talk = found.dialogue()
    if talk.question is not None:
        talk.answer(talk.question.id, [True] * len(talk.question.choices))
    assert parse_penn(talk.result).words() == list(found.forest.words)


@pytest.mark.parametrize(
    "change",
    [
        {"parsed": "(S (X I) (X left))"},
        {"forest": {}},
        {"yields": [[0]]},
        {"yields": [[2], [0]]},
        {"yields": [[True], [0]]},
        {"exact": 1},
        {"rewrites": [{"text": "he", "grammar": "g", "group": "g"}] * 2},
        {"rewrites": [{"text": " ", "grammar": "g", "group": "g"}] * 2},
        {"rewrites": [{"text": 1, "grammar": "g", "group": "g"}] * 2},
    ],
)
def test_what_does_not_fit_together_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(FormatError):
        ParseMaterial.from_json({**MATERIAL.as_json(), **change})
