"""One of the models that a table speaks for, as decoders ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tolka._engine import GrammarTable
    from tolka.grammar.table import Grammar


class Voice:
    """What one voice of a table says, for decoders; nothing is copied, as `Grammar.voice` does.

    Decoders of an ensemble whose voices are of one and the same `Grammar` ask it for all of them at once.

    Example:
        >>> import tempfile
        >>> from tolka.decode import Decoder
        >>> from tolka.grammar import Extractor
        >>> text = ["das haus", "das buch"], ["the house", "the book"], ["0-0 1-1"] * 2
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = Extractor("phrase").extract_folds(*text, [1, 2], f"{folder}/rules.tbl")
        ...     [Decoder(Voice(table, voice)).translate(["das haus"]) for voice in table.voices]
        [['the haus'], ['the house']]
    """

    def __init__(self, table: Grammar, name: str) -> None:
        """Choose a voice.

        Args:
            table: That has several.
            name: One of `Grammar.voices`.

        Raises:
            InputError: There is no such voice.
        """
        self._at = voice_number(table, name)
        self.table = table
        self.name = name

    @property
    def native(self) -> tuple[GrammarTable, int]:
        """The engine's table and the voice's place in it, for decoders."""
        return self.table.native, self._at

    @property
    def path(self) -> Path | None:
        """The table's file."""
        return self.table.path

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return self.table.voice_features

    def __repr__(self) -> str:
        """Say what it is."""
        return f"Voice({self.table!r}, {self.name!r})"


def voice_number(table: Grammar, voice: str | int) -> int:
    """The place of a voice of a table, which has its name or is its place already.

    Raises:
        InputError: There is no such voice.
    """
    names = table.voices
    at = names.index(voice) if voice in names else voice
    if isinstance(at, bool) or not isinstance(at, int) or not 0 <= at < len(names):
        known = f"its voices are {', '.join(names)}" if names else "it is an ordinary table"
        raise InputError(f"the table has no voice {voice!r}", path=table.path, hint=known)
    return at
