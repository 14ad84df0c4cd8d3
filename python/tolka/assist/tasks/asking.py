"""Where each sentence stands, and which of them somebody gets, inside the caller's transaction."""

from __future__ import annotations

import json
import random
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from tolka.assist.dialogue import Question
from tolka.assist.tasks import schema
from tolka.assist.tasks.replay import Play, Said, Trusting
from tolka.errors import FormatError, TolkaError
from tolka.judge.platform.gate import Gate
from tolka.web.tables import stamp

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from tolka.assist.tasks.settings import TaskSettings
    from tolka.assist.tasks.task import Task
    from tolka.web.accounts import Account
    from tolka.web.store import Store

_MOST_AT_HAND = 64


class Asking:
    """Brings dialogues to where the answers lead, and chooses among their questions.

    Args:
        store: Where answers are.
        settings: What is asked.
        task: Makes dialogues.
    """

    def __init__(self, store: Store, settings: TaskSettings, task: Task) -> None:
        self.store = store
        self.settings = settings
        self.task = task
        self._plays: OrderedDict[int, Play] = OrderedDict()
        self._turn = threading.RLock()
        self._gate = Gate(least_correct=settings.judges.least_correct, least_tests=settings.judges.least_tests)

    # Dialogues

    def play(self, connection: Connection, sentence: int) -> tuple[Play, Question | None]:
        """A sentence's dialogue with all answers that count, and the question that is worth asking next.

        Raises:
            FormatError: What is kept of the sentence, or an answer, makes no sense.
        """
        said = self.said(connection, sentence)
        with self._turn:
            play = self._plays.pop(sentence, None)
            if play is None or not set(play.used) <= {one.id for one in said}:
                play = self._begin(connection, sentence)
            try:
                question = play.go(said)
            except TolkaError as error:
                what = f"sentence {sentence + 1}: an answer does not belong to it: {error.what}"
                raise FormatError(what, path=self.store.path) from error
            self._plays[sentence] = play
            if len(self._plays) > _MOST_AT_HAND:
                self._plays.popitem(last=False)
        return play, self._worth(play, question)

    def _begin(self, connection: Connection, sentence: int) -> Play:
        row = connection.execute(select(schema.sentence).where(schema.sentence.c.id == sentence)).one()
        try:
            trust = Trusting()
            return Play(self.task.dialogue(json.loads(row.material), trust), trust, self.settings.ask.judgements)
        except (TolkaError, ValueError, KeyError, TypeError, RecursionError) as error:
            what = f"sentence {sentence + 1}: what is kept of it makes no sense: {error}"
            raise FormatError(what[:500], path=self.store.path) from error

    def _worth(self, play: Play, question: Question | None) -> Question | None:
        ask = self.settings.ask
        if question is None or question.information < ask.least_information:
            return None
        return None if ask.per_sentence and play.asked >= ask.per_sentence else question

    def said(self, connection: Connection, sentence: int) -> list[Said]:
        """The answers about a sentence that count, in the order in which they came."""
        task, answer, account = schema.task.c, schema.answer.c, schema.account.c
        rows = connection.execute(
            select(
                task.id, task.question, task.body.label("shown"), answer.body, answer.trust, account.name, account.id
            )
            .join_from(schema.answer, schema.task, task.id == answer.task_id)
            .join(schema.account, account.id == answer.account_id)
            .where(task.sentence_id == sentence, task.state == "answered", answer.kind == "answer")
            .order_by(answer.id)
        ).all()
        out = self.shut_out(connection) if rows else frozenset()
        return [
            Said(row.id, row.question, as_asked(json.loads(row.body)), row.name, row.trust)
            for row in rows
            if row.account_id not in out
        ]

    # People

    def tests_of(self, connection: Connection) -> dict[str, tuple[int, int]]:
        """By account, how many test questions were answered right, and how many at all."""
        task, answer = schema.task.c, schema.answer.c
        rows = connection.execute(
            select(answer.account_id, func.sum(answer.passed), func.count())
            .join_from(schema.answer, schema.task, task.id == answer.task_id)
            .where(task.test_id.is_not(None), task.state == "answered", answer.kind == "answer")
            .group_by(answer.account_id)
        )
        return {account: (int(passed or 0), int(had)) for account, passed, had in rows}

    def shut_out(self, connection: Connection) -> frozenset[str]:
        """The accounts whose answers do not count: they failed too many test questions."""
        return frozenset(one for one, seen in self.tests_of(connection).items() if self._gate.shuts_out(*seen))

    # Where sentences stand

    def settle(self, connection: Connection, sentence: int) -> None:
        """Write down where a sentence stands."""
        play, question = self.play(connection, sentence)
        values = {
            "question": None if question is None else question.id,
            "information": None if question is None else question.information,
            "had": play.had,
            "asked": play.asked,
        }
        put = self.store.insert(schema.standing).values(sentence_id=sentence, **values)
        connection.execute(put.on_conflict_do_update(index_elements=["sentence_id"], set_=values))

    def unsettle(self, connection: Connection, account: str) -> None:
        """Forget where the sentences stand that somebody has answered: whether they count has changed."""
        theirs = select(schema.task.c.sentence_id).where(
            schema.task.c.account_id == account, schema.task.c.sentence_id.is_not(None)
        )
        connection.execute(schema.standing.delete().where(schema.standing.c.sentence_id.in_(theirs)))

    def settle_all(self, connection: Connection) -> None:
        """Write down where those sentences stand of which that is not known."""
        sentence, standing = schema.sentence.c, schema.standing.c
        unknown = (
            select(sentence.id)
            .outerjoin(schema.standing, standing.sentence_id == sentence.id)
            .where(standing.sentence_id.is_(None), sentence.material.is_not(None))
            .order_by(sentence.id)
        )
        for one in connection.execute(unknown).scalars().all():
            self.settle(connection, one)

    # What somebody gets

    def choose(self, connection: Connection, account: Account, now: datetime) -> dict[str, Any] | None:
        """The columns of somebody's next task: a test question now and then, else the most telling question there is."""
        turn = connection.execute(select(func.count()).where(schema.answer.c.account_id == account.id)).scalar_one()
        # After a crash the same person gets the same again.
        rng = random.Random(f"{self.settings.seed}:{account.id}:{turn}")  # noqa: S311
        return self._test(connection, account, rng) or self._sentence(connection, account, now, rng)

    def _test(self, connection: Connection, account: Account, rng: random.Random) -> dict[str, Any] | None:
        if rng.random() >= self.settings.tests.rate:
            return None
        task, test = schema.task.c, schema.test.c
        had = select(task.test_id).where(task.account_id == account.id, task.test_id.is_not(None))
        left = connection.execute(select(test.id, test.kind, test.body).where(test.id.not_in(had)).order_by(test.id))
        rows = left.all()
        if not rows:
            return None
        chosen = rng.choice(rows)
        found = json.loads(chosen.body)
        number = len(found["options"] if chosen.kind == "blank" else found["choices"])
        order = rng.sample(range(number), number)
        return {"test_id": chosen.id, "body": json.dumps({"kind": chosen.kind, "order": order})}

    def _sentence(
        self, connection: Connection, account: Account, now: datetime, rng: random.Random
    ) -> dict[str, Any] | None:
        self.settle_all(connection)
        while True:
            best = self._best(connection, account, now)
            if best is None:
                return None
            sentence, expected = best
            _, question = self.play(connection, sentence)
            if question is None or question.id != expected:  # another version of tolka wrote that down
                self.settle(connection, sentence)
                continue
            order = rng.sample(range(len(question.choices)), len(question.choices))
            shown = json.dumps({"kind": question.kind, "order": order} | stored_question(question), ensure_ascii=False)
            return {"sentence_id": sentence, "question": question.id, "body": shown}

    def _best(self, connection: Connection, account: Account, now: datetime) -> tuple[int, str] | None:
        task, standing = schema.task.c, schema.standing.c
        others = (
            select(func.count())
            .select_from(schema.task)
            .where(
                task.sentence_id == standing.sentence_id,
                task.state == "open",
                task.expires_at > stamp(now),
                task.account_id != account.id,
            )
            .correlate(schema.standing)
            .scalar_subquery()
        )
        own = select(task.id).where(
            task.sentence_id == standing.sentence_id,
            task.question == standing.question,
            task.account_id == account.id,
            task.state.in_(("open", "answered")),
        )
        found = connection.execute(
            select(standing.sentence_id, standing.question)
            .where(standing.question.is_not(None), standing.had + others < self.settings.ask.judgements, ~own.exists())
            .order_by(standing.information.desc(), standing.sentence_id)
            .limit(1)
        ).one_or_none()
        return None if found is None else (found.sentence_id, found.question)


def as_asked(answer: Any) -> Any:
    """An answer from JSON, in its plain form."""
    return tuple(answer) if isinstance(answer, list) else answer


def stored_question(question: Question) -> dict[str, Any]:
    """A question as a task keeps it."""
    return {
        "text": question.text,
        "focus": question.focus,
        "choices": question.choices,
        "information": question.information,
    }


def question_of(identity: str, kept: dict[str, Any]) -> Question:
    """A question from a task."""
    focus = kept["focus"]
    choices = tuple(kept["choices"])
    span = None if focus is None else (int(focus[0]), int(focus[1]))
    return Question(identity, kept["kind"], kept["text"], span, choices, kept["information"])
