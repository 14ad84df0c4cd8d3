"""Scores of systems, tests of one against another, and the tables of the thesis with both."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from thesis import LESION, MOSES, TABLES

from tolka.evaluate import Bleu, Gtm, Nist, Statistics, collect_statistics, p_text, sign_test, wilcoxon

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.combine.scores import Judge

METRICS = {"f1": Gtm(exponent=1.0), "f2": Gtm(exponent=2.0), "bleu": Bleu(), "nist": Nist()}
TESTED = ("f1", "f2", "bleu")
LESIONED = ("forest-permissive-viterbi", "forest-permissive")
COLUMNS = ("p1", "r1", "f1", "p2", "r2", "f2", "bleu", "nist")
COSTS = ("seconds", "cpu_seconds", "peak_megabytes")

Row = dict[str, Any]


@dataclass(frozen=True)
class Translations:
    """What a system made of the test set: statistics by metric, of each tuning."""

    found: Mapping[str, Sequence[Statistics]]

    @classmethod
    def read(cls, texts: Sequence[Sequence[str]], references: Sequence[str], tokeniser: str) -> Translations:
        """Score texts, one for each tuning."""
        return cls(
            {
                name: collect_statistics(replace(metric, tokeniser=tokeniser), texts, [references])
                for name, metric in METRICS.items()
            }
        )

    def scores(self) -> Row:
        """Means over all tunings; precision and recall are those of all words of the text, as the thesis has them."""
        line: Row = {}
        for exponent in (1, 2):
            own = self.found[f"f{exponent}"]
            details = [one.metric.details(one.rows.sum(axis=0)) for one in own]
            line[f"p{exponent}"] = _mean(one["precision"] for one in details)
            line[f"r{exponent}"] = _mean(one["recall"] for one in details)
            line[f"f{exponent}"] = _mean(one.score for one in own)
        line |= {name: _mean((one.score for one in self.found[name]), 4) for name in ("bleu", "nist")}
        line["words"] = _mean(one.rows[:, 1].mean() for one in self.found["f1"])
        if len(self.found["f1"]) > 1:
            line["each"] = {name: [round(one.score, 2) for one in self.found[name]] for name in TESTED}
        return line

    def against(self, other: Translations, judge: Judge) -> Row:
        """Differences to another system with p by several tests.

        Wilcoxon's signed ranks and signs are those of the sentences' F, over all tunings at once. Randomisation is one test over all
        tunings, and a system that was tuned less often stands for itself more than once.
        """
        line: Row = {}
        for name in TESTED:
            mine, theirs = _even(self.found[name], other.found[name])
            difference, p = judge.compare(mine, theirs)
            line[name] = {"difference": round(difference, 3), "randomisation_p": _p(p)}
            if name != "bleu":
                one, two = _together(mine), _together(theirs)
                line[name] |= {"wilcoxon_p": _p(wilcoxon(one, two).p), "sign_p": _p(sign_test(one, two).p)}
        return line


def _mean(values: Iterable[float], digits: int = 3) -> float:
    return round(float(statistics.fmean(values)), digits)


def _p(p: float) -> float:
    return float(f"{p:.3g}")


def _even(one: Sequence[Statistics], two: Sequence[Statistics]) -> tuple[list[Statistics], list[Statistics]]:
    """Both as often as each other, since randomisation exchanges sums of statistics."""
    many = math.lcm(len(one), len(two))
    return list(one) * (many // len(one)), list(two) * (many // len(two))


def _together(tunings: Sequence[Statistics]) -> Statistics:
    """All tunings as one text: the statistics of a sentence are added up."""
    rows = reduce(np.add, (one.rows for one in tunings))
    return Statistics(tunings[0].metric, tunings[0].native, rows)


def ratios(row: Row, base: Row) -> Row:
    """Of scores and costs to those of another row; only what was measured from beginning to end in both."""
    found = {name: _ratio(row[name], base[name]) for name in ("f1", "f2", "bleu", "nist", "words")}
    for part in ("training", "translating"):
        if row[part] and base[part] and not (row[part].get("resumed") or base[part].get("resumed")):
            found[part] = {name: _ratio(row[part][name], base[part][name]) for name in COSTS}
    return found


def _ratio(one: float, other: float) -> float | None:
    return round(one / other, 3) if other else None


def growth(rows: Sequence[Row]) -> Row:
    """How a system's training grows with its pairs: costs, those of the largest to the smallest text, and the exponent of CPU time."""
    rows = sorted(rows, key=lambda row: row["pairs"])
    line: Row = {"growth": rows[0]["row"], "pairs": [row["pairs"] for row in rows], "f2": [row["f2"] for row in rows]}
    line |= {name: [row["training"][name] for row in rows] for name in COSTS}
    first, last = rows[0], rows[-1]
    more = last["pairs"] / first["pairs"]
    line["ratios"] = {"pairs": round(more, 3)} | {
        name: _ratio(last["training"][name], first["training"][name]) for name in COSTS
    }
    cpu = line["ratios"]["cpu_seconds"]
    line["exponent"] = round(math.log(cpu) / math.log(more), 3) if cpu and more > 1 else None
    line["resumed"] = any(row["training"]["resumed"] for row in rows)
    return line


