"""Lists of preferences: segment, better, worse, and who said so if there is a column `judge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.judge.answers import Answer
from tolka.judge.exchange.reading import Answers, Table
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from os import PathLike

    from tolka.limits import Limits


def read_preferences(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Answers:
    """Read a CSV with the columns `better` and `worse`, and `segment` and `judge` if they are there.

    Raises:
        FormatError: The file is not such a table, with the line.
        InputError: There are no answers in it.
    """

    def read(_: Counter[str]) -> Iterator[Answer]:
        table = Table(path, limits=limits)
        better, worse = table.need("better"), table.need("worse")
        segment, judge = table.column("segment"), table.column("judge")
        for row in table.rows():
            one, two = table.text(row, better), table.text(row, worse)
            if one == two:
                raise table.wrong(f"{one!r} is compared with itself")
            yield Answer(
                one,
                two,
                judge=row[judge] if judge is not None else "",
                segment=row[segment] if segment is not None else "",
            )

    return Answers(path, "preferences", read)
