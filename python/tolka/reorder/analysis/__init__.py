"""What reordering a corpus needs: non-tree-local and non-projective movement, and what it costs translation."""

from tolka.reorder.analysis.correlations import Correlation, Correlations, Difference, OracleGap, correlate
from tolka.reorder.analysis.page import render
from tolka.reorder.analysis.statistics import (
    Analysis,
    Movement,
    NonProjectivity,
    Spread,
    Tail,
    analyse,
)

__all__ = [
    "Analysis",
    "Correlation",
    "Correlations",
    "Difference",
    "Movement",
    "NonProjectivity",
    "OracleGap",
    "Spread",
    "Tail",
    "analyse",
    "correlate",
    "render",
]
