"""Translations of unknown words as their definitions say: on dictionaries, one step after the other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

DUMMY = object()


def profiles(lines, nodes, window):
    """Counts of context words of each node: of an n-gram so many words before its first and behind its last."""
    wanted = set(nodes)
    longest = max(len(node.split()) for node in wanted)
    found = defaultdict(Counter)
    for line in lines:
        words = line.split()
        for begin in range(len(words)):
            for length in range(1, longest + 1):
                end = begin + length
                node = " ".join(words[begin:end])
                if end > len(words) or node not in wanted:
                    continue
                found[node].update(words[max(0, begin - window) : begin])
                found[node].update(words[end : end + window])
    return dict(found)


def ppmi(lines, nodes, window):
    """log2 P(u, w) / (P(u) P(w)), nothing below 0; P(w) is that of the whole text, as if every word had a row."""
    counts = profiles(lines, nodes, window)
    rows = {node: sum(own.values()) for node, own in counts.items()}
    columns = Counter()
    for own in profiles(lines, {word for line in lines for word in line.split()}, window).values():
        columns.update(own)
    whole = sum(columns.values())
    return {
        node: {
            word: value
            for word, count in own.items()
            if (value := math.log2(count * whole / (rows[node] * columns[word]))) > 0
        }
        for node, own in counts.items()
    }


def cosine(one, other):
    dot = sum(value * other[word] for word, value in one.items() if word in other)
    norms = math.sqrt(sum(v * v for v in one.values())) * math.sqrt(sum(v * v for v in other.values()))
    return dot / norms if norms else 0.0


def nearest(weighed, node, among, count):
    """The most similar nodes; None of several that are as similar is known to be taken."""
    ranked = sorted(
        ((cosine(weighed[node], weighed[one]), one) for one in among if one != node and one in weighed), reverse=True
    )
    ranked = [(weight, one) for weight, one in ranked if weight > 1e-12]
    kept = ranked[:count]
    tied = len(ranked) > count and abs(ranked[count][0] - kept[-1][0]) < 1e-9
    return {one: weight for weight, one in kept}, tied


def edges_of(weighed, unknown, labelled, bridges, shape, wide, across):
    """Weights of undirected edges, and whether a tie made it a matter of taste which there are."""
    edges, tied = {}, False

    def add(node, among, count):
        nonlocal tied
        found, tie = nearest(weighed, node, among, count)
        tied = tied or tie
        for other, weight in found.items():
            key = frozenset((node, other))
            edges[key] = max(edges.get(key, 0.0), weight)
        return found

    if shape == "full":
        every = [*unknown, *labelled, *bridges]
        for node in every:
            add(node, every, wide)
        return edges, tied
    chosen = set()
    for node in unknown:
        add(node, labelled, wide)
        if shape == "tripartite":
            chosen.update(add(node, bridges, across))
    for node in chosen:
        add(node, labelled, wide)
    return edges, tied


def walk(edges, seeds, beta):
    """The probabilities of injecting, going on and giving up at each node."""
    beside = defaultdict(dict)
    for key, weight in edges.items():
        one, other = sorted(key)
        beside[one][other] = beside[other][one] = weight
    found = {}
    for node, own in beside.items():
        whole = sum(own.values())
        entropy = -sum(w / whole * math.log2(w / whole) for w in own.values())
        entropy = max(entropy, 0.0)
        go = math.log(beta) / math.log(beta + entropy)
        inject = (1 - go) * math.sqrt(entropy) if node in seeds else 0.0
        if node in seeds and inject == 0:
            go, inject = 0.01, 0.99
        z = max(go + inject, 1.0)
        go, inject = go / z, inject / z
        found[node] = inject, go, max(0.0, 1 - inject - go)
    return beside, found


def spread(edges, seeds, mu=(1.0, 0.01, 0.01), beta=2.0, iterations=10):
    """Modified Adsorption: all nodes at once, so many times."""
    beside, chances = walk(edges, seeds, beta)
    labels = {node: dict(seeds.get(node, {})) for node in beside}
    for _ in range(iterations):
        new = {}
        for node, own in beside.items():
            inject, go, stop = chances[node]
            given = seeds.get(node, {}) if node in chances else {}
            mass = Counter({label: mu[0] * inject * p for label, p in given.items()})
            norm = mu[0] * inject + mu[2]
            for other, weight in own.items():
                strength = mu[1] * (go + chances[other][1]) * weight
                norm += strength
                for label, p in labels[other].items():
                    mass[label] += strength * p
            mass[DUMMY] += mu[2] * stop
            new[node] = {label: value / norm for label, value in mass.items() if value}
        labels = new
    return labels


def translations(row, word, top=20):
    """What a word is translated by, and the share of ⊥."""
    mass = Counter()
    for label, value in row.items():
        if label is not DUMMY:
            mass[word if label == "" else label] += value
    dummy = row.get(DUMMY, 0.0)
    whole = sum(mass.values())
    best = sorted(mass, key=lambda text: (-mass[text], text))[:top]
    kept = sum(mass[text] for text in best)
    return {text: mass[text] / kept for text in best}, dummy / (dummy + whole) if whole else 0.0


def induce(lines, known, unknown, bridges, *, shape="tripartite", wide=15, across=5, window=4, copied=True, top=20):
    """The translations of unknown words with ⊥'s share, and whether ties made it a matter of taste."""
    nodes = {*known, *unknown, *bridges}
    weighed = ppmi(lines, nodes, window)
    there = [node for node in sorted(unknown) if node in weighed]
    labelled = [node for node in sorted(known) if node in weighed]
    between = [node for node in sorted(bridges) if node in weighed]
    edges, tied = edges_of(weighed, there, labelled, between, shape, wide, across)
    used = {node for key in edges for node in key}
    seeds = {
        node: {("" if copied and text == node else text): p for text, p in own}
        for node, own in known.items()
        if node in used
    }
    rows = spread(edges, seeds)
    found = {word: translations(rows[word], word, top) for word in there if word in rows}
    return {word: own for word, own in found.items() if own[0]}, tied


def in_frames(lines, words, known, longest):
    """The phrases with translations that are seen between the same two words as each word."""
    own, seen = defaultdict(set), defaultdict(set)
    for line in lines:
        tokens = ["<s>", *line.split(), "</s>"]
        spans = [(i, i + n) for n in range(1, longest + 1) for i in range(1, len(tokens) - n)]
        for begin, end in spans:
            frame, phrase = (tokens[begin - 1], tokens[end]), " ".join(tokens[begin:end])
            # A whole sentence stands between nothing.
            if frame != ("<s>", "</s>"):
                seen[frame].add(phrase)
                own[phrase].add(frame)
    return {
        word: {phrase for frame in own[word] for phrase in seen[frame] if phrase in known and phrase != word}
        for word in words
    }


def by_frames(lines, words, known, *, longest=1, count=20, window=4, top=20):
    """Translations of such phrases, weighed by similarity, without a graph."""
    candidates = in_frames(lines, words, known, longest)
    nodes = {word for word in words if candidates[word]}.union(*candidates.values())
    weighed = ppmi(lines, nodes, window)
    found, tied = {}, False
    for word in words:
        best, tie = nearest(weighed, word, candidates[word], count) if word in weighed else ({}, False)
        tied = tied or tie
        mass = Counter()
        for phrase, weight in best.items():
            for text, p in known[phrase]:
                mass[word if text == phrase else text] += weight / sum(best.values()) * p
        order = sorted(mass, key=lambda text: (-mass[text], text))[:top]
        if order:
            found[word] = {text: mass[text] / sum(mass[one] for one in order) for text in order}
    return found, tied
