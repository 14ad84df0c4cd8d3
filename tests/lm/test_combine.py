"""Mixing and pruning against the definitions."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from twin import log_prob, read_arpa

from tolka.errors import InputError, SettingsError
from tolka.lm import LanguageModel, mix_lms, prune_lm, tune_weights


def corpus(words: str):
    return st.lists(st.lists(st.sampled_from(words), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=12)


def grams_of(tmp_path_factory, model: LanguageModel):
    path = tmp_path_factory.mktemp("arpa") / "m.arpa"
    model.save(path)
    return read_arpa(path)


def words_of(grams):
    return [gram[0] for gram in grams if len(gram) == 1 and gram != ("<s>",)]


CONTEXT = st.lists(st.sampled_from(["<s>", *"abcdef"]), max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    one=corpus("abcd"),
    two=corpus("cdef"),
    orders=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    context=CONTEXT,
    weight=st.floats(0.05, 0.95),
)
def test_linear(tmp_path_factory, one, two, orders, context, weight):
    models = [LanguageModel.train(one, orders[0]), LanguageModel.train(two, orders[1], "witten-bell")]
    mixed = grams_of(tmp_path_factory, mix_lms(models, [weight, 1 - weight]))
    parts = [grams_of(tmp_path_factory, model) for model in models]
    assert mixed.keys() == parts[0].keys() | parts[1].keys()
    for gram, (prob, _) in mixed.items():
        if gram == ("<s>",):
            continue
        means = [
            w * 10 ** log_prob(part, tuple(word if (word,) in part else "<unk>" for word in gram)[-order:])
            for w, part, order in zip((weight, 1 - weight), parts, orders, strict=True)
            if gram[-1:] in part
        ]
        assert 10**prob == pytest.approx(sum(means), abs=1e-5), gram
    # Whatever the context, the mixture is a distribution.
    context = [word for word in context if (word,) in mixed]
    total = math.fsum(10 ** log_prob(mixed, (*context, word)[-max(orders) :]) for word in words_of(mixed))
    assert total == pytest.approx(1.0, abs=1e-4)


@settings(max_examples=60, deadline=None)
@given(
    one=corpus("abcd"),
    two=corpus("cdef"),
    orders=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    context=CONTEXT,
    weights=st.tuples(st.floats(0.1, 1.2), st.floats(0.1, 1.2)),
)
def test_log_linear_is_exactly_the_normalised_product(tmp_path_factory, one, two, orders, context, weights):
    models = [LanguageModel.train(one, orders[0]), LanguageModel.train(two, orders[1])]
    mixed = grams_of(tmp_path_factory, mix_lms(models, weights, method="log-linear"))
    parts = [grams_of(tmp_path_factory, model) for model in models]
    context = [word for word in context if (word,) in mixed]

    def product(word: str) -> float:
        logs = (
            w * log_prob(part, tuple(x if (x,) in part else "<unk>" for x in (*context, word))[-order:])
            for w, part, order in zip(weights, parts, orders, strict=True)
        )
        return 10 ** sum(logs)

    total = math.fsum(product(word) for word in words_of(mixed))
    for word in words_of(mixed):
        found = 10 ** log_prob(mixed, (*context, word)[-max(orders) :])
        assert found == pytest.approx(product(word) / total, abs=1e-5), (context, word)


def naive_prune(grams, order, threshold):
    """Stolcke (1998), an order at a time from the top, as written in the paper."""
    grams = dict(grams)
    words = words_of(grams)

    def joint(context):
        if not context:
            return 1.0
        first = 10 ** grams[("</s>",) if context[0] == "<s>" else context[:1]][0]
        return first * math.prod(10 ** log_prob(grams, context[: i + 1]) for i in range(1, len(context)))

    def weight(context, seen):
        left = 1 - sum(10 ** grams[(*context, w)][0] for w in seen)
        below = 1 - sum(10 ** log_prob(grams, (*context, w)[1:]) for w in seen)
        return 0.0 if below < 1e-9 else math.log10(max(left, 1e-9 * below) / below)

    for n in range(order, 1, -1):
        used = {g[:-1] for g in grams if len(g) == n + 1} | {g[1:] for g in grams if len(g) == n + 1}
        gone = []
        for gram in [g for g in grams if len(g) == n and g not in used]:
            context, word = gram[:-1], gram[-1]
            seen = [w for w in words if (*context, w) in grams]
            p, below = 10 ** grams[gram][0], log_prob(grams, gram[1:])
            new = weight(context, [w for w in seen if w != word]) * math.log(10)
            old = grams[context][1] * math.log(10)
            mass = 1 - sum(10 ** grams[(*context, w)][0] for w in seen)
            change = p * (below * math.log(10) + new - math.log(p)) + (new - old) * mass
            if math.expm1(-joint(context) * change) < threshold:
                gone.append(gram)
        margin = {g: g for g in gone}
        for gram in margin:
            del grams[gram]
        for context in {g for g in grams if len(g) < order}:
            seen = [w for w in words if (*context, w) in grams]
            grams[context] = (grams[context][0], weight(context, seen) if seen else 0.0)
    return grams


@settings(max_examples=40, deadline=None)
@given(text=corpus("abcd"), order=st.integers(2, 3), threshold=st.sampled_from([0.003, 0.017, 0.06]))
def test_pruning_equals_the_twin(tmp_path_factory, text, order, threshold):
    model = LanguageModel.train(text, order, "witten-bell")
    grams = grams_of(tmp_path_factory, model)
    expected = naive_prune(grams, order, threshold)
    # An n-gram right at the threshold may fall on either side of it by rounding.
    assume(expected.keys() == naive_prune(grams, order, threshold * 1.001).keys())
    assume(expected.keys() == naive_prune(grams, order, threshold * 0.999).keys())
    found = grams_of(tmp_path_factory, prune_lm(model, threshold))
    assert found.keys() == expected.keys()
    longest = max(map(len, found))
    for gram, (prob, backoff) in expected.items():
        assert found[gram][0] == pytest.approx(prob, abs=1e-4)
        if len(gram) < longest and any(other[:-1] == gram for other in found):
            assert 10 ** found[gram][1] == pytest.approx(10**backoff, abs=1e-3)


def test_tuned_weights_beat_others():
    one = LanguageModel.train(["a b c d", "b c d a", "a a b"] * 3, 3)
    two = LanguageModel.train(["c d e f", "e f c d", "f f e"] * 3, 3)
    dev = ["a b c d", "c d e f", "a b a b", "x"]
    best = tune_weights([one, two], dev)
    assert sum(best) == pytest.approx(1.0, abs=1e-5)

    def likelihood(weight: float) -> float:
        total = 0.0
        for line in dev:
            scores = [model.word_scores(line) for model in (one, two)]
            for pair in zip(*scores, strict=True):
                parts = [0.0 if s.oov else 10**s.log10 for s in pair]
                mean = weight * parts[0] + (1 - weight) * parts[1]
                total += math.log(mean) if mean else 0.0
        return total

    assert all(likelihood(best[0]) >= likelihood(k / 100) - 1e-6 for k in range(1, 100))


def test_mistakes(tmp_path):
    model = LanguageModel.train(["a b"], 2)
    with pytest.raises(SettingsError, match="2 weights for 1 models"):
        mix_lms([model], [0.5, 0.5])
    with pytest.raises(SettingsError, match="do not sum to 1"):
        mix_lms([model, model], [0.5, 0.2])
    with pytest.raises(SettingsError, match="numbers from 0 up"):
        mix_lms([model, model], [float("nan"), 1.0])
    with pytest.raises(SettingsError, match="no model"):
        mix_lms([], [], method="log-linear")
    with pytest.raises(SettingsError, match="above 0"):
        prune_lm(model, 0.0)
    with pytest.raises(InputError, match="no word that a model knows"):
        tune_weights([model], [])
    model.save(tmp_path / "m.tlm")
    with pytest.raises(SettingsError, match="cannot be taken apart"):
        prune_lm(LanguageModel.load(tmp_path / "m.tlm"), 0.1)
