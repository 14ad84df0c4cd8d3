"""What a constituency tree says about spans: which constituents one crosses, and what to call it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.multitree.tree import ANY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tolka.multitree.tree import Span
    from tolka.syntax import Constituent


@dataclass(frozen=True, slots=True)
class _Node:
    label: str
    span: Span
    depth: int


class Constituents:
    """The constituents of one sentence, as spans; without a tree there are none, and every label is X.

    Args:
        words: The words of the sentence.
        tree: Its tree.
        heads: For each word the position of the word it depends on, -1 for the root. Without them, each constituent counts as
            headed by its shallowest part.
        name: What errors call the sentence.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> tree = parse_penn("(S (NP (DT the) (JJ old) (NN dog)) (VP (V barks)))")
        >>> side = Constituents(tree.words(), tree, [2, 2, 3, -1])
        >>> side.crossed((0, 3)), side.crossed((2, 4))
        (0, 1)
        >>> side.label((0, 3)), side.label((3, 4)), side.label((1, 3)), side.label((2, 4))
        ('NP', 'V', 'NN*', 'VP*')
    """

    def __init__(
        self, words: Sequence[str], tree: Constituent | None, heads: Sequence[int] | None = None, name: str = "sentence"
    ) -> None:
        self.words = words
        self._nodes: list[_Node] = []
        self._topmost: dict[Span, str] = {}
        self._tags: list[str] = []
        if tree is None:
            return
        if tree.words() != list(words):
            raise InputError(f"the tree of the {name} has other words than it", hint="do the lines match?")
        if heads is not None and len(heads) != len(words):
            raise InputError(f"there are {len(heads)} heads for the {len(words)} words of the {name}")
        for node in _spans(tree):
            self._nodes.append(node)
            self._topmost.setdefault(node.span, node.label)  # The first is the topmost of a unary chain.
        self._tags = [found.label for found in tree.leaves()]
        self._projections = None if heads is None else _projections(self._nodes, heads)

    def crossed(self, span: Span) -> int:
        """How many constituents overlap a span, with neither inside the other (Galron 2012, section 4.5.3)."""
        low, high = span
        return sum(a < low < b < high or low < a < high < b for a, b in self._topmost)

    def looseness(self, span: Span) -> int:
        """How many words the smallest constituent around a span has: the fewer, the more the span belongs together."""
        low, high = span
        return min((b - a for a, b in self._topmost if a <= low and high <= b), default=len(self.words))

    def label(self, span: Span) -> str:
        """The tag of a word, the label of a constituent, or that of the part with the head and a star.

        The head of a span is its word whose maximal projection, the highest constituent that it heads, is the shallowest; the
        leftmost of equals.
        """
        if not self._nodes:
            return ANY
        if span[1] - span[0] == 1:
            return self._tags[span[0]]
        if span in self._topmost:
            return self._topmost[span]
        inside = [node for node in self._nodes if span[0] <= node.span[0] and node.span[1] <= span[1]]
        if self._projections is not None:
            head = min(range(*span), key=self._projections.__getitem__)
            inside = [node for node in inside if node.span[0] <= head < node.span[1]]
        part = min(inside, key=lambda node: (node.depth, node.span[0] - node.span[1], node.span[0]))
        return f"{part.label}*"


def _projections(nodes: Sequence[_Node], heads: Sequence[int]) -> list[int]:
    """For each word the depth of the highest constituent that it heads."""
    found = [max(node.depth for node in nodes) + 1] * len(heads)
    for node in nodes:
        low, high = node.span
        head = next((word for word in range(low, high) if not low <= heads[word] < high), low)
        found[head] = min(found[head], node.depth)
    return found


def _spans(tree: Constituent) -> Iterator[_Node]:
    """Each node with the words it covers, a node before what is below it."""
    starts: list[tuple[Constituent, int, int]] = [(tree, 0, 0)]
    while starts:
        node, start, depth = starts.pop()
        yield _Node(node.label, (start, start + len(node.leaves())), depth)
        for child in node.children:
            starts.append((child, start, depth + 1))
            start += len(child.leaves())
