"""The tuning room: weights of features under which a metric of the chosen translations is high."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later
from tolka.tune.weights import read_weights, write_weights

if TYPE_CHECKING:
    from tolka.tune.derivative_free import Evaluation, Maximum, maximise
    from tolka.tune.evaluations import EvaluationLog
    from tolka.tune.forests import Forests
    from tolka.tune.gathered import Gathered
    from tolka.tune.lists import Hypothesis, HypothesisRows, NBestLists
    from tolka.tune.loop import Decode, TuneResult, TuneStep, tune_loop
    from tolka.tune.tuner import Tuner

# Whoever translates reads weights; whoever finds them loads the rest.
__getattr__, __dir__ = later(
    __name__,
    {
        "Decode": "loop",
        "Evaluation": "derivative_free",
        "EvaluationLog": "evaluations",
        "Forests": "forests",
        "Gathered": "gathered",
        "Hypothesis": "lists",
        "HypothesisRows": "lists",
        "Maximum": "derivative_free",
        "NBestLists": "lists",
        "TuneResult": "loop",
        "TuneStep": "loop",
        "Tuner": "tuner",
        "maximise": "derivative_free",
        "tune_loop": "loop",
    },
    instead={name: f'Tuner("{name}")' for name in ("mert", "pro", "mira", "ebleu")}
    | {"tune": "tolka.train.tune_translator, tolka.train.tune_decoder or tune_loop", "maximize": "maximise"},
)


__all__ = [
    "Decode",
    "Evaluation",
    "EvaluationLog",
    "Forests",
    "Gathered",
    "Hypothesis",
    "HypothesisRows",
    "Maximum",
    "NBestLists",
    "TuneResult",
    "TuneStep",
    "Tuner",
    "maximise",
    "read_weights",
    "tune_loop",
    "write_weights",
]
