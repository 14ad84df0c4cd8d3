"""All tuners: against naive twins, on planted weights, and on input that is not as it should be."""

import math

import naive_tuners
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import InputError, LimitError, SettingsError
from tolka.limits import Limits
from tolka.tune import Hypothesis, HypothesisRows, NBestLists, Tuner

KINDS = ("mira", "pro", "mert")
NAMES = ("f", "g", "h")
BACKGROUND = [4.0, 4.0, 4.0, 3.0, 2.0, 1.0, 4.0, 3.0, 2.0, 1.0]

VALUE = st.integers(-8, 8).map(lambda number: number / 4)
WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=6).map(" ".join)
ENTRY = st.tuples(WORDS, st.tuples(VALUE, VALUE, VALUE))
SENTENCE = st.tuples(WORDS, st.lists(ENTRY, max_size=6))
CORPUS = st.lists(SENTENCE, min_size=1, max_size=5).filter(lambda corpus: any(entries for _, entries in corpus))
WEIGHTS = st.tuples(VALUE, VALUE, VALUE)


def gather(corpus, metric="bleu"):
    """Lists of the engine, and the same for the twins."""
    lists = NBestLists([reference for reference, _ in corpus], NAMES, metric=metric)
    lists.add([[Hypothesis(words, dict(zip(NAMES, row, strict=True))) for words, row in own] for _, own in corpus])
    engine = lists.engine_metric()
    plain = []
    for sentence, (_, own) in enumerate(corpus):
        unique = list(dict.fromkeys(own))
        texts = lists._table.texts([words for words, _ in unique], "none")
        rows = engine.stats(texts, np.full(len(unique), sentence, dtype=np.uint32))
        plain.append([(row, stats) for (_, row), stats in zip(unique, rows, strict=True)])
    return lists, plain, engine


def named(weights):
    return dict(zip(NAMES, weights, strict=True))


@settings(max_examples=150, deadline=None)
@given(CORPUS, WEIGHTS, st.integers(0, 2))
def test_mert_is_exact_along_a_line(corpus, start, axis):
    lists, plain, engine = gather(corpus)
    frozen = [name for at, name in enumerate(NAMES) if at != axis]
    tuner = Tuner("mert", restarts=1, directions=0, frozen=frozen).fit(lists, named(start))
    assert tuner.history_[0] == pytest.approx(naive_tuners.corpus_score(engine.score, plain, start))
    assert tuner.score_ == pytest.approx(naive_tuners.best_on_line(engine.score, plain, start, axis))
    found = [tuner.weights_[name] for name in NAMES]
    assert tuner.score_ == pytest.approx(naive_tuners.corpus_score(engine.score, plain, found))
    assert all(tuner.weights_[name] == named(start)[name] for name in frozen)


@settings(max_examples=100, deadline=None)
@given(CORPUS, WEIGHTS, st.integers(0, 1000))
def test_mira_is_its_definition(corpus, start, seed):
    lists, plain, engine = gather(corpus)
    tuner = Tuner("mira", seed=seed, epochs=7).fit(lists, named(start))
    score, weights = naive_tuners.mira(engine.score, plain, start, background=BACKGROUND, seed=seed, epochs=7)
    assert tuner.score_ == pytest.approx(score)
    assert [tuner.weights_[name] for name in NAMES] == pytest.approx(weights, abs=1e-9)
    assert len(tuner.history_) == 8


@settings(max_examples=60, deadline=None)
@given(CORPUS, WEIGHTS, st.integers(0, 1000))
def test_pro_is_its_definition(corpus, start, seed):
    lists, plain, engine = gather(corpus)
    options = {"candidates": 40, "kept": 10, "threshold": 0.05, "penalty": 0.5}
    tuner = Tuner("pro", seed=seed, interpolation=0.25, iterations=1000, **options).fit(lists, named(start))
    learned = naive_tuners.pro(engine.sentence_scores, plain, start, seed=seed, **options)
    expected = start if learned is None else 0.25 * learned + 0.75 * np.array(start)
    assert [tuner.weights_[name] for name in NAMES] == pytest.approx(list(expected), abs=1e-4)


def planted(metric="bleu"):
    """Translations of which f counts the right words; g is noise; the sparse feature marks bad ones."""
    random = np.random.default_rng(3)
    references, lists = [], []
    for _ in range(15):
        right = [f"w{number}" for number in random.integers(0, 40, 7)]
        references.append(" ".join(right))
        own = []
        for _ in range(25):
            wrong = int(random.integers(0, 7))
            words = " ".join(["no"] * wrong + right[wrong:])
            features = {"f": 7.0 - wrong + 0.3 * random.uniform(), "g": 4 * random.uniform()}
            own.append(Hypothesis(words, features, {"bad": 1.0} if wrong > 3 else {}))
        lists.append(own)
    gathered = NBestLists(references, ["f", "g"], metric=metric)
    gathered.add(lists)
    return gathered


