"""`tolka combine oov score`: how right the translations of unknown words are."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (Typer reads the annotations)
from typing import Annotated

import typer

from tolka.cli.conventions import JsonFlag, print_json


def score(
    model: Annotated[Path, typer.Argument(help="What `tolka combine oov` made.", show_default=False)],
    *,
    gold: Annotated[
        Path, typer.Option("--gold", help="Lines of a word and a right translation, with a tab.", show_default=False)
    ],
    top: Annotated[int, typer.Option("--top", min=1, help="Translations that recall looks at.")] = 20,
    json: JsonFlag = False,
) -> None:
    """Score the translations of unknown words by a gold standard: mean reciprocal rank and recall, in per cent.

    Words of the gold standard that have no translation count 0.

    Example: `tolka combine oov score better --gold gold.tsv`
    """
    from tolka.combine.oov import open_record, read_gold, score_entries

    scored = score_entries(open_record(model), read_gold(gold), top=top)
    if json:
        print_json(
            {
                "model": str(model),
                "words": scored.words,
                "translated": scored.translated,
                "mrr": scored.mrr,
                "recall": scored.recall,
                "top": scored.top,
            }
        )
        return
    print(f"{scored.translated:,} of {scored.words:,} words have translations")
    print(f"MRR {100 * scored.mrr:.2f}")
    print(f"recall@{scored.top} {100 * scored.recall:.2f}")
