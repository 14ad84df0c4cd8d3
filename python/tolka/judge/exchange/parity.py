"""The human-machine parity studies of Läubli et al. (2018, 2020): which of two, human or machine, reads better.

Two tables are known: `results` with a row per item, what stood at A and at B, and a column per criterion and rater; and
`ratings` with a row per rating. An item with `spam` is a control: it becomes a test question whose answer is the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.judge.answers import Answer, Choice
from tolka.judge.exchange.reading import Answers, Table
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from os import PathLike

    from tolka.limits import Limits

_RATER = re.compile(r"([a-z]+)_(rater\d+)")
_SPAM = "spam"


def read_parity(path: str | PathLike[str], *, criterion: str | None = None, limits: Limits = DEFAULT) -> Answers:
    """Read one of the two tables.

    Args:
        path: The file.
        criterion: "fluency" or "adequacy"; needed where the file has both.
        limits: Caps on lines and files.

    Raises:
        FormatError: The file is neither table, with the line.
        InputError: Nothing is said about the criterion, or it must be chosen.
    """

    def read(skipped: Counter[str]) -> Iterator[Answer]:
        table = Table(path, limits=limits)
        chosen = criterion
        for found, answer in _wide(table) if table.column("A_origin") is not None else _long(table):
            if criterion is None and chosen not in {None, found}:
                raise InputError(
                    f"there are ratings of {chosen} and of {found}", path=path, hint="choose one with --criterion"
                )
            chosen = chosen or found
            if found == chosen:
                yield answer
            else:
                skipped["of other criteria"] += 1

    return Answers(path, "parity", read)


def _wide(table: Table) -> Iterator[tuple[str, Answer]]:
    left, right = table.need("A_origin"), table.need("B_origin")
    article, line = table.need("wmt_article"), table.need("wmt_line")
    raters = [(i, found) for i, name in enumerate(table.header) if (found := _RATER.fullmatch(name))]
    for row in table.rows():
        for column, found in raters:
            sides = (table.text(row, left), table.text(row, right))
            yield (
                found[1],
                _answer(table, sides, row[column].strip(), found[2], f"{row[article]}:{row[line]}", sided=True),
            )


def _long(table: Table) -> Iterator[tuple[str, Answer]]:
    judge, item = table.need("participant_id"), table.need("exp_item_number")
    criterion, rating = table.need("condition"), table.need("rating")
    for row in table.rows():
        answer = _answer(table, ("human", "mt"), row[rating].strip(), row[judge], row[item], sided=False)
        yield row[criterion], answer


def _answer(table: Table, sides: tuple[str, str], chosen: str, judge: str, segment: str, *, sided: bool) -> Answer:
    choices = {sides[0]: Choice.LEFT, sides[1]: Choice.RIGHT, "tie": Choice.TIE}
    if chosen not in choices:
        raise table.wrong(f"{chosen!r} was chosen, but {sides[0]} and {sides[1]} were shown")
    test = Choice.RIGHT if sides[0] == _SPAM else Choice.LEFT if sides[1] == _SPAM else None
    return Answer(*sides, choices[chosen], judge, segment, sided, test=test)
