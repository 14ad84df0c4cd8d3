"""Cutting text into tokens, and putting tokens back together as people write.

The rules are those of the Moses tokeniser; docs/tokenise.md states them and says where tolka differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka import _engine
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Detokeniser", "Tokeniser"]


class Tokeniser:
    """Cuts text of one language into tokens.

    Args:
        lang: A language code: en, de, fr, es, it, cs, hi and ca have rules of their own, any other well-formed code
            (two or three letters, then script or region if you like) uses the default.
        escape: Write `& | < > ' " [ ]` as Moses does (`&amp;`, `&#124;` …), so that no token can be mistaken for the
            syntax of a phrase table or grammar. `Detokeniser` undoes it.
        protect: Leave web addresses, e-mail addresses and compound numbers (12:30, 1/2) whole, which Moses does not.
        notation: Leave text that is not words whole, which Moses does not: words with placeholders (`%s`, `${name}`,
            `{0}`), tags, addresses and paths. Other signs that are spaced in a way that `Detokeniser` would not know say
            so by marks: `Super ￭+￭ L`, `A ▁/▁ B`.
        abbreviations: Words, without their period, that keep it, in addition to those of the language.

    Example:
        >>> Tokeniser("en", escape=False).tokenise("Mr. Smith didn't pay $5.50, did he?")
        ['Mr.', 'Smith', 'didn', "'t", 'pay', '$', '5.50', ',', 'did', 'he', '?']
        >>> Tokeniser("fr").line("L'homme a dit : « Oui. »")
        'L&apos; homme a dit : « Oui . »'
        >>> Tokeniser("en", escape=False).line("%s: press Super+L, or see ${name} in /etc.")
        '%s : press Super ￭+￭ L , or see ${name} in /etc .'
    """

    def __init__(
        self,
        lang: str = "en",
        *,
        escape: bool = True,
        protect: bool = False,
        notation: bool = True,
        abbreviations: Iterable[str] = (),
    ) -> None:
        self.lang = lang
        self.escape = escape
        self.protect = protect
        self.notation = notation
        extra = sorted(set(abbreviations))
        for word in extra:
            if not word or word.endswith(".") or len(word.split()) != 1:
                raise SettingsError(f"{word!r} is not an abbreviation", hint="give one word without its final period")
        self._native = _engine.Tokeniser(lang, escape=escape, protect=protect, notation=notation, abbreviations=extra)

    def __repr__(self) -> str:
        return f"Tokeniser({self.lang!r}, escape={self.escape}, protect={self.protect}, notation={self.notation})"

    def tokenise(self, text: str) -> list[str]:
        """The tokens of a text."""
        return self._native.tokenise(text)

    def line(self, text: str) -> str:
        """The tokens of a text, joined by single spaces."""
        return self._native.line(text)

    def lines(self, lines: Sequence[str], threads: int = 0) -> list[str]:
        """Each line tokenised and joined by spaces, in order.

        Args:
            lines: The lines.
            threads: Threads to use; 0 means all cores. The result does not depend on it.
        """
        return self._native.lines(lines, _whole(threads))

    @property
    def abbreviations(self) -> tuple[list[str], list[str]]:
        """The words that keep their period always, and those that keep it only before a digit."""
        return self._native.abbreviations


class Detokeniser:
    """Joins tokens of one language into text, and undoes the tokeniser's escapes and marks.

    Args:
        lang: A language code, as for `Tokeniser`.

    Example:
        >>> Detokeniser("en").detokenise(["It", "&apos;s", "5", "%", "(", "or", "so", ")", "."])
        "It's 5% (or so)."
        >>> Detokeniser("fr").line("L&apos; homme a dit : « Oui . »")
        "L'homme a dit : « Oui. »"
    """

    def __init__(self, lang: str = "en") -> None:
        self.lang = lang
        self._native = _engine.Detokeniser(lang)

    def __repr__(self) -> str:
        return f"Detokeniser({self.lang!r})"

    def detokenise(self, tokens: Iterable[str]) -> str:
        """The text that the tokens stand for."""
        return self._native.line(" ".join(tokens))

    def line(self, line: str) -> str:
        """The text that a line of tokens, separated by spaces, stands for."""
        return self._native.line(line)

    def lines(self, lines: Sequence[str], threads: int = 0) -> list[str]:
        """Each line's text, in order.

        Args:
            lines: Lines of tokens separated by spaces.
            threads: Threads to use; 0 means all cores. The result does not depend on it.
        """
        return self._native.lines(lines, _whole(threads))


def _whole(threads: int) -> int:
    if threads < 0:
        raise SettingsError(f"threads must be 0 or more, not {threads}")
    return threads
