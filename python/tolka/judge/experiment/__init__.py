"""The thesis's findings, to be run again: Table 3.3, the critique of BLEU, and CLAIRE beside automatic metrics."""

from tolka.judge.experiment.agreement import Agreement, agreement

__all__ = ["Agreement", "agreement"]
