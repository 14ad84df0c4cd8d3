"""The line reader: line ends, encodings, compression, limits, and equality with its plain twin."""

import gzip
import io
import lzma
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tolka._engine import ByteReader
from tolka.corpus import read_batches, read_lines
from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError, TolkaError
from tolka.limits import DEFAULT, Limits

BOM = b"\xef\xbb\xbf"


# --- the twin: the line reader said plainly ---


def first_bad(piece: bytes) -> int:
    """Bytes before the first that is not UTF-8 or is NUL."""
    try:
        piece.decode("utf-8")
        valid = len(piece)
    except UnicodeDecodeError as error:
        valid = error.start
    nul = piece.find(b"\0")
    return min(valid, nul) if nul >= 0 else valid


def naive_lines(data: bytes, limit: int, *, repair: bool = False):
    """Split at LF, then look at each piece by itself. Gives the lines and (class, line, byte) of the error."""
    if repair:
        data = data.decode("utf-8", errors="replace").replace("\0", "\ufffd").encode()
    mark = len(BOM) if data.startswith(BOM) else 0
    pieces = data[mark:].split(b"\n")
    last = pieces.pop()
    lines: list[str] = []
    for number, piece in enumerate([*pieces, *([last] if last else [])], 1):
        good = first_bad(piece)
        if good < len(piece) and good <= limit:
            return lines, (InputError, number, good + 1 + (mark if number == 1 else 0))
        text = piece.removesuffix(b"\r") if number <= len(pieces) else piece
        if good < len(piece) or len(text) > limit:
            return lines, (LimitError, number, None)
        lines.append(text.decode())
    return lines, None


def engine_lines(data: bytes, limit: int, *, repair: bool = False):
    lines: list[str] = []
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            # Line by line rather than list(): the lines before the error count.
            for line in read_lines(file.name, limits=replace(DEFAULT, line_bytes=limit), repair=repair):
                lines.append(line)  # noqa: PERF402
        except TolkaError as error:
            return lines, (type(error), error.line, error.byte)
    return lines, None


PIECES = [b"\n", b"\r", b"\r\n", BOM, b"\0", b"abc", b"\xe2\x82", "€😀\u2028\u0085".encode(), b"\xed\xa0\x80", b"\xff"]
DATA = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3) | st.text(max_size=3).map(str.encode)).map(b"".join)
MARKS = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


@settings(deadline=None)
@given(DATA, st.integers(1, 30))
@example(b"abc\r", 3)
@example(b"\n\x01\x01\n", 1)  # the lines before an error come before it
@example(BOM + b"a\xff", 30)
def test_equals_its_twin(data: bytes, limit: int):
    if not data.startswith(MARKS):
        assert engine_lines(data, limit) == naive_lines(data, limit)


@settings(deadline=None)
@given(DATA)
def test_repair_equals_its_twin(data: bytes):
    if not data.startswith(MARKS):
        assert engine_lines(data, 1 << 20, repair=True) == naive_lines(data, 1 << 20, repair=True)


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b"\x1f\x8b\x08\x00", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"]))
def test_random_bytes_give_lines_or_an_error(data: bytes, start: bytes):
    engine_lines(start + data, 1 << 20)


# --- cases ---


