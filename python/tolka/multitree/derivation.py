"""How a translation came about: its multitree, what each step costs, and the step that counts against it most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.errors import FormatError, InputError
from tolka.multitree.bank import Multitrees
from tolka.multitree.compare import compare_multitrees
from tolka.multitree.constituents import Constituents
from tolka.multitree.draw import draw_multitree
from tolka.multitree.tree import join, leaf
from tolka.syntax.heads import HeadRules, Lexicalised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.multitree.compare import TreeComparison
    from tolka.multitree.translation import TreeTranslation
    from tolka.multitree.tree import Multitree, Spans
    from tolka.page import svg
    from tolka.syntax import Constituent

_JOINS = ("monotonic", "inverted")
_SHOWN = 12


@dataclass(frozen=True)
class TreeDerivation:
    """A translation with its tree.

    Attributes:
        pair: The sentence, its translation and the tree over both; several side by side where none covers all.
        costs: What the nodes cost, by their spans.
        translation: What was found.
    """

    pair: Multitrees
    costs: Mapping[Spans, float]
    translation: TreeTranslation

    @classmethod
    def of(cls, words: Sequence[str], translation: TreeTranslation, tree: Constituent | None = None) -> TreeDerivation:
        """Put the steps of a translation together.

        Args:
            words: The sentence.
            translation: Its translation.
            tree: The sentence's tree, for labels.

        Raises:
            FormatError: The steps do not make a tree.
        """
        # As classifiers call spans: by the part with the head.
        heads = None if tree is None else Lexicalised(tree, HeadRules.collins()).heads
        label = Constituents(words, tree, heads).label
        costs: dict[Spans, float] = {}
        kinds: dict[Spans, str] = {}
        made: dict[int, Multitree] = {}
        steps = [step for step in translation.steps if step[0] in (*_JOINS, "bilingual")]
        try:
            # Parts have fewer words than what is made of them.
            for kind, source, target, cost in sorted(steps, key=lambda step: step[1][1] - step[1][0]):
                (begin, end), name = source, (label(source), "X")
                if kind in _JOINS:
                    left = made[begin]
                    node = join(left, made.pop(left.source[1]), name)
                else:
                    said = translation.words[slice(*target)]
                    node = leaf(words[begin:end], said, name).moved(begin, target[0])
                made[begin] = node
                costs[source, target] = cost
                kinds[source, target] = "bilingual" if not node.children else node.orientation
            pair = Multitrees(tuple(words), translation.words, tuple(made.values()))
        except (KeyError, InputError) as error:
            raise FormatError("the steps of a translation do not make a tree", hint="please report this") from error
        wanted = {(source, target): kind for kind, source, target, _ in steps}
        if kinds != wanted or kinds.keys() != {node.spans for found in pair.trees for node in found}:
            raise FormatError("the steps of a translation make another tree", hint="please report this")
        return cls(pair, costs, translation)

    @property
    def complete(self) -> bool:
        """Whether one tree covers the sentence."""
        return self.translation.complete and len(self.pair.trees) == 1

    @property
    def summed(self) -> bool:
        """Whether translations were compared by the sum of their costs, and not by each (Viterbi)."""
        return len(self.translation.costs) == 1 < len(self.translation.steps)

    def worst(self) -> str:
        """The step that counts against the translation most, in words."""
        step = self.translation.worst
        if step is None:
            return "none"
        kind, source, target, cost = step
        sides = [
            " ".join(words[slice(*span)])
            for words, span in ((self.pair.source, source), (self.pair.target, target))
            if span[1] > span[0]
        ]
        return f"{kind} {' | '.join(sides)}, {cost:.4f}"

    def text(self) -> str:
        """The derivation for a terminal."""
        lines = [f"source: {' '.join(self.pair.source)}", f"translation: {' '.join(self.pair.target)}"]
        for tree in self.pair.trees:
            lines += [f"  {line}" for line in tree.pretty(self.costs).split("\n")]
        if not self.complete and self.pair.source:
            lines.append(f"no tree covers the sentence: there are {len(self.pair.trees)} side by side")
        if self.translation.limited:
            lines.append("a limit of time or inferences ended the search")
        fuses = [step for step in self.translation.steps if step[0].endswith("fuse") and step[3]]
        if fuses:
            lines.append(f"phrases of several words cost {sum(step[3] for step in fuses):.4f} in {len(fuses)} steps")
        costs = self.translation.costs
        more = f" … {len(costs) - _SHOWN} more" if len(costs) > _SHOWN else ""
        what = "sum of costs" if self.summed else "costs, worst first"
        lines.append(f"{what}: {' '.join(f'{cost:.4f}' for cost in costs[:_SHOWN])}{more}")
        lines.append(f"worst step: {self.worst()}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The derivation as plain values, for JSON."""
        steps = [
            {"kind": kind, "source": list(source), "target": list(target), "cost": cost}
            for kind, source, target, cost in self.translation.steps
        ]
        return {
            "source": list(self.pair.source),
            "translation": list(self.pair.target),
            "trees": [str(tree) for tree in self.pair.trees],
            "steps": steps,
            "costs": list(self.translation.costs),
            "worst": next(
                (at for at, step in enumerate(self.translation.steps) if step == self.translation.worst), None
            ),
            "complete": self.complete,
            "limited": self.translation.limited,
        }

    def draw(self, heading: str = "") -> svg.Drawing:
        """The multitree as a picture, its worst node marked."""
        return draw_multitree(self.pair, self.costs, heading=heading)

    def beside(
        self, other: TreeDerivation, names: tuple[str, str] = ("first", "second"), *, comparable: bool = True
    ) -> TreeComparison:
        """This derivation beside another one of the same sentence; `comparable` if costs of both mean the same.

        Raises:
            InputError: The sentences differ, or no single tree covers one of them.
        """
        if not (self.complete and other.complete):
            raise InputError(
                "one of two derivations has no tree over the whole sentence", hint="look at each of them alone"
            )
        trees, costs = (self.pair.trees[0], other.pair.trees[0]), (self.costs, other.costs)
        return compare_multitrees(*trees, costs, names, comparable=comparable)
