"""Boosted trees: the engine against the definitions, the path, files, and all that can be wrong with rows."""

from __future__ import annotations

import itertools
import json
from math import inf, log, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.learn import naive_boosting

from tolka import _engine
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.files.container import Container, write_container
from tolka.learn import BoostedTrees

FIELDS = [(0, 3, False), (3, 1, True), (4, 1, False), (5, 1, True)]

symbols = st.integers(0, 4)
numbers = st.one_of(st.integers(-3, 3).map(float), st.sampled_from([nan, inf, -inf, -0.0, 0.1]))
rows = st.tuples(st.lists(symbols, min_size=3, max_size=3), numbers, symbols, numbers)
examples = st.lists(st.tuples(rows, st.booleans(), st.floats(0.1, 2), st.floats(-1.5, 1.5)), min_size=1, max_size=14)
learning = st.fixed_dictionaries(
    {
        "decay": st.floats(0.3, 0.6),
        "least": st.floats(0.01, 0.09),
        "tolerance": st.floats(1e-4, 1e-2),
        "max_depth": st.none() | st.integers(0, 3),
        "trees_per_penalty": st.integers(1, 5),
        "max_trees": st.integers(0, 20),
        "bins": st.sampled_from([0, 2, 3, 5]),
        "exact": st.integers(0, 14),
    }
)


def slots(given):
    """Rows as the engine takes them."""
    found = np.zeros((len(given), 6), np.uint32)
    for at, (three, first, one, second) in enumerate(given):
        bits = np.array([first, second], np.float32).view(np.uint32)
        found[at] = [*three, bits[0], one, bits[1]]
    return found


def sets(row):
    """A row as the twin takes it."""
    three, first, one, second = row
    as_set = frozenset(three) - {0}, frozenset([one]) - {0}
    return [as_set[0], float(np.float32(first)), as_set[1], float(np.float32(second))]


def trained(given, how, start=0.375, before=None, threads=1):
    weights = np.array([weight for _, _, weight, _ in given])
    return _engine.TreeEnsemble.train(
        FIELDS,
        slots([row for row, *_ in given]),
        np.array([label for _, label, *_ in given]),
        weights=weights / weights.sum(),
        offsets=np.array([offset for *_, offset in given]),
        start=before,
        first=start,
        threads=threads,
        **how,
    )


def twin(given, how, start=0.375, trees=()):
    total = sum(weight for _, _, weight, _ in given)
    return naive_boosting.Learner(
        [sets(row) for row, *_ in given],
        [label for _, label, *_ in given],
        [weight / total for _, _, weight, _ in given],
        [offset for *_, offset in given],
        start=start,
        trees=list(trees),
        **how,
    ).train()


def decoded(native):
    """The engine's trees as the twin has them."""
    arrays = native.arrays()
    found = []
    for (at, value, _, _), weight in zip(arrays["nodes"], arrays["weights"], strict=True):
        if at == 2**32 - 1:
            found.append((None, None, weight))
        else:
            number = FIELDS[at][2]
            found.append((int(at), float(value.view(np.float32)) if number else int(value), weight))
    return [found[begin:end] for begin, end in itertools.pairwise([*arrays["roots"], len(found)])]


def assert_same(trees, others):
    assert len(trees) == len(others)
    for one, other in zip(trees, others, strict=True):
        assert [node[:2] for node in one] == [node[:2] for node in other]
        assert [node[2] for node in one] == pytest.approx([node[2] for node in other], rel=1e-8, abs=1e-9)


@settings(max_examples=120, deadline=None)
@given(examples, learning, st.lists(rows, max_size=5))
def test_the_engine_learns_what_the_definitions_say(given, how, others):
    native, naive = trained(given, how), twin(given, how)
    assert native.snapshots == naive.snapshots
    assert_same(decoded(native), naive.trees)
    assert native.risks == [pytest.approx(risk, rel=1e-9, abs=1e-12) for risk in naive.risks]
    for _, count in naive.snapshots:
        scores = native.scores(FIELDS, slots(others), count, threads=1)
        wanted = [naive_boosting.score(naive.trees[:count], sets(row)) for row in others]
        assert scores.tolist() == pytest.approx(wanted, abs=1e-7)
        for side, found in zip(naive_boosting.mass(naive.trees[:count], 4), native.mass(count), strict=True):
            assert found.tolist() == pytest.approx(side, abs=1e-7)


