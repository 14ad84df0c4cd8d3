"""The vocabulary: the engine against a naive twin, files, hostile input."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import BOS, EOS, UNK, Vocabulary
from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError
from tolka.limits import Limits

SPECIALS = ["<unk>", "<s>", "</s>"]
lines = st.lists(
    st.one_of(
        st.text(alphabet="abé \xa0", max_size=10),
        st.lists(st.sampled_from([*SPECIALS, "a", "漢字", "\u2028", "x"])).map(" ".join),
    ),
    max_size=20,
)


def words(line):
    return [word for word in line.split(" ") if word]


def naive(text, min_count, max_size):
    counts = Counter("<unk>" if word in SPECIALS else word for line in text for word in words(line))
    unknown = counts.pop("<unk>", 0)
    order = sorted(counts, key=lambda word: (-counts[word], word.encode()))
    kept = [word for word in order if counts[word] >= min_count]
    if max_size is not None:
        kept = kept[: max_size - 3]
    unknown += sum(counts[word] for word in order if word not in kept)
    return [*SPECIALS, *kept], [unknown, 0, 0, *(counts[word] for word in kept)]


@settings(max_examples=300, deadline=None)
@given(lines, lines, st.integers(0, 3), st.none() | st.integers(3, 8))
def test_the_engine_agrees_with_the_naive_twin(text, other, min_count, max_size):
    vocabulary = Vocabulary.from_lines(text, min_count=min_count, max_size=max_size)
    listed, counts = naive(text, min_count, max_size)
    assert list(vocabulary) == listed
    assert [vocabulary.count(id_) for id_ in range(len(vocabulary))] == counts
    assert [vocabulary.id(word) for word in listed] == list(range(len(listed)))
    ids = {word: number for number, word in enumerate(listed) if word not in SPECIALS}
    for line, encoded in zip(text + other, vocabulary.encode_lines(text + other, threads=2), strict=True):
        assert encoded.dtype == np.uint32
        assert encoded.tolist() == [ids.get(word, 0) for word in words(line)] == vocabulary.encode(line).tolist()
        assert vocabulary.decode(encoded) == " ".join(listed[number] for number in encoded)


def test_known_lines_come_back():
    text = ["das Haus", "", "ein Haus und ein Dach"]
    vocabulary = Vocabulary.from_lines(text)
    assert [vocabulary.decode(ids) for ids in vocabulary.encode_lines(text)] == text
    assert (vocabulary.id("<s>"), vocabulary.id("</s>"), vocabulary.id("nie")) == (BOS, EOS, UNK)
    assert "Haus" in vocabulary
    assert "nie" not in vocabulary
    assert 3 not in vocabulary


def test_threads_make_no_difference():
    text = [f"wort{n % 977} das wort{n % 31}" for n in range(20_000)]
    vocabulary = Vocabulary.from_lines(text)
    one, four = (np.concatenate(vocabulary.encode_lines(text, threads=threads)) for threads in (1, 4))
    assert np.array_equal(one, four)


def test_saved_and_loaded_it_is_the_same(tmp_path):
    vocabulary = Vocabulary.from_lines([f"w{n % 500} w{n % 7}" for n in range(5000)])
    vocabulary.save(tmp_path / "words")
    again = Vocabulary.load(tmp_path / "words")
    assert list(again) == list(vocabulary)
    assert [again.count(n) for n in range(len(again))] == [vocabulary.count(n) for n in range(len(again))]
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "words").read_bytes()
    with pytest.raises(LimitError):
        Vocabulary.load(tmp_path / "words", limits=Limits(model_bytes=10))
    with pytest.raises(FileError):
        Vocabulary.load(tmp_path / "missing")


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "words"
    Vocabulary.from_lines(["a b c d"]).save(path)
    good = path.read_bytes()
    for at in range(0, len(good), 7):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x41]) + good[at + 1 :])
        with pytest.raises(FormatError):
            Vocabulary.load(path)
        path.write_bytes(good[:at])
        with pytest.raises(FormatError):
            Vocabulary.load(path)


def test_wrong_use_is_refused():
    vocabulary = Vocabulary.from_words(["b", "a"])
    assert vocabulary.id("a") == 4
    for wrong in ([5], [-1], [1 << 40], [0.5]):
        with pytest.raises(InputError):
            vocabulary.decode(wrong)
    assert vocabulary.decode([]) == ""
    for wrong in (["a", "a"], ["<s>"], [""]):
        with pytest.raises(InputError):
            Vocabulary.from_words(wrong)
    with pytest.raises(InputError):
        vocabulary.word(5)
    with pytest.raises(InputError):
        vocabulary.count(-1)
    with pytest.raises(InputError, match="surrogate"):
        Vocabulary.from_lines(["\udcff"])
    for wrong in ({"max_size": 2}, {"min_count": -1}):
        with pytest.raises(SettingsError):
            Vocabulary.from_lines(["a"], **wrong)
