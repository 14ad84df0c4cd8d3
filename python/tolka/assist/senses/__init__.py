"""Senses of words, found out from people who know the source language alone (Mohammad 2012, chapter 2).

Example:
    >>> from tolka.assist.senses import SearchGraph
    >>> SearchGraph.from_edges([(0, 1, "hard", (0, 1), -0.5), (0, 1, "heavy", (0, 1), -1.0)]).best().words
    'hard'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.assist.senses.asking import STRATEGIES, Asker, SenseQuestion, Strategy, answered, choose
    from tolka.assist.senses.calibration import Bin, Calibration, calibrate, reliability
    from tolka.assist.senses.dialogue import SenseDialogue
    from tolka.assist.senses.graph import Path, Piece, SearchGraph
    from tolka.assist.senses.information import expected_information, factors, mixtures, shares
    from tolka.assist.senses.model import SenseModel, usual_scale
    from tolka.assist.senses.moses import read_moses_graphs
    from tolka.assist.senses.simulation import Comparing, SenseSimulation, Turn, budget, compared, simulate_senses
    from tolka.assist.senses.substitutes import COMPONENTS, BackTranslations, Chooser
    from tolka.assist.senses.thesaurus import Thesaurus
    from tolka.assist.senses.units import Unit, Units
    from tolka.assist.senses.users import LexiconUser, NoisyUser, ReferenceUser, User

__getattr__, __dir__ = later(
    __name__,
    {
        "Asker": "asking",
        "BackTranslations": "substitutes",
        "Bin": "calibration",
        "COMPONENTS": "substitutes",
        "Calibration": "calibration",
        "Chooser": "substitutes",
        "Comparing": "simulation",
        "LexiconUser": "users",
        "NoisyUser": "users",
        "Path": "graph",
        "Piece": "graph",
        "ReferenceUser": "users",
        "STRATEGIES": "asking",
        "SearchGraph": "graph",
        "SenseDialogue": "dialogue",
        "SenseModel": "model",
        "SenseQuestion": "asking",
        "SenseSimulation": "simulation",
        "Strategy": "asking",
        "Thesaurus": "thesaurus",
        "Turn": "simulation",
        "Unit": "units",
        "Units": "units",
        "User": "users",
        "answered": "asking",
        "budget": "simulation",
        "calibrate": "calibration",
        "choose": "asking",
        "compared": "simulation",
        "expected_information": "information",
        "factors": "information",
        "mixtures": "information",
        "read_moses_graphs": "moses",
        "reliability": "calibration",
        "shares": "information",
        "simulate_senses": "simulation",
        "usual_scale": "model",
    },
)

__all__ = [
    "COMPONENTS",
    "STRATEGIES",
    "Asker",
    "BackTranslations",
    "Bin",
    "Calibration",
    "Chooser",
    "Comparing",
    "LexiconUser",
    "NoisyUser",
    "Path",
    "Piece",
    "ReferenceUser",
    "SearchGraph",
    "SenseDialogue",
    "SenseModel",
    "SenseQuestion",
    "SenseSimulation",
    "Strategy",
    "Thesaurus",
    "Turn",
    "Unit",
    "Units",
    "User",
    "answered",
    "budget",
    "calibrate",
    "choose",
    "compared",
    "expected_information",
    "factors",
    "mixtures",
    "read_moses_graphs",
    "reliability",
    "shares",
    "simulate_senses",
    "usual_scale",
]
