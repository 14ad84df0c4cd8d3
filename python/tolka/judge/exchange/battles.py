"""Battles as LMArena publishes them: model_a, model_b, winner; JSON lines, one JSON list, or CSV.

Model a stood on the left. "tie (bothbad)", where both are bad, is a tie like another.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tolka.corpus import read_lines
from tolka.errors import FormatError
from tolka.judge.answers import Answer, Choice
from tolka.judge.exchange.reading import Answers, Table
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping
    from os import PathLike

    from tolka.limits import Limits

_LONGEST = 1 << 30  # a whole file may be one line, and conversations are long
_WINNERS = {
    "model_a": Choice.LEFT,
    "model_b": Choice.RIGHT,
    "a": Choice.LEFT,
    "b": Choice.RIGHT,
    "tie": Choice.TIE,
    "tie (bothbad)": Choice.TIE,
    "both_bad": Choice.TIE,
    "bothbad": Choice.TIE,
}
_FLAGS = (("winner_model_a", Choice.LEFT), ("winner_model_b", Choice.RIGHT), ("winner_tie", Choice.TIE))


def read_battles(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Answers:
    """Read battles; fields other than the models, the winner, judge, question and time are passed over.

    Raises:
        FormatError: The file holds no such battles, with the line.
        InputError: There are no battles in it.
    """
    return Answers(path, "battles", lambda skipped: _read(path, skipped, limits))


def _read(path: str | PathLike[str], skipped: Counter[str], limits: Limits) -> Iterator[Answer]:
    for line, battle in _battles(path, limits):
        try:
            answer = _answer(battle)
        except ValueError as error:
            hint = 'a battle is {"model_a": "x", "model_b": "y", "winner": "model_a"}'
            raise FormatError(str(error), path=path, line=line, hint=hint) from None
        if answer is None:
            skipped["models against themselves"] += 1
        else:
            yield answer


def _battles(path: str | PathLike[str], limits: Limits) -> Iterator[tuple[int | None, Any]]:
    """Each battle with its line, whatever of the three forms the file has."""
    lines = iter(read_lines(path, limits=replace(limits, line_bytes=max(_LONGEST, limits.line_bytes))))
    numbered = ((number, line.removeprefix("\ufeff").strip()) for number, line in enumerate(lines, 1))
    filled = ((number, line) for number, line in numbered if line)
    first, text = next(filled, (1, ""))
    if text.startswith("["):
        found = _parse(path, None, "\n".join([text, *(line for _, line in filled)]))
        yield from ((None, battle) for battle in found)
    elif text.startswith("{"):
        yield first, _parse(path, first, text)
        yield from ((number, _parse(path, number, line)) for number, line in filled)
    elif text:
        table = Table(path, limits=limits)
        table.need("model_a")
        yield from ((table.line, dict(zip(table.header, row, strict=True))) for row in table.rows())


def _parse(path: str | PathLike[str], line: int | None, text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", path=path, line=line or error.lineno) from None
    except RecursionError:
        raise FormatError("not JSON: nested too deeply", path=path, line=line) from None


def _answer(battle: Any) -> Answer | None:
    if not isinstance(battle, dict):
        raise ValueError("a battle must be an object")  # noqa: TRY004 - the caller asks whether it is a battle
    models = []
    for name in ("model_a", "model_b"):
        value = battle.get(name)
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{name} is missing")
        models.append(value.strip())
    choice = _winner(battle)
    if models[0] == models[1]:
        return None
    judge = next((battle[name] for name in ("judge", "judge_id", "user_id") if battle.get(name) is not None), "")
    question = next(
        (
            battle[name]
            for name in ("question_id", "conversation_id", "id", "session_id")
            if battle.get(name) is not None
        ),
        "",
    )
    return Answer(models[0], models[1], choice, str(judge), str(question), sided=True, at=_moment(battle))


def _winner(battle: Mapping[str, Any]) -> Choice:
    winner = battle.get("winner")
    if winner is not None:
        if isinstance(winner, str) and winner.strip().lower() in _WINNERS:
            return _WINNERS[winner.strip().lower()]
        raise ValueError(f"unknown winner {str(winner)[:40]!r}")
    chosen = [choice for name, choice in _FLAGS if str(battle.get(name, "")).strip().lower() in {"1", "1.0", "true"}]
    if len(chosen) != 1:
        raise ValueError("winner is missing")
    return chosen[0]


def _moment(battle: Mapping[str, Any]) -> str:
    value = battle.get("tstamp", battle.get("timestamp", ""))
    try:
        return datetime.fromtimestamp(float(value), UTC).isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return str(value) if isinstance(value, str) else ""
