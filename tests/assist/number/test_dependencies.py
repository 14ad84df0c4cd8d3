"""Noun phrases of dependency trees and what their verbs show."""

import pytest

from tolka.assist.number import FeatureHead, LeafTable, agreement, noun_phrases, phrase_tree
from tolka.errors import SettingsError
from tolka.syntax import Tree

SING, PLUR = "Number=Sing", "Number=Plur"
# "Anna und Eva , Kinder , haben gesungen"
TREE = Tree(
    forms=("Anna", "und", "Eva", ",", "Kinder", ",", "haben", "gesungen"),
    heads=(8, 3, 1, 5, 1, 5, 8, 0),
    deprels=("nsubj", "cc", "conj", "punct", "appos", "punct", "aux", "root"),
    upos=("PROPN", "CCONJ", "PROPN", "PUNCT", "NOUN", "PUNCT", "AUX", "VERB"),
    feats=(SING, "_", SING, "_", PLUR, "_", f"{PLUR}|VerbForm=Fin", "VerbForm=Part"),
)


def test_phrases() -> None:
    phrase = phrase_tree(TREE, 0)
    assert str(phrase) == (
        "(NP (PROPN-Number=Sing Anna) (conj (cc und) (PROPN-Number=Sing Eva)) (appos-Number=Plur Kinder))"
    )
    found = list(noun_phrases(TREE))
    assert [(each.word, each.words) for each in found] == [(0, (0, 1, 2, 4)), (2, (2,)), (4, (4,))]
    assert str(found[1].tree) == "(NP (PROPN-Number=Sing Eva))"


def test_a_noun_as_predicate_is_no_clause() -> None:
    tree = Tree(
        forms=("sie", "sind", "ein", "Paar"),
        heads=(4, 4, 4, 0),
        deprels=("nsubj", "cop", "det", "root"),
        upos=("PRON", "AUX", "DET", "NOUN"),
        feats=("_", f"{PLUR}|VerbForm=Fin", "_", SING),
    )
    assert str(phrase_tree(tree, 3)) == "(NP (det ein) (NOUN-Number=Sing Paar))"
    assert [(str(phrase), value) for phrase, value in agreement([tree], "Number", ("sing", "plur"))] == [
        ("(NP (PRON sie))", "plur")
    ]


def test_number_is_that_of_the_finite_verb() -> None:
    assert [value for _, value in agreement([TREE], "Number", ("sing", "plur"))] == ["plur"]
    assert not list(agreement([TREE], "Number", ("sing", "dual")))
    with pytest.raises(SettingsError, match="no values"):
        list(agreement([TREE], "Number", ()))


@pytest.mark.parametrize(
    ("relation", "lemma", "wanted"), [("aux", "être", ["fem"]), ("aux", "avoir", []), ("aux:pass", "x", ["fem"])]
)
def test_gender_is_that_of_participles_that_agree(relation: str, lemma: str, wanted: list[str]) -> None:
    tree = Tree(
        forms=("elle", "a", "venue"),
        heads=(3, 3, 0),
        deprels=("nsubj", relation, "root"),
        lemmas=("il", lemma, "venir"),
        upos=("PRON", "AUX", "VERB"),
        feats=("_", "VerbForm=Fin", "Gender=Fem|VerbForm=Part"),
    )
    assert [value for _, value in agreement([tree], "Gender", ("masc", "fem"))] == wanted


def test_learning_from_dependencies() -> None:
    leaves = LeafTable.of_feats("Number", ("sing", "plur"))
    model = FeatureHead(leaves=leaves, heads="words", lexicalised=True, smoothing=1)
    alone = Tree(
        forms=("Eva", "hat", "gesungen"),
        heads=(3, 3, 0),
        deprels=("nsubj", "aux", "root"),
        upos=("PROPN", "AUX", "VERB"),
        feats=(SING, f"{SING}|VerbForm=Fin", "VerbForm=Part"),
    )
    examples = list(agreement([TREE, alone], "Number", ("sing", "plur")))
    assert [value for _, value in examples] == ["plur", "sing"]
    assert model.train(examples * 20).predict(phrase_tree(TREE, 0)) == "plur"
    assert model.predict(phrase_tree(TREE, 2)) == "sing"
