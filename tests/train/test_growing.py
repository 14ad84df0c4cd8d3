"""Models that take in new sentence pairs at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tolka.align import Aligner
from tolka.cli.main import app
from tolka.corpus.synthetic import Synthetic
from tolka.errors import InputError, SettingsError
from tolka.files import Bundle
from tolka.grammar import Extractor
from tolka.lm import LanguageModelTrainer
from tolka.train.growing import make_growing, update_model
from tolka.train.new_words import link_new_words
from tolka.translate import Description, ModelFiles, TextSettings, Translator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = [(one.tokens["de"], one.tokens["en"]) for one in Synthetic(5).sample(200)]
SOURCE, TARGET = [" ".join(one) for one, _ in TEXT], [" ".join(other) for _, other in TEXT]


def model(place: Path, kind: str) -> Path:
    """A model of tokenised text with a table of rules and its aligner."""
    aligner = Aligner(model="hmm", threads=1).train(zip(SOURCE, TARGET, strict=True))
    aligner.save(place / "aligner")
    Extractor(kind).extract(SOURCE, TARGET, aligner.lines(), place / "grammar.tbl")  # type: ignore[arg-type]
    LanguageModelTrainer(order=3).train(TARGET).save(place / "lm.tlm")
    kept = Bundle.open(place / "aligner", verify=False)
    files = ModelFiles(
        {"grammar": place / "grammar.tbl"},
        {"lm": place / "lm.tlm"},
        aligner={name: kept.file(name) for name in kept.names},
    )
    text = TextSettings(tokenised=True)
    description = Description(kind=kind, langs=["de", "en"], text=text, search={"pop_limit": 20}, aligner=True)  # type: ignore[arg-type]
    Translator(description, files).save(place / "model")
    return place / "model"


@pytest.fixture(scope="module", params=["hiero", "phrase"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def grown(kind: str, tmp_path: Path) -> tuple[Path, list[str]]:
    """A growing model, and what the model with the table said of some sentences."""
    path = model(tmp_path, kind)
    before = Translator.load(path).translate(SOURCE[:20])
    report = make_growing(path, SOURCE, TARGET)
    assert (report.added, report.pairs, report.lm) == (len(SOURCE), len(SOURCE), True)
    return path, before


def test_a_growing_model_translates_like_its_table_and_learns_at_once(grown: tuple[Path, list[str]]) -> None:
    path, before = grown
    translator = Translator.load(path)
    after = translator.translate(SOURCE[:20])
    assert sum(one == other for one, other in zip(before, after, strict=True)) >= 18
    new = SOURCE[0].split()
    new[1] = "kakadu"
    sentence = " ".join(new)
    known = translator.translate(sentence)
    assert "kakadu" in known.split()  # passed through
    answer = TARGET[0].split()
    answer[1] = "cockatoo"
    assert update_model(path, [sentence], [" ".join(answer)]).pairs == len(SOURCE) + 1
    now = Translator.load(path)
    assert "cockatoo" in now.translate(sentence).split()
    assert "cockatoo" in now.nbest("kakadu", 3)[0].words.split()
    assert set(now.weights) == set(translator.weights)
    # Others go on with the files they opened.
    assert "kakadu" in translator.translate(sentence + " .").split()


def test_threads_share_a_growing_model(grown: tuple[Path, list[str]], hammered: Callable[..., Any]) -> None:
    translator = Translator.load(grown[0]).with_given(convert_numbers=True)
    parts = dict(vars(translator))
    texts = [f"{line} 1.234,5 {number}" for number, line in enumerate(dict.fromkeys(SOURCE[:16]))]
    alone = {text: {(translator.translate(text), translator.nbest(text, 2)[0].words)} for text in texts}
    assert len({next(iter(one)) for one in alone.values()}) == len(texts)
    for said in hammered(translator, texts):
        assert said == {text: alone[text] for text in said}
        assert len(said) > 1
    assert dict(vars(translator)) == parts, "nothing is kept that another thread could replace"


def test_commands_and_mistakes(kind: str, tmp_path: Path) -> None:
    path = model(tmp_path, kind)
    files = [tmp_path / name for name in ("c.de", "c.en", "n.de", "n.en")]
    for file, lines in zip(files, (SOURCE, TARGET, ["der kakadu"], ["the cockatoo"]), strict=True):
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with pytest.raises(SettingsError, match="table of rules"):
        update_model(path, ["der kakadu"], ["the cockatoo"])
    corpus, new = [str(file) for file in files[:2]], [str(file) for file in files[2:]]
    refused = CliRunner().invoke(app, ["update", str(path), "--corpus", *reversed(corpus)])
    assert isinstance(refused.exception, SettingsError)
    assert "c.en is named as en" in str(refused.exception)
    done = CliRunner().invoke(app, ["update", str(path), *new, "--corpus", *corpus, "--json", "--quiet"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["pairs"] == len(SOURCE) + 1
    with pytest.raises(SettingsError, match="grows already"):
        make_growing(path, SOURCE, TARGET)
    with pytest.raises(InputError, match="no sentence pair"):
        update_model(path, [""], ["leer"])
    with pytest.raises(InputError, match="1 lines"):
        update_model(path, ["a"], ["b", "c"])
    run = [sys.executable, "-m", "tolka", "translate", str(path), "--quiet"]
    told = subprocess.run(run, input="kakadu\n", capture_output=True, text=True, check=True, env={**os.environ})
    assert "cockatoo" in told.stdout.lower()


def test_a_killed_update_leaves_the_old_model(grown: tuple[Path, list[str]]) -> None:
    path, _ = grown
    script = textwrap.dedent("""
        import os, sys
        from tolka.files import saving
        from tolka.train.growing import update_model
        saving._commit = lambda *_: os.kill(os.getpid(), 9)
        update_model(sys.argv[1], ["der kakadu"], ["the cockatoo"])
    """)
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == -9
    assert Translator.load(path, verify=True).translate("kakadu") == "kakadu"
    assert update_model(path, ["der kakadu"], ["the cockatoo"]).pairs == len(SOURCE) + 1


@given(
    st.lists(st.sampled_from("abcx"), min_size=1, max_size=6),
    st.lists(st.sampled_from("uvwy"), min_size=1, max_size=6),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=5),
)
def test_new_words_are_linked_and_old_links_stay(
    source: list[str], target: list[str], links: set[tuple[int, int]]
) -> None:
    own = sorted((i, j) for i, j in links if i < len(source) and j < len(target))
    found = link_new_words(source, target, own, set("abc"), set("uvw"))
    assert set(own) <= set(found)
    free_before = set(range(len(target))) - {j for _, j in own}
    free_after = set(range(len(target))) - {j for _, j in found}
    unlinked = [i for i in range(len(source)) if source[i] == "x" and i not in {i for i, _ in found}]
    assert not (unlinked and free_after), (found, free_before)
    for i, j in set(found) - set(own):
        assert source[i] == "x" or target[j] == "y"
        assert i not in {i for i, _ in own}
        assert j not in {j for _, j in own}


def test_training_makes_a_model_that_grows(tmp_path: Path) -> None:
    text = [(one.raw["de"], one.raw["en"]) for one in Synthetic(7).sample(60)]
    for name, side in (("t.de", 0), ("t.en", 1)):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in text), encoding="utf-8")
    (tmp_path / "n.de").write_text("Der Kakadu schläft.\n", encoding="utf-8")
    (tmp_path / "n.en").write_text("The cockatoo sleeps.\n", encoding="utf-8")

    def tolka(*arguments: str) -> None:
        done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
        assert done.exit_code == 0, done.output

    path = tmp_path / "m"
    files = [str(tmp_path / name) for name in ("t.de", "t.en", "n.de", "n.en")]
    tolka("train", *files[:2], "-o", str(path), "--kind", "phrase", "--growing", "--quiet")
    assert not list(path.glob("*.tbl"))
    tolka("update", str(path), *files[2:], "--quiet")
    assert Translator.load(path).translate("Kakadu") == "Cockatoo"
    # Swapped files are refused by their names, and swapped text by its words.
    with pytest.raises(SettingsError, match=r"n.en is named as en"):
        tolka("update", str(path), *files[3:1:-1], "--quiet")
    more = list(Synthetic(8).sample(10))
    for name, lang in (("a", "en"), ("b", "de")):
        (tmp_path / name).write_text("".join(f"{one.raw[lang]}\n" for one in more), encoding="utf-8")
    before = Bundle.open(path).manifest
    with pytest.raises(InputError, match=r"a and b are swapped.*give b first.*--force"):
        tolka("update", str(path), str(tmp_path / "a"), str(tmp_path / "b"), "--quiet")
    assert Bundle.open(path).manifest == before
    tolka("update", str(path), str(tmp_path / "b"), str(tmp_path / "a"), "--quiet")
    tolka("update", str(path), str(tmp_path / "a"), str(tmp_path / "b"), "--quiet", "--force")
