"""Models that take in new sentence pairs at once."""

from __future__ import annotations

import json
import os
import shutil
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
from tolka.corpus import write_pairs
from tolka.corpus.synthetic import Synthetic
from tolka.errors import FileError, InputError, SettingsError
from tolka.files import Bundle
from tolka.grammar import Extractor, SuffixGrammar
from tolka.lm import LanguageModelTrainer
from tolka.train import growing
from tolka.train.growing import list_updates, make_growing, set_memory, undo_update, update_model
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
    with pytest.raises(InputError, match=r"swapped.*the de side first"):
        update_model(path, TARGET[:3], SOURCE[:3])
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


def said(path: Path) -> tuple[list[str], list[str]]:
    """What a model says of some sentences and of a new word, scores included."""
    translator = Translator.load(path, verify=True)
    lists = translator.nbest([*SOURCE[:8], "der kakadu"], 3)
    return [one.text for own in lists for one in own], [f"{one.score:.6f}" for own in lists for one in own]


def test_corrections_bind_whatever_the_model_would_say(grown: tuple[Path, list[str]]) -> None:
    path, _ = grown
    # Spaces and signs that no detokeniser would give back, a wrong translation, a sentence too long to learn from.
    new = [SOURCE[0], SOURCE[1], "der kakadu", "haus " * 400, "ein haus", "das haus " * 250]
    wanted = ["Certainly ,  (not)this!", TARGET[2], "THE cockatoo", "house, " * 500, "house " * 700, "The house"]
    report = update_model(path, new, wanted, name="first")
    assert (report.added, report.learned, report.id, report.segments) == (6, 3, 1, 2)
    assert "too long to learn" in report.notes[0]
    translator = Translator.load(path)
    assert translator.translate(new) == wanted
    assert translator.translate([f" {new[2]} "]) == [wanted[2]]
    best = translator.nbest(new[0], 5)
    assert [(one.text, one.memory and one.memory.exact) for one in best] == [(wanted[0], True)]
    assert translator.nbest(SOURCE[9], 1)[0].memory is None
    off = Translator.load(path, memory="off")
    assert off.translate(new) != wanted
    assert off.nbest(new[0])[0].memory is None
    # The last correction counts.
    assert update_model(path, [SOURCE[0]], ["No, this."]).id == 2
    assert Translator.load(path).translate(SOURCE[0]) == "No, this."
    undo_update(path)
    assert Translator.load(path).translate(new) == wanted


def test_any_update_can_be_undone_and_nothing_is_left_of_it(grown: tuple[Path, list[str]], tmp_path: Path) -> None:
    path, _ = grown
    before, files = said(path), {one.name: one.read_bytes() for one in path.glob("*-*")}
    new = [
        (["der kakadu"], ["the cockatoo"]),
        (["das haus des kakadus"], ["the cockatoo 's house"]),
        (["emu"], ["emu !"]),
    ]
    for number, pairs in enumerate(new, 1):
        update_model(path, *pairs, name=f"n{number}")
    assert [(one.id, one.name, one.pairs, one.learned) for one in list_updates(path)] == [
        (1, "n1", 1, 1), (2, "n2", 1, 1), (3, "n3", 1, 1)
    ]  # fmt: skip
    assert undo_update(path, 1).name == "n1"
    # As if only the others had been.
    other = tmp_path / "other"
    shutil.copytree(path, other)
    for number in (2, 3):
        undo_update(other, number)
    assert said(other) == before
    assert {one.name: one.read_bytes() for one in other.glob("*-*")} == files
    for pairs in new[1:]:
        update_model(other, *pairs)
    assert said(other) == said(path)
    assert len(SuffixGrammar(Translator.load(path).files.segments())) == len(SOURCE) + 2
    with pytest.raises(InputError, match=r"no update 1; it has 2, 3"):
        undo_update(path, 1)
    undo_update(path)
    assert [one.id for one in list_updates(path)] == [2]
    assert update_model(path, *new[0]).id == 4, "numbers are not used twice"
    for _ in range(2):
        undo_update(path)
    with pytest.raises(InputError, match="no update to undo"):
        undo_update(path)
    assert said(path) == before


def test_a_table_remembers_and_learns_when_it_grows(kind: str, tmp_path: Path) -> None:
    path = model(tmp_path, kind)
    before = said(path)
    report = update_model(path, ["der kakadu"], ["the  cockatoo!"])
    assert report.learned == report.segments == 0
    assert "table of rules" in report.notes[0]
    assert Translator.load(path).translate(["der kakadu", "kakadu"]) == ["the  cockatoo!", "kakadu"]
    undo_update(path)
    assert said(path) == before
    update_model(path, ["der kakadu"], ["the cockatoo"])
    make_growing(path, SOURCE, TARGET)
    assert [one.learned for one in list_updates(path)] == [1]
    assert Translator.load(path).translate("kakadu") == "cockatoo"
    undo_update(path, 2)
    assert Translator.load(path).translate("kakadu") == "kakadu"


def test_similar_sentences_are_translated_as_the_correction(grown: tuple[Path, list[str]]) -> None:
    path, _ = grown
    own, other = SOURCE[0].split(), TARGET[0].split()
    corrected = " ".join([*other[:-1], "indeed", other[-1]])
    update_model(path, [SOURCE[0]], [corrected])
    new = " ".join(["hoppla", *own])
    assert set_memory(path, "fuzzy", 0.6).use == "fuzzy"
    best = Translator.load(path).nbest(new, 1)[0]
    assert best.memory is not None
    assert not best.memory.exact
    assert best.memory.source == SOURCE[0]
    assert f"hoppla {corrected}" == best.text
    assert Translator.load(path, memory="exact").nbest(new, 1)[0].memory is None
    with pytest.raises(SettingsError, match="threshold"):
        set_memory(path, threshold=2.0)


