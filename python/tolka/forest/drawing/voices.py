"""Which component of an ensemble has a rule: its colour in drawings, and what legends say of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.forest.drawing import svg
from tolka.forest.drawing.legend import Key
from tolka.page.svg import readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.forest.derivation import Rule

_SHARED = {"rule", "other"}
_MEANINGS = {"copied": "copied word", "given": "given by the text"}


class Voices:
    """The components of an ensemble as drawings show them; nobody if there is no ensemble.

    A rule that one component has alone has the component's colour, what several have is grey. There are fewer colours than components can be: where they
    are not enough, rules and the legend also have the component's number.
    """

    def __init__(self, components: tuple[str, ...]) -> None:
        self.names = components if len(components) > 1 else ()
        self._numbered = len(self.names) > svg.PHRASES

    def _place(self, rule: Rule) -> int | None:
        alone = self.names and len(rule.components) == 1
        return self.names.index(rule.components[0]) if alone else None

    def colour(self, rule: Rule) -> str | None:
        """The class of a rule of a component or of several; None for what is nobody's, such as glue and copied words."""
        place = self._place(rule)
        if place is not None:
            return f"phrase{place % svg.PHRASES}"
        return "several" if self.names and rule.kind in _SHARED else None

    def number(self, rule: Rule) -> str:
        """What is added to the label of such a rule, if colours are not enough."""
        place = self._place(rule)
        return f" · {place + 1}" if self._numbered and place is not None else ""

    def keys(self, rules: Iterable[Rule]) -> list[Key]:
        """What the colours of rules mean; those that are everywhere, like glue, say so themselves."""
        shown = list(rules)
        if not self.names:
            return []
        speaking = sorted({place for place in map(self._place, shown) if place is not None})
        found = [Key(f"phrase{at % svg.PHRASES}", self._name(at)) for at in speaking]
        kinds = {rule.kind for rule in shown if self._place(rule) is None}
        if kinds & _SHARED:
            found.append(Key("several", "several"))
        return found + [Key(kind, said, dashed=kind == "copied") for kind, said in _MEANINGS.items() if kind in kinds]

    def _name(self, at: int) -> str:
        name = readable(self.names[at])
        return f"{at + 1} {name}" if self._numbered else name
