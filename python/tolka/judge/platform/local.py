"""A page of one's own as a platform: orders become tasks of `tolka.web.tasks`, which leases them to invited people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import create_model
from sqlalchemy import select

from tolka.judge.platform.kinds import ANSWERS, BODIES, KINDS, check_fits
from tolka.judge.platform.platform import Submission
from tolka.web.accounts import Accounts
from tolka.web.tables import stamp
from tolka.web.tasks import Kind, Queue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.judge.platform.platform import Order


def queue_kinds() -> list[Kind]:
    """The kinds of tasks of this platform, for the queue of a page."""
    return [
        Kind(
            name,
            create_model(f"Ordered{BODIES[name].__name__}", order=(str, ...), body=(BODIES[name], ...)),
            ANSWERS[name],
            lambda asked, answer: check_fits(asked.body, answer),
        )
        for name in KINDS
    ]


class LocalPlatform:
    """Invited people on a page of one's own.

    Args:
        queue: The page's queue, made with `queue_kinds()`.
        actor: Who it is that publishes and decides, for the audit log.
    """

    def __init__(self, queue: Queue, *, actor: str = "owner") -> None:
        self.queue = queue
        self.actor = actor

    def publish(self, orders: Sequence[Order]) -> None:
        """See `Platform`; an order published again keeps its place, so that nobody gets it twice."""
        there = self._numbers()
        question = self.queue.question
        for order in orders:
            if order.id in there:
                with self.queue.store.writing() as connection:
                    connection.execute(
                        question.update()
                        .where(question.c.id == there[order.id][0])
                        .values(wanted=question.c.wanted + order.wanted)
                    )
            else:
                body = {"order": order.id, "body": order.body.model_dump(mode="json")}
                self.queue.add(order.kind, body, wanted=order.wanted)

    def collect(self) -> list[Submission]:
        """See `Platform`."""
        return [
            Submission(
                f"{one.question}.{one.by}",
                one.body.order,
                one.by,
                one.answer.model_dump(mode="json"),
                one.seconds,
                one.at,
            )
            for one in self.queue.answers()
        ]

    def outstanding(self) -> dict[str, int]:
        """See `Platform`."""
        wanted = {order: number for order, (_, number) in self._numbers().items()}
        for one in self.queue.answers():
            wanted[one.body.order] -= 1
        return {order: number for order, number in wanted.items() if number > 0}

    def approve(self, submissions: Sequence[str]) -> None:
        """See `Platform`; it is noted in the audit log, once."""
        self._note_once("approved", dict.fromkeys(submissions, ""))

    def reject(self, submissions: Mapping[str, str]) -> None:
        """See `Platform`; it is noted in the audit log, once."""
        self._note_once("rejected", submissions)

    def pay(self, worker: str, amount: float, reason: str) -> None:
        """See `Platform`; it is noted in the audit log, and whoever runs the page pays."""
        self._note(["paid"], [f"{worker}: {amount:g}, {reason}"])

    def block(self, worker: str, reason: str) -> None:
        """See `Platform`."""
        accounts = Accounts(self.queue.account)
        with self.queue.store.writing() as connection:
            found = accounts.named(connection, worker)
            if found is None or found.blocked:
                return
            accounts.block(connection, worker, stamp(self.queue.clock()))
        self._note(["blocked"], [f"{worker}: {reason}"])

    def verdicts(self) -> dict[str, str]:
        """What was decided of each submission: approved, or rejected with the reason."""
        audit = self.queue.audit.c
        wanted = select(audit.action, audit.detail).where(audit.action.in_(("approved", "rejected"))).order_by(audit.id)
        found = {}
        with self.queue.store.reading() as connection:
            for action, detail in connection.execute(wanted):
                name, _, reason = detail.partition(": ")
                found[name] = f"{action}: {reason}" if reason else action
        return found

    def _numbers(self) -> dict[str, tuple[int, int]]:
        """By order, the number of its question and how many answers it wants."""
        question = self.queue.question.c
        found = {}
        with self.queue.store.reading() as connection:
            for number, kind, body, wanted in connection.execute(
                select(question.id, question.kind, question.body, question.wanted)
            ):
                found[self.queue.kinds[kind].body.model_validate_json(body).order] = (number, wanted)  # type: ignore[attr-defined]
        return found

    def _note_once(self, action: str, submissions: Mapping[str, str]) -> None:
        known = self.verdicts()
        new = {name: reason for name, reason in submissions.items() if name not in known}
        self._note([action] * len(new), [f"{name}: {reason}" if reason else name for name, reason in new.items()])

    def _note(self, actions: Sequence[str], details: Sequence[str]) -> None:
        rows: list[dict[str, Any]] = [
            {"at": stamp(self.queue.clock()), "actor": self.actor, "action": action, "detail": detail[:500]}
            for action, detail in zip(actions, details, strict=True)
        ]
        if rows:
            with self.queue.store.writing() as connection:
                connection.execute(self.queue.audit.insert(), rows)
