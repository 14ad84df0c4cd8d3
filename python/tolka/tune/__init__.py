"""The tuning room: weights of features under which a metric of the chosen translations is high."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tolka.tune.weights import read_weights, write_weights

if TYPE_CHECKING:
    from tolka.tune.forests import Forests
    from tolka.tune.gathered import Gathered
    from tolka.tune.lists import Hypothesis, HypothesisRows, NBestLists
    from tolka.tune.loop import Decode, TuneResult, TuneStep, tune_loop
    from tolka.tune.tuner import Tuner

# Whoever translates reads weights; whoever finds them loads the rest.
_LATER = {
    "Decode": "loop",
    "Forests": "forests",
    "Gathered": "gathered",
    "Hypothesis": "lists",
    "HypothesisRows": "lists",
    "NBestLists": "lists",
    "TuneResult": "loop",
    "TuneStep": "loop",
    "Tuner": "tuner",
    "tune_loop": "loop",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "Decode",
    "Forests",
    "Gathered",
    "Hypothesis",
    "HypothesisRows",
    "NBestLists",
    "TuneResult",
    "TuneStep",
    "Tuner",
    "read_weights",
    "tune_loop",
    "write_weights",
]
