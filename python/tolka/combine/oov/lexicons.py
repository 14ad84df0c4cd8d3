"""Bilingual dictionaries as people have them: columns with a tab between them, or the DING format (`de :: en`)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from tolka.limits import Limits

# Grammar, domains, comments, pronunciation: not part of a word.
_NOTES = re.compile(r"\{[^{}]*\}|\[[^\[\]]*\]|\([^()]*\)|<[^<>]*>|(?<!\S)/[^/]+/(?!\S)")
_NUMBER = re.compile(r"(?<!\S)\d{1,2}\.(?!\S)")
_SOMEBODY = {
    "jdm.", "jdn.", "jds.", "jd.", "etw.", "sb.", "sth.", "sb", "sth", "sb.'s", "so.", "sth.'s", "qn", "qc", "qch", "qqn", "qqch",
}  # fmt: skip
_BARS = " :: "
_SIDES = 2
# Dictionaries write infinitives so.
_INFINITIVE = {"en": "to "}


@dataclass(frozen=True)
class Lexicon:
    """A dictionary as pairs of words.

    Attributes:
        pairs: Head words and their translations, as they are written.
        left_out: Lines or parts of lines that are no such pairs, by what they are.
        turned: Whether its translations were head words.
        name: What it is called.
    """

    pairs: tuple[tuple[str, str], ...]
    left_out: Mapping[str, int]
    turned: bool = False
    name: str = ""

    def turn(self) -> Lexicon:
        """The same lexicon for the other direction."""
        return Lexicon(tuple((right, left) for left, right in self.pairs), self.left_out, not self.turned, self.name)


def read_lexicon(path: str | PathLike[str], *, langs: Sequence[str] = (), limits: Limits = DEFAULT) -> Lexicon:
    r"""Read a dictionary, plain or compressed; its first entry says which format it has.

    `head word<TAB>translation, translation; translation` with numbered senses between bars, as FreeDict's are printed, or
    DING's `haus {n} | häuser {pl} :: house | houses`. Notes in brackets and between slashes are left out, and so are words that
    stand for somebody or something.

    Args:
        path: The file. Empty lines and those that begin with `#` are skipped.
        langs: The languages of the two sides, whose marks of infinitives are left out (`to`).
        limits: Caps on the file.

    Raises:
        FormatError: A line that is not of the format.
        InputError: It has no entry.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "ding.txt"
        >>> _ = path.write_text("# a comment\nHaus {n}; Heim {n} | Häuser {pl} :: house | houses\n", encoding="utf-8")
        >>> read_lexicon(path).pairs
        (('Haus', 'house'), ('Heim', 'house'), ('Häuser', 'houses'))
    """
    pairs: dict[tuple[str, str], None] = {}
    left_out: Counter[str] = Counter()
    ding = None
    for number, line in enumerate(read_lines(path, limits=limits), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if ding is None:
            ding = _BARS in line
        if (_BARS if ding else "\t") not in line:
            hint = (
                "DING has ` :: ` between two languages"
                if ding
                else "head word and translations, with a tab between them"
            )
            raise FormatError("this is no entry of a dictionary", path=path, line=number, hint=hint)
        for left, right in _of_ding(line, left_out) if ding else _of_columns(line):
            pair = _plain(left, langs[0] if langs else ""), _plain(right, langs[1] if len(langs) > 1 else "")
            if all(pair) and not any(mark in side for side in pair for mark in ("/", "...", "…", ",")):
                pairs.setdefault(pair)
            else:
                left_out["entries that are not plain words"] += 1
    if not pairs:
        raise InputError(
            "the dictionary has no entry", path=path, hint="give lines of a head word and its translations"
        )
    return Lexicon(tuple(pairs), dict(left_out), name=Path(path).name)


def _of_ding(line: str, left_out: Counter[str]) -> Iterator[tuple[str, str]]:
    """Forms stand between bars, and those of the same number belong together; alternatives stand between semicolons."""
    left, _, right = line.partition(_BARS)
    lefts, rights = _NOTES.sub(" ", left).split("|"), _NOTES.sub(" ", right).split("|")
    if len(lefts) != len(rights):
        left_out["entries whose sides have not the same forms"] += 1
    for one, other in zip(lefts, rights, strict=False):
        yield from ((a, b) for a in one.split(";") for b in other.split(";"))


def _of_columns(line: str) -> Iterator[tuple[str, str]]:
    head, _, right = line.partition("\t")
    translations = re.split(r"[|;,\t]", _NOTES.sub(" ", right))
    yield from ((_NOTES.sub(" ", head), one) for one in translations if one.strip())


def _plain(text: str, lang: str) -> str:
    words = [word for word in _NUMBER.sub(" ", text).split() if word not in _SOMEBODY]
    found = " ".join(words)
    begin = _INFINITIVE.get(lang.partition("-")[0], "")
    return found.removeprefix(begin) if begin else found


def towards(lexicon: Lexicon, known: Collection[str]) -> Lexicon:
    """The lexicon in the direction in which its head words are those of a language.

    Args:
        lexicon: In either direction.
        known: Words of the language that head words should be of.

    Raises:
        InputError: Neither of its sides has any.

    Example:
        >>> towards(Lexicon((("house", "Haus"), ("tree", "Baum")), {}), {"Haus", "und"}).pairs
        (('Haus', 'house'), ('Baum', 'tree'))
    """
    sides = [
        sum(any(form in known for form in (pair[side], pair[side].lower())) for pair in lexicon.pairs)
        for side in range(_SIDES)
    ]
    if not any(sides):
        what = f"the dictionary {lexicon.name} has no word of the text".replace("  ", " ")
        raise InputError(what, hint="give one of the languages that the model translates")
    return lexicon.turn() if sides[1] > sides[0] else lexicon


def entries_of(
    lexicons: Iterable[Lexicon],
    *,
    source: Callable[[list[str]], list[str]],
    target: Callable[[list[str]], list[str]],
    known: Collection[str],
    longest: int = 1,
) -> dict[str, list[str]]:
    """The translations of words in all lexicons, cut into words as a model knows them.

    Args:
        lexicons: In the direction of the model.
        source: Cuts lines of its source language into words.
        target: Cuts those of its target language.
        known: Words of the source language: a head word that is not among them in the case it has is taken in lower case.
        longest: Words of a head word, at most.
    """
    pairs = [pair for lexicon in lexicons for pair in lexicon.pairs]
    lefts, rights = source([left for left, _ in pairs]), target([right for _, right in pairs])
    found: dict[str, dict[str, None]] = {}
    for left, right in zip(lefts, rights, strict=True):
        words = left.split()
        if not right.strip() or not 1 <= len(words) <= longest:
            continue
        head = " ".join(word if word in known or word.lower() not in known else word.lower() for word in words)
        found.setdefault(head, {}).setdefault(" ".join(right.split()))
    return {head: list(own) for head, own in found.items()}
