"""Find out, with few human answers, which of several systems is better, by how much and how surely.

The model is CLAIRE (Mohammad 2012, chapter 3): people choose one of two, and scores, intervals and the next question
follow from their choices.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from tolka.judge.answers import Answer, Choice

__all__ = ["Answer", "Choice"]

_PARTS = ("ask", "campaign", "exchange", "experiment", "rank", "report", "web")


def __getattr__(name: str) -> _Any:
    if name in _PARTS:
        return _import_module(f"{__name__}.{name}")
    hint = "; use tolka.judge.rank.Ranker" if name in {"Ranker", "Claire"} else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS])
