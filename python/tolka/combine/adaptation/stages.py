"""The stages of a comparison that training does not have."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tolka.align import Aligner
from tolka.combine.mixing import dev_pairs
from tolka.combine.perplexity import perplexity_weights
from tolka.combine.selection import SHARES, choose_share, select_pairs
from tolka.combine.stages import Name, Seed, answer, ensemble, join, write_json
from tolka.corpus import read_lines, write_lines
from tolka.errors import InputError
from tolka.lm import LanguageModel, LanguageModelTrainer, mix_lms, tune_weights
from tolka.pipeline.stage import Settings, Threads, registry, stage
from tolka.pipeline.stages import BUILTIN
from tolka.pipeline.stages.grammar import GrammarSettings
from tolka.pipeline.stages.layout import TRAIN, CorpusDirectory
from tolka.train import defaults

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tolka.progress import Progress

_RULES = ("max_length", "max_symbols", "max_gaps", "min_gap", "adjacent", "loose")
"""What decides which rules there are."""


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
    write_json(outputs["chosen"], {"pairs": number, "of": len(others), "share": number / len(others)})


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
    write_json(outputs["lm_origin"], {"text": "mixture", "settings": dict(zip(models, shares, strict=True))})


@stage("perplexities", version=1, settings=MixLmSettings, inputs=("corpus",), outputs=("shares",))
def perplexities(
    inputs: Mapping[str, Path], outputs: Mapping[str, Path], settings: MixLmSettings, progress: Progress
) -> None:
    """Weigh each corpus by how well its language model knows the development section (Foster & Kuhn 2007)."""
    corpus = CorpusDirectory.open(inputs["corpus"])
    models = _language_models(corpus, settings, progress)
    write_json(outputs["shares"], perplexity_weights(models, _dev_targets(corpus), threads=settings.threads))


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


STAGES = registry(*BUILTIN.values(), part, select, mixed_lm, perplexities, development_pairs, join, ensemble, answer)
"""All stages that a comparison can use."""
