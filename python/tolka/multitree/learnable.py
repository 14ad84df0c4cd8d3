"""Which sentence pairs the engine can learn from, and what is wrong with the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from tolka.align import Aligner, grow_posteriors
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka._engine import MultitreeModel
    from tolka.multitree.encoding import Encoded, SentenceEncoder
    from tolka.syntax import Constituent

Pair = tuple["Sequence[str]", "Sequence[str]"]
WeightedLinks = list[tuple[int, int, float]]
Row = tuple["Encoded", list[int], WeightedLinks]
"""A sentence, the words of its translation, and links with their probabilities."""
_LEAST_LINK = 1e-6
_Given = TypeVar("_Given")


@dataclass(frozen=True)
class Learnable:
    """What the engine was given.

    Attributes:
        rows: What can be learnt from, in the engine's order, by the number of the pair.
        targets: Translations with a tree, by their place in that order.
        skipped: The reasons for all other pairs, by their number.
    """

    rows: dict[int, Row]
    targets: dict[int, Encoded]
    skipped: dict[int, str]


def linked(pairs: Sequence[Pair], threads: int = 0) -> list[WeightedLinks]:
    """Links with probabilities by the house's aligner, grown from likely ones to less likely ones.

    Example:
        >>> [found] = linked([(["the", "house"], ["la", "maison"])])
        >>> {(i, j) for i, j, _ in found} <= {(i, j) for i in range(2) for j in range(2)}
        True
    """
    texts = [(" ".join(source), " ".join(target)) for source, target in pairs]
    found = Aligner(threads=threads).train(texts).posteriors()
    grown = (grow_posteriors(posteriors) for posteriors in found)
    return [[(i, j, max(p, _LEAST_LINK)) for (i, j), p in links.items()] for links in grown]


def add_pairs(
    native: MultitreeModel,
    encoder: SentenceEncoder,
    pairs: Sequence[Pair],
    trees: Sequence[Constituent | None],
    links: Sequence[Sequence[tuple[int, int, float]]],
    *,
    target_trees: Sequence[Constituent | None] | None = None,
    most_words: int | None = None,
    wrong: Sequence[str | None] | None = None,
) -> Learnable:
    """Give the engine what can be learnt from.

    Args:
        native: The engine's model.
        encoder: Knows the numbers of words.
        pairs: Tokenised pairs.
        trees: A tree for each source sentence, or None.
        links: Word links with probabilities.
        target_trees: A tree for each translation, or None.
        most_words: Pairs with more words on a side are left out.
        wrong: What is wrong with each pair, if that is known before.
    """
    number_of = encoder.symbols.number
    skipped: dict[int, str] = {}
    rows: dict[int, Row] = {}
    translations: dict[int, Encoded] = {}
    others = target_trees or [None] * len(pairs)
    for number, ((source, target), tree, other, own) in enumerate(zip(pairs, trees, others, links, strict=True)):
        try:
            encoded, numbers = encoder.encode(source, tree), [number_of(word) for word in target]
            if other is not None:
                translations[number] = encoder.encode(target, other)
        except InputError as error:
            skipped[number] = _kind(error.what)
            continue
        reason = None if wrong is None else wrong[number]
        if reason is None and most_words is not None and max(len(source), len(target)) > most_words:
            reason = f"a side has more than {most_words} words"
        if reason is None and source and target and not own:
            reason = "there is no link"
        if reason is not None:
            skipped[number] = reason
            continue
        rows[number] = (encoded, numbers, [(int(i), int(j), float(p)) for i, j, p in own])
    for number, reason in zip(list(rows), native.add(list(rows.values())), strict=True):
        if reason is not None:
            skipped[number] = _kind(reason)
            del rows[number]
    targets = {place: translations[number] for place, number in enumerate(rows) if number in translations}
    for place, encoded in targets.items():
        native.set_target_tree(place, encoded)
    return Learnable(rows, targets, dict(sorted(skipped.items())))


def _kind(what: str) -> str:
    """What is wrong without its particulars: an account counts pairs that have the same wrong with them."""
    return what.partition(":")[0]


def as_many(given: Sequence[_Given] | None, wanted: int, what: str) -> Sequence[_Given] | None:
    """What is given for each sentence, if anything is.

    Raises:
        InputError: There is more or less of it than there are sentences.
    """
    if given is not None and len(given) != wanted:
        raise InputError(f"there are {len(given)} {what} for {wanted} sentences", hint="give one for each")
    return given


def require_some(native: MultitreeModel, skipped: dict[int, str]) -> None:
    """Refuse to go on without any pair.

    Raises:
        InputError: No pair can be learnt from; says why the first one cannot.
    """
    if not native.pairs():
        first = next(iter(skipped.values()), "there are none")
        raise InputError("no pair can be learnt from", hint=f"the first reason is: {first}")
