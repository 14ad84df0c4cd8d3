"""Answers as JSON lines, the form in which nothing is lost: one object a line with the fields of `Answer`.

Fields at their default are left out: `{"left": "a", "right": "b", "choice": "left", "judge": "anna"}`. A test question
may be about no items at all: of a blank to fill, and of texts that no system wrote, `left` and `right` are empty.
"""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tolka.corpus import read_lines
from tolka.errors import FormatError
from tolka.files import write_atomic
from tolka.judge.answers import Answer, Choice
from tolka.judge.exchange.reading import Answers
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator
    from os import PathLike
    from pathlib import Path

    from tolka.limits import Limits

FIELDS = tuple(field.name for field in fields(Answer))
_DEFAULTS = {field.name: field.default for field in fields(Answer) if field.name not in {"left", "right", "choice"}}


def read_jsonl(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Answers:
    """Read answers, one JSON object a line.

    Raises:
        FormatError: A line is no such object, with the line.
        InputError: There are no answers in it.
    """

    def read(_: Counter[str]) -> Iterator[Answer]:
        for number, line in enumerate(read_lines(path, limits=limits), 1):
            if not line.strip():
                continue
            try:
                yield answer_from_json(json.loads(line))
            except (ValueError, RecursionError) as error:
                what = "not JSON" if isinstance(error, (json.JSONDecodeError, RecursionError)) else str(error)
                hint = 'an answer is {"left": "a", "right": "b", "choice": "left"}'
                raise FormatError(what, path=path, line=number, hint=hint) from None

    return Answers(path, "jsonl", read)


def write_jsonl(path: Path | str, answers: Iterable[Answer]) -> int:
    """Write answers, one JSON object a line; the file appears whole or not at all. Returns how many."""
    number = 0
    with write_atomic(path) as out:
        for number, answer in enumerate(answers, 1):  # noqa: B007
            out.write(json.dumps(answer_to_json(answer), ensure_ascii=False) + "\n")
    return number


def answer_to_json(answer: Answer) -> dict[str, Any]:
    """An answer as a JSON object, without what is at its default."""
    found: dict[str, Any] = {"left": answer.left, "right": answer.right, "choice": str(answer.choice)}
    for name, default in _DEFAULTS.items():
        value = getattr(answer, name)
        if value != default:
            found[name] = str(value) if isinstance(value, Choice) else value
    return found


def answer_from_json(found: Any) -> Answer:
    """An answer from a JSON object.

    Raises:
        ValueError: It is no answer; the message says why.
    """
    if not isinstance(found, dict):
        raise ValueError("an answer must be an object")  # noqa: TRY004 - the caller asks whether it is an answer
    unknown = [name for name in found if name not in FIELDS]
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r}")
    if found.get("test") is None and not (found.get("left") and found.get("right")):
        raise ValueError("left or right is missing")
    given = {"left": "", "right": "", **{name: _READ[name](value, name) for name, value in found.items()}}
    if given["left"] == given["right"] and given.get("test") is None:
        raise ValueError(f"{given['left']!r} is compared with itself")
    if given.get("weight") == 0:
        raise ValueError("weight must be above 0")
    return Answer(**given)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text")  # noqa: TRY004
    return value


def _truth(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false")  # noqa: TRY004
    return value


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < 0:
        raise ValueError(f"{name} must be a number from 0")
    return float(value)


def _choice(value: Any, name: str) -> Choice:
    if not isinstance(value, str) or value not in set(Choice):
        raise ValueError(f"{name} must be one of {', '.join(Choice)}")
    return Choice(value)


_READ: dict[str, Callable[[Any, str], Any]] = {
    **dict.fromkeys(("left", "right", "judge", "segment", "at"), _text),
    "choice": _choice,
    "sided": _truth,
    "seconds": lambda value, name: None if value is None else _number(value, name),
    "test": lambda value, name: None if value is None else _choice(value, name),
    "weight": _number,
}
