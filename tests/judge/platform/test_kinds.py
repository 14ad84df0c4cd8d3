"""What may be asked and answered, and the test items that come along."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import InputError, SettingsError, TolkaError
from tolka.judge.campaign import read_tests
from tolka.judge.platform import KINDS, TestItem, bank, bank_languages, read_answer, read_body
from tolka.judge.platform.layout import LAYOUT, WORDS, question_html

TEST = {"text": "I ___ the supplier to divert it.", "options": ["wanted", "know", "saw"], "right": [0]}
BODIES = {
    "compare": {"reference": "the dog", "left": "a dog", "right": "a cat"},
    "substitute": {"before": "ein ", "phrase": "schweres", "after": " Buch", "options": ["schwieriges", "dickes"]},
    "rewrite": {"sentence": "John saw Mary.", "rewrites": ["Mary was seen by John.", "Mary saw John."]},
}
ANSWERS = {"compare": {"choice": "left"}, "substitute": {"chosen": 1}, "rewrite": {"same": [True, False]}}


@pytest.mark.parametrize("kind", KINDS)
class TestKinds:
    def test_round_trip(self, kind):
        body = read_body(kind, BODIES[kind] | {"test": TEST})
        assert read_body(kind, body.model_dump(mode="json")) == body
        answer = read_answer(kind, body, ANSWERS[kind] | {"ticked": [0]})
        assert read_answer(kind, body, answer.model_dump(mode="json")) == answer
        assert body.test.passed(answer.ticked)

    def test_the_key_stays_at_home(self, kind):
        body = read_body(kind, BODIES[kind] | {"test": TEST})
        assert "right" not in body.shown()["test"]
        assert body.shown()["test"]["options"] == TEST["options"]
        other = read_body(kind, BODIES[kind] | {"test": TEST | {"right": [1, 2]}})
        assert question_html(body) == question_html(other)

    def test_a_test_item_is_answered_where_there_is_one(self, kind):
        plain, tested = read_body(kind, BODIES[kind]), read_body(kind, BODIES[kind] | {"test": TEST})
        assert read_answer(kind, plain, ANSWERS[kind]).ticked is None
        for body, more in (
            (plain, {"ticked": []}),
            (tested, {}),
            (tested, {"ticked": [3]}),
            (tested, {"ticked": [-1]}),
        ):
            with pytest.raises(InputError):
                read_answer(kind, body, ANSWERS[kind] | more)

    def test_answers_of_other_kinds_are_none(self, kind):
        body = read_body(kind, BODIES[kind])
        for other in KINDS:
            if other != kind:
                with pytest.raises(InputError, match=f"an answer of kind {kind} is wrong"):
                    read_answer(kind, body, ANSWERS[other])

    def test_html_holds_text_only(self, kind):
        evil = "<script>alert(1)</script>"
        body = read_body(
            kind, json.loads(json.dumps(BODIES[kind]).replace("dog", evil).replace("John", evil).replace("Buch", evil))
        )
        assert "<script>" not in question_html(body)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        ("compare", {"left": "a  cat", "right": "a cat"}),
        ("compare", {"extra": 1}),
        ("substitute", {"options": ["a"]}),
        ("substitute", {"options": ["a", "a"]}),
        ("substitute", {"phrase": ""}),
        ("rewrite", {"rewrites": []}),
        ("rewrite", {"rewrites": ["a"] * 10}),
        ("rewrite", {"rewrites": ["a", "a"]}),
        ("compare", {"test": TEST | {"text": "no blank"}}),
        ("compare", {"test": TEST | {"right": []}}),
        ("compare", {"test": TEST | {"right": [0, 1, 2]}}),
        ("compare", {"test": TEST | {"right": [7]}}),
        ("compare", {"test": TEST | {"options": ["a", "a"]}}),
    ],
)
def test_bodies_that_are_none(kind, wrong):
    with pytest.raises(InputError, match=f"a question of kind {kind} is wrong"):
        read_body(kind, BODIES[kind] | wrong)


def test_what_is_refused():
    with pytest.raises(SettingsError, match="no kind 'poll'"):
        read_body("poll", {})
    body = read_body("rewrite", BODIES["rewrite"])
    with pytest.raises(InputError, match="2 rewritten sentences and 1 answers"):
        read_answer("rewrite", body, {"same": [True]})
    assert read_answer("substitute", read_body("substitute", BODIES["substitute"]), {"chosen": None}).chosen is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: st.lists(inside, max_size=3) | st.dictionaries(st.text(max_size=6), inside, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(["choice", "chosen", "same", "ticked", "x"]), anything))
def test_any_answer_is_read_or_refused(kind, answer):
    body = read_body(kind, BODIES[kind] | {"test": TEST})
    complaint = ""
    try:
        read_answer(kind, body, answer)
    except TolkaError as error:
        complaint = str(error)
    assert "\n" not in complaint


class TestBank:
    @pytest.mark.parametrize("language", bank_languages())
    def test_items(self, language):
        items = [TestItem.of(test) for test in bank(language)]
        assert len(items) >= 10
        assert len({item.text for item in items}) == len(items)
        assert all(len(item.options) == 4 for item in items)
        # Whoever ticks at random, one box, or always the same ones, fails most.
        for ticks in product([0, 1], repeat=4):
            ticked = tuple(at for at, tick in enumerate(ticks) if tick)
            assert sum(item.passed(ticked) for item in items) <= len(items) / 2
        chances = [1 / 2 ** len(item.options) for item in items]
        assert sum(chances) / len(items) < 0.07

    def test_languages(self):
        assert {"en", "de", "fr", "es", "it"} <= set(bank_languages())
        assert bank("de-AT") == bank("DE")
        with pytest.raises(InputError, match="no test items for 'tlh'"):
            bank("tlh")

    def test_the_thesis_s_own(self):
        assert [item.options[item.right[0]] for item in bank("en") if "supplier" in item.text] == ["wanted"]
        assert [item.options[item.right[0]] for item in bank("de") if "verzichten" in item.text] == ["auf"]

    def test_command(self, tmp_path):
        run = CliRunner().invoke
        assert "de: 14 test items" in run(app, ["judge", "test-items"]).output
        assert "[auf]" in run(app, ["judge", "test-items", "de"]).output
        done = run(app, ["judge", "test-items", "fr", "-o", str(tmp_path / "t.jsonl"), "--json"])
        assert done.exit_code == 0
        assert read_tests(tmp_path / "t.jsonl") == bank("fr")


def test_people_are_spoken_to_in_their_language():
    body = read_body("compare", BODIES["compare"])
    assert WORDS["de"].nearest in question_html(body, "de-AT")
    assert question_html(body, "tlh") == question_html(body, "en") == question_html(body)
    source = read_body("compare", {"source": "x", "left": "a", "right": "b"})
    assert WORDS["en"].translation in question_html(source)
    assert WORDS["en"].better in question_html(read_body("compare", {"left": "a", "right": "b"}))


def test_the_layout_has_its_places():
    assert LAYOUT.count("${question}") == 1
    assert LAYOUT.count("${language}") == 1
