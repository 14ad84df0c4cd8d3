"""How translations of a development set change while classifiers are trained (Galron 2012, section 5.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.multitree.encoding import SentenceEncoder
from tolka.multitree.tuning import check_tuning_set, pooled_f

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka._engine import MultitreeModel
    from tolka.multitree.encoding import Encoded, Symbols
    from tolka.syntax import Constituent


@dataclass(frozen=True)
class Watch:
    """A development set that is translated whenever classifiers were trained.

    Attributes:
        sentences: Tokenised sentences.
        references: Their translations.
        trees: A tree for each sentence, or None for flat ones.
    """

    sentences: Sequence[Sequence[str]]
    references: Sequence[Sequence[str]]
    trees: Sequence[Constituent | None] | None = None

    def __post_init__(self) -> None:
        check_tuning_set(self.sentences, self.references, self.trees)

    def parts(self) -> tuple[Any, ...]:
        """What a checkpoint is known by: scores are of these sentences."""
        return (self.sentences, self.references, [str(tree) for tree in self.trees or ()])


class Watched:
    """The same in the numbers of a model.

    Args:
        watch: The development set.
        symbols: Those of the model; words that are new get numbers of their own.
        classes: Word classes of the model.
    """

    def __init__(self, watch: Watch, symbols: Symbols, classes: Mapping[str, str]) -> None:
        self._symbols = symbols.copy()
        encoder = SentenceEncoder(self._symbols, classes=dict(classes))
        trees = watch.trees or [None] * len(watch.sentences)
        self._sentences: list[Encoded] = [
            encoder.encode(words, tree) for words, tree in zip(watch.sentences, trees, strict=True)
        ]
        self._references = [" ".join(words) for words in watch.references]

    def score(self, native: MultitreeModel, threads: int) -> float:
        """F of the General Text Matcher with exponent 2 of what a model makes of it now."""
        found = native.translate(self._sentences, threads)
        return pooled_f([" ".join(map(self._symbols.text, words)) for words, *_ in found], self._references)
