"""Syntax: trees of sentences, dependencies and constituents: their files, checks and drawings, and parsing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tolka.syntax.agenda import Agenda
from tolka.syntax.binarise import Binarisation, Step, restored
from tolka.syntax.brackets import ConstituentScores, bracket_counts, brackets, score_constituents
from tolka.syntax.conll import read_conll, read_conllu, read_conllx
from tolka.syntax.conll_writing import format_conllu, format_conllx, write_conllu, write_conllx
from tolka.syntax.draw import draw_tree
from tolka.syntax.heads import HeadRules, Lexicalised, Phrase
from tolka.syntax.marks import cleaned, marked, unmarked
from tolka.syntax.packed import Packed, Symbols, pack
from tolka.syntax.parser import Parser
from tolka.syntax.penn import Constituent, format_penn, parse_penn, read_penn, write_penn
from tolka.syntax.projectivity import (
    TreebankStatistics,
    edge_degree,
    gap_degree,
    is_projective,
    is_well_nested,
    nonprojective_edges,
    treebank_statistics,
)
from tolka.syntax.scoring import ParseScores, score_parses
from tolka.syntax.training import ParserTraining, train_parser
from tolka.syntax.tree import Tree
from tolka.syntax.words import penn_words, with_words

if TYPE_CHECKING:
    from tolka.syntax.constituents import ConstituencyParser
    from tolka.syntax.forest_files import read_forests, write_forests
    from tolka.syntax.forests import ConstituentForest, ForestEdge, ForestNode, Marginals, ScoredTree
    from tolka.syntax.synthetic import SyntheticTreebank, synthetic_treebank

__all__ = [
    "Agenda",
    "Binarisation",
    "ConstituencyParser",
    "Constituent",
    "ConstituentForest",
    "ConstituentScores",
    "ForestEdge",
    "ForestNode",
    "HeadRules",
    "Lexicalised",
    "Marginals",
    "Packed",
    "ParseScores",
    "Parser",
    "ParserTraining",
    "Phrase",
    "ScoredTree",
    "Step",
    "Symbols",
    "SyntheticTreebank",
    "Tree",
    "TreebankStatistics",
    "bracket_counts",
    "brackets",
    "cleaned",
    "draw_tree",
    "edge_degree",
    "format_conllu",
    "format_conllx",
    "format_penn",
    "gap_degree",
    "is_projective",
    "is_well_nested",
    "marked",
    "nonprojective_edges",
    "pack",
    "parse_penn",
    "penn_words",
    "read_conll",
    "read_conllu",
    "read_conllx",
    "read_forests",
    "read_penn",
    "restored",
    "score_constituents",
    "score_parses",
    "synthetic_treebank",
    "train_parser",
    "treebank_statistics",
    "unmarked",
    "with_words",
    "write_conllu",
    "write_conllx",
    "write_forests",
    "write_penn",
]


_LATER = {
    "ConstituencyParser": "constituents",
    "ConstituentForest": "forests",
    "ForestEdge": "forests",
    "ForestNode": "forests",
    "Marginals": "forests",
    "ScoredTree": "forests",
    "SyntheticTreebank": "synthetic",
    "read_forests": "forest_files",
    "synthetic_treebank": "synthetic",
    "write_forests": "forest_files",
}


def __getattr__(name: str) -> Any:
    # The generator of sentences and the engine come along only when asked for: whoever reads trees needs none of them.
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
