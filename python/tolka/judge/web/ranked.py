"""The ranking as the admin page shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import TolkaError
from tolka.judge.campaign.planning import MOST_READ
from tolka.judge.campaign.planning import ranked as fitted
from tolka.judge.rank.guessing import suspicions
from tolka.judge.report import interval_plot

if TYPE_CHECKING:
    from tolka.judge.campaign import Campaign
    from tolka.judge.rank import Ranking
    from tolka.judge.rank.guessing import Suspicion

_MOST_DRAWN = 200


def doubted(campaign: Campaign, answers: int) -> dict[str, Suspicion]:
    """The judges whose answers look like guesses, by name."""
    if not 0 < answers <= MOST_READ:
        return {}
    try:
        return {one.judge: one for one in suspicions(campaign.answers()) if one.doubted}
    except (TolkaError, ArithmeticError):  # too many judges to model, or answers that fix no scores
        return {}


def ranked(campaign: Campaign) -> tuple[Ranking | None, str]:
    """The ranking that `tolka judge rank` prints and its drawing; None and nothing before the first answer."""
    ranking = fitted(campaign)
    if ranking is None:
        return None, ""
    best = slice(_MOST_DRAWN)
    plot = interval_plot(
        ranking.items[best],
        ranking.scores[best].tolist(),
        ranking.low[best].tolist(),
        ranking.high[best].tolist(),
        ranking.groups if len(ranking.items) <= _MOST_DRAWN else (),
    )
    return ranking, plot
