"""Joined tables, as dictionaries of rules."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tolka.grammar import Grammar, Rule

Key = tuple[str, str, str]
Joined = dict[Key, tuple[dict[str, float], tuple[tuple[int, int], ...], tuple[float, ...]]]

PROBABILITIES = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
COUNTS = {"count_1": (-1, 1), "count_2": (1, 2), "count_3_5": (2, 5), "count_6_more": (5, math.inf)}
FLOOR = 1e-6


def key(rule: Rule) -> Key:
    return rule.lhs, rule.source, rule.target


def log(p: float) -> float:
    return math.log(min(max(p, FLOOR), 1.0))


def mean(rules: list[Rule], weights: list[float], name: str) -> float:
    """The logarithm of the mean probability of those that have the feature."""
    own = [(math.exp(rule.features[name]), w) for rule, w in zip(rules, weights, strict=True) if name in rule.features]
    if not own:
        return log(1 / 3)
    if sum(w for _, w in own) == 0:
        return log(sum(p for p, _ in own) / len(own))
    return log(sum(p * w for p, w in own) / sum(w for _, w in own))


def join(tables: dict[str, Grammar], how: str, weights: dict[str, dict[str, float]] | None = None) -> Joined:
    """What the joined table holds, by definition."""
    read = {name: {key(rule): rule for rule in grammar} for name, grammar in tables.items()}
    names = {name: grammar.feature_names for name, grammar in tables.items()}
    counted = all(any(any(rule.counts) for rule in rules.values()) for rules in read.values())
    seen_sources: dict[str, set[str]] = {name: {rule.source for rule in rules.values()} for name, rules in read.items()}
    order = list(tables)
    joined: Joined = {}
    for one in {one for rules in read.values() for one in rules}:
        having = [name for name in order if one in read[name]]
        own = [read[name][one] for name in having]
        added = tuple(sum(rule.counts[at] for rule in own) for at in range(3)) if counted else (0.0, 0.0, 0.0)
        if how == "linear":
            assert weights is not None
            features = linear(having, own, names[order[0]], weights, added[2] if counted else None)
        elif how in ("fill-up", "back-off"):
            if how == "back-off" and any(one[1] in seen_sources[n] for n in order[: order.index(having[0])]):
                continue
            features = dict(own[0].features)
            features |= {f"from_{name}": float(name == having[0]) for name in order[1:]}
            added = own[0].counts
        else:
            if how == "intersection" and len(having) < len(order):
                continue
            features = side_by_side(read, names, one, FLOOR if how == "log-linear" else 1.0)
        joined[one] = features, own[0].links, added
    return joined


def linear(
    having: list[str],
    own: list[Rule],
    names: tuple[str, ...],
    weights: dict[str, dict[str, float]],
    count: float | None,
) -> dict[str, float]:
    chief = [weights["phrase_ef"][name] for name in having]
    best = own[max(range(len(own)), key=lambda at: (chief[at], -at))]
    features = {}
    for name in names:
        if name in PROBABILITIES:
            mixed = [weights[name][n] * math.exp(rule.features[name]) for n, rule in zip(having, own, strict=True)]
            features[name] = log(sum(mixed))
        elif name.startswith("reorder_"):
            features[name] = mean(own, chief, name)
        elif name in COUNTS and count is not None:
            above, most = COUNTS[name]
            features[name] = float(above + 0.01 < count <= most + 0.01)
        else:
            features[name] = best.features[name]
    return features


def side_by_side(
    read: dict[str, dict[Key, Rule]], names: dict[str, tuple[str, ...]], one: Key, absent: float
) -> dict[str, float]:
    features: dict[str, float] = {}
    for table, rules in read.items():
        for name in names[table]:
            if not name.startswith("reorder_"):
                least = math.log(absent) if name in PROBABILITIES else 0.0
                features[f"{table}.{name}"] = rules[one].features[name] if one in rules else least
    own = [rules[one] for rules in read.values() if one in rules]
    for name in dict.fromkeys(n for table in names.values() for n in table if n.startswith("reorder_")):
        features[name] = mean(own, [1.0] * len(own), name)
    return features
