"""Text that brings translations along, through translators and the command."""

import subprocess
import sys

import pytest

from tolka.decode import SparseFeatures
from tolka.errors import SettingsError
from tolka.markup import Terms
from tolka.train import TuneSettings, tune_translator
from tolka.translate import Translator


@pytest.fixture(scope="module", params=["hiero", "phrase"])
def translator(request, models):
    return Translator.load(models[request.param])


def test_plain_text_is_translated_as_before(translator, bitext):
    sources = [source for source, _ in bitext[1]]
    assert [one.text for one in translator.sentences(sources)] == translator.prepare(sources)
    assert translator.translate(sources) == translator.restore(translator.search(translator.prepare(sources)))


def test_terms_tags_and_addresses(translator, bitext, tmp_path):
    source = bitext[1][0][0]
    word = max(source.rstrip(".!?").split()[1:], key=len)
    terms = tmp_path / "terms.tsv"
    terms.write_text(f"{word}\tFoo's bar\n", encoding="utf-8")
    assert "oo's bar" in translator.with_given(terms=terms).translate(source)
    assert "ux" in translator.translate(source, terms=Terms([(word, "Qux", True)]))
    tagged = source.replace(word, f'<a translation="a &lt; b">{word}</a>')
    assert "< b" in translator.with_given(markup="exclusive").translate(tagged)
    assert translator.with_given(markup="ignore").translate(tagged) == translator.translate(source)
    address = "https://example.org/a?b=1&c=[2]"
    assert address in translator.translate(f"{source.rstrip('.')} {address}.")
    assert address not in translator.with_given(placeholders=False).translate(f"{source.rstrip('.')} {address}.")
    assert "7,654.5" in translator.with_given(convert_numbers=True).translate(f"{source.rstrip('.')} 7.654,5.")
    assert translator.nbest(f"{address}", 3)[0].text == address


def test_numbers_of_unknown_languages_are_an_error(models):
    translator = Translator.load(models["hiero"])
    translator.source.lang = "xx"
    with pytest.raises(SettingsError, match="xx writes numbers"):
        translator.with_given(convert_numbers=True)


def test_sparse_features_are_tuned_and_kept(models, bitext, tmp_path):
    translator = Translator.load(models["hiero"], sparse=SparseFeatures(word_pair=50, rule_count=True))
    sources, references = zip(*bitext[1], strict=True)
    settings = TuneSettings(iterations=1, nbest=10)
    tuned, result = tune_translator(translator, sources, references, settings, threads=2)
    assert any(":" in name for name in result.history[-1].weights)
    tuned = tuned.with_weights(result.history[-1].weights)
    tuned.save(tmp_path / "model")
    again = Translator.load(tmp_path / "model")
    assert again.weights == pytest.approx(tuned.weights)
    assert again.translate(sources) == tuned.translate(sources)
    assert any(name.startswith("pair:") for name in again.nbest(sources[0], 1)[0].sparse)


def test_on_the_command_line(models, bitext, tmp_path):
    source = bitext[1][0][0]
    word = max(source.rstrip(".!?").split()[1:], key=len)
    terms = tmp_path / "terms.tsv"
    terms.write_text(f"{word}\tQux\tforced\n", encoding="utf-8")

    def run(*arguments, text, code=0):
        command = [sys.executable, "-m", "tolka", "translate", str(models["hiero"]), *map(str, arguments)]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stderr if code else done.stdout

    assert "ux" in run("--terms", terms, text=f"{source}\n")
    tagged = source.replace(word, f'<a translation="Rex">{word}</a>')
    assert "ex" in run("--markup", "exclusive", "--nbest", 2, text=f"{tagged}\n")
    lines = f"{source}\n" * 9 + "a < b\n"
    assert "line 10: column 3" in run("--markup", "inclusive", text=lines, code=1)
    assert "line 2: this is not a term" in run("--terms", _broken(tmp_path), text="", code=1)


def _broken(tmp_path):
    path = tmp_path / "broken.tsv"
    path.write_text("a\tb\nonly one column\n")
    return path
