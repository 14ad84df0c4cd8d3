"""Questions out, answers in: who gets what, what counts, and that all follows from the log."""

import json
import random

import pytest
from sqlalchemy import select, update
from tests.assist.readings import ReadingDialogue, ReadingTask

from tolka.assist import GoneError
from tolka.assist.dialogue import Question
from tolka.assist.tasks import Given, Known, TaskSettings, create_tasks, open_tasks, read_known, schema
from tolka.assist.tasks.replay import Play, Said, Trusting
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.judge.campaign import BlankTest
from tolka.web.leases import UnknownTaskError

BLANK = BlankTest("I ___ the supplier to divert it.", ("wanted", "know", "saw"), (0,))


def rows_of(tasks, table):
    with tasks.store.reading() as connection:
        return connection.execute(select(table)).all()


def sentence_of(tasks, row):
    return rows_of(tasks, schema.sentence)[row.sentence_id].text


def say(tasks, account, said=True):
    """Answers whatever is asked now; returns the sentence's number."""
    row = tasks.next(account)
    kind = json.loads(row.body)["kind"]
    number = len(json.loads(row.body)["order"])
    given = Given(said=(said,) * number) if kind == "rewrite" else Given(said=int(not said))
    assert tasks.answer(account, row.id, given) == "stored"
    return row.sentence_id


def test_the_most_telling_question_that_nobody_has_comes_first(make, people, database):
    tasks = make(database=database)
    anna, bert = people(tasks, "anna", "bert")
    telling = sorted(rows_of(tasks, schema.standing), key=lambda row: (-row.information, row.sentence_id))
    first, second = tasks.next(anna), tasks.next(bert)
    assert [first.sentence_id, second.sentence_id] == [row.sentence_id for row in telling[:2]]
    assert tasks.next(anna).id == first.id
    say(tasks, anna)
    assert tasks.next(anna).sentence_id != second.sentence_id
    assert tasks.view(anna).answered == 1


def test_answers_change_what_is_asked_and_results_until_nothing_is_left(make, people):
    tasks = make()
    (anna,) = people(tasks, "anna")
    count = 0
    while tasks.next(anna) is not None:
        say(tasks, anna, said=count % 3 == 0)
        count += 1
    assert count == 12  # two questions a sentence
    for number in range(6):
        play = tasks.play(number)
        assert play.asked == 2
        by_hand = ReadingDialogue(ReadingTask().prepare(play.dialogue.text), lambda _: 0.9)
        for effect in play.dialogue.account():
            assert effect.by == "anna"
            by_hand.answer(effect.question.id, effect.answer, by="anna")
        assert by_hand.result == play.dialogue.result
        assert by_hand.account() == play.dialogue.account()


def test_where_it_stands_follows_from_the_log_alone(make, people):
    tasks = make(ask={"judgements": 2}, judges={"least_tests": 1})
    accounts = people(tasks, "anna", "bert", "carl")
    rng = random.Random(1)  # noqa: S311
    for _ in range(20):
        account = rng.choice(accounts)
        if tasks.next(account) is not None:
            say(tasks, account, said=rng.random() < 0.6)
        if rng.random() < 0.2 and (last := tasks.view(account).undoable):
            tasks.undo(account, last)
    kept = rows_of(tasks, schema.standing)
    results = [tasks.play(number).dialogue.result for number in range(6)]
    with tasks.store.writing() as connection:
        connection.execute(schema.standing.delete())
    with open_tasks(tasks.directory) as again:
        with again.store.writing() as connection:
            again.asking.settle_all(connection)
        assert sorted(rows_of(again, schema.standing)) == sorted(kept)
        assert [again.play(number).dialogue.result for number in range(6)] == results


def test_an_answer_to_a_question_that_is_gone_is_refused(make, people, clock):
    tasks = make()
    anna, bert = people(tasks, "anna", "bert")
    late = tasks.next(anna)
    clock.forward(minutes=31)
    assert tasks.next(bert).sentence_id == late.sentence_id  # the lease has ended
    say(tasks, bert)
    with pytest.raises(GoneError, match="no longer asked"):
        tasks.answer(anna, late.id, Given(said=(True,)))
    assert len(rows_of(tasks, schema.answer)) == 1
    # What comes instead is another question, and the old one is closed.
    now = tasks.next(anna)
    assert now.id != late.id
    assert tasks.answer(anna, late.id, Given(said=(True,))) == "closed"


def test_an_answer_in_time_though_the_lease_has_ended_counts(make, people, clock):
    tasks = make()
    anna, bert = people(tasks, "anna", "bert")
    late = tasks.next(anna)
    clock.forward(minutes=31)
    other = tasks.next(bert)
    assert other.sentence_id == late.sentence_id
    assert tasks.answer(anna, late.id, Given(said=(True,))) == "stored"
    with pytest.raises(GoneError):
        tasks.answer(bert, other.id, Given(said=(True,)))


