"""Which pair next: the worked example of the specification (9.1), and what must hold for any belief."""

import numpy as np
import pytest
from scipy.special import ndtr

from tolka.errors import InputError, LimitError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.ask import ColdStart, Interview, Pair, PairBelief, choose, order_information, strategy_named
from tolka.judge.ask.information import binary_entropy, gaussian_information
from tolka.judge.rank import Laplace, Logistic, Probit

EXAMPLE = [
    *[Answer("A", "B")] * 2,
    Answer("B", "A"),
    Answer("A", "C"),
    Answer("B", "C"),
    Answer("C", "B"),
    *[Answer("B", "D")] * 2,
    Answer("C", "D"),
    Answer("D", "C"),
]
# Pairs in the order AB, AC, AD, BC, BD, CD.
LAPLACE = [0.109286, 0.126412, 0.120103, 0.113403, 0.115599, 0.125934]
EXACT = [0.119406, 0.110917, 0.091460, 0.123076, 0.105165, 0.146700]
EXACT_PRIOR = [0.100151, 0.106738, 0.100961, 0.101736, 0.097120, 0.118003]


def example(**given):
    belief = PairBelief("ABCD", **given)
    belief.learn(EXAMPLE)
    return belief


def asked_next(belief):
    return belief.questions()[int(belief.information().argmax())]


def test_gaussian_information():
    belief = example(prior=0, method="gaussian")
    assert belief.information() == pytest.approx(LAPLACE, abs=1e-6)
    assert asked_next(belief) == Pair("A", "C")


@pytest.mark.parametrize(("prior", "expected"), [(0, EXACT), (0.25, EXACT_PRIOR)])
def test_sampled_information(prior, expected):
    belief = example(prior=prior, method="sampled", draws=20_000)
    assert belief.information() == pytest.approx(expected, rel=0.04)
    assert asked_next(belief) == Pair("C", "D")
    assert belief.posterior.ess > 10_000


def test_information_does_not_depend_on_the_unit():
    told = [example(prior=prior, activation=Logistic(kappa)).information() for kappa in (1, 2) for prior in (0, 0.25)]
    assert told[0] == pytest.approx(told[2], abs=1e-6)
    assert told[1] == pytest.approx(told[3], abs=1e-6)


def test_one_answer_moves_all():
    belief = example(prior=0)
    assert belief.mean == pytest.approx([1.332085, 0.432893, -0.548254, -1.216724], abs=1e-5)
    belief.update(("C", "D"), Choice.LEFT)
    assert belief.mean == pytest.approx([1.387183, 0.465103, -0.375963, -1.476323], abs=1e-5)


def test_ties_count_half_and_indecision_nothing():
    belief, other = PairBelief("ab"), PairBelief("ab")
    belief.update(("a", "b"), Choice.TIE)
    belief.update(("a", "b"), Choice.UNDECIDED)
    assert belief.mean == pytest.approx([0, 0])
    assert belief.asked[0, 1] == 1
    for choice in (Choice.LEFT, Choice.RIGHT):
        other.update(("a", "b"), choice)
    assert belief.counts().total == 1
    assert other.covariance[0, 0] < belief.covariance[0, 0]


def test_activations_without_a_warm_fit():
    belief = example(activation=Laplace())
    assert belief.mean[0] > belief.mean[3]
    assert (belief.information() > 0).all()


def test_quadrature_against_draws():
    rng = np.random.default_rng(1)
    gaps, deviations = np.array([0.0, 0.7, 3.0]), np.array([0.3, 1.2, 1.0])
    chance = Probit().cdf(gaps[:, None] + deviations[:, None] * rng.standard_normal(400_000))
    expected = binary_entropy(chance.mean(axis=1)) - binary_entropy(chance).mean(axis=1)
    assert gaussian_information(gaps, deviations, Probit()) == pytest.approx(expected, abs=1e-3)


def brute_order_information(mean, covariance, i, j):
    """The information of an answer about i and j about every "is a above b?", by integrating the joint Gaussian."""
    nodes = np.linspace(-8, 8, 8001)  # a step function is integrated, too: a fine grid, not a quadrature of polynomials
    weights = np.exp(-nodes * nodes / 2)
    weights = weights / weights.sum()
    asked = np.zeros(len(mean))
    asked[i], asked[j] = 1, -1
    gap, variance = asked @ mean, asked @ covariance @ asked
    gaps = gap + np.sqrt(variance) * nodes
    yes = 1 / (1 + np.exp(-gaps))
    total = 0.0
    for a in range(len(mean)):
        for b in range(a):
            other = np.zeros(len(mean))
            other[a], other[b] = 1, -1
            shared = other @ covariance @ asked
            inner = other @ mean + shared / variance * (gaps - gap)
            rest = max(other @ covariance @ other - shared**2 / variance, 1e-12)
            above = ndtr(inner / np.sqrt(rest))
            p, chance = weights @ yes, weights @ above
            split = [(weights @ (yes * above)) / p, (weights @ ((1 - yes) * above)) / (1 - p)]
            after = binary_entropy(np.array(split))
            total += float(binary_entropy(np.array([chance]))[0] - p * after[0] - (1 - p) * after[1])
    return total


