"""Experiments that need no data: figures that follow from the thesis's own numbers and definitions, and simulations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tolka.judge.answers import Answer
from tolka.judge.experiment.reproduce import Experiment, Finding
from tolka.judge.experiment.table33 import analyse
from tolka.judge.experiment.traps import TRAPS, smoothed_bleu, try_traps

if TYPE_CHECKING:
    from tolka.judge.experiment.reproduce import Setting

# Two-way answers of four items: better, worse, how often.
_EXAMPLE = (
    ("A", "B", 2),
    ("B", "A", 1),
    ("A", "C", 1),
    ("B", "C", 1),
    ("C", "B", 1),
    ("B", "D", 2),
    ("C", "D", 1),
    ("D", "C", 1),
)
_ROUNDED = 2e-6


def _same(what: str, ours: float, thesis: float, within: float = _ROUNDED) -> Finding:
    """A figure worked out from the thesis, that must come out the same here."""
    return Finding(what, float(ours), thesis, within=within)


def worked_example(_: Setting) -> list[Finding]:
    """Four items and ten answers: scores, likelihood, errors and which question is next."""
    from tolka.judge.ask import PairBelief  # noqa: PLC0415
    from tolka.judge.rank import Counts, Likelihood, newton  # noqa: PLC0415

    answers = [Answer(better, worse) for better, worse, number in _EXAMPLE for _ in range(number)]
    solution = newton(Likelihood(Counts.of(answers, items="ABCD")))
    scores = (1.332085, 0.432893, -0.548254, -1.216724)
    found = [
        _same(f"score of {item}", ours, thesis)
        for item, ours, thesis in zip("ABCD", solution.scores, scores, strict=True)
    ]
    found.append(_same("log-likelihood", solution.loglik, -5.530662))
    quick = PairBelief("ABCD", prior=0, method="gaussian")
    quick.learn(answers)
    found.append(_same("information of A-C, Laplace", quick.information()[1], 0.126412))
    exact = PairBelief("ABCD", prior=0, method="sampled", draws=20_000)
    exact.learn(answers)
    told = exact.information()
    found.append(_same("information of C-D, importance sampling", told[5], 0.146700, within=0.04 * 0.1467))
    found.append(_same("C-D is asked next (1 is yes)", float(told.argmax() == 5), 1, within=0))  # noqa: PLR2004
    return found


def activations(_: Setting) -> list[Finding]:
    """The shape of an activation, and the design in which a wrong one gives a wrong order for ever."""
    from tolka.judge.rank import Counts, Laplace, Likelihood, Logistic, Probit, newton  # noqa: PLC0415

    table = {
        0.6: (0.692308, 0.693815, 0.680000),
        0.75: (0.900000, 0.911328, 0.875000),
        0.9: (0.987805, 0.994813, 0.980000),
    }
    found = [
        _same(f"G({chance}) of {shape.name}", float(shape.gain(chance)), thesis)
        for chance, row in table.items()
        for shape, thesis in zip((Logistic(), Probit(), Laplace()), row, strict=True)
    ]
    truth = np.array([3.0, 2.9, 1.45, 0.0])
    for name, pairs, thesis in (
        ("sparse", [(0, 3), (1, 2), (2, 3)], 3.66794 - 4.03679),
        ("balanced", [(i, j) for i in range(4) for j in range(i + 1, 4)], 3.99843 - 3.82330),
    ):
        wins = np.zeros((4, 4))
        for one, other in pairs:
            wins[one, other] = Laplace().cdf(truth[one] - truth[other])
            wins[other, one] = 1 - wins[one, other]
        scores = newton(Likelihood(Counts.from_matrix("ABMC", wins))).scores
        found.append(_same(f"A above B by (truth 0.1), {name} design", scores[0] - scores[1], thesis, within=2e-5))
    return found


def planner(_: Setting) -> list[Finding]:
    """How many answers it takes to tell two systems apart."""
    from tolka.judge.ask import answers_needed, smallest_gap  # noqa: PLC0415

    table = {
        0.55: (1526, 2290, 3434, 7250),
        0.60: (374, 561, 841, 1776),
        0.65: (160, 241, 361, 762),
        0.70: (86, 128, 193, 407),
        0.75: (51, 76, 115, 242),
    }
    found = [
        _same(
            f"answers to tell {win} from 0.5, {items} items", answers_needed(items, win=win).answers, thesis, within=1
        )
        for win, row in table.items()
        for items, thesis in zip((5, 7, 10, 20), row, strict=True)
    ]
    return [*found, _same("win rate that 200 answers on 7 items tell", smallest_gap(7, 200).win, 0.664, within=5e-4)]


def table33(_: Setting) -> list[Finding]:
    """Table 3.3 read again: coefficients and the meaning of "sigma" that it leaves out."""
    found = analyse()
    without = found.without["systran"]
    deviation, variance = found.readings[0], found.readings[2]
    rows = [
        ("Spearman of CLAIRE with the human rank", found.claire.spearman, 0.643, 5e-4),
        ("its p-value", found.claire.spearman_p, 0.12, 5e-3),
        ("Spearman of BLEU with the human rank", found.bleu.spearman, 0.107, 5e-4),
        ("Kendall of CLAIRE", found.claire.kendall, 0.619, 5e-4),
        ("Kendall of BLEU", found.bleu.kendall, 0.143, 5e-4),
        ("without Systran: Spearman of CLAIRE", without[0].spearman, 0.43, 5e-3),
        ("without Systran: Spearman of BLEU", without[1].spearman, 0.77, 5e-3),
        ("answers behind sigma, if a deviation", deviation.answers, 4464, 0),
        ("answers behind sigma, if a variance", variance.answers, 107, 0),
        ("best from worst in standard errors, if a deviation", deviation.best_worst_errors, 6.7, 0.05),
        ("best from worst in standard errors, if a variance", variance.best_worst_errors, 1.05, 5e-3),
        ("chance that the best wins against the worst", found.win[2], 0.613, 5e-4),
    ]
    return [_same(*row) for row in rows]


def parsing_tables(_: Setting) -> list[Finding]:
    """The table of the parsing experiment read again: error reductions, and the agreement of its two users."""
    before = 0.871
    printed = {"oracle": (0.893, 17.0), "user 1": (0.877, 4.7), "user 2": (0.874, 2.2), "both users": (0.875, 2.4)}
    found = [
        Finding(f"error reduction by {name}, per cent", 100 * (after - before) / (1 - before), claimed, printed=True)
        for name, (after, claimed) in printed.items()
    ]
    both, second, first, neither = 0.65, 0.05, 0.12, 0.18
    chance = (both + first) * (both + second) + (second + neither) * (first + neither)
    return [*found, _same("kappa of the two users", (both + neither - chance) / (1 - chance), 0.566, within=5e-4)]


def traps(_: Setting) -> list[Finding]:
    """Fluent outputs that say something else: does BLEU prefer an adequate rewording?"""
    verdicts = try_traps()
    found = [
        Finding(f"of {len(TRAPS)} traps, {metric} falls into", float(sum(not one.passed for one in each)))
        for metric in dict.fromkeys(one.metric for one in verdicts)
        for each in [[one for one in verdicts if one.metric == metric]]
    ]
    examples = [
        ("the boy eats the apple .", "the apple eats the boy .", 0.4273),
        ("white people stole my car .", "people stole my white car .", 0.5081),
        ("george bush is an idiot .", "george bush is not an idiot .", 0.5033),
        ("an hippopotamus wants me for christmas .", "a hippopotamus wants me for christmas .", 0.8366),
    ]
    return found + [
        _same(f"BLEU of “{said}”", smoothed_bleu(said, meant), bleu, 5e-5) for said, meant, bleu in examples
    ]


def aligner_example(_: Setting) -> list[Finding]:
    """Models 1 and 2 and the Gaussian aligner on six sentence pairs, and what the Gaussian saves."""
    from tolka.align import Aligner  # noqa: PLC0415

    pairs = [
        ("das Haus", "the house"),
        ("das Buch", "the book"),
        ("ein Buch", "a book"),
        ("ein kleines Haus", "a small house"),
        ("heute lese ich", "I read today"),
        ("ich lese ein Buch", "I read a book"),
    ]
    found = []
    for name, settings, at, thesis in (
        ("Model 1, after 5 iterations", {"model": "ibm1", "iterations": 6}, -1, -19.607181),
        ("Model 2, after 5 more", {"model": "ibm2", "warm_up": 5, "iterations": 6}, -1, -3.644756),
        ("Model 2 with a Gaussian", {"model": "gauss", "warm_up": 5, "iterations": 6, "shrink": 0.0}, -1, -6.443338),
    ):
        aligner = Aligner(**settings, threads=1).train(pairs)  # type: ignore[arg-type]
        found.append(_same(f"log-likelihood of {name}", aligner.history_[at][1], thesis, within=1e-4))
    for longest, thesis in ((40, 14.0), (60, 9.5), (100, 5.8)):
        share = 3 * longest / sum(length + 1 for length in range(1, longest + 1))
        found.append(_same(f"parameters left, sentences up to {longest}, per cent", 100 * share, thesis, within=0.05))
    return found


def active_choice(setting: Setting) -> list[Finding]:
    """Does choosing questions by information pay? Simulated judges, the means of 60 runs beside ours."""
    from tolka.judge.ask import simulate  # noqa: PLC0415

    looks = (100, 200, 400)
    table = {
        (7, 0.2): {"random": (0.303, 0.432, 0.498), "information": (0.298, 0.393, 0.506)},
        (7, 1.0): {"random": (0.775, 0.829, 0.871), "information": (0.760, 0.825, 0.887)},
        (15, 1.5): {"random": (0.714, 0.806, 0.873), "information": (0.771, 0.844, 0.888)},
    }
    found = []
    for (items, spread), rows in table.items():
        done = simulate(
            items,
            spread,
            looks[-1],
            list(rows),
            runs=setting.runs,
            at=looks,
            seed=setting.seed,
            progress=setting.progress,
        )
        for curve in done.curves:
            for at, (look, thesis) in enumerate(zip(looks, rows[curve.strategy], strict=True)):
                within = _apart(curve.tau[:, at], 2 / (items * (items - 1) / 2))
                what = f"tau of {curve.strategy}, {items} items with spread {spread}, {look} answers"
                found.append(Finding(what, float(curve.tau[:, at].mean()), thesis, within=within))
    return found


def _apart(runs: np.ndarray, step: float) -> float:
    """How far a mean of runs here may be from one of 60 runs: a t-interval of 99.98 %, and one step of tau at least."""
    from scipy.stats import t  # noqa: PLC0415 - slow to import

    if len(runs) < 2:  # noqa: PLR2004
        return math.inf
    reach = float(t.ppf(0.9999, len(runs) - 1)) * float(runs.std(ddof=1)) * math.sqrt(1 / len(runs) + 1 / 60)
    return max(reach, step)


WORKED = (
    Experiment("worked-example", "3.3", "four items, ten answers", worked_example),
    Experiment("activations", "3.3.3", "what a wrong activation does", activations),
    Experiment("planner", "3.3", "answers needed", planner),
    Experiment("table33", "table 3.3", "the headline, read again", table33),
    Experiment("parsing-tables", "1.4", "error reductions and agreement", parsing_tables),
    Experiment("traps", "table 3.2", "fluent outputs that say something else", traps),
    Experiment("aligner-example", "appendix D", "six sentence pairs", aligner_example),
    Experiment("active-choice", "3.3.1", "chosen against random questions", active_choice),
)
