"""CoNLL-U and CoNLL-X in and out."""

import gzip
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.syntax.strategies import trees

from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.limits import DEFAULT
from tolka.syntax import (
    Tree,
    format_conllu,
    format_conllx,
    read_conll,
    read_conllu,
    read_conllx,
    synthetic_treebank,
    write_conllu,
    write_conllx,
)

RICH = """# newdoc id = d1
# sent_id = 1
# text = Er geht zum Haus
1\tEr\ter\tPRON\tPPER\tCase=Nom\t2\tnsubj\t2:nsubj\t_
2\tgeht\tgehen\tVERB\tVVFIN\t_\t0\troot\t0:root\t_
3-4\tzum\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\tzu\tzu\tADP\tAPPR\t_\t5\tcase\t_\t_
4\tdem\tder\tDET\tART\t_\t5\tdet\t_\t_
5\tHaus\tHaus\tNOUN\tNN\t_\t2\tobl\t_\tSpaceAfter=No|Note=x y
5.1\tnull\t_\t_\t_\t_\t_\t_\t2:conj\t_
5.2\tnull\t_\t_\t_\t_\t_\t_\t2:conj\t_

1\t#\t_\tSYM\t_\t_\t0\troot\t_\t_

"""


def row(number: object, head: object = 0, form: str = "w", columns: int = 10) -> str:
    cells = [str(number), form, "_", "_", "_", "_", str(head), "r", "_", "_", "_"]
    return "\t".join(cells[:columns])


def read_text(directory: Path, text: str, reader=read_conllu, **options) -> list[Tree]:
    path = directory / "a.conllu"
    path.write_bytes(text.encode())
    return list(reader(path, **options))


def test_everything_is_kept(tmp_path: Path) -> None:
    first, second = read_text(tmp_path, RICH)
    assert first.forms == ("Er", "geht", "zu", "dem", "Haus")
    assert first.heads == (2, 0, 5, 5, 2)
    assert first.upos[0] == "PRON"
    assert first.xpos[0] == "PPER"
    assert first.feats[0] == "Case=Nom"
    assert first.deps[:2] == ("2:nsubj", "0:root")
    assert [before for before, _ in first.others] == [2, 5, 5]
    assert len(first.comments) == 3
    assert second.forms == ("#",)
    write_conllu(tmp_path / "b.conllu", [first, second])
    assert (tmp_path / "b.conllu").read_bytes() == RICH.encode()


def test_without_last_empty_line_with_crlf_and_compressed(tmp_path: Path) -> None:
    trees = read_text(tmp_path, RICH)
    assert read_text(tmp_path, RICH.rstrip("\n")) == trees
    assert read_text(tmp_path, "\n\n" + RICH.replace("\n", "\r\n") + "\n\n") == trees
    (tmp_path / "c.gz").write_bytes(gzip.compress(RICH.encode()))
    assert list(read_conllu(tmp_path / "c.gz")) == trees
    assert read_text(tmp_path, "") == []


@settings(deadline=None)
@given(st.lists(trees(), min_size=1, max_size=3))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, found: list[Tree]) -> None:
    directory = tmp_path_factory.mktemp("round")
    write_conllu(directory / "a", found)
    again = list(read_conllu(directory / "a"))
    bare = [replace(tree, misc=()) for tree in found]
    assert [replace(tree, misc=()) for tree in again] == bare
    write_conllu(directory / "b", again)
    assert (directory / "a").read_bytes() == (directory / "b").read_bytes()
    for columns in (8, 10):
        write_conllx(directory / "x", found, columns=columns)
        expected = [replace(tree, comments=(), misc=() if columns == 8 else tree.misc) for tree in found]
        assert list(read_conllx(directory / "x")) == expected
        assert list(read_conll(directory / "x")) == expected


