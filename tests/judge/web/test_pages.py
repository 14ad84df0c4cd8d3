"""What the pages say and do, without a browser."""

import re
from pathlib import Path

import pytest

import tolka.judge.web
import tolka.web
from tolka.errors import FileError, FormatError, SettingsError
from tolka.judge.campaign import CampaignSettings
from tolka.judge.campaign.overview import audit_log
from tolka.judge.web import create_app
from tolka.judge.web.differences import MOST_WORDS, marked
from tolka.judge.web.labels import languages, sentences, wording_of

WEB = Path(tolka.web.__file__).parent / "templates"
JUDGING = Path(tolka.judge.web.__file__).parent / "templates"


def test_a_judges_way_through(make, visit, blank):
    campaign = make(["x", "y"], tests_asked=[blank], tests={"rate": 1.0}, ask={"per_judge": 3}, consent="I agree.")
    anna = visit(campaign)
    page = anna.get().text
    assert "Tick everything that fits" in page
    assert "0 of 3" in page
    assert anna.post("/answer", anna.fields() | {"option": "0"}).status_code == 303
    assert "Which of the two is better?" in anna.get().text
    assert anna.answer("left", milliseconds="150").status_code == 303
    assert anna.answer("right").status_code == 303
    done = anna.get().text
    assert "Thank you" in done
    assert "Your answers that are kept: 3" in done
    assert anna.post("/undo", anna.fields(action="/undo")).headers["location"] == "/?note=undone"
    assert "taken back" in anna.get("/?note=undone").text
    assert anna.answer("left").status_code == 303
    assert "What you agreed to" in anna.get("/instructions").text
    answers = list(campaign.answers())
    assert [one.choice for one in answers] == ["left", "left", "left"]
    assert answers[0].test == "left"
    assert anna.post("/leave", anna.fields(action="/leave")).status_code == 200
    assert anna.get().status_code == 401


def test_source_and_reference_only_where_they_are_wanted(make, visit):
    page = visit(make(["x"], show={"source": False, "reference": False})).get().text
    assert "Original" not in page
    assert "source x" not in page
    page = visit(make(["x"], show={"source": False})).get().text
    assert "What it should say" in page


def test_the_invitation_page_lets_nobody_in_by_itself(make, visit):
    campaign = make()
    invitation = campaign.invite("anna")
    visitor = visit(campaign, "bert")
    visitor.client.cookies.clear()
    assert "Welcome, anna" in visitor.get(f"/join/{invitation}").text
    assert not campaign.named("anna").joined
    assert visitor.get("/").status_code == 401


def test_languages_reach_the_page(make, visit):
    page = visit(make(["x"], language="ar", source_language="pt-BR")).get().text
    assert page.count('lang="ar"') == 3
    assert page.count('lang="pt-BR"') == 1
    assert page.count('dir="auto"') == 4


def test_the_admin_page(make, visit):
    campaign = make(["x", "y", "z"], cost={"per_answer": 0.25, "currency": "SEK"}, ask={"target": 100})
    anna, boss = visit(campaign), visit(campaign, "boss", "admin")
    assert "The ranking begins with the first answer" in boss.get("/admin").text
    for number in range(6):
        anna.answer("left" if number % 2 else "right")
    boss.post("/admin/state", boss.fields("/admin", "/admin/state") | {"state": "pause"})
    page = boss.get("/admin").text
    for told in ("Paused", "of 100", "1.50", "SEK", "system-alpha", "<svg", "anna", "answers:6"):
        assert told in page, told
    assert anna.get().status_code == 200  # the question at hand may still be answered
    anna.answer()
    assert "A pause" in anna.get().text
    boss.post("/admin/state", boss.fields("/admin", "/admin/state") | {"state": "run"})
    assert "Which of the two" in anna.get().text
    page = boss.get("/admin/answers").text
    assert len(re.findall(r"\w over \w", page)) == 7
    assert boss.get("/admin/answers?before=2").text.count(" over ") == 1
    assert boss.get("/admin/answers?before=x").status_code == 400
    assert "<html" not in boss.get("/admin/live").text
    assert [line.what for line in audit_log(campaign)][:2] == ["running", "paused"]


