"""The evaluate room: how good translations are, given references, and whether one system beats another."""

from tolka.evaluate.evaluation import Evaluation, Score, bleu, chrf, evaluate, ter
from tolka.evaluate.metrics import METRICS, Bleu, Chrf, Gtm, Metric, Nist, Per, Ter, Wer, metric_named
from tolka.evaluate.report import Comparisons, compare, render, verdict
from tolka.evaluate.significance import (
    Comparison,
    Interval,
    approximate_randomisation,
    bootstrap_interval,
    bootstrap_scores,
    p_text,
    paired_bootstrap,
    randomised_counts,
    sign_test,
    wilcoxon,
)
from tolka.evaluate.statistics import Statistics, collect_statistics

__all__ = [
    "METRICS",
    "Bleu",
    "Chrf",
    "Comparison",
    "Comparisons",
    "Evaluation",
    "Gtm",
    "Interval",
    "Metric",
    "Nist",
    "Per",
    "Score",
    "Statistics",
    "Ter",
    "Wer",
    "approximate_randomisation",
    "bleu",
    "bootstrap_interval",
    "bootstrap_scores",
    "chrf",
    "collect_statistics",
    "compare",
    "evaluate",
    "metric_named",
    "p_text",
    "paired_bootstrap",
    "randomised_counts",
    "render",
    "sign_test",
    "ter",
    "verdict",
    "wilcoxon",
]
