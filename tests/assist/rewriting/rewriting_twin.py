"""A naive transducer of single trees, as slow as it is plain: the twin of the engine's, which works on whole forests.

Outputs are functions that are called when all is known, as in the thesis; patterns are tried on all ways to cut children up.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from tolka.assist.rewriting.grammar import (
    And,
    Any,
    Call,
    Concat,
    Fixed,
    Label,
    Named,
    Not,
    Or,
    Output,
    Parameter,
    Star,
    Stretch,
    Words,
    is_single,
)
from tolka.assist.rewriting.morphology import Piece
from tolka.syntax import HeadRules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tolka.assist.rewriting.grammar import Grammar, Item, Pattern, Template
    from tolka.assist.rewriting.morphology import Morphology, Number
    from tolka.syntax import Constituent

    Thunk = Callable[[], Piece | None]
    Members = list[Callable[[list[Thunk]], Piece | None]]

HEADS = HeadRules.collins()


class Twin:
    """Rewrites trees by one grammar."""

    def __init__(self, grammar: Grammar, morphology: Morphology, number: Callable[[Constituent], Number]) -> None:
        self.grammar, self.morphology, self.number = grammar, morphology, number

    def outputs(self, tree: Constituent, *, parts: bool = False) -> set[tuple[int, int, tuple[str, ...]]]:
        """Where outputs begin and end, and their words."""
        found = set()
        length = len(tree.words())
        for begin, node in _nodes(tree, 0):
            end = begin + len(node.words())
            if node.word or not (parts or (begin, end) == (0, length)):
                continue
            for members in self.matches(self.grammar.root, node):
                piece = members[0]([])
                if piece is not None:
                    found.add((begin, end, piece.words))
        return found

    def matches(self, rule: str, node: Constituent) -> Iterator[Members]:
        for one in self.grammar.by_name[rule].alternatives:
            if not self.single(one.node, node):
                continue
            ways = [[]] if one.items is None else [] if node.word else self.ways(one.items, list(node.children))
            for bound in ways:
                if one.members:
                    yield [
                        lambda arguments, template=member.template, bound=bound: self.filled(template, bound, arguments)
                        for member in one.members
                    ]
                else:
                    yield [lambda _: self.piece(node)]

    def single(self, pattern: Pattern, node: Constituent) -> bool:  # noqa: PLR0911 - a kind of pattern each
        match pattern:
            case Label(regexp):
                return regexp.fullmatch(node.label) is not None
            case Any():
                return True
            case Words(which, words, within):
                if which == "word":
                    return len(node.words()) == 1 and (node.words()[0].lower() in words) == within
                return (_head(node).word.lower() in words) == within
            case Named(rule):
                return next(self.matches(rule, node), None) is not None
            case Not(inner):
                return not self.single(inner, node)
            case And(patterns):
                return all(self.single(one, node) for one in patterns)
            case Or(patterns):
                return any(self.single(one, node) for one in patterns)
        raise AssertionError(pattern)

    def row(self, pattern: Pattern, nodes: list[Constituent]) -> bool:
        """Whether a pattern matches all of these nodes in a row."""
        if is_single(pattern):
            return len(nodes) == 1 and self.single(pattern, nodes[0])
        match pattern:
            case Star(inner):
                return not nodes or any(
                    self.row(inner, nodes[:cut]) and self.row(pattern, nodes[cut:]) for cut in range(1, len(nodes) + 1)
                )
            case And(patterns):
                return all(self.row(one, nodes) for one in patterns)
            case Or(patterns):
                return any(self.row(one, nodes) for one in patterns)
            case Concat(patterns):
                first, *rest = patterns
                if not rest:
                    return self.row(first, nodes)
                return any(
                    self.row(first, nodes[:cut]) and self.row(Concat(tuple(rest)), nodes[cut:])
                    for cut in range(len(nodes) + 1)
                )
        raise AssertionError(pattern)

    def ways(self, items: tuple[Item, ...], nodes: list[Constituent]) -> Iterator[list[tuple[Thunk, Members]]]:
        """What items are bound to: a piece, and what their rule gives."""
        for inner in product(range(len(nodes) + 1), repeat=len(items) - 1):
            cuts = [0, *inner, len(nodes)]
            stretches = [nodes[begin:end] for begin, end in pairwise(cuts)]
            if list(cuts) != sorted(cuts) or not all(
                self.row(item.pattern, stretch) for item, stretch in zip(items, stretches, strict=True)
            ):
                continue
            choices: list[list[Members]] = [
                list(self.matches(item.pattern.rule, stretch[0])) if isinstance(item.pattern, Named) else [[]]
                for item, stretch in zip(items, stretches, strict=True)
            ]
            pieces = [
                self.piece(stretch[0])
                if is_single(item.pattern)
                else Piece(tuple(w for n in stretch for w in n.words()))
                for item, stretch in zip(items, stretches, strict=True)
            ]
            for members in product(*choices):
                yield [((lambda piece=piece: piece), member) for piece, member in zip(pieces, members, strict=True)]

    def filled(self, template: Template, bound: list[tuple[Thunk, Members]], arguments: list[Thunk]) -> Piece | None:
        found: list[Piece] = []
        for part in template:
            piece: Piece | None
            match part:
                case Fixed(words):
                    piece = Piece(words)
                case Stretch(item):
                    piece = bound[item][0]()
                case Parameter(number):
                    piece = arguments[number]()
                case Output(item, member, inner):
                    piece = bound[item][1][member]([self.thunk(one, bound, arguments) for one in inner])
                case Call(function, inner):
                    pieces = [self.filled(one, bound, arguments) for one in inner]
                    given = [one for one in pieces if one is not None]
                    words = self.morphology.functions[function][1](given) if len(given) == len(pieces) else None
                    piece = None if words is None else Piece(words)
            if piece is None:
                return None
            found.append(piece)
        full = [piece for piece in found if piece.words]
        return full[0] if len(full) == 1 else Piece(tuple(word for piece in found for word in piece.words))

    def thunk(self, template: Template, bound: list[tuple[Thunk, Members]], arguments: list[Thunk]) -> Thunk:
        return lambda: self.filled(template, bound, arguments)

    def piece(self, node: Constituent) -> Piece:
        head = _head(node)
        return Piece(tuple(node.words()), node.label, head.word, head.category, self.number(node))


def _nodes(tree: Constituent, begin: int) -> Iterator[tuple[int, Constituent]]:
    yield begin, tree
    for child in tree.children:
        yield from _nodes(child, begin)
        begin += len(child.words())


def _head(node: Constituent) -> Constituent:
    while node.children:
        node = node.children[HEADS.head(node)]
    return node