@settings(max_examples=30, deadline=None)
@given(examples, examples, learning, st.floats(0.1, 0.3))
def test_training_goes_on_from_trees(given, more, how, penalty):
    before = trained(given, how)
    native, naive = trained(more, how, penalty, before), twin(more, how, penalty, decoded(before))
    assert_same(decoded(native), naive.trees)
    kept = [snapshot for snapshot in before.snapshots if snapshot[0] > penalty * (1 + 1e-9)]
    assert native.snapshots == [*kept, *naive.snapshots]


def table(count=600, seed=1, columns=6):
    """Ten numbers would be Hastie et al. 2009, example 10.2; fewer are learnt from fewer rows."""
    drawn = np.random.default_rng(seed)
    rows = drawn.normal(size=(count, columns))
    return rows, (rows**2).sum(axis=1) > columns - 0.66


def test_worked_numbers():
    assert naive_boosting.closed_form(0.5, 0, 0.1) == pytest.approx(log(4))
    assert naive_boosting.cost(log(4)) == pytest.approx(0.2231, abs=5e-5)
    given = [{"f": "f"}, {"f": "f"}, {}, {}]
    found = BoostedTrees(penalty=0.1, start=0.1, least=0.1, trees_per_penalty=1).fit(given, [1, 1, 0, 1])
    assert str(found.trees_[0]) == "+0.619"
    assert found.decision_function(given) == pytest.approx([log(0.65 / 0.35)] * 4)
    two = [{"f": "f"}, {}]
    nothing = BoostedTrees(penalty=0.5, start=0.5, least=0.5).fit(two, [1, 0])
    assert nothing.trees_ == ()
    assert nothing.predict_proba(two).tolist() == [[0.5, 0.5]] * 2
    pure = BoostedTrees(penalty=0.1, start=0.1, least=0.1, trees_per_penalty=1).fit(two, [1, 0])
    assert pure.decision_function(two) == pytest.approx([log(4), -log(4)])
    assert str(pure.explain({"f": "f"})).splitlines()[1] == "+1.386  f = f"
    assert pure.feature_mass_ == {"f": (1.0, 1.0)}


def test_rows_of_every_kind():
    given = [
        {"word": "the", "around": ["a", "b"], "length": 3},
        {"word": "a", "around": {"b"}, "length": None},
        {"around": [], "length": nan, "sure": True},
        {"word": "the", "around": ("b", "c", "b"), "length": np.float32(2.5), "sure": False},
    ]
    trees = BoostedTrees(penalty=0.01, least=0.005).fit(given, ["x", "y", "y", "x"])
    assert trees.feature_names_ == ("word", "around", "length", "sure")
    assert trees.predict(given).tolist() == ["x", "y", "y", "x"]
    # Sets may be larger than any that was trained with, and have words that were not.
    wide = {"word": ["other", "the"], "around": ["c", "a", "b", "d", "e"], "length": 9}
    assert trees.predict([wide]).tolist() == ["x"]
    assert trees.explain(wide).score == pytest.approx(trees.decision_function([wide])[0])


def test_absence_is_a_test_of_its_own():
    rows = [[nan], [1.0], [nan], [2.0], [-5.0]]
    trees = BoostedTrees(penalty=0.05, least=0.05, trees_per_penalty=1).fit(rows, [0, 1, 0, 1, 1])
    assert str(trees.trees_[0]).splitlines()[0] == "x0 is given?"
    assert "x0 is absent" in str(trees.explain([nan]))
    assert trees.predict([[nan], [-inf], [-9.0]]).tolist() == [0, 0, 1]


