"""Tuning a model's weights on a development set."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.decode.decoder import ACTION
from tolka.errors import InputError, SettingsError
from tolka.progress import SILENT
from tolka.train import defaults
from tolka.train.acting import learning_of, tune_actions
from tolka.tune import HypothesisRows, Tuner, tune_loop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.decode import Decoder
    from tolka.forest import Forest
    from tolka.progress import Progress
    from tolka.translate import Translator
    from tolka.tune import TuneResult


@dataclass(frozen=True)
class TuneSettings:
    """How weights are tuned; the defaults are those of `tolka.train.defaults`.

    Attributes:
        tuner: mira, pro, mert, forest-mira or forest-mert; or drl, which learns what actions of undirected search count,
            after mira has found the weights of its forests with a chart if `fresh`.
        metric: bleu, chrf, chrf++ or ter, of words.
        iterations: Decodings at most, after the first.
        patience: Decodings without a better score before it ends.
        restarts: Starts; all but the first from random weights.
        nbest: Translations listed for each sentence, for the tuners that learn from lists.
        density: Edges kept per source word, for the tuners that learn from forests.
        seed: Of everything random.
        options: Of the tuner, see `tolka.tune.Tuner`; of drl see `tolka.learn.Learning`.
        start: Weights to start from, by feature; those not named start from the decoder's times the scale.
        start_scale: What the decoder's weights before tuning are multiplied with, to start from.
        fresh: Start from the default weights rather than from the model's.
    """

    tuner: str = defaults.TUNE["tuner"]
    metric: str = defaults.TUNE["metric"]
    iterations: int = defaults.TUNE["iterations"]
    patience: int = defaults.TUNE["patience"]
    restarts: int = defaults.TUNE["restarts"]
    nbest: int = defaults.TUNE["nbest"]
    density: int = defaults.TUNE["density"]
    seed: int = 1
    options: Mapping[str, float | str] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    start_scale: float = defaults.START_SCALE
    fresh: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.nbest <= _MOST_LISTED:
            raise SettingsError(f"{self.nbest} translations cannot be listed", hint=f"ask for 1 to {_MOST_LISTED}")
        if self.density < 1:
            raise SettingsError(f"{self.density} edges per word make no forest", hint="ask for at least 1")
        if self.tuner == DRL:
            learning_of(self.options, self.metric, self.seed)
        else:
            self.new_tuner()

    def new_tuner(self, threads: int = 0) -> Tuner:
        """A tuner with these settings."""
        return Tuner(
            self.tuner,  # type: ignore[arg-type]
            metric=self.metric,  # type: ignore[arg-type]
            seed=self.seed,
            threads=threads,
            **dict[str, Any](self.options),
        )


_MOST_LISTED = 10_000
DRL = "drl"
"""The tuner that learns actions (discriminative reinforcement learning)."""
_OF_CHARTS = ("table_limit", "max_span", "shallow", "time_limit", "memory_limit")
"""What charts and the forests of undirected search have in common."""
_AT_A_TIME = 64


def tune_decoder(
    decoder: Decoder,
    sources: Sequence[str],
    references: Sequence[str],
    settings: TuneSettings | None = None,
    *,
    threads: int = 0,
    progress: Progress = SILENT,
) -> TuneResult:
    """Tune a decoder's weights on words; pairs with an empty side are left out.

    Args:
        decoder: Whose weights are tuned.
        sources: Lines of words.
        references: Their translations.
        settings: How to tune.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        InputError: The two texts differ in length, or no pair has words on both sides.
    """
    settings = settings or TuneSettings()
    if len(sources) != len(references):
        raise InputError(
            f"the development set has {len(sources)} sentences and {len(references)} references",
            hint="give two texts that belong together line by line",
        )
    pairs = [(one, other) for one, other in zip(sources, references, strict=True) if one.strip() and other.strip()]
    if not pairs:
        raise InputError("the development set has no sentence with a translation", hint="give one that has")
    texts, wanted = [one for one, _ in pairs], [other for _, other in pairs]
    if settings.tuner == DRL:
        return _tune_actions(decoder, texts, wanted, settings, threads=threads, progress=progress)
    if any(name.startswith(ACTION) for name in decoder.weights):
        raise SettingsError(
            "what the actions of this model count was learnt for the weights that it has",
            hint="tune it with drl, which finds both anew",
        )

    def decode_lists(weights: Mapping[str, float]) -> HypothesisRows:
        found = decoder.with_weights(weights).nbest_rows(texts, settings.nbest, threads=threads)
        sparse = [dict(own) for own in found.sparse]
        return HypothesisRows(found.texts, found.names, found.features.astype(np.float32), sparse)

    def decode_forests(weights: Mapping[str, float]) -> list[Forest]:
        weighted = decoder.with_weights(weights)
        found: list[Forest] = []
        # Forests are large before they are pruned: a few sentences at a time.
        for begin in range(0, len(texts), _AT_A_TIME):
            own = texts[begin : begin + _AT_A_TIME]
            forests = weighted.forest(own, threads=threads)
            found += [
                forest.pruned(edges=settings.density * len(text.split()))
                for forest, text in zip(forests, own, strict=True)
            ]
        return found

    tuner = settings.new_tuner(threads)
    return tune_loop(
        decode_forests if tuner.uses_forests else decode_lists,
        wanted,
        tuner,
        start_weights(decoder, settings),
        iterations=settings.iterations,
        patience=settings.patience,
        restarts=settings.restarts,
        progress=progress,
    )


def _tune_actions(
    decoder: Decoder,
    texts: Sequence[str],
    wanted: Sequence[str],
    settings: TuneSettings,
    *,
    threads: int,
    progress: Progress,
) -> TuneResult:
    if decoder.kind != "undirected":
        raise SettingsError(
            f"a model that searches as {decoder.kind} has no actions to learn",
            hint="train it with --strategy undirected, or use another tuner",
        )
    if settings.fresh:
        # Lists of a chart have far more to choose from than the trees of a beam.
        first = replace(settings, tuner=defaults.TUNE["tuner"], options={})
        shared = {name: value for name, value in decoder.settings.items() if name in _OF_CHARTS}
        chart = decoder.with_search("chart", **{**defaults.SEARCH["chart"], **shared})
        tuned = tune_decoder(chart, texts, wanted, first, threads=threads, progress=progress)
        decoder = decoder.with_search("undirected", **decoder.settings).with_weights(tuned.weights)
    learning = learning_of(settings.options, settings.metric, settings.seed)
    return tune_actions(decoder, texts, wanted, learning, metric=settings.metric, threads=threads, progress=progress)


def tune_translator(
    translator: Translator,
    sources: Sequence[str],
    references: Sequence[str],
    settings: TuneSettings | None = None,
    *,
    threads: int = 0,
    progress: Progress = SILENT,
) -> tuple[Translator, TuneResult]:
    """Find weights under which a model translates a development set best.

    Args:
        translator: The model.
        sources: Sentences as people write them.
        references: Their translations by people.
        settings: How to tune.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Returns:
        The model under the new weights, and how they were found.

    Raises:
        InputError: The two texts differ in length, or no pair has words on both sides.
    """
    prepared, wanted = translator.prepare_pairs(sources, references, threads=threads)
    decoder = translator.decoder
    result = tune_decoder(decoder, prepared, wanted, settings, threads=threads, progress=progress)
    return translator.with_weights(result.weights), result


def start_weights(decoder: Decoder, settings: TuneSettings) -> dict[str, float]:
    """The weights that tuning begins with."""
    if not settings.fresh:
        return dict(decoder.weights)
    return {name: settings.start.get(name, weight * settings.start_scale) for name, weight in decoder.untuned().items()}
