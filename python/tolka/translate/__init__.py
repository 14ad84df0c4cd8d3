"""The translate room: text as people write it in, text as people write it out.

A `Translator` is a trained model in a directory: rules, language models, weights, and how text is prepared and
restored. `tolka train` makes one; `tolka translate` and `Translator.load` use it.
"""

from tolka.translate.bundle import ModelFiles, write_model
from tolka.translate.defaults import Kind
from tolka.translate.description import Description, TextSettings
from tolka.translate.growing import UpdateReport, make_growing, update_model
from tolka.translate.text import TextSteps
from tolka.translate.translator import Translation, Translator
from tolka.translate.tuning import TuneSettings, tune_decoder

__all__ = [
    "Description",
    "Kind",
    "ModelFiles",
    "TextSettings",
    "TextSteps",
    "Translation",
    "Translator",
    "TuneSettings",
    "UpdateReport",
    "make_growing",
    "tune_decoder",
    "update_model",
    "write_model",
]
