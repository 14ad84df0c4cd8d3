"""Rows of a SQLite file read page by page, for files that SQLite itself can no longer read.

A table's rows lie in leaf pages that need no other page to be understood (but for long rows, which go on elsewhere), so
that whatever page is whole still tells its rows, though the way to it, or the schema, may be lost. In pages that are not
whole every place is tried at which a row could begin. Beside the file, its write-ahead log is read up to the last commit.
The format: https://www.sqlite.org/fileformat2.html. Which table a row is of, the caller tells by what is in it.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

Value = None | int | float | str | bytes

_PAGE_SIZES = {1 << power for power in range(9, 17)}
_USUAL_SIZE = 4096
_FILE_HEADER = 100
_LEAF, _OTHERS = 13, {2, 5, 10}  # of tables; inner pages of tables, and pages of indexes
_LEAF_HEADER = 8
_LOG_HEADER, _FRAME_HEADER = 32, 24
_MOST_BYTES = 1 << 24  # of one row
_MOST_COLUMNS = 64
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_REAL, _ZERO, _ONE, _FIRST_TEXT = 7, 8, 9, 12


@dataclass(frozen=True)
class Row:
    """A row: its number in its table, and what its columns hold."""

    number: int
    values: tuple[Value, ...]


class _BrokenError(ValueError):
    """There is no whole row here."""


class Pages:
    """The pages of a file and of its write-ahead log.

    Args:
        path: The file; beside it may lie its log, called `…-wal`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path.with_name(f"{path.name}-wal")
        self.size = self._page_size()
        self._logged: dict[int, int] = {}
        self._frames = self._committed()
        self.broken = 0

    def rows(self) -> Iterator[Row]:
        """Every row that can be read, older forms of it first; rows may come several times."""
        with self.path.open("rb") as file:
            number = 0
            while page := file.read(self.size):
                number += 1
                yield from self._rows(page.ljust(self.size, b"\0"), number, file)
            if self._frames:
                with self.log.open("rb") as log:
                    for number, place in self._frames:
                        log.seek(place)
                        yield from self._rows(log.read(self.size).ljust(self.size, b"\0"), number, file)

    def _page_size(self) -> int:
        with self.path.open("rb") as file:
            head = file.read(_FILE_HEADER)
        if head[:15] == b"SQLite format 3" and len(head) == _FILE_HEADER:
            (size,) = struct.unpack(">H", head[16:18])
            size = 1 << 16 if size == 1 else size
            if size in _PAGE_SIZES:
                return size
        head = self._log_header()
        (size,) = struct.unpack(">I", head[8:12]) if len(head) == _LOG_HEADER else (0,)
        return size if size in _PAGE_SIZES else _USUAL_SIZE

    def _log_header(self) -> bytes:
        try:
            with self.log.open("rb") as log:
                return log.read(_LOG_HEADER)
        except OSError:
            return b""

    def _committed(self) -> list[tuple[int, int]]:
        """Pages in the log, with their places, up to the last commit of its present round.

        Checksums are not asked for: they go on from frame to frame, and one that is broken would take all after it along.
        """
        head = self._log_header()
        if len(head) < _LOG_HEADER:
            return []
        frames = []
        place = _LOG_HEADER
        with self.log.open("rb") as log:
            while True:
                log.seek(place)
                frame = log.read(_FRAME_HEADER)
                if len(frame) < _FRAME_HEADER:
                    break
                number, commit = struct.unpack(">II", frame[:8])
                frames.append((frame[8:16], number, commit, place + _FRAME_HEADER))
                place += _FRAME_HEADER + self.size
        rounds = Counter(salts for salts, *_ in frames)
        salts = head[16:24] if head[16:24] in rounds else next((one for one, _ in rounds.most_common(1)), b"")
        present = [(number, commit, place) for one, number, commit, place in frames if one == salts]
        last = max((at for at, (_, commit, _place) in enumerate(present) if commit), default=-1)
        found = [(number, place) for number, _, place in present[: last + 1] if number]
        self._logged = dict(found)
        return found

    def _rows(self, page: bytes, number: int, file: BinaryIO) -> Iterator[Row]:
        start = _FILE_HEADER if number == 1 and page.startswith(b"SQLite format 3") else 0
        kind = page[start]
        if kind in _OTHERS or not any(page):
            return
        if kind == _LEAF:
            (cells,) = struct.unpack(">H", page[start + 3 : start + 5])
            first = start + _LEAF_HEADER
            whole = first + 2 * cells <= len(page)
            for at in range(cells if whole else 0):
                (place,) = struct.unpack(">H", page[first + 2 * at : first + 2 * at + 2])
                try:
                    yield self._cell(page, place, file)
                except _BrokenError:
                    whole = False
            if whole:
                return
            self.broken += 1
        for place in range(len(page) - 4):
            # A row of one page, whose length is what its columns need, hardly comes about by chance.
            if _may_begin(page, place):
                try:
                    yield self._cell(page, place, None)
                except _BrokenError:
                    continue

    def _cell(self, page: bytes, place: int, file: BinaryIO | None) -> Row:
        length, place = _varint(page, place)
        number, place = _varint(page, place)
        if not 2 <= length <= _MOST_BYTES:  # noqa: PLR2004
            raise _BrokenError
        local = self._local(length)
        payload = page[place : place + local]
        if len(payload) < local:
            raise _BrokenError
        if local < length:
            if file is None:
                raise _BrokenError
            (following,) = struct.unpack(">I", page[place + local : place + local + 4].ljust(4, b"\0"))
            payload += self._overflow(following, length - local, file)
        return Row(number - (1 << 64) if number >> 63 else number, _record(payload))

    def _local(self, length: int) -> int:
        """How much of a row lies in its leaf page."""
        if length <= self.size - 35:
            return length
        least = (self.size - 12) * 32 // 255 - 23
        kept = least + (length - least) % (self.size - 4)
        return kept if kept <= self.size - 35 else least

    def _overflow(self, number: int, length: int, file: BinaryIO) -> bytes:
        parts = []
        back = file.tell()
        try:
            while length > 0:
                if not number:
                    raise _BrokenError
                page = self._page(number, file)
                (number,) = struct.unpack(">I", page[:4])
                parts.append(page[4 : 4 + min(length, self.size - 4)])
                length -= self.size - 4
        finally:
            file.seek(back)
        return b"".join(parts)

    def _page(self, number: int, file: BinaryIO) -> bytes:
        """The newest form of a page."""
        if number in self._logged:
            with self.log.open("rb") as log:
                log.seek(self._logged[number])
                page = log.read(self.size)
        else:
            file.seek((number - 1) * self.size)
            page = file.read(self.size)
        if len(page) < self.size:
            raise _BrokenError
        return page


