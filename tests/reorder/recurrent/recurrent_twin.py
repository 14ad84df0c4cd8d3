"""A naive recurrent pre-orderer: features by name, one candidate at a time, walks spelt out, in double precision."""

import math
from collections import Counter

import numpy as np

BINS = [-10, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 10]
BEFORE, AFTER = 1, 2


def quantise(d):
    """Section 4.3.1: exact up to 5, then 5 below 10, then 10."""
    size = abs(d) if abs(d) <= 5 else 5 if abs(d) < 10 else 10
    return size if d > 0 else -size


class Sentence:
    """Words from 0; None is the place before the sentence, "top" a silent root above several."""

    def __init__(self, heads, tags, relations, forms):
        self.n = len(heads)
        self.tags, self.relations, self.forms = tags, relations, forms
        roots = [j for j, head in enumerate(heads) if head == 0]
        self.root = roots[0] if len(roots) == 1 else "top"
        above = None if len(roots) == 1 else "top"
        self.parent = {j: head - 1 if head else above for j, head in enumerate(heads)}
        self.parent["top"] = None

    def pos(self, v):
        return self.tags[v] if isinstance(v, int) and 0 <= v < self.n else AFTER if v == self.n else BEFORE

    def dep(self, v):
        return self.relations[v] if isinstance(v, int) and 0 <= v < self.n else AFTER if v == self.n else BEFORE

    def distance(self, a, b):
        place = lambda v: v if isinstance(v, int) else -1  # noqa: E731
        return place(a) - place(b)

    def word_values(self, j, *, released):
        """Values of each template of a word alone."""
        pos, dep = self.pos, self.dep
        left, right, parent = j - 1, j + 1, self.parent[j]
        values = [(pos(j),), (dep(j),), (pos(j), dep(j))]
        for k in (left, right, parent):
            values += [(pos(k),), (dep(k),), (pos(k), dep(k))]
        for k, above in ((left, False), (right, False), (parent, True)):
            mixed = above or not released
            values.append((pos(j), pos(k)))
            values += [(pos(j), dep(k)), (dep(j), pos(k))] if mixed else []
            values.append((dep(j), dep(k)))
        values += [(pos(j), pos(left), pos(right)), (pos(j), pos(left), pos(parent)), (pos(j), pos(right), pos(parent))]
        return list(enumerate(values))

    def pair_values(self, j, e, *, released):
        pos, dep = self.pos, self.dep
        first = 23 if released else 27
        values = [(first, (pos(j), pos(e))), (first + 1, (pos(j), dep(e))), (first + 2, (dep(j), pos(e)))]
        if e is None:
            return values
        holds = [
            self.parent[j] == e,
            self.parent[e] == j,
            self.parent[j] is not None and self.parent[j] == self.parent[e],
        ]
        for at, true in enumerate(holds):
            if true and released:
                template = first + 3 + 2 * at
                values += [(template, (pos(j), pos(e))), (template + 1, (dep(j), dep(e)))]
            elif true:
                values.append((first + 3 + at, ()))
        return values

    def triple_values(self, j, e, earlier):
        pos, dep = self.pos, self.dep
        return [(32, (pos(j), pos(e), pos(earlier))), (33, (dep(j), dep(e), dep(earlier)))]

    def path(self, e, j):
        """Steps (action, from, to) from the last word to a candidate."""
        if j == (0 if e is None else e + 1):
            return [("right", e, j)]
        steps = []
        if e is None:
            steps.append(("up", None, self.root))
            e = self.root
        chain = [j]
        while self.parent[chain[-1]] is not None:
            chain.append(self.parent[chain[-1]])
        while e not in chain:
            steps.append(("up", e, self.parent[e]))
            e = self.parent[e]
        return steps + [("down", self.parent[to], to) for to in reversed(chain[: chain.index(e)])]

    def step_values(self, step):
        action, b, c = step
        first = 4 * ["up", "down", "right"].index(action)
        pairs = [(self.pos(c), self.pos(b)), (self.pos(c), self.dep(b)), (self.dep(c), self.pos(b))]
        return [(first + at, value) for at, value in enumerate([*pairs, (self.dep(c), self.dep(b))])]


def key(template, value):
    symbols = 0
    for symbol in value:
        symbols = symbols << 19 | symbol
    return template << 57 | symbols


