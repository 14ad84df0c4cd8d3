"""All experiments as a page: the thesis's figures, ours, and the difference."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from tolka.judge.report.style import report_style
from tolka.page import document, made_by, section, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.judge.experiment.reproduce import Finding, Outcome

_NOTHING = 5e-6  # differences that are rounding


def render_experiments(outcomes: Sequence[Outcome]) -> str:
    """The page of experiments."""
    title = "The experiments, run again"
    done = [one for one in outcomes if not one.skipped]
    skipped = [one for one in outcomes if one.skipped]
    parts = [f"<header><p class=kicker>Mohammad 2012</p><h1>{title}</h1></header><main>", *map(_experiment, done)]
    if skipped:
        rows = "".join(
            f"<li><strong>{escape(one.experiment.name)}</strong> ({escape(one.experiment.where)}): {escape(one.skipped)}</li>"
            for one in skipped
        )
        parts.append(section("skipped", "Not run", "", f"<ul>{rows}</ul>"))
    return document(title, "".join([*parts, f"</main>{made_by()}"]), style=report_style())


def figure(value: float | None) -> str:
    """A figure with as many places as its size asks for.

    Example:
        >>> figure(1526.0), figure(0.64285), figure(-3e-7), figure(None)
        ('1,526', '0.6429', '0', '-')
    """
    if value is None:
        return "-"
    if abs(value) < _NOTHING:
        return "0"
    return f"{value:,.0f}" if value == round(value) else f"{value:.4g}"


def verdict(finding: Finding) -> str:
    """What a reader should know of a figure beside its values: whether it agrees, and * if the thesis does not print it."""
    worked_out = "*" if finding.thesis is not None and not finding.printed else ""
    return {True: "agrees", False: "DIFFERS", None: ""}[finding.agrees] + worked_out


def _experiment(outcome: Outcome) -> str:
    one = outcome.experiment
    rows = [
        [
            f"<bdi>{escape(finding.what)}</bdi>",
            *(figure(value) for value in (finding.thesis, finding.ours, finding.difference)),
            verdict(finding),
        ]
        for finding in outcome.findings
    ]
    note = f"{one.about} ({one.where}). A star: worked out from the thesis's own numbers, not printed there."
    heads = ["figure", "thesis", "ours", "difference", ""]
    return section(one.name, one.name, escape(note), table(one.name, heads, rows))
