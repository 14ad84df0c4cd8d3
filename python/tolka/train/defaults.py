"""The defaults of training, all in one place: what `tolka train` does unless it is told otherwise.

They are chosen by measurement (bench/translate); a recipe or an option overrides any of them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.decode import Kind as Strategy
    from tolka.translate import Kind

KIND: Kind = "hiero"
"""The kind of model that is trained."""

CLEAN: Mapping[str, Any] = MappingProxyType({"max_tokens": 80})
"""Of cleaning, see `tolka.corpus.CleanSettings`."""

ALIGN: Mapping[str, Any] = MappingProxyType({"model": "fertility", "symmetrise": "grow-diag-final-and"})
"""Of word alignment, see `tolka.align.Aligner`."""

LM: Mapping[str, Any] = MappingProxyType({"order": 5, "smoothing": "kneser-ney"})
"""Of the language model, see `tolka.lm.LanguageModelTrainer`."""

EXTRACT: Mapping[Kind, Mapping[str, Any]] = MappingProxyType(
    {
        # The counts of hierarchical rules are shared among the rules of a phrase: few count more than one.
        "hiero": MappingProxyType({"limit": 100, "smoothing": "kneser-ney", "indicators": True}),
        # Phrases of four words and more that were seen once are two thirds of all, and translations need none of them.
        "phrase": MappingProxyType({"limit": 100, "smoothing": "kneser-ney", "indicators": True, "singletons": 3}),
    }
)
"""Of extraction, see `tolka.grammar.Extractor`; what is not named has the extractor's own default."""

GROWING: Mapping[str, Any] = MappingProxyType({"smoothing": "none", "singletons": None})
"""Of the rules of models that grow, before those above: smoothing needs the counts of all rules, which are never made, and
what is added to a model is often there once, and wanted."""

SAMPLES = 300
"""Occurrences that such a model looks at, see `tolka.grammar.SuffixGrammar`."""

SEARCH: Mapping[Strategy, Mapping[str, Any]] = MappingProxyType(
    {
        "chart": MappingProxyType({"pop_limit": 30, "max_span": 12}),
        "phrase": MappingProxyType({"pop_limit": 200, "stack_size": 100}),
        "undirected": MappingProxyType({"max_span": 12}),
    }
)
"""How hard models search, in tuning and translation, see `tolka.decode.Decoder`; stored in the model."""

START_SCALE = 0.1
"""Weights begin small: the steps of MIRA are as large as its metric, not as the weights."""

TUNE: Mapping[str, Any] = MappingProxyType(
    {"tuner": "mira", "iterations": 10, "patience": 3, "restarts": 1, "nbest": 100, "density": 50, "metric": "bleu"}
)
"""Of tuning, see `tolka.tune.tune_loop` and `tolka.tune.Tuner`."""

TREE_TUNE: Mapping[str, Any] = MappingProxyType(
    {"tuner": "pro", "iterations": 10, "nbest": 100, "most": 1000, "metric": "bleu"}
)
"""Of the weights of multitrees, see `tolka.multitree.MultitreeTranslator.tune_weights`; on so many sentences at `most`."""

DEV_PAIRS = 1000
"""Most pairs that are set aside for tuning if no development set is given."""

DEV_SHARE = 0.05
"""The share of the corpus that is set aside, up to that many."""

LEAST_DEV_PAIRS = 10
"""With fewer than these nothing is set aside, and weights are not tuned."""


def tuner(strategy: Strategy | None) -> str:
    """How weights are tuned by default: undirected search has actions to learn, too."""
    return "drl" if strategy == "undirected" else TUNE["tuner"]


def extraction(kind: Kind, *, growing: bool = False) -> dict[str, Any]:
    """How rules of this kind are extracted by default."""
    settings = {**EXTRACT[kind], **(GROWING if growing else {})}
    return {name: value for name, value in settings.items() if value is not None}
