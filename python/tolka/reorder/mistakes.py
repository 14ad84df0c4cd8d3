"""Where orders first go wrong, and whether they drift towards the plain order of the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.reorder.automaton import Action, Automaton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.reorder.automaton import State
    from tolka.syntax import Tree


@dataclass(frozen=True)
class FirstErrors:
    """The first wrong actions of sentences.

    Attributes:
        sentences: Sentences looked at.
        wrong: Sentences whose order is not the reference order.
        in_order: Of these, first wrong actions that are those of an in-order depth-first visit.
        after: How many actions were right before, on average.
    """

    sentences: int
    wrong: int
    in_order: int
    after: float

    @property
    def share(self) -> float:
        """Share of first errors towards the in-order visit; 0 without errors."""
        return self.in_order / self.wrong if self.wrong else 0.0


def in_order_action(automaton: Automaton, state: State) -> Action:
    """What an in-order depth-first visit does at a state: left children, the word itself, right children, then up."""
    at = state.vertex
    silent = at == automaton.words
    left = [c for c in automaton.children[at] if c < at and not silent and not automaton.subtree[c] <= state.emitted]
    right = [c for c in automaton.children[at] if (c > at or silent) and not automaton.subtree[c] <= state.emitted]
    if left:
        return Action("DOWN", left[0])
    if not silent and at not in state.emitted:
        return Action("EMIT", at)
    return Action("DOWN", right[0]) if right else Action("UP", at)


def first_errors(
    trees: Sequence[Tree], orders: Sequence[Sequence[int]], references: Sequence[Sequence[int]]
) -> FirstErrors:
    """Compare the executions of orders with those of reference orders, up to the first difference.

    Raises:
        InputError: The numbers of sentences differ, or an order is no permutation.

    Example:
        >>> from tolka.syntax import Tree
        >>> tree = Tree(forms=("a", "b", "c"), heads=(2, 0, 2))
        >>> found = first_errors([tree, tree], [(0, 1, 2), (1, 0, 2)], [(1, 0, 2), (1, 0, 2)])
        >>> found.wrong, found.share  # going down to a first is what an in-order visit does
        (1, 1.0)
    """
    if not len(trees) == len(orders) == len(references):
        raise InputError(f"there are {len(trees)} sentences, {len(orders)} orders, {len(references)} reference orders")
    wrong = in_order = after = 0
    for tree, order, reference in zip(trees, orders, references, strict=True):
        if tuple(order) == tuple(reference):
            continue
        automaton = Automaton(tree.heads)
        state = automaton.start
        pairs = zip(automaton.execution(order), automaton.execution(reference), strict=False)
        for number, (taken, wanted) in enumerate(pairs):
            if taken != wanted:
                wrong += 1
                after += number
                in_order += taken == in_order_action(automaton, state)
                break
            state = automaton.step(state, taken)
    return FirstErrors(len(trees), wrong, in_order, after / wrong if wrong else 0.0)
