"""How all sources of a translator are put together, and what of that is compared."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Literal, get_args

from tolka.combine.tuning import OPERATIONS, Scheme
from tolka.errors import SettingsError
from tolka.train import defaults

if TYPE_CHECKING:
    from tolka.combine.gathering.sources import Sources
    from tolka.combine.through import How
    from tolka.decode.mixture import Operation
    from tolka.translate import Kind

MOST_TUNINGS = 100

Step = Literal["stack", "through", "unknown"]
"""What can be done beyond a model of the direct text: several of it, each without a fold of it that it is tuned on (Razmara
2013, chapter 4); ways through other languages (chapter 3); translations of unknown words (chapter 5)."""

STEPS: tuple[Step, ...] = get_args(Step)
DIRECT = "direct"


@dataclass(frozen=True)
class Row:
    """Which steps a system is made with.

    Attributes:
        stack: Whether the direct text makes several models.
        through: Whether ways through other languages translate along.
        unknown: Whether unknown words are translated.
        direct: Whether there is a direct text.
    """

    stack: bool = False
    through: bool = False
    unknown: bool = False
    direct: bool = True

    @property
    def name(self) -> str:
        """What it is called.

        Example:
            >>> Row().name, Row(stack=True, unknown=True).name, Row(through=True, direct=False).name
            ('direct', 'stack+unknown', 'through')
        """
        first = ("stack" if self.stack else DIRECT,) if self.direct else ()
        rest = tuple(name for name in STEPS[1:] if getattr(self, name))
        return "+".join((*first, *rest))

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return self.stack + self.through + self.unknown

    def lacks(self, other: Row) -> bool:
        """Whether it is the other one without one of its steps."""
        return other.steps == self.steps + 1 and all(getattr(other, name) >= getattr(self, name) for name in STEPS)


@dataclass(frozen=True)
class GatherSettings:
    """What is put together, and how.

    Attributes:
        sources: What there is.
        without: Steps that are left out.
        compare: Whether the same with fewer steps is made, too, down to a model of the direct text alone.
        tunings: How often everything is tuned, each time with another seed.
        kind: `hiero` or `phrase`.
        tuner: mira, pro, mert, forest-mira or forest-mert.
        order: Of language models.
        how: How ways through other languages are composed; see `tolka.combine.make_through`.
        operation: How parts are mixed.
        scheme: How it is found what each counts; see `tolka.combine.EnsembleTuneSettings`.
        folds: Folds that a direct text is divided into; by default as for `tolka.combine.stack`.
        seed: Of everything random; the second tuning has the next one.
        threads: 0 for all cores; results do not depend on it.
        overrides: Further settings of any stage, as `tune.iterations=5`.
        force: Whether to go on although a text looks wrong.
    """

    sources: Sources
    without: tuple[str, ...] = ()
    compare: bool = False
    tunings: int = 1
    kind: Kind = defaults.KIND
    tuner: str = defaults.TUNE["tuner"]
    order: int = defaults.LM["order"]
    how: How = "dynamic"
    operation: Operation = "wsum"
    scheme: Scheme = "auto"
    folds: int | None = None
    seed: int = 1
    threads: int = 0
    overrides: tuple[str, ...] = ()
    force: bool = False

    def __post_init__(self) -> None:
        for name in ("without", "overrides"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if unknown := next((one for one in self.without if one not in STEPS), None):
            raise SettingsError(f"there is no step {unknown!r}", hint=f"use some of {', '.join(STEPS)}")
        if isinstance(self.tunings, bool) or not isinstance(self.tunings, int) or not 0 < self.tunings <= MOST_TUNINGS:
            raise SettingsError(f"tunings cannot be {self.tunings!r}", hint=f"say 1 to {MOST_TUNINGS}")
        if self.operation not in OPERATIONS:
            raise SettingsError(f"unknown operation {self.operation!r}", hint=f"use {', '.join(OPERATIONS)}")
        if self.compare and self.sources.test is None:
            raise SettingsError("there is no test set to compare on", hint='name one in the sources: test = ["…", "…"]')
        if not self.sources.direct and not self.steps:
            raise SettingsError("nothing is left to translate with", hint="leave a step in")

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that there are sources for."""
        there = {
            "stack": bool(self.sources.direct),
            "through": bool(self.sources.through),
            "unknown": self.sources.unknown is not None,
        }
        return tuple(one for one in STEPS if there[one] and one not in self.without)

    @property
    def whole(self) -> Row:
        """The system with all of them."""
        return self._row(*(one in self.steps for one in STEPS))

    @property
    def rows(self) -> tuple[Row, ...]:
        """The systems that are made, the one with all steps last."""
        if not self.compare:
            return (self.whole,)
        choices = [(False, True) if one in self.steps else (False,) for one in STEPS]
        rows = [self._row(*chosen) for chosen in product(*choices)]
        return tuple(row for row in rows if row.direct or row.through)

    def _row(self, stack: bool, through: bool, unknown: bool) -> Row:
        return Row(stack, through, unknown, direct=bool(self.sources.direct))
