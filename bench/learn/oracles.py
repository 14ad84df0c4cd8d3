"""Where a multitree model loses quality: in its lexicon, in its search, or in what it says of translations. Oracles that see the references say.

    python bench/learn/oracles.py MODEL --source test.en --reference test.fr [--sentences 200]

MODEL is a directory of `tolka train --kind multitree`. Prints one JSON line; scores are in per cent, of the model's own words (tokenised,
in their usual case), so they differ from those of text.

- `f1`, `f2`, `bleu`: the model as it is. `incomplete` is the share of sentences no single tree covers, `limited` that of searches
  that the time limit ended.
- `lexicon`: what its pairs of phrases allow. `offered` is the share of reference words that some phrase of the sentence can
  become: in a translation of one of its words, or in a pair whose two sides are in the sentence and in the reference (words only
  phrases offer, together with words that are not there, are missed). `bag_f1` is F with exponent 1 of a translation that has exactly these
  words. A source word may offer several of them at once here, so no translation need be so good: it is a bound, not a promise.
  `derivable` is the share of references that some binary tree over pairs yields whole; crossed brackets, fuses, the beam and
  the number of options are not asked for, so that fewer can be found in truth. It says what the lexicon forbids, not what is good:
  a translation can be right without being the reference. `undecided` were too large to say.
- `search`: the same model with a beam `--wider` times as large. `scored` is how many times as many inferences were looked at. `lower` is the share of sentences whose translation costs
  less then: search errors for certain, though those that even the wide beam makes are not seen. `higher` is that of those that cost more (a beam
  promises nothing). `f2` and `bleu` are the differences it makes: what could be won by searching harder, with the same costs.
- `labels`: the same lexicon and search with every label known: a step costs little if it makes the partial translation better (WIQ1, which
  sees the reference), much if it makes it worse. What is missing to 100 the lexicon, the beam and the labels lose, since a step that is right by
  itself need not be right in the end; from there down to the model's own scores it is classifiers, or weights. `pairs` and `joins`, of models of
  classifiers alone, know the labels of one kind of step, and ask classifiers about the other.
- `list`: the best of the first `--nbest` translations, chosen with the reference: for each sentence by its F with exponent 2 (`f2` and
  `bleu` of these), and by BLEU+1 (`bleu_by_bleu`). What the model finds but does not prefer: what better weights or classifiers could win at
  most within this list, on these very sentences; other text will give less. `size` is the mean length of lists. Where no tree covers a
  sentence its list has only the translation.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from tolka.corpus import read_pairs
from tolka.decode import words_of
from tolka.evaluate import Bleu, Gtm, collect_statistics
from tolka.translate.multitree import TreeTranslator

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tolka.multitree import MultitreeTranslator
    from tolka.multitree.translation import TreeTranslation
    from tolka.syntax import Constituent

MOST_ITEMS = 100_000
"""Of a sentence, in looking for a tree that yields its reference."""
MOST_OPTIONS = 10_000
ROUNDING = 1e-6
Block = tuple[int, int, int, int]
"""From and to in the sentence, from and to in the reference."""


class Text(NamedTuple):
    """Sentences in the model's words, with trees and references."""

    sources: list[list[str]]
    trees: list[Constituent | None]
    references: list[list[str]]

    @classmethod
    def prepared(cls, translator: TreeTranslator, pairs: Sequence[tuple[str, str]]) -> Text:
        """Text as the model sees it."""
        # The words and trees that it searches with, which are nobody else's business elsewhere.
        sources = translator._words([source for source, _ in pairs], 0)  # noqa: SLF001
        wanted = translator._target.prepare([target for _, target in pairs])  # noqa: SLF001
        return cls(sources, translator._trees(sources, 0), [words_of(line) for line in wanted])  # noqa: SLF001


class Scores:
    """F and BLEU of words against the references of a text."""

    def __init__(self, references: Sequence[Sequence[str]]) -> None:
        self.references = [" ".join(words) for words in references]

    def of(self, texts: Sequence[str]) -> dict[str, float]:
        """The scores of a translation of each sentence."""
        metrics = {"f1": Gtm("none", exponent=1.0), "f2": Gtm("none"), "bleu": Bleu(tokeniser="none")}
        found = {
            name: collect_statistics(metric, [texts], [self.references])[0].score for name, metric in metrics.items()
        }
        return {name: round(score, 3) for name, score in found.items()}

    def best(self, lists: Sequence[Sequence[str]], *, by: Gtm | Bleu) -> list[str]:
        """Of each sentence's translations the best by itself; of equals the first."""
        flat = [text for texts in lists for text in texts]
        wanted = [line for line, texts in zip(self.references, lists, strict=True) for _ in texts]
        scores = collect_statistics(by, [flat], [wanted])[0].segments
        ends = np.cumsum([len(texts) for texts in lists])
        return [texts[int(np.argmax(own))] for texts, own in zip(lists, np.split(scores, ends[:-1]), strict=True)]


