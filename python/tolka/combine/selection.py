"""Choosing the sentence pairs of a large text that are like those of a small one."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from tolka.combine.perplexity import comparable_perplexities, words_of
from tolka.corpus import read_lines
from tolka.errors import InputError, SettingsError
from tolka.lm import LanguageModel
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.progress import Progress

    Text = str | PathLike[str] | Iterable[str]

_PIECE = 10_000
SHARES = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
"""The shares that `choose_share` tries if none are given."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Sentence pairs of a large text, those that are most like the small one first.

    Attributes:
        indices: Their places in the text, from 0.
        scores: Differences of cross-entropies in bits a word, the lower the better; infinite for pairs with an empty
            side.
        total: How many pairs the text has.
    """

    indices: NDArray[np.int64]
    scores: NDArray[np.float64]
    total: int

    def __len__(self) -> int:
        """How many pairs were chosen."""
        return len(self.indices)


@dataclass(frozen=True)
class ShareChoice:
    """How much of a text is worth having.

    Attributes:
        share: The share of the text under which a development text is most probable.
        number: The pairs that this is.
        perplexities: Of the development text, by share.
    """

    share: float
    number: int
    perplexities: dict[float, float]


def select_pairs(
    in_source: Text,
    in_target: Text,
    out_source: Text,
    out_target: Text,
    *,
    share: float | None = None,
    number: int | None = None,
    order: int = 4,
    min_count: int = 2,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Selection:
    """Rank the pairs of a large text by how much more they are like a small one than like the large one.

    A sentence scores H_in - H_out, its cross-entropies under a language model of the small text and one of a random part
    of the large text with as many words (Moore & Lewis 2010); a pair scores the sum of both sides (Axelrod et al.
    2011). Both models of a side have the same words: those that the small text has at least `min_count` times; all
    others are one word. The pairs of the random part are scored with a second part, which they are not in: a model
    would know those that it was made of too well.

    Args:
        in_source: The small text: a file with one tokenised sentence a line, or the lines.
        in_target: Its translations.
        out_source: The large text.
        out_target: Its translations.
        share: How much of the large text is chosen, above 0 and up to 1.
        number: Or how many pairs. All of them, ranked, if neither is given.
        order: Words of the models' longest n-grams.
        min_count: Rarer words of the small text are not told apart.
        seed: Of the random part.
        threads: Threads to use; 0 means all cores. The ranking does not depend on it.
        progress: Told of the pairs scored.

    Raises:
        InputError: Texts that differ in length or are empty.
        SettingsError: A setting makes no sense.

    Example:
        >>> law = ["the court rules", "the court says"], ["das gericht urteilt", "das gericht sagt"]
        >>> web = ["buy now", "the court is closed", "click now"], ["kauf jetzt", "das gericht hat zu", "klick jetzt"]
        >>> select_pairs(*law, *web, number=1, order=2).indices.tolist()
        [1]
    """
    if share is not None and number is not None:
        raise SettingsError("both a share and a number of pairs", hint="give one of them")
    if share is not None and not 0 < share <= 1:
        raise SettingsError(f"the share cannot be {share}", hint="give a number above 0, up to 1")
    if number is not None and number < 1:
        raise SettingsError(f"{number} pairs cannot be chosen", hint="give at least 1")
    if min_count < 1:
        raise SettingsError(f"words seen {min_count} times", hint="min_count is at least 1")
    if seed < 0:
        raise SettingsError(f"the seed cannot be {seed}", hint="give a number from 0 up")
    inside = _pairs(in_source, in_target, "small")
    outside = _pairs(out_source, out_target, "large")
    own, seen, unseen = _parts(inside[0], outside[0], seed)
    scores = np.zeros(len(outside[0]))
    with progress.task("scoring", total=2 * len(scores), unit="sentences") as advance:
        for small, large in zip(inside, outside, strict=True):
            known, other = _words(small, min_count)
            models = [
                _Model([text[at] for at in part], known, other, order, threads)
                for text, part in ((small, own), (large, seen), (large, unseen or seen))
            ]
            for start in range(0, len(scores), _PIECE):
                lines = large[start : start + _PIECE]
                scores[start : start + len(lines)] += models[0].entropies(lines) - models[1].entropies(lines)
                advance(len(lines))
            again = [large[at] for at in seen]
            scores[seen] += models[1].entropies(again) - models[2].entropies(again)
    empty = [not (words_of(a) and words_of(b)) for a, b in zip(*outside, strict=True)]
    scores[np.array(empty, dtype=bool)] = math.inf
    ranked = np.argsort(scores, kind="stable")
    most = len(ranked) if number is None else min(number, len(ranked))
    if share is not None:
        most = max(1, round(share * len(ranked)))
    return Selection(indices=ranked[:most], scores=scores[ranked[:most]], total=len(ranked))


def choose_share(
    selection: Selection,
    text: Text,
    dev: Text,
    *,
    shares: Sequence[float] = SHARES,
    order: int = 4,
    threads: int = 0,
) -> ShareChoice:
    """Try how much of a text is worth having: the share whose language model fits a development text best.

    Args:
        selection: All pairs of the text, ranked by `select_pairs`.
        text: The side of the text that the models are of, usually the target side.
        dev: A development text of that side.
        shares: What to try, above 0 and up to 1.
        order: Words of the models' longest n-grams.
        threads: Threads to use; 0 means all cores.

    Raises:
        SettingsError: No share, or one that makes no sense, or not all pairs are ranked.
        InputError: The text is another one than that of the selection.
    """
    lines = _lines(text)
    if len(lines) != selection.total:
        raise InputError(f"the text has {len(lines)} lines, that of the selection {selection.total}")
    if not shares or not all(0 < share <= 1 for share in shares):
        raise SettingsError("shares must be numbers above 0, up to 1, at least one of them")
    most = {share: max(1, round(share * selection.total)) for share in shares}
    if max(most.values()) > len(selection):
        raise SettingsError("not all pairs are ranked", hint="call select_pairs without a share or a number")
    models = {
        str(share): LanguageModel.train((lines[at] for at in selection.indices[:number]), order, threads=threads)
        for share, number in most.items()
    }
    found = comparable_perplexities(models, _lines(dev), threads=threads)
    perplexities = {share: found[str(share)] for share in most}
    best = min(perplexities, key=lambda share: (perplexities[share], share))
    return ShareChoice(share=best, number=most[best], perplexities=perplexities)


def _lines(text: Text) -> list[str]:
    return list(read_lines(text) if isinstance(text, (str, PathLike)) else text)


def _pairs(source: Text, target: Text, which: str) -> tuple[list[str], list[str]]:
    sides = _lines(source), _lines(target)
    if len(sides[0]) != len(sides[1]):
        raise InputError(f"the {which} text has {len(sides[0])} source lines and {len(sides[1])} target lines")
    if not any(words_of(line) for line in sides[0]) or not any(words_of(line) for line in sides[1]):
        raise InputError(f"the {which} text has no words")
    return sides


def _parts(inside: list[str], outside: list[str], seed: int) -> tuple[list[int], list[int], list[int]]:
    """Random lines of the small text, and two parts of the large one, of about the same number of words."""
    chance = np.random.default_rng(seed)
    lengths = [[len(words_of(line)) for line in text] for text in (inside, outside)]
    words = max(1, min(sum(lengths[0]), sum(lengths[1]) // 2))
    taken: list[list[int]] = []
    for own, parts in zip(lengths, (1, 2), strict=True):
        shuffled = iter(chance.permutation(len(own)).tolist())
        for _ in range(parts):
            left, part = words, []
            while left > 0 and (at := next(shuffled, None)) is not None:
                part.append(at)
                left -= own[at]
            # A part without words has nothing to learn from.
            taken.append(sorted(part) if left < words else [])
    return taken[0], taken[1], taken[2]


def _words(lines: list[str], min_count: int) -> tuple[set[str], str]:
    """The words that are told apart, and a word for all others."""
    counts = Counter(word for line in lines for word in words_of(line))
    known = {word for word, count in counts.items() if count >= min_count}
    other = "<other>"
    while other in known:
        other += ">"
    return known, other


class _Model:
    """A language model of known words and one for all others."""

    def __init__(self, lines: list[str], known: set[str], other: str, order: int, threads: int) -> None:
        self.known, self.other, self.threads = known, other, threads
        self.model = LanguageModel.train(self._masked(lines), order, threads=threads)
        self.unseen = max(1, len((known | {other}).difference(self.model.words())))

    def _masked(self, lines: list[str]) -> list[str]:
        return [" ".join(word if word in self.known else self.other for word in words_of(line)) for line in lines]

    def entropies(self, lines: list[str]) -> NDArray[np.float64]:
        """Bits a word, the end included; words that the model has not seen share its probability of such words."""
        if not lines:
            return np.zeros(0)
        scores = np.array(list(self.model.score_text(self._masked(lines), threads=self.threads)))
        words = np.array([len(words_of(line)) + 1 for line in lines])
        bits: NDArray[np.float64] = (scores[:, 1] * math.log10(self.unseen) - scores[:, 0]) / words / math.log10(2)
        return bits
