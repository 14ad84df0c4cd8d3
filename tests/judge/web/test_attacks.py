"""The page, attacked: hostile texts, forged and replayed tokens, other people's questions, large and odd requests."""

import re
from html import unescape

import pytest
from itsdangerous import URLSafeTimedSerializer
from starlette.testclient import TestClient

from tolka.judge.web import create_app
from tolka.web.guard import Rate

SYSTEMS = ("system-alpha", "system-beta", "system-gamma")


@pytest.mark.parametrize("differences", [False, True])
def test_hostile_texts_are_only_text(make, visit, hostile, differences):
    campaign = make(hostile, show={"differences": differences}, title="<script>window.owned=1</script>")
    anna = visit(campaign)
    seen = ""
    for _ in range(3 * len(hostile)):
        page = anna.get().text
        scripts = re.findall(r"<script[^>]*>", page)
        assert len(scripts) == 1
        assert scripts[0].startswith('<script src="/static/page.js')
        assert not re.search(r"<(img|svg|iframe|style|object|embed)", page)
        assert not re.search(r"<[a-z]+[^<>]*\son\w+\s*=", page)
        assert "49" not in re.sub(r'value="[^"]*"|href="[^"]*"|src="[^"]*"', "", page).replace("0&#39;", "")
        seen += page
        anna.answer()
    # They were shown, as they are.
    text = unescape(re.sub(r"</?mark>", "", seen))
    for one in hostile:
        assert one.replace("\x00", "") in text.replace("\x00", "")


def test_names_of_systems_never_reach_a_judge(make, visit):
    campaign = make(["w", "x", "y", "z"], show={"differences": True})
    anna = visit(campaign)
    for number in range(10):
        response = anna.get()
        told = response.text + str(response.headers)
        assert not any(name in told for name in SYSTEMS)
        # Neither numbers nor orders: what names a question is random.
        assert re.search(r'name="task" value="[\w-]{22}"', response.text), number
        anna.answer()
    for path in ("/instructions", "/", "/nowhere"):
        assert not any(name in anna.get(path).text for name in SYSTEMS)


def test_every_answer_carries_the_headers(make, visit):
    campaign = make()
    anna = visit(campaign)
    for path in ("/", "/instructions", "/static/page.css", "/nowhere", "/admin", "/health"):
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
    campaign = make(["x"], tests_asked=[blank], tests={"rate": 1.0}, consent="Agree.")
    anna, boss = visit(campaign), visit(campaign, "boss", "admin")
    anna.post("/answer", anna.fields() | {"option": "0"})
    anna.answer()
    pages = [
        anna.get("/").text,
        anna.get("/instructions").text,
        boss.get("/admin").text,
        boss.get("/admin/answers").text,
    ]
    for page in pages:
        assert "style=" not in page
        assert "<style" not in page
        assert not re.search(r"<script(?![^>]*src=)", page)
        assert "javascript:" not in page


def test_cookies_are_strict(make, visit):
    anna = visit(make())
    anna.client.cookies.clear()
    response = anna.get(f"/join/{anna.campaign.invite('anna')}")
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    app = create_app(anna.campaign, hosts=["judge.example.org"], secure=True)
    with TestClient(app, base_url="https://judge.example.org") as client:
        response = client.get(f"/join/{anna.campaign.invite('bert')}")
        cookie = response.headers["set-cookie"]
        assert cookie.startswith("__Host-")
        assert "; secure" in cookie.lower()
        assert "strict-transport-security" in response.headers


@pytest.mark.parametrize("token", ["", "made-up", "Im1hZGUtdXAi.AAAAAAAAAAAAAAAAAAAAAAAAAAA"])
@pytest.mark.parametrize("path", ["/answer", "/undo", "/leave"])
def test_forms_without_their_token_change_nothing(make, visit, path, token):
    anna = visit(make())
    fields = anna.fields() | {"choice": "left", "form_token": token}
    assert anna.post(path, fields).status_code == 403
    assert not list(anna.campaign.answers())
    assert anna.get("/").status_code == 200


