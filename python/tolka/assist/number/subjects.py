"""Labels for free: subjects agree with verbs, so a verb that shows number or gender labels its subject (Mohammad 2012, 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.assist.number.leaves import LeafTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tolka.syntax import Constituent

SUBJECT = "SBJ"
NOUN_PHRASES = frozenset({"NP", "NPB"})
OF_TAGS = {"VBZ": "sing", "VBP": "plur"}
OF_FORMS = {"was": "sing", "were": "plur"}
PERSONS = frozenset({"i", "you", "thou", "ye"})
"""Words of the first and second person whose verbs say nothing about number: "I am", "you are"."""


def english_agreement(
    trees: Iterable[Constituent], *, persons: bool = True, past: bool = False
) -> Iterator[tuple[Constituent, str]]:
    """Subjects (NP-SBJ) of Penn trees with the number that the first verb of their predicates shows.

    VBZ makes a singular, VBP a plural; a subject with any other verb is left out. In a question the verb before the subject
    is asked.

    Args:
        trees: Trees with function tags.
        persons: Take *I* and *you* as subjects, which makes *I* a plural, as the thesis must have; or leave them out.
        past: Learn from *was* and *were*, too.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> tree = "(S (NP-SBJ (DT The) (NNS dogs)) (VP (VBP bark)))"
        >>> [(phrase.words(), number) for phrase, number in english_agreement([parse_penn(tree)])]
        [(['The', 'dogs'], 'plur')]
    """
    for tree in trees:
        for subject, verb, _ in subjects(tree):
            number = OF_TAGS.get(verb.label)
            if number is None and past and verb.label == "VBD":
                number = OF_FORMS.get(verb.word.casefold())
            if number and (persons or not _is_person(subject)):
                yield subject, number


def _is_person(subject: Constituent) -> bool:
    words = subject.words()
    return len(words) == 1 and words[0].casefold() in PERSONS


def arabic_agreement(trees: Iterable[Constituent], feature: str) -> Iterator[tuple[Constituent, str]]:
    """Subjects of trees as the Penn Arabic Treebank has them, with the gender or number that their verbs show.

    A verb before its subject agrees with it in gender only, so that it says nothing about number.

    Args:
        trees: Trees with function tags.
        feature: "gender" or "number".
    """
    table = LeafTable.arabic_verbs(feature)
    for tree in trees:
        for subject, verb, before in subjects(tree, verbs=table):
            value = table.value(verb.label)
            if value and not (before and feature == "number"):
                yield subject, value


def subjects(tree: Constituent, verbs: LeafTable | None = None) -> Iterator[tuple[Constituent, Constituent, bool]]:
    """Each subject of a tree, its verb, and whether the verb stands before it.

    The verb is the nearest one before the subject in the same phrase, or else the first one after it: a verb there, or the
    first in a verb phrase. With `verbs`, any word is one whose tag the table knows.
    """
    stack = [tree]
    while stack:
        node = stack.pop()
        stack.extend(reversed(node.children))
        for place, child in enumerate(node.children):
            if child.category in NOUN_PHRASES and SUBJECT in child.function.split("-") and not child.word:
                for other in reversed(node.children[:place]):
                    if _is_verb(other, verbs):
                        yield child, other, True
                        break
                else:
                    verb = next(filter(None, (_first(other, verbs) for other in node.children[place + 1 :])), None)
                    if verb:
                        yield child, verb, False


def _first(node: Constituent, verbs: LeafTable | None) -> Constituent | None:
    if node.category != "VP" and not node.word:
        return None
    return next((leaf for leaf in node.leaves() if _is_verb(leaf, verbs)), None)


def _is_verb(node: Constituent, verbs: LeafTable | None) -> bool:
    if not node.word:
        return False
    if verbs is None:
        return node.label.startswith("VB") or node.label == "MD"
    return any(part in verbs.tags for part in node.label.split(verbs.join or None))
