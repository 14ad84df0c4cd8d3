"""A naive twin of boosted trees (Galron 2012, section 4.5.5): the definitions, without haste.

A row has for each field a set of numbers of symbols, or a number. A tree is a list of nodes from its root on, each a field, a
value and a weight, followed by all nodes of yes, then by those of no; a leaf's field is None.
"""

import itertools
from dataclasses import dataclass, field
from math import exp, fsum, inf, isnan, log, log1p

import numpy as np

SLACK = 1e-12


@dataclass
class Learner:
    rows: list
    labels: list
    weights: list
    offsets: list
    start: float = 0.375
    decay: float = 0.5
    least: float = 3 / 4096
    tolerance: float = 1e-4
    max_depth: int | None = None
    trees_per_penalty: int = 1000
    max_trees: int = 10_000
    bins: int = 255
    exact: int = 1024
    trees: list = field(default_factory=list)
    snapshots: list = field(default_factory=list)
    risks: list = field(default_factory=list)

    def train(self):
        scores = [h + score(self.trees, row) for h, row in zip(self.offsets, self.rows, strict=True)]
        penalty = self.start
        while penalty >= self.least * (1 - 1e-9):
            risk = self.risk(scores, penalty)
            self.risks.append((penalty, len(self.trees), risk))
            for _ in range(self.trees_per_penalty):
                if len(self.trees) >= self.max_trees:
                    break
                tree = self.grow(scores, list(range(len(self.rows))), penalty, 0)
                self.trees.append(tree)
                new = [h + score([tree], row) for h, row in zip(scores, self.rows, strict=True)]
                new_risk = self.risk(new, penalty)
                if not risk - new_risk > self.tolerance * risk:
                    self.trees.pop()
                    break
                scores, risk = new, new_risk
                self.risks.append((penalty, len(self.trees), risk))
            self.snapshots.append((penalty, len(self.trees)))
            penalty *= self.decay
        return self

    def risk(self, scores, penalty):
        """Equations 4.4 to 4.8."""
        each = zip(self.weights, self.labels, scores, strict=True)
        loss = fsum(b * cost(h if label else -h) for b, label, h in each)
        leaves = [abs(weight) for tree in self.trees for at, _, weight in tree if at is None]
        return loss + penalty * fsum(leaves)

    def pull(self, scores, examples):
        """What pulls at examples together: the gradient of their loss, with its sign turned."""
        return fsum(
            self.weights[i] * logistic(-scores[i]) if self.labels[i] else -self.weights[i] * logistic(scores[i])
            for i in examples
        )

    def grow(self, scores, examples, penalty, depth):
        own = gain(self.pull(scores, examples), penalty)
        weight = self.best_weight(scores, examples, penalty)
        slack = SLACK * fsum(self.weights)
        tests = []
        if depth < (256 if self.max_depth is None else self.max_depth):
            tests = [
                (at, value) for at in range(len(self.rows[0]) if self.rows else 0) for value in self.tests(examples, at)
            ]
        gains = [self.gain(scores, examples, penalty, *test) for test in tests]
        most = max(gains, default=0)
        if most <= own + slack:
            return [(None, None, weight)]
        best = [test for test, gained in zip(tests, gains, strict=True) if gained >= most - slack]
        at, value = min(best, key=lambda test: turn(len(self.trees), *test))
        yes = [i for i in examples if passes(self.rows[i][at], value)]
        no = [i for i in examples if not passes(self.rows[i][at], value)]
        sides = [self.grow(scores, side, penalty, depth + 1) for side in (yes, no)]
        return [(at, value, weight), *sides[0], *sides[1]]

    def gain(self, scores, examples, penalty, at, value):
        sides = [[i for i in examples if passes(self.rows[i][at], value) is side] for side in (True, False)]
        return fsum(gain(self.pull(scores, side), penalty) for side in sides)

    def tests(self, examples, at):
        """All tests of a field that may be asked, the lowest value first."""
        values = [self.rows[i][at] for i in examples]
        if isinstance(self.rows[0][at], frozenset):
            return sorted(frozenset().union(*values))
        if len(examples) > self.exact and self.bins:
            # Of cuts between which there is nothing, the lowest.
            parts = {
                sum(passes(value, cut) for value in values): cut
                for cut in sorted(cuts([key(row[at]) for row in self.rows], self.bins), reverse=True)
            }
            return sorted(parts.values())
        keys = sorted({key(value) for value in values})
        return [between(*two) for two in itertools.pairwise(keys)]

    def best_weight(self, scores, examples, penalty):
        pulled = self.pull(scores, examples)
        if gain(pulled, penalty) == 0:
            return 0.0
        sign = 1 if pulled > 0 else -1

        def goes_on(step):
            moved = {i: scores[i] + sign * step for i in examples}
            return sign * self.pull(moved, examples) > penalty

        low, high = 0.0, 1.0
        while goes_on(high):
            low, high = high, 2 * high
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (middle, high) if goes_on(middle) else (low, middle)
        return sign * (low + high) / 2


