"""Caps on what comes from outside, so that a broken or hostile file costs an error and not the machine.

Every reader takes a `Limits`; the defaults fit ordinary text with room to spare. To raise one:

    >>> from tolka.limits import DEFAULT
    >>> from dataclasses import replace
    >>> replace(DEFAULT, line_bytes=8 << 20).line_bytes
    8388608

For commands, and as the default of programs, a variable of the environment does the same: `TOLKA_LINE_BYTES=8388608`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_DIGITS = 19


@dataclass(frozen=True)
class Limits:
    """The caps; exceeding one raises `LimitError`.

    Attributes:
        line_bytes: Bytes in one line of text; a longer line is nearly always a file that is not text.
        file_bytes: Bytes a file may have after decompression.
        expansion: How many times larger than its compressed form a file may become (decompression bombs).
        sentence_tokens: Tokens in one sentence that a model is asked to work on.
        nbest: Translations asked for per sentence.
        model_bytes: Bytes of one model file that is opened.
        forest_bytes: Bytes of one forest in a file of forests, which is one long line.
    """

    line_bytes: int = 1 << 20
    file_bytes: int = 1 << 38
    expansion: int = 2000
    sentence_tokens: int = 1000
    nbest: int = 10_000
    model_bytes: int = 1 << 40
    forest_bytes: int = 1 << 26

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise SettingsError(f"limit {field.name} must be a positive whole number, not {value!r}")

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Limits:
        """The limits that an environment asks for, by variables such as `TOLKA_LINE_BYTES`; the usual ones otherwise.

        Example:
            >>> Limits.of({"TOLKA_NBEST": "20000"}).nbest
            20000
        """
        given = {}
        for field in fields(cls):
            name = f"TOLKA_{field.name.upper()}"
            if name in environment:
                text = environment[name]
                if not (text.isascii() and text.isdecimal() and 0 < len(text) < _MOST_DIGITS and int(text)):
                    raise SettingsError(f"{name} must be a positive whole number, not {text!r}", hint="unset it")
                given[field.name] = int(text)
        return cls(**given)


DEFAULT = Limits.of(os.environ)
