"""Table 3.3 of Mohammad 2012 read again: seven systems of WMT 2007, ranked by CLAIRE, by BLEU and by the workshop.

The thesis says that CLAIRE "correlates strongly" with the workshop's ranking and prints no coefficient, no number of
answers, and a column "sigma" that is either a standard deviation or a variance. This computes what it leaves out, and
makes such a table of any campaign.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from tolka.errors import InputError
from tolka.judge.experiment.agreement import Agreement, agreement
from tolka.judge.experiment.correlation import read_official
from tolka.judge.rank.gauge import ELO
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from tolka.judge.campaign import Campaign
    from tolka.judge.rank import Ranking
    from tolka.limits import Limits

_FEWEST = 3  # systems that can agree on anything


@dataclass(frozen=True)
class Row:
    """One system of the table."""

    system: str
    claire: float
    sigma: float
    bleu: float
    human: int


TABLE = (
    Row("systran", 0.23015, 0.027, 0.154, 1),
    Row("uedin", 0.21232, 0.026, 0.277, 2),
    Row("liu", 0.11797, 0.024, 0.263, 4),
    Row("nrc", 0.08926, 0.024, 0.254, 5),
    Row("saar", 0.06191, 0.024, 0.198, 6),
    Row("cmu-uka", 0.01335, 0.024, 0.247, 7),
    Row("upc", 0.00000, 0.021, 0.250, 3),
)


@dataclass(frozen=True)
class Reading:
    """What the table says under one reading of "sigma" and one slope of the logistic.

    Attributes:
        sigma: "deviation" or "variance".
        slope: Of the logistic: 2 is the thesis's tanh form, 1 is Bradley-Terry.
        answers: Answers that a balanced design needs for such a sigma.
        best_worst_errors: How many standard errors lie between the best and the worst system.
    """

    sigma: str
    slope: int
    answers: int
    best_worst_errors: float


@dataclass(frozen=True)
class Analysis:
    """The table's analysis.

    Attributes:
        claire: Agreement of CLAIRE's scores with the workshop's ranking.
        bleu: The same of BLEU.
        without: The same of both, with each system left out in turn.
        readings: What "sigma" may mean.
        win: By slope, the chance that the best system is preferred to the worst.
        elo: By slope, the same in points of Elo.
    """

    claire: Agreement
    bleu: Agreement
    without: dict[str, tuple[Agreement, Agreement]]
    readings: tuple[Reading, ...]
    win: dict[int, float]
    elo: dict[int, float]


def analyse(table: Sequence[Row] = TABLE) -> Analysis:
    """Analyse the table.

    Example:
        >>> found = analyse()
        >>> round(found.claire.spearman, 3), round(found.bleu.spearman, 3)
        (0.643, 0.107)
    """
    best = max(table, key=lambda row: row.claire)
    worst = min(table, key=lambda row: row.claire)
    gap = best.claire - worst.claire
    typical = median(row.sigma for row in table)
    readings = []
    for kind in ("deviation", "variance"):
        power = 2 if kind == "deviation" else 1
        errors = gap / math.sqrt(best.sigma**power + worst.sigma**power)
        readings += [Reading(kind, slope, _answers(len(table), typical**power, slope), errors) for slope in (2, 1)]
    return Analysis(
        _agreement(table, "claire"),
        _agreement(table, "bleu"),
        {row.system: (_agreement(rest, "claire"), _agreement(rest, "bleu")) for row, rest in _leave_one_out(table)},
        tuple(readings),
        {slope: 1 / (1 + math.exp(-slope * gap)) for slope in (2, 1)},
        {slope: slope * gap * ELO for slope in (2, 1)},
    )


def _agreement(table: Sequence[Row], column: str) -> Agreement:
    return agreement([getattr(row, column) for row in table], [-row.human for row in table])


def _leave_one_out(table: Sequence[Row]) -> list[tuple[Row, list[Row]]]:
    return [(row, [other for other in table if other is not row]) for row in table]


def _answers(items: int, variance: float, slope: int) -> int:
    """Answers T of a balanced design of near ties: a score's variance is 2 (N - 1)^2 / (slope^2 N T) around the mean."""
    return round(2 * (items - 1) ** 2 / (slope**2 * items * variance))


