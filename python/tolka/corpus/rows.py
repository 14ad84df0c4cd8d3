"""What every corpus reader gives: rows of texts, with an account of what was left out."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Generic, Literal, Self, TypeVar

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike

Format = Literal["text", "tsv", "bars", "tmx", "po"]
Pair = tuple[str, str]
Row_co = TypeVar("Row_co", bound=tuple[str, ...], covariant=True)


class Account:
    """What a reader left out so far, and why; readers write it, callers read it from `Rows`."""

    def __init__(self) -> None:
        self.skipped: Counter[str] = Counter()
        self.langs: tuple[str, ...] = ()
        self.repairs: Callable[[], int] = lambda: 0


class Rows(Generic[Row_co]):
    """The rows of a corpus, in order; iterate over it once. A row is a tuple of texts that translate each other.

    Attributes:
        format: The format it is read from: "text", "tsv", "bars", "tmx" or "po".
        width: How many texts a row has.
    """

    def __init__(self, rows: Iterator[Row_co], *, format: Format, width: int, account: Account) -> None:  # noqa: A002
        self.format = format
        self.width = width
        self._rows = rows
        self._account = account

    def __iter__(self) -> Iterator[Row_co]:
        return self._rows

    def __next__(self) -> Row_co:
        return next(self._rows)

    def required(self, path: str | PathLike[str]) -> Self:
        """The same rows, with an error at the end if there were none."""

        def at_least_one(rows: Iterator[Row_co]) -> Iterator[Row_co]:
            first = next(rows, None)
            if first is None:
                left_out = ", ".join(f"{count} {reason}" for reason, count in self.skipped.items())
                raise InputError(
                    "the corpus is empty" + (f" (left out: {left_out})" if left_out else ""),
                    path=path,
                    hint="check that it is the right file",
                )
            yield first
            yield from rows

        self._rows = at_least_one(self._rows)
        return self

    @property
    def skipped(self) -> dict[str, int]:
        """How many units were left out so far, by reason, the reasons in alphabetical order."""
        return dict(sorted(self._account.skipped.items()))

    @property
    def repairs(self) -> int:
        """How many places were not UTF-8 and are now U+FFFD, in what was read so far."""
        return self._account.repairs()

    @property
    def langs(self) -> tuple[str, ...]:
        """The languages of the texts in a row, as far as the format says; known once a row was read."""
        return self._account.langs
