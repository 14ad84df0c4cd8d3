"""Links for words that the aligner has never seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Words(Protocol):
    """What is known of words: a vocabulary, or a set."""

    def __contains__(self, word: object, /) -> bool:
        """Whether a word is known."""
        ...


def link_new_words(
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    known_source: Words,
    known_target: Words,
) -> list[tuple[int, int]]:
    """Link new words that have no link with words of the other side that have none either.

    An aligner that met neither word cannot prefer one partner to another, and leaves both alone; but a pair is added
    for the sake of its new words. Each is linked with the free word nearest to where its neighbours' partners are, new
    words first.

    Example:
        >>> link_new_words(["der", "kakadu"], ["the", "cockatoo"], [(0, 0)], {"der"}, {"the"})
        [(0, 0), (1, 1)]
    """
    found = list(links)
    for turned in (False, True):
        one, other = (target, source) if turned else (source, target)
        known_one, known_other = (known_target, known_source) if turned else (known_source, known_target)
        own = [(j, i) if turned else (i, j) for i, j in found]
        linked, taken = {i for i, _ in own}, {j for _, j in own}
        for i in range(len(one)):
            free = [j for j in range(len(other)) if j not in taken]
            if i in linked or one[i] in known_one or not free:
                continue
            place = _expected(i, len(one), len(other), own)
            j = min(free, key=lambda j: (other[j] in known_other, abs(j - place), j))
            taken.add(j)
            found.append((j, i) if turned else (i, j))
    return sorted(set(found))


def _expected(i: int, length: int, other: int, links: Sequence[tuple[int, int]]) -> float:
    before = max((link for link in links if link[0] < i), default=None)
    after = min((link for link in links if link[0] > i), default=None)
    places = [
        place
        for place in (before and before[1] + i - before[0], after and after[1] + i - after[0])
        if place is not None
    ]
    return sum(places) / len(places) if places else (i + 0.5) * other / length - 0.5
