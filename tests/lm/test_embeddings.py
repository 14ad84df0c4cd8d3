"""Embeddings: learnt twice alike, read and written, and files that are none."""

import numpy as np
import pytest
from scipy import sparse

from tolka.errors import FormatError, InputError, SettingsError, TolkaError
from tolka.limits import DEFAULT
from tolka.lm import Embeddings
from tolka.lm.embeddings import _information, _neighbours, _numbers, _reduced

TEXT = [
    "der hund schläft .",
    "die katze schläft .",
    "der hund bellt .",
    "die katze miaut .",
    "ein hund , eine katze .",
] * 8


def test_training_is_deterministic_and_scaled():
    one, other = Embeddings.train(TEXT, dimensions=5), Embeddings.train(iter(TEXT), dimensions=5)
    assert one.words == other.words
    np.testing.assert_array_equal(one.table, other.table)
    assert one.dimensions == 5
    assert float((one.table.astype(float) ** 2).mean()) == pytest.approx(1.0, rel=1e-5)
    assert {"</s>", "<unk>", "hund", "."} <= set(one.words)


def test_the_iterative_decomposition_is_the_full_one():
    ids, words = _numbers(TEXT, 1, DEFAULT)
    table = _information(_neighbours(ids, len(words), 4))
    assert isinstance(table, sparse.csr_array)
    some = _reduced(table, 4).astype(float)
    left, values, right = np.linalg.svd(table.toarray())
    expected = left[:, :4] * np.sqrt(values[:4])
    assert some @ some.T == pytest.approx(expected @ expected.T / (expected**2).mean(), abs=1e-4)
    assert right.shape == table.shape


def test_neighbours_are_counted_within_sentences():
    # a b </s> a </s>
    counts = _neighbours(np.array([1, 2, 0, 1, 0]), 3, 2).toarray()
    assert counts.tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]


def test_rare_words_share_a_vector():
    found = Embeddings.train([*TEXT, "einmal"], dimensions=3)
    assert "einmal" not in found
    np.testing.assert_array_equal(found.vectors(["einmal"])[0], found.vectors(["<unk>"])[0])


@pytest.mark.parametrize("name", ["table.tlk", "table.txt", "table.vec"])
def test_tables_are_saved_and_loaded(tmp_path, name):
    found = Embeddings.train(TEXT, dimensions=4)
    found.save(tmp_path / name)
    loaded = Embeddings.load(tmp_path / name)
    assert loaded.words == found.words
    np.testing.assert_array_equal(loaded.table, found.table)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("2 2\na 1 2\n", "1 vectors, not the 2"),
        ("a 1 2\nb 1\n", "line 2: the line has 1 numbers"),
        ("a 1 x\n", "line 1"),
        ("a 1 nan\n", "finite"),
        ("a 1\na 2\n", "line 2: 'a' has a vector"),
        ("", "no vectors"),
        ("word\n", "line 1"),
    ],
)
def test_broken_tables_are_refused(tmp_path, text, what):
    path = tmp_path / "broken.vec"
    path.write_text(text)
    with pytest.raises(FormatError, match=what):
        Embeddings.load(path)


def test_damaged_containers_are_refused(tmp_path):
    path = tmp_path / "table.tlk"
    Embeddings.train(TEXT, dimensions=2).save(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(TolkaError):
        Embeddings.load(path)


def test_bad_settings_and_texts_are_refused():
    with pytest.raises(SettingsError, match="dimensions"):
        Embeddings.train(TEXT, dimensions=0)
    with pytest.raises(InputError, match="no text"):
        Embeddings.train([])
    with pytest.raises(InputError, match="two vectors"):
        Embeddings(["a", "a"], np.ones((2, 1)))
