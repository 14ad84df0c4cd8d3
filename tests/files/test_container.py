"""Containers through Python: there and back, compared with a naive reader, and every kind of damage."""

import os
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.files import Container, write_container
from tolka.limits import Limits

DTYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"]
SECTIONS = {
    "ids": np.arange(5, dtype=np.uint32),
    "none": np.zeros(0),
    "pairs": np.array([(1, 0.5), (2, -1.5)], dtype=[("word", "<u4"), ("score", "<f4")]),
    "text": b"das Haus",
}


def naive_read(data: bytes) -> tuple[str, int, dict[str, bytes]]:
    """Read a container as docs/files.md describes it, without checks."""
    magic, version, kind_version, kind, _, table, length, _ = struct.unpack("<8sII16sQQQQ", data[:64])
    assert (magic, version, length) == (b"\x89TLK\r\n\x1a\n", 1, len(data))
    sections = {}
    for entry in range(table, length, 64):
        name, _element, _size, _zero, offset, nbytes, _ = struct.unpack("<24s8sIIQQQ", data[entry : entry + 64])
        sections[name.rstrip(b"\0").decode()] = data[offset : offset + nbytes]
    return kind.rstrip(b"\0").decode(), kind_version, sections


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.tlk"
    write_container(path, "test", SECTIONS, version=7)
    return path


def test_there_and_back(small):
    container = Container.open(small, "test")
    assert (container.kind, container.version) == ("test", 7)
    assert [(info.name, info.length, info.nbytes) for info in container.sections] == [
        ("ids", 5, 20),
        ("none", 0, 0),
        ("pairs", 2, 16),
        ("text", 8, 8),
    ]
    assert "ids" in container
    assert "idz" not in container
    ids = container.array("ids")
    assert ids.dtype == np.uint32
    assert ids.tolist() == [0, 1, 2, 3, 4]
    assert not ids.flags.writeable
    assert container.array("pairs").view(SECTIONS["pairs"].dtype).tolist() == [(1, 0.5), (2, -1.5)]
    assert container.bytes("text") == b"das Haus"
    container.verify()
    with pytest.raises(FormatError, match="no section nothing"):
        container.array("nothing")


@settings(deadline=None, max_examples=50)
@given(
    st.dictionaries(
        st.from_regex(r"[a-z0-9][a-z0-9._-]{0,23}", fullmatch=True),
        st.binary(max_size=200)
        | st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(np.dtype(f"<{dtype}"), array_shapes(max_dims=1))),
        max_size=6,
    )
)
def test_any_arrays_come_back_also_naively(tmp_path_factory, sections):
    path = tmp_path_factory.getbasetemp() / "any.tlk"
    write_container(path, "test", sections, version=2)
    raw = {name: value if isinstance(value, bytes) else value.tobytes() for name, value in sections.items()}
    assert naive_read(path.read_bytes()) == ("test", 2, raw)
    container = Container.open(path)
    for name, value in sections.items():
        assert container.bytes(name) == raw[name]
        expected = np.frombuffer(value, np.uint8) if isinstance(value, bytes) else value
        np.testing.assert_array_equal(container.array(name), expected, strict=True)


def test_same_arrays_same_bytes(small, tmp_path):
    write_container(tmp_path / "again", "test", SECTIONS, version=7)
    assert (tmp_path / "again").read_bytes() == small.read_bytes()
    strided = {**SECTIONS, "ids": np.arange(10, dtype=">u4")[::2] // 2}
    write_container(tmp_path / "strided", "test", strided, version=7)
    assert (tmp_path / "strided").read_bytes() == small.read_bytes()


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"Big": b""}, "cannot be a name"),
        ({"a" * 25: b""}, "cannot be a name"),
        ({"x": np.zeros((2, 2))}, "2 dimensions"),
        ({"x": np.array([object()])}, "object cannot be stored"),
        ({"x": np.array(["text"])}, "cannot be stored"),
        ({"x": np.array([True])}, "bool cannot be stored"),
        ({"x": np.zeros(1, np.float16)}, "float16 cannot be stored"),
        ({"x": np.zeros(1, np.complex64)}, "complex64 cannot be stored"),
    ],
)
def test_what_cannot_be_stored_is_said_and_leaves_nothing(tmp_path, sections, words):
    with pytest.raises(SettingsError, match=words):
        write_container(tmp_path / "x", "test", sections)
    with pytest.raises(SettingsError, match="cannot be a name"):
        write_container(tmp_path / "x", "No Kind", {})
    assert list(tmp_path.iterdir()) == []


def test_files_of_others_are_named(tmp_path):
    path = tmp_path / "file"
    for start, words in [
        (b"", "file: the file is empty$"),
        (b"mmap lm http://kheafield.com/code format version 5\n\0", "KenLM binary; tolka reads ARPA"),
        (b"\x1f\x8b\x08\x00", "compressed with gzip"),
        (b"\\data\\\nngram 1=3\n", "ARPA"),
        (b"\x80\x04\x95\x00", "pickle, which tolka never opens"),
        ("das Hörnchen\n".encode(), "text, not a tolka container"),
        (bytes(range(256)), "not a tolka container"),
    ]:
        path.write_bytes(start)
        with pytest.raises(FormatError, match=words):
            Container.open(path)


def test_every_cut_and_every_flipped_byte_is_refused(small):
    data = small.read_bytes()
    for length in range(len(data)):
        small.write_bytes(data[:length])
        with pytest.raises(FormatError):
            Container.open(small, verify=False)
    for at in range(len(data)):
        small.write_bytes(data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1 :])
        with pytest.raises(FormatError) as caught:
            Container.open(small)
        assert caught.value.path == small


def test_quick_opening_leaves_contents_for_later(small):
    data = bytearray(small.read_bytes())
    data[64] ^= 1
    small.write_bytes(data)
    container = Container.open(small, verify=False)
    with pytest.raises(FormatError, match="section ids is damaged"):
        container.verify()


def test_wrong_kind_and_limits(small, tmp_path):
    with pytest.raises(FormatError, match="the file holds test, not lm"):
        Container.open(small, "lm")
    with pytest.raises(LimitError, match="TOLKA_MODEL_BYTES"):
        Container.open(small, limits=Limits(model_bytes=100))
    with pytest.raises(FileError, match="No such file"):
        Container.open(tmp_path / "none")
    with pytest.raises(FileError, match="is a directory"):
        Container.open(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not a regular file"):
        Container.open(tmp_path / "pipe")