@dataclass(frozen=True)
class Line:
    """One system of a campaign's table.

    Attributes:
        system: Its name.
        claire: Its score.
        error: The score's standard error; see `CampaignTable.error_is`.
        metrics: What metrics give it, by their names.
        human: Its rank by people, 1 being the best and equals sharing the better one; None if that is not known.
    """

    system: str
    claire: float
    error: float
    metrics: dict[str, float]
    human: int | None


@dataclass(frozen=True)
class CampaignTable:
    """Table 3.3 of any campaign, with what the thesis left out of its own.

    Attributes:
        lines: The systems, from best to worst by CLAIRE.
        error_is: What the standard error is one of.
        with_human: How CLAIRE and each metric agree with people's ranking; empty if that is not known.
        with_claire: How each metric agrees with CLAIRE.
        without: The agreement with people (or, if that is not known, with CLAIRE) with each system left out in turn.
        signature: The ranking's settings.
    """

    lines: tuple[Line, ...]
    error_is: str
    with_human: dict[str, Agreement]
    with_claire: dict[str, Agreement]
    without: dict[str, dict[str, Agreement]]
    signature: str = ""

    def as_json(self) -> dict[str, Any]:
        """The table as JSON has it."""
        return asdict(self)


def campaign_table(
    ranking: Ranking,
    *,
    metrics: Mapping[str, Mapping[str, float]] | None = None,
    human: Mapping[str, float] | None = None,
) -> CampaignTable:
    """Table 3.3 for a ranking of any campaign.

    Args:
        ranking: The ranking.
        metrics: By metric, the score of each system; higher is better.
        human: What people say of each system; higher is better.

    Raises:
        InputError: A system has no score by a metric or by people.
    """
    errors = dict(zip(ranking.items, ranking.errors.tolist(), strict=True))
    scores = dict(zip(ranking.items, ranking.scores.tolist(), strict=True))
    cluster = ranking.settings["cluster"]
    how = "answers taken as independent" if cluster == "none" else f"answers of one {cluster} taken together"
    if cluster == "both":
        how = "answers of one segment or judge taken together"
    label = f"standard error of a score whose mean over systems is 0, in units of the score; {how}"
    return tabulate(scores, errors, metrics=metrics or {}, human=human, error_is=label, signature=ranking.signature())


def tabulate(
    scores: Mapping[str, float],
    errors: Mapping[str, float],
    *,
    metrics: Mapping[str, Mapping[str, float]],
    human: Mapping[str, float] | None = None,
    error_is: str = "standard error",
    signature: str = "",
) -> CampaignTable:
    """Table 3.3 of scores from anywhere; see `campaign_table`.

    Example:
        >>> scores = {row.system: row.claire for row in TABLE}
        >>> bleu = {row.system: row.bleu for row in TABLE}
        >>> people = {row.system: -row.human for row in TABLE}
        >>> found = tabulate(scores, scores, metrics={"bleu": bleu}, human=people)
        >>> {by: round(one.spearman, 3) for by, one in found.with_human.items()}
        {'claire': 0.643, 'bleu': 0.107}
    """
    ways: dict[str, Mapping[str, float]] = {"claire": scores, **metrics}
    for by, of in {**ways, **({} if human is None else {"people": human})}.items():
        missing = sorted(set(scores) - set(of))
        if missing:
            raise InputError(f"{missing[0]} has no score by {by}", hint="check that files name systems in the same way")
    systems = sorted(scores, key=lambda name: (-scores[name], name))
    goal, goals = ("human", human) if human is not None else ("claire", scores)

    def agreements(kept: Sequence[str], goal: str, goals: Mapping[str, float]) -> dict[str, Agreement]:
        found = {by: _agree(of, goals, kept) for by, of in ways.items() if by != goal}
        return {by: one for by, one in found.items() if one is not None}

    return CampaignTable(
        lines=tuple(
            Line(
                name,
                float(scores[name]),
                float(errors[name]),
                {by: float(of[name]) for by, of in metrics.items()},
                None if human is None else 1 + sum(human[other] > human[name] for other in systems),
            )
            for name in systems
        ),
        error_is=error_is,
        with_human={} if human is None else agreements(systems, "human", human),
        with_claire=agreements(systems, "claire", scores),
        without={
            left_out: agreements([name for name in systems if name != left_out], goal, goals) for left_out in systems
        }
        if len(systems) > _FEWEST
        else {},
        signature=signature,
    )


