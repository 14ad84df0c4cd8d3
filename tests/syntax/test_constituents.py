"""The constituency parser against all trees, and what it does with bad input."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.syntax.constituents_twin import Twin

from tolka.errors import FormatError, InputError, LimitError, SettingsError, TolkaError
from tolka.forest import constituent_forest, derived_tree
from tolka.limits import Limits
from tolka.syntax import Binarisation, ConstituencyParser, Constituent, parse_penn, restored, score_constituents

BANK = [
    "(ROOT (S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT the) (NN dog)))))))",
    "(ROOT (S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with) (NP (DT the) (NN man))))))",
    "(ROOT (S (NP (NN man)) (VP (VBD saw) (NP (PRP I)))))",
    "(ROOT (NP (NP (DT the) (NN man)) (PP (IN with) (NP (NN dog)))))",
    "(ROOT (S (VP (VBD saw) (PP (IN with) (NP (PRP I))))))",
]
WORDS = ["I", "saw", "the", "man", "with", "dog"]


def bank(times: int = 1) -> list[Constituent]:
    return [parse_penn(line) for line in BANK * times]


# So often that no word is rare: rare ones lean on words that look alike, and the twin's do not.
OFTEN = 21


@pytest.fixture(scope="module")
def often() -> ConstituencyParser:
    return ConstituencyParser(rounds=0, threshold=0.0, best="tree").train(bank(OFTEN))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=7))
def test_all_trees_are_found_best_first(often: ConstituencyParser, words: list[str]) -> None:
    wanted = Twin(bank(OFTEN), Binarisation()).trees(words)
    found = often.nbest(words, 10_000)
    if not wanted:
        return
    assert len(found) == len(wanted)
    for one, (log, _) in zip(found, wanted, strict=True):
        assert one.log_probability == pytest.approx(log, abs=1e-3)
    assert {str(one.tree) for one in found} == {str(restored(steps)) for _, steps in wanted}
    assert str(often.parse([words])[0]) == str(found[0].tree)
    assert often.log_probability(words) == pytest.approx(math.log(sum(math.exp(log) for log, _ in wanted)), abs=1e-4)


def test_forests(often: ConstituencyParser) -> None:
    words = ["I", "saw", "the", "man", "with", "the", "dog"]
    forest = constituent_forest(often, words, least=1e-9)
    total = forest.inside("log")[-1]
    assert total == pytest.approx(0.0, abs=1e-6)
    trees = {str(derived_tree(often, one)) for one in forest.kbest(100)}
    assert trees == {str(one.tree) for one in often.nbest(words, 100)}
    with pytest.raises(InputError, match="no derivation"):
        derived_tree(often, None)
    with pytest.raises(InputError, match="no tree"):
        constituent_forest(often, ["dog"] * 300)


def test_pruning_finds_the_same(often: ConstituencyParser) -> None:
    sentences = [tree.words() for tree in bank()]
    pruned = ConstituencyParser(rounds=0).train(bank(OFTEN))
    assert [str(tree) for tree in pruned.parse(sentences)] == [str(tree) for tree in often.parse(sentences)]


def test_training_is_the_same_whatever_the_threads(tmp_path: Path) -> None:
    for threads in (1, 2):
        ConstituencyParser(rounds=2, passes=4).train(bank(3), threads=threads).save(tmp_path / f"{threads}")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_likelihood_rises() -> None:
    parser = ConstituencyParser(rounds=1, passes=8).train(bank(3))
    assert len(parser.log_likelihoods_) == 12
    assert parser.log_likelihoods_[7] >= parser.log_likelihoods_[0]


def test_saving_and_marks(tmp_path: Path) -> None:
    trees = [parse_penn(line.replace("(S (NP", "(S (NP-SBJ")) for line in BANK]
    parser = ConstituencyParser(functions=True, base=True, arguments=True, rounds=1, passes=3).train(trees)
    parser.save(tmp_path / "en.const")
    again = ConstituencyParser.load(tmp_path / "en.const")
    assert (again.functions, again.arguments, again.trees_) == (True, True, 5)
    [tree], [other] = (one.parse([["I", "saw", "the", "dog"]]) for one in (parser, again))
    assert str(tree) == str(other) == "(ROOT (S (NPB-SBJ-A (PRP I)) (VP (VBD saw) (NPB-A (DT the) (NN dog)))))"


@pytest.mark.parametrize("options", [{"horizontal": 1, "vertical": 2}, {"direction": "left"}, {"direction": "head"}])
def test_memory(options: dict) -> None:
    parser = ConstituencyParser(rounds=0, **options).train(bank())
    assert str(parser.parse([bank()[1].words()])[0]).startswith("(ROOT (S (NP (PRP I)) (VP (VBD saw)")


def test_every_sentence_gets_a_tree() -> None:
    parser = ConstituencyParser(rounds=0).train(bank())
    words = [["zyx", "qq", "Ab-c"], ["dog"] * 500, ["with", "with"], ["0"]]
    parsed = list(parser.parse_stream(words))
    assert [tree.words() for tree, _ in parsed] == words
    assert parsed[1][1]
    assert parsed[1][0].label == "ROOT"
    [only] = parser.nbest(words[1], 3)
    assert only.log_probability == -math.inf


def test_trees_without_a_common_root() -> None:
    parser = ConstituencyParser(rounds=0).train([parse_penn(line[6:-1]) for line in BANK])
    assert str(parser.parse([["I", "saw", "I"]])[0]) == "(S (NP (PRP I)) (VP (VBD saw) (NP (PRP I))))"


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tree to learn"):
        ConstituencyParser().train([])
    with pytest.raises(InputError, match="tree 1 has no words"):
        ConstituencyParser().train([parse_penn("(S (-NONE- *))")])
    with pytest.raises(InputError, match="not learnt"):
        ConstituencyParser().parse([["a"]])
    with pytest.raises(SettingsError):
        ConstituencyParser(rounds=9).train(bank())
    with pytest.raises(SettingsError):
        ConstituencyParser(rounds=1, merged=2.0).train(bank())
    with pytest.raises(SettingsError, match="binarised"):
        ConstituencyParser(direction="up").train(bank())  # type: ignore[arg-type]
    parser = ConstituencyParser(rounds=0).train(bank())
    with pytest.raises(InputError, match="sentence 2 has no words"):
        parser.parse([["a"], []])
    with pytest.raises(InputError, match="empty word"):
        parser.parse([["a", ""]])
    with pytest.raises(SettingsError):
        parser.nbest(["a"], 0)
    parser.best = "worst"  # type: ignore[assignment]
    with pytest.raises(SettingsError, match="worst"):
        parser.parse([["a"]])
    with pytest.raises(TolkaError):
        ConstituencyParser.load(tmp_path / "nothing")
    (tmp_path / "text").write_text("(S (NN word))")
    with pytest.raises(FormatError):
        ConstituencyParser.load(tmp_path / "text")
    parser.save(tmp_path / "good")
    with pytest.raises(LimitError):
        ConstituencyParser.load(tmp_path / "good", limits=Limits(model_bytes=100))
    content = bytearray((tmp_path / "good").read_bytes())
    for place in range(0, len(content), 101):
        (tmp_path / "bad").write_bytes(content[:place])
        with pytest.raises(FormatError):
            ConstituencyParser.load(tmp_path / "bad")


def test_scores_like_evalb() -> None:
    gold = parse_penn("(TOP (S (NP-SBJ (DT the) (NN man)) (VP (VBD ran) (PRT (RP off))) (. .)))")
    other = parse_penn("(S1 (S (NP (DT the) (NN man) (VBD ran)) (VP (ADVP (RB off))) (: .)))")
    found = score_constituents([gold], [other])
    # S, ADVP (as PRT) of S, NP, VP, ADVP; the full stop counts for nothing.
    assert (found.precision, found.recall) == (50.0, 50.0)
    assert (found.crossing, found.no_crossing, found.complete) == (1.0, 0.0, 0.0)
    assert found.tags == 75.0
    same = score_constituents([gold], [gold])
    assert (same.f1, same.complete, same.functions, same.tags) == (100.0, 100.0, 100.0, 100.0)
    with pytest.raises(InputError, match="words of sentence 1 differ"):
        score_constituents([gold], [parse_penn("(S (NN a))")])
    with pytest.raises(InputError, match="only 0"):
        score_constituents([gold], [])
    with pytest.raises(InputError, match="no sentences"):
        score_constituents([], [])
