"""Naive twins of the tuners: the definitions, without haste."""

from itertools import combinations, pairwise

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


class Random:
    """SplitMix64, seeded by three numbers."""

    def __init__(self, *parts):
        self.state = GOLDEN
        for part in parts:
            self.state = (self.mix(self.state ^ (part * 0xD6E8FEB86659FD93 & MASK)) + GOLDEN) & MASK

    @staticmethod
    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        self.state = (self.state + GOLDEN) & MASK
        return (self.mix(self.state) * bound) >> 64

    def shuffle(self, items):
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


def dot(weights, features):
    total = 0.0
    for weight, value in zip(weights, features, strict=True):
        total += value * weight
    return total


def argmax(values):
    return max(range(len(values)), key=lambda at: (values[at], -at))


def corpus_score(score, lists, weights):
    """`lists` has per sentence pairs of features and statistics."""
    rows = [own[argmax([dot(weights, features) for features, _ in own])][1] for own in lists if own]
    return score(np.sum(rows, axis=0))


def best_on_line(score, lists, weights, axis):
    """The best score along an axis: between all intersections of any two lines."""
    points = set()
    for own in lists:
        for (one, _), (two, _) in combinations(own, 2):
            if one[axis] != two[axis]:
                points.add((dot(weights, one) - dot(weights, two)) / (two[axis] - one[axis]))
    points = sorted(points)
    steps = [0.0]
    if points:
        steps += [points[0] - 1.0, points[-1] + 1.0]
        steps += [(a + b) / 2 for a, b in pairwise(points) if b - a > 1e-6]
    found = []
    for step in steps:
        moved = list(weights)
        moved[axis] += step
        found.append(corpus_score(score, lists, moved))
    return max(found)


def mira(score, lists, start, *, background, seed, epochs, c=0.01, decay=0.999):
    weights, late, steps = list(start), [0.0] * len(start), 0.0
    background = np.array(background)
    order = list(range(len(lists)))
    best = (-np.inf, None)
    for epoch in range(epochs):
        Random(seed, 0x6D697261, epoch).shuffle(order)
        for sentence in order:
            own = lists[sentence]
            if own:
                model = [dot(weights, features) for features, _ in own]
                gain = [score(background + row) / 100.0 * (background + row)[1] for _, row in own]
                hope = argmax([m + g for m, g in zip(model, gain, strict=True)])
                fear = argmax([m - g for m, g in zip(model, gain, strict=True)])
                if hope != fear:
                    delta = [h - f for h, f in zip(own[hope][0], own[fear][0], strict=True)]
                    norm = 0.0
                    for value in delta:
                        norm += value * value
                    loss = (gain[hope] - gain[fear]) - (model[hope] - model[fear])
                    if loss > 0 and norm > 0:
                        step = min(c, loss / norm)
                        for at, value in enumerate(delta):
                            weights[at] += step * value
                            late[at] += steps * (step * value)
                    background = decay * background + own[hope][1]
            steps += 1.0
        average = [weight - extra / max(steps, 1.0) for weight, extra in zip(weights, late, strict=True)]
        found = corpus_score(score, lists, average)
        if found > best[0]:
            best = (found, average)
    return best


def pro(sentence_scores, lists, start, *, seed, candidates, kept, threshold, penalty):
    """The weights that separate better from worse, before interpolation."""
    differences = []
    for sentence, own in enumerate(lists):
        if len(own) < 2:
            continue
        scores = [0.01 * value for value in sentence_scores(np.array([row for _, row in own]))]
        random = Random(seed, 0x70726F, sentence)
        pairs = []
        for _ in range(candidates):
            one, two = random.below(len(own)), random.below(len(own))
            gap = scores[one] - scores[two]
            if gap and abs(gap) >= threshold:
                pairs.append((abs(gap), *((one, two) if gap > 0 else (two, one))))
        pairs.sort(key=lambda pair: -pair[0])
        differences += [np.subtract(own[better][0], own[worse][0]) for _, better, worse in pairs[:kept]]
    if not differences:
        return None
    rows = np.array(differences)

    def loss(weights):
        scores = rows @ weights
        value = np.logaddexp(0.0, -scores).sum() + 0.5 * penalty * weights @ weights
        return value, penalty * weights - rows.T @ expit(-scores)

    return minimize(loss, np.array(start), jac=True, method="BFGS", options={"gtol": 1e-9}).x
