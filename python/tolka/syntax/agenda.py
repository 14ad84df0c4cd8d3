"""The generalised parser as a strategy of parsing (Galron 2012, section 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tolka.errors import SettingsError


@dataclass(frozen=True)
class Agenda:
    """Parse best first: whatever is derived best is taken off an agenda next, and the first whole tree is the best.

    Without a beam that is certainly the best derivation of the grammar; it takes the longer, the finer the grammar is.

    Attributes:
        semiring: What is best: with `viterbi` the most probable derivation; with `minmerge` the one whose least probable rule
            is most probable, and so on with the next one.
        beam: Items over a span that are kept, None for all; four times as many if there is no whole tree, and so on.
        time_limit: Seconds for a sentence, after which it gets a flat tree; None for any time.

    Example:
        >>> Agenda(semiring="minmerge", beam=None)
        Agenda(semiring='minmerge', beam=None, time_limit=60.0)
    """

    semiring: Literal["viterbi", "minmerge"] = "viterbi"
    beam: int | None = 50
    time_limit: float | None = 60.0

    @classmethod
    def of(cls, strategy: str | Agenda) -> Agenda | None:
        """The strategy of a name: None for `chart`, from coarse to fine.

        Raises:
            SettingsError: There is no such strategy.
        """
        if isinstance(strategy, Agenda):
            return strategy
        if strategy not in ("chart", "agenda"):
            raise SettingsError(f"unknown strategy {strategy!r}", hint="use chart or agenda")
        return cls() if strategy == "agenda" else None
