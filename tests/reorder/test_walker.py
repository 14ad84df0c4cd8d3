"""The walker: it beats the order of the text, its orders are permutations, it is saved and opened again."""

from itertools import permutations

import numpy as np
import pytest
import reorder_trees as random_trees
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import FormatError, InputError, SettingsError
from tolka.files import save_bundle
from tolka.reorder import create, first_errors, is_permutation, load, score_orders
from tolka.reorder.walker import Walker
from tolka.syntax import Tree, synthetic_treebank

TEXT = synthetic_treebank(1, 900)
TEST = synthetic_treebank(1, 200, start=5000)
SMALL = {"bits": 17, "cost": 0.1, "sample": 400, "folds": 200, "epochs": 3}


@pytest.fixture(scope="module")
def walker():
    return create("walker", **SMALL).train(TEXT.trees, TEXT.orders, held_out=(TEST.trees, TEST.orders))


@pytest.fixture(scope="module")
def greedy():
    return Walker(**SMALL, decoder="greedy").train(TEXT.trees, TEXT.orders, held_out=(TEST.trees, TEST.orders))


def tau(orders):
    return score_orders(orders, TEST.orders).tau01.mean()


def test_it_learns_the_order_of_the_treebank(walker, greedy):
    before = tau([range(len(tree)) for tree in TEST.trees])
    beam, plain = tau(walker.orders(TEST.trees)), tau(greedy.orders(TEST.trees))
    assert before < 0.95 < beam
    assert before < plain
    report = walker.report_
    assert (report.tau, report.tau_before) == (pytest.approx(beam), pytest.approx(before))
    assert report.greedy_tau == pytest.approx(plain)
    assert min(report.accuracy) > 0.8


def test_threads_and_seeds_change_nothing(walker):
    again = Walker(**SMALL).train(TEXT.trees[:100], TEXT.orders[:100])
    more = Walker(**SMALL).train(TEXT.trees[:100], TEXT.orders[:100])
    assert all(map(np.array_equal, again._model.weights(), more._model.weights()))
    assert walker.orders(TEST.trees, threads=1) == walker.orders(TEST.trees, threads=2)


@settings(max_examples=40)
@given(data=st.data())
def test_every_order_is_a_permutation(walker, greedy, data):
    heads = data.draw(random_trees.heads(most=12, roots=3))
    relation = st.sampled_from(["nsubj", "obj", "root", "advmod", "never seen"])
    deprels = tuple(data.draw(relation) for _ in heads)
    tree = Tree(forms=("Haus",) * len(heads), heads=heads, deprels=deprels)
    for model in (walker, greedy):
        [order] = model.orders([tree])
        assert is_permutation(order, len(heads))


def test_the_pass_that_does_best_is_kept(walker):
    assert len(walker.passes_) == 1 + SMALL["epochs"] + walker.violations
    assert walker.report_.tau == max(walker.passes_)


def test_sentences_to_choose_by_are_kept_where_none_are_given():
    first, last = (
        create("walker", **SMALL, violations=count).train(TEXT.trees[:80], TEXT.orders[:80]) for count in (0, 3)
    )
    assert first.report_.sentences == 76
    assert first.passes_ == last.passes_[:-3]
    assert last.report_.tau == max(last.passes_) >= first.report_.tau == max(first.passes_)
    apart = [19, 39, 59, 79]
    rest = [at for at in range(80) if at not in apart]
    held_out = [TEXT.trees[at] for at in apart], [TEXT.orders[at] for at in apart]
    same = create("walker", **SMALL, violations=3)
    same.train([TEXT.trees[at] for at in rest], [TEXT.orders[at] for at in rest], held_out=held_out)
    assert same.passes_ == last.passes_
    assert same.orders(TEST.trees) == last.orders(TEST.trees)
    few = create("walker", **SMALL).train(TEXT.trees[:19], TEXT.orders[:19])
    assert few.report_.sentences == 19
    assert few.report_.tau is None


