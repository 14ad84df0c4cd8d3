"""Answers in other people's files, read and written."""

from tolka.judge.exchange.appraise import read_appraise
from tolka.judge.exchange.battles import read_battles
from tolka.judge.exchange.formats import FORMATS, WRITTEN, read_answers, write_answers
from tolka.judge.exchange.jsonl import answer_from_json, answer_to_json, read_jsonl, write_jsonl
from tolka.judge.exchange.mqm import read_mqm
from tolka.judge.exchange.parity import read_parity
from tolka.judge.exchange.preferences import read_preferences
from tolka.judge.exchange.rankings import read_rankings
from tolka.judge.exchange.reading import Answers
from tolka.judge.exchange.table import read_csv, write_csv, write_preferences
from tolka.judge.exchange.wmt import read_wmt

__all__ = [
    "FORMATS",
    "WRITTEN",
    "Answers",
    "answer_from_json",
    "answer_to_json",
    "read_answers",
    "read_appraise",
    "read_battles",
    "read_csv",
    "read_jsonl",
    "read_mqm",
    "read_parity",
    "read_preferences",
    "read_rankings",
    "read_wmt",
    "write_answers",
    "write_csv",
    "write_jsonl",
    "write_preferences",
]
