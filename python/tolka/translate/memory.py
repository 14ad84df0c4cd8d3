"""What a model remembers of its corrections: their translations come back as they were written.

A sentence that was corrected is translated by its correction, and nothing else. Of a sentence that is merely similar to
one, the words that both have keep the translation they have in the correction, as far as links tell which that is, and
the model translates the rest: a translation memory as a frame (Koehn and Senellart 2010, *Convergence of translation
memory and statistical machine translation*).
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from tolka.decode import Given, Sentence, words_of
from tolka.errors import FormatError
from tolka.translate.tagged import TaggedSentence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from tolka.translate.description import Remembering
    from tolka.translate.text import TextSteps

Link = tuple[int, int]

# Of a translation that comes with a sentence; decoders take 255.
_MOST_WORDS = 200


@dataclass(frozen=True)
class Correction:
    """A sentence and the translation that somebody gave it.

    Attributes:
        source: The sentence as it was written.
        target: Its translation as it was written.
        words: The sentence as the model sees it.
        target_words: The translation likewise.
        links: Positions of words that translate each other; None if nobody linked them.
    """

    source: str
    target: str
    words: str
    target_words: str
    links: tuple[Link, ...] | None = None

    def line(self) -> str:
        """As a line of a file."""
        links = None if self.links is None else [number for link in self.links for number in link]
        return json.dumps([self.source, self.target, self.words, self.target_words, links])

    @classmethod
    def of_line(cls, line: bytes) -> Correction:
        """What `line` wrote.

        Raises:
            ValueError: It did not.
        """
        fields = json.loads(line)
        if not isinstance(fields, list) or len(fields) != 5 or not all(isinstance(one, str) for one in fields[:4]):  # noqa: PLR2004
            raise ValueError("not a correction")
        source, target, words, target_words, flat = fields
        links = None
        if flat is not None:
            if not isinstance(flat, list) or not all(isinstance(one, int) for one in flat) or len(flat) % 2:
                raise ValueError("no links")
            links = tuple(zip(flat[::2], flat[1::2], strict=True))
            lengths = len(words_of(words)), len(words_of(target_words))
            if not all(0 <= i < lengths[0] and 0 <= j < lengths[1] for i, j in links):
                raise ValueError("a link outside of its sentences")
        return cls(source, target, words, target_words, links)


def write_corrections(path: Path, corrections: Iterable[Correction]) -> None:
    """Write corrections to a file, one a line."""
    with path.open("w", encoding="ascii") as out:
        out.writelines(f"{one.line()}\n" for one in corrections)


def read_corrections(data: bytes, path: Path) -> list[Correction]:
    """The corrections in a file's bytes.

    Raises:
        FormatError: They are not corrections; `path` is said to be their place.
    """
    found = []
    for number, line in enumerate(data.splitlines(), 1):
        try:
            found.append(Correction.of_line(line))
        except (ValueError, RecursionError) as error:
            raise FormatError(
                "not a correction", path=path, line=number, hint="copy or make the model again"
            ) from error
    return found


@dataclass(frozen=True)
class Match:
    """The correction that a translation comes from.

    Attributes:
        source: The sentence that was corrected.
        target: Its translation.
        similarity: Of that sentence and the one translated: the share of words that need no edit. 1 if they are the same.
        exact: Whether the translation is the correction as it was written.
    """

    source: str
    target: str
    similarity: float
    exact: bool

    def __str__(self) -> str:
        if self.exact:
            return "from memory"
        return f"{self.similarity:.0%} like a correction: {self.source} → {self.target}"


@dataclass(frozen=True)
class Recalled(Sentence):
    """A sentence that the model remembers, or one like it.

    Attributes:
        match: The correction.
    """

    match: Match | None = None


class Memory:
    """The corrections of a model; of several of one sentence, the last one counts.

    Args:
        files: The corrections, oldest first. They are read at once and looked into when they are first needed.
        source: How the model prepares sentences: what it does not tell apart, the memory does not either.
        remembering: What is done with the corrections.
    """

    def __init__(self, files: Sequence[Path], source: TextSteps, remembering: Remembering) -> None:
        # An update may replace the files while the model is in use.
        self._data = [(path, path.read_bytes()) for path in files]
        self._source = source
        self.remembering = remembering

    def sentences(
        self, lines: Sequence[str], sentences: Sequence[Sentence], remembering: Remembering, *, threads: int = 0
    ) -> list[Sentence]:
        """Sentences with what is remembered of them.

        Args:
            lines: The text they were made of.
            sentences: As the model translates them.
            remembering: What is done.
            threads: How many; 0 for one per core.
        """
        if remembering.use == "off" or not self._corrections:
            return list(sentences)
        known = [self._written.get(_plainly(line)) for line in lines]
        keys = self._keys([line for line, one in zip(lines, known, strict=True) if one is None], threads)
        rest = iter(keys)
        found: list[Sentence] = []
        for sentence, own in zip(sentences, known, strict=True):
            correction = own if own is not None else self._prepared.get(next(rest))
            if isinstance(sentence, TaggedSentence) and own is None:
                # Another sentence's translation does not have its tags.
                found.append(sentence)
            elif correction is not None and sentence.words:
                found.append(_exactly(sentence, correction))
            else:
                found.append(self._similarly(sentence, remembering))
        return found

    def similar(self, words: Sequence[str], threshold: float) -> tuple[Correction, float] | None:
        """The correction whose sentence is most similar, at least as much as `threshold`; of several the last.

        Only corrections that share one of the rarest words can be that similar (prefix filtering: Chaudhuri, Ganti and
        Kaushik 2006), so others are not compared.
        """
        length = len(words)
        needed = math.ceil(threshold * length - 1e-9)
        if not needed:
            return None
        rarest = sorted(range(length), key=lambda at: (len(self._places.get(words[at], ())), at))[: length - needed + 1]
        own = Counter(words)
        bounds = []
        for number in {number for at in rarest for number in self._places.get(words[at], ())}:
            there = self._linked[number][1]
            bound = (own & Counter(there)).total() / max(length, len(there))
            if bound >= threshold:
                bounds.append((bound, number))
        best: tuple[float, int] | None = None
        for bound, number in sorted(bounds, reverse=True):
            if best is not None and bound < best[0]:
                break
            score = similarity(words, self._linked[number][1])
            if score >= threshold and (best is None or (score, number) > best):
                best = score, number
        return None if best is None else (self._linked[best[1]][0], best[0])

    def _similarly(self, sentence: Sentence, remembering: Remembering) -> Sentence:
        if remembering.use != "fuzzy" or sentence.spans or sentence.walls:
            return sentence
        found = self.similar(sentence.words, remembering.threshold)
        if found is None:
            return sentence
        correction, score = found
        words = sentence.words
        own = frame(correction, words, {at for one in sentence.given for at in range(one.start, one.end)})
        if not own.given:
            return sentence
        now = {at: place for place, at in enumerate(own.order)}
        # Words with a translation of their own stay in a row.
        moved = [replace(one, start=now[one.start], end=now[one.end - 1] + 1) for one in sentence.given]
        match = Match(correction.source, correction.target, score, exact=False)
        text = " ".join(words[at] for at in own.order)
        return Recalled(text, (*moved, *own.given), sentence.values, walls=tuple(own.walls), match=match)

    @cached_property
    def _corrections(self) -> list[Correction]:
        return [one for path, data in self._data for one in read_corrections(data, path)]

    @cached_property
    def _written(self) -> dict[str, Correction]:
        return {_plainly(one.source): one for one in self._corrections}

    @cached_property
    def _prepared(self) -> dict[str, Correction]:
        keys = self._keys([one.source for one in self._corrections], 0)
        return dict(zip(keys, self._corrections, strict=True))

    def _keys(self, lines: list[str], threads: int) -> list[str]:
        words = self._source.truecase(self._source.tokenise(lines, threads=threads), threads=threads)
        return [" ".join(words_of(line)) for line in words]

    @cached_property
    def _linked(self) -> list[tuple[Correction, list[str]]]:
        """The corrections that words can be taken from, oldest first."""
        last = {one.words: one for one in self._corrections if one.links}
        return [(one, words_of(one.words)) for one in self._corrections if last.get(one.words) is one]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The corrections that each word is in."""
        places: dict[str, list[int]] = {}
        for number, (_, words) in enumerate(self._linked):
            for word in dict.fromkeys(words):
                places.setdefault(word, []).append(number)
        return places


