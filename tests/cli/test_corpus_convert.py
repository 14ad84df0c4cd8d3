"""`tolka corpus convert`, run as people run it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tolka.corpus import read_corpus, read_lines, write_tmx


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "tolka", "corpus", "convert", *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.de").write_text("ein Haus\nein Hund\n", encoding="utf-8")
    (tmp_path / "a.en").write_text("a house\na\tdog\n", encoding="utf-8")
    return tmp_path


def test_a_memory_becomes_one_file_per_language(folder: Path):
    write_tmx(folder / "memory.tmx", [("ein Haus", "a house")], langs=("de", "en"))
    done = run(folder, "memory.tmx", "--langs", "en", "de", "-o", "train.gz", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "files": ["train.en.gz", "train.de.gz"],
        "read_as": "tmx",
        "rows": 1,
        "skipped": {},
        "repairs": 0,
        "flattened": 0,
    }
    assert list(read_lines(folder / "train.en.gz")) == ["a house"]


def test_two_files_become_a_table(folder: Path):
    strict = run(folder, "a.de", "a.en", "-o", "pairs.tsv")
    assert strict.returncode == 1
    assert strict.stderr.startswith(b"tolka: pairs.tsv, line 2: a text contains a TAB")
    assert not (folder / "pairs.tsv").exists()
    flat = run(folder, "a.de", "a.en", "-o", "pairs.tsv", "--flatten")
    assert flat.stdout == b"2 pairs in pairs.tsv\n  1 texts flattened\n"
    assert list(read_corpus(folder / "pairs.tsv")) == [("ein Haus", "a house"), ("ein Hund", "a dog")]


def test_names_of_files_tell_the_languages(folder: Path):
    assert run(folder, "a.de", "a.en", "-o", "a.tmx").returncode == 0
    rows = read_corpus(folder / "a.tmx")
    assert list(rows) == [("ein Haus", "a house"), ("ein Hund", "a\tdog")]
    assert rows.langs == ("de", "en")


def test_from_standard_input_to_standard_output(folder: Path):
    done = run(folder, "-", "--from", "tsv", "--columns", "3,1", "--to", "bars", "-o", "-", stdin=b"a\tx\tb\n")
    assert (done.stdout, done.stderr) == (b"b ||| a\n", b"1 pairs in -\n")
    lines = run(folder, "-", "--from", "text", "-o", "-", "--repair", stdin=b"a\xff\r\nb")
    assert lines.stdout == "a\ufffd\nb\n".encode()
    assert b"1 places repaired" in lines.stderr


def test_what_is_left_out_is_said(folder: Path):
    (folder / "a.po").write_text('msgid "a"\nmsgstr "b"\n\n#, fuzzy\nmsgid "c"\nmsgstr "d"\n')
    assert run(folder, "a.po", "-o", "a.tsv").stdout == b"1 pairs in a.tsv\n  1 fuzzy\n"
    assert run(folder, "a.po", "-o", "a.tsv", "--fuzzy").stdout == b"2 pairs in a.tsv\n"


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (["a.de", "missing", "-o", "x.tsv"], 1, b"missing: No such file"),
        (["a.de", "a.en", "-o", "x.tsv", "--to", "csv"], 2, b"unknown"),
        (["a.de", "a.en", "-o", "-", "--json"], 2, b"--json"),
        (["a.tsv", "-o", "x"], 2, b"--langs"),
        (["a.tsv", "-o", "x.tsv", "--columns", "one"], 2, b"--columns"),
        (["empty.tsv", "-o", "x.tsv"], 1, b"the corpus is empty"),
        (["-", "-o", "x.tsv"], 2, b"--from"),
        (["a.de", "short.en", "-o", "x.tsv"], 1, b"a.de has 2 and short.en has 1"),
    ],
)
def test_mistakes_get_one_sentence(folder: Path, arguments: list[str], code: int, what: bytes):
    (folder / "a.tsv").write_text("a\tb\n")
    (folder / "empty.tsv").write_text("")
    (folder / "short.en").write_text("a\n")
    done = run(folder, *arguments)
    assert done.returncode == code
    assert what in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert not list(folder.glob("x*"))


def test_a_reader_that_leaves_is_no_error(folder: Path):
    (folder / "long").write_text("a\n" * 200_000)
    command = f"{sys.executable} -m tolka corpus convert long --from text -o - | head -n 1"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, capture_output=True, check=False)
    assert done.stdout == b"a\n"
    assert done.stderr == b""
