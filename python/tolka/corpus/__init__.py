"""The corpus room: text as people have it, read, cleaned, tokenised, described."""

from tolka.corpus.lines import Lines, read_batches, read_lines
from tolka.corpus.pairs import read_pairs
from tolka.corpus.rows import Pair, Rows

__all__ = ["Lines", "Pair", "Rows", "read_batches", "read_lines", "read_pairs"]
