"""The translate room: text as people write it in, text as people write it out.

A `Translator` is a trained model in a directory: rules, language models, weights, and how text is prepared and
restored. `tolka train` makes one; `tolka translate` and `Translator.load` use it.
"""

from tolka.translate.bundle import ModelFiles, write_model
from tolka.translate.description import Description, Kind, TextSettings
from tolka.translate.text import TextSteps
from tolka.translate.translator import NbestList, Translation, Translator

__all__ = [
    "Description",
    "Kind",
    "ModelFiles",
    "NbestList",
    "TextSettings",
    "TextSteps",
    "Translation",
    "Translator",
    "write_model",
]
