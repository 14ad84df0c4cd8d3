"""What tolka raises: every error says what is wrong, where, and what to do next.

Everything tolka raises on purpose derives from `TolkaError`; anything else, and `InternalError`, is a bug worth
reporting. The command line prints such an error as one sentence and exits with its `exit_code`.

Example:
    >>> from tolka.errors import InputError
    >>> print(InputError("not valid UTF-8", path="train.de", line=3, byte=17, hint="re-encode the file as UTF-8"))
    train.de, line 3, byte 17: not valid UTF-8; re-encode the file as UTF-8
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from os import PathLike


class TolkaError(Exception):
    """The root of tolka's exceptions.

    Attributes:
        what: What is wrong, as the start of a sentence.
        path: The file it is in, if it is in one.
        line: The line, counted from 1.
        byte: The byte, counted from 1: within the line if a line is given, else within the file.
        hint: What to do about it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        what: str,
        *,
        path: str | PathLike[str] | None = None,
        line: int | None = None,
        byte: int | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(what)
        self.what = what
        self.path = None if path is None else Path(path)
        self.line = line
        self.byte = byte
        self.hint = hint

    def __str__(self) -> str:
        places = [
            *([str(self.path)] if self.path is not None else []),
            *([f"line {self.line}"] if self.line is not None else []),
            *([f"byte {self.byte}"] if self.byte is not None else []),
        ]
        where = f"{', '.join(places)}: " if places else ""
        after = f"; {self.hint}" if self.hint else ""
        return f"{where}{self.what}{after}"


class InputError(TolkaError):
    """The data is not what it should be: encoding, line counts that differ, an empty corpus, a NaN weight."""


class FormatError(TolkaError):
    """A file in one of tolka's formats, or a known foreign one, is malformed."""


class LimitError(TolkaError):
    """The data is well formed but larger than a limit of `tolka.limits` allows."""


class SettingsError(TolkaError):
    """An option or recipe key is unknown or has a value that makes no sense."""

    exit_code: ClassVar[int] = 2


class FileError(TolkaError):
    """The operating system refused: the file is missing, not readable, or the disk is full."""


class InternalError(TolkaError):
    """The engine did what it never should: a bug, with the place in its source, worth reporting."""


class MissingExtraError(TolkaError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an optional package", hint=f"install it with: pip install 'tolka[{extra}]'")
