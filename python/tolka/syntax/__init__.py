"""Syntax: dependency trees of sentences, their files, checks and drawings, and parsing."""

from tolka.syntax.packed import Packed, Symbols, pack
from tolka.syntax.synthetic import SyntheticTreebank, synthetic_treebank
from tolka.syntax.tree import Tree

__all__ = ["Packed", "Symbols", "SyntheticTreebank", "Tree", "pack", "synthetic_treebank"]
