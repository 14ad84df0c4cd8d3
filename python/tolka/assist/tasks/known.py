"""Test questions whose answers are known, in between the others: how somebody does there is how far they are believed.

Two sorts may be mixed. A blank to fill (what a verb governs, say) is found out by who reads the language; the ones that come
with tolka are of this sort. A question of the task's own kind, with its answer, is a line such as

    {"kind": "rewrite", "text": "I saw him", "choices": ["He was seen by me", "He saw me"], "answer": [true, false]}
    {"kind": "substitute", "text": "das ist schwer", "focus": [2, 3], "choices": ["schwierig", "dick"], "answer": 0}
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tolka.assist.dialogue import Answer, Question, fitting_answer
from tolka.errors import FormatError, InputError
from tolka.judge.campaign.material import BlankTest, read_records, read_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_FIELDS = {"kind", "text", "choices", "focus", "answer"}
# Somebody of whom nothing is known yet is taken to be right nine times in ten, as if that had been seen in five questions.
_SEEN_RIGHT, _SEEN = 4.5, 5.0


@dataclass(frozen=True)
class Known:
    """A question of the task's kind, and its answer.

    Attributes:
        question: What is asked.
        answer: What is right; None in it where anything is.
    """

    question: Question
    answer: Answer

    def passed(self, given: Answer) -> bool:
        """Whether an answer says what is right, wherever the key says anything."""
        if isinstance(self.answer, tuple) and isinstance(given, tuple):
            return all(key is None or key is said for key, said in zip(self.answer, given, strict=True))
        return given == self.answer


KnownTest = BlankTest | Known


def read_known(path: Path) -> list[KnownTest]:
    """Read test questions from JSON or JSON lines.

    Raises:
        FormatError: One of them is none.
    """
    records = read_records(path)
    found: list[KnownTest] = []
    for number, record in enumerate(records, start=1):
        if "kind" in record:
            found.append(_known(record, number, path))
            continue
        test = read_test(record, number, path)
        if not isinstance(test, BlankTest):
            what = f"test {number}: a comparison of two translations is for tolka judge"
            raise FormatError(what, path=path, hint="give a blank to fill, or kind, text, choices and answer")
        found.append(test)
    return found


def _known(record: Mapping[str, Any], number: int, path: Path | None) -> Known:
    def complain(what: str) -> FormatError:
        return FormatError(f"test {number}: {what}", path=path)

    unknown = sorted(set(record) - _FIELDS)
    if unknown or not {"kind", "text", "choices", "answer"} <= set(record):
        raise complain(f"unknown field {unknown[0]!r}" if unknown else "needs kind, text, choices and answer")
    text, choices, focus, answer = record["text"], record["choices"], record.get("focus"), record["answer"]
    if not isinstance(text, str) or not isinstance(choices, list) or not all(isinstance(one, str) for one in choices):
        raise complain("text must be text, and choices a list of texts")
    is_span = isinstance(focus, list) and len(focus) == 2 and all(type(one) is int for one in focus)  # noqa: PLR2004
    if focus is not None and not is_span:
        raise complain("focus must be two numbers, the first word and the one after the last")
    try:
        question = Question.ask(record["kind"], text, choices, focus=(focus[0], focus[1]) if focus else None)
        key = fitting_answer(question, question.id, answer)
    except InputError as error:
        raise complain(str(error)) from None
    if key is None or (isinstance(key, tuple) and all(one is None for one in key)):
        raise complain("the answer says nothing, so that nobody could fail")
    return Known(question, key)


def stored_form(test: KnownTest) -> tuple[str, str]:
    """A test as the table keeps it: its kind and JSON."""
    if isinstance(test, BlankTest):
        return "blank", json.dumps(asdict(test), ensure_ascii=False)
    asked = test.question
    body = {"kind": asked.kind, "text": asked.text, "choices": asked.choices, "answer": test.answer}
    return asked.kind, json.dumps(body | ({"focus": asked.focus} if asked.focus else {}), ensure_ascii=False)


def of_stored(kind: str, body: str) -> KnownTest:
    """A test from the table."""
    found = json.loads(body)
    if kind == "blank":
        return BlankTest(found["text"], tuple(found["options"]), tuple(found["right"]))
    return _known(found, 0, None)


def trust_of(passed: int, had: int) -> float:
    """How often somebody is right, seeing how many test questions they got right: the mean of a Beta posterior.

    Example:
        >>> [round(trust_of(*seen), 2) for seen in ((0, 0), (5, 5), (0, 5))]
        [0.9, 0.95, 0.45]
    """
    return (passed + _SEEN_RIGHT) / (had + _SEEN)


def check_all(tests: Iterable[KnownTest]) -> list[KnownTest]:
    """Tests that may go together: no two the same.

    Raises:
        InputError: Two are.
    """
    found = list(tests)
    seen: set[tuple[str, str]] = set()
    for number, test in enumerate(found, start=1):
        form = stored_form(test)
        if form in seen:
            raise InputError(f"test question {number} is there twice", hint="remove one of them")
        seen.add(form)
    return found
