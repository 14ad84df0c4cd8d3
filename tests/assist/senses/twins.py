"""Naive twins: every path of a graph, one by one."""

import math


def paths(graph, node=None):
    """All derivations of a node as lists of edges, each before those in its tails."""
    shape = graph.shape
    node = shape.goal if node is None else node
    if node == shape.start:
        return [[]]
    found = []
    for edge in range(len(graph)):
        if shape.heads[edge] != node:
            continue
        rests = [[]]
        for tail in shape.tails[edge]:
            if tail >= 0:
                rests = [rest + more for rest in rests for more in paths(graph, int(tail))]
        found += [[edge, *rest] for rest in rests]
    return found


def weight(graph, path):
    return sum(float(graph.scale * graph.scores[edge] + graph.added[edge]) for edge in path)


def posteriors(graph):
    every = paths(graph)
    total = math.fsum(math.exp(weight(graph, path)) for path in every)
    return [
        math.fsum(path.count(edge) * math.exp(weight(graph, path)) for path in every) / total
        for edge in range(len(graph))
    ]


def spelled(graph, path):
    """The words of a derivation."""
    steps = iter(path)

    def said():
        edge = next(steps)
        parts = [said() for tail in graph.shape.tails[edge] if tail >= 0 and tail != graph.shape.start]
        target = graph.pieces[graph.piece[edge]].target
        if graph.shape.start is not None:
            return " ".join(filter(None, [*parts, *target]))
        return " ".join(filter(None, (parts[part] if isinstance(part, int) else part for part in target)))

    return said()


def information(weights, first, second, alpha, floor=1e-6):
    """The thesis's figure 2-2 as it is meant, for one question, translation by translation."""
    known = [at for at in range(len(weights)) if sum(first[at]) + sum(second[at]) > 0]
    mass = sum(weights[at] for at in known)
    total = 0.0
    for mixture in alpha:
        inner, one, other = 0.0, 0.0, 0.0
        for at in known:
            p1 = sum(a * max(p, floor) for a, p in zip(mixture, first[at], strict=True))
            p2 = sum(a * max(p, floor) for a, p in zip(mixture, second[at], strict=True))
            p1, p2 = p1 / (p1 + p2), p2 / (p1 + p2)
            part = weights[at] / mass
            inner += part * (p1 * math.log(p1) + p2 * math.log(p2))
            one += part * p1
            other += part * p2
        total += mass * (inner - (one * math.log(one) + other * math.log(other)))
    return total / len(alpha)
