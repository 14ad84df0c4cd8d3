"""Several corpora in one training, and which pair is whose."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.corpus import read_lines, write_lines, write_pairs
from tolka.corpus.synthetic import Synthetic
from tolka.errors import FileError, SettingsError
from tolka.grammar import SuffixGrammar
from tolka.pipeline import Recipe, run
from tolka.pipeline.stages.layout import TRAIN, CorpusCounter, CorpusDirectory
from tolka.translate import Translator

RECIPE = """
[corpus]
langs = ["de", "en"]
corpora = [{ name = "memory", source = "memory.tmx" }, { name = "web", source = "web.de", target = "web.en" }]
[clean]
[split]
dev = 10
test = 0
[tokenise]
"""


@pytest.fixture
def texts(tmp_path):
    """A memory of pairs that say so, a pair of files, and a table."""
    pairs = [(one.raw["de"], one.raw["en"]) for one in Synthetic(4).sample(230, unique=True)]
    memory, web, table = pairs[:80], [*pairs[80:200], ("", "nothing"), pairs[0], pairs[81]], pairs[200:]
    write_pairs(tmp_path / "memory.tmx", memory, langs=("de", "en"))
    for side, lang in enumerate(("de", "en")):
        write_lines(tmp_path / f"web.{lang}", [pair[side] for pair in web])
    write_pairs(tmp_path / "table.tsv", table)
    return tmp_path, {"memory": memory, "web": web, "table": table}


@given(st.lists(st.lists(st.booleans(), max_size=5), max_size=5), st.integers(1, 4))
def test_counting_is_counting(corpora, step):
    counter = CorpusCounter([(f"c{at}", len(one)) for at, one in enumerate(corpora)])
    verdicts = bytes(int(kept) * 3 for one in corpora for kept in one)
    for at in range(0, len(verdicts), step):
        counter(verdicts[at : at + step])
    assert counter.corpora() == [(f"c{at}", one.count(False)) for at, one in enumerate(corpora)]


def test_every_pair_stays_with_its_corpus(texts):
    place, own = texts
    (place / "r.toml").write_text(RECIPE)
    done = run(Recipe.load(place / "r.toml"), place / "work")
    for stage, dropped in (("corpus", 0), ("clean", 3), ("split", 13), ("tokenise", 13)):
        corpus = CorpusDirectory.open(done[stage].outputs["corpus"])
        counts = corpus.corpora()
        pairs = list(corpus.pairs(TRAIN))
        assert sum(count for _, count in counts) == len(pairs) == 203 - dropped
        if stage in {"clean", "split"}:
            # Which pair is whose, as is known from where it was.
            assert [name for name, _ in counts] == ["memory", "web"]
            begin = 0
            for name, count in counts:
                assert set(pairs[begin : begin + count]) <= set(own[name])
                begin += count
    # Names and places of files do not matter, but what the corpora are called does.
    again = run(Recipe.load(place / "r.toml"), place / "work")
    assert all(one.cached for one in again.stages)
    (place / "r.toml").write_text(RECIPE.replace('"web"', '"crawl"'))
    renamed = run(Recipe.load(place / "r.toml"), place / "work")
    assert not renamed["corpus"].cached
    (place / "web.en").write_text((place / "web.en").read_text().replace("house", "home"))
    assert not run(Recipe.load(place / "r.toml"), place / "work")["corpus"].cached


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (('source = "memory.tmx"', 'file = "memory.tmx"'), r"unknown key|is missing"),
        (('name = "web"', 'name = "memory"'), "two corpora are called memory"),
        (('name = "web"', 'name = "w b"'), r"corpora\.1\.name"),
        (("[clean]", 'source = "web.de"\n[clean]'), "name the text once"),
        (("corpora =", "dev_source = 'web.de' #"), "name the text once"),
    ],
)
def test_recipes_that_make_no_sense(texts, change, what):
    with pytest.raises(SettingsError, match=what):
        Recipe.from_text(RECIPE.replace(*change))


def test_a_missing_file_is_told_by_its_key(texts):
    place, _ = texts
    (place / "web.en").unlink()
    (place / "r.toml").write_text(RECIPE)
    with pytest.raises(FileError, match=r"web\.en.*corpus\.corpora\.1\.target"):
        run(Recipe.load(place / "r.toml"), place / "work")


def test_training_on_several(texts):
    place, own = texts

    def tolka(*arguments, fails=False):
        done = CliRunner().invoke(app, [str(one) for one in arguments])
        assert bool(done.exit_code) == fails, done.output
        return str(done.exception) if fails else done.output

    files = [place / name for name in ("memory.tmx", "web.de", "web.en")]
    quick = ["--langs", "de", "en", "--quiet", "--kind", "phrase"]
    quick += [part for one in ("tune.iterations=1", "tune.nbest=10", "align.model=hmm") for part in ("--set", one)]
    table = f"ui={place / 'table.tsv'}"
    tolka("train", *files, "--corpus", table, "-o", place / "m", "--growing", *quick)
    translator = Translator.load(place / "m")
    parts = translator.description.corpora
    assert [one.name for one in parts] == ["memory", "web", "ui"]
    assert sum(one.pairs for one in parts) == len(SuffixGrammar(translator.files.segments()))
    # The text that the model keeps has them one after the other.
    latest = CorpusDirectory.open(place / "m.work" / "latest" / "split" / "corpus")
    sources = list(read_lines(latest.file(TRAIN, "de")))
    assert set(sources[-parts[2].pairs :]) <= {pair[0] for pair in own["table"]}
    assert set(sources[: parts[0].pairs]) <= {pair[0] for pair in own["memory"]}
    # A single corpus needs no name.
    tolka("train", *files[1:], "-o", place / "one", *quick[:6], "--set", "align.model=hmm")
    assert Translator.load(place / "one").description.corpora is None
    assert "corpora" not in (place / "one" / "model.toml").read_text()
    assert "two corpora are called ui" in tolka(
        "train", "--corpus", table, "--corpus", table, "-o", place / "n", *quick, fails=True
    )
    assert "no text to train on" in tolka("train", "-o", place / "n", *quick, fails=True)
    assert "other side" in tolka("train", *files[:2], "-o", place / "n", *quick, fails=True)
