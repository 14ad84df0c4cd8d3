"""`tolka parse`: trees of sentences on the command line."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.corpus import Lines
    from tolka.syntax import Tree

DEFAULT_COMMAND = "text"


class Parse(TyperGroup):
    """A group that parses where no sub-command is named: `tolka parse de.model` is `tolka parse text de.model`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front of arguments that name none."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(name="parse", cls=Parse, help="Parse sentences; train parsers; look at trees.", no_args_is_help=True)

TrainOutput = Annotated[Path, typer.Option("--output", "-o", help="Where the model goes.")]
TreesArgument = Annotated[
    str, typer.Argument(metavar="TREES", help="CoNLL-U or CoNLL-X, plain or compressed; - is stdin.")
]
ScoredTrees = Annotated[
    str, typer.Argument(metavar="TREES", help="CoNLL-U, CoNLL-X or Penn brackets, plain or compressed; - is stdin.")
]
ModelArgument = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="What `tolka parse train` or `train-constituents` made, or a model of UDPipe 1."
    ),
]
OutputOption = Annotated[str, typer.Option("--output", "-o", help="Where the result goes; - is stdout.")]


@app.callback()
def parse() -> None:
    """Parse sentences; train parsers; look at trees.

    `tolka parse de.model < text.tok.de > text.conllu` parses a text: no sub-command is needed for that.

    Example: `tolka parse train treebank.conllu -o de.model`

    Example: `tolka parse train-constituents train.ptb.xz -o en.const`
    """


@app.command(DEFAULT_COMMAND, no_args_is_help=True)
def text(
    model: ModelArgument,
    source: Annotated[str, typer.Argument(metavar="[TEXT]", help="One sentence a line, tokenised; - is stdin.")] = "-",
    output: OutputOption = "-",
    n_best: Annotated[
        int, typer.Option("--n-best", min=0, help="Constituents: so many trees a sentence, with their scores.")
    ] = 0,
    threads: ThreadsOption = 1,
    quiet: QuietFlag = False,
) -> None:
    """Parse tokenised text; tokens stay as they are. This is what `tolka parse MODEL` does.

    What comes out depends on the model: dependencies as CoNLL-U, or constituents in brackets, one tree a line, so that they
    stand beside the text. With `--n-best` each line is `sentence ||| tree ||| log probability`, sentences counted from 0.

    Example: `tolka parse de.model < text.tok.de > text.conllu`

    Example: `tolka parse en.const text.tok.en -o text.ptb --threads 2`
    """
    from dataclasses import replace

    from tolka.cli.constituents import is_constituents, parse_constituents
    from tolka.corpus import read_lines
    from tolka.errors import SettingsError
    from tolka.syntax import Parser, write_conllu

    if is_constituents(model):
        parse_constituents(model, _tokens(read_lines(source)), output, n_best=n_best, threads=threads, quiet=quiet)
        return
    if n_best:
        raise SettingsError("a parser of dependencies has one tree a sentence", hint="leave --n-best out")

    parser = Parser.load(model)
    lines = read_lines(source)

    def trees() -> Iterator[Tree]:
        with progress(quiet).task("parsing", unit="sentences") as advance:
            for number, tree in enumerate(parser.parse_stream(_tokens(lines), threads=threads), 1):
                advance(1)
                yield replace(tree, comments=(f"# sent_id = {number}", f"# text = {' '.join(tree.forms)}"))

    write_conllu(output, trees())


def _tokens(lines: Lines) -> Iterator[list[str]]:
    from tolka.errors import InputError

    for number, line in enumerate(lines, 1):
        found = line.replace("\t", " ").replace("\f", " ").split(" ")
        tokens = [token for token in found if token]
        if not tokens:
            raise InputError(
                "the line is empty",
                path=lines.name,
                line=number,
                hint="take empty lines out, on both sides of a corpus",
            )
        yield tokens


