"""The thesis's findings, to be run again: Table 3.3, the critique of BLEU, and CLAIRE beside automatic metrics."""

from tolka.judge.experiment.agreement import Agreement, agreement
from tolka.judge.experiment.correlation import Correlation, correlations, read_official, read_outputs
from tolka.judge.experiment.reproduce import Experiment, Finding, Outcome, Setting, experiments, reproduce
from tolka.judge.experiment.surprisal import Point, surprisal_curve
from tolka.judge.experiment.sweep import ALPHAS, READERS, Sweep, Swept, preferred, readers_answers, sweep
from tolka.judge.experiment.table33 import (
    TABLE,
    Analysis,
    CampaignTable,
    analyse,
    campaign_outputs,
    campaign_table,
    metric_scores,
    read_human,
    tabulate,
)
from tolka.judge.experiment.traps import (
    TRAPS,
    Trap,
    Verdict,
    clipped_matches,
    read_traps,
    smoothed_bleu,
    try_traps,
)

__all__ = [
    "ALPHAS",
    "READERS",
    "TABLE",
    "TRAPS",
    "Agreement",
    "Analysis",
    "CampaignTable",
    "Correlation",
    "Experiment",
    "Finding",
    "Outcome",
    "Point",
    "Setting",
    "Sweep",
    "Swept",
    "Trap",
    "Verdict",
    "agreement",
    "analyse",
    "campaign_outputs",
    "campaign_table",
    "clipped_matches",
    "correlations",
    "experiments",
    "metric_scores",
    "preferred",
    "read_human",
    "read_official",
    "read_outputs",
    "read_traps",
    "readers_answers",
    "reproduce",
    "smoothed_bleu",
    "surprisal_curve",
    "sweep",
    "tabulate",
    "try_traps",
]
