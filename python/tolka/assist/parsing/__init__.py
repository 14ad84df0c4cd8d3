"""People who know one language correct its parses, by saying which rewritten sentences mean the same (Mohammad 2012, chapter 1)."""

from tolka.assist.parsing.belief import Belief, entropy
from tolka.assist.parsing.reliability import Penalty, Reliability, Trust

__all__ = ["Belief", "Penalty", "Reliability", "Trust", "entropy"]
