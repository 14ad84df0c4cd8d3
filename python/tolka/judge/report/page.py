"""A ranking and everything it rests on, as one page that needs nothing else."""

from __future__ import annotations

from collections import defaultdict
from html import escape
from statistics import median
from typing import TYPE_CHECKING

from tolka.errors import TolkaError
from tolka.judge.accounting import account
from tolka.judge.answers import Choice
from tolka.judge.rank import Counts, Logistic, empirical_gain
from tolka.judge.rank.guessing import EVIDENCE, Suspicion, suspicions
from tolka.judge.report.about import About, agreement_of, dates_of
from tolka.judge.report.charts import Line, better_map, interval_plot, labels, legend, line_chart
from tolka.judge.report.style import report_style
from tolka.page import document, made_by, section, table, tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.judge.accounting import Accounting
    from tolka.judge.answers import Answer
    from tolka.judge.rank import Ranking

# Judges beyond these are counted, not listed: a crowd of thousands is no table.
_MOST_JUDGES = 200
_FEWEST_TRIPLES = 20
_CLUSTERS = {
    "none": "Answers are taken as independent.",
    "segment": "Answers about the same segment are not taken as independent: intervals are cluster-robust.",
    "judge": "Answers of the same judge are not taken as independent: intervals are cluster-robust.",
    "both": "Answers about the same segment or by the same judge are not taken as independent.",
}
_JUDGES = {
    "equal": "All judges count alike.",
    "modelled": "Each judge's reliability, leaning to a side and guessing are estimated with the scores.",
}


def render(
    ranking: Ranking,
    answers: Sequence[Answer] = (),
    *,
    title: str = "Ranking",
    spent: Accounting | None = None,
    about: About | None = None,
) -> str:
    """The page of a ranking.

    Args:
        ranking: The ranking.
        answers: The answers it is of, for what it says of judges and of the model; without them it leaves that out. Give
            `anonymised` ones, here and to the ranker, for a page that names no judge.
        title: Its title.
        spent: What the answers cost, if their campaign knows.
        about: What was asked.

    Example:
        >>> from tolka.judge import Answer
        >>> from tolka.judge.rank import Ranker
        >>> page = render(Ranker().fit([Answer("<a>", "b")] * 3))
        >>> "<a>" in page, "&lt;a&gt;" in page
        (False, True)
    """
    parts = [
        f"<header><p class=kicker>Ranking by forced choices</p><h1>{escape(title)}</h1>",
        _tiles(ranking, answers, spent),
        *(f"<p class=warning>{escape(warning[:1].upper() + warning[1:])}.</p>" for warning in ranking.warnings),
        "</header><main>",
        _ranking(ranking),
        _pairs(ranking),
        _done(answers, about or About()),
        _judges(ranking, answers),
        _exclusions(ranking),
        _activation(answers),
        _method(ranking),
        f"</main>{made_by()}",
    ]
    return document(title, "".join(parts), style=report_style())


def _tiles(ranking: Ranking, answers: Sequence[Answer], spent: Accounting | None) -> str:
    facts = [("items", f"{len(ranking.items):,}"), ("answers counted", f"{ranking.answers:,.10g}")]
    judges = {answer.judge for answer in answers if answer.judge}
    segments = {answer.segment for answer in answers if answer.segment and answer.test is None}
    if judges:
        facts.append(("judges", f"{len(judges):,}"))
    if segments:
        facts.append(("segments", f"{len(segments):,}"))
    if ranking.tests:
        facts.append(("test questions", f"{ranking.tests:,.10g}"))
    took = account(answers)
    if took.median_seconds is not None:
        facts.append(("median time", f"{took.median_seconds:.1f} s"))
        facts.append(("mean time", f"{took.mean_seconds:.1f} s"))
        facts.append(("time in all", f"{took.hours:.1f} h" if took.hours >= 1 else f"{took.hours * 60:.0f} min"))
    if spent is not None and spent.price is not None:
        currency = escape(spent.currency)
        facts.append(("price of a question", f"{spent.price:g} {currency}"))
        facts.append(("cost", f"{spent.cost:.2f} {currency}"))
    if ranking.tied:
        facts.append(("ties", f"{ranking.tied:,.10g}"))
    if ranking.undecided:
        facts.append(("undecided", f"{ranking.undecided:,.10g}"))
    facts.append(("groups", f"{len(ranking.groups):,}"))
    return tiles(facts)


