"""`tolka assist number`: the number, or another feature, of noun phrases."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads it
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tolka.cli.conventions import JsonFlag, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.assist.number import FeatureHead
    from tolka.syntax import Constituent

OF_VALUES = {"Number": ("sing", "plur"), "Gender": ("masc", "fem")}


def number(
    trees: Annotated[
        str, typer.Argument(help='Trees in Penn brackets or CoNLL-U; "-" reads brackets.', show_default=False)
    ],
    train: Annotated[
        Path | None, typer.Option("--train", help="A treebank of the same kind, with subjects, to learn from.")
    ] = None,
    model: Annotated[Path | None, typer.Option("--model", help="A model that --save wrote.")] = None,
    save: Annotated[Path | None, typer.Option("--save", help="Where to write what was learnt with --train.")] = None,
    feature: Annotated[
        str, typer.Option("--feature", help="The feature, as CoNLL-U calls it; brackets have English number only.")
    ] = "Number",
    values: Annotated[
        str,
        typer.Option("--values", help="The feature's values, apart by commas; those of Number and Gender are known."),
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Say of each noun phrase whether it is singular or plural, as verbs would agree with it.

    Prints a line for each phrase: the number of its tree, first and last word, value, how sure that is, words. Brackets with
    Penn's tags need no training; CoNLL-U needs --train or --model.

    Example: `tolka assist number trees.ptb`

    Example: `tolka assist number text.conllu --train bank.conllu --feature Gender --save fr.gender`
    """
    from tolka.cli.constituents import has_brackets
    from tolka.errors import SettingsError

    if train and model:
        raise SettingsError("--train and --model do not go together", hint="give one of them")
    if save and not train:
        raise SettingsError("--save writes what was learnt with --train", hint="give --train, too")
    brackets = trees == "-" or has_brackets(trees)
    if brackets and feature.casefold() != "number":
        raise SettingsError(f"brackets do not show {feature}", hint="give trees as CoNLL-U")
    learnt = _model(brackets, train, model, feature, values)
    if save:
        learnt.save(save)
    rows = list(_rows(learnt, _bracketed(trees) if brackets else _depending(trees)))
    if json:
        print_json({"feature": learnt.leaves.feature, "phrases": rows})
        return
    for row in rows:
        place = f"{row['first']}-{row['last']}"
        print(row["tree"], place, row["value"], f"{row['probability']:.3f}", row["words"], sep="\t")


def _model(brackets: bool, train: Path | None, model: Path | None, feature: str, values: str) -> FeatureHead:
    from tolka.assist.number import FeatureHead, LeafTable, agreement, english_agreement, english_model
    from tolka.errors import SettingsError
    from tolka.syntax import read_conllu, read_penn

    if model:
        found = FeatureHead.load(model)
        if found.leaves.feats == brackets:
            kinds = ("CoNLL-U", "brackets") if brackets else ("brackets", "CoNLL-U")
            raise SettingsError(
                f"{model} was learnt from {kinds[0]} and does not know {kinds[1]}", hint="train another"
            )
        return found
    if brackets:
        if not train:
            return english_model()
        leaves = LeafTable.load("english-words", "number")
        learner = FeatureHead(leaves=leaves, lexicalised=True, smoothing=1, backoff="endings")
        return learner.train(english_agreement(read_penn(train), persons=False))
    if not train:
        raise SettingsError(
            "CoNLL-U needs a model", hint="learn one with --train bank.conllu, or name one with --model"
        )
    named = tuple(value.strip().casefold() for value in values.split(",")) if values else OF_VALUES.get(feature, ())
    if not named:
        raise SettingsError(f"the values of {feature} are not known", hint="name them: --values nom,acc")
    leaves = LeafTable.of_feats(feature, named)
    kept: dict[str, Any] = {"lexicalised": True, "smoothing": 1, "backoff": "endings", "heads": "words"}
    return FeatureHead(values=named, leaves=leaves, **kept).train(agreement(read_conllu(train), feature, named))


Found = tuple[int, int, int, "Constituent"]
"""The number of a tree, the first and last word of a phrase in it, and the phrase."""


def _bracketed(path: str) -> Iterator[Found]:
    from tolka.syntax import Lexicalised, read_penn

    for number, tree in enumerate(read_penn(path), 1):
        for phrase in Lexicalised(tree).phrases:
            if phrase.node.category in {"NP", "NPB", "NX", "WHNP"} and not phrase.node.word:
                yield number, phrase.begin + 1, phrase.end, phrase.node


def _depending(path: str) -> Iterator[Found]:
    from tolka.assist.number import noun_phrases
    from tolka.syntax import read_conllu

    for number, tree in enumerate(read_conllu(path), 1):
        for phrase in noun_phrases(tree):
            yield number, phrase.words[0] + 1, phrase.words[-1] + 1, phrase.tree


def _rows(model: FeatureHead, phrases: Iterator[Found]) -> Iterator[dict[str, Any]]:
    for number, first, last, phrase in phrases:
        value = model.predict(phrase)
        yield {
            "tree": number,
            "first": first,
            "last": last,
            "value": value,
            "probability": round(model.distribution(phrase)[value], 6),
            "words": " ".join(phrase.words()),
        }
