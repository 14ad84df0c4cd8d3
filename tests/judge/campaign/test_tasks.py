"""Handing out and taking: nothing lost, nothing counted twice, nothing asked twice."""

import threading
from collections import Counter

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import DBAPIError

from tolka.errors import InputError
from tolka.judge import Answer, Choice
from tolka.judge.campaign import BlankTest, ChoiceTest, Given, open_campaign, schema
from tolka.judge.campaign.overview import answer_log, audit_log, overview
from tolka.web.leases import UnknownTaskError

LEFT, RIGHT = Given(choice=Choice.LEFT), Given(choice=Choice.RIGHT)


def answer_all(campaign, account, most=10_000):
    number = 0
    while number < most and (task := campaign.next(account)) is not None:
        assert campaign.answer(account, task.id, LEFT) == "stored"
        number += 1
    return number


def test_every_question_comes_once_and_only_where_outputs_differ(make, rows, database):
    rows = [dict(row, text="the same") if row["item"] in "ab" and row["segment"] == "3" else row for row in rows]
    campaign = make(rows, database=database)
    campaign.invite("anna")
    anna = campaign.named("anna")
    assert answer_all(campaign, anna) == 6 * 6 - 1
    asked = Counter((one.segment, *sorted((one.left, one.right))) for one in campaign.answers())
    assert set(asked.values()) == {1}
    assert ("3", "a", "b") not in asked


def test_two_tabs_see_the_same_question_and_it_counts_once(campaign, anna):
    first, second = campaign.next(anna), campaign.next(anna)
    assert first == second
    assert campaign.answer(anna, first.id, LEFT) == "stored"
    assert campaign.answer(anna, first.id, RIGHT) == "already"
    (only,) = campaign.answers()
    assert only.choice == Choice.LEFT
    assert campaign.next(anna).id != first.id


def test_many_submits_at_once_store_one_answer(campaign, anna):
    for _ in range(3):
        task = campaign.next(anna)
        receipts: list[str] = []
        together = threading.Barrier(8)

        def submit(task=task, receipts=receipts, together=together):
            together.wait()
            receipts.append(campaign.answer(anna, task.id, LEFT))

        threads = [threading.Thread(target=submit) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Counter(receipts) == {"stored": 1, "already": 7}
    assert len(list(campaign.answers())) == 3


def test_many_tabs_at_once_open_one_question(campaign, anna):
    found = []
    together = threading.Barrier(8)

    def look():
        together.wait()
        found.append(campaign.next(anna).id)

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(found)) == 1


def test_a_question_is_one_judges_alone(campaign, anna, bert):
    task = campaign.next(anna)
    with pytest.raises(UnknownTaskError):
        campaign.answer(bert, task.id, LEFT)
    with pytest.raises(UnknownTaskError):
        campaign.answer(bert, "made-up", LEFT)
    with pytest.raises(UnknownTaskError):
        campaign.undo(bert, task.id)


@pytest.mark.parametrize(
    "given", [Given(), Given(choice=Choice.TIE), Given(choice=Choice.UNDECIDED), Given(ticked=(1,))]
)
def test_wrong_answers_change_nothing(campaign, anna, given):
    task = campaign.next(anna)
    with pytest.raises(InputError, match="comparison"):
        campaign.answer(anna, task.id, given)
    assert campaign.next(anna) == task
    assert not list(campaign.answers())


def test_undecided_is_stored_where_it_is_offered(make):
    campaign = make(show={"undecided": True})
    campaign.invite("anna")
    anna = campaign.named("anna")
    assert campaign.answer(anna, campaign.next(anna).id, Given(choice=Choice.UNDECIDED)) == "stored"
    assert next(campaign.answers()).winner is None


