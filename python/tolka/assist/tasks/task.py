"""What a kind of task makes of a sentence: the material that is kept, and from it the sentence's dialogue.

A task is registered under the name that `tolka assist init --task` takes. Making material may need models; a dialogue
needs nothing but its material, so that a page can be served where the models are not.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from tolka.assist.dialogue import Dialogue

Material = dict[str, Any]
"""What a sentence's dialogue is made from, as JSON has it."""

Trust = Callable[[str], float | None]
"""How often somebody (the `by` of an answer) is right; None where that is not known."""


class Task(Protocol):
    """A kind of task."""

    @property
    def name(self) -> str:
        """What it is called in settings."""

    def prepare(self, sentence: str) -> Material:
        """What is kept of a sentence.

        Raises:
            InputError: Nothing can be made of it (it cannot be parsed, say).
        """

    def dialogue(self, material: Material, trust: Trust) -> Dialogue:
        """The sentence's conversation at its beginning.

        Args:
            material: What `prepare` made.
            trust: Asked at every answer, for whoever gave it.
        """


_TASKS: dict[str, str] = {
    "parse": "tolka.assist.tasks.parse:ParseTask",
    "senses": "tolka.assist.tasks.senses:SenseTask",
}


def register(name: str, place: str) -> None:
    """Let there be a task of this name.

    Its class is called without arguments for dialogues. A task that needs models to prepare sentences has a class method
    `load`, which takes them by name and returns one that can, and says in `needs` and `takes` which models that are.

    Args:
        name: The name.
        place: Its class, as `module:name`; it is imported when it is wanted.
    """
    _TASKS[name] = place


def task_names() -> tuple[str, ...]:
    """The names there are.

    Example:
        >>> "parse" in task_names()
        True
    """
    return tuple(_TASKS)


def task_named(name: str) -> Task:
    """The task of a name, which can make dialogues and, without its models, no material.

    Raises:
        SettingsError: There is none.
    """
    if name not in _TASKS:
        raise SettingsError(f"there is no task {name!r}", hint=f"use one of {', '.join(_TASKS)}")
    module, _, attribute = _TASKS[name].partition(":")
    found: Task = getattr(import_module(module), attribute)()
    return found
