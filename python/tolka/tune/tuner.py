"""Tuners: weights from n-best lists or forests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tolka._engine import tune_forest_mert, tune_forest_mira, tune_mert, tune_mira, tune_pro
from tolka.errors import InputError, SettingsError
from tolka.tune.forests import Forests
from tolka.tune.lists import NBestLists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.tune.gathered import Gathered, MetricName

Kind = Literal["mira", "pro", "mert", "forest-mira", "forest-mert"]

_OPTIONS: dict[str, dict[str, bool | int | float]] = {
    "mira": {"aggressiveness": 0.01, "epochs": 60, "decay": 0.999, "safe_hope": False},
    "pro": {
        "candidates": 5000,
        "kept": 50,
        "threshold": 0.05,
        "penalty": 1.0,
        "interpolation": 0.1,
        "iterations": 200,
    },
    "mert": {"restarts": 20, "directions": 10, "rounds": 50, "tolerance": 1e-4},
    "forest-mira": {"aggressiveness": 0.01, "epochs": 5, "decay": 0.999, "safe_hope": False, "derivations": 5},
    "forest-mert": {"restarts": 5, "directions": 10, "rounds": 20, "tolerance": 1e-3},
}
_ENGINES: dict[str, Callable[..., tuple[NDArray[np.float64], float, list[float]]]] = {
    "mira": tune_mira,
    "pro": tune_pro,
    "mert": tune_mert,
    "forest-mira": tune_forest_mira,
    "forest-mert": tune_forest_mert,
}
# One perfect sentence of four words: lengths, matches and totals of BLEU (Cherry and Foster 2012).
_BLEU_BACKGROUND = [4.0, 4.0, 4.0, 3.0, 2.0, 1.0, 4.0, 3.0, 2.0, 1.0]


class Tuner:
    """Finds weights under which the best translations of n-best lists, or of forests, score well.

    Args:
        kind: Of lists: "mira" (k-best batch MIRA, Cherry and Foster 2012), "pro" (pairwise ranking, Hopkins and May
            2011) or "mert" (exact line searches, Och 2003; dense features only). Of forests: "forest-mira" (hope and
            fear found in the forest, Chiang 2012) or "forest-mert" (line searches over all derivations, Kumar,
            Macherey, Dyer and Och 2009; dense features only).
        metric: bleu, chrf, chrf++ or ter.
        seed: Of the random numbers.
        frozen: Names of features whose weights stay as they are.
        normalise: "l1" divides the result by the sum of the dense weights' absolute values.
        threads: 0 for one per core; results do not depend on it.
        **options: Of the kind. mira: aggressiveness, epochs, decay, safe_hope. pro: candidates, kept, threshold,
            penalty, interpolation, iterations. mert: restarts, directions, rounds, tolerance. Those of forests have
            the same, and forest-mira also derivations: how many are looked at each way.

    Attributes:
        weights_: After `fit`, the weights by name.
        score_: The metric of what they choose from what was gathered.
        history_: That metric from step to step, beginning with the start's (mert: of the start that won).

    Example:
        >>> from tolka.tune import Hypothesis, NBestLists
        >>> lists = NBestLists(["a very small house"], ["LM", "TM"])
        >>> lists.add([[
        ...     Hypothesis("a very house small", {"LM": -3.0, "TM": -1.0}),
        ...     Hypothesis("a very small house", {"LM": -2.0, "TM": -1.5}),
        ... ]])
        2
        >>> tuner = Tuner("mert", seed=1).fit(lists, {"LM": 0.1, "TM": 1.0})
        >>> round(tuner.score_, 6)
        100.0
    """

    weights_: dict[str, float]
    score_: float
    history_: tuple[float, ...]

    def __init__(
        self,
        kind: Kind = "mira",
        *,
        metric: MetricName = "bleu",
        seed: int = 1,
        frozen: Iterable[str] = (),
        normalise: Literal["l1"] | None = None,
        threads: int = 0,
        **options: float,
    ) -> None:
        if kind not in _OPTIONS:
            raise SettingsError(f"unknown tuner {kind!r}", hint=f"use one of {', '.join(_OPTIONS)}")
        if normalise not in (None, "l1"):
            raise SettingsError(f"unknown normalisation {normalise!r}", hint="use l1 or None")
        self.kind = kind
        self.metric = metric
        self.seed = _whole("seed", seed)
        self.frozen = tuple(frozen)
        self.normalise = normalise
        self.threads = _whole("threads", threads)
        self.options = {**_OPTIONS[kind], **{name: _option(kind, name, value) for name, value in options.items()}}
        if self.frozen and normalise:
            raise SettingsError("frozen weights would be normalised", hint="leave out one of frozen and normalise")

    def with_seed(self, seed: int) -> Tuner:
        """The same settings with another seed."""
        return Tuner(
            self.kind,
            metric=self.metric,
            seed=seed,
            frozen=self.frozen,
            normalise=self.normalise,
            threads=self.threads,
            **self.options,
        )

    @property
    def uses_forests(self) -> bool:
        """Whether it learns from forests rather than from lists."""
        return self.kind in {"forest-mira", "forest-mert"}

    def gather(
        self, references: Sequence[str] | Sequence[Sequence[str]], features: Iterable[str]
    ) -> NBestLists | Forests:
        """What the tuner learns from, still empty.

        Args:
            references: One line per sentence, or several such texts.
            features: The names of the dense features.
        """
        if self.uses_forests:
            return Forests(references, features, metric=self.metric, threads=self.threads)
        return NBestLists(references, features, metric=self.metric)

    def fit(self, gathered: Gathered[Any], start: Mapping[str, float]) -> Tuner:
        """Learn weights from lists or forests.

        Args:
            gathered: The lists or forests, gathered for the tuner's metric.
            start: A weight for every dense feature. Other names are sparse features, which begin at 0 if not named;
                those that no translation has keep their weight.

        Raises:
            InputError: A weight is missing or not finite, or there are no translations.
        """
        if gathered.metric != self.metric:
            raise SettingsError(f"translations were gathered for {gathered.metric}, the tuner is for {self.metric}")
        if isinstance(gathered, Forests) != self.uses_forests:
            raise SettingsError(f"{self.kind} learns from {'forests' if self.uses_forests else 'lists'}")
        if not gathered.size:
            raise InputError("there are no translations to tune on", hint="decode, and add the lists")
        names = (*gathered.features, *gathered.sparse_names)
        missing = next((name for name in gathered.features if name not in start), None)
        if missing is not None:
            raise InputError(f"the feature {missing!r} has no weight to start from")
        bad = next((name for name, weight in start.items() if not math.isfinite(weight)), None)
        if bad is not None:
            raise InputError(f"the weight of {bad!r} is {start[bad]}, not a finite number")
        places = {name: place for place, name in enumerate(names)}
        unknown = next((name for name in self.frozen if name not in places and name not in start), None)
        if unknown is not None:
            raise SettingsError(f"there is no feature {unknown!r} to freeze")
        extra: dict[str, list[float]] = {}
        if self.kind in {"mira", "forest-mira"}:
            extra["background"] = _BLEU_BACKGROUND if self.metric == "bleu" else []
        weights, self.score_, history = _ENGINES[self.kind](
            gathered.native,
            gathered.engine_metric(),
            [float(start.get(name, 0.0)) for name in names],
            [places[name] for name in self.frozen if name in places],
            seed=self.seed,
            threads=self.threads,
            **self.options,
            **extra,
        )
        self.history_ = tuple(history)
        size = float(np.abs(weights[: len(gathered.features)]).sum()) if self.normalise else 1.0
        scale = 1.0 / size if size > 0 else 1.0
        found = dict(zip(names, (weights * scale).tolist(), strict=True))
        kept = {name: float(weight) * scale for name, weight in start.items() if name not in places}
        # Sparse features that never mattered are left out.
        named = {*gathered.features, *start}
        self.weights_ = {name: weight for name, weight in found.items() if weight or name in named} | kept
        return self


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise SettingsError(f"{name} must be a whole number of at least 0, not {value!r}")
    return value


def _option(kind: str, name: str, value: float) -> float:
    default = _OPTIONS[kind].get(name)
    if default is None:
        raise SettingsError(f"{kind} has no option {name!r}", hint=f"it has {', '.join(_OPTIONS[kind])}")
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise SettingsError(f"{name} must be True or False, not {value!r}")
        return value
    if isinstance(default, int):
        return _whole(name, value)  # type: ignore[arg-type]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise SettingsError(f"{name} must be a finite number, not {value!r}")
    return float(value)
