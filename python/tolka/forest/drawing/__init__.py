"""Drawings of derivations and forests, as SVG and HTML."""

from tolka.forest.drawing.forests import draw_forest
from tolka.forest.drawing.page import draw_page
from tolka.forest.drawing.trees import draw_derivation

__all__ = ["draw_derivation", "draw_forest", "draw_page"]
