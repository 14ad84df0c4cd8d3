"""`tolka corpus stats`: what a corpus is like."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, ThreadsOption, print_json, progress
from tolka.cli.corpus.inputs import LangsOption, read_pairs_of
from tolka.cli.tables import console, print_table

if TYPE_CHECKING:
    from tolka.corpus import PairStatistics, SideStatistics, Vocabulary


def stats(
    inputs: Annotated[
        list[Path],
        typer.Argument(help="One text, or the two sides of a corpus; plain or compressed.", show_default=False),
    ],
    *,
    langs: LangsOption = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Another text, such as the training set: count words that it lacks. Once per side."),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="How many of the most frequent words to show.")] = 10,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Describe a text or a corpus of pairs: sizes, lengths, vocabulary, repetition, scripts, unknown words.

    Words are what stands between spaces; tokenise first where that matters.

    Example: `tolka corpus stats test.de test.en --against train.de --against train.en --json`
    """
    from tolka.corpus import Vocabulary, pair_statistics, read_lines, side_statistics
    from tolka.errors import SettingsError

    others = against or []
    if others and len(others) != len(inputs):
        raise SettingsError("--against must be given once per side", hint="--against train.de --against train.en")
    vocabularies: list[Vocabulary] = [Vocabulary.from_lines(read_lines(path)) for path in others]
    found: SideStatistics | PairStatistics
    if len(inputs) == 1 and langs is None:
        known = vocabularies[0] if vocabularies else None
        found = side_statistics(read_lines(inputs[0]), against=known, top=top, progress=progress(quiet))
        columns = [found]
    else:
        both = (vocabularies[0], vocabularies[1]) if vocabularies else None
        pairs = read_pairs_of(inputs, langs)
        found = pair_statistics(pairs, against=both, top=top, threads=threads, progress=progress(quiet))
        columns = [found.source, found.target]
    if json:
        print_json(found.to_dict())
    else:
        _show(columns, found)


def _show(columns: list[SideStatistics], found: SideStatistics | PairStatistics) -> None:
    from rich.markup import escape
    from rich.table import Table

    from tolka.corpus import PairStatistics

    table = Table()
    table.add_column("")
    for name in ("source", "target") if len(columns) > 1 else ("text",):
        table.add_column(name, justify="right")
    rows = {
        "lines": [f"{side.lines:,}" for side in columns],
        "empty lines": [f"{side.empty_lines:,}" for side in columns],
        "duplicate lines": [f"{side.duplicate_lines:,}" for side in columns],
        "characters": [f"{side.characters:,}" for side in columns],
        "tokens": [f"{side.tokens:,}" for side in columns],
        "types": [f"{side.types:,}" for side in columns],
        "hapaxes": [f"{side.hapaxes:,}" for side in columns],
        "tokens per line: mean": [f"{side.mean_tokens:.2f}" for side in columns],
        "median": [f"{side.median_tokens:g}" for side in columns],
        "most": [f"{side.longest_tokens:,}" for side in columns],
        "types after tokens": ["\n".join(f"{tokens:,}: {types:,}" for tokens, types in s.growth) for s in columns],
        "scripts": ["\n".join(f"{script} {share:.1%}" for script, share in side.scripts) for side in columns],
        "top words": ["\n".join(f"{word} {count:,}" for word, count in side.top) for side in columns],
    }
    unknown = [side.unknown for side in columns if side.unknown is not None]
    if unknown:
        rows["unknown tokens"] = [f"{one.tokens:,} ({one.token_rate:.2%})" for one in unknown]
        rows["unknown types"] = [f"{one.types:,} ({one.type_rate:.2%})" for one in unknown]
    for name, cells in rows.items():
        table.add_row(name, *map(escape, cells))
    where = console()
    print_table(table, where)
    if isinstance(found, PairStatistics):
        where.print(
            f"{found.pairs:,} pairs, {found.duplicates:,} repeated, {found.identical:,} with two equal sides; "
            f"{found.ratio:.3f} target tokens per source token"
        )
        if found.ratio_quantiles:
            shown = ", ".join(f"{ratio:.2f} ({quantile:.0%})" for quantile, ratio in found.ratio_quantiles)
            where.print(f"quantiles over pairs: {shown}")
