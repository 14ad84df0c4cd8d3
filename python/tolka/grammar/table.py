"""Grammars as people use them: open, look up, count."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tolka._engine import GrammarTable
from tolka.errors import InputError
from tolka.grammar.voice import voice_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike


@dataclass(frozen=True)
class Rule:
    """A translation rule.

    Attributes:
        lhs: The category of its left-hand side.
        source: Its source side; nonterminals are written `[X,1]`.
        target: Its target side; `[X,1]` is where the translation of the source's `[X,1]` goes.
        features: The table's features, natural logarithms of probabilities.
        links: Positions in the source and the target side of words that translate each other.
        counts: How often its target side, its source side, and both together were counted; zeros if unknown.
        voices: Those that have the rule, of a table with several; `features` has theirs.
    """

    lhs: str
    source: str
    target: str
    features: dict[str, float]
    links: tuple[tuple[int, int], ...]
    counts: tuple[float, float, float]
    voices: tuple[str, ...] = ()


@dataclass(frozen=True)
class GrammarStats:
    """The sizes of a grammar.

    Attributes:
        rules: Rules.
        sources: Different source sides.
        source_words: Words known on the source side.
        target_words: Words known on the target side.
        nodes: Nodes of the trie of source sides.
        lexical: Rules without nonterminals.
        one_gap: Rules with one.
        two_gaps: Rules with two.
        bytes: Bytes of the file; 0 for a grammar in memory.
    """

    rules: int
    sources: int
    source_words: int
    target_words: int
    nodes: int
    lexical: int
    one_gap: int
    two_gaps: int
    bytes: int


class Grammar:
    """A table of rules in a file, mapped into memory, or in memory only.

    Made by `Grammar.load`, `extract`, `Extractor.extract` or `SuffixGrammar.extract`. What `Extractor.extract_folds` makes
    speaks for several models: it has `voices`, and features named `<voice>.<feature>`.

    Attributes:
        path: The file; none if the table is in memory only.
    """

    def __init__(self, native: GrammarTable, path: str | PathLike[str] | None = None) -> None:
        if not isinstance(native, GrammarTable):
            raise InputError(f"{native!r} is no table of the engine", hint="use Grammar.load for a file")
        self._native = native
        self.path = None if path is None else Path(path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, verify: bool = False) -> Grammar:
        """Load a table: it is mapped into memory, which takes no time.

        Args:
            path: Its file.
            verify: Compare all of it with its checksums and check every rule; otherwise only its structure.

        Raises:
            FileError: There is no such file.
            FormatError: It is no grammar, or damaged.
        """
        return cls(GrammarTable.open(path, full=verify), path)

    @property
    def native(self) -> GrammarTable:
        """The engine's table, for decoders."""
        return self._native

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self._native.feature_names)

    @property
    def voices(self) -> tuple[str, ...]:
        """The names of the models that the table speaks for; none if it is an ordinary one."""
        return tuple(self._native.voices)

    @property
    def voice_features(self) -> tuple[str, ...]:
        """The names of the features of each voice; of an ordinary table, all of them."""
        return tuple(self._native.voice_features)

    def voice(self, voice: str | int, path: str | PathLike[str] | None = None) -> Grammar:
        """What one voice says, as an ordinary table; `tolka.grammar.Voice` is the same for decoders without a copy.

        Args:
            voice: Its name, or its place among `voices`.
            path: The file to write; the table is in memory if not given.

        Raises:
            InputError: There is no such voice.
        """
        at = voice_number(self, voice)
        if path is None:
            return Grammar(self._native.voice(at))
        self._native.write_voice(at, path)
        return Grammar.load(path)

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple(self._native.categories)

    def __len__(self) -> int:
        """How many rules there are."""
        return len(self._native)

    def __iter__(self) -> Iterator[Rule]:
        """All rules in the order of their source sides."""
        names, voices = self.feature_names, self.voices
        for number in range(len(self)):
            yield _rule(names, voices, self._native.rule(number))

    def rules(self, source: str) -> list[Rule]:
        """The rules with exactly this source side, most probable translation first.

        Args:
            source: Words, and nonterminals written `[X]` or `[X,1]`.
        """
        names, voices = self.feature_names, self.voices
        return [_rule(names, voices, found) for found in self._native.rules(source)]

    def sample(self, count: int) -> list[Rule]:
        """At most so many rules from all over the table, always the same ones.

        Example:
            >>> from tolka.grammar import SuffixGrammar
            >>> SuffixGrammar().extract([]).sample(10)
            []
        """
        names, whole = self.feature_names, len(self)
        some = min(count, whole)
        return [_rule(names, self.voices, self._native.rule(at * whole // some)) for at in range(some)]

    def stats(self) -> GrammarStats:
        """Count what is in the table."""
        rules, sources, source_words, target_words, nodes, lexical, one_gap, two_gaps = self._native.sizes()
        size = 0 if self.path is None else self.path.stat().st_size
        return GrammarStats(rules, sources, source_words, target_words, nodes, lexical, one_gap, two_gaps, size)

    def __repr__(self) -> str:
        """Say what it is."""
        where = "in memory" if self.path is None else repr(str(self.path))
        return f"Grammar({where}, {len(self)} rules)"


def _rule(
    names: tuple[str, ...],
    voices: tuple[str, ...],
    found: tuple[str, str, str, list[float], list[tuple[int, int]], tuple[float, float, float], int],
) -> Rule:
    lhs, source, target, features, links, counts, spoken = found
    said = dict(zip(names, features, strict=True))
    speakers = tuple(voice for at, voice in enumerate(voices) if spoken >> at & 1)
    if voices:
        width = len(names) // len(voices)
        said = {name: value for at, (name, value) in enumerate(said.items()) if spoken >> at // width & 1}
    return Rule(lhs, source, target, said, tuple(links), counts, speakers)
