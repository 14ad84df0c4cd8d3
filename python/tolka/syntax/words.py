"""Words as the Penn Treebank has them, for text that was cut by tokenisers of translation."""

from __future__ import annotations

from functools import cache
from html import unescape
from importlib import resources
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.syntax.marks import rebuilt
from tolka.syntax.penn import Constituent

if TYPE_CHECKING:
    from collections.abc import Sequence


@cache
def _rules() -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    text = resources.files("tolka.syntax").joinpath("penn.words").read_text(encoding="utf-8")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {line[0]: (line[1], line[2]) for line in lines if len(line) > 2}, {  # noqa: PLR2004 - two kinds of rules
        line[0]: line[1]
        for line in lines
        if len(line) == 2  # noqa: PLR2004 - two kinds of rules
    }


def penn_words(tokens: Sequence[str]) -> list[str]:
    """As many words as there are tokens, written and cut as in the Penn Treebank as far as that goes.

    Entities of the tokeniser become the characters they stand for, and letters that belong to the next word go over to it.
    Parse these, and put the tokens back with `with_words`.

    Example:
        >>> penn_words(["they", "don", "&apos;t", "&quot;", "know", "&quot;"])
        ['they', 'do', "n't", '"', 'know', '"']
    """
    after, others = _rules()
    found = [unescape(token) or token for token in tokens]
    for place, word in enumerate(found):
        ending, becomes = after.get(word, ("", ""))
        if ending and place and found[place - 1].endswith(ending) and found[place - 1] != ending:
            found[place - 1] = found[place - 1].removesuffix(ending)
            found[place] = becomes
        else:
            found[place] = others.get(word, word)
    return found


def with_words(tree: Constituent, words: Sequence[str]) -> Constituent:
    """The same tree over other words, as many of them.

    Raises:
        InputError: There are more or fewer words.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> str(with_words(parse_penn("(S (NP (PRP I)) (VP (VBD left)))"), ["we", "stayed"]))
        '(S (NP (PRP we)) (VP (VBD stayed)))'
    """
    if len(tree.leaves()) != len(words):
        raise InputError(f"the tree has {len(tree.leaves())} words, not {len(words)}")
    remaining = iter(words)

    def change(node: Constituent, children: list[Constituent]) -> Constituent:
        return Constituent(node.label, tuple(children), next(remaining) if node.word else "")

    return rebuilt(tree, change) or tree
