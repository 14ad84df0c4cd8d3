"""More features for the rules of a grammar."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError
from tolka.grammar.table import Grammar
from tolka.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

_SIDES = 2


def add_features(
    grammar: Grammar, path: str | PathLike[str], features: Mapping[str, Callable[[str, str], float]]
) -> Grammar:
    """Write a grammar with more features, each computed from a rule's two sides.

    Decoders take the new features like all others: they begin with the weight 0 and are tuned.

    Args:
        grammar: The grammar, which stays as it is.
        path: Where the new one goes.
        features: By name, a function of the source and the target side (nonterminals are written `[X,1]`).

    Raises:
        InputError: A name that is taken, or a value that is not finite.

    Example:
        >>> import pathlib, tempfile
        >>> from tolka.grammar import Extractor
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     old, new = pathlib.Path(directory, "old.tbl"), pathlib.Path(directory, "new.tbl")
        ...     grammar = Extractor("phrase").extract(["das haus"], ["the house"], ["0-0 1-1"], old)
        ...     more = add_features(grammar, new, {"longer": lambda source, target: len(target) - len(source)})
        ...     more.rules("haus")[0].features["longer"]
        1.0
    """
    functions = list(features.values())

    def values(sources: list[str], targets: list[str]) -> list[float]:
        return [
            float(function(source, target))
            for source, target in zip(sources, targets, strict=True)
            for function in functions
        ]

    return _write(grammar, path, list(features), values)


def add_columns(
    grammar: Grammar,
    path: str | PathLike[str],
    scores: str | PathLike[str],
    *,
    names: Sequence[str] | None = None,
    default: float = 0.0,
    limits: Limits = DEFAULT,
) -> tuple[Grammar, int]:
    """Write a grammar with the features of a file.

    Args:
        grammar: The grammar, which stays as it is.
        path: Where the new one goes.
        scores: Lines of a source side, a target side and values, with tabs between them. Nonterminals are written
            `[X,1]`, as `tolka grammar show` prints them.
        names: Of the values; if not given, the first line has them, after two names for the sides.
        default: The value of rules that the file does not have.
        limits: Caps on the file.

    Returns:
        The new grammar, and how many rules had values in the file.

    Raises:
        FormatError: A line with another number of values, a value that is no finite number, or a rule that comes twice.
    """
    known: dict[tuple[str, str], list[float]] = {}
    for number, line in enumerate(read_lines(scores, limits=limits), 1):
        cells = line.split("\t")
        if names is None:
            if len(cells) <= _SIDES:
                hint = "begin the file with a line: source, target and the features' names, with tabs between them"
                raise FormatError("there are no names of features", path=scores, line=number, hint=hint)
            names = cells[_SIDES:]
            continue
        if len(cells) != _SIDES + len(names):
            what = f"{len(cells)} columns instead of {_SIDES + len(names)}"
            raise FormatError(what, path=scores, line=number, hint="source, target and values, with tabs between them")
        sides = (" ".join(cells[0].split()), " ".join(cells[1].split()))
        if sides in known:
            raise FormatError(f"the rule {sides[0]!r} to {sides[1]!r} comes twice", path=scores, line=number)
        known[sides] = [_number(cell, scores, number) for cell in cells[_SIDES:]]
    if names is None:
        raise InputError("the file is empty", path=scores)
    absent = [default] * len(names)
    found = 0

    def values(sources: list[str], targets: list[str]) -> list[float]:
        nonlocal found
        row = []
        for sides in zip(sources, targets, strict=True):
            own = known.get(sides)
            found += own is not None
            row += absent if own is None else own
        return row

    return _write(grammar, path, list(names), values), found


def _write(
    grammar: Grammar,
    path: str | PathLike[str],
    names: list[str],
    values: Callable[[list[str], list[str]], list[float]],
) -> Grammar:
    if grammar.path is not None and Path(path).exists() and Path(path).samefile(grammar.path):
        raise InputError("the new grammar would replace the one it is made of", path=path, hint="name another file")
    grammar.native.add_features(path, names, values)
    return Grammar.load(path)


def _number(text: str, path: str | PathLike[str], line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"{text!r} is not a finite number", path=path, line=line)
    return value
