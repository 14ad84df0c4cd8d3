"""What commands say of sentence pairs before they go into a model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def check_given(
    model: Path, sources: Sequence[str], targets: Sequence[str], *, names: tuple[str, str], force: bool
) -> None:
    """Refuse pairs that must be wrong for this model, and print what may be meant; see `tolka.train.check_pairs`."""
    from tolka.train import check_pairs
    from tolka.translate.bundle import open_model

    for note in check_pairs(open_model(model), sources, targets, names=names, force=force).notes:
        print(f"tolka: note: {note}", file=sys.stderr, flush=True)
