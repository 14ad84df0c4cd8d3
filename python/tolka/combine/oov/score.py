"""How good found translations are, by a gold standard: mean reciprocal rank and recall (Razmara 2013, section 5.4.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.corpus import read_lines, write_lines
from tolka.errors import FormatError, InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from tolka.combine.oov.record import Entry
    from tolka.limits import Limits

TOP = 20
"""Translations that recall looks at."""

_SIDES = 2


@dataclass(frozen=True)
class OovScore:
    """What a gold standard says of found translations.

    Attributes:
        words: Words of the gold standard.
        translated: Those that have any translation.
        mrr: 1/|O| Σ_o mean_{g ∈ gold(o)} 1/rank_o(g), where one that was not found counts 0.
        recall: The mean over words of the share of gold translations among the first.
        top: How many are the first.
    """

    words: int
    translated: int
    mrr: float
    recall: float
    top: int = TOP


def score_translations(
    found: Mapping[str, Sequence[str]], gold: Mapping[str, Sequence[str]], *, top: int = TOP
) -> OovScore:
    """Compare found translations with a gold standard.

    Args:
        found: Translations by word, best first.
        gold: Right translations by word.
        top: How many of them recall looks at.

    Raises:
        InputError: The gold standard is empty.

    Example:
        >>> score_translations({"kater": ["cat", "tomcat"]}, {"kater": ["tomcat"], "hund": ["dog"]})
        OovScore(words=2, translated=1, mrr=0.25, recall=0.5, top=20)
    """
    wanted = {word: list(dict.fromkeys(right)) for word, right in gold.items() if right}
    if not wanted:
        raise InputError("the gold standard has no word", hint="give lines of a word and its translation")
    ranks, recall = 0.0, 0.0
    for word, right in wanted.items():
        places = {text: place for place, text in reversed(list(enumerate(found.get(word, ()), 1)))}
        ranks += sum(1 / places[one] for one in right if one in places) / len(right)
        recall += sum(places.get(one, top + 1) <= top for one in right) / len(right)
    known = sum(bool(found.get(word)) for word in wanted)
    return OovScore(len(wanted), known, ranks / len(wanted), recall / len(wanted), top)


def score_entries(entries: Iterable[Entry], gold: Mapping[str, Sequence[str]], *, top: int = TOP) -> OovScore:
    """Compare the entries of a record with a gold standard; see `score_translations`."""
    found = {entry.word: [text for text, _ in entry.translations] for entry in entries}
    return score_translations(found, gold, top=top)


def read_gold(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> dict[str, list[str]]:
    """Read a gold standard: lines of a word and one of its translations, with a tab between them.

    Args:
        path: The file. Empty lines and those that begin with `#` are skipped.
        limits: Caps on the file.

    Raises:
        FormatError: A line that is not of that form.
    """
    gold: dict[str, list[str]] = {}
    for number, line in enumerate(read_lines(path, limits=limits), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [" ".join(cell.split()) for cell in line.split("\t")]
        if len(cells) < _SIDES or not all(cells[:_SIDES]):
            what = "this is no word with its translation"
            raise FormatError(what, path=path, line=number, hint="write both, with a tab between them")
        own = gold.setdefault(cells[0], [])
        if cells[1] not in own:
            own.append(cells[1])
    return gold


def write_gold(path: str | PathLike[str], gold: Mapping[str, Sequence[str]]) -> int:
    """Write a gold standard, a line for each translation; gives their number."""
    return write_lines(path, (f"{word}\t{one}" for word, right in gold.items() for one in right))
