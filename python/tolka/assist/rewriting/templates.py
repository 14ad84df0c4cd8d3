"""What rules give, read from the right sides of a grammar's alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.assist.rewriting.grammar import Call, Fixed, Member, Named, Output, Parameter, Stretch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tolka.assist.rewriting.grammar import Item, Part, Template
    from tolka.assist.rewriting.tokens import Tokens

DEEPEST = 30
ITSELF = "itself"  # the node that a rule matched, whatever the rule gives
MOST_PARTS = 100
Members = tuple[tuple[str, int], ...]


def heading(tokens: Tokens) -> tuple[str, tuple[str, ...]]:
    """A member's name and parameters, `group(agent):`; no name if the rule gives one thing."""
    ahead = 1
    if tokens.peek(1) == "(":
        ahead = 2
        while tokens.peek(ahead) not in {")", ""}:
            ahead += 1
        ahead += 1
    if tokens.kind != "name" or tokens.peek(ahead) != ":":
        return "", ()
    name = tokens.take()
    parameters: list[str] = []
    if tokens.peek() == "(":
        tokens.take()
        parameters.append(tokens.name("a parameter"))
        while tokens.peek() == ",":
            tokens.take()
            parameters.append(tokens.name("a parameter"))
        tokens.expect(")")
    tokens.expect(":")
    if len(set(parameters)) < len(parameters):
        raise tokens.error(f"{name!r} has two parameters of one name", "give each a name of its own")
    return name, tuple(parameters)


class TemplateReader:
    """Reads a template, given the items it may speak of, what rules give, and what the language's functions take."""

    def __init__(
        self,
        tokens: Tokens,
        items: tuple[Item, ...],
        parameters: tuple[str, ...],
        members: Callable[[str], Members],
        functions: Mapping[str, int],
    ) -> None:
        self._tokens, self._items, self._parameters = tokens, items, parameters
        self._members, self._functions = members, functions
        self._rests = [at for at, item in enumerate(items) if item.rest]
        self._names = {item.name: at for at, item in enumerate(items) if item.name}
        self._next = 0
        self._depth = 0
        for name in parameters:
            if name in self._names:
                raise tokens.error(f"{name!r} is a parameter and a name on the left", "give each a name of its own")

    def member(self, name: str) -> Member:
        """The rest of the line, as a member."""
        template = self._template(frozenset({""}))
        self._tokens.end()
        return Member(name, self._parameters, template)

    def _template(self, ends: frozenset[str]) -> Template:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._tokens.error(f"brackets stand more than {DEEPEST} deep", "use more rules")
        found: list[Part] = []
        while self._tokens.peek() not in ends and self._tokens.peek():
            found.append(self._part())
        self._depth -= 1
        if len(found) > MOST_PARTS:
            raise self._tokens.error(f"an output has more than {MOST_PARTS} parts", "use more rules")
        return tuple(found)

    def _part(self) -> Part:
        tokens = self._tokens
        if tokens.kind == "rest":
            if self._next == len(self._rests):
                raise tokens.error("there are more ... than on the left", "write each ... of the left at most once")
            tokens.take()
            self._next += 1
            return Stretch(self._rests[self._next - 1])
        if tokens.kind == "quoted":
            words = tuple(tokens.take()[1:-1].split())
            if not words:
                raise tokens.error("there are no words between quotation marks", "leave them out")
            return Fixed(words)
        name = tokens.name(f"{tokens.peek()!r} is no part of an output; a name")
        if name in self._parameters:
            return Parameter(self._parameters.index(name))
        if name in self._names:
            return self._named(self._names[name], name)
        if name in self._functions:
            return Call(name, self._arguments(name, self._functions[name]))
        if tokens.peek() == "(":
            known = ", ".join(sorted(self._functions)) or "none"
            raise tokens.error(f"the language has no function {name!r}", f"its functions are: {known}")
        raise tokens.error(
            f"nothing on the left is called {name!r}", f'write {name}: before it, or "{name}" for the word'
        )

    def _named(self, at: int, name: str) -> Part:
        tokens = self._tokens
        pattern = self._items[at].pattern
        if not isinstance(pattern, Named):
            if tokens.peek() == ".":
                raise tokens.error(f"{name!r} is no rule, so that it has no members", f"write {name}")
            return Stretch(at)
        members = self._members(pattern.rule)
        if tokens.peek() != ".":
            if members[0][0]:
                known = " or ".join(f"{name}.{member}" for member, _ in members)
                raise tokens.error(f"rule {pattern.rule!r} gives several things", f"write {known}")
            return Output(at, 0, ())
        tokens.take()
        wanted = tokens.name("the name of a member")
        if wanted == ITSELF:
            return Stretch(at)
        for number, (member, arity) in enumerate(members):
            if member == wanted:
                return Output(at, number, self._arguments(f"{name}.{wanted}", arity))
        known = ", ".join(member for member, _ in members if member) or "itself only"
        raise tokens.error(f"rule {pattern.rule!r} does not give {wanted!r}", f"it gives {known}")

    def _arguments(self, name: str, arity: int) -> tuple[Template, ...]:
        tokens = self._tokens
        found: list[Template] = []
        if tokens.peek() == "(":
            tokens.take()
            while True:
                found.append(self._template(frozenset({",", ")"})))
                if tokens.peek() != ",":
                    break
                tokens.take()
            tokens.expect(")")
            if not all(found):
                raise tokens.error(f"an argument of {name!r} is empty", "write what it is to be")
        if len(found) != arity:
            raise tokens.error(f"{name!r} takes {arity} arguments, not {len(found)}", "give it as many")
        return tuple(found)