class Lexicon:
    """What a model's pairs of phrases offer to sentences."""

    def __init__(self, model: MultitreeTranslator, sentences: Sequence[Sequence[str]]) -> None:
        self._native, self._symbols = model._native, model._symbols.copy()  # noqa: SLF001 - nobody else asks for pairs
        self._longest = model.settings.longest
        self._words = translations_of_words(model, sorted({word for words in sentences for word in words}))

    def offers(self, source: Sequence[str], reference: Sequence[str]) -> tuple[list[Block], set[int]]:
        """Pairs of phrases of a sentence and its reference, and the reference words that are offered in any way."""
        left, right = ([self._symbols.number(word) for word in words] for words in (source, reference))
        blocks = [
            (i, j, k, end)
            for i in range(len(left))
            for j in range(i + 1, min(i + self._longest[0], len(left)) + 1)
            for k in range(len(right))
            for end in range(k + 1, min(k + self._longest[1], len(right)) + 1)
            if self._native.has_pair(left[i:j], right[k:end])
            # What no pair translates is copied.
            or (j == i + 1 and end == k + 1 and source[i] == reference[k] and self._words[source[i]] == {(source[i],)})
        ]
        single = {word for own in source for phrase in self._words[own] for word in phrase}
        offered = {place for place, word in enumerate(reference) if word in single}
        return blocks, offered.union(*(range(k, end) for _, _, k, end in blocks))


def translations_of_words(model: MultitreeTranslator, words: Sequence[str]) -> dict[str, set[tuple[str, ...]]]:
    """All translations of single words that a model offers."""
    before = {name: getattr(model.settings, name) for name in ("beam", "options", "threshold")}
    sentences = [[word] for word in words]
    model.searching(beam=None, options=None, threshold=None)
    try:
        found = listed(model, sentences, [None] * len(sentences), MOST_OPTIONS)
    finally:
        model.searching(**before)
    return {word: {tuple(text.split()) for text in texts} for word, texts in zip(words, found, strict=True)}


def listed(
    model: MultitreeTranslator, sentences: Sequence[Sequence[str]], trees: Sequence[Constituent | None], most: int
) -> list[list[str]]:
    """Up to so many different translations of each sentence, best first; none where no tree covers it."""
    if model.settings.weights is not None:
        found = model.proposals(sentences, trees, most=most)
        return [list(dict.fromkeys(one.words for one in own)) for own in found]
    semiring = model.settings.semiring
    return [
        [] if forest is None else [" ".join(one.target) for one in forest.kbest(most, unique=True, semiring=semiring)]
        for forest in model.forests(sentences, trees)
    ]


def is_derivable(blocks: Iterable[Block], goal: Block) -> bool | None:
    """Whether a binary tree that joins neighbouring blocks, in order or inverted, covers all; None if there are too many."""
    known = set(blocks)
    agenda = list(known)
    # By the corners at which blocks touch: where they begin or end in both texts.
    corners: list[dict[tuple[int, int], list[Block]]] = [{} for _ in range(4)]
    while agenda:
        if goal in known:
            return True
        if len(known) > MOST_ITEMS:
            return None
        i, j, k, end = block = agenda.pop()
        own = ((i, k), (j, end), (i, end), (j, k))
        for index, corner in zip(corners, own, strict=True):
            index.setdefault(corner, []).append(block)
        begins, ends, upper, lower = corners
        made = [(i, other[1], k, other[3]) for other in begins.get((j, end), ())]
        made += [(other[0], j, other[2], end) for other in ends.get((i, k), ())]
        made += [(i, other[1], other[2], end) for other in upper.get((j, k), ())]
        made += [(other[0], j, k, other[3]) for other in lower.get((i, end), ())]
        fresh = [one for one in dict.fromkeys(made) if one not in known]
        known.update(fresh)
        agenda += fresh
    return goal in known


def lexicon(model: MultitreeTranslator, text: Text) -> dict[str, Any]:
    known = Lexicon(model, text.sources)
    words = sum(map(len, text.references))
    offered, decided = 0, []
    for source, reference in zip(text.sources, text.references, strict=True):
        blocks, places = known.offers(source, reference)
        offered += len(places)
        whole = len(places) == len(reference)
        decided.append(is_derivable(blocks, (0, len(source), 0, len(reference))) if whole else False)
    return {
        "offered": round(offered / words, 4),
        "bag_f1": round(200 * offered / (offered + words), 3),
        "derivable": round(sum(one is True for one in decided) / len(decided), 4),
        "undecided": round(sum(one is None for one in decided) / len(decided), 4),
    }