START = {"f": -0.2, "g": 1.0}


@pytest.mark.parametrize("metric", ["bleu", "chrf", "chrf++", "ter"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_planted_is_found(kind, metric):
    lists = planted(metric)
    options = {"interpolation": 1.0} if kind == "pro" else {}
    tuner = Tuner(kind, metric=metric, **options).fit(lists, START)
    oracle = Tuner("mert", metric=metric, restarts=1, rounds=0).fit(lists, {"f": 1.0, "g": 0.0}).score_
    better = 1 if lists.higher_is_better else -1
    assert better * (tuner.score_ - tuner.history_[0]) > 10
    assert better * (tuner.score_ - oracle) > -2
    assert tuner.weights_["f"] > abs(tuner.weights_["g"])
    assert kind == "mert" or tuner.weights_["bad"] < 0
    assert all(math.isfinite(weight) for weight in tuner.weights_.values())


@pytest.mark.parametrize("kind", KINDS)
def test_seed_and_threads(kind):
    lists = planted()
    one, two = (Tuner(kind, seed=5, threads=threads).fit(lists, START) for threads in (1, 3))
    assert (one.weights_, one.score_, one.history_) == (two.weights_, two.score_, two.history_)
    assert Tuner(kind, seed=6).fit(lists, START).weights_ != one.weights_
    assert one.with_seed(5).fit(lists, START).weights_ == one.weights_


@pytest.mark.parametrize("kind", KINDS)
def test_lists_that_say_nothing(kind):
    lists = NBestLists(["a b", "c"], ["f"])
    with pytest.raises(InputError, match="no translations"):
        Tuner(kind).fit(lists, {"f": 1.0})
    same = Hypothesis("a b", {"f": 1.0})
    assert lists.add([[same, same, same], []]) == 1
    tuner = Tuner(kind).fit(lists, {"f": 0.5})
    assert tuner.weights_ == {"f": 0.5}
    assert math.isfinite(tuner.score_)
    empty = NBestLists([""], ["f"])
    empty.add([[Hypothesis("", {"f": 1.0}), Hypothesis("", {"f": 2.0})]])
    assert math.isfinite(Tuner(kind).fit(empty, {"f": 0.5}).weights_["f"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", [math.nan, math.inf, -math.inf])
def test_weights_that_are_not_finite(kind, weight):
    with pytest.raises(InputError, match="not a finite number"):
        Tuner(kind).fit(planted(), {"f": 1.0, "g": weight})


def test_features_that_are_not_finite():
    for value in (math.nan, math.inf, 1e300):
        for entry in (Hypothesis("a", {"f": value}), Hypothesis("a", {}, {"s": value})):
            with pytest.raises(InputError, match="not a finite number"):
                NBestLists(["a"], ["f"]).add([[entry]])


def test_lists_that_do_not_fit():
    lists = NBestLists(["a", "b"], ["f"], limits=Limits(nbest=2))
    with pytest.raises(InputError, match="1 lists for 2 sentences"):
        lists.add([[]])
    with pytest.raises(InputError, match="sentence 2 has the unknown feature 'g'"):
        lists.add([[], [Hypothesis("a", {"g": 1.0})]])
    clash = NBestLists(["a"], ["f"])
    with pytest.raises(InputError, match="dense and sparse"):
        clash.add([[Hypothesis("a", {}, {"f": 1.0})]])
    assert clash.sparse_names == ()
    with pytest.raises(LimitError, match="more than 2"):
        lists.add([[Hypothesis("a", {"f": 1.0})] * 3, []])
    with pytest.raises(InputError, match="named twice"):
        NBestLists(["a"], ["f", "f"])
    with pytest.raises(InputError, match="no reference"):
        NBestLists([], ["f"])
    with pytest.raises(InputError, match="1 and 2 sentences"):
        NBestLists([["a"], ["a", "b"]], ["f"])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["a b", "a c", "b c d", ""]),
                st.floats(-3, 3, width=32),
                st.floats(-3, 3, width=32),
                st.dictionaries(st.sampled_from("xyz"), st.floats(-2, 2, width=32), max_size=2),
            ),
            max_size=4,
        ),
        min_size=2,
        max_size=2,
    )
)
def test_lists_in_arrays_are_the_same_lists(lists):
    kept = NBestLists(["a b c", "a c"], ["f", "g", "h"])
    rows = NBestLists(["a b c", "a c"], ["f", "g", "h"])
    flat = [entry for own in lists for entry in own]
    dense = np.array([[g, f] for _, f, g, _ in flat], dtype=np.float32).reshape(-1, 2)
    table = HypothesisRows(
        [[text for text, *_ in own] for own in lists], ["g", "f"], dense, [more for *_, more in flat]
    )
    made = [[Hypothesis(text, {"f": f, "g": g}, more) for text, f, g, more in own] for own in lists]
    assert rows.add(table) == kept.add(made)
    assert rows.best(table) == kept.best(made)
    assert rows.sparse_names == kept.sparse_names
    if flat:
        start = {"f": 1.0, "g": 0.5, "h": 0.0}
        assert Tuner("mira").fit(rows, start).weights_ == Tuner("mira").fit(kept, start).weights_


