"""Reading the notation of multitrees: brackets, bars, and backslashes before those that are text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tolka.errors import FormatError, InputError, LimitError
from tolka.multitree.tree import ANY, DEEPEST, Multitree, join, leaf

# A bracket, a bar, or text in which such signs have a backslash before them; a backslash alone is an error.
_PIECE = re.compile(r"[()<>\[\]|]|(?:\\[^ \t\n\f\r]|[^\\()<>\[\]| \t\n\f\r])+|\\")
_TOKEN = re.compile(r"[^ \t\n\f\r]+")
_PLACE = re.compile(r"@([0-9]{1,6}),([0-9]{1,6})", re.ASCII)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SLASH = re.compile(r"((?:\\.|[^\\/])*)/(.*)", re.DOTALL)
_BAR = "|||"
_CLOSING = {"(": ")", "<": ">", "[": "]"}
_HINT = "a tree is (label left right), <label left right> or [label words | words]"


@dataclass(slots=True)
class _Open:
    """A node that is not closed yet."""

    bracket: str
    at: int
    label: tuple[str, str] | None = None
    below: list[_Shape] = field(default_factory=list)
    words: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    bars: int = 0


@dataclass(slots=True)
class _Shape:
    """A node that does not know its place yet; `size` is its number of words on either side."""

    label: tuple[str, str]
    size: tuple[int, int]
    inverted: bool = False
    below: tuple[_Shape, ...] = ()
    words: tuple[list[str], list[str]] | None = None


def parse_words(line: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], str, int]:
    """The words before the trees, the text of the trees, and the byte at which it begins."""
    bars = [token for token in _TOKEN.finditer(line) if token[0] == _BAR]
    if len(bars) != 2:  # noqa: PLR2004 - source, target, trees
        raise FormatError(
            f"there are {len(bars)} times ||| on the line instead of 2", hint="a line is source ||| target ||| trees"
        )
    first, second = bars
    sides = [(line[: first.start()], 0), (line[first.end() : second.start()], first.end())]
    words = []
    for text, before in sides:
        tokens = list(_TOKEN.finditer(text))
        try:
            words.append(tuple(_opened(token[0]) for token in tokens))
        except FormatError as error:
            wrong = next(token for token in tokens if "\\" in _ESCAPED.sub("", token[0]))
            raise FormatError(error.what, byte=_byte(line, before + wrong.start()), hint=error.hint) from error
    return (words[0], words[1]), line[second.end() :], _byte(line, second.end())


def parse_tree(text: str) -> Multitree:
    r"""Read one tree.

    Raises:
        FormatError: It is malformed; says the byte.
        LimitError: Nodes stand more than 1,000 deep.

    Example:
        >>> tree = parse_tree("<NP [JJ joint | commune] [NN debate | discussion]>")
        >>> tree.target_yield()
        ('discussion', 'commune')
    """
    found = parse_trees(text)
    if len(found) != 1:
        raise FormatError(f"there are {len(found)} trees instead of one", hint=_HINT)
    return found[0]


def parse_trees(text: str, byte: int = 1) -> list[Multitree]:
    """Read trees, each where it says that it stands; `byte` is where the text begins in its line."""
    reader = _Reader()
    try:
        for match in _PIECE.finditer(text):
            reader.at = match.start()
            reader.take(match[0])
        reader.finish()
    except (FormatError, InputError) as error:
        # Positions are counted in bytes only when they are told.
        raise FormatError(error.what, byte=byte + _byte(text, reader.at) - 1, hint=error.hint) from error
    return reader.found


class _Reader:
    """Takes brackets, bars and texts one by one; nodes that are open are kept by ourselves: depth is never a crash."""

    def __init__(self) -> None:
        self.at = 0
        self.open: list[_Open] = []
        self.place: tuple[int, int] | None = None
        self.found: list[Multitree] = []

    def take(self, piece: str) -> None:
        if piece in _CLOSING:
            self._opening(piece)
        elif not self.open:
            where = _PLACE.fullmatch(piece)
            if self.place is not None or not where:
                raise FormatError(f"{piece!r} stands outside of trees", hint=_HINT)
            self.place = (int(where[1]), int(where[2]))
        elif piece in _CLOSING.values():
            shape = _closed(self.open.pop(), piece)
            if self.open:
                self.open[-1].below.append(shape)
            else:
                self.found.append(_placed(shape, self.place or (0, 0)))
                self.place = None
        else:
            _inside(self.open[-1], piece)

    def _opening(self, bracket: str) -> None:
        if self.open and self.open[-1].bracket == "[":
            raise FormatError(f"{bracket} stands in a leaf", hint=rf"write \{bracket} if it is a word")
        if self.open and self.open[-1].label is None:
            raise FormatError("a node has no label", hint=_HINT)
        self.open.append(_Open(bracket, self.at))
        if len(self.open) > DEEPEST:
            raise LimitError(f"a tree is more than {DEEPEST} nodes deep")

    def finish(self) -> None:
        if self.open:
            self.at = self.open[-1].at
            raise FormatError("a bracket is never closed", hint=_HINT)
        if self.place is not None:
            raise FormatError("no tree follows a place", hint="a place such as @3,5 stands before a tree")


def _inside(node: _Open, piece: str) -> None:
    """A label, a word of a leaf, or the bar between its sides."""
    if node.label is None and piece != "|":
        node.label = _label(piece)
    elif node.bracket != "[" or node.label is None:
        raise FormatError(f"{piece!r} stands in no leaf", hint=_HINT)
    elif piece == "|":
        node.bars += 1
        if node.bars > 1:
            raise FormatError("a leaf has more than one bar", hint=r"write \| if it is a word")
    else:
        node.words[node.bars].append(_opened(piece))


def _closed(node: _Open, bracket: str) -> _Shape:
    if _CLOSING[node.bracket] != bracket:
        raise FormatError(f"{bracket} closes {node.bracket}", hint=_HINT)
    if node.label is None:
        raise FormatError("a node has no label", hint=_HINT)
    if node.bracket == "[":
        size = (len(node.words[0]), len(node.words[1]))
        if not all(size):
            raise FormatError("a leaf needs words on both sides of a bar", hint=_HINT)
        return _Shape(node.label, size, words=node.words)
    if len(node.below) != 2:  # noqa: PLR2004 - binary
        raise FormatError(f"a node has {len(node.below)} children instead of two", hint=_HINT)
    left, right = node.below
    size = (left.size[0] + right.size[0], left.size[1] + right.size[1])
    return _Shape(node.label, size, node.bracket == "<", (left, right))


def _placed(shape: _Shape, place: tuple[int, int]) -> Multitree:
    """Where each node stands is known from the top down, and trees are made from the bottom up."""
    order: list[tuple[_Shape, tuple[int, int]]] = []
    stack = [(shape, place)]
    while stack:
        node, (i, j) = stack.pop()
        order.append((node, (i, j)))
        if node.below:
            left, right = node.below
            first, second = (j + right.size[1], j) if node.inverted else (j, j + left.size[1])
            stack += [(right, (i + left.size[0], second)), (left, (i, first))]
    done: list[Multitree] = []
    for node, where in reversed(order):
        if node.words is None:
            done.append(join(done.pop(), done.pop(), node.label))
        else:
            done.append(leaf(*node.words, node.label, where))
    return done[0]


def _label(piece: str) -> tuple[str, str]:
    parts = _SLASH.fullmatch(piece)
    return (_opened(parts[1]), _opened(parts[2])) if parts else (_opened(piece), ANY)


def _opened(text: str) -> str:
    # Each backslash must stand before something.
    if "\\" in _ESCAPED.sub("", text):
        raise FormatError("a backslash stands before nothing", hint=r"write \\ for a backslash")
    return _ESCAPED.sub(r"\1", text)


def _byte(text: str, at: int) -> int:
    return len(text[:at].encode("utf-8", "replace")) + 1
