"""Noun phrases of dependency trees (CoNLL-U), and what their verbs say about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.syntax import Constituent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tolka.syntax import Tree

NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM"})
BE = frozenset({"be", "être", "essere", "sein", "ser", "estar"})
"""Auxiliaries whose participles agree with the subject."""
CLAUSAL = frozenset({"nsubj", "csubj", "expl", "cop", "aux", "mark", "parataxis", "discourse"})
"""Dependents that a noun has as the predicate of a clause: they are no part of its phrase."""


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase of a dependency tree.

    Attributes:
        word: The word it is of, counted from 0.
        words: All of its words, in order, without punctuation.
        tree: What `phrase_tree` makes of it.
    """

    word: int
    words: tuple[int, ...]
    tree: Constituent


def phrase_tree(tree: Tree, word: int) -> Constituent:
    """The phrase of a word, without punctuation, as a tree of rules: NP -> relations of dependents and the word's own tag.

    Phrases and words are called by their relations, without subtypes; the word that a phrase is of, by its tag. The
    features of words are functions: "det-Definite=Def|Number=Sing".

    Args:
        tree: The sentence.
        word: The word, counted from 0.

    Example:
        >>> from tolka.syntax import Tree
        >>> tree = Tree(forms=("les", "chats"), heads=(2, 0), deprels=("det", "root"), upos=("DET", "NOUN"),
        ...             feats=("Number=Plur", "Number=Plur"))
        >>> print(phrase_tree(tree, 1))
        (NP (det-Number=Plur les) (NOUN-Number=Plur chats))
    """
    return _phrase(tree, word, _dependents(tree)).tree


def _dependents(tree: Tree) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in tree.heads]
    for other, head in enumerate(tree.heads):
        if head and _plain(tree.deprels[other]) != "punct":
            found[head - 1].append(other)
    return found


def _phrase(tree: Tree, word: int, dependents: Sequence[Sequence[int]]) -> NounPhrase:
    # The conjunction before a conjunct joins it to others: "and dogs" is the phrase "dogs".
    outside = CLAUSAL | {"cc"} if _plain(tree.deprels[word]) == "conj" else CLAUSAL
    inside = [other for other in dependents[word] if _plain(tree.deprels[other]) not in outside]
    order = [word]  # From above; every word stands after its head.
    for found in order:
        order.extend(inside if found == word else dependents[found])
    done: dict[int, Constituent] = {}
    for found in reversed(order):
        top = found == word
        below = inside if top else dependents[found]
        relation = "NP" if top else _plain(tree.deprels[found])
        if not below and not top:
            done[found] = _leaf(tree, found, relation)
            continue
        parts = sorted([*below, found])
        children = [_leaf(tree, part, tree.upos[part]) if part == found else done.pop(part) for part in parts]
        done[found] = Constituent(relation, tuple(children))
    return NounPhrase(word, tuple(sorted(order)), done[word])


def _plain(relation: str) -> str:
    return relation.partition(":")[0] or "_"


def _leaf(tree: Tree, word: int, label: str) -> Constituent:
    feats = tree.feats[word]
    return Constituent(label if feats == "_" else f"{label}-{feats}", word=tree.forms[word])


def noun_phrases(tree: Tree) -> Iterator[NounPhrase]:
    """The phrases of nouns, names, pronouns and numerals, in the order of these."""
    dependents = _dependents(tree)
    for word, tag in enumerate(tree.upos):
        if tag in NOMINAL:
            yield _phrase(tree, word, dependents)


def agreement(
    trees: Iterable[Tree], feature: str, values: Collection[str], *, auxiliaries: Collection[str] = BE
) -> Iterator[tuple[Constituent, str]]:
    """Subjects of dependency trees with the value that their verbs show.

    Number and person are asked of the finite verb: the first auxiliary or copula, or the predicate itself. Gender is asked
    of participles, if they are passive or with one of the `auxiliaries`. A verb without the value, or with several, says
    nothing. Finite verbs that show gender are asked as they are.

    Args:
        trees: The sentences.
        feature: The name of the feature, "Number".
        values: Its values, as LeafTable has them.
        auxiliaries: Lemmas of auxiliaries whose participles agree with subjects.

    Example:
        >>> from tolka.syntax import Tree
        >>> tree = Tree(forms=("Anna", "singt"), heads=(2, 0), deprels=("nsubj", "root"), upos=("PROPN", "VERB"),
        ...             feats=("_", "Number=Sing|VerbForm=Fin"))
        >>> [(str(phrase), value) for phrase, value in agreement([tree], "Number", ("sing", "plur"))]
        [('(NP (PROPN Anna))', 'sing')]
    """
    if not values:
        raise SettingsError("there are no values to look for", hint='name them: ("sing", "plur")')
    for tree in trees:
        for word, relation in enumerate(tree.deprels):
            if _plain(relation) == "nsubj" and tree.heads[word] and tree.upos[word] in NOMINAL:
                value = _shown(tree, tree.heads[word] - 1, feature, auxiliaries)
                if value in values:
                    yield phrase_tree(tree, word), value


def _shown(tree: Tree, predicate: int, feature: str, auxiliaries: Collection[str]) -> str:
    """What the verb of a predicate says, or nothing."""
    helpers = [
        other
        for other, head in enumerate(tree.heads)
        if head == predicate + 1 and _plain(tree.deprels[other]) in {"aux", "cop"}
    ]
    finite = next((verb for verb in (*helpers, predicate) if _feat(tree, verb, "VerbForm") == "fin"), None)
    if finite is not None and (value := _feat(tree, finite, feature)):
        return value
    agrees = any(tree.deprels[other] == "aux:pass" or tree.lemmas[other] in auxiliaries for other in helpers)
    if feature.casefold() == "gender" and agrees and _feat(tree, predicate, "VerbForm") == "part":
        return _feat(tree, predicate, feature)
    return ""


def _feat(tree: Tree, word: int, feature: str) -> str:
    for pair in tree.feats[word].split("|"):
        name, _, value = pair.partition("=")
        if name.casefold() == feature.casefold():
            return value.casefold()
    return ""
