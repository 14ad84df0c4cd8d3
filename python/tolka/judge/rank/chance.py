"""Who answers at random? For each judge, whether the choices can be told from those of a coin.

Each choice is held against what the other judges say: the scores that their answers give the two items, and how they
voted on the very same question. Whoever looks at the texts sides with them more often than chance; whoever does not, does
not. The p-value is that of a permutation test: the judge's choices of left and right are dealt out to the judge's
questions anew, so that somebody who always takes the left side is no better than a coin. Where sides are not known, a
coin turns them instead, all of one segment together, since they may come out of one ranking. Test questions count too: a
coin gets half of them right. The two p-values are joined by Fisher's method (1932).

Few answers prove nothing, so it is also told how surely an ordinary judge would have been told apart by as many.

Example:
    >>> from tolka.judge import Answer
    >>> pairs = [("a", "b"), ("b", "c"), ("a", "c")] * 20
    >>> answers = [Answer(*pair, judge=name) for name in ("x", "y") for pair in pairs]
    >>> answers += [Answer(*pair[:: 1 - 2 * (i % 2)], judge="z") for i, pair in enumerate(pairs)]
    >>> [(one.judge, one.verdict) for one in random_judges(answers)]
    [('x', 'attentive'), ('y', 'attentive'), ('z', 'random')]
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tolka.errors import SettingsError
from tolka.judge.answers import Choice
from tolka.judge.rank.counts import Counts, check_answer
from tolka.judge.rank.likelihood import Likelihood
from tolka.judge.rank.solvers import newton

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer

    Array = NDArray[np.float64]

Verdict = Literal["attentive", "random", "against", "too few"]

_PRIOR = 0.25
_VOTE = 0.5  # what another judge's vote on the same question is worth, in logits; any number is valid
_DEALT = 1999  # times that choices are dealt out anew
_FEW = 5  # answers that say how an ordinary judge answers
_STEEP = 0.1  # a prior's precision: whoever always agrees would have no finite slope
_MANY = 200  # answers from which the normal distribution stands for that


@dataclass(frozen=True)
class Chance:
    """Whether a judge's choices can be told from a coin's.

    Attributes:
        judge: Who; empty for all those not named.
        answers: Choices on which the others' answers point to one of the two.
        agreed: The share of them that went that way; None if there are none.
        tests: Test questions answered.
        passed: Those that were right.
        p_value: The chance that a coin agrees and passes as well.
        power: The chance that an ordinary judge would be told from a coin by as many answers, about.
        verdict: "attentive" if the p-value is small enough; "against" if the others were contradicted more than by
            chance; "random" if neither, though an ordinary judge would have been told apart; else "too few".
    """

    judge: str
    answers: int
    agreed: float | None
    tests: int
    passed: int
    p_value: float
    power: float
    verdict: Verdict

    @property
    def doubtful(self) -> bool:
        """Whether the judge is worth a look."""
        return self.verdict in {"random", "against"}

    def as_json(self) -> dict[str, Any]:
        """What JSON has of it."""
        return asdict(self)

    def __str__(self) -> str:
        """In a sentence."""
        told = [] if self.agreed is None else [f"{self.agreed:.0%} of {self.answers} answers agree with the others"]
        told += [f"{self.passed} of {self.tests} test questions right"] if self.tests else []
        return f"{self.judge or 'judges not named'}: {self.verdict} ({', '.join([*told, f'p = {self.p_value:.2g}'])})"


def random_judges(
    answers: Iterable[Answer], *, level: float = 0.05, power: float = 0.95, seed: int = 1
) -> tuple[Chance, ...]:
    """Tell for each judge whether the choices can be told from random ones, by name.

    With many judges some p-values are small by chance: lower the level accordingly.

    Args:
        answers: The answers of all judges. Ties and "cannot decide" are no choices and are passed over.
        level: The p-value up to which a judge is told from a coin.
        power: How surely an ordinary judge must have been told apart before one who is not is called random; an
            ordinary judge is called so with at most the rest of that chance.
        seed: Of the dealing.
    """
    if not (0 < level < 1 and 0 < power < 1):
        raise SettingsError(f"level and power are between 0 and 1, not {level:g} and {power:g}")
    held = _Held(answers)
    slope = held.slope()
    rate = (held.passed + 1) / (held.tests + 2)
    found = []
    for number, judge in enumerate(sorted(held.of)):
        own = held.of[judge]
        rng = np.random.default_rng([seed, number])
        agree, against = own.p_values(rng)
        reached = own.power(slope, level)
        tests, passed = own.tests, own.passed
        p_value = agree
        if tests:
            by_tests = _tail(tests, passed, 0.5)
            p_value = _fisher(agree, by_tests) if own.number else by_tests
            needed = next((k for k in range(tests + 1) if _tail(tests, k, 0.5) <= level), tests + 1)
            reached = 1 - (1 - reached) * (1 - _tail(tests, needed, rate))
        verdict: Verdict = "too few"
        if p_value <= level:
            verdict = "attentive"
        elif own.number and against <= level:
            verdict = "against"
        elif reached >= power:
            verdict = "random"
        found.append(Chance(judge, own.number, own.agreed, tests, passed, p_value, reached, verdict))
    return tuple(found)


class _Own:
    """One judge's choices."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int, str, bool]] = []  # left, right, 1 or -1 for the choice, question, sided
        self.tests = self.passed = 0
        self.chosen = self.pull = np.zeros(0)
        self.sided = np.zeros(0, dtype=bool)
        self.block = np.zeros(0, dtype=np.int64)

    @property
    def number(self) -> int:
        return int(np.count_nonzero(self.pull))

    @property
    def agreed(self) -> float | None:
        return float((self.chosen * self.pull > 0).sum() / self.number) if self.number else None

    def hold(self, pull: Array) -> None:
        """Take in what the others say of each choice, from left to right."""
        self.pull = pull
        self.chosen = np.array([float(row[2]) for row in self.rows])
        self.sided = np.array([row[4] for row in self.rows])
        blocks: dict[tuple[str, int], int] = {}
        self.block = np.array(
            [
                blocks.setdefault((row[3], 0 if row[3] else at), len(blocks))
                for at, row in enumerate(self.rows)
                if not row[4]
            ],
            dtype=np.int64,
        )

    def _by_block(self, amounts: Array) -> Array:
        """Amounts of choices without a known side, added up over what is turned together."""
        return np.bincount(self.block, amounts[~self.sided]).astype(np.float64)

    def slope(self) -> float:
        """How strongly the others are followed: the slope of a logistic curve, held below any but a steep one."""
        slope = 0.0
        for _ in range(50):
            lean = np.tanh(slope * self.pull / 2)
            bend = float((self.pull**2 * (1 - lean**2)).sum()) / 4 + _STEEP
            step = (float(self.pull @ (self.chosen - lean)) / 2 - _STEEP * slope) / bend
            slope += min(max(step, -1.0), 1.0)
            if abs(step) < 1e-8:  # noqa: PLR2004
                break
        return slope

    def p_values(self, rng: np.random.Generator) -> tuple[float, float]:
        """The chance that a coin agrees as much, and the chance that it agrees as little."""
        if not self.number:
            return 1.0, 1.0
        observed = float(self.chosen @ self.pull)
        sided, choices, turned = self.sided, self.chosen, self._by_block(self.chosen * self.pull)
        if choices.size > _MANY:
            kept, pull = choices[sided], self.pull[sided]
            mean = float(kept.sum() * pull.mean()) if kept.size else 0.0
            spread = float(((kept - kept.mean()) ** 2).sum() * ((pull - pull.mean()) ** 2).sum()) if kept.size else 0.0
            spread = spread / max(kept.size - 1, 1) + float((turned**2).sum())
            if spread <= 0:
                return 1.0, 1.0
            z = (observed - mean) / math.sqrt(spread)
            return math.erfc(z / math.sqrt(2)) / 2, math.erfc(-z / math.sqrt(2)) / 2
        dealt = rng.permuted(np.tile(choices[sided], (_DEALT, 1)), axis=1) @ self.pull[sided]
        dealt = dealt + rng.choice([-1.0, 1.0], (_DEALT, turned.size)) @ turned
        close = 1e-9 * (1 + abs(observed))
        above, below = (dealt >= observed - close).sum(), (dealt <= observed + close).sum()
        return float(1 + above) / (_DEALT + 1), float(1 + below) / (_DEALT + 1)

    def power(self, slope: float, level: float) -> float:
        """The chance that somebody who chooses as judges do on the whole would be told from a coin."""
        from scipy.special import ndtri  # noqa: PLC0415 - slow to import

        sided = self.sided
        lean = np.tanh(slope * self.pull / 2)
        # What the others say, less what a constant lean to one side would make of it.
        centred = self.pull[sided] - self.pull[sided].mean() if sided.any() else np.zeros(0)
        together = self._by_block(self.pull * lean)
        varied = self._by_block(self.pull**2 * (1 - lean**2))
        mean = float(centred @ lean[sided] + together.sum())
        coin = float((centred**2).sum() + (together**2 + varied).sum())
        own = float((centred**2 * (1 - lean[sided] ** 2)).sum() + varied.sum())
        # So few turns of a coin agree with anything too often.
        if mean <= 0 or (not sided.any() and 0.5**together.size > level):
            return 0.0
        reach = float(ndtri(1 - level)) * math.sqrt(coin)
        return math.erfc((reach - mean) / math.sqrt(2 * max(own, 1e-12))) / 2


