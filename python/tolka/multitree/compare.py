"""Two derivations of one source sentence side by side: where they differ, what each step costs, which one wins and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.multitree.draw import draw_multitree, within_page
from tolka.multitree.tree import shown_label, worst_of
from tolka.page import document, page_style, section, table, tiles

if TYPE_CHECKING:
    from tolka.multitree.tree import Multitree, Spans

Costs = Mapping["Spans", float]


@dataclass(frozen=True)
class TreeComparison:
    """What tells two derivations apart; `compare_multitrees` makes it, notebooks show it as pictures.

    Attributes:
        names: What to call them.
        trees: The two trees.
        costs: What the nodes of each cost, by their spans.
        only: The nodes that the other tree does not have: same source words, other target words or another order.
        worst: The nodes with the highest costs; None where no cost is known.
        sequences: All costs, from the highest.
        minmerge: 0 or 1 for the tree whose highest costs are lower (Galron 2012, section 4.3); None if they are equal.
        viterbi: The same for the sum of costs.
        comparable: Whether costs of one tree mean what those of the other mean. Classifiers' do; weights make costs of their own.
    """

    names: tuple[str, str]
    trees: tuple[Multitree, Multitree]
    costs: tuple[Costs, Costs]
    only: tuple[tuple[Multitree, ...], tuple[Multitree, ...]] = field(init=False)
    worst: tuple[Spans | None, Spans | None] = field(init=False)
    sequences: tuple[tuple[float, ...], tuple[float, ...]] = field(init=False)
    minmerge: int | None = field(init=False)
    viterbi: int | None = field(init=False)
    comparable: bool = True

    def __post_init__(self) -> None:
        one, two = self.trees
        if (one.source, one.source_yield()) != (two.source, two.source_yield()):
            raise InputError("the trees are of different sentences", hint="compare two translations of one source")
        known = tuple(
            [costs[node.spans] for node in tree if node.spans in costs]
            for tree, costs in zip(self.trees, self.costs, strict=True)
        )
        if any(cost != cost for costs in known for cost in costs):  # noqa: PLR0124 - not a number
            raise InputError("a cost is not a number")
        steps = tuple({_step(node) for node in tree} for tree in self.trees)
        only = tuple(
            tuple(node for node in tree if _step(node) not in steps[1 - at]) for at, tree in enumerate(self.trees)
        )
        sequences = tuple(tuple(sorted(costs, reverse=True)) for costs in known)
        sums = tuple(round(sum(costs), 12) for costs in sequences)
        worst = tuple(worst_of(tree, costs) for tree, costs in zip(self.trees, self.costs, strict=True))
        found = {
            "only": only,
            "worst": worst,
            "sequences": sequences,
            "minmerge": None if sequences[0] == sequences[1] else int(sequences[1] < sequences[0]),
            "viterbi": None if sums[0] == sums[1] else int(sums[1] < sums[0]),
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    @property
    def translations(self) -> tuple[str, str]:
        """The target sides."""
        return " ".join(self.trees[0].target_yield()), " ".join(self.trees[1].target_yield())

    def verdicts(self) -> list[tuple[str, str]]:
        """Which tree each way of adding up costs prefers, in words."""
        if not any(self.sequences):
            return []
        if not self.comparable:
            return [("costs", "cannot be compared, since the models weigh differently")]
        sums = [f"{sum(costs):.4f}" for costs in self.sequences]
        pairs = zip(*self.sequences, strict=False)
        highest = next(([f"{cost:.4f}" for cost in pair] for pair in pairs if pair[0] != pair[1]), None)
        return [
            ("highest cost first (MinMerge)", self._preferred(self.minmerge, highest)),
            ("sum of costs (Viterbi)", self._preferred(self.viterbi, sums)),
        ]

    def _preferred(self, winner: int | None, values: list[str] | None) -> str:
        if winner is None:
            return "neither"
        if values is None:
            return f"{self.names[winner]}, which has fewer steps"
        return f"{self.names[winner]}, {values[winner]} < {values[1 - winner]}"

    def text(self) -> str:
        """The comparison for a terminal."""
        lines = [f"source: {' '.join(self.trees[0].source_yield())}"]
        for name, said, tree, costs in zip(self.names, self.translations, self.trees, self.costs, strict=True):
            lines += [f"{name}: {said}", *(f"  {line}" for line in tree.pretty(costs).split("\n"))]
        for at, name in enumerate(self.names):
            lines.append(f"only in {name}: " + ("; ".join(self._said(node, at) for node in self.only[at]) or "nothing"))
        lines += [f"{way}: {found}" for way, found in self.verdicts()]
        return "\n".join(lines)

    def page(self) -> str:
        """The comparison as a page of its own, with both trees drawn."""
        facts = [(way, escape(found)) for way, found in self.verdicts()]
        sides = list(zip(self.names, self.translations, strict=True))
        rows = [
            (f"<b>{escape(name)}</b>: {escape(said)}", *(self._number(at, kind) for kind in ("worst", "sum", "steps")))
            for at, (name, said) in enumerate(sides)
        ]
        heads = ["tree", "highest cost", "sum of costs", "steps with a cost"]
        apart = "".join(f"<h3>only in {escape(name)}</h3>{self._listed(at)}" for at, name in enumerate(self.names))
        body = (
            f"<main><h1>{escape(' '.join(self.trees[0].source_yield()))}</h1>{tiles(facts) if facts else ''}"
            + section("numbers", "In numbers", "What the two derivations cost.", table("Costs", heads, rows))
            + section("trees", "The trees", "The step with the highest cost is marked.", "".join(self._pictures()))
            + section("apart", "Where they differ", "Steps that the other derivation does not have.", apart)
            + "</main>"
        )
        return document("Two derivations", body, style=page_style() + within_page(".tree"))

    def _pictures(self) -> list[str]:
        return [
            f'<div class="tree" tabindex="0" role="region" aria-label="{escape(name, quote=True)}">'
            f"{draw_multitree(tree, costs, heading=f'{name}: {said}')}</div>"
            for name, said, tree, costs in zip(self.names, self.translations, self.trees, self.costs, strict=True)
        ]

    def _number(self, at: int, kind: str) -> str:
        costs = self.sequences[at]
        if kind == "steps":
            return str(len(costs))
        if not costs:
            return ""
        return f"{costs[0] if kind == 'worst' else sum(costs):.4f}"

    def _listed(self, at: int) -> str:
        items = "".join(f"<li>{escape(self._said(node, at))}</li>" for node in self.only[at])
        return f"<ul>{items}</ul>" if items else "<p>nothing</p>"

    def _said(self, node: Multitree, at: int) -> str:
        cost = self.costs[at].get(node.spans)
        number = "" if cost is None else f" {cost:.4f}"
        mark = " (worst)" if node.spans == self.worst[at] else ""
        label = shown_label(node.label)
        return f"{label} {' '.join(node.source_yield())} | {' '.join(node.target_yield())}{number}{mark}"

    def _repr_html_(self) -> str:
        return "".join(self._pictures())


def compare_multitrees(
    first: Multitree,
    second: Multitree,
    costs: tuple[Costs, Costs] | None = None,
    names: tuple[str, str] = ("first", "second"),
    *,
    comparable: bool = True,
) -> TreeComparison:
    """Compare two derivations of one source sentence.

    Args:
        first: A tree.
        second: Another tree over the same source words.
        costs: What the nodes of each cost, by their spans.
        names: What to call them.
        comparable: Whether costs of one tree mean what those of the other mean.

    Raises:
        InputError: The source words differ, or a cost is not a number.

    Example:
        >>> from tolka.multitree import leaf, monotonic
        >>> noun = leaf("aspect", "aspect", "NN")
        >>> trees = [monotonic(leaf("This", word, "DT"), noun, "NP") for word in ("Ce", "Cet")]
        >>> the, pair = ((0, 1), (0, 1)), ((0, 2), (0, 2))
        >>> found = compare_multitrees(*trees, ({the: 1.361, pair: 3.976}, {the: 3.575, pair: 2.927}), ("Ce", "Cet"))
        >>> print(found.text())
        source: This aspect
        Ce: Ce aspect
          NP monotonic 0-2 | 0-2  3.9760 worst
          ├─ DT This | Ce  1.3610
          └─ NN aspect | aspect
        Cet: Cet aspect
          NP monotonic 0-2 | 0-2  2.9270
          ├─ DT This | Cet  3.5750 worst
          └─ NN aspect | aspect
        only in Ce: NP This aspect | Ce aspect 3.9760 (worst); DT This | Ce 1.3610
        only in Cet: NP This aspect | Cet aspect 2.9270; DT This | Cet 3.5750 (worst)
        highest cost first (MinMerge): Cet, 3.5750 < 3.9760
        sum of costs (Viterbi): Ce, 5.3370 < 6.5020
    """
    return TreeComparison(names, (first, second), costs or ({}, {}), comparable)


def _step(node: Multitree) -> tuple[object, ...]:
    """What makes a node of one derivation the same as one of another, wherever its translation stands."""
    return (
        node.source,
        node.target_yield(),
        node.label,
        node.orientation,
        tuple(child.source for child in node.children),
    )
