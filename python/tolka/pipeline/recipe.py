r"""Recipes: TOML files that say which stages run, with which settings, on which files.

Each table is a stage. An input is served by the nearest table above it that writes an output of that name; the keys
`inputs` (where an input comes from instead) and `stage` (which stage a table of another name runs) make any other
graph; an input that may be absent and is "" there comes from nowhere. An unknown table or key is an error.

Example:
    >>> from tolka.pipeline.stage import Settings, registry, stage
    >>> def nothing(inputs, outputs, settings, progress): ...
    >>> write = stage("write", version=1, settings=Settings, outputs=("text",))(nothing)
    >>> read = stage("read", version=1, settings=Settings, inputs=("text",), outputs=("words",))(nothing)
    >>> recipe = Recipe.from_text("[write]\n[read]\n", stages=registry(write, read))
    >>> [(node.name, dict(node.links)) for node in recipe.graph.order]
    [('write', {}), ('read', {'text': Link(node='write', output='text')})]
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from pydantic import ValidationError

from tolka.errors import SettingsError
from tolka.files.complaints import sentence, show
from tolka.files.settings import parse_toml, read_settings
from tolka.pipeline.graph import Graph, Link, Node, nearest
from tolka.pipeline.stage import NAME, RESERVED
from tolka.pipeline.stages import BUILTIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.pipeline.stage import Settings, Stage


@dataclass(frozen=True)
class Recipe:
    """A checked recipe.

    Attributes:
        path: The file it came from, if any.
        text: The file's text.
        overrides: What was set from the command line, as `table.key=value`.
        graph: The stages and how they are joined.
    """

    path: Path | None
    text: str
    overrides: tuple[str, ...]
    graph: Graph

    @classmethod
    def load(cls, path: Path | str, overrides: Sequence[str] = (), *, stages: Mapping[str, Stage] = BUILTIN) -> Recipe:
        """Read and check a recipe file; its relative paths start from the file's directory.

        Raises:
            FileError: The file cannot be read.
            FormatError: It is not TOML.
            SettingsError: It asks for something that does not exist or makes no sense.
        """
        path = Path(path)
        text = read_settings(path, "recipe")
        return cls.from_text(text, overrides, path=path, stages=stages)

    @classmethod
    def from_text(
        cls,
        text: str,
        overrides: Sequence[str] = (),
        *,
        path: Path | None = None,
        stages: Mapping[str, Stage] = BUILTIN,
    ) -> Recipe:
        """Check a recipe given as text; without a `path`, relative paths start from the current directory."""
        tables = parse_toml(text, path, "a recipe")
        reader = _Reader(text, path, stages)
        for override in overrides:
            reader.override(tables, override)
        if not tables:
            raise SettingsError("the recipe has no stages", path=path, hint="add a table such as [corpus]")
        nodes: list[Node] = []
        for name, table in tables.items():
            nodes.append(reader.node(name, table, nodes))
        for node in nodes:
            reader.check_links(node, {one.name: one for one in nodes})
        return cls(path, text, tuple(overrides), Graph(nodes))


class _Reader:
    """Turns tables into nodes, and complains with the place."""

    def __init__(self, text: str, path: Path | None, stages: Mapping[str, Stage]) -> None:
        self.lines = text.split("\n")
        self.path = path
        self.base = Path() if path is None else path.parent
        self.stages = stages
        self.overridden: dict[tuple[str, str], str] = {}

    def complain(self, what: str, table: str, key: str | None = None, hint: str = "") -> NoReturn:
        override = self.overridden.get((table, key)) if key is not None else None
        if override is not None:
            raise SettingsError(f"--set {override}: {what}", hint=hint)
        raise SettingsError(what, path=self.path, line=self._line(table, key), hint=hint)

    def _line(self, table: str, key: str | None) -> int | None:
        """Where a table or a key of it is, if it is written in the ordinary way."""
        header = re.compile(r"\s*\[\s*([^\[\]]*?)\s*\]\s*(?:#.*)?$")
        wanted = re.compile(rf"\s*[\"']?{re.escape(table if key is None else key)}[\"']?\s*[=.]")
        inside = key is None
        for number, line in enumerate(self.lines, start=1):
            if found := header.match(line):
                inside = found[1].strip("\"'") == table
                if inside and key is None:
                    return number
            elif inside and wanted.match(line):
                return number
        return None

    def override(self, tables: dict[str, Any], text: str) -> None:
        table, key, value = parse_override(text)
        if not isinstance(tables.get(table), dict):
            raise SettingsError(f"--set {text}: the recipe has no table [{table}]", hint=nearest(table, tables))
        tables[table][key] = value
        self.overridden[table, key] = text

    def node(self, name: str, table: Any, above: Sequence[Node]) -> Node:
        if not isinstance(table, dict):
            self.complain(f"{name} stands outside of any table", name, hint="put it under the stage it belongs to")
        kind = table.get("stage", name)
        if not isinstance(kind, str) or kind not in self.stages:
            place = "stage" if "stage" in table else None
            self.complain(f"there is no stage {show(kind)}", name, place, nearest(str(kind), self.stages))
        if not NAME.match(name):
            self.complain(f"[{name}] is no name for a stage", name, hint="use a-z, 0-9, _ and -")
        stage = self.stages[kind]
        settings = self._settings(name, stage, {key: value for key, value in table.items() if key not in RESERVED})
        files = {key: self.base / value for key, value in stage.files_of(settings).items()}
        return Node(name, stage, settings, files, self._links(name, stage, table.get("inputs", {}), above))

    def _settings(self, name: str, stage: Stage, values: dict[str, Any]) -> Settings:
        try:
            # As JSON, so that a list may stand for a tuple and a text for a path while nothing else is converted.
            return stage.settings.model_validate_json(json.dumps(values))
        except TypeError:
            self.complain(f"[{name}] has a date or time, which no setting takes", name)
        except SettingsError as error:
            # What fits its type may still make no sense; whoever is told now has not waited for the stages before.
            key = next((key for key in values if re.search(rf"\b{re.escape(key)}\b", error.what)), None)
            self.complain(error.what, name, key, error.hint or "")
        except ValidationError as error:
            found = error.errors(include_url=False)[0]
            key = str(found["loc"][0]) if found["loc"] else None
            full = ".".join([name, *(str(part) for part in found["loc"])])
            if found["type"] == "extra_forbidden":
                known = set(stage.settings.model_fields) | RESERVED if len(found["loc"]) == 1 else set()
                self.complain(f"unknown key {full}", name, key, nearest(str(key), known) if known else "")
            self.complain(sentence(full, found), name, None if found["type"] == "missing" else key)

    def _links(self, name: str, stage: Stage, given: Any, above: Sequence[Node]) -> dict[str, Link]:
        if not isinstance(given, dict) or not all(isinstance(value, str) for value in given.values()):
            self.complain(f'{name}.inputs must be a table such as {{ corpus = "clean.corpus" }}', name, "inputs")
        wanted = {one.removesuffix("?"): one.endswith("?") for one in stage.inputs}
        for one in given:
            if one not in wanted:
                hint = nearest(one, wanted) if wanted else "it reads no other stage"
                self.complain(f"stage {stage.name} has no input {one}", name, "inputs", hint)
        links: dict[str, Link] = {}
        for one, optional in wanted.items():
            if given.get(one) == "" and optional:
                continue
            if one in given:
                node, _, output = given[one].partition(".")
                links[one] = Link(node, output or one)
                continue
            producer = next((node.name for node in reversed(above) if one in node.stage.outputs), None)
            if producer is not None:
                links[one] = Link(producer, one)
            elif not optional:
                makers = sorted(other.name for other in self.stages.values() if one in other.outputs)
                hint = f"put one of these above it: {', '.join(f'[{maker}]' for maker in makers)}" if makers else ""
                self.complain(f"[{name}] needs {one}, which no stage above it writes", name, None, hint)
        return links

    def check_links(self, node: Node, nodes: Mapping[str, Node]) -> None:
        """Links written by hand may point anywhere, also below; now that all nodes are known, they must exist."""
        for name, link in node.links.items():
            what = f"[{node.name}] takes {name} from {link.node}.{link.output}"
            if link.node not in nodes:
                self.complain(f"{what}, but there is no [{link.node}]", node.name, "inputs", nearest(link.node, nodes))
            outputs = nodes[link.node].stage.outputs
            if link.output not in outputs:
                self.complain(
                    f"{what}, but [{link.node}] writes no {link.output}",
                    node.name,
                    "inputs",
                    nearest(link.output, outputs),
                )


def parse_override(text: str) -> tuple[str, str, Any]:
    """The table, the key and the value of what is set from the command line.

    Raises:
        SettingsError: It is none.

    Example:
        >>> parse_override("multitree.longest=[2, 2]")
        ('multitree', 'longest', [2, 2])
    """
    name, equals, value = text.partition("=")
    table, dot, key = name.strip().partition(".")
    if not (equals and dot and key):
        raise SettingsError(f"--set {text}: not of the form table.key=value")
    return table, key, _value(value.strip())


def _value(text: str) -> Any:
    """The value of an override: TOML if it is, else plain text, so that paths need no quotes."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
    return parsed["value"] if parsed.keys() == {"value"} else text
