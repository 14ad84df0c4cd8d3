"""Orders out, submissions in: what counts, what is paid, who is shut out, on every platform."""

import csv
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.judge.campaign import CampaignSettings, Material, create_campaign
from tolka.judge.exchange import read_answers
from tolka.judge.platform import (
    Compare,
    Gate,
    LocalPlatform,
    Order,
    Rewrite,
    SimulatedPlatform,
    Submission,
    Substitute,
    TestItem,
    TurkFiles,
    bank,
    campaign_orders,
    diligent,
    one_sided,
    queue_kinds,
    review,
    settle,
    settle_all,
    spammer,
    to_answers,
    write_results,
)
from tolka.judge.platform.gate import ANEW, FAILED
from tolka.judge.rank import Ranker
from tolka.web.accounts import Accounts
from tolka.web.store import Store
from tolka.web.tables import stamp
from tolka.web.tasks import Queue, tables_1

KEYED = TestItem(text="I ___ it.", options=("saw", "sees", "known"), right=(0,))
SCORES = {"a": 1.2, "b": 0.4, "c": -0.4, "d": -1.2}


def compare(name, wanted=1, left="a", right="b", test=KEYED):
    body = Compare(reference="r", left=f"{left} says", right=f"{right} says", test=test)
    about = {"left": left, "right": right, "segment": name, "gap": SCORES[left] - SCORES[right]}
    return Order(name, "compare", body, wanted, about)


def orders(number=120, wanted=2):
    rng = np.random.default_rng(3)
    pairs = [rng.choice(list(SCORES), 2, replace=False).tolist() for _ in range(number)]
    return [compare(f"q{at}", wanted, *pair) for at, pair in enumerate(pairs)]


def handed(identity, order="q", worker="anna", choice="left", ticked=(0,), **more):
    return Submission(identity, order, worker, {"choice": choice, "ticked": list(ticked)}, **more)


class TestGate:
    def test_a_failed_test_item_is_refused(self):
        found = review([handed("1"), handed("2", worker="bo", ticked=(1,))], [compare("q", 2)])
        assert [one.submission.id for one in found.counted] == ["1"]
        assert found.rejected == {"2": FAILED}
        assert found.approved == ("1",)
        assert found.lacking == {"q": 1}
        kind = review([handed("2", ticked=(1,))], [compare("q")], Gate(reject_failed=False))
        assert (kind.approved, kind.unused, kind.counted) == (("2",), {"2": FAILED}, ())

    def test_each_counts_once(self):
        found = review([handed("1"), handed("1"), handed("2", choice="right")], [compare("q", 3)])
        assert [one.answer.choice for one in found.counted] == ["left"]
        assert found.unused == {"2": ANEW}  # it was work, so it is paid
        assert found.approved == ("1", "2")
        assert found.tests == {"anna": (2, 2)}

    def test_what_is_no_answer(self):
        found = review(
            [handed("1", order="other"), Submission("2", "q", "anna", {"choice": "up", "ticked": [0]})], [compare("q")]
        )
        assert found.rejected["1"] == "this question was never asked"
        assert found.rejected["2"].startswith("this is no answer")
        assert not found.approved

    def test_who_fails_often_is_shut_out_with_all_they_said(self):
        asked = [compare(f"q{at}") for at in range(5)]
        said = [handed(str(at), f"q{at}", ticked=(0,) if at == 4 else (2,)) for at in range(5)]
        found = review(said, asked)
        assert found.blocked == {"anna": "1 of 5 test questions were right"}
        assert found.counted == ()
        assert found.unused == {"4": "1 of 5 test questions were right"}
        assert review(said, asked, Gate(least_tests=6)).blocked == {}

    def test_too_quick(self):
        found = review(
            [handed("1", seconds=1.0), handed("2", worker="bo", seconds=9.0)], [compare("q", 2)], Gate(least_seconds=2)
        )
        assert [one.submission.id for one in found.counted] == ["2"]
        assert found.unused == {"1": "it took less than 2 s"}

    def test_without_test_items_all_are_heard(self):
        found = review([Submission("1", "q", "anna", {"choice": "right"})], [compare("q", test=None)])
        [answer] = to_answers(found.counted)
        assert (answer.winner, answer.loser, answer.sided, answer.segment) == ("b", "a", True, "q")

    @given(
        st.lists(
            st.tuples(st.integers(0, 9), st.sampled_from("qp"), st.sampled_from("xyz"), st.booleans()), max_size=25
        )
    )
    def test_order_and_repeats_change_little(self, made):
        asked = [compare("q", 2), compare("p", 2)]
        said = [handed(f"{i}{o}{w}", o, w, ticked=(0,) if right else (1,)) for i, o, w, right in made]
        once = review(said, asked)
        again = review([*said, *said], asked)
        assert once == again
        pairs = [(one.submission.worker, one.order.id) for one in once.counted]
        assert len(pairs) == len(set(pairs))
        # Every submission ends in one place: paid or refused.
        assert set(once.approved) | set(once.rejected) == {one.id for one in said}
        assert not set(once.approved) & set(once.rejected)
        assert set(once.unused) <= set(once.approved)

    def test_settings(self):
        for wrong in ({"least_correct": 2}, {"least_tests": 0}, {"least_seconds": -1}):
            with pytest.raises(SettingsError):
                Gate(**wrong)


