"""A gold standard without anybody's work: what aligned text says of words that a model does not know."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from os import PathLike
from typing import TYPE_CHECKING

from tolka.align import Aligner, read_links
from tolka.combine.oov.usage import Usage
from tolka.combine.oov.words import choose_unknown
from tolka.corpus import read_lines, read_pairs
from tolka.decode import words_of
from tolka.errors import InputError
from tolka.progress import SILENT
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tolka.align.links import Link
    from tolka.progress import Progress

Place = str | PathLike[str]


def gold_of(
    words: Collection[str],
    sources: Sequence[str],
    targets: Sequence[str],
    links: Iterable[Sequence[Link]],
    *,
    least: int = 1,
) -> dict[str, list[str]]:
    """What words are linked with in aligned text (Razmara 2013, section 5.4.3), most frequent first.

    A run of neighbouring target words that a word is linked with is one translation; a gap makes two of it. Punctuation alone
    is none.

    Args:
        words: Those that translations are wanted of.
        sources: Lines of words.
        targets: Their translations.
        links: Of each pair.
        least: How often a translation must come.

    Returns:
        The translations of each word that has any, in the order of `words`.

    Raises:
        InputError: The texts differ in length.

    Example:
        >>> gold_of({"kater"}, ["der kater kam", "kater"], ["the tom cat came", "hangover"],
        ...         [[(0, 0), (1, 1), (1, 2), (2, 3)], [(0, 0)]])
        {'kater': ['hangover', 'tom cat']}
    """
    aligned = list(links)
    if not len(sources) == len(targets) == len(aligned):
        raise InputError(
            f"{len(sources)} sentences, {len(targets)} translations and links of {len(aligned)}",
            hint="give texts and links that belong together line by line",
        )
    found: dict[str, Counter[str]] = {}
    wanted = set(words)
    for source, target, own in zip(sources, targets, aligned, strict=True):
        left = words_of(source)
        places = {at for at, word in enumerate(left) if word in wanted}
        if not places:
            continue
        right = words_of(target)
        for at in sorted(places):
            linked = sorted({j for i, j in own if i == at and j < len(right)})
            for _, run in groupby(enumerate(linked), lambda pair: pair[1] - pair[0]):
                text = " ".join(right[j] for _, j in run)
                if any(letter.isalnum() for letter in text):
                    found.setdefault(left[at], Counter())[text] += 1
    gold = {}
    for word in dict.fromkeys(words):
        counts = found.get(word, Counter())
        kept = sorted((text for text in counts if counts[text] >= least), key=lambda text: (-counts[text], text))
        if kept:
            gold[word] = kept
    return gold


def make_gold(
    model: Place,
    source: Place,
    target: Place,
    *,
    links: Place | None = None,
    text: Place | None = None,
    least: int = 1,
    names: bool = False,
    seed: int = 1,
    threads: int = 0,
    progress: Progress = SILENT,
) -> dict[str, list[str]]:
    """Make a gold standard for words that a model does not know, of text that has them.

    Args:
        model: The model's directory.
        source: Text as people write it.
        target: Its translation, line by line.
        links: Links of the words as the model sees them; the text is aligned if not given.
        text: Text whose unknown words are wanted; that of `source` if not given.
        least: How often a translation must come.
        names: Whether names are wanted, too.
        seed: Of aligning.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        InputError: Texts that differ in length, or no unknown word.
    """
    translator = Translator.load(model)
    pairs = list(read_pairs(source, target))
    sources = translator.source.prepare([one for one, _ in pairs], threads=threads)
    targets = translator.target.prepare([other for _, other in pairs], threads=threads)
    lines = sources if text is None else translator.source.prepare(list(read_lines(text)), threads=threads)
    usage = Usage()
    usage.add(lines)
    counts = {word: usage.count(word) for word in usage.words()}
    lang = translator.langs[0]
    unknown = choose_unknown(counts, translator.decoder.translates, usage=usage, names=names, lang=lang)
    if not unknown.words:
        raise InputError("the model knows all words of the text", path=text or source, hint="give other text")
    if links is None:
        # What has an empty side has no links.
        full = [at for at, pair in enumerate(zip(sources, targets, strict=True)) if all(one.strip() for one in pair)]
        own = [(sources[at], targets[at]) for at in full]
        found = Aligner(seed=seed, threads=threads).train(own, progress=progress).align(own)
        aligned: list[Sequence[Link]] = [()] * len(sources)
        for at, one in zip(full, found, strict=True):
            aligned[at] = one
    else:
        aligned = list(read_links(links))
    return gold_of(unknown.words, sources, targets, aligned, least=least)
