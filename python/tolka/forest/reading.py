"""Forests from JSON lines and into them: one forest per line, whoever wrote it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from tolka import _engine
from tolka.corpus import Lines
from tolka.errors import FormatError, LimitError, TolkaError
from tolka.files import write_atomic
from tolka.forest.forest import Forest
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    import numpy as np

    from tolka.limits import Limits

VERSION = 1
_KEYS = {"tolka_forest", "source", "categories", "features", "sparse_features", "components", "rules", "nodes", "edges"}
_RULE_KEYS = {"kind", "id", "lhs", "source", "target", "links", "components"}
_EDGE_KEYS = {"head", "tails", "rule", "score", "span", "features", "sparse"}
_MOST_INDEX = 0xFFFF_FFFE
_NONE = 0xFFFF_FFFF
_MOST_LINK = 0xFF
_MOST_COMPONENTS = 64


def read_forests(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Iterator[Forest]:
    """Read a file of forests (plain or compressed, `-` for standard input), one by one.

    Raises:
        FormatError: A line is not a forest.
        LimitError: A line is longer than `limits.forest_bytes`.
    """
    for number, line in enumerate(Lines(path, limits=replace(limits, line_bytes=limits.forest_bytes)), 1):
        try:
            yield Forest.from_json(line)
        except TolkaError as error:
            error.path, error.line = error.path or path, number  # type: ignore[assignment]
            raise


def write_forests(path: str | PathLike[str], forests: Iterable[Forest]) -> int:
    """Write forests, one per line; returns how many."""
    count = 0
    with write_atomic(str(path)) as out:
        for forest in forests:
            out.write(forest.to_json() + "\n")
            count += 1
    return count


def parse(line: str) -> dict[str, Any]:
    """The dictionary in one line of JSON."""
    try:
        data = json.loads(line, parse_constant=_no_constant)
    except RecursionError:
        raise FormatError("not a forest: lists within lists without end") from None
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except ValueError as error:  # Python's limit on digits
        raise FormatError(f"not a forest: {re.sub(r';.*', '', str(error)).lower()}") from None
    if not isinstance(data, dict):
        raise FormatError("not a forest: the line is not an object")
    return data


def _no_constant(name: str) -> NoReturn:
    raise FormatError(f"{name} in a forest; its numbers are finite")


def build(data: Mapping[str, Any]) -> _engine.Forest:
    """The engine's forest of a dictionary; types are checked here, how the parts fit each other in the engine."""
    import numpy as np  # noqa: PLC0415 - NumPy waits until arrays are made

    _check_keys(data, _KEYS, {"categories", "rules", "nodes", "edges"}, "a forest")
    version = data.get("tolka_forest", VERSION)
    if version != VERSION:
        raise FormatError(f"a forest of version {version!r}; this tolka reads version {VERSION}")
    categories, features = _strings(data, "categories"), _strings(data, "features")
    nodes = [_numbers(node, 3, f"node {at}") for at, node in enumerate(_list(data["nodes"], "nodes"))]
    edges = [_Edge(edge, at, len(features), nodes) for at, edge in enumerate(_list(data["edges"], "edges"))]
    begins = np.cumsum([0, *(len(edge.sparse) for edge in edges)])
    return _engine.Forest.from_parts(
        source=_strings(data, "source"),
        categories=categories,
        features=features,
        sparse_features=_strings(data, "sparse_features"),
        components=_strings(data, "components"),
        rules=[_rule(rule, f"rule {at}") for at, rule in enumerate(_list(data["rules"], "rules"))],
        nodes=np.array(nodes, dtype="uint32").reshape(-1, 3),
        heads=np.array([edge.head for edge in edges], dtype="uint32"),
        tails=np.array([edge.tails for edge in edges], dtype="uint32").reshape(-1, 2),
        edge_rules=np.array([edge.rule for edge in edges], dtype="uint32"),
        scores=np.array([edge.score for edge in edges], dtype="float64"),
        values=_floats([edge.features for edge in edges], len(features)),
        spans=np.array([edge.span for edge in edges], dtype="uint32").reshape(-1, 2),
        sparse_begins=begins.astype("uint32"),
        sparse=[entry for edge in edges for entry in edge.sparse],
    )


