"""`tolka align`: train, apply, score, draw and symmetrise word alignments; multitrees of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, SeedOption, ThreadsOption, print_json, progress

if TYPE_CHECKING:
    from collections.abc import Iterable

app = typer.Typer(name="align", help="Word alignment: which word translates which.", no_args_is_help=True)

# Sentence pairs aligned at a time.
PIECE = 10_000

SourceArgument = Annotated[Path, typer.Argument(help="Source text, tokenised, one sentence a line.")]
TargetArgument = Annotated[Path, typer.Argument(help="Target text, translating it line by line.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Where the links go; standard output if not given.")
]
SymmetriseOption = Annotated[
    str,
    typer.Option(
        "--symmetrise",
        help="intersection, union, grow-diag, grow-diag-final, grow-diag-final-and, posterior, forward or backward.",
    ),
]
ThresholdOption = Annotated[
    float, typer.Option("--threshold", help="With `--symmetrise posterior`: least mean probability of a link.")
]
PosteriorsFlag = Annotated[bool, typer.Option("--posteriors", help="Write i-j:p, with the probability of each link.")]
BaseOption = Annotated[int, typer.Option("--base", help="Whether positions in the files count from 0 or 1.")]


@app.command()
def train(
    source: SourceArgument,
    target: TargetArgument,
    *,
    model: Annotated[str, typer.Option("--model", help="ibm1, ibm2, diagonal, gauss, hmm or fertility.")] = "fertility",
    symmetrise: SymmetriseOption = "grow-diag-final-and",
    threshold: ThresholdOption = 0.5,
    output: OutputOption = None,
    posteriors: PosteriorsFlag = False,
    save: Annotated[Path | None, typer.Option("--save", help="Directory for the trained aligner.")] = None,
    variant: Annotated[
        str, typer.Option("--variant", help="Of gauss: vanilla, deficient, truncated, integrated.")
    ] = "vanilla",
    iterations: Annotated[int | None, typer.Option("--iterations", min=0, help="Of the model (not fertility).")] = None,
    warm_up: Annotated[int | None, typer.Option("--warm-up", min=0, help="Iterations of Model 1 before it.")] = None,
    agree: Annotated[
        bool,
        typer.Option("--agree", help="Both directions learn from links they agree on (ibm1, ibm2, diagonal, hmm)."),
    ] = False,
    chains: Annotated[
        int | None,
        typer.Option("--chains", min=1, help="Gibbs chains (fertility): more is slower and a little better."),
    ] = None,
    memory: Annotated[
        int | None,
        typer.Option("--memory", min=1, help="Megabytes training may use; beyond it, the text is cut in shards."),
    ] = None,
    seed: SeedOption = 1,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Learn an alignment from two texts and write the links of their words.

    Example: `tolka align train src.tok tgt.tok --model fertility -o links.txt --save aligner/`
    """
    from tolka.align import Aligner
    from tolka.corpus import read_pairs

    _refuse_json_on_stdout(json, output)
    aligner = Aligner(
        model=model,
        variant=variant,
        seed=seed,
        iterations=iterations,
        warm_up=warm_up,
        agree=agree or None,
        chains=chains,
        memory=None if memory is None else memory << 20,
        threads=threads,
    )
    _check_method(symmetrise, threshold)
    aligner.train(read_pairs(source, target), progress=progress(quiet))
    lines = aligner.lines(symmetrise=symmetrise, threshold=threshold, probabilities=posteriors)
    _write(lines, output)
    if save is not None:
        aligner.save(save)
    if json:
        print_json(
            {
                "model": model,
                "symmetrise": symmetrise,
                "pairs": len(lines),
                "links": sum(len(line.split()) for line in lines),
                "shards": aligner.shards_,
                "log_likelihood": [list(both) for both in aligner.history_],
            }
        )


