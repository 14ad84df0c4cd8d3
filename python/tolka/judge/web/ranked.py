"""The ranking as the admin page shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.judge.rank import Counts, Ranker
from tolka.judge.report import interval_plot

if TYPE_CHECKING:
    from tolka.judge.campaign import Campaign
    from tolka.judge.rank import Ranking

_MOST_DRAWN = 200


def ranked(campaign: Campaign) -> tuple[Ranking | None, str]:
    """The ranking by the answers so far and its drawing; None and nothing before the first answer."""
    counts = Counts.of(campaign.tallies(), items=campaign.items)
    if not counts.total:
        return None, ""
    ranking = Ranker(seed=campaign.settings.seed).fit(counts)
    best = slice(_MOST_DRAWN)
    plot = interval_plot(
        ranking.items[best],
        ranking.scores[best].tolist(),
        ranking.low[best].tolist(),
        ranking.high[best].tolist(),
        ranking.groups if len(ranking.items) <= _MOST_DRAWN else (),
    )
    return ranking, plot
