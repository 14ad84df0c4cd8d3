"""The language model room: n-gram models estimated, read, combined, compiled and asked."""

from tolka.lm.model import LanguageModel, Perplexity, State, WordScore
from tolka.lm.trainer import LanguageModelTrainer, TrainingReport, train_lm

__all__ = [
    "LanguageModel",
    "LanguageModelTrainer",
    "Perplexity",
    "State",
    "TrainingReport",
    "WordScore",
    "train_lm",
]