class TestSimulator:
    def test_spammers_are_found_out(self):
        people = [diligent(f"w{at}") for at in range(8)] + [
            spammer("s1"),
            spammer("s2"),
            one_sided("s3"),
            one_sided("s4"),
        ]
        platform = SimulatedPlatform(people, seed=4)
        asked = orders()
        platform.publish(asked)
        found = settle_all(platform, asked)
        assert set(platform.blocked) == {"s1", "s2", "s3", "s4"}
        assert not {one.submission.worker for one in found.counted} & set(platform.blocked)
        assert found.lacking == {}
        assert platform.approved == set(found.approved)
        assert platform.rejected.keys() == found.rejected.keys()
        ranking = Ranker().fit(to_answers(found.counted))
        assert ranking.items == ("a", "b", "c", "d")

    def test_spam_flattens_a_ranking_and_the_gate_repairs_it(self):
        people = [diligent(f"w{at}") for at in range(6)] + [spammer(f"s{at}") for at in range(6)]
        platform = SimulatedPlatform(people, seed=5)
        asked = orders(400, 1)
        platform.publish(asked)
        gated = review(platform.collect(), asked)
        bare = [replace(order, body=order.body.model_copy(update={"test": None})) for order in asked]
        untested = [replace(one, answer={"choice": one.answer["choice"]}) for one in platform.collect()]
        heard = review(untested, bare)
        assert len(heard.counted) == 400
        spread = [float(np.ptp(Ranker().fit(to_answers(one.counted)).scores)) for one in (gated, heard)]
        assert spread[0] > 1.3 * spread[1]

    def test_same_seed_same_submissions(self):
        def run(seed):
            platform = SimulatedPlatform([diligent("w", twice=0.3), spammer("s", leaves=0.5)], seed=seed)
            platform.publish(orders(30))
            return platform.collect()

        assert run(1) == run(1)
        assert run(1) != run(2)

    def test_leaving_and_handing_in_twice(self):
        platform = SimulatedPlatform([diligent("w", leaves=1.0), diligent("v", twice=1.0)])
        platform.publish(orders(10, 1))
        submissions = platform.collect()
        # What one took and left, the other got; handed in twice, it counts once.
        assert {one.worker for one in submissions} == {"v"}
        assert Counter(one.id for one in submissions) == {f"s{at}": 2 for at in range(1, 20, 2)}
        assert len(review(submissions, orders(10, 1)).counted) == 10

    def test_it_ends_where_nobody_is_left_to_ask(self):
        platform = SimulatedPlatform([diligent("w", knows=1.0), spammer("s")], seed=1)
        platform.publish(orders(10, 2))
        found = settle_all(platform, orders(10, 2))
        assert set(found.lacking.values()) == {1}
        assert {one.submission.worker for one in found.counted} == {"w"}

    def test_nobody_gets_an_order_twice(self):
        platform = SimulatedPlatform([diligent("w"), diligent("v")])
        platform.publish(orders(10, 5))
        pairs = [(one.order, one.worker) for one in platform.collect()]
        assert len(pairs) == len(set(pairs)) == 20
        assert sum(platform.outstanding().values()) == 30

    def test_other_kinds(self):
        asked = [
            Order("s", "substitute", Substitute(phrase="x", options=("y", "z")), 200, {"gap": 2.0}),
            Order("r", "rewrite", Rewrite(sentence="x", rewrites=("y", "z")), 200, {"same": [True, False]}),
        ]
        platform = SimulatedPlatform([diligent(f"w{at}", lapse=0) for at in range(200)], seed=2)
        platform.publish(asked)
        found = review(platform.collect(), asked)
        chosen = [one.answer.chosen for one in found.counted if one.order.id == "s"]
        same = [one.answer.same for one in found.counted if one.order.id == "r"]
        assert chosen.count(0) / 200 == pytest.approx(1 / (1 + np.exp(-2)), abs=0.08)
        assert np.mean(same, axis=0) == pytest.approx([0.9, 0.25], abs=0.1)
        assert to_answers(found.counted) == []

    def test_what_is_refused(self):
        with pytest.raises(SettingsError):
            SimulatedPlatform([diligent("w"), spammer("w")])
        platform = SimulatedPlatform([diligent("w")])
        platform.publish([replace(compare("q"), about={})])
        with pytest.raises(InputError, match="no 'gap'"):
            platform.collect()


