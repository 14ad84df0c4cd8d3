"""Rewrites sentences by their trees, so that people who see no tree can say which one is right.

Grammars of rewriting are files; `Rewriter` tries them on a forest, and what it returns knows how probable it is that the
sentence's tree yields each rewrite.
"""

from tolka.later import later

__all__ = ["English", "Grammar", "Piece", "Rewrite", "Rewriter", "Rewritten", "names"]

_PLACES = {
    "English": "english",
    "Grammar": "grammar",
    "Piece": "morphology",
    "Rewrite": "rewriter",
    "Rewriter": "rewriter",
    "Rewritten": "rewriter",
    "names": "grammar",
}

__getattr__, __dir__ = later(__name__, _PLACES)
