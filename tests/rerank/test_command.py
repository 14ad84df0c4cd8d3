"""`tolka rerank` from end to end, and the lists of `tolka translate` that it reads."""

import json
import subprocess
import sys

import pytest
from made_up import conllu, development, moses
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import SettingsError, TolkaError
from tolka.forest import Segment
from tolka.rerank import parse_nbest, read_nbest
from tolka.translate import Translation
from tolka.translate.lists import json_line, moses_lines


@pytest.fixture
def files(tmp_path):
    lists, sources, references = development(30)
    texts = {
        "lists": moses(lists),
        "dev.en": references,
        "dev.de": (" ".join(source.words) for source in sources),
        "dev.conllu": conllu(sources),
    }
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, ["rerank", *map(str, words)], catch_exceptions=True)


def trained(files, *more):
    return run("train", files / "lists", "--ref", files / "dev.en", "-o", files / "out", "--size", 10, "-q", *more)


def test_train_and_apply_in_a_process_of_their_own(files):
    command = [sys.executable, "-m", "tolka", "rerank"]
    source = ["--source", "dev.conllu"]
    done = subprocess.run(
        [*command, "train", "lists", "--ref", "dev.en", *source, "--model", "gesn-dependency+phrase-dependency", "-o", "out"],
        cwd=files, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("120 translations of 30 sentences, 54 features\nBLEU ")
    assert done.stdout.endswith("saved to out\n")
    done = subprocess.run(
        [*command, "apply", "out", *source], cwd=files, input=(files / "lists").read_text(),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == (files / "dev.en").read_text()


def test_json_and_reranked_lists(files):
    done = trained(files, "--source", files / "dev.de", "--json")
    found = json.loads(done.stdout)
    assert found["before"] < found["after"] <= found["oracle"]
    done = run("apply", files / "out", files / "lists", "--source", files / "dev.de", "--nbest", 2)
    again = list(parse_nbest(done.stdout.splitlines()))
    assert [len(own.entries) for own in again] == [2] * 30
    before = {own.number: {entry.words: entry for entry in own.entries} for own in read_nbest(files / "lists")}
    for own in again:
        for entry in own.entries:
            known = before[own.number][entry.words]
            assert (entry.links, entry.segments) == (known.links, known.segments)
    done = run("apply", files / "out", files / "lists", "--source", files / "dev.de", "--json", "--nbest", 2)
    lines = [own.entries for own in parse_nbest(done.stdout.splitlines())]
    assert [[entry.words for entry in own] for own in lines] == [
        [entry.words for entry in own.entries] for own in again
    ]


def test_embeddings_are_read_or_learnt(files):
    (files / "en.vec").write_text("the 1 0 0\ndog 0 1 0\n<unk> 0 0 1\n")
    done = trained(files, "--model", "gesn-sequence", "--embeddings-target", files / "en.vec")
    assert done.exit_code == 0, done.output
    done = trained(files, "--model", "gesn-sequence", "--text-target", files / "dev.en", "--dimensions", 3)
    assert done.exit_code == 0, done.output
    done = trained(files, "--embeddings-target", files / "en.vec", "--text-target", files / "dev.en")
    assert isinstance(done.exception, SettingsError)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (["--model", "gesn-dependency"], "reads dependencies"),
        (["--model", "gesn-dependency", "--source", "dev.de"], "has no dependencies"),
        (["--model", "gesn-bilingual"], "no source"),
        (["--model", "transformer"], "unknown model"),
        (["--source", "dev.de", "--contractivity", "1.5"], "contractivity"),
    ],
)
def test_what_is_missing_is_said(files, more, what):
    done = trained(files, *(str(files / word) if word.startswith("dev.") else word for word in more))
    assert isinstance(done.exception, TolkaError)
    assert what in str(done.exception)


def test_lists_of_translate_are_read():
    one = Translation(
        "A house.",
        "a house .",
        -1.5,
        {"lm": -3.0},
        {"s": 1.0},
        ((0, 0), (1, 1)),
        (Segment((0, 2), (0, 2)), Segment((2, 3), (2, 3))),
    )
    [own] = parse_nbest(moses_lines(0, [one]))
    [same] = parse_nbest([json_line(0, "Ein Haus.", [one], several=True, source_words="ein haus .")])
    assert same.source == "ein haus ."
    for entry in (own.entries[0], same.entries[0]):
        assert (entry.words, entry.score, entry.links, entry.segments) == (
            one.words,
            one.score,
            one.links,
            one.segments,
        )
        assert entry.features == {"lm": -3.0, "s": 1.0}
    assert same.entries[0].text == "A house."


@pytest.mark.parametrize("form", ["moses", "cdec"])
def test_lists_of_other_systems_from_end_to_end(tmp_path, form):
    lists, _, references = development(60)
    is_moses = form == "moses"
    lines = [
        f"{own.number} ||| {entry.words} ||| lm{'= ' if is_moses else '='}{2 * entry.score!r} ||| {entry.score!r}"
        for own in lists
        for entry in own.entries
    ]
    (tmp_path / "lists").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "dev.en").write_text("".join(f"{line}\n" for line in references))
    command = [sys.executable, "-m", "tolka", "rerank"]
    more = ["--ref", "dev.en", "--model", "gesn-sequence", "--size", "10", "-o", "out"]
    done = subprocess.run([*command, "train", "lists", *more], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "240 translations of 60 sentences, 12 features\n" in done.stdout
    assert "of the way from the decoder's weights" in done.stdout
    before = [own.entries[0].words for own in lists]
    done = subprocess.run([*command, "apply", "out", "lists"], cwd=tmp_path, capture_output=True, text=True, check=True)
    after = done.stdout.split("\n")[:-1]
    right = [sum(map(str.__eq__, lines, references)) for lines in (before, after)]
    assert right[1] > right[0]


def test_a_reranker_that_learnt_nothing_says_so_and_changes_nothing(tmp_path):
    lists, _, references = development(60)
    # The first translation is the reference, and all others are wrong.
    lines = [
        f"{own.number} ||| {words} ||| lm= {-place} ||| {-place}"
        for own, reference in zip(lists, references, strict=True)
        for place, words in enumerate((reference, *(entry.words for entry in own.entries if entry.words != reference)))
    ]
    (tmp_path / "lists").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "dev.en").write_text("".join(f"{line}\n" for line in references))
    done = run(
        "train",
        tmp_path / "lists",
        "--ref",
        tmp_path / "dev.en",
        "--model",
        "gesn-sequence",
        "-o",
        tmp_path / "out",
        "-q",
    )
    assert "chooses as the decoder does" in done.stderr
    assert "went 0% of the way" in done.stdout
    done = run("apply", tmp_path / "out", tmp_path / "lists")
    assert done.stdout.split("\n")[:-1] == references
