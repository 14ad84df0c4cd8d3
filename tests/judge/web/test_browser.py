"""The pages in a real Chromium: by keyboard alone, on a phone, in the dark, from right to left, in two tabs."""

import pytest
from tests.web.pages.chromium import Opener, come_in, least_contrast, press

from tolka.judge import Choice
from tolka.judge.campaign import BlankTest, CampaignSettings, Given, Material, create_campaign, open_campaign

ARABIC = "هذا هو النص الأصلي مع رقم 42"
TEXTS = ["plain text", ARABIC, "<script>window.owned = 1</script>", "<img src=x onerror=window.owned=1>"]


@pytest.fixture(scope="module")
def site(tmp_path_factory, serve):
    """A running server with judges, and its links."""
    folder = tmp_path_factory.mktemp("site") / "campaign"
    rows = [
        {"item": item, "segment": str(n), "source": text, "reference": text, "text": f"{text} {word} {n}"}
        for n, text in enumerate(TEXTS * 8)
        for item, word in (("system-alpha", "first"), ("system-beta", "second"))
    ]
    blank = BlankTest("I ___ the supplier.", ("know", "seemed", "saw"), (0, 2))
    settings = {
        "show": {"differences": True, "undecided": True},
        "tests": {"rate": 1.0},
        "consent": "Your answers are kept.",
        "web": {"requests_per_minute": 6000, "joins_per_minute": 6000},
        "ask": {"per_judge": 12},
    }
    material = Material.of_rows(rows, where="rows", tests=[blank])
    create_campaign(folder, material, CampaignSettings.from_values(settings)).close()
    names = ("keys", "phone", "dark", "tabs", "click", "plain", "text", "slow", "select", "undo")
    with serve(folder, *names) as (_process, links), open_campaign(folder) as campaign:
        yield campaign, links


@pytest.fixture
def page_of(site, browser):
    """Opens a page for a judge, who comes in; complains of anything the browser complains of."""
    opener = Opener(browser, site[1])
    yield opener
    opener.close()


def answers_of(campaign, name):
    return [one for one in campaign.answers() if one.judge == name]


def past_the_test(page):
    if page.locator("fieldset").count():
        page.get_by_label("know").check()
        with page.expect_navigation():
            page.get_by_role("button", name="Done").click()


def test_by_keyboard_alone(site, page_of):
    campaign, _links = site
    page = page_of("keys")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    press(page, "Enter")
    # The test question: keys tick, Enter sends.
    assert page.get_by_role("heading", name="Tick everything that fits").is_visible()
    page.keyboard.press("1")
    page.keyboard.press("2")
    page.keyboard.press("2")
    page.keyboard.press("3")
    press(page, "Enter")
    press(page, "1")
    press(page, "2")
    press(page, "ArrowLeft")
    press(page, "ArrowRight")
    press(page, "0")
    press(page, "u")
    assert page.get_by_text("taken back").is_visible()
    # Tab reaches both sides, with a ring to be seen, and Enter chooses.
    page.locator("main").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.value") == "left"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    press(page, "Enter")
    given = answers_of(campaign, "keys")
    assert given[0].choice == given[0].test
    assert [one.choice for one in given[1:]] == ["left", "right", "left", "right", "right"]
    assert all(0 <= one.seconds < 30 for one in given)
    page.keyboard.press("Control+1")
    page.keyboard.press("x")
    page.wait_for_timeout(100)
    assert len(answers_of(campaign, "keys")) == 6


