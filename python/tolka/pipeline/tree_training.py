"""What training a multitree system has of its own: its stages, what it refuses, and its account."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from tolka.errors import SettingsError
from tolka.files import Bundle
from tolka.lm import LanguageModel
from tolka.multitree import SYSTEMS
from tolka.multitree.analysis import weights_of
from tolka.multitree.translator import LANGUAGE
from tolka.pipeline.recipe import parse_override
from tolka.pipeline.stages.multitree import BEST
from tolka.train import defaults
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
    "reorder": "put words into another order first",
    "growing": "grow",
    "placeholders": "know placeholders",
}
_NOT_FOR_CLASSIFIERS = {
    "tuner": "have a tuner: their penalty is chosen on the development set",
    "lm": "have a language model",
    "order": "have a language model, of any order",
}
_TUNERS = ("pro", "mert", "mira")
"""Those that compare lists of translations."""


def weighed(settings: TrainSettings) -> bool:
    """Whether statistics are weighed, with a language model and weights to tune: the system says so, or `--set`."""
    said = {}
    for override in settings.overrides:
        table, key, value = parse_override(override)
        if table == MULTITREE:
            said[key] = value
    name = said.get("system", settings.system or BEST)
    system = SYSTEMS.get(name) if isinstance(name, str) else None
    weights = said.get("weights", None if system is None else system.weights)
    return weights not in (None, "none")


def tree_tuner(settings: TrainSettings) -> str:
    """How it is tuned: by the tuner that was asked for, or by trying penalties."""
    return (settings.tuner or defaults.TREE_TUNE["tuner"]) if weighed(settings) else "penalty"


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
    if not weighed(settings):
        _check_classifiers_alone(settings)
    elif tree_tuner(settings) not in _TUNERS:
        raise SettingsError(f"multitree models are not tuned by {settings.tuner}", hint=f"use {' or '.join(_TUNERS)}")


def _check_classifiers_alone(settings: TrainSettings) -> None:
    """Refuse what only models need that weigh statistics."""
    for name, what in _NOT_FOR_CLASSIFIERS.items():
        usual = defaults.LM["order"] if name == "order" else None
        if getattr(settings, name) != usual:
            raise SettingsError(
                f"multitree models of classifiers alone do not {what}",
                hint=f"leave out {name}, or take --system {BEST}",
            )


def tree_tables(settings: TrainSettings, lm: dict[str, Any], *, tuned: bool) -> dict[str, dict[str, Any]]:
    """The stages that make such a model of words; that of the language model, if one is weighed, is given."""
    threads = {"threads": settings.threads}
    tables: dict[str, dict[str, Any]] = {"align": {"seed": settings.seed, **threads}}
    if settings.parser is not None:
        tables["constituents"] = {"model": str(settings.parser), **threads}
    system = {} if settings.system is None else {"system": settings.system}
    tables[MULTITREE] = {**system, "seed": settings.seed, **threads}
    statistics = weighed(settings)
    if statistics:
        tables["lm"] = lm
    if tuned and statistics:
        tables["tune"] = {"stage": "statistics", "tuner": tree_tuner(settings), "seed": settings.seed, **threads}
    elif tuned:
        tables["tune"] = {"stage": "penalty", **threads}
    tables["model"] = {"stage": "tree-model"}
    return tables


def tree_sizes(translator: TreeTranslator, output: Path) -> dict[str, int]:
    """Pairs, pairs of phrases, n-grams if there is a language model, and bytes."""
    account = translator.model.account_
    bundle = Bundle.open(output, verify=False)
    ngrams = {"ngrams": sum(LanguageModel.load(bundle.file(LANGUAGE)).counts)} if LANGUAGE in bundle.names else {}
    return {
        "pairs": 0 if account is None else account.pairs,
        "phrases": 0 if account is None else account.lexicon[2],
        **ngrams,
        "bytes": sum(entry.size for entry in bundle.manifest.files.values()),
    }


def tree_weights(translator: TreeTranslator) -> dict[str, float]:
    """What it weighs, as reports show it."""
    return weights_of(translator.model.settings)


def account_notes(output: Path, done: RunResult) -> Iterator[str]:
    """What became of pairs that were not learnt from, and of sentences without a proper tree."""
    model = TreeTranslator.load(output).model
    account = model.account_
    if account is not None:
        if account.skipped:
            reasons = ", ".join(f"{count:,} because {reason}" for reason, count in account.reasons().items())
            yield f"{len(account.skipped):,} pairs could not be learnt from: {reasons}"
        if account.complete < 1:
            if model.settings.lexicon == "supervisor":
                few, learnt = (
                    account.pairs - round(account.complete * account.pairs),
                    "what covers most of them is learnt from",
                )
                yield f"{few:,} of {account.pairs:,} pairs have no complete multitree: {learnt}"
            else:
                yield f"{1 - account.complete:.0%} of pairs have no complete multitree: phrases are taken from them all the same"
    names = {one.name for one in done.stages}
    if "constituents" in names:
        flat = json.loads((done["constituents"].outputs["brackets"] / "flat.json").read_bytes())
        if total := sum(flat.values()):
            yield f"{total:,} sentences have only a flat tree: the parser has no better one for them"
    else:
        yield "no parser is given: sentences have no trees, and word classes stand for tags"
