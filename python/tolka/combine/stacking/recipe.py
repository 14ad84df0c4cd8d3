"""The recipe of stacking and of what it is compared with: text is prepared, linked and extracted from once for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.combine.recipes import ALIGN, CLEAN, LM, make_recipe, packed_inputs, shared_tables
from tolka.combine.stacking.settings import (
    AVERAGE,
    BMA,
    CONVENTIONAL,
    MEAN,
    PLAIN,
    RETRAINED,
    SCHEMES,
    SEEDS,
)
from tolka.combine.stacking.stages import STAGES
from tolka.combine.stages import MOST_INPUTS
from tolka.corpus import CorpusFiles
from tolka.pipeline.training import TrainSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.combine.recipes import Tables
    from tolka.combine.stacking.settings import StackSettings
    from tolka.pipeline.recipe import Recipe

TRAIN, DEV, LEARN = "train", "dev", "learn"
FOLDS, TABLE, TEST = "folds", "fold-grammar", "test-set"


@dataclass(frozen=True)
class Base:
    """A model that is tuned: where its rules, weights and language models come from.

    Attributes:
        name: What it is called.
        grammar: The table that makes its rules.
        lm: That of the language model it translates with.
        dev: That of the set it is tuned on.
        voice: Its voice in a table of several.
        tuned_lm: The language model it is tuned with, if that is another.
        weights: The table whose weights it has; its own tuning's if there is none.
        seed: What is added to the seed of its tuning.
        corpus: The table that makes the text it is of.
    """

    name: str
    grammar: str
    lm: str
    dev: str
    voice: str | None = None
    tuned_lm: str | None = None
    weights: str | None = None
    seed: int = 0
    corpus: str = LEARN

    def weights_of(self, tuning: int) -> str:
        """The table with its weights, of the so-manieth tuning."""
        return f"{self.weights or f'tune-{self.name}'}-{tuning}"

    def model_of(self, tuning: int) -> str:
        """The table that packs it."""
        return f"model-{self.name}-{tuning}"


def scheme_of(row: str) -> tuple[str, str]:
    """How the models of a row come to differ, and what becomes of them.

    Example:
        >>> scheme_of("wsum"), scheme_of("fixed-switch:max"), scheme_of("without-mean")
        (('', 'wsum'), ('fixed-', 'switch:max'), ('without-', 'mean'))
    """
    scheme = next((one for one in SCHEMES[1:] if row.startswith(one)), "")
    return scheme, row.removeprefix(scheme)


def bases(settings: StackSettings, row: str) -> list[Base]:
    """The models that a row is made of."""
    if row in PLAIN:
        grammar = {CONVENTIONAL: "grammar-learn", BMA: "join-bma"}.get(row, "grammar-all")
        weights = {RETRAINED: f"tune-{CONVENTIONAL}", AVERAGE: "mean-weights"}.get(row)
        own = row in {CONVENTIONAL, BMA}
        return [Base(row, grammar, "lm-learn" if own else LM, "base-dev", weights=weights, corpus=LEARN if own else "")]
    first = Base(CONVENTIONAL, "grammar-learn", "lm-learn", "base-dev")
    if row == SEEDS:
        return [
            Base(f"seed{at}", first.grammar, first.lm, first.dev, seed=1000 * at) if at else first
            for at in range(len(settings.used))
        ]
    scheme, _ = scheme_of(row)
    if scheme == "":
        # What a fold is tuned on must be new to its language model as well, or that would be trusted too much.
        own_lm = settings.held_lm and settings.lm is None
        return [
            Base(f"fold{at}", TABLE, LM, f"held-{at}", f"fold{at}", f"lm-fold{at}" if own_lm else None, corpus="")
            for at in settings.used
        ]
    if scheme == "fixed-":
        return [
            Base(f"fixed{at}", f"{TABLE}-fixed", "lm-learn", "base-dev", f"fold{at}")
            for at in range(fixed_folds(settings))
        ]
    name = scheme.removesuffix("-")
    return [
        Base(f"{name}{at}", f"grammar-{name}{at}", "lm-learn", "base-dev", corpus=f"{name}{at}")
        for at in range(len(settings.used))
    ]


def fixed_folds(settings: StackSettings) -> int:
    """Folds of the training text, so that each model gives up as much of it as samples do."""
    return min(MOST_INPUTS, max(2, round(1 / (1 - settings.share))))


def model_of(settings: StackSettings, row: str, tuning: int) -> str:
    """The recipe's table that packs a row, tuned for the so-manieth time."""
    if row in PLAIN:
        return bases(settings, row)[0].model_of(tuning)
    return f"ensemble-{row.replace(':', '-')}-{tuning}"


def answers_of(settings: StackSettings, row: str, tuning: int) -> list[str]:
    """The recipe's tables that translate with it; those of each of its models if it is their mean."""
    if scheme_of(row)[1] == MEAN:
        return [f"answer-{base.model_of(tuning)}" for base in bases(settings, row)]
    return [f"answer-{model_of(settings, row, tuning)}"]


