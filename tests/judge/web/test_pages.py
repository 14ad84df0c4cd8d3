"""What the pages say and do, without a browser."""

import random
import re
from html import unescape
from pathlib import Path

import pytest

import tolka.judge.web
import tolka.web
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.judge import Choice
from tolka.judge.campaign import CampaignSettings, Given, Material, create_campaign
from tolka.judge.campaign.overview import audit_log
from tolka.judge.exchange import read_answers
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
    link = re.search(r"<code>(/join/[\w.-]+)</code>", page)[1]  # no more, as nobody said how the page is reached
    assert "Çelik &lt;b&gt;" in page
    assert "Welcome, Çelik &lt;b&gt;" in boss.get(link).text
    for name in ("", " \n ", "x" * 81, "a\tb", "boss", "\n".join(map(str, range(301)))):
        fields = boss.fields("/admin", "/admin/invite") | {"name": name}
        assert boss.post("/admin/invite", fields).status_code == 400
    fields = boss.fields("/admin", "/admin/judge") | {"blocked": "yes"}
    assert boss.post("/admin/judge", fields).status_code == 303
    assert campaign.named("Çelik <b>").blocked
    assert boss.get(link).status_code == 403
    assert "Let in" in boss.get("/admin").text
    assert boss.post("/admin/judge", fields | {"name": "nobody"}).status_code == 400
    assert boss.post("/admin/state", boss.fields("/admin", "/admin/state") | {"state": "explode"}).status_code == 400


def test_many_are_invited_at_once_by_whole_links(make, visit):
    campaign = make()
    boss = visit(campaign, "boss", "admin", app=create_app(campaign, base="https://judge.example.org"))
    fields = boss.fields("/admin", "/admin/invite")
    one = boss.post("/admin/invite", fields | {"name": "anna"}).text
    assert re.search(r"<code>https://judge\.example\.org/join/[\w.-]+</code>", one)
    page = boss.post("/admin/invite", fields | {"name": "dora\r\n\r\n émile \r\ndora"}).text
    shown = re.search(r"<textarea readonly[^>]*>(.*?)</textarea>", page, re.DOTALL)[1]
    links = dict(line.split("\t") for line in shown.strip().splitlines())
    assert list(links) == ["dora", "émile"]
    assert all(link.startswith("https://judge.example.org/join/") for link in links.values())
    assert "Welcome, émile" in boss.get(links["émile"].removeprefix("https://judge.example.org")).text


def test_settings_are_changed_on_the_page(make, visit):
    campaign = make(["x", "y"], cost={"per_answer": 0.5})
    boss, anna = visit(campaign, "boss", "admin"), None
    form = settings_form(boss)
    assert form["question"] == "Which of the two is better?"
    assert form["cost.per_answer"] == "0.5"
    assert form["show.source"] == "yes"
    assert "show.undecided" not in form
    del form["show.source"]
    changes = {"question": "Which is <nearer>?", "ask.per_judge": "1", "labels": "fr", "show.undecided": "yes"}
    # What was changed by hand meanwhile stays.
    path = campaign.directory / "campaign.toml"
    path.write_text(path.read_text().replace("session_hours = 12.0", "session_hours = 3.5"))
    assert boss.post("/admin/settings", form | changes).headers["location"] == "/admin"
    written = CampaignSettings.load(campaign.directory)
    assert (written.question, written.ask.per_judge, written.show.source) == ("Which is <nearer>?", 1, False)
    assert written.web.session_hours == 3.5
    assert path.stat().st_mode & 0o077 == 0
    # They hold at once.
    anna = visit(campaign, "anna", app=boss.client.app)
    page = anna.get().text
    assert "Which is &lt;nearer&gt;?" in page
    assert "source x" not in page
    assert "Je ne peux pas le dire" in page
    anna.answer("undecided")
    assert "Merci" in anna.get().text
    line = audit_log(campaign)[0]
    told = [one for one in audit_log(campaign) if one.what == "settings"]
    assert [one.detail for one in told] == ["question, labels, show.source, show.undecided, ask.per_judge"], line


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ask.per_judge": "many"}, "Answers wanted of each judge: &#39;many&#39; is not a number"),
        ({"ask.per_judge": "-1"}, "Ask.per_judge must be at least 0"),
        ({"ask.explore": "nan"}, "Ask.explore"),
        ({"ask.strategy": "x"}, "there is no &#39;x&#39;"),
        ({"labels": "klingon"}, "no catalogue of labels"),
        ({"title": "x" * 300}, "Title"),
        ({"finish.url": "javascript:alert(1)"}, "Finish.url"),
        ({"language": "x y"}, "Language"),
    ],
)
def test_wrong_settings_change_nothing(make, visit, change, told):
    campaign = make()
    boss = visit(campaign, "boss", "admin")
    before = (campaign.directory / "campaign.toml").read_text()
    response = boss.post("/admin/settings", settings_form(boss) | {"thanks": "kept <as> entered"} | change)
    assert response.status_code == 400
    assert told in response.text
    assert "kept &lt;as&gt; entered" in response.text
    assert (campaign.directory / "campaign.toml").read_text() == before
    assert campaign.settings.thanks != "kept <as> entered"


