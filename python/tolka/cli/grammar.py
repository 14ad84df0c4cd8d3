"""`tolka grammar`: translation rules on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, ThreadsOption, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.grammar import Rule

app = typer.Typer(name="grammar", help="Extract, convert and look at translation rules.", no_args_is_help=True)

TableArgument = Annotated[Path, typer.Argument(metavar="TABLE", help="A table of rules.")]
OutputOption = Annotated[Path, typer.Option("--output", "-o", help="The table to write.")]
FormatName = Literal["moses-phrases", "moses-rules", "cdec"]


@app.callback()
def grammar() -> None:
    """Extract, convert and look at translation rules."""


@app.command(no_args_is_help=True)
def extract(
    source: Annotated[Path, typer.Argument(help="One tokenised sentence a line.")],
    target: Annotated[Path, typer.Argument(help="The translations.")],
    links: Annotated[Path, typer.Argument(help="Pharaoh lines, source-target, from `tolka align`.")],
    output: OutputOption,
    kind: Annotated[
        Literal["hiero", "phrase"], typer.Option("--kind", help="Rules with gaps, or phrase pairs.")
    ] = "hiero",
    max_length: Annotated[
        int | None, typer.Option("--max-length", min=1, help="Words of a phrase; 10 for hiero, 7 for phrases.")
    ] = None,
    max_symbols: Annotated[
        int, typer.Option("--max-symbols", min=1, help="Words and gaps on the source side of a rule.")
    ] = 5,
    max_gaps: Annotated[int, typer.Option("--max-gaps", min=0, max=2, help="Gaps of a rule.")] = 2,
    min_gap: Annotated[int, typer.Option("--min-gap", min=1, help="Source words a gap covers at least.")] = 1,
    adjacent: Annotated[bool, typer.Option("--adjacent", help="Allow gaps side by side on the source side.")] = False,
    loose: Annotated[
        bool | None, typer.Option("--loose/--tight", help="Words without links at the borders of phrases, or none.")
    ] = None,
    counting: Annotated[
        Literal["fractional", "unit"] | None, typer.Option("--counting", help="How rules with gaps are counted.")
    ] = None,
    orientation: Annotated[
        Literal["word", "phrase", "none"], typer.Option("--orientation", help="How neighbours of phrases are placed.")
    ] = "word",
    smoothing: Annotated[
        Literal["none", "good-turing", "kneser-ney"], typer.Option("--smoothing", help="Of phrase probabilities.")
    ] = "none",
    several: Annotated[
        Literal["frequent", "min", "max"], typer.Option("--several", help="Which of several alignments weighs words.")
    ] = "frequent",
    min_count: Annotated[float, typer.Option("--min-count", min=0, help="Leave out rules counted less.")] = 0.0,
    singletons: Annotated[
        int | None,
        typer.Option("--singletons", min=0, help="Longest source side of rules that count one; any if not given."),
    ] = None,
    significance: Annotated[
        Literal["alpha+epsilon", "alpha-epsilon"] | None,
        typer.Option("--significance", help="Leave out rules that chance explains (Johnson et al. 2007)."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=0, help="Rules for one source side; 0 for all.")] = 100,
    indicators: Annotated[
        bool, typer.Option("--indicators", help="Add features of how often rules were seen.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Store features as they are, not as the nearest of 256 values each.")
    ] = False,
    memory: Annotated[int, typer.Option("--memory", min=1, help="MB for counting; beyond, the disk (TMPDIR).")] = 2048,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Take rules from aligned text and score them.

    Example: `tolka grammar extract train.de train.en train.align -o rules.tbl`
    """
    from dataclasses import asdict

    from tolka.grammar import Extractor

    extractor = Extractor(
        kind,
        max_length=max_length,
        max_symbols=max_symbols,
        max_gaps=max_gaps,
        min_gap=min_gap,
        adjacent=adjacent,
        loose=loose,
        counting=counting,
        orientation=orientation,
        smoothing=smoothing,
        several=several,
        min_count=min_count,
        singletons=singletons,
        significance=significance,
        limit=limit,
        indicators=indicators,
        exact=exact,
        memory=memory << 20,
        threads=threads,
    )
    extractor.extract(source, target, links, output, progress=progress(quiet))
    if json:
        print_json(asdict(extractor.last_report()))


