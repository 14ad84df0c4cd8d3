"""The defaults of training, all in one place: what `tolka train` does unless it is told otherwise.

They are chosen by measurement (bench/translate); a recipe or an option overrides any of them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["hiero", "phrase"]

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

SEARCH: Mapping[Kind, Mapping[str, Any]] = MappingProxyType(
    {
        "hiero": MappingProxyType({"pop_limit": 30}),
        "phrase": MappingProxyType({"pop_limit": 200, "stack_size": 100}),
    }
)
"""How hard models search, in tuning and translation, see `tolka.decode.Decoder`; stored in the model."""

START: Mapping[Kind, Mapping[str, float]] = MappingProxyType(
    {
        "hiero": MappingProxyType({}),
        "phrase": MappingProxyType({}),
    }
)
"""Weights that tuning begins with; features not named begin with the decoder's weight times `START_SCALE`."""

START_SCALE = 0.1
"""Weights begin small: the steps of MIRA are as large as its metric, not as the weights."""

TUNE: Mapping[str, Any] = MappingProxyType(
    {"tuner": "mira", "iterations": 10, "patience": 3, "restarts": 1, "nbest": 100, "density": 50, "metric": "bleu"}
)
"""Of tuning, see `tolka.tune.tune_loop` and `tolka.tune.Tuner`."""

TUNER: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {kind: MappingProxyType({}) for kind in ("mira", "pro", "mert", "forest-mira", "forest-mert")}
)
"""Options of each tuner that differ from its own defaults."""

DEV_PAIRS = 1000
"""Most pairs that are set aside for tuning if no development set is given."""

DEV_SHARE = 0.05
"""The share of the corpus that is set aside, up to that many."""

LEAST_DEV_PAIRS = 10
"""With fewer than these nothing is set aside, and weights are not tuned."""


def search(kind: Kind) -> dict[str, Any]:
    """How hard a model of this kind searches by default."""
    return dict(SEARCH[kind])


def extraction(kind: Kind) -> dict[str, Any]:
    """How rules of this kind are extracted by default."""
    return dict(EXTRACT[kind])
