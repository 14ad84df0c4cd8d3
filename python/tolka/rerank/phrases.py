"""What phrases do to the dependencies of the source, as features of translations (Miceli Barone 2015, section 5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tolka._engine import rerank_phrases

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from tolka.rerank.nbest import NBestList
    from tolka.rerank.sources import Source


class PhraseFeatures:
    """Counts over the phrases of a derivation, and over pairs of phrases that stand side by side in the target.

    Of each phrase: whether other phrases hold heads of its words (its parents), on which side and how many, and whether
    it holds heads of theirs. Of each pair: whether one is the only parent of the other, or both have the same only parent,
    and whether they changed places.

    Attributes:
        names: Of the 21 features.

    Example:
        >>> from tolka.forest import Segment
        >>> from tolka.rerank import Entry, NBestList, Source
        >>> entry = Entry("b a", segments=(Segment((1, 2), (0, 1)), Segment((0, 1), (1, 2))))
        >>> features = PhraseFeatures()
        >>> row = features.rows([NBestList(0, (entry,))], [Source(("A", "B"), (2, 0))])[0]
        >>> [name.rpartition(".")[2] for name, value in zip(features.names, row) if value and "inversion" in name]
        ['inversion', 'inversion_parent_child']
    """

    kind = "phrase-dependency"
    needs_links = False
    needs_heads = True
    needs_segments = True

    def __init__(self) -> None:
        nothing = np.zeros(1, dtype=np.uint64)
        names, _ = rerank_phrases(
            np.zeros(0, dtype=np.uint32), nothing, nothing, np.zeros((0, 2), dtype=np.uint32), nothing, threads=1
        )
        self.names = tuple(f"{self.kind}.{name}" for name in names)

    def rows(self, lists: Sequence[NBestList], sources: Sequence[Source], *, threads: int = 0) -> NDArray[np.float32]:
        """A row of counts per translation, those of a sentence in a row."""
        heads = [sentence.heads or () for sentence in sources]
        spans = [[segment.source for segment in entry.segments or ()] for own in lists for entry in own.entries]
        flat = [place for own in spans for span in own for place in span]
        return rerank_phrases(
            np.array([head for own in heads for head in own], dtype=np.uint32),
            _begins(map(len, heads)),
            _begins(len(own.entries) for own in lists),
            np.array(flat, dtype=np.uint32).reshape(-1, 2),
            _begins(map(len, spans)),
            threads=threads,
        )[1]


def _begins(lengths: Iterable[int]) -> NDArray[np.uint64]:
    return np.cumsum([0, *lengths], dtype=np.uint64)
