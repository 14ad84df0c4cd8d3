"""A corpus prepared from end to end by recipes, with the stages that ship."""

import gzip
import json
import random
import subprocess
import sys
import time

import pytest

from tolka.corpus import Truecaser, read_lines
from tolka.errors import SettingsError
from tolka.files import Bundle
from tolka.pipeline import Recipe, StageError, read_log, run

PREPARE = """\
[synth]
pairs = 300
seed = 3
[clean]
max_tokens = 12
[split]
dev = 20
test = 30
[tokenise]
[truecase]
[stats]
top = 3
[pack]
"""
NAMES = ["synth", "clean", "split", "tokenise", "truecase", "stats", "pack"]


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "prepare.toml"
    path.write_text(PREPARE)
    return path


def tolka(*arguments):
    command = [sys.executable, "-m", "tolka", "run", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_prepare_end_to_end(recipe):
    done = tolka(recipe, "--json", "--jobs", 2)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert [(one["stage"], one["cached"]) for one in result["stages"]] == [(name, False) for name in NAMES]

    latest = recipe.with_name("prepare.work") / "latest"
    bundle = Bundle.open(latest / "pack" / "bundle", kind="corpus")
    assert bundle.stages == ("synth", "clean", "split", "tokenise", "truecase", "pack")
    assert bundle.settings["langs"] == ["de", "en"]
    counts = {
        name: len(list(read_lines(bundle.file(name)))) for name in bundle.names if name[:3] in ("tra", "dev", "tes")
    }
    assert counts["dev.de"] == counts["dev.en"] == 20
    assert counts["test.de"] == counts["test.en"] == 30
    report = json.loads(bundle.file("report.json").read_text())
    assert report["kept"] >= counts["train.de"] + 50 > 100
    described = json.loads(bundle.file("stats.json").read_text())["sections"]
    assert described["train"]["pairs"] == counts["train.de"]
    assert described["train"]["source"]["unknown"] is None
    assert described["test"]["source"]["unknown"]["tokens"] >= 0
    truecaser = Truecaser.load(bundle.file("truecaser.de"))
    tokenised = list(read_lines(latest / "tokenise" / "corpus" / "dev.de"))
    assert list(read_lines(bundle.file("dev.de"))) == truecaser.truecase_lines(tokenised)
    assert all(line.endswith((" .", " ?", " !")) for line in tokenised)

    again = json.loads(tolka(recipe, "--json").stdout)
    assert all(one["cached"] for one in again["stages"])
    changed = json.loads(tolka(recipe, "--json", "--set", "stats.top=4").stdout)
    assert [one["stage"] for one in changed["stages"] if not one["cached"]] == ["stats", "pack"]
    shorter = json.loads(tolka(recipe, "--json", "--set", "clean.max_tokens=8").stdout)
    assert [one["stage"] for one in shorter["stages"] if one["cached"]] == ["synth"]
    assert shorter["stages"][1]["why"] == "max_tokens 12 -> 8"


def test_prepare_killed_at_random_moments(recipe):
    work, chosen = recipe.with_name("killed"), random.Random(5)  # noqa: S311
    command = [sys.executable, "-m", "tolka", "run", str(recipe), "--work", str(work)]
    killed = 0
    # The first is killed as soon as it begins: on a quick machine a later moment can be after the end.
    for delay in [0.0, *(chosen.uniform(0, 0.4) for _ in range(3))]:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        before = len(list(work.glob("runs/*")))
        while child.poll() is None and len(list(work.glob("runs/*"))) == before:
            time.sleep(0.005)
        time.sleep(delay)
        killed += child.poll() is None
        child.kill()
        child.communicate()
    for log in work.glob("runs/*"):
        list(read_log(log))
    assert killed
    assert tolka(recipe, "--work", work).returncode == 0
    assert tolka(recipe).returncode == 0
    assert snapshot(work) == snapshot(recipe.with_name("prepare.work"))


def snapshot(work):
    return {str(path.relative_to(work)): path.read_bytes() for path in (work / "store").rglob("*") if path.is_file()}


PAIRS = [("Das ist ein Haus.", "This is a house."), ("Der Hund schläft.", "The dog sleeps."), ("Ja!", "Yes!")]


def write(folder, name, side):
    text = "".join(f"{pair[side]}\n" for pair in PAIRS)
    (folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())


def prepared(folder, text, *overrides):
    path = folder / "r.toml"
    path.write_text(text)
    return run(Recipe.load(path, overrides), folder / "work")


def test_corpus_from_every_kind_of_file(tmp_path):
    write(tmp_path, "a.de", 0)
    write(tmp_path, "a.en.gz", 1)
    (tmp_path / "a.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in PAIRS))
    (tmp_path / "a.txt").write_text("".join(f"{one} ||| {other}\n" for one, other in PAIRS))
    langs = 'langs = ["de", "en"]\n'
    results = [
        prepared(tmp_path, f"[corpus]\n{langs}{files}")["corpus"].outputs["corpus"]
        for files in (
            'source = "a.de"\ntarget = "a.en.gz"\n',
            'source = "a.tsv"\n',
            'source = "a.txt"\nformat = "bars"\n',
        )
    ]
    for corpus in results:
        assert (corpus / "train.de").read_text() == "".join(f"{pair[0]}\n" for pair in PAIRS)
        assert (corpus / "train.en").read_text() == "".join(f"{pair[1]}\n" for pair in PAIRS)
        assert json.loads((corpus / "corpus.json").read_text())["sections"] == ["train"]


def test_dev_and_test_that_are_there_already_keep_their_pairs(tmp_path):
    write(tmp_path, "a.de", 0)
    write(tmp_path, "a.en", 1)
    text = '[corpus]\nlangs = ["de", "en"]\n' + "".join(
        f'{section}{side} = "a.{lang}"\n'
        for section in ("", "dev_", "test_")
        for side, lang in (("source", "de"), ("target", "en"))
    )
    result = prepared(tmp_path, text + "[clean]\nmin_tokens = 3\n")
    cleaned = result["clean"].outputs["corpus"]
    assert len((cleaned / "train.de").read_text().split("\n")) - 1 == 2
    assert (cleaned / "test.en").read_text() == (tmp_path / "a.en").read_text()
    with pytest.raises(StageError, match=r"stage \[split\] failed: the corpus has the section dev already"):
        prepared(tmp_path, text + "[split]\ndev = 1\ntest = 1\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('source = "a.de"\ntarget = "short.en"', "differ in their numbers of lines"),
        ('source = "empty.de"\ntarget = "empty.de"', "the corpus is empty"),
        ('source = "a.de"', "a corpus has two sides, but this file has 1; name the other side as target"),
        ('source = "latin1.de"\ntarget = "a.de"', "line 2"),
    ],
)
def test_bad_text_is_one_sentence(tmp_path, text, message):
    write(tmp_path, "a.de", 0)
    (tmp_path / "short.en").write_text("one\n")
    (tmp_path / "empty.de").write_text("")
    (tmp_path / "latin1.de").write_bytes("ja\nschläft\nja\n".encode("latin-1"))
    with pytest.raises(StageError, match=message) as caught:
        prepared(tmp_path, f'[corpus]\nlangs = ["de", "en"]\n{text}\n')
    assert str(caught.value).startswith("stage [corpus] failed: ")
    assert not any((tmp_path / "work" / "store").iterdir())


def test_nothing_left_after_cleaning(tmp_path):
    with pytest.raises(StageError, match="no pair is left after cleaning"):
        prepared(tmp_path, "[synth]\npairs = 5\n[clean]\nmin_tokens = 50\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[corpus]\nsource = "a"\nlangs = ["de", "de"]\n', "corpus: both sides are called de; name two languages"),
        ('[corpus]\nsource = "a"\nlangs = ["de"]\n', "corpus.langs"),
        ('[corpus]\nsource = "a"\nlangs = ["de", "../x"]\n', "corpus.langs.1"),
        ('[corpus]\nsource = "a"\ndev_target = "b"\nlangs = ["de", "en"]\n', "corpus: dev_target without dev_source"),
        ('[synth]\nlangs = ["de", "sv"]\n', "synth: no text can be made in sv; choose from"),
        ("[synth]\n[clean]\nmax_token = 3\n", "unknown key clean.max_token; did you mean max_tokens?"),
        ("[synth]\n[clean]\nmax_ratio = -1.0\n", "clean: "),
        ("[synth]\n[split]\ndev = -1\n", "split: -1 cannot be the size of a set"),
    ],
)
def test_settings_that_make_no_sense(tmp_path, text, message):
    with pytest.raises(SettingsError) as caught:
        prepared(tmp_path, text)
    assert message in str(caught.value)
