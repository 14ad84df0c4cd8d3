"""The page for questions of every kind, with a browser that runs no scripts."""

import re
import warnings
from html import unescape

import pytest

from tolka.judge.platform import (
    Compare,
    LocalPlatform,
    Order,
    Rewrite,
    Substitute,
    TestItem,
    queue_kinds,
    review,
    to_answers,
)
from tolka.judge.platform.page import ROLE, create_page
from tolka.web.accounts import Accounts
from tolka.web.store import Store
from tolka.web.tables import stamp
from tolka.web.tasks import Queue, tables_1

with warnings.catch_warnings():
    # Starlette would rather have httpx's successor.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

TEST = TestItem(text="I ___ it.", options=("saw", "sees", "known"), right=(0,))
EVIL = "<img src=x onerror=alert(1)>"
ORDERS = [
    Order("c", "compare", Compare(reference="r", left=EVIL, right="b", test=TEST), 1, {"left": "x", "right": "y"}),
    Order("s", "substitute", Substitute(before="ein ", phrase="schweres", after=" Buch", options=("a", "b"))),
    Order("r", "rewrite", Rewrite(sentence="s", rewrites=("t", "u"))),
]


@pytest.fixture
def queue(tmp_path, clock):
    store = Store(tmp_path / "tasks.db", create=True)
    store.migrate([tables_1], stamp(clock()))
    yield Queue(store, queue_kinds(), clock=clock)
    store.close()


@pytest.fixture
def anna(queue):
    """Someone who has come in."""
    LocalPlatform(queue).publish(ORDERS)
    with queue.store.writing() as connection:
        _, invitation = Accounts(queue.account).invite(connection, "anna", ROLE, stamp(queue.clock()))
    app = create_page(queue, key=b"k" * 32, language="de")
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as client:
        assert client.get("/").status_code == 401
        assert client.post("/join", data=fields(client, f"/join/{invitation}")).status_code == 303
        yield client


def fields(client, path="/"):
    page = client.get(path).text
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page)
    return {unescape(name): unescape(value) for name, value in found}


def test_three_kinds(anna, queue):
    page = anna.get("/").text
    assert EVIL not in page
    assert "kommt dem kursiven" in page
    first = fields(anna)
    assert anna.post("/answer", data=first | {"choice": "right", "tick_0": "yes"}).status_code == 303
    assert "<mark>schweres</mark>" in anna.get("/").text
    assert anna.post("/answer", data=fields(anna) | {"chosen": "1"}).status_code == 303
    assert anna.post("/answer", data=fields(anna) | {"same_0": "yes", "same_1": "no"}).status_code == 303
    assert "Thank you" in anna.get("/").text
    # Sent again, the first answer counts once and stands.
    assert anna.post("/answer", data=first | {"choice": "left", "tick_0": "yes"}).status_code == 303
    found = review(LocalPlatform(queue).collect(), ORDERS)
    assert found.lacking == {}
    assert [one.winner for one in to_answers(found.counted)] == ["y"]
    assert found.counted[1].answer.chosen == 1
    assert found.counted[2].answer.same == (True, False)


def test_what_is_no_answer(anna, queue):
    for wrong in ({}, {"choice": "up"}, {"choice": ""}):
        assert anna.post("/answer", data=fields(anna) | wrong).status_code == 400
    assert anna.post("/answer", data=fields(anna) | {"task": "other", "choice": "left"}).status_code == 404
    assert anna.post("/answer", data={"task": "x", "choice": "left"}).status_code == 403
    assert LocalPlatform(queue).collect() == []


def test_the_shut_out_stay_out(anna, queue):
    LocalPlatform(queue).block("anna", "for a test")
    assert anna.get("/").status_code == 401
