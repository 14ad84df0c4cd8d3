"""Graphs of words: what stands around phrases in plain text, which are used alike, and how labels spread between them.

A `Text` gives `Profiles` of its phrases, which `weigh` turns into associations, and `neighbours` finds those that are used
alike. A `Graph` joins neighbours, and `propagate` spreads labels, such as translations, over it from the nodes that have some:
Modified Adsorption (Talukdar & Crammer 2009; for words without translations Razmara 2013, chapter 5).
"""

from tolka.graph.adsorption import AdsorptionSettings, objective, propagate, solve
from tolka.graph.edges import Graph
from tolka.graph.labels import Labels
from tolka.graph.neighbours import Neighbours
from tolka.graph.profiles import Measure, Method, Profiles, Similarity, spelling_profiles
from tolka.graph.text import Text

__all__ = [
    "AdsorptionSettings",
    "Graph",
    "Labels",
    "Measure",
    "Method",
    "Neighbours",
    "Profiles",
    "Similarity",
    "Text",
    "objective",
    "propagate",
    "solve",
    "spelling_profiles",
]
