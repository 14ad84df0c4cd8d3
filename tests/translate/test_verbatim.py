"""Placeholders and tags through a whole translator."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.markup import find_placeholders
from tolka.translate import Translator
from tolka.translate.bundle import open_model
from tolka.translate.tagged import without_strays, word_places

TAG = re.compile(r"</?\w[^<>]*>")


def noting(path):
    """The model as if it had been made of text whose notation is whole."""
    opened = open_model(path)
    text = replace(opened.description.text, notation=True)
    return Translator(replace(opened.description, text=text), opened.files, opened.weights)


@pytest.fixture(scope="module", params=["hiero", "phrase"])
def translator(request, models):
    return noting(models[request.param])


@pytest.fixture(scope="module")
def words(bitext):
    return sorted({word for source, _ in bitext[0][:50] for word in re.findall(r"\w+", source)})


PLACEHOLDERS = [
    "%s",
    "%d",
    "%(name)s",
    "%1$s",
    "${name}",
    "{0}",
    "$1",
    "https://a.org/B?c=d&e",
    "/usr/Bin",
    "&nbsp;",
    "`ls -L`",
]


def test_placeholders_come_out_as_they_were(translator):
    for text in ("%s: %d", "%s", "${Name} und {0}.", "Der Hund (%(x)s) sieht %1$s!"):
        found = translator.translate(text)
        assert Counter(find_placeholders(found)) == Counter(find_placeholders(text)), found
    assert translator.translate("%s: %d") == "%s: %d"
    assert translator.translate("${Name}") == "${Name}"


def test_a_model_made_before_translates_as_it_did(models):
    old = Translator.load(models["phrase"])
    assert not old.description.text.notation
    assert old.sentences(["%s <b>x</b>"])[0].text == "% s &lt; b &gt; x &lt; / b &gt;"
    assert old.sentences(["%s <b>x</b>"])[0].given == ()


def test_the_setting_is_kept_with_the_model(models, tmp_path):
    noting(models["phrase"]).save(tmp_path / "m")
    again = Translator.load(tmp_path / "m")
    assert again.description.text.notation
    assert again.sentences(["%s"])[0].text == "%s"


def is_balanced(text):
    stack = []
    for tag in TAG.findall(text):
        name = re.match(r"</?(\w+)", tag)[1]
        if not tag.startswith("</"):
            stack.append(name)
        elif not stack or stack.pop() != name:
            return False
    return not stack


def texts(words):
    """Words, placeholders and pairs of tags around some of them."""
    atom = st.one_of(st.sampled_from(words), st.sampled_from(words), st.sampled_from(PLACEHOLDERS))
    run = st.lists(atom, min_size=1, max_size=4).map(" ".join)
    tag = st.sampled_from([("<b>", "</b>"), ('<a href="x y">', "</a>"), ("**", "**")])
    one = st.one_of(run, st.tuples(tag, run).map(lambda pair: pair[0][0] + pair[1] + pair[0][1]))
    return st.lists(one, min_size=1, max_size=3).map(" ".join)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_not_words_is_in_the_translation_each_once(translator, words, data):
    text = data.draw(texts(words))
    for found in (translator.translate(text), translator.nbest(text, 3)[-1].text):
        assert Counter(find_placeholders(TAG.sub(" ", found))) == Counter(find_placeholders(TAG.sub(" ", text))), found
        assert Counter(TAG.findall(found)) == Counter(TAG.findall(text)), found
        assert found.count("**") == text.count("**"), found
        assert is_balanced(found), found
        for address in ("https://a.org/B?c=d&e", "/usr/Bin", "`ls -L`"):
            assert found.count(address) == text.count(address), found


def test_signs_are_around_placeholders_of_any_kind(translator):
    for placeholder in PLACEHOLDERS:
        for text in (f"**{placeholder}**", f"<b>{placeholder}</b>"):
            assert translator.translate(text) == text


def test_tags_go_with_their_words(translator, bitext):
    source = bitext[0][0][0]
    plain = translator.translate(source)
    assert translator.translate(f"<b>{source}</b>") == f"<b>{plain}</b>"
    word = re.findall(r"\w+", source)[1]
    marked = translator.translate(source.replace(word, f"**{word}**", 1))
    assert marked.replace("**", "") == plain
    assert marked.count("**") == 2
    assert translator.nbest(f"<b>{source}</b>", 1)[0].text == f"<b>{plain}</b>"


def test_every_way_of_translating_keeps_them(models, tmp_path):
    noting(models["phrase"]).save(tmp_path / "m")
    (tmp_path / "in").write_text("<b>der</b> %s Hund\n", encoding="utf-8")
    for options in (
        [],
        ["--mbr", "nbest"],
        ["--explain", str(tmp_path / "x.jsonl")],
        ["--forest", str(tmp_path / "f")],
    ):
        result = CliRunner().invoke(app, ["translate", str(tmp_path / "m"), str(tmp_path / "in"), "--quiet", *options])
        assert result.exit_code == 0, result.output
        assert result.stdout.count("%s") == 1
        assert is_balanced(result.stdout)
        assert result.stdout.count("<b>") == 1


def test_the_model_may_use_what_it_knows_of_placeholders(translator):
    """What comes out as it was without being forced to is not forced."""
    (sentence,) = translator.sentences(["der %s Hund"])
    assert sentence.given == ()
    (code,) = translator.sentences(["der `ls -l` Hund"])
    assert [one.targets[0][0] for one in code.given] == ["`ls -l`"]


def test_strays_are_dropped(translator):
    sentence = translator.sentences(["der %s Hund"])[0]
    assert without_strays(sentence, "the %s dog %s %d") == "the %s dog"
    assert without_strays("der Hund", "the %s") == "the %s"


def test_places_of_words():
    assert word_places(["l&apos;", "a", "@-@", "b", "."], "l'a-b.") == [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
