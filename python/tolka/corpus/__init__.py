"""The corpus room: text as people have it, read, cleaned, tokenised, described."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from tolka.corpus.compounds import COMPOUNDING, CompoundSplitter
from tolka.corpus.lines import Lines, read_batches, read_lines
from tolka.corpus.output import Output, write_lines
from tolka.corpus.split import SplitReport, SplitResult, SplitSettings, parse_size, split, split_to_files
from tolka.corpus.tokenise import Detokeniser, Tokeniser
from tolka.corpus.truecase import Truecaser, lowercase, lowercase_lines
from tolka.later import later

if TYPE_CHECKING:
    from tolka.corpus.delimited import read_bars, read_tsv, write_bars, write_tsv
    from tolka.corpus.formats import FORMATS, detect_format, read_corpus, write_pairs
    from tolka.corpus.pairs import read_pairs
    from tolka.corpus.po import Message, read_messages, read_po, write_po
    from tolka.corpus.rows import Format, Pair, Rows
    from tolka.corpus.several import CorpusFiles, group_corpora, read_corpora
    from tolka.corpus.statistics import PairStatistics, SideStatistics, Unknown, pair_statistics, side_statistics
    from tolka.corpus.subwords import Subwords
    from tolka.corpus.tmx import read_tmx, write_tmx
    from tolka.corpus.vocabulary import BOS, EOS, UNK, Vocabulary

# What only some readers and writers of corpora need waits until it is needed.
__getattr__, __dir__ = later(
    __name__,
    {
        "BOS": "vocabulary",
        "CorpusFiles": "several",
        "EOS": "vocabulary",
        "FORMATS": "formats",
        "Format": "rows",
        "Message": "po",
        "Pair": "rows",
        "PairStatistics": "statistics",
        "Rows": "rows",
        "SideStatistics": "statistics",
        "Subwords": "subwords",
        "UNK": "vocabulary",
        "Unknown": "statistics",
        "Vocabulary": "vocabulary",
        "detect_format": "formats",
        "group_corpora": "several",
        "pair_statistics": "statistics",
        "read_bars": "delimited",
        "read_corpora": "several",
        "read_corpus": "formats",
        "read_messages": "po",
        "read_pairs": "pairs",
        "read_po": "po",
        "read_tmx": "tmx",
        "read_tsv": "delimited",
        "side_statistics": "statistics",
        "write_bars": "delimited",
        "write_pairs": "formats",
        "write_po": "po",
        "write_tmx": "tmx",
        "write_tsv": "delimited",
    },
    instead={"read_bitext": "read_pairs", "synth": "tolka.corpus.synthetic.Synthetic"},
)


__all__ = [
    "BOS",
    "CHANGES",
    "COMPOUNDING",
    "EOS",
    "FORMATS",
    "RULES",
    "UNK",
    "CleanReport",
    "CleanResult",
    "CleanSettings",
    "CleanStream",
    "CompoundSplitter",
    "CorpusFiles",
    "Detokeniser",
    "Example",
    "Format",
    "Lines",
    "Message",
    "Output",
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
    "detect_format",
    "group_corpora",
    "lowercase",
    "lowercase_lines",
    "pair_statistics",
    "parse_size",
    "read_bars",
    "read_batches",
    "read_corpora",
    "read_corpus",
    "read_lines",
    "read_messages",
    "read_pairs",
    "read_po",
    "read_tmx",
    "read_tsv",
    "side_statistics",
    "split",
    "split_to_files",
    "write_bars",
    "write_lines",
    "write_pairs",
    "write_po",
    "write_tmx",
    "write_tsv",
]
