"""Parses as a task: what is kept of a sentence is the forest of its trees, told apart by the rewrites they yield."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.assist.parsing.material import ParseMaterial
from tolka.assist.rewriting import Rewriter
from tolka.errors import InputError, SettingsError
from tolka.syntax import ConstituencyParser, penn_words, read_forests

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from tolka.assist.dialogue import Dialogue
    from tolka.assist.tasks.task import Material, Trust
    from tolka.syntax import ConstituentForest


class ParseTask:
    """Asks which rewritten sentences mean the same; see `Task`.

    Args:
        parser: What parses.
        rewriter: What rewrites; without it there are dialogues of what was prepared before.
        forests: What another parser has made of sentences, in the place of `parser`.
    """

    name = "parse"
    takes = ("parser", "forests", "grammar")

    def __init__(
        self,
        parser: ConstituencyParser | None = None,
        rewriter: Rewriter | None = None,
        *,
        forests: Iterable[ConstituentForest] = (),
    ) -> None:
        self.parser, self.rewriter = parser, rewriter
        self.forests = {forest.words: forest for forest in forests}

    @classmethod
    def load(cls, *, parser: Path | None = None, forests: Path | None = None, grammar: Sequence[str] = ()) -> ParseTask:
        """A task that can prepare sentences; grammars are those of English unless some are named."""
        rewriter = Rewriter(list(grammar) or ["en.passive", "en.cleft"])
        if (parser is None) == (forests is None):
            raise SettingsError("the task parse needs --parser or --forests", hint="give one of them")
        if forests is not None:
            return cls(None, rewriter, forests=read_forests(forests))
        assert parser is not None  # noqa: S101
        return cls(ConstituencyParser.load(parser), rewriter)

    def prepare(self, sentence: str) -> Material:
        """See `Task`."""
        if self.rewriter is None or (self.parser is None and not self.forests):
            raise SettingsError("sentences are prepared with a parser", hint="give one with --parser")
        words = penn_words(sentence.split())
        if self.parser is not None:
            return ParseMaterial.prepare(self.parser, self.rewriter, words).as_json()
        forest = self.forests.get(tuple(sentence.split())) or self.forests.get(tuple(words))
        if forest is None:
            raise InputError("there is no forest of this sentence", hint="write one with the very same words")
        return ParseMaterial.of_forest(forest, self.rewriter).as_json()

    def dialogue(self, material: Material, trust: Trust) -> Dialogue:
        """See `Task`."""
        return ParseMaterial.from_json(material).dialogue(right=trust)
