"""The combine room: systems made of systems.

Models of diverse sources translate together; tables and texts of several domains are
joined with weights that suit one of them.

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
    from tolka.combine.adaptation import Adaptation, AdaptSettings, adapt
    from tolka.combine.cascade import Cascade
    from tolka.combine.covering import Coverage, coverage
    from tolka.combine.ensemble import MadeEnsemble, PartState, make_ensemble, part_states, refresh_ensemble
    from tolka.combine.expected_loop import ExpectedResult, tune_expected
    from tolka.combine.folds import every_nth, sample_sentences, split_folds
    from tolka.combine.gathering import Gathering, GatherSettings, Sources, gather
    from tolka.combine.mixing import MixtureWeights, dev_pairs, mixture_weights, table_kind
    from tolka.combine.oov import ExtendedVocabulary, OovSettings, extend_vocabulary
    from tolka.combine.perplexity import comparable_perplexities, perplexity_weights
    from tolka.combine.selection import Selection, ShareChoice, choose_share, select_pairs
    from tolka.combine.stacking import Stacking, StackSettings, stack
    from tolka.combine.through import MadeThrough, make_through
    from tolka.combine.triangulation import TriangulateSettings, Triangulation, combine_ways, paths_of, triangulate
    from tolka.combine.tuning import EnsembleTuneSettings, EnsembleTuning, tune_ensemble
    from tolka.combine.weights import ComponentWeights, tune_jointly, tune_pairwise

__getattr__, __dir__ = later(
    __name__,
    {
        "AdaptSettings": "adaptation",
        "Adaptation": "adaptation",
        "Cascade": "cascade",
        "ComponentWeights": "weights",
        "Coverage": "covering",
        "EnsembleTuneSettings": "tuning",
        "EnsembleTuning": "tuning",
        "ExpectedResult": "expected_loop",
        "ExtendedVocabulary": "oov",
        "GatherSettings": "gathering",
        "Gathering": "gathering",
        "MadeEnsemble": "ensemble",
        "MadeThrough": "through",
        "MixtureWeights": "mixing",
        "OovSettings": "oov",
        "PartState": "ensemble",
        "Selection": "selection",
        "ShareChoice": "selection",
        "Sources": "gathering",
        "StackSettings": "stacking",
        "Stacking": "stacking",
        "TriangulateSettings": "triangulation",
        "Triangulation": "triangulation",
        "adapt": "adaptation",
        "choose_share": "selection",
        "combine_ways": "triangulation",
        "comparable_perplexities": "perplexity",
        "coverage": "covering",
        "dev_pairs": "mixing",
        "every_nth": "folds",
        "extend_vocabulary": "oov",
        "gather": "gathering",
        "make_ensemble": "ensemble",
        "make_through": "through",
        "mixture_weights": "mixing",
        "part_states": "ensemble",
        "paths_of": "triangulation",
        "perplexity_weights": "perplexity",
        "refresh_ensemble": "ensemble",
        "sample_sentences": "folds",
        "select_pairs": "selection",
        "split_folds": "folds",
        "stack": "stacking",
        "table_kind": "mixing",
        "triangulate": "triangulation",
        "tune_ensemble": "tuning",
        "tune_expected": "expected_loop",
        "tune_jointly": "weights",
        "tune_pairwise": "weights",
    },
)


__all__ = [
    "AdaptSettings",
    "Adaptation",
    "Cascade",
    "ComponentWeights",
    "Coverage",
    "EnsembleTuneSettings",
    "EnsembleTuning",
    "ExpectedResult",
    "ExtendedVocabulary",
    "GatherSettings",
    "Gathering",
    "MadeEnsemble",
    "MadeThrough",
    "MixtureWeights",
    "OovSettings",
    "PartState",
    "Selection",
    "ShareChoice",
    "Sources",
    "StackSettings",
    "Stacking",
    "TriangulateSettings",
    "Triangulation",
    "adapt",
    "choose_share",
    "combine_ways",
    "comparable_perplexities",
    "coverage",
    "dev_pairs",
    "every_nth",
    "extend_vocabulary",
    "gather",
    "make_ensemble",
    "make_through",
    "mixture_weights",
    "part_states",
    "paths_of",
    "perplexity_weights",
    "refresh_ensemble",
    "sample_sentences",
    "select_pairs",
    "split_folds",
    "stack",
    "table_kind",
    "triangulate",
    "tune_ensemble",
    "tune_expected",
    "tune_jointly",
    "tune_pairwise",
]
