"""The language model room: n-gram models estimated, read, combined, compiled and asked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tolka.lm.classes import cluster_words, read_classes
from tolka.lm.combine import mix_lms, prune_lm, tune_weights
from tolka.lm.model import LanguageModel, Perplexity, State, WordScore
from tolka.lm.trainer import LanguageModelTrainer, TrainingReport, train_lm

if TYPE_CHECKING:
    from tolka.lm.embeddings import Embeddings


def __getattr__(name: str) -> Any:
    # Embeddings need SciPy, which takes longer to import than a language model takes to answer.
    if name != "Embeddings":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("tolka.lm.embeddings").Embeddings


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
