"""A whole page of another room: invitation, task, answer, leaving; and what the guard keeps out of it."""

import asyncio
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import pytest
from fastapi import APIRouter, Request
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.responses import Response

from tolka.errors import InputError
from tolka.web.accounts import Accounts
from tolka.web.app import create_app
from tolka.web.joining import Joining
from tolka.web.keys import read_key
from tolka.web.leases import UnknownTaskError
from tolka.web.settings import WebSettings
from tolka.web.site import Fields, RefusedError, Site, one, see
from tolka.web.tables import stamp

with warnings.catch_warnings():
    # Starlette would rather have httpx's successor.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

WELCOME = """{% extends "base.html" %}{% block main %}<h1>Welcome, {{ account.name }}</h1>
<form method="post" action="/join"><input type="hidden" name="form_token" value="{{ form_token }}">
<input type="hidden" name="invitation" value="{{ invitation }}"><button class="main">Start</button></form>{% endblock %}"""
TASK = """{% extends "base.html" %}{% block main %}{% if task %}<form method="post" action="/answer">
<input type="hidden" name="form_token" value="{{ form_token }}"><input type="hidden" name="task" value="{{ task.id }}">
<p>{{ task.body.sentence }}</p>{% for sense in task.body.senses %}<button name="sense" value="{{ loop.index0 }}">{{ sense }}</button>
{% endfor %}</form>{% else %}<p>Thank you</p>{% endif %}
<form method="post" action="/leave"><input type="hidden" name="form_token" value="{{ form_token }}"></form>{% endblock %}"""


class Helping:
    """The pages of someone who helps."""

    def __init__(self, site, queue):
        self.site = site
        self.queue = queue

    def routes(self):
        routes = APIRouter()
        routes.add_api_route("/", self.task, methods=["GET"])
        routes.add_api_route("/answer", self.answer, methods=["POST"])
        return routes

    def task(self, request: Request) -> Response:
        visitor = self.site.visitor(request, "helper")
        return self.site.page("task.html", session=visitor.session, task=self.queue.next(visitor.account))

    def answer(self, request: Request, fields: Fields) -> Response:
        visitor = self.site.visitor(request, "helper")
        self.site.check_form(visitor.session, fields)
        try:
            self.queue.answer(visitor.account, one(fields, "task"), {"sense": int(one(fields, "sense"))})
        except UnknownTaskError:
            raise RefusedError(404, "There is no such question for you", "Nothing was changed.") from None
        except (InputError, ValueError) as error:
            raise RefusedError(400, "This is not an answer", f"{error}.") from None
        return see("/")


class Room:
    """A site about word senses."""

    def __init__(self, folder, queue, clock, **limits):
        self.queue, self.clock = queue, clock
        self.accounts = Accounts(queue.account)
        (folder / "templates").mkdir()
        (folder / "templates" / "welcome.html").write_text(WELCOME)
        (folder / "templates" / "task.html").write_text(TASK)
        (folder / "static").mkdir()
        (folder / "static" / "senses.css").write_text(".sense{}")
        self.site = Site(
            "Word <senses>",
            name="0123456789",
            key=read_key(folder / "key"),
            folder=folder,
            account=self._account,
            settings=WebSettings(**limits),
        )
        joining = Joining(self.site, admit=self._admit, join=self._join, homes={"helper": "/"})
        self.app = create_app(self.site, [joining.routes(), Helping(self.site, queue).routes()])
        self.client = TestClient(self.app, base_url="http://127.0.0.1", follow_redirects=False)

    def _account(self, identity):
        with self.queue.store.reading() as connection:
            return self.accounts.find(connection, identity)

    def _admit(self, invitation):
        with self.queue.store.reading() as connection:
            return self.accounts.admit(connection, invitation)

    def _join(self, account):
        with self.queue.store.writing() as connection:
            self.accounts.join(connection, account, stamp(self.clock()))

    def invite(self, name, role="helper"):
        with self.queue.store.writing() as connection:
            return self.accounts.invite(connection, name, role, stamp(self.clock()))[1]

    def block(self, name):
        with self.queue.store.writing() as connection:
            self.accounts.block(connection, name, stamp(self.clock()))

    def fields(self, path, action):
        page = self.client.get(path).text
        form = re.search(rf'<form[^>]*action="{action}"[^>]*>(.*?)</form>', page, re.DOTALL)
        assert form, page
        return {name: unescape(value) for name, value in re.findall(r'name="([^"]*)" value="([^"]*)"', form[1])}

    def come_in(self, invitation):
        response = self.client.post("/join", data=self.fields(f"/join/{invitation}", "/join"))
        assert response.status_code == 303, response.text
        return response


@pytest.fixture
def room(tmp_path, queue, clock):
    folder = tmp_path / "room"
    folder.mkdir()
    return Room(folder, queue, clock)


def test_someone_comes_answers_and_leaves(room, bank):
    room.queue.add("sense", bank | {"sentence": "<script>alert(1)</script>"})
    room.come_in(room.invite("anna"))
    page = room.client.get("/").text
    assert "&lt;script&gt;alert(1)" in page
    assert "<title>Word &lt;senses&gt;</title>" in page
    # The foundation's style, and the room's after it.
    assert re.findall(r"/static/(\w+)\.css", page) == ["page", "asking", "senses"]
    assert room.client.get("/static/senses.css").text == ".sense{}"
    fields = room.fields("/", "/answer")
    assert room.client.post("/answer", data=fields | {"sense": "1"}).headers["location"] == "/"
    assert room.client.post("/answer", data=fields | {"sense": "0"}).status_code == 303  # sent again: nothing changes
    assert [(answer.by, answer.answer.sense) for answer in room.queue.answers()] == [("anna", 1)]
    assert "Thank you" in room.client.get("/").text
    assert "Goodbye" in room.client.post("/leave", data=room.fields("/", "/leave")).text
    assert room.client.get("/").status_code == 401


