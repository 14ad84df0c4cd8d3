"""Heads of phrases by rules (Collins, 1999), and what follows from them: head words, dependents, arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import TYPE_CHECKING, Literal, Self

from tolka.corpus import read_lines
from tolka.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from tolka.syntax.penn import Constituent

Side = Literal["left", "right"]
ARGUMENT = "A"
"""The function tag of arguments."""


@dataclass(frozen=True)
class Search:
    """One way to look for a head: from a side, for each label in turn, for any of them, or only at the end."""

    side: Side
    how: Literal["each", "any", "end"]
    labels: tuple[str, ...]

    def find(self, children: Sequence[str]) -> int | None:
        """The place of the child that is found among these categories."""
        places = range(len(children)) if self.side == "left" else range(len(children) - 1, -1, -1)
        if self.how == "each":
            return next((at for label in self.labels for at in places if children[at] == label), None)
        return next((at for at in places[: 1 if self.how == "end" else None] if children[at] in self.labels), None)


@dataclass
class HeadRules:
    """Rules that say which child of a phrase is its head; `HeadRules.collins()` has those of the Penn Treebank.

    Function tags ("NP-SBJ") do not matter to rules. A phrase with a label that has no rule has its first or last child as
    its head, as the rules say.

    Example:
        >>> rules = HeadRules.collins()
        >>> from tolka.syntax import parse_penn
        >>> rules.head(parse_penn("(NP (DT the) (JJ old) (NN man) (PP (IN at) (NP (NN sea))))"))
        2
    """

    searches: dict[str, list[Search]] = field(default_factory=dict)
    other: Side = "left"
    conjunctions: frozenset[str] = frozenset()
    arguments: dict[str, frozenset[str]] = field(default_factory=dict)
    after_head: frozenset[str] = frozenset()
    adjuncts: frozenset[str] = frozenset()
    base: tuple[str, str, str] | None = None

    @classmethod
    def collins(cls) -> Self:
        """The rules of Collins (1999) for the Penn Treebank."""
        text = resources.files("tolka.syntax").joinpath("collins.heads").read_text(encoding="utf-8")
        return cls._read(text.splitlines(), "collins.heads")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read rules of your own; the file `collins.heads` of this package says how they are written.

        Raises:
            FormatError: A line is none of a rule; says which.
        """
        return cls._read(read_lines(path), path)

    @classmethod
    def _read(cls, lines: Iterable[str], name: str | PathLike[str]) -> Self:
        rules = cls()
        for number, line in enumerate(lines, 1):
            words = line.split()
            if words and not words[0].startswith("#"):
                try:
                    rules._add(words)
                except ValueError as error:
                    raise FormatError(
                        str(error), path=name, line=number, hint="tolka's own collins.heads shows how rules are written"
                    ) from None
        return rules

    def _add(self, words: list[str]) -> None:
        match words:
            case ["head", label, ("left" | "right") as side, ("each" | "any" | "end") as how, *labels]:
                self.searches.setdefault(label, []).append(Search(side, how, tuple(labels)))
            case ["other", ("left" | "right") as side]:
                self.other = side
            case ["conjunction", *labels]:
                self.conjunctions |= frozenset(labels)
            case ["argument", parent, *labels] if labels:
                self.arguments[parent] = self.arguments.get(parent, frozenset()) | frozenset(labels)
            case ["argument-after-head", *labels] if labels:
                self.after_head |= frozenset(labels)
            case ["adjunct", *labels]:
                self.adjuncts |= frozenset(labels)
            case ["base", label, called, unless]:
                self.base = (label, called, unless)
            case _:
                raise ValueError(f"{' '.join(words)!r} is no rule for heads")

    def _plain(self, category: str) -> str:
        # Basic noun phrases have the heads of noun phrases.
        return self.base[0] if self.base and category == self.base[1] else category

    def head(self, node: Constituent) -> int:
        """The place of a node's head among its children; 0 for a word."""
        children = [self._plain(child.category) for child in node.children]
        if len(children) < 2:  # noqa: PLR2004 - an only child is the head
            return 0
        searches = self.searches.get(self._plain(node.category), ())
        side = searches[-1].side if searches else self.other
        found = next((at for search in searches if (at := search.find(children)) is not None), None)
        if found is None:
            found = 0 if side == "left" else len(children) - 1
        if found > 1 and children[found - 1] in self.conjunctions:
            return found - 2
        return found

    def columns(self) -> dict[str, object]:
        """The rules as the engine takes them."""
        searches = [
            (label, search.side == "left", search.how, list(search.labels))
            for label, found in self.searches.items()
            for search in found
        ]
        return {
            "searches": searches,
            "other_left": self.other == "left",
            "conjunctions": sorted(self.conjunctions),
            "arguments": [(label, sorted(wanted)) for label, wanted in self.arguments.items()],
            "after_head": sorted(self.after_head),
            "adjuncts": sorted(self.adjuncts),
            "base": self.base,
        }