def test_a_running_program_asks_for_the_latest(grown: tuple[Path, list[str]]) -> None:
    path, _ = grown
    translator = Translator.load(path, pop_limit=7).with_given(placeholders=False).with_weights({"lm": 0.3})
    assert translator.latest() is translator
    update_model(path, ["der kakadu"], ["the cockatoo"])
    assert translator.translate("der kakadu") != "the cockatoo"
    now = translator.latest()
    assert now.translate("der kakadu") == "the cockatoo"
    assert now.given == translator.given
    assert now.weights == translator.weights
    assert now.latest() is now
    update_model(path, ["der kakadu"], ["that cockatoo"])
    # What it remembers is its own, whatever becomes of the files.
    assert now.translate("der kakadu") == "the cockatoo"
    assert now.latest().translate("der kakadu") == "that cockatoo"


def test_updates_on_the_command_line(grown: tuple[Path, list[str]], tmp_path: Path) -> None:
    path, _ = grown

    def tolka(*arguments: str, fails: bool = False, text: str | None = None) -> str:
        if text is not None:
            (tmp_path / "text").write_text(text)
            arguments = (*arguments, str(tmp_path / "text"), "--quiet")
        done = CliRunner().invoke(app, [*arguments])
        assert bool(done.exit_code) == fails, done.output
        return done.output if not fails else str(done.exception)

    write_pairs(tmp_path / "m.tmx", [("der kakadu", "the cockatoo!")], langs=("de", "en"))
    write_pairs(tmp_path / "m.po", [("der emu", "the emu!")], langs=("de", "en"))
    write_pairs(tmp_path / "m.tsv", [("der uhu", "the owl!"), ("der", "")])
    assert "no updates" in tolka("update", str(path), "--list")
    for name in ("m.tmx", "m.po", "m.tsv"):
        assert "pairs added" in tolka("update", str(path), str(tmp_path / name), "--quiet")
    assert Translator.load(path).translate(["der kakadu", "der emu", "der uhu"]) == [
        "the cockatoo!", "the emu!", "the owl!"
    ]  # fmt: skip
    listed = json.loads(tolka("update", str(path), "--list", "--json"))
    assert [(one["id"], one["name"]) for one in listed["updates"]] == [(1, "m"), (2, "m"), (3, "m")]
    assert tolka("update", str(path), "--list").count("1 pairs\tm") == 3
    assert "update 3 (m, 1 pairs) is undone" in tolka("update", str(path), "--undo")
    assert "update 1 (m" in tolka("update", str(path), "--undo", "1")
    # What makes no sense is refused before anything is added.
    refused = ("--memory", "fuzzy", "--threshold", "nan", "--quiet")
    assert "not nan" in tolka("update", str(path), str(tmp_path / "m.tmx"), *refused, fails=True)
    assert len(list_updates(path)) == 1
    assert "memory: fuzzy, threshold 0.8" in tolka("update", str(path), "--memory", "fuzzy", "--threshold", "0.8")
    shown = [json.loads(line) for line in tolka("translate", str(path), "--json", text="der emu\nhaus\n").splitlines()]
    assert shown[0]["memory"] == {"source": "der emu", "target": "the emu!", "similarity": 1.0, "exact": True}
    assert "memory" not in shown[1]
    assert "memory= 1 |||" in tolka("translate", str(path), "--nbest", "2", text="der emu\n")
    assert "memory" not in tolka("translate", str(path), "--nbest", "1", "--memory", "off", text="der emu\n")
    why = tmp_path / "why.jsonl"
    assert tolka("translate", str(path), "--explain", str(why), text="der emu\nhaus\n").splitlines()[0] == "the emu!"
    notes = [json.loads(line).get("note") for line in why.read_text().splitlines()]
    assert notes == ["from memory", None]
    tolka("translate", str(path), "--explain", str(tmp_path / "why.html"), text="der emu\n")
    assert "from memory" in (tmp_path / "why.html").read_text()
    for wrong, what in [
        ((), "nothing to add"),
        (("--undo", "x"), "not the number"),
        (("--undo", "9"), "no update 9"),
        (("--undo", "--list"), "do not go together"),
        (("--list", "a"), "takes no files"),
        ((str(tmp_path / "m.tmx"), str(tmp_path / "gone.de")), "gone.de"),
    ]:
        assert what in tolka("update", str(path), *wrong, fails=True)


def test_an_undo_that_is_killed_leaves_the_old_model(grown: tuple[Path, list[str]]) -> None:
    path, _ = grown
    update_model(path, ["der kakadu"], ["the cockatoo"])
    script = textwrap.dedent("""
        import os, sys
        from tolka.files import saving
        from tolka.train.growing import undo_update
        saving.COMMIT = lambda *_: os.kill(os.getpid(), 9)
        undo_update(sys.argv[1])
    """).replace("COMMIT", "_commit")
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == -9
    assert Translator.load(path, verify=True).translate("der kakadu") == "the cockatoo"
    undo_update(path)
    assert "kakadu" in Translator.load(path, verify=True).translate("der kakadu")


def test_two_updates_at_once_do_not_lose_one(grown: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = grown
    align = growing._align

    def meanwhile(*arguments: Any) -> Any:
        monkeypatch.setattr(growing, "_align", align)
        update_model(path, ["der emu"], ["the emu"])
        return align(*arguments)

    monkeypatch.setattr(growing, "_align", meanwhile)
    with pytest.raises(FileError, match=r"another process has changed the model.*try again"):
        update_model(path, ["der kakadu"], ["the cockatoo"])
    assert [one.id for one in list_updates(path)] == [1]
    assert Translator.load(path).translate("der emu") == "the emu"


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
