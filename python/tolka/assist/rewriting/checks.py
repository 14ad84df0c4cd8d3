"""What a grammar's rules must be together: known, used, and in an order in which each can be matched after what it needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.assist.rewriting.grammar import rules_in
from tolka.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.assist.rewriting.grammar import Rule


def ordered(rules: Sequence[Rule], root: str, path: str) -> tuple[Rule, ...]:
    """The rules so that one that others match at the same node stands before them.

    Raises:
        FormatError: A rule is unknown or not used, or rules match each other at one node without end.
    """
    by_name = {rule.name: rule for rule in rules}
    below: dict[str, list[str]] = {}
    for rule in rules:
        below[rule.name] = []
        for alternative in rule.alternatives:
            patterns = [alternative.node, *(item.pattern for item in alternative.items or ())]
            for name in (name for pattern in patterns for name in rules_in(pattern)):
                if name not in by_name:
                    raise FormatError(
                        f"there is no rule {name!r}",
                        path=path,
                        line=alternative.line,
                        hint=f"write it between slashes, /{name}/, if it is a label",
                    )
                below[rule.name].append(name)
    reached = {root}
    stack = [root]
    while stack:
        for name in below[stack.pop()]:
            if name not in reached:
                reached.add(name)
                stack.append(name)
    for rule in rules:
        if rule.name not in reached:
            raise FormatError(
                f"rule {rule.name!r} is not used",
                path=path,
                line=rule.line,
                hint=f"use it below {root!r} or take it away",
            )
    return _sorted(rules, path)


def _sorted(rules: Sequence[Rule], path: str) -> tuple[Rule, ...]:
    """By what rules match at the node that they are at, each after those; in the order of the file otherwise."""
    needs = {
        rule.name: {name for alternative in rule.alternatives for name in rules_in(alternative.node)} for rule in rules
    }
    left = list(rules)
    found: list[Rule] = []
    done: set[str] = set()
    while left:
        ready = next((rule for rule in left if needs[rule.name] <= done), None)
        if ready is None:
            stuck = next(rule for rule in left if _returns(rule.name, needs))
            raise FormatError(
                f"rule {stuck.name!r} matches itself at the same node without end",
                path=path,
                line=stuck.line,
                hint="refer to it after ->, among the children",
            )
        left.remove(ready)
        done.add(ready.name)
        found.append(ready)
    return tuple(found)


def _returns(name: str, needs: dict[str, set[str]]) -> bool:
    """Whether a rule needs itself."""
    seen: set[str] = set()
    stack = [*needs[name]]
    while stack:
        one = stack.pop()
        if one == name:
            return True
        if one not in seen:
            seen.add(one)
            stack.extend(needs[one])
    return False
