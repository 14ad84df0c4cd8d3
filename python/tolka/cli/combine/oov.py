"""`tolka combine oov`: translations for words that a model does not know."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from tolka.cli.combine.notes import print_notes
from tolka.cli.combine.oov_explain import explain
from tolka.cli.combine.oov_gold import gold
from tolka.cli.combine.oov_score import score
from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress

if TYPE_CHECKING:
    from tolka.combine.oov import ExtendedVocabulary

DEFAULT_COMMAND = "extend"


class Oov(TyperGroup):
    """A group that extends where no sub-command is named: `tolka combine oov MODEL` is `tolka combine oov extend MODEL`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front of arguments that name none."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)


# Its help is that of `oov`, with examples.
app = typer.Typer(name="oov", cls=Oov, no_args_is_help=True)


@app.callback()
def oov() -> None:
    """Translate words that a model does not know, by what text in its source language says of them.

    `tolka combine oov MODEL --mono text.de -o better` needs no sub-command; `tolka combine oov extend --help` has all options.

    Example: `tolka combine oov de-en --mono text.de --dev dev.de dev.en -o better`

    Example: `tolka combine oov explain better Kater -o kater.svg`

    Example: `tolka combine oov score better --gold gold.tsv`
    """


@app.command(DEFAULT_COMMAND, no_args_is_help=True)
def extend(
    model: Annotated[Path, typer.Argument(help="A model of tolka train that has a table.", show_default=False)],
    *,
    mono: Annotated[
        list[Path],
        typer.Option(
            "--mono",
            help="Text of the source language; can be repeated. The source side of the training text belongs to it.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The new model's directory.", show_default=False)],
    lexicon: Annotated[
        list[Path] | None,
        typer.Option("--lexicon", help="A dictionary: head word, tab, translations; or DING's. Can be repeated."),
    ] = None,
    dev: Annotated[
        tuple[Path, Path] | None, typer.Option("--dev", help="Development set, to tune what new words count.")
    ] = None,
    words: Annotated[
        Path | None,
        typer.Option("--words", help="The words to translate, one a line. Default: all unknown ones of --mono."),
    ] = None,
    text: Annotated[
        Path | None, typer.Option("--text", help="A text whose unknown words are to be translated.")
    ] = None,
    graph: Annotated[
        Literal["bipartite", "tripartite", "full", "marton"],
        typer.Option(
            "--graph", help="Between unknown and known words; with bridges; between all; or by frames, without one."
        ),
    ] = "tripartite",
    neighbours: Annotated[
        int, typer.Option("--neighbours", min=0, help="Known neighbours of a word; 0 for 15 beside bridges, else 20.")
    ] = 0,
    bridges: Annotated[int, typer.Option("--bridges", min=0, help="Neighbours that lead to others.")] = 5,
    order: Annotated[int, typer.Option("--order", min=1, max=3, help="Words of a known phrase, at most.")] = 1,
    window: Annotated[int, typer.Option("--window", min=1, help="Words on each side that make a profile.")] = 4,
    positional: Annotated[
        bool, typer.Option("--positional", help="It matters where beside a word another one stands.")
    ] = False,
    measure: Annotated[
        Literal["ppmi", "pmi", "cp", "llr", "chi2"], typer.Option("--measure", help="What a context word says.")
    ] = "ppmi",
    similarity: Annotated[
        Literal["cosine", "l1", "jsd"], typer.Option("--similarity", help="How profiles are compared.")
    ] = "cosine",
    approximate: Annotated[
        bool, typer.Option("--approximate", help="Look for neighbours less thoroughly, for very large text.")
    ] = False,
    spelling: Annotated[
        int, typer.Option("--spelling", min=0, help="Neighbours that are written alike; 0 for none.")
    ] = 10,
    copied: Annotated[
        bool, typer.Option("--copied/--no-copied", help="Neighbours that are copied vote for copying.")
    ] = True,
    transliterated: Annotated[
        bool,
        typer.Option(
            "--transliterated", help="Neighbours that are one word in both languages vote for writing a word so."
        ),
    ] = False,
    least: Annotated[int, typer.Option("--least", min=1, help="How often --mono must have an unknown word.")] = 2,
    rare: Annotated[
        int, typer.Option("--rare", min=0, help="Words that the table saw so often at most get translations, too.")
    ] = 0,
    names: Annotated[
        bool, typer.Option("--names", help="Translate names, too: words that have capitals in text.")
    ] = False,
    top: Annotated[int, typer.Option("--top", min=1, max=1000, help="Translations of a word, at most.")] = 20,
    force: Annotated[
        bool, typer.Option("--force", help="Go on although a text looks wrong: another language, a swapped --dev.")
    ] = False,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Make a model that translates words which its training text lacks. This is what `tolka combine oov MODEL` does.

    Words that are used alike translate alike: an unknown word gets the translations of known ones that have the same words around
    them, or are written alike. Everything else is translated as before.

    Example: `tolka combine oov de-en --mono train.de --mono news.de --dev dev.de dev.en -o better`

    Example: `tolka combine oov de-en --mono news.de --lexicon de-en.txt --text today.de -o better`
    """
    from tolka.combine.oov import OovSettings, extend_vocabulary
    from tolka.corpus import read_pairs
    from tolka.train import TuneSettings

    settings = OovSettings(
        graph=graph,
        labelled=neighbours,
        bridges=bridges,
        order=order,
        window=window,
        positional=positional,
        measure=measure,
        similarity=similarity,
        method="approximate" if approximate else "exact",
        spelling=spelling,
        copied=copied,
        transliterated=transliterated,
        least=least,
        rare=rare,
        names=names,
        top=top,
    )
    made = extend_vocabulary(
        model,
        output,
        mono,
        words=words,
        text=text,
        lexicons=lexicon or (),
        dev=None if dev is None else list(read_pairs(*dev)),
        settings=settings,
        tune=TuneSettings(fresh=False, seed=seed),
        names=None if dev is None else (dev[0].name, dev[1].name),
        force=force,
        threads=threads,
        progress=progress(quiet),
    )
    print_notes(made.notes)
    if json:
        print_json(described(made))
    else:
        _report(made)


def described(made: ExtendedVocabulary) -> dict[str, Any]:
    """What was made, for machines."""
    return {
        "model": str(made.path),
        "known": round(made.known, 6),
        "unknown": made.unknown,
        "tokens": made.tokens,
        "translated": made.translated,
        "by_lexicon": made.by_lexicon,
        "rules": made.rules,
        "nodes": made.nodes,
        "edges": made.edges,
        "left_out": dict(made.left_out),
        "score": made.score,
        "metric": made.metric,
        "notes": list(made.notes),
    }


def _report(made: ExtendedVocabulary) -> None:
    print(f"the model knows {made.known:.1%} of the text's words")
    left = ", ".join(f"{count:,} {what}" for what, count in made.left_out.items() if what != "known words")
    print(f"{made.unknown:,} unknown words, {made.tokens:,} times{f' (left out: {left})' if left else ''}")
    lexicon = f", {made.by_lexicon:,} of them by a dictionary" if made.by_lexicon else ""
    graph = f", a graph of {made.nodes:,} nodes and {made.edges:,} edges" if made.nodes else ""
    print(f"{made.translated:,} have translations now{lexicon}: {made.rules:,} rules{graph}")
    if made.score is not None:
        print(f"development set {made.metric.upper()} {made.score:.2f}")
    print(f"saved to {made.path}")


app.command(no_args_is_help=True)(explain)
app.command(no_args_is_help=True)(score)
app.command(no_args_is_help=True)(gold)
