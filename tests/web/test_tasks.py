"""The queue: tasks of any kind, leased, answered once, in SQLite and PostgreSQL."""

import math
import threading
from collections import Counter

import pytest
from sqlalchemy import MetaData, inspect, select
from sqlalchemy.exc import DBAPIError

from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.web.leases import UnknownTaskError
from tolka.web.tables import version_table
from tolka.web.tasks import Queue


def test_the_tables_are_as_they_are_described(store, clock, kinds):
    from tolka.web.tables import stamp  # noqa: PLC0415
    from tolka.web.tasks import tables_1  # noqa: PLC0415

    store.migrate([tables_1], stamp(clock()))
    wanted = MetaData()
    version_table(wanted)
    Queue(store, kinds, metadata=wanted)
    found = MetaData()
    found.reflect(store.engine)
    assert set(found.tables) == set(wanted.tables)
    for name, table in wanted.tables.items():
        columns = found.tables[name].columns
        told = {one.name: (one.nullable, one.primary_key, one.type.python_type) for one in columns}
        assert told == {one.name: (one.nullable, one.primary_key, one.type.python_type) for one in table.columns}, name
        indexes = {
            (one["name"], tuple(one["column_names"]), bool(one["unique"]))
            for one in inspect(store.engine).get_indexes(name)
        }
        described = {
            (one.name, tuple(column.name for column in one.columns), bool(one.unique)) for one in table.indexes
        }
        assert described <= indexes, name


def test_an_answer_counts_once(queue, people, bank):
    (anna,) = people("anna")
    number = queue.add("sense", bank)
    task = queue.next(anna)
    assert (task.question, task.kind, task.body.senses, task.redo) == (number, "sense", bank["senses"], False)
    assert queue.next(anna) == task  # in another tab
    assert queue.answer(anna, task.id, {"sense": 0}, version="test") == "stored"
    assert queue.answer(anna, task.id, {"sense": 1}) == "already"
    assert [(one.by, one.answer.sense, one.body.word) for one in queue.answers()] == [("anna", 0, 4)]
    assert queue.next(anna) is None


def test_every_task_gets_the_answers_it_wants(queue, people, bank):
    names = people("anna", "bert", "carl")
    queue.add("sense", bank, wanted=2)
    assert queue.waiting() == 2
    given = [queue.next(one) for one in names]
    assert [one is None for one in given] == [False, False, True]
    assert queue.waiting() == 0  # they are on their way
    for one, task in zip(names[:2], given[:2], strict=True):
        queue.answer(one, task.id, {"sense": None})
    assert queue.next(names[2]) is None
    assert [one.answer.sense for one in queue.answers()] == [None, None]


def test_what_is_urgent_comes_first(queue, people, bank):
    (anna,) = people("anna")
    late = queue.add("sense", bank)
    first, second = queue.add_all("parse", [{"words": ["a"]}, {"words": ["b", "c"]}], priority=5)
    order = []
    while (task := queue.next(anna)) is not None:
        order.append((task.question, task.kind))
        queue.answer(anna, task.id, {"sense": 0} if task.kind == "sense" else {"heads": [0]})
    assert order == [(first, "parse"), (second, "parse"), (late, "sense")]
    assert [one.question for one in queue.answers("parse")] == [first, second]
    assert [one.answer.heads for one in queue.answers("parse")] == [[0], [0]]


def test_many_tasks_keep_their_order(queue, people):
    (anna,) = people("anna")
    numbers = queue.add_all("parse", ({"words": [str(at)]} for at in range(2500)))
    assert numbers == sorted(set(numbers))
    assert queue.add_all("parse", []) == []
    task = queue.next(anna)
    assert (task.question, task.body.words) == (numbers[0], ["0"])
    with queue.store.reading() as connection:
        bodies = connection.execute(select(queue.question.c.body).order_by(queue.question.c.id)).scalars().all()
    assert bodies[-1] == '{"words":["2499"]}'


def test_a_lease_ends(queue, people, bank, clock):
    anna, bert = people("anna", "bert")
    queue.add("sense", bank)
    task = queue.next(anna)
    assert queue.next(bert) is None
    clock.forward(minutes=11)
    taken = queue.next(bert)
    assert taken.question == task.question
    # Whoever had it may still answer, and finds it again.
    assert queue.next(anna).id == task.id
    assert queue.answer(anna, task.id, {"sense": 0}) == "stored"
    assert queue.answer(bert, taken.id, {"sense": 1}) == "stored"


def test_an_answer_can_be_taken_back(queue, people, bank):
    (anna,) = people("anna")
    queue.add("sense", bank)
    queue.add("sense", bank)
    first = queue.next(anna)
    queue.answer(anna, first.id, {"sense": 0})
    second = queue.next(anna)
    assert queue.undo(anna, second.id) == "closed"  # it has no answer
    assert queue.undo(anna, first.id) == "stored"
    assert queue.undo(anna, first.id) == "already"
    again = queue.next(anna)
    assert (again.question, again.redo) == (first.question, True)
    assert list(queue.answers()) == []
    assert queue.answer(anna, second.id, {"sense": 0}) == "closed"  # it was withdrawn
    queue.answer(anna, again.id, {"sense": 1})
    assert [one.answer.sense for one in queue.answers()] == [1]
    assert queue.next(anna).question == second.question


