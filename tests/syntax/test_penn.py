"""Penn brackets in and out."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import FormatError, InputError, LimitError
from tolka.syntax import Constituent, format_penn, parse_penn, read_penn, write_penn

words = st.text(st.characters(blacklist_characters=" \t\n\f\r\0", blacklist_categories=("Cs",)), min_size=1, max_size=5)
words = words.filter(lambda word: "-LRB-" not in word and "-RRB-" not in word)
constituents = st.recursive(
    st.builds(lambda label, word: Constituent(label, word=word), words, words),
    lambda below: st.builds(
        lambda label, children: Constituent(label, tuple(children)), words, st.lists(below, min_size=1, max_size=3)
    ),
)


@settings(deadline=None)
@given(constituents)
def test_round_trip(tree: Constituent) -> None:
    text = format_penn(tree)
    again = parse_penn(text)
    assert format_penn(again) == text
    assert again.words() == tree.words()
    assert [leaf.label for leaf in again.leaves()] == [leaf.label for leaf in tree.leaves()]


def test_labels() -> None:
    tree = parse_penn("( (S (PPER-SB er) (VP-OC-X (NP-OA das Buch)) ($-LRB- -LRB-) (-NONE- *)) )")
    assert tree.category == "S"
    assert tree.function == ""
    assert (tree.children[1].category, tree.children[1].function) == ("VP", "OC-X")
    assert tree.words() == ["er", "das", "Buch", "(", "*"]
    assert [leaf.category for leaf in tree.leaves()] == ["PPER", "_", "_", "$(", "-NONE-"]


def test_files_have_trees_on_one_line_or_several(tmp_path: Path) -> None:
    path = tmp_path / "a.penn"
    path.write_text("(S (A a)\n   (B b))\n\n(NN c) (NN d)\n((X x) (Y y))\n")
    assert [str(tree) for tree in read_penn(path)] == ["(S (A a) (B b))", "(NN c)", "(NN d)", "(ROOT (X x) (Y y))"]
    assert write_penn(tmp_path / "b.penn", read_penn(path)) == 4
    assert (tmp_path / "b.penn").read_text() == "(S (A a) (B b))\n(NN c)\n(NN d)\n(ROOT (X x) (Y y))\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("(S (A a)", 1, "never closed"),
        ("(S (A a)))", 1, "closes nothing"),
        ("(S ())", 1, "empty"),
        ("(S)", 1, "empty"),
        ("word", 1, "outside"),
        ("(A a)\n(S (A a)\n  (B))", 3, "empty"),
        ("( (A a) b)", 1, "no tag"),
    ],
)
def test_malformed(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = tmp_path / "a.penn"
    path.write_text(text)
    with pytest.raises(FormatError, match=what) as caught:
        list(read_penn(path))
    assert caught.value.line == line
    with pytest.raises(FormatError):
        parse_penn(text)


def test_depth_is_bounded_and_needs_no_recursion(tmp_path: Path) -> None:
    deep = "(A " * 999 + "(B b)" + ")" * 999
    tree = parse_penn(deep)
    assert format_penn(tree) == deep
    assert tree.words() == ["b"]
    assert "Constituent" in repr(tree)
    (tmp_path / "a").write_text("(A " * 5000 + ")" * 5000)
    with pytest.raises(LimitError, match="deep"):
        list(read_penn(tmp_path / "a"))


def test_nodes_are_words_or_have_children() -> None:
    with pytest.raises(InputError):
        Constituent("A")
    with pytest.raises(InputError):
        format_penn(Constituent("A", word="a b"))
    with pytest.raises(FormatError, match="0 trees"):
        parse_penn(" ")


@settings(deadline=None)
@given(st.text(st.sampled_from("()ab \n"), max_size=40))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "a"
    path.write_text(text)
    with suppress(FormatError):
        for tree in read_penn(path):
            assert parse_penn(format_penn(tree)).words() == tree.words()
