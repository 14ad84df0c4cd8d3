"""From text to sentences with given translations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from tolka.decode import Given, Sentence, Span, crosses, words_of
from tolka.errors import InputError, SettingsError
from tolka.markup.items import convert_number, find_addresses, is_number, is_verbatim
from tolka.markup.tags import Mark, Mode, Piece, parse_markup, without_markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tolka.markup.items import NumberStyle
    from tolka.markup.terms import Terms

    Cut = Callable[[list[str]], list[str]]

NumberPolicy = Literal["unknown", "all", "none"]
"""Which numbers are copied: those that the model does not know, all, or none."""


class Annotator:
    """Makes sentences with given translations of text: tags, terms, addresses and numbers.

    Tags go before addresses and other text that is not words, these before terms, and terms before numbers. Terms across a wall or one end of a span that
    belongs together are left out. The text between is tokenised in pieces, so
    that every span begins and ends with a token; case is folded afterwards, over whole sentences.

    Args:
        cut: Makes lines of tokens of lines of text; text is taken as tokenised if not given.
        cut_target: The same for translations.
        fold: Changes the case of lines of tokens and keeps their number, such as `Truecaser.truecase_lines`.
        markup: What tags do; `pass-through` takes text as it is.
        terms: Terms and their translations.
        addresses: Whether web and e-mail addresses are copied whole.
        verbatim: Whether tokens with placeholders of programs (`%s`, `${name}`), addresses or paths are copied; `cut` must
            leave these whole, as `Tokeniser(notation=True)` does.
        numbers: Which numbers are copied. A number that the model knows is its business: it may be a word, or move
            differently, in the other language.
        styles: How the languages write numbers; copied numbers are then converted.
        knows: Says of source tokens whether the model translates them, for `numbers="unknown"`.
        escape: Whether tokens are escaped as `Tokeniser(escape=True)` does.

    Example:
        >>> annotator = Annotator(addresses=True)
        >>> annotator.sentence("siehe www.example.org .").given
        (Given(start=1, end=2, targets=(('www.example.org', 0.0),), exclusive=True),)
    """

    def __init__(
        self,
        *,
        cut: Cut | None = None,
        cut_target: Cut | None = None,
        fold: Cut | None = None,
        markup: Mode = "pass-through",
        terms: Terms | None = None,
        addresses: bool = False,
        verbatim: bool = False,
        numbers: NumberPolicy = "none",
        styles: tuple[NumberStyle, NumberStyle] | None = None,
        knows: Callable[[Sequence[str]], list[bool]] | None = None,
        escape: bool = False,
    ) -> None:
        if markup not in get_args(Mode):
            raise SettingsError(f"unknown markup {markup!r}", hint=f"use one of {', '.join(get_args(Mode))}")
        if numbers not in get_args(NumberPolicy):
            raise SettingsError(f"unknown choice of numbers {numbers!r}", hint="use unknown, all or none")
        if numbers == "unknown" and knows is None:
            raise SettingsError("it is not said which numbers the model knows", hint="pass a decoder's `translates`")
        self.cut = cut or _same
        self.cut_target = cut_target or _same
        self.fold = fold or _same
        self.markup = markup
        self.terms = terms
        self.addresses = addresses
        self.verbatim = verbatim
        self.numbers = numbers
        self.styles = styles
        self.knows = knows
        self.escape = escape

    def sentence(self, text: str) -> Sentence:
        """One sentence of text."""
        return self.sentences([text])[0]

    def sentences(self, texts: Sequence[str], *, first: int = 1) -> list[Sentence]:
        """A sentence for each text.

        Args:
            texts: One sentence each.
            first: The line of the first, for error messages.

        Raises:
            FormatError: Tags that are malformed.
        """
        split = [self._pieces(text, line) for line, text in enumerate(texts, first)]
        # Everything is tokenised at once: a call for each piece would take longer than the work.
        cut = iter(self.cut([piece.text for pieces in split for piece, whole in pieces if not whole]))
        targets = iter(
            self.cut_target([text for pieces in split for piece, _ in pieces for text, _ in piece.translations])
        )
        lines, given, bounds = list[str](), list[list[Given]](), list[_Bounds]()
        for pieces in split:
            tokens, spans = list[str](), list[Given]()
            own_bounds = _Bounds()
            for piece, whole in pieces:
                own_bounds.add(piece.marks, len(tokens))
                own = [self._escaped(piece.text)] if whole else words_of(next(cut))
                if whole:
                    spans.append(Given(len(tokens), len(tokens) + 1, ((own[0], 0.0),)))
                elif piece.translations:
                    words = tuple((next(targets), weight) for _, weight in piece.translations)
                    if own:
                        spans.append(Given(len(tokens), len(tokens) + len(own), words, self.markup == "exclusive"))
                tokens += own
            own_bounds.finish(len(tokens))
            self._add(tokens, spans, own_bounds)
            bounds.append(own_bounds)
            lines.append(" ".join(tokens))
            given.append(spans)
        folded = self.fold(lines)
        for number, (old, new) in enumerate(zip(lines, folded, strict=True), first):
            if len(words_of(old)) != len(words_of(new)):
                raise InputError("folding case changed the number of tokens", line=number)
        return [
            Sentence(line, tuple(spans), (), tuple(own.spans), tuple(own.walls))
            for line, spans, own in zip(folded, given, bounds, strict=True)
        ]

    def _pieces(self, text: str, line: int) -> list[tuple[Piece, bool]]:
        """The pieces of a text, and whether each is one token that is copied."""
        if self.markup == "ignore":
            pieces = [Piece(without_markup(text))]
        else:
            pieces = [Piece(text)] if self.markup == "pass-through" else parse_markup(text, line=line)
        if not self.addresses:
            return [(piece, False) for piece in pieces]
        split: list[tuple[Piece, bool]] = []
        for piece in pieces:
            at = 0
            if piece.marks:
                split.append((Piece("", (), piece.marks), False))
            for item in [] if piece.translations else find_addresses(piece.text):
                split += [(Piece(piece.text[at : item.start]), False), (Piece(item.text), True)]
                at = item.end
            split.append((Piece(piece.text[at:], piece.translations), False))
        return split

    def _add(self, tokens: list[str], spans: list[Given], bounds: _Bounds) -> None:
        """Add text that is not words, terms and numbers where nothing is given yet."""
        free = [True] * len(tokens)
        for span in spans:
            free[span.start : span.end] = [False] * (span.end - span.start)
        for start, end in _verbatim(tokens, free) if self.verbatim else ():
            spans.append(Given(start, end, ((" ".join(tokens[start:end]), 0.0),)))
            free[start:end] = [False] * (end - start)
        if self.terms is not None:
            for span in self.terms.match(tokens, free):
                if crosses(span.start, span.end, bounds.spans, bounds.walls):
                    continue
                spans.append(span)
                free[span.start : span.end] = [False] * (span.end - span.start)
        if self.numbers == "none":
            return
        places = [at for at, token in enumerate(tokens) if free[at] and is_number(token)]
        if self.numbers == "unknown" and self.knows is not None and places:
            known = self.knows([tokens[at] for at in places])
            places = [at for at, is_known in zip(places, known, strict=True) if not is_known]
        for at in places:
            number = convert_number(tokens[at], *self.styles) if self.styles else tokens[at]
            spans.append(Given(at, at + 1, ((number, 0.0),), exclusive=self.numbers == "all"))

    def _escaped(self, text: str) -> str:
        if self.escape:
            for sign, name in _ESCAPES:
                text = text.replace(sign, name)
        return text


def _verbatim(tokens: Sequence[str], free: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Spans of text that is not words: tokens of their own, and code between backticks."""
    at = 0
    while at < len(tokens):
        end = at + 1
        if tokens[at].startswith("`") and not tokens[at].endswith("`"):
            last = min(at + _LONGEST_CODE, len(tokens))
            end = next((to + 1 for to in range(at + 1, last) if tokens[to].endswith("`")), at + 1)
        if all(free[at:end]) and (end > at + 1 or is_verbatim(tokens[at])):
            yield at, end
            at = end
        else:
            at += 1


class _Bounds:
    """The spans and walls of a sentence, as its tokens come."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.walls: list[int] = []
        self._open: list[tuple[Mark, int]] = []

    def add(self, marks: Sequence[Mark], at: int) -> None:
        """What stands before a token."""
        for mark in marks:
            if mark == "wall":
                self.walls.append(at)
            elif mark == "end":
                kind, start = self._open.pop()
                if at > start:
                    self.spans.append(Span(start, at, "whole" if kind == "whole" else "zone"))
            else:
                self._open.append((mark, at))

    def finish(self, last: int) -> None:
        """Leave out walls before the first word, behind the last and in the same place."""
        self.walls = sorted({wall for wall in self.walls if 0 < wall < last})


_LONGEST_CODE = 50
_ESCAPES = (
    ("&", "&amp;"), ("|", "&#124;"), ("<", "&lt;"), (">", "&gt;"),
    ("'", "&apos;"), ('"', "&quot;"), ("[", "&#91;"), ("]", "&#93;"),
)  # fmt: skip


def _same(lines: list[str]) -> list[str]:
    return lines
