"""What a task must say of itself for a policy to learn it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Example_contra = TypeVar("Example_contra", contravariant=True)
State = TypeVar("State")
Action = TypeVar("Action")


class Task(Protocol[Example_contra, State, Action]):
    """Something that is done step by step, and is good or not in the end.

    The same steps must lead to the same actions in the same order, as paths are gone again from their start. If a task also
    has a method `expert`, see `Expert`, policies can learn from it.
    """

    def start(self, example: Example_contra, /) -> State:
        """The first state of an example."""
        ...

    def actions(self, state: State, /) -> Sequence[Action]:
        """What can be done in a state; nothing in the end. Of equally good actions the first is taken."""
        ...

    def features(self, state: State, action: Action, /) -> Mapping[str, float]:
        """What a policy sees of an action; what it does not see weighs nothing."""
        ...

    def step(self, state: State, action: Action, /) -> State:
        """The state that an action leads to."""
        ...

    def reward(self, example: Example_contra, state: State, /) -> float:
        """How good an end is: any finite number, and more is better. Only asked while learning."""
        ...


@runtime_checkable
class Expert(Protocol):
    """A task that knows what is right to do, at least sometimes."""

    def expert(self, example: object, state: object, /) -> object:
        """One of the actions that are right in a state; None if that is not known."""
        ...
