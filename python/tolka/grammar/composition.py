"""Two grammars as one, by the language between them (triangulation)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tolka._engine import ComposedRules, grammar_compose
from tolka.errors import InputError, SettingsError
from tolka.grammar.table import Grammar
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import TypeAlias

    from tolka.grammar.voice import Voice
    from tolka.progress import Progress

    Leg: TypeAlias = "Grammar | Voice | Composition"

Lexical = Literal["marginal", "links"]
"""Where lexical weights of a composed table come from."""


@dataclass(frozen=True)
class ComposeLimits:
    """How much of what could be composed is; 0 for all of it.

    Attributes:
        rules: Translations of a source side, the best.
        pivots: Pivot sides of a source side, the best that have translations.
        targets: Translations of a pivot side, the best.
        linked: Whether there must be a source word whose link leads through a pivot word to a target word.
    """

    rules: int = 100
    pivots: int = 100
    targets: int = 100
    linked: bool = False

    def __post_init__(self) -> None:
        for name in ("rules", "pivots", "targets"):
            if isinstance(getattr(self, name), bool) or not 0 <= getattr(self, name) < 1 << 31:
                raise SettingsError(f"{name} cannot be {getattr(self, name)}", hint="say 0 for all, or how many")

    def native(self) -> tuple[int, int, int, bool]:
        """As the engine has them."""
        return self.rules, self.pivots, self.targets, self.linked


class Composition:
    """Rules of source to pivot and of pivot to target as rules of source to target, composed while a decoder asks for them.

    A source phrase f and a target phrase e make a rule if there is a pivot phrase i with rules f → i and i → e. It has the
    features of both, of the way that they think best of: max over i of w₁·φ₁(f, i) + w₂·φ₂(i, e) (Razmara 2013, section
    3.4.1). Gaps are those of rules with the same gaps in the pivot. A leg may be a composition itself: a chain.

    Attributes:
        legs: Source to pivot, and pivot to target.
        names: What goes before the names of their features; an empty one leaves them as they are.

    Example:
        >>> import tempfile
        >>> from tolka.decode import Decoder
        >>> from tolka.grammar import Composition, extract
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     german = extract(["das haus"], ["the house"], ["0-0 1-1"], f"{folder}/de-en.tbl")
        ...     french = extract(["the house"], ["la maison"], ["0-0 1-1"], f"{folder}/en-fr.tbl")
        ...     through = Composition(german, french, names=("de-en", "en-fr"))
        ...     through.feature_names[::4], Decoder(through).translate(["das haus"])
        (('de-en.phrase_fe', 'en-fr.phrase_fe'), ['la maison'])
    """

    def __init__(
        self,
        first: Leg,
        second: Leg,
        *,
        names: tuple[str, str] = ("first", "second"),
        sums: tuple[Mapping[str, float], Mapping[str, float]] | None = None,
        limits: ComposeLimits | None = None,
        recased: bool = False,
    ) -> None:
        """Compose two grammars.

        Args:
            first: Source to pivot.
            second: Pivot to target.
            names: What goes before the names of their features.
            sums: Weights of the features of both legs, 0 if not named, under which all ways through the pivot are added up,
                log Σ exp(w₁·φ₁ + w₂·φ₂), as the only feature: `through`.
            limits: How much is composed.
            recased: Whether words of the pivot that the second leg has only in another case are the same.

        Raises:
            InputError: The legs share no word, or are something else than grammars.
            SettingsError: A leg that cannot be composed, weights of features that there are not.
        """
        for leg in (first, second):
            if not hasattr(leg, "native"):
                raise InputError(f"a leg is no grammar: {leg!r}", hint="give two of tolka.grammar")
        self.legs = (first, second)
        self.names = names
        self.limits = ComposeLimits() if limits is None else limits
        self.recased = recased
        self.sums = sums
        given = None if sums is None else [_row(leg, weights) for leg, weights in zip(self.legs, sums, strict=True)]
        self._native = ComposedRules(
            (names[0], first.native),
            (names[1], second.native),
            sums=None if given is None else (given[0], given[1]),
            limits=self.limits.native(),
            recased=recased,
        )

    @property
    def native(self) -> ComposedRules:
        """What the engine has of it."""
        return self._native

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features: those of the first leg, those of the second, and orientations if both have some."""
        return tuple(self._native.feature_names)

    @property
    def leg_features(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The features of each leg that count, by their own names."""
        first, second = self._native.leg_features
        return tuple(first), tuple(second)

    @property
    def shared_words(self) -> int:
        """How many words of the pivot both legs have."""
        return self._native.shared_words

    @property
    def meets(self) -> bool:
        """Whether any rule is composed; looks no further than at the first source side that leads through the pivot."""
        first: Leg = self
        while isinstance(first, Composition):
            first = first.legs[0]
        return self._native.meets(first.native if isinstance(first, Grammar) else first.table.native)

    def __repr__(self) -> str:
        """Say what it is."""
        return f"Composition({self.legs[0]!r}, {self.legs[1]!r})"


def _row(leg: Leg, weights: Mapping[str, float]) -> list[float]:
    """Weights in the order of the features that count: all but orientations."""
    names = [name for name in leg.feature_names if not name.startswith("reorder_")]
    if unknown := next((name for name in weights if name not in leg.feature_names), None):
        raise SettingsError(f"a leg has no feature {unknown!r}", hint=f"its features are {', '.join(names)}")
    return [float(weights.get(name, 0.0)) for name in names]


@dataclass(frozen=True)
class ComposedTable:
    """A table that was composed.

    Attributes:
        grammar: The table.
        rules: Its rules.
        sources: Source sides of the first table.
        reached: Those of them that have a rule.
        ways: Ways through the pivot.
        shared_words: Words of the pivot that both tables have.
    """

    grammar: Grammar
    rules: int
    sources: int
    reached: int
    ways: int
    shared_words: int


def compose_tables(
    first: Grammar | str | PathLike[str],
    second: Grammar | str | PathLike[str],
    path: str | PathLike[str],
    how: Literal["sum", "max"] = "sum",
    *,
    lexical: Lexical = "marginal",
    limits: ComposeLimits | None = None,
    floor: float = 1e-6,
    exact: bool = True,
    recased: bool = False,
    threads: int = 0,
    progress: Progress = SILENT,
) -> ComposedTable:
    """Make one table of two by the language between them: p(e|f) = Σ p(e|i) p(i|f), and so for the other probabilities.

    Pivot sides of the first that the second does not have are lost, so probabilities of a source side sum to less than 1.
    Orientations are those of both legs, weighed by p(e|i) p(i|f). Counts are unknown.

    Args:
        first: Source to pivot, or its file.
        second: Pivot to target, or its file.
        path: The file to write; it is there whole or not at all.
        how: Whether ways through the pivot are added up, or the greatest is taken (of each feature).
        lexical: `marginal` adds lexical weights up like other probabilities; `links` makes them again from the links that
            lead through the pivot (Wu & Wang 2007).
        limits: How much is composed.
        floor: The least probability.
        exact: Whether features are stored as they are; if not, each is the nearest of 256 values.
        recased: See `Composition`.
        threads: Threads to use; 0 means all cores. The table does not depend on it.
        progress: Told of source sides.

    Raises:
        InputError: A table lacks one of the four probabilities, the tables share no word, or no rule is composed.
        SettingsError: A setting makes no sense.
        FormatError: A damaged table.

    Example:
        >>> import math, tempfile
        >>> from tolka.grammar import compose_tables, extract
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     german = extract(["haus", "haus"], ["house", "home"], ["0-0", "0-0"], f"{folder}/de-en.tbl", kind="phrase")
        ...     french = extract(["house", "home"], ["maison", "maison"], ["0-0", "0-0"], f"{folder}/en-fr.tbl", kind="phrase")
        ...     made = compose_tables(german, french, f"{folder}/de-fr.tbl")
        ...     [(rule.source, rule.target, round(math.exp(rule.features["phrase_ef"]), 3)) for rule in made.grammar.rules("haus")]
        [('haus', 'maison', 1.0)]
    """
    legs = [leg if isinstance(leg, Grammar) else Grammar.load(leg) for leg in (first, second)]
    for leg in legs:
        if leg.path is not None and Path(path).exists() and Path(path).samefile(leg.path):
            raise InputError(
                "the new grammar would replace one that it is made of", path=path, hint="name another file"
            )
    with progress.task("composing", total=None, unit="source sides") as advance:
        found = grammar_compose(
            ("first", legs[0].native),
            ("second", legs[1].native),
            path,
            how=how,
            lexical=lexical,
            limits=(ComposeLimits() if limits is None else limits).native(),
            floor=floor,
            exact=exact,
            recased=recased,
            threads=threads,
            step=advance,
        )
    return ComposedTable(Grammar.load(path), *found)
