"""Reordering files: batches, forms, and going on after a stop."""

import pytest

from tolka.errors import FileError, SettingsError
from tolka.reorder.applying import reorder_lines, reorder_to_file
from tolka.syntax import Tree, read_conllu, synthetic_treebank

TREES = synthetic_treebank(2, 25).trees


class Backwards:
    """Turns sentences round; stops like a killed process after some batches."""

    kind = "backwards"

    def __init__(self, batches=None):
        self.batches = batches
        self.seen = 0

    def orders(self, trees, *, threads=1):  # noqa: ARG002 - part of the protocol
        self.seen += len(trees)
        if self.batches is not None:
            if not self.batches:
                raise KeyboardInterrupt
            self.batches -= 1
        return [tuple(reversed(range(len(tree)))) for tree in trees]


def test_forms():
    tree = Tree(forms=("a", "b", "c"), heads=(2, 0, 2))
    assert list(reorder_lines(Backwards(), [tree])) == ["c b a\n"]
    assert list(reorder_lines(Backwards(), [tree], "permutations")) == ["2 1 0\n"]
    [text] = reorder_lines(Backwards(), [tree], "conllu")
    assert [line.split("\t")[-1] for line in text.strip().split("\n")] == ["Order=3", "Order=2", "Order=1"]
    with pytest.raises(SettingsError, match="no form 'music'"):
        list(reorder_lines(Backwards(), [tree], "music"))


def test_batches_hold_little():
    read = 0

    def counted():
        nonlocal read
        for tree in TREES:
            read += 1
            yield tree

    lines = reorder_lines(Backwards(), counted(), batch=4)
    next(lines)
    assert read == 4


@pytest.mark.parametrize("form", ["words", "permutations", "conllu"])
def test_a_run_that_was_stopped_goes_on(tmp_path, form):
    whole, path = tmp_path / "whole", tmp_path / "out"
    assert reorder_to_file(Backwards(), TREES, whole, form) == 0
    with pytest.raises(KeyboardInterrupt):
        reorder_to_file(Backwards(3), TREES, path, form, key="k", batch=4)
    assert not path.exists()
    part = tmp_path / "out.part"
    # The last sentence was half written.
    part.write_bytes(part.read_bytes()[:-1])
    second = Backwards()
    assert reorder_to_file(second, TREES, path, form, key="k", batch=4) == 11
    assert second.seen == len(TREES) - 11
    assert path.read_bytes() == whole.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out", "whole"]


def test_another_key_starts_again(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        reorder_to_file(Backwards(2), TREES, path, key="k", batch=4)
    assert reorder_to_file(Backwards(), TREES, path, key="other", batch=4) == 0
    assert len(path.read_text().split("\n")) == len(TREES) + 1


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="No such file"):
        reorder_to_file(Backwards(), TREES, tmp_path / "no" / "out")


def test_trees_with_orders_are_read_again(tmp_path):
    reorder_to_file(Backwards(), TREES, tmp_path / "out.conllu", "conllu")
    orders = [tree.order for tree in read_conllu(tmp_path / "out.conllu")]
    assert orders == Backwards().orders(TREES)
