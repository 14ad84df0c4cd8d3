"""A dialogue that is small enough to be checked by hand: a belief over readings that are listed one by one.

A reading has a probability, a result, and either the sentences it can be rewritten as or, for words, how likely each word
would be chosen by who reads it so. Every pair of readings is told apart by some question or by none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from tolka.assist.dialogue import Effect, Question, fitting_answer
from tolka.errors import InputError

SAME_IF_TRUE, SAME_IF_FALSE = 0.9, 0.25


def entropy(values) -> float:
    return -sum(one * math.log(one) for one in values if one > 0)


@dataclass
class Reading:
    probability: float
    result: str
    rewrites: tuple[str, ...]


class ReadingDialogue:
    """Asks of each group of sentences whether they mean the same; see `tolka.assist.Dialogue`."""

    def __init__(self, material, trust) -> None:
        self.text = material["text"]
        self.readings = [Reading(p, result, tuple(rewrites)) for p, result, rewrites in material["readings"]]
        self.groups = [tuple(one) for one in material["groups"]]
        self.words = material.get("words")  # focus and two words: asked about in another way
        self.trust = trust
        self.asked: list[Effect] = []
        self._normalise()

    @property
    def question(self):
        found = []
        for group in self.groups:
            asked = Question.ask("rewrite", self.text, group)
            if not any(asked.id == one.question.id for one in self.asked):
                cells: dict[tuple[bool, ...], float] = {}
                for one in self.readings:
                    cell = tuple(text in one.rewrites for text in group)
                    cells[cell] = cells.get(cell, 0.0) + one.probability
                found.append(Question.ask("rewrite", self.text, group, information=max(entropy(cells.values()), 0.0)))
        if self.words is not None:
            focus, pair = self.words
            asked = Question.ask("substitute", self.text, pair, focus=tuple(focus))
            if not any(asked.id == one.question.id for one in self.asked):
                masses = [sum(one.probability for one in self.readings if word in one.rewrites) for word in pair]
                found.append(
                    Question.ask(
                        "substitute", self.text, pair, focus=tuple(focus), information=max(entropy(masses), 0.0)
                    )
                )
        found = [one for one in found if one.information > 0]
        return max(found, key=lambda one: one.information, default=None)

    def answer(self, question_id, answer, *, by=""):
        asked = self.question
        given = fitting_answer(asked, question_id, answer)
        before, surprise = self.result, entropy(one.probability for one in self.readings)
        if asked.kind == "substitute":
            pairs = [] if given is None else [(asked.choices[given], True), (asked.choices[1 - given], False)]
        else:
            pairs = [(text, said) for text, said in zip(asked.choices, given, strict=True) if said is not None]
        weight = 1.0 if self.trust(by) is None else max(2 * self.trust(by) - 1, 0.0)
        for text, said in pairs:
            for one in self.readings:
                same = SAME_IF_TRUE if text in one.rewrites else SAME_IF_FALSE
                one.probability *= weight * (same if said else 1 - same) + (1 - weight) * 0.5
        self._normalise()
        gained = surprise - entropy(one.probability for one in self.readings)
        self.asked.append(Effect(asked, given, before, self.result, by, gained))

    @property
    def result(self):
        return max(self.readings, key=lambda one: one.probability).result

    def account(self):
        return tuple(self.asked)

    def _normalise(self):
        total = sum(one.probability for one in self.readings)
        for one in self.readings:
            one.probability /= total


def material(text, readings, groups=None, words=None):
    """The material of a sentence; each pair of readings is asked about unless groups are given."""
    if groups is None:
        groups = [list(dict.fromkeys((*one[2], *other[2]))) for one, other in combinations(readings, 2)]
    return {"text": text, "readings": readings, "groups": groups, "words": words}


class ReadingTask:
    """Every sentence has two attachments, and how sure the first one is depends on its length.

    The first or last word says how it is asked about: `apart` (one sentence at a time), `word`, or else all at once.
    """

    name = "readings"

    def prepare(self, sentence):
        words = sentence.split(" ")
        if words[0] == "unreadable":
            raise InputError("no reading was found")
        sure = 0.5 + 0.4 * (len(words) % 7) / 7
        high, low = f"{sentence} , the first rewriting", f"{sentence} , the second rewriting"
        if "word" in {words[0], words[-1]}:
            return material(
                sentence,
                [(sure, f"(HIGH {sentence})", [high]), (1 - sure, f"(LOW {sentence})", [low])],
                groups=[],
                words=((0, 1), (high, low)),
            )
        return material(
            sentence,
            [
                (sure, f"(HIGH {sentence})", [high]),
                ((1 - sure) * 0.6, f"(LOW {sentence})", [low]),
                ((1 - sure) * 0.4, f"(BOTH {sentence})", [high, low]),
            ],
            groups=[[high], [low]] if "apart" in {words[0], words[-1]} else [[high, low]],
        )

    def dialogue(self, material, trust):
        return ReadingDialogue(material, trust)
