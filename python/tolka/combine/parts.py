"""What each component of an ensemble says of the edges of its derivations, for tuning on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolka.combine.derivations import Derivations
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tolka.decode import EnsembleDecoder, Input
    from tolka.forest import Forest

_AT_A_TIME = 32
"""Forests are large: so many sentences at once."""


def check_parts(decoder: EnsembleDecoder) -> None:
    """Whether the score of every edge is the mixture of what its components say.

    Raises:
        SettingsError: It is not, and why.
    """
    mixture = decoder.mixture
    if mixture.switches:
        raise SettingsError(
            "an ensemble that switches is not tuned on its derivations", hint="tune it jointly or in pairs"
        )
    odd = next(
        (
            what
            for what, is_so in (
                ("lambdas by the length of spans", bool(mixture.spans)),
                ("glue that is averaged", mixture.glue == "average"),
                ("parts that are ensembles", len(decoder.component_names) != len(decoder.components)),
                ("phrases one after another", decoder.kind != "chart"),
            )
            if is_so
        ),
        None,
    )
    if odd is not None:
        raise SettingsError(
            f"an ensemble with {odd} is not tuned on its derivations", hint="tune it jointly or in pairs"
        )


def best_derivations(
    decoder: EnsembleDecoder, inputs: Sequence[Input], count: int = 50, *, threads: int = 0
) -> list[Derivations]:
    """The best derivations of each sentence in an ensemble's forests, with the parts of their edges' scores.

    Args:
        decoder: The ensemble.
        inputs: With spaces between tokens.
        count: Translations of each sentence, at most.
        threads: How many; 0 for one per core.

    Raises:
        SettingsError: Scores of edges are not mixtures of their components'.
    """
    check_parts(decoder)
    found: list[Derivations] = []
    for begin in range(0, len(inputs), _AT_A_TIME):
        for forest in decoder.forest(inputs[begin : begin + _AT_A_TIME], threads=threads):
            listed = forest.native.kbest(unique=True, semiring="viterbi")
            texts: list[str] = []
            edges: list[list[int]] = []
            while len(texts) < count and (one := listed.next()) is not None:
                _, words, steps = one
                texts.append(" ".join(words))
                edges.append([step[0] for step in steps])
            found.append(Derivations(texts, edges, edge_parts(decoder, forest)))
    return found


def edge_parts(decoder: EnsembleDecoder, forest: Forest) -> NDArray[np.float64]:
    """For each edge of a forest the score that each component has for it, before temperatures.

    Minus infinity where a component does not have the rule, unless the operation is `prod`: then as `missing` has it.
    """
    names = {name: at for at, name in enumerate(forest.feature_names)}
    own = decoder.component_weights()
    weights = np.zeros((len(names), len(own)))
    for column, component in enumerate(own):
        for name, weight in component.items():
            if name in names:
                weights[names[name], column] = weight
    parts: NDArray[np.float64] = forest.edges.features.astype(np.float64) @ weights
    everybody = (1 << len(own)) - 1
    spoken = np.array([rule[-1] or everybody for rule in forest.native.rules()], dtype=np.uint64)
    silent = (spoken[forest.edges.rule][:, None] >> np.arange(len(own), dtype=np.uint64)) & np.uint64(1) == 0
    mixture = decoder.mixture
    absent = -np.inf
    if mixture.operation == "prod" and mixture.missing != "veto":
        absent = mixture.floor if mixture.missing == "floor" else 0.0
    return np.where(silent, parts + absent, parts)
