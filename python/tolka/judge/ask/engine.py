"""The question engine: a belief, the questions that may be asked, what each would tell, and the loop that asks.

Nothing here knows what is asked about. A belief over scores of items asks "which of these two is better?"; a belief
over the parses or the senses of a sentence asks something else through the same three methods (Mohammad 2012 uses one
criterion, the expected fall of entropy, for all three).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import NDArray

Q = TypeVar("Q", bound="Hashable")
A = TypeVar("A")
A_contra = TypeVar("A_contra", contravariant=True)
B_contra = TypeVar("B_contra", contravariant=True)
Q_contra = TypeVar("Q_contra", contravariant=True)


class Belief(Protocol[Q, A_contra]):
    """What is believed, and what may be asked about it."""

    def questions(self) -> Sequence[Q]:
        """Every question that may be asked, in a fixed order."""

    def information(self) -> NDArray[np.float64]:
        """What the answer to each question is expected to tell, in nats, in the order of `questions`."""

    def update(self, question: Q, answer: A_contra) -> None:
        """Learn from an answer."""


@runtime_checkable
class Imagining(Protocol[Q_contra]):
    """A belief that can be asked what it would be once a question has been answered, however it is answered."""

    def imagine(self, question: Q_contra) -> Any:
        """A belief that counts the question as answered, for the choice of what to ask beside it."""


@runtime_checkable
class Designed(Protocol):
    """A belief whose intervals depend on how its questions are chosen."""

    def chosen_by(self, strategy: str, *, explore: float, batch: int, stopping: bool) -> None:
        """Note how."""


class Strategy(Protocol[B_contra]):
    """A way to choose: it gives each question a value, and the highest is asked."""

    @property
    def name(self) -> str:
        """What it is called."""

    def values(self, belief: B_contra, rng: np.random.Generator) -> NDArray[np.float64]:
        """The value of each question, in the order of the belief's `questions`."""


class Rule(Protocol[B_contra]):
    """A reason to stop."""

    def reason(self, belief: B_contra, asked: int) -> str | None:
        """Why to stop after so many answers, or None to go on."""


class MostInformation:
    """Ask what is expected to tell most: the criterion of Mohammad 2012, section 3.3.1."""

    name = "information"

    def values(self, belief: Belief[Any, Any], rng: np.random.Generator) -> NDArray[np.float64]:  # noqa: ARG002
        """The expected information of each question."""
        return belief.information()


class AnyQuestion:
    """Ask anything: every question is as likely as every other."""

    name = "random"

    def values(self, belief: Belief[Any, Any], rng: np.random.Generator) -> NDArray[np.float64]:
        """A random number for each question."""
        return rng.random(len(belief.questions()))


@dataclass(frozen=True)
class Step(Generic[Q, A]):
    """One question, and what was answered."""

    question: Q
    answer: A


