"""Parallel text in two files."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import read_pairs
from tolka.errors import FileError, InputError


def sides(folder: Path, source: bytes, target: bytes) -> tuple[Path, Path]:
    (folder / "a.de").write_bytes(source)
    (folder / "a.en").write_bytes(target)
    return folder / "a.de", folder / "a.en"


def test_pairs(tmp_path: Path):
    pairs = read_pairs(*sides(tmp_path, b"eins\n\ndrei", b"one\ntwo\r\nthree\n"))
    assert next(pairs) == ("eins", "one")
    assert list(pairs) == [("", "two"), ("drei", "three")]
    assert (pairs.format, pairs.width, pairs.skipped, pairs.repairs) == ("text", 2, {}, 0)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 5), st.integers(0, 20_000))
def test_different_numbers_of_lines_are_counted(tmp_path_factory: pytest.TempPathFactory, few: int, more: int):
    folder = tmp_path_factory.mktemp("sides")
    many = few + 1 + more
    for source, target in [(few, many), (many, few)]:
        pairs = read_pairs(*sides(folder, b"a\n" * source, b"b\n" * target))
        for _ in range(few):
            assert next(pairs) == ("a", "b")
        with pytest.raises(InputError) as caught:
            next(pairs)
        assert f"a.de has {source} and " in caught.value.what
        assert caught.value.what.endswith(f"a.en has {target}")


def test_an_odd_line_separator_does_not_shift_a_side(tmp_path: Path):
    odd = "a\u2028b\u0085c\x0bd\x0ce\rf\n".encode()
    assert list(read_pairs(*sides(tmp_path, odd * 2, b"x\ny\n"))) == [
        (odd.decode()[:-1], "x"),
        (odd.decode()[:-1], "y"),
    ]


def test_repairs_of_both_sides_are_counted(tmp_path: Path):
    pairs = read_pairs(*sides(tmp_path, b"\xff\n", b"a\xfe\xfd\n"), repair=True)
    assert list(pairs) == [("\ufffd", "a\ufffd\ufffd")]
    assert pairs.repairs == 3


def test_bad_files(tmp_path: Path):
    source, target = sides(tmp_path, b"a\n", b"\xff\n")
    with pytest.raises(InputError, match="not valid UTF-8") as caught:
        list(read_pairs(source, target))
    assert caught.value.path == target
    with pytest.raises(FileError):
        read_pairs(source, tmp_path / "missing")
    with pytest.raises(InputError, match="standard input"):
        read_pairs("-", "-")
