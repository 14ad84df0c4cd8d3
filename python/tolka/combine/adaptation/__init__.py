"""Adapting to a domain: every way to use much text of others beside little of one's own, compared on the same footing."""

from tolka.combine.adaptation.comparing import Adaptation, adapt
from tolka.combine.adaptation.row import Row
from tolka.combine.adaptation.settings import ENSEMBLES, TABLES, AdaptSettings

__all__ = ["ENSEMBLES", "TABLES", "AdaptSettings", "Adaptation", "Row", "adapt"]