@app.command()
def apply(
    aligner: Annotated[Path, typer.Argument(help="The directory of a saved aligner.")],
    source: SourceArgument,
    target: TargetArgument,
    *,
    output: OutputOption = None,
    symmetrise: SymmetriseOption = "grow-diag-final-and",
    threshold: ThresholdOption = 0.5,
    posteriors: PosteriorsFlag = False,
    threads: ThreadsOption = 0,
) -> None:
    """Link the words of new text with a saved aligner.

    Example: `tolka align apply aligner/ new.src new.tgt -o links.txt --posteriors`
    """
    from itertools import islice

    from tolka.align import Aligner
    from tolka.corpus import read_pairs

    _check_method(symmetrise, threshold)
    loaded = Aligner.load(aligner, threads=threads)
    pairs = iter(read_pairs(source, target))
    lines = (
        line
        for batch in iter(lambda: list(islice(pairs, PIECE)), [])
        for line in loaded.lines(batch, symmetrise=symmetrise, threshold=threshold, probabilities=posteriors)
    )
    _write(lines, output)


@app.command()
def score(
    links: Annotated[Path, typer.Argument(help="Links to judge, one sentence pair a line.")],
    gold: Annotated[Path, typer.Argument(help="Gold links: i-j sure, i?j or ipj possible.")],
    *,
    base: BaseOption = 0,
    gold_base: Annotated[
        int | None,
        typer.Option("--gold-base", help="Whether gold positions count from 0 or 1; as --base if not given."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Say how links compare with gold ones: alignment error rate, precision, recall.

    Example: `tolka align score links.txt gold.txt --json`
    """
    from dataclasses import asdict

    from tolka.align import alignment_error_rate, read_gold, read_links

    result = alignment_error_rate(
        read_links(links, base=base), read_gold(gold, base=base if gold_base is None else gold_base)
    )
    if json:
        print_json(asdict(result))
    else:
        print(f"AER        {result.aer:.4f}")
        print(f"precision  {result.precision:.4f}")
        print(f"recall     {result.recall:.4f}")
        print(f"F1         {result.f1:.4f}")
        print(f"links      {result.links} in {result.pairs} pairs, {result.sure} sure in the gold")


@app.command()
def symmetrise(
    forward: Annotated[Path, typer.Argument(help="Links of one direction.")],
    backward: Annotated[Path, typer.Argument(help="Links of the other direction, source first as well.")],
    *,
    method: Annotated[str, typer.Option("--method", help="As --symmetrise of `train`.")] = "grow-diag-final-and",
    output: OutputOption = None,
) -> None:
    """Join the links of two directions made elsewhere.

    Example: `tolka align symmetrise forward.txt backward.txt --method grow-diag-final-and -o links.txt`
    """
    from tolka.align import read_links
    from tolka.align import symmetrise as join
    from tolka.align.links import format_links
    from tolka.errors import InputError

    _check_method(method, 0.5)
    first, second = read_links(forward), read_links(backward)
    if len(first) != len(second):
        raise InputError(f"{forward} has {len(first)} lines and {backward} has {len(second)}")
    _write((format_links(join(a, b, method)) for a, b in zip(first, second, strict=True)), output)


@app.command()
def multitrees(
    source: SourceArgument,
    target: TargetArgument,
    *,
    links: Annotated[
        Path | None,
        typer.Option("--links", help="Their links, i-j or i-j:p, one pair a line; aligned here if not given."),
    ] = None,
    trees: Annotated[
        Path | None,
        typer.Option("--trees", help="Trees of the source in Penn brackets, one a line; an empty line for none."),
    ] = None,
    parser: Annotated[
        Path | None, typer.Option("--parser", help="A parser of `tolka parse train` that finds the trees.")
    ] = None,
    semiring: Annotated[
        Literal["minmerge", "viterbi"],
        typer.Option("--semiring", help="Compare trees by their worst steps, or by sums."),
    ] = "minmerge",
    longest: Annotated[int, typer.Option("--longest", min=1, help="Most words of a leaf on either side.")] = 3,
    crossings: Annotated[int, typer.Option("--crossings", min=0, help="Brackets that a node may cross.")] = 3,
    beam: Annotated[int, typer.Option("--beam", min=1, help="Nodes over a span that are kept.")] = 10,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the trees go; standard output if not given.")
    ] = None,
    threads: ThreadsOption = 0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Build each pair together as a tree over both sentences, from links and source trees.

    A pair that no tree covers gets the trees that cover most of it; one without links, none.

    Example: `tolka align multitrees src.tok tgt.tok --links links.txt --trees src.penn -o trees.txt`
    """
    from tolka.align import read_weighted_links
    from tolka.corpus import read_pairs
    from tolka.errors import SettingsError
    from tolka.multitree import MultitreeSettings, align_multitrees, format_multitrees
    from tolka.multitree.parsing import parse_tokens, read_trees
    from tolka.syntax import ConstituencyParser

    _refuse_json_on_stdout(json, output)
    if trees is not None and parser is not None:
        raise SettingsError("--trees and --parser do not go together", hint="give one of them")
    pairs = [(one.split(), other.split()) for one, other in read_pairs(source, target)]
    known = None if trees is None else read_trees(trees)
    if parser is not None:
        sentences = [words for words, _ in pairs]
        known, _ = parse_tokens(ConstituencyParser.load(parser), sentences, threads=threads, progress=progress(quiet))
    weighted = (
        None if links is None else [[(i, j, p) for (i, j), p in one.items()] for one in read_weighted_links(links)]
    )
    bank = align_multitrees(
        pairs,
        known,
        links=weighted,
        settings=MultitreeSettings(semiring=semiring, longest=(longest, longest), most_crossings=crossings, beam=beam),
        threads=threads,
        progress=progress(quiet),
    )
    _write(map(format_multitrees, bank.pairs), output)
    if json:
        print_json({"pairs": len(bank.pairs), "complete": bank.complete, "skipped": bank.reasons()})
    elif output is not None and not quiet:
        print(f"{output}: {bank.complete:,} of {len(bank.pairs):,} pairs have a whole multitree")
        for reason, count in bank.reasons().items():
            print(f"none for {count:,} because {reason}")


@app.command()
def draw(
    source: SourceArgument,
    target: TargetArgument,
    links: Annotated[Path, typer.Argument(help="Their links.")],
    *,
    line: Annotated[int, typer.Option("--line", min=1, help="Which sentence pair to draw, counted from 1.")] = 1,
    gold: Annotated[Path | None, typer.Option("--gold", help="Gold links, drawn as outlines.")] = None,
    output: OutputOption = None,
) -> None:
    """Draw one sentence pair and its links as an SVG image.

    Example: `tolka align draw src.tok tgt.tok links.txt --line 3 -o pair.svg`
    """
    from itertools import islice

    from tolka.align import draw as picture
    from tolka.align import read_gold, read_links
    from tolka.corpus import read_pairs
    from tolka.errors import InputError

    pair = next(islice(read_pairs(source, target), line - 1, None), None)
    known = read_links(links)
    wanted = None if gold is None else read_gold(gold)
    if pair is None or len(known) < line or (wanted is not None and len(wanted) < line):
        raise InputError(f"there is no line {line} in all of the files")
    image = picture(pair[0], pair[1], known[line - 1], gold=None if wanted is None else wanted[line - 1])
    _write(image.rstrip("\n").split("\n"), output)


def _check_method(method: str, threshold: float) -> None:
    """Refuse a misspelt method before the work and not after it."""
    from tolka.align import symmetrise as join

    join([], [], method, threshold=threshold)


def _refuse_json_on_stdout(json: bool, output: Path | None) -> None:
    from tolka.errors import SettingsError

    if json and output is None:
        raise SettingsError("--json and the links cannot both go to standard output", hint="name a file with -o")


def _write(lines: Iterable[str], output: Path | None) -> None:
    from tolka.files import write_atomic

    if output is None or str(output) == "-":
        sys.stdout.writelines(line + "\n" for line in lines)
        return
    with write_atomic(output) as out:
        out.writelines(line + "\n" for line in lines)