@pytest.mark.parametrize(("known", "near"), [(0.15, 0.4), (0.05, 0.05)])
def test_order_information_against_brute_force(known, near):
    """The second-order formula is exact where an answer tells little, and a fair guide where it tells more."""
    rng = np.random.default_rng(2)
    mean = rng.normal(0, 3 * known, 5)
    root = rng.normal(0, known, (5, 7))
    covariance = root @ root.T
    left, right = np.triu_indices(5, 1)
    quick = order_information(mean, covariance, left, right, Logistic())
    slow = np.array([brute_order_information(mean, covariance, i, j) for i, j in zip(left, right, strict=True)])
    assert quick == pytest.approx(slow, rel=near)
    assert quick.argmax() == slow.argmax()


def test_order_is_not_asked_where_it_is_settled():
    belief = PairBelief("abc")
    belief.learn([*[Answer("a", "b")] * 200, *[Answer("b", "c")] * 12, *[Answer("c", "b")] * 10])
    values = strategy_named("order").values(belief, np.random.default_rng(0))
    assert belief.questions()[int(values.argmax())] == Pair("b", "c")


def test_a_batch_spreads():
    """After 60 answers about a and b, and few about the rest, the best pair alone is not the best batch."""
    belief = PairBelief("abcdefgh")
    rng = np.random.default_rng(0)
    batch = choose(belief, strategy_named("information"), 8, rng=rng)
    # Nothing is known: imagining an answer, each of the first four questions is about two new items.
    assert len({name for pair in batch[:4] for name in pair}) == 8
    assert len(set(batch)) == 8


def test_imagined_answers_shrink_what_is_learnt():
    belief = example()
    best = asked_next(belief)
    before = belief.information()
    imagined = belief.imagine(best)
    assert (imagined.information() <= before + 1e-12).all()
    assert imagined.mean == pytest.approx(belief.mean)
    assert belief.information() == pytest.approx(before)  # the belief itself is as it was
    # The determinant falls by exactly what one more answer of this weight takes away.
    left, right = belief.items.index(best.left), belief.items.index(best.right)
    gap = np.zeros(4)
    gap[left], gap[right] = 1, -1
    weight = float(belief.activation.information(belief.mean[left] - belief.mean[right]))
    precision = np.linalg.pinv(belief.covariance) + weight * np.outer(gap, gap)
    assert np.linalg.pinv(imagined.covariance) == pytest.approx(precision, abs=1e-8)


def test_only_given_pairs_are_asked():
    belief = PairBelief("abc", pairs=[("c", "a"), ("a", "c"), ("b", "c")])
    assert belief.questions() == [("a", "c"), ("b", "c")]
    assert len(belief.information()) == 2
    for name in ("information", "order", "random", "uniform", "adjacent", "trueskill"):
        assert len(strategy_named(name).values(belief, np.random.default_rng(0))) == 2


def test_uniform_asks_every_pair_equally_often():
    belief = PairBelief("abcde")
    Interview(belief, strategy=strategy_named("uniform"), seed=1)
    rng = np.random.default_rng(1)
    for _ in range(30):
        belief.update(choose(belief, strategy_named("uniform"), rng=rng)[0], Choice.LEFT)
    assert set(belief.asked[np.triu_indices(5, 1)]) == {3.0}


def test_adjacent_asks_neighbours():
    belief = PairBelief("abcd")
    belief.learn([*[Answer("a", "b")] * 9, *[Answer("b", "c")] * 9, *[Answer("c", "d")] * 9])
    rng = np.random.default_rng(1)
    asked = {choose(belief, strategy_named("adjacent"), rng=rng)[0] for _ in range(30)}
    assert asked == {("a", "b"), ("b", "c"), ("c", "d")}


def test_trueskill_matches_the_least_known():
    belief = PairBelief("abcd")
    belief.learn([*[Answer("a", "b")] * 9, *[Answer("b", "a")] * 9, *[Answer("a", "c")] * 9])
    rng = np.random.default_rng(1)
    assert "d" in choose(belief, strategy_named("trueskill"), rng=rng)[0]
    asked = choose(PairBelief("abcdef"), strategy_named("trueskill"), 30, rng=rng)
    assert {name for pair in asked for name in pair} == set("abcdef")  # it does not stay with two of them


def test_cold_start_without_a_prior():
    belief = PairBelief("abcdef", prior=0)
    with pytest.raises(InputError):
        belief.information()
    interview = Interview(belief, strategy=ColdStart(strategy_named("information")), seed=4)
    judge = np.random.default_rng(0)
    for number in range(200):
        [pair] = interview.next()
        interview.learn(pair, Choice.LEFT if judge.random() < 0.6 else Choice.RIGHT)
        if number == 5:
            # The first round goes through all items in a cycle: every one of them was asked about twice.
            assert (belief.asked.sum(axis=1) == 2).all()
    assert belief.proper
    assert np.isfinite(belief.mean).all()


def test_many_items():
    belief = PairBelief([f"s{at}" for at in range(150)])
    told = belief.information()
    assert len(told) == 150 * 149 // 2
    assert np.ptp(told) < 1e-9


@pytest.mark.parametrize("items", [["a"], ["a", "a"]])
def test_too_few_items(items):
    with pytest.raises(SettingsError):
        PairBelief(items)


def test_too_many_items_and_unknown_ones():
    with pytest.raises(LimitError):
        PairBelief([str(at) for at in range(3001)])
    with pytest.raises(SettingsError, match="no item 'x'"):
        PairBelief("ab").update(("a", "x"), Choice.LEFT)
    with pytest.raises(SettingsError, match="no strategy 'best'"):
        strategy_named("best")
