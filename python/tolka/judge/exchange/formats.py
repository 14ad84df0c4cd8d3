"""Reading and writing answers by the name of their format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.judge.exchange.appraise import read_appraise
from tolka.judge.exchange.battles import read_battles
from tolka.judge.exchange.jsonl import read_jsonl, write_jsonl
from tolka.judge.exchange.mqm import read_mqm
from tolka.judge.exchange.parity import read_parity
from tolka.judge.exchange.preferences import read_preferences
from tolka.judge.exchange.rankings import read_rankings_as_answers
from tolka.judge.exchange.table import read_csv, write_csv, write_preferences
from tolka.judge.exchange.wmt import read_wmt
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from pathlib import Path

    from tolka.judge.answers import Answer
    from tolka.judge.exchange.reading import Answers
    from tolka.limits import Limits

FORMATS = ("wmt", "preferences", "appraise", "mqm", "battles", "parity", "rankings", "jsonl", "csv")
_PLAIN: dict[str, Callable[..., Answers]] = {
    "preferences": read_preferences,
    "mqm": read_mqm,
    "battles": read_battles,
    "rankings": read_rankings_as_answers,
    "jsonl": read_jsonl,
    "csv": read_csv,
}
_WITH_PAIR: dict[str, Callable[..., Answers]] = {"wmt": read_wmt, "appraise": read_appraise}
_FROM_FILES = {"appraise", "battles"}  # which form they have is seen from their beginning
_WRITERS: dict[str, Callable[[Path | str, Iterable[Answer]], int]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "preferences": write_preferences,
}
WRITTEN = tuple(_WRITERS)


def read_answers(
    path: str | PathLike[str],
    format: str = "jsonl",  # noqa: A002
    *,
    pair: str | None = None,
    criterion: str | None = None,
    limits: Limits = DEFAULT,
) -> Answers:
    r"""Read the answers in a file, plain or compressed.

    Args:
        path: The file.
        format: One of `FORMATS`.
        pair: The language pair to read, if a WMT or Appraise file holds several.
        criterion: The criterion to read, if a parity file holds several.
        limits: Caps on lines and files.

    Raises:
        SettingsError: There is no such format, or it has no language pairs or criteria.
        FormatError: The file is not of that format, with the line.
        InputError: There are no answers in it.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "answers.csv"
        >>> _ = path.write_text("segment,better,worse\n7,a,b\n", encoding="utf-8")
        >>> [answer.winner for answer in read_answers(path, "preferences")]
        ['a']
    """
    if format not in FORMATS:
        raise SettingsError(f"unknown format {format!r}", hint=f"choose one of {', '.join(FORMATS)}")
    if pair is not None and format not in _WITH_PAIR:
        raise SettingsError(f"the format {format} knows no language pairs", hint="leave --pair out")
    if criterion is not None and format != "parity":
        raise SettingsError(f"the format {format} knows no criteria", hint="leave --criterion out")
    if str(path) == "-" and format in _FROM_FILES:
        raise SettingsError(f"the format {format} is read from a file, not from standard input")
    if format in _WITH_PAIR:
        return _WITH_PAIR[format](path, pair=pair, limits=limits)
    if format == "parity":
        return read_parity(path, criterion=criterion, limits=limits)
    return _PLAIN[format](path, limits=limits)


def write_answers(path: Path | str, answers: Iterable[Answer], format: str = "jsonl") -> int:  # noqa: A002
    """Write answers as "jsonl" or "csv", which hold all of an answer, or as "preferences". Returns how many.

    Raises:
        SettingsError: There is no such format to write.
        InputError: The format cannot hold one of the answers.
    """
    if format not in _WRITERS:
        raise SettingsError(f"{format!r} cannot be written", hint=f"choose one of {', '.join(WRITTEN)}")
    return _WRITERS[format](path, answers)
