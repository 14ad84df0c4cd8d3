"""All that a conversation about one sentence needs, as JSON: neither parser nor grammars have to be at hand to go on with it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.assist.parsing.dialogue import Candidate, ParseDialogue
from tolka.errors import FormatError
from tolka.syntax import format_penn, parse_penn

if TYPE_CHECKING:
    from tolka.syntax import Constituent

MOST_TREES = 10_000
MOST_REWRITES = 10_000


@dataclass(frozen=True)
class ParseMaterial:
    """A sentence, its parses and its rewrites.

    Attributes:
        words: The sentence.
        parsed: The parser's own tree.
        trees: The parses that are believed possible, with the marks of the forest they are from.
        log_weights: How probable each is, up to a constant.
        candidates: The rewrites.
        yields: For each rewrite, which of the trees yield it.

    Example:
        >>> tree = parse_penn("(S (NP (PRP I)) (VP (VBD left)))")
        >>> material = ParseMaterial(("I", "left"), tree, (tree,), (0.0,), (Candidate("it is I that left", "en.cleft", "0"),), ((0,),))
        >>> ParseMaterial.from_json(material.as_json()).as_json() == material.as_json(), material.dialogue().question
        (True, None)
    """

    words: tuple[str, ...]
    parsed: Constituent
    trees: tuple[Constituent, ...]
    log_weights: tuple[float, ...]
    candidates: tuple[Candidate, ...]
    yields: tuple[tuple[int, ...], ...]

    def dialogue(self, **settings: Any) -> ParseDialogue:
        """The conversation about it; `settings` are those of `ParseDialogue`."""
        table = np.zeros((len(self.trees), len(self.candidates)), dtype=bool)
        for rewrite, trees in enumerate(self.yields):
            table[list(trees), rewrite] = True
        return ParseDialogue(
            self.words, self.trees, self.log_weights, self.candidates, table, parsed=self.parsed, **settings
        )

    def as_json(self) -> str:
        """One line of JSON."""
        found = {
            "words": self.words,
            "parsed": format_penn(self.parsed),
            "trees": [format_penn(tree) for tree in self.trees],
            "log_weights": self.log_weights,
            "rewrites": [
                {"text": one.text, "grammar": one.grammar, "group": one.group, "trees": trees}
                for one, trees in zip(self.candidates, self.yields, strict=True)
            ],
        }
        return json.dumps(found, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> ParseMaterial:
        """What `as_json` wrote.

        Raises:
            FormatError: The line is something else.
        """
        try:
            return cls._read(json.loads(line))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise FormatError(
                f"this is no material of a conversation about a parse: {type(error).__name__}",
                hint="make the tasks again with tolka assist init",
            ) from None

    @classmethod
    def _read(cls, found: dict[str, Any]) -> ParseMaterial:
        words = tuple(found["words"])
        rewrites, texts = found["rewrites"], found["trees"]
        _require(len(texts) <= MOST_TREES and len(rewrites) <= MOST_REWRITES)
        parsed, trees = parse_penn(found["parsed"]), tuple(map(parse_penn, texts))
        _require(bool(words) and all(isinstance(word, str) for word in words) and bool(trees))
        _require(all(tuple(leaf.word for leaf in tree.leaves()) == words for tree in (parsed, *trees)))
        weights = tuple(float(weight) for weight in found["log_weights"])
        _require(len(weights) == len(trees) and all(map(math.isfinite, weights)))
        yields = tuple(tuple(one["trees"]) for one in rewrites)
        _require(all(type(at) is int and 0 <= at < len(trees) for row in yields for at in row))
        candidates = tuple(Candidate(one["text"], one["grammar"], one["group"]) for one in rewrites)
        parts = [part for one in candidates for part in (one.text, one.grammar, one.group)]
        _require(all(isinstance(part, str) for part in parts) and all(one.text.strip() for one in candidates))
        _require(len({one.text for one in candidates}) == len(candidates))
        return cls(words, parsed, trees, weights, candidates, yields)


def _require(true: bool) -> None:
    if not true:
        raise ValueError
