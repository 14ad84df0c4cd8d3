"""The dense half of training in JAX, gradients of the whole, and models trained on a treebank whose orders are known."""

import numpy as np
import pytest
from recurrent_twin import move
from test_engine import VARIANTS, flat, model_of, random_corpus, shape_of, twin_sentence

from tolka import _engine
from tolka.errors import FormatError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.reorder import create, load
from tolka.reorder.recurrent import RecurrentPreorderer
from tolka.reorder.recurrent.batches import Batch, batches
from tolka.reorder.recurrent.settings import settings_of
from tolka.reorder.recurrent.training import Step, initial
from tolka.syntax import Tree, synthetic_treebank

core = pytest.importorskip("tolka.reorder.recurrent.core", reason="JAX is not installed")


def plain_descent():
    """Adam whose huge epsilon leaves only the gradient: steps of length 1."""
    return _engine.RecurrentRule("adam", rate=1e6, beta1=0.0, beta2=0.0, epsilon=1e6, clip=1e9, l2=0.0)


@pytest.mark.parametrize("variant", ["lexical", "fragment-gru", "released", "released-layer"])
def test_gradients_are_differences_of_the_twins_likelihood(variant):
    """Likelihoods of JAX and twin agree, and a step of plain descent moves every tensor by its gradient."""
    random = np.random.default_rng(5)
    sentences = [s for s in random_corpus(9, seed=2) if 1 < len(s[0]) <= 8][:3]
    orders = [random.permutation(len(heads)).tolist() for heads, *_ in sentences]
    model, twin, corpus = model_of(variant, sentences, orders)
    keys = shape_of(variant).learn_values(corpus, flat(orders), 1)
    sizes = shape_of(variant).sizes(*keys)
    trainer = _engine.RecurrentTrainer(model, corpus, flat(orders), plain_descent())
    before = dict(trainer.model().tensors())
    for name, tensor in before.items():
        twin.t[name] = tensor.reshape(sizes[name]).astype(np.float64)
    lengths = np.array([len(order) for order in orders])
    batch = Batch(np.arange(len(orders), dtype=np.uint32), 8, len(orders) + 1)
    step = Step(trainer, sizes, VARIANTS[variant]["cell"])
    examples = [(twin_sentence(s), order) for s, order in zip(sentences, orders, strict=True)]
    sums = [twin.log_likelihood(*example) for example in examples]
    assert step(batch, lengths) == pytest.approx(-sum(sums), abs=1e-3)
    for name, tensor in trainer.model().tensors():
        moved = (tensor - before[name]).astype(np.float64)
        for at in {int(np.abs(moved).argmax()), *random.integers(0, moved.size, 3).tolist()}:
            number = twin.t[name].reshape(-1)
            kept, found = number[at], []
            for change in (1e-4, -1e-4):
                number[at] = kept + change
                found.append(sum(twin.log_likelihood(*example) for example in examples))
            number[at] = kept
            gradient = (found[0] - found[1]) / 2e-4 / len(orders)
            assert moved[at] == pytest.approx(gradient, abs=2e-4), (name, at)


@pytest.mark.parametrize(("cell", "expected"), [("gru", [0.433040, -0.567119]), ("gru-after", [0.433319, -0.567214])])
def test_gated_unit(cell, expected):
    matrix = np.array([[0.1, 0.2], [-0.3, 0.4], [0.5, -0.1], [0.2, 0.3], [0.6, -0.2], [0.1, 0.7]])
    told, v = np.array([0.2, -0.1, 0, 0.3, 0.5, -0.4]), np.array([0.3, -0.6])
    assert np.asarray(core.next_state(cell, matrix, told, v)) == pytest.approx(expected, abs=1e-6)
    assert move(cell, matrix, told, v) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("norm", "order"), [("frobenius", "fro"), ("spectral", 2)])
def test_recurrent_matrices_begin_as_contractions(norm, order):
    sizes = {"recurrent": (12, 4), "offsets": (1, 2), "inner_recurrent": (3, 3)}
    found = dict(initial(sizes, settings_of("gru", {"norm": norm, "contraction": 0.9})))
    for block in (*found["recurrent"].reshape(3, 4, 4), found["inner_recurrent"].reshape(3, 3)):
        assert np.linalg.norm(block, order) == pytest.approx(0.9, abs=1e-6)
    assert not found["offsets"].any()


