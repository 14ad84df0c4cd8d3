"""The engine's scores, search and features against the naive twin and worked examples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recurrent_twin import Model, Sentence, count_values, quantise

from tolka import _engine
from tolka.errors import FormatError, InputError, SettingsError

VARIANTS = {
    "rnn": {"cell": "rnn"},
    "gru": {"cell": "gru"},
    "gru-after": {"cell": "gru-after"},
    "joined": {"cell": "gru", "conjoin_only": True},
    "lexical": {"cell": "rnn", "forms": 6},
    "fragment": {"cell": "rnn", "inner": 5},
    "fragment-gru": {"cell": "gru", "inner": 3},
    "released": {"cell": "gru", "profile": "released", "forms": 6},
    "released-layer": {"cell": "rnn", "profile": "released", "layer": 7, "inner": 4},
}


def shape_of(variant, units=4):
    settings = {"profile": "text", "inner": 0, "forms": 0, "layer": 1, "conjoin_only": False, **VARIANTS[variant]}
    return _engine.RecurrentShape(units=units, **settings)


def flat(rows, dtype=np.uint32):
    return np.array(list(itertools.chain.from_iterable(rows)), dtype)


def corpus_of(sentences):
    offsets = np.cumsum([0, *(len(heads) for heads, *_ in sentences)]).astype(np.uint64)
    return _engine.RecurrentCorpus(offsets, *(flat(column) for column in zip(*sentences, strict=True)))


@st.composite
def random_sentence(draw, most=6):
    """Heads of a tree or forest (any vertex may hang from one drawn before it), tags, relations, forms."""
    n = draw(st.integers(1, most))
    names = draw(st.permutations(range(n)))
    heads = [0] * n
    for at in range(1, n):
        above = draw(st.integers(-1, at - 1))
        heads[names[at]] = 0 if above < 0 else names[above] + 1
    ids = st.lists(st.integers(0, 6), min_size=n, max_size=n)
    return heads, draw(ids), draw(ids), draw(ids)


def model_of(variant, sentences, orders, least=1, seed=0):
    shape, corpus = shape_of(variant), corpus_of(sentences)
    keys = shape.learn_values(corpus, flat(orders), least)
    random = np.random.default_rng(seed)
    sizes = shape.sizes(*keys)
    tensors = {name: random.uniform(-0.5, 0.5, size).astype(np.float32) for name, size in sizes.items()}
    model = _engine.RecurrentModel(shape, *keys, [(name, tensor.ravel()) for name, tensor in tensors.items()])
    kept = {name: tensor.astype(np.float64) for name, tensor in tensors.items() if tensor.size}
    released = VARIANTS[variant].get("profile") == "released"
    joined = VARIANTS[variant].get("conjoin_only", False)
    twin = Model(VARIANTS[variant]["cell"], kept, *keys, released=released, conjoin_only=joined)
    return model, twin, corpus


def twin_sentence(sentence, forms=6):
    heads, tags, relations, words = sentence
    return Sentence(heads, tags, relations, [form if form < forms else 0 for form in words])


def test_distances():
    cases = {
        -25: -10,
        -10: -10,
        -9: -5,
        -6: -5,
        -5: -5,
        -4: -4,
        -1: -1,
        1: 1,
        2: 2,
        4: 4,
        5: 5,
        6: 5,
        9: 5,
        10: 10,
        11: 10,
    }
    assert {d: quantise(d) for d in cases} == cases


def given_arrays():
    inputs, candidates = np.zeros((4, 3, 2), np.float32), np.zeros((4, 3, 2), np.float32)
    for last in range(4):
        e = 0 if last == 3 else last + 1
        for j in (1, 2, 3):
            inputs[last, j - 1] = 0.1 * j - 0.05 * e, 0.2 - 0.1 * j * (e + 1)
            candidates[last, j - 1] = 0.3 * (j - e), 0.1 * j + 0.05 * e
    return inputs, candidates


def run_given(order, beam, cell="rnn", offsets=(0.7, 0.2)):
    inputs, candidates = given_arrays()
    return _engine.recurrent_given(
        cell,
        inputs=inputs.ravel(),
        candidates=candidates.ravel(),
        recurrent=np.array([0.5, -0.2, 0.1, 0.4], np.float32),
        start=np.array([0.1, -0.1], np.float32),
        scale=np.array([1.5, -0.5], np.float32),
        offsets=offsets,
        order=order,
        beam=beam,
    )


def test_worked_example():
    """Three words, two units; probabilities of all six orders."""
    expected = {"123": 0.155605, "132": 0.165040, "213": 0.147760, "231": 0.186554, "312": 0.160773, "321": 0.184268}
    for name, probability in expected.items():
        order = [int(letter) - 1 for letter in name]
        for offsets in ((0.7, 0.2), (0.0, 0.0)):
            found, best, score = run_given(order, 6, offsets=offsets)
            assert math.exp(found) == pytest.approx(probability, abs=2e-6)
        assert best == [1, 2, 0]
        assert score == pytest.approx(-1.679036, abs=1e-5)
    assert -run_given([1, 2, 0], 1)[0] / math.log(2) / 3 == pytest.approx(0.807446, abs=1e-5)
    with pytest.raises(SettingsError, match="no permutation"):
        run_given([1, 1, 0], 1)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_log_likelihoods_are_the_twins(variant, data):
    sentences = data.draw(st.lists(random_sentence(), min_size=1, max_size=3))
    orders = [data.draw(st.permutations(range(len(heads)))) for heads, *_ in sentences]
    model, twin, corpus = model_of(variant, sentences, orders, least=data.draw(st.integers(1, 3)))
    found = model.log_likelihoods(corpus, flat(orders), threads=1)
    expected = [twin.log_likelihood(twin_sentence(s), list(order)) for s, order in zip(sentences, orders, strict=True)]
    assert found == pytest.approx(expected, abs=2e-4)
    # Sentences the dictionary has not seen.
    other = data.draw(random_sentence())
    order = data.draw(st.permutations(range(len(other[0]))))
    (found,) = model.log_likelihoods(corpus_of([other]), flat([order]), threads=1)
    assert found == pytest.approx(twin.log_likelihood(twin_sentence(other), list(order)), abs=2e-4)


@pytest.mark.parametrize("variant", ["gru", "released"])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_values_are_the_twins(variant, data):
    sentences = data.draw(st.lists(random_sentence(), min_size=1, max_size=3))
    orders = [data.draw(st.permutations(range(len(heads)))) for heads, *_ in sentences]
    least = data.draw(st.integers(1, 4))
    found, steps = shape_of(variant).learn_values(corpus_of(sentences), flat(orders), least)
    counts = count_values([twin_sentence(s) for s in sentences], orders, released=variant == "released")
    assert found.tolist() == sorted(key for key, count in counts.items() if count >= least)
    assert not len(steps)


@pytest.mark.parametrize("variant", ["rnn", "gru", "fragment", "released"])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_search_is_exhaustive_where_the_beam_is_wide(variant, data):
    sentence = data.draw(random_sentence(most=5))
    words = range(len(sentence[0]))
    model, _, corpus = model_of(variant, [sentence], [list(words)], seed=data.draw(st.integers(0, 9)))
    all_orders = list(itertools.permutations(words))
    many = corpus_of([sentence] * len(all_orders))
    sums = model.log_likelihoods(many, flat(all_orders), threads=1)
    assert math.fsum(np.exp(sums)) == pytest.approx(1, abs=1e-4)
    beam = max(1, math.factorial(len(words)) // 2)
    order, score = model.orders(corpus, beam=beam, longest=99, threads=1)
    assert score[0] == pytest.approx(sums.max(), abs=1e-5)
    assert sums[all_orders.index(tuple(order.tolist()))] == pytest.approx(sums.max(), abs=1e-5)


@settings(max_examples=15, deadline=None)
@given(sentence=random_sentence(most=9))
def test_walks_together_are_walks_alone(sentence):
    model, twin, corpus = model_of("fragment", [sentence], [range(len(sentence[0]))])
    words = len(sentence[0])
    for last in range(words + 1):
        found = model.inner_states(corpus, 0, last).reshape(words, -1)
        for j in range(words):
            if j != last:
                expected = twin.inner(twin_sentence(sentence), None if last == words else last, j)
                assert found[j] == pytest.approx(expected, abs=1e-5)


def random_corpus(count, seed=0):
    random = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        n = int(random.integers(1, 14))
        heads = [0] + [int(random.integers(1, at + 1)) for at in range(1, n)]
        sentences.append((heads, *(random.integers(3, 9, n).tolist() for _ in range(3))))
    return sentences


@pytest.mark.parametrize("variant", ["gru", "fragment-gru"])
def test_threads_do_not_matter(variant):
    sentences = random_corpus(40)
    orders = [list(range(len(heads))) for heads, *_ in sentences]
    model, _, corpus = model_of(variant, sentences, orders)
    one, three = (model.orders(corpus, beam=3, longest=10, threads=threads) for threads in (1, 3))
    for found, expected in zip(three, one, strict=True):
        np.testing.assert_array_equal(found, expected)
    order, _ = one
    at = 0
    for heads, *_ in sentences:
        part = order[at : at + len(heads)].tolist()
        assert sorted(part) == list(range(len(heads)))
        if len(heads) > 10:
            assert part == sorted(part)
        at += len(heads)


def test_optimisers_are_those_of_optax():
    optax = pytest.importorskip("optax")
    random = np.random.default_rng(1)
    start = random.normal(size=20).astype(np.float32)
    adam = {"rate": 0.01, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    rules = {"adam": (optax.adam(0.01), adam), "adadelta": (optax.adadelta(1.0, rho=0.95, eps=1e-6), None)}
    for name, (oracle, given_settings) in rules.items():
        values = given_settings or {"rate": 1.0, "beta1": 0.0, "beta2": 0.95, "epsilon": 1e-6}
        rule = _engine.RecurrentRule(name, **values, clip=0.8, l2=0.1)
        found, first, second = start, np.zeros(20, np.float32), np.zeros(20, np.float32)
        expected, state = start, oracle.init(start)
        for step in range(1, 8):
            gradient = random.normal(size=20).astype(np.float32)
            found, first, second = rule.update(step, found, gradient, first, second)
            changed, state = oracle.update(np.clip(gradient, -0.8, 0.8) + 0.1 * expected, state, expected)
            expected = np.asarray(optax.apply_updates(expected, changed))
            assert found == pytest.approx(expected, abs=2e-5)


def test_malformed_input():
    sentence = ([2, 0], [3, 3], [3, 3], [3, 3])
    model, _, corpus = model_of("gru", [sentence], [[0, 1]])
    with pytest.raises(InputError, match="permutation"):
        model.log_likelihoods(corpus, np.array([0, 0], np.uint32), threads=1)
    with pytest.raises(InputError, match="circle"):
        model.orders(corpus_of([([2, 1], *sentence[1:])]), beam=1, longest=9, threads=1)
    with pytest.raises(InputError, match="must rise from 0"):
        _engine.RecurrentCorpus(np.array([0, 3], np.uint64), *(flat([column]) for column in sentence))
    with pytest.raises(SettingsError, match="beam"):
        model.orders(corpus, beam=0, longest=9, threads=1)
    shape = shape_of("gru")
    keys = shape.learn_values(corpus, np.array([0, 1], np.uint32), 1)
    tensors = dict(model.tensors())
    for changed, message in [
        ({"start": np.zeros(3, np.float32)}, "start of the model has 3 numbers instead of 4"),
        ({"start": np.full(4, np.nan, np.float32)}, "not finite"),
        ({"steps": np.zeros(3, np.float32)}, "steps"),
        ({"stars": np.zeros(3, np.float32)}, "no tensor stars"),
    ]:
        with pytest.raises(FormatError, match=message):
            _engine.RecurrentModel(shape, *keys, list({**tensors, **changed}.items()))
    with pytest.raises(FormatError, match="ascending"):
        _engine.RecurrentModel(shape, keys[0][::-1].copy(), keys[1], list(tensors.items()))


def test_what_a_trainer_gathered_must_fit():
    model, _, corpus = model_of("gru", [([2, 0], [3, 3], [3, 3], [3, 3])], [[0, 1]])
    rule = _engine.RecurrentRule("adam", rate=0.5, beta1=0.9, beta2=0.9, epsilon=1e-8, clip=1, l2=0)
    trainer = _engine.RecurrentTrainer(model, corpus, np.array([0, 1], np.uint32), rule)
    step, rate, averages = trainer.gathered()
    assert (step, rate) == (0, 0.5)
    assert {name for name, _, _ in averages} == {name for name, _ in model.tensors()}
    trainer.resume(7, 0.25, averages)
    assert trainer.gathered()[:2] == (7, 0.25)
    name, first, second = averages[0]
    odd = np.full_like(second, np.nan)
    for wrong, message in [
        (averages[1:], "averages of input do not fit"),
        ([(name, first[1:], second), *averages[1:]], "averages of input do not fit"),
        ([(name, first, odd), *averages[1:]], "averages of input do not fit"),
        ([*averages, ("stars", first, second)], "no tensor stars"),
    ]:
        with pytest.raises(FormatError, match=message):
            trainer.resume(8, 0.25, wrong)
    with pytest.raises(SettingsError, match="rate"):
        trainer.resume(8, 0.0, averages)
    assert trainer.gathered()[:2] == (7, 0.25)
