"""One sentence as several models see it, in one lattice."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from tolka.decode import Arc, Lattice, Sentence, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.decode import Input
    from tolka.translate.text import TextSteps

    Spelling = tuple[str, ...]


class Views:
    """Several ways to prepare sentences whose words are cut alike: their case may differ, and how compounds are split.

    Args:
        steps: The ways, the first one first.
    """

    def __init__(self, steps: Sequence[TextSteps]) -> None:
        self.steps = tuple(steps)

    def inputs(self, lines: list[str], prepared: Sequence[Input], *, threads: int = 0) -> list[Input]:
        """Sentences with all ways to prepare them, where these differ.

        Args:
            lines: Text.
            prepared: The same as the first way prepares it. What has more than its words, such as terms or tags, stays as
                it is, since a lattice has no place for it.
            threads: How many; 0 for one per core.
        """
        plain = [at for at, one in enumerate(prepared) if _is_plain(one)]
        words = [words_of(line) for line in self.steps[0].tokenise([lines[at] for at in plain], threads=threads)]
        joined = [" ".join(own) for own in words]
        seen = [self._spelled(step, joined, threads) for step in self.steps]
        found = list(prepared)
        for number, (at, own) in enumerate(zip(plain, words, strict=True)):
            spellings = [view[number] for view in seen]
            lead = tuple(part for spelling in spellings[0] for part in spelling)
            # What is not spelt as it was prepared was prepared in another way, such as from memory.
            as_prepared = lead == tuple(words_of(_text(prepared[at])))
            if as_prepared and all(len(one) == len(own) for one in spellings) and len(set(spellings)) > 1:
                found[at] = lattice_of(own, spellings)
        return found

    @staticmethod
    def _spelled(step: TextSteps, lines: list[str], threads: int) -> list[tuple[Spelling, ...]]:
        """For each line, what each of its words becomes."""
        compounds = step.compounds
        return [
            tuple(tuple((compounds and compounds.parts(word)) or [word]) for word in words_of(line))
            for line in step.truecase(lines, threads=threads)
        ]


def lattice_of(words: Sequence[str], views: Sequence[Sequence[Spelling]]) -> Lattice:
    """A lattice of words as several models spell them.

    Where all spell a word alike there is one way; ways that cut it at the same letter meet there.

    Args:
        words: The words as they are written.
        views: For each model what each word becomes: one word or several.

    Example:
        >>> lattice = lattice_of(["Das", "Regenwasser"], [[("das",), ("Regen", "Wasser")], [("das",), ("regenwasser",)]])
        >>> [tuple(arc)[:3] for arc in lattice.arcs]
        [(0, 1, 'das'), (1, 2, 'Regen'), (1, 3, 'regenwasser'), (2, 3, 'Wasser')]
    """
    arcs: list[Arc] = []
    begin = 0
    for at, word in enumerate(words):
        spellings = dict.fromkeys(tuple(view[at]) for view in views)
        cuts = {spelling: _cuts(word, spelling) for spelling in spellings}
        places = {
            cut: begin + number for number, cut in enumerate(sorted({0, *(c for own in cuts.values() for c in own)}))
        }
        end = begin + len(places)
        for spelling, own in cuts.items():
            nodes = [begin, *(places[cut] for cut in own), end]
            arcs += [Arc(*step, part) for step, part in zip(pairwise(nodes), spelling, strict=True)]
        begin = end
    return Lattice(tuple(dict.fromkeys(arcs)))


def _cuts(word: str, parts: Spelling) -> list[int]:
    """Where the second and further parts of a word begin; letters between parts belong to the one before."""
    letters = word.lower()
    cuts: list[int] = []
    at = 0
    for part, following in pairwise(parts):
        least = at + max(len(part), 1)
        found = letters.find(following.lower(), least)
        # Letters that changed more than their case still come one after the other.
        at = found if found >= 0 else least
        cuts.append(at)
    return cuts


def _is_plain(one: Input) -> bool:
    return type(one) is str or (type(one) is Sentence and not (one.given or one.values or one.spans or one.walls))


def _text(one: Input) -> str:
    return one.text if isinstance(one, Sentence) else str(one)