def test_a_token_of_another_session_is_refused(make, visit):
    campaign = make()
    anna, bert = visit(campaign), visit(campaign, "bert")
    fields = anna.fields() | {"choice": "left", "form_token": bert.fields()["form_token"]}
    assert anna.post("/answer", fields).status_code == 403
    assert not list(campaign.answers())


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_forms_from_other_sites_are_refused(make, visit, headers):
    anna = visit(make())
    assert anna.post("/answer", anna.fields() | {"choice": "left"}, headers=headers).status_code == 403
    assert not list(anna.campaign.answers())


def test_another_judges_question_is_refused(make, visit):
    campaign = make()
    anna, bert = visit(campaign), visit(campaign, "bert")
    theirs = anna.fields()["task"]
    for path in ("/answer", "/undo"):
        response = bert.post(path, bert.fields() | {"choice": "left", "task": theirs})
        assert response.status_code == 404
    assert bert.post("/answer", bert.fields() | {"choice": "left", "task": "x" * 5000}).status_code == 404
    assert not list(campaign.answers())


def test_a_replayed_answer_counts_once(make, visit):
    anna = visit(make())
    fields = anna.fields() | {"choice": "left"}
    assert anna.post("/answer", fields).headers["location"] == "/"
    replayed = anna.post("/answer", fields | {"choice": "right"})
    assert replayed.headers["location"] == "/?note=already"
    assert "the first one stands" in anna.get("/?note=already").text
    (only,) = anna.campaign.answers()
    assert only.choice == "left"


@pytest.mark.parametrize(
    "path", ["/", "/instructions", "/admin", "/admin/live", "/admin/answers", "/admin/answers?before=abc"]
)
def test_nobody_comes_in_without_an_invitation(make, path):
    with TestClient(create_app(make()), base_url="http://127.0.0.1") as client:
        assert client.get(path).status_code == 401


def test_there_is_no_registration(make):
    with TestClient(create_app(make()), base_url="http://127.0.0.1") as client:
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
def test_forged_invitations_are_refused(make, change):
    campaign = make()
    invitation = campaign.invite("anna")
    with TestClient(create_app(campaign), base_url="http://127.0.0.1") as client:
        assert client.get(f"/join/{change(invitation)}").status_code in {403, 404}
        assert client.get(f"/join/{invitation}").status_code == 200


def test_a_new_invitation_ends_the_old_one_and_its_sessions(make, visit):
    campaign = make()
    anna = visit(campaign)
    old = campaign.invite("anna")
    assert anna.get("/").status_code == 401
    campaign.invite("anna")
    assert anna.get(f"/join/{old}").status_code == 403


def test_who_is_shut_out_stays_out(make, visit):
    campaign = make()
    anna = visit(campaign)
    fields = anna.fields() | {"choice": "left"}
    campaign.block("anna")
    assert anna.get("/").status_code == 401
    assert anna.post("/answer", fields).status_code == 401
    assert not list(campaign.answers())


def test_forged_and_old_sessions_are_refused(make, visit):
    campaign = make(web={"session_hours": 1.0})
    anna = visit(campaign)
    (name,) = anna.client.cookies.keys()
    good = anna.client.cookies[name]
    account = campaign.named("anna")
    session = ["nonce", account.id, account.stamp]
    forged = URLSafeTimedSerializer(b"another key", salt=f"session:{campaign.id}").dumps(session)
    other_salt = URLSafeTimedSerializer(campaign.key(), salt="form").dumps(session)

    payload, stamp, signature = good.split(".")
    for cookie in (forged, other_salt, f"{payload}.{stamp}.{signature[::-1]}", f"x{good}", "a" * 5000, "..", ""):
        anna.client.cookies.set(name, cookie, domain="127.0.0.1")
        assert anna.get("/").status_code == 401, cookie
    anna.client.cookies.clear()
    anna.client.cookies.set(name, good)
    assert anna.get("/").status_code == 200


def test_sessions_grow_old(make, visit, monkeypatch):
    anna = visit(make(web={"session_hours": 1.0}))
    import itsdangerous.timed  # noqa: PLC0415

    later = itsdangerous.timed.time.time() + 3700
    monkeypatch.setattr(itsdangerous.timed.time, "time", lambda: later)
    assert anna.get("/").status_code == 401