def test_taking_back_asks_the_same_again_in_the_same_order(make, people):
    tasks = make(["pair of sentences"])
    (anna,) = people(tasks, "anna")
    before = tasks.view(anna)
    tasks.answer(anna, before.shown.task, Given(said=(True, False)))
    assert tasks.view(anna).shown is None
    assert tasks.undo(anna, tasks.view(anna).undoable) == "stored"
    again = tasks.view(anna)
    assert again.shown.choices == before.shown.choices
    assert again.before.said == (True, False)
    assert again.undoable is None
    assert tasks.play(0).asked == 0
    tasks.answer(anna, again.shown.task, Given(said=(False, True)))
    (effect,) = tasks.play(0).dialogue.account()
    said = dict(zip(effect.question.choices, effect.answer, strict=True))
    assert said == dict(zip(before.shown.choices, (False, True), strict=True))


def test_words_are_shown_in_any_order_and_understood(make, people):
    tasks = make([f"word number {number} x" for number in range(20)])
    (anna,) = people(tasks, "anna")
    orders = set()
    for _ in range(20):
        shown = tasks.view(anna).shown
        assert shown.kind == "substitute"
        assert shown.focus == (0, 1)
        orders.add(shown.choices[0].split()[-2])
        at = next(at for at, word in enumerate(shown.choices) if "second" in word)
        tasks.answer(anna, shown.task, Given(said=at))
    assert orders == {"first", "second"}
    assert all(tasks.play(number).dialogue.result.startswith("(LOW") for number in range(20))


@pytest.mark.parametrize(
    "given", [Given(said=(True, True, True)), Given(said=1), Given(), Given(ticked=(0,)), Given(said=(1, 0))]
)
def test_what_does_not_fit_is_refused(make, people, given):
    tasks = make(["pair of sentences"])
    anna, bert = people(tasks, "anna", "bert")
    row = tasks.next(anna)
    with pytest.raises(InputError):
        tasks.answer(anna, row.id, given)
    with pytest.raises(UnknownTaskError):
        tasks.answer(bert, row.id, Given(said=(True, True)))
    assert not rows_of(tasks, schema.answer)


def test_who_fails_the_tests_does_not_count_and_is_asked_no_more(make, people):
    question = Question.ask("rewrite", "I saw him", ["He was seen by me", "He saw me"])
    sentences = [f"apart number {number}" for number in range(40)]
    tasks = make(
        sentences, known=[Known(question, (True, False)), BLANK], tests={"rate": 0.5}, judges={"least_tests": 2}
    )
    anna, bert = people(tasks, "anna", "bert")
    seen = set()
    while (row := tasks.next(anna)) is not None:
        shown = tasks.view(anna).shown
        wrong = Given(ticked=(0, 1)) if shown.kind == "blank" else Given(said=(False,) * len(shown.choices))
        tasks.answer(anna, row.id, wrong)
        seen.add(row.sentence_id)
    with tasks.store.reading() as connection:
        assert tasks.asking.shut_out(connection) == {anna.id}
        assert tasks.asking.tests_of(connection) == {anna.id: (0, 2)}
    assert all(tasks.play(number).asked == 0 for number in range(40))
    # Taking the last one back, and doing better, lets all of it count again.
    tasks.undo(anna, tasks.view(anna).undoable)
    shown = tasks.view(anna).shown
    if shown.kind == "blank":
        tasks.answer(anna, shown.task, Given(ticked=(shown.choices.index("wanted"),)))
    else:
        tasks.answer(anna, shown.task, Given(said=tuple(one.startswith("He was") for one in shown.choices)))
    with tasks.store.reading() as connection:
        assert tasks.asking.tests_of(connection) == {anna.id: (1, 2)}
    assert [number for number in range(40) if tasks.play(number).asked] == sorted(seen - {None})
    assert tasks.next(bert) is not None


def test_how_somebody_does_is_how_far_they_are_believed(make, people):
    tasks = make(known=[BLANK], tests={"rate": 1.0})
    (anna,) = people(tasks, "anna")
    shown = tasks.view(anna).shown
    tasks.answer(anna, shown.task, Given(ticked=(shown.choices.index("know"),)))
    say(tasks, anna)
    *_, last = rows_of(tasks, schema.answer)
    assert last.trust == pytest.approx(4.5 / 6)


def test_several_people_are_asked_each_question(make, people):
    tasks = make(["pair of sentences"], ask={"judgements": 3})
    accounts = people(tasks, "anna", "bert", "carl", "dora")
    rows = [tasks.next(one) for one in accounts]
    assert rows[3] is None
    for account, row, said in zip(accounts, rows, (True, True, False), strict=False):
        assert tasks.play(0).asked == 0
        tasks.answer(account, row.id, Given(said=(said, said)))
    (effect,) = tasks.play(0).dialogue.account()
    assert effect.answer == (True, True)
    assert effect.by == "anna, bert, carl"


def test_limits_of_a_person_and_of_a_sentence(make, people):
    tasks = make(ask={"per_judge": 3, "per_sentence": 1})
    (anna, bert, carl) = people(tasks, "anna", "bert", "carl")
    seen = [say(tasks, anna), say(tasks, anna), say(tasks, anna)]
    assert tasks.next(anna) is None
    seen += [say(tasks, bert), say(tasks, bert), say(tasks, bert)]
    assert sorted(seen) == list(range(6))
    assert tasks.next(carl) is None