def test_another_penalty_needs_no_training():
    rows, labels = table()
    trees = BoostedTrees(least=0.005, penalty=0.006).fit(rows, labels)
    counts = list(trees.penalties_.values())
    assert counts == sorted(counts)
    assert len(trees.trees_) == trees.penalties_[0.375 / 2**5] > 0
    for penalty, count in trees.penalties_.items():
        other = trees.with_penalty(penalty)
        assert len(other.trees_) == count
        again = BoostedTrees(least=penalty, penalty=penalty).fit(rows, labels)
        assert (other.decision_function(rows) == again.decision_function(rows)).all()
    assert trees.penalty == 0.006
    assert trees.with_penalty(0.1).penalty == 0.1
    points = trees.risk_curve_
    assert all(one.risk > two.risk for one, two in itertools.pairwise(points) if one.penalty == two.penalty)


def test_threads_do_not_matter():
    rows, labels = table(count=12_000)
    one, two = (BoostedTrees(least=0.01, penalty=0.01, threads=threads).fit(rows, labels) for threads in (1, 3))
    for name, array in one._native.arrays().items():
        assert (array == two._native.arrays()[name]).all()
    assert (one.decision_function(rows) == two.decision_function(rows)).all()


def test_weights_count_as_repetitions():
    rows, labels = table(count=60)
    times = np.random.default_rng(2).integers(1, 4, 60)
    how = BoostedTrees(least=0.02, penalty=0.02)
    weighed = how.fit(rows, labels, 7.5 * times).decision_function(rows)
    repeated = how.fit(np.repeat(rows, times, axis=0), np.repeat(labels, times)).decision_function(rows)
    assert weighed == pytest.approx(repeated, abs=1e-6)


def test_offsets_leave_the_rest_to_learn():
    rows, labels = table(count=300)
    coarse = BoostedTrees(least=0.02, penalty=0.02).fit(rows, labels)
    offsets = coarse.decision_function(rows)
    rest = BoostedTrees(least=0.02, penalty=0.02).fit(rows, labels, offsets=offsets)
    assert rest.trees_ == ()
    finer = BoostedTrees(least=0.005, penalty=0.005).fit(rows, labels, offsets=offsets)
    before, after = np.logaddexp(0, -offsets), np.logaddexp(0, -offsets - finer.decision_function(rows))
    assert after[labels].mean() < before[labels].mean()


def test_training_goes_on():
    rows, labels = table()
    trees = BoostedTrees(least=0.005, penalty=0.01).fit(rows, labels)
    more, others = table(seed=2)
    before = len(trees.trees_), trees.score(more, others)
    trees.fit_more(np.vstack([rows, more]), np.concatenate([labels, others])).set_params(penalty=0.005)
    assert len(trees.trees_) > before[0]
    assert trees.score(more, others) > before[1]
    words = BoostedTrees(penalty=0.1, least=0.05).fit([{"w": "a"}, {"w": "b"}], [1, 0])
    words.fit_more([{"w": ["a", "c", "d"]}, {"w": "c"}, {"w": "b"}], [1, 0, 0])
    assert words.predict([{"w": ["d", "c", "a"]}, {"w": "b"}]).tolist() == [1, 0]
    with pytest.raises(InputError, match="not those of before"):
        words.fit_more([{"w": "a"}], [2])
    with pytest.raises(InputError, match="'v', which was not trained with"):
        words.fit_more([{"v": "a"}], [1])


def test_files_give_the_same_scores(tmp_path):
    given = [{"word": "é", "n": 1.5}, {"word": ["b", "c"], "n": 2}, {"n": nan}, {"word": "b"}]
    for rows, classes in [(table(100)[0], table(100)[1]), (given, ["x", "y", "y", "x"]), (given, [-1, 3, 3, -1])]:
        trees = BoostedTrees(penalty=0.02, least=0.01, max_depth=3).fit(rows, classes)
        trees.save(tmp_path / "trees")
        again = BoostedTrees.load(tmp_path / "trees")
        assert again.get_params() == trees.get_params()
        for penalty in trees.penalties_:
            one, other = trees.with_penalty(penalty), again.with_penalty(penalty)
            assert (one.decision_function(rows) == other.decision_function(rows)).all()
        assert (again.predict(rows) == trees.predict(rows)).all()
        assert (again.trees_, again.risk_curve_) == (trees.trees_, trees.risk_curve_)
        assert again.feature_mass_ == trees.feature_mass_
        assert str(again.explain(rows[0])) == str(trees.explain(rows[0]))
        again.fit_more(rows, classes)
    with pytest.raises(FileError):
        BoostedTrees.load(tmp_path / "none")


