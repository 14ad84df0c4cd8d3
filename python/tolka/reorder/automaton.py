"""The reordering automaton: a walker on the tree that emits each word once (Miceli Barone, section 3.3).

This is the readable form, for study and small trees; `tolka.reorder.fragments` does the same for a corpus. Words are
counted from 0, as everywhere. A sentence with several roots has a silent root above them, whose number is the number
of words, and which is never emitted.

Example:
    >>> automaton = Automaton((2, 0, 2))  # a verb with a word on each side
    >>> [str(action) for action in automaton.execution((1, 0, 2))]
    ['EMIT 1', 'DOWN 0', 'EMIT 0', 'UP 0', 'DOWN 2', 'EMIT 2']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tolka.errors import InputError
from tolka.reorder.measure import is_permutation
from tolka.syntax.tree import check_heads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tolka.reorder.preorderer import Order


@dataclass(frozen=True, slots=True)
class Action:
    """EMIT a vertex, go UP from it, or go DOWN to it."""

    kind: Literal["EMIT", "UP", "DOWN"]
    vertex: int

    def __str__(self) -> str:
        return f"{self.kind} {self.vertex}"


@dataclass(frozen=True, slots=True)
class State:
    """Where the walker is, what it has emitted, and what it did last."""

    vertex: int
    emitted: frozenset[int] = frozenset()
    last: Action | None = None


@dataclass(frozen=True, slots=True)
class Fragment:
    """What the walker does after one EMIT, up to and with the next.

    Attributes:
        word: The word that is emitted.
        actions: The actions, EMIT last.
        forced: For each, whether it was the only one enabled.
        top: The highest vertex visited.
        distance: From the word emitted before to this one; before the first stands place -1.
        excursion: The longer way, from the word before to the top or from the top to this word, in the sentence. A
            silent top has no place there: then the distance without its sign.
    """

    word: int
    actions: tuple[Action, ...]
    forced: tuple[bool, ...]
    top: int
    distance: int
    excursion: int

    @property
    def nonlocal_(self) -> bool:
        """Whether it is non-tree-local: it has an UP that was not forced."""
        return any(action.kind == "UP" and not forced for action, forced in zip(self.actions, self.forced, strict=True))


class Automaton:
    """The automaton of one tree.

    Args:
        heads: Heads of the words, counted from 1 as in CoNLL files, 0 for a root.
        printed: Take the preconditions as printed in the thesis, under which an execution can come to a dead end. By
            default UP also needs a word outside the current subtree that is still to be emitted.
    """

    def __init__(self, heads: Sequence[int], *, printed: bool = False) -> None:
        check_heads(heads)
        self.words = len(heads)
        self.printed = printed
        roots = [word for word, head in enumerate(heads) if not head]
        silent = len(roots) > 1
        self.root = self.words if silent else roots[0]
        above = self.words if silent else None
        self.parent: list[int | None] = [head - 1 if head else above for head in heads] + [None] * silent
        self.children: list[list[int]] = [[] for _ in self.parent]
        for vertex, parent in enumerate(self.parent):
            if parent is not None:
                self.children[parent].append(vertex)
        self.subtree = [frozenset(self._below(vertex)) for vertex in range(len(self.parent))]

    def _below(self, vertex: int) -> Iterator[int]:
        stack = [vertex]
        while stack:
            at = stack.pop()
            if at < self.words:
                yield at
            stack.extend(self.children[at])

    @property
    def start(self) -> State:
        """At the root, with nothing emitted."""
        return State(self.root)

    def is_final(self, state: State) -> bool:
        """Whether everything is emitted."""
        return len(state.emitted) == self.words

    def enabled(self, state: State) -> list[Action]:
        """The actions whose preconditions hold (equations 3.4 to 3.6): EMIT, UP, and DOWN to children in order."""
        at, last = state.vertex, state.last
        found = []
        if at < self.words and at not in state.emitted:
            found.append(Action("EMIT", at))
        left_over = self.printed or len(self.subtree[at] | state.emitted) < self.words
        if self.parent[at] is not None and last != Action("DOWN", at) and left_over:
            found.append(Action("UP", at))
        found.extend(
            Action("DOWN", child)
            for child in self.children[at]
            if last != Action("UP", child) and not self.subtree[child] <= state.emitted
        )
        return found

    def step(self, state: State, action: Action) -> State:
        """The state after an action.

        Raises:
            InputError: The action is not enabled.
        """
        if action not in self.enabled(state):
            raise InputError(f"{action} is not enabled at vertex {state.vertex}")
        if action.kind == "EMIT":
            return State(state.vertex, state.emitted | {state.vertex}, action)
        parent = self.parent[state.vertex]
        if action.kind == "UP" and parent is not None:
            return State(parent, state.emitted, action)
        return State(action.vertex, state.emitted, action)

    def execution(self, order: Sequence[int]) -> list[Action]:
        """The one execution that emits the words in an order: always the straight path to the next word.

        Raises:
            InputError: The order is no permutation.
        """
        if not is_permutation(order, self.words):
            raise InputError(f"the order of {self.words} words is no permutation of 0 to {self.words - 1}")
        actions: list[Action] = []
        at = self.root
        for word in order:
            while word not in self.subtree[at]:
                actions.append(Action("UP", at))
                above = self.parent[at]
                at = self.root if above is None else above
            while at != word:
                at = next(child for child in self.children[at] if word in self.subtree[child])
                actions.append(Action("DOWN", at))
            actions.append(Action("EMIT", at))
        return actions

    def order(self, actions: Iterable[Action]) -> Order:
        """The order in which an execution emits the words.

        Raises:
            InputError: An action is not enabled, or not everything was emitted.
        """
        state = self.start
        found = []
        for action in actions:
            state = self.step(state, action)
            if action.kind == "EMIT":
                found.append(action.vertex)
        if not self.is_final(state):
            raise InputError(f"the execution emits {len(found)} of {self.words} words")
        return tuple(found)

    def fragments(self, order: Sequence[int]) -> list[Fragment]:
        """The fragments of the execution that emits the words in an order."""
        state = self.start
        found = []
        before = -1
        actions: list[Action] = []
        forced: list[bool] = []
        top = state.vertex
        for action in self.execution(order):
            forced.append(len(self.enabled(state)) == 1)
            actions.append(action)
            state = self.step(state, action)
            if action.kind == "UP":
                top = state.vertex
            elif action.kind == "EMIT":
                word = action.vertex
                distance = word - before
                excursion = abs(distance) if top == self.words else max(abs(word - top), abs(top - before))
                found.append(Fragment(word, tuple(actions), tuple(forced), top, distance, excursion))
                actions, forced = [], []
                before = top = word
        return found

    def executions(self) -> Iterator[tuple[list[Action], bool]]:
        """All executions, each with whether it ends with everything emitted; grows with the factorial of the words."""
        stack: list[tuple[State, list[Action]]] = [(self.start, [])]
        while stack:
            state, actions = stack.pop()
            enabled = [] if self.is_final(state) else self.enabled(state)
            if not enabled:
                yield actions, self.is_final(state)
            stack.extend((self.step(state, action), [*actions, action]) for action in reversed(enabled))