def settings_form(boss):
    page = boss.get("/admin/settings").text
    found = re.findall(r'<input (?:id="[^"]*" )?name="([^"]+)" value="([^"]*)"', page)
    found += re.findall(r'<textarea id="[^"]*" name="([^"]+)"[^>]*>([^<]*)</textarea>', page)
    found += re.findall(r'<input type="checkbox" name="([^"]+)" value="(yes)" checked>', page)
    found += re.findall(r'<input type="hidden" name="(form_token)" value="([^"]*)"', page)
    found += re.findall(r'<select id="[^"]*" name="([^"]+)">.*?<option value="(\w+)" selected>', page, re.DOTALL)
    return {name: unescape(value) for name, value in found}


def test_answers_judges_and_report_are_taken_away(make, visit, tmp_path):
    campaign = make(["x", "y", "z"], finish={"own_code": True}, cost={"per_answer": 0.25, "currency": "SEK"})
    anna, boss = visit(campaign, "=anna"), visit(campaign, "boss", "admin")
    assert boss.get("/admin/report.html").status_code == 409
    for number in range(6):
        anna.answer("left" if number % 2 else "right")
    for kind in ("jsonl", "csv"):
        response = boss.get(f"/admin/answers.{kind}")
        assert response.headers["content-disposition"] == f'attachment; filename="answers.{kind}"'
        path = tmp_path / f"answers.{kind}"
        path.write_bytes(response.content)
        assert list(read_answers(path, kind)) == list(campaign.answers())
        assert b"=anna" in response.content
        assert b"=anna" not in boss.get(f"/admin/answers.{kind}?names=no").content
    report = boss.get("/admin/report.html").text
    for told in ("=anna", "1.50 SEK", "Which of the two is better?", "system-alpha"):
        assert told in report
    assert "=anna" not in boss.get("/admin/report.html?names=no").text
    head, row = boss.get("/admin/judges.csv").text.splitlines()
    assert head.endswith("completion_code")
    assert row.startswith("'=anna,6,0,0,")
    assert re.search(r",[A-Z2-7]{10}$", row)
    for path in ("/admin/answers.jsonl", "/admin/answers.csv", "/admin/judges.csv", "/admin/report.html"):
        assert anna.get(path).status_code == 403


def test_who_guesses_is_marked_on_the_admin_page(make, visit):
    campaign = make([f"text {number}" for number in range(60)])
    rng = random.Random(3)  # noqa: S311
    for name in ("anna", "bert", "dice"):
        campaign.invite(name)
        account = campaign.named(name)
        for _ in range(60):
            task = campaign.next(account)
            best = Choice.RIGHT if task.swapped else Choice.LEFT
            choice = rng.choice([Choice.LEFT, Choice.RIGHT]) if name == "dice" else best
            campaign.answer(account, task.id, Given(choice=choice))
    page = visit(campaign, "boss", "admin").get("/admin").text
    assert page.count('<span class="doubt">') == 1
    row = re.search(r"<tr>\s*<th scope=\"row\"><bdi>dice</bdi>.*?</tr>", page, re.DOTALL)[0]
    assert "looks like guessing" in row
    assert re.search(r"<bdi>dice</bdi> \S+ times, from 60 answers", page)


@pytest.mark.parametrize("ties", ["none", "equal", "equal-bad"])
def test_ties_where_they_are_offered(make, visit, ties):
    campaign = make(["x", "y", "z"], show={"ties": ties})
    anna = visit(campaign)
    page = anna.get().text + anna.get("/instructions").text
    assert ("Both are equally good" in page) == (ties != "none")
    assert ("Both are bad" in page) == (ties == "equal-bad")
    assert ("There is no button" in page) == (ties == "none")
    assert anna.answer("tie").status_code == (400 if ties == "none" else 303)
    assert anna.answer("bad").status_code == (303 if ties == "equal-bad" else 400)
    given = [one.choice for one in campaign.answers()]
    assert given == ["tie"] * ("none", "equal", "equal-bad").index(ties)
    if ties != "equal-bad":
        return
    log = visit(campaign, "boss", "admin").get("/admin").text
    assert "equally good" in log
    assert "both are bad" in log
    anna.post("/undo", anna.fields(action="/undo"))
    assert "You had said that both are bad" in anna.get("/?note=undone").text
    anna.answer("left")
    assert len(list(campaign.answers())) == 2


def test_outputs_equal_to_the_reference_beside_them_are_not_asked(tmp_path, visit):
    rows = [
        {"item": item, "segment": str(n), "reference": "a  b", "text": text}
        for n in range(4)
        for item, text in (("copy", "a b" if n < 3 else "a c"), ("other", f"x {n}"))
    ]
    material = Material.of_rows(rows, where="rows")
    assert (material.questions(), material.questions(reference=True)) == (4, 1)
    with create_campaign(tmp_path / "c", material) as campaign:
        anna = visit(campaign)
        anna.answer()
        assert "Thank you" in anna.get().text
        # Where the reference is not shown, there is something to judge.
        campaign.adopt(CampaignSettings.from_values({"show": {"reference": False}}))
        assert "Which of the two" in anna.get().text
    rows = [row for row in rows if row["segment"] != "3"]
    with pytest.raises(InputError, match="set reference = false"):
        create_campaign(tmp_path / "d", Material.of_rows(rows, where="rows"))
    hidden = CampaignSettings.from_values({"show": {"reference": False}})
    create_campaign(tmp_path / "d", Material.of_rows(rows, where="rows"), hidden).close()


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
    if path.name in {"admin.py", "setup.py", "downloads.py"}:
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
