"""Finding where one side of a corpus is shifted against the other by a line or a few.

Lines that translate each other are about equally long (Gale and Church 1993), and names, numbers and the sign that ends a
sentence stand on both sides. So each source line is compared with its own target line and with the neighbours of that,
and the likeliest offsets of all lines are found at once (Viterbi 1967): a change of the offset has its price, so a few
odd lines change nothing. The offsets of a corpus that is right are 0 throughout, whatever its languages.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from tolka.corpus.runs import Run

    Scores = npt.NDArray[np.float64]

FARTHEST = 3
"""Lines that a shift may have."""

LEAST_LINES = 20
"""Fewer lines than these are never called shifted."""

# The price of a change of the offset, in nats.
_CHANGE = 25.0
# How many standard errors above 0 the gain of a shift must be: a walk that leads nowhere reaches 6 or 7 in a large corpus.
_SURE = 8.0
# The gain of a line by a shift, in nats, that is worth speaking of.
_LEAST_GAIN = 0.5
_WORST_LENGTH = -6.0
_MOST_COMMON = 6.0
_OFFSETS = np.arange(-FARTHEST, FARTHEST + 1)
_WORDS = re.compile(r"\w+")
_ENDS = re.compile("([^\\w\\s])[\"'\u00bb\u201d\u2019)\\]]*\\s*$")


@dataclass(frozen=True)
class Shift:
    """Lines of which one side is shifted against the other.

    Attributes:
        first: The first source line, counted from 1; in a large corpus only some lines are looked at, so it may be a
            little earlier.
        last: The last.
        by: The translation of source line n is target line n + by.
        lines: How many of these lines were looked at.
    """

    first: int
    last: int
    by: int
    lines: int


def find_shifts(runs: Sequence[Run]) -> tuple[Shift, ...]:
    """Find the shifted parts of a corpus.

    Example:
        >>> from tolka.corpus.runs import Run
        >>> texts = [f"{n} " + "ja " * (n * n % 37) for n in range(100)]
        >>> find_shifts([Run(1, list(zip(texts, texts, strict=True)))])
        ()
        >>> late = [*texts[:40], "", *texts[40:-1]]
        >>> find_shifts([Run(1, list(zip(texts, late, strict=True)))])
        (Shift(first=41, last=100, by=1, lines=60),)
    """
    runs = [run for run in runs if run.pairs]
    if sum(len(run.pairs) for run in runs) < LEAST_LINES:
        return ()
    lines = np.concatenate([run.first + np.arange(len(run.pairs)) for run in runs])
    table = np.concatenate(_scores(runs))
    path = _likeliest(table)
    cuts = np.flatnonzero(np.diff(path)) + 1
    found = []
    for part in np.split(np.arange(len(path)), cuts):
        offset = path[part[0]]
        if _OFFSETS[offset] and _is_real(table[part, offset] - table[part, FARTHEST]):
            found.append(Shift(int(lines[part[0]]), int(lines[part[-1]]), int(_OFFSETS[offset]), len(part)))
    return tuple(found)


def _is_real(gains: Scores) -> bool:
    """Whether lines gain so much by a shift that chance does not explain it."""
    if len(gains) < LEAST_LINES or gains.mean() < _LEAST_GAIN:
        return False
    error = gains.std() / math.sqrt(len(gains))
    return bool(gains.mean() > _SURE * error)


def _scores(runs: Sequence[Run]) -> list[Scores]:
    """For each line of each run, how well it fits the target lines around its own, in nats."""
    sizes = [np.array([[len(one), len(other)] for one, other in run.pairs], dtype=float) for run in runs]
    totals = np.concatenate(sizes).sum(axis=0)
    ratio = (totals[1] + 1) / (totals[0] + 1)
    differences = [_each_offset(own, ratio) for own in sizes]
    whole = np.concatenate(differences)
    # The spread at the best offset, which is that of lines that do translate each other.
    spread = float(np.nanmedian(np.abs(whole), axis=0).min()) / 0.6745
    shared = _shared(runs)
    made = []
    for difference, common in zip(differences, shared, strict=True):
        fits = np.maximum(-(difference**2) / (2 * max(spread, 0.1) ** 2), _WORST_LENGTH) + common
        # Beyond the ends of a run there is nothing to compare with: such lines speak for no offset.
        made.append(np.where(np.isnan(fits), fits[:, FARTHEST, None], fits))
    return made


def _each_offset(sizes: Scores, ratio: float) -> Scores:
    """How much longer each line's neighbours are than they should be, in units that hardly depend on its length."""
    count = len(sizes)
    expected = sizes[:, 0] * ratio
    found = np.full((count, len(_OFFSETS)), np.nan)
    for column, offset in enumerate(range(-FARTHEST, FARTHEST + 1)):
        here = slice(max(0, -offset), max(0, count - max(0, offset)))
        there = slice(max(0, offset), max(0, count + min(0, offset)))
        target, wanted = sizes[there, 1], expected[here]
        found[here, column] = (target - wanted) / np.sqrt((target + wanted) / 2 + 4)
    return found


def _shared(runs: Sequence[Run]) -> list[Scores]:
    """What words and signs on both sides say for each offset: the rarer, the more."""
    signs = [[(_signs(one), _signs(other)) for one, other in run.pairs] for run in runs]
    frequencies = Counter(sign for own in signs for _, target in own for sign in target)
    both = frequencies.keys() & {sign for own in signs for source, _ in own for sign in source}
    total = sum(map(len, signs))
    worth = {sign: math.log(total / frequencies[sign]) / 2 for sign in both}
    made = []
    for own in signs:
        kept = [(source & both, target & both) for source, target in own]
        found = np.zeros((len(own), len(_OFFSETS)))
        for at, (source, _) in enumerate(kept):
            if source:
                for column, offset in enumerate(range(-FARTHEST, FARTHEST + 1)):
                    there = at + offset
                    if 0 <= there < len(kept) and (common := source & kept[there][1]):
                        found[at, column] = min(sum(worth[sign] for sign in common), _MOST_COMMON)
        made.append(found)
    return made


def _signs(text: str) -> frozenset[str]:
    """What may stand on both sides: words, numbers, and the sign at the end."""
    words = {word.lower() for word in _WORDS.findall(text)}
    if end := _ENDS.search(text):
        words.add(end[1])
    return frozenset(words)


def _likeliest(scores: Scores) -> npt.NDArray[np.intp]:
    """The offsets under which all lines together fit best, where each change costs."""
    best = scores[0] - _CHANGE * (_OFFSETS != 0)
    came = np.empty(scores.shape, dtype=np.intp)
    stay = np.arange(len(_OFFSETS))
    for at in range(1, len(scores)):
        top = int(best.argmax())
        moved = best[top] - _CHANGE
        came[at] = np.where(best >= moved, stay, top)
        best = np.maximum(best, moved) + scores[at]
    path = np.empty(len(scores), dtype=np.intp)
    path[-1] = best.argmax()
    for at in range(len(scores) - 1, 0, -1):
        path[at - 1] = came[at, path[at]]
    return path
