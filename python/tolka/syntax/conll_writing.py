"""Writing CoNLL-U and CoNLL-X; what `read_conllu` read is written byte for byte as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.corpus.output import Output
from tolka.errors import InputError, SettingsError
from tolka.syntax.conll import FULL, ORDER, SHORT
from tolka.syntax.tree import UNKNOWN, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike


def format_conllu(tree: Tree) -> str:
    r"""The lines of one sentence in CoNLL-U, with the empty line after it.

    Example:
        >>> tree = Tree(forms=("liest", "er"), heads=(0, 1), order=(1, 0))
        >>> format_conllu(tree).split("\n")[0].split("\t")
        ['1', 'liest', '_', '_', '_', '_', '0', '_', '_', 'Order=2']
    """
    misc = _unranked(tree.misc) if tree.order is None else _ranked(tree.misc, _ranks(tree.order))
    lines = [
        f"{number}\t{form}\t{lemma}\t{upos}\t{xpos}\t{feats}\t{head}\t{relation}\t{deps}\t{other}"
        for number, (form, lemma, upos, xpos, feats, head, relation, deps, other) in enumerate(
            zip(
                tree.forms,
                tree.lemmas,
                tree.upos,
                tree.xpos,
                tree.feats,
                tree.heads,
                tree.deprels,
                tree.deps,
                misc,
                strict=True,
            ),
            1,
        )
    ]
    _check(tree, lines, FULL)
    for comment in tree.comments:
        if not comment.startswith("#"):
            raise InputError(f"the comment {comment!r} does not begin with #")
    for before, line in reversed(tree.others):
        lines.insert(before, line)
    return "\n".join([*tree.comments, *lines, "", ""])


def format_conllx(tree: Tree, *, columns: int = FULL) -> str:
    """The lines of one sentence in CoNLL-X, with the empty line after it.

    Comments, multiword tokens and empty nodes have no place in this format and are left out.

    Args:
        tree: The sentence; its order, if it has one, becomes one column more.
        columns: 10, or 8 to leave out the projective heads.
    """
    if columns not in {SHORT, FULL}:
        raise SettingsError(f"CoNLL-X has 8 or 10 columns, not {columns}")
    parts = [tree.forms, tree.lemmas, tree.upos, tree.xpos, tree.feats, map(str, tree.heads), tree.deprels]
    if columns == FULL:
        parts += [tree.deps, _unranked(tree.misc)]
    if tree.order is not None:
        parts.append(map(str, _ranks(tree.order)))
    lines = ["\t".join((str(number), *row)) for number, row in enumerate(zip(*parts, strict=True), 1)]
    _check(tree, lines, columns + (tree.order is not None))
    return "\n".join([*lines, "", ""])


def write_conllu(path: str | PathLike[str], trees: Iterable[Tree]) -> int:
    """Write trees as CoNLL-U, to a file that appears whole or not at all.

    Args:
        path: The file; a name in .gz, .xz or .zst is compressed; "-" is standard output.
        trees: The sentences; an order becomes `Order=` in MISC.

    Returns:
        The number of sentences.

    Raises:
        InputError: A value has a tab or a line break in it, or a word is empty.
    """
    count = 0
    with Output(path) as out:
        for tree in trees:
            out.write_text(format_conllu(tree))
            count += 1
    return count


def write_conllx(path: str | PathLike[str], trees: Iterable[Tree], *, columns: int = FULL) -> int:
    """Write trees as CoNLL-X; see `format_conllx` and `write_conllu`."""
    count = 0
    with Output(path) as out:
        for tree in trees:
            out.write_text(format_conllx(tree, columns=columns))
            count += 1
    return count


def _ranks(order: tuple[int, ...]) -> list[int]:
    ranks = [0] * len(order)
    for rank, word in enumerate(order, 1):
        ranks[word] = rank
    return ranks


def _ranked(misc: tuple[str, ...], ranks: list[int]) -> tuple[str, ...]:
    return tuple(
        ORDER.sub(lambda match: match[0].split("=")[0] + f"={rank}", value, count=1)  # noqa: B023 - used at once
        if ORDER.search(value)
        else f"Order={rank}"
        if value == UNKNOWN
        else f"{value}|Order={rank}"
        for value, rank in zip(misc, ranks, strict=True)
    )


def _unranked(misc: tuple[str, ...]) -> tuple[str, ...]:
    """Without ranks that were read: the tree's own order is what counts."""
    if not any("Order=" in value for value in misc):
        return misc
    return tuple(ORDER.sub("", value, count=1).lstrip("|") or UNKNOWN for value in misc)


def _check(tree: Tree, lines: list[str], columns: int) -> None:
    text = "\n".join(lines)
    if text.count("\t") != (columns - 1) * len(lines) or text.count("\n") != len(lines) - 1 or "\r" in text:
        word = next(
            n for n, line in enumerate(lines) if line.count("\t") != columns - 1 or "\n" in line or "\r" in line
        )
        raise InputError(f"word {word + 1} has a tab or a line break in a column: {tree.forms[word]!r}")
    if "" in tree.forms:
        raise InputError(f"word {tree.forms.index('') + 1} has no form", hint='write "_" if it is unknown')
