"""Questions, their names, and answers to those that are gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tolka.assist
from tolka.assist import Effect, GoneError, Question, fitting_answer
from tolka.errors import InputError

ASKED = Question.ask("rewrite", "I saw the man", ["The man was seen by me", "It is I that saw the man"])
WORD = Question.ask("substitute", "das ist schwer", ["schwierig", "dick"], focus=(2, 3), information=0.3)


def test_the_same_question_has_the_same_name_whatever_it_is_expected_to_tell() -> None:
    again = Question.ask("rewrite", ASKED.text, ASKED.choices, information=0.4)
    assert again.id == ASKED.id
    assert len(ASKED.id) == 16


@pytest.mark.parametrize(
    "other",
    [
        Question.ask("rewrite", "I saw a man", ASKED.choices),
        Question.ask("rewrite", ASKED.text, ASKED.choices[::-1]),
        Question.ask("rewrite", ASKED.text, ASKED.choices, focus=(0, 1)),
        Question.ask("rewrite", ASKED.text, ASKED.choices, about="second sentence"),
        Question.ask("rewrite", ASKED.text, [" ".join(ASKED.choices)]),
        WORD,
    ],
)
def test_another_question_has_another_name(other: Question) -> None:
    assert other.id != ASKED.id


@given(st.text(), st.lists(st.text(), max_size=4))
def test_any_text_is_a_question_or_refused(text: str, choices: list[str]) -> None:
    try:
        asked = Question.ask("rewrite", text, choices)
    except InputError:
        assert not text.strip() or not choices or len(set(choices)) < len(choices) or "" in map(str.strip, choices)
        return
    assert fitting_answer(asked, asked.id, [True] * len(choices)) == (True,) * len(choices)


@pytest.mark.parametrize(
    ("kind", "text", "choices", "focus", "information", "told"),
    [
        ("compare", "a", ("b",), None, 0, "no kind 'compare'"),
        ("rewrite", " ", ("b",), None, 0, "needs a sentence"),
        ("rewrite", "a", (), None, 0, "needs choices"),
        ("rewrite", "a", ("b", "b"), None, 0, "are the same"),
        ("rewrite", "a b", ("b",), (1, 3), 0, "not inside the sentence"),
        ("rewrite", "a b", ("b",), (1, 1), 0, "not inside the sentence"),
        ("substitute", "a b", ("b", "c"), None, 0, "needs a focus and two words"),
        ("substitute", "a b", ("b", "c", "d"), (0, 1), 0, "needs a focus and two words"),
        ("rewrite", "a", ("b",), None, float("nan"), "0 nats or more"),
        ("rewrite", "a", ("b",), None, -0.1, "0 nats or more"),
    ],
)
def test_what_is_no_question_is_refused(
    kind: str, text: str, choices: tuple[str, ...], focus: tuple[int, int] | None, information: float, told: str
) -> None:
    with pytest.raises(InputError, match=told):
        Question("0" * 16, kind, text, focus, choices, information)


def test_an_answer_to_a_question_that_is_gone_is_refused() -> None:
    with pytest.raises(GoneError, match="no longer asked; answer the one that is asked now"):
        fitting_answer(WORD, ASKED.id, [True, False])
    with pytest.raises(GoneError, match="nothing is left to ask"):
        fitting_answer(None, ASKED.id, [True, False])


@pytest.mark.parametrize("answer", [[True], [True, True, True], [1, 0], True, 0, None, "yn", [True, "no"]])
def test_what_is_no_answer_about_sentences_is_refused(answer: object) -> None:
    with pytest.raises(InputError, match="of 2 sentences whether each means the same"):
        fitting_answer(ASKED, ASKED.id, answer)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [2, -1, True, [0], "0", 0.0])
def test_what_is_no_word_of_the_two_is_refused(answer: object) -> None:
    with pytest.raises(InputError, match="no word of the two"):
        fitting_answer(WORD, WORD.id, answer)  # type: ignore[arg-type]


def test_answers_come_in_their_plain_form() -> None:
    assert fitting_answer(ASKED, ASKED.id, [True, None]) == (True, None)
    assert [fitting_answer(WORD, WORD.id, one) for one in (0, 1, None)] == [0, 1, None]


def test_an_effect_knows_whether_anything_changed() -> None:
    assert Effect(WORD, 1, "hard", "fat").changed
    assert not Effect(WORD, 0, "hard", "hard").changed


def test_the_room_offers_its_names() -> None:
    assert set(tolka.assist.__all__) <= set(dir(tolka.assist))
    assert all(getattr(tolka.assist, name) for name in tolka.assist.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'ask'"):
        tolka.assist.ask  # noqa: B018
