"""A treebank whose truth is known: German trees, English sentences, gold links and the gold order.

The sentences are those of `tolka.corpus.synthetic` (verb second, verb last, separable verbs, extraposed relative clauses,
lifted objects), so some trees are non-projective. Relations are those of Universal Dependencies, language-specific tags
those of STTS (Schiller, Teufel, Stöckert and Thielen, 1999), as in real German treebanks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tolka.corpus.synthetic import Synthetic
from tolka.errors import SettingsError
from tolka.syntax.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MODALS = frozenset({"dürfen", "können", "mögen", "müssen", "sollen", "wollen"})
CONTRACTED = frozenset({"am", "ans", "beim", "im", "ins", "vom", "zum", "zur"})
MARKS = {",": "$,", ".": "$.", "?": "$.", "!": "$."}
DETERMINERS = {"dieser": "PDAT", "kein": "PIAT", "jeder": "PIAT", "jeden": "PIAT", "viel": "PIAT"} | dict.fromkeys(
    ("der", "die", "das", "dem", "den", "ein", "einer"), "ART"
)
PRONOUNS = {"der": "PRELS", "wer": "PWS", "was": "PWS", "welcher": "PWS", "sich": "PRF", "man": "PIS"}
PLAIN = {
    "NOUN": "NN",
    "PROPN": "NE",
    "ADV": "ADV",
    "SCONJ": "KOUS",
    "CCONJ": "KON",
    "NUM": "CARD",
    "INTJ": "ITJ",
    "X": "XY",
}
PARTICLES = {"nicht": "PTKNEG", "zu": "PTKZU"}


@dataclass(frozen=True)
class SyntheticTreebank:
    """Parsed German beside English; sentence n of each part belongs to the others' sentence n.

    Attributes:
        trees: The German sentences, each with its gold order.
        targets: The English sentences, as tokens.
        links: Gold links, source and target positions from 0.
    """

    trees: tuple[Tree, ...]
    targets: tuple[tuple[str, ...], ...]
    links: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def orders(self) -> tuple[tuple[int, ...], ...]:
        """The German words in the order of their translations; a word without one stays behind the word before it."""
        return tuple(tree.order or () for tree in self.trees)

    def __len__(self) -> int:
        return len(self.trees)


def synthetic_treebank(seed: int = 1, sentences: int = 1000, *, start: int = 0) -> SyntheticTreebank:
    """Make a treebank; the same seed always makes the same one.

    Args:
        seed: Seed of everything random.
        sentences: How many sentences.
        start: Number of the first one; stretches of one seed that do not overlap serve as training and test text.

    Example:
        >>> bank = synthetic_treebank(seed=1, sentences=3)
        >>> tree = bank.trees[2]
        >>> " ".join(tree.forms)
        'Meine Ingenieurin hat die Skripte geschrieben , die der wichtige Administrator speichert .'
        >>> " ".join(tree.forms[word] for word in bank.orders[2])
        'Meine Ingenieurin hat geschrieben , die Skripte die der wichtige Administrator speichert .'
        >>> tree.xpos[:6], tree.deprels[:6]
        (('PPOSAT', 'NN', 'VAFIN', 'ART', 'NN', 'VVPP'), ('det', 'nsubj', 'aux', 'det', 'obj', 'root'))
    """
    if sentences < 1:
        raise SettingsError(f"a treebank of {sentences} sentences cannot be made", hint="ask for at least one")
    trees: list[Tree] = []
    targets: list[tuple[str, ...]] = []
    links: list[tuple[tuple[int, int], ...]] = []
    for example in Synthetic(seed=seed).sample(sentences, start=start):
        found = tuple(example.links("de", "en"))
        rows = [row.split("\t") for row in example.conllu("de").split("\n") if row and not row.startswith("#")]
        _, forms, lemmas, upos, _, _, heads, relations, _, _ = (tuple(column) for column in zip(*rows, strict=True))
        tree = Tree(
            forms=forms,
            heads=tuple(map(int, heads)),
            deprels=relations,
            lemmas=lemmas,
            upos=upos,
            comments=(f"# sent_id = {example.index}", f"# text = {example.raw['de']}"),
            order=_order(len(forms), found),
        )
        trees.append(_tagged(tree))
        targets.append(example.tokens["en"])
        links.append(found)
    return SyntheticTreebank(tuple(trees), tuple(targets), tuple(links))


def _order(length: int, links: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Positions by leftmost link (Al-Onaizan and Papineni, 2006); what has no link goes with the word before it."""
    first: dict[int, int] = {}
    for source, target in links:
        first[source] = min(target, first.get(source, target))
    places = [-1] * length
    for word in range(length):
        places[word] = first.get(word, places[word - 1] if word else -1)
    return tuple(sorted(range(length), key=places.__getitem__))


def _tagged(tree: Tree) -> Tree:
    """The same tree with STTS tags, told from the universal ones and from where a verb stands."""
    children: dict[int, list[int]] = {}
    for word, head in enumerate(tree.heads):
        if head:
            children.setdefault(head - 1, []).append(word)
    tags = tuple(_tag(tree, word, children) for word in range(len(tree)))
    return Tree(
        forms=tree.forms,
        heads=tree.heads,
        deprels=tree.deprels,
        lemmas=tree.lemmas,
        upos=tree.upos,
        xpos=tags,
        order=tree.order,
        comments=tree.comments,
    )


def _tag(tree: Tree, word: int, children: Mapping[int, Sequence[int]]) -> str:  # noqa: PLR0911 - one line per tag
    upos, lemma, relation, form = tree.upos[word], tree.lemmas[word], tree.deprels[word], tree.forms[word].lower()
    if upos in {"VERB", "AUX"}:
        return _verb_tag(tree, word, children)
    if upos == "PUNCT":
        return MARKS.get(form, "$(")
    if upos == "DET":
        return DETERMINERS.get(lemma, "PPOSAT")
    if upos == "PRON":
        return PRONOUNS.get(lemma, "PPER")
    if upos == "ADP":
        return "PTKVZ" if relation == "compound:prt" else "APPRART" if form in CONTRACTED else "APPR"
    if upos == "ADJ":
        return "ADJA" if relation == "amod" else "ADJD"
    if upos == "PART":
        return PARTICLES.get(lemma, "PTKVZ")
    return PLAIN[upos]


def _verb_tag(tree: Tree, word: int, children: Mapping[int, Sequence[int]]) -> str:
    auxiliary = tree.upos[word] == "AUX"
    lemma = tree.lemmas[word]
    kind = "VM" if lemma in MODALS else "VA" if auxiliary else "VV"
    family = children.get(tree.heads[word] - 1 if auxiliary else word, ())
    helpers = [other for other in family if other != word and tree.upos[other] == "AUX"]
    form = tree.forms[word].lower()
    if not auxiliary and any(tree.lemmas[other] == "zu" and tree.upos[other] == "PART" for other in family):
        return kind + "INF"
    if not auxiliary and len(form) == len(lemma) + 2 and "zu" in form and form.replace("zu", "", 1) == lemma:
        return "VVIZU"
    if form == "worden" or (not auxiliary and helpers and form != lemma):
        return kind + "PP"
    if form == lemma and any(_rules_infinitive(tree, other) for other in helpers):
        return kind + "INF"
    return kind + ("PP" if helpers and not auxiliary else "FIN")


def _rules_infinitive(tree: Tree, word: int) -> bool:
    return tree.lemmas[word] in MODALS or (tree.lemmas[word] == "werden" and tree.forms[word].lower() != "worden")
