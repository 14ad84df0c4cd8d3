"""Answers as a table: one row each, a column for every field of `Answer`, for spreadsheets and other programs."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from tolka.errors import FormatError, InputError
from tolka.files import write_atomic
from tolka.judge.answers import Answer, Choice
from tolka.judge.exchange.jsonl import FIELDS, answer_from_json
from tolka.judge.exchange.reading import Answers, Table
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from os import PathLike
    from pathlib import Path

    from tolka.limits import Limits


def read_csv(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Answers:
    """Read a CSV whose columns are fields of `Answer`; an empty cell is the field's default.

    Raises:
        FormatError: A column is unknown or a row is no answer, with the line.
        InputError: There are no answers in it.
    """

    def read(_: Counter[str]) -> Iterator[Answer]:
        table = Table(path, limits=limits)
        table.need("left")
        unknown = [name for name in table.header if name not in FIELDS]
        if unknown:
            raise FormatError(f"unknown column {unknown[0]!r}", path=path, line=1, hint=f"known: {', '.join(FIELDS)}")
        for row in table.rows():
            found: dict[str, Any] = {name: text for name, text in zip(table.header, row, strict=True) if text}
            for name in ("seconds", "weight"):
                if name in found:
                    found[name] = table.number(row, table.need(name))
            if "sided" in found:
                found["sided"] = {"true": True, "false": False}.get(found["sided"], found["sided"])
            try:
                yield answer_from_json(found)
            except ValueError as error:
                raise table.wrong(str(error)) from None

    return Answers(path, "csv", read)


def write_csv(path: Path | str, answers: Iterable[Answer]) -> int:
    """Write answers as a CSV with all fields; the file appears whole or not at all. Returns how many."""
    number = 0
    with write_atomic(path) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(FIELDS)
        for number, answer in enumerate(answers, 1):  # noqa: B007
            writer.writerow([_cell(getattr(answer, name)) for name in FIELDS])
    return number


def write_preferences(path: Path | str, answers: Iterable[Answer]) -> int:
    """Write segment, better, worse and judge, as `read_preferences` reads them. Returns how many.

    Raises:
        InputError: An answer is a tie, undecided, a test or weighted, which this format cannot hold.
    """
    number = 0
    with write_atomic(path) as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("segment", "better", "worse", "judge"))
        for number, answer in enumerate(answers, 1):
            if answer.choice not in {Choice.LEFT, Choice.RIGHT} or answer.test is not None or answer.weight != 1:
                raise InputError(
                    f"answer {number} is a tie, undecided, a test or weighted, which preferences cannot say",
                    path=path,
                    hint="export jsonl or csv, which can",
                )
            writer.writerow((answer.segment, answer.winner, answer.loser, answer.judge))
    return number


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
