"""Word lattices and confusion networks: several inputs in one."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tolka import _engine
from tolka.errors import InputError, LimitError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.decode.spans import Span

EPSILON = "*EPS*"
"""What an arc without a word says, as in Moses and cdec."""

MOST_POSITIONS = 20_000
MOST_ARCS = 200_000

ScoreKind = Literal["probability", "log"]


class Arc(NamedTuple):
    """A word between two positions.

    Attributes:
        start: The position it begins at.
        end: The position it ends at, further on.
        word: The word, or `*EPS*` for none.
        score: A natural logarithm; the feature `input` sums those of the path that is taken.
    """

    start: int
    end: int
    word: str
    score: float = 0.0


@dataclass(frozen=True)
class Lattice:
    """Alternative inputs that share parts: every path from position 0 to the last one is a sentence.

    A chart finds the best translation of the best path, by all features together; the weight of `input` says how much the
    scores of the arcs count.

    Attributes:
        arcs: Words between positions, which are numbered so that all arcs run forwards.
        spans: Positions that belong together.
        walls: Positions that nothing crosses; what is before is translated first.

    Example:
        >>> lattice = Lattice([(0, 1, "ein", -0.1), (0, 1, "kein", -2.3), (1, 2, "haus")])
        >>> lattice.last, lattice.to_plf(scores="log")
        (2, "((('ein',-0.1,1),('kein',-2.3,1),),(('haus',0.0,1),),)")
        >>> Lattice.from_plf(lattice.to_plf(scores="log"), scores="log") == lattice
        True
    """

    arcs: tuple[Arc, ...]
    spans: tuple[Span, ...] = ()
    walls: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        arcs = sorted((_arc(one) for one in self.arcs), key=lambda arc: arc.start)
        object.__setattr__(self, "arcs", tuple(arcs))
        object.__setattr__(self, "spans", tuple(self.spans))
        object.__setattr__(self, "walls", tuple(self.walls))
        if len(arcs) > MOST_ARCS or self.last > MOST_POSITIONS:
            raise LimitError(
                f"a lattice of {len(arcs)} arcs and {self.last} positions, more than {MOST_ARCS} or {MOST_POSITIONS}",
                hint="leave out the arcs with the lowest scores, or cut it where all paths meet",
            )
        reached = {0}
        for arc in arcs:
            if arc.start in reached:
                reached.add(arc.end)
        if self.last not in reached:
            raise InputError("the end of the lattice cannot be reached from its beginning")

    @property
    def last(self) -> int:
        """The last position."""
        return max((arc.end for arc in self.arcs), default=0)

    @classmethod
    def from_confusion(cls, slots: Iterable[Sequence[str | tuple[str, float]]]) -> Lattice:
        """A confusion network: one of the words of each slot, one slot after the other.

        Args:
            slots: For each its words, alone or with natural logarithms; `*EPS*` for no word at all.

        Raises:
            InputError: A slot without words, or a score that is not a finite number.

        Example:
            >>> Lattice.from_confusion([["das"], [("haus", -0.2), ("maus", -1.7)]]).arcs[1:]
            (Arc(start=1, end=2, word='haus', score=-0.2), Arc(start=1, end=2, word='maus', score=-1.7))
        """
        arcs: list[Arc] = []
        for at, slot in enumerate(slots):
            if isinstance(slot, str):
                raise InputError(f"slot {at} is a word instead of a list of words", hint="put it into a list")
            if not slot:
                raise InputError(f"slot {at} of the confusion network has no words", hint=f"use {EPSILON} for no word")
            arcs += (Arc(at, at + 1, *((one,) if isinstance(one, str) else one)) for one in slot)
        return cls(tuple(arcs))

    @classmethod
    def from_plf(cls, text: str, *, scores: ScoreKind = "probability") -> Lattice:
        """Read a lattice in the format of Moses and cdec; see `to_plf`.

        Args:
            text: One lattice.
            scores: What its numbers are: probabilities, as Moses has them, or natural logarithms.

        Raises:
            FormatError: Not a lattice; it names the byte where that shows.
            LimitError: Too many positions or arcs.
        """
        last, arcs = _engine.read_plf(text, _is_log(scores))
        found = cls(tuple(Arc(*arc) for arc in arcs))
        if found.last != last:
            raise InputError("the end of the lattice cannot be reached from its beginning")
        return found

    def to_plf(self, *, scores: ScoreKind = "probability") -> str:
        r"""The lattice in the format of Moses and cdec.

        For each position but the last it has its arcs, each a word, a number and how many positions further it ends. Spans
        and walls are not part of it.

        Args:
            scores: What numbers are to be: probabilities, as Moses wants them, or natural logarithms.

        Example:
            >>> Lattice([(0, 2, "don't"), (0, 1, "do"), (1, 2, "n't", math.log(0.5))]).to_plf()
            "((('don\\'t',1.0,2),('do',1.0,1),),(('n\\'t',0.5,1),),)"
        """
        as_is = _is_log(scores)
        nodes: list[list[str]] = [[] for _ in range(self.last)]
        for arc in self.arcs:
            word = arc.word.replace("\\", "\\\\").replace("'", "\\'")
            number = arc.score if as_is else math.exp(arc.score)
            nodes[arc.start].append(f"('{word}',{number!r},{arc.end - arc.start}),")
        lists = (f"({''.join(node)})," for node in nodes)
        return f"({''.join(lists)})"

    def to_json(self) -> str:
        """The lattice as a line of JSON, with natural logarithms, its spans and its walls.

        Example:
            >>> from tolka.decode import Span
            >>> Lattice([(0, 1, "ja", -0.5), (1, 2, "ja")], [Span(0, 2)], [1]).to_json()
            '{"arcs": [[0, 1, "ja", -0.5], [1, 2, "ja", 0.0]], "spans": [[0, 2, "zone"]], "walls": [1]}'
        """
        plain: dict[str, Any] = {"arcs": [list(arc) for arc in self.arcs]}
        if self.spans:
            plain["spans"] = [[span.start, span.end, span.kind] for span in self.spans]
        if self.walls:
            plain["walls"] = list(self.walls)
        return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def _is_log(scores: str) -> bool:
    if scores not in {"probability", "log"}:
        raise SettingsError(f"unknown scores {scores!r}", hint="use probability or log")
    return scores == "log"


def _arc(one: Sequence[Any]) -> Arc:
    try:
        start, end, word, score = Arc(*one)
        number = float(score)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{one!r} is not an arc", hint="write start, end, word and score") from None
    if not (type(start) is type(end) is int and isinstance(word, str)):
        raise InputError(f"{one!r} is not an arc", hint="write start, end, word and score")
    if not 0 <= start < end < 2**31:
        raise InputError(f"an arc from {start} to {end}", hint="number positions so that every arc runs forwards")
    if not word or any(sign in word for sign in " \t\r\n"):
        raise InputError(f"an arc from {start} to {end} has {word!r} for a word", hint="give one word without blanks")
    if not math.isfinite(number) or abs(number) > _LARGEST:
        raise InputError(f"the score of an arc from {start} to {end} is not a finite number", hint="leave the arc out")
    return Arc(start, end, word, number)


# The engine's numbers are of single precision.
_LARGEST = 1e30
