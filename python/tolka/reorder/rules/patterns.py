"""What a rule asks of a word or node: its tags, relation and so on, by name or by the beginning of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

WORD_FIELDS = ("tag", "upos", "relation", "feats", "lemma", "form")
NODE_FIELDS = ("category", "function")
MOST_REMEMBERED = 1 << 16


@dataclass(frozen=True)
class Test:
    """Whether a value is one of some names; "V*" stands for all that begin with V."""

    exact: frozenset[str]
    beginnings: tuple[str, ...]
    refuses: bool = False
    parts: str = ""
    _known: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, value: str) -> bool:
        """Ask; answers are remembered, as the same tags come again and again."""
        found = self._known.get(value)
        if found is None:
            values = value.split(self.parts) if self.parts else [value]
            found = any(one in self.exact or one.startswith(self.beginnings) for one in values) != self.refuses
            if len(self._known) < MOST_REMEMBERED:
                self._known[value] = found
        return found


def make_test(names: list[str], *, refuses: bool = False, parts: str = "") -> Test:
    """A test from the names of a rule file."""
    return Test(
        frozenset(name for name in names if not name.endswith("*")),
        tuple(name[:-1] for name in names if name.endswith("*")),
        refuses,
        parts,
    )


@dataclass(frozen=True)
class Pattern:
    """Tests that must all hold, by field; `child`, if there is one, must hold for a child."""

    tests: tuple[tuple[str, Test], ...]
    child: tuple[Pattern, ...] = ()


def holds(
    patterns: tuple[Pattern, ...], value: Callable[[str], str], below: Callable[[], list[Callable[[str], str]]]
) -> bool:
    """Whether one of the patterns holds for what `value` says of a word, and `below` of its children."""
    for pattern in patterns:
        if all(test(value(name)) for name, test in pattern.tests) and (
            not pattern.child or any(holds(pattern.child, other, list) for other in below())
        ):
            return True
    return False
