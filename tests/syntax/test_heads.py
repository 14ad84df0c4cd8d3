"""Heads, marks and binarised trees."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import FormatError, InputError, SettingsError
from tolka.syntax import (
    Binarisation,
    Constituent,
    HeadRules,
    Lexicalised,
    Step,
    cleaned,
    marked,
    parse_penn,
    penn_words,
    restored,
    unmarked,
    with_words,
)

labels = st.text(st.sampled_from("AB@^|+\\-="), min_size=1, max_size=4)


@st.composite
def constituents(draw: st.DrawFn, name: st.SearchStrategy[str] = labels) -> Constituent:
    leaf = st.builds(lambda label, word: Constituent(label, word=word), name, st.sampled_from(["u", "v"]))
    inner = st.recursive(
        leaf,
        lambda below: st.builds(
            lambda label, children: Constituent(label, tuple(children)), name, st.lists(below, min_size=1, max_size=5)
        ),
        max_leaves=12,
    )
    return Constituent("ROOT", (draw(inner),))


@given(
    constituents(),
    st.sampled_from(["left", "right", "head"]),
    st.integers(0, 3),
    st.integers(1, 3),
    st.booleans(),
)
def test_binarising_can_be_undone(
    tree: Constituent, direction: str, horizontal: int, vertical: int, tags: bool
) -> None:
    steps = Binarisation(direction, horizontal, vertical, tags).apply(tree)  # type: ignore[arg-type]
    assert str(restored(steps)) == str(tree)
    assert all(step.arity <= 2 for step in steps)
    assert not any(one.arity == two.arity == 1 for one, two in pairwise(steps))


@given(constituents(st.sampled_from(["NP", "VP", "S", "PP", "CC", "NP-SBJ", "NP-TMP", "X", "POS"])))
def test_marks_can_be_taken_away(tree: Constituent) -> None:
    assert str(unmarked(marked(tree))) == str(tree)


@given(constituents(st.sampled_from(["NP", "VP", "CC", "NN", "QQ"])))
def test_every_word_has_one_head(tree: Constituent) -> None:
    found = Lexicalised(tree)
    assert found.heads.count(-1) == 1
    for word in range(len(found.words)):
        top = found.maximal(word)
        assert top.begin <= word < top.end
        assert top.head == word
        assert all(found.heads[other] == word for other in found.dependents(word))


@pytest.mark.parametrize(
    ("tree", "head"),
    [
        ("(NP (NP (NN man)) (POS 's))", 1),
        ("(NP (DT the) (NN law) (NN school))", 2),
        ("(NP (NP (NN law)) (PP (IN of) (NP (NN x))))", 0),
        ("(NP (NN a) (CC and) (NN b))", 0),
        ("(VP (MD will) (VP (VB go)))", 0),
        ("(VP (RB not) (VP (VBN gone)))", 1),
        ("(S (NP (NN a)) (VP (VBD b)))", 1),
        ("(PP (RB right) (IN in) (NP (NN a)))", 1),
        ("(SBAR (WHNP (WP who)) (S (VP (VBD b))))", 0),
        ("(QQ (A a) (B b))", 0),
        ("(FRAG (A a) (B b))", 1),
    ],
)
def test_heads_of_collins(tree: str, head: int) -> None:
    assert HeadRules.collins().head(parse_penn(tree)) == head


def test_rules_of_your_own(tmp_path: Path) -> None:
    file = tmp_path / "my.heads"
    file.write_text("# mine\nhead NP left any N\nother right\n")
    rules = HeadRules.load(file)
    assert rules.head(parse_penn("(NP (N a) (N b))")) == 0
    assert rules.head(parse_penn("(VP (N a) (N b))")) == 1
    file.write_text("other right\nhead NP up any N\n")
    with pytest.raises(FormatError, match=r"line 2.*head NP up any N"):
        HeadRules.load(file)


def test_arguments() -> None:
    tree = parse_penn(
        "(S (NP-TMP (NN today)) (NP-SBJ (PRP he)) (VP (VBD said) (SBAR (IN that) (S (NP-SBJ (PRP it)) (VP (VBD was))))))"
    )
    assert str(marked(tree, base=False)) == (
        "(S (NP-TMP (NN today)) (NP-SBJ-A (PRP he))"
        " (VP (VBD said) (SBAR-A (IN that) (S-A (NP-SBJ-A (PRP it)) (VP (VBD was))))))"
    )


def test_cleaning() -> None:
    tree = parse_penn("(S (NP-SBJ=2 (NP (NN a))) (VP-3 (VBD b) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))))")
    assert str(cleaned(tree)) == "(S (NP (NN a)) (VP (VBD b)))"
    assert str(cleaned(tree, functions=True)) == "(S (NP-SBJ (NP (NN a))) (VP (VBD b)))"
    with pytest.raises(InputError, match="no words"):
        cleaned(parse_penn("(S (-NONE- *))"))


def test_steps_that_make_no_tree() -> None:
    for steps in ([], [Step("A", 1, 2)], [Step("a", 0, 0, "x"), Step("a", 0, 0, "x")]):
        with pytest.raises(InputError, match="no tree"):
            restored(steps)
    with pytest.raises(SettingsError):
        Binarisation(vertical=0)


def test_words_of_penn() -> None:
    tokens = ["can", "&apos;t", "'t", "&#91;", "&amp;"]
    assert penn_words(tokens) == ["ca", "n't", "'t", "[", "&"]
    tree = parse_penn("(S (A a) (B b))")
    assert with_words(tree, ["c", "d"]).words() == ["c", "d"]
    with pytest.raises(InputError, match="2 words, not 1"):
        with_words(tree, ["c"])
