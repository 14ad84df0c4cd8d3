"""Every experiment of the thesis in one run: what it printed, what comes out here, and how far the two are apart.

What needs no data runs always. The rest runs on free text and judgements in place of licensed corpora and commercial
systems of 2006 to 2012, so those figures are not expected to be equal: the protocol is reproduced, the difference shown.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tolka.errors import SettingsError
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from tolka.progress import Progress

_ENDINGS = ("", ".xz", ".gz", ".zst")


class SkippedError(Exception):
    """An experiment that what is at hand does not allow; the message says what is missing."""


@dataclass(frozen=True)
class Finding:
    """One figure.

    Attributes:
        what: What it is.
        ours: Its value here.
        thesis: Its value there; None if the thesis has none.
        printed: Whether the thesis prints it, or it was worked out from the thesis's own numbers and definitions.
        within: How far apart the two may be when the figure does not depend on data or people; None if it does.
    """

    what: str
    ours: float
    thesis: float | None = None
    printed: bool = False
    within: float | None = None

    @property
    def difference(self) -> float | None:
        """Ours less the thesis's."""
        return None if self.thesis is None else self.ours - self.thesis

    @property
    def agrees(self) -> bool | None:
        """Whether the two are the same but for rounding; None where they need not be."""
        apart = self.difference
        return None if self.within is None or apart is None else abs(apart) <= self.within

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "what": self.what,
            "thesis": self.thesis,
            "printed": self.printed,
            "ours": self.ours,
            "difference": self.difference,
            "agrees": self.agrees,
        }


@dataclass(frozen=True)
class Setting:
    """What experiments may use.

    Attributes:
        data: A folder of corpora, laid out as docs/science/claire.md says; None if there is none.
        model: A translation model's directory; None to train a small one on the data.
        train: Trains a model from a source, a target and a development pair of files, and returns its directory.
        runs: Random repetitions of what is simulated or drawn.
        lines: Lines of a text to translate or to degrade.
        seed: Of everything random.
        threads: 0 for all cores; nothing depends on it.
        progress: Hears of long work.
    """

    data: Path | None = None
    model: Path | None = None
    train: Callable[[tuple[Path, Path], tuple[Path, Path], int], Path] | None = None
    runs: int = 10
    lines: int = 500
    seed: int = 1
    threads: int = 0
    progress: Progress = field(default=SILENT, repr=False)

    def file(self, name: str) -> Path:
        """A file of the data, plain or compressed.

        Raises:
            SkippedError: It is not there.
        """
        if self.data is None:
            raise SkippedError(f"needs {name} in a folder of data (--data)")
        found = [self.data / (name + ending) for ending in _ENDINGS if (self.data / (name + ending)).is_file()]
        if not found:
            raise SkippedError(f"there is no {name} in {self.data}")
        return found[0]


@dataclass(frozen=True)
class Experiment:
    """One experiment of the thesis.

    Attributes:
        name: Its name.
        where: Where in the thesis.
        about: What it finds out.
        run: Does it.
    """

    name: str
    where: str
    about: str
    run: Callable[[Setting], Sequence[Finding]]


@dataclass(frozen=True)
class Outcome:
    """What came of an experiment.

    Attributes:
        experiment: The experiment.
        findings: Its figures.
        skipped: Why it was not run; empty if it was.
        seconds: How long it took.
    """

    experiment: Experiment
    findings: tuple[Finding, ...]
    skipped: str
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """As JSON has it; without the time, so that equal runs are equal bytes."""
        one = self.experiment
        return {
            "experiment": one.name,
            "where": one.where,
            "about": one.about,
            "skipped": self.skipped or None,
            "findings": [finding.as_json() for finding in self.findings],
        }


def experiments() -> tuple[Experiment, ...]:
    """All of them, in the order of the thesis's argument.

    Example:
        >>> [one.name for one in experiments()][:2]
        ['worked-example', 'activations']
    """
    from tolka.judge.experiment.stand_ins import ON_DATA  # noqa: PLC0415 - they import this module
    from tolka.judge.experiment.worked import WORKED  # noqa: PLC0415

    return (*WORKED, *ON_DATA)


def reproduce(setting: Setting | None = None, *, only: Iterable[str] = ()) -> list[Outcome]:
    """Run all experiments, or those named; what the data at hand does not allow is skipped, with the reason.

    Raises:
        SettingsError: There is no experiment of a name.

    Example:
        >>> [outcome] = reproduce(only=["planner"])
        >>> outcome.findings[0].what, outcome.findings[0].ours, outcome.findings[0].agrees
        ('answers to tell 0.55 from 0.5, 5 items', 1526.0, True)
    """
    setting = setting or Setting()
    known = {one.name: one for one in experiments()}
    wanted = list(dict.fromkeys(only)) or list(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SettingsError(f"there is no experiment {unknown[0]!r}", hint=f"choose of {', '.join(known)}")
    outcomes = []
    with setting.progress.task("experiments", total=len(wanted), unit="experiments") as advance:
        for name in wanted:
            start = time.monotonic()
            findings: tuple[Finding, ...] = ()
            skipped = ""
            try:
                findings = tuple(known[name].run(setting))
            except SkippedError as missing:
                skipped = str(missing)
            outcomes.append(Outcome(known[name], findings, skipped, time.monotonic() - start))
            advance(1)
    return outcomes
