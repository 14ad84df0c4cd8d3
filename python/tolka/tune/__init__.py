"""The tuning room: weights of features under which a metric of the chosen translations is high."""

from tolka.tune.forests import Forests
from tolka.tune.gathered import Gathered
from tolka.tune.lists import Hypothesis, HypothesisRows, NBestLists
from tolka.tune.loop import Decode, TuneResult, TuneStep, tune_loop
from tolka.tune.tuner import Tuner
from tolka.tune.weights import read_weights, write_weights

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
