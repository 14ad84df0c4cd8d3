"""Thesauri: which words may stand for which."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from tolka.limits import Limits

_ENTRY = re.compile(r"(.*)\|(\d{1,6})")
_NOTE = re.compile(r"\([^()]*\)")
_HINT = "give MyThes' .dat, or lines of a word and its substitutes with tabs between"


class Thesaurus:
    """Which words may stand for which; letters' cases do not matter.

    Example:
        >>> Thesaurus({"schwer": ["schwierig", "gewichtig"]}).has("Schwer", "schwierig")
        True
    """

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        self.words: dict[str, set[str]] = {}
        for word, others in words.items():
            self.words.setdefault(word.casefold(), set()).update(other.casefold() for other in others)

    def has(self, word: str, substitute: str) -> bool:
        """Whether one word may stand for another."""
        return substitute.casefold() in self.words.get(word.casefold(), ())

    @classmethod
    def read(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Thesaurus:
        """Read a thesaurus: MyThes' `.dat` as LibreOffice has them, or a word and its substitutes with tabs between.

        Raises:
            FormatError: A line that is not of the format; it is named.
            InputError: It has no entry.
        """
        lines = enumerate(read_lines(path, limits=limits), 1)
        first = next(lines, None)
        found: dict[str, set[str]] = {}
        if first is not None and "\t" not in first[1]:
            if first[1].strip().upper() not in {"UTF-8", "UTF8"}:
                what = (
                    f"{first[1][:40]!r} is neither MyThes' line of an encoding, which must be UTF-8, nor has it a tab"
                )
                raise FormatError(what, path=path, line=1, hint=_HINT)
            _read_mythes(lines, found, path)
        elif first is not None:
            for number, line in [first, *lines]:
                cells = [cell.strip() for cell in line.split("\t")]
                if len(cells) == 1 and not cells[0]:
                    continue
                if len(cells) == 1 or not all(cells):
                    raise FormatError(
                        "no word and its substitutes, with tabs between", path=path, line=number, hint=_HINT
                    )
                found.setdefault(cells[0], set()).update(cells[1:])
        if not found:
            raise InputError("the thesaurus has no entry", path=path, hint=_HINT)
        return cls(found)


def _read_mythes(lines: Iterator[tuple[int, str]], found: dict[str, set[str]], path: str | PathLike[str]) -> None:
    for number, line in lines:
        if not line.strip():
            continue
        entry = _ENTRY.fullmatch(line.strip())
        if entry is None:
            raise FormatError(f"{line[:40]!r} is no `word|number of meanings`", path=path, line=number, hint=_HINT)
        own = found.setdefault(entry[1], set())
        for _ in range(int(entry[2])):
            following = next(lines, None)
            if following is None:
                raise FormatError(f"the file ends inside the entry of {entry[1]!r}", path=path, line=number, hint=_HINT)
            cells = following[1].split("|")[1:]
            own.update(word for cell in cells if (word := _NOTE.sub("", cell).strip()) and word != entry[1])