def _ranking(ranking: Ranking) -> str:
    level = f"{ranking.settings['level']:.0%}"
    rows = []
    for at, item in enumerate(ranking.items):
        following = _chance(ranking.p_better[at, at + 1]) if at + 1 < len(ranking.items) else ""
        wins = ranking.expected_wins[at]
        rows.append(
            [
                f"{ranking.rank[at]}. <bdi>{escape(item)}</bdi>",
                f"{ranking.scores[at]:.3f}",
                f"{ranking.low[at]:.3f} to {ranking.high[at]:.3f}",
                f"{ranking.rank_low[at]} to {ranking.rank_high[at]}",
                following,
                f"{wins:.3f}" if wins == wins else "",  # noqa: PLR0124 - NaN
                f"{ranking.comparisons[at]:,.10g}",
            ]
        )
    heads = ["item", "score", f"{level} interval", f"{level} ranks", "P(better than next)", "expected wins", "answers"]
    plot = interval_plot(
        ranking.items, ranking.scores.tolist(), ranking.low.tolist(), ranking.high.tolist(), ranking.groups
    )
    shown = dict(zip(ranking.items, labels(ranking.items), strict=True))
    apart = " | ".join(", ".join(f"<bdi>{escape(shown[item])}</bdi>" for item in group) for group in ranking.groups)
    note = (
        f"Scores are on a scale on which only differences mean anything; intervals hold with {level}. "
        f"Items of one band cannot be told apart at that level: {apart}."
    )
    return section(
        "ranking", "Ranking", note, f"<figure class=wide tabindex=0>{plot}</figure>{table('Ranking', heads, rows)}"
    )


def _chance(chance: float) -> str:
    """Three digits; certainty is never written where there is none."""
    return "&gt;0.999" if chance > 0.9995 else f"{chance:.3f}"  # noqa: PLR2004


def _pairs(ranking: Ranking) -> str:
    note = "The probability that the item of a row is better than that of a column."
    return section(
        "pairs",
        "Who is better than whom?",
        note,
        f"<figure class=wide tabindex=0>{better_map(ranking.items, ranking.p_better)}</figure>",
    )


def _done(answers: Sequence[Answer], about: About) -> str:
    """How the answers came about."""
    facts: list[tuple[str, str]] = []
    if about.question:
        facts.append(("question", f"<bdi>{escape(about.question)}</bdi>"))
    if about.shown:
        facts.append(("shown beside", escape(about.shown)))
    days = dates_of(answers)
    if days is not None:
        facts.append(("dates", days[0] if days[0] == days[1] else f"{days[0]} to {days[1]}"))
    found = agreement_of(answers)
    if found is not None:
        told = f"{found.share:.0%} of {found.compared:,} pairs of answers to the same question by different judges"
        facts.append(("agreement", f"{told} ({found.corrected:.2f} corrected for chance)"))
    told = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    paragraphs = [part.strip() for part in about.instructions.split("\n\n") if part.strip()]
    said = "".join(f"<p dir=auto>{escape(part)}</p>" for part in paragraphs)
    details = f"<details><summary>Instructions to the judges</summary>{said}</details>" if said else ""
    note = "What judges were asked, when they answered, and how well they agree."
    return section("done", "How it was done", note, f"<dl>{told}</dl>{details}") if told or details else ""


def _doubts(answers: Sequence[Answer]) -> dict[str, Suspicion]:
    try:
        return {one.judge: one for one in suspicions(answers) if one.doubted}
    except TolkaError:  # too many judges to model, or answers that fix no scores
        return {}


def _judges(ranking: Ranking, answers: Sequence[Answer]) -> str:
    by_judge: dict[str, list[Answer]] = defaultdict(list)
    for answer in answers:
        by_judge[answer.judge].append(answer)
    if not set(by_judge) - {""}:
        return ""
    place = {item: number for number, item in enumerate(ranking.items)}
    learnt = {judge.name: judge for judge in ranking.judges}
    doubts = _doubts(answers)
    heads = [
        "judge",
        "answers",
        "looks like guessing",
        "median time",
        "chose the left",
        "test questions right",
        "agrees with the ranking",
    ]
    if learnt:
        heads += ["reliability", "bias", "lapses"]
    listed = sorted(by_judge, key=lambda name: (-len(by_judge[name]), name))
    rows = []
    for name in listed[:_MOST_JUDGES]:
        given = by_judge[name]
        compared = [one for one in given if one.test is None]
        seconds = [one.seconds for one in compared if one.seconds is not None]
        sided = [one.choice is Choice.LEFT for one in compared if one.sided and one.winner is not None]
        tests = [one.choice is one.test for one in given if one.test is not None]
        agreed = [
            place[one.winner] < place[one.loser] for one in compared if one.winner in place and one.loser in place
        ]
        row = [
            f"<bdi>{escape(name or 'not named')}</bdi>",
            f"{len(compared):,}",
            f'<span class="verdict worse">{_times(doubts[name].factor)} likelier</span>' if name in doubts else "",
            f"{median(seconds):.1f} s" if seconds else "",
            f"{sum(sided) / len(sided):.0%}" if sided else "",
            f"{sum(tests)} of {len(tests)}" if tests else "",
            f"{sum(agreed) / len(agreed):.0%}" if agreed else "",
        ]
        if learnt:
            judge = learnt.get(name)
            row += (
                ["", "", ""]
                if judge is None
                else [f"{judge.reliability:.2f}", f"{judge.bias:+.2f}", f"{judge.lapse:.0%}"]
            )
        rows.append(row)
    more = (
        f" The {len(listed) - _MOST_JUDGES:,} with the fewest answers are not listed."
        if len(listed) > _MOST_JUDGES
        else ""
    )
    note = (
        "Every judge who answered, also those left out. Agreement is with this ranking, which their own answers helped "
        f"to make.{more}"
    )
    if doubts:
        note += (
            f" Answers that are at least {EVIDENCE:g} times as probable if a judge guessed as if they judged like the "
            "others are marked; of ordinary judges at most one in "
            f"{EVIDENCE:g} is."
        )
    # What nobody knows is no column: imported answers often have no times and no sides.
    known = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    columns = [[row[at] for at in known] for row in rows]
    return section("judges", "Judges", note, table("Judges", [heads[at] for at in known], columns))


