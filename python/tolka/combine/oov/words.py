"""Which words need translations: those that no table of a model translates, but for numbers, names and the like."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tolka.errors import InputError
from tolka.markup import is_address, is_verbatim, unmarked
from tolka.markup.tags import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from tolka.combine.oov.usage import Usage
    from tolka.translate import Translator

    Knows = Callable[[Sequence[str]], list[bool]]

# They write nouns with capitals, so that a capital does not make a name.
_CAPITAL_NOUNS = {"de", "gsw", "lb", "bar", "nds", "pfl", "ksh"}
# What a table's file would take for something else.
_SIGNS = frozenset("|[]")
_LONGEST = 100
"""Letters of a word, at most: what is longer is no word of a language."""


@dataclass(frozen=True)
class Unknown:
    """Words that need translations.

    Attributes:
        words: In alphabetical order.
        tokens: How often they come in the text that they are of.
        left_out: How many words are none of them, by the reason.
    """

    words: tuple[str, ...]
    tokens: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


def capitalises_nouns(lang: str) -> bool:
    """Whether a language writes nouns with capitals.

    Example:
        >>> capitalises_nouns("de-AT"), capitalises_nouns("en")
        (True, False)
    """
    return lang.replace("_", "-").partition("-")[0].lower() in _CAPITAL_NOUNS


def why_not(word: str) -> str | None:
    """Why a word needs no translation of its own, whatever the model knows; None if it may.

    Example:
        >>> [why_not(word) for word in ("Kater", "1999", "B5-17", "...", "$num_1", "me@example.org")]
        [None, 'numbers', 'numbers', 'signs', 'placeholders and addresses', 'placeholders and addresses']
    """
    text = plain(unmarked(word))
    if word.startswith("$") or is_address(word) or is_verbatim(word):
        return "placeholders and addresses"
    if any(letter.isdigit() for letter in text):
        return "numbers"
    if not any(letter.isalpha() for letter in text) or _SIGNS & set(word) or len(word) > _LONGEST:
        return "signs"
    return None


def choose_unknown(
    words: Iterable[str] | Mapping[str, int],
    translates: Knows,
    *,
    usage: Usage | None = None,
    names: bool = False,
    lang: str = "",
) -> Unknown:
    """Those of some words that a model does not know, without numbers, placeholders, signs and names.

    Args:
        words: Words, each as often as it comes, or with how often.
        translates: Says which words the model translates by themselves.
        usage: Tells names; words are not looked at for names without it.
        names: Whether names are unknown words, too.
        lang: Of the words; some write nouns as others write names.
    """
    counts = Counter(words)
    listed = sorted(counts)
    left_out: Counter[str] = Counter()
    found = []
    for word, known in zip(listed, translates(listed) if listed else [], strict=True):
        reason = "known words" if known else why_not(word)
        if reason is None and usage is not None and not names and not capitalises_nouns(lang) and usage.is_name(word):
            reason = "names"
        if reason is None:
            found.append(word)
        else:
            left_out[reason] += 1
    return Unknown(tuple(found), sum(counts[word] for word in found), dict(sorted(left_out.items())))


def given_words(lines: Iterable[str], translator: Translator, seen: Collection[str]) -> tuple[list[str], int]:
    """Words that a person lists, one a line, as a model sees them: in the case that a text has, if it has them in one only.

    Args:
        lines: Of words; empty ones are skipped.
        translator: The model.
        seen: Words of the text.

    Returns:
        The words, and how many lines are not one word for the model.

    Raises:
        InputError: There is none.
    """
    texts = [" ".join(line.split()) for line in lines if line.strip()]
    if not texts:
        raise InputError("the list of words is empty", hint="give a word a line")
    found, several = dict[str, None](), 0
    for words in translator.source.tokenise(texts):
        own = words.split()
        if len(own) != 1:
            several += 1
            continue
        [word] = own
        found.setdefault(word if word in seen or word.lower() not in seen else word.lower())
    return list(found), several