def test_batches_have_every_sentence_once():
    lengths = np.random.default_rng(0).integers(2, 60, 300)
    found = batches(lengths, most_words=100, seed=1, epoch=2)
    assert sorted(at for batch in found for at in batch.sentences) == list(range(300))
    assert all(lengths[batch.sentences].max() <= batch.padded for batch in found)
    assert all(len(batch.sentences) <= batch.room for batch in found)


def short_treebank(count, start=0):
    made = synthetic_treebank(7, count, start=start)
    kept = [(tree, order) for tree, order in zip(made.trees, made.orders, strict=True) if 4 < len(tree) <= 12]
    return [tree for tree, _ in kept], [order for _, order in kept]


def agreement(found, wanted):
    """Share of pairs of words in the right order (τ from 0 to 1), averaged over sentences."""
    shares = []
    for order, right in zip(found, wanted, strict=True):
        rank = {word: at for at, word in enumerate(right)}
        places = np.array([rank[word] for word in order])
        above = np.triu(np.ones((len(places), len(places)), bool), 1)
        shares.append(float((places[:, None] < places[None])[above].mean()) if len(places) > 1 else 1.0)
    return float(np.mean(shares))


@pytest.fixture(scope="module")
def trained():
    trees, orders = short_treebank(700)
    return create("gru", epochs=8, least=2, seed=3).train(trees, orders)


def test_a_gru_learns_the_order_of_english(trained):
    trees, orders = short_treebank(300, start=5000)
    unchanged = agreement([range(len(tree)) for tree in trees], orders)
    found = trained.orders(trees, threads=2)
    assert unchanged < 0.93
    assert agreement(found, orders) > 0.95
    best = trained.log_likelihoods(trees, found)
    assert (best >= trained.log_likelihoods(trees, orders) - 1e-6).mean() > 0.9
    perplexity = trained.perplexity(trees, orders)
    assert 1 < perplexity.per_word < perplexity.per_choice < 1.5
    assert trained.rounds_[-1].training < trained.rounds_[0].training


def test_a_saved_model_is_the_same(trained, tmp_path):
    trees, orders = short_treebank(60, start=9000)
    trained.save(tmp_path / "model")
    other = load(tmp_path / "model")
    assert isinstance(other, RecurrentPreorderer)
    assert (other.kind, other.settings) == ("gru", trained.settings)
    assert other.orders(trees) == trained.orders(trees, threads=2)
    np.testing.assert_array_equal(other.log_likelihoods(trees, orders), trained.log_likelihoods(trees, orders))
    for name in ("model.tlk", "symbols.json"):
        stored = next((tmp_path / "model").glob(f"{name.partition('.')[0]}-*"))
        content = stored.read_bytes()
        stored.write_bytes(content[:-1] + b"#")
        with pytest.raises(FormatError, match="has changed"):
            load(tmp_path / "model")
        stored.write_bytes(content)


def small(**more):
    trees, orders = short_treebank(60)
    return create("gru", epochs=1, **more).train(trees, orders)


def test_the_same_seed_makes_the_same_model():
    trees, orders = short_treebank(30, start=900)
    one, two, other = small(seed=1), small(seed=1), small(seed=2)
    np.testing.assert_array_equal(one.log_likelihoods(trees, orders), two.log_likelihoods(trees, orders))
    assert (one.log_likelihoods(trees, orders) != other.log_likelihoods(trees, orders)).any()


def test_wrong_settings_and_input():
    for wrong, message in [({"unit": 3}, "no setting 'unit'"), ({"gate": "under"}, "gate"), ({"beam": 0}, "beam")]:
        with pytest.raises(SettingsError, match=message):
            create("gru", **wrong)
    with pytest.raises(SettingsError, match="units cannot be 'x'"):
        create("gru", units="x")
    with pytest.raises(SettingsError, match="no recurrent pre-orderer"):
        RecurrentPreorderer("lstm")
    tree = Tree(forms=("a", "b"), heads=(2, 0))
    with pytest.raises(SettingsError, match="not been trained"):
        create("gru").orders([tree])
    with pytest.raises(InputError, match="1 trees and 0 orders"):
        create("gru").train([tree], [])
    with pytest.raises(InputError, match="no sentence"):
        create("gru").train([Tree(forms=("a",), heads=(0,))], [(0,)])
    with pytest.raises(InputError, match="differ in length"):
        create("gru").train([tree] * 2, [(0, 1), (0,)])
    with pytest.raises(InputError, match="permutation"):
        create("gru").train([tree] * 2, [(1, 1)] * 2)