def _times(factor: float) -> str:
    return "&gt;1000 times" if factor > 1000 else f"{factor:.0f} times"  # noqa: PLR2004


def _exclusions(ranking: Ranking) -> str:
    if not ranking.excluded:
        return section("left-out", "Left out", "Nothing was left out: every answer of every judge counts.", "")
    rows = [
        [
            f"<bdi>{escape(one.judge or ('several' if one.kept else 'not named'))}</bdi>",
            escape(one.rule.replace("_", " ")),
            "kept" if one.kept else f"{one.answers:,.10g}",
            escape(one.reason),
        ]
        for one in ranking.excluded
    ]
    note = "What rules left out of the ranking, and why; and whom they kept because too little is known of them."
    return section("left-out", "Left out", note, table("Left out", ["judge", "rule", "answers", "reason"], rows))


def _activation(answers: Sequence[Answer]) -> str:
    """G(p) of the thesis: does preference add up as the model says it does?"""
    if not answers:
        return ""
    found = empirical_gain(Counts.of(answers))
    if found.triples.sum() < _FEWEST_TRIPLES or len(found.p) < 2:  # noqa: PLR2004
        return ""
    steps = [0.5 + at / 40 for at in range(20)]
    seen = Line(
        "these answers",
        list(found.p),
        list(found.gain),
        list(found.gain - 2 * found.error),
        list(found.gain + 2 * found.error),
    )
    lines = [seen, Line("logistic model", steps, [float(value) for value in Logistic().gain(steps)], dashed=True)]
    chart = line_chart(
        lines,
        title="G(p)",
        x_label="p: how often i is preferred to j, and j to k",
        y_label="G(p): how often i is preferred to k",
        y_range=(0.5, 1.0),
    )
    note = (
        f"If i is preferred to j, and j to k, with chance p, how often is i preferred to k? From {found.triples.sum():,} triples, "
        "with two standard errors. Where the line leaves the band, the model's scale bends and its scores are to be read "
        "as an order."
    )
    names = [line.name for line in lines]
    return section(
        "model", "Does the model fit?", note, f"{legend(names)}<figure class=wide tabindex=0>{chart}</figure>"
    )


def _method(ranking: Ranking) -> str:
    settings = ranking.settings
    prior = (
        f"a Gaussian prior of precision {settings['prior']:g} on scores in logits"
        if settings["prior"]
        else "no prior (the maximum of the likelihood)"
    )
    facts = [
        (
            "People chose the better of two outputs. Each item has a hidden score x; i is preferred to j with chance "
            f"F(x<sub>i</sub> - x<sub>j</sub>), F being {escape(str(settings['activation']))} (CLAIRE, Mohammad 2012; "
            "with the logistic function, the model of Bradley and Terry 1952)."
        ),
        f"Scores are fitted with {prior}; uncertainty is from the {escape(str(settings['posterior']))} posterior.",
        f"{_CLUSTERS.get(str(settings['cluster']), '')} {_JUDGES.get(str(settings['judges']), '')}",
        escape(ranking.assumption),
        f"Ties: {escape(str(settings['ties']))}. “Cannot decide” and test questions are never counted.",
    ]
    listed = "".join(f"<li>{fact}</li>" for fact in facts)
    cite = f"<code class=cite>{escape(ranking.signature())}</code>"
    note = "To be cited with the ranking; rankings compare only if these agree."
    return section("method", "Method", note, f"<ul>{listed}</ul>{cite}")
