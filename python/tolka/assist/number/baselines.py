"""What a model of number must beat: the most frequent value, and that of the syntactic head's tag."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Self

from tolka.assist.number.flat import rule_of
from tolka.assist.number.heads import Heads, head_place
from tolka.assist.number.leaves import LeafTable
from tolka.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.syntax import Constituent


class Majority:
    """The most frequent value of the examples, whatever the phrase.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> phrase = parse_penn("(NP (NN dog))")
        >>> Majority().train([(phrase, "sing"), (phrase, "plur"), (phrase, "sing")]).predict(phrase)
        'sing'
    """

    def __init__(self) -> None:
        self.majority_ = ""

    def train(self, examples: Iterable[tuple[Constituent, str]]) -> Self:
        """Count values; of several that are as frequent, the one seen first wins."""
        counts = Counter(value for _, value in examples)
        if not counts:
            raise InputError("there is no example to learn from", hint="does the treebank have subjects (-SBJ, nsubj)?")
        self.majority_ = counts.most_common(1)[0][0]
        return self

    def predict(self, _tree: Constituent) -> str:
        """The most frequent value."""
        if not self.majority_:
            raise InputError("the model has not learnt anything yet", hint="call train")
        return self.majority_


class SyntacticHead(Majority):
    """The value that the tag of the head word has; the most frequent one if it has none or several.

    Args:
        leaves: What tags say; English number if none is given.
        heads: What heads are; see `FeatureHead`.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> number = parse_penn("(NP (NP (DT a) (NN number)) (PP (IN of) (NP (NNS men))))")
        >>> SyntacticHead().train([(number, "plur")]).predict(number)
        'sing'
    """

    def __init__(self, leaves: LeafTable | None = None, heads: Heads = "collins") -> None:
        super().__init__()
        self.leaves, self.heads = leaves or LeafTable.load("english", "number"), heads

    def predict(self, tree: Constituent) -> str:
        """The value of the head word's tag."""
        otherwise = super().predict(tree)
        while not tree.word:
            tree = tree.children[head_place(self.heads, rule_of(tree)) or 0]
        masses = self.leaves.mass(self.leaves.key(tree))
        return self.leaves.values[masses.index(1.0)] if 1.0 in masses else otherwise
