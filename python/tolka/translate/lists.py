"""Translations as lines for other programs: Moses' n-best lists, and JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tolka.translate.translator import Translation

_BAR = "|||"


def moses_lines(number: int, found: Sequence[Translation]) -> Iterator[str]:
    """The lines of one sentence in a Moses n-best list: `number ||| text ||| name= value … ||| score`.

    A text that has `|||` itself gets the tokeniser's escapes in its place.

    Example:
        >>> from tolka.translate import Translation
        >>> list(moses_lines(3, [Translation("A house.", "a house .", -1.5, {"lm": -3.0})]))
        ['3 ||| A house. ||| lm= -3 ||| -1.5']
    """
    for one in found:
        features = " ".join(f"{name}= {_number(value)}" for name, value in one.features.items())
        yield f"{number} {_BAR} {one.text.replace(_BAR, '&#124;' * 3)} {_BAR} {features} {_BAR} {_number(one.score)}"


def json_line(number: int, source: str, found: Sequence[Translation], *, several: bool) -> str:
    """One sentence as JSON: its best translation, or all that were found under `nbest`."""
    line: dict[str, Any] = {"line": number, "source": source}
    if several:
        line["nbest"] = [_plain(one) for one in found]
    else:
        line |= _plain(found[0])
    return json.dumps(line, ensure_ascii=False, allow_nan=False)


def _plain(one: Translation) -> dict[str, Any]:
    rounded = {name: float(_number(value)) for name, value in one.features.items()}
    return {"text": one.text, "words": one.words, "score": float(_number(one.score)), "features": rounded}


def _number(value: float) -> str:
    return f"{value:.7g}"
