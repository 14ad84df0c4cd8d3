"""Sentences whose inline tags wait for the translation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from tolka.decode import Sentence, words_of
from tolka.markup import Tag, is_verbatim, put_back, unmarked
from tolka.markup.items import takes_next
from tolka.markup.tags import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.decode import Candidate, Decoder, Given, Input
    from tolka.translate.text import TextSteps

    Places = list[tuple[int, int]]

AnySentence = TypeVar("AnySentence", bound=Sentence)
_SPLIT_HYPHEN = "@-@"


@dataclass(frozen=True)
class TaggedSentence(Sentence):
    """A sentence and the inline tags that were taken out of it.

    Attributes:
        tags: As `tolka.markup.lift` found them.
        places: Where the words of its text began and ended, before compounds were split and words moved.
        origins: Which of those words each word of the sentence is, or is a part of.
    """

    tags: tuple[Tag, ...] = ()
    places: tuple[tuple[int, int], ...] = ()
    origins: tuple[int, ...] = ()


def tagged(sentence: Sentence, text: str, tags: tuple[Tag, ...]) -> Sentence:
    """The sentence of a text that tags were taken out of."""
    if not tags:
        return sentence
    own = {one.name: getattr(sentence, one.name) for one in fields(Sentence)}
    places = word_places(sentence.words, text)
    return TaggedSentence(**own, tags=tags, places=tuple(places), origins=tuple(range(len(places))))


def moved(sentence: AnySentence, order: Sequence[int]) -> AnySentence:
    """A sentence whose words were others before: which, is said by their numbers."""
    if not isinstance(sentence, TaggedSentence):
        return sentence
    return replace(sentence, origins=tuple(sentence.origins[at] for at in order))


def word_places(words: Sequence[str], text: str) -> Places:
    """Where words begin and end in the text they make.

    Example:
        >>> word_places(["It", "&apos;s", "so", "."], "It's so.")
        [(0, 2), (2, 4), (5, 7), (7, 8)]
    """
    places: Places = []
    at = 0
    for word in words:
        shown = "-" if word == _SPLIT_HYPHEN else plain(unmarked(word))
        # White space and what the tokeniser drops are in no word.
        start = text.find(shown, at)
        if start < 0:
            start = at
        at = min(start + len(shown), len(text))
        places.append((start, at))
    return places


def settled(sentences: Sequence[Sentence], decoder: Decoder, threads: int) -> list[Sentence]:
    """Sentences whose text that is not words the model may translate by its own rules, if it leaves it as it is.

    Rules know more than that a placeholder is copied: what stands around it, and where it goes. So sentences are translated
    without saying that it is, and only where it does not come out as it was, each once, it is.
    """
    free = {at: _free(one) for at, one in enumerate(sentences)}
    tried = {at: one for at, one in free.items() if one is not sentences[at]}
    found = decoder.translate(list(tried.values()), threads=threads)
    kept = {at: one for (at, one), words in zip(tried.items(), found, strict=True) if is_kept(sentences[at], words)}
    return [kept.get(at, one) for at, one in enumerate(sentences)]


def _free(sentence: Sentence) -> Sentence:
    """The sentence without what says that some of its words are copied; code of several words still is."""
    words = sentence.words
    given = tuple(one for one in sentence.given if not _copies(one, words))
    return sentence if len(given) == len(sentence.given) else replace(sentence, given=given)


def _copies(given: Given, words: Sequence[str]) -> bool:
    (target, _), *others = given.targets
    alone = given.end == given.start + 1 and given.exclusive and not others
    return alone and target == words[given.start]


def is_kept(sentence: Input, translation: str) -> bool:
    """Whether the text of a sentence that is not words is in its translation, as often, and none else."""
    if not isinstance(sentence, Sentence):
        return True
    later = {name for name, _ in sentence.values}
    own, other = ([word for word in words_of(text) if word not in later] for text in (sentence.text, translation))
    return Counter(filter(is_verbatim, own)) == Counter(filter(is_verbatim, other))


def without_strays(sentence: Input, translation: str) -> str:
    """A translation without placeholders that its sentence does not have.

    Example:
        >>> without_strays(Sentence("open %s"), "apri %s %d")
        'apri %s'
    """
    words = words_of(translation)
    found = Counter(word for word in words if is_verbatim(word))
    if not found or not isinstance(sentence, Sentence):
        return translation
    own = Counter(words_of(sentence.text))
    given = Counter(word for one in sentence.given for target, _ in one.targets for word in words_of(target))
    # What stands for others is written later.
    later = {name for name, _ in sentence.values}
    surplus = {word: count - max(own[word], given[word]) for word, count in found.items() if word not in later}
    kept: list[str] = []
    for word in reversed(words):
        if surplus.get(word, 0) > 0:
            surplus[word] -= 1
        else:
            kept.append(word)
    return " ".join(reversed(kept))


def in_order(sentence: Input, translation: str) -> str:
    """A translation whose placeholders for a program's next value come in the order in which the program gives them.

    Example:
        >>> in_order(Sentence("%s has %d files"), "%d file di %s")
        '%s file di %d'
    """
    words = words_of(translation)
    places = [at for at, word in enumerate(words) if takes_next(word)]
    if len(places) < 2 or not isinstance(sentence, Sentence):  # noqa: PLR2004
        return translation
    own = [word for word in words_of(sentence.text) if takes_next(word)]
    if Counter(own) != Counter(words[at] for at in places):
        return translation
    for at, word in zip(places, own, strict=True):
        words[at] = word
    return " ".join(words)


def restore_tagged(
    texts: list[str],
    sentences: Sequence[Input],
    found: Sequence[str],
    target: TextSteps,
    decoder: Decoder,
    threads: int,
) -> list[str]:
    """Texts of translations with the tags of their sentences.

    Args:
        texts: Of the translations.
        sentences: What was translated.
        found: The words of the translations, as the decoder found them.
        target: The text steps of their language.
        decoder: Who says which words translate which.
        threads: How many; 0 for one per core.
    """
    places = [at for at, one in enumerate(sentences) if isinstance(one, TaggedSentence)]
    if not places:
        return texts
    own = decoder.nbest([sentences[at] for at in places], 1, derivations=True, threads=threads)
    texts = list(texts)
    for at, candidates in zip(places, own, strict=True):
        sentence: Any = sentences[at]
        if not candidates:
            texts[at] = with_tags(texts[at], sentence, found[at], (), target)
            continue
        best = candidates[0]
        if best.text != found[at]:
            # Found in another way, of which there is no derivation.
            best_text = without_strays(sentence, best.text)
            texts[at] = target.restore([sentence.fill(best_text)])[0]
        texts[at] = with_tags(texts[at], sentence, best.text, links_of(best), target)
    return texts


def links_of(candidate: Candidate) -> list[tuple[int, int]]:
    """Which words translate which; words without a link have those of their phrase."""
    links = list(candidate.links or ())
    linked = {source for source, _ in links}
    for segment in candidate.segments or ():
        for source in range(*segment.source):
            if source not in linked:
                links += [(source, at) for at in range(*segment.target)]
    return links


def with_tags(
    text: str, sentence: TaggedSentence, words: str, links: Sequence[tuple[int, int]], target: TextSteps
) -> str:
    """The text of a translation with the tags of its sentence.

    Args:
        text: Of the translation.
        sentence: What was translated.
        words: Of the translation, as the decoder found them.
        links: Which of them translate which words of the sentence.
        target: The text steps of their language.
    """
    kept = words_of(without_strays(sentence, words))
    shown = words_of(target.recase([sentence.fill(" ".join(kept))])[0])
    origins = sentence.origins
    moved_links = [(origins[source], at) for source, at in links if source < len(origins)]
    if len(kept) != len(words_of(words)):
        moved_links = _renumbered(moved_links, words_of(words), kept)
    return put_back(text, word_places(shown, text), sentence.tags, sentence.places, moved_links)


def _renumbered(links: Sequence[tuple[int, int]], words: Sequence[str], kept: Sequence[str]) -> list[tuple[int, int]]:
    """Links to words of which some were dropped, the last of each kind."""
    numbers: dict[int, int] = {}
    at = 0
    for number, word in enumerate(words):
        if at < len(kept) and kept[at] == word:
            numbers[number] = at
            at += 1
    return [(source, numbers[target]) for source, target in links if target in numbers]
