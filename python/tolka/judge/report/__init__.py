"""A ranking and what it rests on as one web page, and the drawings on it."""

from tolka.judge.report.about import About, Agreement, agreement_of, anonymised
from tolka.judge.report.charts import Line, better_map, interval_plot, legend, line_chart
from tolka.judge.report.critique import render_critique
from tolka.judge.report.curves import render_curves
from tolka.judge.report.page import render

__all__ = [
    "About",
    "Agreement",
    "Line",
    "agreement_of",
    "anonymised",
    "better_map",
    "interval_plot",
    "legend",
    "line_chart",
    "render",
    "render_critique",
    "render_curves",
]
