"""Word classes: learnt by exchange, or read from a file of words and their classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka._engine import LmClusterer
from tolka.corpus import read_lines
from tolka.errors import InputError
from tolka.limits import DEFAULT
from tolka.lm.model import pieces

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from tolka.limits import Limits


def cluster_words(text: Iterable[str] | PathLike[str], classes: int, *, rounds: int = 20) -> dict[str, str]:
    """Group the words of a text into classes by exchange (Martin et al. 1998).

    Args:
        text: Lines, or the path (a `Path`) of a file.
        classes: How many classes.
        rounds: How often each word may move at most.

    Returns:
        The class of each word; classes are named `c0`, `c1`, ….

    Example:
        >>> found = cluster_words(["the dog", "the cat", "a dog", "a cat"], 2)
        >>> found["the"] == found["a"], found["dog"] == found["cat"], found["a"] == found["cat"]
        (True, True, False)
    """
    engine = LmClusterer()
    for piece in pieces(text):
        engine.add(piece)
    return {word: f"c{number}" for word, number in engine.finish(classes, rounds)}


def read_classes(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> dict[str, str]:
    """Read a file of lines with a word, white space, and its class.

    Raises:
        InputError: A line that is not two words, or a word that is listed twice.
    """
    classes: dict[str, str] = {}
    for number, line in enumerate(read_lines(path, limits=limits), 1):
        fields = line.split()
        if len(fields) != 2:  # noqa: PLR2004 a word and a class
            raise InputError("a line has a word and its class", path=str(path), line=number)
        word, name = fields
        if word in classes:
            raise InputError(f"{word!r} is listed twice", path=str(path), line=number)
        classes[word] = name
    return classes
