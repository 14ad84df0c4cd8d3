"""Files of weights: a name and a value per line, as in cdec and Travatar; Moses' `[weight]` section is read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError
from tolka.files import write_atomic
from tolka.limits import DEFAULT, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike
    from pathlib import Path


def read_weights(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> dict[str, float]:
    """Read weights by name.

    A line is `Name value`; blank lines and those that begin with `#` are skipped. In a moses.ini the lines of the
    section `[weight]` count: `LM0= 0.5` is the weight LM0, and of `TM0= 0.2 0.3` the weights are TM0_0 and TM0_1.

    Raises:
        FormatError: A line that is no weight, a value that is not finite, or a name that comes twice.
    """
    weights: dict[str, float] = {}
    section: str | None = None
    for number, line in enumerate(read_lines(path, limits=limits), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if text.startswith("[") and text.endswith("]"):
            section = text[1:-1]
            if section.startswith("weight-"):
                what = f"the section [{section}] is of an old Moses"
                raise FormatError(what, path=path, line=number, hint="write its weights in a section [weight]")
            continue
        if section in (None, "weight"):
            for name, value in _entries(text, path, number, moses=section is not None):
                if name in weights:
                    raise FormatError(f"the feature {name!r} comes twice", path=path, line=number)
                weights[name] = value
    if section is not None and not weights:
        raise FormatError("there is no weight in a section [weight]", path=path)
    return weights


def write_weights(path: str | Path, weights: Mapping[str, float]) -> None:
    r"""Write weights, a name and a value per line; the file appears whole or not at all.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     path = Path(directory, "weights")
        ...     write_weights(path, {"LM": 0.5, "TM": -1.0})
        ...     path.read_text(), read_weights(path)
        ('LM 0.5\nTM -1.0\n', {'LM': 0.5, 'TM': -1.0})
    """
    for name, weight in weights.items():
        if not name or name.split() != [name] or name[0] in "#[":
            raise InputError(f"the name {name!r} cannot be written", hint="use names without blanks, # and [")
        if not math.isfinite(weight):
            raise InputError(f"the weight of {name!r} is {weight}, not a finite number")
    with write_atomic(path) as out:
        out.writelines(f"{name} {float(weight)!r}\n" for name, weight in weights.items())


def _entries(text: str, path: str | PathLike[str], line: int, *, moses: bool) -> Iterator[tuple[str, float]]:
    name, *values = text.split()
    if moses:
        if not name.endswith("=") or name == "=":
            raise FormatError("a weight of Moses looks like LM0= 0.5", path=path, line=line)
        name = name[:-1]
    elif len(values) > 1:
        raise FormatError("a line has a name and one value", path=path, line=line)
    if not values:
        raise FormatError(f"the feature {name!r} has no value", path=path, line=line)
    for place, value in enumerate(values):
        yield (name if len(values) == 1 else f"{name}_{place}"), _number(value, path, line)


def _number(text: str, path: str | PathLike[str], line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise FormatError(f"{text!r} is not a finite number", path=path, line=line)
    return value
