"""Weights and differences of cross-entropies, as their definitions say."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tolka.lm import LanguageModel


def expectation_maximisation(
    pairs: dict[tuple[str, str], float], tables: list[dict[tuple[str, str], float]], iterations: int
) -> tuple[list[float], list[float]]:
    """Weights after so many iterations, and the objective before each and after the last."""
    kept = {pair: count for pair, count in pairs.items() if any(pair in table for table in tables)}
    total = sum(kept.values())
    share = {pair: count / total for pair, count in kept.items()}
    weights = [1 / len(tables)] * len(tables)

    def mixed(pair: tuple[str, str]) -> float:
        return sum(weight * table.get(pair, 0.0) for weight, table in zip(weights, tables, strict=True))

    def objective() -> float:
        return sum(p * math.log(mixed(pair)) for pair, p in share.items())

    history = [objective()]
    for _ in range(iterations):
        weights = [
            sum(p * weight * table.get(pair, 0.0) / mixed(pair) for pair, p in share.items())
            for weight, table in zip(weights, tables, strict=True)
        ]
        history.append(objective())
    return weights, history


def masked(lines: list[str], small: list[str], least: int) -> list[str]:
    """Lines with one word for all that the small text has less often."""
    counts = Counter(word for line in small for word in line.split())
    return [" ".join(word if counts[word] >= least else "<other>" for word in line.split()) for line in lines]


def entropy(model: LanguageModel, line: str, words: set[str]) -> float:
    """Bits a word, of a model of a closed set of words: those it has not seen share what it gives to unknown ones."""
    unseen = len(words - set(model.words()))
    scores = model.word_scores(line)
    logs = [one.log10 - (math.log10(unseen) if one.oov else 0.0) for one in scores]
    return -sum(logs) / len(scores) / math.log10(2)


def parts(inside: list[str], outside: list[str], seed: int) -> list[list[str]]:
    """The lines of the small text that are taken, and two parts of the large one, each in the order of the text."""
    chance = np.random.default_rng(seed)
    words = min(len(" ".join(inside).split()), len(" ".join(outside).split()) // 2)
    found: list[list[str]] = []
    for text, number in ((inside, 1), (outside, 2)):
        lines = [text[at] for at in chance.permutation(len(text))]
        for _ in range(number):
            part: list[str] = []
            while lines and len(" ".join(part).split()) < words:
                part.append(lines.pop(0))
            found.append([line for line in text if line in part])
    return found
