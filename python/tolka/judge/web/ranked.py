"""The ranking as the admin page shows it."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from tolka.judge.rank import Counts, Ranker

if TYPE_CHECKING:
    from tolka.judge.campaign import Campaign
    from tolka.judge.rank import Ranking

_WIDTH, _ROW, _NAMES, _MARGIN = 760, 30, 190, 24
_MOST_LETTERS = 24
_MOST_ROWS = 200


def ranked(campaign: Campaign) -> tuple[Ranking | None, str]:
    """The ranking by the answers so far and its drawing; None and nothing before the first answer."""
    counts = Counts.of(campaign.tallies(), items=campaign.items)
    if not counts.total:
        return None, ""
    ranking = Ranker(seed=campaign.settings.seed).fit(counts)
    return ranking, interval_plot(ranking)


def interval_plot(ranking: Ranking) -> str:
    """Scores with their intervals, as SVG that is coloured by the page's style sheet (its policy allows no other)."""
    number = min(len(ranking.items), _MOST_ROWS)
    least, most = float(ranking.low[:number].min()), float(ranking.high[:number].max())
    step = _step(most - least)
    first, last = math.floor(least / step), math.ceil(most / step)
    height = number * _ROW + 34

    def at(score: float) -> float:
        return _NAMES + (score / step - first) / (last - first) * (_WIDTH - _NAMES - _MARGIN)

    told = "Scores with intervals; the table below has the numbers"
    parts = [f'<svg class="plot" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{told}">']
    for tick in range(first, last + 1):
        x = at(tick * step)
        parts.append(f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{height - 26}"/>')
        parts.append(f'<text class="soft" x="{x:.1f}" y="{height - 8}" text-anchor="middle">{tick * step:g}</text>')
    for i in range(number):
        y = i * _ROW + _ROW / 2 + 2
        name = ranking.items[i]
        short = name if len(name) <= _MOST_LETTERS else f"{name[: _MOST_LETTERS - 1]}…"
        parts.append(f'<text x="{_NAMES - 16}" y="{y + 4.5:.1f}" text-anchor="end">{escape(short)}</text>')
        low, high, score = at(float(ranking.low[i])), at(float(ranking.high[i])), at(float(ranking.scores[i]))
        parts.append(f'<line class="interval" x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}"/>')
        parts.append(f'<circle class="score" cx="{score:.1f}" cy="{y}" r="5.5"/>')
    return "".join([*parts, "</svg>"])


def _step(width: float) -> float:
    """A round distance between about six marks."""
    rough = max(width, 1e-9) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= rough)
