"""Policies for tasks of one's own, learnt from how good their ends are."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from tolka import _engine
from tolka.errors import FormatError, InputError, SettingsError
from tolka.files.container import Container, write_container
from tolka.learn.checkpoint import Checkpoint, key_of
from tolka.learn.learning import Epoch, PolicyLearning
from tolka.learn.task import Action, Expert, State, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike

Example = TypeVar("Example")

MOST_STEPS = 10_000
"""After so many steps a task without an end is given up."""

_KIND = "policy"


@dataclass(frozen=True)
class Policy(Generic[Example, State, Action]):
    """What to do in each state of a task: the action whose features weigh most.

    Attributes:
        task: What it acts in.
        weights: Of features by name; others weigh nothing.
        epochs: What came of each pass that was made now; none for a policy from a file.
        learning: How it was learnt, if it was.
        most_steps: How long a path may be.
    """

    task: Task[Example, State, Action]
    weights: Mapping[str, float]
    epochs: tuple[Epoch, ...] = ()
    learning: PolicyLearning | None = None
    most_steps: int = MOST_STEPS

    def __post_init__(self) -> None:
        if self.most_steps < 1:
            raise SettingsError("a path has one step or more", hint="use 1 or more")
        wrong = next((name for name, weight in self.weights.items() if not isfinite(weight)), None)
        if wrong is not None:
            raise InputError(f"the weight of {wrong!r} is {self.weights[wrong]}", hint="weights are finite numbers")

    def run(self, example: Example) -> State:
        """The end that the policy comes to.

        Raises:
            InputError: Features that are no numbers.
            LimitError: There is no end.
        """
        end: State = self._native.run(self.task, example, most_steps=self.most_steps)
        return end

    def act(self, state: State) -> Action | None:
        """What the policy does in a state; None in the end.

        Raises:
            InputError: Features that are no numbers.
        """
        action: Action | None = self._native.act(self.task, state)
        return action

    def save(self, path: str | PathLike[str]) -> None:
        """Write the weights and how they were learnt to a file, but not the task.

        Raises:
            FileError: The file cannot be written.
        """
        note = {"learning": self.learning and asdict(self.learning), "most_steps": self.most_steps}
        sections: dict[str, Any] = {
            "note": json.dumps(note).encode(),
            "names": json.dumps(list(self.weights)).encode(),
            "weights": np.array(list(self.weights.values()), np.float64),
        }
        write_container(Path(path), _KIND, sections)

    @classmethod
    def load(cls, path: str | PathLike[str], task: Task[Example, State, Action]) -> Policy[Example, State, Action]:
        """Read a policy that was saved, for the same task.

        Raises:
            FileError: The file cannot be read.
            FormatError: It is damaged, or no policy.
        """
        container = Container.open(Path(path), _KIND)
        try:
            note = json.loads(container.bytes("note"))
            names = json.loads(container.bytes("names"))
            weights = dict(zip(names, container.array("weights").tolist(), strict=True))
            learning = None if note["learning"] is None else PolicyLearning(**note["learning"])
            return cls(task, weights, (), learning, int(note["most_steps"]))
        except (ValueError, KeyError, TypeError, InputError, SettingsError) as error:
            raise FormatError("the policy is damaged", path=path, hint="learn it anew") from error

    @cached_property
    def _native(self) -> _engine.TaskPolicy:
        return _engine.TaskPolicy(list(self.weights.items()))


def learn_policy(
    task: Task[Example, State, Action],
    examples: Sequence[Example],
    *,
    learning: PolicyLearning | None = None,
    weights: Mapping[str, float] | None = None,
    checkpoint: str | PathLike[str] | None = None,
    told: Callable[[Epoch], bool] | None = None,
    most_steps: int = MOST_STEPS,
) -> Policy[Example, State, Action]:
    """Learn what to do in a task from nothing but how good the end is (discriminative reinforcement learning).

    Args:
        task: What is to be done.
        examples: Of it.
        learning: How.
        weights: What features weigh in the beginning; others nothing.
        checkpoint: A file that has all there is to know after each epoch. If it is there, learning goes on from it.
        told: Is called after each epoch; learning ends when it returns False.
        most_steps: How long a path may be; a task that goes on is without end.

    Returns:
        The policy, with weights that are an average over all that was learnt.

    Raises:
        InputError: No examples, nothing to choose, features or rewards that are no finite numbers.
        LimitError: A path without end.
        SettingsError: Values that make no sense, a checkpoint of other settings or examples.
        FormatError: A damaged checkpoint.

    Example:
        >>> class Letters:
        ...     def start(self, example): return ""
        ...     def actions(self, state): return "abc" if len(state) < 3 else ""
        ...     def features(self, state, action): return {f"{action} after {len(state)}": 1.0}
        ...     def step(self, state, action): return state + action
        ...     def reward(self, example, state): return state.count(example)
        >>> policy = learn_policy(Letters(), ["b"] * 9)
        >>> policy.run("b"), policy.act("bb"), policy.act("bbb")
        ('bbb', 'b', None)
    """
    how = learning or PolicyLearning()
    how.check()
    _check(task, how)
    if not examples:
        raise InputError("there are no examples to learn from")
    begin = Policy(task, dict(weights or {}), (), how, most_steps)
    key = key_of([how.native(), dict(begin.weights), _said(task), [repr(example) for example in examples]])
    kept = None if checkpoint is None else Checkpoint(Path(checkpoint), key, None)
    first, state = (0, None) if kept is None else kept.read()
    state = state or _fresh(begin.weights)
    found = _weights(how, state)
    epochs: list[Epoch] = []

    def after(number: int, counts: tuple[int, int, int, float], state: dict[str, Any]) -> bool:
        nonlocal found
        tries, tried, better, reward = counts
        if not tried:
            hint = "let actions(state) list several for some states"
            raise InputError(
                "no state of any example has more than one action, so that nothing can be learnt", hint=hint
            )
        found = _weights(how, state)
        if kept is not None:
            kept.write(number + 1, state)
        epochs.append(Epoch(number, reward / tries, tried, better, found))
        return told is None or bool(told(epochs[-1]))

    if first < how.epochs:
        _engine.learn_task(
            task,
            list(examples),
            learning=how.native(),
            state=state,
            first=first,
            epochs=how.epochs,
            most_steps=most_steps,
            told=after,
        )
    return Policy(task, found, tuple(epochs), how, most_steps)


def _check(task: object, how: PolicyLearning) -> None:
    other = how.native().keys() - {field.name for field in fields(PolicyLearning)}
    if other:
        raise SettingsError(f"{' and '.join(sorted(other))} are settings of translation", hint="use PolicyLearning")
    if (how.method == "guided" or how.expert > 0) and not isinstance(task, Expert):
        raise SettingsError("the task has no expert to learn from", hint="give it a method expert(example, state)")


def _said(task: object) -> str:
    """The task in words; where an object stands in memory says nothing of it."""
    kind = type(task)
    return f"{kind.__module__}.{kind.__qualname__}" if kind.__repr__ is object.__repr__ else repr(task)


def _fresh(weights: Mapping[str, float]) -> dict[str, Any]:
    """A learner that has seen nothing."""
    values = np.array(list(weights.values()), np.float64)
    none = np.zeros_like(values)
    arrays = {"weights": values, "average": values, "moved": none, "squares": none, "rates": np.ones_like(values)}
    return {"names": list(weights), "count": 1.0, **arrays}


def _weights(how: PolicyLearning, state: dict[str, Any]) -> dict[str, float]:
    each = zip(state["names"], how.wanted(state), strict=True)
    return {name: weight for name, weight in each if weight}
