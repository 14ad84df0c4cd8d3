"""Every page in a real Chromium: on a phone, in the dark, in two tabs, hurried, without scripts, by its landmarks."""

import time

import pytest
from tests.web.pages.chromium import PHONE, Opener, come_in, least_contrast, task_of
from tests.web.pages.worlds import WORLDS

ARABIC = "هذا هو النص الأصلي مع رقم 42"
TEXTS = ["plain text", ARABIC, "<script>window.owned = 1</script>", "<img src=x onerror=window.owned=1>"]
NAMES = ("phone", "light", "dark", "tabs", "click", "plain", "marks", "text")


@pytest.fixture(scope="module", params=sorted(WORLDS))
def site(request, tmp_path_factory):
    """A running server of each kind, and its links."""
    world = WORLDS[request.param]
    folder = tmp_path_factory.mktemp("site") / world.name
    quick = {"web": {"requests_per_minute": 6000, "joins_per_minute": 6000}}
    world.make(folder, [f"{text} {number}" for number in range(8) for text in TEXTS], **quick).close()
    with world.serve(folder, *NAMES) as (_process, links), world.open(folder) as host:
        yield world, host, links


@pytest.fixture
def page_of(site, browser):
    opener = Opener(browser, site[2])
    yield opener
    opener.close()


def answered(site, name):
    """How many answers of somebody stand."""
    _, host, _ = site
    return host.view(host.named(name)).answered


def choose(page):
    """Answers as one does without a keyboard, whatever the form."""
    with page.expect_navigation():
        if page.locator(".output").count():
            for output in page.locator(".output").all():
                output.locator(".verdict").first.click()
        else:
            page.locator(".choose").first.click()


def test_on_a_phone(site, page_of):
    page = page_of("phone", **PHONE)
    come_in(page)
    for number in range(5):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for target in page.locator(".choose, .verdict").all():
            size = target.bounding_box()
            assert min(size["height"], size["width"]) >= 44
        choose(page)
        assert answered(site, "phone") == number + 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_in_light_and_dark(site, page_of, scheme):
    page = page_of(scheme, color_scheme=scheme)
    least = [least_contrast(page)]
    backgrounds = {page.evaluate("getComputedStyle(document.body).backgroundColor")}
    come_in(page)
    for _ in range(4):
        least.append(least_contrast(page))
        page.locator(".choose, .verdict").first.hover()
        page.wait_for_timeout(300)
        least.append(least_contrast(page))
        choose(page)
    page.goto(site[2]["dark"].rpartition("/join")[0] + "/instructions")
    least.append(least_contrast(page))
    assert min(least)[0] >= 4.5, min(least)
    assert backgrounds == ({"rgb(250, 248, 243)"} if scheme == "light" else {"rgb(21, 24, 27)"})


def test_hostile_texts_run_nothing_and_arabic_runs_from_right_to_left(page_of):
    page = page_of("text")
    come_in(page)
    seen: set[str] = set()
    for _ in range(120):
        if seen == {"rtl", "tag", "plain"}:
            break
        for text in page.locator(".given p, .text").all():
            direction = text.evaluate("(one) => getComputedStyle(one).direction")
            said = text.inner_text()
            first = next(letter for letter in said if letter.isalpha())
            assert direction == ("rtl" if first == ARABIC[0] else "ltr")
            seen.add("tag" if "<" in said else "rtl" if direction == "rtl" else "plain")
        assert page.evaluate("window.owned") is None
        choose(page)
    assert seen == {"rtl", "tag", "plain"}


def test_two_tabs(site, page_of):
    page = page_of("tabs")
    come_in(page)
    other = page.context.new_page()
    other.goto(site[2]["tabs"].rpartition("/join")[0] + "/")
    assert task_of(page) == task_of(other)
    choose(page)
    choose(other)
    assert other.get_by_text("the first one stands").is_visible()
    assert answered(site, "tabs") == 1
    assert task_of(page) == task_of(other)


def test_double_click_and_held_key_answer_once(site, page_of):
    page = page_of("click")
    come_in(page)
    while not page.locator(".choose").count():
        choose(page)
    before = answered(site, "click")
    with page.expect_navigation():
        page.locator(".choose").first.dblclick()
    page.wait_for_load_state()
    page.wait_for_timeout(300)
    assert answered(site, "click") == before + 1
    while not page.locator(".choose").count():
        choose(page)
    before = answered(site, "click")
    page.evaluate(
        "() => { for (let i = 0; i < 5; i++) document.dispatchEvent(new KeyboardEvent('keydown', {key: '1', repeat: i > 0})); }"
    )
    page.wait_for_url("**/")
    time.sleep(0.3)
    assert answered(site, "click") == before + 1


def test_without_scripts(site, page_of):
    page = page_of("plain", java_script_enabled=False)
    come_in(page)
    for number in range(4):
        choose_plainly(page)
        assert answered(site, "plain") == number + 1
    with page.expect_navigation():
        page.get_by_role("button", name="Take back").click()
    assert page.get_by_text("taken back").is_visible()
    assert answered(site, "plain") == 3
    choose_plainly(page)
    assert answered(site, "plain") == 4


def choose_plainly(page):
    with page.expect_navigation():
        if page.locator(".output").count():
            for output in page.locator(".output").all():
                output.locator(".verdict").last.click()
            page.get_by_role("button", name="Done").click()
        else:
            page.locator(".choose").last.click()


def test_landmarks_and_names(page_of):
    page = page_of("marks")
    for step in (lambda: None, lambda: come_in(page), lambda: choose(page), lambda: choose(page)):
        step()
        for role in ("main", "banner"):
            assert page.get_by_role(role).count() == 1
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.locator("html").get_attribute("lang") == "en"
        unnamed = page.evaluate(
            "() => [...document.querySelectorAll('button, a, input:not([type=hidden])')]"
            ".filter((one) => !(one.innerText || one.labels?.[0]?.innerText || one.getAttribute('aria-label'))).length"
        )
        assert unnamed == 0
        ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map((one) => one.id)")
        assert len(ids) == len(set(ids))