def test_on_a_phone(site, page_of):
    campaign, _links = site
    page = page_of("phone", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    come_in(page)
    past_the_test(page)
    for _ in range(4):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        one, other = page.locator(".side").all()
        first, second = one.bounding_box(), other.bounding_box()
        assert second["y"] >= first["y"] + first["height"]
        button = page.locator(".choose").first
        size = button.bounding_box()
        assert min(size["height"], size["width"]) >= 44
        with page.expect_navigation():
            button.tap()
    assert len(answers_of(campaign, "phone")) == 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_in_light_and_dark(site, page_of, scheme):
    _campaign, links = site
    page = page_of("dark", color_scheme=scheme)
    pages = [least_contrast(page)]
    backgrounds = {page.evaluate("getComputedStyle(document.body).backgroundColor")}
    come_in(page)
    pages.append(least_contrast(page))
    past_the_test(page)
    pages.append(least_contrast(page))
    page.locator(".side").first.hover()
    page.wait_for_timeout(300)
    pages.append(least_contrast(page))
    page.goto(links["dark"].rpartition("/join")[0] + "/instructions")
    pages.append(least_contrast(page))
    page.goto(links["admin"])
    come_in(page)
    pages.append(least_contrast(page))
    assert min(pages)[0] >= 4.5, min(pages)
    assert backgrounds == ({"rgb(250, 248, 243)"} if scheme == "light" else {"rgb(21, 24, 27)"})


def test_hostile_texts_run_nothing_and_arabic_runs_from_right_to_left(site, page_of):
    page = page_of("text")
    come_in(page)
    past_the_test(page)
    seen = set()
    for _ in range(11):
        text = page.locator(".given p").first.inner_text()
        seen.add(text)
        direction = page.locator(".side .text").first.evaluate("(one) => getComputedStyle(one).direction")
        assert direction == ("rtl" if text == ARABIC else "ltr")
        if text == ARABIC:
            box = page.locator(".side").first.bounding_box()
            start = page.locator(".side .text").first.evaluate(
                "(one) => { const r = document.createRange(); r.selectNodeContents(one); return r.getBoundingClientRect().right; }"
            )
            assert box["x"] + box["width"] - start < 40  # it begins at the right edge
        assert page.evaluate("window.owned") is None
        press(page, "1")
    assert set(TEXTS) & seen >= {ARABIC}
    assert any("<" in text for text in seen)
    assert page.get_by_role("heading", name="Thank you").is_visible()


def test_the_admin_page_keeps_up(site, page_of):
    campaign, _links = site
    page = page_of("admin", viewport={"width": 390, "height": 800})
    come_in(page)
    assert page.locator("#live").is_checked()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    before = page.locator(".figures dd").first.inner_text()
    campaign.invite("late")
    late = campaign.named("late")
    task = campaign.next(late)
    while task.test is not None:
        campaign.answer(late, task.id, Given(ticked=(0, 2)))
        task = campaign.next(late)
    campaign.answer(late, task.id, Given(choice=Choice.LEFT))
    page.wait_for_function("(before) => document.querySelector('.figures dd').innerText !== before", arg=before)
    assert page.get_by_role("img", name="Scores with their intervals").is_visible()
    with page.expect_navigation():
        page.get_by_role("button", name="Pause").click()
    assert campaign.state == "paused"
    with page.expect_navigation():
        page.get_by_role("button", name="Run").click()


def test_selecting_text_does_not_answer(site, page_of):
    campaign, _links = site
    page = page_of("select")
    come_in(page)
    past_the_test(page)
    task = page.locator("[name=task]").first.input_value()
    box = page.locator(".side .text").first.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 14, steps=5)
    page.mouse.up()
    assert page.evaluate("String(getSelection())")
    page.locator(".side .text").last.dblclick(position={"x": 10, "y": 12})
    page.locator(".side").first.click(position={"x": 4, "y": 4})
    page.wait_for_timeout(200)
    assert page.locator("[name=task]").first.input_value() == task
    assert len(answers_of(campaign, "select")) == 1


def test_undo_shows_what_was_chosen(site, page_of):
    page = page_of("undo")
    come_in(page)
    page.get_by_label("saw").check()
    press(page, "Enter")
    press(page, "u")
    assert page.get_by_label("saw").is_checked()
    assert not page.get_by_label("know").is_checked()
    press(page, "Enter")
    assert page.get_by_text("You had chosen").count() == 0
    text = page.locator(".side .text").last.inner_text()
    press(page, "2")
    press(page, "u")
    chosen = page.locator(".side.before")
    assert chosen.get_by_text("You had chosen this one.").is_visible()
    assert chosen.locator(".text").inner_text() == text
    press(page, "0")
    press(page, "u")
    assert page.get_by_text("You had said that you cannot tell").is_visible()


LONG = "Ein langer Satz mit vielen Wörtern, der immer so weitergeht. " * 30