def write(folder: Path, data: bytes, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_blocks_do_not_show(tmp_path: Path):
    # Much longer than a block, with lines and characters of all lengths, so that blocks end everywhere.
    lines = ["ä€😀x"[: i % 5] * (i * 37 % 1000) for i in range(5000)]
    path = write(tmp_path, "\n".join(lines).encode() + b"\n")
    assert list(read_lines(path)) == lines
    assert [line for batch in read_batches(path) for line in batch] == lines


def test_next_and_loop_share_the_place(tmp_path: Path):
    lines = read_lines(write(tmp_path, b"a\nb\nc\n"))
    assert next(lines) == "a"
    assert list(lines) == ["b", "c"]
    assert list(lines) == []


def test_compression_is_told_from_the_content(tmp_path: Path):
    text = "ein Haus\nzwei Häuser\n".encode()
    for number, data in enumerate(
        [text, gzip.compress(text), gzip.compress(text[:9]) + gzip.compress(text[9:]), lzma.compress(text)]
    ):
        assert list(read_lines(write(tmp_path, data, f"{number}.zst"))) == ["ein Haus", "zwei Häuser"]


def test_truncated_compression(tmp_path: Path):
    path = write(tmp_path, gzip.compress(b"abc\n" * 10_000)[:-9])
    with pytest.raises(FormatError, match="truncated"):
        list(read_lines(path))


def test_invalid_utf8_says_where_and_what_to_do(tmp_path: Path):
    path = write(tmp_path, b"gut\nschlecht: \xe4\n")
    with pytest.raises(InputError) as caught:
        list(read_lines(path))
    assert (caught.value.path, caught.value.line, caught.value.byte) == (path, 2, 11)
    assert "iconv" in caught.value.hint
    assert "--repair" in caught.value.hint
    lines = read_lines(path, repair=True)
    assert list(lines) == ["gut", "schlecht: \ufffd"]
    assert lines.repairs == 1


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ("a\n".encode("utf-16"), "UTF-16LE"),
        (b"\xfe\xff\0a", "UTF-16BE"),
        ("a\n".encode("utf-32"), "UTF-32LE"),
        (b"a\0b", "NUL"),
        (b"PK\x03\x04rest", "zip"),
        (b"%PDF-1.7\n%\xe2\xe3", "PDF"),
        (b"\x7fELF\x02\x01", "a program"),
        (b"mmap lm http://kheafield.com/code format version 5\n\0", "KenLM"),
        (gzip.compress(gzip.compress(b"a\n", mtime=0), mtime=0), "twice"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_not_text(tmp_path: Path, data: bytes, what: str):
    with pytest.raises(InputError, match=what) as caught:
        list(read_lines(write(tmp_path, data)))
    assert caught.value.hint


def test_limits(tmp_path: Path):
    path = write(tmp_path, b"a" * 100)
    with pytest.raises(LimitError, match="longer than 99 bytes"):
        list(read_lines(path, limits=replace(DEFAULT, line_bytes=99)))
    with pytest.raises(LimitError, match="more than 99 bytes"):
        list(read_lines(path, limits=replace(DEFAULT, file_bytes=99)))
    bomb = write(tmp_path, lzma.compress(b"a\n" * (10 << 20)), "bomb.xz")
    with pytest.raises(LimitError, match="bomb"):
        read_lines(bomb, limits=replace(DEFAULT, expansion=100)).count_rest()
    with pytest.raises(LimitError, match="longer than"):
        list(read_lines(write(tmp_path, b"a" * (1 << 20) + b"a\n", "one_megabyte")))


def test_a_missing_file_and_a_folder(tmp_path: Path):
    with pytest.raises(FileError, match="No such file"):
        read_lines(tmp_path / "missing")
    with pytest.raises(FileError):
        read_lines(tmp_path)


def test_the_rest_is_counted(tmp_path: Path):
    lines = read_lines(write(tmp_path, b"a\nb\nc\nd"))
    next(lines)
    assert lines.count_rest() == 3


def test_bytes_are_decompressed(tmp_path: Path):
    reader = ByteReader(write(tmp_path, gzip.compress(b"\xff\x00" * 300_000)), file_bytes=1 << 30, expansion=2000)
    assert b"".join(iter(reader.read, b"")) == b"\xff\x00" * 300_000


CATCH = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
READ_STDIN = (
    "import sys; from tolka.corpus import read_lines\nfor line in read_lines('-'): print(repr(line), flush=True)"
)


def test_standard_input_is_read_as_it_comes():
    process = subprocess.Popen([sys.executable, "-c", READ_STDIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert isinstance(process.stdin, io.BufferedWriter)
    assert process.stdout is not None
    for word in [b"eins", b"zwei"]:
        process.stdin.write(word + b"\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"'" + word + b"'\n"
    process.stdin.write(b"\xff")
    process.stdin.close()
    assert process.stdout.read() == b""
    process.stdout.close()
    assert process.wait() == 1


def test_waiting_for_standard_input_can_be_interrupted():
    process = subprocess.Popen(
        # A shell's background jobs ignore interrupts unless they ask for them.
        [sys.executable, "-c", f"{CATCH}; import tolka.corpus; print('ready', flush=True);" + READ_STDIN],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors


def test_the_hint_of_a_limit_can_be_followed(tmp_path):
    """A command names a variable that raises its limit."""
    (tmp_path / "a").write_text("x" * (DEFAULT.line_bytes + 1))
    command = [sys.executable, "-m", "tolka", "corpus", "stats", str(tmp_path / "a")]

    def run(**variables):
        return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **variables})

    refused = run()
    assert refused.returncode == 1
    assert "raise the limit: TOLKA_LINE_BYTES" in refused.stderr
    assert run(TOLKA_LINE_BYTES=str(DEFAULT.line_bytes + 1)).returncode == 0
    wrong = run(TOLKA_LINE_BYTES="x")
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1), wrong.stderr
    for number in ("0", "-1", "1e9", "", "x", "9" * 40):
        with pytest.raises(SettingsError, match="TOLKA_LINE_BYTES must be a positive whole number"):
            Limits.of({"TOLKA_LINE_BYTES": number})