def test_arrays_that_do_not_fit():
    lists = NBestLists(["a", "b"], ["f"], limits=Limits(nbest=2))
    one = np.ones((1, 1), dtype=np.float32)
    with pytest.raises(InputError, match="1 lists for 2 sentences"):
        lists.add(HypothesisRows([["a"]], ["f"], one))
    with pytest.raises(InputError, match="unknown feature 'g'"):
        lists.add(HypothesisRows([["a"], []], ["g"], one))
    with pytest.raises(InputError, match=r"shape \(1, 1\) have 2 names"):
        lists.add(HypothesisRows([["a"], []], ["f", "f"], one))
    with pytest.raises(InputError, match="shape"):
        lists.add(HypothesisRows([["a"], ["b"]], ["f"], one))
    with pytest.raises(InputError, match="2 rows of sparse features"):
        lists.add(HypothesisRows([["a"], []], ["f"], one, [{}, {}]))
    with pytest.raises(InputError, match="not a finite number"):
        lists.add(HypothesisRows([["a"], []], ["f"], one * np.inf))
    with pytest.raises(LimitError, match="more than 2"):
        lists.add(HypothesisRows([["a"] * 3, []], ["f"], np.ones((3, 1), dtype=np.float32)))
    assert lists.size == 0


def test_several_references():
    lists = NBestLists([["a b c d"], ["d c b a"]], ["f"])
    assert lists.score(["d c b a"]) == pytest.approx(100.0)
    assert lists.score(["a b c d"]) == pytest.approx(100.0)


def test_settings():
    with pytest.raises(SettingsError, match="mert has no option 'epochs'"):
        Tuner("mert", epochs=3)
    with pytest.raises(SettingsError, match="unknown tuner"):
        Tuner("powell")
    with pytest.raises(SettingsError, match="unknown metric"):
        NBestLists(["a"], ["f"], metric="meteor")
    with pytest.raises(SettingsError, match="finite number"):
        Tuner("mira", decay=math.nan)
    with pytest.raises(SettingsError, match="whole number"):
        Tuner("mira", epochs=2.5)
    with pytest.raises(SettingsError, match="decay from 0 to 1"):
        Tuner("mira", decay=2).fit(planted(), START)
    with pytest.raises(SettingsError, match="normalised"):
        Tuner("mert", frozen=["f"], normalise="l1")
    with pytest.raises(SettingsError, match="no feature 'x' to freeze"):
        Tuner("mert", frozen=["x"]).fit(planted(), START)
    with pytest.raises(SettingsError, match="for chrf"):
        Tuner("mert").fit(planted("chrf"), START)
    with pytest.raises(InputError, match="'g' has no weight"):
        Tuner("mert").fit(planted(), {"f": 1.0})


@pytest.mark.parametrize("kind", KINDS)
def test_normalised_and_kept(kind):
    tuner = Tuner(kind, normalise="l1").fit(planted(), START)
    assert abs(tuner.weights_["f"]) + abs(tuner.weights_["g"]) == pytest.approx(1.0)
    kept = Tuner(kind, frozen=["g"]).fit(planted(), {**START, "elsewhere": 0.7}).weights_
    assert (kept["g"], kept["elsewhere"]) == (1.0, 0.7)


def test_safe_hope_listens_to_the_metric():
    lists = planted()
    start = {"f": -200.0, "g": 1000.0}
    usual, safe = (Tuner("mira", safe_hope=safe).fit(lists, start) for safe in (False, True))
    assert safe.weights_ != usual.weights_
    assert safe.score_ >= usual.score_
