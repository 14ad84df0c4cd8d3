"""Looking at the texts that systems are made of, before any work is done."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tolka.corpus import read_corpus
from tolka.corpus.several import pairs_only
from tolka.errors import FileError
from tolka.files import sha256
from tolka.train.checks import LEARNT_FROM

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tolka.corpus import CorpusFiles, Pair


def check_there(paths: Iterable[Path]) -> None:
    """Refuse files that are not there.

    Raises:
        FileError: One is missing, or a directory.
    """
    for path in paths:
        if not path.is_file():
            what = "this is a directory" if path.is_dir() else "there is no such file"
            raise FileError(what, path=path)


def first_pairs(corpus: CorpusFiles, langs: tuple[str, str]) -> list[Pair]:
    """The first pairs of a text, as many as profiles are learnt from."""
    rows = read_corpus(corpus.paths, langs=langs, required=True)
    return list(islice(pairs_only(rows, corpus.source), LEARNT_FROM))


def alike(one: Path, other: Path) -> bool:
    """Whether two files are the same, or have the same content."""
    if one.samefile(other):
        return True
    return one.stat().st_size == other.stat().st_size and sha256(one) == sha256(other)