def table(lines: Sequence[Row], title: str, published: str, grown: Sequence[Row] = ()) -> str:
    """Rows of one size as Markdown, beside what the thesis has."""
    thesis = TABLES[published]
    heads = ["system", *(name.upper() for name in COLUMNS), "F2 to phrase", "F2 against", "training CPU to phrase"]
    heads += ["peak memory to phrase", *(f"{name}, thesis" for name in ("F1", "F2", "BLEU", "NIST", "F2 to Moses"))]
    body = []
    for line in lines:
        own = thesis.get(line["row"])
        said = [*map(_score, (own.f1, own.f2, own.bleu, own.nist)), own.f2 / thesis[MOSES].f2] if own else [None] * 5
        against = next(iter(line["against"].items()), None)
        ratio = line.get("to_phrase", {})
        cost = ratio.get("training", {})
        scores = [_score(line[name]) for name in COLUMNS]
        costs = [cost.get("cpu_seconds"), cost.get("peak_megabytes")]
        body.append([line["row"], *scores, ratio.get("f2"), against and _tested(*against), *costs, *said])
    text = (
        f"## {title}\n\nPrecision, recall and F of the General Text Matcher with exponents 1 and 2, in per cent; means over tunings. "
        "`F2 against` has the difference to the system named and Wilcoxon's p. "
        f"The thesis: Galron (2012), table {published}, other text.\n\n"
    )
    text += _markdown(heads, body) + _lesion(lines)
    if grown:
        heads = ["system", "pairs", "CPU seconds", "peak megabytes", "CPU, last to first", "exponent"]
        kept = [
            [one["growth"], one["pairs"], one["cpu_seconds"], one["peak_megabytes"], one["ratios"]["cpu_seconds"], one["exponent"]]
            for one in grown
        ]  # fmt: skip
        text += "\n### Growth of training\n\n" + _markdown(heads, kept)
    return text


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _tested(other: str, tests: Row) -> str:
    return f"{other} {tests['f2']['difference']:+.2f}, {p_text(tests['f2']['wilcoxon_p'])}"


def _lesion(lines: Sequence[Row]) -> str:
    """MinMerge beside Viterbi, if both are there."""
    found = {line["row"]: line for line in lines}
    if not found.keys() >= {*LESIONED}:
        return ""
    body = []
    for name in LESIONED:
        own, line = TABLES["5.2"][name], found[name]
        penalty, words = LESION[name]
        semiring = "Viterbi" if name.endswith("viterbi") else "MinMerge"
        scores = [_score(line[column]) for column in COLUMNS[:6]]
        body.append([semiring, *scores, str(line["training"]["penalty"]), _score(line["words"])])
        body.append([f"{semiring}, thesis", *map(_score, own[:6]), str(penalty), _score(words)])
    heads = ["semiring", *(name.upper() for name in COLUMNS[:6]), "penalty", "words a sentence"]
    return "\n### The lesion (thesis: table 5.12, English to French)\n\n" + _markdown(heads, body)


def _markdown(heads: Sequence[str], body: Sequence[Sequence[object]]) -> str:
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)], *body]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in rows)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(f"{one:g}" for one in value)
    return f"{value:.3f}" if isinstance(value, float) else str(value)
