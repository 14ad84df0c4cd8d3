"""What commands say beside their results."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def print_notes(notes: Iterable[str]) -> None:
    """Print what deserves attention."""
    for note in notes:
        print(f"tolka: note: {note}", file=sys.stderr, flush=True)
