"""What the marks of a drawing mean, below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.forest.drawing import svg
from tolka.forest.drawing.badges import centred
from tolka.page.svg import width_of

if TYPE_CHECKING:
    from tolka.forest.derivation import Grown

_SIZE = 12.0
_LINE = 20.0


@dataclass(frozen=True)
class Key:
    """A colour and what it means, or a number's badge and what that means."""

    kind: str
    meaning: str
    dashed: bool = False
    grown: Grown | None = None

    @property
    def width(self) -> float:
        """In a drawing, with room after it."""
        return 34 + width_of(self.meaning, _SIZE)

    def mark(self, x: float, y: float, width: float = 14.0) -> str:
        """What is explained, around the centre `x`, `y`."""
        if self.grown is not None:
            return centred(x, y, self.grown)
        return svg.box(x, y, width, 14, kind=self.kind, dashed=self.dashed)


def legend(keys: list[Key], left: float, top: float, width: float) -> tuple[list[str], float]:
    """Keys side by side, in as many lines as the width needs, and how high they are together."""
    parts: list[str] = []
    x, y = left, top
    for key in keys:
        if x > left and x + key.width > left + width:
            x, y = left, y + _LINE
        parts += [
            key.mark(x + 7, y + 8),
            svg.text(x + 19, y + 12, key.meaning, size=_SIZE, kind="soft", anchor="start"),
        ]
        x += key.width
    return parts, y + _LINE - top if keys else 0.0


def least_width(keys: list[Key]) -> float:
    """What a drawing must be wide for its legend: one key, and a few more if there are any."""
    return max([min(sum(key.width for key in keys), 360.0), *(key.width for key in keys)], default=0.0)
