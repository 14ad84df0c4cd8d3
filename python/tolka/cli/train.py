"""`tolka train`: from files of text to a translator."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.bars import tell_stage
from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress
from tolka.cli.interrupts import PATIENCE, stopped_politely
from tolka.cli.tables import console as new_console
from tolka.cli.tables import print_table

if TYPE_CHECKING:
    from tolka.corpus import CorpusFiles
    from tolka.pipeline import TrainResult

_COMPRESSED = {".gz", ".xz", ".zst", ".bz2"}


def train(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="A text and its translation, line by line, or a file with both sides (TMX, PO, TSV, `|||`); any number of "
            "such corpora, one after the other.",
            metavar="FILE...",
            show_default=False,
        ),
    ] = None,
    *,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            help="A further corpus with a name: NAME=FILE or NAME=SOURCE,TARGET. Can be repeated. Files above are called "
            "after themselves.",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The model's directory.", show_default=False)],
    langs: Annotated[
        tuple[str, str] | None,
        typer.Option("--langs", "-l", help="Languages of source and target; by default the ends of the files' names."),
    ] = None,
    dev: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--dev", help="Development set, to tune on. Default: pairs of the corpus are set aside."),
    ] = None,
    test: Annotated[
        tuple[Path, Path] | None, typer.Option("--test", help="Test set, to be translated and scored in the end.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            "-k",
            help="hiero (rules with gaps, the default), phrase, undirected: rules with gaps, connected in any order that "
            "the model learns, or multitree: binary trees over both sentences.",
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            help="Of multitrees: best (the default: statistics and a language model, tuned), classifiers, or "
            "forest-permissive, single-strict, straw-man … as Galron (2012) has them.",
        ),
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            "--strategy",
            help="How the model searches: chart, phrase or undirected. Default: the usual way of its kind.",
        ),
    ] = None,
    tokenised: Annotated[
        bool, typer.Option("--tokenised", help="The text is tokenised (and cased as it should be): leave it as it is.")
    ] = False,
    compounds: Annotated[
        bool | None,
        typer.Option(
            "--compounds/--no-compounds", help="Split compounds of the source. Default: if its language has them."
        ),
    ] = None,
    placeholders: Annotated[
        bool,
        typer.Option(
            "--placeholders", help="Learn how any number or address moves, by placeholders that stand for it."
        ),
    ] = False,
    reorder: Annotated[
        str | None,
        typer.Option(
            "--reorder", help="Put source words into the target's order first: gru, walker, rules:collins-ud …"
        ),
    ] = None,
    parser: Annotated[
        Path | None,
        typer.Option(
            "--parser",
            help="A parser of `tolka parse train`: with --reorder one of dependencies, of multitrees one of constituents. "
            "Default: word classes.",
        ),
    ] = None,
    tuner: Annotated[
        str | None,
        typer.Option(
            "--tuner",
            help="mira (the default), pro, mert, forest-mira or forest-mert; drl for undirected search; of multitrees "
            "pro (the default), mert or mira.",
        ),
    ] = None,
    lm: Annotated[
        Path | None, typer.Option("--lm", help="A language model, ARPA or compiled, instead of one of the target text.")
    ] = None,
    mono: Annotated[
        list[Path] | None, typer.Option("--mono", help="More text in the target language. Can be repeated.")
    ] = None,
    order: Annotated[
        int | None, typer.Option("--order", min=1, max=8, help="Longest n-grams of the language model. Default: 5.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Any stage's setting: table.key=value. Can be repeated.")
    ] = None,
    work: Annotated[
        Path | None, typer.Option("--work", help="Directory of what stages make. Default: the model's name with .work.")
    ] = None,
    keep_work: Annotated[
        bool,
        typer.Option(
            "--keep-work/--no-keep-work", help="Keep that directory, so that a later run does only what changed."
        ),
    ] = True,
    growing: Annotated[
        bool, typer.Option("--growing", help="Keep the text instead of a table of rules, for `tolka update`.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Train although the text looks wrong: swapped, shifted, seen before.")
    ] = False,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Train a translator: clean, tokenise, truecase, align, model, extract, tune, pack.

    A run that was stopped, killed even, goes on where it was when the same command is given again. What was made and how
    well it translates is shown in the end, and is in the model's report.html.

    Example: `tolka train train.de train.en --langs de en --dev dev.de dev.en -o de-en`

    Example: `tolka train gnome.tmx web.en web.it --corpus ui=po/it.po --langs en it -o en-it`

    Example: `tolka train train.en train.fr --kind multitree --parser english.parser -o en-fr`
    """
    from tolka.errors import SettingsError
    from tolka.pipeline import TrainSettings
    from tolka.pipeline import train as train_model
    from tolka.pipeline.training import work_of

    if kind == "undirected":
        if strategy not in {None, kind}:
            raise SettingsError(
                f"an undirected model does not search as {strategy}", hint="leave out --strategy or --kind"
            )
        kind, strategy = None, kind
    pair, corpora = _corpora(files or [], corpus or [], langs)
    source, target = corpora[0].source, corpora[0].target
    given: dict[str, Any] = {"kind": kind, "system": system, "strategy": strategy, "tuner": tuner, "order": order}
    asked = TrainSettings(
        source=source,
        target=target,
        langs=pair,
        # A single corpus has no need of a name, unless somebody gives it one.
        corpora=tuple(corpora) if corpora[1:] or corpus else (),
        dev=dev,
        test=test,
        tokenised=tokenised,
        compounds=compounds,
        placeholders=placeholders,
        reorder=reorder,
        parser=parser,
        lm=lm,
        mono=tuple(mono or ()),
        seed=seed,
        threads=threads,
        growing=growing,
        force=force,
        overrides=tuple(settings or ()),
        # What is not given has its default in tolka.train.defaults.
        **{name: value for name, value in given.items() if value is not None},
    )
    place = work if work is not None else work_of(output)
    with stopped_politely():
        result = train_model(
            asked,
            output,
            work=place,
            progress=progress(quiet),
            patience=PATIENCE,
            tell=_tell,
            stage_done=None if quiet or sys.stderr.isatty() else tell_stage,
        )
    if not keep_work:
        shutil.rmtree(place)
    if json:
        print_json(_machine(result))
    else:
        _show(result)