def test_what_cannot_be_read_is_told_and_kept(make, people):
    tasks = make(["unreadable sentence", "pair of sentences"])
    assert [trouble for *_, trouble in tasks.texts()] == ["no reading was found", ""]
    assert tasks.play(0) is None
    (anna,) = people(tasks, "anna")
    assert say(tasks, anna) == 1
    assert tasks.next(anna) is None


def test_a_directory_is_made_whole_or_not_at_all(tmp_path):
    settings = TaskSettings.from_values({"task": "readings"})
    folder = tmp_path / "tasks"

    def broken():
        yield "a sentence"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        create_tasks(folder, broken(), settings, ReadingTask())
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="no sentences"):
        create_tasks(folder, [], settings, ReadingTask())
    folder.mkdir()
    made = create_tasks(folder, ["pair one", "unreadable"], settings, ReadingTask())
    assert (made.sentences, made.askable, made.troubles) == (2, 1, {1: "no reading was found"})
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}
    with pytest.raises(FileError, match="there already"):
        create_tasks(folder, ["pair one"], settings, ReadingTask())
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="there already"):
        create_tasks(tmp_path / "file", ["pair one"], settings, ReadingTask())
    with pytest.raises(FileError, match="there are no tasks here"):
        open_tasks(tmp_path)


def test_damaged_material_is_told(make):
    tasks = make(["pair of sentences"])
    with tasks.store.writing() as connection:
        connection.execute(update(schema.sentence).values(material='{"text": 3}'))
    with pytest.raises(FormatError, match=r"sentence 1: what is kept of it makes no sense"):
        tasks.play(0)


def test_settings(tmp_path):
    with pytest.raises(SettingsError, match="unknown setting tests"):
        TaskSettings.from_values({"task": "readings", "tests": {"rat": 1.0}})
    create_tasks(tmp_path / "tasks", ["pair"], TaskSettings.from_values({"task": "nothing"}), ReadingTask())
    with pytest.raises(SettingsError, match="there is no task 'nothing'"):
        open_tasks(tmp_path / "tasks")


def test_the_order_of_answers_does_not_matter():
    texts = ReadingTask().prepare("apart from this")
    asked = []
    guide = ReadingDialogue(texts, lambda _: None)
    while (question := guide.question) is not None:
        asked.append(Said(question.id, question.id, (True,), "anna"))
        guide.answer(question.id, (True,))
    for said in (asked, asked[::-1]):
        trust = Trusting()
        play = Play(ReadingDialogue(texts, trust), trust)
        assert play.go(said) is None
        assert play.used == tuple(one.id for one in asked)
        assert play.dialogue.result == guide.result
    # Without the first, the second is not heard until the first question is answered again.
    trust = Trusting()
    play = Play(ReadingDialogue(texts, trust), trust)
    assert play.go(asked[1:]).id == asked[0].id
    assert play.go([Said("again", asked[0].id, (True,)), *asked[1:]]) is None
    assert play.used == ("again", asked[1].id)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"kind": "rewrite", "text": "a", "choices": ["b"]}', "needs kind, text, choices and answer"),
        ('{"kind": "rewrite", "text": "a", "choices": "b", "answer": [true]}', "choices a list of texts"),
        ('{"kind": "rewrite", "text": "a", "choices": ["b"], "answer": [null]}', "nobody could fail"),
        ('{"kind": "rewrite", "text": "a", "choices": ["b"], "answer": [1]}', "whether each means the same"),
        ('{"kind": "substitute", "text": "a", "choices": ["b", "c"], "answer": 0}', "needs a focus"),
        ('{"kind": "substitute", "text": "a", "choices": ["b", "c"], "answer": 0, "focus": [0]}', "two numbers"),
        ('{"kind": "up", "text": "a", "choices": ["b"], "answer": [true]}', "no kind 'up'"),
        ('{"kind": "rewrite", "text": "a", "choices": ["b"], "answer": [true], "x": 1}', "unknown field 'x'"),
        ('{"better": "a", "worse": "b"}', "for tolka judge"),
        ("[1]", "not a JSON object"),
    ],
)
def test_bad_test_questions_are_told(tmp_path, line, told):
    path = tmp_path / "known.jsonl"
    path.write_text(line + "\n", "utf-8")
    with pytest.raises(FormatError, match=told) as error:
        read_known(path)
    assert str(path) in str(error.value)


def test_good_test_questions_are_read(tmp_path):
    path = tmp_path / "known.jsonl"
    path.write_text(
        '{"text": "I ___ it.", "options": ["saw", "sees"], "right": ["saw"]}\n'
        '{"kind": "substitute", "text": "das ist schwer", "focus": [2, 3], "choices": ["a", "b"], "answer": 1}\n',
        "utf-8",
    )
    blank, known = read_known(path)
    assert blank == BlankTest("I ___ it.", ("saw", "sees"), (0,))
    assert known.passed(1)
    assert not known.passed(0)
    assert not known.passed(None)
