"""What somebody sees and says; choices are shown in an order of their own, so that none is chosen for where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tolka.assist.dialogue import Answer


@dataclass(frozen=True)
class Given:
    """What somebody answered, in the order in which it was shown to them.

    Attributes:
        said: Of each sentence whether it means the same, or which word; see `Answer`.
        ticked: The positions of what fits in a blank, if it was one.
        seconds: How long it took, if that was measured.
        version: Of the page that took it.
    """

    said: Answer = None
    ticked: tuple[int, ...] | None = None
    seconds: float | None = None
    version: str = ""


@dataclass(frozen=True)
class Shown:
    """A question as somebody sees it; nothing in it tells whether it is a test question.

    Attributes:
        task: A random name.
        kind: `rewrite`, `substitute` or `blank`.
        text: The sentence; of a blank, with `___` in it.
        focus: The words [begin, end) to emphasise.
        choices: What is chosen from, in the order shown.
    """

    task: str
    kind: Literal["rewrite", "substitute", "blank"]
    text: str
    focus: tuple[int, int] | None
    choices: tuple[str, ...]

    @property
    def options(self) -> tuple[str, ...]:
        """What may stand in a blank."""
        return self.choices


@dataclass(frozen=True)
class View:
    """Somebody's page.

    Attributes:
        shown: The question to answer now; None if there is none.
        answered: How many of their answers stand.
        undoable: The task whose answer they may take back.
        before: What they had answered to this question and took back.
    """

    shown: Shown | None
    answered: int
    undoable: str | None
    before: Given | None = None


def unshuffled(said: Answer, order: list[int]) -> Answer:
    """An answer about choices in the order shown, as one about them in the order in which the dialogue has them."""
    if isinstance(said, tuple):
        return tuple(said[order.index(at)] for at in range(len(order)))
    return None if said is None else order[said]


def shuffled(said: Answer, order: list[int]) -> Answer:
    """The other way round.

    Example:
        >>> unshuffled((True, False, None), [2, 0, 1]), shuffled((False, None, True), [2, 0, 1])
        ((False, None, True), (True, False, None))
    """
    if isinstance(said, tuple):
        return tuple(said[at] for at in order)
    return None if said is None else order.index(said)
