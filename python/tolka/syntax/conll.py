"""Reading CoNLL-U and CoNLL-X: one word a line, an empty line after each sentence, columns apart by tabs.

The two formats share their columns (the last two mean different things), so one reader serves both. CoNLL-U has comments,
multiword tokens and empty nodes; CoNLL-X has none of them, and 8 or 10 columns.

A permutation travels with the words as 1-based ranks ("this word becomes the third"): in CoNLL-U as `Order=3` in MISC,
where every tool leaves it alone; in CoNLL-X as one column more, the 9th or the 11th.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError, LimitError
from tolka.limits import DEFAULT
from tolka.syntax.tree import UNKNOWN, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from tolka.limits import Limits

FULL, SHORT = 10, 8  # columns
ORDER = re.compile(r"(?:^|\|)Order=([0-9]+)(?=\||$)")
RANGE = re.compile(r"([1-9][0-9]*)-([1-9][0-9]*)")
EMPTY = re.compile(r"(0|[1-9][0-9]*)\.([1-9][0-9]*)")
SPARE_LINES = 1000  # comments, multiword tokens and empty nodes a sentence may have beside its words


def read_conllu(path: str | PathLike[str], *, one_root: bool = False, limits: Limits = DEFAULT) -> Iterator[Tree]:
    r"""Read the trees of a CoNLL-U file one after the other.

    Args:
        path: The file, plain or compressed; "-" is standard input.
        one_root: Refuse sentences with several roots; otherwise they are forests.
        limits: Caps on the file, on its lines and on the words of a sentence.

    Raises:
        FormatError: The file is malformed; says the line.
        LimitError: A sentence is too long.

    Example:
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
        >>> rows = "1\ter\t_\tPRON\tPPER\t_\t2\tnsubj\t_\t_\n2\tliest\t_\tVERB\tVVFIN\t_\t0\troot\t_\t_\n\n"
        >>> _ = path.write_text("# text = er liest\n" + rows, encoding="utf-8")
        >>> [tree] = read_conllu(path)
        >>> tree.forms, tree.heads, tree.comments
        (('er', 'liest'), (2, 0), ('# text = er liest',))
    """
    return _Reader(path, {FULL}, extras=True, one_root=one_root, limits=limits).trees()


def read_conllx(path: str | PathLike[str], *, one_root: bool = False, limits: Limits = DEFAULT) -> Iterator[Tree]:
    """Read the trees of a CoNLL-X file: 8 or 10 columns, or one more with the rank of each word in a permutation.

    The arguments and errors are those of `read_conllu`.
    """
    return _Reader(path, {SHORT, SHORT + 1, FULL, FULL + 1}, extras=False, one_root=one_root, limits=limits).trees()


def read_conll(path: str | PathLike[str], *, one_root: bool = False, limits: Limits = DEFAULT) -> Iterator[Tree]:
    """Read the trees of a CoNLL-U or CoNLL-X file, whichever it is; arguments and errors as for `read_conllu`."""
    return _Reader(path, {SHORT, SHORT + 1, FULL, FULL + 1}, extras=True, one_root=one_root, limits=limits).trees()


class _Reader:
    def __init__(
        self, path: str | PathLike[str], widths: set[int], *, extras: bool, one_root: bool, limits: Limits
    ) -> None:
        self.lines = read_lines(path, limits=limits)
        self.widths = widths
        self.extras = extras
        self.one_root = one_root
        self.longest = limits.sentence_tokens
        self.first = 1  # The line on which the sentence at hand begins.
        self.ids: tuple[str, ...] = ()
        self.numbers: dict[str, int] = {"0": 0}

    def trees(self) -> Iterator[Tree]:
        """The sentences in order."""
        most = self.longest + SPARE_LINES
        block: list[str] = []
        number = 0
        for number, line in enumerate(self.lines, 1):
            if line:
                block.append(line)
                if len(block) > most:
                    self._too_long()
            else:
                if block:
                    yield self._tree(block)
                    block = []
                self.first = number + 1
        if block:
            yield self._tree(block)

    def _fail(self, what: str, row: int = 0, hint: str = "") -> NoReturn:
        raise FormatError(what, path=self.lines.name, line=self.first + row, hint=hint)

    def _too_long(self) -> NoReturn:
        raise LimitError(
            f"a sentence has more than {self.longest} words",
            path=self.lines.name,
            line=self.first,
            hint="does the file have an empty line after each sentence? if so, raise limits.sentence_tokens",
        )

    def _tree(self, block: list[str]) -> Tree:
        start = 0
        while start < len(block) and block[start][0] == "#":
            start += 1
        words = block[start:]
        if not words:
            self._fail("comments stand alone, without a sentence", hint="take away the empty line after them")
        rows = [line.split("\t") for line in words]
        width = len(rows[0])
        if width not in self.widths or any(len(row) != width for row in rows):
            self._complain_of_columns(rows, start)
        ids = self._ids(len(rows))
        others: tuple[tuple[int, str], ...] = ()
        columns = list(zip(*rows, strict=True))
        if columns[0] != ids:
            rows, others = self._without_extras(rows, words, start)
            columns = list(zip(*rows, strict=True))
        length = len(rows)
        if length > self.longest:
            self._too_long()
        if "" in columns[1]:
            self._fail(
                "a word has no form", start + self._line_of(columns[1].index(""), others), 'write "_" if it is unknown'
            )
        heads = self._heads(columns[6], start, others)
        deps, misc = columns[8:10] if width >= FULL else ((UNKNOWN,) * length,) * 2
        order = self._order(columns[-1] if width in {SHORT + 1, FULL + 1} else None, misc, start)
        try:
            tree = Tree(
                forms=columns[1],
                lemmas=columns[2],
                upos=columns[3],
                xpos=columns[4],
                feats=columns[5],
                heads=heads,
                deprels=columns[7],
                deps=deps,
                misc=misc,
                order=order,
                comments=tuple(block[:start]),
                others=others,
            )
        except InputError as error:
            self._fail(error.what, start)
        if self.one_root and heads.count(0) != 1:
            self._fail(f"a sentence has {heads.count(0)} roots instead of one", start)
        return tree

    def _ids(self, length: int) -> tuple[str, ...]:
        if length > len(self.ids):
            self.ids = tuple(map(str, range(1, 2 * length + 1)))
            self.numbers = {value: number for number, value in enumerate(("0", *self.ids))}
        return self.ids[:length]

    def _complain_of_columns(self, rows: list[list[str]], start: int) -> NoReturn:
        for number, row in enumerate(rows):
            if row[0][:1] == "#" and len(row) not in self.widths:
                self._fail("a comment stands between words", start + number, "put it before the sentence")
            if len(row) not in self.widths or len(row) != len(rows[0]):
                wanted = len(rows[0]) if len(rows[0]) in self.widths else None
                names = str(wanted) if wanted else " or ".join(map(str, sorted(self.widths)))
                hint = (
                    "columns are separated by tabs" if len(row) == 1 else "is a line broken or an empty line missing?"
                )
                self._fail(f"a line has {len(row)} columns instead of {names}", start + number, hint)
        raise AssertionError("no row is to blame")

    def _without_extras(
        self, rows: list[list[str]], words: list[str], start: int
    ) -> tuple[list[list[str]], tuple[tuple[int, str], ...]]:
        """Set multiword tokens and empty nodes aside; any other id out of turn is an error."""
        kept: list[list[str]] = []
        others: list[tuple[int, str]] = []
        covered, last_empty = 0, (0, 0)
        for number, (row, line) in enumerate(zip(rows, words, strict=True)):
            name, before = row[0], len(kept)
            if name == str(before + 1):
                kept.append(row)
                continue
            span, node = RANGE.fullmatch(name), EMPTY.fullmatch(name)
            if (span or node) and not self.extras:
                self._fail(f"CoNLL-X has no id {name!r}", start + number, "read the file as CoNLL-U")
            if span and int(span[1]) == before + 1 > covered and int(span[2]) > before:
                covered = int(span[2])
            elif node and int(node[1]) == before and int(node[2]) == 1 + last_empty[1] * (last_empty[0] == before):
                last_empty = (before, int(node[2]))
            else:
                self._fail(f"the id is {name!r} where word {before + 1} should stand", start + number)
            others.append((before, line))
        if not kept:
            self._fail("a sentence has no words", start)
        if covered > len(kept):
            self._fail(f"a multiword token ends at word {covered} of {len(kept)}", start)
        return kept, tuple(others)

    @staticmethod
    def _line_of(word: int, others: Sequence[tuple[int, str]]) -> int:
        return word + sum(before <= word for before, _ in others)

    def _heads(self, column: tuple[str, ...], start: int, others: Sequence[tuple[int, str]]) -> tuple[int, ...]:
        numbers = self.numbers
        try:
            heads = tuple([numbers[head] for head in column])
        except KeyError:
            heads = (-1,)
        length = len(column)
        if max(heads) <= length and heads[0] >= 0:
            return heads
        for word, head in enumerate(column):
            if numbers.get(head, length + 1) > length:
                hint = (
                    "the file is not parsed: parse it first" if head == UNKNOWN else "heads count from 1, 0 is a root"
                )
                self._fail(f"word {word + 1} of {length} has head {head!r}", start + self._line_of(word, others), hint)
        raise AssertionError("no head is to blame")

    def _order(self, ranks: tuple[str, ...] | None, misc: tuple[str, ...], start: int) -> tuple[int, ...] | None:
        if ranks is None:
            if "Order=" not in misc[0]:  # Nearly always; a word without one among words with one is caught below.
                if any(ORDER.search(value) for value in misc if "Order=" in value):
                    self._fail("some words have an order and others none", start)
                return None
            found = [ORDER.search(value) for value in misc]
            if not found[0]:
                return None
            ranks = tuple(match[1] if match else UNKNOWN for match in found)
        elif set(ranks) == {UNKNOWN}:
            return None
        places = [self.numbers.get(rank, 0) for rank in ranks]
        length = len(places)
        order = [-1] * length
        for word, place in enumerate(places):
            if 1 <= place <= length:
                order[place - 1] = word
        if -1 in order:
            self._fail(f"the ranks of the words are no permutation of 1 to {length}", start)
        return tuple(order)
