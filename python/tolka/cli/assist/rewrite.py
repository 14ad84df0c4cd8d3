"""`tolka assist rewrite`: what sentences become by each of their trees."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer looks at it)
from typing import TYPE_CHECKING, Annotated

import typer

from tolka.cli.conventions import JsonFlag, QuietFlag, at_line, progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.assist.rewriting import Rewritten


def rewrite(
    parser: Annotated[Path, typer.Argument(metavar="PARSER", help="What `tolka parse train` made from a treebank.")],
    text: Annotated[str, typer.Argument(metavar="[TEXT]", help="One sentence a line, tokenised; - is stdin.")] = "-",
    grammar: Annotated[
        list[str] | None,
        typer.Option(
            "--grammar", help="A grammar of tolka, or a file that ends in .rewrite; may be given several times."
        ),
    ] = None,
    parts: Annotated[bool, typer.Option("--parts", help="Rewrite clauses inside sentences, too.")] = False,
    least: Annotated[float, typer.Option("--least", min=0.0, max=1.0, help="Leave out rewrites less probable.")] = 0.0,
    json: JsonFlag = False,
    quiet: QuietFlag = False,
) -> None:
    """Rewrite sentences by all their trees: each rewrite with how probable it is that the sentence's tree yields it.

    Rewrites that some trees yield and others do not are what people can be asked: does this mean the same? Grammars are
    en.passive and en.cleft if none are given. With `--json` each line is an object for one sentence.

    Example: `tolka assist rewrite en.parser text.tok`

    Example: `tolka assist rewrite en.parser text.tok --grammar en.passive --grammar my.rewrite --json`
    """
    from tolka.assist.rewriting import Rewriter
    from tolka.corpus import write_lines
    from tolka.syntax import ConstituencyParser

    rewriter = Rewriter(grammar or ["en.passive", "en.cleft"], parts=parts)
    trained = ConstituencyParser.load(parser)

    def lines() -> Iterator[str]:
        from tolka.corpus import read_lines
        from tolka.syntax import penn_words

        with progress(quiet).task("rewriting", unit="sentences") as advance:
            for number, line in enumerate(read_lines(text), 1):
                words = line.split()
                with at_line(number):
                    found = rewriter.rewritten(trained.forest(penn_words(words)).with_words(words)) if words else None
                yield from _json(number, line, found, least) if json else _shown(line, found, least)
                advance(1)

    write_lines("-", lines())


def _json(number: int, line: str, found: Rewritten | None, least: float) -> Iterator[str]:
    from dataclasses import asdict
    from json import dumps

    rewrites = [asdict(one) for one in found.rewrites if one.mass >= least] if found else []
    told = {"sentence": number, "text": line, "rewrites": rewrites, "exact": not found or found.exact}
    yield dumps(told | {"kept": found.kept if found else 1.0}, ensure_ascii=False)


def _shown(line: str, found: Rewritten | None, least: float) -> Iterator[str]:
    yield line
    for one in found.rewrites if found else ():
        if one.mass >= least:
            yield f"  {one.mass:.3f}  {one.grammar}  {one.text}"
    if found and not found.exact:
        yield f"  (of the best trees only, which have {found.kept:.0%} of the weight)"
