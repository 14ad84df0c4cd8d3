"""Rerank: choose again from a decoder's lists, with features of whole translations.

Reservoirs run over the words of a translation, its source, their alignment and dependencies until they settle; their
states, and what phrases do to dependencies, join the decoder's features (Miceli Barone 2015, chapter 5).
"""

from tolka.rerank.gathering import SCORE, Features
from tolka.rerank.gesn import GesnFeatures, GesnSettings, draw_matrices
from tolka.rerank.nbest import Entry, NBestList, parse_nbest, read_nbest
from tolka.rerank.phrases import PhraseFeatures
from tolka.rerank.reranker import MODELS, Reranker
from tolka.rerank.results import Reranked, RerankReport
from tolka.rerank.sources import Source, read_sources

__all__ = [
    "MODELS",
    "SCORE",
    "Entry",
    "Features",
    "GesnFeatures",
    "GesnSettings",
    "NBestList",
    "PhraseFeatures",
    "RerankReport",
    "Reranked",
    "Reranker",
    "Source",
    "draw_matrices",
    "parse_nbest",
    "read_nbest",
    "read_sources",
]
