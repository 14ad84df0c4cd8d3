"""From answers to where a dialogue stands: it asks, and what was answered is looked up.

What counts may change later, when somebody fails their test questions or takes an answer back. So answers are not played
in the order in which they came: the dialogue asks its question, whoever answered that one is heard, and so on until it
asks what nobody has answered. The same answers always lead to the same place, and an answer whose question comes up again
on another way is not lost.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tolka.assist.dialogue import fitting_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.assist.dialogue import Answer, Dialogue, Question

T = TypeVar("T")


@dataclass(frozen=True)
class Said:
    """An answer that counts.

    Attributes:
        id: Names it; never used again for another one.
        question: The question's digest.
        answer: What was answered.
        by: Who did.
        trust: How often they were right in test questions then; None if that is not known.
    """

    id: str
    question: str
    answer: Answer
    by: str = ""
    trust: float | None = None


class Trusting:
    """How far each is to be believed at the answer that is just being given."""

    def __init__(self) -> None:
        self.now: dict[str, float | None] = {}

    def __call__(self, by: str) -> float | None:
        """See `Trust`."""
        return self.now.get(by)


class Play:
    """A dialogue on its way.

    Args:
        dialogue: At its beginning.
        trust: What it was made with.
        judgements: How many answers a question needs.

    Attributes:
        used: The ids of the answers it has had.
        asked: How many questions were answered.
        had: How many answers the present question has.
    """

    def __init__(self, dialogue: Dialogue, trust: Trusting, judgements: int = 1) -> None:
        self.dialogue = dialogue
        self.trust = trust
        self.judgements = judgements
        self.used: tuple[str, ...] = ()
        self.asked = 0
        self.had = 0

    def go(self, said: Iterable[Said]) -> Question | None:
        """Give every answer whose question comes up; returns the question that is asked then.

        Args:
            said: All answers that count, in the order in which they came; those it has had already among them.
        """
        waiting: dict[str, deque[Said]] = defaultdict(deque)
        had = set(self.used)
        for one in said:
            if one.id not in had:
                waiting[one.question].append(one)
        while True:
            question = self.dialogue.question
            self.had = len(waiting[question.id]) if question is not None else 0
            if question is None or self.had < self.judgements:
                return question
            together = [waiting[question.id].popleft() for _ in range(self.judgements)]
            merged = merge(question, together)
            self.trust.now = {merged.by: merged.trust}
            self.dialogue.answer(question.id, merged.answer, by=merged.by)
            self.used += tuple(one.id for one in together)
            self.asked += 1


def merge(question: Question, together: list[Said]) -> Said:
    """Several people's answers as one: what most say of each choice, and that it cannot be told where none does.

    Example:
        >>> from tolka.assist.dialogue import Question
        >>> asked = Question.ask("rewrite", "I saw him", ["He was seen by me", "It is I that saw him"])
        >>> three = [Said(by, asked.id, answer, by) for by, answer in
        ...     [("a", (True, True)), ("b", (True, False)), ("c", (False, None))]]
        >>> merge(asked, three).answer
        (True, None)
    """
    first = together[0]
    if len(together) == 1:
        return first
    answers = [fitting_answer(question, one.question, one.answer) for one in together]
    known = [one.trust for one in together if one.trust is not None]
    answer: Answer
    if question.kind == "substitute":
        answer = _majority([one for one in answers if isinstance(one, int)])
    else:
        columns = zip(*(one for one in answers if isinstance(one, tuple)), strict=True)
        answer = tuple(_majority([one for one in column if one is not None]) for column in columns)
    by = ", ".join(dict.fromkeys(one.by for one in together))
    return Said(first.id, first.question, answer, by, sum(known) / len(known) if known else None)


def _majority(said: Sequence[T]) -> T | None:
    """What was said most often; None if nothing was, or two things equally often."""
    counts = Counter(said).most_common()
    return counts[0][0] if counts and (len(counts) == 1 or counts[0][1] > counts[1][1]) else None