def test_judges_do_not_see_the_admin_page(make, visit):
    campaign = make()
    anna = visit(campaign)
    for path in ("/admin", "/admin/live", "/admin/answers", "/admin/answers?before=abc"):
        assert anna.get(path).status_code == 403
    for path in ("/admin/state", "/admin/judge", "/admin/invite"):
        assert anna.post(path, anna.fields() | {"state": "stop", "name": "x"}).status_code == 403
    assert campaign.state == "running"
    assert campaign.named("x") is None


def test_admins_need_the_token_too(make, visit):
    campaign = make()
    boss = visit(campaign, "boss", "admin")
    for path in ("/admin/state", "/admin/judge", "/admin/invite"):
        assert boss.post(path, {"state": "stop", "name": "x"}).status_code == 403
    assert campaign.state == "running"


def test_oversize_bodies_are_refused(make, visit):
    anna = visit(make(web={"body_bytes": 2048}))
    fields = anna.fields() | {"choice": "left"}
    assert anna.post("/answer", fields | {"more": "x" * 4096}).status_code == 413

    # In pieces, with no length announced.
    pieces = (b"x" * 1024 for _ in range(64))
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert anna.client.post("/answer", content=pieces, headers=kind).status_code == 413
    assert not list(anna.campaign.answers())


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
def test_what_is_not_a_form_is_refused(make, visit, body, kind, status):
    anna = visit(make())
    assert anna.client.post("/answer", content=body, headers={"content-type": kind}).status_code == status


@pytest.mark.parametrize(
    "changes",
    [
        {"choice": "both"},
        {"choice": ""},
        {"choice": "tie"},
        {"choice": "undecided"},
        {"kind": "blank", "option": "0"},
        {"kind": "blank", "option": "x"},
        {"choice": "left", "milliseconds": "1e9"},
        {"choice": "left", "milliseconds": "\u0661\u0662x"},
    ],
)
def test_odd_answers_are_refused(make, visit, changes):
    anna = visit(make())
    assert anna.answer(**changes).status_code == 400
    assert not list(anna.campaign.answers())


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e/%2e%2e/campaign/store.py",
        "/static//etc/passwd",
        "/static/templates/base.html",
        "/static/page.css%00.js",
        "/../../etc/passwd",
    ],
)
def test_no_path_leads_out(make, visit, path):
    anna = visit(make())
    response = anna.get(path)
    assert response.status_code == 404
    assert "root:" not in response.text


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "localhost@evil.example", "[::1].evil"])
def test_other_hosts_are_refused(make, visit, host):
    anna = visit(make())
    assert anna.get("/", headers={"host": host}).status_code == 421


def test_no_address_is_made_from_the_host(make, visit):
    anna = visit(make())
    response = anna.answer()
    assert response.headers["location"].startswith("/")
    page = anna.get("/", headers={"host": "localhost:9", "x-forwarded-host": "evil.example"}).text
    assert "localhost" not in page
    assert "evil" not in page


def test_too_many_requests_are_slowed_down(make, visit):
    campaign = make(web={"requests_per_minute": 40})
    anna = visit(campaign)
    codes = [anna.get("/").status_code for _ in range(30)]
    assert codes[0] == 200
    assert codes[-1] == 429
    bert = visit(campaign, "bert", app=anna.client.app)
    assert bert.get("/").status_code == 200  # one judge's haste is not another's


def test_guessing_invitations_is_slow(make):
    campaign = make(web={"joins_per_minute": 20})
    with TestClient(create_app(campaign), base_url="http://127.0.0.1") as client:
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


def test_errors_tell_nothing(make, visit, monkeypatch):
    campaign = make()
    anna = visit(campaign)
    quiet = TestClient(anna.client.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    quiet.cookies = anna.client.cookies
    monkeypatch.setattr(type(campaign), "view", lambda *_: 1 / 0)
    response = quiet.get("/")
    assert response.status_code == 500
    assert "ZeroDivision" not in response.text
    assert "Nothing of what you answered before is lost" in response.text
    assert "content-security-policy" in response.headers


def test_the_secrets_are_not_in_the_database(make):
    campaign = make()
    invitation = campaign.invite("anna")
    secret = invitation.split(".")[1]
    for file in campaign.directory.iterdir():
        assert secret.encode() not in file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0, file
