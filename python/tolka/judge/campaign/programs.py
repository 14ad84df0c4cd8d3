"""Programs as judges: any command that reads questions and writes answers, one JSON object a line.

It is started once, without a shell. On its standard input it first gets

    {"type": "hello", "protocol": 1, "title": …, "question": …, "instructions": …}

and then, one at a time, questions of two kinds:

    {"type": "compare", "task": …, "source": …, "reference": …, "left": …, "right": …}
    {"type": "blank", "task": …, "text": "I ___ the supplier", "options": […]}

to which it answers on its standard output, naming the task:

    {"task": …, "choice": "left"}         or "right", or "undecided" where the campaign allows it
    {"task": …, "ticked": [0, 2]}

Programs favour a side, so each comparison is put to it twice, the second time with the sides exchanged and under
another task. What it chooses in both orders is its answer. If it follows the side instead, the answer is a tie, or
"undecided", where the campaign takes those; else what it said of the order shown first, which is a random one, so that
neither item gains by it. Which it was is kept with the answer, and how often it happened is told.

In the end it gets {"type": "bye"} and its standard input ends. An answer that cannot be understood is not stored, and
the question stays open; after a few in a row, or one that comes too late, the program is stopped.
"""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import tolka
from tolka.errors import InputError, SettingsError, TolkaError
from tolka.judge.answers import Choice
from tolka.judge.campaign.planning import plan
from tolka.judge.campaign.tasks import Given
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.judge.campaign.campaign import Campaign, Shown
    from tolka.progress import Progress
    from tolka.web.accounts import Account

PROTOCOL = 1
MOST_BYTES = 1 << 20  # of one line of a program
MOST_WRONG = 3  # answers in a row that cannot be understood
_GRACE_SECONDS = 5.0


class ProgramError(TolkaError):
    """A program that judges does not keep to the protocol."""


@dataclass(frozen=True)
class PositionBias:
    """How far a program follows the side instead of what stands there.

    Attributes:
        pairs: Comparisons that were put to it in both orders.
        alike: Those in which it chose the same item, or neither, both times.
        first: Those in which it chose the left side both times.
        second: Those in which it chose the right side both times.

    Example:
        >>> bias = PositionBias(pairs=20, alike=12, first=8)
        >>> bias.alike / bias.pairs, bias.p_value
        (0.6, 0.0078125)
    """

    pairs: int = 0
    alike: int = 0
    first: int = 0
    second: int = 0

    @property
    def p_value(self) -> float:
        """The chance of choosing one side as much more often if neither were favoured (a two-sided sign test)."""
        number, fewer = self.first + self.second, min(self.first, self.second)
        ways = sum(math.comb(number, at) for at in range(fewer + 1))
        return min(1.0, float(2 * ways / 2**number))

    def plus(self, one: Choice, two: Choice) -> PositionBias:
        """With one more pair: what was chosen as shown, and with the sides exchanged."""
        alike, same = _turned(one) == two, one == two
        return PositionBias(
            self.pairs + 1,
            self.alike + alike,
            self.first + (same and one is Choice.LEFT),
            self.second + (same and one is Choice.RIGHT),
        )

    def as_json(self) -> dict[str, Any]:
        """The bias as JSON has it."""
        return {
            "pairs": self.pairs,
            "alike": self.alike,
            "first": self.first,
            "second": self.second,
            "p_value": self.p_value,
        }

    def __str__(self) -> str:
        """In a sentence."""
        told = f"{self.alike} of {self.pairs} pairs were answered alike in both orders"
        if self.first + self.second:
            told += f"; of the others it chose the first {self.first} times and the second {self.second} times"
            told += f" (p = {self.p_value:.2g})"
        return told


@dataclass(frozen=True)
class Session:
    """What a program did.

    Attributes:
        answers: Answers stored.
        wrong: Answers that could not be understood.
        ended: Why it ended.
        bias: How far it followed the side; of no pairs if it was asked in one order only.
    """

    answers: int
    wrong: int
    ended: str
    bias: PositionBias = PositionBias()


def ask_program(
    campaign: Campaign,
    name: str,
    command: Sequence[str],
    *,
    answers: int,
    timeout: float = 60.0,
    both_orders: bool = True,
    progress: Progress = SILENT,
) -> Session:
    """Let a program answer questions of a campaign.

    Args:
        campaign: The campaign.
        name: What the judge is called; a program with that name goes on where it stopped.
        command: The command and its arguments.
        answers: How many answers to ask for at most.
        timeout: Seconds that one answer may take.
        both_orders: Put each comparison to it twice, the second time with the sides exchanged.
        progress: Told of every answer.

    Raises:
        SettingsError: The command cannot be started, or the name is taken by a person.
        ProgramError: The program ended, was too slow, or could not be understood several times in a row.
    """
    campaign.invite(name, "program", actor=name)
    account = campaign.named(name)
    if account is None:  # pragma: no cover (it was just made)
        raise InputError(f"nobody is called {name!r}")
    stored = wrong = in_a_row = 0
    ended = f"{answers} answers were asked for"
    since = 0
    bias = PositionBias()
    with _Conversation(command, timeout) as talk, progress.task(name, total=answers, unit="answers") as advance:
        talk.say(_hello(campaign))
        while stored < answers:
            if since % campaign.settings.ask.refit_every == 0:
                plan(campaign)
            task = campaign.next(account)
            if task is None:
                ended = "no question is left" if campaign.state == "running" else f"the campaign is {campaign.state}"
                break
            shown = campaign.show(task)
            try:
                first = talk.ask(shown)
                if both_orders and task.test is None and first.choice is not None:
                    second = talk.ask(_exchanged(shown))
                    _store(campaign, account, shown, _combined(first, second))
                    bias = bias.plus(first.choice, second.choice or Choice.UNDECIDED)
                else:
                    _store(campaign, account, shown, [first])
            except InputError as error:
                wrong, in_a_row = wrong + 1, in_a_row + 1
                if in_a_row >= MOST_WRONG:
                    raise ProgramError(f"{name} gave {in_a_row} wrong answers in a row, the last: {error}") from None
                continue
            stored, since, in_a_row = stored + 1, since + 1, 0
            advance(1)
        talk.say({"type": "bye"})
    campaign.note(name, "answered", f"{stored} questions, as a program" + (f"; {bias}" if bias.pairs else ""))
    return Session(stored, wrong, ended, bias)


