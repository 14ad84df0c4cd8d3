"""A small corpus, and a way for the tests of this room to import their twin."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

REFERENCES = [
    "The cat, which was black, sat on the mat for 3.5 hours.",
    "Prices rose by 1,000 euros (about 5-6 %) in 2019-2020.",
    "“Naïve” plans don't always fail, she said.",
    "He gave the red book to his sister yesterday evening.",
    "I do not know whether the train to Malmö leaves at nine.",
    "A small dog runs through the snow; two children watch it.",
]


def spoiled(lines, seed, how_much):
    """Words left out, doubled, swapped and replaced: as if a poor system had written them."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable text
    found = []
    for line in lines:
        words = []
        for word in line.split():
            luck = chance.random() / how_much
            words += [] if luck < 0.3 else [word, word] if luck < 0.4 else ["the"] if luck < 0.7 else [word]
        if len(words) > 3 and chance.random() < how_much:
            at = chance.randrange(len(words) - 2)
            words = words[at:] + words[:at]
        found.append(" ".join(words))
    return found


@pytest.fixture(scope="session")
def corpus():
    """A reference of some length, another one, and outputs of a good and of a poor system."""
    reference = [line for number in range(12) for line in spoiled(REFERENCES, number, 0.02)]
    return reference, spoiled(reference, 77, 0.1), spoiled(reference, 1, 0.2), spoiled(reference, 2, 0.35)
