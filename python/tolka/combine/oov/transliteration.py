"""How words are written in another language: pieces of letters that stand for each other, learnt from words and their translations.

Pieces are found by aligning the letters of pairs, one or two on the left with none to two on the right, by Viterbi training (Jiampojamarn,
Kondrak & Sherif 2007). A piece has the probability p(b|a) = c(a → b) / c(a), with c(a) counted wherever a stands (Brill & Moore 2000).
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Path = list[tuple[str, str]]

_BEGIN, _END = "\x02", "\x03"
_LONGEST = 2
"""Letters of a piece, on either side."""
_ROUNDS = 4
_FEW = 20
"""Fewer pairs that are spelt alike say that languages have other letters."""
_ALIKE = 0.45
"""What a letter of a pair costs at first, on average, if the two are spelt alike: the same letter 0.1, another one 1."""
_WRITTEN = 1.0
"""What a letter costs once pieces are known, in nats, at most, for a pair to be one word in two languages."""
_UNSEEN = 8.0
_BEAM, _PIECES = 10, 5
"""Beginnings of a word that are gone on with, and pieces that stand for one."""


class Transliterator:
    """Writes words of one language as the other would write them.

    Attributes:
        pieces_: For each piece what stands for it, with its cost, the cheapest first.
        pairs_: How many pairs were taken for one word in two languages.

    Example:
        >>> known = ["musik", "logik", "fabrik", "politik", "akrobat", "makrone", "lokal", "vokal", "faktor", "doktor"] * 2
        >>> learnt = Transliterator().train((word, word.replace("k", "c")) for word in known)
        >>> learnt.candidates("mikro", 1)[0][0]
        'micro'
    """

    pieces_: dict[str, list[tuple[str, float]]]
    pairs_: int

    def train(self, pairs: Iterable[tuple[str, str]]) -> Self:
        """Learn pieces.

        Args:
            pairs: Words and their translations; those that are not written alike are noise, and are left out.
        """
        every = [(_marked(left), _marked(right)) for left, right in pairs if left and right]
        found = [_aligned(left, right, {}) for left, right in every]
        some = [path for path, cost in found if cost <= _ALIKE * _letters(path)]
        paths = some if len(some) >= _FEW else [path for path, _ in found]
        for _ in range(_ROUNDS):
            costs = _costs(paths)
            found = [_aligned(left, right, costs) for left, right in every]
            paths = [path for path, cost in found if cost <= _WRITTEN * _letters(path)]
        self.pairs_ = len(paths)
        self.pieces_ = {}
        for (left, right), cost in sorted(_costs(paths).items(), key=lambda piece: (piece[1], piece[0])):
            own = self.pieces_.setdefault(left, [])
            if len(own) < _PIECES:
                own.append((right, cost))
        return self

    def best(self, word: str, is_word: Callable[[str], bool]) -> str:
        """The most probable way to write a word that is a word of the other language; empty if none is probable enough."""
        least = -_WRITTEN * len(_marked(word))
        return next((text for text, p in self.candidates(word) if p >= least and is_word(text)), "")

    def candidates(self, word: str, most: int = _BEAM) -> list[tuple[str, float]]:
        """How a word may be written, with ln p, the most probable first; nothing if it has letters that no pair had.

        Args:
            word: Of the language on the left.
            most: How many.
        """
        text = _marked(word)
        beams: list[dict[str, float]] = [{} for _ in range(len(text) + 1)]
        beams[0][""] = 0.0
        for at in range(len(text)):
            best = sorted(beams[at].items(), key=lambda own: (own[1], own[0]))[:_BEAM]
            for length in range(1, min(_LONGEST, len(text) - at) + 1):
                goal = beams[at + length]
                for right, cost in self.pieces_.get(text[at : at + length], ()):
                    for begin, before in best:
                        made = begin + right
                        goal[made] = min(goal.get(made, math.inf), before + cost)
        ends = sorted(beams[-1].items(), key=lambda own: (own[1], own[0]))
        whole = ((text[1:-1], -cost) for text, cost in ends if text[:1] == _BEGIN and text[-1:] == _END)
        return [(text, cost) for text, cost in whole if text and _BEGIN not in text and _END not in text][:most]


def _marked(word: str) -> str:
    return f"{_BEGIN}{word}{_END}"


def _letters(path: Path) -> int:
    return sum(len(left) for left, _ in path)


def _costs(paths: Sequence[Path]) -> dict[tuple[str, str], float]:
    """The cost of each piece, -ln p(b|a)."""
    counts: Counter[tuple[str, str]] = Counter()
    stands: Counter[str] = Counter()
    for path in paths:
        counts.update(path)
        text = "".join(left for left, _ in path)
        stands.update(
            text[at : at + length] for length in range(1, _LONGEST + 1) for at in range(len(text) - length + 1)
        )
    return {piece: -math.log(count / stands[piece[0]]) for piece, count in counts.items()}


def _aligned(left: str, right: str, costs: dict[tuple[str, str], float]) -> tuple[Path, float]:
    """The cheapest pieces that lead from one word to the other, and their cost."""
    best = [[math.inf] * (len(right) + 1) for _ in range(len(left) + 1)]
    came: dict[tuple[int, int], tuple[int, int]] = {}
    best[0][0] = 0.0
    for at in range(1, len(left) + 1):
        for to in range(len(right) + 1):
            for start, begin in _before(at, to):
                if best[start][begin] == math.inf:
                    continue
                cost = best[start][begin] + _cost(left[start:at], right[begin:to], costs)
                if cost < best[at][to]:
                    best[at][to] = cost
                    came[at, to] = start, begin
    path, place = [], (len(left), len(right))
    while place in came:
        start, begin = came[place]
        path.append((left[start : place[0]], right[begin : place[1]]))
        place = start, begin
    return path[::-1], best[-1][-1]


def _before(at: int, to: int) -> Iterator[tuple[int, int]]:
    """Where a piece that ends at a place can begin."""
    for long in range(1, min(_LONGEST, at) + 1):
        for wide in range(min(_LONGEST, to) + 1):
            yield at - long, to - wide


def _cost(left: str, right: str, costs: dict[tuple[str, str], float]) -> float:
    if costs:
        return costs.get((left, right), _UNSEEN * max(len(left), len(right)))
    if len(left) == len(right):
        # A longer piece costs a little more than its letters, so that those that are the same stay by themselves.
        return sum(0.1 if one == other else 1.0 for one, other in zip(left, right, strict=True)) + 0.01 * (
            len(left) - 1
        )
    return float(max(len(left), len(right)))
