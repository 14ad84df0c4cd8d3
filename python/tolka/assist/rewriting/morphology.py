"""What functions in grammars' outputs do: the forms of words, by language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Number = Literal["sing", "plur"]


@dataclass(frozen=True)
class Piece:
    """Words on their way into an output.

    Attributes:
        words: The words.
        label: The label of the node that they are, if they are one; empty if they are not.
        head: The head word.
        tag: The tag of the head word.
        number: Whether one or several, if they are a noun phrase.
    """

    words: tuple[str, ...]
    label: str = ""
    head: str = ""
    tag: str = ""
    number: Number = "sing"


Function = Callable[[Sequence[Piece]], tuple[str, ...] | None]
"""Words made of pieces, or None where there is no such form, so that nothing matches."""


class Morphology(Protocol):
    """The functions of a language, and which words keep their capital anywhere."""

    @property
    def functions(self) -> Mapping[str, tuple[int, Function]]:
        """By name: how many arguments each takes, and the function."""

    @property
    def proper(self) -> frozenset[str]:
        """Tags of words that keep their capital."""

    @property
    def own(self) -> frozenset[str]:
        """Words that keep their capital."""


@dataclass(frozen=True)
class Plain:
    """A language without functions."""

    functions: Mapping[str, tuple[int, Function]]
    proper: frozenset[str] = frozenset({"NNP", "NNPS", "NE", "NPP", "PROPN"})
    own: frozenset[str] = frozenset()


def morphology_of(language: str) -> Morphology:
    """The morphology of a language; one without functions if tolka has none."""
    from tolka.assist.rewriting.english import English  # noqa: PLC0415 - languages are made of what stands here
    from tolka.assist.rewriting.french import FRENCH  # noqa: PLC0415
    from tolka.assist.rewriting.german import GERMAN  # noqa: PLC0415

    if language == "en":
        return English.shared()
    return {"de": GERMAN, "fr": FRENCH}.get(language, Plain({}))


def functions_of(language: str) -> dict[str, int]:
    """The functions of a language and how many arguments each takes."""
    return {name: arity for name, (arity, _) in morphology_of(language).functions.items()}
