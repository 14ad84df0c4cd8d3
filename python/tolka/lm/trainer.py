"""Estimating language models."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tolka._engine import LmTrainer
from tolka.errors import SettingsError
from tolka.limits import DEFAULT
from tolka.lm.model import LanguageModel, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka._engine import LmReport
    from tolka.limits import Limits

DEFAULT_MEMORY = 2 << 30

Smoothing = Literal["kneser-ney", "witten-bell"]


@dataclass(frozen=True)
class TrainingReport:
    """What training found out beside the model.

    Attributes:
        order: The length of the longest n-grams.
        smoothing: The family of the model.
        prune: The pruning thresholds as given.
        sentences: Lines of the text.
        tokens: Words of the text.
        skipped: Words spelled `<s>`, `</s>` or `<unk>`, which were left out.
        counted: N-grams of each order in the text.
        kept: N-grams of each order in the model.
        discounts: Kneser-Ney's discounts of counts of 1, 2, and 3 or more, per order.
        fallback: Orders whose discounts could not be estimated and are the fallback.
        warnings: What a person should know, one sentence each.
    """

    order: int
    smoothing: str
    prune: tuple[int, ...]
    sentences: int
    tokens: int
    skipped: int
    counted: tuple[int, ...]
    kept: tuple[int, ...]
    discounts: tuple[tuple[float, float, float], ...]
    fallback: tuple[int, ...]
    warnings: tuple[str, ...]


class LanguageModelTrainer:
    """Estimates n-gram models.

    Args:
        order: The length of the longest n-grams, 1 to 8.
        smoothing: "kneser-ney" (interpolated modified Kneser-Ney, the values of KenLM's lmplz) or "witten-bell".
        prune: Per order, the count at or below which n-grams are left out; the last value goes for all higher orders:
            `(0, 0, 1)` drops trigrams and longer n-grams that occur once.
        fallback: Discounts of counts of 1, 2, and 3 or more, where a text is too small to estimate them.
        memory: Bytes that estimation may use; beyond them it sorts on disk (in TMPDIR), with the same result. The
            vocabulary is always in memory, and so is a model that `train` returns; `train_to` needs no more than this.
        classes: A map from words to classes makes this a class model: p(w|h) = p(class of w | classes of h) p(w | class).
            Words that are not in it are classes of their own.
        threads: Threads to use; 0 means all cores. The model does not depend on it.

    Attributes:
        report_: A `TrainingReport` of the last training.

    Example:
        >>> trainer = LanguageModelTrainer(order=3)
        >>> lm = trainer.train(["a b c", "a b d"])
        >>> lm.counts
        (7, 6, 5)
        >>> trainer.report_.fallback
        (1, 2, 3)
    """

    def __init__(
        self,
        order: int = 5,
        smoothing: Smoothing = "kneser-ney",
        *,
        prune: Sequence[int] = (),
        fallback: tuple[float, float, float] = (0.5, 1.0, 1.5),
        memory: int = DEFAULT_MEMORY,
        classes: Mapping[str, str] | None = None,
        threads: int = 0,
    ) -> None:
        self.order = order
        self.smoothing = smoothing
        self.prune = tuple(prune)
        self.fallback = fallback
        self.memory = memory
        self.classes = classes
        self.threads = threads
        self.report_: TrainingReport | None = None

    def train(self, text: Iterable[str] | str | PathLike[str], *, limits: Limits = DEFAULT) -> LanguageModel:
        """Estimate a model of a text.

        Args:
            text: A path (string or `Path`) of a file with one sentence a line, plain or compressed; "-" is standard
                input. Or the lines.
            limits: Caps on lines and files.

        Raises:
            SettingsError: A setting makes no sense.
            InputError: The text is empty or not UTF-8.
            LimitError: A line or the file is larger than `limits` allow.
        """
        model, report = self._read(text, limits).finish(threads=self.threads)
        self.report_ = _report(self, report)
        return LanguageModel(model)

    def train_to(
        self, path: str | PathLike[str], text: Iterable[str] | str | PathLike[str], *, limits: Limits = DEFAULT
    ) -> TrainingReport:
        """Estimate a model of a text and write it to an ARPA file, never holding more than `memory`.

        Args:
            path: The file to write, compressed as its name says.
            text: As for `train`.
            limits: Caps on lines and files.
        """
        self.report_ = _report(self, self._read(text, limits).finish_to(path, threads=self.threads))
        return self.report_

    def last_report(self) -> TrainingReport:
        """The report of the last training.

        Raises:
            SettingsError: There was none.
        """
        if self.report_ is None:
            raise SettingsError("nothing was trained yet")
        return self.report_

    def _read(self, text: Iterable[str] | str | PathLike[str], limits: Limits) -> LmTrainer:
        engine = LmTrainer(
            order=self.order,
            smoothing=self.smoothing,
            prune=list(self.prune),
            fallback=list(self.fallback),
            memory=self.memory,
            classes=None if self.classes is None else dict(self.classes),
        )
        if isinstance(text, (str, PathLike)) and str(text) != "-":
            engine.add_file(
                text, line_bytes=limits.line_bytes, file_bytes=limits.file_bytes, expansion=limits.expansion
            )
        else:
            for piece in pieces(Path("-") if isinstance(text, (str, PathLike)) else text):
                engine.add(piece)
        return engine


def _report(trainer: LanguageModelTrainer, report: LmReport) -> TrainingReport:
    warnings = []
    if report.fallback:
        orders = ", ".join(map(str, report.fallback))
        warnings.append(
            f"the text is too small or too regular to estimate Kneser-Ney discounts for order {orders}; "
            f"the fallback {trainer.fallback} was used"
        )
    if report.skipped:
        warnings.append(
            f"{report.skipped} words spelled <s>, </s> or <unk> were skipped: they have a meaning of their own"
        )
    return TrainingReport(
        order=trainer.order,
        smoothing=trainer.smoothing,
        prune=trainer.prune,
        sentences=report.sentences,
        tokens=report.tokens,
        skipped=report.skipped,
        counted=tuple(report.counted),
        kept=tuple(report.kept),
        discounts=tuple(report.discounts),
        fallback=tuple(report.fallback),
        warnings=tuple(warnings),
    )
