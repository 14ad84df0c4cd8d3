"""Bilingual dictionaries as people have them: columns with a tab between them, or the DING format (`de :: en`)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
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
_SENSE = re.compile(r"\s*(\d{1,2})\.(?!\S)")
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
        malformed: The numbers of lines that are no entries, and were passed over.
    """

    pairs: tuple[tuple[str, str], ...]
    left_out: Mapping[str, int]
    turned: bool = False
    name: str = ""
    malformed: tuple[int, ...] = ()

    def turn(self) -> Lexicon:
        """The same lexicon for the other direction."""
        return replace(self, pairs=tuple((right, left) for left, right in self.pairs), turned=not self.turned)


def read_lexicon(path: str | PathLike[str], *, langs: Sequence[str] = (), limits: Limits = DEFAULT) -> Lexicon:
    r"""Read a dictionary, plain or compressed; its first entry says which format it has.

    `head word<TAB>translation, translation; translation`, with numbered senses between bars as FreeDict's are printed
    (`1. charogne | a gloss | 2. salaud | a gloss`), or DING's `haus {n} | häuser {pl} :: house | houses`. Notes in brackets and
    between slashes are left out, and so are glosses and examples, which stand between bars without the next number, and words
    that stand for somebody or something.

    A line that is no entry is passed over and counted, unless most lines are like it.

    Args:
        path: The file. Empty lines and those that begin with `#` are skipped.
        langs: The languages of the two sides, whose marks of infinitives are left out (`to`).
        limits: Caps on the file.

    Raises:
        FormatError: Most lines are not of the format.
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
    malformed: list[int] = []
    ding, entries = None, 0
    for number, line in enumerate(read_lines(path, limits=limits), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if ding is None and (_BARS in line or "\t" in line):
            ding = _BARS in line
        if (_BARS if ding else "\t") not in line:
            malformed.append(number)
            continue
        entries += 1
        for left, right in (_of_ding if ding else _of_columns)(line, left_out):
            pair = _plain(left, langs[0] if langs else ""), _plain(right, langs[1] if len(langs) > 1 else "")
            if all(pair) and not any(mark in side for side in pair for mark in ("/", "...", "…", ",")):
                pairs.setdefault(pair)
            else:
                left_out["entries that are not plain words"] += 1
    if len(malformed) > entries:
        what = f"this is no entry of a dictionary, as are {len(malformed):,} of its {len(malformed) + entries:,} lines"
        hint = "DING has ` :: ` between two languages; other files have a tab between head word and translations"
        raise FormatError(what, path=path, line=malformed[0], hint=hint)
    if not pairs:
        raise InputError(
            "the dictionary has no entry", path=path, hint="give lines of a head word and its translations"
        )
    return Lexicon(tuple(pairs), dict(left_out), name=Path(path).name, malformed=tuple(malformed))


def _of_ding(line: str, left_out: Counter[str]) -> Iterator[tuple[str, str]]:
    """Forms stand between bars, and those of the same number belong together; alternatives stand between semicolons."""
    left, _, right = line.partition(_BARS)
    lefts, rights = _NOTES.sub(" ", left).split("|"), _NOTES.sub(" ", right).split("|")
    if len(lefts) != len(rights):
        left_out["entries whose sides have not the same forms"] += 1
    for one, other in zip(lefts, rights, strict=False):
        yield from ((a, b) for a in one.split(";") for b in other.split(";"))


def _of_columns(line: str, left_out: Counter[str]) -> Iterator[tuple[str, str]]:
    """Senses stand between bars, and alternatives between commas and semicolons.

    What stands between bars and is no sense is a gloss or an example. Some entries are printed without the number of their first
    sense and with those of others after nothing: `américain 2. | a gloss | 3. | a gloss`.
    """
    head, _, right = line.partition("\t")
    head = _NOTES.sub(" ", head)
    for column in _NOTES.sub(" ", right).split("\t"):
        for sense in _senses(column, left_out):
            yield from ((head, one) for one in re.split("[;,]", sense) if one.strip())


def _senses(column: str, left_out: Counter[str]) -> Iterator[str]:
    """The first of the parts between bars, and those that are numbered on from it: a gloss may begin with a number as well."""
    first, *others = column.split("|")
    yield first
    number = _SENSE.match(first)
    following = int(number[1]) + 1 if number else 0
    for part in others:
        number = _SENSE.match(part)
        if number and not part[number.end() :].strip():
            continue
        if number and int(number[1]) == following:
            following += 1
            yield part
        elif part.strip():
            left_out["glosses and examples"] += 1


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
