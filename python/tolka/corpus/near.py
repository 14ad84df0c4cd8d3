"""Lines that nearly repeat each other, found by the words they share: MinHash (Broder 1997).

A line is the set of its pairs of neighbouring words, in small letters and with all digits alike. The smallest of their
hashes under each of some functions are its signature: the share of places in which two signatures agree estimates how
many of all word pairs the lines have in common. Only lines that agree in both places of a band are compared.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from tolka.corpus.batches import in_batches
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]

ALIKE = 0.6
"""The share of word pairs that lines must have in common to be nearly the same."""

_MOST_OF_SET = 10
_FUNCTIONS = 32
_BAND = 2
_DIGITS = re.compile(r"[0-9]+")
_WORDS = re.compile(r"\w+|[^\w\s]")


def near_groups(lines: Iterable[str]) -> npt.NDArray[np.int64]:
    """The number of each line's group: lines that nearly repeat each other, also by way of others, share one.

    Example:
        >>> lines = ["Öffnen Sie die Datei mit dem Editor.", "Ein Haus am See.", "Öffnen Sie das Bild mit einem Betrachter."]
        >>> near_groups([*lines, "Öffnen Sie die Datei 12 mit dem Editor.", "öffnen sie die Datei 7 mit dem Editor"]).tolist()
        [0, 1, 2, 0, 0]
    """
    signatures = _signatures(lines)
    leaders = list(range(len(signatures)))

    def leader(line: int) -> int:
        while leaders[line] != line:
            leaders[line] = line = leaders[leaders[line]]
        return line

    # A band and the band after it as one number: of lines that agree in the first, those next to each other agree in most.
    bands = np.ascontiguousarray(np.concatenate([signatures, signatures[:, :_BAND]], axis=1))
    for at in range(0, _FUNCTIONS, _BAND):
        keys = np.ascontiguousarray(bands[:, at : at + 2 * _BAND]).astype(">u2").view(">u8").ravel()
        order = np.argsort(keys, kind="stable")
        same = np.flatnonzero(np.diff(keys[order] >> np.uint64(16 * _BAND)) == 0)
        one, other = order[same], order[same + 1]
        near = (signatures[one] == signatures[other]).mean(axis=1) >= ALIKE
        for first, second in zip(one[near].tolist(), other[near].tolist(), strict=True):
            low, high = sorted((leader(first), leader(second)))
            leaders[high] = low
    return np.array([leader(line) for line in range(len(leaders))], dtype=np.int64)


def near_parts(lines: Iterable[str], wanted: Mapping[str, int | float], *, seed: int) -> tuple[bytes, int]:
    """Where each line goes if lines that nearly repeat each other stay together: 0 for training, n for the nth set.

    Groups are taken whole, in the order of a hash of their text, as long as they leave room; those of more than a
    tenth of a set stay in training, because one template is no test. If groups do not suffice, single lines fill a set.

    Args:
        lines: The sources.
        wanted: The sizes of the sets: whole numbers of lines, or shares of all lines.
        seed: Other seeds choose other lines.

    Returns:
        The parts, and how many lines of the sets have others nearly like them in training.

    Raises:
        InputError: There are too few lines.

    Example:
        >>> texts = [f"Siehe Kapitel {n}." for n in range(5)] + [f"{word} wohnt hier" for word in "abcdefghijklmno"]
        >>> parts, near = near_parts(texts, {"dev": 4}, seed=1)
        >>> len(set(parts[:5])), parts.count(1), near
        (1, 4, 0)
    """
    salt = seed.to_bytes(8, "big")
    keys: list[bytes] = []

    def hashed() -> Iterator[str]:
        for line in lines:
            keys.append(hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=8, salt=salt).digest())
            yield line

    groups = near_groups(hashed())
    members: dict[int, list[int]] = {}
    for line, group in enumerate(groups.tolist()):
        members.setdefault(group, []).append(line)
    order = sorted(members.values(), key=lambda group: (min(keys[line] for line in group), group[0]))
    parts = bytearray(len(keys))
    sizes = [round(size * len(keys)) if isinstance(size, float) else size for size in wanted.values()]
    if sum(sizes) >= len(keys):
        what = f"the corpus has {len(keys)} pairs, which leaves none to train on"
        raise InputError(what, hint="ask for smaller dev and test sets")
    near = 0
    for part, size in enumerate(sizes, 1):
        left, most = size, max(size // _MOST_OF_SET, 1)
        for group in order:
            if len(group) <= min(left, most) and not any(parts[line] for line in group):
                left -= len(group)
                for line in group:
                    parts[line] = part
        rest = sorted((keys[line], line) for line, taken in enumerate(parts) if not taken)
        for _, line in rest[:left]:
            parts[line] = part
        near += left
    return bytes(parts), near


def _signatures(lines: Iterable[str]) -> npt.NDArray[np.uint16]:
    factors = [
        int.from_bytes(hashlib.blake2b(str(one).encode(), digest_size=8).digest(), "big") | 1
        for one in range(_FUNCTIONS)
    ]
    known: dict[str, int] = {}
    made = [np.empty((0, _FUNCTIONS), dtype=np.uint16)]
    for batch in in_batches(lines):
        pairs = [_word_pairs(line, known) for line in batch]
        starts = np.cumsum([0, *map(len, pairs[:-1])])
        numbers = _mixed(np.fromiter(chain.from_iterable(pairs), dtype=np.uint64))
        least = np.stack([np.minimum.reduceat(numbers * np.uint64(one), starts) for one in factors], axis=1)
        made.append((_mixed(least) & np.uint64(0xFFFF)).astype(np.uint16))
    return np.concatenate(made)


def _mixed(numbers: Numbers) -> Numbers:
    """Numbers whose every bit depends on all bits of what came in (SplitMix64, Steele, Lea and Flood 2014)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _word_pairs(line: str, known: dict[str, int]) -> list[int]:
    words = _WORDS.findall(_DIGITS.sub("0", line.lower()))
    for word in words:
        if word not in known:
            known[word] = zlib.crc32(word.encode("utf-8", "surrogatepass"))
    return [one << 32 | other for one, other in pairwise([1, *(known[word] for word in words), 2])]
