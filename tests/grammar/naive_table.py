"""A table of rules read from its sections, byte by byte as docs/grammar.md has them."""

from __future__ import annotations

import itertools
import struct
from typing import TYPE_CHECKING

from tolka.files import Container

if TYPE_CHECKING:
    from pathlib import Path

Read = tuple[str, str, str, list[float], list[tuple[int, int]], list[float]]


def rules(path: Path) -> list[Read]:
    """All rules in order: left-hand side, source, target, features, links, counts."""
    file = Container.open(path, "grammar")
    features, categories = (file.bytes(name).decode().split("\n") for name in ("features", "categories"))
    sources, targets = (words(file, side) for side in ("source", "target"))
    nodes = [struct.unpack_from("<III", file.bytes("nodes"), 12 * at) for at in range(len(file.bytes("nodes")) // 12)]
    total = nodes[-1][2]
    values = rows(file, "feature", len(features), total)
    counts = rows(file, "count", 3, total) if "count-rows" in file else [[0.0] * 3] * total
    sides, at, found = file.bytes("sides"), 0, []
    paths: dict[int, list[int]] = {0: []}
    for node, (this, after) in enumerate(itertools.pairwise(nodes)):
        for child in range(this[1], after[1]):
            paths[child] = [*paths[node], nodes[child][0]]
        gaps = [symbol - 2**31 for symbol in paths[node] if symbol >= 2**31]
        for rule in range(this[2], after[2]):
            if rule % 16 == 0:
                assert file.array("places")[rule // 16] == at
            lhs, target, links, at = side(sides, at)
            seen = iter(range(1, 3))
            shown = [
                f"[{categories[s - 2**31]},{next(seen)}]" if s >= 2**31 else sources[s]  # a category, or a word
                for s in paths[node]
            ]
            translation = [
                f"[{categories[gaps[code]]},{code + 1}]" if code < 2 else targets[code - 2] for code in target
            ]
            found.append((categories[lhs], " ".join(shown), " ".join(translation), values[rule], links, counts[rule]))
    assert at == len(sides)
    assert len(found) == total
    return found


def words(file: Container, side: str) -> list[str]:
    """The words of one side, by number."""
    text, ends = file.bytes(f"{side}-word-bytes"), [0, *map(int, file.array(f"{side}-word-ends"))]
    return [text[a:b].decode() for a, b in itertools.pairwise(ends)]


def rows(file: Container, name: str, columns: int, total: int) -> list[list[float]]:
    """Values: numbers of bits for each column, lowest first, that stand for a value of its list or are one."""
    lists, rest = [], list(map(float, file.array(f"{name}-values")))
    for length in map(int, file.array(f"{name}-lists")):
        lists.append(rest[:length])
        rest = rest[length:]
    assert len(lists) == columns
    assert not rest
    widths = [(len(values) - 1).bit_length() if values else 32 for values in lists]
    size = (sum(widths) + 7) // 8
    data, found = file.bytes(f"{name}-rows"), []
    assert len(data) == total * size + 8
    for row in range(total):
        bits = int.from_bytes(data[row * size : (row + 1) * size], "little")
        found.append([])
        for width, values in zip(widths, lists, strict=True):
            code = bits % 2**width
            bits >>= width
            found[-1].append(values[code] if values else struct.unpack("<f", struct.pack("<I", code))[0])
    return found


def side(data: bytes, at: int) -> tuple[int, list[int], list[tuple[int, int]], int]:
    """One rule: its category, target codes and links, and where the next one begins."""
    lhs, lengths = 0, [data[at] >> 4, data[at] & 15]
    short = data[at] > 0
    at += 1
    if not short:
        lhs = data[at]
        lengths[0], at = number(data, at + 1)
        lengths[1], at = number(data, at)
    target = []
    for _ in range(lengths[0]):
        code, at = number(data, at)
        target.append(code)
    if short:
        links = [(byte >> 4, byte & 15) for byte in data[at : at + lengths[1]]]
        return lhs, target, links, at + lengths[1]
    links = [(data[here], data[here + 1]) for here in range(at, at + 2 * lengths[1], 2)]
    return lhs, target, links, at + 2 * lengths[1]


def number(data: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, lowest first, and where it ends."""
    value, shift = 0, 0
    while data[at] >= 128:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1
