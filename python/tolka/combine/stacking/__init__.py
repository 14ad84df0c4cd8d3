"""Stacking: models of a text without one of its folds each, tuned on that fold, which translate together."""

from tolka.combine.stacking.row import StackRow
from tolka.combine.stacking.run import Stacking, stack
from tolka.combine.stacking.settings import ROWS, StackSettings

__all__ = ["ROWS", "StackRow", "StackSettings", "Stacking", "stack"]
