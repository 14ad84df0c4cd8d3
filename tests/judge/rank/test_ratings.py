"""Baselines: published values, exact formulas, and the integrals that TrueSkill's closed forms stand for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tolka.errors import InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.rank import Counts, Likelihood, newton
from tolka.judge.rank.ratings import Skill, _played, elo, rank_centrality, ratings, trueskill, win_rate


class TestElo:
    def test_the_formula(self):
        # Two rated 1613 and 1609: the stronger is expected to win 0.5058 of games (Elo 1978).
        games = [Answer("a", "b"), Answer("b", "c", Choice.TIE), Answer("c", "a")]
        a, b = 1516.0, 1484.0
        b_moved = 32 * (0.5 - 1 / (1 + 10 ** ((1500 - b) / 400)))
        b, c = b + b_moved, 1500 - b_moved
        c_moved = 32 * (1 - 1 / (1 + 10 ** ((a - c) / 400)))
        assert elo(games) == pytest.approx({"a": a - c_moved, "b": b, "c": c + c_moved}, abs=1e-10)

    def test_points_are_never_made_or_lost(self):
        rng = np.random.default_rng(1)
        games = [Answer(*rng.choice(list("abcd"), 2, replace=False)) for _ in range(200)]
        assert math.fsum(elo(games).values()) == pytest.approx(4 * 1500)
        assert math.fsum(elo(games, shuffles=3, start=1000).values()) == pytest.approx(4 * 1000)

    def test_order_matters_and_shuffles_take_it_out(self):
        games = [Answer("a", "b")] * 10 + [Answer("b", "a")] * 10
        assert elo(games)["a"] < 1500 < elo(games[::-1])["a"]
        many = elo(games, shuffles=400)
        assert many["a"] == pytest.approx(1500, abs=5)
        assert many == elo(games, shuffles=400)

    def test_tests_and_undecided_do_not_count(self):
        games = [Answer("a", "b"), Answer("b", "a", Choice.UNDECIDED), Answer("b", "a", test=Choice.LEFT)]
        assert elo(games) == elo(games[:1])
        with pytest.raises(InputError, match="no answers"):
            elo(games[1:])

    def test_settings(self):
        for wrong in ({"k": 0}, {"k": math.inf}, {"shuffles": -1}):
            with pytest.raises(SettingsError):
                elo([Answer("a", "b")], **wrong)

    def test_extremes_stay_finite(self):
        assert all(map(math.isfinite, elo([Answer("a", "b", weight=1e9)] * 3).values()))


def moments(winner, loser, *, beta, tau, margin, drawn):
    """The winner's and the loser's belief after a game, by integrating over the difference of their performances."""
    one, two = winner.sigma**2 + tau**2, loser.sigma**2 + tau**2
    spread = math.sqrt(one + two + 2 * beta**2)
    mean = winner.mu - loser.mu
    low, high = (-margin, margin) if drawn else (margin, mean + 12 * spread + margin)
    places, weights = np.polynomial.legendre.leggauss(400)
    at = (low + high) / 2 + (high - low) / 2 * places
    # The same factor everywhere, so that nothing underflows far from the mean.
    exponent = -(((at - mean) / spread) ** 2) / 2
    density = weights * np.exp(exponent - exponent.max())
    mass, first, second = (float(density @ at**power) for power in range(3))
    shifted, variance = first / mass, second / mass - (first / mass) ** 2
    found = []
    for skill, own, sign in ((winner, one, 1), (loser, two, -1)):
        share = own / spread**2
        found.append((skill.mu + sign * share * (shifted - mean), math.sqrt(own - own * share + share**2 * variance)))
    return found


class TestTrueSkill:
    def test_published_values(self):
        # What the reference implementations print for two new players with their default settings.
        skills = trueskill([Answer("a", "b")], beta=4.1667, tau=0.0833, start=Skill(25, 8.333))
        assert skills["a"].mu == pytest.approx(29.396, abs=1e-3)
        assert skills["b"].mu == pytest.approx(20.604, abs=1e-3)
        assert skills["a"].sigma == pytest.approx(7.171, abs=1e-3)
        assert skills["b"].sigma == pytest.approx(7.171, abs=1e-3)
        drawn = trueskill([Answer("a", "b", Choice.TIE)])
        assert [drawn["a"].mu, drawn["b"].mu] == pytest.approx([25, 25])
        assert drawn["a"].sigma == pytest.approx(6.458, abs=1e-3)

    @given(
        mu=st.tuples(st.floats(10, 40), st.floats(10, 40)),
        sigma=st.tuples(st.floats(1, 9), st.floats(1, 9)),
        draw=st.floats(0.01, 0.5),
        drawn=st.booleans(),
    )
    def test_closed_form_equals_integral(self, mu, sigma, draw, drawn):
        beta, tau = 25 / 6, 25 / 300
        margin = stats.norm.ppf((draw + 1) / 2) * math.sqrt(2) * beta
        players = Skill(mu[0], sigma[0]), Skill(mu[1], sigma[1])
        found = _played(*players, beta, tau, margin, drawn=drawn)
        expected = moments(*players, beta=beta, tau=tau, margin=margin, drawn=drawn)
        for one, (mean, error) in zip(found, expected, strict=True):
            assert one.mu == pytest.approx(mean, abs=1e-5)
            assert one.sigma == pytest.approx(error, abs=1e-5)

    def test_right_is_left_mirrored(self):
        assert trueskill([Answer("a", "b", Choice.RIGHT)]) == trueskill([Answer("b", "a")])
        mirrored = trueskill([Answer("a", "c"), Answer("b", "a", Choice.TIE)])
        assert trueskill([Answer("a", "c"), Answer("a", "b", Choice.TIE)]) == pytest.approx(mirrored)

    @pytest.mark.parametrize("choice", [Choice.RIGHT, Choice.TIE])
    @pytest.mark.parametrize("draw", [0.0, 0.1])
    def test_extreme_surprise_stays_finite(self, choice, draw):
        skills = trueskill([*[Answer("a", "b")] * 2000, *[Answer("a", "b", choice)] * 3], tau=0, beta=0.01, draw=draw)
        assert all(math.isfinite(one.mu) and one.sigma > 0 for one in skills.values())

    def test_settings(self):
        for wrong in ({"draw": 1}, {"beta": 0}, {"tau": -1}, {"start": Skill(25, 0)}):
            with pytest.raises(SettingsError):
                trueskill([Answer("a", "b")], **wrong)


class TestRankCentrality:
    @given(st.integers(2, 6), st.integers(0, 10_000))
    def test_equals_walking(self, size, seed):
        rng = np.random.default_rng(seed)
        table = rng.integers(1, 9, (size, size)).astype(float)
        np.fill_diagonal(table, 0)
        counts = Counts.from_matrix([str(i) for i in range(size)], table)
        chances = table.T / (table + table.T + np.eye(size)) / size
        chances += np.diag(1 - chances.sum(axis=1))
        share = np.full(size, 1 / size)
        for _ in range(2000):
            share = share @ chances
        expected = np.log(share) - np.log(share).mean()
        assert rank_centrality(counts) == pytest.approx(expected, abs=1e-8)

    def test_finds_the_scores_of_exact_rates(self):
        strength = np.array([1.0, 2.0, 5.0, 0.5])
        table = 100 * strength[:, None] / (strength[:, None] + strength)
        np.fill_diagonal(table, 0)
        counts = Counts.from_matrix(list("abcd"), table)
        assert rank_centrality(counts) == pytest.approx(newton(Likelihood(counts)).scores, abs=1e-8)

    def test_needs_connection(self):
        with pytest.raises(InputError, match="do not connect"):
            rank_centrality(Counts.of([Answer("a", "b")]))


class TestAll:
    def test_worked_example(self):
        table = [[0, 2, 1, 0], [1, 0, 1, 2], [0, 1, 0, 1], [0, 0, 1, 0]]
        counts = Counts.from_matrix(list("abcd"), table)
        assert win_rate(counts).tolist() == pytest.approx([3 / 4, 4 / 7, 2 / 5, 1 / 4])
        answers = [Answer("abcd"[i], "abcd"[j]) for i in range(4) for j in range(4) for _ in range(table[i][j])]
        found = ratings(answers)
        assert [one.expected_wins for one in found] == pytest.approx([0.8333, 0.6111, 0.3333, 0.25], abs=5e-5)
        assert [one.item for one in sorted(found, key=lambda one: -one.trueskill)] == list("abcd")

    def test_table(self):
        answers = [Answer("a", "b")] * 3 + [Answer("b", "c", Choice.TIE)] + [Answer("c", "a")]
        found = {one.item: one for one in ratings(answers)}
        assert list(found) == ["a", "b", "c"]
        assert found["a"].win_rate == 0.75
        assert found["b"].win_rate == pytest.approx(0.5 / 4)
        assert found["b"].rank_centrality is not None
        assert found["a"].as_json()["elo"] == pytest.approx(elo(answers)["a"])
        assert ratings(answers[:3])[0].rank_centrality is None
        with pytest.raises(InputError):
            ratings([])
