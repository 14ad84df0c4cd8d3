"""Reading answers by the name of their format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.judge.exchange.jsonl import read_jsonl
from tolka.judge.exchange.preferences import read_preferences
from tolka.judge.exchange.wmt import read_wmt
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from os import PathLike

    from tolka.judge.exchange.reading import Answers
    from tolka.limits import Limits

FORMATS = ("wmt", "preferences", "jsonl")
_WITH_PAIR = ("wmt",)


def read_answers(
    path: str | PathLike[str],
    format: str = "jsonl",  # noqa: A002
    *,
    pair: str | None = None,
    limits: Limits = DEFAULT,
) -> Answers:
    r"""Read the answers in a file, plain or compressed.

    Args:
        path: The file.
        format: One of `FORMATS`.
        pair: The language pair to read, if a WMT or Appraise file holds several.
        limits: Caps on lines and files.

    Raises:
        SettingsError: There is no such format, or it has no language pairs.
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
    match format:
        case "wmt":
            return read_wmt(path, pair=pair, limits=limits)
        case "preferences":
            return read_preferences(path, limits=limits)
        case _:
            return read_jsonl(path, limits=limits)
