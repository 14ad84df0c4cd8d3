"""How multitree systems are searched and trained; the five systems of the thesis by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, Self

from tolka import _engine
from tolka.errors import SettingsError
from tolka.multitree.ranges import LARGEST, WEIGHT, check_ranges, is_number

Supervisor = Literal["tree", "forest"]
Labelling = Literal["strict", "permissive", "permissive-pairs", "permissive-mean", "permissive-f"]

HIERARCHIES: Mapping[str, str] = {
    "aligner": "itg : itg + fertility",
    "first.supervisor": "itg, lexicon : itg + fertility",
    "first.predictor": "itg : itg + fuses + fertility",
    "supervisor": "itg, lexicon : itg + classifiers",
    "predictor": "itg : fuses + classifiers",
}
"""Who asks which grammars: filters, a colon, costs that add up (Galron 2012, sections 4.5.1 and 5.2.1). What begins with `first`
is until classifiers were trained. Supervisors that know one tree of each pair have `tree` before these."""


def path_of(least: float) -> tuple[float, ...]:
    """The path of penalties: 3/8 and its halves down to the least one.

    Example:
        >>> path_of(0.1)
        (0.375, 0.1875)
    """
    path = [LARGEST]
    # The least one may be a literal.
    while path[-1] / 2 >= least * (1 - 1e-9):
        path.append(path[-1] / 2)
    return tuple(path)


PENALTIES = path_of(3 / 4096)
"""The path of penalties: 3/8 and its halves down to 3/4096."""


STATISTICS: Mapping[str, float] = {
    "lm": 0.3,
    "target": 0.14,
    "source": 0.1,
    "target.words": 0.14,
    "source.words": 0.07,
    "words": 0.55,
    "leaves": 0.0,
    "copied": -0.35,
    "once": 0.1,
    "twice": 0.0,
    "few": 0.0,
    "inverted": -0.5,
    "crossings": -0.05,
    "leaf.classifiers": 0.15,
    "join.classifiers": 0.15,
    "before.same": 0.15,
    "before.inverted": 0.15,
    "before.elsewhere": 0.15,
    "behind.same": 0.15,
    "behind.inverted": 0.15,
    "behind.elsewhere": 0.15,
}
"""What can be weighed, with weights to begin with: the language model; phrases by phrases and words by words, in both
directions; target words, leaves, words that are copied, pairs seen once, twice, three to five times; inversions, crossed
brackets; what classifiers say; where the neighbours of a pair are, before it in the target text and behind it."""


@dataclass(frozen=True)
class MultitreeSettings:
    """What Galron 2012 calls the configuration of an experiment (sections 5.2 and 5.3).

    Attributes:
        supervisor: Which inferences are approved: those of one multitree of each pair, or all that links and brackets allow.
        labelling: What is a positive example: what is approved (`strict`); of joins, what makes the partial translation better by
            WIQ1 (`permissive`); of pairs of phrases, too (`permissive-pairs`), by the mean of both parts (`permissive-mean`); of
            joins, by F of the whole reference instead of the e-score (`permissive-f`).
        epochs: Passes over the pairs. In the first one nothing is explored, in each further one a step more. With 0 there are no
            classifiers, and statistics must be weighed.
        partitions: Parts of the pairs, after each of which classifiers are trained anew (from the second epoch on).
        explore: The most steps that are explored beyond what is approved; None for one less than there are epochs.
        semiring: `minmerge` compares derivations by their worst inferences, `viterbi` by sums.
        longest: Most words of a source and of a target phrase that is translated as a whole.
        most_crossings: Brackets of the source tree that a span may cross.
        crossing: What each costs whoever parses pairs.
        predictor_crossing: What each costs whoever translates.
        fuse_scale: What a fuse costs that was seen once; others cost this by how often they were seen.
        beam: Items in a cell of the chart.
        threshold: Items whose worst cost is more than so many times that of the best in their cell are dropped; None for none.
        bound: Search with a bound of what is missing (A*).
        strategy: Translate from an `agenda`, best inferences first; or fill a `chart`, short spans first (cube pruning).
        options: Most translations of a source phrase that are tried; None for all.
        weights: What statistics weigh when it translates, by their names in `STATISTICS`; None if classifiers alone say what an
            inference costs, as in training. Costs are sums then, so take `viterbi`.
        identity: Items are the same with the same `text`, or with the same words at its `boundary`.
        counted: Target n-grams that features ask about are counted in `all` there is, or in further `text` alone, as in the thesis:
            so right inferences have unseen n-grams, too.
        templates: Features of the `thesis`, or `all` of docs/multitree.md.
        coarse: Penalty of classifiers that all inferences of a type share, to which the fine ones add; None for none.
        most: Examples of a classifier; of more, a sample.
        most_coarse: The same for shared ones.
        most_per_pair: Joins of a label that are kept of a pair in an epoch; a sample that stands for all.
        fewest: With fewer right or fewer wrong examples no classifier is made.
        learn: Whether `all` inferences have classifiers, from searches that a coordinator leads; or `pairs` of phrases alone, from
            what links say without any search, in one pass whatever `epochs` and `labelling` are.
        prior: Classifiers learn only what context adds to how often an inference is right; for `weights`, which know the latter.
        lexicon: Which phrases are translated as a whole: those of the multitrees that the `supervisor` knows, or all `phrases`
            that links allow (Och & Ney 2004).
        prune_pairs: Pairs of the lexicon seen less often are dropped if they are rare for their source phrase.
        penalty: The penalty while examples are made; afterwards the tuned one.
        least: The smallest penalty of the path.
        tolerance: By how much of itself the risk must fall for a tree to be kept.
        max_depth: Tests on a path of a tree.
        missing: The cost of an inference that no classifier knows.
        time_limit: Seconds for a sentence.
        neutral: Phrases of one language are never a step away from what is approved.
        trailing: Go on when the supervisor has nothing left, until the predictor has not either.
        hierarchies: Which grammars are asked, by the names in `HIERARCHIES`, where it is not what those say; `supervisor` is
            then not taken into account for those that are given.
        seed: Divides the pairs into parts.
    """

    supervisor: Supervisor = "forest"
    labelling: Labelling = "permissive"
    epochs: int = 5
    partitions: int = 5
    explore: int | None = None
    semiring: Literal["minmerge", "viterbi"] = "minmerge"
    longest: tuple[int, int] = (3, 3)
    most_crossings: int | None = 3
    crossing: float = 10.0
    predictor_crossing: float = 0.0
    fuse_scale: float = 2.0
    beam: int | None = 10
    threshold: float | None = None
    bound: bool = False
    strategy: Literal["agenda", "chart"] = "agenda"
    options: int | None = None
    weights: Mapping[str, float] | None = None
    identity: Literal["text", "boundary"] = "text"
    counted: Literal["all", "text"] = "all"
    templates: Literal["thesis", "all"] = "all"
    coarse: float | None = 3 / 4096
    most: int = 2_000
    most_coarse: int = 50_000
    most_per_pair: int = 300
    fewest: int = 0
    learn: Literal["all", "pairs"] = "all"
    prior: bool = False
    lexicon: Literal["supervisor", "phrases"] = "supervisor"
    prune_pairs: int = 3
    penalty: float = 3 / 512
    least: float = 3 / 4096
    tolerance: float = 1e-4
    max_depth: int | None = 8
    missing: float = 5.0
    time_limit: float | None = 60.0
    neutral: bool = True
    trailing: bool = False
    hierarchies: Mapping[str, str] | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.strategy == "chart" and self.threshold is not None:
            raise SettingsError(
                "a threshold prunes what comes from an agenda only", hint="use beam with strategy=chart"
            )
        self._check_hierarchies()
        self._check_weights()
        if self.weights is None:
            self._check_alone()
        elif self.semiring != "viterbi":
            raise SettingsError(
                "statistics are weighed in sums, not by the worst inference", hint="use semiring=viterbi"
            )

    def _check_weights(self) -> None:
        """Refuse statistics that there are not, and what is no weight."""
        if self.weights is not None and not isinstance(self.weights, Mapping):
            raise SettingsError(
                f"weights cannot be {self.weights!r}", hint="use numbers by the names of statistics, or none"
            )
        for name, weight in (self.weights or {}).items():
            if name not in STATISTICS:
                raise SettingsError(
                    f"there is no statistic {name!r} to weigh", hint=f"statistics are {', '.join(STATISTICS)}"
                )
            if not is_number(weight, *WEIGHT):
                raise SettingsError(f"{name} cannot weigh {weight!r}", hint="use a number from -1000 to 1000")

    def _check_hierarchies(self) -> None:
        """Refuse hierarchies that nobody asks, and grammars that there are not."""
        if self.hierarchies is not None and not isinstance(self.hierarchies, Mapping):
            raise SettingsError(
                f"hierarchies cannot be {self.hierarchies!r}", hint=f"use lines by names, {', '.join(HIERARCHIES)}"
            )
        for name, hierarchy in (self.hierarchies or {}).items():
            if name not in HIERARCHIES:
                raise SettingsError(
                    f"no hierarchy of grammars is for {name!r}", hint=f"they are for {', '.join(HIERARCHIES)}"
                )
            if not isinstance(hierarchy, str):
                raise SettingsError(
                    f"the hierarchy of {name} cannot be {hierarchy!r}", hint=f"use a line like {HIERARCHIES[name]!r}"
                )
            _engine.multitree_hierarchy(hierarchy)

    def _check_alone(self) -> None:
        """Refuse what classifiers cannot do without statistics beside them."""
        if not self.epochs:
            raise SettingsError(
                "epochs cannot be 0 if classifiers alone say what an inference costs",
                hint="say 1 or more, or weigh statistics",
            )
        if self.prior:
            raise SettingsError(
                "what context adds says nothing without what it adds to", hint="give weights, or leave out prior"
            )
        if self.learn == "pairs":
            raise SettingsError(
                "classifiers of pairs alone say nothing of joins", hint="give weights, or say learn=all"
            )

    def search(self) -> dict[str, Any]:
        """What the engine searches with."""
        names = (
            *("longest", "most_crossings", "crossing", "predictor_crossing", "fuse_scale", "semiring", "identity"),
            *("templates", "beam", "threshold", "bound", "missing", "time_limit", "strategy", "options"),
        )
        weights = None if self.weights is None else dict(self.weights)
        predictor = (self.hierarchies or {}).get("predictor")
        return {**{name: getattr(self, name) for name in names}, "weights": weights, "predictor": predictor}

    def hierarchy(self, name: str) -> str:
        """The grammars that someone asks, see `HIERARCHIES`.

        Example:
            >>> SYSTEMS["single-strict"].hierarchy("supervisor")
            'tree, itg, lexicon : itg + classifiers'
        """
        if self.hierarchies and name in self.hierarchies:
            return self.hierarchies[name]
        return f"{'tree, ' if self.supervisor == 'tree' and 'supervisor' in name else ''}{HIERARCHIES[name]}"

    def boosting(self) -> dict[str, Any]:
        """What classifiers are trained with."""
        names = ("least", "tolerance", "max_depth", "coarse", "most", "most_coarse", "fewest", "prior")
        return {name: getattr(self, name) for name in names}

    def limit(self, epoch: int) -> int:
        """Steps that are explored in an epoch, from 0 on."""
        return epoch if self.explore is None else min(epoch, self.explore)

    def stored(self) -> dict[str, Any]:
        """As a manifest has them; what is None is left out."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> Self:
        """From a manifest.

        Raises:
            SettingsError: A setting is unknown.
        """
        known = {one.name: one for one in fields(cls)}
        for name in stored:
            if name not in known:
                raise SettingsError(f"unknown setting {name!r} of multitrees", hint=f"settings are {', '.join(known)}")
        chosen = dict(stored)
        # None cannot be stored, so what may be None and is not there is.
        optional = {
            name: None
            for name in (
                "explore",
                "most_crossings",
                "beam",
                "options",
                "threshold",
                "coarse",
                "max_depth",
                "time_limit",
                "weights",
                "hierarchies",
            )
            if name not in stored
        }
        if "longest" in chosen:
            chosen["longest"] = tuple(chosen["longest"])
        return cls(**{**optional, **chosen})


