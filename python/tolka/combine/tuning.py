"""Finding how the parts of an ensemble are best mixed, on a development set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from tolka.decode.mixture import Operation
from tolka.errors import InputError, SettingsError
from tolka.evaluate import bleu
from tolka.progress import SILENT
from tolka.train import check_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.decode.mixture import Mixture
    from tolka.progress import Progress
    from tolka.train import Findings
    from tolka.translate.bundle import OpenModel
    from tolka.translate.ensemble import EnsembleTranslator

OPERATIONS: tuple[Operation, ...] = get_args(Operation)
"""The operations that `auto` chooses from."""

_EMPTY, _FULL = "the development set has no sentence with a translation", "give one that has"


@dataclass(frozen=True)
class EnsembleTuneSettings:
    """How the mixture of an ensemble is tuned.

    Attributes:
        operations: Those to choose from; only the ensemble's own if there are none.
        seed: Of everything random.
    """

    operations: tuple[Operation, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "operations", tuple(self.operations))
        for operation in self.operations:
            if operation not in OPERATIONS:
                raise SettingsError(f"unknown operation {operation!r}", hint=f"use {', '.join(OPERATIONS)}")


@dataclass(frozen=True)
class Tried:
    """A mixture that was tried.

    Attributes:
        mixture: The mixture.
        score: BLEU of the development set's words.
    """

    mixture: Mixture
    score: float


@dataclass(frozen=True)
class EnsembleTuning:
    """How a mixture was found.

    Attributes:
        mixture: The one that scored best; of equals the first.
        score: BLEU of the development set's words under it.
        tried: All mixtures that were tried, in their order.
        metric: Of the scores.
    """

    mixture: Mixture
    score: float
    tried: tuple[Tried, ...]
    metric: str = "bleu"


def tune_ensemble(
    translator: EnsembleTranslator,
    sources: Sequence[str],
    references: Sequence[str],
    settings: EnsembleTuneSettings | None = None,
    *,
    threads: int = 0,
    progress: Progress = SILENT,
) -> tuple[EnsembleTranslator, EnsembleTuning]:
    """Find the mixture under which an ensemble translates a development set best.

    Args:
        translator: The ensemble.
        sources: Sentences as people write them.
        references: Their translations by people.
        settings: How to tune.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Returns:
        The ensemble with that mixture, and how it was found.

    Raises:
        InputError: The two texts differ in length, or no pair has words on both sides.
    """
    settings = settings or EnsembleTuneSettings()
    prepared, wanted = translator.prepare_inputs(sources, references, threads=threads)
    both = [
        (one, other)
        for one, other, line in zip(prepared, wanted, sources, strict=True)
        if line.strip() and other.strip()
    ]
    if not both:
        raise InputError(_EMPTY, hint=_FULL)
    inputs, targets = [one for one, _ in both], [other for _, other in both]
    own = translator.mixture
    mixtures = [replace(own, operation=one) for one in settings.operations] or [own]
    tried = []
    with progress.task("tuning", total=len(mixtures), unit="decodings") as advance:
        for mixture in mixtures:
            found = translator.with_mixture(mixture).decoder.translate(inputs, threads=threads)
            # What is prepared is words already.
            tried.append(Tried(mixture, bleu(found, targets, tokeniser="none")))
            advance(1)
    best = max(tried, key=lambda one: one.score)
    return translator.with_mixture(best.mixture), EnsembleTuning(best.mixture, best.score, tuple(tried))


def check_development(
    models: Iterable[OpenModel],
    sources: Sequence[str],
    references: Sequence[str],
    *,
    names: tuple[str, str],
    force: bool = False,
) -> Findings:
    """Look for mistakes in a set that an ensemble is to be tuned on; see `tolka.train.check_pairs`.

    Args:
        models: The models of the ensemble.
        sources: Sentences that should be in its source language.
        references: Their translations.
        names: What the two texts are called.
        force: Whether what must be wrong is only noted.

    Raises:
        SettingsError: The names of the texts contradict the ensemble's languages.
        InputError: No pair has words on both sides, sides are swapped or shifted, or a text is a document.
    """
    if not any(one.strip() and other.strip() for one, other in zip(sources, references, strict=False)):
        raise InputError(_EMPTY, hint=_FULL)
    listed = list(models)
    # Who keeps an aligner knows most words.
    judge = next((one for one in listed if one.files.aligner), listed[0])
    return check_pairs(judge, sources, references, names=names, force=force)
