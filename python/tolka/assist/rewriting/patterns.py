"""What rules match, read from the left sides of a grammar's alternatives."""

from __future__ import annotations

import re
import warnings
from typing import TYPE_CHECKING

from tolka.assist.rewriting.grammar import REST, And, Concat, Item, Label, Named, Not, Or, Star, Words, is_single

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.assist.rewriting.grammar import Pattern
    from tolka.assist.rewriting.tokens import Tokens

DEEPEST = 30
MOST_ITEMS = 30
STARTS = frozenset({"(", "!", "..."})


class PatternReader:
    """Reads patterns from tokens; `lists` has the lists of words of the grammar, and `used` learns which are used."""

    def __init__(self, tokens: Tokens, lists: Mapping[str, frozenset[str]], used: set[str]) -> None:
        self.tokens, self._lists, self._used = tokens, lists, used
        self._depth = 0

    def left_side(self) -> tuple[Pattern, tuple[Item, ...] | None]:
        """A node, and its children after an arrow."""
        node = self.single("the node")
        items = None
        if self.tokens.peek() == "->":
            self.tokens.take()
            items = self._items()
        self.tokens.end()
        return node, items

    def single(self, what: str) -> Pattern:
        """A pattern of one node."""
        found = self._either()
        if not is_single(found):
            raise self.tokens.error(f"{what} must be one node", "write what matches one node")
        return found

    def _items(self) -> tuple[Item, ...]:
        found: list[Item] = []
        names: set[str] = set()
        while self.tokens.peek():
            name = ""
            if self.tokens.peek(1) == ":":
                name = self.tokens.name("a name")
                self.tokens.take()
                if name in names:
                    raise self.tokens.error(f"the name {name!r} is given twice", "give each a name of its own")
                names.add(name)
            if self._starts():
                pattern = self._unary()
                found.append(Item(pattern, name, not name and pattern == REST))
            else:
                raise self.tokens.error(f"{self.tokens.peek()!r} is no pattern", "put alternatives in brackets")
        if not found or len(found) > MOST_ITEMS:
            raise self.tokens.error(f"after -> come 1 to {MOST_ITEMS} patterns, not {len(found)}", "write ... for any")
        return tuple(found)

    def _starts(self) -> bool:
        return self.tokens.peek() in STARTS or self.tokens.kind in {"regexp", "name"}

    def _either(self) -> Pattern:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.tokens.error(f"brackets stand more than {DEEPEST} deep", "use more rules")
        found = [self._both()]
        while self.tokens.peek() == "|":
            self.tokens.take()
            found.append(self._both())
        self._depth -= 1
        return found[0] if len(found) == 1 else Or(tuple(found))

    def _both(self) -> Pattern:
        found = [self._row()]
        while self.tokens.peek() == "&":
            self.tokens.take()
            found.append(self._row())
        return found[0] if len(found) == 1 else And(tuple(found))

    def _row(self) -> Pattern:
        found = [self._unary()]
        while self._starts():
            found.append(self._unary())
        return found[0] if len(found) == 1 else Concat(tuple(found))

    def _unary(self) -> Pattern:
        turned = 0
        while self.tokens.peek() == "!":
            self.tokens.take()
            turned += 1
        found = self._primary()
        while self.tokens.peek() in {"*", "["}:
            if self.tokens.take() == "*":
                found = Star(found)
            elif is_single(found):
                found = And((found, self._condition()))
            else:
                raise self.tokens.error("a condition on words is for one node", "put it after a node")
        if turned and not is_single(found):
            raise self.tokens.error("! is for one node", "write what matches one node after !")
        return Not(found) if turned % 2 else found

    def _primary(self) -> Pattern:
        kind = self.tokens.kind
        if kind == "rest":
            self.tokens.take()
            return REST
        if kind == "regexp":
            return Label(self._compiled(self.tokens.take()[1:-1]))
        if kind == "name":
            return Named(self.tokens.take())
        if self.tokens.peek() == "(":
            self.tokens.take()
            found = self._either()
            self.tokens.expect(")")
            return found
        raise self.tokens.error(
            f"{self.tokens.peek()!r} is no pattern" if self.tokens.peek() else "a pattern is missing at the end",
            "a pattern is a /label/, the name of a rule, or ...",
        )

    def _compiled(self, text: str) -> re.Pattern[str]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return re.compile(text)
        except (re.error, OverflowError, RecursionError) as error:
            raise self.tokens.error(f"/{text}/ is no regular expression: {error}", "see Python's re") from None

    def _condition(self) -> Pattern:
        which = self.tokens.name("'head' or 'word'")
        within = True
        if self.tokens.peek() == "not":
            self.tokens.take()
            within = False
        if which not in {"head", "word"} or self.tokens.peek() != "in":
            raise self.tokens.error("a condition is [head in LIST], [word in LIST] or with 'not in'")
        self.tokens.take()
        words: set[str] = set()
        while True:
            name = self.tokens.name("the name of a list")
            if name not in self._lists:
                raise self.tokens.error(f"there is no list of words {name!r}", f"write: words {name} = ...")
            self._used.add(name)
            words |= self._lists[name]
            if self.tokens.peek() != ",":
                break
            self.tokens.take()
        self.tokens.expect("]")
        return Words("head" if which == "head" else "word", frozenset(words), within)
