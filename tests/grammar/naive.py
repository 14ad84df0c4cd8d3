"""Extraction and scoring, as slow and plain as the definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import combinations

Link = tuple[int, int]
Span = tuple[int, int, int, int]
Key = tuple[str, str]


@dataclass
class Settings:
    kind: str = "hiero"
    max_length: int = 10
    max_symbols: int = 5
    max_gaps: int = 2
    min_gap: int = 1
    adjacent: bool = False
    loose: bool = False
    fractional: bool = True


@dataclass
class Pair:
    source: list[str]
    target: list[str]
    links: set[Link] = field(default_factory=set)


def blocks(pair: Pair, longest: int, loose: bool) -> list[Span]:
    """All consistent spans (from, to, low, high), by definition."""
    found = []
    linked_sources, linked_targets = {i for i, _ in pair.links}, {j for _, j in pair.links}
    for i in range(len(pair.source)):
        for j in range(i + 1, min(len(pair.source), i + longest) + 1):
            for low in range(len(pair.target)):
                for high in range(low + 1, min(len(pair.target), low + longest) + 1):
                    inside = [i <= s < j and low <= t < high for s, t in pair.links]
                    crossing = [(i <= s < j) != (low <= t < high) for s, t in pair.links]
                    tight = {i, j - 1} <= linked_sources and {low, high - 1} <= linked_targets
                    if any(inside) and not any(crossing) and (loose or tight):
                        found.append((i, j, low, high))
    return found


def rule_of(pair: Pair, block: Span, gaps: tuple[Span, ...]) -> tuple[str, str, tuple[Link, ...]]:
    """The rule of a block with gaps: sides as text, and the links between words."""

    def side(words: list[str], start: int, end: int, spans: list[tuple[int, int]]) -> tuple[list[str], dict[int, int]]:
        symbols, at, places = [], start, {}
        while at < end:
            number = next((n for n, (first, _) in enumerate(spans) if first == at), None)
            if number is None:
                places[at] = len(symbols)
                symbols.append(words[at])
                at += 1
            else:
                symbols.append(f"[X,{number + 1}]")
                at = spans[number][1]
        return symbols, places

    source, source_places = side(pair.source, block[0], block[1], [(g[0], g[1]) for g in gaps])
    target, target_places = side(pair.target, block[2], block[3], [(g[2], g[3]) for g in gaps])
    links = sorted(
        (source_places[i], target_places[j]) for i, j in pair.links if i in source_places and j in target_places
    )
    return " ".join(source), " ".join(target), tuple(links)


def hiero_rules(pair: Pair, settings: Settings) -> list[list[tuple[str, str, tuple[Link, ...]]]]:
    """For each initial phrase pair the rules taken from it."""
    all_blocks = blocks(pair, settings.max_length, settings.loose)
    groups = []
    for block in all_blocks:
        inner = [
            gap
            for gap in all_blocks
            if gap != block
            and block[0] <= gap[0]
            and gap[1] <= block[1]
            and block[2] <= gap[2]
            and gap[3] <= block[3]
            and gap[1] - gap[0] >= settings.min_gap
        ]
        group = []
        for number in range(settings.max_gaps + 1):
            for gaps in combinations(inner, number):
                ordered = tuple(sorted(gaps))
                if len(ordered) == 2:
                    one, two = ordered
                    if two[0] < one[1] or (two[0] == one[1] and not settings.adjacent):
                        continue
                    if not (two[2] >= one[3] or two[3] <= one[2]):
                        continue
                rule = rule_of(pair, block, ordered)
                if len(rule[0].split()) <= settings.max_symbols and rule[2]:
                    group.append(rule)
        if group:
            groups.append(group)
    return groups


def orientation(pair: Pair, block: Span) -> tuple[int, int]:
    """0 mono, 1 swap, 2 other, of the phrase before and of the one after, by the links of words."""
    i, j, low, high = block

    def place(mono: bool, swap: bool) -> int:
        return 0 if mono and not swap else 1 if swap and not mono else 2

    at_start = i == 0 and low == 0
    at_end = j == len(pair.source) and high == len(pair.target)
    before = place(at_start or (i - 1, low - 1) in pair.links, (j, low - 1) in pair.links)
    after = place(at_end or (j, high) in pair.links, (i - 1, high) in pair.links)
    return before, after


def word_table(pairs: list[Pair]) -> tuple[dict[Key, float], dict[Key, float]]:
    """w(e|f) and w(f|e) by (f, e); the empty word is ""."""
    counts: Counter[Key] = Counter()
    for pair in pairs:
        counts.update((pair.source[i], pair.target[j]) for i, j in pair.links)
        linked_sources, linked_targets = {i for i, _ in pair.links}, {j for _, j in pair.links}
        counts.update((word, "") for i, word in enumerate(pair.source) if i not in linked_sources)
        counts.update(("", word) for j, word in enumerate(pair.target) if j not in linked_targets)
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    for (f, e), count in counts.items():
        sources[f] += count
        targets[e] += count
    return (
        {key: count / sources[key[0]] for key, count in counts.items()},
        {key: count / targets[key[1]] for key, count in counts.items()},
    )


def lexical(
    source: str, target: str, links: tuple[Link, ...], tables: tuple[dict[Key, float], dict[Key, float]]
) -> tuple[float, float]:
    """lex(f|e) and lex(e|f)."""
    given_source, given_target = tables
    fs, es = source.split(), target.split()
    fe = ef = 1.0
    for j, word in enumerate(es):
        if word.startswith("[X,"):
            continue
        own = [i for i, k in links if k == j]
        ef *= sum(given_source[fs[i], word] for i in own) / len(own) if own else given_source["", word]
    for i, word in enumerate(fs):
        if word.startswith("[X,"):
            continue
        own = [j for k, j in links if k == i]
        fe *= sum(given_target[word, es[j]] for j in own) / len(own) if own else given_target[word, ""]
    return fe, ef


def table(  # noqa: C901 - all in one place
    pairs: list[Pair], settings: Settings, several: str = "frequent"
) -> dict[Key, tuple[float, list[float]]]:
    """For each rule its count and features."""
    counts: dict[Key, float] = defaultdict(float)
    alignments: dict[Key, Counter[tuple[Link, ...]]] = defaultdict(Counter)
    places: dict[Key, list[int]] = defaultdict(lambda: [0] * 6)
    for pair in pairs:
        if settings.kind == "hiero":
            for group in hiero_rules(pair, settings):
                share = 1 / len(group) if settings.fractional else 1.0
                for source, target, links in group:
                    counts[source, target] += share
                    alignments[source, target][links] += share
        else:
            for block in blocks(pair, settings.max_length, settings.loose):
                source, target, links = rule_of(pair, block, ())
                counts[source, target] += 1
                alignments[source, target][links] += 1
                before, after = orientation(pair, block)
                places[source, target][before] += 1
                places[source, target][3 + after] += 1
    sources: dict[str, float] = defaultdict(float)
    targets: dict[str, float] = defaultdict(float)
    for (source, target), count in counts.items():
        sources[source] += count
        targets[target] += count
    tables = word_table(pairs)

    def log(p: float) -> float:
        return math.log(min(max(p, 1e-6), 1.0))

    found = {}
    for (source, target), count in counts.items():
        seen = alignments[source, target]
        weights = [lexical(source, target, links, tables) for links in seen]
        if several == "frequent":
            most = max(seen.values())
            # Of equally frequent ones the shorter, then the first.
            best = min((links for links, n in seen.items() if n > most - 1e-7), key=lambda links: (len(links), links))
            fe, ef = lexical(source, target, best, tables)
        else:
            choose = min if several == "min" else max
            fe, ef = choose(w[0] for w in weights), choose(w[1] for w in weights)
        features = [log(count / targets[target]), log(fe), log(count / sources[source]), log(ef)]
        if settings.kind == "phrase":
            own = places[source, target]
            for at in range(6):
                total = sum(own[at // 3 * 3 : at // 3 * 3 + 3])
                features.append(log((own[at] + 0.5) / (total + 1.5)))
        found[source, target] = (count, features)
    return found
