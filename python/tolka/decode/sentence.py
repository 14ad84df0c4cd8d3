"""Sentences that bring translations of some of their words along, and what is known of their parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.decode.lattice import Lattice
from tolka.decode.spans import Span, native_spans, place
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def words_of(line: str) -> list[str]:
    """The tokens of a line as decoders see them: other white space than blanks and tabs may be part of a token."""
    return [word for word in _BLANKS.split(line) if word]


_BLANKS = re.compile("[ \t\r\n]+")


@dataclass(frozen=True)
class Given:
    """Translations of a span of words.

    Attributes:
        start: The first word, counted from 0.
        end: The first word behind the span.
        targets: Tokenised translations with log weights: 0 is as sure as a rule of probability 1. Words that no model
            knows may be among them.
        exclusive: Whether nothing else may translate the span. No rule may then use its words in another way, though a
            rule's gap may hold the span. Otherwise they compete with the grammar's translations.
    """

    start: int
    end: int
    targets: tuple[tuple[str, float], ...]
    exclusive: bool = True

    def __post_init__(self) -> None:
        # Lists are welcome; what is kept is hashable.
        object.__setattr__(self, "targets", tuple((str(words), float(weight)) for words, weight in self.targets))


@dataclass(frozen=True)
class Sentence:
    """A tokenised sentence with translations of some spans.

    Attributes:
        text: With spaces between tokens.
        given: The translations. Spans may overlap unless one of them is exclusive.
        values: Words that stand for others, and what is to be written in their place once the sentence is translated.
        spans: Words that belong together.
        walls: Words before which a wall stands: everything before it is translated first, and nothing crosses it.

    Example:
        >>> Sentence("das haus", [Given(1, 2, [("building", 0.0)])]).words
        ('das', 'haus')
        >>> Sentence("im jahr $num_1", values=[("$num_1", "1999")]).fill("in $num_1")
        'in 1999'
    """

    text: str
    given: tuple[Given, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    spans: tuple[Span, ...] = ()
    walls: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", tuple(self.given))
        object.__setattr__(self, "values", tuple((str(name), str(value)) for name, value in self.values))
        object.__setattr__(self, "spans", tuple(self.spans))
        object.__setattr__(self, "walls", tuple(self.walls))

    def fill(self, translation: str) -> str:
        """A translation with what its words stand for."""
        if not self.values:
            return translation
        values = dict(self.values)
        return " ".join(values.get(word, word) for word in translation.split(" "))

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens."""
        return tuple(words_of(self.text))


Input = str | Sentence | Lattice
"""What decoders translate: a line of tokens, alone or with what is known of it, or a lattice."""


def fill(sentences: Sequence[Input], translations: Sequence[str]) -> list[str]:
    """Translations of sentences with what their words stand for.

    Example:
        >>> fill([Sentence("im jahr $num_1", values=[("$num_1", "1999")]), "ja"], ["in $num_1", "yes"])
        ['in 1999', 'yes']
    """
    pairs = zip(sentences, translations, strict=True)
    return [one.fill(text) if isinstance(one, Sentence) else text for one, text in pairs]


Extras = list[
    tuple[
        list[tuple[int, int, list[tuple[str, float]], bool]],
        list[tuple[int, int, bool]],
        list[int],
        tuple[int, list[tuple[int, int, str, float]]] | None,
    ]
]


def lines_and_spans(sentences: Sequence[Input]) -> tuple[list[str], Extras]:
    """What the engine takes: lines, and for each what is given with it; nothing if none has anything."""
    if isinstance(sentences, Input):
        raise InputError("one sentence instead of a list of sentences", hint="put it into a list")
    if all(isinstance(one, str) for one in sentences):
        return list(sentences), []  # type: ignore[arg-type]
    lines, extras = list[str](), Extras()
    for one in sentences:
        if isinstance(one, str):
            lines.append(one)
            extras.append(([], [], [], None))
            continue
        spans, walls = native_spans(one.spans, one.walls)
        if isinstance(one, Lattice):
            lines.append("")
            extras.append(([], spans, walls, (one.last, list(one.arcs))))
        else:
            lines.append(one.text)
            given = [(place(own.start), place(own.end), list(own.targets), own.exclusive) for own in one.given]
            extras.append((given, spans, walls, None))
    return lines, extras if any(map(any, extras)) else []
