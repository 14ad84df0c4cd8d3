"""Reservoirs and phrase features as one would write them down, slow and plain."""

from itertools import pairwise

import numpy as np


def settle(source, target, matrices, *, links=(), heads=(), d=1.0, children=1.0, prune=False, tolerance=1e-6, most=500):
    """States of source and target vertices and the steps taken; inputs are given already multiplied."""
    size = target.shape[1]
    sides = [np.array(source, dtype=float).reshape(-1, size), np.array(target, dtype=float)]
    links = sorted(set(links))
    offspring = sorted((head - 1, child) for child, head in enumerate(heads) if head)
    if prune:
        links = pruned_links(links, int(d))
        offspring = pruned_children(offspring, int(children))
    states = [np.zeros_like(side) for side in sides]
    steps = 0
    while steps < most:
        steps += 1
        new = [
            np.array(
                [
                    np.tanh(drive + heard(side, j, states, matrices, links, heads, offspring, (d, children, prune)))
                    for j, drive in enumerate(sides[side])
                ]
            ).reshape(-1, size)
            for side in (0, 1)
        ]
        change = max((abs(a - b).max() for a, b in zip(new, states, strict=True) if a.size), default=0.0)
        states = new
        if change < tolerance:
            break
    return states[0], states[1], steps


def heard(side, j, states, matrices, links, heads, offspring, weights):
    """What a vertex hears from its neighbours."""
    name, own = ("source", "target")[side], states[side]
    d, children, prune = weights
    total = np.zeros(own.shape[1])

    def mixed(friends, among, weight):
        sums = sum(among[friend] for friend in friends)
        return sums if prune else sums * weight / len(friends)

    if j > 0:
        total += matrices[f"{name}.left"] @ own[j - 1]
    if j + 1 < len(own):
        total += matrices[f"{name}.right"] @ own[j + 1]
    if friends := [pair[1 - side] for pair in links if pair[side] == j]:
        total += matrices[f"{name}.align"] @ mixed(friends, states[1 - side], d)
    if side == 0 and j < len(heads) and heads[j]:
        total += matrices["source.parent"] @ own[heads[j] - 1]
    if side == 0 and (below := [child for parent, child in offspring if parent == j]):
        total += matrices["source.child"] @ mixed(below, own, children)
    return total


def pruned_links(links, most):
    kept = []
    for source, target in sorted(links, key=lambda link: (abs(link[0] - link[1]), link)):
        if sum(one == source for one, _ in kept) < most and sum(other == target for _, other in kept) < most:
            kept.append((source, target))
    return sorted(kept)


def pruned_children(edges, most):
    kept = []
    for parent in {parent for parent, _ in edges}:
        own = [child for above, child in edges if above == parent]
        kept += [(parent, child) for child in sorted(own, key=lambda child: (abs(child - parent), child))[:most]]
    return sorted(kept)


def phrase_features(heads, spans):
    """The 21 counts, from sets; spans in the order of the target."""
    phrases = sorted(spans)
    order = [phrases.index(span) for span in spans]
    owner = {word: number for number, (begin, end) in enumerate(phrases) for word in range(begin, end)}
    parents = [
        {owner[heads[word] - 1] for word in range(begin, end) if heads[word] and heads[word] - 1 in owner} - {number}
        for number, (begin, end) in enumerate(phrases)
    ]
    children = [{other for other, own in enumerate(parents) if number in own} for number in range(len(phrases))]
    row = [0] * 21
    for number in range(len(phrases)):
        sides = [
            [{other for other in group[number] if sign * (number - other) > 0} for sign in (1, -1)]
            for group in (parents, children)
        ]
        (left, right), (left_children, right_children) = sides
        holds = [
            not parents[number], not left, not right, not left or not right,
            len(parents[number]) <= 1, len(left) <= 1, len(right) <= 1, len(parents[number]) == 1,
            not children[number], not left_children, not right_children, not left_children or not right_children,
        ]  # fmt: skip
        row[:12] = [count + bool(value) for count, value in zip(row, holds, strict=False)]
    for before, after in pairwise(order):
        if parents[after] == {before}:
            category = 0
        elif parents[before] == {after}:
            category = 1
        elif len(parents[before]) == 1 and parents[before] == parents[after]:
            category = 2
        else:
            category = 3
        row[12 + category] += 1
        if before > after:
            row[16] += 1
            row[17 + category] += 1
    return row
