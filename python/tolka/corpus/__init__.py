"""The corpus room: text as people have it, read, cleaned, tokenised, described."""

from tolka.corpus.clean import (
    CHANGES,
    RULES,
    CleanReport,
    CleanResult,
    CleanSettings,
    CleanStream,
    Example,
    RuleReport,
    clean,
    clean_to_files,
)
from tolka.corpus.lines import Lines, read_batches, read_lines
from tolka.corpus.pairs import read_pairs
from tolka.corpus.rows import Pair, Rows
from tolka.corpus.split import SplitReport, SplitResult, SplitSettings, parse_size, split, split_to_files
from tolka.corpus.statistics import PairStatistics, SideStatistics, Unknown, pair_statistics, side_statistics
from tolka.corpus.subwords import Subwords
from tolka.corpus.tokenise import Detokeniser, Tokeniser
from tolka.corpus.truecase import Truecaser, lowercase, lowercase_lines
from tolka.corpus.vocabulary import BOS, EOS, UNK, Vocabulary

__all__ = [
    "BOS",
    "CHANGES",
    "EOS",
    "RULES",
    "UNK",
    "CleanReport",
    "CleanResult",
    "CleanSettings",
    "CleanStream",
    "Detokeniser",
    "Example",
    "Lines",
    "Pair",
    "PairStatistics",
    "Rows",
    "RuleReport",
    "SideStatistics",
    "SplitReport",
    "SplitResult",
    "SplitSettings",
    "Subwords",
    "Tokeniser",
    "Truecaser",
    "Unknown",
    "Vocabulary",
    "clean",
    "clean_to_files",
    "lowercase",
    "lowercase_lines",
    "pair_statistics",
    "parse_size",
    "read_batches",
    "read_lines",
    "read_pairs",
    "side_statistics",
    "split",
    "split_to_files",
]
