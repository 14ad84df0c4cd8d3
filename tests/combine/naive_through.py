"""Rules through a pivot, the slow and readable way: text against text."""

import math


def renumbered(pivot):
    """A pivot side with its gaps in order, and what each of them was."""
    places, words = [], []
    for word in pivot.split():
        if word.startswith("["):
            places.append(word)
            words.append(f"[X,{len(places)}]")
        else:
            words.append(word)
    return " ".join(words), places


def ways(first, second, source):
    """All ways from a source side: target, and the features of both rules."""
    for rule in first.rules(source):
        pivot, places = renumbered(rule.target)
        for other in second.rules(pivot):
            gaps = {f"[X,{at}]": place for at, place in enumerate(places, 1)}
            target = " ".join(gaps.get(word, word) for word in other.target.split())
            yield target, rule.features, other.features


def best(first, second, source, weights):
    """The greatest weighted sum of each target; weights of both legs."""
    found = {}
    for target, own, other in ways(first, second, source):
        score = dot(own, weights[0]) + dot(other, weights[1])
        found[target] = max(score, found.get(target, -math.inf))
    return found


def dot(features, weights):
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


def summed(first, second, source, how):
    """The four probabilities of each target."""
    names = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
    found = {}
    for target, own, other in ways(first, second, source):
        products = [math.exp(own[name] + other[name]) for name in names]
        known = found.setdefault(target, [0.0] * len(names))
        found[target] = [a + b if how == "sum" else max(a, b) for a, b in zip(known, products, strict=True)]
    return {target: dict(zip(names, values, strict=True)) for target, values in found.items()}
