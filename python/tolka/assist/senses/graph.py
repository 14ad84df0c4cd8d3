"""Search graphs: what a decoder thought of, as a belief about translations that answers can change."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from tolka.assist.senses.packed import Shape
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.forest import Forest


class Piece(NamedTuple):
    """A translation of some source words, as often as edges use it.

    Attributes:
        target: Words, and numbers for the translations of an edge's tails. In a search graph the tail comes first and is
            not written.
        at: Positions of the source words it translates itself; empty if they are not known.
        links: Positions in the source, and in `target`, of words that translate each other.
    """

    target: tuple[str | int, ...]
    at: tuple[int, ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    @property
    def words(self) -> str:
        """Its own words."""
        return " ".join(part for part in self.target if isinstance(part, str))


class Path(NamedTuple):
    """A whole translation.

    Attributes:
        words: Its words, with spaces between.
        weight: The sum of its edges' weights.
        edges: Its edges, each after those that lead to its tails.
    """

    words: str
    weight: float
    edges: tuple[int, ...]


class SearchGraph:
    """A weighted graph of translations: nodes, and edges that add words (Mohammad 2012, section 2.2).

    An edge's weight is `scale` times its score, and what answers added. A translation is as likely as the exponential of
    its weights' sum; the thesis does not say what the probability of an edge is, and sums over all that follows (`outside`)
    make it one. Edges lead from one node, or, in forests of charts, from none to two.

    A graph never changes: what changes it returns another.

    Example:
        >>> graph = SearchGraph.from_edges([
        ...     (0, 1, "a", (0, 1), -0.3), (0, 1, "one", (0, 1), -1.5), (1, 2, "house", (1, 2), -0.1),
        ... ], source="ein haus")
        >>> graph.best().words
        'a house'
        >>> graph.posteriors().round(3).tolist()
        [0.769, 0.231, 1.0]
    """

    def __init__(
        self,
        shape: Shape,
        pieces: Sequence[Piece],
        piece: NDArray[np.int64],
        scores: NDArray[np.float64],
        *,
        source: Sequence[str] = (),
        scale: float = 1.0,
        added: NDArray[np.float64] | None = None,
    ) -> None:
        """Join what `from_edges`, `from_forest` and readers have made.

        Args:
            shape: Which edges lead where.
            pieces: What edges say.
            piece: For each edge which of them.
            scores: For each edge a natural logarithm.
            source: The source words; empty if they are not known.
            scale: What scores are multiplied by, the thesis's λ.
            added: What answers add to each edge's weight.
        """
        if not (math.isfinite(scale) and scale > 0):
            raise SettingsError(f"a scale of {scale} is not a number above 0")
        bad = np.flatnonzero(~np.isfinite(scores))
        if bad.size:
            raise InputError(f"the score of edge {int(bad[0])} is {scores[bad[0]]}, not a finite number")
        words = len(source) or None
        for one in pieces:
            if one.at and (min(one.at) < 0 or (words is not None and max(one.at) >= words)):
                raise InputError(f"the piece {one.words!r} stands on words that the source does not have")
        self.shape, self.pieces, self.piece, self.scores = shape, tuple(pieces), piece, scores
        self.source, self.scale = tuple(source), scale
        self.added = np.zeros(len(scores)) if added is None else added

    @classmethod
    def from_edges(
        cls,
        edges: Sequence[tuple[int, int, str, tuple[int, int] | None, float]],
        *,
        source: str = "",
        start: int | None = None,
        goal: int | None = None,
        scale: float = 1.0,
    ) -> Self:
        """Make a graph of edges between numbered nodes.

        Args:
            edges: From which node, to which, the target words, the source words [begin, end) if known, the score.
            source: The source words, with spaces between.
            start: The first node; the one that no edge leads to if not given.
            goal: The last; the one that no edge leads from if not given.
            scale: What scores are multiplied by.

        Raises:
            InputError: No start or several, no goal or several, a cycle, an edge on no way from one to the other, a score
                that is not finite.
        """
        if not edges:
            raise InputError("the graph has no edges")
        if min(min(tail, head) for tail, head, *_ in edges) < 0:
            raise InputError("a node has a negative number")
        begins, ends = {edge[0] for edge in edges}, {edge[1] for edge in edges}
        first = _only(begins - ends, "root, a node that no edge leads to") if start is None else start
        last = _only(ends - begins, "goal, a node that no edge leads from") if goal is None else goal
        # Numbers may have gaps.
        number = {node: at for at, node in enumerate(sorted(begins | ends | {first, last}))}
        pieces: dict[Piece, int] = {}
        named = []
        for _, _, target, span, _ in edges:
            if span is not None and not 0 <= span[0] < span[1]:
                raise InputError(f"the source words {span} of {target!r} are no span")
            at = () if span is None else tuple(range(*span))
            named.append(pieces.setdefault(Piece(tuple(target.split()), at), len(pieces)))
        shape = Shape(
            np.array([number[edge[1]] for edge in edges], dtype=np.int64),
            np.array([(number[edge[0]], -1) for edge in edges], dtype=np.int64),
            len(number),
            number[last],
            number[first],
        )
        scores = np.array([edge[4] for edge in edges], dtype=np.float64)
        return cls(shape, list(pieces), np.array(named, dtype=np.int64), scores, source=source.split(), scale=scale)

    @classmethod
    def from_forest(cls, forest: Forest, *, scale: float = 1.0, most: int = 5000) -> Self:
        """Make a graph of what a decoder found, of whichever kind it is.

        Args:
            forest: Of `Translator.forest` or `Decoder.forest`.
            scale: What scores are multiplied by.
            most: Edges kept, those with the best translations through them.

        Raises:
            InputError: The forest is empty.
        """
        from tolka.assist.senses.forests import parts_of  # noqa: PLC0415 - which needs pieces

        pruned = forest.pruned(edges=most)
        if pruned.goal is None:
            raise InputError("the forest has no translation", hint="translate a sentence that is not empty")
        shape, pieces, piece, scores = parts_of(pruned)
        return cls(shape, pieces, piece, scores, source=forest.source, scale=scale)

    def __len__(self) -> int:
        """How many edges there are."""
        return len(self.scores)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """For each edge `scale` times its score, and what answers added."""
        return self.scale * self.scores + self.added

    @cached_property
    def inside(self) -> NDArray[np.float64]:
        """For each node the log of the sum over all that leads to it."""
        return self.shape.inside(self.weights)

    @cached_property
    def outside(self) -> NDArray[np.float64]:
        """For each node the log of the sum over all that leads from it to the goal; of search graphs, ln β."""
        return self.shape.outside(self.weights, self.inside)

    @property
    def log_sum(self) -> float:
        """The log of the sum over all translations."""
        return float(self.inside[self.shape.goal])

    def posteriors(self) -> NDArray[np.float64]:
        """For each edge how likely it is to be in the translation."""
        below = np.append(self.inside, 0.0)
        tails = np.where(self.shape.tails < 0, self.shape.nodes, self.shape.tails)
        reach = below[tails].sum(axis=1) + self.weights + self.outside[self.shape.heads]
        found: NDArray[np.float64] = np.exp(reach - self.log_sum)
        return found

    @cached_property
    def piece_posteriors(self) -> NDArray[np.float64]:
        """For each piece how often it is expected in the translation."""
        sums = np.zeros(len(self.pieces))
        np.add.at(sums, self.piece, self.posteriors())
        return sums

    @cached_property
    def entropy(self) -> float:
        """How unsure the graph is of the translation, in nats."""
        return max(0.0, self.log_sum - float(self.posteriors() @ self.weights))

    def best(self) -> Path:
        """The best translation."""
        weight, edges = self.shape.best(self.weights)
        return Path(self._spelled(edges), weight, tuple(edges[::-1]))

    def _spelled(self, edges: Sequence[int]) -> str:
        """The words of a derivation whose edges come each before those in its tails."""
        said: list[list[str]] = []
        for edge in reversed(edges):
            tails = int((self.shape.tails[edge] >= 0).sum())
            if self.shape.start is not None:
                # A search graph: what comes before is not written.
                said.append([*(said.pop() if said else []), *map(str, self.pieces[self.piece[edge]].target)])
                continue
            # The first tail was said last.
            parts = [said.pop() for _ in range(tails)]
            spelled: list[str] = []
            for part in self.pieces[self.piece[edge]].target:
                if isinstance(part, int):
                    spelled.extend(parts[part])
                else:
                    spelled.append(part)
            said.append(spelled)
        return " ".join(said[-1])

    def added_to(self, changes: NDArray[np.float64]) -> SearchGraph:
        """The same graph, with so much added to the weight of each edge; `scale` does not touch it."""
        if changes.shape != self.scores.shape or not np.isfinite(changes).all():
            raise InputError(f"a change of weights is a finite number for each of {len(self)} edges")
        return self._with(added=self.added + changes)

    def with_scale(self, scale: float) -> SearchGraph:
        """The same graph, with its scores multiplied by something else."""
        return self._with(scale=scale)

    def _with(self, *, scale: float | None = None, added: NDArray[np.float64] | None = None) -> SearchGraph:
        return SearchGraph(
            self.shape,
            self.pieces,
            self.piece,
            self.scores,
            source=self.source,
            scale=self.scale if scale is None else scale,
            added=self.added if added is None else added,
        )

    def to_json(self) -> str:
        """One line of JSON, without what answers added: they can be given again."""
        from tolka.assist.senses.lines import written  # noqa: PLC0415 - which needs graphs

        return written(self)

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Read what `to_json` wrote.

        Raises:
            FormatError: It is something else.
            InputError: Its parts do not fit each other.
        """
        from tolka.assist.senses.lines import parts_of_line  # noqa: PLC0415 - which needs pieces

        shape, pieces, piece, scores, source, scale = parts_of_line(line)
        return cls(shape, pieces, piece, scores, source=source, scale=scale)

    def __repr__(self) -> str:
        return f"SearchGraph(nodes={self.shape.nodes}, edges={len(self)})"


def _only(nodes: set[int], what: str) -> int:
    if len(nodes) != 1:
        raise InputError(f"the graph has {len(nodes)} nodes instead of one that may be its {what}")
    return next(iter(nodes))