@app.command(no_args_is_help=True)
def train(
    treebank: TreesArgument,
    output: TrainOutput,
    held_out: Annotated[Path | None, typer.Option("--held-out", help="Trees that choose the best round.")] = None,
    iterations: Annotated[int, typer.Option("--iterations", min=1, help="Rounds of the parser.")] = 10,
    hidden: Annotated[int, typer.Option("--hidden", min=1, help="Units of its network.")] = 200,
    embedding: Annotated[int, typer.Option("--embedding", min=1, help="Dimensions of its word embeddings.")] = 50,
    tagger_iterations: Annotated[int, typer.Option("--tagger-iterations", min=1, help="Rounds of the tagger.")] = 10,
    lemmas: Annotated[bool, typer.Option("--lemmas/--no-lemmas", help="Learn lemmas too.")] = True,
    seed: SeedOption = 1,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Train a tagger and a non-projective parser on a treebank.

    Example: `tolka parse train treebank.conllu -o de.model`
    """
    from dataclasses import asdict

    from tolka.cli.constituents import has_brackets
    from tolka.errors import FormatError
    from tolka.syntax import read_conll, train_parser

    if has_brackets(treebank):
        raise FormatError(
            "these are constituency trees", path=treebank, hint="learn from them with: tolka parse train-constituents"
        )

    done = train_parser(
        read_conll(treebank, one_root=True),
        output,
        held_out=read_conll(held_out, one_root=True) if held_out else (),
        iterations=iterations,
        hidden_layer=hidden,
        embedding=embedding,
        tagger_iterations=tagger_iterations,
        lemmas=lemmas,
        seed=seed,
        verbose=not quiet,
    )
    if json:
        print_json(asdict(done))
    elif not quiet:
        print(f"trained on {done.sentences:,} sentences of {done.words:,} words: {output}", file=sys.stderr)


@app.command("train-constituents", no_args_is_help=True)
def train_constituents(
    treebanks: Annotated[
        list[str], typer.Argument(metavar="TREES...", help="Penn brackets, plain or compressed; - is stdin.")
    ],
    output: TrainOutput,
    functions: Annotated[
        bool, typer.Option("--functions/--no-functions", help="Learn function tags too: NP-SBJ.")
    ] = True,
    base: Annotated[bool, typer.Option("--base", help="Call noun phrases without another in them NPB.")] = False,
    arguments: Annotated[bool, typer.Option("--arguments", help="Mark arguments: NP-A.")] = False,
    rounds: Annotated[int, typer.Option("--rounds", min=0, max=6, help="How often symbols are split.")] = 4,
    passes: Annotated[int, typer.Option("--passes", min=1, help="Passes after each split.")] = 20,
    heads: Annotated[Path | None, typer.Option("--heads", help="Rules for heads; Collins (1999) if not given.")] = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Train a constituency parser on a treebank in Penn brackets.

    Its symbols are split and merged as far as that explains the trees better (Petrov et al., 2006); more rounds are more
    exact and slower.

    Example: `tolka parse train-constituents train.ptb.xz -o en.const`
    """
    from itertools import chain

    from tolka.syntax import ConstituencyParser, HeadRules, read_penn

    parser = ConstituencyParser(
        functions=functions,
        base=base,
        arguments=arguments,
        rounds=rounds,
        passes=passes,
        heads=HeadRules.load(heads) if heads else None,
        seed=seed,
    )
    parser.train(chain.from_iterable(map(read_penn, treebanks)), threads=threads, progress=progress(quiet))
    parser.save(output)
    binary, unary, words, levels = parser.grammar.size
    if json:
        found = {"trees": parser.trees_, "words": words, "rules": binary + unary, "states": [one for one, _ in levels]}
        print_json({"model": str(output), **found, "log_likelihoods": parser.log_likelihoods_})
    elif not quiet:
        print(
            f"learnt {binary + unary:,} rules over {levels[-1][0]:,} states from {parser.trees_:,} trees: {output}",
            file=sys.stderr,
        )


@app.command(no_args_is_help=True)
def stats(trees: TreesArgument, json: JsonFlag = False) -> None:
    """Count what a treebank has: projective trees, gaps, crossing arcs, relations.

    Example: `tolka parse stats treebank.conllu`
    """
    from dataclasses import asdict

    from tolka.syntax import read_conll, treebank_statistics

    found = asdict(treebank_statistics(read_conll(trees)))
    if json:
        print_json(found)
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):20} {_shown(value)}")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "  ".join(f"{key} {count:,}" for key, count in islice(value.items(), 12))
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"


@app.command(no_args_is_help=True)
def score(gold: ScoredTrees, parsed: ScoredTrees, json: JsonFlag = False) -> None:
    """Compare a parse with gold trees over the same words: heads (UAS), heads and relations (LAS), tags.

    Constituency trees in Penn brackets are compared as evalb does: labelled precision, recall and F1, crossing brackets, tags.

    Example: `tolka parse score gold.conllu parsed.conllu --json`

    Example: `tolka parse score gold.ptb.xz parsed.ptb`
    """
    from dataclasses import asdict

    from tolka.cli.constituents import has_brackets
    from tolka.syntax import read_conll, read_penn, score_constituents, score_parses

    if has_brackets(gold) or has_brackets(parsed):
        found = asdict(score_constituents(read_penn(gold), read_penn(parsed)))
    else:
        found = asdict(score_parses(read_conll(gold), read_conll(parsed)))
    if json:
        print_json(found)
        return
    for name, value in found.items():
        print(f"{name:11} {_shown(value)}")


@app.command(no_args_is_help=True)
def draw(
    trees: TreesArgument,
    sentence: Annotated[int, typer.Option("--sentence", "-n", min=1, help="Which sentence, counted from 1.")] = 1,
    output: OutputOption = "-",
) -> None:
    """Draw a tree with its arcs, and below it the words in their new order if the file has one.

    Example: `tolka parse draw text.conllu --sentence 3 -o tree.svg`
    """
    from tolka.corpus.output import Output
    from tolka.errors import InputError
    from tolka.syntax import draw_tree, read_conll

    tree = next(islice(read_conll(trees), sentence - 1, None), None)
    if tree is None:
        raise InputError(f"there is no sentence {sentence}", path=trees)
    with Output(output) as out:
        out.write_text(draw_tree(tree))


@app.command(no_args_is_help=True)
def convert(
    trees: TreesArgument,
    output: OutputOption = "-",
    to: Annotated[
        Literal["conllu", "conllx", "tok"], typer.Option("--to", help="What to write; tok is the words.")
    ] = "conllu",
    columns: Annotated[Literal["8", "10"], typer.Option("--columns", help="Of CoNLL-X.")] = "10",
    drop_order: Annotated[bool, typer.Option("--drop-order", help="Leave permutations out.")] = False,
) -> None:
    """Write trees in another format; `tok` writes the words, in their new order if the file has one.

    Example: `tolka parse convert old.conllx --to conllu -o new.conllu`
    """
    from dataclasses import replace

    from tolka.corpus import write_lines
    from tolka.syntax import read_conll, write_conllu, write_conllx

    found = read_conll(trees)
    if drop_order:
        found = (replace(tree, order=None) for tree in found)
    if to == "conllu":
        write_conllu(output, found)
    elif to == "conllx":
        write_conllx(output, found, columns=int(columns))
    else:
        write_lines(output, (" ".join(tree.forms[word] for word in tree.order or range(len(tree))) for tree in found))
