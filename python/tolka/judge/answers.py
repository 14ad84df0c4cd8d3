"""What judges said: the one currency of this room.

Every reader makes answers, the web page stores them, the question engine asks for more of them, and ranking counts
them. An answer is never changed and never thrown away; what a policy leaves out of a fit is reported there.

Example:
    >>> Answer("sys-a", "sys-b", judge="anna", segment="17").winner
    'sys-a'
    >>> Answer("sys-a", "sys-b", choice=Choice.TIE).winner is None
    True
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Choice(StrEnum):
    """What was chosen of the two sides shown."""

    LEFT = "left"
    RIGHT = "right"
    TIE = "tie"  # "both are equally good": only imported data has it, the page forces a choice
    UNDECIDED = "undecided"  # "cannot decide"


@dataclass(frozen=True, slots=True)
class Answer:
    """One judge's answer to "which of these two is better?".

    Attributes:
        left: The item that stood on the left, or first; empty for a test question that is about no items.
        right: The item that stood on the right, or second.
        choice: What was chosen; the left one if nothing is said, as in a list of (better, worse) pairs.
        judge: Who answered; empty if it is not known.
        segment: Which sentence or document was shown; empty if it is not known.
        sided: Whether left and right are known to be where the items stood; position bias is learnt from these alone.
        seconds: How long the answer took, or None if it was not measured.
        at: When it was given, in ISO 8601 with a time zone; empty if it is not known.
        test: For a test question, the side known to be right; None for a real question.
        weight: How many such answers this one stands for.
    """

    left: str
    right: str
    choice: Choice = Choice.LEFT
    judge: str = ""
    segment: str = ""
    sided: bool = False
    seconds: float | None = None
    at: str = ""
    test: Choice | None = None
    weight: float = 1.0

    @property
    def winner(self) -> str | None:
        """The item chosen, or None for a tie."""
        return {Choice.LEFT: self.left, Choice.RIGHT: self.right}.get(self.choice)

    @property
    def loser(self) -> str | None:
        """The item not chosen, or None for a tie."""
        return {Choice.LEFT: self.right, Choice.RIGHT: self.left}.get(self.choice)
