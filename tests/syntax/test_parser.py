"""Parsing with UDPipe, on a parser trained here."""

from dataclasses import replace
from pathlib import Path

import pytest

from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError
from tolka.limits import DEFAULT
from tolka.syntax import Parser, Tree, is_projective, score_parses, synthetic_treebank, train_parser
from tolka.syntax import parser as parsing

SMALL = {"iterations": 4, "tagger_iterations": 2, "hidden_layer": 40, "embedding": 20, "lemmas": False}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("parser") / "de.model"
    done = train_parser(synthetic_treebank(1, 250).trees, path, **SMALL)
    assert done.sentences == 250
    assert done.bytes == path.stat().st_size
    return path


def test_parses_what_it_never_saw(model: Path) -> None:
    gold = synthetic_treebank(1, 100, start=5000).trees
    parsed = Parser.load(model).parse([tree.forms for tree in gold])
    found = score_parses(gold, parsed)
    assert found.uas > 70
    assert found.las > 60
    assert found.xpos > 80
    assert all(len(tree.roots) == 1 for tree in parsed)


def test_nonprojective_trees_are_learnt(tmp_path: Path) -> None:
    trees = [tree for tree in synthetic_treebank(1, 250).trees if not is_projective(tree)]
    train_parser(trees, tmp_path / "m", **(SMALL | {"iterations": 15}))
    parsed = Parser.load(tmp_path / "m").parse([tree.forms for tree in trees])
    assert any(not is_projective(tree) for tree in parsed)


def test_processes_change_nothing(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "CHUNK", 7)
    sentences = [tree.forms for tree in synthetic_treebank(3, 60).trees]
    parser = Parser.load(model)
    assert parser.parse(sentences, threads=2) == parser.parse(sentences)
    stream = parser.parse_stream(iter(sentences), threads=2)
    assert next(stream).forms == sentences[0]
    stream.close()


def test_training_repeats(tmp_path: Path) -> None:
    trees = synthetic_treebank(1, 8).trees
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train_parser(trees, tmp_path / name, **(SMALL | {"seed": seed, "iterations": 1}), held_out=trees[:5])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert (tmp_path / "a").read_bytes() != (tmp_path / "c").read_bytes()


def test_tokens_are_kept_and_checked(model: Path) -> None:
    parser = Parser.load(model)
    odd = [["<b>", "\u00fc\u0308", "-", "\U0001f600", "a|||b", "#", "a\u00a0b\u2028"]]
    assert parser.parse(odd)[0].forms == tuple(odd[0])
    assert parser.parse([]) == []
    for sentence in (["zwei Worte"], ["a\tb"], [""], ["a\0b"]):
        with pytest.raises(InputError, match="sentence 2 has the token"):
            parser.parse([["gut"], sentence])
    with pytest.raises(InputError, match="sentence 2 is empty"):
        parser.parse([["gut"], []])
    with pytest.raises(LimitError, match="sentence 1 has 3 tokens"):
        Parser.load(model, limits=replace(DEFAULT, sentence_tokens=2)).parse([["a", "b", "c"]])
    with pytest.raises(SettingsError):
        parser.parse([["a"]], threads=-1)


def test_models_that_are_none(model: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        Parser.load(tmp_path / "nowhere")
    content = model.read_bytes()
    for name, bad in {"text": b"no model", "empty": b"", "cut": content[: len(content) // 3]}.items():
        (tmp_path / name).write_bytes(bad)
        with pytest.raises(FormatError, match="no model of UDPipe"):
            Parser.load(tmp_path / name)
    with pytest.raises(LimitError):
        Parser.load(model, limits=replace(DEFAULT, model_bytes=10))


def test_treebanks_that_cannot_be_learnt_from(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tree"):
        train_parser([], tmp_path / "m")
    with pytest.raises(InputError, match="tree 1 of the treebank has 2 roots"):
        train_parser([Tree(forms=("a", "b"), heads=(0, 0))], tmp_path / "m")
    with pytest.raises(SettingsError, match="hidden_layer"):
        train_parser(synthetic_treebank(1, 2).trees, tmp_path / "m", hidden_layer=0)
    assert not (tmp_path / "m").exists()


def test_scores() -> None:
    gold = Tree(forms=("a", "b", "c"), heads=(2, 0, 2), deprels=("x:y", "root", "z"), upos=("A", "B", "C"))
    worse = replace(gold, heads=(2, 0, 1), deprels=("x", "root", "z"), upos=("A", "B", "X"))
    found = score_parses([gold, gold], [gold, worse])
    assert found.uas == pytest.approx(100 * 5 / 6)
    assert found.las == pytest.approx(100 * 5 / 6)
    assert found.upos == pytest.approx(100 * 5 / 6)
    assert found.xpos == 100
    assert found.exact == 50
    with pytest.raises(InputError, match="sentence 1 differ"):
        score_parses([gold], [replace(gold, forms=("a", "b", "d"))])
    with pytest.raises(InputError, match="only 1"):
        score_parses([gold], [gold, gold])
    with pytest.raises(InputError, match="no sentences"):
        score_parses([], [])
