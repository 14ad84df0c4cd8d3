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
    from tolka.assist.senses.dialogue import SenseDialogue
    from tolka.assist.senses.graph import Path, Piece, SearchGraph
    from tolka.assist.senses.information import expected_information, factors, mixtures, shares
    from tolka.assist.senses.model import SenseModel
    from tolka.assist.senses.substitutes import COMPONENTS, BackTranslations, Chooser
    from tolka.assist.senses.thesaurus import Thesaurus
    from tolka.assist.senses.units import Unit, Units

__getattr__, __dir__ = later(
    __name__,
    {
        "Asker": "asking",
        "BackTranslations": "substitutes",
        "COMPONENTS": "substitutes",
        "Chooser": "substitutes",
        "Path": "graph",
        "Piece": "graph",
        "STRATEGIES": "asking",
        "SearchGraph": "graph",
        "SenseDialogue": "dialogue",
        "SenseModel": "model",
        "SenseQuestion": "asking",
        "Strategy": "asking",
        "Thesaurus": "thesaurus",
        "Unit": "units",
        "Units": "units",
        "answered": "asking",
        "choose": "asking",
        "expected_information": "information",
        "factors": "information",
        "mixtures": "information",
        "shares": "information",
    },
)

__all__ = [
    "COMPONENTS",
    "STRATEGIES",
    "Asker",
    "BackTranslations",
    "Chooser",
    "Path",
    "Piece",
    "SearchGraph",
    "SenseDialogue",
    "SenseModel",
    "SenseQuestion",
    "Strategy",
    "Thesaurus",
    "Unit",
    "Units",
    "answered",
    "choose",
    "expected_information",
    "factors",
    "mixtures",
    "shares",
]
