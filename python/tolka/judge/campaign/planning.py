"""Fills the queue of questions ahead of the judges, in a thread of its own, so that nobody waits for a fit."""

from __future__ import annotations

import logging
import threading
from itertools import combinations
from typing import TYPE_CHECKING, Self

import numpy as np

from tolka.errors import TolkaError

if TYPE_CHECKING:
    from tolka.judge.ask import PairBelief
    from tolka.judge.campaign.campaign import Campaign

# Pairs chosen at once: judges who are quicker than the fit go through them again.
_LEAST_BATCH, _MOST_BATCH = 10, 40
# Up to here it is worth a look which pairs differ anywhere; of more items, those that do not are passed over when drawn.
_MOST_LOOKED_AT = 200
# The line of the audit log that says so.
_ENOUGH = "enough"
_log = logging.getLogger(__name__)


def plan(campaign: Campaign) -> None:
    """Fill a campaign's queue from the answers so far, by the strategy that its settings name.

    When its settings say that enough is known, the campaign is paused, once: whoever runs it may go on.

    Raises:
        SettingsError: There is no such strategy.
    """
    # The question engine brings scipy along, which a command that only looks at a campaign can do without.
    from tolka.judge.ask import PairBelief, choose, strategy_named  # noqa: PLC0415
    from tolka.judge.ask.pairs import MOST_ITEMS  # noqa: PLC0415
    from tolka.judge.rank import Counts  # noqa: PLC0415

    ask, items = campaign.settings.ask, campaign.items
    strategy = strategy_named(ask.strategy)
    if len(items) > MOST_ITEMS or (strategy.name == "random" and not (ask.stop_width or ask.stop_confidence)):
        campaign.questions.fill([])
        return
    counts = Counts.of(campaign.tallies(), items=items)
    belief = PairBelief(items, pairs=_askable(campaign), seed=campaign.settings.seed)
    belief.learn(counts)
    _pause_if_enough(campaign, belief, int(counts.total))
    if strategy.name == "random":
        campaign.questions.fill([])
        return
    size = min(max(ask.refit_every, _LEAST_BATCH), _MOST_BATCH)
    rng = np.random.default_rng([campaign.settings.seed, int(counts.total)])
    chosen = choose(belief, strategy, size, rng=rng)
    told = dict(zip(belief.questions(), belief.information().tolist(), strict=True))
    at = {name: number for number, name in enumerate(items)}
    campaign.questions.fill((at[pair.left], at[pair.right], told[pair]) for pair in chosen)


def _pause_if_enough(campaign: Campaign, belief: PairBelief, asked: int) -> None:
    from tolka.judge.ask import NarrowEnough, SureOfOrder  # noqa: PLC0415 (as above)

    ask = campaign.settings.ask
    rules: list[NarrowEnough | SureOfOrder] = []
    if ask.stop_width:
        rules.append(NarrowEnough(ask.stop_width))
    if ask.stop_confidence:
        rules.append(SureOfOrder(ask.stop_confidence))
    if not rules or not asked or campaign.state != "running" or campaign.noted(_ENOUGH):
        return
    reasons = [rule.reason(belief, asked) for rule in rules]
    # All that is asked for must hold.
    if all(reasons):
        campaign.note("planner", _ENOUGH, "; ".join(filter(None, reasons)))
        campaign.turn("paused", actor="planner")


def _askable(campaign: Campaign) -> list[tuple[str, str]] | None:
    """The pairs whose outputs differ somewhere; None if there are too many items to look."""
    items = campaign.items
    if len(items) > _MOST_LOOKED_AT:
        return None
    differ = campaign.questions.differing
    return [(items[i], items[j]) for i, j in combinations(range(len(items)), 2) if len(differ(i, j))]


class Planner:
    """Plans anew after every so many answers, while its block runs."""

    def __init__(self, campaign: Campaign) -> None:
        from tolka.judge.ask import strategy_named  # noqa: PLC0415 (as above)

        strategy_named(campaign.settings.ask.strategy)  # a mistake is told now, not in a thread
        self.campaign = campaign
        self._since = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._over = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.campaign.listeners.append(self.heard)
        self._wake.set()  # the answers of before are worth a fit at once
        self._thread = threading.Thread(target=self._work, name="planner", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.campaign.listeners.remove(self.heard)
        self._over = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def heard(self) -> None:
        """Count an answer."""
        with self._lock:
            self._since += 1
            if self._since < self.campaign.settings.ask.refit_every:
                return
            self._since = 0
        self._wake.set()

    def _work(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._over:
                return
            try:
                plan(self.campaign)
            except (TolkaError, ArithmeticError, np.linalg.LinAlgError):
                # Judges go on with the pairs there are; the next round may succeed.
                _log.exception("planning questions failed")
