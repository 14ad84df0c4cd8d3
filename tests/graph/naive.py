"""Profiles, neighbours and labels, the slow and readable way."""

import math
from collections import Counter, defaultdict


def phrases(lines, order):
    """All phrases of up to so many words, and where each stands: line and first word."""
    found = defaultdict(list)
    for at, line in enumerate(lines):
        words = line.split()
        for length in range(1, order + 1):
            for start in range(len(words) - length + 1):
                found[" ".join(words[start : start + length])].append((at, start))
    return found


def around(words, start, length, window):
    """The words around a phrase, each with its place."""
    before = [(words[start - by], -by) for by in range(1, window + 1) if start >= by]
    end = start + length - 1
    return before + [(words[end + by], by) for by in range(1, window + 1) if end + by < len(words)]


def profiles(lines, order, window, positional):
    """For each phrase how often which words stand around it."""
    rows = {}
    for phrase, places in phrases(lines, order).items():
        row = rows[phrase] = Counter()
        for at, start in places:
            for word, place in around(lines[at].split(), start, len(phrase.split()), window):
                row[f"{word}@{place:+d}" if positional else word] += 1
    return rows


def totals(lines, window, positional):
    """How often each context is counted around all words."""
    sums = Counter()
    for row in profiles(lines, 1, window, positional).values():
        sums.update(row)
    return sums


def weighed(rows, columns, measure):
    """Associations of counts."""
    total = sum(columns.values())
    result = {}
    for phrase, row in rows.items():
        own = sum(row.values())
        values = {context: _associated(count, own, columns[context], total, measure) for context, count in row.items()}
        result[phrase] = {context: value for context, value in values.items() if measure != "ppmi" or value > 0}
    return result


def _associated(both, row, column, total, measure):
    if measure == "cp":
        return both / row
    pmi = math.log2((both / total) / ((row / total) * (column / total)))
    if measure in {"pmi", "ppmi"}:
        return pmi if measure == "pmi" else max(0.0, pmi)
    other = total - row
    if measure == "llr":
        pooled, near, away = column / total, both / row, (column - both) / other if other else 0.0
        single = _binomial(both, row, pooled) + _binomial(column - both, other, pooled)
        double = _binomial(both, row, near) + _binomial(column - both, other, away)
        return -2 * (single - double)
    table = [both, row - both, column - both, total - row - column + both]
    expected = [r * c / total for r in (row, other) for c in (column, total - column)]
    return sum((found - wanted) ** 2 / wanted for found, wanted in zip(table, expected, strict=True) if wanted)


def _binomial(successes, trials, probability):
    """The logarithm of p^k (1 - p)^(n - k)."""
    failures = trials - successes
    return (successes * math.log(probability) if successes else 0.0) + (
        failures * math.log(1 - probability) if failures else 0.0
    )


def similarity(one, other, which):
    """The cosine, L1 or the un-halved divergence of Jensen and Shannon."""
    keys = {*one, *other}
    pairs = [(one.get(key, 0.0), other.get(key, 0.0)) for key in keys]
    if which == "cosine":
        lengths = math.sqrt(sum(a * a for a, _ in pairs)) * math.sqrt(sum(b * b for _, b in pairs))
        return sum(a * b for a, b in pairs) / lengths if lengths else 0.0
    if which == "l1":
        return sum(abs(a - b) for a, b in pairs)
    means = [(a + b) / 2 for a, b in pairs]
    return sum(
        (a * math.log(a / mean) if a else 0.0) + (b * math.log(b / mean) if b else 0.0)
        for (a, b), mean in zip(pairs, means, strict=True)
    )


def weight(value, which):
    if which == "cosine":
        return value
    return 1 / (1 + value) if which == "l1" else 1 - value / (2 * math.log(2))


def neighbours(rows, names, node, among, k, which):
    """The best, as weights and names."""
    found = []
    for other in among:
        if other != node and rows[names[node]].keys() & rows[names[other]].keys():
            one = weight(similarity(rows[names[node]], rows[names[other]], which), which)
            if one > 1e-9:
                found.append((-one, other))
    return [(-value, other) for value, other in sorted(found)[:k]]


def frames(lines, words, longest):
    """For each word the phrases between the same two words, the most frequent first."""
    between = defaultdict(Counter)
    for line in lines:
        padded = [None, *line.split(), None]
        for left in range(len(padded)):
            for length in range(1, longest + 1):
                right = left + length + 1
                if right < len(padded):
                    between[padded[left], padded[right]][" ".join(padded[left + 1 : right])] += 1
    found = {}
    for word in words:
        sums = Counter()
        for frame, inside in between.items():
            if word in inside and frame != (None, None):
                sums.update({phrase: count for phrase, count in inside.items() if phrase != word})
        found[word] = sums
    return found


def adsorb(size, edges, seeds, mu, beta, iterations):
    """Labels of each node after so many steps, the dummy label as None; `edges` are {(smaller, greater): weight}."""
    weights = [{} for _ in range(size)]
    for (a, b), value in edges.items():
        weights[a][b] = weights[b][a] = value
    chances = [_chances(list(weights[node].values()), node in seeds, beta) for node in range(size)]
    labels = [dict(seeds.get(node, {})) for node in range(size)]
    for _ in range(iterations):
        after = []
        for node in range(size):
            inject, onward, abandon = chances[node]
            sums = defaultdict(float)
            for label, value in seeds.get(node, {}).items():
                sums[label] += mu[0] * inject * value
            sums[None] += mu[2] * abandon
            whole = mu[0] * inject + mu[2]
            for other, value in weights[node].items():
                pull = mu[1] * (onward * value + chances[other][1] * value)
                whole += pull
                for label, probability in labels[other].items():
                    sums[label] += pull * probability
            after.append({label: value / whole for label, value in sums.items()})
        labels = after
    return labels, chances


def _chances(weights, seed, beta):
    whole = sum(weights)
    entropy = -sum(value / whole * math.log2(value / whole) for value in weights)
    onward = math.log(beta) / math.log(beta + entropy)
    inject = (1 - onward) * math.sqrt(entropy) if seed and entropy > 0 else 0.0
    if seed and inject == 0:
        onward, inject = 0.01, 0.99
    whole = max(onward + inject, 1)
    return inject / whole, onward / whole, max(0.0, 1 - inject / whole - onward / whole)


def objective(edges, seeds, labels, mu, chances):
    """What labels should make as small as can be."""

    def apart(one, other):
        return sum((one.get(label, 0.0) - other.get(label, 0.0)) ** 2 for label in {*one, *other})

    near = sum(chances[node][0] * apart(row, labels[node]) for node, row in seeds.items())
    smooth = sum(
        chances[a][1] * value * apart(labels[a], labels[b])
        for (one, other), value in edges.items()
        for a, b in ((one, other), (other, one))
    )
    dummy = sum(apart(row, {None: chances[node][2]}) for node, row in enumerate(labels))
    return mu[0] * near + mu[1] * smooth + mu[2] * dummy
