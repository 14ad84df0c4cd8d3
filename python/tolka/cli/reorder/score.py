"""`tolka reorder score`: how near orders are to reference orders."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads it
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, ThreadsOption, print_json
from tolka.cli.reorder.shared import LinksArgument, PolicyOption, SourceArgument, read_aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.align.links import Link


def score(
    source: SourceArgument,
    links: LinksArgument,
    orders: Annotated[
        list[Path] | None,
        typer.Option("--orders", help="What `tolka reorder apply --permutations` printed; may be repeated."),
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="A pre-orderer's directory, or rules:NAME; may be repeated.")
    ] = None,
    policy: PolicyOption = "previous",
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
) -> None:
    """Compare orders with reference orders; the first row is the text as it is.

    Columns: monolingual BLEU, Kendall's tau, tau in [0, 1], fuzzy reordering score, crossing links per sentence, share
    of exact orders.

    Example: `tolka reorder score src.conllu links.txt --model pre/`
    """
    from tolka.reorder import create, load, reference_orders

    trees, aligned = read_aligned(source, links)
    references = reference_orders([len(tree) for tree in trees], aligned, policy, threads=threads)
    words = [tree.forms for tree in trees]
    found = {"none": [tuple(range(len(tree))) for tree in trees]}
    for path in orders or []:
        found[str(path)] = _read_orders(path, words)
    for model in models or []:
        preorderer = create(model) if model.startswith("rules:") else load(model)
        found[model] = preorderer.orders(trees, threads=threads)
    rows = {name: measures(words, listed, references, aligned) for name, listed in found.items()}
    if json:
        print_json(rows)
        return
    print("\t".join(["", *rows["none"]]))
    for name, row in rows.items():
        print("\t".join([name, *(f"{value:.4f}" for value in row.values())]))


def measures(
    words: Sequence[Sequence[str]],
    orders: Sequence[Sequence[int]],
    references: Sequence[Sequence[int]],
    links: Sequence[Sequence[Link]],
) -> dict[str, float]:
    """All measures of orders, means over sentences except BLEU."""
    from tolka.reorder import crossing_links, monolingual_bleu, score_orders

    scores = score_orders(orders, references)
    return {
        "bleu": monolingual_bleu(words, orders, references),
        "tau": float(scores.tau.mean()),
        "tau01": float(scores.tau01.mean()),
        "fuzzy": float(scores.fuzzy.mean()),
        "crossings": float(crossing_links(orders, links).mean()),
        "exact": float(scores.exact.mean()),
    }


def _read_orders(path: Path, words: Sequence[Sequence[str]]) -> list[tuple[int, ...]]:
    from tolka.corpus import read_lines
    from tolka.errors import InputError
    from tolka.reorder import is_permutation

    found = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            order = tuple(map(int, line.split()))
        except ValueError:
            raise InputError("positions are whole numbers", path=path, line=number) from None
        if number > len(words) or not is_permutation(order, len(words[number - 1])):
            length = len(words[number - 1]) if number <= len(words) else 0
            raise InputError(f"no permutation of the {length} words of the sentence", path=path, line=number)
        found.append(order)
    if len(found) != len(words):
        raise InputError(f"there are {len(words)} sentences and {len(found)} orders", path=path)
    return found
