"""Compounds: words made of words, split so that their parts can be translated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka import _engine
from tolka.corpus.batches import in_batches
from tolka.errors import InputError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from tolka.limits import Limits

COMPOUNDING = frozenset(
    {"af", "da", "de", "fi", "fo", "fy", "hu", "is", "lb", "nb", "nds", "nl", "nn", "no", "se", "sv"}
)
"""Languages that write compounds as one word, by their codes."""


class CompoundSplitter:
    """Learns which words there are, and splits those that are made of others (Koehn & Knight 2003).

    A word is split into the known words whose counts have the highest geometric mean, if that is higher than its own
    count. Split the source side only: nothing joins the parts of a translation again. Text must be tokenised.

    Args:
        language: Whose rules of casing hold.
        min_length: Letters of a part, at least.
        min_count: Occurrences of a part, at least.
        max_parts: Parts of a word, at most.
        fillers: Letters that may stand between parts.

    Attributes:
        model_: What was learned, in the engine.

    Example:
        >>> splitter = CompoundSplitter(min_count=1).train(["die Hand und die Tasche", "Tasche in der Hand"])
        >>> splitter.split("die Handtasche")
        'die Hand Tasche'
    """

    def __init__(
        self,
        *,
        language: str = "",
        min_length: int = 4,
        min_count: int = 5,
        max_parts: int = 4,
        fillers: Iterable[str] = ("s", "es", "n", "en"),
    ) -> None:
        self.language = language
        self.min_length = min_length
        self.min_count = min_count
        self.max_parts = max_parts
        self.fillers = tuple(fillers)
        self.model_: _engine.Compounds | None = None

    def train(self, lines: Iterable[str]) -> CompoundSplitter:
        """Learn from tokenised lines; what was learned before is forgotten."""
        builder = _engine.CompoundsBuilder(
            self.language,
            min_length=self.min_length,
            min_count=self.min_count,
            max_parts=self.max_parts,
            fillers=list(self.fillers),
        )
        for batch in in_batches(lines):
            builder.add_lines(batch)
        self.model_ = builder.finish()
        return self

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> CompoundSplitter:
        """Open a saved splitter."""
        model = _engine.Compounds.open(path, most_bytes=limits.model_bytes)
        length, count, parts, fillers = model.settings
        splitter = cls(language=model.language, min_length=length, min_count=count, max_parts=parts, fillers=fillers)
        splitter.model_ = model
        return splitter

    def save(self, path: str | PathLike[str]) -> None:
        """Save to a container of kind "compounds"; the file appears whole or not at all."""
        self._trained().save(path)

    def __len__(self) -> int:
        return 0 if self.model_ is None else len(self.model_)

    def parts(self, word: str) -> list[str]:
        """The parts of a word in their usual case; none if it stays whole."""
        return self._trained().parts(word)

    def split(self, line: str) -> str:
        """The line with its compounds split."""
        return self._trained().split_lines([line], 1)[0]

    def split_lines(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """Many lines, split; the result does not depend on the threads."""
        return self._trained().split_lines(lines, threads)

    def _trained(self) -> _engine.Compounds:
        if self.model_ is None:
            raise InputError("the splitter has learned nothing yet", hint="call train or load first")
        return self.model_
