"""One translator after the other, by way of the best translations into a third language (Utiyama & Isahara 2007)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.translate import Translator

_AT_A_TIME = 200


class Cascade:
    """Translates into a pivot language, and what comes out further: what triangulation is compared with.

    Of the best translations into the pivot each is translated, and that is taken for which both together are best:
    their scores are divided by the sum of the weights of each model and added.

    Example:
        >>> from tolka.combine import Cascade
        >>> from tolka.translate import Translator
        >>> cascade = Cascade(Translator.load("de-en"), Translator.load("en-fr"), nbest=15)  # doctest: +SKIP
        >>> cascade.translate(["Das Haus."])  # doctest: +SKIP
        ['La maison.']
    """

    def __init__(self, first: Translator, second: Translator, *, nbest: int = 15) -> None:
        """Join two translators.

        Args:
            first: Source to pivot.
            second: Pivot to target.
            nbest: Translations into the pivot that are tried.

        Raises:
            SettingsError: The first does not translate into what the second translates from.
        """
        (_, pivot), (begin, _) = first.description.langs, second.description.langs
        if pivot != begin:
            raise SettingsError(
                f"the first model translates into {pivot}, and the second from {begin}",
                hint="name models that lead from one language to the next",
            )
        if nbest < 1:
            raise SettingsError(f"{nbest} translations cannot be tried", hint="try one or more")
        self.first, self.second, self.nbest = first, second, nbest
        self._scales = [sum(abs(weight) for weight in one.weights.values()) or 1.0 for one in (first, second)]

    def translate(self, lines: Sequence[str], *, threads: int = 0) -> list[str]:
        """Translate sentences.

        Args:
            lines: As people write them.
            threads: How many; 0 for one per core.
        """
        found: list[str] = []
        for begin in range(0, len(lines), _AT_A_TIME):
            found += self._some(list(lines[begin : begin + _AT_A_TIME]), threads)
        return found

    def _some(self, lines: list[str], threads: int) -> list[str]:
        ways = self.first.nbest(lines, self.nbest, threads=threads)
        pivots = list(dict.fromkeys(one.text for own in ways for one in own))
        best = dict(zip(pivots, self.second.nbest(pivots, 1, threads=threads), strict=True))
        found = []
        for own in ways:
            scored = [
                (one.score / self._scales[0] + best[one.text][0].score / self._scales[1], best[one.text][0].text)
                for one in own
                if best[one.text]
            ]
            found.append(max(scored, key=lambda pair: pair[0])[1] if scored else "")
        return found
