"""What a corpus is like: sizes, lengths, vocabulary growth, repetition, scripts, unknown words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tolka import _engine
from tolka.corpus.batches import in_batches, sides
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.corpus.rows import Pair
    from tolka.corpus.vocabulary import Vocabulary
    from tolka.progress import Progress


@dataclass(frozen=True)
class Unknown:
    """Words that another corpus does not have: running words and different words, as counts and as shares."""

    tokens: int
    types: int
    token_rate: float
    type_rate: float


@dataclass(frozen=True)
class SideStatistics:
    """One side of a corpus.

    Attributes:
        lines: Lines.
        empty_lines: Lines without a word.
        duplicate_lines: Lines equal to an earlier one.
        characters: Characters (code points), spaces included.
        longest_characters: Characters of the longest line.
        tokens: Words.
        types: Different words.
        hapaxes: Words that occur once.
        mean_tokens: Mean number of words per line.
        median_tokens: Median number of words per line.
        longest_tokens: Words of the longest line.
        top: The most frequent words with their counts; of equals the first by bytes.
        growth: Different words after so many words (Heaps' curve): after 1, 2, 5, 10, … thousand, and at the end.
        scripts: The share of each script among the letters, the largest first.
        unknown: Words that the other corpus does not have, if one was given.
    """

    lines: int
    empty_lines: int
    duplicate_lines: int
    characters: int
    longest_characters: int
    tokens: int
    types: int
    hapaxes: int
    mean_tokens: float
    median_tokens: float
    longest_tokens: int
    top: tuple[tuple[str, int], ...]
    growth: tuple[tuple[int, int], ...]
    scripts: tuple[tuple[str, float], ...]
    unknown: Unknown | None = None

    def to_dict(self) -> dict[str, Any]:
        """The statistics as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class PairStatistics:
    """A corpus of sentence pairs.

    Attributes:
        pairs: Pairs.
        duplicates: Pairs equal to an earlier one.
        identical: Pairs with two equal sides.
        ratio: Target words per source word, over the whole corpus; 0 without source words.
        ratio_quantiles: Quantiles of a pair's target words per source word, over pairs without an empty side.
        source: The source side.
        target: The target side.
    """

    pairs: int
    duplicates: int
    identical: int
    ratio: float
    ratio_quantiles: tuple[tuple[float, float], ...]
    source: SideStatistics
    target: SideStatistics

    def to_dict(self) -> dict[str, Any]:
        """The statistics as plain values."""
        return asdict(self)


def side_statistics(
    lines: Iterable[str], *, against: Vocabulary | None = None, top: int = 10, progress: Progress = SILENT
) -> SideStatistics:
    """Describe text in one language, in one pass.

    Args:
        lines: Lines of words with spaces between.
        against: The vocabulary of another corpus; words that are not in it are counted as unknown.
        top: How many of the most frequent words are given.
        progress: Who is told how far it is.

    Example:
        >>> statistics = side_statistics(["das Haus", "das Dach", "das Haus"], top=1)
        >>> statistics.tokens, statistics.types, statistics.hapaxes, statistics.duplicate_lines, statistics.top
        (6, 3, 1, 1, (('das', 3),))
    """
    counter = _engine.SideCounter()
    with progress.task("counting", unit="lines") as advance:
        for batch in in_batches(lines):
            counter.add(batch)
            advance(len(batch))
    unknown = None if against is None else counter.unknown_to(against.native)
    return _side(counter.summary(top), unknown)


def pair_statistics(
    pairs: Iterable[Pair],
    *,
    against: tuple[Vocabulary, Vocabulary] | None = None,
    top: int = 10,
    threads: int = 0,
    progress: Progress = SILENT,
) -> PairStatistics:
    """Describe sentence pairs, in one pass; the arguments are those of `side_statistics`, for both sides.

    Example:
        >>> statistics = pair_statistics([("das Haus", "the house"), ("das alte Haus", "the old old house")])
        >>> statistics.pairs, statistics.ratio, statistics.source.median_tokens
        (2, 1.2, 2.5)
    """
    counter = _engine.PairCounter()
    with progress.task("counting", unit="pairs") as advance:
        for batch in in_batches(pairs):
            counter.add(*sides(batch), threads)
            advance(len(batch))
    unknown = (None, None) if against is None else counter.unknown_to(against[0].native, against[1].native)
    source, target, related = counter.summary(top)
    return PairStatistics(
        **{**related, "ratio_quantiles": tuple(related["ratio_quantiles"])},
        source=_side(source, unknown[0]),
        target=_side(target, unknown[1]),
    )


def _side(summary: dict[str, Any], unknown: tuple[int, int] | None) -> SideStatistics:
    letters = sum(count for _, count in summary["scripts"])
    fields = {
        **summary,
        "top": tuple(summary["top"]),
        "growth": tuple(summary["growth"]),
        "scripts": tuple((script, count / letters) for script, count in summary["scripts"]),
    }
    if unknown is not None:
        tokens, types = unknown
        fields["unknown"] = Unknown(tokens, types, tokens / max(summary["tokens"], 1), types / max(summary["types"], 1))
    return SideStatistics(**fields)