@pytest.fixture
def queue(tmp_path, clock):
    store = Store(tmp_path / "tasks.db", create=True)
    store.migrate([tables_1], stamp(clock()))
    yield Queue(store, queue_kinds(), minutes=30, clock=clock)
    store.close()


class TestLocal:
    def people(self, queue, *names):
        with queue.store.writing() as connection:
            return [
                Accounts(queue.account).invite(connection, name, "helper", stamp(queue.clock()))[0] for name in names
            ]

    def test_from_order_to_answer(self, queue):
        anna, bo = self.people(queue, "anna", "bo")
        platform, asked = LocalPlatform(queue), [compare("q", 1)]
        platform.publish(asked)
        task = queue.next(anna)
        assert task.body.body.left == "a says"
        with pytest.raises(InputError, match="test item is not answered"):
            queue.answer(anna, task.id, {"choice": "left"})
        queue.answer(anna, task.id, {"choice": "left", "ticked": [1]})
        found = settle(platform, asked)
        assert found.rejected == {"1.anna": FAILED}
        # The place of a refused answer goes to someone else, once.
        assert platform.outstanding() == {"q": 1}
        assert settle(platform, asked) == found
        assert platform.outstanding() == {"q": 1}
        assert queue.next(anna) is None
        queue.answer(bo, queue.next(bo).id, {"choice": "right", "ticked": [0]})
        found = settle(platform, asked)
        assert [answer.winner for answer in to_answers(found.counted)] == ["b"]
        assert platform.verdicts() == {"1.anna": f"rejected: {FAILED}", "1.bo": "approved"}

    def test_leases_end_and_the_shut_out_stay_out(self, queue, clock):
        anna, bo = self.people(queue, "anna", "bo")
        platform, asked = LocalPlatform(queue), [compare(f"q{at}") for at in range(5)]
        platform.publish(asked)
        first = queue.next(anna)
        clock.forward(minutes=31)
        assert queue.next(bo).question == first.question  # the lease has ended
        for _ in range(4):
            queue.answer(anna, queue.next(anna).id, {"choice": "left", "ticked": [2]})
        settle(platform, asked)
        settle(platform, asked)
        with queue.store.reading() as connection:
            assert Accounts(queue.account).named(connection, "anna").blocked
            blocked = [row.detail for row in connection.execute(queue.audit.select()) if row.action == "blocked"]
        assert blocked == ["anna: 0 of 4 test questions were right"]
        platform.block("nobody", "is not there")
        platform.pay("bo", 0.5, "for patience")
        assert bo.name == "bo"


