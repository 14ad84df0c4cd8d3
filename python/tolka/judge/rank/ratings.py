"""What others would say of the same answers: win rates, Elo, TrueSkill and rank centrality, beside our scores.

None of them has intervals that respect segments, and Elo and TrueSkill depend on the order of the answers; they are here
to compare with. A tie counts half, whatever the rating; test questions and "cannot decide" do not count.

Example:
    >>> from tolka.judge import Answer
    >>> [(one.item, round(one.win_rate, 2), round(one.elo)) for one in ratings([Answer("a", "b"), Answer("b", "c")])]
    [('a', 1.0, 1516), ('b', 0.5, 1501), ('c', 0.0, 1483)]
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.answers import Choice
from tolka.judge.rank.counts import Counts, check_answer, sum_by
from tolka.judge.rank.solvers import require_finite_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from tolka.judge.answers import Answer

    Array = NDArray[np.float64]

ELO_START = 1500.0
ELO_K = 32.0
_ELO_SCALE = 400.0
_FARTHEST = 35.0  # standard deviations beyond which a normal tail is smaller than numbers can be


@dataclass(frozen=True)
class Rating:
    """What the other ways say of one item.

    Attributes:
        item: Its name.
        win_rate: The share of its answers in which it was chosen.
        expected_wins: The mean over its opponents of that share (Koehn 2012).
        elo: Its points after the last answer (Elo 1978), from 1500 with K = 32.
        trueskill: The mean of its skill after the last answer (Herbrich et al. 2006), from 25.
        trueskill_sigma: Its standard deviation.
        rank_centrality: The logarithm of its share of a random walk that follows choices (Negahban et al. 2012), mean 0;
            None where the answers do not connect all items.
    """

    item: str
    win_rate: float
    expected_wins: float
    elo: float
    trueskill: float
    trueskill_sigma: float
    rank_centrality: float | None

    def as_json(self) -> dict[str, Any]:
        """The rating as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class Skill:
    """A belief about a player: a normal distribution."""

    mu: float = 25.0
    sigma: float = 25 / 3


def ratings(answers: Iterable[Answer], *, shuffles: int = 0, seed: int = 1) -> list[Rating]:
    """All ratings of the items that answers are about, by name.

    Args:
        answers: The answers.
        shuffles: Elo and TrueSkill as means over so many random orders of the answers; 0 keeps the order given.
        seed: Of the orders.

    Raises:
        InputError: There are no answers.
    """
    given = list(answers)
    counts = Counts.of(given)
    if counts.size == 0:
        raise InputError("there are no answers to rank by")
    points = elo(given, shuffles=shuffles, seed=seed)
    skills = trueskill(given, shuffles=shuffles, seed=seed)
    won, expected = win_rate(counts), counts.expected_wins()
    walk = rank_centrality(counts) if counts.is_strongly_connected else None
    return [
        Rating(
            item,
            float(won[i]),
            float(expected[i]),
            points[item],
            skills[item].mu,
            skills[item].sigma,
            None if walk is None else float(walk[i]),
        )
        for i, item in enumerate(counts.items)
    ]


def win_rate(counts: Counts) -> Array:
    """Per item, the share of its answers in which it was chosen; NaN for one never compared.

    Example:
        >>> win_rate(Counts.from_matrix(["a", "b"], [[0, 3], [1, 0]])).tolist()
        [0.75, 0.25]
    """
    met = counts.comparisons()
    rates: Array = np.divide(
        sum_by(counts.winner, counts.wins, counts.size), met, out=np.full(counts.size, np.nan), where=met > 0
    )
    return rates


def elo(
    answers: Iterable[Answer], *, k: float = ELO_K, start: float = ELO_START, shuffles: int = 0, seed: int = 1
) -> dict[str, float]:
    """Elo's points: after each answer the winner takes k (1 - e) of the loser's, e being the chance expected of it.

    e = 1 / (1 + 10^((r_loser - r_winner) / 400)) (Elo 1978); a tie moves k (1/2 - e). It is stochastic gradient ascent on
    Bradley and Terry's likelihood with a step that never shrinks, so the last answers weigh most.

    Args:
        answers: The answers, in order; an answer of weight w moves w times as far.
        k: How far an answer moves.
        start: Everybody's first points.
        shuffles: Give the mean over so many random orders; 0 keeps the order given.
        seed: Of the orders.

    Example:
        >>> from tolka.judge import Answer
        >>> elo([Answer("a", "b")])
        {'a': 1516.0, 'b': 1484.0}
    """
    _check_positive(k=k)
    games = list(_games(answers))
    runs = []
    for order in _orders(len(games), shuffles, seed):
        points: dict[str, float] = {}
        for at in order:
            left, right, result, weight = games[at]
            one, two = points.get(left, start), points.get(right, start)
            moved = weight * k * (result - 1 / (1 + 10 ** _clip((two - one) / _ELO_SCALE)))
            points[left], points[right] = one + moved, two - moved
        runs.append(points)
    return {item: math.fsum(run[item] for run in runs) / len(runs) for item in sorted(runs[0])}


