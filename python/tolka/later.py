"""What a room offers: names that are imported when they are first asked for, and a word on those that are guessed wrong."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def later(
    room: str, places: Mapping[str, str], instead: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a room (PEP 562), so that importing it loads only what everybody needs.

    Args:
        room: The room's `__name__`.
        places: The module inside the room that has each name.
        instead: For names that people guess but that do not exist, what to use.

    Example:
        >>> find, names = later("tolka.forest", {"draw_page": "drawing"}, {"draw": "draw_page"})
        >>> find("draw_page").__name__
        'draw_page'
        >>> find("draw")
        Traceback (most recent call last):
        AttributeError: module 'tolka.forest' has no attribute 'draw'; use draw_page
    """

    def find(name: str) -> Any:
        if name in places:
            return getattr(import_module(f"{room}.{places[name]}"), name)
        hint = f"; use {instead[name]}" if instead and name in instead else ""
        raise AttributeError(f"module {room!r} has no attribute {name!r}{hint}", name=name, obj=sys.modules.get(room))

    def names() -> list[str]:
        module = sys.modules[room]
        return sorted({*getattr(module, "__all__", ()), "__doc__", "__file__", "__name__", "__path__"})

    return find, names
