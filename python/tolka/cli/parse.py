"""`tolka parse`: trees of sentences on the command line."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from tolka.cli.conventions import JsonFlag, QuietFlag, ThreadsOption, print_json, progress
from tolka.cli.parse_training import train

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.corpus import Lines
    from tolka.syntax import Tree

DEFAULT_COMMAND = "apply"


class Parse(TyperGroup):
    """A group that parses where no sub-command is named: `tolka parse de.model` is `tolka parse apply de.model`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front of arguments that name none."""
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(name="parse", cls=Parse, help="Parse sentences; train parsers; look at trees.", no_args_is_help=True)

TreesArgument = Annotated[
    str, typer.Argument(metavar="TREES", help="CoNLL-U or CoNLL-X, plain or compressed; - is stdin.")
]
ScoredTrees = Annotated[
    str, typer.Argument(metavar="TREES", help="CoNLL-U, CoNLL-X or Penn brackets, plain or compressed; - is stdin.")
]
ModelArgument = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="What `tolka parse train` made, or a model of UDPipe 1."),
]
OutputOption = Annotated[str, typer.Option("--output", "-o", help="Where the result goes; - is stdout.")]


@app.callback()
def parse() -> None:
    """Parse sentences; train parsers; look at trees.

    `tolka parse de.model < text.tok.de > text.conllu` parses a text: no sub-command is needed for that.

    Example: `tolka parse train treebank.conllu -o de.model`

    Example: `tolka parse train trees.ptb -o en.parser`
    """


@app.command(DEFAULT_COMMAND, no_args_is_help=True)
def apply(
    model: ModelArgument,
    source: Annotated[str, typer.Argument(metavar="[TEXT]", help="One sentence a line, tokenised; - is stdin.")] = "-",
    output: OutputOption = "-",
    nbest: Annotated[
        int | None, typer.Option("--nbest", "--n-best", min=1, help="Constituents: so many trees a sentence.")
    ] = None,
    forest: Annotated[
        bool, typer.Option("--forest", help="Constituents: a forest a sentence, as JSON; of --nbest trees if given.")
    ] = False,
    threads: ThreadsOption = 1,
    quiet: QuietFlag = False,
) -> None:
    """Parse tokenised text; tokens stay as they are. This is what `tolka parse MODEL` does.

    What comes out depends on the model: dependencies as CoNLL-U, or constituents in brackets, one tree a line, so that they
    stand beside the text. With `--nbest` each line is `sentence ||| tree ||| log probability`, sentences counted from 0. With
    `--forest` each line is a forest of all trees that are probable enough, or of the `--nbest` best ones.

    Example: `tolka parse apply de.model < text.tok.de > text.conllu`

    Example: `tolka parse en.parser text.tok.en -o text.ptb --threads 2`

    Example: `tolka parse apply en.parser text.tok.en --forest --nbest 50 -o text.forests`
    """
    from dataclasses import replace

    from tolka.cli.constituents import constituent_lines, is_constituents
    from tolka.corpus import read_lines, write_lines
    from tolka.errors import SettingsError
    from tolka.syntax import Parser, write_conllu

    if is_constituents(model):
        sentences = _tokens(read_lines(source))
        write_lines(
            output, constituent_lines(model, sentences, nbest=nbest, forest=forest, threads=threads, quiet=quiet)
        )
        return
    for option in ["--nbest"] * (nbest is not None) + ["--forest"] * forest:
        raise SettingsError(
            f"a parser of dependencies has one tree a sentence, so that {option} makes no sense", hint="leave it out"
        )

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


app.command(no_args_is_help=True)(train)


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