def search(
    model: MultitreeTranslator, text: Text, found: Sequence[TreeTranslation], scores: Scores, wider: int
) -> dict[str, Any]:
    beam = model.settings.beam
    if beam is None:
        return {"beam": None}
    model.searching(beam=wider * beam)
    try:
        others = model.translate(text.sources, text.trees)
    finally:
        model.searching(beam=beam)
    sums = model.settings.semiring == "viterbi"
    apart = [cheaper(other, one, sums=sums) for one, other in zip(found, others, strict=True)]
    before, after = (scores.of([str(one) for one in some]) for some in (found, others))
    return {
        "beam": [beam, wider * beam],
        "scored": round(sum(one.scored for one in others) / max(sum(one.scored for one in found), 1), 3),
        "lower": round(sum(one > 0 for one in apart) / len(apart), 4),
        "higher": round(sum(one < 0 for one in apart) / len(apart), 4),
        "changed": round(sum(str(a) != str(b) for a, b in zip(found, others, strict=True)) / len(apart), 4),
        **{name: round(after[name] - before[name], 3) for name in ("f2", "bleu")},
    }


def cheaper(one: TreeTranslation, other: TreeTranslation, *, sums: bool) -> int:
    """1 if the first costs less, -1 if it costs more; one that covers the sentence is better than one that does not."""
    if one.complete != other.complete:
        return 1 if one.complete else -1
    if sums:
        apart = sum(other.costs) - sum(one.costs)
        return 0 if abs(apart) <= ROUNDING else 1 if apart > 0 else -1
    # Worst first, and what begins another one is the better: as tuples are compared.
    return (one.costs < other.costs) - (one.costs > other.costs)


def labels(model: MultitreeTranslator, text: Text, scores: Scores) -> dict[str, Any]:
    def known(of: Literal["all", "pairs", "joins"]) -> dict[str, float]:
        found = model.translate_knowing(text.sources, text.references, text.trees, knowing=of)
        return scores.of([str(one) for one in found])

    alone = model.settings.weights is None
    return {**known("all"), **({"pairs": known("pairs"), "joins": known("joins")} if alone else {})}


def best_of_lists(
    model: MultitreeTranslator, text: Text, found: Sequence[TreeTranslation], scores: Scores, most: int
) -> dict[str, Any]:
    lists = [
        list(dict.fromkeys((str(one), *own)))
        for one, own in zip(found, listed(model, text.sources, text.trees, most), strict=True)
    ]
    first = scores.of([texts[0] for texts in lists])
    by_f = scores.of(scores.best(lists, by=Gtm("none")))
    by_bleu = scores.of(scores.best(lists, by=Bleu(tokeniser="none", smoothing="add-k", value=1.0)))
    return {
        "size": round(sum(map(len, lists)) / len(lists), 1),
        **{name: by_f[name] for name in ("f2", "bleu")},
        "bleu_by_bleu": by_bleu["bleu"],
        "room": {
            "f2": round(by_f["f2"] - first["f2"], 3),
            "bleu": round(max(by_f["bleu"], by_bleu["bleu"]) - first["bleu"], 3),
        },
    }


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Those of whoever looks into a model: which one, and on which text."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--sentences", type=int, help="so many from all over the text, at most")
    return parser


def opened(options: argparse.Namespace) -> tuple[MultitreeTranslator, Text]:
    """The model and the text that were asked for."""
    pairs = [pair for pair in read_pairs(options.source, options.reference) if pair[0].strip() and pair[1].strip()]
    most = min(len(pairs), options.sentences or len(pairs))
    if not most:
        raise SystemExit("learn: there is no sentence with a translation")
    translator = TreeTranslator.load(options.model)
    return translator.model, Text.prepared(translator, [pairs[at * len(pairs) // most] for at in range(most)])


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--wider", type=int, default=4, help="times the beam")
    parser.add_argument("--nbest", type=int, default=100)
    options = parser.parse_args()
    model, text = opened(options)
    most, scores = len(text.sources), Scores(text.references)
    found = model.translate(text.sources, text.trees)
    line = {
        "bench": "learn oracles",
        "model": options.model.resolve().name,
        "sentences": most,
        **scores.of([str(one) for one in found]),
        "incomplete": round(sum(not one.complete for one in found) / most, 4),
        "limited": round(sum(one.limited for one in found) / most, 4),
        "lexicon": lexicon(model, text),
        "search": search(model, text, found, scores, options.wider),
        "labels": labels(model, text, scores),
        "list": best_of_lists(model, text, found, scores, options.nbest),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
