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

from tolka.grammar.columns import add_columns, add_features
from tolka.grammar.exchange import export_grammar, filter_grammar, import_grammar
from tolka.grammar.extractor import ExtractionReport, Extractor
from tolka.grammar.suffix import SuffixGrammar, SuffixStats, segment_names
from tolka.grammar.table import Grammar, GrammarStats, Rule

__all__ = [
    "ExtractionReport",
    "Extractor",
    "Grammar",
    "GrammarStats",
    "Rule",
    "SuffixGrammar",
    "SuffixStats",
    "add_columns",
    "add_features",
    "export_grammar",
    "filter_grammar",
    "import_grammar",
    "segment_names",
]
