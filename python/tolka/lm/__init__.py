"""The language model room: n-gram models estimated, read, combined, compiled and asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later
from tolka.lm.model import LanguageModel, Perplexity, State, WordScore

if TYPE_CHECKING:
    from tolka.lm.classes import cluster_words, read_classes
    from tolka.lm.combine import mix_lms, prune_lm, tune_weights
    from tolka.lm.embeddings import Embeddings
    from tolka.lm.trainer import LanguageModelTrainer, TrainingReport

# Whoever asks models needs none of these; embeddings need SciPy, which takes longer to import than a model takes to answer.
__getattr__, __dir__ = later(
    __name__,
    {
        "Embeddings": "embeddings",
        "LanguageModelTrainer": "trainer",
        "TrainingReport": "trainer",
        "cluster_words": "classes",
        "mix_lms": "combine",
        "prune_lm": "combine",
        "read_classes": "classes",
        "tune_weights": "combine",
    },
)


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
    "tune_weights",
]
