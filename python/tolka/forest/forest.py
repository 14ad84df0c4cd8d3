"""Forests as people use them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, cast, overload

from tolka.errors import InputError, SettingsError
from tolka.forest.derivation import Derivation, Rule, RuleKind, Step
from tolka.forest.semiring import Semiring, T, inside, outside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tolka import _engine

SemiringName = Literal["log", "viterbi", "count", "minmerge"]
"""What sums over derivations mean: the log of the sum of exponentials of scores, the best score, how many there are, or
the costs of the best derivation worst first, compared at the first difference (Galron 2012)."""

Costs = tuple[float, ...]
_MOST_DRAWN = 1_000_000
_NO_NODE = 0xFFFF_FFFF
_MOST_SHOWN = 200


@dataclass(frozen=True)
class Nodes:
    """The nodes of a forest, as arrays.

    Attributes:
        category: Indices into the forest's categories.
        begin: The first source position.
        end: The position after the last.
        first_edge: Where the edges into each node begin, and an end: those into node `n` are
            `first_edge[n]` to `first_edge[n + 1]`.
    """

    category: NDArray[np.uint32]
    begin: NDArray[np.uint32]
    end: NDArray[np.uint32]
    first_edge: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.category)


@dataclass(frozen=True)
class Edges:
    """The edges of a forest, as arrays; those into a node are consecutive.

    Attributes:
        head: The nodes they lead to.
        tails: Two columns: the nodes they come from, -1 for none, in the order of the rule's source side.
        rule: Indices into the forest's rules.
        score: Weighted scores, natural logarithms.
        span: Two columns: begin and end of the source words that the rule stands on.
        features: A row of dense features for each.
    """

    head: NDArray[np.uint32]
    tails: NDArray[np.int64]
    rule: NDArray[np.uint32]
    score: NDArray[np.float64]
    span: NDArray[np.uint32]
    features: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.head)


@dataclass(frozen=True)
class Expectation:
    """What is expected of a derivation drawn from a forest.

    Attributes:
        features: Expected values of the features, sparse ones too.
        score: The expected score.
        entropy: Of the distribution over derivations, in nats.
        log_sum: The logarithm of the sum of the derivations' exponentials.
        scale: What scores were multiplied by.
    """

    features: dict[str, float]
    score: float
    entropy: float
    log_sum: float
    scale: float


class Ngrams:
    """The n-grams of a forest's translations, under a distribution of its derivations.

    Attributes:
        order: The longest n-grams.
        scale: What scores were multiplied by.
        ngrams: The n-grams.
        counts: How often each is expected in a translation.
        length: How many words a translation is expected to have.
    """

    def __init__(self, forest: Forest, order: int, scale: float) -> None:
        self._forest, self._native = forest, forest.native.ngrams(order)
        self.order, self.scale = order, scale
        self.ngrams = tuple(tuple(ngram) for ngram in self._native.ngrams())
        self.counts, self.length = self._native.expected(scale)

    @cached_property
    def posteriors(self) -> NDArray[np.float64]:
        """How likely each is to be in a translation at least once."""
        return self._native.posteriors(self.scale)

    def best(self, gains: NDArray[np.float64], *, word_gain: float = 0.0) -> Derivation | None:
        """The derivation whose words and n-grams, each as often as it is there, are worth most.

        Args:
            gains: What each n-gram is worth.
            word_gain: What each word is worth beside that.
        """
        found = self._native.best(gains, word_gain)
        return None if found is None else self._forest.derivation(*found[1])


class Forest:
    """A packed forest of derivations.

    Nodes stand in topological order, tails before heads; the last is the goal. A forest never changes: what changes it
    returns another.

    Example:
        >>> from tolka.forest import Forest
        >>> forest = Forest.from_dict({
        ...     "categories": ["X"], "features": ["tm"],
        ...     "rules": [{"lhs": 0, "source": ["haus"], "target": [word]} for word in ("house", "building")],
        ...     "nodes": [[0, 0, 1]],
        ...     "edges": [{"head": 0, "tails": [], "rule": 0, "score": -0.5, "features": [-0.5]},
        ...               {"head": 0, "tails": [], "rule": 1, "score": -1.5, "features": [-1.5]}]})
        >>> [(found.text, found.score) for found in forest.kbest(5)]
        [('house', -0.5), ('building', -1.5)]
        >>> forest.marginals().round(4).tolist()
        [0.7311, 0.2689]
    """

    def __init__(self, native: _engine.Forest) -> None:
        self.native = native

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Put a forest together from lists as in its JSON (`docs/forest.md` describes the keys).

        Raises:
            FormatError: Parts are missing, unknown or of the wrong type.
            InputError: Parts do not fit each other: cycles, indices that point nowhere, numbers that are not finite.
        """
        from tolka.forest.reading import build  # noqa: PLC0415 - reading stands on forests

        return cls(build(data))

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Read one line of JSON."""
        from tolka.forest.reading import parse  # noqa: PLC0415 - reading stands on forests

        return cls.from_dict(parse(line))

    def to_json(self) -> str:
        """One line of JSON, the same for the same forest."""
        return self.native.to_json()

    @cached_property
    def source(self) -> tuple[str, ...]:
        """The source sentence; empty if it is not known."""
        return tuple(self.native.source)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple(self.native.categories)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the dense features."""
        return tuple(self.native.feature_names)

    @cached_property
    def sparse_names(self) -> tuple[str, ...]:
        """The names of the sparse features."""
        return tuple(self.native.sparse_names)

    @property
    def goal(self) -> int | None:
        """The node of the whole sentence's derivations, the last one; none if the forest is empty."""
        return self.native.size[0] - 1 if self.native.size[0] else None

    @cached_property
    def nodes(self) -> Nodes:
        """The nodes."""
        labels, begins = self.native.nodes()
        category, begin, end = (column.copy() for column in labels.T)
        return Nodes(category, begin, end, begins)

    @cached_property
    def edges(self) -> Edges:
        """The edges."""
        head, tails, rule, score, span, features = self.native.edges()
        signed = tails.astype("int64")
        signed[tails == _NO_NODE] = -1
        return Edges(head, signed, rule, score, span, features)

    @cached_property
    def components(self) -> tuple[str, ...]:
        """The names of the components of the ensemble that made it; none if it was none."""
        return tuple(self.native.components)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, each once."""
        return tuple(self._rule(*parts) for parts in self.native.rules())

    def _rule(
        self,
        kind: str,
        rule_id: tuple[int, int] | None,
        lhs: int,
        source: list[int | str],
        target: list[int | str],
        links: list[tuple[int, int]],
        spoken: int,
    ) -> Rule:
        names = self.categories
        return Rule(
            kind=cast("RuleKind", kind),
            id=rule_id,
            lhs=names[lhs],
            source=tuple(part if isinstance(part, str) else f"[{names[part]}]" for part in source),
            target=tuple(part if isinstance(part, str) else f"[{part + 1}]" for part in target),
            links=tuple(links),
            source_gaps=frozenset(at for at, part in enumerate(source) if isinstance(part, int)),
            target_gaps={at: part for at, part in enumerate(target) if isinstance(part, int)},
            components=tuple(name for at, name in enumerate(self.components) if spoken >> at & 1),
        )

    def sparse_features(self, edge: int) -> dict[str, float]:
        """The sparse features of an edge."""
        names = self.sparse_names
        return {names[name]: value for name, value in self.native.sparse(edge)}

    @overload
    def inside(self, semiring: Literal["minmerge"], *, scale: float = 1.0) -> list[Costs | None]: ...
    @overload
    def inside(
        self, semiring: Literal["log", "viterbi", "count"] = "log", *, scale: float = 1.0
    ) -> NDArray[np.float64]: ...
    @overload
    def inside(self, semiring: Semiring[T]) -> list[T]: ...
    def inside(
        self, semiring: SemiringName | Semiring[T] = "log", *, scale: float = 1.0
    ) -> NDArray[np.float64] | list[Costs | None] | list[T]:
        """For each node the sum over its derivations of the products of their edges.

        Args:
            semiring: What sums and products are: one of the engine's, or a `Semiring` of your own.
            scale: What scores are multiplied by first; only `log` and `viterbi` look at it.

        Returns:
            A number for each node (minus infinity, or a count of 0, where there is no derivation), or for `minmerge` the
            costs, worst first, or `None`. Costs are negated scores. For your own semiring a value for each node.
        """
        if isinstance(semiring, Semiring):
            return inside(self, semiring)
        _check_scale(scale)
        if semiring == "minmerge":
            return [None if costs is None else tuple(costs) for costs in self.native.inside_min_merge()]
        return self.native.inside(semiring, scale)

    @overload
    def outside(self, semiring: Literal["minmerge"], *, scale: float = 1.0) -> list[Costs | None]: ...
    @overload
    def outside(
        self, semiring: Literal["log", "viterbi", "count"] = "log", *, scale: float = 1.0
    ) -> NDArray[np.float64]: ...
    @overload
    def outside(self, semiring: Semiring[T]) -> list[T]: ...
    def outside(
        self, semiring: SemiringName | Semiring[T] = "log", *, scale: float = 1.0
    ) -> NDArray[np.float64] | list[Costs | None] | list[T]:
        """For each node the sum over all that completes its derivations to derivations of the goal; see `inside`."""
        if isinstance(semiring, Semiring):
            return outside(self, semiring)
        _check_scale(scale)
        if semiring == "minmerge":
            return [None if costs is None else tuple(costs) for costs in self.native.outside_min_merge()]
        return self.native.outside(semiring, scale)

    def marginals(self, *, scale: float = 1.0) -> NDArray[np.float64]:
        """For each edge how often it is expected in a derivation.

        That is its probability where no derivation uses an edge twice, as in forests of decoders. Derivations are as
        likely as the exponentials of `scale` times their scores.
        """
        _check_scale(scale)
        return self.native.expected_uses(scale)

    def posteriors(self, *, scale: float = 1.0) -> NDArray[np.float64]:
        """For each node how often it is expected in a derivation."""
        import numpy as np  # noqa: PLC0415 - NumPy waits until arrays are made

        sums = np.zeros(len(self.nodes))
        np.add.at(sums, self.edges.head, self.marginals(scale=scale))
        return sums

    def expectation(self, *, scale: float = 1.0) -> Expectation:
        """Expected features and score of a derivation, and the entropy of derivations (Li & Eisner 2009)."""
        uses = self.marginals(scale=scale)
        log_sum = float(self.inside(scale=scale)[-1]) if len(self.nodes) else -math.inf
        if log_sum == -math.inf:
            return Expectation(dict.fromkeys((*self.feature_names, *self.sparse_names), 0.0), 0.0, 0.0, log_sum, scale)
        sums = (uses @ self.edges.features.astype("float64")).tolist()
        features = {**dict(zip(self.feature_names, sums, strict=True)), **dict.fromkeys(self.sparse_names, 0.0)}
        for edge, use in enumerate(uses.tolist() if self.sparse_names else []):
            for name, value in self.sparse_features(edge).items():
                features[name] += use * value
        score = float(uses @ self.edges.score)
        return Expectation(features, score, max(0.0, log_sum - scale * score), log_sum, scale)

    def viterbi(self) -> Derivation | None:
        """The best derivation; none if the forest has none."""
        return next(self.kbest(1), None)

    def kbest(
        self, k: int, *, unique: bool = False, semiring: Literal["viterbi", "minmerge"] = "viterbi"
    ) -> Iterator[Derivation]:
        """The best derivations, best first, each found when it is asked for (Huang & Chiang 2005).

        Args:
            k: How many at most.
            unique: Whether those that spell the same translation as a better one are left out.
            semiring: What is better: a higher score, or (`minmerge`) a worst rule that is less bad (Galron 2012).
        """
        if k < 1:
            raise SettingsError(f"{k} derivations cannot be listed", hint="ask for at least 1")
        found = self.native.kbest(unique=unique, semiring=semiring)
        for _ in range(k):
            parts = found.next()
            if parts is None:
                return
            yield self.derivation(*parts)

    def sample(self, n: int, *, seed: int = 0, temperature: float = 1.0) -> list[Derivation]:
        """Derivations drawn at random, each as likely as the exponential of its score divided by the temperature.

        The draws are exact and independent, and the first ones do not depend on how many there are.

        Args:
            n: How many.
            seed: The same seed draws the same derivations.
            temperature: Below 1 makes good derivations likelier, above 1 all more equal.
        """
        if not 0 <= n <= _MOST_DRAWN:
            raise SettingsError(f"{n} derivations cannot be drawn", hint=f"draw at most {_MOST_DRAWN}")
        if not 0 <= seed < 1 << 64:
            raise SettingsError(f"the seed {seed} is not a whole number of 64 bits")
        drawn = self.native.sample(n, seed=seed, temperature=temperature)
        return [self.derivation(*parts) for parts in drawn]

    def derivation(self, score: float, target: list[str], steps: list[Any]) -> Derivation:
        """A derivation as the engine lists it, spelled out."""
        made = tuple(self._step(*step) for step in steps)
        return Derivation(self.source, tuple(target), score, made, components=self.components)

    def _step(
        self,
        edge: int,
        parts: list[int],
        source_span: tuple[int, int],
        target_span: tuple[int, int],
        source_words: list[int],
        target_words: list[int],
        links: list[tuple[int, int]],
    ) -> Step:
        row = self.edges.features[edge].tolist()
        features = {name: value for name, value in zip(self.feature_names, row, strict=True) if value}
        if self.sparse_names:
            features.update(self.sparse_features(edge))
        return Step(
            rule=self.rules[self.edges.rule[edge]],
            parts=tuple(parts),
            source_span=source_span,
            target_span=target_span,
            source_words=tuple(source_words),
            target_words=tuple(target_words),
            links=tuple(links),
            score=float(self.edges.score[edge]),
            features=features,
            edge=edge,
        )

    def ngrams(self, order: int = 4, *, scale: float = 1.0) -> Ngrams:
        """The n-grams of the translations: how often they are expected, and how likely they are there.

        Both are exact: nodes are split by the words that n-grams can reach from outside.

        Args:
            order: The longest n-grams, 1 to 8.
            scale: What scores are multiplied by.

        Raises:
            LimitError: The forest becomes too large; prune it first.
        """
        _check_scale(scale)
        return Ngrams(self, order, scale)

    def pruned(
        self,
        beam: float | None = None,
        *,
        posterior: float | None = None,
        edges: int | None = None,
        scale: float = 1.0,
    ) -> Forest:
        """Leave out what is unlikely, and all that then makes no derivation of the goal any more.

        Args:
            beam: Keep edges whose best derivation scores at most this much less than the best of all (Huang 2008).
            posterior: Or keep edges that are expected at least this often in a derivation.
            edges: Or keep so many edges, those with the best derivations through them; more if the last are equal.
            scale: What scores are multiplied by for `posterior`.
        """
        if [beam, posterior, edges].count(None) != 2:  # noqa: PLR2004 - one of three is given
            raise SettingsError("prune by a beam, a posterior or a number of edges", hint="give one of the three")
        if edges is not None:
            if edges < 1:
                raise SettingsError(f"{edges} edges make no forest", hint="keep at least 1")
            return Forest(self.native.pruned_to(edges))
        if beam is not None:
            if not beam >= 0:
                raise SettingsError(f"a beam of {beam} is not a number of at least 0")
            return Forest(self.native.pruned(beam))
        least = cast("float", posterior)
        if not 0 <= least <= 1:
            raise SettingsError(f"a posterior of {least} is not between 0 and 1")
        _check_scale(scale)
        return Forest(self.native.pruned_by_posterior(least, scale=scale))

    def reweighted(self, weights: Mapping[str, float]) -> Forest:
        """The same derivations, scored by other weights; features without one count nothing.

        Args:
            weights: By feature.

        Raises:
            InputError: A weight for a feature that is not there, or that is not a finite number.
        """
        dense, sparse = self._rows(weights)
        return Forest(self.native.reweighted(dense, sparse))

    def remixed(
        self,
        weights: Sequence[Mapping[str, float]],
        shares: Sequence[float],
        *,
        operation: Literal["wsum", "wmax", "prod"] = "wsum",
        missing: Literal["floor", "veto", "skip"] = "floor",
        floor: float = -13.8155,
    ) -> Forest:
        """The same derivations of an ensemble, scored by other weights of its components, which are mixed anew.

        Args:
            weights: For each component what each feature of the forest counts in it.
            shares: How much each component counts: lambda, as it is.
            operation: What becomes of the components' scores of an edge: the logarithm of the weighted sum or maximum of their
                exponentials, or their weighted sum.
            missing: What products take of a component that does not have an edge's rule.
            floor: What that is, for `floor`.

        Raises:
            InputError: A weight for a feature that is not there, or that is not a finite number; not as many shares as
                components; an edge that no component has.
        """
        if len(weights) != len(shares):
            raise InputError(f"{len(shares)} shares for {len(weights)} components", hint="give one for each")
        absent = floor if missing == "floor" else 0.0
        rows = [(*self._rows(one), absent) for one in weights]
        parts = [(number, float(share), 1.0) for number, share in enumerate(shares)]
        return Forest(self.native.remixed(rows, (operation, parts), missing))

    def _rows(self, weights: Mapping[str, float]) -> tuple[list[float], list[float]]:
        """Weights in the order of the features, dense and sparse."""
        if unknown := sorted(set(weights) - {*self.feature_names, *self.sparse_names}):
            raise InputError(f"there is no feature {unknown[0]!r} in this forest")
        return (
            [weights.get(name, 0.0) for name in self.feature_names],
            [weights.get(name, 0.0) for name in self.sparse_names],
        )

    def to_svg(self, *, theme: Literal["auto", "light", "dark"] = "auto") -> str:
        """A drawing of a small forest, the best derivation highlighted.

        Raises:
            LimitError: It has more nodes or edges than can be looked at; prune it first.
        """
        from tolka.forest.drawing import draw_forest  # noqa: PLC0415 - drawings are rarely wanted

        return draw_forest(self, theme=theme)

    def _repr_svg_(self) -> str | None:
        """Notebooks show a small forest as its drawing."""
        return self.to_svg() if 0 < len(self.nodes) <= _MOST_SHOWN else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forest) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        nodes, edges = self.native.size
        return f"Forest(nodes={nodes}, edges={edges})"


def _check_scale(scale: float) -> None:
    if not math.isfinite(scale):
        raise SettingsError(f"a scale of {scale} is not a finite number")
