"""WMT's ranking judgements: two systems a row (2015), or five ranked together (2007 to 2014).

A ranking of five is ten answers, one per pair, or one ranking for models that know what that is. "a+b" is two systems
with the same output, which were shown once: what was said of it is said of each (of a whole ranking, in equal parts);
nothing is said of a against b, which nobody was asked.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, groupby, product
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING

from tolka.errors import FormatError
from tolka.judge.answers import Answer, Choice
from tolka.judge.exchange.reading import Answers, OnePair, Table
from tolka.judge.rankings import Ranked
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from tolka.limits import Limits

_BLANK = -1
_MOST_JOINED = 1024  # ways to read one row with systems joined
_RANK = re.compile(r"system(\d{1,3})rank")


def read_wmt(path: str | PathLike[str], *, pair: str | None = None, limits: Limits = DEFAULT) -> Answers:
    """Read WMT judgements (CSV, plain or compressed).

    Args:
        path: The file.
        pair: The language pair to read, in the file's own words ("Czech-English"), if it holds several.
        limits: Caps on lines and files.

    Raises:
        FormatError: The file is not such a table, with the line.
        InputError: The file holds several language pairs and none was chosen, or no answers.
    """

    def read(skipped: Counter[str]) -> Iterator[Answer]:
        for _, places, judge, segment in _rows(path, pair, limits, skipped):
            for left, right, choice in _pairs(places, skipped):
                yield Answer(left, right, choice, judge, segment)

    return Answers(path, "wmt", read)


def read_wmt_rankings(
    path: str | PathLike[str], *, pair: str | None = None, limits: Limits = DEFAULT
) -> Iterator[Ranked]:
    """Read WMT judgements as whole rankings; a row of fewer than two systems is passed over. See `read_wmt`."""
    for table, places, judge, segment in _rows(path, pair, limits, Counter()):
        ways = prod(len(names) for _, names in places)
        if ways > _MOST_JOINED:
            raise table.wrong("too many systems are joined in one ranking", hint="leave --model out")
        for names in product(*(names for _, names in places)):
            # A system that stands in two places was not ranked against itself.
            if len(names) < 2 or len(set(names)) < len(names):  # noqa: PLR2004
                continue
            ranked = sorted(zip((rank for rank, _ in places), names, strict=True))
            groups = [tuple(name for _, name in tied) for _, tied in groupby(ranked, key=itemgetter(0))]
            yield Ranked(tuple(groups), judge, segment, 1 / ways)


Places = list[tuple[float, list[str]]]


def _rows(
    path: str | PathLike[str], pair: str | None, limits: Limits, skipped: Counter[str]
) -> Iterator[tuple[Table, Places, str, str]]:
    """Of each row, the ranks with the systems there, the judge and the segment."""
    table = Table(path, limits=limits)
    numbers = sorted(int(found[1]) for name in table.header if (found := _RANK.fullmatch(name)))
    if len(numbers) < 2:  # noqa: PLR2004
        raise FormatError(
            "there are no columns system1rank and system2rank", path=path, line=1, hint="check the format"
        )
    systems = [(table.need(f"system{number}Id"), table.need(f"system{number}rank")) for number in numbers]
    judge, segment = table.column("judgeId"), table.column("segmentId", "srcIndex")
    document = table.column("documentId")
    chosen = OnePair(table, pair)
    for row in table.rows():
        if not chosen.keep(row):
            skipped["of other language pairs"] += 1
            continue
        place = row[segment] if segment is not None else ""
        if document is not None and row[document] not in {"", "-1"}:
            place = f"{row[document]}:{place}"
        who = row[judge] if judge is not None else ""
        yield table, _places(table, row, systems, skipped), who, place


def _places(table: Table, row: list[str], systems: list[tuple[int, int]], skipped: Counter[str]) -> Places:
    ranked = []
    for name, rank in systems:
        # A rank of -1, or no system at all, is a place that was left blank.
        if not row[name].strip() or not row[rank].strip() or (value := table.number(row, rank)) == _BLANK:
            skipped["blank places"] += 1
            continue
        ranked.append((value, _joined(table, row, name)))
    return ranked


def _pairs(places: Places, skipped: Counter[str]) -> Iterator[tuple[str, str, Choice]]:
    """Every pair of systems that a row ranks."""
    for (one, left), (two, right) in combinations(places, 2):
        choice = Choice.LEFT if one < two else Choice.RIGHT if two < one else Choice.TIE
        for a, b in product(left, right):
            if a == b:
                skipped["systems against themselves"] += 1
            else:
                yield a, b, choice


def _joined(table: Table, row: list[str], column: int) -> list[str]:
    names = [name.strip() for name in row[column].split("+")]
    if not all(names):
        raise table.wrong(f"{row[column]!r} joins a system without a name", hint="systems are joined as a+b")
    return sorted(set(names))
