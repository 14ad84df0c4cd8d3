"""Subwords, with the real sentencepiece on made-up text."""

import random
import sys

import pytest

from tolka.corpus import Subwords
from tolka.errors import FileError, FormatError, InputError, LimitError, MissingExtraError, SettingsError
from tolka.limits import Limits


def made_up(count, seed=1):
    rng = random.Random(seed)  # noqa: S311
    stems = ["haus", "dach", "schön", "groß", "lauf", "sing", "дом"]
    ends = ["", "e", "en", "er", "es", "t"]
    return [" ".join(rng.choice(stems) + rng.choice(ends) for _ in range(rng.randint(3, 9))) for _ in range(count)]


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_what_was_cut_can_be_joined(kind, tmp_path):
    text = made_up(300)
    subwords = Subwords(size=60, kind=kind).train(text)
    assert len(subwords) <= 60
    for line in text:
        assert subwords.decode(subwords.encode(line)) == line
        assert subwords.decode_ids(subwords.encode_ids(line)) == line
    assert any(len(subwords.encode(line)) > len(line.split()) for line in text)
    subwords.save(tmp_path / "x.model")
    for again in (Subwords.load(tmp_path / "x.model"), Subwords.from_bytes(subwords.to_bytes())):
        assert [again.encode(line) for line in text] == [subwords.encode(line) for line in text]
        assert len(again) == len(subwords)


def test_the_same_text_gives_the_same_bytes():
    assert Subwords(size=60).train(made_up(300)).to_bytes() == Subwords(size=60).train(made_up(300)).to_bytes()


def test_ids_are_those_of_the_vocabulary():
    subwords = Subwords(size=40).train(made_up(100))
    assert subwords.encode_ids("☃")[-1] == 0
    fallback = Subwords(size=320, byte_fallback=True).train(made_up(100))
    assert fallback.decode(fallback.encode("haus ☃")) == "haus ☃"


def test_wrong_use_is_refused(tmp_path):
    for wrong in ({"kind": "words"}, {"size": 0}, {"character_coverage": 0.0}, {"character_coverage": float("nan")}):
        with pytest.raises(SettingsError):
            Subwords(**wrong)
    with pytest.raises(SettingsError, match="smaller than required_chars"):
        Subwords(size=4, kind="bpe").train(made_up(50))
    for nothing in ([], ["", "  "]):
        with pytest.raises(InputError, match="no text"):
            Subwords(size=40).train(nothing)
    with pytest.raises(LimitError, match="line 2"):
        Subwords(size=40).train(["ab", "abc"], limits=Limits(line_bytes=2))
    with pytest.raises(InputError, match="surrogate"):
        Subwords(size=40).train(["ab", "\ud800"])
    with pytest.raises(InputError, match="not been learned"):
        Subwords().encode("a")
    subwords = Subwords(size=40).train(made_up(100))
    with pytest.raises(InputError, match="only pieces"):
        subwords.decode_ids([10_000])
    with pytest.raises(InputError, match="surrogate"):
        subwords.encode("\ud800")
    for damaged in (b"", b"not a model", subwords.to_bytes()[:50]):
        (tmp_path / "x.model").write_bytes(damaged)
        with pytest.raises(FormatError, match=r"x\.model"):
            Subwords.load(tmp_path / "x.model")
    with pytest.raises(FileError):
        Subwords.load(tmp_path / "missing.model")


def test_without_the_package_it_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"tolka\[subwords\]"):
        Subwords().train(["a"])
