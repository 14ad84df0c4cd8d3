"""The assist page in a real Chromium, for what only it has: one key a sentence, and taking a key back."""

import pytest
from tests.web.pages.chromium import PHONE, Opener, come_in, press, task_of
from tests.web.pages.worlds import WORLDS

LONG = "a long sentence that goes on and on " * 12
NAMES = ("keys", "buttons", "words", "back", "arrows", "phone", "late", "other")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Running servers, one for each form of question, and their links."""
    world = WORLDS["assist"]
    folder = tmp_path_factory.mktemp("site")
    quick = {"web": {"requests_per_minute": 6000, "joins_per_minute": 6000}, "ask": {"judgements": 9}}
    made = {}
    try:
        for form, texts in (("pair", ["one", LONG]), ("apart", ["one"]), ("word", ["one two three"])):
            tasks = world.make(folder / form, [f"{text} {number}" for text in texts for number in range(4)], **quick)
            with tasks.store.writing() as connection:
                others = "UPDATE standing SET question = NULL WHERE sentence_id IN (SELECT id FROM sentence WHERE text NOT LIKE ?)"
                connection.exec_driver_sql(others, (f"% {form}",))
            tasks.close()
            running = world.serve(folder / form, *NAMES)
            made[form] = (running, running.__enter__()[1], world.open(folder / form))
        yield made
    finally:
        for running, _, tasks in made.values():
            tasks.close()
            running.__exit__(None, None, None)


@pytest.fixture
def page_of(site, browser):
    openers = {form: Opener(browser, links) for form, (_, links, _) in site.items()}

    def page_of(form, name, **options):
        page = openers[form](name, **options)
        come_in(page)
        return page

    yield page_of
    for opener in openers.values():
        opener.close()


def said(site, form, name):
    """What somebody said, in the order in which it was shown to them."""
    _, _, tasks = site[form]
    with tasks.store.reading() as connection:
        account = tasks.named(name).id
        mine = {
            row[0]
            for row in connection.exec_driver_sql(
                "SELECT id FROM task WHERE state = 'answered' AND account_id = ?", (account,)
            )
        }
    return [fields for task, fields in WORLDS["assist"].answers(tasks) if task in mine]


def test_one_key_a_sentence_and_the_last_one_sends(site, page_of):
    page = page_of("pair", "keys")
    assert page.get_by_role("heading", name="Which of these still mean the same?").is_visible()
    page.keyboard.press("y")
    assert page.locator(".output.current").count() == 1
    assert page.locator(".output").first.get_by_label("Means the same").is_checked()
    press(page, "n")
    page.keyboard.press("2")
    press(page, "1")
    assert said(site, "pair", "keys") == [{"said_0": "yes", "said_1": "no"}, {"said_0": "no", "said_1": "yes"}]
    # One key taken back, then the whole answer.
    page.keyboard.press("1")
    page.keyboard.press("u")
    assert not page.locator("input:checked").count()
    page.keyboard.press("2")
    press(page, "2")
    press(page, "u")
    assert page.get_by_text("taken back").is_visible()
    assert page.locator("input:checked").count() == 2
    page.keyboard.press("Control+1")
    page.keyboard.press("x")
    page.wait_for_timeout(100)
    assert len(said(site, "pair", "keys")) == 2
    page.keyboard.press("1")
    press(page, "1")
    assert said(site, "pair", "keys")[-1] == {"said_0": "yes", "said_1": "yes"}


def test_arrows_pass_through_choices_without_answering(site, page_of):
    page = page_of("pair", "arrows")
    task = task_of(page)
    for output in page.locator(".output").all():
        output.locator("input").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(200)
    assert task_of(page) == task
    assert page.locator("input:checked").count() == 2
    with page.expect_navigation():
        page.get_by_role("button", name="Done").press("Enter")
    assert said(site, "pair", "arrows") == [{"said_0": "unknown", "said_1": "unknown"}]


def test_one_sentence_is_answered_by_one_key(site, page_of):
    page = page_of("apart", "buttons")
    assert page.get_by_role("heading", name="Does this still mean the same?").is_visible()
    press(page, "y")
    press(page, "2")
    press(page, "n")
    assert said(site, "apart", "buttons") == [{"said_0": "yes"}, {"said_0": "no"}, {"said_0": "no"}]


def test_words_are_chosen_by_digits_and_arrows(site, page_of):
    page = page_of("word", "words")
    assert page.locator("mark").inner_text() == "one"
    press(page, "1")
    press(page, "ArrowRight")
    assert said(site, "word", "words") == [{"choice": "0"}, {"choice": "1"}]
    press(page, "u")
    assert page.locator(".choose.before").inner_text() == page.locator(".choose").nth(1).inner_text()


def test_a_finger_needs_no_button_at_the_end(site, page_of):
    page = page_of("pair", "phone", **PHONE)
    first, second = page.locator(".output").all()
    first.locator(".verdict").nth(1).tap()
    with page.expect_navigation():
        second.locator(".verdict").nth(0).tap()
    assert said(site, "pair", "phone") == [{"said_0": "no", "said_1": "yes"}]


def test_long_sentences_stay_in_sight(page_of):
    page = page_of("pair", "late", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    for _ in range(8):
        if page.locator(".givens.long").count():
            break
        page.keyboard.press("1")
        press(page, "1")
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    shown = page.locator("#original").bounding_box()
    assert 0 <= shown["y"] < 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
