"""Grammars as numbers, as the engine takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

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
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.assist.rewriting.grammar import Grammar, Pattern, Template

Thing = TypeVar("Thing")
TEST, NAMED, NOT, STAR, AND, OR, CONCAT = 0, 1, 2, 3, 4, 5, 6
LITERAL, STRETCH, OUTPUT, PARAMETER, CALL = 0, 1, 2, 3, 4


class Encoded:
    """Several grammars as one.

    Attributes:
        code: Their rules, as numbers.
        roots: The rule of each grammar that gives whole outputs.
        tests: What nodes are tested for.
        literals: Words that outputs give.
        calls: For each function in outputs, the grammar that calls it and its name.
    """

    def __init__(self, grammars: Sequence[Grammar]) -> None:
        self.tests: list[Label | Words | Any] = []
        self.literals: list[tuple[str, ...]] = []
        self.calls: list[tuple[int, str]] = []
        self.roots: list[int] = []
        self.code = [sum(len(grammar.rules) for grammar in grammars)]
        first = 0
        for number, grammar in enumerate(grammars):
            self._grammar, self._rules = number, {rule.name: first + at for at, rule in enumerate(grammar.rules)}
            self.roots.append(self._rules[grammar.root])
            first += len(grammar.rules)
            for rule in grammar.rules:
                self.code.append(len(rule.alternatives))
                for one in rule.alternatives:
                    self._pattern(one.node)
                    self.code.append(one.items is not None)
                    if one.items is not None:
                        self.code.append(len(one.items))
                        for item in one.items:
                            self._pattern(item.pattern)
                    self.code.append(len(one.members))
                    for member in one.members:
                        self._template(member.template)

    def _pattern(self, pattern: Pattern) -> None:
        match pattern:
            case Label() | Words() | Any():
                self.code += TEST, _number(self.tests, pattern)
            case Named(rule):
                self.code += NAMED, self._rules[rule]
            case Not(inner) | Star(inner):
                self.code.append(NOT if isinstance(pattern, Not) else STAR)
                self._pattern(inner)
            case And(patterns) | Or(patterns) | Concat(patterns):
                self.code += {And: AND, Or: OR, Concat: CONCAT}[type(pattern)], len(patterns)
                for one in patterns:
                    self._pattern(one)

    def _template(self, template: Template) -> None:
        self.code.append(len(template))
        for part in template:
            match part:
                case Fixed(words):
                    self.code += LITERAL, _number(self.literals, words)
                case Stretch(item):
                    self.code += STRETCH, item
                case Parameter(number):
                    self.code += PARAMETER, number
                case Output(item, member, arguments):
                    self.code += OUTPUT, item, member, len(arguments)
                    for argument in arguments:
                        self._template(argument)
                case Call(function, arguments):
                    self.code += CALL, _number(self.calls, (self._grammar, function)), len(arguments)
                    for argument in arguments:
                        self._template(argument)


def _number(things: list[Thing], thing: Thing) -> int:
    if thing not in things:
        things.append(thing)
    return things.index(thing)