def test_damaged_files_are_refused(tmp_path):
    rows = [{"word": "a", "n": 1.0}, {"word": "b", "n": 2.0}, {"word": "b", "n": 3.0}]
    BoostedTrees(penalty=0.02, least=0.01).fit(rows, [1, 0, 1]).save(tmp_path / "good")
    good = Container.open(tmp_path / "good", "boosted")
    names = ("nodes", "weights", "roots", "penalties", "trees")
    note = json.loads(good.bytes("note"))

    def refused(changes=None, **arrays):
        parts = {name: good.array(name).copy() for name in names} | arrays
        said = json.dumps(note | (changes or {})).encode()
        write_container(tmp_path / "bad", "boosted", {"note": said, **parts})
        with pytest.raises(FormatError, match="the trees are damaged") as caught:
            BoostedTrees.load(tmp_path / "bad")
        assert caught.value.path == tmp_path / "bad"

    nodes, weights = good.array("nodes").copy(), good.array("weights").copy()
    refused(nodes=nodes[:-1])
    refused(nodes=nodes[:-4])
    refused(nodes=nodes * 0)
    refused(weights=weights * nan)
    refused(trees=good.array("trees") + np.uint64(99))
    refused(penalties=good.array("penalties")[:-1].copy())
    refused(roots=good.array("roots")[::-1].copy() + np.uint32(1))
    refused(weights=weights.astype(np.float32))
    for changes in (
        {"names": ["word", "word"]},
        {"names": ["word"]},
        {"symbols": [None, None]},
        {"symbols": [[], None]},
        {"symbols": [["a", 1], None]},
        {"classes": [1]},
        {"classes": [1, None]},
        {"settings": {"penalty": 9}},
        {"settings": {"other": 1}},
        {"settings": {"penalty": "high"}},
        {"fields": []},
        {"fields": [[0, 1]]},
        {"fields": [[0, 0, False], [0, 1, True]]},
        {"risks": [1]},
    ):
        refused(changes)
    whole = (tmp_path / "good").read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        (tmp_path / "bad").write_bytes(whole[:cut])
        with pytest.raises(FormatError):
            BoostedTrees.load(tmp_path / "bad")


@pytest.mark.parametrize(
    ("rows", "classes", "what"),
    [
        ([[1.0], [2.0]], [0, 0], "there are 1 classes, not two"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], "there are 3 classes, not two"),
        ([[1.0], [2.0]], [0.0, nan], "a class is no finite number"),
        ([[1.0], [2.0]], [[0], [1]], "no list of numbers or words"),
        ([[1.0], [2.0]], [0, None], "no list of numbers or words"),
        ([[1.0], [2.0]], [0, 1, 0], "there are 2 rows but 3 classes"),
        ([1.0, 2.0], [0, 1], "a table has two dimensions, not 1"),
        ([["a"], ["b"]], [0, 1], "no table of numbers"),
        ([], [], "a table has two dimensions"),
        ([{"a": 1}, [1]], [0, 1], "row 1 is no dictionary"),
        ([{"a": 1}, {"a": "b"}], [0, 1], "'a' is a word in row 1, but not in others"),
        ([{"a": "b"}, {"a": 1}], [0, 1], "'a' is a number in row 1, but not in others"),
        ([{"a": [1, 2]}, {"a": "b"}], [0, 1], "'a' in row 0 is"),
        ([{"a": object()}, {"a": "b"}], [0, 1], "'a' in row 0 is"),
        ([{1: "a"}, {1: "b"}], [0, 1], "a feature named 1"),
    ],
)
def test_rows_that_do_not_fit_are_said(rows, classes, what):
    with pytest.raises(InputError, match=what) as caught:
        BoostedTrees().fit(rows, classes)
    assert caught.value.hint


