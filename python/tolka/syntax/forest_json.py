"""Constituency forests as lines of JSON, which any parser can write."""

from __future__ import annotations

import json
import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tolka.errors import FormatError, InputError
from tolka.syntax.forest_trees import Columns
from tolka.syntax.heads import HeadRules
from tolka.syntax.penn import Constituent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.syntax.forests import ConstituentForest

HINT = "docs/constituents.md describes the format"
_KEYS = {"words", "nodes", "root"}
_NODE_KEYS = {"label", "span", "head", "edges"}
_MOST = 0xFFFF_FFFF


@contextmanager
def as_format() -> Iterator[None]:
    """What is wrong with a forest is wrong with the format of its line."""
    try:
        yield
    except InputError as error:
        raise FormatError(error.what, hint=error.hint or HINT) from None


def line(forest: ConstituentForest) -> str:
    """One line of JSON."""
    nodes = []
    for node in forest.nodes:
        made: dict[str, Any] = {"label": node.label, "span": [node.begin, node.end], "head": node.head}
        if node.edges:
            edges = (forest.edges[at] for at in node.edges)
            made["edges"] = [[None if edge.score == -math.inf else edge.score, list(edge.children)] for edge in edges]
        nodes.append(made)
    return json.dumps(
        {"words": list(forest.words), "root": forest.root, "nodes": nodes}, ensure_ascii=False, separators=(",", ":")
    )


def columns(text: str, rules: HeadRules | None = None) -> Columns:
    """The columns of a forest's line; that they make a forest is checked where it is made."""
    found = _loaded(text)
    unknown = set(found) - _KEYS
    if unknown or len(found) < len(_KEYS):
        raise _wrong(f"unknown key {min(unknown)!r}" if unknown else "a forest has words, nodes and a root")
    words, nodes = found["words"], found["nodes"]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise _wrong("the words are no list of texts")
    if not isinstance(nodes, list):
        raise _wrong("the nodes are no list")
    made = Columns(words, root=_number(found["root"], "the root"))
    without_head = []
    for number, node in enumerate(nodes):
        what = f"node {number}"
        if not isinstance(node, dict) or not {"label", "span"} <= set(node) <= _NODE_KEYS:
            raise _wrong(f"{what} is no object with label, span, and perhaps head and edges")
        label, span, edges = node["label"], node["span"], node.get("edges", [])
        if not isinstance(label, str):
            raise _wrong(f"the label of {what} is no text")
        if not isinstance(span, list) or len(span) != 2:  # noqa: PLR2004 - begin and end
            raise _wrong(f"the span of {what} is no pair of numbers")
        begin, end = (_number(place, f"the span of {what}") for place in span)
        if not isinstance(edges, list):
            raise _wrong(f"the edges of {what} are no list")
        head = node.get("head")
        if head is None:
            without_head.append(number)
        made.add(
            label, (begin, end), begin if head is None else _number(head, f"the head of {what}"), _edges(edges, what)
        )
    _find_heads(made, without_head, rules)
    return made


def _wrong(what: str) -> FormatError:
    return FormatError(what, hint=HINT)


def _loaded(text: str) -> dict[str, Any]:
    def constant(name: str) -> float:
        raise _wrong(f"{name} is no number")

    try:
        found = json.loads(text, parse_constant=constant)
    except RecursionError:
        raise _wrong("the line has too many brackets in each other") from None
    except ValueError as error:
        raise _wrong(f"the line is no JSON: {str(error).partition(':')[0]}") from None
    if not isinstance(found, dict):
        raise _wrong("the line is no JSON object")
    # A lone surrogate is no text: it cannot be written again.
    try:
        text.encode()
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise _wrong("a text of the forest is no Unicode") from None
    return found


def _number(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _MOST:
        raise _wrong(f"{what} is no whole number from 0 on")
    return value


def _edges(edges: list[Any], what: str) -> Iterator[tuple[float, list[int]]]:
    for edge in edges:
        match edge:
            case [None, list(children)]:
                score = -math.inf
            case [int(given) | float(given), list(children)] if not isinstance(given, bool):
                try:
                    score = float(given)
                except OverflowError:
                    score = math.inf
            case _:
                raise _wrong(f"an edge of {what} is no pair of a score and a list of children")
        yield score, [_number(child, f"a child of {what}") for child in children]


def _find_heads(made: Columns, without: list[int], rules: HeadRules | None) -> None:
    """Heads that were not given are those of the first alternatives, by rules."""
    if not without:
        return
    rules = rules or HeadRules.collins()
    waiting = set(without)
    for number in without:
        path: list[int] = []
        at = number
        while at in waiting:
            waiting.discard(at)
            path.append(at)
            first, end = made.edge_begins[at], made.edge_begins[at + 1]
            children = made.children[made.child_begins[first] : made.child_begins[first + 1]] if first < end else []
            if not children or max(children) >= len(made.labels):
                break
            parts = tuple(Constituent(made.labels[child], word="-") for child in children)
            at = children[rules.head(Constituent(made.labels[at], parts))]
        for node in path:
            made.heads[node] = made.heads[at]