def test_undo_is_a_new_record_and_the_question_comes_again(campaign, anna):
    first = campaign.next(anna)
    campaign.answer(anna, first.id, LEFT)
    shown, second = campaign.show(first), campaign.next(anna)
    assert campaign.undoable(anna) == first.id
    assert campaign.undo(anna, first.id) == "stored"
    assert campaign.undo(anna, first.id) == "already"
    again = campaign.next(anna)
    assert again.redo
    assert again.id not in {first.id, second.id}
    assert campaign.show(again).left == shown.left
    assert not list(campaign.answers())
    assert campaign.undoable(anna) is None
    # The question that was open meanwhile is no longer; what the other tab sends for it is refused, not lost silently.
    assert campaign.answer(anna, second.id, LEFT) == "closed"
    assert campaign.answer(anna, first.id, RIGHT) == "closed"
    assert campaign.answer(anna, again.id, RIGHT) == "stored"
    (only,) = campaign.answers()
    assert only.choice == Choice.RIGHT
    assert campaign.answered(anna) == 1
    with campaign.store.reading() as connection:
        kinds = connection.execute(select(schema.answer.c.kind).order_by(schema.answer.c.id)).scalars().all()
    assert kinds == ["answer", "undo", "answer"]
    assert [line.what for line in answer_log(campaign)][1] == "took back"


def test_only_the_last_answer_can_be_taken_back(campaign, anna):
    first = campaign.next(anna)
    campaign.answer(anna, first.id, LEFT)
    campaign.answer(anna, campaign.next(anna).id, LEFT)
    assert campaign.undo(anna, first.id) == "closed"
    assert len(list(campaign.answers())) == 2


def test_a_judge_who_goes_away_leaves_room(make, database, clock):
    campaign = make(database=database, ask={"target": 2, "lease_minutes": 10.0})
    for name in ("anna", "bert", "carl", "dora"):
        campaign.invite(name)
    anna, bert, carl, dora = (campaign.named(name) for name in ("anna", "bert", "carl", "dora"))
    task = campaign.next(anna)
    assert campaign.next(bert) is not None
    assert campaign.next(carl) is None  # two are on their way already
    clock.forward(minutes=11)
    answer_all(campaign, carl, most=1)
    # Anna comes back: her question waits for her, and her answer is kept.
    assert campaign.next(anna).id == task.id
    assert campaign.answer(anna, task.id, LEFT) == "stored"
    assert len(list(campaign.answers())) == 2
    assert campaign.next(dora) is None


def test_an_answer_after_the_lease_is_kept(campaign, anna, clock):
    task = campaign.next(anna)
    clock.forward(days=3)
    assert campaign.answer(anna, task.id, LEFT) == "stored"


def test_as_many_as_each_judge_is_asked_for(make, database):
    campaign = make(database=database, ask={"per_judge": 5})
    campaign.invite("anna")
    anna = campaign.named("anna")
    assert answer_all(campaign, anna) == 5
    campaign.undo(anna, campaign.undoable(anna))
    assert answer_all(campaign, anna) == 1


def test_sides_are_shuffled_and_logged(make):
    campaign = make()
    campaign.invite("anna")
    anna = campaign.named("anna")
    lefts = Counter()
    while (task := campaign.next(anna)) is not None:
        shown = campaign.show(task)
        campaign.answer(anna, task.id, LEFT)
        *_, last = campaign.answers()
        assert shown.left.startswith(last.left)
        assert shown.right.startswith(last.right)
        assert shown.source == f"quelle {last.segment}"
        lefts[last.left < last.right] += 1
    assert min(lefts.values()) > 36 / 5


def test_times_are_the_browsers_where_they_can_be_true(campaign, anna, clock):
    for measured, expected in [(4.25, 4.25), (9000.0, 7.0), (None, 7.0), (-1.0, 7.0), (float("nan"), 7.0)]:
        task = campaign.next(anna)
        clock.forward(seconds=7)
        campaign.answer(anna, task.id, Given(choice=Choice.LEFT, seconds=measured))
        *_, last = campaign.answers()
        assert last.seconds == expected


def test_a_clock_that_goes_back_makes_no_answer_quick(campaign, anna, clock):
    for measured, expected in [(4.25, 4.25), (None, None), (1e9, None)]:
        task = campaign.next(anna)
        clock.forward(hours=-5)
        campaign.answer(anna, task.id, Given(choice=Choice.LEFT, seconds=measured))
        *_, last = campaign.answers()
        assert last.seconds == expected


def test_pause_and_stop_hand_out_nothing_but_take_what_is_open(campaign, anna, bert):
    task = campaign.next(anna)
    campaign.turn("paused")
    assert campaign.state == "paused"
    assert campaign.next(bert) is None
    assert campaign.answer(anna, task.id, LEFT) == "stored"
    assert campaign.next(anna) is None
    campaign.turn("running")
    assert campaign.next(anna) is not None
    assert [line.what for line in audit_log(campaign)][:2] == ["running", "paused"]


