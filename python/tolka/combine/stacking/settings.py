"""What is stacked, and what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tolka.combine.folds import every_nth
from tolka.combine.tuning import OPERATIONS
from tolka.decode.ensemble import MOST_COMPONENTS
from tolka.errors import InputError, SettingsError
from tolka.train import defaults

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Literal

    from tolka.corpus import CorpusFiles
    from tolka.decode.mixture import Operation
    from tolka.translate import Kind
    from tolka.translate.description import Strategy
    from tolka.translate.ensemble import Scale

CONVENTIONAL, RETRAINED, RESUB, BMA, AVERAGE, SEEDS, MEAN = (
    "conventional",
    "retrained",
    "resub",
    "bma",
    "average",
    "seeds",
    "mean",
)
SCHEMES = ("", "fixed-", "without-", "with-")
"""How models come to differ: each does without a fold of all text and is tuned on it; without a fold of the training text;
with a sample of it without replacement; with replacement. What rows of each begin with."""

PLAIN = (CONVENTIONAL, RETRAINED, RESUB, BMA, AVERAGE)
"""Rows that are one model."""

ROWS: tuple[str, ...] = (*PLAIN, SEEDS, *(f"{scheme}{one}" for scheme in SCHEMES for one in (MEAN, *OPERATIONS)))
"""All rows of a comparison."""

USUAL: tuple[str, ...] = tuple(
    row for row in ROWS if not row.startswith(SCHEMES[1:]) or row.endswith((f"-{MEAN}", "-wsum"))
)
"""Those that are made if none are named."""

FOLD_PAIRS = 2000
"""Pairs of a fold, if there are many: the size of a usual development set."""
LEAST_FOLD_PAIRS = 100
"""With fewer in a fold, tuning on it is much luck."""
MOST_USED = 11
"""Models, unless more are asked for."""
MOST_TUNINGS = 100


def usual_folds(pairs: int) -> int:
    """How many folds a text of so many pairs is divided into.

    Example:
        >>> [usual_folds(pairs) for pairs in (300, 2000, 12_000, 102_000)]
        [4, 8, 8, 51]
    """
    small = min(8, max(4, pairs // LEAST_FOLD_PAIRS))
    return max(small, round(pairs / FOLD_PAIRS))


@dataclass(frozen=True)
class StackSettings:
    """What is stacked, and how.

    Attributes:
        dev: Source and target of a development set.
        langs: The languages of source and target.
        train: The training text; without one, the development set is all there is.
        test: Source and target of a test set; or none.
        folds: Folds that all text is divided into; by default of about 2,000 pairs, and 8 of little text.
        every: Every so-manieth fold makes a model; by default as makes 11 at most.
        contiguous: Whether folds are runs of sentences, and not shuffled.
        operation: How models are mixed.
        scale: What the weights of each model are divided by: `auto`, `l1`, `lm` or `none`.
        held_lm: Whether each model is tuned with a language model that has not seen its fold.
        most: Pairs of its fold that a model is tuned on, at most.
        compare: Whether other ways to use the same text are made, too.
        only: Rows to compare; the usual ones if there are none.
        share: How much of the training text samples have.
        tunings: How often everything is tuned, each time with another seed.
        kind: `hiero` or `phrase`.
        strategy: How models search, `chart` or `phrase`; the usual way of the kind if it is not said.
        tokenised: Whether the text is tokenised, and is left as it is.
        compounds: Whether compounds of the source are split; by default if its language has them.
        tuner: mira, pro, mert, forest-mira or forest-mert.
        lm: A language model to use instead of those of the target text.
        order: Of the language model.
        seed: Of everything random; the second tuning has the next one.
        threads: 0 for all cores; results do not depend on it.
        overrides: Further settings of any stage, as `tune.iterations=5`.
        force: Whether to go on although the text looks wrong.
    """

    dev: tuple[Path, Path]
    langs: tuple[str, str]
    train: CorpusFiles | None = None
    test: tuple[Path, Path] | None = None
    folds: int | None = None
    every: int | None = None
    contiguous: bool = False
    operation: Operation = "wsum"
    scale: Scale | Literal["auto"] = "auto"
    held_lm: bool = True
    most: int = FOLD_PAIRS
    compare: bool = False
    only: tuple[str, ...] = ()
    share: float = 0.8
    tunings: int = 1
    kind: Kind = defaults.KIND
    strategy: Strategy | None = None
    tokenised: bool = False
    compounds: bool | None = None
    tuner: str = defaults.TUNE["tuner"]
    lm: Path | None = None
    order: int = defaults.LM["order"]
    seed: int = 1
    threads: int = 0
    overrides: tuple[str, ...] = ()
    force: bool = False

    def __post_init__(self) -> None:
        for name in ("only", "overrides"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        whole = {"folds": (2, None), "every": (1, None), "most": (1, None), "tunings": (1, MOST_TUNINGS)}
        for name, (least, most) in whole.items():
            value = getattr(self, name)
            if value is None and name in {"folds", "every"}:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < least or (most and value > most):
                limits = f"{least} or more" if most is None else f"{least} to {most}"
                raise SettingsError(f"{name} cannot be {value!r}", hint=f"say {limits}")
        if not 0 < self.share < 1:
            raise SettingsError(f"the share cannot be {self.share}", hint="give a number between 0 and 1")
        if self.operation not in OPERATIONS:
            raise SettingsError(f"unknown operation {self.operation!r}", hint=f"use {', '.join(OPERATIONS)}")
        if unknown := next((one for one in self.only if one not in ROWS), None):
            raise SettingsError(f"there is no row {unknown!r}", hint=f"use some of {', '.join(ROWS)}")
        if (self.compare or self.only) and self.test is None:
            raise SettingsError("there is no test set to compare on", hint="name one with --test")
        if self.folds is not None:
            self._check_used(self.folds)

    def _check_used(self, folds: int) -> None:
        used = len(every_nth(folds, self.every or 1))
        if used > MOST_COMPONENTS:
            what = f"{used} folds make more models than the {MOST_COMPONENTS} that can translate together"
            raise SettingsError(what, hint="use some of them with --every")
        if used < 2:  # noqa: PLR2004
            raise SettingsError(f"of {folds} folds, every {self.every}th is one model", hint="use more of them")

    def divided(self, pairs: int) -> StackSettings:
        """The same with the numbers of folds and of models that suit so many pairs, where they are not said.

        Raises:
            InputError: There are fewer pairs than folds.
            SettingsError: One model is left.
        """
        folds = self.folds or usual_folds(pairs)
        if pairs < folds:
            what = f"{pairs} sentence pairs cannot be divided into {folds} folds"
            raise InputError(what, hint="ask for fewer, or give more text")
        # Whoever says how many folds there are wants them all.
        return replace(self, folds=folds, every=self.every or (1 if self.folds else -(-folds // MOST_USED)))

    @property
    def used(self) -> tuple[int, ...]:
        """The folds that make models, of settings that say how many there are.

        Raises:
            SettingsError: They do not.
        """
        if self.folds is None or self.every is None:
            raise SettingsError("the number of folds is not known yet", hint="use divided with the number of pairs")
        return tuple(every_nth(self.folds, self.every))

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows that are wanted: of a comparison, or the ensemble alone if there is a test set."""
        if self.test is None:
            return ()
        if not self.compare and not self.only:
            return (self.operation,)
        wanted = self.only or USUAL
        return tuple(row for row in ROWS if row in wanted)
