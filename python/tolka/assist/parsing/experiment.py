"""What people's answers about rewritten sentences are worth: parses before and after, against gold trees.

Sentences share one budget: the most informative question of all sentences comes first, so that a curve against the
number of questions says what each further one is worth. The control asks the same people about questions at random.
"""

from __future__ import annotations

import heapq
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.evaluate import randomised_counts
from tolka.progress import SILENT
from tolka.syntax import bracket_counts, parse_penn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tolka.assist.parsing.dialogue import ParseDialogue
    from tolka.assist.parsing.users import User
    from tolka.progress import Progress
    from tolka.syntax import Constituent


@dataclass(frozen=True)
class Point:
    """A place on the curve: after so many questions, what F1 is and how many trees are others than the parser's."""

    questions: int
    f1: float
    changed: int


@dataclass(frozen=True)
class ParsingSimulation:
    """What answers changed.

    Attributes:
        sentences: How many there are.
        asked_about: How many of them had a question.
        questions: How many questions were asked; a question is one group of rewrites, shown together.
        rewrites: How many rewrites were judged.
        before: Precision, recall and F1 of the parser, as evalb counts.
        after: The same of the trees that the answers speak for.
        p: How often chance alone makes such a difference of F1, by approximate randomisation.
        better: Sentences whose tree has more right after than before, in F1.
        worse: Fewer.
        curve: F1 against questions.
    """

    sentences: int
    asked_about: int
    questions: int
    rewrites: int
    before: dict[str, float]
    after: dict[str, float]
    p: float
    better: int
    worse: int
    curve: tuple[Point, ...]

    def as_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @property
    def error_reduction(self) -> float:
        """The part of the errors that is gone: what F1 gained of what it lacked."""
        lacking = 100 - self.before["f1"]
        return (self.after["f1"] - self.before["f1"]) / lacking if lacking else 0.0


def f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """F1 of rows of sums of right brackets, brackets made, and brackets of the gold trees."""
    return 200 * sums[:, 0] / np.maximum(sums[:, 1] + sums[:, 2], 1)


def simulate_parsing(
    talks: Sequence[Callable[[], ParseDialogue]],
    gold: Sequence[Constituent],
    user: User,
    *,
    questions: int | None = None,
    each: int | None = None,
    pooled: bool = True,
    points: int = 20,
    seed: int = 1,
    progress: Progress = SILENT,
) -> ParsingSimulation:
    """Let someone answer, and compare the trees before and after with gold trees.

    Args:
        talks: Makes the conversation about each sentence.
        gold: The right tree of each.
        user: Who answers.
        questions: How many questions there are for all sentences together; all worth asking if not said.
        each: How many there are for one sentence.
        pooled: The most informative question of all sentences comes first; otherwise sentences come in a random order.
        points: How many points the curve has besides its start.
        seed: Of that order, and of the test.
        progress: Told of sentences.

    Raises:
        InputError: There are no sentences, or not a tree for each.
        SettingsError: A number is negative.
    """
    if len(talks) != len(gold) or not gold:
        raise InputError("each sentence needs its gold tree, and there must be one at least")
    if min(questions or 0, each or 0, seed) < 0 or points < 1:
        raise SettingsError("numbers of questions and the seed must not be negative, and points not 0")
    open_talks: dict[int, ParseDialogue] = {}
    before = np.zeros((len(gold), 3))
    queue: list[tuple[float, int]] = []
    shuffled = np.random.default_rng(seed).permutation(len(gold))
    with progress.task("preparing questions", unit="sentences", total=len(gold)) as advance:
        for at, (make, right) in enumerate(zip(talks, gold, strict=True)):
            talk = make()
            before[at] = bracket_counts(right, parse_penn(talk.result))
            if talk.question is not None:
                open_talks[at] = talk
                queue.append((-talk.question.information if pooled else float(shuffled[at]), at))
            advance(1)
    heapq.heapify(queue)
    asked_about, after = len(queue), before.copy()
    changed: set[int] = set()
    states = [(0, float(f1(after.sum(0)[None])[0]), 0)]
    asked = rewrites = 0
    while queue and (questions is None or asked < questions):
        rank, at = heapq.heappop(queue)
        talk = open_talks[at]
        asking = talk.question
        if asking is None or (each is not None and len(talk.account()) >= each):
            continue
        talk.answer(asking.id, user.judge(at, asking.choices))
        asked, rewrites = asked + 1, rewrites + len(asking.choices)
        if talk.account()[-1].changed:
            after[at] = bracket_counts(gold[at], parse_penn(talk.result))
            (changed.add if talk.result != talk.account()[0].before else changed.discard)(at)
        states.append((asked, float(f1(after.sum(0)[None])[0]), len(changed)))
        if talk.question is not None:
            heapq.heappush(queue, (-talk.question.information if pooled else rank, at))
    places = sorted({round(place) for place in np.linspace(0, asked, min(points, asked) + 1)})
    one, two = f1(before), f1(after)
    return ParsingSimulation(
        len(gold),
        asked_about,
        asked,
        rewrites,
        _figures(before),
        _figures(after),
        randomised_counts(after, before, f1, seed=seed).p,
        int((two > one).sum()),
        int((two < one).sum()),
        tuple(Point(*states[place]) for place in places),
    )


def _figures(counts: NDArray[np.float64]) -> dict[str, float]:
    right, made, wanted = (float(one) for one in counts.sum(0))
    return {
        "precision": 100 * right / max(made, 1),
        "recall": 100 * right / max(wanted, 1),
        "f1": float(f1(counts.sum(0)[None])[0]),
    }
