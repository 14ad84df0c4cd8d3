"""The assist room: people who know only one of two languages make parses and translations better.

They answer questions with one key: does this sentence still mean the same, which of two words fits better (Mohammad
2012, chapters 1 and 2). The most informative question comes first, and anybody may stop at any time.

Example:
    >>> from tolka.assist import Question
    >>> Question.ask("rewrite", "I saw him", ["He was seen by me"]).choices
    ('He was seen by me',)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.later import later

if TYPE_CHECKING:
    from tolka.assist.dialogue import Dialogue, Effect, GoneError, Question, fitting_answer

__getattr__, __dir__ = later(
    __name__,
    {
        "Dialogue": "dialogue",
        "Effect": "dialogue",
        "GoneError": "dialogue",
        "Question": "dialogue",
        "fitting_answer": "dialogue",
    },
)

__all__ = ["Dialogue", "Effect", "GoneError", "Question", "fitting_answer"]