def test_a_beam_of_one_emits_every_word(walker):
    narrow = Walker(**SMALL, beam=1)
    narrow._model, narrow._symbols = walker._model, walker._symbols
    orders = narrow.orders(TEST.trees)
    assert all(is_permutation(order, len(tree)) for tree, order in zip(TEST.trees, orders, strict=True))
    assert tau(orders) > 0.95


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_probabilities_sum_to_one_and_a_wide_beam_finds_the_largest(walker, data):
    heads = data.draw(random_trees.heads(most=5))
    tags = tuple(data.draw(st.sampled_from(["NN", "VVFIN", "ADV", "ART"])) for _ in heads)
    deprels = tuple(data.draw(st.sampled_from(["nsubj", "obj", "root", "det"])) for _ in heads)
    tree = Tree(forms=("Haus",) * len(heads), heads=heads, xpos=tags, deprels=deprels)
    orders = list(permutations(range(len(heads))))
    logs = walker.log_probabilities([tree] * len(orders), orders)
    assert np.exp(logs.astype(np.float64)).sum() == pytest.approx(1, abs=1e-4)
    wide = Walker(**SMALL, beam=120)
    wide._model, wide._symbols = walker._model, walker._symbols
    [best] = wide.orders([tree])
    assert logs[orders.index(best)] == pytest.approx(logs.max(), abs=1e-4)


def test_saved_and_opened_again(walker, tmp_path):
    walker.save(tmp_path / "pre")
    opened = load(tmp_path / "pre")
    assert isinstance(opened, Walker)
    assert opened.orders(TEST.trees) == walker.orders(TEST.trees)
    opened.save(tmp_path / "again")
    assert (tmp_path / "again" / "model.toml").read_bytes() == (tmp_path / "pre" / "model.toml").read_bytes()


def test_universal_tags_where_there_are_no_others():
    trees = [Tree(forms=t.forms, heads=t.heads, deprels=t.deprels, upos=t.upos) for t in TEXT.trees[:50]]
    walker = Walker(bits=12, cost=0.1, epochs=1, violations=0).train(trees, TEXT.orders[:50])
    assert walker.tags == "upos"


def test_first_errors(greedy):
    found = first_errors(TEST.trees, greedy.orders(TEST.trees), TEST.orders)
    assert found.sentences == len(TEST)
    assert 0 <= found.in_order <= found.wrong <= found.sentences
    assert first_errors(TEST.trees, TEST.orders, TEST.orders).share == 0
    with pytest.raises(InputError, match="1 orders"):
        first_errors(TEST.trees[:2], TEST.orders[:1], TEST.orders[:2])


def test_damaged_walkers_are_refused(tmp_path, walker):
    walker.save(tmp_path / "pre")
    with save_bundle(tmp_path / "other", kind="preorderer", settings={"kind": "walker", "wings": 2}):
        pass
    with pytest.raises(FormatError, match="wings"):
        load(tmp_path / "other")
    with save_bundle(tmp_path / "empty", kind="preorderer", settings={"kind": "walker"}):
        pass
    with pytest.raises(FormatError, match="no file"):
        load(tmp_path / "empty")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"decoder": "psychic"}, "decoder cannot be 'psychic'"),
        ({"bits": 40}, "bits must be from 8 to 26"),
        ({"beam": 0}, "beam must be a whole number from 1"),
        ({"cost": -1.0}, "cost must be positive"),
        ({"costs": ()}, "no cost to choose from"),
        ({"explore": 2}, "explore must be from 0 to 1"),
        ({"wings": 2}, "no setting 'wings'"),
    ],
)
def test_impossible_settings_are_refused(setting, message):
    with pytest.raises(SettingsError, match=message):
        create("walker", **setting)


def test_mistakes_are_named():
    with pytest.raises(InputError, match="knows nothing yet"):
        Walker().orders(TEST.trees)
    with pytest.raises(InputError, match="no sentence to learn from"):
        Walker().train([], [])
    with pytest.raises(InputError, match="sentence 1: orders of"):
        Walker().train(TEXT.trees[:1], [(0,)])