def test_answers_cannot_be_changed_even_in_the_database(campaign, anna):
    campaign.answer(anna, campaign.next(anna).id, LEFT)
    for statement in (schema.answer.update().values(choice="right"), schema.answer.delete()):
        with pytest.raises(DBAPIError, match="append-only"), campaign.store.writing() as connection:
            connection.execute(statement)
    assert next(campaign.answers()).choice == Choice.LEFT


def test_tests_come_at_their_rate_once_each_and_are_marked(make, database):
    tests = [
        BlankTest("I ___ the supplier to divert the shipment.", ("wanted", "know", "saw", "seemed"), (0,)),
        ChoiceTest("a good one", "one bad a"),
    ]
    campaign = make(test_questions=tests, tests={"rate": 1.0}, database=database)
    campaign.invite("anna")
    anna = campaign.named("anna")
    kinds = []
    for _ in range(2):
        task = campaign.next(anna)
        shown = campaign.show(task)
        kinds.append(shown.kind)
        if shown.kind == "blank":
            with pytest.raises(InputError, match="blank"):
                campaign.answer(anna, task.id, LEFT)
            with pytest.raises(InputError, match="blank"):
                campaign.answer(anna, task.id, Given(ticked=(4,)))
            campaign.answer(anna, task.id, Given(ticked=(0, 2)))
        else:
            campaign.answer(anna, task.id, LEFT if shown.left == "a good one" else RIGHT)
    assert sorted(kinds) == ["blank", "compare"]
    assert campaign.next(anna).test is None
    results = {one.segment: one.choice == one.test for one in campaign.answers()}
    assert results == {"test-0": False, "test-1": True}
    (row,) = overview(campaign).judges
    assert (row.answers, row.tests, row.passed) == (0, 2, 1)


def test_what_is_answered_is_there_after_opening_again(campaign, anna, clock):
    answer_all(campaign, anna, most=5)
    before, task = list(campaign.answers()), campaign.next(anna)
    with open_campaign(campaign.directory, clock=clock) as again:
        assert list(again.answers()) == before
        assert again.next(anna) == task
        assert again.items == campaign.items


def test_tallies_count_what_answers_say(campaign, anna, bert):
    answer_all(campaign, anna, most=12)
    answer_all(campaign, bert, most=8)
    assert campaign.import_answers(list(campaign.answers())[:5], "0" * 64, equal=True).new == 5
    tallied = Counter()
    for one in campaign.tallies():
        tallied[one.left, one.right, one.choice] += one.weight
    assert tallied == Counter((one.left, one.right, one.choice) for one in campaign.answers())
    assert campaign.number() == 25


def test_a_file_is_imported_once(campaign):
    answers = [Answer("a", "b", judge="x"), Answer("c", "a", judge="y", sided=True, test=None)]
    assert campaign.import_answers(answers, "f" * 64) == (2, 0)
    assert campaign.import_answers(answers, "f" * 64) == (0, 2)
    assert campaign.import_answers(answers, "f" * 64, equal=True) == (0, 2)
    assert list(campaign.answers()) == answers
    with pytest.raises(InputError, match="'z', which is no item"):
        campaign.import_answers([Answer("a", "b"), Answer("a", "z")], "e" * 64)
    assert len(list(campaign.answers())) == 2


def test_agreement_and_cost(make, rows, database):
    campaign = make(
        [row for row in rows if row["item"] in "ab" and row["segment"] in "0123"],
        database=database,
        cost={"per_answer": 0.1},
    )
    for name, choose in (("anna", "a"), ("bert", "a"), ("carl", "b")):
        campaign.invite(name)
        account = campaign.named(name)
        while (task := campaign.next(account)) is not None:
            campaign.answer(account, task.id, LEFT if campaign.show(task).left.startswith(choose) else RIGHT)
    found = overview(campaign)
    assert (found.answers, found.compared) == (12, 12)
    assert found.agreement == pytest.approx(1 / 3)
    assert found.chance_corrected == pytest.approx(-1 / 3)
    assert found.cost == pytest.approx(1.2)
    assert [row.agreed for row in found.judges] == [0.5, 0.5, 0.0]
    with campaign.store.reading() as connection:
        assert connection.execute(select(func.count()).select_from(schema.answer)).scalar() == 12
