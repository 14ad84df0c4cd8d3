"""Everything there is in one translator: stacked, through other languages, with translations of unknown words."""

from tolka.combine.gathering.row import GatherRow
from tolka.combine.gathering.run import Gathering, gather
from tolka.combine.gathering.settings import STEPS, GatherSettings
from tolka.combine.gathering.sources import Sources

__all__ = ["STEPS", "GatherRow", "GatherSettings", "Gathering", "Sources", "gather"]
