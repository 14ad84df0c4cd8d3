"""The stages of a recipe joined into a graph: who reads whose outputs, and in which order they can run."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tolka.pipeline.stage import Settings, Stage


class Link(NamedTuple):
    """An output of another node."""

    node: str
    output: str


@dataclass(frozen=True)
class Node:
    """A stage at its place in a recipe.

    Attributes:
        name: The recipe's table.
        stage: What runs.
        settings: With what.
        files: Its inputs from outside.
        links: Its inputs from other nodes.
    """

    name: str
    stage: Stage
    settings: Settings
    files: Mapping[str, Path]
    links: Mapping[str, Link]


class Graph:
    """Nodes in an order in which each comes after what it reads; otherwise the order they were given in.

    Raises:
        SettingsError: A name is taken twice, an input comes from nowhere, or nodes wait for each other in a circle.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = {node.name: node for node in nodes}
        if len(self._nodes) != len(nodes):
            raise SettingsError("two stages of the recipe have the same name")
        for node in nodes:
            for name, link in node.links.items():
                producer = self._nodes.get(link.node)
                if producer is None or link.output not in producer.stage.outputs:
                    raise SettingsError(
                        f"[{node.name}] reads {name} from {link.node}.{link.output}, which does not exist"
                    )
        self.order: tuple[Node, ...] = tuple(self._sorted())

    def __getitem__(self, name: str) -> Node:
        return self._nodes[name]

    def parents(self, name: str) -> set[str]:
        """The nodes whose outputs this node reads."""
        return {link.node for link in self._nodes[name].links.values()}

    def until(self, name: str) -> Graph:
        """The part of the graph that the named node needs, itself included."""
        self.check(name)
        needed, open_ = {name}, [name]
        while open_:
            fresh = self.parents(open_.pop()) - needed
            needed |= fresh
            open_.extend(fresh)
        return Graph([node for node in self.order if node.name in needed])

    def check(self, name: str) -> None:
        """Refuse a name that no node has."""
        if name not in self._nodes:
            raise SettingsError(f"the recipe has no stage [{name}]", hint=nearest(name, self._nodes))

    def _sorted(self) -> Iterable[Node]:
        done: set[str] = set()
        waiting = list(self._nodes.values())
        while waiting:
            ready = next((node for node in waiting if self.parents(node.name) <= done), None)
            if ready is None:
                circle = " -> ".join(self._circle(waiting[0].name, done))
                raise SettingsError(f"stages wait for each other in a circle: {circle}")
            waiting.remove(ready)
            done.add(ready.name)
            yield ready

    def _circle(self, name: str, done: set[str]) -> list[str]:
        # Every waiting node has a waiting parent, so walking to parents must come back to a node already seen.
        path: list[str] = []
        while name not in path:
            path.append(name)
            name = min(self.parents(name) - done)
        return [*path[path.index(name) :], name]


def nearest(wrong: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: the known name nearest to it, or all of them."""
    names = sorted(known)
    close = difflib.get_close_matches(wrong, names, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else f"known are: {', '.join(names)}"
