"""The case of words: lower-casing, and truecasing, which undoes the capital that a sentence's start asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka import _engine
from tolka.corpus.batches import in_batches
from tolka.errors import InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from tolka.limits import Limits


def lowercase(line: str, *, language: str = "") -> str:
    """The line in lower case, by the rules of Unicode; those of Turkish and Azerbaijani only if the language says so.

    Example:
        >>> lowercase("ΟΔΟΣ ISPARTA"), lowercase("ISPARTA", language="tr")
        ('οδος isparta', 'ısparta')
    """  # noqa: RUF002
    return _engine.lower_lines([line], language, 1)[0]


def lowercase_lines(lines: list[str], *, language: str = "", threads: int = 0) -> list[str]:
    """Many lines in lower case; see `lowercase`."""
    return _engine.lower_lines(lines, language, threads)


class Truecaser:
    """Learns the usual casing of words, and gives it to words where a sentence's start hides it.

    A word's casing is the one that is most frequent in places that do not ask for a capital: not at the start of a line
    nor after `.`, `?`, `!`, `:`, an opening quote or bracket. Words that never occur elsewhere are counted where they do
    occur. Ties go to the lower-case form. Text must be tokenised.

    Attributes:
        language: Whose rules of casing hold; only Turkish and Azerbaijani differ from the others.
        model_: What was learned, in the engine.

    Example:
        >>> truecaser = Truecaser().train(["Das Haus ist alt .", "Ich mag das Haus .", "Ist das Haus alt ?"])
        >>> truecaser.truecase("Das Haus ist das Haus .")
        'das Haus ist das Haus .'
        >>> truecaser.recase("das Haus ist alt .")
        'Das Haus ist alt .'
    """

    def __init__(self, *, language: str = "") -> None:
        self.language = language
        self.model_: _engine.Truecaser | None = None

    def train(self, lines: Iterable[str]) -> Truecaser:
        """Learn from tokenised lines; what was learned before is forgotten.

        Headlines, lines of at least two words all in capitals or of four all beginning with one, say nothing about case
        and are passed over.
        """
        builder = _engine.TruecaserBuilder(self.language)
        for batch in in_batches(lines):
            builder.add_lines(batch)
        self.model_ = builder.finish()
        return self

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Truecaser:
        """Open a saved truecaser."""
        model = _engine.Truecaser.open(path, most_bytes=limits.model_bytes)
        truecaser = cls(language=model.language)
        truecaser.model_ = model
        return truecaser

    def save(self, path: str | PathLike[str]) -> None:
        """Save to a container of kind "truecaser"; the file appears whole or not at all."""
        self._trained().save(path)

    def __len__(self) -> int:
        return 0 if self.model_ is None else len(self.model_)

    def usual(self, word: str) -> str | None:
        """The usual casing of a word, or None if it is not known in any."""
        return self._trained().usual(word)

    def truecase(self, line: str) -> str:
        """The line with each word in its usual case.

        At the start of a sentence a known word takes its usual casing. Elsewhere a casing that was seen in training
        stays, and an unseen one becomes the usual one. Unknown words and spaces stay as they are. In a headline (see
        `train`) every word is treated as if it began a sentence.
        """
        return self._trained().truecase_lines([line], 1)[0]

    def recase(self, line: str) -> str:
        """The line with a capital at its start and after `.`, `?` and `!`; words like iPhone stay as they are."""
        return self._trained().recase_lines([line], 1)[0]

    def truecase_lines(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """Many lines, truecased; the result does not depend on the threads."""
        return self._trained().truecase_lines(lines, threads)

    def recase_lines(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """Many lines, recased; the result does not depend on the threads."""
        return self._trained().recase_lines(lines, threads)

    def _trained(self) -> _engine.Truecaser:
        if self.model_ is None:
            raise InputError("the truecaser has learned nothing yet", hint="call train or load first")
        return self.model_
