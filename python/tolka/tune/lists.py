"""What a decoder proposes: lists of translations with their features, gathered over its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from tolka._engine import TuneLists
from tolka.errors import InputError, LimitError
from tolka.limits import DEFAULT, Limits
from tolka.tune.gathered import Gathered, MetricName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Hypothesis:
    """A translation.

    Attributes:
        words: Its words, with blanks between them.
        features: Its dense features; one that is left out is 0.
        sparse: Its sparse features: any names, most of them in few translations.
    """

    words: str
    features: Mapping[str, float]
    sparse: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class HypothesisRows:
    """Translations of all sentences, their features in one array.

    Attributes:
        texts: The translations of each sentence, best first.
        names: The dense features, one for each column of the next.
        dense: A row for each translation.
        sparse: The sparse features of each; none if empty.
    """

    texts: Sequence[Sequence[str]]
    names: Sequence[str]
    dense: NDArray[np.float32]
    sparse: Sequence[Mapping[str, float]] = ()

    def __len__(self) -> int:
        return len(self.texts)


class Proposal(Protocol):
    """What tuning needs of a translation: a `Hypothesis` has it, and so have a decoder's candidates and a translator's."""

    @property
    def words(self) -> str:
        """Its words, with blanks between them."""
        ...

    @property
    def features(self) -> Mapping[str, float]:
        """Its dense features."""
        ...

    @property
    def sparse(self) -> Mapping[str, float]:
        """Its sparse features."""
        ...


Lists = Sequence[Sequence[Proposal]] | HypothesisRows
"""For each sentence what a decoder proposes."""


class NBestLists(Gathered[Lists]):
    """For each sentence of a development set the translations that decoders have proposed so far.

    Args:
        references: One line per sentence, or several such texts.
        features: The names of the dense features.
        metric: What tuning is for: bleu, chrf, chrf++ or ter.
        tokeniser: How the metric splits lines: "none" at blanks, since decoders write tokens; "13a" or "char".
        limits: Caps on the length of lists.

    Example:
        >>> lists = NBestLists(["a very small house"], ["LM"])
        >>> lists.add([[Hypothesis("a very house small", {"LM": -3.0}), Hypothesis("a very small house", {"LM": -2.0})]])
        2
        >>> lists.add([[Hypothesis("a very small house", {"LM": -2.0})]])
        0
        >>> round(lists.score(["a very small house"]), 6)
        100.0
    """

    def __init__(
        self,
        references: Sequence[str] | Sequence[Sequence[str]],
        features: Iterable[str],
        *,
        metric: MetricName = "bleu",
        tokeniser: Literal["none", "13a", "char"] = "none",
        limits: Limits = DEFAULT,
    ) -> None:
        super().__init__(references, features, metric=metric, tokeniser=tokeniser, limits=limits)
        self._sparse: dict[str, int] = {}
        self._native: TuneLists | None = None

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """The sparse features met so far."""
        return tuple(self._sparse)

    @property
    def size(self) -> int:
        """Different translations of all sentences."""
        return 0 if self._native is None else self._native.hypotheses

    @property
    def native(self) -> TuneLists | None:
        """The lists in the engine; none if nothing was added."""
        return self._native

    def add(self, proposals: Lists) -> int:
        """Add what a decoder proposes for each sentence; gives how many translations are new.

        Translations with the same words and the same features are one.

        Raises:
            InputError: Another number of sentences, unknown features, or values that are not finite.
        """
        if len(proposals) != self.sentences:
            raise InputError(
                f"{len(proposals)} lists for {self.sentences} sentences", hint="decode all of the references"
            )
        if isinstance(proposals, HypothesisRows):
            self._check_lengths(proposals.texts)
            return self._add_table(proposals)
        self._check_lengths(proposals)
        return self._merge(self._arrays(proposals))

    def add_rows(
        self,
        counts: Sequence[int],
        words: Sequence[str],
        dense: NDArray[np.float32],
        sparse: Sequence[Mapping[str, float]] = (),
    ) -> int:
        """As `add`, from arrays: for many translations whose features were computed all at once.

        Args:
            counts: How many translations each sentence has.
            words: The words of all of them, those of a sentence in a row.
            dense: A row of dense features for each.
            sparse: The sparse features of each; none if empty.

        Raises:
            InputError: Arrays that do not fit each other, or values that are not finite.
        """
        if (
            len(counts) != self.sentences
            or sum(counts) != len(words)
            or dense.shape != (len(words), len(self.features))
        ):
            raise InputError(
                f"{len(words)} translations of {len(counts)} sentences have features of the shape {dense.shape}"
            )
        if not np.isfinite(dense).all():
            _single(np.nan, self.features[int(np.argwhere(~np.isfinite(dense))[0][1])])
        return self._merge(self._made(counts, words, dense, sparse))

    def best(self, proposals: Lists) -> list[str]:
        """The first translation of each list, empty if there is none."""
        if isinstance(proposals, HypothesisRows):
            return [own[0] if own else "" for own in proposals.texts]
        return [own[0].words if own else "" for own in proposals]

    def oracle(self, counts: Sequence[int], words: Sequence[str]) -> float:
        """The metric of the best translation of each sentence, judged sentence by sentence: about what a list can give.

        Args:
            counts: How many translations each sentence has.
            words: The words of all of them, those of a sentence in a row.
        """
        if len(counts) != self.sentences or sum(counts) != len(words):
            raise InputError(f"{len(words)} translations of {len(counts)} sentences, there are {self.sentences}")
        sentences = np.repeat(np.arange(self.sentences, dtype=np.uint32), counts)
        texts = self._table.texts(list(words), self.tokeniser)
        metric = self.engine_metric()
        rows = metric.stats(texts, sentences)
        gains = metric.sentence_scores(rows) * (1.0 if self.higher_is_better else -1.0)
        ends = np.cumsum(counts)
        own = [slice(end - count, end) for end, count in zip(ends.tolist(), counts, strict=True) if count]
        chosen = [part.start + int(gains[part].argmax()) for part in own]
        total: NDArray[np.float64] = rows[chosen].sum(axis=0)
        return metric.score(total)

    def _check_lengths(self, lists: Sequence[Sequence[object]]) -> None:
        for number, entries in enumerate(lists):
            if len(entries) > self.limits.nbest:
                what = (
                    f"the list of sentence {number + 1} has {len(entries)} translations, more than {self.limits.nbest}"
                )
                raise LimitError(what, hint="ask for fewer, or raise the limit: TOLKA_NBEST")

    def _add_table(self, rows: HypothesisRows) -> int:
        """Columns go to their places; a feature that is not there is 0."""
        unknown = next((name for name in rows.names if name not in self.features), None)
        if unknown is not None:
            raise _unknown_feature("translations have", unknown)
        if rows.dense.shape[1:] != (len(rows.names),) or len(set(rows.names)) != len(rows.names):
            raise InputError(f"features of the shape {rows.dense.shape} have {len(rows.names)} names")
        dense = np.zeros((len(rows.dense), len(self.features)), dtype=np.float32)
        dense[:, [self.features.index(name) for name in rows.names]] = rows.dense
        counts = [len(own) for own in rows.texts]
        return self.add_rows(counts, list(chain.from_iterable(rows.texts)), dense, rows.sparse)

    def _merge(self, native: TuneLists) -> int:
        before = self.size
        # The empty start drops duplicates within the first lists, too.
        self._native = (self._arrays([()] * self.sentences) if self._native is None else self._native).merge(native)
        return self.size - before

    def _arrays(self, lists: Sequence[Sequence[Proposal]]) -> TuneLists:
        entries = list(chain.from_iterable(lists))
        counts = [len(own) for own in lists]
        places = {name: place for place, name in enumerate(self.features)}
        dense = np.zeros((len(entries), len(self.features)), dtype=np.float32)
        for row, entry in enumerate(entries):
            for name, value in entry.features.items():
                place = places.get(name)
                if place is None:
                    sentence = int(np.searchsorted(np.cumsum(counts), row, side="right"))
                    raise _unknown_feature(f"sentence {sentence + 1} has", name)
                dense[row, place] = _single(value, name)
        return self._made(counts, [entry.words for entry in entries], dense, [entry.sparse for entry in entries])

    def _made(
        self,
        counts: Sequence[int],
        words: Sequence[str],
        dense: NDArray[np.float32],
        rows: Sequence[Mapping[str, float]],
    ) -> TuneLists:
        sentences = np.repeat(np.arange(self.sentences, dtype=np.uint32), counts)
        texts = self._table.texts(list(words), self.tokeniser)
        if len(rows) not in (0, len(words)):
            raise InputError(f"{len(words)} translations have {len(rows)} rows of sparse features")
        ends, names, values = [0] if rows else [0] * (len(words) + 1), list[int](), list[float]()
        sparse = dict(self._sparse)
        for row in rows:
            cells = sorted((sparse.setdefault(name, len(sparse)), _single(value, name)) for name, value in row.items())
            names.extend(name for name, _ in cells)
            values.extend(value for _, value in cells)
            ends.append(len(names))
        clash = next((name for name in self.features if name in sparse), None)
        if clash is not None:
            raise InputError(f"the feature {clash!r} is dense and sparse", hint="give one of them another name")
        engine = TuneLists(
            np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64),
            texts,
            self.engine_metric().stats(texts, sentences),
            dense,
            sparse_begins=np.array(ends, dtype=np.uint64),
            sparse_names=np.array(names, dtype=np.uint32),
            sparse_values=np.array(values, dtype=np.float32),
            sparse=len(sparse),
        )
        # Lists that were refused leave no names behind.
        self._sparse = sparse
        return engine


def _unknown_feature(where: str, name: str) -> InputError:
    return InputError(
        f"{where} the unknown feature {name!r}", hint="give it a weight at the start, or make it a sparse feature"
    )


def _single(value: float, name: str) -> float:
    """The value as it is kept, in single precision."""
    if not abs(value) <= _MOST:
        raise InputError(
            f"the feature {name!r} is {value}, not a finite number",
            hint="look for probabilities of 0 whose logarithm was taken",
        )
    return value


_MOST = float(np.finfo(np.float32).max)
