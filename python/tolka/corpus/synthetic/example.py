"""One sentence in three languages, with everything that is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tolka.corpus.synthetic import trees
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.corpus.synthetic.derivation import Clause
    from tolka.corpus.synthetic.words import Phrase, Word

LANGUAGES = ("de", "en", "fr")
PAIRS = (("de", "en"), ("de", "fr"), ("fr", "en"))


@dataclass(frozen=True)
class Example:
    """A triple of sentences from one derivation; mappings are by language (`de`, `en`, `fr`).

    Attributes:
        index: Its number in the stream; with the seed it determines everything else.
        domain: `home` or `tech`.
        phenomena: What the sentence shows, sorted.
        raw: The sentence as a person would type it.
        tokens: Its tokens, cased as in the sentence.
        truecased: Its tokens with the first word in the case it has inside a sentence.
    """

    index: int
    domain: str
    phenomena: tuple[str, ...]
    raw: Mapping[str, str]
    tokens: Mapping[str, tuple[str, ...]]
    truecased: Mapping[str, tuple[str, ...]]
    _top: Clause = field(repr=False, compare=False)
    _lines: Mapping[str, list[Word]] = field(repr=False, compare=False)
    _phrases: Mapping[str, Phrase] = field(repr=False, compare=False)

    def links(self, source: str, target: str) -> list[tuple[int, int]]:
        """The gold word alignment: words that render the same piece of the derivation, sorted."""
        anchored: dict[int, list[int]] = {}
        for word in self._line(target):
            for anchor in word.anchors:
                anchored.setdefault(anchor, []).append(word.index)
        found = {
            (word.index, other)
            for word in self._line(source)
            for anchor in word.anchors
            for other in anchored.get(anchor, ())
        }
        return sorted(found)

    def pharaoh(self, source: str, target: str) -> str:
        """The gold word alignment as a line of a Pharaoh file."""
        return " ".join(f"{i}-{j}" for i, j in self.links(source, target))

    def heads(self, language: str) -> list[int]:
        """The dependency tree: the position of each word's head, -1 for the root."""
        return trees.heads(self._line(language))

    def projective(self, language: str) -> bool:
        """Whether the dependency tree has no crossing arcs."""
        return trees.projective(self.heads(language))

    def conllu(self, language: str) -> str:
        """The dependency tree as a CoNLL-U block that ends in an empty line."""
        comments = f"# sent_id = {self.index}\n# text = {self.raw[language]}\n"
        return f"{comments}{trees.conllu(self._line(language))}\n\n"

    def penn(self, language: str) -> str:
        """The constituency tree in Penn brackets, on one line."""
        self._line(language)
        return trees.penn(self._phrases[language])

    def synchronous(self) -> dict[str, Any]:
        """The derivation as nested JSON-able dictionaries with the span of each node in each language."""
        return trees.synchronous(self._top, self._lines)

    def _line(self, language: str) -> list[Word]:
        if language not in self._lines:
            raise SettingsError(f"no language {language!r} here", hint=f"choose from {', '.join(LANGUAGES)}")
        return self._lines[language]