def _floats(rows: list[list[float]], width: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    import numpy as np  # noqa: PLC0415 - NumPy waits until arrays are made

    with np.errstate(over="ignore"):  # the engine refuses infinities
        return np.array(rows, dtype="float64").astype("float32").reshape(len(rows), width)


class _Edge:
    """An edge of the file, its types checked."""

    def __init__(self, data: Any, at: int, width: int, nodes: Sequence[list[int]]) -> None:
        what = f"edge {at}"
        _check_keys(data, _EDGE_KEYS, {"head", "rule", "score"}, what)
        self.head = _index(data["head"], f"the head of {what}")
        self.rule = _index(data["rule"], f"the rule of {what}")
        self.score = _float(data["score"], f"the score of {what}")
        tails = [_index(tail, f"a tail of {what}") for tail in _list(data.get("tails", []), f"the tails of {what}")]
        if len(tails) > 2:  # noqa: PLR2004 - a rule has two gaps at most
            raise FormatError(f"{what} has {len(tails)} tails, more than 2")
        self.tails = [*tails, _NONE, _NONE][:2]
        label = nodes[self.head] if self.head < len(nodes) else [0, 0, 0]
        self.span = _numbers(data["span"], 2, f"the span of {what}") if "span" in data else label[1:]
        values = _list(data.get("features", []), f"the features of {what}")
        self.features = [_float(value, f"a feature of {what}") for value in values]
        if len(self.features) != width:
            raise FormatError(f"{what} has {len(self.features)} features, but there are names for {width}")
        self.sparse = []
        for entry in _list(data.get("sparse", []), f"the sparse features of {what}"):
            pair = _list(entry, f"a sparse feature of {what}")
            if len(pair) != 2:  # noqa: PLR2004 - a name and a value
                raise FormatError(f"a sparse feature of {what} is not a number of its name and a value")
            name, value = _index(pair[0], f"a sparse feature of {what}"), _float(pair[1], f"a sparse feature of {what}")
            self.sparse.append((name, value))


def _rule(
    data: Any, what: str
) -> tuple[str, tuple[int, int] | None, int, list[Any], list[Any], list[tuple[int, int]], int]:
    _check_keys(data, _RULE_KEYS, {"lhs", "source", "target"}, what)
    kind = data.get("kind", "other")
    if not isinstance(kind, str):
        raise FormatError(f"the kind of {what} is not a string")
    rule_id = tuple(_numbers(data["id"], 2, f"the id of {what}")) if "id" in data else None
    sides = []
    for key in ("source", "target"):
        side = _list(data[key], f"the {key} side of {what}")
        name = f"a gap in the {key} side of {what}"
        if any(isinstance(part, str) and _has_surrogates(part) for part in side):
            raise FormatError(f"the {key} side of {what} holds something that is not text")
        sides.append([part if isinstance(part, str) else _index(part, name) for part in side])
    links = [_numbers(link, 2, f"a link of {what}") for link in _list(data.get("links", []), f"the links of {what}")]
    if any(max(link) > _MOST_LINK for link in links):
        raise FormatError(f"a link of {what} leads beyond position {_MOST_LINK}")
    lhs = _index(data["lhs"], f"the left-hand side of {what}")
    spoken = 0
    for component in _list(data.get("components", []), f"the components of {what}"):
        if _index(component, f"a component of {what}") >= _MOST_COMPONENTS:
            raise FormatError(f"{what} has component {component}, beyond {_MOST_COMPONENTS - 1}")
        spoken |= 1 << component
    return kind, rule_id, lhs, *sides, [(link[0], link[1]) for link in links], spoken  # type: ignore[return-value]


def _check_keys(data: Any, known: set[str], needed: set[str], what: str) -> None:
    if not isinstance(data, dict):
        raise FormatError(f"{what} is not an object")
    if missing := sorted(needed - set(data)):
        raise FormatError(f"{what} has no key {missing[0]!r}")
    if unknown := sorted(set(data) - known):
        raise FormatError(f"{what} has an unknown key {unknown[0]!r}", hint=f"keys are {', '.join(sorted(known))}")


def _list(data: Any, what: str) -> list[Any]:
    if not isinstance(data, list):
        raise FormatError(f"{what}: not a list")
    if len(data) > _MOST_INDEX:
        raise LimitError(f"{what}: {len(data)} entries")
    return data


def _strings(data: Mapping[str, Any], key: str) -> list[str]:
    found = _list(data.get(key, []), f"`{key}` of a forest")
    for text in found:
        if not isinstance(text, str) or _has_surrogates(text):
            raise FormatError(f"`{key}` of a forest holds something that is not text")
    return found


def _has_surrogates(text: str) -> bool:
    return not text.isascii() and re.search("[\ud800-\udfff]", text) is not None


def _numbers(data: Any, count: int, what: str) -> list[int]:
    found = [_index(number, what) for number in _list(data, what)]
    if len(found) != count:
        raise FormatError(f"{what}: {len(found)} numbers instead of {count}")
    return found


def _index(data: Any, what: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= _MOST_INDEX:
        shown = repr(data) if isinstance(data, int | float | str) and len(repr(data)) < 40 else "something else"  # noqa: PLR2004
        raise FormatError(f"{what}: {shown} is not a whole number from 0 on")
    return data


def _float(data: Any, what: str) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise FormatError(f"{what}: not a number")
    try:
        return float(data)
    except OverflowError:
        raise FormatError(f"{what}: a number too large") from None
