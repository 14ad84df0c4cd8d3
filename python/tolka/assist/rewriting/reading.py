"""Reads grammars that rewrite trees, and says which line is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.assist.rewriting.checks import ordered
from tolka.assist.rewriting.grammar import Alternative, Rule
from tolka.assist.rewriting.morphology import functions_of
from tolka.assist.rewriting.patterns import PatternReader
from tolka.assist.rewriting.templates import ITSELF, TemplateReader, heading
from tolka.assist.rewriting.tokens import SHOWS, Tokens
from tolka.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.assist.rewriting.grammar import Member
    from tolka.assist.rewriting.templates import Members

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LANGUAGE = re.compile(r"[a-z]{2,3}")
MOST_RULES = 200
MOST_ALTERNATIVES = 100


@dataclass
class _Lines:
    """An alternative that was not read yet: a line for its left side and one for each member."""

    left: tuple[int, str]
    members: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class _Text:
    """A file by its parts: language, root and rules with the numbers of lines."""

    path: str
    language: tuple[int, str] | None = None
    root: tuple[int, str] | None = None
    lists: dict[str, tuple[int, frozenset[str]]] = field(default_factory=dict)
    rules: dict[str, tuple[int, list[_Lines]]] = field(default_factory=dict)
    last: str = ""

    def error(self, line: int | None, what: str, hint: str = SHOWS) -> FormatError:
        return FormatError(what, path=self.path, line=line, hint=hint)

    def add(self, number: int, text: str) -> None:
        """One line."""
        words = text.split()
        if not words or words[0].startswith("#"):
            return
        match words:
            case ["language", language]:
                self._once(number, self.language, "language")
                if not LANGUAGE.fullmatch(language):
                    raise self.error(number, f"{language!r} is no code of a language", "write one such as en")
                self.language = (number, language)
            case ["root", root]:
                self._once(number, self.root, "root")
                self.root = (number, root)
            case ["words", name, "=", *given]:
                self._words(number, name, given)
            case ["rule", name]:
                self._rule(number, name)
            case ["<=", *_]:
                self._left(number, text)
            case ["=>", *_]:
                self._right(number, text)
            case _:
                raise self.error(
                    number,
                    f"{words[0][:40]!r} does not begin a line here",
                    "lines begin with language, root, words, rule, <= or =>",
                )

    def _once(self, number: int, given: tuple[int, str] | None, what: str) -> None:
        if given:
            raise self.error(number, f"the {what} was given in line {given[0]}", "give it once")

    def _words(self, number: int, name: str, given: list[str]) -> None:
        if not NAME.fullmatch(name):
            raise self.error(number, f"{name!r} is no name for a list", "names are made of letters, digits and _")
        if name in self.lists:
            raise self.error(number, f"the list {name!r} was given in line {self.lists[name][0]}", "give it once")
        if not given:
            raise self.error(number, f"the list {name!r} is empty", "write its words after =")
        self.lists[name] = (number, frozenset(word.lower() for word in given))

    def _rule(self, number: int, name: str) -> None:
        if not NAME.fullmatch(name):
            raise self.error(number, f"{name!r} is no name for a rule", "names are made of letters, digits and _")
        if name in self.rules:
            raise self.error(
                number, f"rule {name!r} was given in line {self.rules[name][0]}", "put its alternatives together"
            )
        if len(self.rules) == MOST_RULES:
            raise self.error(number, f"there are more than {MOST_RULES} rules", "use several grammars")
        self.rules[name] = (number, [])
        self.last = name

    def _left(self, number: int, text: str) -> None:
        if not self.last:
            raise self.error(number, "there is no rule for this line", "write rule and a name before it")
        alternatives = self.rules[self.last][1]
        if len(alternatives) == MOST_ALTERNATIVES:
            raise self.error(number, f"a rule has more than {MOST_ALTERNATIVES} alternatives", "use more rules")
        alternatives.append(_Lines((number, text.replace("<=", "", 1))))

    def _right(self, number: int, text: str) -> None:
        alternatives = self.rules[self.last][1] if self.last else []
        if not alternatives:
            raise self.error(number, "there is nothing on the left for this line", "write <= and a pattern before it")
        alternatives[-1].members.append((number, text.replace("=>", "", 1)))


def parse_grammar(lines: Sequence[str], path: str) -> tuple[str, str, tuple[Rule, ...]]:
    """The language, root and rules that the lines of a file say.

    Raises:
        FormatError: A line makes no sense; says which, and what to do.
    """
    text = _Text(path)
    for number, line in enumerate(lines, 1):
        text.add(number, line.removeprefix("\ufeff") if number == 1 else line)
    if text.language is None or text.root is None:
        missing = "language" if text.language is None else "root"
        raise text.error(
            None,
            f"the grammar has no {missing}",
            f"write a line such as: {missing} {'en' if missing == 'language' else 'S'}",
        )
    rules = _Rules(text, text.language[1]).read()
    at, root = text.root
    if root not in text.rules:
        raise text.error(at, f"there is no rule {root!r}", "the root is the name of a rule")
    found = ordered(rules, root, path)
    by_name = {rule.name: rule for rule in found}
    if by_name[root].members != (("", 0),):
        raise text.error(at, f"the root {root!r} gives several things", "let it give one, without a name")
    return text.language[1], root, found


class _Rules:
    """Reads the rules of a file."""

    def __init__(self, text: _Text, language: str) -> None:
        self._text = text
        self._functions = functions_of(language)
        self._members = {name: self._headings(name) for name in text.rules}
        self._used: set[str] = set()

    def read(self) -> list[Rule]:
        """All rules, in the order of the file."""
        found = [
            Rule(name, tuple(self._alternative(lines) for lines in alternatives), number)
            for name, (number, alternatives) in self._text.rules.items()
        ]
        for name, (number, _) in self._text.lists.items():
            if name not in self._used:
                raise self._text.error(number, f"the list {name!r} is not used", "take it away")
        return found

    def _tokens(self, line: tuple[int, str]) -> Tokens:
        return Tokens(line[1], self._text.path, line[0])

    def _headings(self, name: str) -> Members:
        number, alternatives = self._text.rules[name]
        if not alternatives:
            raise self._text.error(number, f"rule {name!r} has no alternative", "write <= and a pattern below it")
        first: Members | None = None
        for lines in alternatives:
            found: list[tuple[str, int]] = []
            for line in lines.members:
                tokens = self._tokens(line)
                member, parameters = heading(tokens)
                if (not member and len(lines.members) > 1) or member in [one for one, _ in found]:
                    what = (
                        f"the member {member!r} is given twice"
                        if member
                        else "a rule that gives several things names each"
                    )
                    raise tokens.error(what, "write => NAME: before each")
                if member == ITSELF:
                    raise tokens.error(f"{ITSELF!r} is always what the rule matched", "take another name")
                found.append((member, len(parameters)))
            members = tuple(found) or (("", 0),)
            if first is not None and members != first:
                raise self._text.error(
                    lines.left[0],
                    f"this alternative of {name!r} does not give what the first does",
                    "give the same members with as many parameters in the same order",
                )
            first = members
        return first or ()

    def _given(self, rule: str) -> Members:
        return self._members.get(rule, (("", 0),))

    def _alternative(self, lines: _Lines) -> Alternative:
        words = {name: given for name, (_, given) in self._text.lists.items()}
        node, items = PatternReader(self._tokens(lines.left), words, self._used).left_side()
        members: list[Member] = []
        for line in lines.members:
            tokens = self._tokens(line)
            name, parameters = heading(tokens)
            members.append(TemplateReader(tokens, items or (), parameters, self._given, self._functions).member(name))
        return Alternative(node, items, tuple(members), lines.left[0])
