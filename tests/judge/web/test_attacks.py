"""The page, attacked: hostile texts, forged and replayed tokens, other people's questions, large and odd requests."""

import re
from html import unescape

import pytest
from starlette.testclient import TestClient

from tolka.judge.web import create_app

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


@pytest.mark.parametrize(
    "path", ["/", "/instructions", "/admin", "/admin/live", "/admin/answers", "/admin/answers?before=abc"]
)
def test_nobody_comes_in_without_an_invitation(make, path):
    with TestClient(create_app(make()), base_url="http://127.0.0.1") as client:
        assert client.get(path).status_code == 401


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
