"""Marks on trees that a parser can learn: which noun phrases are basic, which phrases are arguments (Collins, 1999)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.syntax.heads import ARGUMENT, HeadRules
from tolka.syntax.penn import Constituent

if TYPE_CHECKING:
    from collections.abc import Callable

EMPTY = "-NONE-"
"""The tag of what is not there: traces and the like."""


def rebuilt(
    tree: Constituent, change: Callable[[Constituent, list[Constituent]], Constituent | None]
) -> Constituent | None:
    """A tree made anew from below: `change` gets each node and its new children and says what it becomes, or none."""
    done: list[list[Constituent]] = [[]]
    stack: list[tuple[Constituent, bool]] = [(tree, False)]
    while stack:
        node, ready = stack.pop()
        if not ready:
            stack.append((node, True))
            done.append([])
            stack.extend((child, False) for child in reversed(node.children))
            continue
        children = done.pop()
        new = change(node, children)
        if new is not None:
            done[-1].append(new)
    return done[0][0] if done[0] else None


def cleaned(tree: Constituent, *, functions: bool = False) -> Constituent:
    """A tree without empty nodes, indices of traces, phrases over only themselves and, unless wanted, function tags.

    Args:
        tree: The tree.
        functions: Keep function tags.

    Raises:
        InputError: There is no word in the tree.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> str(cleaned(parse_penn("(S (NP-SBJ-1 (NP (PRP it))) (VP (VBD was) (VP (VBN seen) (NP (-NONE- *-1)))))")))
        '(S (NP (PRP it)) (VP (VBD was) (VP (VBN seen))))'
    """

    def change(node: Constituent, children: list[Constituent]) -> Constituent | None:
        if node.word:
            return None if node.label == EMPTY else Constituent(node.label, word=node.word)
        if not children:
            return None
        label = _label(node.label, functions=functions)
        if len(children) == 1 and not children[0].word and children[0].label == label:
            return children[0]
        return Constituent(label, tuple(children))

    found = rebuilt(tree, change)
    if found is None:
        raise InputError("the tree has no words")
    return found


def _label(label: str, *, functions: bool) -> str:
    if label.startswith("-"):
        return label
    category, *rest = label.partition("=")[0].split("-")
    kept = [part for part in rest if part and not part.isdigit()] if functions else []
    return "-".join([category or label, *kept])


def marked(
    tree: Constituent, rules: HeadRules | None = None, *, base: bool = True, arguments: bool = True
) -> Constituent:
    """A tree whose basic noun phrases are called so (NPB) and whose arguments have a function tag (NP-A).

    `unmarked` takes the marks away again, from trees that had none before.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> tree = parse_penn("(S (NP-SBJ (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (PRP it))))))")
        >>> str(marked(tree))
        '(S (NPB-SBJ-A (PRP I)) (VP (VBD saw) (NP-A (NPB (DT the) (NN man)) (PP (IN with) (NPB-A (PRP it))))))'
    """
    rules = rules or HeadRules.collins()

    def change(node: Constituent, children: list[Constituent]) -> Constituent:
        if node.word:
            return node
        # New children know their functions and marks; who is head or argument was to be seen from the old ones.
        if arguments:
            chosen = _arguments(node, rules)
            children = [
                _with(child, f"{child.label}-{ARGUMENT}") if at in chosen else child
                for at, child in enumerate(children)
            ]
        return Constituent(_base(node, rules) if base else node.label, tuple(children))

    return rebuilt(tree, change) or tree


def _with(node: Constituent, label: str) -> Constituent:
    return Constituent(label, node.children, node.word)


def _base(node: Constituent, rules: HeadRules) -> str:
    if rules.base is None or node.category != rules.base[0]:
        return node.label
    label, called, unless = rules.base
    if any(child.category == label and _last(child) != unless for child in node.children):
        return node.label
    return called + node.label[len(label) :]


def _last(node: Constituent) -> str:
    return node.children[-1].category if node.children else ""


def _arguments(node: Constituent, rules: HeadRules) -> set[int]:
    head = rules.head(node)
    if any(child.category in rules.conjunctions for child in node.children):
        return set()
    wanted = rules.arguments.get(node.category, frozenset())
    found = {
        at
        for at, child in enumerate(node.children)
        if at != head
        and not child.word
        and child.category in wanted
        and not rules.adjuncts & set(child.function.split("-"))
    }
    if node.category in rules.after_head and head + 1 < len(node.children) and not node.children[head + 1].word:
        found.add(head + 1)
    return found


def unmarked(tree: Constituent, rules: HeadRules | None = None) -> Constituent:
    """A tree without the marks that `marked` makes.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> str(unmarked(parse_penn("(S (NPB-SBJ-A (PRP I)) (VP (VBD left)))")))
        '(S (NP-SBJ (PRP I)) (VP (VBD left)))'
    """
    rules = rules or HeadRules.collins()

    def change(node: Constituent, children: list[Constituent]) -> Constituent:
        return node if node.word else Constituent(unmarked_label(node.label, rules), tuple(children))

    return rebuilt(tree, change) or tree


def unmarked_label(label: str, rules: HeadRules) -> str:
    """A phrase's label without marks.

    Example:
        >>> unmarked_label("NPB-SBJ-A", HeadRules.collins())
        'NP-SBJ'
    """
    if rules.base and label.partition("-")[0] == rules.base[1]:
        label = rules.base[0] + label[len(rules.base[1]) :]
    return label.removesuffix(f"-{ARGUMENT}")
