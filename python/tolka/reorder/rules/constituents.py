"""Rules on constituency trees: children of a node move among their siblings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.reorder.rules.language import FIRST
from tolka.reorder.rules.patterns import Pattern, holds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tolka.reorder.rules.language import Element, Rule, RuleSet
    from tolka.syntax import Constituent


class Node:
    """A node that can change; a word knows its position in the sentence."""

    __slots__ = ("children", "position", "source")

    def __init__(self, source: Constituent) -> None:
        self.source = source
        self.children: list[Node] = []
        self.position = -1

    def value(self, name: str) -> str:
        """What the node says of itself in a field."""
        return self.source.category if name == "category" else self.source.function


class Nodes:
    """A constituency tree under the hands of the rules."""

    def __init__(self, tree: Constituent) -> None:
        self.top = Node(tree)
        count = 0
        stack = [self.top]
        while stack:
            node = stack.pop()
            if node.source.word:
                node.position = count
                count += 1
            node.children = [Node(child) for child in node.source.children]
            stack.extend(reversed(node.children))

    def apply(self, rules: RuleSet) -> None:
        """Run all rules, each on all its matches before the next begins."""
        for rule in rules.rules:
            nodes = self._depth_first()
            if rule.kind == "flatten":
                for node in reversed(nodes):  # Children first, so that a node within a node goes too.
                    node.children = [
                        below
                        for child in node.children
                        for below in (
                            child.children if child.children and self._matches(rule.pivot, child) else [child]
                        )
                    ]
                continue
            for node in nodes:
                if node.children and self._matches(rule.pivot, node):
                    self._move(rule, node)

    def _depth_first(self) -> list[Node]:
        found = []
        stack = [self.top]
        while stack:
            node = stack.pop()
            found.append(node)
            stack.extend(reversed(node.children))
        return found

    def order(self) -> tuple[int, ...]:
        """Positions of the words, in their new order."""
        return tuple(node.position for node in self._depth_first() if not node.children)

    def _matches(self, patterns: tuple[Pattern, ...], node: Node) -> bool:
        def below() -> list[Callable[[str], str]]:
            return [child.value for child in node.children]

        return holds(patterns, node.value, below)

    def _move(self, rule: Rule, node: Node) -> None:
        places = {id(child): place for place, child in enumerate(node.children)}
        found: dict[str, list[int]] = {}
        for element in rule.find:
            matching = [
                place
                for place, child in enumerate(node.children)
                if self._matches(element.patterns, child) and _fits(element, place, found)
            ]
            if element.none and matching:
                return
            if matching:
                found[element.name] = matching if element.all else matching[:1]
            elif not (element.optional or element.none):
                return
        if not all(_in_chain(chain, found) for chain in rule.when):
            return
        moved = sorted({place for name in rule.move for place in found.get(name, ())}, reverse=rule.reverse)
        anchor = -1
        for name in rule.before or rule.after:
            rest = [
                place for place in (places.values() if name == FIRST else found.get(name, ())) if place not in moved
            ]
            if rest:
                anchor = rest[0] if rule.before else rest[-1]
                break
        if not moved or anchor < 0:
            return
        nearest = min(moved)
        if (rule.towards == "left" and nearest < anchor) or (rule.towards == "right" and nearest > anchor):
            return
        order = [place for place in range(len(node.children)) if place not in moved]
        at = order.index(anchor) + bool(rule.after)
        node.children = [node.children[place] for place in [*order[:at], *moved, *order[at:]]]


def _fits(element: Element, place: int, found: dict[str, list[int]]) -> bool:
    return all(place > other for name in element.right_of for other in found.get(name, ())) and all(
        place < other for name in element.left_of for other in found.get(name, ())
    )


def _in_chain(chain: tuple[str, ...], found: dict[str, list[int]]) -> bool:
    last = -1
    for name in chain:
        later = [place for place in found.get(name, ()) if place > last]
        if not later:
            return False
        last = min(later)
    return True
