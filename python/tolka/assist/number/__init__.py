"""Number and gender of noun phrases: a feature climbs from words to phrases, learnt from agreement alone (Mohammad 2012, 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.assist.number.agreement import arabic_agreement, english_agreement
    from tolka.assist.number.baselines import Majority, SyntacticHead
    from tolka.assist.number.default import english_model, number
    from tolka.assist.number.dependencies import agreement, noun_phrases, phrase_tree
    from tolka.assist.number.leaves import LeafTable
    from tolka.assist.number.model import FeatureHead

__getattr__, __dir__ = later(
    __name__,
    {
        "FeatureHead": "model",
        "LeafTable": "leaves",
        "Majority": "baselines",
        "SyntacticHead": "baselines",
        "agreement": "dependencies",
        "arabic_agreement": "agreement",
        "english_agreement": "agreement",
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
    "SyntacticHead",
    "agreement",
    "arabic_agreement",
    "english_agreement",
    "english_model",
    "noun_phrases",
    "number",
    "phrase_tree",
]
