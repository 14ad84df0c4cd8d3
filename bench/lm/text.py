"""A large English text made of the data folder's: `python bench/lm/text.py TOKENS OUT`.

The real sentences come first. Then come new ones that follow a real sentence and cross over, now and then, to another
place with the same two words: every trigram across a seam may be new, all bigrams are real. So the number of different
n-grams keeps growing with the text, as in a real corpus, instead of repeating itself.
"""

from __future__ import annotations

import lzma
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("TOLKA_DATA", ROOT.parent / "shared" / "data"))
SOURCES = (
    "europarl-fr-en/train.en.xz",
    "monolingual/europarl.en.xz",
    "monolingual/tatoeba.en.xz",
    "debian-ddtp/en-fr/train.en.xz",
    "manpages-l10n/en-de/train.en.xz",
    "libreoffice-l10n/multiway/train.help.en.xz",
    "wesnoth-l10n/en-es/train.en.xz",
    "multi30k/raw/train.en.xz",
)
CROSS = 0.2
LONGEST = 120
WALKERS = 50_000
END = 0


def read(tokens: int) -> tuple[list[str], NDArray[np.int32]]:
    """The words, and the real text as their ids, each sentence with an end; at most `tokens` tokens of it."""
    ids: dict[str, int] = {"\n": END}
    text: list[NDArray[np.int32]] = []
    seen = 0
    for source in SOURCES:
        with lzma.open(DATA / source, "rt", encoding="utf-8", newline="\n") as lines:
            for line in lines:
                words = line.lower().split()
                if words and seen < tokens:
                    seen += len(words)
                    text.append(np.array([*(ids.setdefault(word, len(ids)) for word in words), END], dtype=np.int32))
    return list(ids), np.concatenate(text)


def crossed(text: NDArray[np.int32], rng: np.random.Generator) -> Iterator[NDArray[np.int32]]:
    """New sentences without end, some thousand at a time, one a row, filled up with ends."""
    before = np.empty_like(text)
    before[0], before[1:] = END, text[:-1]
    pair = before.astype(np.int64) << 32 | text
    order = np.argsort(pair, kind="stable")
    group = pair[order]
    first = np.searchsorted(group, pair[order], "left")[np.argsort(order)]
    last = np.searchsorted(group, pair[order], "right")[np.argsort(order)]
    starts = np.concatenate([[0], np.flatnonzero(text[:-1] == END) + 1])
    while True:
        at = rng.choice(starts, WALKERS)
        rows = np.zeros((WALKERS, LONGEST), dtype=np.int32)
        alive = np.ones(WALKERS, dtype=bool)
        for column in range(LONGEST):
            rows[:, column] = np.where(alive, text[at], END)
            alive &= text[at] != END
            jump = alive & (rng.random(WALKERS) < CROSS)
            at = np.where(jump, order[rng.integers(first[at], last[at])], at)
            at = np.minimum(at + 1, len(text) - 1)
        yield rows


def main() -> None:
    tokens, out = int(sys.argv[1]), Path(sys.argv[2])
    words, text = read(tokens)
    spelled = np.array(words, dtype=object)
    written = int((text != END).sum())
    with out.open("w", encoding="utf-8", newline="\n") as file:
        # Each end is a line feed; the spaces beside it go.
        file.write(" ".join(spelled[text]).replace(" \n ", "\n").replace(" \n", "\n"))
        if written >= tokens:
            return
        for rows in crossed(text, np.random.default_rng(1)):
            for row in rows:
                length = int(np.argmin(row != END)) or LONGEST
                file.write(" ".join(spelled[row[:length]]) + "\n")
                written += length
                if written >= tokens:
                    return


if __name__ == "__main__":
    main()
