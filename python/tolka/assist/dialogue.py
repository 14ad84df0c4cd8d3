"""A sentence's conversation with somebody who knows its language alone: one question at a time, the most telling first.

Whoever asks (a terminal, a page, a simulation) knows only this; parses and translations each have a `Dialogue` of
their own. A dialogue is rebuilt by giving the same answers in the same order, so that answers are all there is to keep.

Example:
    >>> asked = Question.ask(
    ...     "substitute", "the bank was steep", ("shore", "institute"), focus=(1, 2), information=0.6
    ... )
    >>> asked.focused
    ('bank',)
    >>> fitting_answer(asked, asked.id, 0)
    0
    >>> fitting_answer(asked, "0123456789abcdef", 0)
    Traceback (most recent call last):
    tolka.assist.dialogue.GoneError: this question is no longer asked; answer the one that is asked now
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, get_args, runtime_checkable

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

QuestionKind = Literal["rewrite", "substitute"]
"""Which sentences mean the same (Mohammad 2012, section 1.2), or which word fits better (section 2.3)."""

Answer = tuple[bool | None, ...] | int | None
"""Of each rewritten sentence whether it means the same (None: cannot tell); or which word, None for both or neither."""

KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)


class GoneError(InputError):
    """An answer to a question that is no longer asked: an answer before it has changed what is worth asking."""


@dataclass(frozen=True)
class Question:
    """A question about a sentence; make it with `Question.ask`, which names it.

    Attributes:
        id: A digest of the sentence and of what is asked: the same question always has the same.
        kind: `rewrite` (does this mean the same?) or `substitute` (which word fits better?).
        text: The person's sentence, its tokens separated by spaces.
        focus: The tokens [begin, end) to emphasise.
        choices: `rewrite`: sentences, each to be judged; `substitute`: the two words.
        information: What the answer is expected to tell, in nats.
    """

    id: str
    kind: str
    text: str
    focus: tuple[int, int] | None
    choices: tuple[str, ...]
    information: float

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(f"there is no kind {self.kind!r} of questions", hint=f"use one of {', '.join(KINDS)}")
        if not self.text.strip():
            raise InputError("a question needs a sentence")
        if not self.choices or not all(choice.strip() for choice in self.choices):
            raise InputError("a question needs choices, none of them empty")
        if len(set(self.choices)) < len(self.choices):
            raise InputError("two choices of a question are the same", hint="ask about them once")
        if self.kind == "substitute" and (len(self.choices) != 2 or self.focus is None):  # noqa: PLR2004
            raise InputError("a question for a better word needs a focus and two words")
        if self.focus is not None and not 0 <= self.focus[0] < self.focus[1] <= len(self.text.split()):
            raise InputError(f"the focus {self.focus} is not inside the sentence")
        if not (math.isfinite(self.information) and self.information >= 0):
            raise InputError(f"information is 0 nats or more, not {self.information}")

    @classmethod
    def ask(
        cls,
        kind: QuestionKind,
        text: str,
        choices: Sequence[str],
        *,
        focus: tuple[int, int] | None = None,
        information: float = 0.0,
        about: str = "",
    ) -> Question:
        """A question with the name that follows from it.

        Args:
            kind: Its kind.
            text: The sentence.
            choices: What is to be judged, in the order in which it is shown.
            focus: The tokens to emphasise.
            information: What the answer is expected to tell, in nats; not part of the name.
            about: What else tells it from others, where the same words may be asked twice.
        """
        parts = [kind, text, list(choices), list(focus or ()), about]
        written = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return cls(digest, kind, text, focus, tuple(choices), information)

    @property
    def focused(self) -> tuple[str, ...]:
        """The emphasised words."""
        return () if self.focus is None else tuple(self.text.split()[self.focus[0] : self.focus[1]])


@dataclass(frozen=True)
class Effect:
    """What an answer changed.

    Attributes:
        question: What was asked.
        answer: What was answered.
        before: The result before (a tree, a translation).
        after: The result after.
        by: Who answered; empty if that was not said.
        gained: How much surer the belief became, in nats (negative: less sure); None if that is not known.
    """

    question: Question
    answer: Answer
    before: str
    after: str
    by: str = ""
    gained: float | None = None

    @property
    def changed(self) -> bool:
        """Whether the result is another one now."""
        return self.before != self.after


@runtime_checkable
class Dialogue(Protocol):
    """One sentence's conversation: the same answers in the same order always lead to the same place."""

    @property
    def question(self) -> Question | None:
        """The most informative question now; None if nothing is worth asking."""

    def answer(self, question_id: str, answer: Sequence[bool | None] | int | None, *, by: str = "") -> None:
        """Take an answer to the present question.

        Args:
            question_id: Its id.
            answer: One bool a choice (None: cannot tell), or 0, 1 or None (both or neither).
            by: Who says so, where people are believed differently.

        Raises:
            GoneError: The question is no longer asked.
            InputError: This is no answer to it.
        """

    @property
    def result(self) -> str:
        """The corrected tree in brackets, or the translation, as of now."""

    def account(self) -> tuple[Effect, ...]:
        """What each answer changed, in their order."""


def fitting_answer(question: Question | None, question_id: str, answer: Sequence[bool | None] | int | None) -> Answer:
    """An answer in its plain form, if it is one to the question that is asked now.

    Args:
        question: The present question; None if there is none.
        question_id: The question that was answered.
        answer: What was answered.

    Raises:
        GoneError: That question is not the present one.
        InputError: This is no answer to it.

    Example:
        >>> asked = Question.ask("rewrite", "I saw him", ["He was seen by me"])
        >>> fitting_answer(asked, asked.id, [True])
        (True,)
    """
    if question is None or question.id != question_id:
        what = "this question is no longer asked"
        raise GoneError(what, hint="answer the one that is asked now" if question else "nothing is left to ask")
    if question.kind == "substitute":
        if answer is None or (isinstance(answer, int) and not isinstance(answer, bool) and answer in {0, 1}):
            return answer
        raise InputError("the answer is no word of the two", hint="give 0, 1, or None for both or neither")
    if isinstance(answer, (list, tuple)):
        given = tuple(answer)
        if len(given) == len(question.choices) and all(one is None or isinstance(one, bool) for one in given):
            return given
    number = len(question.choices)
    raise InputError(
        f"the answer must say of {number} sentences whether each means the same", hint="give True, False or None"
    )
