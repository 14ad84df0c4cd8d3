"""French forms for rewriting: *que* before vowels."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from tolka.assist.rewriting.morphology import Plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.assist.rewriting.morphology import Piece

ASPIRATED = ("haut", "héros", "hasard", "honte", "huit", "hors", "hibou", "hollande", "hongr")


def que(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """*que* and what follows it: *qu'il*.

    Example:
        >>> from tolka.assist.rewriting.morphology import Piece
        >>> que([Piece(("Élise",))]), que([Piece(("Jean",))])
        (("qu'", 'Élise'), ('que', 'Jean'))
    """
    words = pieces[0].words
    first = words[0].lower()
    sounds = unicodedata.normalize("NFD", first)[0] in "aeiouyh" and not first.startswith(ASPIRATED)
    return ("qu'" if sounds else "que", *words)


FRENCH = Plain({"que": (1, que)}, proper=frozenset({"NPP", "NNP", "PROPN"}))
