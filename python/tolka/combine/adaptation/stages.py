"""The stages of a comparison that training does not have."""

from __future__ import annotations

import json
from dataclasses import fields
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from tolka.align import Aligner
from tolka.combine.adaptation.settings import MOST_CORPORA
from tolka.combine.ensemble import make_ensemble
from tolka.combine.mixing import dev_pairs, mixture_weights
from tolka.combine.perplexity import perplexity_weights
from tolka.combine.selection import SHARES, choose_share, select_pairs
from tolka.combine.tuning import EnsembleTuneSettings, tune_ensemble
from tolka.corpus import read_lines, write_lines
from tolka.decode.mixture import Mixture, Operation
from tolka.errors import InputError, SettingsError
from tolka.grammar import Grammar
from tolka.grammar.join import How, join_tables
from tolka.lm import LanguageModel, LanguageModelTrainer, mix_lms, tune_weights
from tolka.pipeline.stage import Settings, Threads, registry, stage
from tolka.pipeline.stages import BUILTIN
from tolka.pipeline.stages.grammar import GrammarSettings
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.train import defaults
from tolka.translate import Translator
from tolka.translate.ensemble import EnsembleTranslator, Scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tolka.progress import Progress

Name = Annotated[str, Field(min_length=1, max_length=64)]
Seed = Annotated[int, Field(ge=0, lt=1 << 63)]

_RULES = ("max_length", "max_symbols", "max_gaps", "min_gap", "adjacent", "loose")
"""What decides which rules there are."""


def several(kind: str) -> tuple[str, ...]:
    """Inputs of a stage that reads one thing of each text: as many as there are."""
    return tuple(f"{kind}-{at}?" for at in range(MOST_CORPORA))


def _given(inputs: Mapping[str, Path], kind: str, names: Sequence[str]) -> dict[str, Path]:
    return {name: inputs[f"{kind}-{at}"] for at, name in enumerate(names)}


class PartSettings(Settings):
    """The corpora that are wanted."""

    names: tuple[Name, ...] = Field(min_length=1)


@stage("part", version=1, settings=PartSettings, inputs=("corpus", "links"), outputs=("corpus", "links"))
def part(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: PartSettings, progress: Progress) -> None:
    """Take some of the corpora of the training section, with the links that all of it gave."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    spans = {name: span for name, span in _spans(corpus).items() if name in settings.names}
    with progress.task("taking pairs", unit="pairs") as advance:
        _write_some(corpus, inputs["links"], outputs, "part", list(spans.values()))
        advance(sum(map(len, spans.values())))


def _spans(corpus: CorpusDirectory) -> dict[str, range]:
    """Which pairs of the training section are those of each corpus."""
    found, begin = {}, 0
    for name, pairs in corpus.corpora():
        if not pairs:
            raise InputError(f"no pair of the text {name!r} is left after cleaning", hint="is it parallel text?")
        found[name] = range(begin, begin + pairs)
        begin += pairs
    return found


def _write_some(
    corpus: CorpusDirectory,
    links: Path,
    outputs: Mapping[str, Path],
    name: str,
    wanted: Sequence[Sequence[int]],
) -> None:
    """Write a corpus with these pairs alone, in ascending order, and their links."""
    keep = {at for span in wanted for at in span}
    made = CorpusDirectory(outputs["corpus"], corpus.langs, (TRAIN,), (*corpus.history, name), corpus.text).create()
    made.write(TRAIN, (pair for at, pair in enumerate(corpus.pairs(TRAIN)) if at in keep))
    write_lines(outputs["links"], (line for at, line in enumerate(read_lines(links)) if at in keep))


class SelectSettings(Settings):
    """How pairs of the other corpora are chosen; see `tolka.combine.select_pairs`."""

    inside: Name
    share: float | None = Field(default=None, gt=0, le=1)
    shares: tuple[float, ...] = tuple(SHARES)
    order: int = Field(default=4, ge=1, le=8)
    min_count: int = Field(default=2, ge=1)
    seed: Seed = 1
    threads: Threads = 0


@stage("select", version=1, settings=SelectSettings, inputs=("corpus", "links"), outputs=("corpus", "links", "chosen"))
def select(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: SelectSettings, progress: Progress
) -> None:
    """Take the corpus of the domain and what is like it in the others (Moore & Lewis 2010, Axelrod et al. 2011)."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    spans = _spans(corpus)
    own = spans[settings.inside]
    others = [at for name, span in spans.items() if name != settings.inside for at in span]
    sides = [list(corpus.lines(TRAIN, lang)) for lang in corpus.langs]
    inside, outside = ([[side[at] for at in some] for side in sides] for some in (own, others))
    ranked = select_pairs(
        *inside,
        *outside,
        order=settings.order,
        min_count=settings.min_count,
        seed=settings.seed,
        threads=settings.threads,
        progress=progress,
    )
    if settings.share is None:
        dev = [line for line in corpus.lines("dev", corpus.langs[1]) if line.strip()]
        number = choose_share(ranked, outside[1], dev, shares=settings.shares, threads=settings.threads).number
    else:
        number = max(1, round(settings.share * len(others)))
    chosen = [others[at] for at in ranked.indices[:number].tolist()]
    _write_some(corpus, inputs["links"], outputs, "select", [own, chosen])
    _write(outputs["chosen"], {"pairs": number, "of": len(others), "share": number / len(others)})