@pytest.fixture(scope="module")
def long_site(tmp_path_factory, serve):
    """A campaign of long texts whose judges read Arabic."""
    folder = tmp_path_factory.mktemp("long") / "campaign"
    rows = [
        {"item": item, "segment": str(n), "source": LONG, "reference": LONG, "text": f"{n} {word} {LONG}"}
        for n in range(6)
        for item, word in (("a", "first"), ("b", "second"))
    ]
    settings = {"labels": "ar", "finish": {"code": "END-", "own_code": True}, "ask": {"per_judge": 2}}
    material = Material.of_rows(rows, where="rows")
    create_campaign(folder, material, CampaignSettings.from_values(settings)).close()
    with serve(folder, "phone", "desk", "arrows") as (_process, links), open_campaign(folder) as campaign:
        yield campaign, links


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("phone", {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}),
        ("desk", {"viewport": {"width": 1280, "height": 800}}),
    ],
)
def test_long_texts_are_answered_when_both_were_seen(long_site, browser, name, options):
    campaign, links = long_site
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(links[name])
    with page.expect_navigation():
        page.get_by_role("button", name="ابدأ").click()
    assert page.locator("html").get_attribute("dir") == "rtl"
    # The first output can be seen at once, and the original stays in sight.
    assert page.locator(".side").first.bounding_box()["y"] < options["viewport"]["height"] * 0.7
    assert page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
    page.keyboard.press("1")
    page.wait_for_timeout(200)
    assert not answers_of(campaign, name)
    assert page.locator("[data-unread]").is_visible()
    pressed = 1
    while not answers_of(campaign, name):
        shown = page.locator("#original").bounding_box()
        assert 0 <= shown["y"] < options["viewport"]["height"]
        page.keyboard.press("1")
        page.wait_for_timeout(150)
        pressed += 1
        assert pressed < 40
    assert pressed > 2
    # A button waits as well.
    page.wait_for_load_state()
    page.locator(".choose").last.click()
    page.wait_for_timeout(200)
    assert len(answers_of(campaign, name)) == 1
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    with page.expect_navigation():
        page.locator(".choose").last.click()
    assert page.locator(".code output").inner_text().startswith("END-")
    assert page.get_by_role("heading", name="شكرًا لك").is_visible()
    context.close()


def test_a_folded_original_can_be_unfolded(long_site, browser):
    campaign, _links = long_site
    with browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{_links['phone'].rpartition('/join')[0]}/join/{campaign.invite('folded')}")
        with page.expect_navigation():
            page.locator("button.main").click()
        text = page.locator(".given p").first
        before = text.bounding_box()["height"]
        page.locator(".given input").first.check()
        assert text.bounding_box()["height"] > 3 * before
        page.locator(".given input").first.uncheck()
        with page.expect_navigation():
            page.locator(".choose").first.click()  # without scripts nothing is held back
        assert len(answers_of(campaign, "folded")) == 1


def test_arrows_point_at_what_they_choose(long_site, browser):
    campaign, links = long_site
    with browser.new_context(viewport={"width": 1280, "height": 9000}) as context:
        page = context.new_page()
        page.goto(links["arrows"])
        with page.expect_navigation():
            page.locator("button.main").click()
        first, second = (one.bounding_box()["x"] for one in page.locator(".choose").all())
        assert first > second  # from right to left
        press(page, "ArrowLeft")
        assert [one.choice for one in answers_of(campaign, "arrows")] == ["right"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_campaign_is_run_from_a_phone(site, page_of, scheme):
    campaign, links = site
    guest = campaign.named("late") or (campaign.invite("late") and campaign.named("late"))
    while len(answers_of(campaign, "late")) < 6:
        task = campaign.next(guest)
        campaign.answer(guest, task.id, Given(ticked=(0, 2)) if task.test is not None else Given(choice=Choice.LEFT))
    page = page_of("admin", viewport={"width": 390, "height": 844}, color_scheme=scheme, has_touch=True, is_mobile=True)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    come_in(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    # Nothing has to be pushed aside to be read, but for the drawing and the map of pairs.
    wide = (
        "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText.slice(0, 60))"
    )
    assert page.locator(".scroll:not(.plot):not(:has(.heat))").evaluate_all(wide) == []
    assert least_contrast(page)[0] >= 4.5
    name = f"guest-{scheme}"
    page.get_by_label("Names").fill(name)
    with page.expect_navigation():
        page.get_by_role("button", name="Make links").click()
    link = page.locator(".invited code").inner_text()
    assert link.startswith(links["admin"].rpartition("/join")[0] + "/join/")
    page.get_by_role("button", name="Copy").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == link
    with page.expect_download() as got:
        page.get_by_role("link", name="Report").click()
    assert "How it was done" in got.value.path().read_text("utf-8")
    with page.expect_navigation():
        page.get_by_role("link", name="Settings").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert least_contrast(page)[0] >= 4.5
    page.get_by_label("Question", exact=True).fill("Which one is nearer?")
    with page.expect_navigation():
        page.get_by_role("button", name="Save").click()
    page.goto(link)
    come_in(page)
    past_the_test(page)
    assert page.get_by_role("heading", name="Which one is nearer?").is_visible()
