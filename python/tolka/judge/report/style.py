"""The style of this room's pages: that of all pages, and what only they need."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tolka.page import page_style


@cache
def report_style() -> str:
    """The whole style sheet."""
    return page_style() + files("tolka.judge.report").joinpath("page.css").read_text("utf-8")
