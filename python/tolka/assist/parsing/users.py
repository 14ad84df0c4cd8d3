"""People for experiments: one who knows the right tree, one who errs, and one whose answers were recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.syntax import ConstituentForest, marked

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tolka.assist.rewriting import Rewriter
    from tolka.syntax import Constituent


class User(Protocol):
    """Someone who says of each of some rewrites whether it means the same as the sentence."""

    def judge(self, sentence: int, rewrites: Sequence[str]) -> list[bool | None]:
        """One answer a rewrite; None if they cannot tell."""
        ...


def plain(text: str) -> str:
    """A rewrite as it is compared: case and the spaces between words do not matter."""
    return " ".join(text.lower().split())


class Oracle:
    """Knows the right tree of each sentence: a rewrite means the same if that tree yields it.

    Args:
        yields: For each sentence, the rewrites of its right tree.

    Example:
        >>> Oracle([["The man was seen by John ."]]).judge(0, ["the man was seen by John .", "It is John that saw ."])
        [True, False]
    """

    def __init__(self, yields: Sequence[Collection[str]]) -> None:
        self._right = [frozenset(map(plain, right)) for right in yields]

    def judge(self, sentence: int, rewrites: Sequence[str]) -> list[bool | None]:
        """Whether the right tree yields each."""
        return [plain(rewrite) in self._right[sentence] for rewrite in rewrites]


def right_rewrites(tree: Constituent, rewriter: Rewriter) -> list[str]:
    """What a right tree yields, which an oracle is made of."""
    return [one.text for one in rewriter.rewrite(ConstituentForest.from_trees([(marked(tree), 0.0)]))]


class Noisy:
    """Someone who knows what an oracle knows, and says something else now and then.

    Args:
        knows: What they know.
        same_if_true: How often they say that a right rewrite means the same.
        same_if_false: How often they say so of a wrong one.
        seed: Of their slips. The same question of the same sentence gets the same answer.
    """

    def __init__(self, knows: User, *, same_if_true: float, same_if_false: float, seed: int = 1) -> None:
        if not (0 <= same_if_true <= 1 and 0 <= same_if_false <= 1) or seed < 0:
            raise SettingsError("chances are between 0 and 1, and a seed is not negative")
        self._knows, self._seed = knows, seed
        self.same_if_true, self.same_if_false = same_if_true, same_if_false

    def judge(self, sentence: int, rewrites: Sequence[str]) -> list[bool | None]:
        """What the oracle says, or not."""
        said: list[bool | None] = []
        for rewrite, right in zip(rewrites, self._knows.judge(sentence, rewrites), strict=True):
            stream = np.random.default_rng([self._seed, sentence, *plain(rewrite).encode()])
            said.append(bool(stream.random() < (self.same_if_true if right else self.same_if_false)))
        return said


class Recorded:
    """Someone whose answers are written down; what they were not asked they cannot tell.

    Args:
        answers: By sentence and rewrite, what was said.
    """

    def __init__(self, answers: Mapping[tuple[int, str], bool | None]) -> None:
        self._answers = {(sentence, plain(rewrite)): same for (sentence, rewrite), same in answers.items()}

    def judge(self, sentence: int, rewrites: Sequence[str]) -> list[bool | None]:
        """What is written."""
        return [self._answers.get((sentence, plain(rewrite))) for rewrite in rewrites]


@dataclass(frozen=True)
class Agreement:
    """How two people agree on what both were asked.

    Attributes:
        both_same: Share of rewrites of which both say that they mean the same.
        only_first: Only the first.
        only_second: Only the second.
        neither: Neither.
        observed: Share of rewrites on which they agree.
        kappa: Agreement beyond chance (Cohen 1960).
    """

    both_same: float
    only_first: float
    only_second: float
    neither: float
    observed: float
    kappa: float


def agreement(first: Sequence[bool | None], second: Sequence[bool | None]) -> Agreement:
    """Compare two people's answers to the same questions; what one of them could not tell is left out.

    Example:
        >>> one = [True] * 77 + [False] * 23
        >>> two = [True] * 65 + [False] * 12 + [True] * 5 + [False] * 18
        >>> found = agreement(one, two)
        >>> round(found.observed, 2), round(found.kappa, 3)
        (0.83, 0.566)
    """
    if len(first) != len(second):
        raise InputError("the two answered different questions", hint="give both answers to each question")
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        raise InputError("there is no question that both answered")
    count = len(pairs)
    yes = [sum(a and b for a, b in pairs) / count, sum(a and not b for a, b in pairs) / count]
    no = [sum(b and not a for a, b in pairs) / count, sum(not a and not b for a, b in pairs) / count]
    observed = yes[0] + no[1]
    ones, twos = yes[0] + yes[1], yes[0] + no[0]
    chance = ones * twos + (1 - ones) * (1 - twos)
    kappa = (observed - chance) / (1 - chance) if chance < 1 else 1.0
    return Agreement(yes[0], yes[1], no[0], no[1], observed, kappa)
