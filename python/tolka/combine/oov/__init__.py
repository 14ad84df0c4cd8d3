"""Translations for words that a model does not know, found by how text uses them (Razmara 2013, chapter 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.combine.oov.gold import gold_of
    from tolka.combine.oov.lexicons import Lexicon, read_lexicon
    from tolka.combine.oov.model import extend_model
    from tolka.combine.oov.record import Entry, Neighbour, Record, open_record, write_record
    from tolka.combine.oov.score import OovScore, read_gold, score_entries, score_translations, write_gold

__getattr__, __dir__ = later(
    __name__,
    {
        "Entry": "record",
        "Lexicon": "lexicons",
        "Neighbour": "record",
        "OovScore": "score",
        "Record": "record",
        "extend_model": "model",
        "gold_of": "gold",
        "open_record": "record",
        "read_gold": "score",
        "read_lexicon": "lexicons",
        "score_entries": "score",
        "score_translations": "score",
        "write_gold": "score",
        "write_record": "record",
    },
)


__all__ = [
    "Entry",
    "Lexicon",
    "Neighbour",
    "OovScore",
    "Record",
    "extend_model",
    "gold_of",
    "open_record",
    "read_gold",
    "read_lexicon",
    "score_entries",
    "score_translations",
    "write_gold",
    "write_record",
]
