"""Maximise a function of which only values are known, such as the score of a whole development set.

The default method is COBYQA (Ragonneau & Zhang 2024), a successor of the trust-region methods of Powell (UOBYQA, BOBYQA) that
Razmara (2013, section 2.3.3) used through CONDOR. It is SciPy's, and needs few evaluations.
"""

from __future__ import annotations

import math
import statistics
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.progress import SILENT, Progress
from tolka.tune.evaluations import EvaluationLog

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

BlackBox = Callable[[Mapping[str, float]], float]
"""Gives a number for a point."""
Method = Literal["cobyqa", "nelder-mead"]

# A search ends when its steps are smaller than this part of the box.
_SMALLEST_STEP = 0.01
_inside = threading.local()


@dataclass(frozen=True)
class Evaluation:
    """The function at one point.

    Attributes:
        start: Which start asked for it first, counted from 0.
        point: Where.
        value: What the function gave.
    """

    start: int
    point: Mapping[str, float]
    value: float


@dataclass(frozen=True)
class Maximum:
    """What a search found.

    Attributes:
        point: Where the highest value is; of equal ones the first.
        value: That value.
        starts: The highest value of each start.
        history: All evaluations, each point once.
        method: How it was searched.
        seed: Of the random starts.
    """

    point: Mapping[str, float]
    value: float
    starts: tuple[float, ...]
    history: tuple[Evaluation, ...]
    method: str
    seed: int

    @property
    def mean(self) -> float:
        """The mean of the highest values of all starts."""
        return statistics.fmean(self.starts)

    @property
    def deviation(self) -> float:
        """Their standard deviation: how much luck there is in the search (Clark et al. 2011). 0 for one start."""
        return statistics.stdev(self.starts) if len(self.starts) > 1 else 0.0


