"""The aligner: one interface for every model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from tolka import files
from tolka._engine import AlignmentModel, LinkBeliefs
from tolka.errors import FormatError, InputError, SettingsError
from tolka.limits import DEFAULT, Limits
from tolka.progress import SILENT

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tolka.align.links import Link
    from tolka.progress import Progress

MODELS = ("ibm1", "ibm2", "diagonal", "gauss", "hmm", "fertility")
KIND = "aligner"
FILES = ("aligner.bin", "source.words", "target.words")

Pairs = Iterable[tuple[str, str]]


@dataclass
class Aligner:
    """Learns which words translate each other, in both directions at once.

    `None` leaves a setting to the model's default.

    Attributes:
        model: `ibm1`, `ibm2`, `diagonal`, `gauss`, `hmm` or `fertility`.
        variant: Of `gauss`: `vanilla`, `deficient`, `truncated` or `integrated`.
        seed: Of everything random.
        iterations: Of the model itself, where it is trained by expectation maximisation.
        warm_up: Iterations of Model 1 before it.
        prior: Dirichlet prior on lexical probabilities under expectation maximisation; 0 is maximum likelihood.
        null: Probability that a word has no partner (`diagonal`, `hmm`, `fertility`).
        agree: Let both directions learn from links they agree on (not for `gauss` and `fertility`).
        shrink: Pseudo-count that draws rare cells of `gauss` to the diagonal.
        chains: Gibbs chains for each direction (`fertility`).
        sweeps: Gibbs sweeps with words only, with jumps, with fertilities (`fertility`).
        samples: How many of the last sweeps are averaged (`fertility`).
        priors: Pseudo-counts of a word, of a word from NULL, of a jump, and of a fertility distribution (`fertility`).
        longest: Longer sentences are left out of training and aligned after it.
        memory: Bytes training may use; a larger corpus is trained in shards.
        threads: 0 for all cores; the result does not depend on it.
        limits: Caps on what comes from outside.

    Learned attributes:
        history_: Log-likelihood (forward, backward) before each iteration; empty for `fertility`.
        shards_: Into how many shards the corpus was cut.

    Example:
        >>> pairs = [("das Haus", "the house"), ("das Buch", "the book"), ("ein Buch", "a book")] * 10
        >>> aligner = Aligner(model="hmm").train(pairs)
        >>> aligner.align([("das Buch", "the book")])
        [[(0, 0), (1, 1)]]
    """

    model: str = "fertility"
    variant: str = "vanilla"
    seed: int = 1
    iterations: int | None = None
    warm_up: int | None = None
    prior: float | None = None
    null: float | None = None
    agree: bool | None = None
    shrink: float | None = None
    chains: int | None = None
    sweeps: tuple[int, int, int] | None = None
    samples: int | None = None
    priors: tuple[float, float, float, float] | None = None
    longest: int | None = None
    memory: int | None = None
    threads: int = 0
    limits: Limits = DEFAULT

    def __post_init__(self) -> None:
        self._native: AlignmentModel | None = None
        self._trained_on: LinkBeliefs | None = None
        self.history_: list[tuple[float, float]] = []
        self.shards_: int = 0

    def train(self, pairs: Pairs, *, progress: Progress = SILENT) -> Self:
        """Learn from tokenised sentence pairs, words separated by spaces.

        Raises:
            InputError: No pair has words on both sides.
            LimitError: A sentence has too many tokens.
            SettingsError: A setting makes no sense.
        """
        sources, targets = _sides(pairs)
        settings = self._settings()
        with progress.task("aligning", unit="steps") as advance:
            try:
                self._native, self._trained_on, self.history_, self.shards_ = AlignmentModel.train(
                    sources,
                    targets,
                    **settings,
                    threads=self.threads,
                    most_tokens=self.limits.sentence_tokens,
                    step=lambda: advance(1),
                )
            except OverflowError as error:
                raise SettingsError("a setting is negative or too large") from error
        return self

    def align(
        self,
        pairs: Pairs | None = None,
        *,
        symmetrise: str = "grow-diag-final-and",
        threshold: float = 0.5,
    ) -> list[list[Link]]:
        """Link the words of sentence pairs; of the training text if none are given.

        Args:
            pairs: Tokenised sentence pairs.
            symmetrise: How two directions become one; see `tolka.align.METHODS`.
            threshold: Least mean probability of a link, for `posterior`.

        Returns:
            For each pair its links, in order.
        """
        return self._beliefs(pairs).links(symmetrise, threshold)

    def lines(
        self,
        pairs: Pairs | None = None,
        *,
        symmetrise: str = "grow-diag-final-and",
        threshold: float = 0.5,
        probabilities: bool = False,
    ) -> list[str]:
        """As `align`, but as Pharaoh lines, `i-j` or with probabilities `i-j:p`."""
        return self._beliefs(pairs).lines(symmetrise, threshold, probabilities)

    def posteriors(self, pairs: Pairs | None = None) -> list[dict[Link, tuple[float, float]]]:
        """For each pair, its links worth mention with p(target from source) and p(source from target).

        Links below 0.02 in both directions are left out.
        """
        beliefs = self._beliefs(pairs)
        return [
            {(i, j): (forward, backward) for i, j, forward, backward in beliefs.pair(k)} for k in range(len(beliefs))
        ]

    def probability(self, source: str, target: str) -> tuple[float, float]:
        """t(target | source) and t(source | target) of two words."""
        return self._ready().probabilities(source, target)

    def log_confidences(self, pairs: Pairs, links: Sequence[Sequence[Link]]) -> NDArray[np.float64]:
        """For each tokenised pair the logarithm of Huang's (2009) confidence in its links.

        The mean over both directions of the sum over links of log t(linked words) / sum of t over the other sentence.

        Raises:
            InputError: The numbers of pairs differ, or a link is outside its pair.
        """
        sources, targets = _sides(pairs)
        return self._ready().log_confidences(
            sources,
            targets,
            [list(row) for row in links],
            threads=self.threads,
            most_tokens=self.limits.sentence_tokens,
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Save the trained model as a bundle, a directory with a manifest."""
        native = self._ready()
        kept = {name: value for name, value in self._settings().items() if value is not None}
        with files.save_bundle(str(path), kind=KIND, settings=kept) as out:
            native.save(*map(out.file, FILES))

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT, threads: int = 0) -> Self:
        """Open a saved aligner.

        Raises:
            FileError: There is none.
            FormatError: It is damaged or something else.
        """
        bundle = files.Bundle.open(str(path), kind=KIND, verify=False)
        aligner = cls(**_known(bundle.settings, path), limits=limits, threads=threads)
        tables, source, target = map(bundle.file, FILES)
        aligner._native = AlignmentModel.load(tables, source, target, limits.model_bytes)
        if aligner._native.name != aligner.model:
            raise FormatError(f"the manifest says {aligner.model}, the model is {aligner._native.name}", path=str(path))
        return aligner

    @classmethod
    def from_files(cls, files: Mapping[str, Path], *, limits: Limits = DEFAULT, threads: int = 0) -> Self:
        """Open an aligner whose files are part of something else, by their names; see `FILES`."""
        tables, source, target = (files[name] for name in FILES)
        native = AlignmentModel.load(tables, source, target, limits.model_bytes)
        aligner = cls(model=native.name, limits=limits, threads=threads)
        aligner._native = native
        return aligner

    def _settings(self) -> dict[str, Any]:
        settings = asdict(self)
        for name in ("threads", "limits"):
            del settings[name]
        if isinstance(self.seed, bool) or not 0 <= self.seed < 1 << 63:
            raise SettingsError(f"seed must be a whole number from 0, not {self.seed!r}")
        return settings

    def _ready(self) -> AlignmentModel:
        if self._native is None:
            raise InputError("the aligner knows nothing yet", hint="call train() or load() first")
        return self._native

    def _beliefs(self, pairs: Pairs | None) -> LinkBeliefs:
        native = self._ready()
        if pairs is None:
            if self._trained_on is None:
                raise InputError("a loaded aligner has no training text", hint="give the pairs to align")
            return self._trained_on
        sources, targets = _sides(pairs)
        return native.align(sources, targets, threads=self.threads, most_tokens=self.limits.sentence_tokens)


def _sides(pairs: Pairs) -> tuple[list[str], list[str]]:
    sources: list[str] = []
    targets: list[str] = []
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:  # noqa: PLR2004 - a pair
            raise InputError("each item must be a pair of sentences", hint="give (source, target) with words in spaces")
        sources.append(pair[0])
        targets.append(pair[1])
    return sources, targets


def _known(settings: Mapping[str, Any], path: str | PathLike[str]) -> dict[str, Any]:
    allowed = {name for name in Aligner.__dataclass_fields__ if name not in {"threads", "limits"}}
    unknown = sorted(set(settings) - allowed)
    if unknown:
        raise FormatError(f"the aligner has unknown settings: {', '.join(unknown)}", path=str(path))
    return {
        name: tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
        for name, value in settings.items()
    }