def rewrite(directory, **changes):
    """Save a bundle again with another description or other files."""
    bundle = Bundle.open(directory)
    files = {name: bundle.file(name).read_bytes() for name in bundle.names}
    described = dict(bundle.settings)
    for name, value in changes.items():
        (files if name in {"model", "symbols"} else described)[name] = value
    files = {{"model": "model.tlk", "symbols": "symbols.json"}.get(name, name): data for name, data in files.items()}
    with save_bundle(directory, kind=bundle.kind, settings=described) as out:
        for name, data in files.items():
            out.file(name).write_bytes(data)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"recurrent": {"units": 31}}, "tensor input of the model has"),
        ({"recurrent": {"units": 1 << 40}}, "units must be"),
        ({"recurrent": {"unites": 30}}, "description is damaged"),
        ({"recurrent": {"lexical": True}}, "description is damaged"),
        ({"columns": ["xpos", "forms"]}, "description is damaged"),
        ({"columns": [["xpos"]]}, "description is damaged"),
        ({"symbols": b'{"xpos": []}'}, "list of tags and words is damaged"),
        ({"symbols": b"\xff"}, "list of tags and words is damaged"),
        ({"model": b"nothing"}, "model.tlk|container"),
    ],
)
def test_damaged_models(trained, tmp_path, changes, message):
    trained.save(tmp_path / "model")
    rewrite(tmp_path / "model", **changes)
    with pytest.raises(FormatError, match=message):
        load(tmp_path / "model")


def test_embeddings_need_words():
    with pytest.raises(SettingsError, match="only where words are features"):
        RecurrentPreorderer("rnn", embeddings=10)
    assert RecurrentPreorderer("rnn", embeddings=10, lexical=True).settings.embeddings == 10


def test_rows_of_words_begin_from_embeddings():
    words = np.random.default_rng(1).standard_normal((40, 5)).astype(np.float32)
    words[7] = words[3]
    sizes = {"recurrent": (12, 4), "input_forms": (40, 12), "output_forms": (40, 4), "embedding_forms": (0, 4)}
    settings = settings_of("gru", {"lexical": True})
    given, random = dict(initial(sizes, settings, words)), dict(initial(sizes, settings))
    for name in ("input_forms", "output_forms"):
        rows, other = given[name].reshape(sizes[name]), random[name].reshape(sizes[name])
        np.testing.assert_allclose(np.square(rows).mean(), np.square(other).mean(), rtol=0.1)
        np.testing.assert_array_equal(rows[3], rows[7])
        assert (other[3] != other[7]).any()
        assert np.linalg.matrix_rank(rows) == min(5, sizes[name][1])
    assert (given["embedding_forms"].size, given["input_forms"].dtype) == (0, np.float32)


@pytest.mark.parametrize("embeddings", [0, 3])
def test_lexical_models_tell_words_apart(tmp_path, embeddings):
    """Two verbs of the same tag, of which one goes to the end: only words can say which."""
    trees, orders = [], []
    for at in range(120):
        verb = ("holt", "nimmt")[at % 2]
        trees.append(Tree(forms=(verb, "er", "es"), heads=(0, 1, 1), upos=("VERB", "PRON", "PRON")))
        orders.append((1, 2, 0) if verb == "holt" else (0, 1, 2))
    model = create(
        "rnn-lex", units=8, rate=0.02, epochs=24, least_form=5, batch_words=40, dropout=0.0, embeddings=embeddings
    )
    model.train(trees, orders, held_out=(trees[:2], orders[:2]))
    assert model.orders(trees[:2]) == orders[:2]
    model.save(tmp_path / "model")
    unknown = Tree(forms=("bringt", "er", "es"), heads=(0, 1, 1), upos=("VERB", "PRON", "PRON"))
    again = load(tmp_path / "model")
    assert again.orders([*trees[:2], unknown]) == model.orders([*trees[:2], unknown])


def test_walks_and_the_released_profile_are_trained():
    trees, orders = short_treebank(150)
    kept = [at for at, tree in enumerate(trees) if len(tree) <= 8]
    trees, orders = [trees[at] for at in kept], [orders[at] for at in kept]
    for kind, more in [("fragment-gru", {"inner": 8}), ("rnn", {"profile": "released", "layer": 6})]:
        model = create(kind, units=6, epochs=6, batch_words=64, **more).train(trees, orders)
        assert model.rounds_[-1].held_out < 0.8 * model.rounds_[0].held_out
        found = model.orders(trees)
        assert agreement(found, orders) > agreement([range(len(tree)) for tree in trees], orders)
