"""`tolka corpus clean`: drop what is no translation, and account for it."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, ThreadsOption, print_json, progress
from tolka.cli.corpus.inputs import LangsOption, PairArguments, languages_of, read_pairs_of
from tolka.cli.tables import console, print_table

if TYPE_CHECKING:
    from tolka.corpus import CleanReport


def clean(
    inputs: PairArguments,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Path and beginning of the names of what is written.")],
    langs: LangsOption = None,
    min_tokens: Annotated[int, typer.Option(help="Rule length: fewest words of a side.")] = 1,
    max_tokens: Annotated[int, typer.Option(help="Rule length: most words of a side.")] = 100,
    max_characters: Annotated[int, typer.Option(help="Rule length: most characters of a side.")] = 2000,
    max_word_characters: Annotated[int, typer.Option(help="Rule long-word: most characters of a word.")] = 50,
    max_ratio: Annotated[float, typer.Option(help="Rule ratio: how many times longer a side may be.")] = 3.0,
    ratio_allowance: Annotated[int, typer.Option(help="Rule ratio: words that a side may always be longer.")] = 6,
    ratio_unit: Annotated[
        str, typer.Option(help="Rule ratio: compare tokens or characters; auto is tokens if both languages use spaces.")
    ] = "auto",
    identical_name_tokens: Annotated[
        int, typer.Option(help="Rule identical: most words that are kept as a name if both sides are equal.")
    ] = 4,
    min_script_share: Annotated[
        float, typer.Option(help="Rule script: least share of letters in the language's scripts.")
    ] = 0.5,
    duplicate_by: Annotated[
        str, typer.Option(help="Rule duplicate: the same pair, the same source or the same target.")
    ] = "pair",
    without: Annotated[
        list[str] | None, typer.Option("--without", help="A rule that is not applied. Can be repeated.")
    ] = None,
    invisible: Annotated[
        bool, typer.Option("--invisible/--no-invisible", help="Remove bidi controls, soft hyphens and their like.")
    ] = True,
    nfc: Annotated[bool, typer.Option("--nfc/--no-nfc", help="Compose characters (Unicode NFC).")] = True,
    spaces: Annotated[
        bool, typer.Option("--spaces/--no-spaces", help="Make one plain space of each run of spaces.")
    ] = True,
    examples: Annotated[int, typer.Option(min=0, help="Examples per rule in the report.")] = 3,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Drop pairs that are no translations by named rules, and count each under the first rule that hits.

    Writes `OUTPUT.<source>`, `OUTPUT.<target>` and `OUTPUT.report.json`. The rules, in their order: empty, control,
    length, long-word, ratio, identical, script, duplicate.

    Example: `tolka corpus clean raw.de raw.en --langs de en -o clean`
    """
    from tolka.corpus import CleanSettings, clean_to_files

    languages = languages_of(inputs, langs)
    settings = CleanSettings(
        languages=languages,
        min_tokens=min_tokens,
        max_tokens=max_tokens,
        max_characters=max_characters,
        max_word_characters=max_word_characters,
        max_ratio=max_ratio,
        ratio_allowance=ratio_allowance,
        ratio_unit=ratio_unit,
        identical_name_tokens=identical_name_tokens,
        min_script_share=min_script_share,
        duplicate_by=duplicate_by,
        without=tuple(without or ()),
        invisible=invisible,
        nfc=nfc,
        spaces=spaces,
    )
    report = clean_to_files(
        read_pairs_of(inputs, langs),
        output,
        languages,
        settings,
        examples=examples,
        threads=threads,
        progress=progress(quiet),
    )
    if json:
        print_json(report.to_dict())
    else:
        _show(report)


def _show(report: CleanReport) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=f"{report.pairs:,} pairs: {report.kept:,} kept, {report.dropped:,} dropped")
    table.add_column("rule")
    table.add_column("dropped", justify="right")
    table.add_column("share", justify="right")
    table.add_column("first example")
    for rule in report.rules:
        if not rule.applied:
            table.add_row(rule.rule, "", "", "not applied")
            continue
        first = rule.examples[0] if rule.examples else None
        shown = "" if first is None else f"line {first.line}: {first.source!r} / {first.target!r}"
        table.add_row(rule.rule, f"{rule.count:,}", f"{rule.share:.2%}", escape(shown))
    where = console()
    print_table(table, where)
    for change, (source, target) in report.changed.items():
        if source or target:
            where.print(f"{change}: changed {source:,} source and {target:,} target lines")
    for reason, count in report.skipped.items():
        where.print(f"left out by the reader: {count:,} {escape(reason)}")
    for note in report.notes:
        where.print(escape(note))
