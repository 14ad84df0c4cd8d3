"""The corpus room: text as people have it, read, cleaned, tokenised, described."""

from tolka.corpus.lines import Lines, read_batches, read_lines
from tolka.corpus.pairs import read_pairs
from tolka.corpus.rows import Pair, Rows
from tolka.corpus.tokenise import Detokeniser, Tokeniser

__all__ = [
    "Detokeniser",
    "Lines",
    "Pair",
    "Rows",
    "Tokeniser",
    "read_batches",
    "read_lines",
    "read_pairs",
]
