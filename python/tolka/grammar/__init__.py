"""Translation rules: phrase pairs and hierarchical rules taken from aligned text, with their features.

Example:
    >>> import tempfile
    >>> from pathlib import Path
    >>> from tolka.grammar import Extractor
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = Path(directory) / "rules.tbl"
    ...     grammar = Extractor("hiero").extract(["das haus"], ["the house"], ["0-0 1-1"], path)
    ...     [(rule.source, rule.target) for rule in grammar.rules("das [X,1]")]
    [('das [X,1]', 'the [X,1]')]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.grammar.table import Grammar, GrammarStats, Rule
from tolka.grammar.voice import Voice
from tolka.later import later

if TYPE_CHECKING:
    from tolka.grammar.columns import add_columns, add_features
    from tolka.grammar.composition import ComposedTable, ComposeLimits, Composition, compose_tables
    from tolka.grammar.exchange import export_grammar, filter_grammar, import_grammar
    from tolka.grammar.extractor import ExtractionReport, Extractor, extract
    from tolka.grammar.join import join_tables
    from tolka.grammar.suffix import SuffixGrammar, SuffixStats, segment_names

# Whoever translates opens tables; whoever makes them loads the rest.
__getattr__, __dir__ = later(
    __name__,
    {
        "ComposeLimits": "composition",
        "ComposedTable": "composition",
        "Composition": "composition",
        "ExtractionReport": "extractor",
        "Extractor": "extractor",
        "SuffixGrammar": "suffix",
        "SuffixStats": "suffix",
        "add_columns": "columns",
        "add_features": "columns",
        "compose_tables": "composition",
        "export_grammar": "exchange",
        "extract": "extractor",
        "filter_grammar": "exchange",
        "import_grammar": "exchange",
        "join_tables": "join",
        "segment_names": "suffix",
    },
)


__all__ = [
    "ComposeLimits",
    "ComposedTable",
    "Composition",
    "ExtractionReport",
    "Extractor",
    "Grammar",
    "GrammarStats",
    "Rule",
    "SuffixGrammar",
    "SuffixStats",
    "Voice",
    "add_columns",
    "add_features",
    "compose_tables",
    "export_grammar",
    "extract",
    "filter_grammar",
    "import_grammar",
    "join_tables",
    "segment_names",
]