def _may_begin(page: bytes, place: int) -> bool:
    """A quick look: length, number, and a header that fits into the length and says how long it is itself."""
    length, number, header = page[place], page[place + 1], page[place + 2]
    if length >= 0x80 or number >= 0x80:  # noqa: PLR2004 (in several bytes)
        return True
    return 2 <= header <= length and header <= _MOST_COLUMNS  # noqa: PLR2004


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for at in range(9):
        if place + at >= len(data):
            raise _BrokenError
        byte = data[place + at]
        if at == 8:  # noqa: PLR2004
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004
            return value, place + at + 1
    raise _BrokenError


def _record(payload: bytes) -> tuple[Value, ...]:
    length, place = _varint(payload, 0)
    if not place <= length <= min(len(payload), 1 + 9 * _MOST_COLUMNS):
        raise _BrokenError
    kinds = []
    while place < length:
        kind, place = _varint(payload, place)
        kinds.append(kind)
    if place != length or not kinds or len(kinds) > _MOST_COLUMNS:
        raise _BrokenError
    values: list[Value] = []
    for kind in kinds:
        size = _INTEGERS.get(kind) or (8 if kind == _REAL else max(kind - _FIRST_TEXT, 0) // 2)
        data = payload[place : place + size]
        place += size
        if len(data) < size or kind in {10, 11}:
            raise _BrokenError
        values.append(_value(kind, data))
    if place != len(payload):
        raise _BrokenError
    return tuple(values)


def _value(kind: int, data: bytes) -> Value:
    if kind == 0:
        return None
    if kind in _INTEGERS:
        return int.from_bytes(data, "big", signed=True)
    if kind == _REAL:
        return float(struct.unpack(">d", data)[0])
    if kind in {_ZERO, _ONE}:
        return kind - _ZERO
    if kind % 2 == 0:
        return data
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _BrokenError from None