def test_tasks_of_others_are_unknown(queue, people, bank):
    anna, bert = people("anna", "bert")
    queue.add("sense", bank)
    task = queue.next(anna)
    for identity in (task.id, "nonsense", ""):
        with pytest.raises(UnknownTaskError, match="no such question"):
            queue.answer(bert, identity, {"sense": 0})
        with pytest.raises(UnknownTaskError):
            queue.undo(bert, identity)


@pytest.mark.parametrize(
    ("kind", "change", "error", "message"),
    [
        ("nonsense", {}, SettingsError, "no kind 'nonsense' of tasks; use one of sense, parse"),
        ("sense", {"word": "4"}, InputError, 'a task of kind sense is wrong: word must be a whole number, not "4"'),
        ("sense", {"word": -1}, InputError, "word must be at least 0"),
        ("sense", {"senses": ["one"]}, InputError, "senses must have at least 2 items"),
        ("sense", {"more": 1}, InputError, "more: extra inputs are not permitted"),
        ("sense", {"sentence": "\ud800"}, InputError, "surrogates not allowed"),
        ("sense", {"sentence": "x" * 70_000}, LimitError, "may have 65,536 bytes and this one has 70,0"),
    ],
)
def test_wrong_tasks_are_not_added(queue, people, bank, kind, change, error, message):
    (anna,) = people("anna")
    with pytest.raises(error, match=message):
        queue.add_all(kind, [bank, bank | change])
    assert queue.next(anna) is None  # neither of the two
    with pytest.raises(SettingsError, match="wants 1 answer or more, not 0"):
        queue.add("sense", bank, wanted=0)


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ({}, InputError, "an answer of kind sense is wrong: sense is missing"),
        ({"sense": "0"}, InputError, "sense"),
        ({"sense": 2}, InputError, "the word has 2 senses"),
        ({"sense": 0, "more": "x"}, InputError, "more"),
        ([], InputError, "is wrong: it"),
    ],
)
def test_wrong_answers_leave_the_task_open(queue, people, bank, answer, error, message):
    (anna,) = people("anna")
    queue.add("sense", bank)
    task = queue.next(anna)
    with pytest.raises(error, match=message):
        queue.answer(anna, task.id, answer)
    assert queue.next(anna) == task
    assert queue.answer(anna, task.id, {"sense": 1}) == "stored"


def test_answers_that_json_cannot_hold_or_are_too_large(queue, people):
    (anna,) = people("anna")
    queue.add("parse", {"words": ["a\x00", "\u2028</script>"]})
    task = queue.next(anna)
    assert task.body.words == ["a\x00", "\u2028</script>"]
    with pytest.raises(InputError, match="sure"):
        queue.answer(anna, task.id, {"heads": [0, 1], "sure": math.inf})
    with pytest.raises(LimitError, match="16,384 bytes"):
        queue.answer(anna, task.id, {"heads": [0] * 20_000})
    assert queue.answer(anna, task.id, {"heads": [0, 1], "sure": 0.5}) == "stored"


def test_kinds_nobody_knows_are_an_error(queue, people, bank, kinds):
    (anna,) = people("anna")
    queue.add("sense", bank)
    with pytest.raises(FormatError, match="tasks of kind 'sense', and this page knows parse"):
        Queue(queue.store, kinds[1:])
    del queue.kinds["sense"]  # another process, newer than this one, added them
    with pytest.raises(FormatError, match="use the tolka that added them"):
        queue.next(anna)


def test_a_body_that_was_tampered_with_is_an_error(queue, people, bank):
    (anna,) = people("anna")
    queue.add("sense", bank)
    with queue.store.writing() as connection:
        connection.execute(queue.question.update().values(body='{"sentence": 1}'))
    with pytest.raises(FormatError, match="is no Word"):
        queue.next(anna)


def test_answers_cannot_be_changed(queue, people, bank):
    (anna,) = people("anna")
    queue.add("sense", bank)
    queue.answer(anna, queue.next(anna).id, {"sense": 0})
    for change in (queue.given.update().values(body="{}"), queue.given.delete()):
        with pytest.raises(DBAPIError, match="append-only"), queue.store.writing() as connection:
            connection.execute(change)


def test_many_people_at_once(queue, people, bank):
    """Nobody waits in vain, no task gets more answers than it wants, and no answer counts twice."""
    team = people(*(f"helper-{number}" for number in range(6)))
    queue.add_all("sense", [bank] * 12, wanted=2)
    problems = []

    def work(one):
        try:
            while (task := queue.next(one)) is not None:
                receipts = [queue.answer(one, task.id, {"sense": 0}) for _ in range(2)]
                assert receipts == ["stored", "already"]
        except Exception as error:  # noqa: BLE001 (it is told below)
            problems.append(error)

    threads = [threading.Thread(target=work, args=(one,)) for one in team]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    times = Counter(one.question for one in queue.answers())
    assert len(times) == 12
    assert set(times.values()) == {2}
    assert max(Counter((one.question, one.by) for one in queue.answers()).values()) == 1
    with queue.store.reading() as connection:
        states = set(connection.execute(select(queue.task.c.state)).scalars())
    assert states == {"answered"}
    assert queue.waiting() == 0
