"""How a campaign stands: who answered what, how well they agree, what it cost so far."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import median
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, func, select

from tolka.judge.answers import Choice
from tolka.judge.campaign import schema
from tolka.judge.campaign.tasks import BAD

if TYPE_CHECKING:
    from tolka.judge.accounting import Accounting
    from tolka.judge.answers import Answer
    from tolka.judge.campaign.campaign import Campaign, State


@dataclass(frozen=True)
class JudgeRow:
    """What one judge did.

    Attributes:
        name: The judge's name.
        role: judge, program, admin, or file if their answers were imported.
        answers: Comparisons that stand.
        undone: Answers taken back.
        tests: Test questions answered.
        passed: Of these, the right ones.
        seconds: The median time of a comparison; None if none was measured.
        left: The share of comparisons in which the left side was chosen; one half if it does not matter.
        agreed: The share of comparisons with others on the same segment and pair that agree; None without such.
        shared: How many such comparisons there are.
        last: When the last answer came; empty if none did.
        joined: Whether they have come in.
        blocked: Whether they are shut out.
        left_out: Why their answers do not count in the ranking; empty if they do.
    """

    name: str
    role: str
    answers: int = 0
    undone: int = 0
    tests: int = 0
    passed: int = 0
    seconds: float | None = None
    left: float | None = None
    agreed: float | None = None
    shared: int = 0
    last: str = ""
    joined: bool = True
    blocked: bool = False
    left_out: str = ""


@dataclass(frozen=True)
class Overview:
    """How a campaign stands.

    Attributes:
        state: running, paused or stopped.
        items: How many items there are.
        segments: How many segments.
        answers: Comparisons that stand, imported ones included.
        tests: Test questions answered.
        passed: Of these, the right ones.
        undone: Answers taken back.
        waiting: Questions that judges have before them.
        target: Comparisons wanted; 0 if there is no such number.
        seconds: The median time of a comparison.
        agreement: The share of pairs of answers to the same question, by different judges, that agree.
        chance_corrected: The same on a scale where 0 is chance and 1 is always (Bennett, Alpert and Goldstein's S for
            two sides that are shuffled).
        compared: How many such pairs of answers there are.
        cost: What the judges' answers cost so far, test questions included.
        currency: Of the cost.
        spent: What the judges' answers cost in time and money; imported ones are not among them.
        judges: A row per judge.
        pairs: How often each pair was compared, by its items' positions.
    """

    state: State
    items: int
    segments: int
    answers: int
    tests: int
    passed: int
    undone: int
    waiting: int
    target: int
    seconds: float | None
    agreement: float | None
    chance_corrected: float | None
    compared: int
    cost: float
    currency: str
    spent: Accounting
    judges: tuple[JudgeRow, ...]
    pairs: dict[tuple[int, int], int]

    def as_json(self) -> dict[str, Any]:
        """The overview as JSON has it."""
        values = asdict(self)
        del values["pairs"]
        return values


class _Notes:
    """What is counted about one judge."""

    def __init__(self) -> None:
        self.answers = self.tests = self.passed = self.sided = self.lefts = self.shared = self.agreed = 0
        self.seconds: list[float] = []
        self.last = ""

    def add(self, answer: Answer) -> None:
        self.last = max(self.last, answer.at)
        if answer.test is not None:
            self.tests += 1
            self.passed += answer.choice == answer.test
            return
        self.answers += 1
        if answer.seconds is not None:
            self.seconds.append(answer.seconds)
        if answer.sided and answer.winner is not None:
            self.sided += 1
            self.lefts += answer.choice == Choice.LEFT


def overview(campaign: Campaign) -> Overview:
    """How a campaign stands now."""
    campaign.keep_up()
    position = {name: i for i, name in enumerate(campaign.items)}
    notes: dict[str, _Notes] = defaultdict(_Notes)
    same: dict[tuple[str, int, int], list[tuple[str, str]]] = defaultdict(list)
    pairs: Counter[tuple[int, int]] = Counter()
    for answer in campaign.answers():
        notes[answer.judge].add(answer)
        if answer.test is None:
            low, high = sorted((position[answer.left], position[answer.right]))
            pairs[low, high] += 1
            if answer.winner is not None:
                same[answer.segment, low, high].append((answer.judge, answer.winner))
    for given in same.values():
        for (one, this), (other, that) in combinations(given, 2):
            if one != other:
                for name in (one, other):
                    notes[name].shared += 1
                    notes[name].agreed += this == that
    shared = sum(one.shared for one in notes.values()) // 2
    share = sum(one.agreed for one in notes.values()) / (2 * shared) if shared else None
    every = [seconds for one in notes.values() for seconds in one.seconds]
    rows = _rows(campaign, notes)
    spent = campaign.spent()
    return Overview(
        state=campaign.state,
        items=len(campaign.items),
        segments=len(campaign.segments),
        answers=sum(row.answers for row in rows),
        tests=sum(row.tests for row in rows),
        passed=sum(row.passed for row in rows),
        undone=sum(row.undone for row in rows),
        waiting=_waiting(campaign),
        target=campaign.settings.ask.target,
        seconds=median(every) if every else None,
        agreement=share,
        chance_corrected=None if share is None else 2 * share - 1,
        compared=shared,
        cost=spent.cost or 0.0,
        currency=campaign.settings.cost.currency,
        spent=spent,
        judges=rows,
        pairs=dict(pairs),
    )


def _rows(campaign: Campaign, notes: dict[str, _Notes]) -> tuple[JudgeRow, ...]:
    account, answer = schema.account.c, schema.answer.c
    undone = func.count(answer.id)
    out = campaign.left_out()
    with campaign.store.reading() as connection:
        found = connection.execute(
            select(account.name, account.role, account.joined_at, account.blocked_at, undone.label("undone"))
            .outerjoin_from(schema.account, schema.answer, and_(answer.account_id == account.id, answer.kind == "undo"))
            .group_by(account.id, account.name, account.role, account.joined_at, account.blocked_at)
            .order_by(account.name)
        ).all()
    rows = []
    for row in found:
        if row.role == "admin":
            continue
        told = _told(notes.pop(row.name, _Notes())) | {"left_out": out.get(row.name, "")}
        joined, blocked = row.joined_at is not None or row.role == "program", row.blocked_at is not None
        rows.append(JudgeRow(row.name, row.role, undone=row.undone, joined=joined, blocked=blocked, **told))
    rows += [
        JudgeRow(name or "unknown", "file", **_told(notes[name]), left_out=out.get(name, "")) for name in sorted(notes)
    ]
    return tuple(rows)


def _told(notes: _Notes) -> dict[str, Any]:
    return {
        "answers": notes.answers,
        "tests": notes.tests,
        "passed": notes.passed,
        "seconds": round(median(notes.seconds), 3) if notes.seconds else None,
        "left": notes.lefts / notes.sided if notes.sided else None,
        "agreed": notes.agreed / notes.shared if notes.shared else None,
        "shared": notes.shared,
        "last": notes.last,
    }


def _waiting(campaign: Campaign) -> int:
    task = schema.task.c
    with campaign.store.reading() as connection:
        return connection.execute(
            select(func.count()).where(task.state == "open", task.expires_at > campaign.now())
        ).scalar_one()


@dataclass(frozen=True)
class LogLine:
    """An entry of the answer log or the audit log."""

    number: int
    at: str
    who: str
    what: str
    detail: str = ""
    seconds: float | None = None


def answer_log(campaign: Campaign, *, before: int | None = None, size: int = 50) -> list[LogLine]:
    """What was answered, and taken back, the newest first."""
    campaign.keep_up()
    task, answer = schema.task.c, schema.answer.c
    chosen = (
        select(
            schema.answer, task.segment_id, task.low_id, task.high_id, task.swapped, task.test_id, schema.account.c.name
        )
        .join_from(schema.answer, schema.task)
        .join(schema.account, schema.account.c.id == answer.account_id)
        .order_by(answer.id.desc())
        .limit(size)
    )
    if before is not None:
        chosen = chosen.where(answer.id < before)
    lines = []
    with campaign.store.reading() as connection:
        for row in connection.execute(chosen):
            if row.test_id is not None:
                what, detail = "test question", f"test {row.test_id + 1}"
            else:
                pair = [campaign.items[row.low_id], campaign.items[row.high_id]]
                left, right = reversed(pair) if row.swapped else pair
                sides = {"left": f"{left} over {right}", "right": f"{right} over {left}"}
                both = {"tie": "both are bad" if row.ticked == BAD else "equally good", "undecided": "cannot tell"}
                what = sides.get(row.choice or "") or f"{left} or {right}: {both.get(row.choice, '')}"
                detail = f"segment {campaign.segments[row.segment_id]}, {left} on the left"
            if row.kind == "undo":
                what = "took back"
            lines.append(LogLine(row.id, row.at, row.name, what, detail, row.seconds))
    return lines


def audit_log(campaign: Campaign, *, size: int = 50) -> list[LogLine]:
    """What was done to the campaign, the newest first."""
    chosen = select(schema.audit).order_by(schema.audit.c.id.desc()).limit(size)
    with campaign.store.reading() as connection:
        return [LogLine(row.id, row.at, row.actor, row.action, row.detail) for row in connection.execute(chosen)]
