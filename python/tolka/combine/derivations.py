"""Derivations of an ensemble with the parts that components have in their scores, gathered over decodings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError, LimitError
from tolka.limits import DEFAULT, Limits
from tolka.tune import Gathered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Derivations:
    """Derivations of one sentence, the best first.

    Attributes:
        texts: The words of each, with blanks between them.
        edges: The edges of each: rows of the next. An edge that is used twice comes twice.
        parts: For each edge the score that each component has for it, minus infinity where it lacks the rule.
        rest: What each derivation's score has beside its mixed edges; 0 if empty.
    """

    texts: Sequence[str]
    edges: Sequence[Sequence[int] | NDArray[np.integer]]
    parts: NDArray[np.floating]
    rest: Sequence[float] | NDArray[np.floating] = ()


@dataclass(frozen=True)
class DerivationArrays:
    """Derivations of all sentences, as arrays.

    Attributes:
        statistics: A row of each derivation's statistics: length, length of the reference, matches and n-grams of each order.
        sentences: Where the derivations of each sentence end; a sentence without any is not there.
        edges: The edges of all derivations: rows of `parts`.
        ends: Where the edges of each derivation end.
        parts: A row for each edge, a column for each component.
        rest: What the score of each derivation has beside its edges.
    """

    statistics: NDArray[np.float64]
    sentences: NDArray[np.int64]
    edges: NDArray[np.int64]
    ends: NDArray[np.int64]
    parts: NDArray[np.float64]
    rest: NDArray[np.float64]


class MixedLists(Gathered["Sequence[Derivations]"]):
    """For each sentence of a development set the derivations that ensembles have found so far.

    Derivations with the same words and the same edges are one. Parts are kept in single precision.

    Args:
        references: One line per sentence, or several such texts.
        components: The names of the components, one for each column of parts.
        limits: Caps on the number of derivations in one decoding.

    Example:
        >>> lists = MixedLists(["a very small house"], ["in", "out"])
        >>> parts = np.array([[-1.0, -2.0], [-1.5, -np.inf]])
        >>> lists.add([Derivations(["a very small house", "a very house"], [[0, 1], [0]], parts)])
        2
        >>> lists.add([Derivations(["a very house"], [[0]], parts)])
        0
    """

    def __init__(
        self,
        references: Sequence[str] | Sequence[Sequence[str]],
        components: Iterable[str],
        *,
        limits: Limits = DEFAULT,
    ) -> None:
        super().__init__(references, components, limits=limits)
        if not self.features:
            raise InputError("an ensemble needs the names of its components")
        self._found: list[_Found] = [_Found() for _ in range(self.sentences)]

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """There are none."""
        return ()

    @property
    def size(self) -> int:
        """Different derivations of all sentences."""
        return sum(len(own.derivations) for own in self._found)

    @property
    def native(self) -> None:
        """The engine has none of it."""
        return

    def add(self, proposals: Sequence[Derivations]) -> int:
        """Add the derivations of each sentence; gives how many are new.

        Raises:
            InputError: Another number of sentences, arrays that do not fit each other, or parts that are not numbers.
        """
        if len(proposals) != self.sentences:
            raise InputError(
                f"{len(proposals)} lists for {self.sentences} sentences", hint="decode all of the references"
            )
        for number, own in enumerate(proposals, 1):
            _check(own, len(self.features), number, self.limits)
        before = self.size
        for found, own in zip(self._found, proposals, strict=True):
            found.add(own)
        return self.size - before

    def best(self, proposals: Sequence[Derivations]) -> list[str]:
        """The words of the first derivation of each sentence, empty if there is none."""
        return [own.texts[0] if own.texts else "" for own in proposals]

    def arrays(self) -> DerivationArrays:
        """All derivations, with their statistics."""
        counts = np.array([len(own.derivations) for own in self._found], dtype=np.int64)
        keys = [key for own in self._found for key in own.derivations]
        texts = self._table.texts([text for text, _, _ in keys], self.tokeniser)
        sentences = np.repeat(np.arange(self.sentences, dtype=np.uint32), counts)
        sizes = np.array([len(own.edges) for own in self._found], dtype=np.int64)
        # Edges are counted on from sentence to sentence.
        offsets = np.repeat(np.cumsum(sizes) - sizes, counts).tolist()
        edges = [edge + offset for (_, own, _), offset in zip(keys, offsets, strict=True) for edge in own]
        rows = b"".join(row for own in self._found for row in own.edges)
        return DerivationArrays(
            statistics=self.engine_metric().stats(texts, sentences),
            sentences=np.cumsum(counts[counts > 0]),
            edges=np.array(edges, dtype=np.int64),
            ends=np.cumsum([len(own) for _, own, _ in keys], dtype=np.int64),
            parts=np.frombuffer(rows, dtype=np.float32).reshape(-1, len(self.features)).astype(np.float64),
            rest=np.array([rest for _, _, rest in keys], dtype=np.float64),
        )


class _Found:
    """The derivations of a sentence, each once, and their edges, each once."""

    def __init__(self) -> None:
        self.edges: dict[bytes, int] = {}
        self.derivations: dict[tuple[str, tuple[int, ...], float], None] = {}

    def add(self, own: Derivations) -> None:
        rows = np.ascontiguousarray(own.parts, dtype=np.float32)
        places: dict[int, int] = {}
        rest = np.zeros(len(own.texts)) if len(own.rest) == 0 else np.asarray(own.rest)
        for text, edges, more in zip(own.texts, own.edges, rest.astype(np.float32).tolist(), strict=True):
            for edge in edges:
                if int(edge) not in places:
                    places[int(edge)] = self.edges.setdefault(rows[edge].tobytes(), len(self.edges))
            # Edges add up, so their order says nothing.
            self.derivations.setdefault((text, tuple(sorted(places[int(edge)] for edge in edges)), more))


def _check(own: Derivations, components: int, sentence: int, limits: Limits) -> None:
    parts = np.asarray(own.parts)
    if parts.ndim != _TABLE or parts.shape[1] != components:
        raise InputError(f"sentence {sentence} has parts of the shape {parts.shape}, not of {components} components")
    if len(own.edges) != len(own.texts) or len(own.rest) not in {0, len(own.texts)}:
        counts = f"{len(own.texts)} texts, {len(own.edges)} lists of edges and {len(own.rest)} rests"
        raise InputError(f"sentence {sentence} has {counts}")
    if len(own.texts) > limits.nbest:
        what = f"sentence {sentence} has {len(own.texts)} derivations, more than {limits.nbest}"
        raise LimitError(what, hint="ask for fewer, or raise the limit: TOLKA_NBEST")
    if any(not 0 <= edge < len(parts) for edges in own.edges for edge in edges):
        raise InputError(f"sentence {sentence} has a derivation with an edge that is not there")
    if (np.isnan(parts) | (parts > _MOST) | ((parts < -_MOST) & (parts != -np.inf))).any():
        raise InputError(f"sentence {sentence} has a part that is not a finite number or minus infinity")
    if len(own.rest) and not (np.abs(np.asarray(own.rest)) <= _MOST).all():
        raise InputError(f"sentence {sentence} has a derivation whose rest is not a finite number")


_TABLE = 2
# Sums of parts stay finite, in single precision too; what is not above it is not above it after rounding either.
_MOST = float(np.float32(1e30))
