"""`tolka reorder analyse`: what reordering a corpus needs."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads it
from typing import Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json
from tolka.cli.reorder.shared import LinksArgument, PolicyOption, SourceArgument, read_aligned


def analyse(
    source: SourceArgument,
    links: LinksArgument,
    policy: PolicyOption = "previous",
    html: Annotated[Path | None, typer.Option("--html", help="Also write a web page with plots.")] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="Translations of the text, tokenised: adds correlations.")
    ] = None,
    oracle: Annotated[
        Path | None, typer.Option("--oracle", help="Translations of the text in its reference order.")
    ] = None,
    reference: Annotated[Path | None, typer.Option("--ref", help="Reference translations, tokenised.")] = None,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Describe how a corpus must be reordered: movement on trees, non-projectivity, and what goes with quality.

    Example: `tolka reorder analyse src.conllu links.txt --html page.html`
    """
    from dataclasses import asdict

    from tolka.corpus import read_lines
    from tolka.files import write_atomic
    from tolka.reorder import reference_orders
    from tolka.reorder.analysis import analyse as describe
    from tolka.reorder.analysis import correlate, render

    trees, aligned = read_aligned(source, links)
    orders = reference_orders([len(tree) for tree in trees], aligned, policy, threads=threads)
    found = describe(trees, orders, threads=threads)
    given = {"baseline": baseline, "oracle": oracle, "references": reference}
    lines = {name: list(read_lines(path)) for name, path in given.items() if path is not None}
    related = correlate(found, **lines)
    if html is not None:
        with write_atomic(html) as out:
            out.write(render(found, related, title=source.name))
    summary: dict[str, Any] = found.summary()
    summary["correlations"] = [asdict(row) for row in related.rows]
    summary["differences"] = [asdict(test) for test in related.differences]
    if related.gap is not None:
        gap = related.gap
        summary["oracle_gap"] = asdict(gap) | {"bleu": gap.bleu, "ter": gap.ter}
    if json:
        print_json(summary)
    else:
        _show(summary)


def _show(value: Any, name: str = "") -> None:
    """Each number with the path to it, TAB between them."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _show(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for inner in value:
            mark = inner.get("limit", f"{inner.get('x', inner.get('first'))} / {inner.get('y', inner.get('second'))}")
            kept = {key: what for key, what in inner.items() if key not in {"limit", "x", "y", "first", "second"}}
            _show(kept, f"{name}[{mark}]")
    else:
        print(f"{name}\t{value:.6g}" if isinstance(value, float) else f"{name}\t{value}")