def _agree(one: Mapping[str, float], two: Mapping[str, float], systems: Sequence[str]) -> Agreement | None:
    """The agreement of two lists; None where too few or all equal scores leave nothing to agree on."""
    first, second = [one[name] for name in systems], [two[name] for name in systems]
    if len(systems) < _FEWEST or len(set(first)) == 1 or len(set(second)) == 1:
        return None
    return agreement(first, second)


def metric_scores(
    outputs: Mapping[str, Sequence[str]], reference: Sequence[str], metrics: Sequence[str] = ("bleu",)
) -> dict[str, dict[str, float]]:
    """By metric, each system's score; of metrics where lower is better, the negative."""
    from tolka.evaluate import evaluate  # noqa: PLC0415 - only where there are outputs

    found: dict[str, dict[str, float]] = {}
    for system, lines in outputs.items():
        for score in evaluate(lines, reference, metrics).scores:
            found.setdefault(score.metric, {})[system] = score.score if score.higher_is_better else -score.score
    return found


def campaign_outputs(campaign: Campaign) -> tuple[list[str], dict[str, list[str]]]:
    """The references and every item's outputs, of the segments of a campaign where all of them are there.

    Raises:
        InputError: There is no such segment.
    """
    from sqlalchemy import select  # noqa: PLC0415 - only campaigns need it

    from tolka.judge.campaign import schema  # noqa: PLC0415

    texts: dict[int, dict[int, str]] = defaultdict(dict)
    with campaign.store.reading() as connection:
        segment, output = schema.segment.c, schema.output.c
        references = {row.id: row.reference for row in connection.execute(select(segment.id, segment.reference))}
        for row in connection.execute(select(output.segment_id, output.item_id, output.text)):
            texts[row.segment_id][row.item_id] = row.text
    whole = [at for at in sorted(texts) if references[at] and len(texts[at]) == len(campaign.items)]
    if not whole:
        raise InputError("no segment has a reference and an output of every system", hint="give them with --outputs")
    outputs = {name: [texts[at][number] for at in whole] for number, name in enumerate(campaign.items)}
    return [references[at] for at in whole], outputs


def read_human(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> dict[str, float]:
    r"""Read what people say of systems, as scores of which higher is better.

    The file is a table between commas or tabs with a column `system` and one of `rank` (1 is the best) or `score`; or
    WMT's file of official clusters.

    Raises:
        FormatError: The file is neither, with the line.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.tsv"
        >>> _ = path.write_text("system\trank\na\t2\nb\t1\n", encoding="utf-8")
        >>> read_human(path)
        {'a': -2.0, 'b': -1.0}
    """
    from tolka.corpus import read_lines  # noqa: PLC0415
    from tolka.judge.exchange.reading import Table  # noqa: PLC0415

    first = next(iter(read_lines(path, limits=limits)), "").lstrip("\ufeff").lower()
    delimiter = "\t" if "\t" in first else ","
    if "system" not in [name.strip() for name in first.split(delimiter)]:
        return read_official(path, limits=limits)
    table = Table(path, delimiter=delimiter, quoted=delimiter == ",", limits=limits)
    system, value = table.need("system"), table.need("rank", "score")
    sign = -1.0 if table.header[value] == "rank" else 1.0
    found: dict[str, float] = {}
    for row in table.rows():
        name = table.text(row, system)
        if name in found:
            raise table.wrong(f"{name!r} is there twice")
        found[name] = sign * table.number(row, value)
    if not found:
        raise InputError("there are no systems in it", path=path, hint="write a row per system")
    return found
