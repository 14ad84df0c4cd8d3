"""Recurrent pre-orderers (Miceli Barone 2015, section 4.3): simple, lexical, over walks, and gated."""

from tolka.reorder.recurrent.preorderer import Perplexity, RecurrentPreorderer
from tolka.reorder.recurrent.settings import KINDS, Settings

__all__ = ["KINDS", "Perplexity", "RecurrentPreorderer", "Settings"]
