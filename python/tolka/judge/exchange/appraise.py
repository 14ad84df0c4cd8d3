"""Exports of Appraise: scores of systems (`ExportSystemScoresToCSV`), or its table of pairwise results.

The first kind has no header: judge, system, segment, kind of item, source and target language, score, for document tasks
the document and whether the score is the document's, then times of start and end. Judges' scores of different systems on
the same segment are compared. Of the kinds of items, TGT and CHK are counted; BAD and REF are Appraise's own controls.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import InputError
from tolka.judge.answers import Answer, Choice
from tolka.judge.exchange.reading import Answers, OnePair, Table
from tolka.judge.exchange.scores import implied_answers
from tolka.judge.exchange.wmt import read_wmt
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from os import PathLike

    from tolka.limits import Limits

_COLUMNS = ("judge", "system", "segment", "kind", "srclang", "trglang", "score")
_DOCUMENT = 8  # where document tasks say whether a score is the document's
_COUNTED = {"TGT", "CHK"}


def read_appraise(path: str | PathLike[str], *, pair: str | None = None, limits: Limits = DEFAULT) -> Answers:
    """Read an export of Appraise; its WMT ranking export is read as `read_wmt` does.

    Args:
        path: The file.
        pair: The language pair to read ("eng-deu"), if it holds several.
        limits: Caps on lines and files.

    Raises:
        FormatError: The file is not such a table, with the line.
        InputError: No judge scored two systems on a segment.
    """
    first = next(iter(read_lines(path, limits=limits)), None)
    if first is None:
        raise InputError("the file is empty", path=path, hint="check that it is the right file")
    names = {name.strip().lower() for name in first.split(",")}
    if "system1rank" in names:
        return read_wmt(path, pair=pair, limits=limits)
    if {"system1id", "score1", "system2id", "score2"} <= names:
        return Answers(path, "appraise", lambda skipped: _read_pairs(path, skipped, limits))
    return Answers(path, "appraise", lambda skipped: _read_scores(path, pair, skipped, limits))


def _read_scores(
    path: str | PathLike[str], pair: str | None, skipped: Counter[str], limits: Limits
) -> Iterator[Answer]:
    width = None
    for line in read_lines(path, limits=limits):
        width = line.count(",") + 1
        break
    extra = [f"column {number}" for number in range(len(_COLUMNS) + 1, (width or 0) + 1)]
    table = Table(path, header=[*_COLUMNS, *extra], limits=limits)
    chosen = OnePair(table, pair)
    scores: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in table.rows():
        if not chosen.keep(row):
            skipped["of other language pairs"] += 1
        elif row[3] not in _COUNTED:
            skipped[f"controls ({row[3]})"] += 1
        elif len(row) > _DOCUMENT and row[_DOCUMENT] == "True":
            skipped["scores of documents"] += 1
        else:
            value = table.number(row, 6)
            document = f"{row[7]}:" if len(row) > _DOCUMENT and row[_DOCUMENT] == "False" else ""
            for system in table.text(row, 1).split("+"):
                scores[row[0], f"{document}{row[2]}"][system].append(value)
    yield from implied_answers(scores, skipped)


def _read_pairs(path: str | PathLike[str], skipped: Counter[str], limits: Limits) -> Iterator[Answer]:
    table = Table(path, limits=limits)
    one, two = table.need("system1ID"), table.need("system2ID")
    first, second = table.need("score1"), table.need("score2")
    judge, segment = table.column("username", "userID"), table.column("segmentID")
    kind, seconds, start = table.column("itemType"), table.column("durationInSeconds"), table.column("startTime")
    for row in table.rows():
        if kind is not None and row[kind] not in _COUNTED:
            skipped[f"controls ({row[kind]})"] += 1
            continue
        if row[two] in {"", "None"} or row[second] in {"", "None"}:
            skipped["single outputs"] += 1
            continue
        difference = table.number(row, first) - table.number(row, second)
        for left in table.text(row, one).split("+"):
            for right in table.text(row, two).split("+"):
                if left == right:
                    skipped["systems against themselves"] += 1
                    continue
                yield Answer(
                    left,
                    right,
                    Choice.LEFT if difference > 0 else Choice.RIGHT if difference < 0 else Choice.TIE,
                    row[judge] if judge is not None else "",
                    row[segment] if segment is not None else "",
                    sided=True,
                    seconds=max(table.number(row, seconds), 0.0) if seconds is not None else None,
                    at=_moment(table.number(row, start)) if start is not None else "",
                )


def _moment(seconds: float) -> str:
    from datetime import UTC, datetime  # noqa: PLC0415

    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""
