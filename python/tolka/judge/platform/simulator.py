"""Made-up people, good ones and spammers, on a made-up platform: to try a campaign before money is spent.

Example:
    >>> from tolka.judge.platform import Compare, Order, SimulatedPlatform, diligent, review, spammer
    >>> order = Order("q1", "compare", Compare(reference="r", left="a", right="b"), 3, {"gap": 2.0})
    >>> platform = SimulatedPlatform([diligent("anna"), diligent("bo"), spammer("bot")], seed=1)
    >>> platform.publish([order])
    >>> sorted(one.worker for one in platform.collect())
    ['anna', 'bo', 'bot']
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import InputError, SettingsError
from tolka.judge.platform.kinds import Compare, Rewrite
from tolka.judge.platform.platform import Order, Submission

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.judge.platform.kinds import Body

_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class SimulatedWorker:
    """Someone made up.

    What is true of a question stands in its order's `about`: `gap`, by how much the left output (or the first phrase) is
    better, in logits; or `same`, of each rewritten sentence whether it means the same.

    Attributes:
        name: What they are called.
        knows: The chance that they answer a test item by its key; else they tick at random.
        lapse: The share of answers that are a coin's.
        lean: How far they lean to the left side, in logits.
        says_same: The chance of "means the same" of a rewritten sentence that does, and of one that does not.
        seconds: The mean time of an answer.
        twice: The chance that they hand in the same thing again.
        leaves: The chance that they take a question and never hand it in.
    """

    name: str
    knows: float = 0.97
    lapse: float = 0.05
    lean: float = 0.0
    says_same: tuple[float, float] = (0.9, 0.25)
    seconds: float = 30.0
    twice: float = 0.0
    leaves: float = 0.0

    def answers(self, order: Order, rng: np.random.Generator) -> dict[str, Any]:
        """What they say to a question."""
        found: dict[str, Any] = {}
        body: Body = order.body
        if body.test is not None:
            ticked = np.flatnonzero(rng.random(len(body.test.options)) < 0.5).tolist()  # noqa: PLR2004
            found["ticked"] = list(body.test.right) if rng.random() < self.knows else ticked
        coin = rng.random() < self.lapse
        if isinstance(body, Rewrite):
            true = _known(order, "same")
            chances = [0.5 if coin else self.says_same[0 if one else 1] for one in true]
            return found | {"same": [bool(rng.random() < chance) for chance in chances]}
        gap = 0.0 if coin else float(_known(order, "gap"))
        first = bool(rng.random() < 1 / (1 + np.exp(-np.clip(gap + self.lean, -700, 700))))
        if isinstance(body, Compare):
            return found | {"choice": "left" if first else "right"}
        return found | {"chosen": 0 if first else 1}


def diligent(name: str, **more: Any) -> SimulatedWorker:
    """Someone who reads, with slips."""
    return SimulatedWorker(name, **more)


def spammer(name: str, **more: Any) -> SimulatedWorker:
    """Someone who clicks anywhere, quickly."""
    return SimulatedWorker(name, **{"knows": 0.0, "lapse": 1.0, "seconds": 3.0, **more})


def one_sided(name: str, **more: Any) -> SimulatedWorker:
    """Someone who always takes the left one, and does not read test items either."""
    return SimulatedWorker(name, **{"knows": 0.0, "lapse": 0.0, "lean": 50.0, "seconds": 2.0, **more})


class SimulatedPlatform:
    """A platform on which made-up people work.

    Args:
        workers: The people.
        seed: Of everything random.
    """

    def __init__(self, workers: Sequence[SimulatedWorker], *, seed: int = 1) -> None:
        if not workers or len({one.name for one in workers}) < len(workers):
            raise SettingsError("a platform needs people, each with another name")
        self.workers = tuple(workers)
        self.orders: dict[str, Order] = {}
        self.approved: set[str] = set()
        self.rejected: dict[str, str] = {}
        self.blocked: dict[str, str] = {}
        self.paid: dict[str, float] = defaultdict(float)
        self.left = 0
        self._open: Counter[str] = Counter()
        self._had: dict[str, set[str]] = defaultdict(set)
        self._in: list[Submission] = []
        self._rng = np.random.default_rng([seed, 7])
        self._now = _BEGIN

    def publish(self, orders: Sequence[Order]) -> None:
        """See `Platform`."""
        for order in orders:
            self.orders.setdefault(order.id, order)
            self._open[order.id] += order.wanted

    def outstanding(self) -> dict[str, int]:
        """See `Platform`."""
        return {name: number for name, number in self._open.items() if number > 0}

    def collect(self) -> list[Submission]:
        """Let people work until nobody can take anything more; everything handed in so far."""
        while takers := self._takers():
            name, able = takers[int(self._rng.integers(len(takers)))]
            worker = able[int(self._rng.integers(len(able)))]
            self._had[worker.name].add(name)
            if self._rng.random() < worker.leaves:
                self.left += 1  # the lease ends, and the place is free for another
                continue
            self._open[name] -= 1
            self._hand_in(worker, self.orders[name])
        return list(self._in)

    def _takers(self) -> list[tuple[str, list[SimulatedWorker]]]:
        found = []
        for name, number in self._open.items():
            able = [one for one in self.workers if one.name not in self.blocked and name not in self._had[one.name]]
            if number > 0 and able:
                found.append((name, able))
        return found

    def _hand_in(self, worker: SimulatedWorker, order: Order) -> None:
        seconds = round(float(self._rng.gamma(4.0, worker.seconds / 4)), 3)
        self._now += timedelta(seconds=seconds)
        at = self._now.isoformat(timespec="milliseconds")
        said = worker.answers(order, self._rng)
        one = Submission(f"s{len(self._in) + 1}", order.id, worker.name, said, seconds, at)
        self._in.append(one)
        if self._rng.random() < worker.twice:
            self._in.append(one)

    def approve(self, submissions: Sequence[str]) -> None:
        """See `Platform`."""
        self.approved |= set(submissions)

    def reject(self, submissions: Mapping[str, str]) -> None:
        """See `Platform`."""
        self.rejected |= dict(submissions)

    def pay(self, worker: str, amount: float, reason: str) -> None:  # noqa: ARG002 (made-up people read no reasons)
        """See `Platform`."""
        self.paid[worker] += amount

    def block(self, worker: str, reason: str) -> None:
        """See `Platform`."""
        self.blocked.setdefault(worker, reason)


def _known(order: Order, what: str) -> Any:
    if what not in order.about:
        raise InputError(f"order {order.id} does not say what is true of it: its `about` has no {what!r}")
    return order.about[what]
