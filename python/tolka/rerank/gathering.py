"""Lists on their way to a tuner: every sentence has one, and every translation a row of numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tolka.errors import InputError
from tolka.rerank.nbest import NBestList
from tolka.rerank.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.align import Aligner
    from tolka.syntax import Tree

SCORE = "decoder_score"
"""The decoder's own score as a feature: with the weight 1, and 0 for all others, its order is the start."""

_AT_ONCE = 64


class Features(Protocol):
    """Something that says more about translations than their decoder did."""

    kind: str
    names: tuple[str, ...]
    needs_links: bool
    needs_heads: bool
    needs_segments: bool

    def rows(self, lists: Sequence[NBestList], sources: Sequence[Source], *, threads: int = 0) -> NDArray[np.float32]:
        """A row per translation."""


def complete(lists: Iterable[NBestList], sentences: int | None = None) -> Iterator[NBestList]:
    """A list for every sentence, empty for those that have none.

    Example:
        >>> [own.number for own in complete([NBestList(1, ())], 3)]
        [0, 1, 2]
    """
    expected = 0
    for own in lists:
        if sentences is not None and own.number >= sentences:
            raise InputError(
                f"there are translations of sentence {own.number}, counted from 0, of a text of {sentences}",
                hint="give the text that the lists translate",
            )
        while expected < own.number:
            yield NBestList(expected, ())
            expected += 1
        yield own
        expected += 1
    for number in range(expected, sentences or 0):
        yield NBestList(number, ())


def joined(
    lists: Iterable[NBestList], sources: Iterable[str | Tree | Source] | None
) -> Iterator[tuple[list[NBestList], list[Source]]]:
    """Lists with their sources, some at a time; sources that are not given are those the lists tell of."""
    given = None if sources is None else map(Source.of, sources)
    rest = iter(lists)
    while batch := list(islice(rest, _AT_ONCE)):
        if given is None:
            own = [Source.of(one.source or "") for one in batch]
        else:
            own = list(islice(given, len(batch)))
            if len(own) < len(batch):
                raise InputError(
                    f"there are translations of sentence {batch[-1].number}, counted from 0, but fewer sources",
                    hint="give the text that the lists translate",
                )
        yield batch, own


def equip(
    features: Sequence[Features], lists: Sequence[NBestList], sources: Sequence[Source], aligner: Aligner | None
) -> list[NBestList]:
    """The lists with the links that features need; complains of what is missing."""
    found = []
    for own, source in zip(lists, sources, strict=True):
        whose = f"sentence {own.number}, counted from 0,"
        for feature in features:
            if own.entries and feature.needs_links and not source.words:
                raise InputError(f"{whose} has no source, which {feature.kind} needs", hint="give --source")
            if own.entries and feature.needs_heads and source.heads is None:
                hint = "give the source in CoNLL-U; `tolka parse` makes it"
                raise InputError(f"the source of {whose} has no dependencies, which {feature.kind} needs", hint=hint)
            if feature.needs_segments and any(entry.segments is None for entry in own.entries):
                hint = "write the lists with `tolka translate --nbest N --derivations`"
                raise InputError(f"{whose} has translations without phrases, which {feature.kind} needs", hint=hint)
        wants = any(feature.needs_links for feature in features)
        if wants and any(entry.links is None for entry in own.entries):
            found.append(_aligned(own, source, aligner))
        else:
            found.append(own)
    return found


def _aligned(own: NBestList, source: Source, aligner: Aligner | None) -> NBestList:
    if aligner is None:
        raise InputError(
            f"sentence {own.number}, counted from 0, has translations without links",
            hint="write the lists with `tolka translate --nbest N --derivations`, or name an aligner to make links",
        )
    words = " ".join(source.words)
    links = aligner.align([(words, entry.words) for entry in own.entries])
    entries = zip(own.entries, links, strict=True)
    return replace(own, entries=tuple(replace(entry, links=tuple(made)) for entry, made in entries))


class Columns:
    """Which of the decoder's features are columns of a table, and which are sparse.

    Attributes:
        names: The features of the table; `decoder_score` first if it is one.
        has_sparse: Whether there are any others.
        retune: Whether features count beside the score.
    """

    def __init__(self, names: Sequence[str], *, has_sparse: bool, retune: bool = True) -> None:
        self.names = tuple(names)
        self.has_sparse = has_sparse
        self.retune = retune
        self._set = frozenset(self.names)

    @classmethod
    def of(cls, lists: Sequence[NBestList], *, score: bool, retune: bool) -> Columns:
        """Features that all translations of some lists have are columns; others are sparse.

        Args:
            lists: The first lists.
            score: Whether the decoder's score is a feature, if there is one.
            retune: Whether its other features are features, too.
        """
        entries = [entry for own in lists for entry in own.entries]
        if not retune:
            return cls([SCORE] if entries and entries[0].score is not None else [], has_sparse=False, retune=False)
        shared = (
            [name for name in entries[0].features if all(name in one.features for one in entries)] if entries else []
        )
        if SCORE in shared:
            raise InputError(f"the lists have a feature {SCORE!r}, which is our name for the score", hint="rename it")
        has_score = score and bool(entries) and entries[0].score is not None
        return cls([SCORE, *shared] if has_score else shared, has_sparse=True)

    def rows(self, own: NBestList) -> tuple[NDArray[np.float32], list[dict[str, float]]]:
        """A row per translation, and what it has beside."""
        values, sparse = [], []
        for entry in own.entries:
            row = dict(entry.features) if self.retune else {}
            if SCORE in self._set:
                if entry.score is None:
                    raise InputError(f"sentence {own.number}, counted from 0, has a translation without a score")
                row[SCORE] = entry.score
            try:
                values.append([row.pop(name) for name in self.names])
            except KeyError as error:
                what = f"sentence {own.number}, counted from 0, has a translation without the feature {error.args[0]!r}"
                raise InputError(what, hint="use lists of the same system in training and in use") from None
            if row and not self.has_sparse:
                what = f"sentence {own.number}, counted from 0, has the unknown feature {min(row)!r}"
                raise InputError(what, hint="use lists of the same system in training and in use")
            sparse.append(row)
        table = np.array(values, dtype=np.float64).reshape(len(own.entries), len(self.names))
        if (np.abs(table) > np.finfo(np.float32).max).any():
            raise InputError(f"sentence {own.number}, counted from 0, has a feature that is out of all bounds")
        return table.astype(np.float32), sparse


def extended(
    features: Sequence[Features], lists: Sequence[NBestList], sources: Sequence[Source], threads: int
) -> NDArray[np.float32]:
    """What all features say of some lists, side by side."""
    entries = sum(len(own.entries) for own in lists)
    parts = [feature.rows(lists, sources, threads=threads) for feature in features]
    return np.concatenate([np.zeros((entries, 0), dtype=np.float32), *parts], axis=1)


def weighted(sparse: Iterable[Mapping[str, float]], weights: Mapping[str, float]) -> NDArray[np.float64]:
    """The weighted sum of each translation's sparse features."""
    return np.array([sum(weights.get(name, 0.0) * value for name, value in row.items()) for row in sparse])
