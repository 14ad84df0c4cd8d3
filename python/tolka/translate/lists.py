"""Translations as lines for other programs: Moses' n-best lists, and JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tolka.translate.translator import Translation

_BAR = "|||"


def moses_lines(number: int, found: Sequence[Translation]) -> Iterator[str]:
    """The lines of one sentence in a Moses n-best list: `number ||| text ||| name= value … ||| score`.

    A text that has `|||` itself gets the tokeniser's escapes in its place. A translation with its derivation is written as
    words, since these are what `||| links ||| phrases` at the end of the line are about: `0-0 1-2`, and `0-1=0-2` with first
    and last words of a phrase and of what it became. One that a correction made has how similar that is as `memory= 1`.

    Example:
        >>> from tolka.translate import Translation
        >>> list(moses_lines(3, [Translation("A house.", "a house .", -1.5, {"lm": -3.0})]))
        ['3 ||| A house. ||| lm= -3 ||| -1.5']
    """
    for one in found:
        said = one.features | one.sparse | ({} if one.memory is None else {"memory": one.memory.similarity})
        features = " ".join(f"{name}= {_number(value)}" for name, value in said.items())
        text = one.text if one.links is None else one.words
        line = f"{number} {_BAR} {text.replace(_BAR, '&#124;' * 3)} {_BAR} {features} {_BAR} {_number(one.score)}"
        yield line if one.links is None else f"{line} {_BAR} {_pairs(one)}"


def json_line(
    number: int, source: str, found: Sequence[Translation], *, several: bool, source_words: str | None = None
) -> str:
    """One sentence as JSON: its best translation, or all that were found under `nbest`."""
    line: dict[str, Any] = {"line": number, "source": source}
    if source_words is not None:
        line["source_words"] = source_words
    if several:
        line["nbest"] = [_plain(one) for one in found]
    else:
        line |= _plain(found[0])
    return json.dumps(line, ensure_ascii=False, allow_nan=False)


def _plain(one: Translation) -> dict[str, Any]:
    rounded = {name: float(_number(value)) for name, value in (one.features | one.sparse).items()}
    plain: dict[str, Any] = {"text": one.text, "words": one.words, "score": float(_number(one.score))}
    plain["features"] = rounded
    if one.memory is not None:
        plain["memory"] = asdict(one.memory)
    if one.links is not None and one.segments is not None:
        plain |= {"links": one.links, "segments": one.segments}
    return plain


def _pairs(one: Translation) -> str:
    links = " ".join(f"{source}-{target}" for source, target in one.links or ())
    # Phrases that became nothing have no last word.
    phrases = " ".join(
        f"{_span(segment.source)}={_span(segment.target)}"
        for segment in one.segments or ()
        if segment.source[0] < segment.source[1] and segment.target[0] < segment.target[1]
    )
    return f"{links} {_BAR} {phrases}"


def _span(span: tuple[int, int]) -> str:
    begin, end = span
    return f"{begin}" if end == begin + 1 else f"{begin}-{end - 1}"


def _number(value: float) -> str:
    return f"{value:.7g}"
