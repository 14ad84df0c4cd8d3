"""Placeholders: tokens like `$num_1` that stand for numbers and addresses while a model learns and translates.

Training text is masked on both sides, where both have the same items; the grammar and the language model then learn how
`$num_1` moves, whatever the number is. Text to translate is masked too, and what the placeholders stand for is put into
the translation.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tolka.decode import Sentence, words_of
from tolka.markup.items import Kind, NumberStyle, convert_number, find_addresses, is_address, is_number, number_style

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    Styles = tuple[NumberStyle, NumberStyle] | None

_LEAST_DIGITS = 2
_PLACEHOLDER = re.compile(r"\$(?:num|url|mail)_\d+")
_PLAIN = NumberStyle(".", "")


def number_styles(source: str, target: str) -> Styles:
    """How two languages write numbers, if it is known of both."""
    own, other = number_style(source), number_style(target)
    return None if own is None or other is None else (own, other)


def mask(tokens: Sequence[str], *, keep: Collection[int] = ()) -> tuple[list[str], dict[str, str]]:
    """Put placeholders in the place of addresses, and of numbers of at least two digits.

    Smaller numbers stay: languages write them as words as often as not, and models know them. So does everything in a
    sentence that has words that look like placeholders.

    Args:
        tokens: Of a sentence.
        keep: Places of tokens that stay.

    Returns:
        The tokens, and what each placeholder stands for.

    Example:
        >>> mask("1999 kostete es 3,50 auf www.example.org".split())
        (['$num_1', 'kostete', 'es', '$num_2', 'auf', '$url_1'], {'$num_1': '1999', '$num_2': '3,50', '$url_1': 'www.example.org'})
    """
    if any(map(_PLACEHOLDER.fullmatch, tokens)):
        return list(tokens), {}
    return _replace(tokens, [None if at in keep else kind_of(token) for at, token in enumerate(tokens)])


def mask_sentence(sentence: Sentence, styles: Styles = None) -> Sentence:
    """Put placeholders into a sentence, except where it has translations of its own.

    Args:
        sentence: To be translated by a model of masked text.
        styles: How the two languages write numbers, to write them as the target language does.

    Example:
        >>> mask_sentence(Sentence("im Jahr 1999"))
        Sentence(text='im Jahr $num_1', given=(), values=(('$num_1', '1999'),), spans=(), walls=())
    """
    kept = {at for span in sentence.given for at in range(span.start, span.end)}
    masked, values = mask(words_of(sentence.text), keep=kept)
    if styles is not None:
        values = {name: convert_number(value, *styles) for name, value in values.items()}
    return replace(sentence, text=" ".join(masked), values=(*sentence.values, *values.items()))


def mask_pair(
    source: Sequence[str],
    target: Sequence[str],
    *,
    styles: Styles = None,
) -> tuple[list[str], list[str]]:
    """Put placeholders into a sentence and its translation, for items that both have equally often.

    Args:
        source: Tokens.
        target: Tokens of the translation.
        styles: How the two languages write numbers, so that `3,5` and `3.5` are the same.

    Example:
        >>> mask_pair("im Jahr 1999 kamen 25".split(), "in 1999 twenty-five came".split())
        (['im', 'Jahr', '$num_1', 'kamen', '25'], ['in', '$num_1', 'twenty-five', 'came'])
    """
    if any(map(_PLACEHOLDER.fullmatch, (*source, *target))):
        return list(source), list(target)
    own = styles or (None, None)
    keys = [[_key(token, style) for token in tokens] for tokens, style in zip((source, target), own, strict=True)]
    counts = [Counter(key for key in side if key is not None) for side in keys]
    shared = {key for key, count in counts[0].items() if counts[1][key] == count}
    kinds = [key[0] if key in shared and key is not None else None for key in keys[0]]
    masked, _ = _replace(source, kinds)
    # The target's items get the numbers of the source's, in turn.
    waiting: dict[tuple[Kind, str], list[str]] = {}
    for key, token, old in zip(keys[0], masked, source, strict=True):
        if key in shared and key is not None and token != old:
            waiting.setdefault(key, []).append(token)
    other = [
        waiting[key].pop(0) if key is not None and key in waiting else token
        for key, token in zip(keys[1], target, strict=True)
    ]
    return masked, other


def unmask(text: str, values: Mapping[str, str]) -> str:
    """Put into a line of tokens what its placeholders stand for.

    Example:
        >>> unmask("it cost $num_1", {"$num_1": "3.50"})
        'it cost 3.50'
    """
    return " ".join(values.get(token, token) for token in text.split(" ")) if values else text


def kind_of(token: str) -> Kind | None:
    """What kind of item a token is, if it is one that is masked."""
    if is_number(token):
        return "num" if sum(sign.isdigit() for sign in token) >= _LEAST_DIGITS else None
    return find_addresses(token)[0].kind if is_address(token) else None


def _key(token: str, style: NumberStyle | None) -> tuple[Kind, str] | None:
    kind = kind_of(token)
    if kind is None:
        return None
    return kind, convert_number(token, style, _PLAIN) if kind == "num" and style is not None else token


def _replace(tokens: Sequence[str], kinds: Iterable[Kind | None]) -> tuple[list[str], dict[str, str]]:
    counts: Counter[str] = Counter()
    masked, values = list[str](), dict[str, str]()
    for token, kind in zip(tokens, kinds, strict=True):
        if kind is None:
            masked.append(token)
            continue
        counts[kind] += 1
        name = f"${kind}_{counts[kind]}"
        values[name] = token
        masked.append(name)
    return masked, values
