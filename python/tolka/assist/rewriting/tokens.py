"""Lines of grammars cut into tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tolka.errors import FormatError

TOKEN = re.compile(
    r"""(?P<space>[ \t]+)|(?P<rest>\.\.\.)|(?P<arrow>->)|(?P<regexp>/[^/]*/)|(?P<quoted>"[^"]*")"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>[()\[\]|&!*:,.])"""
)
SHOWS = "the grammars that come with tolka show how rules are written"


@dataclass(frozen=True)
class Token:
    """A piece of a line: of which kind, and its text."""

    kind: str
    text: str


class Tokens:
    """The tokens of a line, taken one after the other."""

    def __init__(self, text: str, path: str, line: int) -> None:
        self.path, self.line = path, line
        self._tokens: list[Token] = []
        self._at = at = 0
        while at < len(text):
            found = TOKEN.match(text, at)
            if found is None:
                rest = text[at : at + 20]
                if rest[0] in "/\"'":
                    raise self.error(f"{rest!r} is opened and not closed")
                raise self.error(f"{rest[0]!r} means nothing here", "put words between quotation marks")
            if found.lastgroup != "space":
                self._tokens.append(Token(found.lastgroup or "", found[0]))
            at = found.end()

    def error(self, what: str, hint: str = SHOWS) -> FormatError:
        """What is wrong in this line."""
        return FormatError(what, path=self.path, line=self.line, hint=hint)

    def peek(self, ahead: int = 0) -> str:
        """The text of a token to come; empty at the end."""
        return self._tokens[self._at + ahead].text if self._at + ahead < len(self._tokens) else ""

    @property
    def kind(self) -> str:
        """The kind of the next token; empty at the end."""
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""

    def take(self) -> str:
        """The next token's text, which is then passed."""
        text = self.peek()
        self._at += 1
        return text

    def expect(self, text: str) -> None:
        """Pass a token that must come."""
        if self.peek() != text:
            raise self.error(
                f"{text!r} is missing before {self.peek()!r}" if self.peek() else f"{text!r} is missing at the end"
            )
        self.take()

    def name(self, what: str) -> str:
        """Pass a name that must come."""
        if self.kind != "name":
            raise self.error(f"{what} is missing" + (f" before {self.peek()!r}" if self.peek() else ""))
        return self.take()

    def end(self) -> None:
        """Nothing must come any more."""
        if self.peek():
            raise self.error(f"{self.peek()!r} is too much")
