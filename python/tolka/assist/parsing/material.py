"""All that a conversation about one sentence needs, as JSON: neither parser nor grammars have to be at hand to go on with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.assist.parsing.dialogue import Candidate, ParseDialogue
from tolka.errors import FormatError, TolkaError
from tolka.syntax import ConstituentForest, format_penn, parse_penn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.assist.rewriting import Rewriter
    from tolka.syntax import ConstituencyParser, Constituent

MOST_REWRITES = 10_000


@dataclass(frozen=True, eq=False)
class ParseMaterial:
    """A sentence's parses and rewrites.

    Attributes:
        parsed: The parser's own tree.
        forest: The parses; all trees of one edge of the root yield the same rewrites.
        candidates: The rewrites.
        yields: For each edge of the root, which rewrites its trees yield.
        exact: Whether the forest has all the parser's trees, and not only the best ones.

    Example:
        >>> tree = parse_penn("(S (NP (PRP I)) (VP (VBD left)))")
        >>> about = (Candidate("it is I that left", "en.cleft", "0-2"),)
        >>> material = ParseMaterial(tree, ConstituentForest.from_trees([(tree, 0.0)]), about, ((0,),))
        >>> ParseMaterial.from_json(material.as_json()).as_json() == material.as_json(), material.dialogue().question
        (True, None)
    """

    parsed: Constituent
    forest: ConstituentForest
    candidates: tuple[Candidate, ...]
    yields: tuple[tuple[int, ...], ...]
    exact: bool = True

    @classmethod
    def prepare(
        cls, parser: ConstituencyParser, rewriter: Rewriter, words: Sequence[str], *, least: float = 1e-4
    ) -> ParseMaterial:
        """Parse a sentence and rewrite it.

        Args:
            parser: Makes its forest.
            rewriter: Makes its rewrites.
            words: The sentence.
            least: Edges of the forest that are less probable are left out.
        """
        [parsed] = parser.parse([list(words)])
        return cls.of_forest(parser.forest(words, least=least), rewriter, parsed=parsed)

    @classmethod
    def of_forest(
        cls, forest: ConstituentForest, rewriter: Rewriter, *, parsed: Constituent | None = None
    ) -> ParseMaterial:
        """Rewrite a sentence by the forest that some parser has made of it.

        Args:
            forest: The forest.
            rewriter: Makes its rewrites.
            parsed: What the parser says is best; the best tree of the forest if it is not given.
        """
        found = rewriter.rewritten(forest)
        # What one grammar makes of the same words is asked about together: alike sentences are compared more easily.
        candidates = tuple(Candidate(one.text, one.grammar, f"{one.grammar} {one.group}") for one in found.rewrites)
        return cls(parsed or forest.best(), found.forest, candidates, found.yields, found.exact)

    def dialogue(self, **settings: Any) -> ParseDialogue:
        """The conversation about it; `settings` are those of `ParseDialogue`."""
        return ParseDialogue(self.forest, self.candidates, self.yields, parsed=self.parsed, **settings)

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "parsed": format_penn(self.parsed),
            "forest": json.loads(self.forest.to_json()),
            "rewrites": [{"text": one.text, "grammar": one.grammar, "group": one.group} for one in self.candidates],
            "yields": self.yields,
            "exact": self.exact,
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> ParseMaterial:
        """What `as_json` wrote.

        Raises:
            FormatError: It is something else.
        """
        try:
            return cls._read(found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, TolkaError) as error:
            why = error.what if isinstance(error, TolkaError) else type(error).__name__
            raise FormatError(
                f"this is no material of a conversation about a parse: {why}",
                hint="make the tasks again with tolka assist init",
            ) from None

    @classmethod
    def _read(cls, found: dict[str, Any]) -> ParseMaterial:
        parsed = parse_penn(found["parsed"])
        forest = ConstituentForest.from_json(json.dumps(found["forest"]))
        _require(tuple(parsed.words()) == forest.words, "the parse has other words than the forest")
        rewrites = found["rewrites"]
        _require(isinstance(rewrites, list) and len(rewrites) <= MOST_REWRITES, "there are too many rewrites")
        candidates = tuple(Candidate(one["text"], one["grammar"], one["group"]) for one in rewrites)
        parts = [part for one in candidates for part in (one.text, one.grammar, one.group)]
        _require(all(isinstance(part, str) for part in parts), "a rewrite is no text")
        _require(all(one.text.strip() for one in candidates), "a rewrite is empty")
        yields = tuple(tuple(row) for row in found["yields"])
        _require(all(type(one) is int for row in yields for one in row), "a rewrite's number is none")
        _require(isinstance(found["exact"], bool), "exact is true or false")
        _require(len({one.text for one in candidates}) == len(candidates), "two rewrites are the same")
        _require(
            len(yields) == len(forest.nodes[forest.root].edges), "not every edge of the root has a row of rewrites"
        )
        _require(
            all(0 <= one < len(candidates) for row in yields for one in row),
            "a tree yields a rewrite that there is not",
        )
        return cls(parsed, forest, candidates, yields, found["exact"])


def _require(true: bool, what: str) -> None:
    if not true:
        raise FormatError(what)