def count_values(sentences, orders, *, released):
    """How often each value of words and pairs occurs, every word after every other."""
    counts = Counter()
    for sentence, order in zip(sentences, orders, strict=True):
        words = range(sentence.n)
        for j in words:
            counts.update(key(*value) for value in sentence.word_values(j, released=released))
            for e in [None, *words]:
                if e != j:
                    counts.update(key(*value) for value in sentence.pair_values(j, e, released=released))
        if released:
            for t in range(sentence.n):
                e, earlier = (order[t - 1] if t > 0 else None), (order[t - 2] if t > 1 else None)
                for j in order[t:]:
                    counts.update(key(*value) for value in sentence.triple_values(j, e, earlier))
    return counts


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def move(cell, matrix, told, v):
    if cell == "rnn":
        return np.tanh(told + matrix @ v)
    s = len(v)
    z = sigmoid(told[:s] + matrix[:s] @ v)
    r = sigmoid(told[s : 2 * s] + matrix[s : 2 * s] @ v)
    last = matrix[2 * s :]
    m = np.tanh(told[2 * s :] + (last @ (r * v) if cell == "gru" else r * (last @ v)))
    return z * v + (1 - z) * m


class Model:
    """Tensors by name as two-dimensional arrays; keys of values as the engine saves them."""

    def __init__(self, cell, tensors, word_keys, step_keys, *, released=False, conjoin_only=False):
        self.cell, self.t, self.released, self.conjoin_only = cell, tensors, released, conjoin_only
        templates = 34 if released else 33
        self.words = {int(k): templates + at for at, k in enumerate(word_keys)}
        self.steps = {int(k): 12 + at for at, k in enumerate(step_keys)}
        self.values = templates + len(word_keys)

    def word_id(self, value):
        return self.words.get(key(*value), value[0])

    def told(self, sentence, j, e):
        values = sentence.word_values(j, released=self.released)
        if not self.released:
            values += sentence.pair_values(j, e, released=False)
        total = sum(self.t["input"][self.word_id(value)] for value in values)
        if "input_forms" in self.t:
            total = total + self.t["input_forms"][sentence.forms[j]]
        if "steps" in self.t:
            total = total + self.t["inner_input"] @ self.inner(sentence, e, j)
        return total

    def candidate(self, sentence, j, e, earlier):
        values = sentence.word_values(j, released=self.released) + sentence.pair_values(j, e, released=self.released)
        if self.released:
            values += sentence.triple_values(j, e, earlier)
        place = BINS.index(quantise(sentence.distance(j, e)))
        total = np.zeros(self.t["output"].shape[1])
        for value in values:
            row = 13 * self.word_id(value)
            total += self.t["output"][row + 1 + place]
            if not self.conjoin_only:
                total += self.t["output"][row]
        if not self.conjoin_only:
            total += self.t["output"][13 * self.values + place]
        if "output_forms" in self.t:
            total += self.t["output_forms"][sentence.forms[j]]
        if "steps" in self.t:
            total += self.t["inner_output"] @ self.inner(sentence, e, j)
        return total

    def inner(self, sentence, e, j):
        state = self.t["inner_start"][0]
        for step in sentence.path(e, j):
            d = sentence.distance(step[2], step[1])
            place = BINS.index(quantise(d)) if d else BINS.index(-1)
            told = np.zeros(len(state))
            for value in sentence.step_values(step):
                row = 13 * self.steps.get(key(*value), value[0])
                told = told + self.t["steps"][row] + self.t["steps"][row + 1 + place]
            state = np.tanh(told + self.t["inner_recurrent"] @ state)
        return state

    def score(self, sentence, j, e, earlier, v, left):
        x = self.candidate(sentence, j, e, earlier)
        if not self.released:
            alpha, bias = self.t["offsets"][0]
            return np.tanh(x) @ (self.t["scale"][0] * v) + alpha * math.log(left) + bias
        d = sentence.distance(j, e) / 30
        for at, number in enumerate([math.log(left), max(d, 0), min(d, 0)]):
            x = x + number * self.t["scalars"][at]
        ids = [self.word_id(value) for value in sentence.word_values(j, released=True)]
        embedding = sum(self.t["embedding"][at] for at in ids)
        if "embedding_forms" in self.t:
            embedding = embedding + self.t["embedding_forms"][sentence.forms[j]]
        if "layer_state" not in self.t:
            return x[0] + embedding @ v
        return np.tanh(x + self.t["layer_state"] @ (embedding * v)) @ self.t["layer_out"][0]

    def log_likelihood(self, sentence, order):
        v = self.t["start"][0]
        total, e, earlier = 0.0, None, None
        free = set(order)
        for word in order[:-1]:
            scores = {j: self.score(sentence, j, e, earlier, v, len(free)) for j in free}
            total += scores[word] - np.logaddexp.reduce(list(scores.values()))
            v = move(self.cell, self.t["recurrent"], self.told(sentence, word, e), v)
            free.remove(word)
            e, earlier = word, e
        return total
