"""`tolka assist simulate`: what people's answers would be worth, from text whose right trees or translations are known."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress

if TYPE_CHECKING:
    from tolka.assist.parsing import ParsingSimulation
    from tolka.assist.parsing.dialogue import Order
    from tolka.progress import Progress

_OF = {
    "parse": ("parser", "gold", "grammar", "questions", "same_if_true", "same_if_false"),
    "senses": ("model", "source", "ref", "user", "lexicon", "errors", "dev", "thesaurus"),
}


def simulate(
    *,
    task: Annotated[Literal["parse", "senses"], typer.Option("--task", help="What is asked about.")],
    parser: Annotated[Path | None, typer.Option("--parser", help="parse: a parser, from `tolka parse train`.")] = None,
    gold: Annotated[Path | None, typer.Option("--gold", help="parse: right trees in Penn brackets.")] = None,
    grammar: Annotated[
        list[str] | None,
        typer.Option("--grammar", help="parse: a grammar's name, or a .rewrite file; may be repeated."),
    ] = None,
    model: Annotated[Path | None, typer.Option("--model", help="senses: a translation model with phrases.")] = None,
    source: Annotated[Path | None, typer.Option("--source", help="senses: text, one sentence a line.")] = None,
    ref: Annotated[Path | None, typer.Option("--ref", help="senses: its translation.")] = None,
    dev: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            "--dev", metavar="SOURCE TARGET", help="senses: text on which it is found how far scores are believed."
        ),
    ] = None,
    user: Annotated[
        Literal["reference", "lexicon"] | None,
        typer.Option(
            "--user", help="senses: who answers, one who sees the reference, or one who has a dictionary besides."
        ),
    ] = None,
    lexicon: Annotated[Path | None, typer.Option("--lexicon", help="senses: that dictionary.")] = None,
    thesaurus: Annotated[
        Path | None, typer.Option("--thesaurus", help="senses: ask only about words that it says are alike.")
    ] = None,
    errors: Annotated[
        float | None, typer.Option("--errors", min=0, max=1, help="senses: the share of answers that are wrong.")
    ] = None,
    strategy: Annotated[
        Literal["information", "random", "nearest-half"],
        typer.Option("--strategy", help="Which question is next; nearest-half is for senses."),
    ] = "information",
    each: Annotated[
        int | None, typer.Option("--each", min=1, help="How many questions there are for one sentence; 4 for senses.")
    ] = None,
    questions: Annotated[
        int | None, typer.Option("--questions", min=0, help="parse: how many there are for all sentences together.")
    ] = None,
    same_if_true: Annotated[
        float | None,
        typer.Option(
            "--same-if-true", min=0, max=1, help="parse: how often people accept a right rewrite; 1 if not given."
        ),
    ] = None,
    same_if_false: Annotated[
        float | None,
        typer.Option("--same-if-false", min=0, max=1, help="parse: how often they accept a wrong one; 0 if not given."),
    ] = None,
    seed: SeedOption = 1,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Let made-up people answer: those who know the right trees, or who pick what is nearer to a reference.

    F1 is that of evalb; BLEU that of `tolka evaluate`. p says how often chance alone makes such a difference.

    Example: `tolka assist simulate --task parse --parser parser --gold gold.ptb --json`

    Example: `tolka assist simulate --task parse --parser parser --gold gold.ptb --same-if-true 0.8 --same-if-false 0.25`

    Example: `tolka assist simulate --task senses --model de-en --source s.de --ref r.en --json`
    """
    from tolka.errors import SettingsError

    given = {
        "parser": parser,
        "gold": gold,
        "grammar": grammar,
        "same_if_true": same_if_true,
        "same_if_false": same_if_false,
        "questions": questions,
        "model": model,
        "source": source,
        "ref": ref,
        "user": user,
        "lexicon": lexicon,
        "errors": errors,
        "dev": dev,
        "thesaurus": thesaurus,
    }
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if value is not None and name not in _OF[task]:
            raise SettingsError(f"the task {task} does not take {option}", hint="leave it out")
    if task == "senses":
        if model is None or source is None or ref is None:
            raise SettingsError("the task senses needs --model, --source and --ref")
        from tolka.cli.assist.senses import simulate_senses_command

        simulate_senses_command(
            model,
            source,
            ref,
            strategy=strategy,
            user=user or "reference",
            lexicon=lexicon,
            errors=errors or 0.0,
            questions=4 if each is None else each,
            dev=dev,
            thesaurus=thesaurus,
            seed=seed,
            json=json,
            quiet=quiet,
        )
        return
    if parser is None or gold is None:
        raise SettingsError("the task parse needs --parser and --gold")
    if strategy == "nearest-half":
        raise SettingsError("the task parse has no strategy nearest-half", hint="use information or random")
    chances = (1.0 if same_if_true is None else same_if_true, 0.0 if same_if_false is None else same_if_false)
    found = _parses(
        (parser, gold),
        grammar,
        chances,
        questions=questions,
        each=each,
        order=strategy,
        seed=seed,
        shown=progress(quiet),
    )
    if json:
        print_json({"task": task, **found.as_json()})
        return
    before, after = found.before["f1"], found.after["f1"]
    print(f"F1 {before:.2f} before, {after:.2f} after {found.questions:,} questions about {found.rewrites:,} rewrites")
    print(f"{found.error_reduction:.1%} of the errors are gone (p = {found.p:.4f})")
    print(
        f"{found.asked_about:,} of {found.sentences:,} sentences had a question; {found.better:,} trees are better, {found.worse:,} worse"
    )


def _parses(
    files: tuple[Path, Path],
    grammar: list[str] | None,
    chances: tuple[float, float],
    *,
    questions: int | None,
    each: int | None,
    order: Order,
    seed: int,
    shown: Progress,
) -> ParsingSimulation:
    from functools import partial

    from tolka.assist.parsing import Noisy, Oracle, ParseMaterial, right_rewrites, simulate_parsing
    from tolka.assist.rewriting import Rewriter
    from tolka.errors import InputError
    from tolka.syntax import ConstituencyParser, cleaned, read_penn

    parser, rewriter = ConstituencyParser.load(files[0]), Rewriter(grammar or ["en.passive", "en.cleft"])
    trees = [cleaned(tree, functions=True) for tree in read_penn(files[1])]
    if not trees:
        raise InputError("there are no trees", path=files[1])
    talks = []
    with shown.task("parsing and rewriting", unit="sentences", total=len(trees)) as advance:
        for at, tree in enumerate(trees):
            material = ParseMaterial.prepare(parser, rewriter, tree.words())
            talks.append(partial(material.dialogue, order=order, seed=seed + at))
            advance(1)
    knows = Oracle([right_rewrites(tree, rewriter) for tree in trees])
    user = Noisy(knows, same_if_true=chances[0], same_if_false=chances[1], seed=seed)
    pooled = order == "information"
    return simulate_parsing(
        talks, trees, user, questions=questions, each=each, pooled=pooled, seed=seed, progress=shown
    )
