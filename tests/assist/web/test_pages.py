"""What the assist page says and takes, with a browser that runs no scripts."""

import tomllib

import pytest

from tolka.assist.web.labels import FOLDER, languages, sentences
from tolka.errors import SettingsError
from tolka.judge.web import labels as judging
from tolka.web.wording import Wording


def test_a_late_answer_is_refused_kindly_with_the_next_question(make, visit, clock):
    tasks = make()
    anna, bert = visit(tasks), visit(tasks, "bert")
    late = anna.good()
    clock.forward(minutes=31)
    assert bert.post("/answer", bert.good()).status_code == 303
    refused = anna.post("/answer", late)
    assert refused.status_code == 409
    assert "that question is no longer asked. Here is the next one." in refused.text
    assert 'action="/answer"' in refused.text
    assert late["task"] not in refused.text
    # Sent once more it is told so once more; the next question is answered as any other.
    assert anna.post("/answer", late).status_code == 409
    assert anna.post("/answer", anna.good()).status_code == 303
    assert len(anna.world.answers(tasks)) == 2


def test_three_forms(make, visit):
    tasks = make(["apart first", "pair second", "word third"])
    anna = visit(tasks)
    pages = {}
    while 'action="/answer"' in (page := anna.get().text):
        heading = page.split('<h1 id="ask">')[1].split("<")[0]
        pages.setdefault(heading, page)
        anna.post("/answer", anna.good())
    assert set(pages) == {
        "Does this still mean the same?",
        "Which of these still mean the same?",
        "Which could better stand in the place of what is marked?",
    }
    assert "<mark>word</mark> third" in pages["Which could better stand in the place of what is marked?"]
    assert pages["Which of these still mean the same?"].count('type="radio"') == 6
    assert "Thank you" in anna.get().text
    assert "Your answers that are kept: 4" in anna.get().text


def test_taking_back_shows_what_was_said(make, visit):
    tasks = make(["pair second"])
    anna = visit(tasks)
    anna.post("/answer", anna.good() | {"said_0": "no", "said_1": "unknown"})
    anna.post("/undo", anna.fields(action="/undo"))
    page = anna.get("/?note=undone").text
    assert "Your last answer is taken back" in page
    assert 'name="said_0" value="no" required checked' in page
    assert 'name="said_1" value="unknown" required checked' in page
    words = make(["word third"])
    bert = visit(words, "bert")
    bert.post("/answer", bert.good() | {"choice": "none"})
    bert.post("/undo", bert.fields(action="/undo"))
    assert "You had said: both or neither." in bert.get().text


def test_progress_and_pauses(make, visit):
    tasks = make(ask={"per_judge": 3, "pause_every": 2}, consent="Agree.")
    anna = visit(tasks)
    assert "0 of 3" in anna.get().text
    anna.post("/answer", anna.good())
    assert "short pause" not in anna.get().text
    anna.post("/answer", anna.good())
    assert "short pause" in anna.get().text
    anna.post("/answer", anna.good())
    assert "Thank you" in anna.get().text
    assert "What you agreed to" in anna.get("/instructions").text


def test_sentences_are_shown_without_a_tokenisers_escapes(make, visit):
    page = visit(make(["apart it &apos;s R &amp; D"])).get().text
    assert "it &#39;s R &amp; D" in page


@pytest.mark.parametrize("language", [*languages(), "en"])
def test_catalogues_say_everything(language):
    found = Wording.load(FOLDER / f"{language}.toml", known=sentences())
    assert set(found.words) == set(sentences())
    assert found.language == language
    assert not set(sentences()) & set(judging.sentences())


def test_english_is_its_own_translation():
    words = tomllib.loads((FOLDER / "en.toml").read_text("utf-8"))["words"]
    assert all(english == said for english, said in words.items())


def test_the_page_speaks_german(make, visit):
    page = visit(make(["apart first"], labels="de")).get().text
    assert 'lang="de"' in page
    assert "Bedeutet das noch dasselbe?" in page
    assert "Beenden" in page
    with pytest.raises(SettingsError, match="no catalogue of labels 'xx'"):
        visit(make(["apart first"], labels="xx"))
