"""One segment of text, as it has to be to stand on one line."""

from __future__ import annotations

import re

_WHITE_SPACE = re.compile(r"[ \t\r\n]+")


def one_line(text: str) -> str:
    r"""Bring a text that was wrapped over lines onto one: white space with a line break in it becomes one space.

    At either end it becomes nothing. White space without a line break is left as it is.

    Example:
        >>> one_line("\n  ein  Haus\n  am See\n")
        'ein  Haus am See'
    """
    if "\n" not in text:
        return text

    def replacement(run: re.Match[str]) -> str:
        if "\n" not in run[0]:
            return run[0]
        return "" if run.start() == 0 or run.end() == len(text) else " "

    return _WHITE_SPACE.sub(replacement, text)


def flatten(text: str) -> str:
    r"""Replace every TAB, line break and NUL with a space, for formats that have no place for them.

    Example:
        >>> flatten("ein\tHaus\r\n")
        'ein Haus  '
    """
    return text.translate(_FLAT)


_FLAT = {ord(character): " " for character in "\t\n\r\0"}
