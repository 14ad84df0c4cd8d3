"""Every page, attacked: hostile texts, forged and replayed tokens, other people's questions, large and odd requests."""

import re

import pytest
from itsdangerous import URLSafeTimedSerializer
from tests.web.pages.people import TestClient
from tests.web.pages.worlds import text_of

from tolka.page.svg import readable
from tolka.web.guard import Rate


def test_hostile_texts_are_only_text(world, make, visit, hostile):
    quick = {"requests_per_minute": 10_000}
    anna = visit(make(hostile, title="<script>window.owned=1</script>", web=quick))
    seen = ""
    while 'action="/answer"' in (page := anna.get().text):
        scripts = re.findall(r"<script[^>]*>", page)
        assert all(re.match(r'<script src="/static/(page|assist)\.js\?\w+" defer>$', script) for script in scripts)
        assert 1 <= len(scripts) <= 2
        assert not re.search(r"<(img|svg|iframe|style|object|embed)", page)
        assert not re.search(r"<[a-z]+[^<>]*\son\w+\s*=", page)
        assert "49" not in re.sub(r'value="[^"]*"|href="[^"]*"|src="[^"]*"', "", page).replace("0&#39;", "")
        seen += page
        assert anna.post("/answer", anna.good()).status_code == 303
    # They were shown, as they are.
    text = text_of(seen).replace("\x00", "")
    for one in hostile:
        assert any(form.replace("\x00", "") in text for form in (one, readable(one)))


def test_every_answer_carries_the_headers(world, make, visit):
    host = make()
    anna = visit(host)
    for path in ("/", "/instructions", "/static/page.css", "/nowhere", "/health"):
        headers = anna.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert "server" not in headers
    assert anna.get("/").headers["cache-control"] == "no-store"


def test_nothing_inline(make, visit, blank):
    anna = visit(make(["x"], known=[blank], tests={"rate": 1.0}, consent="Agree."))
    pages = [anna.get("/instructions").text]
    while 'action="/answer"' in (page := anna.get().text):
        pages.append(page)
        anna.post("/answer", anna.good())
    assert any('value="blank"' in page for page in pages)
    for page in [*pages, anna.get().text]:
        assert "style=" not in page
        assert "<style" not in page
        assert not re.search(r"<script(?![^>]*src=)", page)
        assert "javascript:" not in page


def test_cookies_are_strict(world, make, visit):
    anna = visit(make())
    anna.client.cookies.clear()
    response = anna.get(f"/join/{anna.host.invite('anna')}")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    app = world.app(anna.host, hosts=["judge.example.org"], secure=True)
    with TestClient(app, base_url="https://judge.example.org") as client:
        response = client.get(f"/join/{anna.host.invite('bert')}")
        cookie = response.headers["set-cookie"]
        assert cookie.startswith("__Host-")
        assert "; secure" in cookie.lower()
        assert "strict-transport-security" in response.headers


@pytest.mark.parametrize("token", ["", "made-up", "Im1hZGUtdXAi.AAAAAAAAAAAAAAAAAAAAAAAAAAA"])
@pytest.mark.parametrize("path", ["/answer", "/undo", "/leave"])
def test_forms_without_their_token_change_nothing(world, make, visit, path, token):
    anna = visit(make())
    fields = anna.good() | {"form_token": token}
    assert anna.post(path, fields).status_code == 403
    assert not world.answers(anna.host)
    assert anna.get("/").status_code == 200


def test_a_token_of_another_session_is_refused(world, make, visit):
    host = make()
    anna, bert = visit(host), visit(host, "bert")
    fields = anna.good() | {"form_token": bert.fields()["form_token"]}
    assert anna.post("/answer", fields).status_code == 403
    assert not world.answers(host)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_forms_from_other_sites_are_refused(world, make, visit, headers):
    anna = visit(make())
    assert anna.post("/answer", anna.good(), headers=headers).status_code == 403
    assert not world.answers(anna.host)


