"""Multitrees: one binary tree over two sentences, whose nodes are contiguous on both sides (Galron 2012, section 4).

A *leaf* is a bilingual composition: a source phrase beside a target phrase, each of one word or more. The fuses that make
a phrase of its words branch to the right and are not stored. An inner node is a 2x2 composition of two nodes that are
neighbours on both sides, in the same order (monotonic) or with the target sides swapped (inverted). These are the trees
of inversion transduction grammars (Wu 1997). A tree that breaks a rule cannot be made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.errors import InputError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Span = tuple[int, int]
"""Boundaries between words: (0, 2) are the first two words."""
Spans = tuple[Span, Span]
"""A span of the source and one of the target."""

NOTHING: Span = (-1, -1)
"""The span of the side on which an item of one language is not active."""
ANY = "X"
"""The label of a side without a tree."""
DEEPEST = 1000
KINDS = ("source-scan", "target-scan", "source-fuse", "target-fuse", "bilingual", "monotonic", "inverted")

# The engine separates words at ASCII white space only; files of text hold no NUL, and UTF-8 no halves of surrogate pairs.
_NO_WORD = re.compile("[ \t\n\f\r\0\ud800-\udfff]")
# What the notation of trees gives a meaning. Readers drop a byte order mark at the start of a file.
_MARKED = re.compile(r"[\\()<>\[\]|\ufeff]")
_MARKED_LABEL = re.compile(r"[\\()<>\[\]|/@]")


@dataclass(frozen=True, slots=True)
class Inference:
    """One step of a derivation: items, by the spans they cover, make an item.

    Attributes:
        kind: One of `KINDS`.
        consequent: What is made.
        antecedents: Of what; nothing for a scan. The source item first, or the left item of the source.

    Example:
        >>> inverted(leaf("joint", "commune"), leaf("debate", "discussion")).inferences()[-1]
        Inference(kind='inverted', consequent=((0, 2), (0, 2)), antecedents=(((0, 1), (1, 2)), ((1, 2), (0, 1))))
    """

    kind: str
    consequent: Spans
    antecedents: tuple[Spans, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Multitree:
    """A node of a multitree, and the tree below it; `leaf`, `monotonic`, `inverted` and `join` make them.

    Attributes:
        source: The source words it covers, as boundaries.
        target: The target words it covers.
        label: Its label on either side.
        children: Two nodes, in the order of the source; none for a leaf.
        words: The source words and the target words of a leaf; empty for an inner node.
        depth: Nodes on the longest way down.

    Example:
        >>> tree = inverted(leaf("joint", "commune", "JJ"), leaf("debate", "discussion", "NN"), "NP")
        >>> print(tree)
        <NP [JJ joint | commune] [NN debate | discussion]>
        >>> tree.orientation, tree.source_yield(), tree.target_yield()
        ('inverted', ('joint', 'debate'), ('discussion', 'commune'))
        >>> tree.children[0].source, tree.children[0].target
        ((0, 1), (1, 2))
    """

    source: Span
    target: Span
    label: tuple[str, str] = (ANY, ANY)
    children: tuple[Multitree, ...] = ()
    words: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    depth: int = field(init=False)

    def __post_init__(self) -> None:
        for start, end in (self.source, self.target):
            if not 0 <= start < end:
                raise InputError(f"a node cannot cover the words from {start} to {end}")
        for label in self.label:
            if not label or not label.isprintable() or " " in label:
                raise InputError(f"{label!r} is no label", hint="labels are printable and without white space")
        if self.children:
            self._check_inner()
        else:
            self._check_leaf()
        object.__setattr__(self, "depth", 1 + max((child.depth for child in self.children), default=0))
        if self.depth > DEEPEST:
            raise LimitError(f"a tree is more than {DEEPEST} nodes deep")

    def _check_inner(self) -> None:
        if len(self.children) != 2:  # noqa: PLR2004 - binary
            raise InputError(f"a node has {len(self.children)} children", hint="multitrees are binary")
        if any(self.words):
            raise InputError("a node has both children and words", hint="words belong to leaves")
        left, right = self.children
        if self.source != (left.source[0], right.source[1]) or left.source[1] != right.source[0]:
            raise InputError(
                f"source spans {_shown(left.source)} and {_shown(right.source)} do not make {_shown(self.source)}"
            )
        first, second = sorted((left.target, right.target))
        if self.target != (first[0], second[1]) or first[1] != second[0]:
            raise InputError(
                f"target spans {_shown(left.target)} and {_shown(right.target)} do not make {_shown(self.target)}"
            )

    def _check_leaf(self) -> None:
        for words, (start, end) in zip(self.words, (self.source, self.target), strict=True):
            if len(words) != end - start:
                raise InputError(f"{len(words)} words cannot stand from {start} to {end}")
            check_words(words)

    @property
    def spans(self) -> Spans:
        """Both spans, which no other node of the tree has."""
        return self.source, self.target

    @property
    def orientation(self) -> str:
        """`leaf`, `monotonic` or `inverted`."""
        if not self.children:
            return "leaf"
        return "monotonic" if self.children[0].target < self.children[1].target else "inverted"

    def nodes(self) -> list[Multitree]:
        """All nodes, each before what is below it, in the order of the source."""
        found: list[Multitree] = []
        stack = [self]
        while stack:
            node = stack.pop()
            found.append(node)
            stack.extend(reversed(node.children))
        return found

    def leaves(self) -> list[Multitree]:
        """The leaves in the order of the source."""
        return [node for node in self.nodes() if not node.children]

    def source_yield(self) -> tuple[str, ...]:
        """The source words."""
        return tuple(word for leaf in self.leaves() for word in leaf.words[0])

    def target_yield(self) -> tuple[str, ...]:
        """The target words."""
        return tuple(word for leaf in sorted(self.leaves(), key=lambda leaf: leaf.target) for word in leaf.words[1])

    def links(self) -> list[tuple[int, int]]:
        """Each source word of a leaf with each of its target words, sorted.

        Example:
            >>> monotonic(leaf("There are", "Il existe"), leaf("others", "d' autres")).links()
            [(0, 0), (0, 1), (1, 0), (1, 1), (2, 2), (2, 3)]
        """
        return sorted(
            (i, j) for leaf in self.leaves() for i in range(*leaf.source) for j in range(*leaf.target)
        )  # fmt: skip

    def inferences(self, *, monolingual: bool = False) -> list[Inference]:
        """The derivation, antecedents before what they make.

        Args:
            monolingual: Also the scans of words and the fuses inside leaves, branching to the right.
        """
        found: list[Inference] = []
        for node in reversed(self.nodes()):
            if node.children:
                found.append(Inference(node.orientation, node.spans, tuple(child.spans for child in node.children)))
                continue
            if monolingual:
                found += _monolingual(node)
            found.append(Inference("bilingual", node.spans, ((node.source, NOTHING), (NOTHING, node.target))))
        return found

    def moved(self, source: int, target: int) -> Multitree:
        """The same tree so many words further on."""
        return _rebuilt(self, source, target)

    def pretty(self, costs: Mapping[Spans, float] | None = None) -> str:
        """The tree with a node a line; inverted nodes are marked, and the worst of the costs, if there are some.

        Example:
            >>> tree = inverted(leaf("joint", "commune", "JJ"), leaf("debate", "discussion", "NN"), "NP")
            >>> print(tree.pretty({((0, 1), (1, 2)): 1.2, ((0, 2), (0, 2)): 0.5}))
            NP inverted 0-2 | 0-2  0.5000
            ├─ JJ joint | commune  1.2000 worst
            └─ NN debate | discussion
        """
        costs = costs or {}
        worst = worst_of(self, costs)
        lines: list[str] = []
        stack = [(self, "", "")]
        while stack:
            node, before, below = stack.pop()
            name = shown_label(node.label)
            if node.children:
                what = f"{name} {node.orientation} {_shown(node.source)} | {_shown(node.target)}"
            else:
                what = f"{name} {' '.join(node.words[0])} | {' '.join(node.words[1])}"
            cost = f"  {costs[node.spans]:.4f}" if node.spans in costs else ""
            lines.append(f"{before}{what}{cost}{' worst' if node.spans == worst else ''}")
            if node.children:
                stack.append((node.children[1], f"{below}└─ ", f"{below}   "))
                stack.append((node.children[0], f"{below}├─ ", f"{below}│  "))
        return "\n".join(lines)

    def _key(self) -> tuple[object, ...]:
        return tuple((node.spans, node.label, node.words, bool(node.children)) for node in self.nodes())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Multitree) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __iter__(self) -> Iterator[Multitree]:
        return iter(self.nodes())

    def __str__(self) -> str:
        return format_tree(self)

    def __repr__(self) -> str:
        return f"<Multitree {shown_label(self.label)} {_shown(self.source)} | {_shown(self.target)}>"


def leaf(
    source: str | Iterable[str], target: str | Iterable[str], label: str | tuple[str, str] = ANY, at: Span = (0, 0)
) -> Multitree:
    """A source phrase and a target phrase that translate each other.

    Args:
        source: Its words, as a list or separated by spaces.
        target: The same of the target.
        label: Its label on the source side, or on both.
        at: Where its first words stand.

    Raises:
        InputError: A side has no words, or a word has white space in it.
    """
    sides = tuple(one.split(" ") if isinstance(one, str) else one for one in (source, target))
    words = (tuple(sides[0]), tuple(sides[1]))
    spans = [(start, start + len(one)) for start, one in zip(at, words, strict=True)]
    return Multitree(spans[0], spans[1], _both(label), words=words)


def join(left: Multitree, right: Multitree, label: str | tuple[str, str] = ANY) -> Multitree:
    """Two trees where they stand; they must be neighbours on both sides, in this order on the source.

    Raises:
        InputError: They are not.
    """
    target = (min(left.target[0], right.target[0]), max(left.target[1], right.target[1]))
    return Multitree((left.source[0], right.source[1]), target, _both(label), (left, right))


def monotonic(left: Multitree, right: Multitree, label: str | tuple[str, str] = ANY) -> Multitree:
    """Two trees side by side in the same order on both sides; the right one is moved to where the left one ends."""
    return join(left, right.moved(left.source[1] - right.source[0], left.target[1] - right.target[0]), label)


def inverted(left: Multitree, right: Multitree, label: str | tuple[str, str] = ANY) -> Multitree:
    """Two trees side by side, swapped on the target side; the target begins where that of the left one began."""
    start = left.target[0]
    right = right.moved(left.source[1] - right.source[0], start - right.target[0])
    return join(left.moved(0, right.target[1] - start), right, label)


def check_words(words: Iterable[str]) -> None:
    """Refuse words that could not be told from two, or not be written.

    Raises:
        InputError: A word is empty, has ASCII white space or NUL in it, or is not Unicode.
    """
    for word in words:
        if not word or _NO_WORD.search(word):
            raise InputError(f"{word!r} is no word", hint="words are not empty and have no white space in them")


def worst_of(tree: Multitree, costs: Mapping[Spans, float]) -> Spans | None:
    """The node with the highest cost, the first of equals; none if no node has one."""
    known = [node.spans for node in tree.nodes() if node.spans in costs]
    return max(known, key=costs.__getitem__, default=None)


def format_tree(tree: Multitree) -> str:
    r"""A tree on one line: `(label left right)`, `<label left right>` if inverted, leaves `[label words | words]`.

    The target's label follows that of the source after a slash, unless it is X. Brackets, bars and backslashes in words have
    a backslash before them, in labels slashes and @ too.

    Example:
        >>> print(leaf("( |", ") ]", ("NP", "SN")))
        [NP/SN \( \| | \) \]]
    """
    pieces: list[str] = []
    stack: list[Multitree | str] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif node.children:
            opening, closing = "()" if node.orientation == "monotonic" else "<>"
            pieces.append(f"{opening}{_label(node.label)} ")
            stack += [closing, node.children[1], " ", node.children[0]]
        else:
            pieces.append(f"[{_label(node.label)} {' | '.join(format_words(words) for words in node.words)}]")
    return "".join(pieces)


def format_words(words: Sequence[str]) -> str:
    """Words with a backslash before what the notation of trees gives a meaning."""
    return " ".join(_MARKED.sub(r"\\\g<0>", word) for word in words)


def shown_label(label: tuple[str, str]) -> str:
    """A label for people: both sides, or that of the source alone if the target has no tree."""
    return label[0] if label[1] == ANY else f"{label[0]}/{label[1]}"


def _label(label: tuple[str, str]) -> str:
    source, target = (_MARKED_LABEL.sub(r"\\\g<0>", one) for one in label)
    return source if target == ANY else f"{source}/{target}"


def _both(label: str | tuple[str, str]) -> tuple[str, str]:
    return (label, ANY) if isinstance(label, str) else label


def _shown(span: Span) -> str:
    return f"{span[0]}-{span[1]}"


def _monolingual(node: Multitree) -> list[Inference]:
    found = []
    for side, name in enumerate(("source", "target")):

        def item(start: int, end: int, side: int = side) -> Spans:
            return ((start, end), NOTHING) if side == 0 else (NOTHING, (start, end))

        start, end = node.spans[side]
        found += [Inference(f"{name}-scan", item(at, at + 1), ()) for at in range(start, end)]
        found += [
            Inference(f"{name}-fuse", item(at, end), (item(at, at + 1), item(at + 1, end)))
            for at in range(end - 2, start - 1, -1)
        ]
    return found


def _rebuilt(tree: Multitree, source: int, target: int) -> Multitree:
    if not source and not target:
        return tree
    done: list[Multitree] = []
    for node in reversed(tree.nodes()):
        # What is below a node was rebuilt just before it, the left child last.
        below = (done.pop(), done.pop()) if node.children else ()
        spans = [(start + by, end + by) for (start, end), by in zip(node.spans, (source, target), strict=True)]
        done.append(Multitree(spans[0], spans[1], node.label, below, node.words))
    return done[0]
