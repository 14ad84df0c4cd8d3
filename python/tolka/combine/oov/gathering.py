"""What is known before there is a graph: a text, its unknown words, and words with translations."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tolka.combine.oov.labels import open_tables, seen, sources, translations
from tolka.combine.oov.lexicons import entries_of
from tolka.combine.oov.transliteration import Transliterator
from tolka.combine.oov.usage import Usage
from tolka.combine.oov.words import Unknown, choose_unknown, why_not
from tolka.decode import words_of
from tolka.errors import InputError
from tolka.graph import Text
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.combine.oov.lexicons import Lexicon
    from tolka.combine.oov.record import Weighed
    from tolka.combine.oov.settings import OovSettings
    from tolka.combine.oov.usage import Prepared
    from tolka.grammar import Grammar
    from tolka.lm import LanguageModel
    from tolka.progress import Progress
    from tolka.translate import Translator
    from tolka.translate.bundle import OpenModel

_PAIRS = 4000
"""Pairs that letters are learnt from, at most."""
_LEAST_LETTERS, _MOST_LETTERS = 4, 20
"""Letters of their words, and of those that are written so: short words become other words too easily."""
_LEAST_OF_BRIDGES = 2
"""How often the text must have a bridge: words that come once are alike to what stands beside them by chance."""


@dataclass(frozen=True)
class Material:
    """What a graph is made of.

    Attributes:
        text: The text, as the model sees it.
        unknown: The words that need translations.
        known: Words and phrases with their translations: those of the text that a table has, and those of lexicons.
        bridges: Words of the text that may lead from one to another.
        direct: The unknown words that a lexicon translates, with what it says.
        rare: The unknown words that a table translates, being rare, with all that it says.
        sounds: How words would be written in the target language, where that is a word of it.
    """

    text: Text
    unknown: Unknown
    known: Mapping[str, Weighed]
    bridges: tuple[str, ...] = ()
    direct: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rare: Mapping[str, frozenset[str]] = field(default_factory=dict)
    sounds: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def needed(self) -> frozenset[str]:
        """The unknown words as a set."""
        return frozenset(self.unknown.words)


def gather(
    opened: OpenModel,
    translator: Translator,
    prepared: Prepared,
    settings: OovSettings,
    *,
    wanted: Sequence[str] | None = None,
    usage: Usage | None = None,
    lexicons: Sequence[Lexicon] = (),
    progress: Progress = SILENT,
) -> Material:
    """Gather what a graph is made of.

    Args:
        opened: The model.
        translator: The same, loaded.
        prepared: The text of its source language.
        settings: How translations will be found.
        wanted: Words that need translations, each as often as it comes; if not given, those of the text that come often enough.
            With them, words that are not wanted may be bridges; without, unknown words are bridges for each other.
        usage: Where wanted words come from, to tell names by; they are not looked at for names without it.
        lexicons: In the direction of the model.
        progress: Who is told.
    """
    text = Text.of([])
    with progress.task("reading", total=prepared.lines, unit="lines") as advance:
        for batch in prepared.batches():
            text.add(batch)
            advance(len(batch))
    lang = opened.description.langs[0]
    translates = translator.decoder.translates
    words = list(text.words)
    tables = open_tables(opened)
    known_words = {word for word, known in zip(words, translates(words), strict=True) if known}
    if wanted is None:
        often = {word: text.count(word) for word in words if word not in prepared.small}
        often = {word: count for word, count in often.items() if count >= settings.least}
        unknown = choose_unknown(often, translates, usage=prepared.usage, names=settings.names, lang=lang)
    else:
        own = [prepared.small.get(word, word) for word in wanted]
        together = None if usage is None else _Together(prepared.usage, usage)
        unknown = choose_unknown(own, translates, usage=together, names=settings.names, lang=lang)
    rare = _rare(tables, words, known_words, settings, progress)
    if rare:
        unknown = Unknown(tuple(sorted({*unknown.words, *rare})), unknown.tokens, unknown.left_out)
    known = _labelled(tables, text, known_words, settings, progress)
    said = _of_lexicons(lexicons, translator, {*words, *unknown.words}, settings)
    needed = set(unknown.words)
    for head, own_targets in said.items():
        if head not in known and not (" " not in head and translates([head])[0]):
            known[head] = tuple((one, 1 / len(own_targets)) for one in own_targets)
    direct = {word: tuple(said[word]) for word in unknown.words if word in said and word not in rare}
    bridges = [
        word
        for word in words
        if word not in known and why_not(word) is None and text.count(word) >= _LEAST_OF_BRIDGES
        # Where all unknown words are wanted, there would be hardly any bridge beside them.
        and (wanted is None or word not in needed)
    ]  # fmt: skip
    sounds = _sounds(known, [*unknown.words, *bridges], translator) if settings.transliterated else {}
    return Material(text, unknown, known, tuple(bridges), direct, rare, sounds)


class _Together(Usage):
    """Names by the text, or by where a word comes from if the text does not have it."""

    def __init__(self, text: Usage, other: Usage) -> None:
        super().__init__(other.begins, other.inside)
        self._text = text

    def is_name(self, word: str) -> bool:
        return self._text.is_name(word) if self._text.count(word) else super().is_name(word)


def _labelled(
    tables: Sequence[Grammar], text: Text, known: set[str], settings: OovSettings, progress: Progress
) -> dict[str, Weighed]:
    """Words of the text with their translations, and longer phrases if these are wanted."""
    phrases = sorted(word for word in known if why_not(word) is None)
    if settings.order > 1:
        pairs = {
            phrase
            for phrase in sources(tables, settings.order)
            if all(why_not(one) is None for one in phrase.split(" "))
        }
        phrases += sorted(phrase for phrase in pairs if all(word in text for word in phrase.split(" ")))
    found = {}
    with progress.task("labels", total=len(phrases), unit="words") as advance:
        for phrase in phrases:
            if own := translations(tables, phrase, settings.translations):
                found[phrase] = own
            advance(1)
    return found


def _rare(
    tables: Sequence[Grammar], words: Sequence[str], known: set[str], settings: OovSettings, progress: Progress
) -> dict[str, frozenset[str]]:
    """Known words that the tables saw seldom, with all their translations."""
    if not settings.rare:
        return {}
    listed = [word for word in words if word in known and why_not(word) is None]
    found, counted = {}, False
    with progress.task("rare words", total=len(listed), unit="words") as advance:
        for word in listed:
            count = seen(tables, word)
            counted = counted or count > 0
            if 0 < count <= settings.rare:
                found[word] = frozenset(rule.target for table in tables for rule in table.rules(word))
            advance(1)
    if listed and not counted:
        raise InputError("the table does not say how often it saw a word", hint="leave rare words out")
    return found


def _of_lexicons(
    lexicons: Sequence[Lexicon], translator: Translator, known: set[str], settings: OovSettings
) -> dict[str, list[str]]:
    if not lexicons:
        return {}
    lms = list(translator.decoder.lms.values())

    def target(lines: list[str]) -> list[str]:
        return [" ".join(_usual(word, lms) for word in words_of(line)) for line in translator.target.tokenise(lines)]

    found = entries_of(
        lexicons, source=translator.source.tokenise, target=target, known=known, longest=max(1, settings.order)
    )
    return {head: own for head, own in found.items() if all(why_not(word) is None for word in head.split(" "))}


def _sounds(known: Mapping[str, Weighed], words: Sequence[str], translator: Translator) -> dict[str, str]:
    """How words are written in the target language, as words with translations teach."""
    lms = list(translator.decoder.lms.values())

    def fits(text: str) -> bool:
        return text.isalpha() and _LEAST_LETTERS <= len(text) <= _MOST_LETTERS

    pairs = [(word, own[0][0]) for word, own in sorted(known.items()) if own and fits(word) and fits(own[0][0])]
    if not pairs or not lms:
        return {}
    learnt = Transliterator().train(pairs[:: -(-len(pairs) // _PAIRS)])

    def is_word(text: str) -> bool:
        return any(text in lm for lm in lms)

    found = {word: learnt.best(word, is_word) for word in sorted({*known, *words}) if fits(word)}
    return {word: text for word, text in found.items() if text and text != word}


def _usual(word: str, lms: Sequence[LanguageModel]) -> str:
    """A word as it is, or in lower case if it is known only so."""
    if word == word.lower() or not lms or any(word in lm for lm in lms):
        return word
    return word.lower() if any(word.lower() in lm for lm in lms) else word