def test_what_is_no_answer_is_refused(room, bank):
    room.queue.add("sense", bank)
    room.come_in(room.invite("anna"))
    fields = room.fields("/", "/answer")
    for change, status in (
        ({"sense": "7"}, 400),
        ({"sense": "x"}, 400),
        ({"sense": "1", "task": "made-up"}, 404),
        ({"sense": "1", "form_token": "forged"}, 403),
    ):
        assert room.client.post("/answer", data=fields | change).status_code == status
    foreign = {"origin": "https://elsewhere.example"}
    assert room.client.post("/answer", data=fields | {"sense": "1"}, headers=foreign).status_code == 403
    assert room.client.post("/answer", data={"x": "y" * 70_000}).status_code == 413
    assert room.client.post("/answer", json={}).status_code == 415
    assert room.client.get("/", headers={"host": "elsewhere.example"}).status_code == 421
    assert list(room.queue.answers()) == []


def test_invitations_are_replaced_and_revoked(room):
    old = room.invite("anna")
    room.come_in(old)
    assert room.client.get("/").status_code == 200
    new = room.invite("anna")
    assert room.client.get("/").status_code == 401
    assert room.client.get(f"/join/{old}").status_code == 403
    room.come_in(new)
    room.block("anna")
    assert room.client.get("/").status_code == 401
    assert room.client.get(f"/join/{new}").status_code == 403
    # A role that has no page here does not come in.
    assert room.client.get(f"/join/{room.invite('boss', 'admin')}").status_code == 403


def test_every_page_is_guarded(room):
    for path, status in (("/", 401), ("/nowhere", 404), ("/static/page.css", 200), ("/health", 200), ("/answer", 405)):
        response = room.client.get(path)
        assert response.status_code == status
        assert "default-src 'none'" in response.headers["content-security-policy"]
    for path in ("/static/nothing.css", "/static/%2e%2e/site.py", "/static/task.html"):
        assert room.client.get(path).status_code == 404


def test_too_many_requests(tmp_path, queue, clock):
    room = Room(tmp_path, queue, clock, joins_per_minute=20)
    told = [room.client.get("/join/guess.0123456789abcdef0123").status_code for _ in range(12)]
    assert told[0] == 403
    assert told[-1] == 429


def test_a_crowd_behind_one_address_comes_in(room):
    invitations = [room.invite(f"judge-{number}") for number in range(40)]
    # All of them open their links before the first one joins.
    forms = []
    for invitation in invitations:
        room.client.cookies.clear()
        forms.append((room.fields(f"/join/{invitation}", "/join"), dict(room.client.cookies)))
    for form, cookies in forms:
        room.client.cookies.clear()
        room.client.cookies.update(cookies)
        assert room.client.post("/join", data=form).status_code == 303
        assert room.client.get("/").status_code == 200


def test_one_who_guesses_does_not_shut_the_others_out(tmp_path, queue, clock):
    room = Room(tmp_path, queue, clock, joins_per_minute=20)
    told = [room.client.get("/join/guess.0123456789abcdef0123").status_code for _ in range(12)]
    assert told[-1] == 429
    room.come_in(room.invite("anna"))


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "expected"),
    [
        ([], "127.0.0.1", "203.0.113.7", "127.0.0.1"),
        (["127.0.0.1"], "127.0.0.1", "203.0.113.7", "203.0.113.7"),
        (["127.0.0.0/8"], "127.0.0.1", "", "127.0.0.1"),
        (["10.0.0.0/8", "127.0.0.1"], "127.0.0.1", "203.0.113.7, 10.1.2.3", "203.0.113.7"),
        # What the visitor wrote stands before what the proxy added, and is not believed.
        (["127.0.0.1"], "127.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        (["127.0.0.1"], "127.0.0.1", "198.51.100.1, unknown", "127.0.0.1"),
        (["127.0.0.1"], "203.0.113.9", "198.51.100.1", "203.0.113.9"),
        (["::1"], "::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (["127.0.0.1"], "127.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"),
        (["127.0.0.1"], "testclient", "203.0.113.7", "testclient"),
    ],
)
def test_whom_a_trusted_proxy_asks_for(tmp_path, queue, clock, proxies, peer, forwarded, expected):
    guard = Room(tmp_path, queue, clock, trusted_proxies=proxies).app
    headers = Headers({"x-forwarded-for": forwarded} if forwarded else {})
    assert guard._address({"client": (peer, 1)}, headers) == expected


def test_a_proxy_is_an_address_or_a_network():
    with pytest.raises(ValidationError, match="does not appear to be"):
        WebSettings(trusted_proxies=["proxy.example"])


def test_a_body_that_comes_too_slowly_is_not_waited_for(room):
    room.app.body_seconds = 0.05

    async def receive():
        await asyncio.sleep(60)

    told = []

    async def send(message):
        told.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-length", b"10")]
    scope = {"type": "http", "method": "POST", "path": "/answer", "headers": headers, "client": ("127.0.0.1", 1)}
    # In a thread of its own: a browser of another test may have a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, room.app(scope, receive, send)).result()
    assert told[0]["status"] == 408


@pytest.mark.parametrize("module", ["argon2", "fastapi", "itsdangerous", "jinja2", "sqlalchemy", "uvicorn"])
def test_a_missing_extra_is_said(module):
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "try: import tolka.web.store\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.startswith("MissingExtraError"), done.stdout + done.stderr
    assert "pip install 'tolka[judge]'" in done.stdout
