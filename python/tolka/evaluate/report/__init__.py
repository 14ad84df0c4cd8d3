"""Systems side by side: what differs between them, as data and as a web page."""

from tolka.evaluate.report.analysis import Bucket, Comparisons, Example, Figure, Ngram, compare
from tolka.evaluate.report.page import render
from tolka.evaluate.report.verdict import verdict

__all__ = ["Bucket", "Comparisons", "Example", "Figure", "Ngram", "compare", "render", "verdict"]
