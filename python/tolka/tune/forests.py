"""The forests of a development set: all derivations that decoders kept, gathered over their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka._engine import TuneForests
from tolka.errors import InputError
from tolka.tune.gathered import Gathered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.forest import Forest
    from tolka.tune.gathered import MetricName


class Forests(Gathered["Sequence[Forest]"]):
    """For each sentence of a development set the derivations that decoders have kept so far, packed.

    A forest holds exponentially more translations than a list, so that tuners see what a list misses (Kumar, Macherey,
    Dyer and Och 2009). Forests of one sentence from several runs are joined.

    Args:
        references: One line per sentence, or several such texts.
        features: The names of the dense features, in the order that the forests have them.
        metric: What tuning is for: bleu, chrf, chrf++ or ter.
        threads: For joining; 0 for one per core.

    Example:
        >>> from tolka.forest import Forest
        >>> def forest(*words):
        ...     rules = [{"lhs": 0, "source": ["hus"], "target": [word]} for word in words]
        ...     edges = [{"head": 0, "tails": [], "rule": at, "score": 0.0, "features": [-at]} for at in range(len(words))]
        ...     return Forest.from_dict(
        ...         {"categories": ["X"], "features": ["tm"], "rules": rules, "nodes": [[0, 0, 1]], "edges": edges}
        ...     )
        >>> forests = Forests(["house"], ["tm"])
        >>> forests.add([forest("building", "house")]), forests.add([forest("building", "home")])
        (2, 1)
        >>> forests.best([forest("building", "house").reweighted({"tm": -1.0})])
        ['house']
    """

    def __init__(
        self,
        references: Sequence[str] | Sequence[Sequence[str]],
        features: Iterable[str],
        *,
        metric: MetricName = "bleu",
        threads: int = 0,
    ) -> None:
        super().__init__(references, features, metric=metric)
        self._threads = threads
        self._native = TuneForests(list(self.features))

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """The sparse features met so far."""
        return tuple(self._native.sparse_names)

    @property
    def size(self) -> int:
        """Edges of all forests."""
        return self._native.edges

    @property
    def native(self) -> TuneForests | None:
        """The forests in the engine; none if nothing was added."""
        return self._native if len(self._native) else None

    def add(self, proposals: Sequence[Forest]) -> int:
        """Add the derivations of each sentence; gives how many edges are new.

        Raises:
            InputError: Another number of sentences, or other features.
        """
        if len(proposals) != self.sentences:
            raise InputError(
                f"{len(proposals)} forests for {self.sentences} sentences", hint="decode all of the references"
            )
        before = self.size
        merged = self._native.merge([forest.native for forest in proposals], self._table, self._threads)
        clash = next((name for name in merged.sparse_names if name in self.features), None)
        if clash is not None:
            raise InputError(f"the feature {clash!r} is dense and sparse", hint="give one of them another name")
        self._native = merged
        return self.size - before

    def best(self, proposals: Sequence[Forest]) -> list[str]:
        """The best translation of each forest, empty if there is none."""
        found = (forest.viterbi() for forest in proposals)
        return ["" if one is None else one.text for one in found]