def test_weights_and_offsets_must_fit():
    rows, labels = [[1.0], [2.0]], [0, 1]
    for weights in ([1.0], [-1.0, 2.0], [nan, 1.0], [0.0, 0.0], ["a", "b"]):
        with pytest.raises(InputError, match="weights"):
            BoostedTrees().fit(rows, labels, weights)
    for offsets in ([1.0], [inf, 1.0], ["a", "b"]):
        with pytest.raises(InputError, match="offset"):
            BoostedTrees().fit(rows, labels, offsets=offsets)


def test_rows_must_have_what_was_trained_with():
    words = BoostedTrees().fit([{"a": "b", "n": 1}, {"a": "c", "n": 2}], [0, 1])
    for row, what in [({"b": 1}, "'b', which was not"), ({"a": 1}, "'a' is a number"), ({"n": "x"}, "'n' is a word")]:
        with pytest.raises(InputError, match=what):
            words.predict([row])
    with pytest.raises(InputError, match="dictionaries were trained with"):
        words.predict([[1.0]])
    numbers = BoostedTrees().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(InputError, match="rows have 2 columns, but 1"):
        numbers.predict([[1.0, 2.0]])


@pytest.mark.parametrize(
    "wrong",
    [
        {"penalty": 1},
        {"penalty": 1e-9},
        {"penalty": "x"},
        {"decay": 1.0},
        {"decay": 0},
        {"start": nan},
        {"start": True},
        {"least": 0, "penalty": 0.1},
        {"tolerance": -1},
        {"max_depth": -1},
        {"max_depth": 1.5},
        {"bins": 256},
        {"bins": 1},
        {"threads": -1},
        {"max_trees": 2**40},
    ],
)
def test_settings_that_make_no_sense_are_said(wrong):
    with pytest.raises(SettingsError) as caught:
        BoostedTrees(**wrong).fit([[1.0], [2.0]], [0, 1])
    assert caught.value.hint


def test_what_was_not_learnt_is_said(tmp_path):
    for use in (
        lambda trees: trees.predict([[1.0]]),
        lambda trees: trees.trees_,
        lambda trees: trees.feature_mass_,
        lambda trees: trees.save(tmp_path / "x"),
        lambda trees: trees.explain([1.0]),
        lambda trees: trees.fit_more([[1.0]], [1]),
    ):
        with pytest.raises(SettingsError, match="nothing was learnt yet"):
            use(BoostedTrees())
    with pytest.raises(SettingsError, match="no setting depth"):
        BoostedTrees().set_params(depth=3)
    assert BoostedTrees().set_params(max_depth=3).get_params()["max_depth"] == 3


def test_works_like_a_classifier_of_scikit_learn():
    pytest.importorskip("sklearn")
    from sklearn.base import clone, is_classifier  # noqa: PLC0415
    from sklearn.model_selection import cross_val_score  # noqa: PLC0415

    rows, labels = table(300)
    trees = BoostedTrees(least=0.02, penalty=0.02, max_depth=3)
    assert is_classifier(trees)
    assert clone(trees).get_params() == trees.get_params()
    assert cross_val_score(trees, rows, labels, cv=3).mean() > 0.6
    assert cross_val_score(trees, rows, labels, cv=3, scoring="neg_log_loss").mean() > -0.65


def test_held_out_loss_is_that_of_scikit_learn():
    """Hastie et al. 2009, example 10.2."""
    ensemble = pytest.importorskip("sklearn.ensemble")
    from sklearn.datasets import make_hastie_10_2  # noqa: PLC0415
    from sklearn.metrics import log_loss  # noqa: PLC0415

    rows, labels = make_hastie_10_2(n_samples=4000, random_state=1)
    train, test = slice(0, 2000), slice(2000, None)
    trees = BoostedTrees(least=3 / 2**14, penalty=3 / 2**14, max_depth=3).fit(rows[train], labels[train])
    ours = [log_loss(labels[test], trees.with_penalty(each).predict_proba(rows[test])) for each in trees.penalties_]
    peer = ensemble.GradientBoostingClassifier(n_estimators=300, max_depth=3, random_state=1)
    peer.fit(rows[train], labels[train])
    theirs = [log_loss(labels[test], probabilities) for probabilities in peer.staged_predict_proba(rows[test])]
    assert ours[0] == pytest.approx(log(2), abs=0.01)
    assert min(ours) < 1.1 * min(theirs)