class _Held:
    """All answers, each held against those of the other judges."""

    def __init__(self, answers: Iterable[Answer]) -> None:
        self.of: dict[str, _Own] = defaultdict(_Own)
        self.tests = self.passed = 0
        ids: dict[str, int] = {}
        votes: dict[tuple[str, int, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for answer in answers:
            check_answer(answer)
            own = self.of[answer.judge]
            if answer.test is not None:
                own.tests += 1
                own.passed += answer.choice is answer.test
            elif answer.choice in {Choice.LEFT, Choice.RIGHT}:
                left, right = (ids.setdefault(name, len(ids)) for name in (answer.left, answer.right))
                chosen = 1 if answer.choice is Choice.LEFT else -1
                if not answer.sided and left > right:
                    # Without a known side left is often the winner; the order of names knows nothing of the answer.
                    left, right, chosen = right, left, -chosen
                own.rows.append((left, right, chosen, answer.segment, answer.sided))
                if answer.segment:
                    low, high = min(left, right), max(left, right)
                    votes[answer.segment, low, high][answer.judge] += chosen if left == low else -chosen
        self.tests = sum(own.tests for own in self.of.values())
        self.passed = sum(own.passed for own in self.of.values())
        self._hold(list(ids), votes)

    def _hold(self, names: list[str], votes: dict[tuple[str, int, int], dict[str, int]]) -> None:
        every = np.zeros((len(names), len(names)))
        tables: dict[str, Array] = {}
        for judge, own in self.of.items():
            if own.rows:
                left, right, chosen = (np.array([row[at] for row in own.rows]) for at in range(3))
                table = tables[judge] = np.zeros_like(every)
                np.add.at(table, (np.where(chosen > 0, left, right), np.where(chosen > 0, right, left)), 1.0)
                every += table
        start = newton(Likelihood(Counts.from_matrix(names, every), prior=_PRIOR)).scores if names else np.zeros(0)
        for judge, table in tables.items():
            own = self.of[judge]
            others = Counts.from_matrix(names, every - table)
            scores = newton(Likelihood(others, prior=_PRIOR), start=start).scores if others.wins.size else 0 * start
            odds = np.array([scores[row[0]] - scores[row[1]] for row in own.rows])
            for at, (one, two, _, segment, _) in enumerate(own.rows):
                if segment:
                    cast = votes[segment, min(one, two), max(one, two)]
                    net = sum(cast.values()) - cast.get(judge, 0)
                    odds[at] += _VOTE * (net if one < two else -net)
            # Scores of items that nobody else compared differ by rounding alone.
            odds[np.abs(odds) < 1e-9] = 0.0  # noqa: PLR2004
            # 2 P - 1 weighs a choice best when a coin is to be told from one that is looked at now and then.
            own.hold(np.tanh(odds / 2))

    def slope(self) -> float:
        """How strongly an ordinary judge follows the others; the median, which a few who do not leave where it is."""
        known = [own.slope() for own in self.of.values() if own.number >= _FEW]
        return float(np.median(known)) if known else 0.0


def _tail(number: int, least: int, chance: float) -> float:
    """The chance of at least so many successes."""
    return min(
        1.0,
        math.fsum(math.comb(number, k) * chance**k * (1 - chance) ** (number - k) for k in range(least, number + 1)),
    )


def _fisher(one: float, two: float) -> float:
    """Two independent p-values as one (Fisher 1932): a chi-square with four degrees of freedom, in closed form."""
    product = one * two
    return product * (1 - math.log(product)) if product > 0 else 0.0