def stacking_recipe(settings: StackSettings) -> Recipe:
    """The recipe that makes the stacked model, and all rows that are wanted."""
    shared, corpus = _shared(settings)
    rows = tuple(dict.fromkeys((settings.operation, *settings.rows)))
    tables = {**shared, **_folds(settings, corpus)}
    if any(scheme_of(row)[0] or row in {*PLAIN, SEEDS} for row in rows):
        tables |= _learn(settings, corpus, rows)
    for tuning in range(1, settings.tunings + 1):
        # What is kept is of the first tuning.
        tables |= _systems(settings, corpus, shared, rows if tuning == 1 else settings.rows, tuning)
    also = {"grammar": ("fold-grammar",), LM: ("fold-lm",)}
    return make_recipe(tables, settings.overrides, STAGES, also)


def _shared(settings: StackSettings) -> tuple[Tables, str]:
    """The stages up to links and language model, of training and development text as one."""
    dev = CorpusFiles(DEV, *settings.dev)
    corpora = (dev,) if settings.train is None else (settings.train, dev)
    asked = TrainSettings(
        source=corpora[0].source,
        target=corpora[0].target,
        langs=settings.langs,
        corpora=corpora,
        kind=settings.kind,
        tokenised=settings.tokenised,
        compounds=settings.compounds,
        seed=settings.seed,
        threads=settings.threads,
    )
    tables, corpus = shared_tables(asked)
    tables[LM] = {**_lm(settings), "inputs": {"corpus": f"{corpus}.corpus"}}
    if settings.test is not None:
        same: dict[str, Any] = {
            key: tables[CLEAN][key] for key in ("invisible", "nfc", "spaces") if key in tables[CLEAN]
        }
        source, target = map(str, settings.test)
        tables[TEST] = {"stage": TEST, "langs": list(settings.langs), "source": source, "target": target, **same}
    return tables, corpus


def _lm(settings: StackSettings) -> dict[str, Any]:
    own: dict[str, Any] = {"stage": "lm", "order": settings.order, "threads": settings.threads}
    return own if settings.lm is None else {**own, "file": str(settings.lm)}


def _folds(settings: StackSettings, corpus: str) -> Tables:
    """The folds, the table that speaks for all their models, and what each is tuned on and with."""
    words, threads = f"{corpus}.corpus", {"threads": settings.threads}
    split = {"folds": settings.folds, "contiguous": settings.contiguous, "seed": settings.seed}
    tables: Tables = {
        FOLDS: {"stage": "folds", **split, "inputs": {"corpus": words}},
        TABLE: {
            "stage": "fold-grammar",
            "kind": settings.kind,
            "voices": list(settings.used),
            **threads,
            "inputs": {"corpus": words, "links": f"{ALIGN}.links", "folds": f"{FOLDS}.folds"},
        },
    }
    inputs = {"corpus": words, "left-out": f"{FOLDS}.folds"}
    for base in bases(settings, settings.operation):
        fold = int(base.name.removeprefix("fold"))
        tables[base.dev] = {"stage": "held-out", "fold": fold, "most": settings.most, "inputs": inputs}
        if base.tuned_lm is not None:
            own = {"fold": fold, "order": settings.order, **threads}
            tables[base.tuned_lm] = {"stage": "fold-lm", **own, "inputs": inputs}
    return tables


