"""Metrics as their papers define them, in plain Python."""

import math
from collections import Counter
from itertools import product


def ngrams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def nist(hypotheses, references, order=5):
    """Doddington 2002, as mteval has it: matches clipped by the largest count in a reference, mean reference length."""
    seen = Counter()
    words = 0
    for text in references:
        for line in text:
            words += len(line)
            for n in range(1, order + 1):
                seen.update(ngrams(line, n))
    information = {g: math.log2((seen[g[:-1]] if len(g) > 1 else words) / count) for g, count in seen.items()}
    score = 0.0
    for n in range(1, order + 1):
        gained = total = 0
        for i, line in enumerate(hypotheses):
            most = Counter()
            for text in references:
                most |= ngrams(text[i], n)
            found = ngrams(line, n)
            gained += sum(information[g] * count for g, count in (found & most).items())
            total += sum(found.values())
        score += gained / total if total else 0.0
    length = sum(map(len, hypotheses))
    wanted = sum(len(line) for text in references for line in text) / len(references)
    if length >= wanted:
        return score
    if not length:
        return 0.0
    return score * math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(length / wanted) ** 2)


def runs(matching):
    """Lengths of the diagonal runs of a matching, a set of (row, column)."""
    return [
        next(n for n in range(1, len(matching) + 2) if (i + n, j + n) not in matching)
        for i, j in matching
        if (i - 1, j - 1) not in matching
    ]


def largest_matching(a, b, exponent):
    """The maximum match size, by trying every matching."""
    best = 0.0
    for choice in product(*[[None, *[j for j, word in enumerate(b) if word == one]] for one in a]):
        taken = [j for j in choice if j is not None]
        if len(taken) == len(set(taken)):
            matching = {(i, j) for i, j in enumerate(choice) if j is not None}
            best = max(best, sum(length**exponent for length in runs(matching)))
    return best ** (1 / exponent)


def greedy_matching(a, b, exponent):
    """Longest free run first; the earlier one in a, then in b."""
    free_a, free_b = set(range(len(a))), set(range(len(b)))
    size = 0.0

    def run(i, j):
        n = 0
        while i + n in free_a and j + n in free_b and a[i + n] == b[j + n]:
            n += 1
        return n

    while True:
        length, i, j = max(((run(i, j), -i, -j) for i in range(len(a)) for j in range(len(b))), default=(0, 0, 0))
        if not length:
            return size ** (1 / exponent)
        size += length**exponent
        free_a -= set(range(-i, -i + length))
        free_b -= set(range(-j, -j + length))


def levenshtein(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(levenshtein(a[:-1], b[:-1]) + (a[-1] != b[-1]), levenshtein(a[:-1], b) + 1, levenshtein(a, b[:-1]) + 1)


def bag_errors(a, b):
    return max(len(a), len(b)) - sum((Counter(a) & Counter(b)).values())
