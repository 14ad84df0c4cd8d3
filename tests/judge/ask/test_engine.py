"""The question engine with a belief that has nothing to do with ranking, and with one that has."""

import numpy as np
import pytest

from tolka.errors import SettingsError
from tolka.judge import Choice
from tolka.judge.ask import Budget, Interview, LittleToLearn, MostInformation, PairBelief, choose, strategy_named
from tolka.judge.ask.information import binary_entropy


class Suspects:
    """Which hypothesis is true? Questions are sets of hypotheses, answered by "is it one of these?"."""

    def __init__(self, chances, questions):
        self.chances = np.array(chances)
        self.sets = [frozenset(one) for one in questions]

    def questions(self):
        return self.sets

    def information(self):
        return binary_entropy(np.array([sum(self.chances[at] for at in one) for one in self.sets]))

    def update(self, question, answer):
        inside = np.array([at in question for at in range(len(self.chances))])
        self.chances = np.where(inside == answer, self.chances, 0.0)
        self.chances = self.chances / self.chances.sum()


def test_four_parses():
    """The parse example of the specification, 9.9: three questions and their entropies."""
    belief = Suspects([0.4, 0.3, 0.2, 0.1], [{0, 1}, {0}, {0, 2}])
    assert belief.information() == pytest.approx([0.610864, 0.673012, 0.673012], abs=1e-6)
    chosen = choose(belief, MostInformation(), 3, rng=np.random.default_rng(0))
    assert chosen[-1] == {0, 1}  # without imagination the rest of a batch is the next best, never the same again
    assert len(set(chosen)) == 3


def test_any_belief_can_be_asked():
    questions = [{at for at in range(16) if at >> bit & 1} for bit in range(4)] + [{at} for at in range(16)]
    for truth in range(16):
        belief = Suspects(np.full(16, 1 / 16), questions)
        interview = Interview(belief, stop=[LittleToLearn(1e-9)], seed=truth)
        interview.run(lambda question, truth=truth: truth in question)
        # Halving finds one of sixteen by four questions; the sixteen others would have taken up to fifteen.
        assert len(interview.steps_) == 4
        assert belief.chances[truth] == pytest.approx(1)
        assert interview.stopped_ == "no question tells more than 1e-09 nats"


def test_random_questions_work_with_any_belief():
    belief = Suspects([0.5, 0.5], [{0}, {1}])
    asked = Interview(belief, strategy=strategy_named("random"), stop=[Budget(5)], seed=3).run(lambda q: 0 in q)
    assert len(asked.steps_) == 5


def test_what_cannot_be_answered_is_put_aside():
    belief = Suspects([0.4, 0.3, 0.2, 0.1], [{0, 1}, {0}, {0, 2}])
    asked = []

    def judge(question):
        asked.append(question)

    interview = Interview(belief).run(judge)
    assert len(asked) == 3
    assert interview.stopped_ == "no question is left"
    assert not interview.steps_


def test_explore_asks_anything():
    belief = Suspects([0.97, 0.01, 0.01, 0.01], [{0, 1}, {1}, {2}, {3}])
    rng = np.random.default_rng(0)
    always = {choose(belief, MostInformation(), rng=rng)[0] for _ in range(20)}
    assert len(always) == 1
    assert {choose(belief, MostInformation(), rng=rng, explore=1.0)[0] for _ in range(60)} == set(belief.questions())


def test_same_seed_same_questions():
    def run(seed):
        belief = PairBelief("abcdef")
        judge = np.random.default_rng(5)
        interview = Interview(belief, stop=[Budget(40)], batch=3, explore=0.2, seed=seed)
        return interview.run(lambda _: Choice.LEFT if judge.random() < 0.5 else Choice.RIGHT).steps_

    assert run(1) == run(1) != run(2)


@pytest.mark.parametrize("settings", [{"batch": 0}, {"explore": 1.5}])
def test_impossible_settings(settings):
    with pytest.raises(SettingsError):
        Interview(PairBelief("ab"), **settings)
