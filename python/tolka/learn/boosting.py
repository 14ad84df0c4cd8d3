"""Boosted trees whose confidence means something, for every penalty of a path at once."""

from __future__ import annotations

import copy
import json
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit

from tolka import _engine
from tolka.errors import FormatError, InputError, SettingsError, TolkaError
from tolka.files.container import Container, write_container
from tolka.learn.features import Features
from tolka.learn.trees import Explanation, Tree, explanation, tree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from numpy.typing import ArrayLike, NDArray

    from tolka.learn.features import Rows

_KIND = "boosted"
_ARRAYS = ("nodes", "weights", "roots", "penalties", "trees")


class Risk(NamedTuple):
    """How far training had come.

    Attributes:
        penalty: The penalty by then.
        trees: The number of trees by then.
        risk: Loss and penalty together.
    """

    penalty: float
    trees: int
    risk: float


class Mass(NamedTuple):
    """How much of what the last tests of paths change is due to a feature.

    Attributes:
        positive: Its share among tests that were passed (`=`, `>`).
        negative: Its share among those that were not.
    """

    positive: float
    negative: float


@dataclass(eq=False)
class BoostedTrees:
    """A classifier of two classes: decision trees, boosted under a penalty on the weights of their leaves.

    Every path from a root to a leaf is a conjunction of tests with one weight; the score of a row is the sum of the weights of
    the leaves it comes to, and how far it is from 0 says how sure it is (Galron 2012, section 4.5.5, after Turian et al. 2006).
    The penalty falls from `start` to `least`, and the trees of each penalty on the way are the first ones of the next: so
    `with_penalty` tries others without training again. Rows are tables of numbers, or dictionaries of numbers, words and lists
    of words. Works where scikit-learn's classifiers do.

    Attributes:
        penalty: Which of the penalties predictions are made with: of those on the path the least that is not below it.
        decay: What the penalty is multiplied by from step to step.
        start: The first penalty; at 0.5 nothing can be learnt.
        least: The last penalty.
        max_depth: How many tests a path may have.
        tolerance: By how much of itself the risk must fall for a tree to be kept.
        bins: Into how many quantiles numbers are put in large leaves; 0 to try every threshold everywhere.
        exact: In leaves of so many examples or fewer every threshold is tried.
        trees_per_penalty: How many trees a penalty may add.
        max_trees: How many trees there may be.
        threads: That scores are computed on; 0 for one per core. One classifier is trained on one.

    Example:
        >>> rows = [{"word": word, "length": len(word)} for word in ["a", "bee", "ant", "to", "cat", "it"]]
        >>> trees = BoostedTrees(penalty=0.02, least=0.01).fit(rows, ["other", "noun", "noun", "other", "noun", "other"])
        >>> trees.predict([{"word": "dog", "length": 3}, {"word": "is", "length": 2}]).tolist()
        ['noun', 'other']
        >>> print(trees.trees_[0])
        length > 2.5?
          yes: -0.5108
          no: +0.5108
    """

    penalty: float = 3 / 512
    decay: float = 0.5
    start: float = 0.375
    least: float = 3 / 4096
    max_depth: int | None = None
    tolerance: float = 1e-4
    bins: int = 255
    exact: int = 1024
    trees_per_penalty: int = 1000
    max_trees: int = 10_000
    threads: int = 0

    def fit(
        self,
        X: Rows,  # noqa: N803
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        offsets: ArrayLike | None = None,
    ) -> BoostedTrees:
        """Learn from rows and their classes.

        Args:
            X: A table of numbers in which NaN stands for none, or a dictionary for each row.
            y: The class of each row, one of two.
            sample_weight: How much each counts; all the same if None. Only how they compare matters.
            offsets: Scores that the rows already have; trees learn what is to be added to them.

        Raises:
            InputError: Rows, classes, weights or offsets that do not fit each other, or not two classes.
            SettingsError: Settings that make no sense.
        """
        self._check()
        self._learn(X, y, sample_weight, offsets, Features.of(X), None, self.start)
        return self

    def fit_more(
        self,
        X: Rows,  # noqa: N803
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        offsets: ArrayLike | None = None,
    ) -> BoostedTrees:
        """Learn from other rows, or from more, on top of the trees of the penalty that is set, which are kept.

        Trees are added from that penalty on down to `least`.

        Raises:
            InputError: As for `fit`; features that there were none of before; other classes.
            SettingsError: Settings that make no sense, or nothing was learnt before.
        """
        self._check()
        before, features = self._native, self._features.extended(X)
        snapshot = self._snapshot
        arrays = before.arrays()
        count = snapshot[1]
        nodes = int(arrays["roots"][count]) if count < len(arrays["roots"]) else len(arrays["nodes"])
        kept = arrays["penalties"] >= snapshot[0]
        parts = {name: arrays[name][:nodes] for name in ("nodes", "weights")}
        parts |= {"roots": arrays["roots"][:count]} | {name: arrays[name][kept] for name in ("penalties", "trees")}
        self._learn(X, y, sample_weight, offsets, features, parts, snapshot[0])
        return self

    def decision_function(self, X: Rows) -> NDArray[np.float64]:  # noqa: N803
        """The score of each row: above 0 for the second of `classes_`, and the farther from 0 the surer.

        Raises:
            InputError: Rows of other features.
            SettingsError: Nothing was learnt yet.
        """
        native, (_, count) = self._native, self._snapshot
        where, rows = self._features.encode(X)
        scores: NDArray[np.float64] = native.scores(where, rows, count, threads=self.threads)
        return scores

    def predict_proba(self, X: Rows) -> NDArray[np.float64]:  # noqa: N803
        """The probability of each of `classes_` for each row.

        Raises:
            InputError: Rows of other features.
            SettingsError: Nothing was learnt yet.
        """
        scores = self.decision_function(X)
        return np.column_stack([expit(-scores), expit(scores)])

    def predict(self, X: Rows) -> NDArray[Any]:  # noqa: N803
        """The class of each row.

        Raises:
            InputError: Rows of other features.
            SettingsError: Nothing was learnt yet.
        """
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp)]

    def score(self, X: Rows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:  # noqa: N803
        """The share of rows whose class is predicted right.

        Raises:
            InputError: Rows of other features.
            SettingsError: Nothing was learnt yet.
        """
        weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)
        return float(np.average(self.predict(X) == np.asarray(y), weights=weights))

    def with_penalty(self, penalty: float) -> BoostedTrees:
        """The same trees as far as they belong to another penalty; nothing is trained.

        Raises:
            SettingsError: A penalty outside of the path.
        """
        other = copy.copy(self)
        other.penalty = penalty
        other._check()  # noqa: SLF001
        return other

    def explain(self, x: Mapping[str, Any] | ArrayLike) -> Explanation:
        """Why a row has its score: the paths it takes, with their weights.

        Raises:
            InputError: A row of other features.
            SettingsError: Nothing was learnt yet.
        """
        native, (_, count) = self._native, self._snapshot
        given: Any = np.atleast_2d(np.asarray(x)) if self._features.table else [x]
        where, rows = self._features.encode(given)
        leaves = native.leaves(where, rows, count)[0]
        return explanation(self._features, self._arrays, leaves, str(self.classes_[1]))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trees of all penalties to a file.

        Raises:
            FileError: The file cannot be written.
            SettingsError: Nothing was learnt yet.
        """
        arrays = self._native.arrays()
        features = self._features
        note = {
            "settings": self.get_params(),
            "classes": self.classes_.tolist(),
            "names": features.names,
            "symbols": [None if words is None else list(words) for words in features.symbols],
            "table": features.table,
            "fields": self._native.fields,
            "risks": self.risk_curve_,
        }
        sections: dict[str, Any] = {name: np.ascontiguousarray(arrays[name]).reshape(-1) for name in _ARRAYS}
        write_container(Path(path), _KIND, {"note": json.dumps(note).encode(), **sections})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> BoostedTrees:
        """Read what was saved.

        Raises:
            FileError: The file cannot be read.
            FormatError: It is damaged, or holds something else.
        """
        container = Container.open(Path(path), _KIND)
        try:
            note = json.loads(container.bytes("note"))
            made = cls(**note["settings"])
            made._check()
            symbols = [
                None if words is None else {word: at + 1 for at, word in enumerate(words)} for words in note["symbols"]
            ]
            features = Features(tuple(note["names"]), tuple(symbols), bool(note["table"]))
            arrays = {name: container.array(name) for name in _ARRAYS}
            arrays["nodes"] = arrays["nodes"].reshape(-1, 4)
            native = _engine.TreeEnsemble([tuple(field) for field in note["fields"]], **arrays)
            _check_symbols(features, native)
            classes = np.array(note["classes"])
            risks = [Risk(float(penalty), int(trees), float(risk)) for penalty, trees, risk in note["risks"]]
            if classes.shape != (2,) or classes.dtype == object:
                raise ValueError(note["classes"])  # noqa: TRY301
            made._take(native, features, classes, risks)
        except (ValueError, KeyError, TypeError, IndexError, TolkaError) as error:
            raise FormatError("the trees are damaged", path=path, hint="train them anew") from error
        return made

    @property
    def trees_(self) -> tuple[Tree, ...]:
        """The trees of the penalty, which print well."""
        return tuple(tree(self._features, self._arrays, at) for at in range(self._snapshot[1]))

    @property
    def feature_mass_(self) -> dict[str, Mass]:
        """Which features the trees of the penalty rely on (Galron 2012, section 5.6): shares by name."""
        sides = [side / (side.sum() or 1.0) for side in self._native.mass(self._snapshot[1])]
        each = zip(self._features.names, *sides, strict=True)
        return {name: Mass(float(positive), float(negative)) for name, positive, negative in each}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        """The settings, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> BoostedTrees:
        """Change settings.

        Raises:
            SettingsError: A setting that there is not.
        """
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise SettingsError(f"there is no setting {name}", hint=f"choose of {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        # Only scikit-learn asks, so that it is there.
        utils = sys.modules["sklearn.utils"]
        return utils.Tags(
            estimator_type="classifier",
            target_tags=utils.TargetTags(required=True),
            classifier_tags=utils.ClassifierTags(multi_class=False),
            input_tags=utils.InputTags(allow_nan=True, dict=True),
        )

    @property
    def _native(self) -> _engine.TreeEnsemble:
        native: _engine.TreeEnsemble | None = getattr(self, "_ensemble", None)
        if native is None:
            raise SettingsError("nothing was learnt yet", hint="call fit first")
        return native

    @property
    def _snapshot(self) -> tuple[float, int]:
        """The penalty on the path that is used, and how many trees belong to it."""
        found = [(each, count) for each, count in self._native.snapshots if each >= self.penalty * (1 - 1e-9)]
        if not found:
            raise SettingsError(
                f"the trees were trained with no penalty of {self.penalty} or more", hint="choose one of penalties_"
            )
        return found[-1]

    def _check(self) -> None:
        """What the engine does not see, or could not hold."""
        for name in ("bins", "exact", "trees_per_penalty", "max_trees", "threads"):
            _whole(name, getattr(self, name))
        if self.max_depth is not None:
            _whole("max_depth", self.max_depth)
        for name in ("penalty", "decay", "start", "least", "tolerance"):
            if isinstance(getattr(self, name), bool) or not isinstance(getattr(self, name), int | float | np.number):
                raise SettingsError(f"{name} is {getattr(self, name)!r}", hint="give a number")
        if not self.least * (1 - 1e-9) <= self.penalty <= self.start * (1 + 1e-9):
            raise SettingsError(
                f"the penalty {self.penalty} is not on the path from {self.start} to {self.least}",
                hint="choose one in between, or another path",
            )

    def _learn(
        self,
        rows: Rows,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        offsets: ArrayLike | None,
        features: Features,
        parts: dict[str, Any] | None,
        first: float,
    ) -> None:
        where, encoded = features.encode(rows)
        known = None if parts is None else self.classes_
        classes, labels = _labels(y, known)
        if len(labels) != len(encoded):
            raise InputError(f"there are {len(encoded)} rows but {len(labels)} classes", hint="give one for each")
        weights = None if sample_weight is None else _numbers(sample_weight, "weights", len(labels))
        if weights is not None:
            if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
                raise InputError(
                    "weights are numbers of 0 or more, and some above 0", hint="leave them out, or mend them"
                )
            weights = weights / weights.sum()
        start = None if parts is None else _engine.TreeEnsemble(where, **parts)
        native = _engine.TreeEnsemble.train(
            where,
            encoded,
            labels,
            weights=weights,
            offsets=None if offsets is None else _numbers(offsets, "offsets", len(labels)),
            start=start,
            first=float(first),
            decay=float(self.decay),
            least=float(self.least),
            tolerance=float(self.tolerance),
            max_depth=self.max_depth,
            trees_per_penalty=self.trees_per_penalty,
            max_trees=self.max_trees,
            bins=self.bins,
            exact=self.exact,
            threads=self.threads,
        )
        self._take(native, features, classes, [Risk(*point) for point in native.risks])

    def _take(self, native: _engine.TreeEnsemble, features: Features, classes: NDArray[Any], risks: list[Risk]) -> None:
        self._ensemble, self._features, self._arrays = native, features, native.arrays()
        self.classes_ = classes
        self.n_features_in_ = len(features.names)
        self.feature_names_ = features.names
        self.penalties_ = dict(native.snapshots)
        self.risk_curve_ = risks


def _whole(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < 2**32:
        raise SettingsError(f"{name} is {value!r}", hint="give a whole number of 0 or more")


def _numbers(values: ArrayLike, what: str, count: int) -> NDArray[np.float64]:
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} are no numbers", hint="give one number for each row") from error
    if found.shape != (count,):
        raise InputError(f"there are {count} rows but {what} of shape {found.shape}", hint="give one for each")
    return found


def _labels(y: ArrayLike, known: NDArray[Any] | None) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The two classes, and whether each row is of the second one."""
    given = np.asarray(y)
    if given.dtype == object and all(isinstance(each, str) for each in given.ravel()):
        given = given.astype(str)
    if given.ndim != 1 or given.dtype.kind not in "biufU":
        raise InputError("the classes are no list of numbers or words", hint="give one for each row")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise InputError("a class is no finite number", hint="leave out rows whose class is not known")
    found = np.unique(given)
    if known is not None:
        if not np.isin(found, known).all():
            raise InputError(f"the classes are not those of before, {known.tolist()}", hint="train anew")
        found = known
    if len(found) != 2:  # noqa: PLR2004
        raise InputError(
            f"there are {len(found)} classes, not two", hint="train one classifier for each of several classes"
        )
    return found, given == found[1]


def _check_symbols(features: Features, native: _engine.TreeEnsemble) -> None:
    """Words of a file must be those of its trees."""
    kinds = [number for _, _, number in native.fields]
    names = features.names
    fits = len(set(names)) == len(names) == len(kinds) and [words is None for words in features.symbols] == kinds
    fits = fits and all(
        isinstance(each, str) for each in (*names, *(word for words in features.symbols for word in words or ()))
    )
    nodes = native.arrays()["nodes"]
    for field, words in enumerate(features.symbols):
        tested = nodes[nodes[:, 0] == field, 1]
        fits = fits and (words is None or len(tested) == 0 or int(tested.max()) <= len(words))
    if not fits:
        raise ValueError(names)
