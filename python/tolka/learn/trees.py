"""Decision trees as people read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.learn.features import Features

_LEAF = 2**32 - 1


@dataclass(frozen=True)
class Question:
    """What a tree asks.

    Attributes:
        feature: Its name.
        value: The word it has, or the number it is greater than; None if it only has to be there.
        passed: Whether that is so.
    """

    feature: str
    value: float | str | None
    passed: bool = True

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.feature} is {'given' if self.passed else 'absent'}"
        if isinstance(self.value, str):
            return f"{self.feature} {'=' if self.passed else '≠'} {self.value}"
        return f"{self.feature} {'>' if self.passed else '≤'} {self.value:.6g}"


@dataclass(frozen=True)
class Tree:
    """A tree: a test and two trees, or a leaf.

    Attributes:
        weight: Of a leaf; of a test, what it would weigh if nothing were asked there.
        test: What is asked; None for a leaf.
        yes: The tree for rows that pass.
        no: The tree for others.
    """

    weight: float
    test: Question | None = None
    yes: Tree | None = None
    no: Tree | None = None

    def __str__(self) -> str:
        lines: list[str] = []
        pending: list[tuple[Tree, str, str]] = [(self, "", "")]
        while pending:
            node, indent, said = pending.pop()
            if node.test is None or node.yes is None or node.no is None:
                lines.append(f"{indent}{said}{node.weight:+.4g}")
            else:
                lines.append(f"{indent}{said}{node.test}?")
                inside = f"{indent}  "
                pending += [(node.no, inside, "no: "), (node.yes, inside, "yes: ")]
        return "\n".join(lines)


@dataclass(frozen=True)
class TreePath:
    """The way of a row through a tree.

    Attributes:
        tests: What was asked and how it came out; nothing for a tree that asks nothing.
        weight: What the path weighs.
        tree: The number of the tree.
    """

    tests: tuple[Question, ...]
    weight: float
    tree: int

    def __str__(self) -> str:
        return f"{self.weight:+.4g}  {' and '.join(map(str, self.tests)) or 'always'}"


@dataclass(frozen=True)
class Explanation:
    """Why a row has its score.

    Attributes:
        score: The sum of the weights of all paths.
        paths: All that weigh something, the weightiest first.
        positive: The class that a score above 0 speaks for.
    """

    score: float
    paths: tuple[TreePath, ...]
    positive: str

    @property
    def probability(self) -> float:
        """How likely the row is of that class."""
        return float(expit(self.score))

    def __str__(self) -> str:
        head = f"{self.score:+.4g}  in all: {self.positive} with a probability of {self.probability:.3f}"
        return "\n".join([head, *map(str, self.paths)])


def question_of(features: Features, field: int, value: int) -> Question:
    """The test of a node, passed."""
    name = features.names[field]
    if features.symbols[field] is not None:
        return Question(name, features.word(field, value))
    threshold = float(np.uint32(value).view(np.float32))
    return Question(name, None if threshold == -np.inf else threshold)


def tree(features: Features, arrays: Mapping[str, Any], number: int) -> Tree:
    """A tree of flat arrays."""
    roots, nodes, weights = arrays["roots"], arrays["nodes"], arrays["weights"]
    begin = int(roots[number])
    end = int(roots[number + 1]) if number + 1 < len(roots) else len(nodes)
    made: dict[int, Tree] = {}
    # What follows from a node stands after it.
    for at in range(end - 1, begin - 1, -1):
        field, value, yes, no = (int(part) for part in nodes[at])
        weight = float(weights[at])
        made[at] = (
            Tree(weight)
            if field == _LEAF
            else Tree(weight, question_of(features, field, value), made.pop(yes), made.pop(no))
        )
    return made[begin]


def explanation(features: Features, arrays: Mapping[str, Any], leaves: Any, positive: str) -> Explanation:
    """Why a row has its score that came to these leaves, one of each tree."""
    paths = []
    roots, nodes, weights = arrays["roots"], arrays["nodes"], arrays["weights"]
    for number, leaf in enumerate(int(leaf) for leaf in leaves):
        tests, at = [], int(roots[number])
        while at != leaf:
            field, value, yes, no = (int(part) for part in nodes[at])
            test = question_of(features, field, value)
            passed = leaf < no
            tests.append(Question(test.feature, test.value, passed))
            at = yes if passed else no
        paths.append(TreePath(tuple(tests), float(weights[leaf]), number))
    score = sum(path.weight for path in paths)
    weighty = sorted((path for path in paths if path.weight), key=lambda path: -abs(path.weight))
    return Explanation(score, tuple(weighty), positive)
