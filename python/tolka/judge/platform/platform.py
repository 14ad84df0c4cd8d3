"""Where people are found: one interface for Mechanical Turk, for a page of one's own, and for made-up people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.judge.platform.kinds import Body, KindName


@dataclass(frozen=True)
class Order:
    """A question to be answered by so many people.

    Attributes:
        id: Its name, which says nothing of what it compares.
        kind: compare, substitute or rewrite.
        body: What is asked.
        wanted: Answers wanted, each by someone else.
        about: What the house knows of it and nobody else: which items stand left and right, for instance.
    """

    id: str
    kind: KindName
    body: Body
    wanted: int = 1
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Submission:
    """What someone handed in; nothing of it is believed yet.

    Attributes:
        id: The platform's name of it, by which it is accepted or refused.
        order: Which question it says it answers.
        worker: Who handed it in.
        answer: What was answered, as JSON.
        seconds: How long it took, if that is known.
        at: When it came, in ISO 8601; empty if it is not known.
    """

    id: str
    order: str
    worker: str
    answer: Mapping[str, Any]
    seconds: float | None = None
    at: str = ""


class Platform(Protocol):
    """A place where people answer questions.

    What a platform promises: a person gets an order once at most; what someone took and did not hand in in time goes to
    others; `collect` gives every submission with the same id however often it is asked.
    """

    def publish(self, orders: Sequence[Order]) -> None:
        """Put orders before people; an order that was published before wants that many answers more."""
        ...

    def collect(self) -> list[Submission]:
        """Everything that was handed in so far, in the order in which it came."""
        ...

    def outstanding(self) -> dict[str, int]:
        """By order, how many answers were asked for and not handed in yet."""
        ...

    def approve(self, submissions: Sequence[str]) -> None:
        """Accept submissions, which are paid for."""
        ...

    def reject(self, submissions: Mapping[str, str]) -> None:
        """Refuse submissions, each with a reason that its worker reads."""
        ...

    def pay(self, worker: str, amount: float, reason: str) -> None:
        """Pay someone more than the price of their answers."""
        ...

    def block(self, worker: str, reason: str) -> None:
        """Give someone no more questions."""
        ...