def test_admins_invite_and_shut_out(make, visit):
    campaign = make()
    boss = visit(campaign, "boss", "admin")
    page = boss.post("/admin/invite", boss.fields("/admin", "/admin/invite") | {"name": "Çelik <b>"}).text
    link = re.search(r"<code>(/join/[\w.-]+)</code>", page)[1]
    assert "Çelik &lt;b&gt;" in page
    assert "Welcome, Çelik &lt;b&gt;" in boss.get(link).text
    for name in ("", " ", "x" * 81, "a\nb", "boss"):
        fields = boss.fields("/admin", "/admin/invite") | {"name": name}
        assert boss.post("/admin/invite", fields).status_code == 400
    fields = boss.fields("/admin", "/admin/judge") | {"blocked": "yes"}
    assert boss.post("/admin/judge", fields).status_code == 303
    assert campaign.named("Çelik <b>").blocked
    assert boss.get(link).status_code == 403
    assert "Let in" in boss.get("/admin").text
    assert boss.post("/admin/judge", fields | {"name": "nobody"}).status_code == 400
    assert boss.post("/admin/state", boss.fields("/admin", "/admin/state") | {"state": "explode"}).status_code == 400


def test_static_files_may_be_kept(make, visit):
    anna = visit(make())
    page = anna.get().text
    (style,) = re.findall(r'href="(/static/page\.css\?[0-9a-f]+)"', page)
    response = anna.get(style)
    assert response.headers["cache-control"].endswith("immutable")
    assert response.headers["content-type"].startswith("text/css")


def test_health(make, visit):
    assert visit(make()).get("/health").text == "ok\n"


def test_the_page_speaks_the_judges_language(make, visit):
    campaign = make(["x"], labels="de", ask={"per_judge": 1}, consent="Einverstanden?")
    anna = visit(campaign)
    page = anna.get().text
    for told in (
        '<html lang="de" dir="ltr">',
        "Welche der beiden ist besser?",
        "Zum Vergleich",
        "Die erste",
        "Beenden",
    ):
        assert told.lower() in page.lower(), told
    assert "Anleitung" in anna.get("/instructions").text
    assert "Sie sehen zwei Übersetzungen" in anna.get("/instructions").text
    anna.answer()
    assert "Ihre gespeicherten Antworten: 1" in anna.get().text
    assert "Diese Seite gibt es nicht" in anna.get("/nowhere").text
    anna.client.cookies.clear()
    assert "Wir kennen Sie noch nicht" in anna.get("/").text
    # Nothing that the page itself says is left in English; what the campaign's owner wrote stays as it is.
    english = set(re.findall(r">([^<>]+)<", visit(make(["x"])).get().text))
    german = set(re.findall(r">([^<>]+)<", page))
    same = {one.strip() for one in english & german if re.search(r"[A-Za-z]{3}", one)}
    assert same <= {"Original", "source x", "x", "x one", "x two", "x three"}, same


def test_catalogues_are_whole(make):
    campaign = make()
    sources = [*WEB.glob("*.html"), *JUDGING.glob("*.html")]
    said = {text for path in sources for text in re.findall(r'say\("([^"]+)"', path.read_text("utf-8"))}
    said |= {text for path in (WEB.parent, JUDGING.parent) for one in path.glob("*.py") for text in refusals(one)}
    said |= {getattr(CampaignSettings(), name) for name in ("title", "question", "instructions", "thanks")}
    assert said - {f"{{{name}}}" for name in ("error",)} <= set(sentences()), said - set(sentences())
    for language in languages():
        found = wording_of(campaign, CampaignSettings(labels=language))
        if language != "en":
            assert set(found.words) == set(sentences()), language
            assert all(found.words.values())