class MixLmSettings(Settings):
    """What models are estimated, see `tolka.lm.LanguageModelTrainer`."""

    order: int = Field(default=defaults.LM["order"], ge=1, le=8)
    smoothing: Literal["kneser-ney", "witten-bell"] = defaults.LM["smoothing"]
    threads: Threads = 0


@stage("mixed-lm", version=1, settings=MixLmSettings, inputs=("corpus",), outputs=("lm", "lm_origin"))
def mixed_lm(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: MixLmSettings, progress: Progress
) -> None:
    """Estimate a language model of each corpus's target side, and interpolate them as suits the development section."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    models = _language_models(corpus, settings, progress)
    shares = tune_weights(list(models.values()), _dev_targets(corpus))
    # The name says what is written.
    path = outputs["lm"].with_suffix(".tlm")
    mix_lms(list(models.values()), shares).save(path)
    path.rename(outputs["lm"])
    _write(outputs["lm_origin"], {"text": "mixture", "settings": dict(zip(models, shares, strict=True))})


@stage("perplexities", version=1, settings=MixLmSettings, inputs=("corpus",), outputs=("shares",))
def perplexities(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: MixLmSettings, progress: Progress
) -> None:
    """Weigh each corpus by how well its language model knows the development section (Foster & Kuhn 2007)."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    models = _language_models(corpus, settings, progress)
    _write(outputs["shares"], perplexity_weights(models, _dev_targets(corpus), threads=settings.threads))


def _language_models(corpus: CorpusDirectory, settings: MixLmSettings, progress: Progress) -> dict[str, LanguageModel]:
    lines = iter(corpus.lines(TRAIN, corpus.langs[1]))
    spans = _spans(corpus)
    found = {}
    with progress.task("language models", total=len(spans), unit="models") as advance:
        for name, span in spans.items():
            trainer = LanguageModelTrainer(settings.order, settings.smoothing, threads=settings.threads)
            found[name] = trainer.train(islice(lines, len(span)))
            advance(1)
    return found


def _dev_targets(corpus: CorpusDirectory) -> list[str]:
    return [line for line in corpus.lines("dev", corpus.langs[1]) if line.strip()]


class DevPairsSettings(GrammarSettings):
    """As the tables' rules are extracted."""

    symmetrise: str = defaults.ALIGN["symmetrise"]


