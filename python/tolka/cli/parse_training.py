"""`tolka parse train`: a parser from a treebank, of constituents or of dependencies."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = Literal["constituents", "dependencies"]
OTHER: dict[Kind, Kind] = {"constituents": "dependencies", "dependencies": "constituents"}
_C, _D = "Constituents", "Dependencies"


def train(
    treebanks: Annotated[
        list[str],
        typer.Argument(
            metavar="TREES...", help="Penn brackets, CoNLL-U or CoNLL-X, plain or compressed; - is stdin, with --kind."
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the model goes.")],
    kind: Annotated[
        Kind | None, typer.Option("--kind", help="What the trees are; if not given, brackets are constituents.")
    ] = None,
    functions: Annotated[
        bool | None,
        typer.Option("--functions/--no-functions", help="Learn function tags too: NP-SBJ (yes).", rich_help_panel=_C),
    ] = None,
    base: Annotated[
        bool | None,
        typer.Option("--base/--no-base", help="Call basic noun phrases NPB (no).", rich_help_panel=_C),
    ] = None,
    arguments: Annotated[
        bool | None,
        typer.Option("--arguments/--no-arguments", help="Mark arguments: NP-A (no).", rich_help_panel=_C),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option("--rounds", min=0, max=6, help="How often symbols are split (4).", rich_help_panel=_C),
    ] = None,
    passes: Annotated[
        int | None, typer.Option("--passes", min=1, help="Passes after each split (20).", rich_help_panel=_C)
    ] = None,
    heads: Annotated[
        Path | None,
        typer.Option("--heads", help="Rules for heads; Collins (1999) if not given.", rich_help_panel=_C),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option("--threads", min=0, help="Threads; 0 means all cores (0).", rich_help_panel=_C),
    ] = None,
    held_out: Annotated[
        Path | None, typer.Option("--held-out", help="Trees that choose the best round.", rich_help_panel=_D)
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="Rounds of the parser (10).", rich_help_panel=_D)
    ] = None,
    hidden: Annotated[
        int | None, typer.Option("--hidden", min=1, help="Units of its network (200).", rich_help_panel=_D)
    ] = None,
    embedding: Annotated[
        int | None,
        typer.Option("--embedding", min=1, help="Dimensions of its word embeddings (50).", rich_help_panel=_D),
    ] = None,
    tagger_iterations: Annotated[
        int | None, typer.Option("--tagger-iterations", min=1, help="Rounds of the tagger (10).", rich_help_panel=_D)
    ] = None,
    lemmas: Annotated[
        bool | None, typer.Option("--lemmas/--no-lemmas", help="Learn lemmas too (yes).", rich_help_panel=_D)
    ] = None,
    seed: SeedOption = 1,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Train a parser: trees in Penn brackets make one of constituents, CoNLL-U or CoNLL-X a tagger and one of dependencies.

    The grammar of constituents has its symbols split and merged as far as that explains the trees better (Petrov et al.,
    2006); more rounds are more exact and slower. Options of one kind are errors with the other.

    Example: `tolka parse train trees.ptb -o en.parser`

    Example: `tolka parse train treebank.conllu -o de.model`
    """
    own = {
        "constituents": {
            "functions": functions,
            "base": base,
            "arguments": arguments,
            "rounds": rounds,
            "passes": passes,
            "heads": heads,
            "threads": threads,
        },
        "dependencies": {
            "held_out": held_out,
            "iterations": iterations,
            "hidden": hidden,
            "embedding": embedding,
            "tagger_iterations": tagger_iterations,
            "lemmas": lemmas,
        },
    }
    found = _kind(treebanks, kind)
    _refuse_others(own[OTHER[found]], found)
    chosen = {name: value for name, value in own[found].items() if value is not None}
    teach: Callable[..., tuple[dict[str, Any], str]] = _constituents if found == "constituents" else _dependencies
    results, told = teach(treebanks, output, chosen, seed=seed, quiet=quiet)
    if json:
        print_json(results)
    elif not quiet:
        print(f"{told}: {output}", file=sys.stderr)


def _kind(treebanks: list[str], kind: Kind | None) -> Kind:
    from tolka.cli.constituents import has_brackets
    from tolka.errors import FormatError, SettingsError

    if "-" in treebanks:
        if kind is None:
            raise SettingsError("standard input may have trees of either kind", hint="say which with --kind")
        return kind
    kinds: list[Kind] = ["constituents" if has_brackets(trees) else "dependencies" for trees in treebanks]
    wanted = kind or kinds[0]
    for trees, found in zip(treebanks, kinds, strict=True):
        if found != wanted:
            raise FormatError(
                f"these are trees of {found}, not of {wanted}", path=trees, hint="train one parser of each"
            )
    return wanted


def _refuse_others(others: dict[str, Any], kind: Kind) -> None:
    from tolka.errors import SettingsError

    for name, value in others.items():
        if value is not None:
            option = "--" + name.replace("_", "-")
            raise SettingsError(
                f"{option} is for parsers of {OTHER[kind]}, and these trees make one of {kind}", hint="leave it out"
            )


def _constituents(
    treebanks: list[str], output: Path, chosen: dict[str, Any], *, seed: int, quiet: bool
) -> tuple[dict[str, Any], str]:
    from itertools import chain

    from tolka.syntax import ConstituencyParser, HeadRules, read_penn

    threads = chosen.pop("threads", 0)
    if "heads" in chosen:
        chosen["heads"] = HeadRules.load(chosen["heads"])
    parser = ConstituencyParser(**chosen, seed=seed)
    parser.train(chain.from_iterable(map(read_penn, treebanks)), threads=threads, progress=progress(quiet))
    parser.save(output)
    binary, unary, words, levels = parser.grammar.size
    found = {"trees": parser.trees_, "words": words, "rules": binary + unary, "states": [one for one, _ in levels]}
    told = f"learnt {binary + unary:,} rules over {levels[-1][0]:,} states from {parser.trees_:,} trees"
    return {"model": str(output), **found, "log_likelihoods": parser.log_likelihoods_}, told


def _dependencies(
    treebanks: list[str], output: Path, chosen: dict[str, Any], *, seed: int, quiet: bool
) -> tuple[dict[str, Any], str]:
    from dataclasses import asdict
    from itertools import chain

    from tolka.syntax import read_conll, train_parser

    held_out = chosen.pop("held_out", None)
    if "hidden" in chosen:
        chosen["hidden_layer"] = chosen.pop("hidden")
    done = train_parser(
        chain.from_iterable(read_conll(trees, one_root=True) for trees in treebanks),
        output,
        held_out=read_conll(held_out, one_root=True) if held_out else (),
        seed=seed,
        verbose=not quiet,
        **chosen,
    )
    return asdict(done), f"trained on {done.sentences:,} sentences of {done.words:,} words"
