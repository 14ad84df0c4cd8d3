"""Who answers in simulations: oracles that see the reference or own a dictionary, and people who err."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.assist.senses.asking import SenseQuestion

_STEM = 4
_LEAST_GAIN = 0.05


class User(Protocol):
    """Answers questions about a sentence whose reference is known."""

    def answer(self, question: SenseQuestion, reference: str) -> int | None:
        """0 or 1 for the word that fits better, None for both or neither.

        Args:
            question: What is asked.
            reference: The words of the reference, as the model sees them, with spaces between.
        """


class ReferenceUser:
    """Answers with the substitute whose translations the reference has, by the model's own probabilities.

    The reference has some of the asked word's translations; the better substitute is the one after which they are likelier.
    If it has none or all of them, or the difference is small, neither is better. This oracle sees what BLEU compares with
    and believes in the model's table, which favours it.

    Example:
        >>> from tolka.assist.senses import SenseQuestion
        >>> weights, share = np.array([0.5, 0.5]), np.array([[0.9, 0.2]])
        >>> asked = SenseQuestion((0, 1), "schwer", ("schwierig", "dick"), ("hard", "fat"), ("hard", "fat"), weights, share, 0.3)
        >>> ReferenceUser().answer(asked, "this is hard"), ReferenceUser().answer(asked, "he is big")
        (0, None)
    """

    def __init__(self, least: float = _LEAST_GAIN) -> None:
        self.least = least

    def answer(self, question: SenseQuestion, reference: str) -> int | None:
        """See `User`."""
        padded = f" {reference} "
        right = np.array([f" {target} " in padded for target in question.targets])
        if not right.any() or right.all():
            return None
        first, _ = question.factors(0)
        after = [
            float((question.weights * each)[right].sum() / (question.weights * each).sum())
            for each in (first, 1 - first)
        ]
        if abs(after[0] - after[1]) < self.least:
            return None
        return int(after[1] > after[0])


class LexiconUser:
    """Answers with the substitute that a dictionary has a word of the reference for.

    The words of the reference that the dictionary gives for the asked word, in any inflection as far as word beginnings
    tell, are its sense here; the better substitute is the one that the dictionary translates by one of them, too. If both or
    neither are, neither is better. It sees the reference, too, but not the model.

    Example:
        >>> from tolka.assist.senses import SenseQuestion
        >>> user = LexiconUser([("schwer", "difficult"), ("schwierig", "difficult"), ("dick", "fat"), ("schwer", "heavy")])
        >>> weights, share = np.array([0.5, 0.5]), np.array([[0.9, 0.2]])
        >>> asked = SenseQuestion((0, 1), "schwer", ("dick", "schwierig"), ("hard", "fat"), ("hard", "fat"), weights, share, 0.3)
        >>> user.answer(asked, "it is very difficult")
        1
    """

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.translations: dict[str, set[str]] = {}
        for word, translation in pairs:
            if " " not in word and " " not in translation:
                self.translations.setdefault(word.casefold(), set()).add(_stem(translation))
        self._inflected: dict[str, set[str]] = {}
        for word in self.translations:
            self._inflected.setdefault(_stem(word), set()).add(word)

    def answer(self, question: SenseQuestion, reference: str) -> int | None:
        """See `User`."""
        said = {_stem(word) for word in reference.split()}
        sense = said & self._of(question.phrase)
        fits = [bool(sense & self._of(substitute)) for substitute in question.substitutes]
        if fits[0] == fits[1]:
            return None
        return fits.index(True)

    def _of(self, word: str) -> set[str]:
        exact = self.translations.get(word.casefold())
        if exact is not None:
            return exact
        # An inflected form: any word of the dictionary that begins alike and differs in the end.
        return {one for entry in self._inflected.get(_stem(word), ()) for one in self.translations[entry]}


class NoisyUser:
    """Somebody who answers like another but for errors: the other word, or, in place of "neither", any of the two.

    Errors depend on the question and the seed alone, so that the same question is always answered alike.
    """

    def __init__(self, user: User, errors: float, *, seed: int = 1) -> None:
        if not 0 <= errors <= 1:
            raise SettingsError(f"a share of errors of {errors} is not between 0 and 1")
        self.user, self.errors, self.seed = user, errors, seed

    def answer(self, question: SenseQuestion, reference: str) -> int | None:
        """See `User`."""
        right = self.user.answer(question, reference)
        named = "\n".join((question.phrase, *question.substitutes, reference))
        random = np.random.default_rng([self.seed, zlib.crc32(named.encode("utf-8", "surrogatepass"))])
        if random.random() >= self.errors:
            return right
        return int(random.integers(2)) if right is None else 1 - right


def _stem(word: str) -> str:
    """The beginning of a word that inflections leave alone, mostly."""
    low = word.casefold()
    if len(low) <= _STEM:
        return low
    return low[: max(_STEM, len(low) - 2)] if len(low) > _STEM + 1 else low[:_STEM]
