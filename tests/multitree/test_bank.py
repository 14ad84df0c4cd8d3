"""Multitreebanks in and out, and what a malformed one says."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.multitree.strategies import pairs, trees

from tolka.errors import FormatError, InputError, LimitError
from tolka.limits import DEFAULT
from tolka.multitree import (
    Multitree,
    Multitrees,
    format_tree,
    leaf,
    parse_multitrees,
    parse_tree,
    read_multitrees,
    write_multitrees,
)

GOOD = "joint debate ||| discussion commune ||| <NP [JJ joint | commune] [NN debate | discussion]>"


@settings(deadline=None)
@given(trees())
def test_a_tree_comes_back(tree: Multitree) -> None:
    assert parse_tree(format_tree(tree)) == tree


@settings(deadline=None)
@given(st.lists(pairs(), max_size=3), st.sampled_from(["", ".gz", ".xz", ".zst"]))
def test_a_bank_comes_back(tmp_path_factory: pytest.TempPathFactory, bank: list[Multitrees], ending: str) -> None:
    path = tmp_path_factory.mktemp("bank") / f"a.multitrees{ending}"
    assert write_multitrees(path, bank) == len(bank)
    assert list(read_multitrees(path)) == bank


def test_a_pair() -> None:
    pair = parse_multitrees(GOOD)
    assert pair.complete
    assert str(pair) == GOOD
    assert [step.kind for step in pair.inferences()] == ["bilingual", "bilingual", "inverted"]
    assert [one.words for one in pair.leaves()] == [(("joint",), ("commune",)), (("debate",), ("discussion",))]
    cover = parse_multitrees(r"a \| c ||| x y z ||| @0,2 [A a | z] @2,1 [C/K c | y]")
    assert not cover.complete
    assert cover.uncovered == ((1,), (0,))
    assert cover.links() == [(0, 2), (2, 1)]
    assert cover.pretty().endswith("not covered in the source: |\nnot covered in the target: x")
    assert parse_multitrees("") == parse_multitrees(" \t ") == Multitrees((), ())
    assert str(Multitrees((), ("a",))) == "||| a |||"
    assert parse_multitrees("||| a |||") == Multitrees((), ("a",))
    # Sentences may hold brackets as they are.
    assert parse_multitrees("( a [b] ||| | |||").source == ("(", "a", "[b]")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a ||| b", "1 times |||"),
        ("a ||| b ||| c ||| d", "3 times"),
        ("a ||| b ||| [X a | b", "never closed"),
        ("a ||| b ||| [X a | b)", r"\) closes \["),
        ("a ||| b ||| [X a | b]]", "outside"),
        ("a ||| b ||| [X a b]", "both sides"),
        ("a ||| b ||| [X a |]", "both sides"),
        ("a ||| b ||| [X a | b | c]", "more than one bar"),
        ("a ||| b ||| [X a | (b)]", "in a leaf"),
        ("a ||| b ||| [| a | b]", "in no leaf"),
        ("a ||| b ||| []", "no label"),
        ("a ||| b ||| (", "never closed"),
        ("a ||| b ||| ([X a | b])", "no label"),
        ("a ||| b ||| (X [X a | b])", "1 children"),
        ("a ||| b ||| (X a b)", "in no leaf"),
        ("a ||| b ||| a", "outside"),
        ("a ||| b ||| @0,0", "no tree follows"),
        ("a ||| b ||| @0,0 @0,0 [X a | b]", "outside"),
        ("a ||| b ||| @1,0 [X a | b]", "ends at word 2 of a sentence of 1"),
        ("a ||| b ||| @9999999,0 [X a | b]", "outside"),
        ("a ||| b ||| [X c | b]", "a leaf says 'c | b' where the sentences have 'a | b'"),
        ("a ||| b ||| [X a | b] [X a | b]", "overlap at source word 0"),
        ("a ||| b ||| [/ a | b]", "'' is no label"),
        ("a ||| b ||| [X a | \\", "backslash"),
        ("\\ ||| b |||", "backslash"),
    ],
)
def test_malformed(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "bank"
    path.write_text(f"{GOOD}\n\n{line}\n")
    with pytest.raises(FormatError, match=said.replace("|", r"\|")) as caught:
        list(read_multitrees(path))
    assert (caught.value.path, caught.value.line) == (path, 3)


def test_the_byte_of_a_mistake() -> None:
    with pytest.raises(FormatError) as caught:
        parse_multitrees("é ||| b ||| [X é | b] x")
    assert caught.value.byte == 25


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from([*"ab()[]<>|\\/@,0 \u00a0X", " ||| "])).map("".join))
def test_noise_is_a_format_error(noise: str) -> None:
    for text in (noise, f"a ||| b ||| {noise}", noise.join(GOOD.split(" "))):
        with suppress(FormatError):
            parse_multitrees(text)
    with suppress(FormatError):
        parse_tree(noise)


@settings(deadline=None)
@given(pairs(), st.data())
def test_a_damaged_line_is_a_format_error(pair: Multitrees, data: st.DataObject) -> None:
    line = str(pair)
    at = data.draw(st.integers(0, len(line)))
    for damaged in (
        line[:at],
        line[:at] + line[at + 1 :],
        line[:at] + data.draw(st.sampled_from("()[|\\")) + line[at:],
    ):
        with suppress(FormatError):
            assert parse_multitrees(damaged) is not None


def test_limits() -> None:
    deep = "(X " * 1500
    with pytest.raises(LimitError, match="deep"):
        parse_multitrees(f"a ||| b ||| {deep}")
    with pytest.raises(LimitError, match="3 words, and the limit is 2"):
        parse_multitrees("a b c ||| d |||", limits=replace(DEFAULT, sentence_tokens=2))
    with pytest.raises(InputError, match="is no word"):
        Multitrees(("a b",), ())
    with pytest.raises(InputError, match="ends at word 1 of a sentence of 0"):
        Multitrees((), (), (leaf("a", "b"),))
