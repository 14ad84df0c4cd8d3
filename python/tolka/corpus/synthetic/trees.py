"""Trees as files hold them: CoNLL-U, Penn brackets, and the synchronous tree as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tolka.corpus.synthetic.derivation import SLOTS
from tolka.corpus.synthetic.words import Phrase, Word, capitalised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.corpus.synthetic.derivation import Node


def written(word: Word) -> str:
    """The form as it stands in the sentence."""
    return capitalised(word.form) if word.index == 0 else word.form


def conllu(words: list[Word]) -> str:
    """The ten columns of CoNLL-U, one word a line, without comments and without the closing empty line."""
    rows = []
    for word in words:
        head = word.head.index + 1 if word.head is not None else 0
        form = written(word)
        rows.append(f"{word.index + 1}\t{form}\t{word.lemma}\t{word.upos}\t_\t_\t{head}\t{word.relation}\t_\t_")
    return "\n".join(rows)


def heads(words: list[Word]) -> list[int]:
    """For each word the position of its head; -1 for the root."""
    return [word.head.index if word.head is not None else -1 for word in words]


def projective(head: list[int]) -> bool:
    """Whether no two arcs cross and none spans the root."""
    for child, parent in enumerate(head):
        if parent < 0:
            continue
        low, high = (child, parent) if child < parent else (parent, child)
        for between in range(low + 1, high):
            if not low <= head[between] <= high:
                return False
    return True


def penn(phrase: Phrase | Word) -> str:
    """Penn brackets on one line; words that were not written leave no trace."""
    if isinstance(phrase, Word):
        return f"({phrase.upos} {written(phrase)})" if phrase.index >= 0 else ""
    inside = " ".join(filter(None, (penn(part) for part in phrase.parts)))
    return f"({phrase.label} {inside})" if inside else ""


def synchronous(top: Node, lines: Mapping[str, list[Word]]) -> dict[str, Any]:
    """The derivation with the words each node covers in each language.

    A span is a list of `[start, end)` pairs: more than one where a language tears a constituent apart.
    """
    own: dict[str, dict[int, list[int]]] = {}
    for language, words in lines.items():
        places: dict[int, list[int]] = {}
        for word in words:
            places.setdefault(word.node.id, []).append(word.index)
        own[language] = places
    tree, _ = _spanned(top, own)
    return tree


def _spanned(node: Node, own: dict[str, dict[int, list[int]]]) -> tuple[dict[str, Any], dict[str, list[int]]]:
    covered = {language: list(places.get(node.id, ())) for language, places in own.items()}
    below = []
    for child in node.children():
        tree, inside = _spanned(child, own)
        below.append(tree)
        for language, positions in inside.items():
            covered[language] += positions
    spans = {language: _ranges(positions) for language, positions in covered.items()}
    return {
        "id": node.id // SLOTS,
        "label": node.label,
        "says": node.gloss(),
        "spans": spans,
        "children": below,
    }, covered


def _ranges(positions: list[int]) -> list[list[int]]:
    ranges: list[list[int]] = []
    for position in sorted(positions):
        if ranges and ranges[-1][1] == position:
            ranges[-1][1] = position + 1
        else:
            ranges.append([position, position + 1])
    return ranges