class TestTurk:
    @pytest.fixture
    def published(self, tmp_path):
        asked = [
            compare("q1", 2),
            Order("q2", "substitute", Substitute(before="a ", phrase="b", options=("x", "y"), test=KEYED)),
            Order("q3", "rewrite", Rewrite(sentence="s", rewrites=("t", "u"), test=KEYED)),
        ]
        TurkFiles(tmp_path / "turk", language="de").publish(asked)
        return tmp_path / "turk", asked

    def rows(self, path):
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_tables_to_upload(self, published):
        folder, asked = published
        assert sorted(path.name for path in folder.glob("hits-*")) == ["hits-1-1-answer.csv", "hits-1-2-answers.csv"]
        [row] = self.rows(folder / "hits-1-2-answers.csv")
        assert row["order"] == "q1"
        assert 'name="tick_2"' in row["question"]
        assert TurkFiles(folder).orders() == asked
        assert TurkFiles(folder).outstanding() == {"q1": 2, "q2": 1, "q3": 1}

    @pytest.mark.parametrize("form", ["plain", "split", "json"])
    def test_results_in_any_form(self, published, tmp_path, form):
        folder, asked = published
        fields = {
            "q1": {"tick_0": "yes", "choice": "right"},
            "q2": {"tick_0": "yes", "chosen": "1"},
            "q3": {"tick_0": "yes", "same_0": "yes", "same_1": "no"},
        }
        rows = []
        for at, (order, filled) in enumerate(fields.items()):
            row = {"AssignmentId": f"A{at}", "WorkerId": "W1", "Input.order": order, "WorkTimeInSeconds": "31"}
            row["SubmitTime"] = "Thu Oct 09 07:30:20 UTC 2025"
            if form == "plain":
                row |= {f"Answer.{name}": value for name, value in filled.items()}
            elif form == "split":
                row |= {f"Answer.{name}.{value}": "true" for name, value in filled.items()}
                row |= {"Answer.choice.left": "false"}
            else:
                row["Answer.taskAnswers"] = json.dumps(
                    [{name: {value: True, "z": False} for name, value in filled.items()}]
                )
            rows.append(row)
        heads = list(dict.fromkeys(name for row in rows for name in row))
        path = tmp_path / "Batch_1_batch_results.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, heads, restval="")
            writer.writeheader()
            writer.writerows(rows)
        found = review(TurkFiles(folder, results=[path]).collect(), asked)
        assert [one.answer.model_dump(exclude={"ticked"}) for one in found.counted] == [
            {"choice": "right"},
            {"chosen": 1},
            {"same": (True, False)},
        ]
        assert found.counted[0].submission.seconds == 31
        assert found.counted[0].submission.at == "2025-10-09T07:30:20+00:00"

    def test_review_blocks_and_asking_anew(self, published, tmp_path):
        folder, asked = published
        said = [
            handed("A1", "q1", "W1"),
            handed("A2", "q1", "W2", ticked=(1, 2)),
            Submission("A3", "q2", "W2", {"chosen": 0, "ticked": []}),
        ]
        path = tmp_path / "results.csv"
        assert write_results(path, said) == 3
        files = TurkFiles(folder, results=[path, path])  # the same results twice count once
        found = settle(files, asked, Gate(least_tests=2))
        review_rows = {row["AssignmentId"]: row for row in self.rows(folder / "review-results.csv")}
        assert [(row["Approve"], row["Reject"]) for row in review_rows.values()] == [
            ("X", ""),
            ("", FAILED),
            ("", FAILED),
        ]
        assert self.rows(folder / "blocked.csv") == [
            {"Worker ID": "W2", "UPDATE BlockStatus": "Block", "BlockReason": "0 of 2 test questions were right"}
        ]
        assert found.lacking == {"q1": 1, "q2": 1, "q3": 1}
        assert {row["order"] for row in self.rows(folder / "hits-2-1-answer.csv")} == {"q1", "q2"}
        assert {row["language"] for row in self.rows(folder / "hits-2-1-answer.csv")} == {"de"}
        again = TurkFiles(folder, results=[path])
        settle(again, again.orders(), Gate(least_tests=2))
        assert not (folder / "hits-3-1-answer.csv").exists()
        assert len(self.rows(folder / "blocked.csv")) == 1
        again.pay("W1", 0.1, "thanks")
        again.pay("W1", 0.1, "thanks")
        assert [row["Bonus"] for row in self.rows(folder / "bonuses.csv")] == ["0.10"]

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("", "no column AssignmentId"),
            ("WorkerId,Input.order\nW,q1\n", "no column AssignmentId"),
            ("AssignmentId,WorkerId,Input.order\nA,W\n", "more or fewer columns"),
            ("AssignmentId,WorkerId,Input.order\n,W,q1\n", "no assignment"),
            ('AssignmentId,WorkerId,Input.order\n"A,W,q1\n', "no CSV"),
            ("AssignmentId,WorkerId,Input.order,Answer.taskAnswers\nA,W,q1,{\n", "holds no list"),
            ("AssignmentId,WorkerId,Input.order,Answer.taskAnswers\nA,W,q1,3\n", "holds no list"),
        ],
    )
    def test_damaged_results(self, published, tmp_path, text, complaint):
        path = tmp_path / "results.csv"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=complaint):
            TurkFiles(published[0], results=[path]).collect()

    def test_damaged_orders(self, published):
        for line in ('{"id": 1}', "[]", "{", '{"id": "q", "kind": "poll", "body": {}}'):
            (published[0] / "orders.jsonl").write_text(line + "\n", encoding="utf-8")
            for use in (TurkFiles(published[0]).orders, TurkFiles(published[0]).outstanding):
                with pytest.raises(FormatError, match="no order"):
                    use()
        with pytest.raises(FileError, match="nothing was published"):
            TurkFiles(published[0] / "empty").orders()