@stage("dev-pairs", version=1, settings=DevPairsSettings, inputs=("corpus", "aligner"), outputs=("pairs",))
def development_pairs(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: DevPairsSettings, progress: Progress
) -> None:
    """Extract the rules of the development section, which the aligner of the training section links."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    pairs = [pair for pair in corpus.pairs("dev") if all(side.strip() for side in pair)]
    aligner = Aligner.load(inputs["aligner"], threads=settings.threads)
    links = aligner.align(pairs, symmetrise=settings.symmetrise)
    sides = [source for source, _ in pairs], [target for _, target in pairs]
    given = {name: value for name in _RULES if (value := getattr(settings, name)) is not None}
    dev_pairs(*sides, links, outputs["pairs"], settings.kind, threads=settings.threads, progress=progress, **given)


class JoinSettings(Settings):
    """How tables become one; see `tolka.grammar.join_tables`."""

    names: tuple[Name, ...] = Field(min_length=2)
    how: How = "linear"
    floor: float = Field(default=1e-6, gt=0, lt=1)
    # As extraction writes the tables that they are compared with.
    exact: bool = False
    threads: Threads = 0


# No stage writes outputs of these names, so that a table has only the inputs that its recipe names.
@stage(
    "join",
    version=1,
    settings=JoinSettings,
    inputs=(*several("table"), "rules-to-fit?", "shares-to-take?"),
    outputs=("grammar", "weighed"),
)
def join(inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: JoinSettings, progress: Progress) -> None:
    """Make one table of those of several corpora; a linear mixture with weights found by EM or by perplexity."""
    tables = _given(inputs, "table", settings.names)
    weighed: dict[str, Any] = {}
    if settings.how == "linear" and "rules-to-fit" in inputs:
        found = mixture_weights(Grammar.load(inputs["rules-to-fit"]), tables, threads=settings.threads)
        weighed = {"weights": found.weights, "kept": found.kept, "pairs": found.pairs}
    elif settings.how == "linear" and "shares-to-take" in inputs:
        weighed = {"weights": json.loads(inputs["shares-to-take"].read_bytes())}
    join_tables(
        tables,
        outputs["grammar"],
        settings.how,
        weights=weighed.get("weights"),
        floor=settings.floor,
        exact=settings.exact,
        threads=settings.threads,
        progress=progress,
    )
    _write(outputs["weighed"], weighed)


class EnsembleSettings(Settings):
    """What is mixed and how; see `tolka.combine.make_ensemble` and `tolka.combine.tune_ensemble`.

    `mixture` has further settings of `tolka.decode.Mixture`, such as `{ normalise = true }`.
    """

    names: tuple[Name, ...] = Field(min_length=1)
    operation: Operation = "wsum"
    scheme: Literal["auto", "joint", "pairwise", "expected", "uniform"] = "uniform"
    starts: int = Field(default=3, ge=1, le=1000)
    evaluations: int | None = Field(default=None, ge=1)
    scale: Scale = "l1"
    mixture: dict[str, bool | int | float | str] = Field(default_factory=dict)
    temperatures: bool = False
    seed: Seed = 1
    threads: Threads = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        known = {one.name for one in fields(Mixture)} - {"operation", "weights", "temperatures", "spans"}
        if unknown := next((name for name in self.mixture if name not in known), None):
            raise ValueError(f"a mixture has no setting {unknown}; use some of {', '.join(sorted(known))}")
        try:
            self.mixed()
        except (SettingsError, TypeError) as error:
            raise ValueError(str(error)) from error
        return self

    def mixed(self) -> Mixture:
        """The mixture with equal lambdas."""
        return Mixture(operation=self.operation, **self.mixture)  # type: ignore[arg-type]


@stage(
    "ensemble",
    version=1,
    settings=EnsembleSettings,
    inputs=("corpus", *several("model")),
    outputs=("model", "tuning"),
    notes=True,
)
def ensemble(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: EnsembleSettings, progress: Progress
) -> None:
    """Let models translate together, with equal lambdas or with those that suit the development section best."""
    parts = _given(inputs, "model", settings.names)
    make_ensemble(parts, outputs["model"], mixture=settings.mixed(), scale=settings.scale, inside=True, force=True)
    corpus = CorpusDirectory.open(inputs["corpus"])
    tuning: dict[str, Any] = {"weights": dict.fromkeys(settings.names, 1.0), "scores": []}
    if settings.scheme != "uniform":
        sources, references = (list(corpus.lines("dev", lang)) for lang in corpus.langs)
        how = EnsembleTuneSettings(
            scheme=settings.scheme,
            starts=settings.starts,
            evaluations=settings.evaluations,
            temperatures=settings.temperatures,
            log=outputs["notes"],
            seed=settings.seed,
        )
        whole = Translator.load(outputs["model"])
        if not isinstance(whole, EnsembleTranslator):
            raise InputError("what was made is no ensemble", path=outputs["model"])
        tuned, result = tune_ensemble(whole, sources, references, how, threads=settings.threads, progress=progress)
        tuned.save(outputs["model"])
        tuning = {
            "weights": {name: float(result.mixture.weights.get(name, 1.0)) for name in settings.names},
            "scores": list(result.scores),
        }
    _write(outputs["tuning"], tuning)


class AnswerSettings(Settings):
    """Translating has no settings."""

    threads: Threads = 0


@stage("answer", version=1, settings=AnswerSettings, inputs=("corpus", "model"), outputs=("answers",))
def answer(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: AnswerSettings, progress: Progress
) -> None:
    """Translate the development and the test section, which are text as people write it."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    translator = Translator.load(inputs["model"])
    outputs["answers"].mkdir()
    for section in ("dev", "test"):
        sources = list(corpus.lines(section, corpus.langs[0]))
        with progress.task(f"translating {section}", total=len(sources), unit="lines") as advance:
            write_lines(outputs["answers"] / section, translator.translate(sources, threads=settings.threads))
            advance(len(sources))


def _write(path: Path, value: Any) -> None:
    path.write_text(f"{json.dumps(value, ensure_ascii=False, allow_nan=False)}\n", encoding="utf-8")


STAGES = registry(*BUILTIN.values(), part, select, mixed_lm, perplexities, development_pairs, join, ensemble, answer)
"""All stages that a comparison can use."""
