"""Models in files, and the one that comes along."""

from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assist.number.test_feature_head import EXAMPLES, RULES, TABLE

from tolka.assist.number import FeatureHead, LeafTable, Majority, SyntacticHead, english_model, number
from tolka.errors import FormatError, InputError
from tolka.syntax import Constituent, parse_penn


def saved(tmp_path: Path) -> Path:
    path = tmp_path / "my.number"
    FeatureHead(leaves=TABLE, lexicalised=True, smoothing=0.5, backoff="endings").train(EXAMPLES).save(
        path, comment="two\nlines"
    )
    return path


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    path = saved(tmp_path)
    assert path.read_text().splitlines()[1:3] == ["# two", "# lines"]
    model = FeatureHead(leaves=TABLE, lexicalised=True, smoothing=0.5, backoff="endings").train(EXAMPLES)
    again = FeatureHead.load(path)
    assert (again.smoothing, again.backoff, again.majority_) == (0.5, "endings", model.majority_)
    for rule in RULES:
        assert again.chances_[rule] == pytest.approx(model.chances_[rule], abs=1e-5)
    assert set(again.words_) == set(model.words_)
    for tree, _ in EXAMPLES:
        assert again.distribution(tree) == pytest.approx(model.distribution(tree), abs=1e-4)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_text() == "".join(
        line for line in path.read_text().splitlines(keepends=True) if not line.startswith("#")
    )


@pytest.mark.parametrize("name", ["english-words", "arabic"])
def test_tables_that_come_along_are_named(tmp_path: Path, name: str) -> None:
    feature, tree = ("number", "(NP (PRP they))") if name == "english-words" else ("gender", "(NP (IV1S x))")
    leaves = LeafTable.load(name, feature)
    FeatureHead(values=leaves.values, leaves=leaves).train([(parse_penn(tree), leaves.values[1])]).save(tmp_path / "m")
    assert FeatureHead.load(tmp_path / "m").predict(parse_penn(tree)) == leaves.values[1]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("tolka feature heads 1", "tolka feature heads 2", "line 1: this is no model"),
        ('"em": "exact"', '"em": "soft"', "line 6: em 'soft' is unknown"),
        ('"rounds": 10', '"rounds": "ten"', "line 6: the settings cannot be read"),
        ('"seed": 1', '"sead": 1', "line 6: the settings cannot be read"),
        ("majority\tplur", "majority\tmany", "line 6: the majority is 'many'"),
        ("majority\t", "majorities\t", "line 6: 'majorities' stands where"),
        ("rule\tNP\tDT N\t", "rule\tNP\tDT N\t0.5 ", "there should be 2 chances"),
        ("rule\tNP\tDT N\t", "rule\tNP\tDT N\tx ", "are no numbers"),
        ("rule\tNP\tDT N\t", "rule\tNP\tDT N\tnan 1\t", "no rule, tag or word"),
        ("rule\tNP\tDT N\t", "rule\tNP\tDT\t", "there should be 1 chances"),
        ("word\t", "words\t", "no rule, tag or word"),
    ],
)
def test_malformed_models(tmp_path: Path, old: str, new: str, what: str) -> None:
    path = saved(tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(FormatError, match=what):
        FeatureHead.load(path)


@given(st.lists(st.text(max_size=30), max_size=8), st.integers(0, 20))
def test_any_text_is_a_model_or_told(tmp_path_factory: pytest.TempPathFactory, lines: list[str], kept: int) -> None:
    path = saved(tmp_path_factory.mktemp("model"))
    whole = path.read_text().splitlines()
    path.write_text("\n".join([*whole[:kept], *lines]), encoding="utf-8")
    try:
        FeatureHead.load(path)
    except InputError:
        pass
    except FormatError as error:
        assert error.path == path  # noqa: PT017 - anything else is a fault


def test_trees_that_files_cannot_hold(tmp_path: Path) -> None:
    odd = Constituent("NP", (Constituent("N N", word="a"), Constituent("NN", word="b")))
    model = FeatureHead().train([(odd, "sing")])
    with pytest.raises(InputError, match="white space"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("tree", "wanted"),
    [
        ("(NP (NN dog))", "sing"),
        ("(NP-SBJ-A (NPB (NNS dogs)) (PP (IN in) (NPB-A (DT the) (NN house))))", "plur"),
        ("(NP (NP (NNP John)) (CC and) (NP (NNP Mary)))", "plur"),
        ("(NPB (DT the) (NN man) (CC and) (DT the) (NN dog))", "plur"),
        ("(NP (NP (DT a) (NN number)) (PP (IN of) (NP (NNS men))))", "plur"),
        ("(NP (NP (DT the) (NN number)) (PP (IN of) (NP (NNS men))))", "sing"),
        ("(NP (NP (DT a) (NN lot)) (PP (IN of) (NP (NN water))))", "sing"),
        ("(NP (NN tea) (, ,) (NN milk) (CC and) (NN sugar))", "plur"),
        ("(NP (PRP I))", "sing"),
        ("(NP (PRP them))", "plur"),
        ("(NP (NP (DT some)) (PP (IN of) (NP (DT the) (NNS men))))", "plur"),
        ("(NN dog)", "sing"),
    ],
)
def test_the_number_of_english_noun_phrases(tree: str, wanted: str) -> None:
    assert number(parse_penn(tree)) == wanted


def test_the_model_says_where_it_comes_from() -> None:
    assert english_model().lexicalised
    text = resources.files("tolka.assist.number").joinpath("english.number").read_text(encoding="utf-8")
    assert "GUM" in text
    assert "CC BY 4.0" in text


def test_baselines() -> None:
    examples = [(parse_penn("(NP (NNS dogs))"), "plur")]
    for learner in (Majority(), SyntacticHead()):
        with pytest.raises(InputError, match="no example"):
            learner.train([])
        with pytest.raises(InputError, match="not learnt"):
            learner.predict(examples[0][0])
    head = SyntacticHead().train(examples)
    trees = ["(NP (NP (NN list)) (PP (IN of) (NP (NNS names))))", "(NP (PRP it))", "(NN dog)"]
    assert [head.predict(parse_penn(tree)) for tree in trees] == ["sing", "plur", "sing"]