def trueskill(
    answers: Iterable[Answer],
    *,
    start: Skill | None = None,
    beta: float = 25 / 6,
    tau: float = 25 / 300,
    draw: float = 0.1,
    shuffles: int = 0,
    seed: int = 1,
) -> dict[str, Skill]:
    """TrueSkill for two players (Herbrich, Minka and Graepel 2006), which WMT ranked by from 2014 to 2016.

    Args:
        answers: The answers, in order. Weights do not count: a game was played once.
        start: The belief about a player never seen; 25 ± 25/3 if nothing is said.
        beta: The standard deviation of a performance around its skill.
        tau: What a game adds to a skill's standard deviation before it.
        draw: How often equals draw.
        shuffles: Give the mean over so many random orders, as Sakaguchi et al. (2014) do; 0 keeps the order given.
        seed: Of the orders.

    Example:
        >>> from tolka.judge import Answer
        >>> skills = trueskill([Answer("a", "b")])
        >>> round(skills["a"].mu, 3), round(skills["a"].sigma, 3), round(skills["b"].mu, 3)
        (29.396, 7.171, 20.604)
    """
    first = start if start is not None else Skill()
    _check_positive(beta=beta, sigma=first.sigma)
    if not 0 <= draw < 1:
        raise SettingsError(f"the chance of a draw is from 0 to below 1, not {draw:g}")
    if not (math.isfinite(tau) and tau >= 0):
        raise SettingsError(f"tau must be a number from 0, not {tau:g}")
    from scipy.special import ndtri  # noqa: PLC0415 - only this needs it

    margin = float(ndtri((draw + 1) / 2)) * math.sqrt(2) * beta
    games = list(_games(answers))
    runs = []
    for order in _orders(len(games), shuffles, seed):
        skills: dict[str, Skill] = {}
        for at in order:
            left, right, result, _ = games[at]
            winner, loser = (right, left) if result == 0 else (left, right)
            pair = skills.get(winner, first), skills.get(loser, first)
            skills[winner], skills[loser] = _played(*pair, beta, tau, margin, drawn=result == 0.5)  # noqa: PLR2004
        runs.append(skills)
    mean = len(runs)
    return {
        item: Skill(
            math.fsum(run[item].mu for run in runs) / mean,
            math.sqrt(math.fsum(run[item].sigma ** 2 for run in runs) / mean),
        )
        for item in sorted(runs[0])
    }


def rank_centrality(counts: Counts) -> Array:
    """Rank centrality (Negahban, Oh and Shah 2012): where a walk that goes from losers to winners spends its time.

    From i it goes to j with chance (share of answers in which j was chosen over i) / (most opponents of any item), and
    else it stays. Returned are logarithms with mean 0, which estimate Bradley and Terry's scores.

    Raises:
        InputError: The answers do not connect all items.

    Example:
        >>> rank_centrality(Counts.from_matrix(["a", "b"], [[0, 3], [1, 0]])).round(6).tolist()
        [0.549306, -0.549306]
    """
    require_finite_scores(counts)
    if counts.size == 1:
        return np.zeros(1)
    first, second, ahead, behind = counts.pairs
    table = np.zeros((counts.size, counts.size))
    table[second, first] = ahead / (ahead + behind)
    table[first, second] = behind / (ahead + behind)
    # The share p holds p (T - I) = 0 and adds up to 1: one of the equations is given up for the sum.
    np.fill_diagonal(table, -table.sum(axis=1))
    system = table.T.copy()
    system[-1] = 1
    goal = np.zeros(counts.size)
    goal[-1] = 1
    share = np.log(np.linalg.solve(system, goal))
    return np.asarray(share - share.mean(), dtype=np.float64)


def _games(answers: Iterable[Answer]) -> Iterator[tuple[str, str, float, float]]:
    """Left, right, the left one's result (1, 1/2 or 0) and the weight of every answer that counts."""
    results = {Choice.LEFT: 1.0, Choice.RIGHT: 0.0, Choice.TIE: 0.5}
    for answer in answers:
        check_answer(answer)
        if answer.test is None and answer.choice in results:
            yield answer.left, answer.right, results[answer.choice], answer.weight


def _orders(number: int, shuffles: int, seed: int) -> list[list[int]]:
    if number == 0:
        raise InputError("there are no answers to rank by")
    if shuffles < 0:
        raise SettingsError(f"there cannot be {shuffles} shuffles")
    if shuffles == 0:
        return [list(range(number))]
    rng = np.random.default_rng(seed)
    return [rng.permutation(number).tolist() for _ in range(shuffles)]


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise SettingsError(f"{name} must be a number above 0, not {value:g}")


def _clip(exponent: float) -> float:
    return min(max(exponent, -300.0), 300.0)


def _played(winner: Skill, loser: Skill, beta: float, tau: float, margin: float, *, drawn: bool) -> tuple[Skill, Skill]:
    """What a game makes of two beliefs; of a draw, either may be called the winner."""
    one, two = winner.sigma**2 + tau**2, loser.sigma**2 + tau**2
    c = math.sqrt(one + two + 2 * beta**2)
    t, e = (winner.mu - loser.mu) / c, margin / c
    v, w = _drawn(t, e) if drawn else _won(t - e)
    return (
        Skill(winner.mu + one / c * v, math.sqrt(one * max(1 - one / c**2 * w, 1e-12))),
        Skill(loser.mu - two / c * v, math.sqrt(two * max(1 - two / c**2 * w, 1e-12))),
    )


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _below(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _won(t: float) -> tuple[float, float]:
    """How far a win moves the mean and narrows the variance: a normal cut off below 0."""
    if t < -_FARTHEST:  # so unlikely that only the surprise itself matters
        return -t, 1.0
    v = _density(t) / _below(t)
    return v, v * (v + t)


def _drawn(t: float, margin: float) -> tuple[float, float]:
    """The same of a draw: a normal cut off outside the margin."""
    far = abs(t)
    if margin < 1e-9 or far - margin > _FARTHEST:  # noqa: PLR2004
        # A margin of nothing, or one so far away: the difference is where the margin's nearer end is.
        v = margin - far
        return (v if t > 0 else -v), 1.0
    mass = _below(margin - far) - _below(-margin - far)
    v = (_density(-margin - far) - _density(margin - far)) / mass
    w = v * v + ((margin - far) * _density(margin - far) + (margin + far) * _density(margin + far)) / mass
    return (v if t >= 0 else -v), w
