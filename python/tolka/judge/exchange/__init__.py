"""Answers in other people's files, read and written."""

from tolka.judge.exchange.formats import FORMATS, read_answers
from tolka.judge.exchange.jsonl import answer_from_json, answer_to_json, read_jsonl, write_jsonl
from tolka.judge.exchange.preferences import read_preferences
from tolka.judge.exchange.reading import Answers
from tolka.judge.exchange.wmt import read_wmt

__all__ = [
    "FORMATS",
    "Answers",
    "answer_from_json",
    "answer_to_json",
    "read_answers",
    "read_jsonl",
    "read_preferences",
    "read_wmt",
    "write_jsonl",
]
