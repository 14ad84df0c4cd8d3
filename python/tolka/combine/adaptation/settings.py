"""What is compared, and on which text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from tolka.combine.tuning import OPERATIONS, Scheme
from tolka.errors import SettingsError
from tolka.train import defaults

if TYPE_CHECKING:
    from pathlib import Path

    from tolka.corpus import CorpusFiles
    from tolka.grammar.join import How
    from tolka.translate import Kind
    from tolka.translate.description import Strategy
    from tolka.translate.ensemble import Scale

IN, OUT, ALL = "in", "out", "concatenation"
LINEAR = "linear"
SELECTION = "selection"
TUNED = "-tuned"

TABLES: dict[str, tuple[How, str]] = {
    "log-linear": ("log-linear", ""),
    LINEAR: ("linear", "em"),
    "perplexity": ("linear", "perplexity"),
    "fill-up": ("fill-up", ""),
    "back-off": ("back-off", ""),
    "union": ("union", ""),
    "intersection": ("intersection", ""),
}
"""Rows that are one table of several: how `tolka.grammar.join_tables` joins them, and where weights come from."""

ENSEMBLES: tuple[str, ...] = tuple(f"{one}{end}" for one in OPERATIONS for end in ("", TUNED))
"""Rows that are ensembles, with equal lambdas and with tuned ones."""

MOST_CORPORA = 64
MOST_TUNINGS = 100


@dataclass(frozen=True)
class AdaptSettings:
    """What is adapted to what, and how.

    Attributes:
        inside: The text of the domain, called `in`.
        outside: Texts of other domains.
        dev: Source and target of a development set of the domain.
        test: The same of a test set.
        langs: The languages of source and target.
        only: Rows to make; all if there are none.
        parts: Rows that ensembles are made of; the one of each text alone if there are none.
        tunings: How often everything is tuned, each time with another seed.
        kind: `hiero` or `phrase`.
        strategy: How models search, `chart` or `phrase`; the usual way of the kind if it is not said.
        tokenised: Whether the text is tokenised, and is left as it is.
        compounds: Whether compounds of the source are split; by default if its language has them.
        tuner: mira, pro, mert, forest-mira or forest-mert.
        lm: The language model that all share: of the target sides of all texts as one (`all`), one of each that are
            interpolated as suits the development set best (`mixed`), or a file.
        order: Of the language model.
        share: How much of the other texts is selected; that which suits the development set best if it is not said.
        scheme: How lambdas of ensembles are tuned, see `EnsembleTuneSettings`.
        starts: Starts of that search.
        evaluations: Decodings of each start, at most.
        scale: What the weights of an ensemble's parts are divided by: `auto`, `l1`, `lm` or `none`.
        seed: Of everything random; the second tuning has the next one.
        threads: 0 for all cores; results do not depend on it.
        overrides: Further settings of any stage, as `tune.iterations=5`.
        force: Whether to go on although the text looks wrong.
    """

    inside: CorpusFiles
    outside: tuple[CorpusFiles, ...]
    dev: tuple[Path, Path]
    test: tuple[Path, Path]
    langs: tuple[str, str]
    only: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    tunings: int = 1
    kind: Kind = defaults.KIND
    strategy: Strategy | None = None
    tokenised: bool = False
    compounds: bool | None = None
    tuner: str = defaults.TUNE["tuner"]
    lm: Literal["all", "mixed"] | Path = "all"
    order: int = defaults.LM["order"]
    share: float | None = None
    scheme: Scheme = "auto"
    starts: int = 3
    evaluations: int | None = None
    scale: Scale | Literal["auto"] = "auto"
    seed: int = 1
    threads: int = 0
    overrides: tuple[str, ...] = ()
    force: bool = False

    def __post_init__(self) -> None:
        for name in ("outside", "only", "parts", "overrides"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.outside:
            raise SettingsError("there is no text of another domain", hint="name one with --out")
        if 1 + len(self.outside) > MOST_CORPORA:
            raise SettingsError(f"{1 + len(self.outside)} texts are more than {MOST_CORPORA}")
        self._check_names()
        if isinstance(self.tunings, bool) or not 1 <= self.tunings <= MOST_TUNINGS:
            raise SettingsError(f"{self.tunings!r} tunings", hint=f"say 1 to {MOST_TUNINGS}")
        if self.share is not None and not 0 < self.share <= 1:
            raise SettingsError(f"the share cannot be {self.share}", hint="give a number above 0, up to 1")
        if self.scheme not in get_args(Scheme) or self.scheme == "uniform":
            raise SettingsError(f"lambdas are not tuned by {self.scheme!r}", hint="say auto, joint, pairwise, expected")

    def _check_names(self) -> None:
        if self.inside.name != IN:
            raise SettingsError(f"the text of the domain is called {self.inside.name!r}", hint="call it in")
        names = [one.name for one in self.outside]
        taken = {IN, ALL, SELECTION, *TABLES, *ENSEMBLES, *({OUT} if names[1:] else ())}
        if twice := next((name for name, count in Counter(names).items() if count > 1 or name in taken), None):
            raise SettingsError(f"a text of another domain cannot be called {twice}", hint=f"call it {twice}-1 or so")
        for listed, known in ((self.only, self.rows_there_are), (self.parts, self.plain_rows)):
            if unknown := next((one for one in listed if one not in known), None):
                raise SettingsError(f"there is no row {unknown!r} for that", hint=f"use some of {', '.join(known)}")
        if len(set(self.parts)) != len(self.parts) or len(self.parts) == 1:
            raise SettingsError("an ensemble needs two different parts or more", hint="say in,concatenation or so")

    @property
    def corpora(self) -> tuple[CorpusFiles, ...]:
        """All texts, that of the domain first."""
        return (self.inside, *self.outside)

    @property
    def alone(self) -> tuple[str, ...]:
        """The rows of each text alone."""
        return tuple(one.name for one in self.corpora)

    @property
    def plain_rows(self) -> tuple[str, ...]:
        """The rows that are no ensembles, in the order in which they are shown."""
        together = (OUT,) if len(self.outside) > 1 else ()
        return (*self.alone, *together, ALL, *TABLES, SELECTION)

    @property
    def rows_there_are(self) -> tuple[str, ...]:
        """All rows."""
        return (*self.plain_rows, *ENSEMBLES)

    @property
    def rows(self) -> tuple[str, ...]:
        """The rows that are wanted."""
        return tuple(one for one in self.rows_there_are if not self.only or one in self.only)

    @property
    def members(self) -> tuple[str, ...]:
        """The rows that ensembles are made of."""
        return self.parts or self.alone

    @property
    def systems(self) -> tuple[str, ...]:
        """The rows that have tables and weights of their own: those wanted, and those that ensembles need."""
        needed = self.members if any(one in ENSEMBLES for one in self.rows) else ()
        return tuple(one for one in self.plain_rows if one in self.rows or one in needed)
