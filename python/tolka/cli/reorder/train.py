"""`tolka reorder train`: a pre-orderer from parsed, aligned text."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress
from tolka.cli.reorder.shared import LinksArgument, PolicyOption, SourceArgument, read_aligned


def train(
    source: SourceArgument,
    links: LinksArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The directory of the pre-orderer.")],
    model: Annotated[
        str,
        typer.Option("--model", help="walker, rnn, rnn-lex, fragment, fragment-gru, gru, or rules:NAME."),
    ] = "walker",
    policy: PolicyOption = "previous",
    top: Annotated[int | None, typer.Option("--top", min=1, help="Keep the sentences with the surest links.")] = None,
    confidence: Annotated[
        Path | None, typer.Option("--confidence", help="How sure the links of each sentence are, a number per line.")
    ] = None,
    longest: Annotated[int, typer.Option("--longest", min=1, help="Leave longer sentences out.")] = 100,
    sample: Annotated[int | None, typer.Option("--sample", min=1, help="Train on a sample of this size.")] = None,
    held_out: Annotated[
        int, typer.Option("--held-out", min=0, help="Sentences kept from training, to choose and to measure on.")
    ] = 500,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of the model; may be repeated.")
    ] = None,
    seed: SeedOption = 1,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Learn to put source words into the order of their translations; prints how near held-out sentences come.

    A recurrent model notes in OUTPUT.part how far its training is; the same command goes on with a run that was stopped.

    Example: `tolka reorder train src.conllu links.txt --model walker -o pre/`
    """
    from tolka.errors import SettingsError
    from tolka.reorder import Resumable, Trainable, create, reference_orders, subsample, teach

    if top is not None and confidence is None:
        raise SettingsError("--top needs to know how sure links are", hint="give --confidence")
    chosen = dict(map(_setting, settings or []))
    preorderer = create(model, **({"seed": seed} | chosen if not model.startswith("rules:") else chosen))
    trees, aligned = read_aligned(source, links)
    kept = _kept([len(tree) for tree in trees], confidence, top, longest, sample, seed)
    trees, aligned = [trees[k] for k in kept], [aligned[k] for k in kept]
    orders = reference_orders([len(tree) for tree in trees], aligned, policy)
    # At most a fifth is kept from training, however small the corpus is.
    number = min(held_out, len(trees) // 5)
    tests = set(subsample(len(trees), number, seed=seed)) if number else set()
    learnt = [k for k in range(len(trees)) if k not in tests]
    apart = ([trees[k] for k in sorted(tests)], [orders[k] for k in sorted(tests)])
    part = Path(f"{output}.part")
    if isinstance(preorderer, Trainable):
        teach(
            preorderer,
            [trees[k] for k in learnt],
            [orders[k] for k in learnt],
            held_out=apart if tests else None,
            progress=progress(quiet),
            checkpoint=part,
        )
    if isinstance(preorderer, Resumable) and preorderer.resumed_ and not quiet:
        print(f"tolka: went on behind {preorderer.resumed_} sentences of a training that was stopped", file=sys.stderr)
    preorderer.save(output)
    part.unlink(missing_ok=True)
    report: dict[str, Any] = {"model": model, "sentences": len(learnt), "held_out": len(tests)}
    if tests:
        from tolka.cli.reorder.score import measures

        words = [tree.forms for tree in apart[0]]
        own = [tuple(range(len(tree))) for tree in apart[0]]
        report["before"] = measures(words, own, apart[1], [aligned[k] for k in sorted(tests)])
        report["after"] = measures(
            words, preorderer.orders(apart[0], threads=0), apart[1], [aligned[k] for k in sorted(tests)]
        )
    if json:
        print_json(report)
    elif not quiet and tests:
        print("\tbefore\tafter")
        for name, value in report["before"].items():
            print(f"{name}\t{value:.4f}\t{report['after'][name]:.4f}")


def _kept(
    lengths: list[int], confidence: Path | None, top: int | None, longest: int, sample: int | None, seed: int
) -> list[int]:
    from tolka.corpus import read_lines
    from tolka.errors import InputError
    from tolka.reorder import most_confident, short_enough, subsample

    kept = short_enough(lengths, longest)
    if confidence is not None:
        values = []
        for number, line in enumerate(read_lines(confidence), 1):
            try:
                values.append(float(line))
            except ValueError:
                raise InputError(f"{line[:40]!r} is not a number", path=confidence, line=number) from None
        if len(values) != len(lengths):
            raise InputError(f"there are {len(lengths)} sentences and {len(values)} confidences", path=confidence)
        if top is not None:
            kept = [kept[at] for at in most_confident([values[k] for k in kept], top)] if kept else []
    if sample is not None:
        kept = [kept[at] for at in subsample(len(kept), sample, seed=seed)]
    if not kept:
        raise InputError("no sentence is left to train on", hint="raise --longest")
    return kept


def _setting(text: str) -> tuple[str, Any]:
    """A name and its value, which is what TOML reads, or else a word."""
    from tolka.errors import SettingsError

    name, equals, value = text.partition("=")
    if not equals or not name:
        raise SettingsError(f"{text!r} is no setting", hint="write --set key=value")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value
