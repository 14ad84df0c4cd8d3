"""The language model room: n-gram models estimated, read, combined, compiled and asked."""

from tolka.lm.classes import cluster_words, read_classes
from tolka.lm.combine import mix_lms, prune_lm, tune_weights
from tolka.lm.model import LanguageModel, Perplexity, State, WordScore
from tolka.lm.trainer import LanguageModelTrainer, TrainingReport, train_lm

__all__ = [
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
