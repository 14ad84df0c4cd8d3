"""Fills the queue of questions ahead of the judges, in a thread of its own, so that nobody waits for a fit."""

from __future__ import annotations

import logging
import math
import threading
from itertools import combinations
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from tolka.errors import TolkaError
from tolka.judge.campaign.extension import EXTENDED

if TYPE_CHECKING:
    from tolka.judge.ask import Design, PairBelief
    from tolka.judge.campaign.campaign import Campaign
    from tolka.judge.campaign.settings import Ask
    from tolka.judge.rank import Ranking

# Pairs chosen at once: judges who are quicker than the fit go through them again.
_LEAST_BATCH, _MOST_BATCH = 10, 40
# Up to here it is worth a look which pairs differ anywhere; of more items, those that do not are passed over when drawn.
_MOST_LOOKED_AT = 200
# How often the ranks are looked at over the answers for which they must not change.
_MOST_LOOKS = 30
# Up to here answers are read one by one, so that intervals respect segments; beyond, they are counted in the database.
MOST_READ = 200_000
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

    campaign.keep_up()
    ask, items = campaign.settings.ask, campaign.items
    strategy = strategy_named(ask.strategy)
    if len(items) > MOST_ITEMS or (strategy.name == "random" and not _stops(ask)):
        campaign.questions.fill([])
        return
    counts = Counts.of(campaign.tallies(), items=items)
    # For few items the criterion itself, not its shortcut, which may choose another pair; `order` has the shortcut alone.
    method: Literal["auto", "gaussian"] = "auto" if strategy.name == "information" else "gaussian"
    belief = PairBelief(items, pairs=_askable(campaign), method=method, seed=campaign.settings.seed)
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


def _stops(ask: Ask) -> bool:
    """Whether the campaign stops by what is known."""
    return any((ask.stop_width, ask.stop_confidence, ask.stop_information, ask.stop_settled))


def design_of(campaign: Campaign) -> Design:
    """How a campaign's questions are chosen, which says how wide its intervals must be."""
    from tolka.judge.ask import Design  # noqa: PLC0415 (as above)

    ask = campaign.settings.ask
    return Design(ask.strategy, explore=ask.explore, batch=ask.refit_every, stopping=_stops(ask))


def ranked(campaign: Campaign) -> Ranking | None:
    """The ranking by a campaign's answers that is shown, and that its rules to stop look at; None before the first."""
    from tolka.judge.rank import Counts, Ranker  # noqa: PLC0415 (as above)

    counts = Counts.of(campaign.tallies(), items=campaign.items)
    if not counts.total:
        return None
    design = design_of(campaign)
    if counts.total > MOST_READ:
        return Ranker(design=design).fit(counts)  # judges who are left out are not in it
    return Ranker(design=design, rules=campaign.rules()).fit(campaign.answers())


def _pause_if_enough(campaign: Campaign, belief: PairBelief, asked: int) -> None:
    ask = campaign.settings.ask
    # Once, and once more when something new has joined: whoever lets it go on knows better.
    if not _stops(ask) or not asked or campaign.state != "running" or campaign.noted(_ENOUGH, since=EXTENDED):
        return
    from tolka.judge.ask import LittleToLearn, NarrowEnough, SureOfOrder  # noqa: PLC0415 (as above)

    rules: list[NarrowEnough | SureOfOrder] = []
    if ask.stop_width:
        rules.append(NarrowEnough(ask.stop_width))
    if ask.stop_confidence:
        rules.append(SureOfOrder(ask.stop_confidence))
    # The belief's intervals are quick to find and never wider than the ranking's, so that they are asked first; then the
    # ranking that everybody is shown.
    near = [rule.reason(belief, asked) is not None for rule in rules]
    ranking = ranked(campaign) if any(near) else None
    reasons: list[str | None] = [
        rule.reason(ranking, asked) if close and ranking is not None else None
        for rule, close in zip(rules, near, strict=True)
    ]
    if ask.stop_information:
        reasons.append(LittleToLearn(ask.stop_information).reason(belief, asked))
    if ask.stop_settled and (ask.stop_when == "any" or all(reasons)):
        reasons.append(_settled(campaign, belief, math.ceil(ask.stop_settled * len(campaign.items))))
    if (any if ask.stop_when == "any" else all)(reasons):
        campaign.note("planner", _ENOUGH, "; ".join(filter(None, reasons)))
        campaign.turn("paused", actor="planner")


def _settled(campaign: Campaign, belief: PairBelief, wait: int) -> str | None:
    """Whether no interval of ranks has changed over the last answers, worked out from the log alone.

    What was believed so many answers ago is fitted again, and then every few answers since, so that it does not matter
    whether this process was there.
    """
    from tolka.judge.ask import PairBelief, SettledRanks  # noqa: PLC0415 (as above)
    from tolka.judge.rank import Counts  # noqa: PLC0415

    recent = campaign.recent(wait)
    if len(recent) < wait:
        return None
    items, now = belief.items, belief.counts().matrix()

    def before(number: int) -> PairBelief:
        """The belief when the last so many answers had not come yet."""
        missing = Counts.of(recent[len(recent) - number :], items=items).matrix() if number else 0.0
        then = PairBelief(items, seed=campaign.settings.seed)
        then.learn(Counts.from_matrix(items, np.maximum(now - missing, 0.0)))
        return then

    first, last = before(wait), before(0)
    ends = SettledRanks(wait)
    ends.reason(first, 0)
    if ends.reason(last, wait) is None:
        return None
    rule, reason = SettledRanks(wait), None
    for done in sorted({wait * step // _MOST_LOOKS for step in range(_MOST_LOOKS + 1)}):
        reason = rule.reason(before(wait - done), done)
    return reason


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
