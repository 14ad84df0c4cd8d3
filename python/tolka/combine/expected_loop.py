"""Decode, gather derivations, climb expected BLEU, and again: component weights from an ensemble's own derivations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.combine.decodings import compact, pack, unpack
from tolka.combine.derivations import Derivations, MixedLists
from tolka.combine.expected import ExpectedBleu, Mixing, SmoothOperation, by_name, maximise_expected
from tolka.combine.weights import TEMPERATURE_BOUNDS, WEIGHT_BOUNDS, Scaling
from tolka.errors import FormatError, InputError, SettingsError
from tolka.progress import SILENT, Progress
from tolka.tune import EvaluationLog

if TYPE_CHECKING:
    from os import PathLike

DecodeMixed = Callable[..., Sequence[Derivations]]
"""Translates the development set under component weights, and temperatures where they are tuned: per sentence derivations,
the best first."""


@dataclass(frozen=True)
class ExpectedStep:
    """One decoding.

    Attributes:
        iteration: How many times weights have been tuned.
        weights: Of the components.
        temperatures: Of the components.
        sharpness: Of the distribution of derivations under which these weights were found.
        score: BLEU of the first derivations.
        expected: The BLEU that was expected of these weights on the lists before; none at the start.
        gathered: Different derivations so far.
        added: Those that were new.
    """

    iteration: int
    weights: Mapping[str, float]
    temperatures: Mapping[str, float]
    sharpness: float
    score: float
    expected: float | None
    gathered: int
    added: int


@dataclass(frozen=True)
class ExpectedResult:
    """What the loop found.

    Attributes:
        weights: The weights whose decoding scored best.
        temperatures: Their temperatures; 1 if they were not tuned.
        score: That score.
        history: All decodings.
    """

    weights: Mapping[str, float]
    temperatures: Mapping[str, float]
    score: float
    history: tuple[ExpectedStep, ...]


def tune_expected(
    decode: DecodeMixed,
    references: Sequence[str] | Sequence[Sequence[str]],
    start: Mapping[str, float],
    *,
    operation: SmoothOperation = "wsum",
    scaling: Scaling = "idempotent",
    temperatures: bool = False,
    warmth: Mapping[str, float] | None = None,
    sharpness: float = 1.0,
    weight_bounds: tuple[float, float] = WEIGHT_BOUNDS,
    temperature_bounds: tuple[float, float] = TEMPERATURE_BOUNDS,
    penalty: float = 0.0,
    iterations: int = 10,
    patience: int = 2,
    log: str | PathLike[str] | None = None,
    key: str = "",
    progress: Progress = SILENT,
) -> ExpectedResult:
    """Tune component weights on expected BLEU, keeping those under which the ensemble really translates best.

    Each iteration decodes, adds the derivations to those of the iterations before, and climbs from the weights it has. It
    ends after `iterations`, when nothing new is found, or when `patience` decodings in a row were no better than the best.

    Args:
        decode: Translates the development set under weights; with `temperatures` or `warmth`, it is given temperatures too.
        references: Of the development set: lines, or several texts of lines.
        start: The weights to begin with; they name the components, in the order of the columns of parts.
        operation: How the scores of components are mixed: wsum, wmax or prod.
        scaling: Whether the ensemble scales weights itself ("idempotent"), or takes them as they are ("raw").
        temperatures: Whether temperatures are tuned too.
        warmth: The temperatures to begin with, which stay if they are not tuned; 1 of those not named.
        sharpness: What scores are multiplied with before they become a distribution, to begin with; it is tuned too.
        weight_bounds: The lowest and the highest weight; if they are scaled, relative to the first.
        temperature_bounds: The lowest and the highest temperature.
        penalty: How much a step away from the weights before costs; see `maximise_expected`.
        iterations: How many times to tune, at most.
        patience: Decodings without a better score before it ends.
        log: A file that keeps decodings: what was stopped goes on from it, and ends as if it had not been.
        key: What decodings depend on beside weights and temperatures, such as hashes of the models and the text: a log with
            another key is refused.
        progress: Who is told.

    Raises:
        InputError: Weights or derivations that make no sense, or a log of another problem.
        FormatError: The log is damaged.
        SettingsError: A setting makes no sense.
    """
    for name, value, least in (("iterations", iterations, 0), ("patience", patience, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SettingsError(f"{name} must be a whole number of at least {least}, not {value!r}")
    bad = next((name for name, weight in start.items() if not 0.0 < weight < np.inf), None)
    if bad is not None:
        raise InputError(f"the weight of {bad!r} is {start[bad]}", hint="give a number above 0")
    warmth = warmth or {}
    if odd := next((name for name in warmth if name not in start), None):
        raise InputError(f"there is a temperature of {odd!r}, which is no component")
    lists = MixedLists(references, start)
    begin = [float(warmth.get(name, 1.0)) for name in start]
    mixing = Mixing(np.array(list(start.values()), dtype=np.float64), np.array(begin), sharpness)
    expected: float | None = None
    history: list[ExpectedStep] = []
    stale = 0
    problem = {
        "scheme": "expected",
        "components": lists.features,
        "operation": operation,
        "raw": scaling == "raw",
        "key": key,
    }
    with (
        EvaluationLog(log, problem) as known,
        progress.task("tuning components", total=iterations + 1, unit="decodings") as advance,
    ):
        for iteration in range(iterations + 1):
            weights, warm = by_name(lists.features, mixing.weights), by_name(lists.features, mixing.temperatures)
            added, score = _decoded(decode, lists, known, (weights, warm) if temperatures or warmth else (weights,))
            stale = stale + 1 if any(step.score >= score for step in history) else 0
            history.append(ExpectedStep(iteration, weights, warm, mixing.sharpness, score, expected, lists.size, added))
            advance(1)
            if iteration == iterations or not added or stale >= patience:
                break
            mixing, expected = maximise_expected(
                ExpectedBleu(lists.arrays(), operation, scaling),
                mixing,
                weight_bounds=weight_bounds,
                temperature_bounds=temperature_bounds if temperatures else None,
                penalty=penalty,
            )
    # Of equally good ones the first.
    top = max(history, key=lambda step: step.score)
    return ExpectedResult(top.weights, top.temperatures, top.score, tuple(history))


def _decoded(
    decode: DecodeMixed, lists: MixedLists, known: EvaluationLog, point: tuple[Mapping[str, float], ...]
) -> tuple[int, float]:
    """Add the derivations under weights, from the log if they are there; gives how many are new, and their BLEU."""
    place = [dict(one) for one in point]
    if known.path is None or known.get(place) is None:
        decoded = decode(*point)
        added = lists.add(decoded)
        score = lists.score(lists.best(decoded))
        if known.path is not None:
            known.add(place, score, pack([compact(one) for one in decoded]))
        return added, score
    try:
        decoded = unpack(known.beside(place) or "", len(lists.features))
        return lists.add(decoded), lists.score(lists.best(decoded))
    except (ValueError, InputError) as error:
        what = "the derivations in the log are damaged"
        raise FormatError(what, path=known.path, hint="remove the log, and begin again") from error
