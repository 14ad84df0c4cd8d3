"""Ensembles: several models that translate as one, each with its own tables, language models and weights.

`tolka.combine` makes them; `tolka.Translator.load` opens them like any model.
"""

from tolka.translate.ensemble.description import MOST_PARTS, EnsembleDescription, EnsemblePart, Scale
from tolka.translate.ensemble.files import OpenEnsemble, OpenPart, open_ensemble, open_part, write_ensemble
from tolka.translate.ensemble.preparing import Preparation, reconcile
from tolka.translate.ensemble.translator import EnsembleTranslator, load_ensemble
from tolka.translate.ensemble.views import Views, lattice_of

__all__ = [
    "MOST_PARTS",
    "EnsembleDescription",
    "EnsemblePart",
    "EnsembleTranslator",
    "OpenEnsemble",
    "OpenPart",
    "Preparation",
    "Scale",
    "Views",
    "lattice_of",
    "load_ensemble",
    "open_ensemble",
    "open_part",
    "reconcile",
    "write_ensemble",
]
