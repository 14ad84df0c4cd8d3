"""Which questions there are about a sentence, and which to ask."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tolka.assist.senses.information import DRAWS, expected_information, factors, mixtures, shares
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from tolka.assist.senses.graph import SearchGraph
    from tolka.assist.senses.substitutes import Chooser
    from tolka.assist.senses.units import Unit, Units

    Floats = NDArray[np.float64]

_Span = tuple[int, int]
Strategy = Literal["information", "random", "nearest-half"]
"""The question with the largest mutual information; any; or one about the translation whose posterior is nearest to ½."""

STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
# Translations of a word that are less likely than this say next to nothing.
_FAINT = 1e-4
_MOST_UNITS = 20
_NOTHING = 1e-9
ERRORS = 0.2
"""The share of answers that are taken to be mistakes."""


@dataclass(frozen=True)
class SenseQuestion:
    """Which of two words could better stand for a word of the sentence, and what either answer would mean.

    Attributes:
        span: The source words asked about.
        phrase: The same, spelled.
        substitutes: The two words.
        between: The two translations that suggested them.
        targets: The translations that the answer tells apart.
        weights: Their posteriors.
        share: For each mixture of models and translation the probability of the first answer.
        information: Of the answer about the translation, in nats.
    """

    span: _Span
    phrase: str
    substitutes: tuple[str, str]
    between: tuple[str, str]
    targets: tuple[str, ...]
    weights: Floats = field(repr=False)
    share: Floats = field(repr=False)
    information: float

    def factors(self, answer: int) -> tuple[Floats, float]:
        """What an answer multiplies the probabilities of the translations by, and those of all other translations."""
        return factors(self.weights, self.share, answer)


class Asker:
    """Finds the questions of a sentence (Mohammad 2012, section 2.2).

    Args:
        chooser: Which words may be asked about, and stand for others.
        choices: So many of a word's likeliest translations suggest substitutes.
        substitutes: So many for each.
        weight: A translation suggests substitutes if it is at least so likely.
        errors: The share of answers that are taken to be mistakes; the thesis believes all.
        draws: Mixtures of the models of P(f|e) that information is averaged over.
        seed: Of the draws.
    """

    def __init__(
        self,
        chooser: Chooser,
        *,
        choices: int = 6,
        substitutes: int = 2,
        weight: float = 0.01,
        errors: float = ERRORS,
        draws: int = DRAWS,
        seed: int = 1,
    ) -> None:
        if min(choices, substitutes, draws) < 1 or choices > _MOST_UNITS:
            raise SettingsError(f"choices (up to {_MOST_UNITS}), substitutes and draws must be at least 1")
        if not 0 <= errors < 0.5:  # noqa: PLR2004 - a coin's
            raise SettingsError(f"a share of errors of {errors} is not between 0 and a half")
        self.errors = errors
        self.chooser, self.choices, self.number, self.weight = chooser, choices, substitutes, weight
        self.draws, self.seed = draws, seed
        self.alpha = mixtures(len(chooser.table.components), draws=draws, seed=seed)
        self._found: dict[tuple[str, str], list[str]] = {}

    def questions(
        self,
        graph: SearchGraph,
        units: Units,
        *,
        spans: Collection[_Span] | None = None,
        asked: Collection[tuple[_Span, frozenset[str]]] = (),
    ) -> list[SenseQuestion]:
        """All questions whose answers tell anything, the most informative first.

        Args:
            graph: What is believed of the sentence.
            units: Its translations, span by span.
            spans: The source words that may be asked about; all if not given.
            asked: Questions that were asked before.
        """
        found = []
        for span, own in units.by_span.items():
            phrase = " ".join(graph.source[span[0] : span[1]])
            if (spans is None or span in spans) and len(own) > 1 and self.chooser.is_content(phrase):
                found += self._about(graph, span, phrase, own, asked)
        return sorted(found, key=lambda one: (-one.information, one.span, one.substitutes))

    def _about(
        self,
        graph: SearchGraph,
        span: _Span,
        phrase: str,
        units: Sequence[Unit],
        asked: Collection[tuple[_Span, frozenset[str]]],
    ) -> list[SenseQuestion]:
        posteriors = graph.piece_posteriors
        weighed = [(float(posteriors[unit.pieces].sum()), unit.target) for unit in units]
        likely = sorted((one for one in weighed if one[0] > _FAINT), key=lambda one: (-one[0], one[1]))[:_MOST_UNITS]
        leading = [target for weight, target in likely[: self.choices] if weight >= self.weight]
        offered = {target: self._substitutes(phrase, target) for target in leading}
        pairs: dict[frozenset[str], tuple[str, str, str, str]] = {}
        for one, other in combinations(leading, 2):
            for first, second in product(offered[one], offered[other]):
                key = frozenset((first, second))
                if key not in pairs and (span, key) not in asked and self.chooser.differ(first, second):
                    pairs[key] = (first, second, one, other)
        if not pairs:
            return []
        table, targets = self.chooser.table, tuple(target for _, target in likely)
        words = sorted({word for pair in pairs for word in pair})
        rows = {word: np.array([table.probabilities(target, word) for target in targets]) for word in words}
        ours = np.array([rows[pair[0]] for pair in pairs.values()])
        theirs = np.array([rows[pair[1]] for pair in pairs.values()])
        weights = np.array([weight for weight, _ in likely])
        known = (ours.sum(axis=-1) + theirs.sum(axis=-1)) > 0
        share = shares(ours, theirs, self.alpha, errors=self.errors)
        information = expected_information(weights, share, known)
        made = []
        for at, (one, other, left, right) in enumerate(pairs.values()):
            if information[at] > _NOTHING:
                sure = known[at]
                told = tuple(target for target, is_known in zip(targets, sure, strict=True) if is_known)
                value = float(information[at])
                share_of = share[:, at, sure]
                made.append(
                    SenseQuestion(span, phrase, (one, other), (left, right), told, weights[sure], share_of, value)
                )
        return made

    def _substitutes(self, phrase: str, target: str) -> list[str]:
        key = (phrase, target)
        if key not in self._found:
            self._found[key] = self.chooser.substitutes(phrase, target, self.number)
        return self._found[key]


def answered(graph: SearchGraph, units: Units, question: SenseQuestion, answer: int) -> SearchGraph:
    """What is believed after an answer.

    Every translation of the whole sentence translates the asked word once, so that each is multiplied by what the answer
    says of that one translation.
    """
    each, others = question.factors(answer)
    changes = np.zeros(len(graph.pieces))
    changes[units.covering(question.span)] = np.log(others)
    logs = dict(zip(question.targets, np.log(each).tolist(), strict=True))
    for unit in units.by_span[question.span]:
        if unit.target in logs:
            changes[unit.pieces] = logs[unit.target]
    return graph.added_to(changes[graph.piece])


def choose(
    questions: Sequence[SenseQuestion], strategy: Strategy, *, seed: int = 1, about: str = ""
) -> SenseQuestion | None:
    """The question to ask.

    Args:
        questions: Those there are, the most informative first.
        strategy: How to choose.
        seed: Of random choices.
        about: What they are about; random choices depend on it and on the seed alone.
    """
    if strategy not in STRATEGIES:
        raise SettingsError(f"there is no strategy {strategy!r} of asking", hint=f"use {', '.join(STRATEGIES)}")
    if not questions:
        return None
    if strategy == "information":
        return questions[0]
    if strategy == "random":
        ordered = sorted(questions, key=lambda one: (one.span, one.substitutes))
        random = np.random.default_rng([seed, zlib.crc32(about.encode("utf-8", "surrogatepass"))])
        return ordered[int(random.integers(len(ordered)))]
    # Those between the translation nearest to ½ and the likeliest other one; of those the first that was thought of.
    return min(questions, key=_distance)


def _distance(question: SenseQuestion) -> tuple[float, float, _Span, tuple[str, str]]:
    weights = dict(zip(question.targets, question.weights.tolist(), strict=True))
    one, other = (weights.get(target, 0.0) for target in question.between)
    nearest, further = sorted((one, other), key=lambda weight: abs(weight - 0.5))
    return abs(nearest - 0.5), -further, question.span, question.substitutes