@dataclass(frozen=True)
class Phrase:
    """A node of a tree with its head word.

    Attributes:
        node: The node.
        begin: Its first word.
        end: The word after its last.
        head: Its head word.
        parent: The number of the phrase above, -1 for the root.
        is_head: Whether it is the head of the phrase above.
    """

    node: Constituent
    begin: int
    end: int
    head: int
    parent: int
    is_head: bool


class Lexicalised:
    """A tree in which every node has a head word.

    Attributes:
        words: The words.
        phrases: The nodes, parents first and from left to right.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> tree = parse_penn("(S (NP (DT the) (NN man)) (VP (VBD saw) (NP (PRP her))))")
        >>> found = Lexicalised(tree)
        >>> [found.words[phrase.head] for phrase in found.phrases if not phrase.node.word]
        ['saw', 'man', 'saw', 'her']
        >>> found.heads, found.maximal(1).node.label
        ((1, 2, -1, 2), 'NP')
    """

    def __init__(self, tree: Constituent, rules: HeadRules | None = None) -> None:
        rules = rules or HeadRules.collins()
        self.tree = tree
        self.words = tuple(tree.words())
        found: list[tuple[Constituent, int, int, bool]] = []
        stack: list[tuple[Constituent, int, bool]] = [(tree, -1, False)]
        begins: list[int] = []
        words = 0
        while stack:
            node, parent, is_head = stack.pop()
            number = len(found)
            found.append((node, parent, number, is_head))
            begins.append(words)
            words += bool(node.word)
            place = rules.head(node) if node.children else -1
            stack.extend((child, number, at == place) for at, child in reversed(list(enumerate(node.children))))
        heads, ends = [0] * len(found), list(begins)
        for node, parent, number, is_head in reversed(found):
            if node.word:
                heads[number], ends[number] = begins[number], begins[number] + 1
            if parent >= 0:
                ends[parent] = max(ends[parent], ends[number])
                if is_head:
                    heads[parent] = heads[number]
        self.phrases = tuple(
            Phrase(node, begins[number], ends[number], heads[number], parent, is_head)
            for node, parent, number, is_head in found
        )

    @cached_property
    def _maximal(self) -> tuple[int, ...]:
        top = [-1] * len(self.words)
        for number, phrase in enumerate(self.phrases):
            if top[phrase.head] < 0:
                top[phrase.head] = number
        return tuple(top)

    def maximal(self, word: int) -> Phrase:
        """The largest phrase that a word is the head of."""
        return self.phrases[self._maximal[word]]

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """The word that each word depends on: the head of the phrase above its largest one; -1 for the root's."""
        above = (self.phrases[number].parent for number in self._maximal)
        return tuple(self.phrases[parent].head if parent >= 0 else -1 for parent in above)

    def dependents(self, word: int) -> tuple[int, ...]:
        """The words that depend on a word."""
        return tuple(other for other, head in enumerate(self.heads) if head == word)