def test_another_persons_question_is_refused(world, make, visit):
    host = make()
    anna, bert = visit(host), visit(host, "bert")
    theirs = anna.fields()["task"]
    for path in ("/answer", "/undo"):
        response = bert.post(path, bert.good() | {"task": theirs})
        assert response.status_code == 404
    assert bert.post("/answer", bert.good() | {"task": "x" * 5000}).status_code == 404
    assert not world.answers(host)


def test_a_replayed_answer_counts_once(world, make, visit):
    anna = visit(make())
    fields = anna.good()
    assert anna.post("/answer", fields).headers["location"] == "/"
    replayed = anna.post("/answer", anna.good(other=True) | {"task": fields["task"]})
    assert replayed.headers["location"] == "/?note=already"
    assert "the first one stands" in anna.get("/?note=already").text
    ((task, stored),) = world.answers(anna.host)
    assert task == fields["task"]
    assert stored == {name: fields[name] for name in stored}


@pytest.mark.parametrize("path", ["/", "/instructions"])
def test_nobody_comes_in_without_an_invitation(world, make, path):
    with TestClient(world.app(make()), base_url="http://127.0.0.1") as client:
        assert client.get(path).status_code == 401


def test_there_is_no_registration(world, make):
    with TestClient(world.app(make()), base_url="http://127.0.0.1") as client:
        for path in ("/register", "/signup", "/login", "/docs", "/openapi.json", "/redoc"):
            assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one[:-1] + ("A" if one[-1] != "A" else "B"),
        lambda one: one + "A",
        lambda one: one.split(".")[0] + "." + "A" * 32,
        lambda one: "A" * 12 + "." + one.split(".")[1],
        lambda one: one.split(".")[0],
        lambda _: "' OR 1=1 --." + "A" * 32,
        lambda _: "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    ],
)
def test_forged_invitations_are_refused(world, make, change):
    host = make()
    invitation = host.invite("anna")
    with TestClient(world.app(host), base_url="http://127.0.0.1") as client:
        assert client.get(f"/join/{change(invitation)}").status_code in {403, 404}
        assert client.get(f"/join/{invitation}").status_code == 200


def test_a_new_invitation_ends_the_old_one_and_its_sessions(world, make, visit):
    host = make()
    anna = visit(host)
    old = host.invite("anna")
    assert anna.get("/").status_code == 401
    host.invite("anna")
    assert anna.get(f"/join/{old}").status_code == 403


def test_who_is_shut_out_stays_out(world, make, visit):
    host = make()
    anna = visit(host)
    fields = anna.good()
    host.block("anna")
    assert anna.get("/").status_code == 401
    assert anna.post("/answer", fields).status_code == 401
    assert not world.answers(host)


def test_forged_and_old_sessions_are_refused(world, make, visit):
    host = make(web={"session_hours": 1.0})
    anna = visit(host)
    (name,) = anna.client.cookies.keys()
    good = anna.client.cookies[name]
    account = host.named("anna")
    session = ["nonce", account.id, account.stamp]
    forged = URLSafeTimedSerializer(b"another key", salt=f"session:{host.id}").dumps(session)
    other_salt = URLSafeTimedSerializer(host.key(), salt="form").dumps(session)

    payload, stamp, signature = good.split(".")
    for cookie in (forged, other_salt, f"{payload}.{stamp}.{signature[::-1]}", f"x{good}", "a" * 5000, "..", ""):
        anna.client.cookies.set(name, cookie, domain="127.0.0.1")
        assert anna.get("/").status_code == 401, cookie
    anna.client.cookies.clear()
    anna.client.cookies.set(name, good)
    assert anna.get("/").status_code == 200


def test_sessions_grow_old(world, make, visit, monkeypatch):
    anna = visit(make(web={"session_hours": 1.0}))
    import itsdangerous.timed  # noqa: PLC0415

    later = itsdangerous.timed.time.time() + 3700
    monkeypatch.setattr(itsdangerous.timed.time, "time", lambda: later)
    assert anna.get("/").status_code == 401


