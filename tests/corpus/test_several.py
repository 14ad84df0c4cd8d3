"""Which of several files belong together."""

from pathlib import Path

import pytest

from tolka.corpus import group_corpora, read_corpora, write_lines, write_pairs
from tolka.corpus.several import CorpusFiles, check_names, parse_corpus
from tolka.errors import FileError, InputError, SettingsError

LANGS = ("en", "it")


def grouped(place, *names):
    found = group_corpora([place / name for name in names], LANGS)
    return [(one.name, *(str(path.relative_to(place)) for path in one.paths)) for one in found]


def test_names_tell(tmp_path):
    place = tmp_path
    # Two plain files are a corpus whatever they are called.
    assert grouped(place, "a.txt", "b.txt") == [("a-txt", "a.txt", "b.txt")]
    assert grouped(place, "web.en", "other.it") == [("web", "web.en", "other.it")]
    assert grouped(place, "gnome.tmx", "other.tmx") == [("gnome", "gnome.tmx"), ("other", "other.tmx")]
    assert grouped(place, "gnome.tmx") == [("gnome", "gnome.tmx")]
    assert grouped(place, "gnome.tmx.xz", "web.en.gz", "web.it", "x.po") == [
        ("gnome", "gnome.tmx.xz"), ("web", "web.en.gz", "web.it"), ("x", "x.po")
    ]  # fmt: skip
    # By their names, in any order; those that are left, by their places.
    assert grouped(place, "b.it", "a.en", "b.en", "a.it") == [("a", "a.en", "a.it"), ("b", "b.en", "b.it")]
    assert grouped(place, "one.en", "two.it", "b.en", "b.it") == [
        ("one", "one.en", "two.it"), ("b", "b.en", "b.it")
    ]  # fmt: skip
    assert grouped(place, "p/train.tmx", "q/train.tmx") == [("train", "p/train.tmx"), ("train-2", "q/train.tmx")]
    assert grouped(place, "p/t.en", "p/t.it", "q/t.en", "q/t.it")[1] == ("t-2", "q/t.en", "q/t.it")


def test_contents_tell_where_names_do_not(tmp_path):
    write_pairs(tmp_path / "memory.tmx", [("a house", "una casa")], langs=LANGS)
    (tmp_path / "memory.tmx").rename(tmp_path / "memory")
    write_pairs(tmp_path / "table.tsv", [("a dog", "un cane")])
    (tmp_path / "table.tsv").rename(tmp_path / "table.txt")
    write_lines(tmp_path / "w.en", ["a cat"])
    write_lines(tmp_path / "w.it", ["un gatto"])
    names = ["memory", "table.txt", "w.en", "w.it"]
    assert grouped(tmp_path, *names) == [
        ("memory", "memory"), ("table-txt", "table.txt"), ("w", "w.en", "w.it")
    ]  # fmt: skip
    found = group_corpora([tmp_path / name for name in names], LANGS)
    assert read_corpora(found, LANGS) == (["a house", "a dog", "a cat"], ["una casa", "un cane", "un gatto"])


def test_what_makes_no_corpus(tmp_path):
    write_lines(tmp_path / "w.en", ["a cat"])
    with pytest.raises(SettingsError, match=r"the other side of .*w\.en is not among the files; give two files"):
        group_corpora([Path("g.tmx"), tmp_path / "w.en"], LANGS)
    with pytest.raises(FileError, match=r"gone\.en"):
        group_corpora([Path("g.tmx"), tmp_path / "gone.en"], LANGS)
    with pytest.raises(InputError, match="two sides, but this file has 1"):
        read_corpora(group_corpora([tmp_path / "w.en"], LANGS), LANGS)
    assert parse_corpus("web=a.en,a.it") == CorpusFiles("web", Path("a.en"), Path("a.it"))
    for wrong in ("web", "web=", "=a", "web=a,b,c", "web=a,", "we b=a", "-=a"):
        with pytest.raises(SettingsError):
            parse_corpus(wrong)
    with pytest.raises(SettingsError, match="two corpora are called a"):
        check_names([CorpusFiles("a", Path("x")), CorpusFiles("a", Path("y"))])
