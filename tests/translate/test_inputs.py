"""Lattices, spans and walls through translators and the command."""

import json
import subprocess
import sys

import pytest
from tests.train.test_growing import SOURCE, TARGET
from tests.train.test_growing import model as table_model

from tolka.decode import Lattice
from tolka.errors import FormatError, InputError, SettingsError
from tolka.train import make_growing
from tolka.translate import Translator


def command(*arguments, text="", code=0):
    done = subprocess.run(
        [sys.executable, "-m", "tolka", "translate", *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


@pytest.fixture(scope="module")
def words(models, bitext):
    translator = Translator.load(models["hiero"])
    return [line.split() for line in translator.prepare([source for source, _ in bitext[1][:5]])]


@pytest.fixture(scope="module")
def expected(models, bitext):
    return Translator.load(models["hiero"]).translate([source for source, _ in bitext[1][:5]])


def test_networks_of_one_word_are_sentences(models, words, expected):
    networks = [Lattice.from_confusion([[word] for word in line]) for line in words]
    translator = Translator.load(models["hiero"])
    assert translator.with_given(input_format="plf").translate([one.to_plf() for one in networks]) == expected
    assert translator.with_given(input_format="plf-log").translate([one.to_plf(scores="log") for one in networks]) == (
        expected
    )
    lines = [*(one.to_json() for one in networks), json.dumps({"text": " ".join(words[0])}), ""]
    as_json = translator.with_given(input_format="json")
    assert as_json.translate(lines) == [*expected, expected[0], ""]
    assert [own[0].text for own in as_json.nbest(lines[:5], 3)] == expected


def test_the_better_path_is_taken(models, words, expected):
    # Behind every word a word that nothing knows, and little speaks for it.
    lines = [[[(word, -0.1), ("qqq", -9.0)] for word in line] for line in words]
    plf = "".join(Lattice.from_confusion(line).to_plf() + "\n" for line in lines)
    assert command(models["hiero"], "--input-format", "plf", text=plf).splitlines() == expected
    other = "".join(
        Lattice.from_confusion([[("qqq", -0.1), (word, -99.0)] for word in line]).to_plf() + "\n" for line in words
    )
    assert set(command(models["hiero"], "--input-format", "plf", text=other).lower().split()) == {"qqq"}


def test_all_that_is_printed_and_written(models, words, expected, tmp_path):
    lines = [Lattice.from_confusion([[word, ("qqq", -5.0)] for word in line]).to_json() for line in words]
    text = "\n".join(lines) + "\n"
    options = ["--input-format", "json"]
    found = [json.loads(line) for line in command(models["hiero"], *options, "--json", text=text).splitlines()]
    assert [one["text"] for one in found] == expected
    assert [one["source"] for one in found] == lines
    assert all(one["features"]["input"] == 0 for one in found)
    listed = command(models["hiero"], *options, "--nbest", 3, "--derivations", "--json", text=text).splitlines()
    assert all(len(json.loads(line)["nbest"]) > 1 for line in listed)
    for name in ("how.html", "how.jsonl"):
        assert command(models["hiero"], *options, "--explain", tmp_path / name, text=text).splitlines() == expected
        assert (tmp_path / name).stat().st_size > 0
    assert command(models["hiero"], *options, "--forest", tmp_path / "f.jsonl", text=text).splitlines() == expected
    assert len(command(models["hiero"], *options, "--mbr", "forest", text=text).splitlines()) == len(expected)


def test_mistakes_are_sentences(models, words):
    plf = Lattice.from_confusion([[words[0][0], "qqq"]]).to_plf()
    error = command(models["hiero"], "--input-format", "plf", text=f"{plf}\n\n{plf[:-2]}\n", code=1)
    assert f"line 3, byte {len(plf) - 1}: the line ends" in error
    assert error.count("\n") == 1
    crossing = json.dumps({"text": "a b c", "spans": [[0, 2], [1, 3]]})
    text = '{"text": "a"}\n' * 9 + crossing + "\n"
    assert "line 10: the spans" in command(models["hiero"], "--input-format", "json", text=text, code=1)
    assert "decode with a chart" in command(models["phrase"], "--input-format", "plf", text=f"{plf}\n", code=1)
    assert "found in text, not in plf" in command(
        models["hiero"], "--input-format", "plf", "--markup", "ignore", text="", code=2
    )
    translator = Translator.load(models["hiero"])
    with pytest.raises(SettingsError, match="not in json"):
        translator.with_given(input_format="json", convert_numbers=True)
    with pytest.raises(FormatError, match="not JSON"):
        translator.with_given(input_format="json").translate("das Haus")


def test_models_that_grow_take_sentences(tmp_path):
    path = table_model(tmp_path, "hiero")
    make_growing(path, SOURCE, TARGET)
    translator = Translator.load(path)
    with pytest.raises(InputError, match="sentences, not of lattices"):
        translator.search([Lattice.from_confusion([["a", "b"]])])
    as_json = translator.with_given(input_format="json")
    assert as_json.translate(json.dumps({"text": SOURCE[0]})) == translator.translate(SOURCE[0])


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_tags_keep_spans_together(models, bitext, kind):
    translator = Translator.load(models[kind]).with_given(markup="exclusive")
    for source, _ in bitext[1][:5]:
        first, second, *rest = source.split()
        tagged = f"{first} <wall/> <zone>{second} <whole>{' '.join(rest)}</whole></zone>"
        (sentence,) = translator.sentences([tagged])
        assert sentence.text == translator.prepare([source])[0]
        assert sentence.walls == (1,)
        assert len(sentence.spans) == 2
        (derivation,) = translator.decoder.explain([sentence])
        for step in derivation.steps:
            begin, end = step.source_span
            assert step.rule.kind == "glue" or not begin < 1 < end
        assert translator.translate(tagged)
    tagged = [f"<zone>{source}</zone>" for source, _ in bitext[1][:5]]
    assert translator.translate(tagged) == Translator.load(models[kind]).translate(
        [source for source, _ in bitext[1][:5]]
    )
