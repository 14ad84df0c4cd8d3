"""Which question next: the one whose answer is expected to tell most, and when to stop asking.

Example:
    >>> from tolka.judge.ask import Budget, Interview, PairBelief, strategy_named
    >>> interview = Interview(PairBelief(["a", "b", "c"]), strategy=strategy_named("order"), stop=[Budget(30)])
    >>> len(interview.next())
    1
"""

from tolka.judge.ask.curves import Curve, Saving, answers_to_reach, kendall, saving
from tolka.judge.ask.design import Design
from tolka.judge.ask.engine import (
    AnyQuestion,
    Belief,
    Imagining,
    Interview,
    MostInformation,
    Rule,
    Step,
    Strategy,
    choose,
)
from tolka.judge.ask.information import binary_entropy, gaussian_information, order_information, sampled_information
from tolka.judge.ask.pairs import Pair, PairBelief
from tolka.judge.ask.planner import Plan, answers_needed, smallest_gap
from tolka.judge.ask.replay import Pool, replay
from tolka.judge.ask.simulate import Simulation, simulate
from tolka.judge.ask.stopping import Budget, LittleToLearn, NarrowEnough, SettledRanks, SureOfOrder
from tolka.judge.ask.strategies import STRATEGIES, ColdStart, strategy_named

__all__ = [
    "STRATEGIES",
    "AnyQuestion",
    "Belief",
    "Budget",
    "ColdStart",
    "Curve",
    "Design",
    "Imagining",
    "Interview",
    "LittleToLearn",
    "MostInformation",
    "NarrowEnough",
    "Pair",
    "PairBelief",
    "Plan",
    "Pool",
    "Rule",
    "Saving",
    "SettledRanks",
    "Simulation",
    "Step",
    "Strategy",
    "SureOfOrder",
    "answers_needed",
    "answers_to_reach",
    "binary_entropy",
    "choose",
    "gaussian_information",
    "kendall",
    "order_information",
    "replay",
    "sampled_information",
    "saving",
    "simulate",
    "smallest_gap",
    "strategy_named",
]
