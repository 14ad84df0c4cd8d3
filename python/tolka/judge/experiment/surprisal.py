"""How much of a text's information can be thrown away before BLEU minds (Mohammad 2012, table 3.1).

A trigram model says how surprising each word is. Every word more surprising than a threshold is replaced by the likeliest
word in its place, so that what is left is what the model could have guessed plus some. Against it stands a control that
replaces words at random until as much information is gone. The thesis prints four points and no protocol; this is ours.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.lm import LanguageModel

THRESHOLDS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, math.inf)
_START, _END = "<s>", "</s>"


@dataclass(frozen=True)
class Point:
    """A text with some of its words replaced, against the text itself.

    Attributes:
        threshold: Words more surprising than this were replaced, in nats.
        kept: The share of words that were not.
        information: The information per word that is left, in nats.
        bleu: BLEU of what is left against the text.
        control: BLEU where words chosen at random were replaced until as much information was gone.
        control_kept: The share of words that the control kept.
    """

    threshold: float
    kept: float
    information: float
    bleu: float
    control: float
    control_kept: float


class Likeliest:
    """The likeliest next word after two others, by an interpolated trigram model.

    With interpolation the likeliest word after two is one that was seen after both, or else the likeliest after the
    second alone; so only words that were seen need asking.

    Args:
        model: The model.
        lines: The text it was trained on.
    """

    def __init__(self, model: LanguageModel, lines: Sequence[str]) -> None:
        self._model = model
        self._after: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for line in lines:
            words = [_START, *line.split()]
            for at in range(1, len(words)):
                self._after[()].add(words[at])
                self._after[words[at - 1],].add(words[at])
                if at > 1:
                    self._after[words[at - 2], words[at - 1]].add(words[at])
        self._known: dict[tuple[str, ...], str] = {}

    def __call__(self, context: tuple[str, ...]) -> str:
        """The likeliest word after at most two others; never the end of the sentence."""
        if context not in self._known:
            seen = self._after.get(context, set())
            candidates = sorted(seen) if not context else sorted({*seen, self(context[1:])})
            state = self._model.state(bos=context[:1] == (_START,))
            for word in context:
                if word != _START:
                    _, state = self._model.score_word(state, word)
            # Of equally likely words the first by name.
            self._known[context] = max(candidates, key=lambda word: self._model.score_word(state, word)[0])
        return self._known[context]


def surprisal_curve(
    training: Sequence[str], text: Sequence[str], *, thresholds: Sequence[float] = THRESHOLDS, seed: int = 1
) -> list[Point]:
    """Replace surprising words, and see what BLEU says.

    Args:
        training: Tokenised lines for the language model.
        text: Tokenised lines of the same language, not among them.
        thresholds: In nats.
        seed: Of the control.
    """
    from tolka.evaluate import evaluate  # noqa: PLC0415 - the other experiments need no metrics
    from tolka.lm import LanguageModel  # noqa: PLC0415

    lines = [line for line in text if line.split()]
    if not lines:
        raise InputError("there is no text to degrade")
    model = LanguageModel.train(training, order=3)
    likeliest = Likeliest(model, training)
    surprise = [[-score.log10 * math.log(10) for score in model.word_scores(line, eos=False)] for line in lines]
    flat = np.concatenate([np.array(line) for line in surprise])
    words = len(flat)
    rng = np.random.default_rng(seed)
    order = rng.permutation(words)
    points = []
    for threshold in thresholds:
        chosen = flat > threshold
        lost = float(flat[chosen].sum())
        # The control: words in a random order until as much information is gone.
        gone = np.cumsum(flat[order])
        control = np.zeros(words, dtype=bool)
        control[order[: int(np.searchsorted(gone, lost, side="right"))]] = True
        texts = [_replaced(lines, mask, likeliest) for mask in (chosen, control)]
        scores = [evaluate(one, lines, ["bleu"], tokenised=True)["bleu"].score for one in texts]
        points.append(
            Point(
                threshold,
                float(1 - chosen.mean()),
                (float(flat.sum()) - lost) / words,
                scores[0],
                scores[1],
                float(1 - control.mean()),
            )
        )
    return points


def _replaced(lines: Sequence[str], mask: np.ndarray, likeliest: Likeliest) -> list[str]:
    """The lines with some words replaced, each by what the words now before it suggest: so nothing lost leaks back."""
    made = []
    at = 0
    for line in lines:
        words = [_START]
        for word in line.split():
            words.append(likeliest(tuple(words[-2:])) if mask[at] else word)
            at += 1
        made.append(" ".join(words[1:]))
    return made
