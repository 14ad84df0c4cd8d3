"""`tolka assist simulate`: what people's answers would be worth, from text whose right trees or translations are known."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, print_json, progress

if TYPE_CHECKING:
    from tolka.assist.parsing import ParsingSimulation
    from tolka.progress import Progress

_OF = {
    "parse": ("parser", "gold", "grammar", "same_if_true", "same_if_false", "random"),
    "senses": ("model", "source", "ref"),
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
    questions: Annotated[
        int | None, typer.Option("--questions", min=0, help="How many questions there are for all sentences together.")
    ] = None,
    each: Annotated[int | None, typer.Option("--each", min=0, help="How many there are for one sentence.")] = None,
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
    random: Annotated[
        bool, typer.Option("--random", help="parse: ask in a random order, to see what the order is worth.")
    ] = False,
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
        "random": random or None,
        "model": model,
        "source": source,
        "ref": ref,
    }
    for name, value in given.items():
        option = f"--{name.replace('_', '-')}"
        if value is not None and name not in _OF[task]:
            raise SettingsError(f"the task {task} does not take {option}", hint="leave it out")
    shown = progress(quiet)
    if task == "senses":
        if model is None or source is None or ref is None:
            raise SettingsError("the task senses needs --model, --source and --ref")
        from tolka.cli.assist.senses import simulate_senses_command

        simulate_senses_command(
            model, source, ref, questions=questions, each=each, seed=seed, json=json, progress=shown
        )
        return
    if parser is None or gold is None:
        raise SettingsError("the task parse needs --parser and --gold")
    chances = (1.0 if same_if_true is None else same_if_true, 0.0 if same_if_false is None else same_if_false)
    found = _parses(
        parser, gold, grammar, chances, questions=questions, each=each, random=random, seed=seed, shown=shown
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
    parser: Path,
    gold: Path,
    grammar: list[str] | None,
    chances: tuple[float, float],
    *,
    questions: int | None,
    each: int | None,
    random: bool,
    seed: int,
    shown: Progress,
) -> ParsingSimulation:
    from functools import partial

    from tolka.assist.parsing import Noisy, Oracle, ParseMaterial, simulate_parsing
    from tolka.assist.rewriting import Rewriter
    from tolka.errors import InputError
    from tolka.syntax import ConstituencyParser, ConstituentForest, cleaned, marked, read_penn

    made_by, rewriter = ConstituencyParser.load(parser), Rewriter(grammar or ["en.passive", "en.cleft"])
    trees = [cleaned(tree, functions=True) for tree in read_penn(gold)]
    if not trees:
        raise InputError("there are no trees", path=gold)
    talks, right = [], []
    with shown.task("parsing and rewriting", unit="sentences", total=len(trees)) as advance:
        for at, tree in enumerate(trees):
            material = ParseMaterial.prepare(made_by, rewriter, tree.words())
            order = "random" if random else "informative"
            talks.append(partial(material.dialogue, order=order, seed=seed + at))
            own = ConstituentForest.from_trees([(marked(tree), 0.0)])
            right.append([one.text for one in rewriter.rewrite(own)])
            advance(1)
    errs = Noisy(Oracle(right), same_if_true=chances[0], same_if_false=chances[1], seed=seed)
    return simulate_parsing(
        talks, trees, errs, questions=questions, each=each, pooled=not random, seed=seed, progress=shown
    )