def refusals(path):
    """The titles and sentences of pages that refuse judges, and notes."""
    told = path.read_text("utf-8")
    if path.name in {"admin.py", "settings_page.py"}:
        return []
    found = re.findall(r'RefusedError\(\s*\d+,\s*"([^"]+)"(?:,\s*"([^"]+)")?', told)
    notes = re.findall(r'^    "\w+": "([^"]{20,})",$', told, re.MULTILINE)
    return [text for pair in found for text in pair if text] + (notes if path.name == "judging.py" else [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[words]\n"Leave" = "Los"', "language"),
        ('language = "xx"\n[words]\n"Leve" = "Los"', "no page says 'Leve'; did you mean 'Leave'?"),
        (
            'language = "xx"\n[words]\n"{answered} of {goal}" = "{answered}"',
            "needs these blanks, each once: {answered}",
        ),
        ('language = "xx"\n[words]\n"Leave" = "{0.__class__}"', "needs these blanks"),
        ('language = "xx"\ndirection = "up"\n[words]', "direction"),
        ("language = ", "not TOML"),
    ],
)
def test_wrong_catalogues_are_said(make, text, message):
    campaign = make(labels="mine.toml")
    (campaign.directory / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=re.escape(message)):
        create_app(campaign)


@pytest.mark.parametrize("labels", ["klingon", "../x.toml", "/etc/passwd", "none.toml"])
def test_labels_that_are_not_there(make, labels):
    with pytest.raises((SettingsError, FileError), match="catalogue"):
        create_app(make(labels=labels))


def test_a_catalogue_of_ones_own(make, visit):
    campaign = make(["x"], labels="mine.toml")
    (campaign.directory / "mine.toml").write_text(
        'language = "cy"\n[words]\n"Leave" = "<Gadael>"\n"Welcome, {name}" = "Croeso, {name}"', encoding="utf-8"
    )
    page = visit(campaign).get().text
    assert "&lt;Gadael&gt;" in page
    assert "Instructions" in page  # what it leaves out stays English
    assert '<html lang="cy"' in page


@pytest.mark.parametrize(
    ("finish", "told"),
    [
        ({}, ""),
        ({"code": "C0FFEE"}, r"C0FFEE"),
        ({"code": "P-", "own_code": True}, r"P-[A-Z2-7]{10}"),
        ({"own_code": True, "url": "https://panel.example/done?cc={code}"}, r"[A-Z2-7]{10}"),
    ],
)
def test_completion_codes(make, visit, finish, told):
    campaign = make(["x"], ask={"per_judge": 2}, finish=finish)
    codes = []
    for name in ("anna", "bert"):
        judge = visit(campaign, name)
        judge.answer()
        assert "completion code" not in judge.get().text  # not before the end
        judge.answer()
        page = judge.get().text
        codes += re.findall(r"<output[^>]*>([^<]*)</output>", page)
        if finish.get("url"):
            assert f'href="https://panel.example/done?cc={codes[-1]}"' in page
    assert len(codes) == (2 if told else 0)
    assert all(re.fullmatch(told, code) for code in codes)
    assert len(set(codes)) == (2 if finish.get("own_code") else min(len(codes), 1))


def test_who_answered_nothing_gets_no_code(make, visit):
    campaign = make(["x"], finish={"code": "C0FFEE"})
    anna = visit(campaign)
    campaign.turn("stopped")
    assert "C0FFEE" not in anna.get().text


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a b c", "a b c", ([], [])),
        ("a b c", "a x c", (["b"], ["x"])),
        ("", "a", ([], ["a"])),
        ("你好世界", "你们世界", (["好"], ["们"])),
        ("a  b", "a b", ([], [])),
        (" a b ", "a c", (["b"], ["c"])),
        ("the cat on the mat", "a cat under the mat", (["the", "on"], ["a", "under"])),
        ("don't", "do not", (["don't"], ["do not"])),
    ],
)
def test_differences(left, right, expected):
    found = marked(left, right)
    assert ["".join(piece.text for piece in side) for side in found] == [left, right]
    assert tuple([piece.text for piece in side if piece.differs] for side in found) == expected


def test_long_texts_are_not_compared():
    left, right = "a " * MOST_WORDS, "b " * MOST_WORDS
    assert [len(side) for side in marked(left, right)] == [1, 1]
