"""Find out, with few human answers, which of several systems is better, by how much and how surely.

The model is CLAIRE (Mohammad 2012, chapter 3): people choose one of two, and scores, intervals and the next question
follow from their choices.
"""

from tolka.judge.answers import Answer, Choice

__all__ = ["Answer", "Choice"]
