"""The train room: what a translator is made with, tuned by and grown by.

`tolka.pipeline` makes translators of text; here are the defaults of all its stages, tuning, and models that take in new
sentence pairs.
"""

from tolka.train.checks import Findings, check_pairs, check_training
from tolka.train.growing import UpdateReport, list_updates, make_growing, set_memory, undo_update, update_model
from tolka.train.tuning import TuneSettings, tune_decoder, tune_translator

__all__ = [
    "Findings",
    "TuneSettings",
    "UpdateReport",
    "check_pairs",
    "check_training",
    "list_updates",
    "make_growing",
    "set_memory",
    "tune_decoder",
    "tune_translator",
    "undo_update",
    "update_model",
]
