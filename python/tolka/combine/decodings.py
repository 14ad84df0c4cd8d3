"""Decodings that are kept in a log, so that tuning that was stopped does not repeat them."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING

import numpy as np

from tolka.combine.derivations import Derivations

if TYPE_CHECKING:
    from collections.abc import Sequence


def compact(own: Derivations) -> Derivations:
    """The same derivations with the edges that they use alone, in the order they are met, in single precision.

    Forests have many more edges than the best derivations do.

    Example:
        >>> compact(Derivations(["b", "a"], [[7], [5, 7]], np.arange(16.0).reshape(8, 2))).edges
        [[0], [1, 0]]
    """
    places: dict[int, int] = {}
    edges = [[places.setdefault(int(edge), len(places)) for edge in used] for used in own.edges]
    rows = np.asarray(own.parts)[list(places)].astype(np.float32)
    return Derivations(list(own.texts), edges, rows, np.asarray(own.rest, dtype=np.float32))


def pack(decoded: Sequence[Derivations]) -> str:
    """Compact derivations of all sentences as a text without blanks: JSON, compressed, with the scores of edges as bytes."""
    sentences = [
        {
            "texts": list(one.texts),
            "edges": [[int(edge) for edge in used] for used in one.edges],
            "rest": [float(rest) for rest in one.rest],
            "parts": base64.b64encode(np.asarray(one.parts, dtype="<f4").tobytes()).decode(),
        }
        for one in decoded
    ]
    return base64.b64encode(zlib.compress(json.dumps(sentences, separators=(",", ":")).encode())).decode()


def unpack(text: str, components: int) -> list[Derivations]:
    """Derivations that were packed.

    Args:
        text: What `pack` gave.
        components: How many there are.

    Raises:
        ValueError: It is something else.

    Example:
        >>> one = Derivations(["a b"], [[0]], np.array([[-1.0, -np.inf]], dtype=np.float32))
        >>> unpack(pack([one]), 2)[0].parts.tolist()
        [[-1.0, -inf]]
    """
    try:
        # What zlib can make of a byte is less than the house allows compressed files.
        sentences = json.loads(zlib.decompress(base64.b64decode(text, validate=True)))
        return [_sentence(one, components) for one in sentences]
    except (zlib.error, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"these are no derivations: {error}") from error


def _sentence(one: dict[str, object], components: int) -> Derivations:
    texts, edges, rest, parts = one["texts"], one["edges"], one["rest"], one["parts"]
    if not (
        isinstance(texts, list)
        and isinstance(edges, list)
        and isinstance(rest, list)
        and isinstance(parts, str)
        and all(isinstance(text, str) for text in texts)
        and all(isinstance(used, list) and all(type(edge) is int for edge in used) for used in edges)
        and all(type(value) is float for value in rest)
    ):
        raise ValueError("these are no derivations")
    rows = np.frombuffer(base64.b64decode(parts, validate=True), dtype="<f4").reshape(-1, components)
    return Derivations(texts, edges, rows.astype(np.float32), np.array(rest, dtype=np.float32))
