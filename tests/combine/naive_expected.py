"""Expected BLEU by its definition, one derivation at a time."""

import math


def mixed(parts, weights, temperatures, operation, scaling):
    """The score of an edge (Razmara 2013, section 2.3.1)."""
    if scaling == "idempotent":
        size = max(weights) if operation == "wmax" else sum(weights)
        weights = [weight / size for weight in weights]
    terms = [(weight, warm * part) for weight, warm, part in zip(weights, temperatures, parts, strict=True)]
    if operation == "prod":
        return sum(weight * score for weight, score in terms)
    if operation == "wmax":
        return max(score + math.log(weight) for weight, score in terms)
    return math.log(sum(weight * math.exp(score) for weight, score in terms))


def brevity(x):
    return (math.exp(x) - 1.0) / (1.0 + math.exp(1000.0 * x)) + 1.0 if x < 0.5 else 1.0


def expected_bleu(sentences, weights, temperatures, sharpness, operation, scaling):
    """From 0 to 1; each sentence is a list of derivations: statistics, the parts of edges, and the rest of the score."""
    counts = [0.0] * 10
    for derivations in sentences:
        scores = [
            sum(mixed(parts, weights, temperatures, operation, scaling) for parts in edges) + rest
            for _, edges, rest in derivations
        ]
        top = max(scores)
        likely = [math.exp(sharpness * (score - top)) for score in scores]
        for (statistics, _, _), weight in zip(derivations, likely, strict=True):
            for at, value in enumerate(statistics):
                counts[at] += weight / sum(likely) * value
    words, reference, *rest = counts
    precision = [(match + 1e-6) / (total + 1e-6) for match, total in zip(rest[:4], rest[4:], strict=True)]
    return math.prod(precision) ** 0.25 * brevity(1.0 - reference / (words + 1e-6))
