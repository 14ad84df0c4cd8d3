"""People who know one language correct its parses, by saying which rewritten sentences mean the same (Mohammad 2012, chapter 1)."""

from tolka.assist.parsing.belief import Belief, entropy
from tolka.assist.parsing.consensus import consensus, expected_brackets
from tolka.assist.parsing.dialogue import Candidate, ParseDialogue
from tolka.assist.parsing.experiment import ParsingSimulation, Point, simulate_parsing
from tolka.assist.parsing.material import ParseMaterial
from tolka.assist.parsing.reliability import Penalty, Reliability, Trust
from tolka.assist.parsing.users import Agreement, Noisy, Oracle, Recorded, User, agreement, right_rewrites

__all__ = [
    "Agreement",
    "Belief",
    "Candidate",
    "Noisy",
    "Oracle",
    "ParseDialogue",
    "ParseMaterial",
    "ParsingSimulation",
    "Penalty",
    "Point",
    "Recorded",
    "Reliability",
    "Trust",
    "User",
    "agreement",
    "consensus",
    "entropy",
    "expected_brackets",
    "right_rewrites",
    "simulate_parsing",
]