def _tell(note: str) -> None:
    print(f"tolka: note: {note}", file=sys.stderr, flush=True)


def _corpora(
    files: list[Path], further: list[str], langs: tuple[str, str] | None
) -> tuple[tuple[str, str], list[CorpusFiles]]:
    """The languages, and the corpora that are asked for."""
    from tolka.corpus import group_corpora
    from tolka.corpus.formats import format_of_name
    from tolka.corpus.several import check_names, parse_corpus
    from tolka.errors import SettingsError

    own = [parse_corpus(one) for one in further]
    if not files and not own:
        raise SettingsError("there is no text to train on", hint="tolka train train.de train.en -o de-en")
    first = files or own[0].paths
    alone = len(first) == 1 or format_of_name(first[0]) is not None
    pair = langs or _guess(first[0], None if alone else first[1])
    corpora = [*(group_corpora(files, pair) if files else []), *own]
    check_names(corpora)
    return pair, corpora


def _guess(source: Path, target: Path | None) -> tuple[str, str]:
    """Languages from names like `train.de` and `train.en.gz`, or as a translation memory says."""
    from tolka.corpus import detect_format, read_corpus
    from tolka.errors import SettingsError

    if target is None and detect_format(source) == "tmx":
        rows = read_corpus(source, required=True)
        next(iter(rows))
        return rows.langs[0], rows.langs[1]
    found = [_ending(path) for path in (source, target) if path is not None]
    if len(found) != 2 or not all(re.fullmatch(r"[a-z]{2,3}", lang) for lang in found) or found[0] == found[1]:  # noqa: PLR2004
        raise SettingsError("the files' names do not say which languages these are", hint="add --langs de en or so")
    return found[0], found[1]


def _ending(path: Path) -> str:
    name = path.with_suffix("") if path.suffix in _COMPRESSED else path
    return name.suffix[1:]


def _machine(result: TrainResult) -> dict[str, Any]:
    from tolka.pipeline.runner import to_json

    test = None
    if result.test is not None:
        test = {
            "lines": result.test.sentences,
            "seconds": round(result.test_seconds, 3),
            "scores": {one.metric: {"score": one.score, "signature": one.signature} for one in result.test.scores},
        }
    return {
        "model": str(result.model),
        "report": str(result.report),
        "seconds": round(result.seconds, 3),
        "dev": None
        if result.tuning is None
        else {
            "metric": result.tuning["metric"],
            "score": result.dev_score,
            "history": [step["score"] for step in result.tuning["history"]],
        },
        "test": test,
        "cleaning": dict(result.cleaning),
        "sizes": dict(result.sizes),
        "weights": dict(result.weights),
        "stages": [to_json(one) for one in result.run.stages],
        "notes": list(result.notes),
    }


def _show(result: TrainResult) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tolka.pipeline.training import dropped_by
    from tolka.pipeline.training_page import amount, duration

    # A pipe has no width; give it enough for lines to stay whole.
    console = new_console(width=None if sys.stdout.isatty() else 100)
    table = Table(box=box.SIMPLE_HEAD)
    for column in ("stage", "time", "size"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    for one in result.run.stages:
        table.add_row(Text(one.name), "cached" if one.cached else duration(one.usage.seconds), amount(one.bytes))
    print_table(table, console)
    sizes = result.sizes
    account = result.cleaning
    cleaned = f"{account['pairs']:,} pairs read, {account['kept']:,} kept"
    if account["dropped"]:
        cleaned += f", {account['dropped']:,} dropped: {dropped_by(account)}"
    if account["skipped"]:
        cleaned += f"; left out by the reader: {', '.join(f'{n:,} {why}' for why, n in account['skipped'].items())}"
    lines = [
        ("cleaned", cleaned),
        (
            "model",
            f"{result.model}, {amount(sizes['bytes'])}, {' to '.join(result.settings.langs)}, {result.settings.kind}",
        ),
        ("made of", f"{sizes['pairs']:,} pairs: {_parts(result)}"),
        ("time", duration(result.seconds)),
    ]
    if result.tuning is not None:
        rounds = " ".join(f"{step['score']:.2f}" for step in result.tuning["history"])
        lines.append(
            ("dev", f"{result.tuning['metric'].upper()} {result.dev_score:.2f} of words; while tuning: {rounds}")
        )
    if result.test is not None:
        lines.append(("test", ", ".join(f"{one.name} {one.score:.2f}" for one in result.test.scores)))
    lines.append(("page", str(result.report)))
    for name, text in lines:
        console.print(Text(f"{name:<8} {text}"), soft_wrap=True)
    console.print(Text(f"\ntolka translate {result.model} < text.{result.settings.langs[0]}"), soft_wrap=True)
    if "phrases" in sizes:
        console.print(Text(f"tolka learn analyse {result.model}"), soft_wrap=True)


def _parts(result: TrainResult) -> str:
    """What the model is made of."""
    sizes = result.sizes
    if "phrases" in sizes:
        parts = [f"{sizes['phrases']:,} pairs of phrases"]
    else:
        parts = ["rules on demand" if result.settings.growing else f"{sizes['rules']:,} rules"]
    if "ngrams" in sizes:
        parts.append(f"{sizes['ngrams']:,} n-grams")
    return ", ".join(parts)
