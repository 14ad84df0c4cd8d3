"""Parses as a task: what is kept of a sentence is the forest of its trees, told apart by the rewrites they yield."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.assist.parsing.material import ParseMaterial
from tolka.assist.rewriting import Rewriter
from tolka.errors import SettingsError
from tolka.syntax import ConstituencyParser, penn_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tolka.assist.dialogue import Dialogue
    from tolka.assist.tasks.task import Material, Trust


class ParseTask:
    """Asks which rewritten sentences mean the same; see `Task`.

    Args:
        parser: What parses; without it there are dialogues of what was prepared before.
        rewriter: What rewrites.
    """

    name = "parse"
    needs = ("parser",)
    takes = ("parser", "grammar")

    def __init__(self, parser: ConstituencyParser | None = None, rewriter: Rewriter | None = None) -> None:
        self.parser, self.rewriter = parser, rewriter

    @classmethod
    def load(cls, *, parser: Path, grammar: Sequence[str] = ()) -> ParseTask:
        """A task that can prepare sentences; grammars are those of English unless some are named."""
        return cls(ConstituencyParser.load(parser), Rewriter(list(grammar) or ["en.passive", "en.cleft"]))

    def prepare(self, sentence: str) -> Material:
        """See `Task`."""
        if self.parser is None or self.rewriter is None:
            raise SettingsError("sentences are prepared with a parser", hint="give one with --parser")
        return ParseMaterial.prepare(self.parser, self.rewriter, penn_words(sentence.split())).as_json()

    def dialogue(self, material: Material, trust: Trust) -> Dialogue:
        """See `Task`."""
        return ParseMaterial.from_json(material).dialogue(right=trust)