@pytest.fixture
def campaign(tmp_path):
    rows = [
        {"item": item, "segment": str(at), "source": "q", "reference": f"r{at}", "text": f"{item} {at}"}
        for item in SCORES
        for at in range(30)
    ]
    create_campaign(tmp_path / "c", Material.of_rows(rows, where="rows"), CampaignSettings()).close()
    return tmp_path / "c"


def test_orders_of_a_campaign(campaign):
    from tolka.judge.campaign import open_campaign  # noqa: PLC0415

    with open_campaign(campaign) as found:
        asked = campaign_orders(found, 100, wanted=3, tests=bank("en"), seed=1)
        assert asked == campaign_orders(found, 100, wanted=3, tests=bank("en"), seed=1)
        assert len(campaign_orders(found, 10_000)) == 6 * 30
    assert len(asked) == 100
    for order in asked:
        assert order.body.left == f"{order.about['left']} {order.about['segment']}"
        assert order.body.right == f"{order.about['right']} {order.about['segment']}"
        assert order.body.reference == f"r{order.about['segment']}"
    assert len({(frozenset((one.about["left"], one.about["right"])), one.about["segment"]) for one in asked}) == 100
    # Both sides, all test items.
    assert 20 < sum(one.about["left"] < one.about["right"] for one in asked) < 80
    assert len({one.body.test.text for one in asked}) == len(bank("en"))


def test_command(campaign, tmp_path):
    def run(*arguments):
        done = CliRunner().invoke(app, ["judge", "turk", *map(str, arguments)])
        assert done.exit_code == 0, done.output
        return done.output

    folder, results, said = tmp_path / "turk", tmp_path / "r.csv", tmp_path / "a.jsonl"
    assert "120 answers in hits-1-2-answers.csv" in run(
        "publish", campaign, folder, "-n", 60, "--answers", 2, "--language", "de"
    )
    made = json.loads(run("rehearse", folder, results, "--spammers", 0.25, "--workers", 12, "--json"))
    told = json.loads(run("collect", folder, results, "-o", said, "--json"))
    assert made["submissions"] == told["approved"] + told["rejected"]
    assert told["answers"] == sum(1 for _ in read_answers(said))
    assert set(told["blocked"]) == {"spammer1", "spammer2", "spammer3"}
    assert told["tables"]
    assert "spammer1 is shut out" in run("collect", folder, results, "-o", said)
    # Another batch has names of its own.
    run("publish", campaign, folder, "-n", 5)
    assert {order.id for order in TurkFiles(folder).orders()} >= {"b1q1", "b2q1"}
    assert "without test items" in run("publish", campaign, folder, "-n", 5)
