"""Sentences that fool metrics: fluent outputs that say something else (Mohammad 2012, table 3.2).

For each, the table has the output of a system led by its language model. Beside it stands a rewording that says what
the reference says: a metric passes if it likes the rewording better. Your own can be added from a file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.errors import FormatError, InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tolka.limits import Limits

_COLUMNS = ("pair", "source", "reference", "adequate", "trap")
# Points of a score below which two are the same: a metric that sees no difference has not passed.
_SAME = 1e-9


@dataclass(frozen=True)
class Trap:
    """A sentence that fools.

    Attributes:
        pair: Languages.
        source: What was translated.
        reference: What it means.
        adequate: A rewording of the reference.
        trap: A likelier sentence that means something else.
    """

    pair: str
    source: str
    reference: str
    adequate: str
    trap: str


TRAPS = (
    Trap(
        "fr-en",
        "La pomme mange le garçon.",
        "The apple eats the boy.",
        "An apple is eating the boy.",
        "The boy eats the apple.",
    ),
    Trap(
        "fr-en",
        "Un hippopotame me veut pour Noël.",
        "A hippopotamus wants me for Christmas.",
        "For Christmas a hippopotamus would like to have me.",
        "I want a hippopotamus for Christmas.",
    ),
    Trap(
        "de-en",
        "Leute stahlen mein Weißes Auto.",
        "People stole my white car.",
        "My white car was stolen by people.",
        "White people stole my car.",
    ),
    Trap(
        "it-en",
        "George Bush non è un idiota.",
        "George Bush is not an idiot.",
        "George Bush isn't stupid.",
        "George Bush is an idiot.",
    ),
    Trap(
        "it-en",
        "Ali Mohammad non è un idiota.",
        "Ali Mohammad is not an idiot.",
        "Ali Mohammad isn't stupid.",
        "Mohammad Ali is not an idiot.",
    ),
)


@dataclass(frozen=True)
class Verdict:
    """What one metric says of one trap.

    Attributes:
        metric: The metric's name.
        trap: The trap.
        adequate_score: What it gives to the rewording.
        trap_score: What it gives to the trap.
        passed: Whether it likes the rewording better.
    """

    metric: str
    trap: Trap
    adequate_score: float
    trap_score: float
    passed: bool


def try_traps(traps: Sequence[Trap] = TRAPS, metrics: Sequence[str] = ("bleu", "chrf", "ter")) -> list[Verdict]:
    """Let metrics choose between a rewording and a trap.

    Example:
        >>> [verdict.passed for verdict in try_traps(metrics=["bleu"])][:1]
        [False]
    """
    from tolka.evaluate import evaluate  # noqa: PLC0415 - the other experiments need no metrics

    if not traps:
        raise InputError("there are no traps to try")
    references = [trap.reference for trap in traps]
    adequate = evaluate([trap.adequate for trap in traps], references, metrics, lowercase=True)
    fooled = evaluate([trap.trap for trap in traps], references, metrics, lowercase=True)
    verdicts = []
    for good, bad in zip(adequate.scores, fooled.scores, strict=True):
        for trap, high, low in zip(traps, good.segments, bad.segments, strict=True):
            ahead = high - low if good.higher_is_better else low - high
            verdicts.append(Verdict(good.name, trap, high, low, ahead > _SAME))
    return verdicts


def clipped_matches(output: str, reference: str, order: int = 4) -> list[tuple[int, int]]:
    """Of the n-grams of an output, how many are in the reference, each at most as often as there; and how many there are.

    Example:
        >>> clipped_matches("the boy eats the apple .", "the apple eats the boy .")
        [(6, 6), (3, 5), (0, 4), (0, 3)]
    """
    from collections import Counter  # noqa: PLC0415

    found = []
    for size in range(1, order + 1):
        grams, wanted = (
            Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
            for words in (output.split(), reference.split())
        )
        found.append((sum((grams & wanted).values()), sum(grams.values())))
    return found


def smoothed_bleu(output: str, reference: str) -> float:
    """BLEU of one sentence, one added to matches and totals of n-grams longer than a word (Lin and Och 2004).

    Example:
        >>> round(smoothed_bleu("the boy eats the apple .", "the apple eats the boy ."), 4)
        0.4273
    """
    import math  # noqa: PLC0415

    matches = clipped_matches(output, reference)
    if not matches[0][0]:
        return 0.0
    logs = [math.log((hit + (size > 0)) / (total + (size > 0))) for size, (hit, total) in enumerate(matches)]
    short = min(0.0, 1 - len(reference.split()) / len(output.split()))
    return math.exp(short + sum(logs) / len(logs))


def read_traps(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> list[Trap]:
    """Read traps: five columns between tabs, languages, source, reference, rewording and trap."""
    from tolka.corpus import read_lines  # noqa: PLC0415

    traps = []
    for number, line in enumerate(read_lines(path, limits=limits), start=1):
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            raise FormatError(
                f"a trap has {len(_COLUMNS)} columns, not {len(cells)}",
                path=path,
                line=number,
                hint=f"write {', '.join(_COLUMNS)} with tabs between them",
            )
        traps.append(Trap(*cells))
    return traps
