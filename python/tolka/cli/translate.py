"""`tolka translate`: text in, translations out, as the text comes."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tolka.cli.conventions import QuietFlag, ThreadsOption  # noqa: TC001 (likewise)
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tolka.cli.streaming import Shown
    from tolka.translate import Translator
    from tolka.translate.translator import Search


def translate(
    model: Annotated[Path, typer.Argument(help="The model: a directory that `tolka train` wrote.", show_default=False)],
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files, plain or compressed, read one after the other; standard input if none.", metavar="[FILE]..."
        ),
    ] = None,
    *,
    nbest: Annotated[
        int | None,
        typer.Option(
            "--nbest", "-n", min=1, max=10_000, help="List this many translations of each line, as Moses does."
        ),
    ] = None,
    derivations: Annotated[
        bool,
        typer.Option(
            "--derivations",
            help="With --nbest: list words, their alignment and the phrases, as `tolka rerank` reads them.",
        ),
    ] = False,
    pop_limit: Annotated[
        int | None, typer.Option("--pop-limit", min=0, help="Hypotheses taken in each cell or stack; 0 takes all.")
    ] = None,
    stack_size: Annotated[
        int | None, typer.Option("--stack-size", min=1, help="Hypotheses of a stack that are extended (phrase models).")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0.0, help="Seconds for a sentence; then the rest is hurried.")
    ] = None,
    lm: Annotated[
        Path | None, typer.Option("--lm", help="Another language model in place of the model's: ARPA or compiled.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option("--weights", help="A file of weights to use in place of the model's.")
    ] = None,
    terms: Annotated[
        Path | None,
        typer.Option("--terms", help="A list of terms: source, target and forced or preferred, with tabs between."),
    ] = None,
    markup: Annotated[
        Literal["exclusive", "inclusive", "ignore"] | None,
        typer.Option(
            "--markup",
            help='Read tags like `<n translation="...">...</n>`: their translations are the only ones, compete with the '
            "model's, or are ignored. Without this option inline tags are put around the translation of their words.",
        ),
    ] = None,
    input_format: Annotated[
        Literal["text", "plf", "plf-log", "json"],
        typer.Option(
            "--input-format",
            help="What lines are: text; lattices of the model's words with probabilities (plf, as Moses reads them) or "
            "natural logarithms (plf-log); or JSON with words, arcs or slots.",
        ),
    ] = "text",
    placeholders: Annotated[
        bool,
        typer.Option(
            "--placeholders/--no-placeholders",
            help="Copy addresses, `%s`, `${name}` and paths whole, and numbers the model does not know.",
        ),
    ] = True,
    convert_numbers: Annotated[
        bool, typer.Option("--convert-numbers", help="Write those numbers as in the target language.")
    ] = False,
    memory: Annotated[
        Literal["exact", "fuzzy", "off"] | None,
        typer.Option(
            "--memory",
            help="What corrections of `tolka update` do: translate the very sentence (exact), words of similar ones, too "
            "(fuzzy), or nothing (off). Default: what the model says.",
        ),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="With fuzzy: how similar sentences must be, up to 1.")
    ] = None,
    explain: Annotated[
        Path | None,
        typer.Option(
            "--explain",
            help="Write how each line was translated: a page (.html), a drawing (.svg) or JSON lines (.jsonl); of multitrees "
            "also text (.txt).",
        ),
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option("--beside", help="With --explain, of multitrees: another model, whose derivations stand beside."),
    ] = None,
    forest: Annotated[
        Path | None, typer.Option("--forest", help="Write all derivations found, a packed forest per line of JSON.")
    ] = None,
    mbr: Annotated[
        str | None,
        typer.Option(
            "--mbr", help="Choose the translation that agrees best with the others: nbest, forest, consensus."
        ),
    ] = None,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask",
            help="In a terminal: translate, ask which word could stand for another, one key each, and translate again.",
        ),
    ] = False,
    questions: Annotated[
        int | None, typer.Option("--questions", min=1, help="With --ask: questions about a line, at most. Default: 3.")
    ] = None,
    information: Annotated[
        float | None,
        typer.Option(
            "--information",
            min=0.0,
            help="With --ask: what an answer must be expected to tell, in nats (a coin: 0.69). Default: 0.1.",
        ),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option("--scale", help="With --ask: what scores are multiplied by. Default: guessed from the weights."),
    ] = None,
    thesaurus: Annotated[
        Path | None,
        typer.Option("--thesaurus", help="With --ask: offer words of this thesaurus alone (MyThes' .dat, or TSV)."),
    ] = None,
    function_words: Annotated[
        int | None,
        typer.Option(
            "--function-words",
            min=0,
            help="With --ask: so many most frequent words are neither asked about nor offered. Default: 100.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Translate TMX, PO, HTML, Markdown and the like as if they were text.")
    ] = False,
    threads: ThreadsOption = 0,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, with scores and features.")
    ] = False,
    quiet: QuietFlag = False,
) -> None:
    """Translate text line by line; translations appear while text still comes.

    There is one line out for each line in, and empty lines stay empty.

    Example: `tolka translate de-en < text.de > text.en`

    Example: `tolka translate en-fr --explain why.html < text.en`

    Example: `tolka translate de-en --ask letter.de > letter.en`
    """
    from tolka.cli.trees import is_tree_model, translate_trees

    if is_tree_model(model):
        options: dict[str, Any] = {
            "--derivations": derivations or None,
            "--pop-limit": pop_limit,
            "--stack-size": stack_size,
            "--time-limit": time_limit,
            "--lm": lm,
            "--weights": weights,
            "--terms": terms,
            "--markup": markup,
            "--input-format": None if input_format == "text" else input_format,
            "--convert-numbers": convert_numbers or None,
            "--memory": memory,
            "--threshold": threshold,
            "--mbr": mbr,
            "--ask": ask or None,
            "--questions": questions,
            "--information": information,
            "--scale": scale,
            "--thesaurus": thesaurus,
            "--function-words": function_words,
        }
        common: dict[str, Any] = {"json": json, "force": force, "threads": threads, "quiet": quiet}
        common |= {"explain": explain, "beside": beside, "nbest": nbest, "forest": forest}
        translate_trees(model, inputs or [], options, **common)
        return
    if beside is not None:
        raise SettingsError("--beside compares models of multitrees", hint="leave it out")
    from tolka.cli.asking import ask_and_translate, check_asking
    from tolka.cli.streaming import stream
    from tolka.translate import Translator
    from tolka.translate.explaining import Explanations, ForestFile
    from tolka.tune import read_weights

    given = {"pop_limit": pop_limit, "stack_size": stack_size, "time_limit": time_limit}
    search: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    translator = Translator.load(model, weights=None if weights is None else read_weights(weights), lm=lm, **search)
    translator = translator.with_given(
        terms=terms,
        markup=markup or "pass-through",
        placeholders=placeholders,
        convert_numbers=convert_numbers,
        input_format=input_format,
        memory=memory,
        threshold=threshold,
    )
    one_of = {"--explain": explain, "--forest": forest, "--mbr": mbr, "--nbest": nbest, "--json": json or None}
    asked = [name for name, value in one_of.items() if value is not None]
    if len(asked) > 1 and asked != ["--nbest", "--json"]:
        raise SettingsError(f"{asked[0]} and {asked[1]} do not go together", hint="give one of them")
    if derivations and nbest is None:
        raise SettingsError("--derivations are those of --nbest", hint="say how many translations with --nbest")
    others = [*asked, *(["--input-format"] if input_format != "text" else [])]
    asking = {
        "--questions": questions,
        "--information": information,
        "--scale": scale,
        "--thesaurus": thesaurus,
        "--function-words": function_words,
    }
    check_asking(ask, others, asking)
    if ask:
        ask_and_translate(translator, inputs or [], asking, quiet=quiet)
        return
    with ExitStack() as files:
        if explain is not None:
            show = _told(files.enter_context(Explanations(translator, explain)).translate, threads)
        elif forest is not None:
            show = _told(files.enter_context(ForestFile(translator, forest)).translate, threads)
        elif nbest is not None or json:
            show = _listed(translator, nbest, threads, derivations=derivations, json=json)
        else:
            show = _found(translator, mbr, threads)
        stream(inputs or [], show, quiet=quiet, plain=input_format == "text" and not force)


def _told(work: Callable[..., list[str]], threads: int) -> Shown:
    """What is printed while a file is written."""
    return lambda first, lines: iter(work(lines, first=first + 1, threads=threads))


def _found(translator: Translator, mbr: str | None, threads: int) -> Shown:
    """What is printed without lists: the best translations, or those of most expected gain."""
    from tolka.translate.translator import best_words

    search = best_words if mbr is None else _agreed(mbr)
    return lambda first, lines: iter(translator.translate_by(search, lines, first=first + 1, threads=threads))


def _agreed(method: str) -> Search:
    """The search for translations that agree best with the others."""
    from tolka.decode.mbr import METHODS, mbr_translate

    known = next((one for one in METHODS if one == method), None)
    if known is None:
        raise SettingsError(f"there is no --mbr {method}", hint=f"use {', '.join(METHODS)}")
    return lambda decoder, sentences, *, threads: mbr_translate(decoder, sentences, known, threads=threads)


def _listed(translator: Translator, nbest: int | None, threads: int, *, derivations: bool, json: bool) -> Shown:
    """What is printed with lists, or with scores."""
    from tolka.translate.lists import json_line, moses_lines

    def listed(first: int, lines: list[str]) -> Iterator[str]:
        found = translator.lists(lines, nbest or 1, first=first + 1, derivations=derivations, threads=threads)
        for number, (line, own) in enumerate(zip(lines, found, strict=True), first):
            if json:
                words = own.words if derivations else None
                yield json_line(number, line, own.translations, several=nbest is not None, source_words=words)
            else:
                yield from moses_lines(number, own.translations)

    return listed
