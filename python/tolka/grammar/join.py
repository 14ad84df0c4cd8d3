"""Several tables of rules as one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from tolka._engine import grammar_join
from tolka.errors import InputError, SettingsError
from tolka.grammar.table import Grammar
from tolka.progress import SILENT

if TYPE_CHECKING:
    from tolka.progress import Progress

    Tables = Mapping[str, Grammar | str | PathLike[str]]
    Weights = Mapping[str, float] | Mapping[str, Mapping[str, float]]

How = Literal["linear", "log-linear", "union", "intersection", "fill-up", "back-off", "voices"]
"""How tables are joined."""

PROBABILITIES = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
"""The features that a linear mixture mixes, each with weights of its own."""

FLOOR = 1e-6
"""The least probability of a feature, as in extraction."""


def join_tables(
    tables: Tables,
    path: str | PathLike[str],
    how: How = "linear",
    *,
    weights: Weights | None = None,
    floor: float = FLOOR,
    exact: bool = True,
    threads: int = 0,
    progress: Progress = SILENT,
) -> Grammar:
    """Make one table of several. Rules are the same if both sides are, word by word, and the category.

    | how | rules | features |
    |---|---|---|
    | `linear` | of all tables | p = Σ λ p, 0 where a table lacks the rule (Foster et al. 2010) |
    | `log-linear` | of all tables | side by side, as `in.phrase_ef` of a table called `in`; ln `floor` where it lacks the rule (Foster & Kuhn 2007) |
    | `union` | of all tables | side by side; 0 where a table lacks the rule |
    | `intersection` | that all tables have | side by side |
    | `fill-up` | of all tables | of the first table that has the rule; `from_b` is 1 if that is the later table `b` (Bisazza et al. 2011) |
    | `back-off` | of the first table that has the source side | the same |
    | `voices` | of all tables | those of each table, which is a *voice* of the new one (see `tolka.grammar.Voice`) |

    Alignments are those of the first table that has the rule. Counts are added, and unknown if one of the tables has
    none; `fill-up` and `back-off` take rules as they are. What a linear mixture does with other features than the four
    probabilities, and where orientations go, is in docs/grammar.md.

    Args:
        tables: Grammars or their files, by names that become part of features' names.
        path: The file to write; it is there whole or not at all.
        how: See above.
        weights: The λ of a linear mixture, which sum to 1: for each table one, or for each of the four probabilities
            one for each table, as `tolka.combine.mixture_weights` finds them. All alike if not given.
        floor: The least probability.
        exact: Whether features are stored as they are; if not, each is the nearest of 256 values fitted to its feature,
            and the table much smaller.
        threads: Threads to use; 0 means all cores. The table does not depend on it.
        progress: Told of the rules read.

    Raises:
        SettingsError: An unknown `how`, weights that make no sense, fewer than two tables.
        LimitError: More than 64 tables.
        InputError: A table without rules, features that differ where they may not, or no rule that all tables have.
        FormatError: A damaged table.

    Example:
        >>> import tempfile
        >>> from tolka.grammar import extract
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     law = extract(["das recht"], ["the law"], ["0-0 1-1"], f"{folder}/law.tbl", kind="phrase")
        ...     talk = extract(["recht", "recht"], ["right", "law"], ["0-0", "0-0"], f"{folder}/talk.tbl", kind="phrase")
        ...     both = join_tables({"law": law, "talk": talk}, f"{folder}/both.tbl", weights={"law": 0.6, "talk": 0.4})
        ...     [(rule.target, round(2.718281828 ** rule.features["phrase_ef"], 3)) for rule in both.rules("recht")]
        [('law', 0.8), ('right', 0.2)]
    """
    opened = open_tables(tables)
    for name, grammar in opened.items():
        if grammar.path is not None and Path(path).exists() and Path(path).samefile(grammar.path):
            what = f"the new grammar would replace the table {name}, which it is made of"
            raise InputError(what, path=path, hint="name another file")
    given = _weights(weights, opened) if how == "linear" or weights is not None else None
    with progress.task("joining", total=sum(map(len, opened.values())), unit="rules") as advance:
        try:
            grammar_join(
                [(name, grammar.native) for name, grammar in opened.items()],
                path,
                how=how,
                weights=given,
                floor=floor,
                exact=exact,
                threads=threads,
                step=advance,
            )
        except OverflowError as error:
            raise SettingsError("a setting is negative or too large") from error
    return Grammar.load(path)


def open_tables(tables: Tables) -> dict[str, Grammar]:
    """The tables, those given as files loaded.

    Raises:
        InputError: Something else than tables by name.
    """
    if not isinstance(tables, Mapping):
        raise InputError("the tables have no names", hint='give them as {"in": ..., "out": ...}')
    opened = {}
    for name, table in tables.items():
        if not isinstance(table, (Grammar, str, PathLike)):
            raise InputError(f"{name} is neither a grammar nor a file: {table!r}")
        opened[name] = table if isinstance(table, Grammar) else Grammar.load(table)
    return opened


def _weights(weights: Weights | None, tables: Mapping[str, Grammar]) -> list[list[float]]:
    """For each of the four probabilities a weight for each table."""
    if weights is None:
        return [[1 / len(tables) for _ in tables] for _ in PROBABILITIES]
    if not any(isinstance(value, Mapping) for value in weights.values()):
        return [_row("", cast("Mapping[str, float]", weights), tables)] * len(PROBABILITIES)
    strange = [name for name in weights if name not in PROBABILITIES]
    if strange:
        raise SettingsError(f"{strange[0]} is no probability of a rule", hint=f"use {', '.join(PROBABILITIES)}")
    alike = {name: 1 / len(tables) for name in tables}
    rows = []
    for feature in PROBABILITIES:
        own = weights.get(feature)
        if own is None:
            if any(feature in grammar.feature_names for grammar in tables.values()):
                raise SettingsError(f"there are no weights of {feature}")
            own = alike
        if not isinstance(own, Mapping):
            raise SettingsError(f"the weights of {feature} are not weights of tables")
        rows.append(_row(f" of {feature}", own, tables))
    return rows


def _row(of: str, weights: Mapping[str, float], tables: Mapping[str, Grammar]) -> list[float]:
    for name in tables:
        if name not in weights:
            raise SettingsError(f"there is no weight{of} for the table {name}")
    for name, weight in weights.items():
        if name not in tables:
            raise SettingsError(f"there is a weight{of} for {name}, which is no table")
        if not (math.isfinite(weight) and weight >= 0):
            raise SettingsError(f"the weight{of} for {name} is {weight}", hint="give numbers from 0 up that sum to 1")
    return [float(weights[name]) for name in tables]
