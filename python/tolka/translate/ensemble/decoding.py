"""The decoder of an ensemble: those of its parts under weights that can be compared, mixed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tolka.decode.ensemble import EnsembleDecoder
from tolka.errors import SettingsError
from tolka.translate.ensemble.description import read_mixture
from tolka.translate.ensemble.files import OpenEnsemble
from tolka.translate.loading import make_decoder
from tolka.translate.searching import check_search, read_search, store_search

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.decode import Decoder
    from tolka.translate.bundle import OpenModel
    from tolka.translate.description import Strategy
    from tolka.translate.ensemble.description import EnsembleDescription, Scale
    from tolka.translate.ensemble.files import OpenPart
    from tolka.translate.loading import Opener

# What a sentence brings along, or no rule knows, is no part of a rule's score; the weights of these are mostly untuned.
_NOT_OF_RULES = {"unknown", "input", "given"}


def mixed_decoder(
    description: EnsembleDescription, parts: Sequence[OpenPart], opener: Opener, search: Mapping[str, Any] | None = None
) -> EnsembleDecoder:
    """What searches with all parts of an ensemble.

    Args:
        description: What the ensemble is.
        parts: Its parts.
        opener: Who opens their files.
        search: Settings of the decoder that go before those of the description.

    Raises:
        SettingsError: A part cannot be searched like this, or its weights not be scaled.
    """
    components = {part.name: _component(part, description, opener) for part in parts}
    settings = {**read_search(description.search), **(search or {})}
    try:
        return EnsembleDecoder(components, read_mixture(description.mixture), kind=description.strategy, **settings)
    except (TypeError, OverflowError):
        # Says which setting it is.
        check_search(description.strategy, store_search(settings))
        raise


def _component(part: OpenPart, description: EnsembleDescription, opener: Opener) -> Decoder | EnsembleDecoder:
    model = part.model
    if isinstance(model, OpenEnsemble):
        # Its parts have weights on a scale already.
        return mixed_decoder(replace(model.description, strategy=description.strategy, search={}), model.parts, opener)
    decoder = _decoder(part.name, model, description.strategy, opener)
    factor = 1 / divisor(part.name, decoder, model.description.lms, description.scale)
    return decoder if factor == 1 else decoder.with_weights({name: w * factor for name, w in decoder.weights.items()})


def _decoder(name: str, model: OpenModel, strategy: Strategy, opener: Opener) -> Decoder:
    try:
        description = replace(model.description, strategy=strategy, search={})
    except ValueError as error:
        raise SettingsError(f"the part {name}: {error}", hint="search the ensemble by chart") from error
    return make_decoder(description, model.files, model.weights, {}, opener)


def divisor(part: str, decoder: Decoder, lms: Sequence[str], scale: Scale) -> float:
    """What the weights of a part are divided by, so that its scores can be compared with those of others.

    A part alone translates the same whatever they are divided by.

    Args:
        part: Its name.
        decoder: Its decoder.
        lms: Its language models.
        scale: What is asked for.

    Raises:
        SettingsError: The weights are 0, or those of the language models not above it.
    """
    if scale == "none":
        return 1.0
    weights = decoder.weights
    if scale == "lm":
        whole = sum(weights[name] for name in lms)
        if not whole > 0:
            what = f"the language models of the part {part} weigh {whole:g}, so that weights cannot be divided by it"
            raise SettingsError(what, hint="scale by l1")
        return whole
    whole = sum(abs(weights[name]) for name in decoder.feature_names if name not in _NOT_OF_RULES)
    if not whole > 0:
        raise SettingsError(f"all weights of the part {part} are 0", hint="tune it first")
    return whole
