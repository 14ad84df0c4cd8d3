"""CLAIRE beside BLEU and chrF: which agrees best with a ranking by people that none of them has seen?

The official ranking of a campaign and CLAIRE on the same answers agree by construction, so the answers are parted by
segment: one half makes the ranking to agree with (expected wins, as in WMT13), the other is CLAIRE's, all of it or
as many answers as a small campaign could pay for. Where an official ranking is given, all answers are CLAIRE's. The same
answers are also rated as others do: by the share of wins, by Elo and by TrueSkill, in a random order each time.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tolka.errors import FormatError, InputError, SettingsError
from tolka.judge.experiment.agreement import Agreement, agreement
from tolka.judge.rank import Counts, Ranker, elo, trueskill, win_rate
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from tolka.judge.answers import Answer
    from tolka.limits import Limits

BUDGETS = (200, 1000)
BASELINES = ("win rate", "elo", "trueskill")
_FEWEST = 3
_OFFICIAL = re.compile(r"(?P<item>\S+)\s+(?P<score>-?\d+(?:\.\d+)?)\s+\(")


@dataclass(frozen=True)
class Correlation:
    """How well one way to rank agrees with people.

    Attributes:
        by: The way: "claire", "claire 200", "bleu", …
        mean: The agreement, a mean over runs where there are several.
        runs: How many runs.
    """

    by: str
    mean: Agreement
    runs: int


def correlations(
    answers: Iterable[Answer],
    *,
    outputs: Mapping[str, Sequence[str]] | None = None,
    reference: Sequence[str] | None = None,
    official: Mapping[str, float] | None = None,
    metrics: Sequence[str] = ("bleu", "chrf"),
    budgets: Sequence[int] = BUDGETS,
    baselines: Sequence[str] = BASELINES,
    runs: int = 20,
    seed: int = 1,
) -> list[Correlation]:
    """Compare ways to rank the systems of a campaign.

    Args:
        answers: What judges said.
        outputs: Each system's translations, for metrics.
        reference: Their reference.
        official: The campaign's official scores; without them, half of the segments make the ranking to agree with.
        metrics: Names, see `tolka.evaluate`.
        budgets: Numbers of answers to give CLAIRE, beside all.
        baselines: Other ways to rank by the same answers, of `BASELINES`.
        runs: Random draws of each budget, and of the half.
        seed: Of the draws.
    """
    unknown = sorted(set(baselines) - set(BASELINES))
    if unknown:
        raise SettingsError(f"unknown baseline {unknown[0]!r}", hint=f"choose of {', '.join(BASELINES)}")
    given = list(answers)
    judged = {name for answer in given for name in (answer.left, answer.right)}
    items = sorted(judged & set(official if official is not None else judged) & set(outputs or judged))
    if len(items) < _FEWEST:
        raise InputError(
            f"only {len(items)} systems are in all files", hint="check that files name systems in the same way"
        )
    kept = [answer for answer in given if answer.left in items and answer.right in items]
    found: dict[str, list[Agreement]] = {}
    automatic = _metric_scores(outputs, reference, items, metrics) if outputs and reference else {}
    segments = sorted({answer.segment for answer in kept})
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        if official is None:
            half = set(rng.permutation(segments)[: len(segments) // 2].tolist())
            own = [answer for answer in kept if answer.segment in half]
            others = [answer for answer in kept if answer.segment not in half]
            goal = _expected_wins(others, items)
        else:
            own, goal = kept, [official[item] for item in items]
        for by, scores in automatic.items():
            found.setdefault(by, []).append(agreement(scores, goal))
        found.setdefault("claire", []).append(agreement(_claire(own, items), goal))
        for by, scores in _baselines(own, items, baselines, rng).items():
            found.setdefault(by, []).append(agreement(scores, goal))
        decided = [answer for answer in own if answer.winner is not None]
        for budget in budgets:
            if budget <= len(decided):
                some = [decided[at] for at in rng.choice(len(decided), budget, replace=False)]
                found.setdefault(f"claire {budget}", []).append(agreement(_claire(some, items), goal))
    return [Correlation(by, _mean(all_of), len(all_of)) for by, all_of in found.items()]


def _claire(answers: Sequence[Answer], items: Sequence[str]) -> list[float]:
    ranking = Ranker().fit(Counts.of(answers, items=items))
    scores = dict(zip(ranking.items, ranking.scores, strict=True))
    return [float(scores[item]) for item in items]


def _baselines(
    answers: Sequence[Answer], items: Sequence[str], names: Sequence[str], rng: np.random.Generator
) -> dict[str, list[float]]:
    shuffled = [answers[at] for at in rng.permutation(len(answers))]
    found: dict[str, list[float]] = {}
    if "win rate" in names:
        found["win rate"] = [float(rate) for rate in win_rate(Counts.of(answers, items=items))]
    if "elo" in names:
        points = elo(shuffled)
        found["elo"] = [points[item] for item in items]
    if "trueskill" in names:
        skills = trueskill(shuffled)
        found["trueskill"] = [skills[item].mu for item in items]
    return found


def _expected_wins(answers: Sequence[Answer], items: Sequence[str]) -> list[float]:
    wins = Counts.of(answers, ties="drop", items=items).expected_wins()
    if np.isnan(wins).any():
        raise InputError("there are too few answers to part them in halves")
    return [float(value) for value in wins]


def _metric_scores(
    outputs: Mapping[str, Sequence[str]], reference: Sequence[str], items: Sequence[str], metrics: Sequence[str]
) -> dict[str, list[float]]:
    from tolka.evaluate import evaluate  # noqa: PLC0415 - only where there are outputs

    found: dict[str, list[float]] = {metric: [] for metric in metrics}
    for item in items:
        scored = evaluate(outputs[item], reference, metrics)
        for score in scored.scores:
            found[score.metric].append(score.score if score.higher_is_better else -score.score)
    return found


def _mean(several: Sequence[Agreement]) -> Agreement:
    def mean(name: str) -> float:
        return math.fsum(getattr(one, name) for one in several) / len(several)

    return Agreement(
        mean("spearman"), mean("spearman_p"), mean("kendall"), mean("kendall_p"), mean("pearson"), several[0].items
    )


def read_official(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> dict[str, float]:
    """Read WMT's official clusters: a system, its score and its ranks a line, clusters parted by lines of plus signs."""
    from tolka.corpus import read_lines  # noqa: PLC0415

    found: dict[str, float] = {}
    for number, line in enumerate(read_lines(path, limits=limits), start=1):
        if not line.strip() or not line.strip("+ "):
            continue
        match = _OFFICIAL.match(line)
        if match is None:
            raise FormatError("this is no system with its score and ranks", path=path, line=number)
        found[match["item"]] = float(match["score"])
    return found


def read_outputs(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> tuple[list[str], dict[str, list[str]]]:
    """Read a table of outputs: a head, then segment, source, reference and one column per system, between tabs.

    Returns:
        The reference, and the outputs by system.
    """
    from tolka.corpus import read_lines  # noqa: PLC0415

    lines = read_lines(path, limits=limits)
    head = next(iter(lines), "").split("\t")
    if len(head) < _FEWEST + 1 or head[2] != "reference":
        raise FormatError(
            "the columns are not segment, source, reference and systems", path=path, line=1, hint="write such a head"
        )
    reference: list[str] = []
    outputs: dict[str, list[str]] = {name: [] for name in head[3:]}
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(head):
            raise FormatError(f"{len(cells)} columns instead of {len(head)}", path=path, line=number)
        reference.append(cells[2])
        for name, cell in zip(head[3:], cells[3:], strict=True):
            outputs[name].append(cell)
    return reference, outputs
