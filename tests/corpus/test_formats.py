"""One door for all formats: detection, delimited text, strict writing, round trips."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import (
    detect_format,
    read_bars,
    read_corpus,
    read_lines,
    read_tsv,
    write_bars,
    write_lines,
    write_pairs,
    write_tmx,
    write_tsv,
)
from tolka.errors import FileError, InputError, SettingsError

ENDINGS = st.sampled_from(["", ".gz", ".xz", ".zst"])


def write(folder: Path, text: str | bytes, name: str = "pairs") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("ein Haus\n", "text"),
        ("", "text"),
        ("ein Haus\ta house\n", "tsv"),
        ("ein Haus ||| a house\n", "bars"),
        ('<?xml version="1.0"?><tmx>', "tmx"),
        ('\ufeff <tmx version="1.4">', "tmx"),
        ('\n# comment\n\nmsgid ""\n', "po"),
        ('msgctxt "a"\n', "po"),
        ("# a heading\ntext\n", "text"),
        ("#\n" * 50_000, "text"),
    ],
)
def test_detection_by_content(tmp_path: Path, start: str, expected: str):
    assert detect_format(write(tmp_path, start)) == expected
    assert detect_format(write(tmp_path, gzip.compress(start.encode()))) == expected


def test_detection_of_utf16_xml(tmp_path: Path):
    assert detect_format(write(tmp_path, '<?xml version="1.0" encoding="UTF-16"?>'.encode("utf-16"))) == "tmx"


def test_detection_by_name():
    assert [detect_format(name) for name in ["a.tsv", "a.TMX", "a.po.xz", "a.pot", "a.tab.gz"]] == [
        "tsv",
        "tmx",
        "po",
        "po",
        "tsv",
    ]
    with pytest.raises(SettingsError, match="standard input"):
        detect_format("-")


def test_every_format_through_one_door(tmp_path: Path):
    pairs = [("ein Haus", "a house"), ("ein Hund", "a dog")]
    for name in ["a.tsv", "a.tmx.gz", "a.po.zst"]:
        assert write_pairs(tmp_path / name, pairs, langs=("de", "en")) == 2
        assert list(read_corpus(tmp_path / name)) == pairs
    write_pairs(tmp_path / "bars", pairs, format="bars")
    rows = read_corpus(tmp_path / "bars")
    assert (rows.format, rows.width, list(rows)) == ("bars", 2, pairs)
    write_pairs([tmp_path / "a.de", tmp_path / "a.en.xz"], pairs)
    assert list(read_corpus([tmp_path / "a.de", tmp_path / "a.en.xz"])) == pairs
    rows = read_corpus(tmp_path / "a.de")
    assert (rows.format, rows.width, list(rows)) == ("text", 1, [("ein Haus",), ("ein Hund",)])


def test_three_languages_side_by_side(tmp_path: Path):
    paths = [tmp_path / name for name in ("a", "b", "c")]
    write_pairs(paths, [("1", "2", "3"), ("4", "5", "6")])
    assert list(read_corpus(paths)) == [("1", "2", "3"), ("4", "5", "6")]
    write_lines(paths[2], ["3"])
    with pytest.raises(InputError, match=r"a has 2 and .*b has 2 and .*c has 1"):
        list(read_corpus(paths))


def test_columns(tmp_path: Path):
    path = write(tmp_path, "0.5\tein Haus\ta house\n\tb\t\n")
    assert list(read_tsv(path, columns=[2, 3])) == [("ein Haus", "a house"), ("b", "")]
    assert list(read_tsv(path, columns=[3, 1])) == [("a house", "0.5"), ("", "")]
    with pytest.raises(InputError, match="3 columns where 2 are expected") as caught:
        list(read_tsv(path))
    assert "--columns" in caught.value.hint
    with pytest.raises(InputError, match="column 4 is asked for"):
        list(read_tsv(path, columns=[4]))
    for columns in ([], [0]):
        with pytest.raises(SettingsError):
            read_tsv(path, columns=columns)


def test_bars(tmp_path: Path):
    assert list(read_bars(write(tmp_path, "a ||| b\n|||\n ||| \n||| b\na |||\na  |||  b\n"))) == [
        ("a", "b"),
        ("", ""),
        ("", ""),
        ("", "b"),
        ("a", ""),
        ("a ", " b"),
    ]
    for bad in ["a", "a ||| b ||| c", ""]:
        with pytest.raises(InputError) as caught:
            list(read_bars(write(tmp_path, f"a ||| b\n{bad}\n")))
        assert caught.value.line == 2


def test_an_empty_corpus(tmp_path: Path):
    empty = write(tmp_path, "", "empty.tsv")
    assert list(read_corpus(empty)) == []
    with pytest.raises(InputError, match="the corpus is empty"):
        list(read_corpus(empty, required=True))
    fuzzy = write(tmp_path, '#, fuzzy\nmsgid "a"\nmsgstr "b"\n', "a.po")
    with pytest.raises(InputError, match=r"left out: 1 fuzzy"):
        list(read_corpus(fuzzy, required=True))


def test_options_must_fit_the_format(tmp_path: Path):
    path = write(tmp_path, "a\tb\n", "a.tsv")
    for options in ({"format": "csv"}, {"fuzzy": True}, {"format": "text", "columns": [1]}):
        with pytest.raises(SettingsError):
            read_corpus(path, **options)
    with pytest.raises(SettingsError, match="one file"):
        read_corpus([path, path], format="tsv")
    with pytest.raises(SettingsError, match="no file"):
        read_corpus([])
    write_tmx(tmp_path / "a.tmx", [], langs=("de", "en"))
    with pytest.raises(SettingsError, match="repaired"):
        read_corpus(tmp_path / "a.tmx", repair=True)
    for options in ({}, {"format": "tmx"}, {"format": "csv"}):
        with pytest.raises(SettingsError):
            write_pairs(tmp_path / "out", [("a", "b")], **options)
    with pytest.raises(SettingsError, match="same file"):
        write_pairs([path, path], [("a", "b")])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("a.tsv", ("a\tb", "c")),
        ("a.tsv", ("a\nb", "c")),
        ("a.bars", ("a ||| b", "c")),
        ("a.bars", ("a", "b|||c")),
        ("a.bars", ("a", "b\r")),
        ("a.bars", ("a",)),
        ("a.tmx", ("a", "b", "c")),
        ("a.tsv", ("a", "\ud800")),
    ],
)
def test_strict_writing_leaves_no_file(tmp_path: Path, name: str, row: tuple[str, ...]):
    path = tmp_path / name
    with pytest.raises(InputError):
        write_pairs(path, [("a", "b"), row], format="bars" if name == "a.bars" else None, langs=("de", "en"))
    assert list(tmp_path.iterdir()) == []


def test_a_failure_of_the_rows_leaves_the_old_files(tmp_path: Path):
    paths = [tmp_path / "a", tmp_path / "b"]
    write_pairs(paths, [("old", "alt")])

    def rows():
        yield "new", "neu"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_pairs(paths, rows())
    with pytest.raises(InputError, match="texts for 2 files"):
        write_pairs(paths, [("new",)])
    assert [list(read_lines(path)) for path in paths] == [["old"], ["alt"]]
    assert sorted(tmp_path.iterdir()) == paths


def test_a_missing_folder(tmp_path: Path):
    with pytest.raises(FileError, match="does not exist"):
        write_lines(tmp_path / "missing" / "a", [])


LEGAL = st.text(st.characters(codec="utf-8", exclude_characters="\n\0")).filter(lambda text: not text.endswith("\r"))


@settings(deadline=None, max_examples=50)
@given(st.lists(LEGAL), ENDINGS)
def test_written_lines_are_read(tmp_path_factory: pytest.TempPathFactory, lines: list[str], ending: str):
    path = tmp_path_factory.mktemp("text") / f"a{ending}"
    assert write_lines(path, lines) == len(lines)
    assert list(read_lines(path)) == lines


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(LEGAL, LEGAL), max_size=5), ENDINGS)
def test_written_pairs_are_read(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], ending: str):
    folder = tmp_path_factory.mktemp("pairs")
    write_pairs([folder / f"a{ending}", folder / f"b{ending}"], pairs)
    assert list(read_corpus([folder / f"a{ending}", folder / f"b{ending}"])) == pairs
    no_tabs = [pair for pair in pairs if "\t" not in "".join(pair)]
    write_tsv(folder / f"a.tsv{ending}", no_tabs)
    assert list(read_tsv(folder / f"a.tsv{ending}")) == no_tabs
    no_bars = [pair for pair in pairs if all("|||" not in text for text in pair)]
    write_bars(folder / f"a.bars{ending}", no_bars)
    assert list(read_bars(folder / f"a.bars{ending}")) == no_bars
