"""Translate: search for the best derivation under rules, language models and weights.

Example:
    >>> import tempfile, pathlib
    >>> from tolka.decode import Decoder
    >>> from tolka.grammar import Extractor
    >>> from tolka.lm import LanguageModelTrainer
    >>> lm = LanguageModelTrainer(order=2, smoothing="witten-bell").train(["the small house", "the house"])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = pathlib.Path(directory, "g.tbl")
    ...     grammar = Extractor("hiero").extract(["das kleine haus", "das haus"], ["the small house", "the house"],
    ...                                          ["0-0 1-1 2-2", "0-0 1-1"], path)
    ...     Decoder(grammar, lm).translate(["das kleine haus"])
    ['the small house']
"""

from tolka.decode.decoder import Candidate, CandidateRows, Decoder, Kind, SearchStatistics
from tolka.decode.ensemble import MOST_COMPONENTS, EnsembleDecoder
from tolka.decode.inputs import InputFormat, check_inputs, read_input
from tolka.decode.lattice import Arc, Lattice
from tolka.decode.mixture import Mixture, Operation, idempotent
from tolka.decode.sentence import Given, Input, Sentence, fill, words_of
from tolka.decode.spans import Span, SpanKind, crosses
from tolka.decode.sparse import SparseFeatures
from tolka.forest import Growth

__all__ = [
    "MOST_COMPONENTS",
    "Arc",
    "Candidate",
    "CandidateRows",
    "Decoder",
    "EnsembleDecoder",
    "Given",
    "Growth",
    "Input",
    "InputFormat",
    "Kind",
    "Lattice",
    "Mixture",
    "Operation",
    "SearchStatistics",
    "Sentence",
    "Span",
    "SpanKind",
    "SparseFeatures",
    "check_inputs",
    "crosses",
    "fill",
    "idempotent",
    "read_input",
    "words_of",
]
