"""Grammars that rewrite trees: what a file of rules says, checked (Mohammad 2012, section 1.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from itertools import islice
from typing import TYPE_CHECKING, Literal, Self

from tolka.corpus import read_lines
from tolka.errors import FormatError, SettingsError

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence
    from os import PathLike

SUFFIX = ".rewrite"
MOST_LINES = 5000


@dataclass(frozen=True)
class Label:
    """A node whose whole label a regular expression matches."""

    regexp: re.Pattern[str]


@dataclass(frozen=True)
class Any:
    """Any node."""


@dataclass(frozen=True)
class Words:
    """A node whose head word, or only word, is in a list, or is not; lists are in lower case."""

    which: Literal["head", "word"]
    words: frozenset[str]
    within: bool


@dataclass(frozen=True)
class Named:
    """A node that a rule matches."""

    rule: str


@dataclass(frozen=True)
class Not:
    """A node that a pattern does not match."""

    pattern: Pattern


@dataclass(frozen=True)
class Star:
    """Nodes that a pattern matches any number of times in a row."""

    pattern: Pattern


@dataclass(frozen=True)
class And:
    """Nodes that all patterns match."""

    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Or:
    """Nodes that one of the patterns matches."""

    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Concat:
    """Nodes that the patterns match one after the other."""

    patterns: tuple[Pattern, ...]


Pattern = Label | Any | Words | Named | Not | Star | And | Or | Concat
REST = Star(Any())
"""What `...` stands for."""


def is_single(pattern: Pattern) -> bool:
    """Whether a pattern matches exactly one node whatever happens."""
    match pattern:
        case Star() | Concat():
            return False
        case And(patterns) | Or(patterns):
            return all(map(is_single, patterns))
        case _:
            return True


def parts(pattern: Pattern) -> tuple[Pattern, ...]:
    """The patterns that a pattern is directly made of."""
    match pattern:
        case Not(inner) | Star(inner):
            return (inner,)
        case And(patterns) | Or(patterns) | Concat(patterns):
            return patterns
        case _:
            return ()


def rules_in(pattern: Pattern) -> list[str]:
    """The names of the rules that a pattern refers to, in order."""
    found: list[str] = []
    stack = [pattern]
    while stack:
        one = stack.pop()
        if isinstance(one, Named):
            found.append(one.rule)
        stack.extend(reversed(parts(one)))
    return found


@dataclass(frozen=True)
class Item:
    """A stretch of children that a pattern is to match.

    Attributes:
        pattern: The pattern.
        name: What outputs call the stretch; empty if they do not.
        rest: Whether it is one of the `...`, which outputs give back in order.
    """

    pattern: Pattern
    name: str = ""
    rest: bool = False


@dataclass(frozen=True)
class Fixed:
    """Words that are given as they are."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Stretch:
    """The words of an item."""

    item: int


@dataclass(frozen=True)
class Output:
    """A member of what the rule that an item refers to gives."""

    item: int
    member: int
    arguments: tuple[Template, ...]


@dataclass(frozen=True)
class Parameter:
    """What is passed from above."""

    number: int


@dataclass(frozen=True)
class Call:
    """What a function of the language makes of its arguments."""

    function: str
    arguments: tuple[Template, ...]


Part = Fixed | Stretch | Output | Parameter | Call
Template = tuple[Part, ...]


@dataclass(frozen=True)
class Member:
    """One of the things that a rule gives."""

    name: str
    parameters: tuple[str, ...]
    template: Template


@dataclass(frozen=True)
class Alternative:
    """One way for a rule to match.

    Attributes:
        node: What the node is to be.
        items: What its children are to be; None if that does not matter.
        members: What it gives; none if it gives the node itself.
        line: Where it stands in the file.
    """

    node: Pattern
    items: tuple[Item, ...] | None
    members: tuple[Member, ...]
    line: int


@dataclass(frozen=True)
class Rule:
    """A symbol of a grammar.

    Attributes:
        name: The symbol.
        alternatives: The ways it matches.
        line: Where it stands in the file.
    """

    name: str
    alternatives: tuple[Alternative, ...]
    line: int

    @property
    def members(self) -> tuple[tuple[str, int], ...]:
        """The members that it gives and how many arguments each takes; one without a name if it gives one thing."""
        found = self.alternatives[0].members
        return tuple((member.name, len(member.parameters)) for member in found) or (("", 0),)


@dataclass(frozen=True)
class Grammar:
    """Rules that rewrite sentences by their trees.

    Attributes:
        name: What it is called: "en.passive", or the path of a file of your own.
        language: Whose morphology its functions are of.
        root: The symbol of whole outputs.
        rules: The rules; one that others match at the same node stands before them.

    Example:
        >>> Grammar.load("en.cleft").language
        'en'
        >>> [rule.name for rule in Grammar.load("en.passive").rules if rule.name.startswith("V")]
        ['V', 'VBA', 'VBG', 'VERB']
    """

    name: str
    language: str
    root: str
    rules: tuple[Rule, ...]

    @cached_property
    def by_name(self) -> dict[str, Rule]:
        """The rules by name."""
        return {rule.name: rule for rule in self.rules}

    @classmethod
    def load(cls, name: str | PathLike[str]) -> Self:
        """Read a grammar of tolka's own by its name, or of yours from a file that ends in ".rewrite".

        Raises:
            SettingsError: There is no such grammar.
            FormatError: A line makes no sense; says which, and what to do.
        """
        if str(name).endswith(SUFFIX):
            return cls._parsed(list(islice(read_lines(name), MOST_LINES + 1)), str(name))
        if name not in names():
            raise SettingsError(
                f"there is no grammar {str(name)!r}",
                hint=f"take {', '.join(names())} or a file that ends in {SUFFIX}",
            )
        place = resources.files("tolka.assist.rewriting").joinpath(f"grammars/{name}{SUFFIX}")
        return cls._parsed(place.read_text(encoding="utf-8").splitlines(), str(name))

    @classmethod
    def of(cls, text: str, name: str = "grammar") -> Self:
        """A grammar from the text of a file."""
        return cls._parsed(text.splitlines(), name)

    @classmethod
    def _parsed(cls, lines: Sequence[str], name: str) -> Self:
        from tolka.assist.rewriting.reading import parse_grammar  # noqa: PLC0415 - it is made of what stands here

        if len(lines) > MOST_LINES:
            raise FormatError(f"a grammar of more than {MOST_LINES} lines", path=name, hint="is it a grammar at all?")
        language, root, rules = parse_grammar(lines, name)
        return cls(name, language, root, rules)


def names() -> tuple[str, ...]:
    """The grammars that come with tolka."""
    folder = resources.files("tolka.assist.rewriting").joinpath("grammars")
    return tuple(sorted(file.name.removesuffix(SUFFIX) for file in folder.iterdir() if file.name.endswith(SUFFIX)))
