"""Numbers on the rules of a derivation: when undirected search connected them, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.forest.drawing import svg

if TYPE_CHECKING:
    from tolka.forest.derivation import Grown, Growth

_RADIUS = 8.0
_TIP = 4.0
# Tips point to what the rule was connected to, in the tree over the source words, whose root is at the bottom.
_TIPS: dict[Growth, int] = {"start": 0, "up": -1, "down": 1}


def badge(x: float, y: float, grown: Grown) -> str:
    """A number in a circle around `x`, `y`, with a tip above or below it unless it is the first."""
    number, tip = str(grown.order + 1), _TIPS[grown.how]
    size = min(10.0, 2 + 18 / len(number))
    shapes = [f'<circle class="ink" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS:g}"/>']
    if tip:
        ends = f"M{x - 6:.1f} {y + tip * 5.3:.1f}L{x:.1f} {y + tip * (_RADIUS + _TIP):.1f}L{x + 6:.1f} {y + tip * 5.3:.1f}Z"
        shapes.append(f'<path class="ink" d="{ends}"/>')
    return "".join([*shapes, svg.text(x, y + 0.36 * size, number, kind="page", size=size)])


def centred(x: float, y: float, grown: Grown) -> str:
    """A badge whose middle, with its tip, is at `x`, `y`."""
    return badge(x, y - _TIPS[grown.how] * _TIP / 2, grown)


def beside(x: float, y: float, height: float, grown: Grown) -> str:
    """A badge on a side of a box whose middle is `x`, `y`: there, or in the corner that its tip points out of."""
    return badge(x, y + _TIPS[grown.how] * height / 2, grown)
