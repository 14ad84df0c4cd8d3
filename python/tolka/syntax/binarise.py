"""Trees with two parts a node at most, as grammars want them, and back (Klein and Manning, 2003, on what to remember)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from tolka.errors import InputError, SettingsError
from tolka.syntax.heads import HeadRules
from tolka.syntax.penn import Constituent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TAG, PHRASE, PART = 0, 1, 2
"""Kinds of symbols: over a word, over a whole phrase, over a part of one."""

Direction = Literal["left", "right", "head"]
_SPECIAL = re.compile(r"([@^|+\\])")
_LABEL = re.compile(r"(?:\\.|[^\\^|])*", re.DOTALL)
_LINK = re.compile(r"(?:\\.|[^\\+])+", re.DOTALL)


class Step(NamedTuple):
    """A node of a binarised tree, after those it is made of: a symbol over 0, 1 or 2 of them.

    Attributes:
        symbol: The label with all that is to be remembered.
        kind: Whether it is over a word, a phrase or a part of one.
        arity: How many nodes it is made of.
        payload: The word if it is made of none, the labels between if of one.
    """

    symbol: str
    kind: int
    arity: int
    payload: str = ""


def escaped(label: str) -> str:
    """A label in which no character means anything to symbols."""
    return _SPECIAL.sub(r"\\\1", label)


def unescaped(label: str) -> str:
    """The label that was escaped."""
    return re.sub(r"\\(.)", r"\1", label, flags=re.DOTALL)


def label_of(symbol: str) -> str:
    """The label in a symbol, without what it remembers.

    Example:
        >>> label_of("NP^S"), label_of("@VP|NP")
        ('NP', 'VP')
    """
    found = _LABEL.match(symbol.removeprefix("@"))
    return unescaped(found[0]) if found else ""


@dataclass(frozen=True)
class Binarisation:
    """How trees are binarised.

    A phrase of more than two is cut into parts that remember its label ("@NP"), and as many of the children that were
    attached last as `horizontal` says; every phrase remembers its label and, with a `vertical` of 2 or more, labels above
    it. Phrases over one phrase become one step that knows the labels between. All of it can be undone.

    Attributes:
        direction: "right" attaches the last child first, "left" the first, "head" those next to the head.
        horizontal: How many children a part remembers.
        vertical: How many labels a phrase remembers; 1 is its own.
        tags: Tags remember the label above too, if `vertical` is at least 2.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> tree = parse_penn("(S (NP (DT the) (JJ old) (NN man)) (VP (VBD left)))")
        >>> steps = Binarisation(horizontal=1).apply(tree)
        >>> [step.symbol for step in steps]
        ['DT', 'JJ', 'NN', '@NP|JJ', 'NP', 'VBD', 'VP', 'S']
        >>> str(restored(steps)) == str(tree)
        True
    """

    direction: Direction = "right"
    horizontal: int = 0
    vertical: int = 1
    tags: bool = False

    def __post_init__(self) -> None:
        if self.direction not in {"left", "right", "head"}:
            raise SettingsError(f"trees cannot be binarised to the {self.direction!r}", hint="use left, right or head")
        if self.horizontal < 0 or self.vertical < 1:
            raise SettingsError(
                f"a horizontal memory of {self.horizontal} and a vertical one of {self.vertical} make no sense",
                hint="use at least 0 and 1",
            )

    def apply(self, tree: Constituent, rules: HeadRules | None = None) -> list[Step]:
        """The steps of a tree, each after those that it is made of."""
        rules = rules or (HeadRules.collins() if self.direction == "head" else HeadRules())
        steps: list[Step] = []
        stack: list[tuple[Constituent, tuple[str, ...]] | Step] = [(tree, ())]
        while stack:
            item = stack.pop()
            if isinstance(item, Step):
                steps.append(item)
                continue
            node, above = item
            own = self._symbol(node, above)
            if node.word:
                steps.append(Step(own, TAG, 0, node.word))
                continue
            if len(node.children) == 1:
                stack += self._chain(node, above, own)
                continue
            inside = (escaped(node.label), *above)[: self.vertical - 1] if self.vertical > 1 else ()
            plan = self._plan(node, own, rules)
            stack += [step if isinstance(step, Step) else (node.children[step], inside) for step in reversed(plan)]
        return steps

    def _symbol(self, node: Constituent, above: tuple[str, ...]) -> str:
        remembered = above if not node.word else above[: 1 if self.tags else 0]
        return "^".join([escaped(node.label), *remembered])

    def _chain(
        self, node: Constituent, above: tuple[str, ...], own: str
    ) -> list[tuple[Constituent, tuple[str, ...]] | Step]:
        between: list[str] = []
        child = node.children[0]
        above = (escaped(node.label), *above)
        while len(child.children) == 1:
            between.append(escaped(child.label))
            above = (between[-1], *above)
            child = child.children[0]
        return [Step(own, PHRASE, 1, "+".join(between)), (child, above[: self.vertical - 1])]

    def _plan(self, node: Constituent, own: str, rules: HeadRules) -> list[int | Step]:
        """Children (their places) and steps, in the order of the binarised tree from below."""
        count = len(node.children)
        head = {"left": 0, "right": count - 1, "head": -1}[self.direction]
        head = rules.head(node) if head < 0 else head
        attached = [*range(head + 1, count), *range(head - 1, -1, -1)]
        # Children before the head are attached last, the first of them at the very end.
        plan: list[int | Step] = [*range(head), head]
        for number, place in enumerate(attached, 1):
            if place > head:
                plan.append(place)
            if number == len(attached):
                plan.append(Step(own, PHRASE, 2))
            else:
                last = attached[max(number - self.horizontal, 0) : number]
                memory = "+".join(escaped(node.children[at].label) for at in reversed(last))
                plan.append(Step(f"@{own}|{memory}" if memory else f"@{own}", PART, 2))
        return plan


def restored(steps: Iterable[Step]) -> Constituent:
    """The tree that was binarised.

    Raises:
        InputError: The steps make no tree.
    """
    stack: list[Constituent | list[Constituent]] = []
    for step in steps:
        if len(stack) < step.arity:
            raise InputError("the steps make no tree")
        if step.arity == 0:
            stack.append(Constituent(label_of(step.symbol), word=step.payload))
            continue
        children: list[Constituent] = []
        for part in stack[-step.arity :]:
            children += part if isinstance(part, list) else [part]
        del stack[-step.arity :]
        if step.kind == PART:
            stack.append(children)
            continue
        if step.arity == 1 and step.payload:
            for label in reversed(chain_of(step.payload)):
                children = [Constituent(label, tuple(children))]
        stack.append(Constituent(label_of(step.symbol), tuple(children)))
    match stack:
        case [Constituent() as tree]:
            return tree
    raise InputError("the steps make no tree")


def chain_of(payload: str) -> Sequence[str]:
    """The labels of a chain, from above."""
    return [unescaped(label) for label in _LINK.findall(payload)]
