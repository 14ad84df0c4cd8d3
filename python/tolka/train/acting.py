"""Tuning undirected search as a policy: what its actions count, learnt by reinforcement."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from tolka.errors import SettingsError
from tolka.learn import Epoch, Learning, learn_actions
from tolka.progress import SILENT
from tolka.tune import NBestLists
from tolka.tune.loop import TuneResult, TuneStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.decode import Decoder
    from tolka.progress import Progress

_LOOKS = 4
"""How often the development set is translated while a policy learns."""


def learning_of(options: Mapping[str, Any], metric: str, seed: int) -> Learning:
    """How a policy learns, by the options of a tuner; the reward is the metric, as far as single sentences have it.

    Raises:
        SettingsError: An option that there is not, a metric that is no reward.
    """
    known = {field.name for field in fields(Learning)} - {"seed"}
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        raise SettingsError(f"drl has no option {unknown!r}", hint=f"it has {', '.join(sorted(known))}")
    rewards: dict[str, Any] = {"bleu": "bleu", "chrf": "chrf", "chrf++": "chrf"}
    if metric not in rewards:
        raise SettingsError(f"drl cannot learn from {metric}", hint="use bleu or chrf")
    return Learning(**{"reward": rewards[metric], "seed": seed, **options})


def tune_actions(
    decoder: Decoder,
    sentences: Sequence[str],
    references: Sequence[str],
    learning: Learning,
    *,
    metric: str = "bleu",
    threads: int = 0,
    progress: Progress = SILENT,
) -> TuneResult:
    """Learn what actions of undirected search count, and keep the weights under which the decoder really translates best.

    Args:
        decoder: Of kind `undirected`; its weights are those of forests, and what actions begin with.
        sentences: Lines of words.
        references: Their translations.
        learning: How.
        metric: By which weights are kept: bleu, chrf, chrf++ or ter.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Returns:
        All weights, and the curve of the development set: before, and a few times on the way.
    """
    lists = NBestLists(references, (), metric=metric)  # type: ignore[arg-type]
    sign = 1.0 if lists.higher_is_better else -1.0
    history: list[TuneStep] = []

    def look(epochs: int, weights: Mapping[str, float]) -> None:
        texts = decoder.with_weights(weights).translate(sentences, threads=threads)
        history.append(TuneStep(0, epochs, dict(weights), lists.score(texts), 0, 0))

    every = -(-learning.epochs // _LOOKS)
    with progress.task("learning actions", total=learning.epochs, unit="epochs") as advance:
        look(0, decoder.weights)

        def told(epoch: Epoch) -> bool:
            done = epoch.number + 1
            if done % every == 0 or done == learning.epochs:
                look(done, {**decoder.weights, **epoch.weights})
            advance(1)
            return True

        learn_actions(decoder, sentences, references, learning=learning, told=told, threads=threads)
    # Of equally good ones the first.
    top = max(history, key=lambda step: sign * step.score)
    return TuneResult(top.weights, top.score, tuple(history), (top.score,), metric, learning.seed)
