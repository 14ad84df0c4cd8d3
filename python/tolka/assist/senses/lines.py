"""Search graphs as lines of JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.assist.senses.graph import Piece
from tolka.assist.senses.packed import Shape
from tolka.errors import FormatError, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tolka.assist.senses.graph import SearchGraph

_VERSION = 1
_KEYS = {"tolka_search_graph", "source", "pieces", "edges", "nodes", "goal", "start", "scale"}


def written(graph: SearchGraph) -> str:
    """One line of JSON; see `SearchGraph.to_json`."""
    rows = np.column_stack([graph.shape.heads, graph.shape.tails, graph.piece]).tolist()
    data = {
        "tolka_search_graph": _VERSION,
        "source": list(graph.source),
        "nodes": graph.shape.nodes,
        "goal": graph.shape.goal,
        "start": graph.shape.start,
        "scale": graph.scale,
        "pieces": [[list(one.target), list(one.at), [list(link) for link in one.links]] for one in graph.pieces],
        "edges": [[*row, score] for row, score in zip(rows, graph.scores.tolist(), strict=True)],
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def parts_of_line(
    line: str,
) -> tuple[Shape, list[Piece], NDArray[np.int64], NDArray[np.float64], list[str], float]:
    """What a search graph is made of; see `SearchGraph.from_json`."""
    hint = "give a line that to_json wrote"
    try:
        data: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError("this is no line of JSON", hint=hint) from error
    if not isinstance(data, dict) or set(data) != _KEYS or data["tolka_search_graph"] != _VERSION:
        raise FormatError(f"this is no search graph of version {_VERSION}", hint=hint)
    try:
        pieces = [
            Piece(
                tuple(part if isinstance(part, str) else _whole(part) for part in target),
                tuple(map(_whole, at)),
                tuple((_whole(one), _whole(other)) for one, other in links),
            )
            for target, at, links in data["pieces"]
        ]
        rows = np.array([[_whole(cell) for cell in row[:4]] for row in data["edges"]], dtype=np.int64).reshape(-1, 4)
        scores = np.array([float(row[4]) for row in data["edges"]], dtype=np.float64)
        nodes, goal, scale = _whole(data["nodes"]), _whole(data["goal"]), float(data["scale"])
        start = None if data["start"] is None else _whole(data["start"])
        source = [str(word) for word in data["source"]]
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise FormatError("a part of the search graph is missing or of the wrong type", hint=hint) from error
    if len(rows) and (rows[:, 3].min() < 0 or rows[:, 3].max() >= len(pieces)):
        raise InputError("an edge has a piece that is not there")
    if nodes > 3 * len(rows) + 1:
        raise InputError(f"{nodes} nodes are more than {len(rows)} edges can join")
    shape = Shape(rows[:, 0], rows[:, 1:3], nodes, goal, start)
    for at, row in zip(rows[:, 3].tolist(), rows[:, 1:3].tolist(), strict=True):
        gaps = sorted(part for part in pieces[at].target if isinstance(part, int))
        if gaps != ([] if start is not None else list(range(sum(tail >= 0 for tail in row)))):
            raise InputError(f"the piece {pieces[at].words!r} does not have the gaps of its edge")
    return shape, pieces, rows[:, 3], scores, source, scale


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is no whole number")
    return value
