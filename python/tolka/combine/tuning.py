"""Finding how the parts of an ensemble are best mixed, on a development set."""

from __future__ import annotations

import hashlib
import statistics
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from tolka.combine.weights import WEIGHT_BOUNDS, tune_jointly, tune_pairwise
from tolka.decode import EnsembleDecoder
from tolka.decode.mixture import Operation
from tolka.errors import InputError, SettingsError
from tolka.evaluate import bleu
from tolka.progress import SILENT
from tolka.train import check_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from tolka.combine.derivations import Derivations
    from tolka.decode import Input
    from tolka.decode.mixture import Mixture
    from tolka.progress import Progress
    from tolka.train import Findings
    from tolka.translate.bundle import OpenModel
    from tolka.translate.ensemble import EnsembleTranslator

OPERATIONS: tuple[Operation, ...] = get_args(Operation)
"""The operations that `auto` chooses from."""

Scheme = Literal["auto", "joint", "pairwise", "expected", "uniform"]
"""How lambdas are found: all at once or each in an ensemble of two, by dev BLEU without derivatives (Razmara 2013, sections
2.3.3 and 3.4.3); on the expected BLEU of the ensemble's derivations; or not at all. `auto` is joint for few parts."""

_FEW = 4
"""Parts that are tuned all at once by `auto`."""

_EMPTY, _FULL = "the development set has no sentence with a translation", "give one that has"


