"""What rerankers give: a report of training, and lists in a new order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tolka.rerank.nbest import Entry


@dataclass(frozen=True)
class RerankReport:
    """What training did.

    Attributes:
        metric: What was tuned for.
        before: The metric of the translations that the start chooses: the decoder's, if lists have scores.
        after: The metric of those that the reranker chooses from the same lists.
        oracle: The metric of the best translation of each list, about what a reranker could reach.
        held_out: The metric of what rerankers choose from lists that they did not learn from, each sentence held out once:
            what to expect of new text. None if that was not asked for, or there are too few sentences.
        share: How far the weights went from the start to those that tuning found; 0 if held-out lists were no better for
            it, so that the reranker chooses as the start does.
        sentences: Sentences.
        entries: Translations of all of them.
        features: Features: the decoder's, and those of the reranker.
        unsettled: Translations over which a reservoir did not settle.
    """

    metric: str
    before: float
    after: float
    oracle: float
    sentences: int
    entries: int
    features: int
    share: float
    unsettled: int
    held_out: float | None = None


@dataclass(frozen=True)
class Reranked:
    """A list in its new order.

    Attributes:
        number: The sentence, counted from 0.
        entries: Its translations, best first, with their new scores.
    """

    number: int
    entries: tuple[Entry, ...]

    @property
    def best(self) -> Entry | None:
        """The best translation, if there is any."""
        return self.entries[0] if self.entries else None
