"""Made-up lists: wrong translations change the order of words, and the decoder does not see it."""

import random

from tolka.forest import Segment
from tolka.rerank import Entry, NBestList, Source

NOUNS, VERBS = ("hund", "katze", "haus", "buch", "mann", "frau"), ("sieht", "liest", "kennt")
ENGLISH = dict(
    zip(
        (*NOUNS, *VERBS, "der", "."),
        ("dog", "cat", "house", "book", "man", "woman", "sees", "reads", "knows", "the", "."),
        strict=True,
    )
)


def development(sentences, seed=1, *, sparse=False):
    """Lists, sources and references."""
    draw = random.Random(seed)  # noqa: S311
    lists, sources, references = [], [], []
    for number in range(sentences):
        words = ("der", draw.choice(NOUNS), draw.choice(VERBS), "der", draw.choice(NOUNS), ".")
        sources.append(Source(words, (2, 3, 0, 5, 3, 3)))
        references.append(" ".join(ENGLISH[word] for word in words))
        entries = []
        for order in ((0, 1, 2, 4, 3, 5), (0, 1, 2, 3, 4, 5), (3, 4, 0, 1, 2, 5), (1, 0, 2, 3, 4, 5)):
            score = -4.0 + draw.random() if order == (0, 1, 2, 3, 4, 5) else -3.8 + draw.random()
            features = {"lm": 2.0 * score, "words": 6.0}
            if sparse:
                features[f"order_{order[0]}"] = 1.0
            entries.append(
                Entry(
                    " ".join(ENGLISH[words[place]] for place in order),
                    features,
                    score,
                    tuple(sorted((place, at) for at, place in enumerate(order))),
                    tuple(Segment((place, place + 1), (at, at + 1)) for at, place in enumerate(order)),
                )
            )
        entries.sort(key=lambda entry: -entry.score)
        lists.append(NBestList(number, tuple(entries)))
    return lists, sources, references


def moses(lists):
    """The lists as Moses writes them."""
    for own in lists:
        for entry in own.entries:
            features = " ".join(f"{name}= {value!r}" for name, value in entry.features.items())
            links = " ".join(f"{source}-{target}" for source, target in entry.links)
            spans = " ".join(f"{source[0]}={target[0]}" for source, target in entry.segments)
            yield f"{own.number} ||| {entry.words} ||| {features} ||| {entry.score!r} ||| {links} ||| {spans}"


def conllu(sources):
    """The sources as CoNLL-U."""
    for source in sources:
        for number, (word, head) in enumerate(zip(source.words, source.heads, strict=True), 1):
            yield f"{number}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_"
        yield ""
