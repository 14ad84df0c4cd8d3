"""Noun phrases of dependency trees (CoNLL-U), and what their verbs say about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.syntax import Constituent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from tolka.syntax import Tree

NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM"})
BE = frozenset({"be", "être", "essere", "sein", "ser", "estar"})
"""Auxiliaries whose participles agree with the subject."""


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
    dependents: list[list[int]] = [[] for _ in tree.heads]
    for other, head in enumerate(tree.heads):
        if head and _plain(tree.deprels[other]) != "punct":
            dependents[head - 1].append(other)
    order = [word]  # From above; every word stands after its head.
    for found in order:
        order.extend(dependents[found])
    done: dict[int, Constituent] = {}
    for found in reversed(order):
        relation = "NP" if found == word else _plain(tree.deprels[found])
        if not dependents[found]:
            leaf = _leaf(tree, found, tree.upos[found] if found == word else relation)
            done[found] = Constituent("NP", (leaf,)) if found == word else leaf
            continue
        parts = [*dependents[found], found]
        children = tuple(
            _leaf(tree, part, tree.upos[part]) if part == found else done.pop(part) for part in sorted(parts)
        )
        done[found] = Constituent(relation, children)
    return done[word]


def _plain(relation: str) -> str:
    return relation.partition(":")[0] or "_"


def _leaf(tree: Tree, word: int, label: str) -> Constituent:
    feats = tree.feats[word]
    return Constituent(label if feats == "_" else f"{label}-{feats}", word=tree.forms[word])


def noun_phrases(tree: Tree) -> Iterator[tuple[int, Constituent]]:
    """Each noun or pronoun, counted from 0, with its phrase."""
    for word, tag in enumerate(tree.upos):
        if tag in NOMINAL:
            yield word, phrase_tree(tree, word)


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