def test_ranks_are_one_based_and_replace_older_ones(tmp_path: Path) -> None:
    tree = Tree(forms=("a", "b", "c"), heads=(0, 1, 1), misc=("_", "Order=9|X=1", "Y=2"), order=(2, 0, 1))
    written = format_conllu(tree)
    assert [line.rsplit("\t", 1)[1] for line in written.strip().split("\n")] == [
        "Order=2",
        "Order=3|X=1",
        "Y=2|Order=1",
    ]
    [again] = read_text(tmp_path, written)
    assert again.order == (2, 0, 1)
    unordered = format_conllu(replace(again, order=None))
    assert [line.rsplit("\t", 1)[1] for line in unordered.strip().split("\n")] == ["_", "X=1", "Y=2"]
    assert [line.split("\t")[9:] for line in format_conllx(again).strip().split("\n")][1] == ["X=1", "3"]
    nine = format_conllx(replace(tree, misc=()), columns=8)
    assert [line.split("\t")[8] for line in nine.strip().split("\n")] == ["2", "3", "1"]
    [again] = read_text(tmp_path, nine, read_conllx)
    assert again.order == (2, 0, 1)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (row(1, columns=9), 1, "9 columns instead of 10"),
        ("1 er _ _ _ _ 0 r _ _", 1, "1 columns instead of 10; columns are separated by tabs"),
        (row(1) + "\n" + row(2, 1, columns=8), 2, "8 columns instead of 10"),
        (row(1) + "\n" + row(3, 1), 2, "id is '3' where word 2"),
        (row("01"), 1, "id is '01'"),
        (row("x"), 1, "id is 'x'"),
        (row(1, 2), 1, "word 1 of 1 has head '2'"),
        (row(1, -1), 1, "has head '-1'"),
        (row(1, "٢") + "\n" + row(2, 1), 1, "has head"),
        (row(1, "_"), 1, "parse it first"),
        ("# c\n" + row(1, 2) + "\n" + row(2, 1), 2, "circle"),
        (row(1, 1), 1, "circle"),
        (row(1, form=""), 1, "no form"),
        ("# lonely\n\n" + row(1), 1, "comments stand alone"),
        (row(1) + "\n# late\n" + row(2, 1), 2, "comment stands between"),
        (row("1-3") + "\n" + row(1), 1, "ends at word 3 of 1"),
        (row("1-1") + "\n" + row("1-1") + "\n" + row(1), 2, "id is '1-1'"),
        (row(1) + "\n" + row("1.2"), 2, "id is '1.2'"),
        (row("0.1"), 1, "no words"),
        (row(1)[:-1] + "Order=2", 1, "no permutation"),
        (row(1)[:-1] + "Order=1\n" + row(2, 1), 1, "no permutation"),
        (row(1) + "\n" + row(2, 1)[:-1] + "Order=1", 1, "some words have an order"),
    ],
)
def test_malformed(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(FormatError, match=re.escape(what)) as caught:
        read_text(tmp_path, text + "\n\n")
    assert caught.value.line == line
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, RICH + text + "\n")
    assert caught.value.line == line + len(RICH.split("\n")) - 1


def test_roots_and_limits(tmp_path: Path) -> None:
    text = row(1) + "\n" + row(2) + "\n\n"
    assert read_text(tmp_path, text)[0].roots == (0, 1)
    with pytest.raises(FormatError, match="2 roots"):
        read_text(tmp_path, text, one_root=True)
    small = replace(DEFAULT, sentence_tokens=1)
    with pytest.raises(LimitError, match="more than 1 words"):
        read_text(tmp_path, text, limits=small)
    with pytest.raises(LimitError):
        read_text(tmp_path, "# c\n" * 2000, limits=small)
    with pytest.raises(FormatError, match="CoNLL-X has no id '3-4'"):
        read_text(tmp_path, RICH, read_conllx)


@settings(deadline=None)
@given(st.text(st.sampled_from("12\t\n-.#_0ab"), max_size=80))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("any") / "a"
    path.write_text(text)
    for reader in (read_conll, read_conllu, read_conllx):
        with suppress(FormatError):
            for tree in reader(path):
                assert format_conllu(tree)


def test_what_cannot_be_written() -> None:
    for forms in [("a\tb",), ("a\nb",), ("a\rb",), ("",)]:
        with pytest.raises(InputError):
            format_conllu(Tree(forms=forms, heads=(0,)))
    with pytest.raises(InputError, match="#"):
        format_conllu(Tree(forms=("a",), heads=(0,), comments=("no mark",)))
    with pytest.raises(SettingsError):
        format_conllx(Tree(forms=("a",), heads=(0,)), columns=9)


def test_synthetic_treebank_round_trip(tmp_path: Path) -> None:
    bank = synthetic_treebank(2, 50)
    write_conllu(tmp_path / "a.conllu.xz", bank.trees)
    again = list(read_conllu(tmp_path / "a.conllu.xz"))
    assert tuple(tree.order for tree in again) == bank.orders
