"""What recipes of several systems have in common: the stages of training that all share, and settings for many tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolka.errors import SettingsError
from tolka.files.toml import to_toml
from tolka.pipeline.recipe import Recipe
from tolka.pipeline.training import training_recipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.pipeline.graph import Graph
    from tolka.pipeline.stage import Stage
    from tolka.pipeline.training import TrainSettings

    Tables = dict[str, dict[str, Any]]

CLEAN, ALIGN, LM = "clean", "align", "lm"


def shared_tables(asked: TrainSettings) -> tuple[Tables, str]:
    """The very stages of training up to links, so that both are the same, and the one that writes the words."""
    tables: Tables = {}
    corpus = CLEAN
    for node in training_recipe(asked).graph.order:
        if node.name in {LM, "grammar", "tune", "model"}:
            continue
        tables[node.name] = node.settings.model_dump(mode="json", exclude_unset=True, exclude_none=True)
        if "corpus" in node.stage.outputs:
            corpus = node.name
    return tables, corpus


def packed_inputs(shared: Mapping[str, Any], corpus: str) -> dict[str, str]:
    """What the stage that packs a model takes of those that all share."""
    learnt = {"truecaser": "truecase", "compounds": "compounds"}
    found = {"corpus": f"{corpus}.corpus", "aligner": f"{ALIGN}.aligner"}
    return found | {one: f"{stage}.{one}" for one, stage in learnt.items() if stage in shared}


def lifted(graph: Graph, prefix: str) -> Tables:
    """The tables of another recipe under names of their own, so that several stand in one.

    Inputs come from where they come from in it, and from nowhere else.
    """
    tables: Tables = {}
    for node in graph.order:
        inputs = dict.fromkeys((one.removesuffix("?") for one in node.stage.inputs if one.endswith("?")), "")
        inputs |= {name: f"{prefix}-{link.node}.{link.output}" for name, link in node.links.items()}
        own = node.settings.model_dump(mode="json", exclude_unset=True, exclude_none=True)
        tables[f"{prefix}-{node.name}"] = {"stage": node.stage.name, **own, "inputs": inputs}
    return tables


def make_recipe(
    tables: Mapping[str, Mapping[str, Any]],
    overrides: Sequence[str],
    stages: Mapping[str, Stage],
    also: Mapping[str, Sequence[str]],
) -> Recipe:
    """The recipe of these tables.

    Args:
        tables: By name.
        overrides: Settings of a stage, as `tune.iterations=5`, for each table that runs it.
        stages: The stages that there are.
        also: Stages that take settings of others, too: `grammar`, or of one of its keys `align.symmetrise`.
    """
    # Each under its name, as tables inside of it (where inputs come from) have to be.
    text = "\n".join(to_toml({name: dict(table)}) if table else f"[{name}]\n" for name, table in tables.items())
    try:
        return Recipe.from_text(text, _spread(overrides, tables, also), stages=stages)
    except SettingsError as error:
        error.line = None  # nobody has seen this recipe
        raise


def _spread(
    overrides: Sequence[str], tables: Mapping[str, Mapping[str, Any]], also: Mapping[str, Sequence[str]]
) -> list[str]:
    found = []
    for text in overrides:
        name, dot, rest = text.partition(".")
        key = f"{name.strip()}.{rest.partition('=')[0].strip()}"
        wanted = {name.strip(), *also.get(name.strip(), ()), *also.get(key, ())}
        named = [one for one, table in tables.items() if dot and table.get("stage", one) in wanted]
        found += [f"{one}.{rest}" for one in named] or [text]
    return found
