"""Found translations as a table of rules, beside the tables that a model has."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.combine.oov.usage import capitalised
from tolka.corpus import write_lines
from tolka.decode import words_of
from tolka.errors import InputError
from tolka.grammar import import_grammar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike

    from tolka.combine.oov.record import Entry
    from tolka.grammar import Grammar

FLOOR = 1e-6
"""The least probability of a feature, as in extraction."""

FEATURES = ("phrase_ef", "confidence", "lexicon", "copy")
"""What rules of the table say: ln p(e|o), ln of the share of ⊥'s complement, whether a lexicon says so, whether it is a copy.
Those of the model's other tables are ln 1 = 0 of them, and these are of the others (Razmara 2013, section 5.4.2)."""

_ESCAPES = {"|": "&#124;", "[": "&#91;", "]": "&#93;"}
_SPECIAL = frozenset(("<unk>", "<s>", "</s>"))
_MOST_WORDS = 10
"""Words of a translation, at most."""


def write_table(
    path: str | PathLike[str],
    entries: Sequence[Entry],
    *,
    translates: Callable[[Sequence[str]], list[bool]] | None = None,
) -> Grammar:
    """Write translations as a table of rules.

    Args:
        path: The file; it is there whole or not at all.
        entries: The words with their translations.
        translates: If given, words get rules with a capital at their beginning as well, as they begin sentences, unless the
            model translates that already.

    Raises:
        InputError: Nothing can be written as a rule.
    """
    forms = {entry.word: entry for entry in entries}
    if translates is not None:
        larger = {capitalised(entry.word): entry for entry in entries}
        names = [word for word in larger if word not in forms]
        known = translates(names) if names else []
        forms |= {word: larger[word] for word, is_known in zip(names, known, strict=True) if not is_known}
    # A file may escape what stands for itself elsewhere, or not, but not both.
    escaped = any(
        mark in text for word, entry in forms.items() for text in (word, *(t for t, _ in entry.translations)) for mark in _ESCAPES.values()
    )  # fmt: skip
    lines = Path(f"{path}.rules")
    try:
        if not write_lines(lines, _rules(forms, escaped=escaped)):
            raise InputError("no translation can be written as a rule")
        return import_grammar(lines, path, format="cdec", unescape=not escaped)
    finally:
        lines.unlink(missing_ok=True)


def _rules(forms: dict[str, Entry], *, escaped: bool) -> Iterator[str]:
    for word, entry in sorted(forms.items()):
        for text, probability in entry.translations:
            target = words_of(text)
            if not target or len(target) > _MOST_WORDS or _SPECIAL & {word, *target}:
                continue
            sides = word, " ".join(target)
            if any(mark in side for side in sides for mark in _ESCAPES):
                if escaped:
                    continue
                sides = _escape(sides[0]), _escape(sides[1])
            said = (
                math.log(max(probability, FLOOR)),
                math.log(max(entry.confidence, FLOOR)),
                float(entry.origin == "lexicon"),
                float(text == entry.word),
            )
            features = " ".join(f"{name}={value:.6g}" for name, value in zip(FEATURES, said, strict=True))
            links = " ".join(f"0-{at}" for at in range(len(target)))
            yield f"[X] ||| {sides[0]} ||| {sides[1]} ||| {features} ||| {links}"


def _escape(text: str) -> str:
    for sign, mark in _ESCAPES.items():
        text = text.replace(sign, mark)
    return text