class Interview(Generic[Q, A]):
    """Asks questions until a rule says that it is enough.

    Args:
        belief: What is believed at first; it learns from every answer.
        strategy: How to choose; by expected information if nothing is said.
        stop: Rules; the first that gives a reason ends the interview.
        batch: How many questions are chosen at once. Answers to a batch are learnt together, as with several judges.
        explore: The share of questions chosen at random instead. A few keep every part of the belief honest even where
            its model is wrong, as a design that asks only about neighbours does not.
        seed: Of everything random.

    Attributes:
        steps_: The questions and answers so far.
        stopped_: Why the interview ended; empty while it has not.

    Example:
        >>> from tolka.judge.ask import Budget, Interview, PairBelief
        >>> from tolka.judge import Choice
        >>> interview = Interview(PairBelief(["a", "b", "c"]), stop=[Budget(20)], seed=1)
        >>> alphabet = lambda pair: Choice.LEFT if pair.left < pair.right else Choice.RIGHT
        >>> interview.run(alphabet).stopped_
        'the budget of 20 answers is spent'
        >>> [interview.belief.items[at] for at in (-interview.belief.mean).argsort()]
        ['a', 'b', 'c']
    """

    def __init__(
        self,
        belief: Belief[Q, A],
        *,
        strategy: Strategy[Any] | None = None,
        stop: Sequence[Rule[Any]] = (),
        batch: int = 1,
        explore: float = 0.0,
        seed: int = 0,
    ) -> None:
        if batch < 1:
            raise SettingsError(f"a batch has at least one question, not {batch}")
        if not 0 <= explore <= 1:
            raise SettingsError(f"the share of random questions is between 0 and 1, not {explore:g}")
        self.belief = belief
        self.strategy: Strategy[Any] = MostInformation() if strategy is None else strategy
        self.stop = tuple(stop)
        self.batch = batch
        self.explore = explore
        self.steps_: list[Step[Q, A]] = []
        self.stopped_ = ""
        self._rng = np.random.default_rng(seed)
        self._aside: set[Q] = set()
        if isinstance(belief, Designed):
            # A budget is a number fixed beforehand; any other rule looks at the answers.
            looking = any(not getattr(rule, "fixed", False) for rule in self.stop)
            belief.chosen_by(self.strategy.name, explore=explore, batch=batch, stopping=looking)

    def next(self) -> list[Q]:
        """The next questions to ask, most wanted first; none if a rule says stop or nothing is left to ask."""
        for rule in self.stop:
            reason = rule.reason(self.belief, len(self.steps_))
            if reason is not None:
                self.stopped_ = reason
                return []
        chosen = choose(
            self.belief, self.strategy, self.batch, rng=self._rng, explore=self.explore, without=self._aside
        )
        if not chosen:
            self.stopped_ = "no question is left"
        return chosen

    def learn(self, question: Q, answer: A) -> None:
        """Learn from an answer to any question, whether it was chosen here or not."""
        self.belief.update(question, answer)
        self.steps_.append(Step(question, answer))

    def put_aside(self, question: Q) -> None:
        """Do not choose this question again: nobody can answer it."""
        self._aside.add(question)

    def run(self, judge: Callable[[Q], A | None]) -> Interview[Q, A]:
        """Ask until a rule says stop.

        Args:
            judge: Answers a question; with None it says that it cannot, and is not asked that again.
        """
        while questions := self.next():
            answers = [(question, judge(question)) for question in questions]
            for question, answer in answers:
                if answer is None:
                    self.put_aside(question)
                else:
                    self.learn(question, answer)
        return self


def choose(
    belief: Belief[Q, Any],
    strategy: Strategy[Any],
    size: int = 1,
    *,
    rng: np.random.Generator,
    explore: float = 0.0,
    without: set[Q] | None = None,
) -> list[Q]:
    """Choose questions to ask at once.

    The first is the strategy's best. With a belief that can imagine answers, each further one is the best once those
    before it count as answered, so that a batch does not ask the same thing over and over, yet may ask it twice if
    that is what helps; with any other belief it is the next best.

    Equal values are settled at random: they are common at the start, when nothing is known.

    Args:
        belief: What is believed.
        strategy: How to choose.
        size: How many questions.
        rng: The source of everything random.
        explore: The share chosen at random instead.
        without: Questions not to choose.
    """
    questions = belief.questions()
    open_ = np.array([question not in without for question in questions]) if without else np.ones(len(questions), bool)
    chosen: list[Q] = []
    random = AnyQuestion()
    while len(chosen) < size and open_.any():
        lost = explore > 0 and rng.random() < explore
        values = (random if lost else strategy).values(belief, rng)
        best = np.max(values, where=open_, initial=-np.inf)
        # Rounding must not decide between questions that are equal by symmetry.
        ties = np.flatnonzero(open_ & (values >= best - 1e-12 * abs(best)))
        at = int(ties[0] if len(ties) == 1 else rng.choice(ties))
        chosen.append(questions[at])
        if not isinstance(belief, Imagining):
            open_[at] = False
        elif len(chosen) < size:
            belief = belief.imagine(questions[at])
    return chosen
