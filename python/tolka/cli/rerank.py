"""`tolka rerank`: choose again from lists of translations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from tolka.align import Aligner
    from tolka.lm import Embeddings
    from tolka.rerank import Entry, Source

app = typer.Typer(name="rerank", help="Choose again from lists of translations.", no_args_is_help=True)

ListsArgument = Annotated[
    str,
    typer.Argument(
        metavar="LISTS", help="N-best lists of Moses, cdec or tolka (`--nbest N --derivations`); - is stdin."
    ),
]
SourceOption = Annotated[
    Path | None,
    typer.Option("--source", help="What was translated: tokens, or trees (.conllu) where dependencies are needed."),
]
AlignerOption = Annotated[
    Path | None,
    typer.Option("--aligner", help="A model of `tolka align train`, to link words where lists have no links."),
]


@app.callback()
def rerank() -> None:
    """Choose again from lists of translations."""


@app.command(no_args_is_help=True)
def train(
    lists: ListsArgument,
    *,
    ref: Annotated[list[Path], typer.Option("--ref", help="Reference, tokenised; may be given several times.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the reranker goes: a directory.")],
    source: SourceOption = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="gesn-sequence, gesn-bilingual, gesn-dependency or phrase-dependency; several joined by +.",
        ),
    ] = "gesn-bilingual",
    embeddings_source: Annotated[
        Path | None, typer.Option("--embeddings-source", help="Vectors of source words, word2vec's text or saved ones.")
    ] = None,
    embeddings_target: Annotated[
        Path | None, typer.Option("--embeddings-target", help="Vectors of target words, word2vec's text or saved ones.")
    ] = None,
    text_source: Annotated[
        Path | None, typer.Option("--text-source", help="Tokenised text to learn vectors from. Default: the source.")
    ] = None,
    text_target: Annotated[
        Path | None, typer.Option("--text-target", help="Tokenised text to learn vectors from. Default: the reference.")
    ] = None,
    dimensions: Annotated[int, typer.Option("--dimensions", min=1, help="Numbers in a learnt vector.")] = 25,
    size: Annotated[int, typer.Option("--size", min=1, help="Numbers in a reservoir's state.")] = 30,
    input_scale: Annotated[float, typer.Option("--input-scale", help="Input weights are within this.")] = 0.01,
    contractivity: Annotated[float, typer.Option("--contractivity", help="Below 1, so that states settle.")] = 0.99,
    norm: Annotated[
        Literal["spectral", "frobenius", "radius"], typer.Option("--norm", help="What the contractivity bounds.")
    ] = "spectral",
    density: Annotated[float, typer.Option("--density", help="Share of recurrent weights that are not 0.")] = 1.0,
    links: Annotated[float, typer.Option("--links", help="What the links of a word weigh together.")] = 1.0,
    children: Annotated[float, typer.Option("--children", help="What the children of a word weigh together.")] = 1.0,
    degree: Annotated[
        Literal["average", "prune"], typer.Option("--degree", help="Average links and children, or keep the nearest.")
    ] = "average",
    shared: Annotated[bool, typer.Option("--shared", help="Same recurrent matrices for source and target.")] = False,
    pooling: Annotated[
        Literal["sum", "mean"], typer.Option("--pooling", help="How states of target words become one.")
    ] = "sum",
    retune: Annotated[
        bool,
        typer.Option(
            "--retune/--no-retune",
            help="New weights for the decoder's features, or only one for its score: less to learn.",
        ),
    ] = True,
    folds: Annotated[
        int,
        typer.Option(
            "--folds", min=0, help="Parts to hold out in turn, to see how far to go from the decoder; 0: none."
        ),
    ] = 5,
    tuner: Annotated[Literal["mira", "pro"], typer.Option("--tuner", help="What learns the weights.")] = "mira",
    metric: Annotated[
        Literal["bleu", "chrf", "chrf++", "ter"], typer.Option("--metric", help="What weights are learnt for.")
    ] = "bleu",
    aggressiveness: Annotated[
        float | None, typer.Option("--aggressiveness", help="MIRA's longest step; shorter ones learn more carefully.")
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option("--weights", help="The decoder's weights, to start from. Default: its score is a feature."),
    ] = None,
    aligner: AlignerOption = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Learn to choose from the lists of a development set.

    Example: `tolka rerank train dev.nbest --ref dev.en --source dev.conllu --model gesn-dependency -o reranker`
    """
    from dataclasses import asdict

    from tolka.corpus import read_lines
    from tolka.rerank import GesnSettings, Reranker, read_nbest
    from tolka.tune import read_weights

    settings = GesnSettings(
        size=size,
        input_scale=input_scale,
        contractivity=contractivity,
        norm=norm,
        density=density,
        links=links,
        children=children,
        degree=degree,
        shared=shared,
        pooling=pooling,
        seed=seed,
    )
    reranker = Reranker(
        model,
        gesn=settings,
        tuner=tuner,
        metric=metric,
        retune=retune,
        folds=folds,
        seed=seed,
        options={} if aggressiveness is None else {"aggressiveness": aggressiveness},
    )
    reranker.train(
        read_nbest(lists),
        [list(read_lines(path)) for path in ref],
        _sources(source, reranker.needs_trees),
        source_embeddings=_embeddings(embeddings_source, text_source, dimensions, needed=reranker.embeds_source),
        target_embeddings=_embeddings(embeddings_target, text_target, dimensions, needed=reranker.embeds_target),
        weights=None if weights is None else read_weights(weights),
        aligner=_aligner(aligner, threads),
        threads=threads,
        progress=progress(quiet),
    )
    reranker.save(output)
    report = reranker.report_
    if not report.share:
        what = "nothing was learnt that helps on lists left out: the reranker chooses as the decoder does"
        print(f"tolka: warning: {what}", file=sys.stderr)
    if report.unsettled:
        print(f"tolka: warning: over {report.unsettled} translations the reservoir did not settle", file=sys.stderr)
    if json:
        print_json({"output": str(output), "model": model, **asdict(report)})
        return
    print(f"{report.entries:,} translations of {report.sentences:,} sentences, {report.features:,} features")
    name = report.metric.upper()
    print(f"{name} {report.before:.2f} before, {report.after:.2f} after, {report.oracle:.2f} if the best were chosen")
    if report.held_out is not None:
        print(
            f"{name} {report.held_out:.2f} of lists that were held out: expect this of new text, against {report.before:.2f}"
        )
        print(f"went {report.share:.0%} of the way from the decoder's weights to those that fit best")
    print(f"saved to {output}")


