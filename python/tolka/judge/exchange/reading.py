"""What every reader of answers gives, and how it reads tables."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from tolka.judge.answers import Answer
    from tolka.limits import Limits

_SHOWN = 40


class Answers:
    """The answers in a file, in order; iterate over it once.

    Attributes:
        path: The file.
        format: The format it is read as.
        skipped: How many units were left out so far, by reason.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        format: str,  # noqa: A002
        read: Callable[[Counter[str]], Iterator[Answer]],
    ) -> None:
        self.path = path
        self.format = format
        self.skipped: Counter[str] = Counter()
        self._answers = self._at_least_one(read(self.skipped))

    def __iter__(self) -> Iterator[Answer]:
        return self._answers

    def __next__(self) -> Answer:
        return next(self._answers)

    def _at_least_one(self, answers: Iterator[Answer]) -> Iterator[Answer]:
        first = next(answers, None)
        if first is None:
            left_out = ", ".join(f"{count} {reason}" for reason, count in sorted(self.skipped.items()))
            raise InputError(
                "there are no answers" + (f" (left out: {left_out})" if left_out else ""),
                path=self.path,
                hint="check that it is the right file and format",
            )
        yield first
        yield from answers


class Table:
    """A CSV or TSV file with a header (or one that is given), row by row.

    Attributes:
        path: The file.
        header: The names of the columns, in lower case.
        line: The line of the row read last, counted from 1.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        delimiter: str = ",",
        quoted: bool = True,
        header: Sequence[str] | None = None,
        limits: Limits = DEFAULT,
    ) -> None:
        self.path = path
        # The csv module's own cap is a global one, and smaller than lines may be; the limits are checked line by line.
        csv.field_size_limit(max(csv.field_size_limit(), limits.line_bytes))
        self._reader = csv.reader(
            read_lines(path, limits=limits),
            delimiter=delimiter,
            quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
            strict=True,
        )
        first = self._next() if header is None else list(header)
        if first is None:
            raise InputError("the file is empty", path=path, hint="check that it is the right file")
        self.header = [name.strip().lstrip("\ufeff").lower() for name in first]

    @property
    def line(self) -> int:
        """The line of the row read last, counted from 1."""
        return self._reader.line_num

    def rows(self) -> Iterator[list[str]]:
        """The rows below the header; empty lines are passed over."""
        while (row := self._next()) is not None:
            if not row:
                continue
            if len(row) != len(self.header):
                raise self.wrong(f"{len(row)} columns where the header has {len(self.header)}")
            yield row

    def _next(self) -> list[str] | None:
        try:
            return next(self._reader, None)
        except csv.Error as error:
            raise self.wrong(f"not a table: {error}") from None

    def column(self, *names: str) -> int | None:
        """The place of the first of these columns that is there, or None."""
        return next((self.header.index(name.lower()) for name in names if name.lower() in self.header), None)

    def need(self, *names: str) -> int:
        """The place of the first of these columns that is there.

        Raises:
            FormatError: None of them is.
        """
        found = self.column(*names)
        if found is None:
            shown = ", ".join(self.header)[: 4 * _SHOWN]
            raise FormatError(
                f"there is no column {' or '.join(names)} (there are {shown})",
                path=self.path,
                line=1,
                hint="check the format",
            )
        return found

    def wrong(self, what: str, hint: str = "") -> FormatError:
        """An error about the row read last."""
        return FormatError(what, path=self.path, line=self.line, hint=hint)

    def number(self, row: Sequence[str], column: int) -> float:
        """A field as a finite number."""
        text = row[column].strip()
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if value != value or abs(value) == float("inf"):  # noqa: PLR0124 - NaN
            raise self.wrong(f"{text[:_SHOWN]!r} in column {self.header[column]} is not a number")
        return value

    def text(self, row: Sequence[str], column: int) -> str:
        """A field that must not be empty."""
        text = row[column].strip()
        if not text:
            raise self.wrong(f"column {self.header[column]} is empty")
        return text


class OnePair:
    """Sees to it that all answers are about one language pair.

    Args:
        table: The table, for errors.
        wanted: The pair, like "Czech-English" or "ces-eng" in the file's own words; None if there must be only one.
    """

    def __init__(self, table: Table, wanted: str | None) -> None:
        self._table = table
        self._wanted = wanted.lower() if wanted is not None else None
        self._source, self._target = table.column("srclang"), table.column("trglang")
        self._seen = ""
        if wanted is not None and (self._source is None or self._target is None):
            raise FormatError("the file names no languages", path=table.path, line=1, hint="leave --pair out")

    def keep(self, row: Sequence[str]) -> bool:
        """Whether a row belongs to the pair.

        Raises:
            InputError: No pair was chosen, and this row is of another one than those before.
        """
        if self._source is None or self._target is None:
            return True
        pair = f"{row[self._source].strip()}-{row[self._target].strip()}"
        if self._wanted is not None:
            return pair.lower() == self._wanted
        if self._seen and pair != self._seen:
            raise InputError(
                f"{pair} after {self._seen}: a ranking is of one language pair",
                path=self._table.path,
                line=self._table.line,
                hint=f"choose one, for instance with --pair {self._seen}",
            )
        self._seen = pair
        return True
