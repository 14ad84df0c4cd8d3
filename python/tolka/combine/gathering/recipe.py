"""The recipe that makes a translator of all sources, and the same with fewer steps to compare it with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tolka.combine.gathering.stages import STAGES
from tolka.combine.recipes import LM, lifted, make_recipe
from tolka.combine.stacking.recipe import model_of, stacking_recipe
from tolka.combine.stacking.settings import StackSettings
from tolka.corpus import CorpusFiles
from tolka.pipeline.training import TrainSettings, training_recipe, usual_dev_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from tolka.combine.gathering.settings import GatherSettings, Row
    from tolka.combine.gathering.sources import Direct, Way
    from tolka.combine.recipes import Tables
    from tolka.pipeline.recipe import Recipe

TEST, DEV, HALF = "test-set", "dev-set", "half-set"
THROUGH, UNKNOWN = "through", "unknown"


@dataclass(frozen=True)
class Plan:
    """What is made of what.

    Attributes:
        settings: What was asked for.
        stacks: How each direct text is stacked, by the names of parts; none if none is.
        left: Files of the half of the development set that stacks have not learnt from.
    """

    settings: GatherSettings
    stacks: Mapping[str, StackSettings] = field(default_factory=dict)
    left: tuple[Path, Path] | None = None


def corpora_of(settings: GatherSettings) -> list[CorpusFiles]:
    """The direct texts."""
    return [CorpusFiles(one.name, *one.files) for one in settings.sources.direct]


def direct_training(settings: GatherSettings) -> TrainSettings:
    """How a model of all direct text is trained."""
    corpora = corpora_of(settings)
    return TrainSettings(
        source=corpora[0].source,
        target=corpora[0].target,
        langs=settings.sources.langs,
        corpora=tuple(corpora),
        dev=settings.sources.dev,
        lm=settings.sources.lm,
        mono=() if settings.sources.lm is not None else target_texts(settings),
        **_usual(settings),
    )


def target_texts(settings: GatherSettings) -> tuple[Path, ...]:
    """Texts of the target that no direct text has: further ones, and those that ways lead to."""
    ways = settings.sources.through if THROUGH in settings.steps else ()
    legs = [way.legs[-1] for way in ways]
    return (*settings.sources.target, *(leg[1] for leg in legs if len(leg) > 1))


def leg_training(settings: GatherSettings, way: Way, at: int) -> TrainSettings:
    """How the model of a leg is trained; a pivot is written whole, as the leg before it writes it."""
    source, target = settings.sources.langs
    stops = (source, *way.pivots, target)
    files = way.legs[at]
    last = at == len(way.legs) - 1
    return TrainSettings(
        source=files[0],
        target=files[1] if len(files) > 1 else None,
        langs=(stops[at], stops[at + 1]),
        compounds=None if at == 0 else False,
        lm=settings.sources.lm if last else None,
        mono=settings.sources.target if last and settings.sources.lm is None else (),
        **_usual(settings),
    )


def stack_settings(settings: GatherSettings, text: Direct, learnt: tuple[Path, Path]) -> StackSettings:
    """How a direct text and the half of the development set that is learnt from are stacked."""
    return StackSettings(
        dev=learnt,
        train=CorpusFiles("train", *text.files),
        folds=settings.folds,
        lm=settings.sources.lm,
        langs=settings.sources.langs,
        **_usual(settings),
    )


def _usual(settings: GatherSettings) -> dict[str, Any]:
    return {
        "kind": settings.kind,
        "tuner": settings.tuner,
        "order": settings.order,
        "seed": settings.seed,
        "threads": settings.threads,
        "force": settings.force,
    }


def gather_recipe(plan: Plan) -> Recipe:
    """The recipe that makes all rows, and has them translate the test set."""
    sources = plan.settings.sources
    tables: Tables = {DEV: _set(plan, "dev", sources.dev)}
    if sources.test is not None:
        tables[TEST] = _set(plan, "test", sources.test)
    if plan.left is not None:
        tables[HALF] = _set(plan, "dev", plan.left)
    for tuning in range(1, plan.settings.tunings + 1):
        tables |= _parts(plan, tuning)
        for row in plan.settings.rows:
            tables |= _row(plan, row, tuning)
    also = {"grammar": ("fold-grammar",), LM: ("fold-lm",)}
    return make_recipe(tables, plan.settings.overrides, STAGES, also)


def _set(plan: Plan, section: str, files: tuple[Path, Path]) -> dict[str, Any]:
    source, target = map(str, files)
    langs = list(plan.settings.sources.langs)
    return {"stage": TEST, "section": section, "langs": langs, "source": source, "target": target}


def _parts(plan: Plan, tuning: int) -> Tables:
    """All that rows are made of, tuned for the so-manieth time."""
    settings = plan.settings
    tables: Tables = {}
    for at, stack in enumerate(plan.stacks.values(), 1):
        tables |= lifted(stacking_recipe(stack).graph, f"stack{at}-{tuning}")
    for at, way in enumerate(settings.sources.through if THROUGH in settings.steps else (), 1):
        tables |= _way(plan, way, f"way{at}-{tuning}", tuning)
    if settings.sources.direct:
        graph = training_recipe(direct_training(settings)).graph
        alone = UNKNOWN in settings.steps or any(row.direct and not row.stack for row in settings.rows)
        tables = lifted(graph if alone else graph.until(LM), f"direct-{tuning}") | _one_lm(plan, tables, tuning)
    if UNKNOWN in settings.steps:
        tables[f"{UNKNOWN}-{tuning}"] = _unknown(plan, tuning)
    for table in tables.values():
        if table["stage"] == "tune":
            table["seed"] = settings.seed + tuning - 1
    return tables


def _one_lm(plan: Plan, tables: Tables, tuning: int) -> Tables:
    """The tables with one language model for all that write the target: that of all its texts.

    What is tuned on text that this model has seen is tuned with one that has not.
    """
    settings = plan.settings
    if settings.sources.lm is not None:
        return tables
    mono = len(target_texts(settings))
    last = [f"way{at}-{tuning}-leg{len(way.legs)}-model" for at, way in enumerate(settings.sources.through, 1)]
    for name, table in tables.items():
        if table["stage"] == "fold-lm" and mono:
            table["inputs"]["mono-to-mix"] = f"direct-{tuning}-mono-{mono}.mono"
        if table["stage"] == "model" and (name.startswith("stack") or name in last):
            table["inputs"] |= {one: f"direct-{tuning}-{LM}.{one}" for one in ("lm", "lm_origin")}
    return tables


def _way(plan: Plan, way: Way, name: str, tuning: int) -> Tables:
    settings = plan.settings
    tables: Tables = {}
    for at in range(len(way.legs)):
        asked = leg_training(settings, way, at)
        tables |= lifted(training_recipe(asked, dev_pairs=usual_dev_pairs(asked)).graph, f"{name}-leg{at + 1}")
    legs = [f"{name}-leg{at + 1}" for at in range(len(way.legs))]
    tables[name] = {
        "stage": THROUGH,
        "names": legs,
        "how": settings.how,
        "tuner": settings.tuner,
        "seed": settings.seed + tuning - 1,
        "threads": settings.threads,
        "inputs": {"corpus": f"{DEV}.corpus", **_models(f"{leg}-model" for leg in legs)},
    }
    return tables


def _unknown(plan: Plan, tuning: int) -> dict[str, Any]:
    settings = plan.settings
    lexicons = () if settings.sources.unknown is None else settings.sources.unknown.lexicon
    return {
        "stage": UNKNOWN,
        "mono": [{"file": str(path)} for path in source_texts(settings)],
        "lexicons": [{"file": str(path)} for path in lexicons],
        "tuner": settings.tuner,
        "seed": settings.seed + tuning - 1,
        "threads": settings.threads,
        "inputs": {"corpus": f"{DEV}.corpus", "model": f"direct-{tuning}-model.model"},
    }


def source_texts(settings: GatherSettings) -> tuple[Path, ...]:
    """Texts in which unknown words and known ones are looked for: further ones, and the source sides of all others."""
    sources = settings.sources
    mono = () if sources.unknown is None else sources.unknown.mono
    texts = [one.files for one in sources.direct] + [way.legs[0] for way in sources.through]
    return (*mono, *(files[0] for files in texts if len(files) > 1))


def parts_of(plan: Plan, row: Row, tuning: int) -> dict[str, str]:
    """The tables that make the parts of a row, by the names of these."""
    parts: dict[str, str] = {}
    if row.stack:
        for at, (name, stack) in enumerate(plan.stacks.items(), 1):
            parts[name] = f"stack{at}-{tuning}-{model_of(stack, stack.operation, 1)}"
    elif row.direct:
        parts["direct"] = f"direct-{tuning}-model"
    if row.through:
        parts |= {way.name: f"way{at}-{tuning}" for at, way in enumerate(plan.settings.sources.through, 1)}
    if row.unknown:
        parts[UNKNOWN] = f"{UNKNOWN}-{tuning}"
    return parts


def row_of(plan: Plan, row: Row, tuning: int) -> str:
    """The table that makes a system: its only part, or the ensemble of them."""
    parts = parts_of(plan, row, tuning)
    return next(iter(parts.values())) if len(parts) == 1 else f"row-{row.name.replace('+', '-')}-{tuning}"


def answers_of(row: Row, tuning: int) -> str:
    """The table that translates the test set with it."""
    return f"answer-{row.name.replace('+', '-')}-{tuning}"


def _row(plan: Plan, row: Row, tuning: int) -> Tables:
    settings, parts, name = plan.settings, parts_of(plan, row, tuning), row_of(plan, row, tuning)
    tables: Tables = {}
    if len(parts) > 1:
        tables[name] = {
            "stage": "ensemble",
            "names": list(parts),
            "operation": settings.operation,
            "scheme": settings.scheme,
            "seed": settings.seed + tuning - 1,
            "threads": settings.threads,
            # A search without charts reads one way to write a sentence.
            "preparation": "common" if settings.kind == "phrase" else "auto",
            "inputs": {"corpus": f"{HALF if row.stack else DEV}.corpus", **_models(parts.values())},
        }
    if settings.sources.test is not None:
        inputs = {"corpus": f"{TEST}.corpus", "model": f"{name}.model"}
        tables[answers_of(row, tuning)] = {"stage": "answer", "threads": settings.threads, "inputs": inputs}
    return tables


def _models(tables: Iterable[str]) -> dict[str, str]:
    return {f"model-{at}": f"{table}.model" for at, table in enumerate(tables)}
