"""Systems made of systems: tables and texts of several domains, joined with weights that suit one of them.

Example:
    >>> from tolka.combine import perplexity_weights
    >>> from tolka.lm import LanguageModel
    >>> law, talk = LanguageModel.train(["the court shall rule"], 2), LanguageModel.train(["hi how are you"], 2)
    >>> weights = perplexity_weights({"law": law, "talk": talk}, ["the court shall"])
    >>> weights["law"] > weights["talk"]
    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.combine.mixing import MixtureWeights, dev_pairs, mixture_weights, table_kind
    from tolka.combine.perplexity import comparable_perplexities, perplexity_weights
    from tolka.combine.selection import Selection, ShareChoice, choose_share, select_pairs

__getattr__, __dir__ = later(
    __name__,
    {
        "MixtureWeights": "mixing",
        "Selection": "selection",
        "ShareChoice": "selection",
        "choose_share": "selection",
        "comparable_perplexities": "perplexity",
        "dev_pairs": "mixing",
        "mixture_weights": "mixing",
        "perplexity_weights": "perplexity",
        "select_pairs": "selection",
        "table_kind": "mixing",
    },
)


__all__ = [
    "MixtureWeights",
    "Selection",
    "ShareChoice",
    "choose_share",
    "comparable_perplexities",
    "dev_pairs",
    "mixture_weights",
    "perplexity_weights",
    "select_pairs",
    "table_kind",
]