def test_oversize_bodies_are_refused(world, make, visit):
    anna = visit(make(web={"body_bytes": 2048}))
    fields = anna.good()
    assert anna.post("/answer", fields | {"more": "x" * 4096}).status_code == 413

    # In pieces, with no length announced.
    pieces = (b"x" * 1024 for _ in range(64))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert anna.client.post("/answer", content=pieces, headers=kind).status_code == 413
    assert not world.answers(anna.host)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"choice": "left"}', "application/json", 415),
        (b"--x\r\n", "multipart/form-data; boundary=x", 415),
        (b"a=%ff", "application/x-www-form-urlencoded", 400),
        (b"\xff\xfe", "application/x-www-form-urlencoded", 400),
        (b"&".join(b"a=1" for _ in range(100)), "application/x-www-form-urlencoded", 400),
        (b"", "application/x-www-form-urlencoded", 403),
    ],
)
def test_what_is_not_a_form_is_refused(world, make, visit, body, kind, status):
    anna = visit(make())
    assert anna.client.post("/answer", content=body, headers={"content-type": kind}).status_code == status


def test_odd_answers_are_refused(world, make, visit):
    anna = visit(make())
    for changes in world.odd:
        assert anna.post("/answer", anna.fields() | changes).status_code == 400, changes
    assert not world.answers(anna.host)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/host/store.py",
        "/static//etc/passwd",
        "/static/templates/base.html",
        "/static/page.css%00.js",
        "/../../etc/passwd",
    ],
)
def test_no_path_leads_out(world, make, visit, path):
    anna = visit(make())
    response = anna.get(path)
    assert response.status_code == 404
    assert "root:" not in response.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example", "[::1].evil"])
def test_other_hosts_are_refused(world, make, visit, host):
    anna = visit(make())
    assert anna.get("/", headers={"host": host}).status_code == 421


def test_no_address_is_made_from_the_host(world, make, visit):
    anna = visit(make())
    response = anna.post("/answer", anna.good())
    assert response.headers["location"].startswith("/")
    page = anna.get("/", headers={"host": "localhost:9", "x-forwarded-host": "evil.example"}).text
    assert "localhost" not in page
    assert "evil" not in page


def test_too_many_requests_are_slowed_down(world, make, visit):
    host = make(web={"requests_per_minute": 40})
    anna = visit(host)
    codes = [anna.get("/").status_code for _ in range(30)]
    assert codes[0] == 200
    assert codes[-1] == 429
    bert = visit(host, "bert", app=anna.client.app)
    assert bert.get("/").status_code == 200  # one person's haste is not another's


def test_guessing_invitations_is_slow(world, make):
    host = make(web={"joins_per_minute": 20})
    with TestClient(world.app(host), base_url="http://127.0.0.1") as client:
        codes = [client.get(f"/join/{'A' * 12}.{'B' * 32}").status_code for _ in range(10)]
    assert codes[0] == 403
    assert codes[-1] == 429


def test_rates_recover():
    now = [0.0]
    rate = Rate(60, clock=lambda: now[0])
    assert [rate.allows("a") for _ in range(16)] == [True] * 15 + [False]
    now[0] += 1
    assert rate.allows("a")
    assert not rate.allows("a")
    assert rate.allows("b")


def test_errors_tell_nothing(world, make, visit, monkeypatch):
    host = make()
    anna = visit(host)
    quiet = TestClient(anna.client.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    quiet.cookies = anna.client.cookies
    monkeypatch.setattr(type(host), "view", lambda *_: 1 / 0)
    response = quiet.get("/")
    assert response.status_code == 500
    assert "ZeroDivision" not in response.text
    assert "Nothing of what you answered before is lost" in response.text
    assert "content-security-policy" in response.headers


def test_the_secrets_are_not_in_the_database(world, make):
    host = make()
    invitation = host.invite("anna")
    secret = invitation.split(".")[1]
    for file in host.directory.iterdir():
        assert secret.encode() not in file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0, file
