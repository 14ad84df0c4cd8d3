"""Stages that several ways to combine use: joined tables, ensembles, and translations by what was made."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from tolka.combine.ensemble import make_ensemble
from tolka.combine.mixing import mixture_weights
from tolka.combine.tuning import EnsembleTuneSettings, tune_ensemble
from tolka.corpus import CleanSettings, read_pairs, write_lines
from tolka.corpus.clean import RULES, CleanStream
from tolka.decode.mixture import Mixture, Operation
from tolka.errors import InputError, SettingsError
from tolka.grammar import Grammar
from tolka.grammar.join import How, join_tables
from tolka.pipeline.stage import InputFile, Settings, Threads, stage
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.pipeline.stages.sources import Lang  # noqa: TC001 (pydantic reads the annotations)
from tolka.translate import Translator
from tolka.translate.ensemble import EnsembleTranslator, Scale
from tolka.translate.ensemble.preparing import Asked  # noqa: TC001 (pydantic reads the annotations)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tolka.progress import Progress

Name = Annotated[str, Field(min_length=1, max_length=64)]
Seed = Annotated[int, Field(ge=0, lt=1 << 63)]

MOST_INPUTS = 64
"""Tables that are joined, or models of an ensemble, at most."""


def several(kind: str) -> tuple[str, ...]:
    """Inputs of a stage that reads several of a kind: as many as there are."""
    return tuple(f"{kind}-{at}?" for at in range(MOST_INPUTS))


def given(inputs: Mapping[str, Path], kind: str, names: Sequence[str]) -> dict[str, Path]:
    """Those that there are, by the names of what they are of."""
    return {name: inputs[f"{kind}-{at}"] for at, name in enumerate(names)}


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
    tables = given(inputs, "table", settings.names)
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
    write_json(outputs["weighed"], weighed)


class EnsembleSettings(Settings):
    """What is mixed and how; see `tolka.combine.make_ensemble` and `tolka.combine.tune_ensemble`.

    `mixture` has further settings of `tolka.decode.Mixture`, such as `{ normalise = true }`.
    """

    names: tuple[Name, ...] = Field(min_length=1)
    operation: Operation = "wsum"
    scheme: Literal["auto", "joint", "pairwise", "expected", "uniform"] = "uniform"
    starts: int = Field(default=3, ge=1, le=1000)
    evaluations: int | None = Field(default=None, ge=1)
    scale: Scale | Literal["auto"] = "auto"
    preparation: Asked = "auto"
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
    parts = given(inputs, "model", settings.names)
    make_ensemble(
        parts,
        outputs["model"],
        mixture=settings.mixed(),
        scale=settings.scale,
        preparation=settings.preparation,
        inside=True,
        tables="own",
        force=True,
    )
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
    write_json(outputs["tuning"], tuning)


class TestSetSettings(Settings):
    """A test set, or a development set, and what is done to each line as to those of other text."""

    section: Literal["dev", "test"] = "test"
    langs: tuple[Lang, Lang]
    source: InputFile
    target: InputFile
    invisible: bool = True
    nfc: bool = True
    spaces: bool = True


@stage("test-set", version=1, settings=TestSetSettings, outputs=("corpus",))
def test_set(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: TestSetSettings, progress: Progress
) -> None:
    """Read a test set by itself, so that what is learnt from other text does not depend on it; no pair is dropped."""
    made = CorpusDirectory(outputs["corpus"], settings.langs, (settings.section,), ("test-set",)).create()
    gently = CleanSettings(
        languages=settings.langs,
        without=RULES,
        invisible=settings.invisible,
        nfc=settings.nfc,
        spaces=settings.spaces,
    )
    made.write(settings.section, CleanStream(read_pairs(inputs["source"], inputs["target"]), gently, progress=progress))


class AnswerSettings(Settings):
    """Translating has no settings."""

    threads: Threads = 0


@stage("answer", version=1, settings=AnswerSettings, inputs=("corpus", "model"), outputs=("answers",))
def answer(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: AnswerSettings, progress: Progress
) -> None:
    """Translate the development and the test section, as far as there are any, which are text as people write it."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    translator = Translator.load(inputs["model"])
    outputs["answers"].mkdir()
    for section in (one for one in ("dev", "test") if one in corpus.sections):
        sources = list(corpus.lines(section, corpus.langs[0]))
        with progress.task(f"translating {section}", total=len(sources), unit="lines") as advance:
            write_lines(outputs["answers"] / section, translator.translate(sources, threads=settings.threads))
            advance(len(sources))


def write_json(path: Path, value: Any) -> None:
    """Write what was found on the way."""
    path.write_text(f"{json.dumps(value, ensure_ascii=False, allow_nan=False)}\n", encoding="utf-8")