def turn(tree, at, value):
    """Of tests that gain the same the one with the least comes first, in every tree another."""
    bits = value if isinstance(value, int) else int(np.float32(value).view(np.uint32))
    found = 0
    for part in (tree, at, bits):
        found = ((found ^ part) + 1) * 0x9E3779B97F4A7C15 % 2**64
        found ^= found >> 29
    return found


def cost(h):
    return log1p(exp(-h)) if h > 0 else log1p(exp(h)) - h


def logistic(h):
    return 1 / (1 + exp(-h)) if h > 0 else exp(h) / (1 + exp(h))


def gain(gradient, penalty):
    return max(0.0, abs(gradient) - penalty)


def closed_form(right, wrong, penalty):
    if right - wrong > 2 * penalty:
        return log((right - penalty) / (wrong + penalty))
    if wrong - right > 2 * penalty:
        return -log((wrong - penalty) / (right + penalty))
    return 0.0


def passes(own, value):
    return value in own if isinstance(own, frozenset) else own > value


def key(number):
    """What is not there is greater than nothing."""
    return -inf if isnan(number) else number


def between(below, above):
    if below == -inf:
        return below
    middle = float(np.float32((below + above) / 2)) if above < inf else above
    return middle if below <= middle < above else below


def cuts(keys, bins):
    distinct = sorted(set(keys))
    if len(distinct) <= bins:
        return [between(*two) for two in itertools.pairwise(distinct)]
    present = sorted(number for number in keys if number > -inf)
    found = [-inf] if len(present) < len(keys) else []
    bins -= len(found)
    for at in range(1, bins):
        below = present[max(1, at * len(present) // bins) - 1]
        above = [number for number in distinct if number > below]
        if above and between(below, above[0]) not in found:
            found.append(between(below, above[0]))
    return found


def leaf(tree, row):
    """The place of the leaf that a row comes to."""
    at = 0
    while tree[at][0] is not None:
        where, value, _ = tree[at]
        at = at + 1 if passes(row[where], value) else after(tree, at + 1)
    return at


def after(tree, at):
    """The place after all nodes that follow from one."""
    if tree[at][0] is None:
        return at + 1
    return after(tree, after(tree, at + 1))


def score(trees, row):
    return fsum(tree[leaf(tree, row)][2] for tree in trees)


def mass(trees, fields):
    """By field, how much the last tests of paths change weights: passed ones, and others."""
    found = [[0.0] * fields, [0.0] * fields]
    for tree in trees:
        for at, (where, _, weight) in enumerate(tree):
            if where is not None:
                for side, child in enumerate((at + 1, after(tree, at + 1))):
                    if tree[child][0] is None:
                        found[side][where] += abs(tree[child][2] - weight)
    return found
