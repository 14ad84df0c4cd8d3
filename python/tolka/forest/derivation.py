"""Derivations: which rules made a translation, and where."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

RuleKind = Literal["rule", "copied", "given", "glue", "other"]
"""`rule` is from a grammar, `copied` a word no rule translates, `given` came with the sentence, `glue` puts translations
side by side."""

Growth = Literal["start", "up", "down"]
"""How undirected search connects a rule: as the first, above the tree, or in one of its gaps."""


@dataclass(frozen=True)
class Rule:
    """A rule of a forest.

    Attributes:
        kind: Where it comes from.
        id: For rules of grammars, which grammar and which rule of it.
        lhs: The category of its left-hand side.
        source: Words, and gaps as `[X]`.
        target: Words, and gaps as `[1]` or `[2]`: which gap of the source side.
        links: Positions in the two sides of words that translate each other.
        source_gaps: Which positions of the source side are gaps.
        target_gaps: For positions of the target side that are gaps, which gap of the source side (from 0).
        components: The components of an ensemble that have it; none if it is everybody's, or not an ensemble's.
    """

    kind: RuleKind
    id: tuple[int, int] | None
    lhs: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    source_gaps: frozenset[int]
    target_gaps: dict[int, int]
    components: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"[{self.lhs}] ||| {' '.join(self.source)} ||| {' '.join(self.target)}"

    def __hash__(self) -> int:
        return hash((self.kind, self.id, self.lhs, self.source, self.target))


class Grown(NamedTuple):
    """When and how undirected search connected a rule to its tree.

    Attributes:
        order: How many rules were there before it.
        how: Whether it was the first, went above the tree or into one of its gaps.
    """

    order: int
    how: Growth


@dataclass(frozen=True)
class Step:
    """One rule of a derivation, applied.

    Attributes:
        rule: The rule.
        parts: The steps that fill its gaps, in the order of the source side, as indices into the derivation's steps.
        source_span: Begin and end of the source words it stands on, gaps included; in a phrase-based translation, those of
            its phrase.
        target_span: Begin and end of the target words it makes, likewise.
        source_words: Positions of its own words in the source sentence.
        target_words: Positions of its own words in the target sentence.
        links: Source and target positions that translate each other by this rule.
        score: What it adds to the score.
        features: What it adds to each feature; zeros are left out.
        edge: Its edge in the forest.
        grown: When and how it was connected, if search was undirected and that is known.
    """

    rule: Rule
    parts: tuple[int, ...]
    source_span: tuple[int, int]
    target_span: tuple[int, int]
    source_words: tuple[int, ...]
    target_words: tuple[int, ...]
    links: tuple[tuple[int, int], ...]
    score: float
    features: dict[str, float]
    edge: int
    grown: Grown | None = None


class Segment(NamedTuple):
    """A source span and the target span it became."""

    source: tuple[int, int]
    target: tuple[int, int]


@dataclass(frozen=True)
class Derivation:
    """How a translation was made.

    Attributes:
        source: The source words; empty if the forest does not know them.
        target: The target words.
        score: The sum of the steps' scores.
        steps: The rules applied, each after those in its gaps; the last is the root. Empty for an empty sentence.
        note: What else there is to say of it, for people to read.
        components: The components of the ensemble that made it; none if it was none.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    score: float
    steps: tuple[Step, ...]
    note: str = ""
    components: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The target words with spaces between them."""
        return " ".join(self.target)

    @cached_property
    def features(self) -> dict[str, float]:
        """The sum of the steps' features."""
        sums: dict[str, float] = {}
        for step in self.steps:
            for name, value in step.features.items():
                sums[name] = sums.get(name, 0.0) + value
        return sums

    @cached_property
    def links(self) -> tuple[tuple[int, int], ...]:
        """Source and target positions that translate each other, by the links of the rules, sorted."""
        return tuple(sorted({link for step in self.steps for link in step.links}))

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """Where the rules with words stand, in the order of the target; those of rules with gaps hold others."""
        own = [step for step in self.steps if step.source_words or step.target_words]
        spans = {Segment(step.source_span, step.target_span) for step in own}
        return tuple(sorted(spans, key=lambda span: (span.target[0], -span.target[1], span.source)))

    @property
    def is_phrase_based(self) -> bool:
        """Whether the steps are phrases one after another, each standing on its own words only."""
        following = [step for step in self.steps if step.parts]
        return all(
            len(step.parts) == 1 and len(step.source_words) == step.source_span[1] - step.source_span[0] > 0
            for step in following
        )

    def to_dict(self) -> dict[str, Any]:
        """The derivation in plain lists and dictionaries, as `to_json` writes it."""
        return {
            "source": list(self.source),
            "target": list(self.target),
            "score": self.score,
            "features": self.features,
            "links": [list(link) for link in self.links],
            **({"note": self.note} if self.note else {}),
            **({"components": list(self.components)} if self.components else {}),
            "steps": [
                {
                    "kind": step.rule.kind,
                    "lhs": step.rule.lhs,
                    "source": list(step.rule.source),
                    "target": list(step.rule.target),
                    "parts": list(step.parts),
                    "source_span": list(step.source_span),
                    "target_span": list(step.target_span),
                    "source_words": list(step.source_words),
                    "target_words": list(step.target_words),
                    "links": [list(link) for link in step.links],
                    "score": step.score,
                    "features": step.features,
                    **({"components": list(step.rule.components)} if step.rule.components else {}),
                    **({"grown": step.grown._asdict()} if step.grown else {}),
                }
                for step in self.steps
            ],
        }

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_svg(self, *, theme: Literal["auto", "light", "dark"] = "auto") -> str:
        """A drawing: the source on top, the rules between, the target at the bottom.

        Args:
            theme: Colours for a light or a dark page; `auto` follows the reader's settings.
        """
        from tolka.forest.drawing import draw_derivation  # noqa: PLC0415 - drawings are rarely wanted

        return draw_derivation(self, theme=theme)

    def _repr_svg_(self) -> str:
        """Notebooks show a derivation as its drawing."""
        return self.to_svg()
