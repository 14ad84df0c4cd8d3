"""Where the time of translating by multitrees goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class SearchProfile:
    """What a search did, and how long it took, on one thread by the clock.

    Attributes:
        seconds: All of it.
        looking_up: Finding what may be made of the sentences.
        scored: By kind of inference how many there were whose cost was asked for, and the seconds it took to say it.
        proposed: Inferences that were proposed, whether there was room for them or not.
        popped: Inferences that were taken off the agenda.
    """

    seconds: float
    looking_up: float
    scored: Mapping[str, tuple[int, float]]
    proposed: int
    popped: int

    @property
    def shares(self) -> dict[str, float]:
        """Parts of the time: looking up, each kind of inference, and the rest of the search (agenda, chart, joining texts).

        Example:
            >>> found = SearchProfile(4.0, 1.0, {"bilingual": (10, 0.5), "monotonic": (90, 1.5)}, 120, 70)
            >>> found.shares
            {'looking up': 0.25, 'bilingual': 0.125, 'monotonic': 0.375, 'rest': 0.25}
        """
        whole = self.seconds or 1.0
        kinds = {kind: seconds / whole for kind, (_, seconds) in self.scored.items()}
        looking_up = self.looking_up / whole
        return {"looking up": looking_up, **kinds, "rest": max(0.0, 1.0 - looking_up - sum(kinds.values()))}
