"""How good constituency trees are: labelled brackets, as evalb counts them with the conventions of Collins (1997)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.syntax.penn import Constituent

ROOTS = frozenset({"TOP", "ROOT", "S1", "VROOT", ""})
PUNCTUATION = frozenset({",", ":", "``", "''", "."})
SAME = {"PRT": "ADVP"}
EMPTY = "-NONE-"

Bracket = tuple[str, int, int]


@dataclass(frozen=True)
class ConstituentScores:
    """Agreement of trees with gold trees, in percent.

    Attributes:
        sentences: Sentences compared.
        precision: Brackets of the parse that are in the gold trees.
        recall: Brackets of the gold trees that are in the parse.
        f1: Their harmonic mean.
        complete: Sentences with all brackets right.
        crossing: Brackets of the parse a sentence that cross one of the gold tree.
        no_crossing: Sentences without such a bracket.
        tags: Words with the right tag.
        functions: Brackets that are right whose function tags are right too, the order aside; 0 if no gold tree has one.
    """

    sentences: int
    precision: float
    recall: float
    f1: float
    complete: float
    crossing: float
    no_crossing: float
    tags: float
    functions: float


def bracket_counts(gold: Constituent, parsed: Constituent) -> tuple[int, int, int]:
    """What `score_constituents` counts of one sentence: brackets that are right, of the parse, and of the gold tree.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> bracket_counts(parse_penn("(S (NP (PRP I)) (VP (VBD left)))"), parse_penn("(S (NP (PRP I)) (NP (VBD left)))"))
        (2, 3, 3)
    """
    counted = [leaf.label not in PUNCTUATION for leaf in gold.leaves() if leaf.label != EMPTY]
    if len(counted) != sum(leaf.label != EMPTY for leaf in parsed.leaves()):
        raise InputError("the trees have different words", hint="parse the words of the gold trees")
    best, have = _spans(gold, counted)[0], _spans(parsed, counted)[0]
    return (best & have).total(), have.total(), best.total()


def brackets(tree: Constituent) -> Counter[Bracket]:
    """The labelled brackets of a tree, as they are compared but over all its words: label, first word, word after the last."""
    return _spans(tree, [True] * sum(leaf.label != EMPTY for leaf in tree.leaves()))[0]


def evalb_label(label: str) -> str:
    """What a bracket is called when it is compared; nothing for roots, which are not.

    Example:
        >>> evalb_label("NP-SBJ-1"), evalb_label("PRT"), evalb_label("ROOT")
        ('NP', 'ADVP', '')
    """
    category = _category(label)
    return "" if category in ROOTS else SAME.get(category, category)


def _category(label: str) -> str:
    return label if label.startswith("-") else label.partition("-")[0].partition("=")[0]


def score_constituents(gold: Iterable[Constituent], parsed: Iterable[Constituent]) -> ConstituentScores:
    """Compare trees over the same words, as evalb does with COLLINS.prm.

    Before anything is counted, empty nodes, words that have a punctuation tag in the gold tree (``, : `` '' .``) and roots
    (TOP, ROOT, S1, VROOT) are taken away; function tags and indices do not matter; PRT is the same as ADVP. Sentences of
    any length are compared.

    Raises:
        InputError: The two have different sentences.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> gold = parse_penn("(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN in) (NP (NN space))))) (. .))")
        >>> other = parse_penn("(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN in) (NP (NN space)))) (. .))")
        >>> found = score_constituents([gold], [other])
        >>> round(found.precision), round(found.recall, 1), found.tags
        (100, 85.7, 100.0)
    """
    sentences = right = made = wanted = complete = crossing = clean = words = tags = 0
    labelled = functional = 0
    for number, (one, two) in enumerate(zip_longest(gold, parsed), 1):
        if one is None or two is None:
            raise InputError(f"one of the two has only {number - 1} sentences")
        leaves = [leaf for leaf in one.leaves() if leaf.label != EMPTY]
        others = [leaf for leaf in two.leaves() if leaf.label != EMPTY]
        if [leaf.word for leaf in leaves] != [leaf.word for leaf in others]:
            raise InputError(f"the words of sentence {number} differ", hint="parse the words of the gold trees")
        sentences += 1
        counted = [leaf.label not in PUNCTUATION for leaf in leaves]
        best, kinds = _spans(one, counted)
        have, have_kinds = _spans(two, counted)
        same = best & have
        right += same.total()
        made += have.total()
        wanted += best.total()
        complete += best == have
        crossed = sum(_crosses(bracket, best) * times for bracket, times in have.items())
        crossing += crossed
        clean += not crossed
        words += sum(counted)
        tags += sum(a.label == b.label for a, b, count in zip(leaves, others, counted, strict=True) if count)
        labelled += sum(1 for bracket in same for kind in kinds[bracket] if kind)
        functional += sum(1 for bracket in same for kind in kinds[bracket] if kind and kind in have_kinds[bracket])
    if not sentences:
        raise InputError("there are no sentences to compare")
    precision, recall = 100 * right / max(made, 1), 100 * right / max(wanted, 1)
    return ConstituentScores(
        sentences,
        precision,
        recall,
        2 * precision * recall / (precision + recall) if right else 0.0,
        100 * complete / sentences,
        crossing / sentences,
        100 * clean / sentences,
        100 * tags / max(words, 1),
        100 * functional / max(labelled, 1),
    )


def _spans(tree: Constituent, counted: list[bool]) -> tuple[Counter[Bracket], dict[Bracket, set[frozenset[str]]]]:
    """The brackets over the words that count."""
    found: Counter[Bracket] = Counter()
    kinds: dict[Bracket, set[frozenset[str]]] = {}
    at = words = 0
    stack: list[tuple[Constituent, int]] = [(tree, -1)]
    while stack:
        node, begin = stack.pop()
        if begin >= 0:
            label = evalb_label(node.label)
            if begin < words and label:
                bracket = (label, begin, words)
                found[bracket] += 1
                functions = node.function.partition("=")[0].split("-")
                kinds.setdefault(bracket, set()).add(
                    frozenset(part for part in functions if part and not part.isdigit())
                )
        elif node.word:
            if node.label != EMPTY:
                words += counted[at]
                at += 1
        else:
            stack.append((node, words))
            stack.extend((child, -1) for child in reversed(node.children))
    return found, kinds


def _crosses(bracket: Bracket, others: Iterable[Bracket]) -> bool:
    _, begin, end = bracket
    return any(a < begin < b < end or begin < a < end < b for _, a, b in others)
