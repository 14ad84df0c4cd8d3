"""What training a multitree system has of its own: its stages, what it refuses, and its account."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from tolka.errors import SettingsError
from tolka.files import Bundle
from tolka.multitree import SYSTEMS
from tolka.translate.multitree import TreeTranslator

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tolka.pipeline.runner import RunResult
    from tolka.pipeline.training import TrainSettings

TreeKind = Literal["multitree"]
MULTITREE: TreeKind = "multitree"

_NOT_FOR_TREES = {
    "strategy": "search otherwise",
    "tuner": "have a tuner: their penalty is chosen on the development set",
    "lm": "have a language model",
    "reorder": "put words into another order first",
    "growing": "grow",
    "placeholders": "know placeholders",
}


def check_tree_choices(settings: TrainSettings) -> None:
    """Refuse what multitrees do not know, and what only they know.

    Raises:
        SettingsError: Something is chosen that has no effect.
    """
    if settings.kind != MULTITREE:
        if settings.system is not None:
            raise SettingsError("only multitrees have a system", hint="add --kind multitree, or leave it out")
        return
    for name, what in _NOT_FOR_TREES.items():
        if getattr(settings, name):
            raise SettingsError(f"multitree models do not {what}", hint=f"leave out {name}")
    if settings.system is not None and settings.system not in SYSTEMS:
        raise SettingsError(f"there is no system {settings.system!r}", hint=f"use one of {', '.join(SYSTEMS)}")


def tree_tables(settings: TrainSettings, *, tuned: bool) -> dict[str, dict[str, Any]]:
    """The stages that make such a model of words."""
    threads = {"threads": settings.threads}
    tables: dict[str, dict[str, Any]] = {"align": {"seed": settings.seed, **threads}}
    if settings.parser is not None:
        tables["constituents"] = {"model": str(settings.parser), **threads}
    system = {} if settings.system is None else {"system": settings.system}
    tables[MULTITREE] = {**system, "seed": settings.seed, **threads}
    if tuned:
        tables["tune"] = {"stage": "penalty", **threads}
    tables["model"] = {"stage": "tree-model"}
    return tables


def tree_sizes(translator: TreeTranslator, output: Path) -> dict[str, int]:
    """Pairs, pairs of phrases, n-grams of none, and bytes."""
    account = translator.model.account_
    manifest = Bundle.open(output, verify=False).manifest
    return {
        "pairs": 0 if account is None else account.pairs,
        "phrases": 0 if account is None else account.lexicon[2],
        "bytes": sum(entry.size for entry in manifest.files.values()),
    }


def account_notes(output: Path, done: RunResult) -> Iterator[str]:
    """What became of pairs that were not learnt from, and of sentences without a proper tree."""
    account = TreeTranslator.load(output).model.account_
    if account is not None:
        if account.skipped:
            reasons = ", ".join(f"{count:,} because {reason}" for reason, count in account.reasons().items())
            yield f"{len(account.skipped):,} pairs could not be learnt from: {reasons}"
        if account.complete < 1:
            whole = round(account.complete * account.pairs)
            yield (
                f"{account.pairs - whole:,} of {account.pairs:,} pairs have no complete multitree: what covers most of them "
                "is learnt from"
            )
    names = {one.name for one in done.stages}
    if "constituents" in names:
        flat = json.loads((done["constituents"].outputs["brackets"] / "flat.json").read_bytes())
        if total := sum(flat.values()):
            yield f"{total:,} sentences have only a flat tree: the parser has no better one for them"
    else:
        yield "no parser is given: sentences have no trees, and word classes stand for tags"
