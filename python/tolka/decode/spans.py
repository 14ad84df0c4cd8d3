"""Spans of words that belong together, and walls between words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

SpanKind = Literal["zone", "whole"]
"""A zone is translated without a pause; a whole span is a zone that is one constituent of a chart."""


@dataclass(frozen=True)
class Span:
    """Words that belong together: what they become stays together, too.

    No rule crosses one end of the span, nor takes a part of it from a gap and the rest from elsewhere; once one of its
    words is translated, the others are before anything outside.

    Attributes:
        start: The first word, counted from 0; the first position in a lattice.
        end: The first word behind the span; the last position in a lattice.
        kind: `zone`, or `whole` if a chart may not put it together by glue, as long as any rule covers it all.
    """

    start: int
    end: int
    kind: SpanKind = "zone"

    def __post_init__(self) -> None:
        if self.kind not in get_args(SpanKind):
            raise InputError(f"unknown kind of span {self.kind!r}", hint="use zone or whole")


def crosses(start: int, end: int, spans: Iterable[Span], walls: Iterable[int]) -> bool:
    """Whether words cross a wall or one end of a span, so that nothing may translate them at once.

    Example:
        >>> [crosses(start, end, [Span(1, 3)], [4]) for start, end in ((0, 2), (0, 4), (1, 2), (3, 5))]
        [True, False, False, True]
    """
    if any(start < wall < end for wall in walls):
        return True
    return any(start < span.start < end < span.end or span.start < start < span.end < end for span in spans)


NativeSpans = tuple[list[tuple[int, int, bool]], list[int]]


def native_spans(spans: Iterable[Span], walls: Iterable[int]) -> NativeSpans:
    """Spans and walls as the engine takes them."""
    found = [(place(one.start), place(one.end), one.kind == "whole") for one in spans]
    return found, [place(wall) for wall in walls]


def place(number: int) -> int:
    """A place in a sentence as the engine can take it.

    Raises:
        InputError: A number that is none.
    """
    if not 0 <= number < 2**31:
        raise InputError(f"there is no word {number}", hint="count words from 0")
    return number