def _turned(choice: Choice) -> Choice:
    """The same choice when the sides are exchanged."""
    return {Choice.LEFT: Choice.RIGHT, Choice.RIGHT: Choice.LEFT}.get(choice, choice)


def _exchanged(shown: Shown) -> Shown:
    return replace(shown, task=f"{shown.task}-exchanged", left=shown.right, right=shown.left)


def _combined(first: Given, second: Given) -> list[Given]:
    """What two orders say together, as shown at first; several if the campaign has to choose what it can take."""
    if first.choice is None or second.choice is None:  # pragma: no cover (only comparisons have two orders)
        raise InputError("the answer to a comparison is a choice")
    both = replace(
        first,
        seconds=None if first.seconds is None or second.seconds is None else first.seconds + second.seconds,
        version=f"{first.version}, both orders: {first.choice}, {second.choice}",
    )
    if _turned(first.choice) == second.choice:
        return [both]
    return [replace(both, choice=Choice.TIE), replace(both, choice=Choice.UNDECIDED), both]


def _store(campaign: Campaign, account: Account, shown: Shown, ways: Sequence[Given]) -> None:
    """Store an answer in the first way that the campaign takes."""
    for given in ways[:-1]:
        with suppress(InputError):
            campaign.answer(account, shown.task, given)
            return
    campaign.answer(account, shown.task, ways[-1])


def _hello(campaign: Campaign) -> dict[str, Any]:
    settings = campaign.settings
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "title": settings.title,
        "question": settings.question,
        "instructions": settings.instructions,
    }


def _question(shown: Shown) -> dict[str, Any]:
    if shown.kind == "blank":
        return {"type": "blank", "task": shown.task, "text": shown.text, "options": list(shown.options)}
    return {
        "type": "compare",
        "task": shown.task,
        "source": shown.source,
        "reference": shown.reference,
        "left": shown.left,
        "right": shown.right,
    }


def _given(line: bytes, shown: Shown, seconds: float) -> Given:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise InputError(f"{line[:80]!r} is not JSON") from None
    wanted = "ticked" if shown.kind == "blank" else "choice"
    if not isinstance(found, dict) or set(found) != {"task", wanted}:
        raise InputError(f"an answer has task and {wanted}, and nothing else")
    if found["task"] != shown.task:
        raise InputError("the answer names another task")
    version = f"program {tolka.__version__}"
    value = found[wanted]
    if wanted == "ticked":
        if not isinstance(value, list) or not all(type(one) is int for one in value):
            raise InputError("ticked must be a list of positions")
        return Given(ticked=tuple(sorted(set(value))), seconds=seconds, version=version)
    try:
        return Given(choice=Choice(value), seconds=seconds, version=version)
    except ValueError:
        raise InputError(f"{str(value)[:40]!r} is no choice") from None


class _Conversation:
    """A running command, spoken to in lines; it and all it started end with the block."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self.timeout = timeout
        try:
            self.process = subprocess.Popen(  # noqa: S603 (the owner's own command, without a shell)
                list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
            )
        except (OSError, IndexError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise SettingsError(f"cannot start {' '.join(command) or 'nothing'}: {reason}") from error
        self._lines: queue.Queue[bytes] = queue.Queue(maxsize=8)
        threading.Thread(target=self._read, daemon=True, name="program").start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        assert self.process.stdin is not None  # noqa: S101 (asked for above)
        with suppress(OSError):
            self.process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            # Whoever kept to the protocol may finish in peace.
            self.process.wait(0 if problem[0] is not None else _GRACE_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        while self._lines.full():  # let the reader go
            self._lines.get_nowait()

    def ask(self, shown: Shown) -> Given:
        """Put a question, and hear the answer.

        Raises:
            InputError: It cannot be understood.
        """
        start = time.monotonic()
        self.say(_question(shown))
        return _given(self.hear(), shown, time.monotonic() - start)

    def say(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None  # noqa: S101 (asked for above)
        try:
            self.process.stdin.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise ProgramError(self._died()) from None

    def hear(self) -> bytes:
        try:
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty:
            what = f"the program gave no answer within {self.timeout:g} seconds"
            raise ProgramError(what, hint="allow more with --timeout") from None
        if not line:
            raise ProgramError(self._died())
        if len(line) > MOST_BYTES:
            raise ProgramError(f"the program wrote a line of more than {MOST_BYTES} bytes")
        return line

    def _died(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE_SECONDS)
        code = self.process.poll()
        return "the program stopped talking" if code is None else f"the program ended with exit code {code}"

    def _read(self) -> None:
        assert self.process.stdout is not None  # noqa: S101 (asked for above)
        with self.process.stdout as out:
            while line := out.readline(MOST_BYTES + 1):
                self._lines.put(line)
        self._lines.put(b"")
