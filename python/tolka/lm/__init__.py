"""The language model room: n-gram models estimated, read, combined, compiled and asked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tolka.lm.model import LanguageModel, Perplexity, State, WordScore

if TYPE_CHECKING:
    from tolka.lm.classes import cluster_words, read_classes
    from tolka.lm.combine import mix_lms, prune_lm, tune_weights
    from tolka.lm.embeddings import Embeddings
    from tolka.lm.trainer import LanguageModelTrainer, TrainingReport, train_lm

# Whoever asks models needs none of these; embeddings need SciPy, which takes longer to import than a model takes to answer.
_LATER = {
    "Embeddings": "embeddings",
    "LanguageModelTrainer": "trainer",
    "TrainingReport": "trainer",
    "cluster_words": "classes",
    "mix_lms": "combine",
    "prune_lm": "combine",
    "read_classes": "classes",
    "train_lm": "trainer",
    "tune_weights": "combine",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)


__all__ = [
    "Embeddings",
    "LanguageModel",
    "LanguageModelTrainer",
    "Perplexity",
    "State",
    "TrainingReport",
    "WordScore",
    "cluster_words",
    "mix_lms",
    "prune_lm",
    "read_classes",
    "train_lm",
    "tune_weights",
]
