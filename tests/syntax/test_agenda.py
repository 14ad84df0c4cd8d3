"""The generalised parser as a strategy of the constituency parser."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.syntax.test_constituents import OFTEN, WORDS, bank

from tolka.errors import InputError, SettingsError
from tolka.syntax import Agenda, ConstituencyParser

EXACT = Agenda(beam=None)


@pytest.fixture(scope="module")
def often() -> ConstituencyParser:
    return ConstituencyParser(rounds=0, threshold=0.0, best="tree").train(bank(OFTEN))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
def test_the_best_derivation_is_the_best_tree(often: ConstituencyParser, words: list[str]) -> None:
    [(tree, flat)] = often.parse_stream([words], strategy=EXACT)
    best = often.nbest(words, 50)
    if best[0].log_probability == -float("inf"):
        return
    assert not flat
    # Trees that are as probable may come in any order.
    same = {str(one.tree) for one in best if one.log_probability > best[0].log_probability - 1e-5}
    assert str(tree) in same


def test_semirings_may_differ_and_all_words_stay(often: ConstituencyParser) -> None:
    sentence = ["I", "saw", "the", "man", "with", "the", "dog"]
    for semiring in ("viterbi", "minmerge"):
        for beam in (None, 5):
            [tree] = often.parse([sentence], strategy=Agenda(semiring=semiring, beam=beam))  # type: ignore[arg-type]
            assert tree.words() == sentence
    one, other = (often.parse([sentence], strategy="agenda", threads=threads)[0] for threads in (1, 2))
    assert str(one) == str(other)


def test_finer_grammars_and_long_sentences() -> None:
    parser = ConstituencyParser(rounds=2, passes=3, longest=6).train(bank(3))
    found = list(parser.parse_stream([["I", "saw", "the", "man"], WORDS * 2], strategy="agenda"))
    assert [flat for _, flat in found] == [False, True]


def test_what_makes_no_sense_is_refused(often: ConstituencyParser) -> None:
    with pytest.raises(SettingsError, match="unknown strategy"):
        often.parse([["I"]], strategy="best")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="unknown semiring"):
        often.parse([["I"]], strategy=Agenda(semiring="sum"))  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="beam of 0"):
        often.parse([["I"]], strategy=Agenda(beam=0))
    with pytest.raises(SettingsError, match="seconds"):
        often.parse([["I"]], strategy=Agenda(time_limit=-1.0))
    with pytest.raises(InputError, match="no words"):
        often.parse([[]], strategy="agenda")