def _plainly(line: str) -> str:
    return " ".join(line.split())


def _exactly(sentence: Sentence, correction: Correction) -> Recalled:
    match = Match(correction.source, correction.target, 1.0, exact=True)
    own, said = sentence.words, words_of(correction.target_words)
    # What is too long for one piece is one piece after another. Whatever the words become, the text is the correction's.
    pieces = math.ceil(max(len(own), len(said)) / _MOST_WORDS)
    if pieces > min(len(own), len(said)):
        return Recalled(sentence.text, sentence.given, sentence.values, match=match)
    cuts = [(len(own) * at // pieces, len(said) * at // pieces) for at in range(pieces + 1)]
    given = [Given(begin[0], end[0], ((" ".join(said[begin[1] : end[1]]), 0.0),)) for begin, end in pairwise(cuts)]
    walls = tuple(one.start for one in given[1:])
    return Recalled(sentence.text, tuple(given), sentence.values, walls=walls, match=match)


def match_of(sentence: object) -> Match | None:
    """The correction that a sentence is translated by, if there is one."""
    return sentence.match if isinstance(sentence, Recalled) else None


def verbatim(sentences: Sequence[object], texts: Sequence[str]) -> list[str]:
    """Translations of sentences, those of remembered ones as they were written."""
    matches = [match_of(one) for one in sentences]
    return [
        text if match is None or not match.exact else match.target for match, text in zip(matches, texts, strict=True)
    ]


def similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of words that need no edit: 1 minus the edit distance (Levenshtein 1966) over the longer length.

    Example:
        >>> similarity("click the red button".split(), "click the button".split())
        0.75
    """
    longer = max(len(one), len(other))
    return (longer - _distances(one, other)[-1][-1]) / longer if longer else 1.0


def pairing(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The places that the fewest edits pair: words that stay, and words that take the place of others.

    Example:
        >>> pairing("a b c d".split(), "a x d".split())
        [(0, 0), (2, 1), (3, 2)]
    """
    table = _distances(one, other)
    pairs: list[tuple[int, int]] = []
    i, j = len(one), len(other)
    while i and j:
        if table[i][j] == table[i - 1][j - 1] + (one[i - 1] != other[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif table[i][j] == table[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _distances(one: Sequence[str], other: Sequence[str]) -> list[list[int]]:
    table = [list(range(len(other) + 1))]
    for i, word in enumerate(one, 1):
        above, row = table[-1], [i]
        for j, with_word in enumerate(other, 1):
            row.append(min(above[j - 1] + (word != with_word), above[j] + 1, row[-1] + 1))
        table.append(row)
    return table


@dataclass(frozen=True)
class Frame:
    """A sentence made ready to be translated as a similar one was.

    Attributes:
        order: The places of its words in the order in which they are translated.
        given: The translations that stay, at places of that order.
        walls: Where one piece ends and the next begins, likewise.
    """

    order: list[int]
    given: list[Given]
    walls: list[int]


def frame(correction: Correction, words: Sequence[str], taken: Collection[int] = ()) -> Frame:
    """What words of a sentence become if they are translated as in a correction, and where the others stand then.

    Stretches that both sentences have are cut where links lead out of them, and words of the translation that have no link
    go with the stretch that they stand next to. The pieces have the order of the correction's translation: a word that took
    the place of another stands where that was translated, any other behind the word before it.

    Args:
        correction: Of a similar sentence.
        words: The sentence.
        taken: Places of words that the frame leaves alone.

    Example:
        >>> known = Correction("", "", "turn on slow keys", "attivare i tasti lenti", ((0, 0), (1, 0), (2, 3), (3, 2)))
        >>> found = frame(known, "turn on sticky keys".split())
        >>> found.order, [(one.start, one.end, one.targets[0][0]) for one in found.given], found.walls
        ([0, 1, 3, 2], [(0, 2, 'attivare i'), (2, 3, 'tasti')], [2, 3])
    """
    source, target, links = words_of(correction.words), words_of(correction.target_words), correction.links or ()
    pairs = pairing(source, words)
    pieces: list[tuple[float, list[int], str | None]] = []
    covered: set[int] = set()
    # Which words of the translation have no link and are not used yet.
    free = [all(j != at for _, j in links) for at in range(len(target))]
    ends: dict[int, float] = {}
    for begin, there, length in _stretches([pair for pair in pairs if pair[1] not in taken], source, words):
        for from_, to, low, high in _blocks(links, begin, begin + length):
            places = list(range(from_ - begin + there, to - begin + there))
            low, high = _widened(low, high, free)  # noqa: PLW2901
            said = target[low:high]
            # A placeholder such as $num_1 stands for what the stretch itself has.
            if {one for one in said if one[0] == "$" and one in source} <= set(source[from_:to]):
                pieces.append((low, places, " ".join(said)))
                covered.update(places)
                ends.update(dict.fromkeys(places, high - 0.5))
    partner = {j: i for i, j in pairs}
    for places in _runs([at for at in range(len(words)) if at not in covered]):
        linked = [j for at in places for i, j in links if i == partner.get(at)]
        # After what stands before it, if nothing tells where it belongs.
        place = min(linked) if linked else ends.get(places[0] - 1, -1.0)
        ends.update(dict.fromkeys(places, place))
        pieces.append((place, places, None))
    pieces.sort(key=lambda piece: (piece[0], piece[1]))
    order: list[int] = []
    given, walls = [], []
    for _, places, words_said in pieces:
        if words_said is not None:
            given.append(Given(len(order), len(order) + len(places), ((words_said, 0.0),)))
        if order:
            walls.append(len(order))
        order += places
    return Frame(order, given, walls)


def _stretches(
    pairs: Sequence[tuple[int, int]], one: Sequence[str], other: Sequence[str]
) -> list[tuple[int, int, int]]:
    """Words in a row that stay: where they begin in both, and how many they are."""
    found: list[tuple[int, int, int]] = []
    for i, j in pairs:
        if one[i] != other[j]:
            continue
        if found and (i, j) == (found[-1][0] + found[-1][2], found[-1][1] + found[-1][2]):
            found[-1] = (*found[-1][:2], found[-1][2] + 1)
        else:
            found.append((i, j, 1))
    return found


def _runs(places: Sequence[int]) -> list[list[int]]:
    """Places in a row."""
    runs: list[list[int]] = []
    for at in places:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs


def _widened(low: int, high: int, free: list[bool]) -> tuple[int, int]:
    """A part of the translation with the unlinked words around it, which are then not free any more."""
    while high < len(free) and free[high]:
        high += 1
    while low and free[low - 1]:
        low -= 1
    free[low:high] = [False] * (high - low)
    return low, high


def _blocks(links: Sequence[Link], begin: int, end: int) -> list[tuple[int, int, int, int]]:
    """Parts of a stretch, longest first and then from the left, that links keep together with a part of the target."""
    for length in range(end - begin, 0, -1):
        for from_ in range(begin, end - length + 1):
            to = from_ + length
            own = [j for i, j in links if from_ <= i < to]
            if not own:
                continue
            low, high = min(own), max(own) + 1
            if all(from_ <= i < to for i, j in links if low <= j < high):
                return [*_blocks(links, begin, from_), (from_, to, low, high), *_blocks(links, to, end)]
    return []
