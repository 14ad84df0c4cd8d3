"""Small random grammars, and all derivations of a sentence under them with what spans and walls say, written naively."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tolka.decode import Decoder, Span
from tolka.grammar import import_grammar
from tolka.lm import LanguageModel, LanguageModelTrainer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from random import Random

WORDS = "abc"
WEIGHTS = {"tm": 1.0, "lm": 0.7, "word_count": -0.3, "rule_count": 0.2, "glue": -0.5, "distortion": -0.4, "input": 0.8}


@dataclass(frozen=True)
class Node:
    """A rule in a derivation: its span, those of its gaps, the nodes in them, what it yields and scores."""

    span: tuple[int, int]
    gaps: tuple[tuple[int, int], ...]
    parts: tuple[Node, ...]
    words: tuple[str, ...]
    score: float

    def all(self) -> Iterator[Node]:
        yield self
        for part in self.parts:
            yield from part.all()


class Toy:
    """A random grammar: rules of source symbols (None for gaps), target symbols (numbers for gaps) and a score."""

    def __init__(self, random: Random, place: Path, *, gaps: bool, **settings: Any) -> None:
        rules: dict[tuple[tuple[str | None, ...], tuple[str | int, ...]], float] = {}
        for word in WORDS:
            rules[(word,), (random.choice("pqr"),)] = random.uniform(-2, 0)
        for _ in range(random.randint(2, 8)):
            source: list[str | None] = [random.choice(WORDS) for _ in range(random.randint(1, 3 - gaps))]
            target: list[str | int] = [random.choice("pqr") for _ in range(random.randint(1, 2))]
            for gap in range(random.randint(0, 2) if gaps else 0):
                source.insert(random.randint(0, len(source)), None)
                target.insert(random.randint(0, len(target)), gap)
            rules[tuple(source), tuple(target)] = random.uniform(-2, 0)
        self.rules = [(source, target, score) for (source, target), score in rules.items()]
        self.lm: LanguageModel = LanguageModelTrainer(order=2, smoothing="witten-bell").train(["p q", "q r p", "r"])
        lines = []
        for source, target, score in self.rules:
            count, spelled = 0, []
            for symbol in source:
                count += symbol is None
                spelled.append(f"[X,{count}]" if symbol is None else symbol)
            other = [symbol if isinstance(symbol, str) else f"[{symbol + 1}]" for symbol in target]
            lines.append(f"[X] ||| {' '.join(spelled)} ||| {' '.join(other)} ||| tm={score!r}\n")
        (place / "rules").write_text("".join(lines))
        grammar = import_grammar(place / "rules", place / "rules.tbl", format="cdec")
        kind = "chart" if gaps else "phrase"
        more: dict[str, Any] = {"max_span": 50} if gaps else {"stack_size": 0}
        self.decoder = Decoder(
            grammar, self.lm, kind=kind, weights=WEIGHTS, **{"pop_limit": 0, "table_limit": 0, **more, **settings}
        )

    def own(self, target: Sequence[str | int], score: float) -> float:
        words = sum(isinstance(symbol, str) for symbol in target)
        return score + WEIGHTS["word_count"] * words + WEIGHTS["rule_count"]

    def said(self, words: Sequence[str]) -> float:
        return WEIGHTS["lm"] * self.lm.score(" ".join(words)) * math.log(10)

    # Charts.

    def nodes(self, text: Sequence[str], begin: int, end: int) -> Iterator[Node]:
        for source, target, score in self.rules:
            for gaps in self._matches(source, text, begin, end):
                yield from self._filled(text, (begin, end), target, self.own(target, score), gaps, ())

    def _matches(
        self, source: Sequence[str | None], text: Sequence[str], begin: int, end: int
    ) -> Iterator[tuple[tuple[int, int], ...]]:
        if not source:
            if begin == end:
                yield ()
            return
        if source[0] is None:
            for middle in range(begin + 1, end + 1):
                yield from (((begin, middle), *rest) for rest in self._matches(source[1:], text, middle, end))
        elif begin < end and text[begin] == source[0]:
            yield from self._matches(source[1:], text, begin + 1, end)

    def _filled(
        self,
        text: Sequence[str],
        span: tuple[int, int],
        target: Sequence[str | int],
        score: float,
        gaps: tuple[tuple[int, int], ...],
        parts: tuple[Node, ...],
    ) -> Iterator[Node]:
        if len(parts) < len(gaps):
            for part in self.nodes(text, *gaps[len(parts)]):
                yield from self._filled(text, span, target, score, gaps, (*parts, part))
            return
        words: list[str] = []
        for symbol in target:
            words += (symbol,) if isinstance(symbol, str) else parts[symbol].words
        yield Node(span, gaps, parts, tuple(words), score + sum(part.score for part in parts))

    def sequences(self, text: Sequence[str], begin: int = 0) -> Iterator[tuple[Node, ...]]:
        if begin == len(text):
            yield ()
        for end in range(begin + 1, len(text) + 1):
            for first in self.nodes(text, begin, end):
                yield from ((first, *rest) for rest in self.sequences(text, end))

    def best_sequence(self, text: Sequence[str], spans: Sequence[Span], walls: Sequence[int]) -> float:
        """The score of the best derivation of a chart that keeps spans and walls."""
        closed = {
            at
            for span in spans
            if span.kind == "whole" and any(keeps(one, spans, walls) for one in self.nodes(text, span.start, span.end))
            for at in range(span.start + 1, span.end)
        }
        best = -math.inf
        for found in self.sequences(text):
            if all(keeps(one, spans, walls) for one in found) and not closed & {one.span[1] for one in found}:
                words = [word for one in found for word in one.words]
                score = sum(one.score for one in found) + WEIGHTS["glue"] * (len(found) - 1)
                best = max(best, score + self.said(words))
        return best

    # Phrases.

    def orders(
        self,
        text: Sequence[str],
        limit: int,
        done: tuple[tuple[int, int], ...] = (),
        score: float = 0.0,
        words: tuple[str, ...] = (),
    ) -> Iterator[tuple[tuple[tuple[int, int], ...], float]]:
        """Spans in the order in which they are translated, with scores."""
        covered = {at for begin, end in done for at in range(begin, end)}
        if len(covered) == len(text):
            yield done, score + self.said(words)
            return
        first = min(set(range(len(text))) - covered)
        for source, target, value in self.rules:
            for begin in range(len(text) - len(source) + 1):
                end = begin + len(source)
                jump = abs(begin - (done[-1][1] if done else 0))
                if tuple(text[begin:end]) != source or covered & set(range(begin, end)):
                    continue
                if jump > limit or (begin > first and end - first > limit):
                    continue
                more = score + self.own(target, value) + WEIGHTS["distortion"] * jump
                yield from self.orders(text, limit, (*done, (begin, end)), more, (*words, *map(str, target)))

    def best_order(self, text: Sequence[str], limit: int, spans: Sequence[Span], walls: Sequence[int]) -> float:
        """The score of the best translation by phrases that keeps spans and walls."""
        found = (score for order, score in self.orders(text, limit) if in_order(order, spans, walls))
        return max(found, default=-math.inf)


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    a, b = set(range(*one)), set(range(*other))
    return bool(a & b) and not a <= b and not b <= a


def keeps(node: Node, spans: Sequence[Span], walls: Sequence[int]) -> bool:
    """Whether no rule crosses anything, and rules that hold a span have it in one gap or in their own words alone."""
    for one in node.all():
        begin, end = one.span
        if any(begin < wall < end for wall in walls):
            return False
        for span in spans:
            inside = set(range(span.start, span.end))
            if _cross(one.span, (span.start, span.end)):
                return False
            touching = [set(range(*gap)) for gap in one.gaps if inside & set(range(*gap))]
            if inside < set(range(begin, end)) and touching and not any(inside <= gap for gap in touching):
                return False
    return True


def in_order(order: Sequence[tuple[int, int]], spans: Sequence[Span], walls: Sequence[int]) -> bool:
    """Whether spans are translated without a pause, and what is before a wall before what is behind."""
    for span in spans:
        if any(_cross(one, (span.start, span.end)) for one in order):
            return False
        touching = [at for at, (begin, end) in enumerate(order) if begin < span.end and span.start < end]
        if any(other != at + 1 for at, other in pairwise(touching)):
            return False
    for wall in walls:
        if any(begin < wall < end for begin, end in order):
            return False
        around = [span for span in spans if span.start < wall < span.end]
        scope = min(around, key=lambda span: span.end - span.start, default=Span(0, 10**6))
        sides = [begin >= wall for begin, end in order if scope.start <= begin and end <= scope.end]
        if sides != sorted(sides):
            return False
    return True


def random_bounds(random: Random, last: int) -> tuple[list[Span], list[int]]:
    """Spans that do not cross, and walls."""
    spans: list[Span] = []
    for _ in range(random.randint(0, 3)):
        start = random.randrange(last)
        end = random.randint(start + 1, last)
        if not any(_cross((start, end), (span.start, span.end)) for span in spans):
            spans.append(Span(start, end, random.choice(["zone", "whole"])))
    return spans, [at for at in range(1, last) if random.random() < 0.12]
