"""One sentence with its dependency tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN = "_"
"""What CoNLL files write where nothing is known."""

COLUMNS = ("forms", "lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The words of a sentence, what is known of each, and the word each depends on.

    Columns that are not given are filled with "_". A sentence may have several roots (a forest), as analysts of real
    text sometimes leave it; whoever needs one tree puts a silent root above them.

    Attributes:
        forms: The words.
        heads: For each word the head's number, counted from 1 as in CoNLL files; 0 for a root.
        deprels: Relation to the head.
        lemmas: Dictionary forms.
        upos: Universal (coarse) tags.
        xpos: Tags of the language's own tag set.
        feats: Morphology, "Case=Nom|Number=Sing".
        deps: Enhanced dependencies (CoNLL-U) or projective head and relation (CoNLL-X), as they are.
        misc: Anything else.
        order: A permutation of the words, if one is known: positions in the sentence, counted from 0, in the new order.
        comments: Comment lines of the file, without their line ends.
        others: Lines of CoNLL-U that are no words (multiword tokens, empty nodes), each with the number of words before it.

    Raises:
        InputError: Columns differ in length, a head is outside the sentence, heads run in a circle, or `order` is no
            permutation.

    Example:
        >>> tree = Tree(forms=("er", "liest"), heads=(2, 0), deprels=("nsubj", "root"))
        >>> len(tree), tree.roots, tree.xpos
        (2, (1,), ('_', '_'))
    """

    forms: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    deps: tuple[str, ...] = ()
    misc: tuple[str, ...] = ()
    order: tuple[int, ...] | None = None
    comments: tuple[str, ...] = ()
    others: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        length = len(self.forms)
        if not length:
            raise InputError("a tree has no words", hint="leave empty sentences out")
        for name in COLUMNS:
            values = getattr(self, name)
            if not values:
                object.__setattr__(self, name, (UNKNOWN,) * length)
            elif len(values) != length:
                raise InputError(f"a tree of {length} words has {len(values)} {name}")
        if len(self.heads) != length:
            raise InputError(f"a tree of {length} words has {len(self.heads)} heads")
        check_heads(self.heads)
        if self.order is not None and sorted(self.order) != list(range(length)):
            raise InputError(f"the order of a tree of {length} words is no permutation of 0 to {length - 1}")

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def roots(self) -> tuple[int, ...]:
        """The words without a head, counted from 0."""
        return tuple(word for word, head in enumerate(self.heads) if not head)

    def _repr_svg_(self) -> str:
        """Notebooks show a tree as its drawing."""
        from tolka.syntax.draw import draw_tree  # noqa: PLC0415 - drawings stand on trees

        return draw_tree(self)


def check_heads(heads: Sequence[int]) -> None:
    """Raise `InputError` unless every word reaches a root; heads count from 1, with 0 for a root.

    Example:
        >>> check_heads((2, 1))
        Traceback (most recent call last):
        ...
        tolka.errors.InputError: the heads of word 1 run in a circle and never reach a root
    """
    length = len(heads)
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= length:
            raise InputError(f"word {word} of {length} has head {head}")
    seen = [0] * (length + 1)  # The walk on which a word was first met.
    for start in range(1, length + 1):
        word = start
        while word and not seen[word]:
            seen[word] = start
            word = heads[word - 1]
        if word and seen[word] == start:
            raise InputError(f"the heads of word {start} run in a circle and never reach a root")