def maximise(
    function: BlackBox,
    start: Mapping[str, float],
    bounds: Mapping[str, tuple[float, float]],
    *,
    starts: int = 3,
    evaluations: int = 60,
    method: Method = "cobyqa",
    seed: int = 1,
    radius: float = 0.2,
    resolution: float = 0.001,
    log: str | PathLike[str] | None = None,
    key: str = "",
    progress: Progress = SILENT,
) -> Maximum:
    """Find where a function is high, asking it as seldom as possible.

    The first start is the given one, the others are drawn from the box. Each has an equal share of the evaluations that
    are left, and begins again from the best point it found as long as that helps. The function is never asked outside of
    the box, and never twice at the same point.

    Args:
        function: Gives a finite number for a point; it may be noisy or have steps.
        start: A value for every parameter.
        bounds: For every parameter the lowest and the highest value.
        starts: How many.
        evaluations: How many different points may be asked for, at most. A start needs about six for each parameter.
        method: "cobyqa" (models of second degree in a trust region) or "nelder-mead" (a simplex).
        seed: Of the random starts.
        radius: How far first steps go, as a part of the box.
        resolution: Points are rounded to multiples of this part of the box, counted from `start`.
        log: A file that keeps evaluations: a search that was stopped goes on from it, and ends as if it had not been.
        key: What the function depends on, such as hashes of its data: a log with another key is refused.
        progress: Who is told.

    Raises:
        InputError: The start or the bounds make no sense, the function is not finite somewhere, or the log is of another
            problem.
        SettingsError: A setting makes no sense.

    Example:
        >>> found = maximise(lambda point: -((point["x"] - 0.3) ** 2), {"x": 1.0}, {"x": (-2.0, 2.0)})
        >>> abs(found.point["x"] - 0.3) < 0.01, found.deviation < 0.01
        (True, True)
    """
    _check_settings(method, starts, evaluations, seed, radius, resolution)
    grid = _Grid(start, bounds, resolution)
    problem = {"start": grid.start, "bounds": grid.bounds, "resolution": resolution, "key": key}
    with EvaluationLog(log, problem) as known, progress.task("maximising", total=evaluations, unit="points") as advance:
        asked = _Asked(function, grid, known, advance)
        for number in range(starts):
            asked.begin(number, (evaluations - len(asked.history)) // (starts - number))
            begin = grid.begin if number == 0 else np.random.default_rng([seed, number]).uniform(size=len(grid.names))
            _search(asked, begin, method, radius)
        top = max(asked.history, key=lambda one: one.value)
    return Maximum(top.point, top.value, tuple(asked.best), tuple(asked.history), method, seed)


class _OverError(Exception):
    """The share of a start is spent."""


class _Grid:
    """Points of the box that are multiples of a step away from the start, by their place in the unit cube."""

    def __init__(
        self, start: Mapping[str, float], bounds: Mapping[str, tuple[float, float]], resolution: float
    ) -> None:
        if not start:
            raise InputError("there is nothing to maximise over", hint="give a start with a value for every parameter")
        if start.keys() != bounds.keys():
            odd = min(start.keys() ^ bounds.keys())
            raise InputError(f"the parameter {odd!r} has {'no bounds' if odd in start else 'no start'}")
        for name, value in start.items():
            low, high = bounds[name]
            if not low < high or not math.isfinite(high - low):
                raise InputError(
                    f"the bounds of {name!r} are {low} and {high}", hint="give a lower and a higher number"
                )
            if not low <= value <= high:
                raise InputError(f"the start of {name!r} is {value}, which is not between {low} and {high}")
        self.names = tuple(start)
        self.start = {name: float(value) for name, value in start.items()}
        self.bounds = {name: (float(bounds[name][0]), float(bounds[name][1])) for name in start}
        self._from = np.array(list(self.start.values()))
        self._low, self._high = np.array(list(self.bounds.values())).T
        self._step = (self._high - self._low) * resolution
        self.begin = self.place(self.start)

    def place(self, point: Mapping[str, float]) -> NDArray[np.float64]:
        """Where in the unit cube a point is."""
        place: NDArray[np.float64] = (np.array([point[name] for name in self.names]) - self._low) / (
            self._high - self._low
        )
        return np.clip(place, 0.0, 1.0)

    def point(self, place: NDArray[np.float64]) -> dict[str, float]:
        """The point next to a place."""
        values = self._low + np.clip(place, 0.0, 1.0) * (self._high - self._low)
        rounded = self._from + np.round((values - self._from) / self._step) * self._step
        # Adding 0.0 leaves no negative zero.
        return dict(zip(self.names, (np.clip(rounded, self._low, self._high) + 0.0).tolist(), strict=True))


class _Asked:
    """The function, asked once at each point, within the share of a start; negated, since searches look for minima."""

    def __init__(self, function: BlackBox, grid: _Grid, known: EvaluationLog, advance: Callable[[int], None]) -> None:
        self._function, self.grid, self._known, self._advance = function, grid, known, advance
        self._seen: dict[tuple[float, ...], float] = {}
        self._start = 0
        self.history: list[Evaluation] = []
        self.best: list[float] = []
        self.left = 0
        self.place: NDArray[np.float64] = grid.begin
        self.failure: BaseException | None = None

    def begin(self, start: int, share: int) -> None:
        """The next start, and how many new points it may ask for."""
        self._start, self.left = start, share
        self.best.append(-math.inf)

    def __call__(self, place: NDArray[np.float64]) -> float:
        if not np.isfinite(place).all():
            raise _OverError
        point = self.grid.point(place)
        at = tuple(point.values())
        if at not in self._seen:
            if self.left <= 0:
                raise _OverError
            self._seen[at] = value = self._evaluate(point)
            self.left -= 1
            self.history.append(Evaluation(self._start, point, value))
            self._advance(1)
        if self._seen[at] > self.best[-1]:
            self.best[-1], self.place = self._seen[at], self.grid.place(point)
        return -self._seen[at]

    def _evaluate(self, point: Mapping[str, float]) -> float:
        value = self._known.get(point)
        if value is None:
            try:
                value = finite(self._function(dict(point)), point)
            except BaseException as error:
                # Searches survive some errors, such as LinAlgError; what went wrong here is not theirs.
                self.failure = error
                raise
            self._known.add(point, value)
        return value


def _search(asked: _Asked, begin: NDArray[np.float64], method: Method, radius: float) -> None:
    run = _cobyqa if method == "cobyqa" else _nelder_mead
    try:
        asked(begin)
        before = -math.inf
        while asked.failure is None and asked.best[-1] > before:
            before = asked.best[-1]
            run(asked, asked.place, radius)
    except _OverError:
        pass
    if asked.failure is not None:
        raise asked.failure


def _cobyqa(asked: _Asked, begin: NDArray[np.float64], radius: float) -> None:
    if getattr(_inside, "cobyqa", False):
        # SciPy's lock would wait for itself.
        what = "the function that is maximised maximises another one"
        raise SettingsError(what, hint='use method="nelder-mead" for one of them')
    _inside.cobyqa = True
    try:
        _minimise(asked, begin, "COBYQA", initial_tr_radius=radius, final_tr_radius=min(_SMALLEST_STEP, radius))
    finally:
        _inside.cobyqa = False


def _nelder_mead(asked: _Asked, begin: NDArray[np.float64], radius: float) -> None:
    corners = np.vstack([begin, begin + np.diag(np.where(begin + radius > 1.0, -radius, radius))])
    _minimise(asked, begin, "Nelder-Mead", initial_simplex=corners, xatol=_SMALLEST_STEP, fatol=math.inf)


def _minimise(
    asked: _Asked, begin: NDArray[np.float64], method: Literal["COBYQA", "Nelder-Mead"], **options: Any
) -> None:
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    # Points asked for again cost nothing, but there must be an end to them.
    own: Any = {**options, "maxfev": 10 * asked.left + 4 * len(begin) + 10}
    minimize(asked, begin, method=method, bounds=[(0.0, 1.0)] * len(begin), options=own)


def finite(value: Any, point: Mapping[str, float]) -> float:
    """The value of a function as a number that can be compared.

    Raises:
        InputError: It is none; the sentence says where.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        where = ", ".join(f"{name} = {at:.6g}" for name, at in point.items())
        raise InputError(f"the value at {where} is {value!r}, not a finite number")
    return number


def _check_settings(method: str, starts: int, evaluations: int, seed: int, radius: float, resolution: float) -> None:
    if method not in get_args(Method):
        raise SettingsError(f"unknown method {method!r}", hint=f"use one of {', '.join(get_args(Method))}")
    for name, value, least in (("starts", starts, 1), ("evaluations", evaluations, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SettingsError(f"{name} must be a whole number of at least {least}, not {value!r}")
    if evaluations < starts:
        raise SettingsError(f"{evaluations} evaluations are too few for {starts} starts")
    for name, part, most in (("radius", radius, 0.5), ("resolution", resolution, 0.1)):
        if not 0.0 < part <= most:
            raise SettingsError(f"{name} must be above 0 and at most {most}, not {part!r}")
