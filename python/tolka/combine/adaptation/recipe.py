"""The recipe of a comparison: what all rows share is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolka.combine.adaptation.settings import ALL, ENSEMBLES, IN, OUT, SELECTION, TABLES, TUNED
from tolka.combine.adaptation.stages import STAGES
from tolka.combine.recipes import ALIGN, CLEAN, LM, make_recipe, packed_inputs, shared_tables
from tolka.pipeline.training import TrainSettings

if TYPE_CHECKING:
    from tolka.combine.adaptation.settings import AdaptSettings
    from tolka.combine.recipes import Tables
    from tolka.pipeline.recipe import Recipe

PAIRS, SHARES = "pairs", "shares"


def table_of(settings: AdaptSettings, row: str) -> str:
    """The recipe's table that makes the rules of a row.

    Example:
        >>> from pathlib import Path
        >>> from tolka.combine import AdaptSettings
        >>> from tolka.corpus import CorpusFiles
        >>> inside, outside = (CorpusFiles(name, Path(f"{name}.tmx")) for name in ("in", "out"))
        >>> dev = test = (Path("a"), Path("b"))
        >>> asked = AdaptSettings(inside, (outside,), dev, test, ("de", "en"))
        >>> [table_of(asked, row) for row in ("in", "out", "concatenation", "linear")]
        ['grammar-0', 'grammar-1', 'grammar-all', 'join-linear']
    """
    if row in settings.alone:
        return f"grammar-{settings.alone.index(row)}"
    own = {OUT: "grammar-out", ALL: "grammar-all", SELECTION: "grammar-select"}
    return own.get(row, f"join-{row}")


def model_of(settings: AdaptSettings, row: str, tuning: int) -> str:
    """The recipe's table that packs a row, tuned for the so-manieth time."""
    if row in ENSEMBLES:
        return f"ensemble-{row.replace(':', '-')}-{tuning}"
    return f"model-{table_of(settings, row)}-{tuning}"


def answers_of(settings: AdaptSettings, row: str, tuning: int) -> str:
    """The recipe's table that translates with it."""
    return f"answer-{model_of(settings, row, tuning)}"


def adaptation_recipe(settings: AdaptSettings) -> Recipe:
    """The recipe that makes all rows, and has them translate."""
    shared, corpus = _shared(settings)
    tables = {**shared, **_rules(settings, corpus)}
    for tuning in range(1, settings.tunings + 1):
        tables |= _systems(settings, corpus, shared, tuning)
    # Rules of the development text are extracted as those of the training text are.
    also = {"grammar": ("dev-pairs",), "align.symmetrise": ("dev-pairs",)}
    return make_recipe(tables, settings.overrides, STAGES, also)


def _shared(settings: AdaptSettings) -> tuple[Tables, str]:
    """The stages up to links and language model, and the one that writes the words."""
    asked = TrainSettings(
        source=settings.inside.source,
        target=settings.inside.target,
        langs=settings.langs,
        corpora=settings.corpora,
        dev=settings.dev,
        test=settings.test,
        kind=settings.kind,
        tokenised=settings.tokenised,
        compounds=settings.compounds,
        seed=settings.seed,
        threads=settings.threads,
    )
    tables, corpus = shared_tables(asked)
    order: dict[str, Any] = {"order": settings.order, "threads": settings.threads}
    if settings.lm == "mixed":
        tables[LM] = {"stage": "mixed-lm", **order}
    else:
        tables[LM] = {**order, **({} if settings.lm == "all" else {"file": str(settings.lm)})}
    return tables, corpus


