"""From text as people write it to the words that models know, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tolka.corpus import CleanSettings, Detokeniser, Tokeniser
from tolka.corpus.clean import RULES
from tolka.decode import Sentence, words_of
from tolka.errors import InputError
from tolka.markup import is_address, is_verbatim, lift, mask, mask_pair, number_styles, without_tags
from tolka.translate.tagged import moved

if TYPE_CHECKING:
    from tolka.corpus import CompoundSplitter, Truecaser
    from tolka.markup import Tag
    from tolka.translate.description import TextSettings


class TextSteps:
    """The steps between the text of one language and its words.

    `prepare` normalises, tokenises, truecases, splits compounds and masks numbers and addresses; `restore` puts capitals
    back and joins the words. Text that is tokenised already passes through untouched, but for its compounds and masks.

    Attributes:
        lang: The language.
        settings: Which steps are taken, and how.
        truecaser: What is known of the case of words, if that step is taken.
        compounds: What splits compounds, if that step is taken.

    Example:
        >>> from tolka.corpus import Truecaser
        >>> from tolka.translate import TextSettings
        >>> known = Truecaser().train(["It is the house .", "I like it , the house ."])
        >>> steps = TextSteps("en", TextSettings(), known)
        >>> steps.prepare(["The  house, it's big."])
        ['the house , it &apos;s big .']
        >>> steps.restore(steps.prepare(["The  house, it's big."]))
        ["The house, it's big."]
    """

    def __init__(
        self,
        lang: str,
        settings: TextSettings,
        truecaser: Truecaser | None = None,
        compounds: CompoundSplitter | None = None,
    ) -> None:
        self.lang = lang
        self.settings = settings
        self.truecaser = truecaser
        self.compounds = compounds
        if settings.tokenised:
            return
        if settings.truecase and truecaser is None:
            raise InputError(f"truecasing is asked for without a truecaser of {lang}")
        self._tokeniser = Tokeniser(
            lang,
            escape=settings.escape,
            protect=settings.protect,
            notation=settings.notation,
            abbreviations=settings.abbreviations,
        )
        self._detokeniser = Detokeniser(lang)
        # The cleaner without its rules only normalises.
        self._normaliser = CleanSettings(
            without=RULES, invisible=settings.invisible, nfc=settings.nfc, spaces=settings.spaces
        ).start()

    def prepare(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """The words of each line, with spaces between."""
        words = self.unmasked(lines, threads=threads)
        return [" ".join(mask(words_of(line))[0]) for line in words] if self.settings.masked else words

    def unmasked(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """The words of each line before numbers and addresses are masked."""
        return self.split(self.truecase(self.tokenise(lines, threads=threads), threads=threads), threads=threads)

    def tokenise(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """The words of each line as they are written."""
        if self.settings.tokenised:
            return lines
        lines = self._normalised(lines, threads)
        return self._tokeniser.lines(without_tags(lines) if self.settings.notation else lines, threads)

    def _normalised(self, lines: list[str], threads: int) -> list[str]:
        return self._normaliser.clean(lines, [""] * len(lines), threads)[0]

    def lift(self, line: str) -> tuple[str, tuple[Tag, ...]]:
        """A line without its inline tags, and the tags; those of models that know none stay."""
        if self.settings.tokenised or not self.settings.notation:
            return line, ()
        found = lift(line)
        return lift(self._normalised([line], 1)[0]) if found[1] else found

    def truecase(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """Lines of words in their usual case."""
        if self.settings.tokenised or not self.settings.truecase or self.truecaser is None:
            return lines
        return self.truecaser.truecase_lines(lines, threads=threads)

    def split(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """Lines of words with their compounds split."""
        return lines if self.compounds is None else self.compounds.split_lines(lines, threads=threads)

    def restore(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """The text that each line's words stand for."""
        if self.settings.tokenised:
            return lines
        return self._detokeniser.lines(self.recase(lines, threads=threads), threads)

    def recase(self, lines: list[str], *, threads: int = 0) -> list[str]:
        """Lines of words with the capitals that begin sentences."""
        if self.settings.tokenised or not self.settings.truecase or self.truecaser is None:
            return lines
        recased = self.truecaser.recase_lines(lines, threads=threads)
        # An address that begins a sentence is no word of it.
        as_it_is = is_verbatim if self.settings.notation else is_address
        pairs = zip(lines, recased, strict=True)
        return [old if as_it_is(old.partition(" ")[0]) else new for old, new in pairs]


def prepare_pairs(
    source: TextSteps, target: TextSteps, sources: list[str], targets: list[str], *, threads: int = 0
) -> tuple[list[str], list[str]]:
    """The words of sentences and of their translations; what is masked is masked in both."""
    lines = source.unmasked(sources, threads=threads), target.unmasked(targets, threads=threads)
    return mask_lines(*lines, source.lang, target.lang) if source.settings.masked else lines


def mask_lines(sources: list[str], targets: list[str], source: str, target: str) -> tuple[list[str], list[str]]:
    """Lines of words of two languages with placeholders for what both have."""
    styles = number_styles(source, target)
    pairs = [
        mask_pair(words_of(one), words_of(other), styles=styles) for one, other in zip(sources, targets, strict=True)
    ]
    return [" ".join(one) for one, _ in pairs], [" ".join(other) for _, other in pairs]


def split_sentence(sentence: Sentence, compounds: CompoundSplitter | None) -> Sentence:
    """The sentence with its compounds split, except in words whose translation is given for good.

    Example:
        >>> from tolka.corpus import CompoundSplitter
        >>> from tolka.decode import Given, Sentence
        >>> known = CompoundSplitter(min_count=1).train(["regen wald"])
        >>> split = split_sentence(Sentence("im regenwald hier", (Given(2, 3, (("here", 0.0),)),)), known)
        >>> split.text, split.given
        ('im regen wald hier', (Given(start=3, end=4, targets=(('here', 0.0),), exclusive=True),))
    """
    if compounds is None:
        return sentence
    words = words_of(sentence.text)
    fixed = {at for span in sentence.given if span.exclusive for at in range(span.start, span.end)}
    split: list[str] = []
    begins: list[int] = []
    for at, word in enumerate(words):
        begins.append(len(split))
        split += ([] if at in fixed else compounds.parts(word)) or [word]
    if len(split) == len(words):
        return sentence
    begins.append(len(split))
    given = tuple(replace(span, start=begins[span.start], end=begins[span.end]) for span in sentence.given)
    spans = tuple(replace(span, start=begins[span.start], end=begins[span.end]) for span in sentence.spans)
    walls = tuple(begins[wall] for wall in sentence.walls)
    origins = [at for at in range(len(words)) for _ in range(begins[at], begins[at + 1])]
    return moved(replace(sentence, text=" ".join(split), given=given, spans=spans, walls=walls), origins)
