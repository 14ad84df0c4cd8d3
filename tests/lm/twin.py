"""Language models written to be read, not to be fast: dictionaries and the definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

Gram = tuple[str, ...]
Arpa = dict[Gram, tuple[float, float]]


def read_arpa(path: Path) -> Arpa:
    """All n-grams of a plain ARPA file with log10 probability and back-off."""
    grams: Arpa = {}
    order = 0
    for line in path.read_bytes().decode().split("\n"):
        if line.endswith("-grams:"):
            order = int(line[1:].split("-")[0])
        elif order and "\t" in line:
            prob, words, *backoff = line.split("\t")
            grams[tuple(words.split(" "))] = (float(prob), float(backoff[0]) if backoff else 0.0)
    return grams


def raw_counts(sentences: list[str], order: int) -> list[Counter[Gram]]:
    """Plain counts; at most one <s> before a sentence, and never a bare <s>."""
    counts: list[Counter[Gram]] = [Counter() for _ in range(order)]
    for sentence in sentences:
        words = ["<s>", *sentence.split(), "</s>"]
        for n in range(1, order + 1):
            for start in range(len(words) - n + 1):
                gram = tuple(words[start : start + n])
                if gram != ("<s>",):
                    counts[n - 1][gram] += 1
    return counts


def adjusted_counts(raw: list[Counter[Gram]]) -> list[Counter[Gram]]:
    """Different words before an n-gram; the plain count in the highest order and after <s>."""
    adjusted: list[Counter[Gram]] = []
    for n, counts in enumerate(raw):
        if n + 1 == len(raw):
            adjusted.append(counts)
            continue
        before = Counter(gram[1:] for gram in raw[n + 1])
        adjusted.append(Counter({gram: count if gram[0] == "<s>" else before[gram] for gram, count in counts.items()}))
    return adjusted


def discounts(sentences: list[str], raw: list[Counter[Gram]], adjusted: list[Counter[Gram]]) -> list[list[float]]:
    """Chen & Goodman's closed form per order, or the fallback."""
    ids = {"<unk>": 0, "<s>": 1, "</s>": 2}
    for sentence in sentences:
        for word in sentence.split():
            ids.setdefault(word, len(ids))
    last = max(raw[-1], key=lambda gram: [ids[word] for word in reversed(gram)], default=())
    if len(raw) > 1:
        # Among n-grams cut short by <s> the last may be one of them: compare all that nothing can extend.
        complete = [*raw[-1], *(gram for counts in raw[:-1] for gram in counts if gram[0] == "<s>")]
        last = max(complete, key=lambda gram: [ids[word] for word in reversed(gram)] + [1] * (len(raw) - len(gram)))
    found = []
    for n, counts in enumerate(adjusted):
        values = [
            raw[n][gram] if n + 1 < len(raw) and gram == last[len(last) - n - 1 :] and len(last) > n else count
            for gram, count in counts.items()
        ]
        n1, n2, n3, n4 = (values.count(k) for k in (1, 2, 3, 4))
        formula = None
        if n1 and n2 and n3:
            y = n1 / (n1 + 2 * n2)
            formula = [1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
        ok = formula is not None and all(0 <= d <= k + 1 for k, d in enumerate(formula))
        found.append(formula if ok and formula else [0.5, 1.0, 1.5])
    return found


def estimate(sentences: list[str], order: int, prune: tuple[int, ...] = (), smoothing: str = "kneser-ney") -> Arpa:
    """The n-grams of an interpolated model with log10 probability and back-off."""
    raw = raw_counts(sentences, order)
    thresholds = [*prune, *[prune[-1] if prune else 0] * (order - len(prune))]
    kneser_ney = smoothing == "kneser-ney"
    counts = adjusted_counts(raw) if kneser_ney else raw
    discount = discounts(sentences, raw, counts)
    probs: dict[Gram, float] = {}
    gammas: dict[Gram, float] = {}
    for n in range(order):
        by_context: dict[Gram, list[Gram]] = defaultdict(list)
        for gram in counts[n]:
            by_context[gram[:-1]].append(gram)
        for context, grams in by_context.items():
            kept = [g for g in grams if raw[n][g] > thresholds[n] or g == ("</s>",)]
            lost = sum(counts[n][g] for g in grams if g not in kept)
            total = sum(counts[n][g] for g in grams)
            taken = {g: discount[n][min(counts[n][g], 3) - 1] if kneser_ney else 0.0 for g in kept}
            denominator = total if kneser_ney else total + len(kept)
            free = sum(taken.values()) if kneser_ney else len(kept)
            gammas[context] = (free + lost) / denominator
            if n == 0:
                floor = gammas[()] / (len(kept) + 1)
                probs[("<unk>",)], probs[("<s>",)] = floor, 1.0
            for g in kept:
                lower = floor if n == 0 else gammas[context] * probs[g[1:]]
                probs[g] = (counts[n][g] - taken[g]) / denominator + lower
    return {g: (_log(p), _log(gammas.get(g, 1.0)) if len(g) < order else 0.0) for g, p in probs.items()}


def _log(value: float) -> float:
    return max(math.log10(value), -99.0) if value > 0 else -99.0


def log_prob(model: Arpa, words: Gram) -> float:
    """log10 p(last word | the others) by the definition of back-off."""
    if words in model:
        return model[words][0]
    if len(words) == 1:
        return model[("<unk>",)][0]
    return model.get(words[:-1], (0.0, 0.0))[1] + log_prob(model, words[1:])


def score(model: Arpa, sentence: str, order: int) -> float:
    """log10 of the probability of a sentence, its end included."""
    known = [word if (word,) in model and word not in ("<s>", "</s>") else "<unk>" for word in sentence.split()]
    words = ["<s>", *known, "</s>"]
    return sum(log_prob(model, tuple(words[max(0, i - order + 1) : i + 1])) for i in range(1, len(words)))