def _rules(settings: AdaptSettings, corpus: str) -> Tables:
    """The tables of rules that systems need."""
    words, links = f"{corpus}.corpus", f"{ALIGN}.links"
    threads = {"threads": settings.threads}
    whole = {"corpus": words, "links": links}
    joined = [row for row in settings.systems if row in TABLES]
    parts: dict[str, tuple[str, ...]] = {
        str(at): (name,) for at, name in enumerate(settings.alone) if joined or name in settings.systems
    }
    if OUT in settings.systems and OUT not in settings.alone:
        parts[OUT] = settings.alone[1:]
    tables: Tables = {}
    for end, names in parts.items():
        tables[f"part-{end}"] = {"stage": "part", "names": list(names), "inputs": whole}
        tables[f"grammar-{end}"] = _grammar(settings, f"part-{end}")
    if ALL in settings.systems:
        tables["grammar-all"] = {**_grammar(settings, corpus), "inputs": whole}
    if SELECTION in settings.systems:
        share = {} if settings.share is None else {"share": settings.share}
        chosen = {"stage": "select", "inside": IN, "seed": settings.seed, **share, **threads}
        tables["select"] = {**chosen, "inputs": whole}
        tables["grammar-select"] = _grammar(settings, "select")
    weights = {TABLES[row][1] for row in joined}
    if "em" in weights:
        inputs = {"corpus": words, "aligner": f"{ALIGN}.aligner"}
        tables[PAIRS] = {"stage": "dev-pairs", "kind": settings.kind, **threads, "inputs": inputs}
    if "perplexity" in weights:
        tables[SHARES] = {"stage": "perplexities", "order": settings.order, **threads, "inputs": {"corpus": words}}
    sources = {"em": {"rules-to-fit": f"{PAIRS}.pairs"}, "perplexity": {"shares-to-take": f"{SHARES}.shares"}}
    for row in joined:
        how, source = TABLES[row]
        inputs = {f"table-{at}": f"grammar-{at}.grammar" for at in range(len(settings.alone))}
        tables[table_of(settings, row)] = {
            "stage": "join",
            "names": list(settings.alone),
            "how": how,
            **threads,
            "inputs": {**inputs, **sources.get(source, {})},
        }
    return tables


def _grammar(settings: AdaptSettings, corpus: str) -> dict[str, Any]:
    inputs = {"corpus": f"{corpus}.corpus", "links": f"{corpus}.links"}
    return {"stage": "grammar", "kind": settings.kind, "threads": settings.threads, "inputs": inputs}


def _systems(settings: AdaptSettings, corpus: str, shared: Tables, tuning: int) -> Tables:
    """What is tuned and packed, and has to translate."""
    kind: dict[str, Any] = {"kind": settings.kind}
    if settings.strategy is not None:
        kind["strategy"] = settings.strategy
    seed, threads = {"seed": settings.seed + tuning - 1}, {"threads": settings.threads}
    packed = {**packed_inputs(shared, corpus), "lm": f"{LM}.lm", "lm_origin": f"{LM}.lm_origin"}
    tables: Tables = {}
    for row in settings.systems:
        rules = table_of(settings, row)
        tune = f"tune-{rules}-{tuning}"
        found = {"corpus": f"{corpus}.corpus", "grammar": f"{rules}.grammar", "lm": f"{LM}.lm"}
        tables[tune] = {"stage": "tune", **kind, "tuner": settings.tuner, **seed, **threads, "inputs": found}
        inputs = {**packed, "grammar": f"{rules}.grammar", "weights": f"{tune}.weights"}
        tables[model_of(settings, row, tuning)] = {"stage": "model", **kind, "inputs": inputs}
    for row in settings.rows:
        if row not in ENSEMBLES:
            continue
        models = {f"model-{at}": f"{model_of(settings, one, tuning)}.model" for at, one in enumerate(settings.members)}
        scheme: dict[str, Any] = {"scheme": "uniform"}
        if row.endswith(TUNED):
            scheme = {"scheme": settings.scheme, "starts": settings.starts, **seed}
            scheme |= {} if settings.evaluations is None else {"evaluations": settings.evaluations}
        tables[model_of(settings, row, tuning)] = {
            "stage": "ensemble",
            "names": list(settings.members),
            "operation": row.removesuffix(TUNED),
            **scheme,
            "scale": settings.scale,
            **threads,
            "inputs": {"corpus": f"{CLEAN}.corpus", **models},
        }
    for row in settings.rows:
        inputs = {"corpus": f"{CLEAN}.corpus", "model": f"{model_of(settings, row, tuning)}.model"}
        tables[answers_of(settings, row, tuning)] = {"stage": "answer", **threads, "inputs": inputs}
    return tables
