"""Tables of what single words say, and subjects with what their verbs show."""

from pathlib import Path

import pytest

from tolka.assist.number import LeafTable, arabic_agreement, english_agreement
from tolka.errors import FormatError, SettingsError
from tolka.syntax import Constituent, parse_penn


def mass(table: LeafTable, label: str, word: str = "x") -> tuple[float, ...]:
    return table.mass(table.key(Constituent(label, word=word)))


def test_english() -> None:
    table = LeafTable.load("english", "number")
    assert [mass(table, tag) for tag in ("NN", "NNP", "NNS", "NNPS")] == [(1, 0), (1, 0), (0, 1), (0, 1)]
    assert mass(table, "CC", "and") == mass(table, "PRP", "they") == (0.5, 0.5)


def test_english_words() -> None:
    table = LeafTable.load("english-words", "number")
    assert mass(table, "PRP", "They") == (0, 1)
    assert mass(table, "NN", "lot") == (0.5, 0.5)
    assert mass(table, "NN", "they") == (1, 0)  # another tag, another word


@pytest.mark.parametrize(
    ("tag", "gender", "number"),
    [
        ("NSUFF_FEM_SG", (0, 1), (1, 0, 0)),
        ("NSUFF_MASC_DU_ACC_POSS", (1, 0), (0, 1, 0)),
        ("PRON_3MP", (1, 0), (0, 0, 1)),
        ("IV1S", (0.5, 0.5), (1, 0, 0)),
        ("CVSUFF_SUBJ:2MP", (1, 0), (0, 0.5, 0.5)),
        ("DEM_PRON_F", (0, 1), (1 / 3, 1 / 3, 1 / 3)),
        ("NOUN+NSUFF_FEM_PL", (0, 1), (0, 0, 1)),
        ("ADJ", (0.5, 0.5), (1 / 3, 1 / 3, 1 / 3)),
    ],
)
def test_arabic(tag: str, gender: tuple[float, ...], number: tuple[float, ...]) -> None:
    assert mass(LeafTable.load("arabic", "gender"), tag) == pytest.approx(gender)
    assert mass(LeafTable.load("arabic", "number"), tag) == pytest.approx(number)


def test_features_of_conllu() -> None:
    table = LeafTable.of_feats("gender", ("masc", "fem"))
    assert mass(table, "NOUN-Gender=Fem|Number=Sing") == (0, 1)
    assert mass(table, "NOUN-Gender=Fem,Masc") == (0.5, 0.5)
    assert mass(table, "NOUN-Gender=Neut") == mass(table, "NOUN") == (0.5, 0.5)


@pytest.mark.parametrize(
    "line",
    [
        "tag NN",
        "tag NN number",
        "tag NN number=many",
        "tag NN gender=masc",
        "values number sing plur",
        "values gender masc",
        "values gender masc masc",
        "word NN lot",
        "noun NN number=sing",
        "join",
    ],
)
def test_slips_in_tables_are_told_with_their_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "my.leaves"
    file.write_text(f"# mine\nvalues number sing plur\ntag N number=sing\n{line}\n")
    with pytest.raises(FormatError, match=r"my\.leaves, line 4: .*says nothing about tags"):
        LeafTable.load(file, "number")


def test_tables_of_your_own(tmp_path: Path) -> None:
    file = tmp_path / "my.leaves"
    file.write_text("values number sing plur\ntag N number=plur\nword N Sheep number=sing number=plur\n")
    table = LeafTable.load(file, "number")
    assert mass(table, "N-X") == (0, 1)
    assert mass(table, "N", "sheep") == (0.5, 0.5)
    with pytest.raises(SettingsError, match="no feature 'gender'; it has number"):
        LeafTable.load(file, "gender")
    with pytest.raises(SettingsError, match="at least two"):
        LeafTable("number", ("sing",))
    with pytest.raises(SettingsError, match="'dual'"):
        LeafTable("number", ("sing", "plur"), {"N": ["dual"]})


def found(tree: str, *, persons: bool = True, past: bool = False) -> list[tuple[str, str]]:
    examples = english_agreement([parse_penn(tree)], persons=persons, past=past)
    return [(" ".join(phrase.words()), number) for phrase, number in examples]


@pytest.mark.parametrize(
    ("tree", "wanted"),
    [
        ("(S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks)))", [("the dog", "sing")]),
        ("(S (NP-TTL-SBJ (NNS dogs)) (ADVP (RB now)) (VP (ADVP (RB often)) (VBP bark)))", [("dogs", "plur")]),
        ("(S (NPB-SBJ-A (NNS dogs)) (VP (VBP have) (VP (VBN barked))))", [("dogs", "plur")]),
        ("(S (NP-SBJ (NNS dogs)) (VP (MD will) (VP (VB bark))))", []),
        ("(S (NP-SBJ (NNS dogs)) (VP (VBD barked) (SBAR (S (NP-SBJ (PRP it)) (VP (VBZ is))))))", [("it", "sing")]),
        ("(SQ (VBP Do) (NP-SBJ (NNS dogs)) (VP (VB bark)))", [("dogs", "plur")]),
        ("(S (NP (NNS dogs)) (VP (VBP bark)))", []),
        ("(S (NP-SBJ (NNS dogs)))", []),
        ("(S (NP-SBJ (NNS dogs)) (SBAR (S (VP (VBZ is)))))", []),
        ("(S (NP-SBJ-1 (NN age)) (VP (VBZ matters)) (CC and) (VP (VBP bark)))", [("age", "sing")]),
    ],
)
def test_english_subjects(tree: str, wanted: list[tuple[str, str]]) -> None:
    assert found(tree) == wanted


def test_english_subjects_by_settings() -> None:
    first = "(S (NP-SBJ (PRP I)) (VP (VBP am)))"
    assert found(first) == [("I", "plur")]  # as the thesis must have it
    assert found(first, persons=False) == []
    assert found("(S (NP-SBJ (PRP I) (CC and) (PRP you)) (VP (VBP are)))", persons=False) == [("I and you", "plur")]
    past = "(S (NP-SBJ (NNS dogs)) (VP (VBD were)))"
    assert found(past) == []
    assert found(past, past=True) == [("dogs", "plur")]
    assert found("(S (NP-SBJ (NNS dogs)) (VP (VBD ran)))", past=True) == []


def test_arabic_subjects() -> None:
    after = parse_penn("(S (VP (PV+PVSUFF_SUBJ:3FS ktbt) (NP-SBJ (NOUN+NSUFF_FEM_PL bnAt))))")
    before = parse_penn("(S (NP-SBJ (NOUN+NSUFF_FEM_PL bnAt)) (VP (IV3FP+IV yktbn)))")
    assert [value for _, value in arabic_agreement([after, before], "gender")] == ["fem", "fem"]
    assert [value for _, value in arabic_agreement([after, before], "number")] == ["plur"]
    assert not list(arabic_agreement([parse_penn("(S (NP-SBJ (NOUN x)) (VP (PV y)))")], "gender"))
