"""What came of it: results, what each answer changed, and how people did."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, or_, select

from tolka.assist.tasks import schema
from tolka.assist.tasks.known import trust_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tolka.assist.dialogue import Effect
    from tolka.assist.tasks.folder import TaskFolder


@dataclass(frozen=True)
class Result:
    """A sentence as it stands.

    Attributes:
        sentence: Its number, from 0.
        text: The sentence.
        result: The tree or translation now; empty if nothing could be made of the sentence.
        first: What it was before any answer.
        effects: What each answer changed.
        unheard: Answers that count but whose questions are not asked on the way that the others lead.
        trouble: Why nothing could be made of it.
    """

    sentence: int
    text: str
    result: str
    first: str
    effects: tuple[Effect, ...]
    unheard: int
    trouble: str


@dataclass(frozen=True)
class Person:
    """How somebody did.

    Attributes:
        name: Who.
        answers: Answers that stand, test questions not counted.
        passed: Test questions that were answered right …
        tests: … of so many.
        trust: How often they are taken to be right.
        seconds: The median time of an answer; None if none was measured.
        unsure: Share of answers that say that it cannot be told.
        counts: Whether they passed enough test questions.
        blocked: Whether they may not come in any more.
    """

    name: str
    answers: int
    passed: int
    tests: int
    trust: float
    seconds: float | None
    unsure: float | None
    counts: bool
    blocked: bool


@dataclass(frozen=True)
class Overview:
    """How a directory of tasks stands.

    Attributes:
        task: What is asked about.
        sentences: How many there are.
        unreadable: Of how many nothing could be made.
        open: About how many something is worth asking now.
        begun: About how many something was answered.
        answers: Answers that stand, test questions not counted.
        undone: Answers that were taken back.
        information: What the open questions are expected to tell in all, in nats.
        people: Whoever was invited.
    """

    task: str
    sentences: int
    unreadable: int
    open: int
    begun: int
    answers: int
    undone: int
    information: float
    people: tuple[Person, ...]

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return asdict(self)


def results(tasks: TaskFolder) -> Iterator[Result]:
    """Every sentence as it stands, in their order."""
    for number, text, trouble in tasks.texts():
        play = tasks.play(number)
        if play is None:
            yield Result(number, text, "", "", (), 0, trouble)
            continue
        effects = play.dialogue.account()
        result = play.dialogue.result
        first = effects[0].before if effects else result
        with tasks.store.reading() as connection:
            said = len(tasks.asking.said(connection, number))
        yield Result(number, text, result, first, effects, said - len(play.used), trouble)


def account_line(one: Result, effect: Effect) -> dict[str, Any]:
    """What an answer changed, as a line of JSON has it."""
    asked = effect.question
    return {
        "sentence": one.sentence + 1,
        "text": one.text,
        "kind": asked.kind,
        "focus": asked.focus,
        "choices": asked.choices,
        "answer": effect.answer,
        "by": effect.by,
        "expected": round(asked.information, 6),
        "gained": None if effect.gained is None else round(effect.gained, 6),
        "changed": effect.changed,
        "before": effect.before,
        "after": effect.after,
    }


def overview(tasks: TaskFolder) -> Overview:
    """How it stands, read at once."""
    sentence, standing, task, answer = (
        schema.sentence.c,
        schema.standing.c,
        schema.task.c,
        schema.answer.c,
    )
    with tasks.store.writing() as connection:
        tasks.asking.settle_all(connection)
    with tasks.store.reading() as connection:

        def count(*where: Any) -> int:
            return int(connection.execute(select(func.count()).where(*where)).scalar_one())

        stands = (task.id == answer.task_id, task.state == "answered", answer.kind == "answer")
        told = select(func.sum(standing.information)).where(standing.question.is_not(None))
        return Overview(
            task=tasks.settings.task,
            sentences=tasks.sentences,
            unreadable=count(sentence.material.is_(None)),
            open=count(standing.question.is_not(None)),
            begun=count(or_(standing.asked > 0, standing.had > 0)),
            answers=count(*stands, task.sentence_id.is_not(None)),
            undone=count(answer.kind == "undo"),
            information=float(connection.execute(told).scalar() or 0.0),
            people=tuple(_people(tasks)),
        )


def _people(tasks: TaskFolder) -> Iterator[Person]:
    task, answer, account = schema.task.c, schema.answer.c, schema.account.c
    with tasks.store.reading() as connection:
        rows = connection.execute(select(schema.account).order_by(account.created_at, account.name)).all()
        tests, out = tasks.asking.tests_of(connection), tasks.asking.shut_out(connection)
        given = connection.execute(
            select(answer.account_id, answer.body, answer.seconds)
            .join_from(schema.answer, schema.task, task.id == answer.task_id)
            .where(task.state == "answered", answer.kind == "answer", task.sentence_id.is_not(None))
        ).all()
    for row in rows:
        own = [one for one in given if one.account_id == row.id]
        seconds = [one.seconds for one in own if one.seconds is not None]
        passed, had = tests.get(row.id, (0, 0))
        yield Person(
            name=row.name,
            answers=len(own),
            passed=passed,
            tests=had,
            trust=trust_of(passed, had),
            seconds=median(seconds) if seconds else None,
            unsure=sum("null" in one.body for one in own) / len(own) if own else None,
            counts=row.id not in out,
            blocked=row.blocked_at is not None,
        )
