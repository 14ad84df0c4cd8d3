"""Number and gender of noun phrases: a feature climbs from words to phrases, learnt from agreement alone (Mohammad 2012, 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.assist.number.baselines import Majority, SyntacticHead
    from tolka.assist.number.default import english_model, number
    from tolka.assist.number.dependencies import NounPhrase, agreement, noun_phrases, phrase_tree
    from tolka.assist.number.leaves import LeafTable
    from tolka.assist.number.model import FeatureHead
    from tolka.assist.number.subjects import arabic_agreement, english_agreement

__getattr__, __dir__ = later(
    __name__,
    {
        "FeatureHead": "model",
        "LeafTable": "leaves",
        "Majority": "baselines",
        "NounPhrase": "dependencies",
        "SyntacticHead": "baselines",
        "agreement": "dependencies",
        "arabic_agreement": "subjects",
        "english_agreement": "subjects",
        "english_model": "default",
        "noun_phrases": "dependencies",
        "number": "default",
        "phrase_tree": "dependencies",
    },
)

__all__ = [
    "FeatureHead",
    "LeafTable",
    "Majority",
    "NounPhrase",
    "SyntacticHead",
    "agreement",
    "arabic_agreement",
    "english_agreement",
    "english_model",
    "noun_phrases",
    "number",
    "phrase_tree",
]