def _learn(settings: StackSettings, corpus: str, rows: Sequence[str]) -> Tables:
    """What conventional training learns from and tunes on, and the tables of rules of all that do likewise."""
    words, links = f"{corpus}.corpus", f"{ALIGN}.links"
    threads = {"threads": settings.threads}
    # Of a development set alone, one fold is held out.
    apart: dict[str, Any] = {"fold": settings.used[0]} if settings.train is None else {"names": [TRAIN]}
    held: dict[str, Any] = {"fold": settings.used[0]} if settings.train is None else {"names": [DEV]}
    folded = {} if settings.train is not None else {"left-out": f"{FOLDS}.folds"}
    most = {} if settings.train is not None else {"most": settings.most}
    tables: Tables = {
        LEARN: {"stage": "take", **apart, "inputs": {"corpus": words, "links": links, **folded}},
        "base-dev": {"stage": "held-out", **held, **most, "inputs": {"corpus": words, **folded}},
        "lm-learn": {**_lm(settings), "inputs": {"corpus": f"{LEARN}.corpus"}},
    }

    def grammar(name: str, inputs: dict[str, str]) -> None:
        own = {"stage": "grammar", "kind": settings.kind, **threads}
        tables[f"grammar-{name}"] = {**own, "inputs": inputs}

    def of(name: str) -> dict[str, str]:
        return {"corpus": f"{name}.corpus", "links": f"{name}.links"}

    wanted = {base.grammar for row in rows for base in bases(settings, row)}
    if RETRAINED in rows or wanted & {"grammar-learn", "join-bma"}:
        grammar("learn", of(LEARN))
    if "grammar-all" in wanted:
        grammar("all", {"corpus": words, "links": links})
    for way in ("without", "with"):
        names = [f"{way}{at}" for at in range(len(settings.used))]
        if f"grammar-{names[0]}" not in wanted and not (way == "without" and "join-bma" in wanted):
            continue
        for at, name in enumerate(names):
            share = {"share": 1.0, "replacement": True} if way == "with" else {"share": settings.share}
            draw = {"stage": "take", **share, "seed": settings.seed + at, "inputs": of(LEARN)}
            tables[name] = draw
            grammar(name, of(name))
    if "join-bma" in wanted:
        parts = [LEARN, *(f"without{at}" for at in range(len(settings.used)))][:MOST_INPUTS]
        tables["join-bma"] = {
            "stage": "join",
            "names": parts,
            "how": "linear",
            **threads,
            "inputs": {f"table-{at}": f"grammar-{name}.grammar" for at, name in enumerate(parts)},
        }
    if f"{TABLE}-fixed" in wanted:
        split = {"folds": fixed_folds(settings), "contiguous": settings.contiguous, "seed": settings.seed}
        tables["folds-fixed"] = {"stage": "folds", **split, "inputs": {"corpus": f"{LEARN}.corpus"}}
        tables[f"{TABLE}-fixed"] = {
            "stage": "fold-grammar",
            "kind": settings.kind,
            "voices": list(range(fixed_folds(settings))),
            **threads,
            "inputs": {**of(LEARN), "folds": "folds-fixed.folds"},
        }
    return tables


def _systems(settings: StackSettings, corpus: str, shared: Tables, rows: tuple[str, ...], tuning: int) -> Tables:
    """What is tuned and packed in the so-manieth tuning, and has to translate."""
    folds, conventional = bases(settings, settings.operation), bases(settings, CONVENTIONAL)[0]
    tables: Tables = {}
    for row in rows:
        own = bases(settings, row)
        tuned = [base for base in own if base.weights is None]
        if row == RETRAINED:
            tuned = [conventional]
        elif row == AVERAGE:
            tuned = folds
            weights = {f"weights-{at}": f"{base.weights_of(tuning)}.weights" for at, base in enumerate(folds)}
            names = [base.name for base in folds]
            tables[own[0].weights_of(tuning)] = {"stage": "mean-weights", "names": names, "inputs": weights}
        for base in tuned:
            tables[base.weights_of(tuning)] = _tuning(settings, base, tuning)
        for base in own:
            place = packed_inputs(shared, base.corpus or corpus)
            tables[base.model_of(tuning)] = _model(settings, base, place, tuning)
        _, ending = scheme_of(row)
        if row not in PLAIN and ending != MEAN:
            operation = settings.operation if row == SEEDS else ending
            tables[model_of(settings, row, tuning)] = _ensemble(settings, own, operation, tuning)
    for row in settings.rows:
        for answers in answers_of(settings, row, tuning):
            inputs = {"corpus": f"{TEST}.corpus", "model": f"{answers.removeprefix('answer-')}.model"}
            tables[answers] = {"stage": "answer", "threads": settings.threads, "inputs": inputs}
    return tables


def _searching(settings: StackSettings, base: Base) -> dict[str, Any]:
    found = {"kind": settings.kind, "strategy": settings.strategy, "voice": base.voice}
    return {name: value for name, value in found.items() if value is not None}


def _tuning(settings: StackSettings, base: Base, tuning: int) -> dict[str, Any]:
    inputs = {
        "corpus": f"{base.dev}.corpus",
        "grammar": f"{base.grammar}.grammar",
        "lm": f"{base.tuned_lm or base.lm}.lm",
    }
    seed = settings.seed + tuning - 1 + base.seed
    own = {"tuner": settings.tuner, "seed": seed, "threads": settings.threads}
    return {"stage": "tune", **_searching(settings, base), **own, "inputs": inputs}


def _model(settings: StackSettings, base: Base, place: dict[str, str], tuning: int) -> dict[str, Any]:
    inputs = {
        **place,
        "grammar": f"{base.grammar}.grammar",
        "lm": f"{base.lm}.lm",
        "lm_origin": f"{base.lm}.lm_origin",
        "weights": f"{base.weights_of(tuning)}.weights",
    }
    return {"stage": "model", **_searching(settings, base), "inputs": inputs}


def _ensemble(settings: StackSettings, own: Iterable[Base], operation: str, tuning: int) -> dict[str, Any]:
    models = {base.name: f"{base.model_of(tuning)}.model" for base in own}
    inputs = {f"model-{at}": model for at, model in enumerate(models.values())}
    return {
        "stage": "ensemble",
        "names": list(models),
        "operation": operation,
        "scale": settings.scale,
        "threads": settings.threads,
        "inputs": {"corpus": f"{CLEAN}.corpus", **inputs},
    }
