"""Translations for words that a model does not know, found by how text uses them (Razmara 2013, chapter 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.combine.oov.explain import entry_text
    from tolka.combine.oov.extending import ExtendedVocabulary, extend_vocabulary
    from tolka.combine.oov.finding import Found, find_translations
    from tolka.combine.oov.gathering import Material, gather
    from tolka.combine.oov.gold import gold_of, make_gold
    from tolka.combine.oov.lexicons import Lexicon, read_lexicon
    from tolka.combine.oov.model import extend_model
    from tolka.combine.oov.nothing import NothingFoundError
    from tolka.combine.oov.picture import draw_neighbourhood, neighbourhood_page
    from tolka.combine.oov.record import Entry, Neighbour, Record, open_record, write_record
    from tolka.combine.oov.score import OovScore, read_gold, score_entries, score_translations, write_gold
    from tolka.combine.oov.settings import OovSettings

__getattr__, __dir__ = later(
    __name__,
    {
        "Entry": "record",
        "ExtendedVocabulary": "extending",
        "Found": "finding",
        "Lexicon": "lexicons",
        "Material": "gathering",
        "Neighbour": "record",
        "NothingFoundError": "nothing",
        "OovScore": "score",
        "OovSettings": "settings",
        "Record": "record",
        "draw_neighbourhood": "picture",
        "entry_text": "explain",
        "extend_model": "model",
        "extend_vocabulary": "extending",
        "find_translations": "finding",
        "gather": "gathering",
        "gold_of": "gold",
        "make_gold": "gold",
        "neighbourhood_page": "picture",
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
    "ExtendedVocabulary",
    "Found",
    "Lexicon",
    "Material",
    "Neighbour",
    "NothingFoundError",
    "OovScore",
    "OovSettings",
    "Record",
    "draw_neighbourhood",
    "entry_text",
    "extend_model",
    "extend_vocabulary",
    "find_translations",
    "gather",
    "gold_of",
    "make_gold",
    "neighbourhood_page",
    "open_record",
    "read_gold",
    "read_lexicon",
    "score_entries",
    "score_translations",
    "write_gold",
    "write_record",
]