@app.command(no_args_is_help=True)
def index(
    source: Annotated[Path, typer.Argument(help="One tokenised sentence a line.")],
    target: Annotated[Path, typer.Argument(help="The translations.")],
    links: Annotated[Path, typer.Argument(help="Pharaoh lines, source-target, from `tolka align`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The directory to write.")],
    kind: Annotated[
        Literal["hiero", "phrase"], typer.Option("--kind", help="Rules with gaps, or phrase pairs.")
    ] = "hiero",
    samples: Annotated[
        int, typer.Option("--samples", min=0, help="Occurrences looked at for a side of a rule; 0 for all.")
    ] = 300,
    append: Annotated[
        bool, typer.Option("--append", help="Add the pairs to the grammar that is there, with its own kind.")
    ] = False,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Index aligned text, so that rules are found when sentences ask for them and new pairs can be added at once.

    Example: `tolka grammar index train.de train.en train.align -o rules.suffix`
    """
    from dataclasses import asdict

    from tolka.grammar import Extractor, SuffixGrammar

    if append:
        made = SuffixGrammar.load(output, threads=threads).append(source, target, links)
    else:
        extractor = Extractor(kind)
        made = SuffixGrammar.build(
            source,
            target,
            links,
            output,
            extractor=extractor,
            samples=samples,
            threads=threads,
            progress=progress(quiet),
        )
    if json:
        print_json(asdict(made.stats()))


@app.command(no_args_is_help=True)
def lookup(
    directory: Annotated[Path, typer.Argument(metavar="INDEX", help="What `tolka grammar index` made.")],
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="Tokenised source sentences, one a line.")],
    output: OutputOption,
    samples: Annotated[
        int | None, typer.Option("--samples", min=0, help="Occurrences looked at; 0 for all, as indexed if not given.")
    ] = None,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Make the table of the rules that can match a text.

    Example: `tolka grammar lookup rules.suffix test.de -o test.tbl`
    """
    from tolka.corpus import read_lines
    from tolka.grammar import SuffixGrammar

    sentences = list(read_lines(text))
    found = SuffixGrammar.load(directory, samples=samples, threads=threads).extract(sentences)
    rules = found.native.filter(sentences, output)
    if json:
        print_json({"sentences": len(sentences), "rules": rules})


@app.command("import", no_args_is_help=True)
def import_(
    file: Annotated[Path, typer.Argument(help="A Moses or cdec grammar; .gz, .xz, .zst too.")],
    output: OutputOption,
    format: Annotated[  # noqa: A002 - the word for it
        FormatName | None, typer.Option("--format", help="What the file is; seen from its first line if not given.")
    ] = None,
    reordering: Annotated[Path | None, typer.Option("--reordering", help="A Moses reordering table.")] = None,
    keep_escapes: Annotated[
        bool, typer.Option("--keep-escapes", help="Leave &#124; &#91; &#93; in words as they are.")
    ] = False,
    quantise: Annotated[
        bool, typer.Option("--quantise", help="Store features as the nearest of 256 values each: a smaller table.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Make a table of a grammar of another system.

    Example: `tolka grammar import phrase-table.gz -o phrases.tbl`
    """
    from tolka.grammar import import_grammar

    made = import_grammar(
        file, output, format=format, reordering=reordering, unescape=not keep_escapes, exact=not quantise
    )
    if json:
        print_json({"rules": len(made), "features": list(made.feature_names)})


@app.command(no_args_is_help=True)
def export(
    table: TableArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write; .gz, .xz, .zst compress.")],
    format: Annotated[  # noqa: A002 - the word for it
        Literal["moses", "cdec"], typer.Option("--format", help="Whose format.")
    ] = "moses",
    reordering: Annotated[Path | None, typer.Option("--reordering", help="Where the reordering table goes.")] = None,
) -> None:
    """Write a table for another system: phrase pairs or rules for Moses, as the table is, or rules for cdec.

    Example: `tolka grammar export phrases.tbl --format moses -o phrase-table.gz --reordering reordering-table.gz`
    """
    from tolka.grammar import Grammar, export_grammar

    opened = Grammar.load(table)
    stats = opened.stats()
    moses: FormatName = "moses-rules" if stats.one_gap + stats.two_gaps else "moses-phrases"
    export_grammar(opened, output, format=moses if format == "moses" else "cdec", reordering=reordering)


@app.command("filter", no_args_is_help=True)
def filter_(
    table: TableArgument,
    text: Annotated[Path, typer.Argument(metavar="TEXT", help="Tokenised source sentences, one a line.")],
    output: OutputOption,
    json: JsonFlag = False,
) -> None:
    """Keep only the rules that can match a text; no translation of it changes.

    Example: `tolka grammar filter rules.tbl test.de -o small.tbl`
    """
    from tolka.grammar import Grammar, filter_grammar

    opened = Grammar.load(table)
    made = filter_grammar(opened, text, output)
    if json:
        print_json({"before": len(opened), "rules": len(made)})


@app.command(no_args_is_help=True)
def join(
    tables: Annotated[list[str], typer.Argument(metavar="NAME=TABLE...", help="Two tables or more, by names.")],
    output: OutputOption,
    how: Annotated[
        Literal["linear", "log-linear", "union", "intersection", "fill-up", "back-off", "voices"],
        typer.Option("--how", help="How rules that tables share, or do not share, get their features."),
    ] = "linear",
    weights: Annotated[
        list[str] | None,
        typer.Option("--weight", metavar="NAME=SHARE", help="Of a table in a linear mixture; all alike if not given."),
    ] = None,
    dev: Annotated[
        tuple[Path, Path, Path] | None,
        typer.Option(
            "--dev",
            metavar="SOURCE TARGET LINKS",
            help="Aligned text whose rules a linear mixture makes most probable.",
        ),
    ] = None,
    quantise: Annotated[
        bool, typer.Option("--quantise", help="Store features as the nearest of 256 values each: a smaller table.")
    ] = False,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Make one table of several: mixed, side by side, the first filled up with the others, or a voice for each.

    Example: `tolka grammar join in=law.tbl out=news.tbl --dev dev.de dev.en dev.align -o mixed.tbl`
    """
    from tolka.errors import SettingsError
    from tolka.grammar import join_tables

    named = _named(tables, "a table", "in=law.tbl")
    found = None
    given: Mapping[str, float] | Mapping[str, Mapping[str, float]] | None = None
    if weights:
        given = {name: _share(name, share) for name, share in _named(weights, "a weight", "in=0.7").items()}
    if dev is not None:
        from tempfile import TemporaryDirectory

        from tolka.combine import dev_pairs, mixture_weights, table_kind

        if weights or how != "linear":
            raise SettingsError("--dev finds the weights of a linear mixture", hint="leave out --weight and --how")
        with TemporaryDirectory() as folder:
            kind = table_kind(named)
            pairs = dev_pairs(*dev, Path(folder, "dev.tbl"), kind, threads=threads, progress=progress(quiet))
            found = mixture_weights(pairs, named, threads=threads)
        given = found.weights
    made = join_tables(named, output, how, weights=given, exact=not quantise, threads=threads, progress=progress(quiet))
    if json:
        told: dict[str, object] = {"rules": len(made), "features": list(made.feature_names)}
        if found is not None:
            told |= {"weights": found.weights, "kept": found.kept, "pairs": found.pairs}
        print_json(told)


def _named(arguments: list[str], what: str, example: str) -> dict[str, str]:
    from tolka.errors import SettingsError

    named = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not (name and equals and value):
            raise SettingsError(f"{argument!r} does not name {what}", hint=f"write it like {example}")
        if name in named:
            raise SettingsError(f"{name} names {what} twice")
        named[name] = value
    return named


def _share(name: str, share: str) -> float:
    from tolka.errors import SettingsError

    try:
        return float(share)
    except ValueError as error:
        raise SettingsError(f"the weight of {name} is {share!r}, which is no number") from error


@app.command("add-features", no_args_is_help=True)
def add_features(
    table: TableArgument,
    scores: Annotated[
        Path, typer.Argument(metavar="SCORES", help="Source side, target side, values; tabs between, names in line 1.")
    ],
    output: OutputOption,
    names: Annotated[
        list[str] | None, typer.Option("--name", help="Of a value, for a file without names; once for each.")
    ] = None,
    default: Annotated[float, typer.Option("--default", help="The value of rules that the file does not have.")] = 0.0,
    json: JsonFlag = False,
) -> None:
    """Give rules more features, from a file.

    Example: `tolka grammar add-features rules.tbl scores.tsv -o more.tbl`
    """
    from tolka.grammar import Grammar, add_columns

    made, found = add_columns(Grammar.load(table), output, scores, names=names or None, default=default)
    if json:
        print_json({"rules": len(made), "found": found, "features": list(made.feature_names)})


@app.command(no_args_is_help=True)
def info(table: TableArgument, json: JsonFlag = False) -> None:
    """Describe a table: how many rules, their features, words and bytes.

    Example: `tolka grammar info rules.tbl`
    """
    from dataclasses import asdict

    from tolka.grammar import Grammar

    opened = Grammar.load(table)
    described = {**asdict(opened.stats()), "features": list(opened.feature_names)}
    if json:
        print_json(described)
        return
    for key, value in described.items():
        print(f"{key}\t{' '.join(value) if isinstance(value, list) else value}")


@app.command(no_args_is_help=True)
def show(
    table: TableArgument,
    source: Annotated[str, typer.Argument(help="A source side: words, and gaps as [X].")],
    most: Annotated[int, typer.Option("--most", "-n", min=1, help="How many rules.")] = 20,
    json: JsonFlag = False,
) -> None:
    """Show the rules of a source side, most probable first.

    Example: `tolka grammar show rules.tbl "das [X] haus"`
    """
    from dataclasses import asdict

    from tolka.errors import InputError
    from tolka.grammar import Grammar

    found = Grammar.load(table).rules(source)[:most]
    if json:
        print_json({"rules": [asdict(rule) for rule in found]})
        return
    if not found:
        raise InputError(f"no rule has the source side {source!r}", path=table)
    for rule in found:
        print(_line(rule))


def _line(rule: Rule) -> str:
    features = " ".join(f"{name}={value:.4f}" for name, value in rule.features.items())
    links = " ".join(f"{i}-{j}" for i, j in rule.links)
    return f"[{rule.lhs}] ||| {rule.source} ||| {rule.target} ||| {features} ||| {links}"
