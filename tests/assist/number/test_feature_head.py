"""Feature heads: the worked example, both EMs, and all paths of small trees as their twin."""

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.assist.number import FeatureHead, LeafTable
from tolka.errors import InputError, SettingsError
from tolka.syntax import Constituent, parse_penn

TABLE = LeafTable("number", ("sing", "plur"), {"N-S": ["sing"], "N-P": ["plur"]})
S, P = "(NP (DT a) (N-S b))", "(NP (DT a) (N-P b))"
EXAMPLES = [
    (parse_penn(tree), value)
    for tree, value in [
        (f"(NP {S} (PP (IN of) {P}))", "sing"),
        (f"(NP {P} (PP (IN of) {S}))", "plur"),
        (f"(NP {S} (PP (IN of) {P}))", "plur"),
        (f"(NP {S} (CC and) {S})", "plur"),
        (S, "sing"),
        (P, "plur"),
    ]
]
RULES = [("NP", ("NP", "PP")), ("NP", ("DT", "N")), ("PP", ("IN", "NP")), ("NP", ("NP", "CC", "NP"))]


@pytest.mark.parametrize(
    ("em", "rounds", "chances"),
    [
        ("printed", 1, [(0.56, 0.44), (0.384615, 0.615385), (0.470588, 0.529412), (0.25, 0.5, 0.25)]),
        (
            "printed",
            2,
            [(0.574820, 0.425180), (0.371429, 0.628571), (0.454445, 0.545555), (0.217391, 0.565217, 0.217391)],
        ),
        ("exact", 1, [(0.539683, 0.460317), (0.474210, 0.525790), (0.528736, 0.471264), (0.25, 0.5, 0.25)]),
        (
            "exact",
            2,
            [(0.572061, 0.427939), (0.431201, 0.568799), (0.552480, 0.447520), (0.160835, 0.678330, 0.160835)],
        ),
    ],
)
def test_the_worked_example(em: str, rounds: int, chances: list[tuple[float, ...]]) -> None:
    model = FeatureHead(em=em, rounds=rounds, leaves=TABLE).train(EXAMPLES)  # type: ignore[arg-type]
    assert model.log_likelihoods_[0] == pytest.approx(-3.651383, abs=1e-6)
    for rule, wanted in zip(RULES, chances, strict=True):
        assert model.chances_[rule] == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("em", "log"), [("printed", -3.344880), ("exact", -2.689348)])
def test_likelihood_of_the_worked_example(em: str, log: float) -> None:
    model = FeatureHead(em=em, leaves=TABLE).train(EXAMPLES)  # type: ignore[arg-type]
    assert model.log_likelihoods_[-1] == pytest.approx(log, abs=1e-6)