@app.command(no_args_is_help=True)
def apply(
    reranker: Annotated[Path, typer.Argument(help="A directory that `tolka rerank train` wrote.", show_default=False)],
    lists: ListsArgument = "-",
    *,
    source: SourceOption = None,
    nbest: Annotated[
        int | None,
        typer.Option("--nbest", "-n", min=1, help="Write this many of each list in the new order, as Moses does."),
    ] = None,
    aligner: AlignerOption = None,
    threads: ThreadsOption = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line, with new scores.")] = False,
) -> None:
    """Choose from lists: one translation a line, an empty line for a sentence without any.

    Example: `tolka rerank apply reranker test.nbest --source test.conllu > test.en`
    """
    from json import dumps

    from tolka.rerank import Reranker, read_nbest

    loaded = Reranker.load(reranker)
    found = loaded.rerank(
        read_nbest(lists),
        _sources(source, loaded.needs_trees),
        aligner=_aligner(aligner, threads),
        threads=threads,
    )
    for own in found:
        if json:
            line = {"line": own.number, "nbest": [_plain(entry) for entry in own.entries[: nbest or 1]]}
            lines = [dumps(line, ensure_ascii=False, allow_nan=False)]
        elif nbest is not None:
            lines = [_moses(own.number, entry) for entry in own.entries[:nbest]]
        else:
            lines = ["" if own.best is None else _text(own.best)]
        sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode())


def _sources(path: Path | None, needs_trees: bool) -> list[Source] | None:
    from tolka.rerank import read_sources

    if path is None and needs_trees:
        raise SettingsError("this reranker reads dependencies", hint="give the parsed source with --source text.conllu")
    return None if path is None else list(read_sources(path))


def _embeddings(path: Path | None, text: Path | None, dimensions: int, *, needed: bool) -> Embeddings | None:
    from tolka.lm import Embeddings

    if path is not None and text is not None:
        raise SettingsError("vectors are read or learnt, not both", hint="give --embeddings-… or --text-…")
    if not needed or (path is None and text is None):
        return None
    return Embeddings.load(path) if path is not None else Embeddings.train(str(text), dimensions=dimensions)


def _aligner(path: Path | None, threads: int) -> Aligner | None:
    from tolka.align import Aligner

    return None if path is None else Aligner.load(path, threads=threads)


def _text(entry: Entry) -> str:
    return entry.words if entry.text is None else entry.text


def _plain(entry: Entry) -> dict[str, Any]:
    plain: dict[str, Any] = {"text": _text(entry), "words": entry.words, "score": entry.score}
    plain["features"] = dict(entry.features)
    if entry.links is not None:
        plain["links"] = entry.links
    if entry.segments is not None:
        plain["segments"] = entry.segments
    return plain


def _moses(number: int, entry: Entry) -> str:
    features = " ".join(f"{name}= {value:.7g}" for name, value in entry.features.items())
    line = f"{number} ||| {entry.words} ||| {features} ||| {entry.score:.7g}"
    if entry.links is not None:
        line += " ||| " + " ".join(f"{source}-{target}" for source, target in entry.links)
    if entry.segments is not None:
        spans = (
            "=".join(str(begin) if end == begin + 1 else f"{begin}-{end - 1}" for begin, end in segment)
            for segment in entry.segments
        )
        line += " ||| " + " ".join(spans)
    return line