_FAITHFUL = MultitreeSettings(templates="thesis", coarse=None)

SYSTEMS: dict[str, MultitreeSettings] = {
    "straw-man": replace(_FAITHFUL, supervisor="tree", labelling="strict", epochs=1),
    "single-strict": replace(_FAITHFUL, supervisor="tree", labelling="strict"),
    "single-permissive": replace(_FAITHFUL, supervisor="tree"),
    "forest-strict": replace(_FAITHFUL, labelling="strict"),
    "forest-permissive": _FAITHFUL,
    "forest-permissive-viterbi": replace(_FAITHFUL, semiring="viterbi"),
    "classifiers": MultitreeSettings(),
    "best": MultitreeSettings(
        epochs=1,
        partitions=1,
        semiring="viterbi",
        longest=(5, 5),
        beam=200,
        strategy="chart",
        options=20,
        weights={name: weight for name, weight in STATISTICS.items() if name != "join.classifiers"},
        identity="boundary",
        templates="thesis",
        coarse=None,
        fewest=5,
        learn="pairs",
        prior=True,
        least=3 / 1024,
        lexicon="phrases",
        prune_pairs=0,
    ),
}
"""The five systems of the thesis and the lesion of its section 5.7; `classifiers` alone, as they are but with shared ones
and more features; and the `best`: statistics, a language model and what context says of pairs of phrases, all weighed."""
