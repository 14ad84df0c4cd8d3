"""Syntax: dependency trees of sentences, their files, checks and drawings, and parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolka.syntax.conll import read_conll, read_conllu, read_conllx
from tolka.syntax.conll_writing import format_conllu, format_conllx, write_conllu, write_conllx
from tolka.syntax.draw import draw_tree
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

if TYPE_CHECKING:
    from tolka.syntax.synthetic import SyntheticTreebank, synthetic_treebank

__all__ = [
    "Constituent",
    "Packed",
    "ParseScores",
    "Parser",
    "ParserTraining",
    "Symbols",
    "SyntheticTreebank",
    "Tree",
    "TreebankStatistics",
    "draw_tree",
    "edge_degree",
    "format_conllu",
    "format_conllx",
    "format_penn",
    "gap_degree",
    "is_projective",
    "is_well_nested",
    "nonprojective_edges",
    "pack",
    "parse_penn",
    "read_conll",
    "read_conllu",
    "read_conllx",
    "read_penn",
    "score_parses",
    "synthetic_treebank",
    "train_parser",
    "treebank_statistics",
    "write_conllu",
    "write_conllx",
    "write_penn",
]


def __getattr__(name: str) -> Any:
    # The generator of sentences comes along only when one is asked for: whoever reads trees needs none of it.
    if name in {"SyntheticTreebank", "synthetic_treebank"}:
        from tolka.syntax import synthetic  # noqa: PLC0415

        return getattr(synthetic, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