@dataclass(frozen=True)
class EnsembleTuneSettings:
    """How the mixture of an ensemble is tuned.

    Attributes:
        operations: Those to choose from, by the score with equal lambdas; only the ensemble's own if there are none.
        scheme: How lambdas are found.
        starts: Starts of the search, all but the first random.
        evaluations: Decodings of each start or pair, at most; None for as many as there are parts to tune, times 8.
        temperatures: Whether temperatures are tuned, too (`joint` and `expected`).
        log: A file that keeps scores, so that what was stopped goes on; none if there is no name.
        seed: Of everything random.
    """

    operations: tuple[Operation, ...] = ()
    scheme: Scheme = "auto"
    starts: int = 3
    evaluations: int | None = None
    temperatures: bool = False
    log: str | PathLike[str] | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "operations", tuple(self.operations))
        for operation in self.operations:
            if operation not in OPERATIONS:
                raise SettingsError(f"unknown operation {operation!r}", hint=f"use {', '.join(OPERATIONS)}")
        if self.scheme not in get_args(Scheme):
            raise SettingsError(f"unknown scheme {self.scheme!r}", hint=f"use {', '.join(get_args(Scheme))}")
        for name in ("starts", "evaluations"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise SettingsError(f"{name} must be a whole number of at least 1, not {value!r}")


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
        scores: The best score of each start of the search for lambdas; the first mixtures' if there was none.
        metric: Of the scores.
    """

    mixture: Mixture
    score: float
    tried: tuple[Tried, ...]
    scores: tuple[float, ...] = ()
    metric: str = "bleu"

    @property
    def mean(self) -> float:
        """The mean of the best scores of all starts."""
        return statistics.fmean(self.scores or (self.score,))

    @property
    def deviation(self) -> float:
        """Their standard deviation: how much luck there is in the search. 0 for one start."""
        return statistics.stdev(self.scores) if len(self.scores) > 1 else 0.0


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
    search = _Search(translator.mixing, inputs, targets, threads, tuple(part.key for part in translator.parts))
    own = translator.mixture
    mixtures = [replace(own, operation=one) for one in settings.operations] or [own]
    if settings.scheme == "uniform" or settings.operations:
        with progress.task("tuning", total=len(mixtures), unit="decodings") as advance:
            for mixture in mixtures:
                search.score(mixture)
                advance(1)
        own = search.best.mixture
    scores: tuple[float, ...] = ()
    if settings.scheme != "uniform" and len(translator.mixing.components) > 1:
        scores = search.tune(own, settings, progress)
    best = search.best
    return translator.with_mixture(best.mixture), EnsembleTuning(best.mixture, best.score, tuple(search.tried), scores)


@dataclass
class _Search:
    """Mixtures of one ensemble on one development set, and what they scored."""

    decoder: EnsembleDecoder
    inputs: Sequence[Input]
    targets: Sequence[str]
    threads: int
    contents: tuple[str, ...] = ()
    tried: list[Tried] = field(default_factory=list)

    @property
    def best(self) -> Tried:
        return max(self.tried, key=lambda one: one.score)

    def score(self, mixture: Mixture, members: Sequence[str] | None = None) -> float:
        """BLEU of the development set under a mixture of all parts, or of some."""
        names = list(self.decoder.components)
        if members is None or list(members) == names:
            decoder = self.decoder.with_mixture(mixture)
        else:
            some = {name: self.decoder.components[name] for name in members}
            decoder = EnsembleDecoder(some, mixture, kind=self.decoder.kind, **self.decoder.settings)
        found = decoder.translate(self.inputs, threads=self.threads)
        # What is prepared is words already.
        score = bleu(found, self.targets, tokeniser="none")
        if members is None or list(members) == names:
            self.tried.append(Tried(mixture, score))
        return score

    def tune(self, start: Mixture, settings: EnsembleTuneSettings, progress: Progress) -> tuple[float, ...]:
        """Search lambdas from a mixture on; what was tried is kept. Gives the best score of each start."""
        names = list(self.decoder.components)
        scheme = settings.scheme
        if scheme == "auto":
            scheme = "joint" if len(names) <= _FEW else "pairwise"
        if scheme == "expected":
            return self._expected(start, settings, progress)
        common: dict[str, Any] = {
            "operation": start.operation,
            "scaling": start.scaling,
            "starts": settings.starts,
            "seed": settings.seed,
            "log": settings.log,
            "key": self.key(start),
            "progress": progress,
        }

        def evaluate(weights: Mapping[str, float], warm: Mapping[str, float] | None = None) -> float:
            members = [name for name in names if name in weights]
            factors = {name: own for name, own in start.spans.items() if name in members}
            temperatures = {name: own for name, own in start.temperatures.items() if name in members}
            # The search multiplies scores by temperatures, a mixture divides.
            temperatures |= {name: 1.0 / value for name, value in (warm or {}).items() if value != 1.0}
            mixture = replace(start, weights=dict(weights), spans=factors, temperatures=temperatures)
            return self.score(mixture, members)

        if scheme == "joint":
            found = tune_jointly(
                evaluate, names, temperatures=settings.temperatures, evaluations=settings.evaluations, **common
            )
        else:
            if settings.evaluations is not None:
                common["evaluations"] = settings.evaluations
            found = tune_pairwise(evaluate, names, **common)
        if not any(one.mixture.weights == found.weights for one in self.tried):
            # It was scored before the search was stopped and went on.
            evaluate(found.weights, found.temperatures if settings.temperatures else None)
        return found.scores

    def _expected(self, start: Mixture, settings: EnsembleTuneSettings, progress: Progress) -> tuple[float, ...]:
        from tolka.combine.expected_loop import tune_expected  # noqa: PLC0415 - the others need none of it
        from tolka.combine.parts import best_derivations, check_parts  # noqa: PLC0415

        names = list(self.decoder.components)
        # A part that counts nothing would stay so.
        begin = {name: float(start.weights.get(name, 1.0)) or WEIGHT_BOUNDS[0] for name in names}
        check_parts(self.decoder.with_mixture(replace(start, weights=begin)))

        def mixed(weights: Mapping[str, float], warm: Mapping[str, float]) -> Mixture:
            temperatures = {name: 1.0 / value for name, value in warm.items() if value != 1.0}
            return replace(start, weights=dict(weights), temperatures=temperatures)

        def decode(weights: Mapping[str, float], warm: Mapping[str, float]) -> list[Derivations]:
            decoder = self.decoder.with_mixture(mixed(weights, warm))
            return best_derivations(decoder, self.inputs, threads=self.threads)

        result = tune_expected(
            decode,
            self.targets,
            begin,
            operation=start.operation,  # type: ignore[arg-type]  # a switch was refused
            scaling=start.scaling,
            temperatures=settings.temperatures,
            # The search multiplies scores by temperatures, a mixture divides.
            warmth={name: 1.0 / float(start.temperatures.get(name, 1.0)) for name in names},
            log=settings.log,
            key=self.key(start),
            progress=progress,
        )
        self.tried += [Tried(mixed(step.weights, step.temperatures), step.score) for step in result.history]
        return (result.score,)

    def key(self, mixture: Mixture) -> str:
        """What scores depend on beside lambdas and the temperatures that are tuned."""
        told = replace(mixture, weights={})
        parts = [sorted(one.weights.items()) for one in self.decoder.components.values()]
        settings = sorted(self.decoder.settings.items())
        texts = [str(one) for one in self.inputs]
        names = list(self.decoder.components)
        whole = repr((told, names, self.contents, parts, settings, texts, list(self.targets)))
        return hashlib.sha256(whole.encode()).hexdigest()


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
