"""Constituency trees in Penn brackets: `(S (PPER-SB er) (VVFIN-HD liest))`, with function tags after a hyphen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.corpus import read_lines, write_lines
from tolka.errors import FormatError, InputError, LimitError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

    from tolka.limits import Limits

TOKEN = re.compile(r"[()]|[^() \t\n\f\r]+")
BAD = re.compile(r"[() \t\n\f\r]")
DEEPEST = 1000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Constituent:
    """A node: either a word with its tag, or a label over other nodes. Compare nodes with `format_penn`.

    Attributes:
        label: Category and function, "VP-OC".
        children: The nodes below; empty for a word.
        word: The word; empty for a node with children.

    Example:
        >>> node = parse_penn("(VP-OC (NP-OA (ART das) (NN Buch)) (VVINF-HD lesen))")
        >>> node.category, node.function, node.words()
        ('VP', 'OC', ['das', 'Buch', 'lesen'])
        >>> node.children[1].word
        'lesen'
    """

    label: str
    children: tuple[Constituent, ...] = ()
    word: str = ""

    def __post_init__(self) -> None:
        if bool(self.word) == bool(self.children):
            raise InputError(f"a node {self.label!r} must have either a word or children")

    @property
    def category(self) -> str:
        """The label before its first hyphen; labels that begin with one ("-LRB-") are whole."""
        return self.label if self.label.startswith("-") else self.label.partition("-")[0]

    @property
    def function(self) -> str:
        """The label after its first hyphen, or nothing."""
        return "" if self.label.startswith("-") else self.label.partition("-")[2]

    def leaves(self) -> list[Constituent]:
        """The nodes that are words, from left to right."""
        found: list[Constituent] = []
        stack = [self]
        while stack:
            node = stack.pop()
            if node.word:
                found.append(node)
            else:
                stack.extend(reversed(node.children))
        return found

    def words(self) -> list[str]:
        """The words, from left to right."""
        return [leaf.word for leaf in self.leaves()]

    def __str__(self) -> str:
        return format_penn(self)

    def __repr__(self) -> str:
        return f"<Constituent {self.label} {self.word or len(self.children)}>"


def parse_penn(text: str) -> Constituent:
    """Read one bracketed tree.

    A node without a label around one tree, `( (S ...) )`, as treebanks have it, is taken away; several trees below one
    get the label "ROOT". A node may hold bare words besides nodes, `(NP das Buch)`: these get the tag "_".

    Raises:
        FormatError: Brackets do not match, or a node is empty; says the byte.
        LimitError: Nodes stand more than 1,000 deep.
    """
    found = _parsed(text)
    if len(found) != 1:
        raise FormatError(f"there are {len(found)} trees instead of one", hint="a tree is (label ...)")
    return found[0]


def read_penn(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Iterator[Constituent]:
    """Read the trees of a file one after the other; a tree may stand on one line or on several.

    Raises:
        FormatError: The file is malformed; says the line.
    """
    lines = read_lines(path, limits=limits)
    gathered: list[str] = []
    depth = first = size = 0
    for number, line in enumerate(lines, 1):
        if not depth:
            if not line.strip():
                continue
            first, size = number, 0
        depth += line.count("(") - line.count(")")
        size += len(line)
        gathered.append(line)
        if size > limits.line_bytes:
            raise LimitError(
                f"a tree has more than {limits.line_bytes} bytes",
                path=lines.name,
                line=first,
                hint="is a bracket missing?",
            )
        if depth <= 0:
            yield from _located("\n".join(gathered), lines.name, first)
            gathered = []
            depth = 0
    if gathered:
        yield from _located("\n".join(gathered), lines.name, first)


def _located(text: str, name: str | PathLike[str], first: int) -> list[Constituent]:
    try:
        return _parsed(text)
    except (FormatError, LimitError) as error:
        before = text.encode()[: (error.byte or 1) - 1]
        line = first + before.count(b"\n")
        raise type(error)(error.what, path=name, line=line, hint=error.hint) from None


class _Stack:
    """Nodes that are not closed yet, kept by ourselves: depth is an error, never a crash."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.open: list[tuple[str, list[Constituent | str]]] = []
        self.awaits_label = False

    def byte(self, at: int) -> int:
        return len(self.text[:at].encode()) + 1

    def add(self, piece: str, at: int) -> Constituent | None:
        """Take one bracket or word; a tree that it completes is given back."""
        if piece == "(":
            self.open.append(("", []))
            self.awaits_label = True
            if len(self.open) > DEEPEST:
                raise LimitError(f"a tree is more than {DEEPEST} nodes deep", byte=self.byte(at))
            return None
        if not self.open:
            what = "a bracket closes nothing" if piece == ")" else f"{piece!r} stands outside of brackets"
            raise FormatError(what, byte=self.byte(at), hint="a tree is (label ...)")
        label, parts = self.open[-1]
        named, self.awaits_label = self.awaits_label, False
        if piece == ")":
            self.open.pop()
            node = _node(label, parts, self.byte(at))
            if not self.open:
                return node
            self.open[-1][1].append(node)
        elif named:
            self.open[-1] = (_opened(piece), parts)
        else:
            parts.append(_opened(piece))
        return None


def _parsed(text: str) -> list[Constituent]:
    stack = _Stack(text)
    found = [node for match in TOKEN.finditer(text) if (node := stack.add(match[0], match.start()))]
    if stack.open:
        raise FormatError(f"{len(stack.open)} brackets are never closed", byte=stack.byte(len(text)))
    return found


def _node(label: str, parts: list[Constituent | str], byte: int) -> Constituent:
    match parts:
        case []:
            raise FormatError("a node is empty", byte=byte, hint="a node is (tag word) or (label nodes)")
        case [Constituent() as only] if not label:
            return only
        case [str() as word] if label:
            return Constituent(label, word=word)
    if not label and any(isinstance(part, str) for part in parts):
        raise FormatError("a word has no tag", byte=byte, hint="a word is (tag word)")
    children = tuple(Constituent("_", word=part) if isinstance(part, str) else part for part in parts)
    return Constituent(label or "ROOT", children)


def format_penn(tree: Constituent) -> str:
    """One tree on one line.

    Raises:
        InputError: A label or word is empty or has white space in it.

    Example:
        >>> format_penn(Constituent("NP", (Constituent("$(", word="("), Constituent("NN", word="Buch"))))
        '(NP ($-LRB- -LRB-) (NN Buch))'
    """
    pieces: list[str] = []
    stack: list[Constituent | str] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        if pieces:
            pieces.append(" ")
        pieces.append(f"({_safe(node.label)}")
        if node.word:
            pieces.append(f" {_safe(node.word)})")
        else:
            stack.append(")")
            stack.extend(reversed(node.children))
    return "".join(pieces)


def write_penn(path: str | PathLike[str], trees: Iterable[Constituent]) -> int:
    """Write one tree a line, to a file that appears whole or not at all; returns how many."""
    return write_lines(path, map(format_penn, trees))


def _opened(token: str) -> str:
    """The Penn Treebank writes brackets that are text as -LRB- and -RRB-."""
    return token.replace("-LRB-", "(").replace("-RRB-", ")")


def _safe(text: str) -> str:
    text = text.replace("(", "-LRB-").replace(")", "-RRB-")
    if not text or BAD.search(text):
        raise InputError(f"{text!r} cannot be written in brackets", hint="no white space in it")
    return text
