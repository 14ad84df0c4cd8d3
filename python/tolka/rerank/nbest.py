"""N-best lists: what a decoder proposes for each sentence, as Moses, cdec and tolka write it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tolka.corpus import Lines
from tolka.errors import FormatError, LimitError
from tolka.forest import Segment
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

    from tolka.limits import Limits

_BAR = "|||"
Links = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A translation of a list.

    Attributes:
        words: Its words, with blanks between them.
        features: What each of the decoder's features says, dense and sparse ones.
        score: The decoder's score, if the list has it.
        links: Source and target positions that translate each other, counted from 0, if the list has them.
        segments: Source and target spans of its phrases in the order of the target, if the list has them.
        text: As people write it, if that differs from the words.
    """

    words: str
    features: Mapping[str, float] = field(default_factory=dict)
    score: float | None = None
    links: Links | None = None
    segments: tuple[Segment, ...] | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class NBestList:
    """The translations of one sentence, best first.

    Attributes:
        number: The sentence, counted from 0.
        entries: Its translations.
        source: The words of the source, if the file has them.
    """

    number: int
    entries: tuple[Entry, ...]
    source: str | None = None


def read_nbest(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Iterator[NBestList]:
    """Read lists one after the other, plain or compressed; "-" is standard input.

    A line of Moses or cdec is `number ||| words ||| features ||| score`, and may go on with `||| links` (`0-0 1-2`) and
    `||| phrases` (`0-1=0-2`, positions of first and last words), in either order; what comes after the words may be left
    out. Features are `Name= 1.5 2.5 …`, `name=1.5`, `name: 1.5` or bare numbers; several values under one name are called
    `Name_0`, `Name_1`, …, and bare ones `F0`, `F1`, …. A line of JSON is a whole list, as `tolka translate --nbest --json`
    writes it.

    Raises:
        FormatError: A line that is none of these, with its number.
        LimitError: A list or sentence that is too long.
    """
    lines = Lines(path, limits=limits)
    yield from parse_nbest(lines, name=lines.name, limits=limits)


def parse_nbest(
    lines: Iterable[str], *, name: str | PathLike[str] | None = None, limits: Limits = DEFAULT
) -> Iterator[NBestList]:
    """As `read_nbest`, from lines.

    Example:
        >>> found = list(parse_nbest(["0 ||| a house ||| LM0= -3 TM0= 1 2 ||| -1.5 ||| 0-0 1-1", "1 ||| a cat"]))
        >>> found[0].entries[0].features, found[0].entries[0].links
        ({'LM0': -3.0, 'TM0_0': 1.0, 'TM0_1': 2.0}, ((0, 0), (1, 1)))
        >>> [own.number for own in found]
        [0, 1]
    """
    number, entries = -1, list[Entry]()
    for at, line in enumerate(lines, 1):
        try:
            if line.startswith("{"):
                if entries:
                    yield NBestList(number, tuple(entries))
                    entries = []
                own = _from_json(line)
                _rises(own.number, number, again=False)
                number = own.number
                _check(own.entries, len(own.entries), limits)
                yield own
                continue
            found, entry = _from_bars(line)
            _rises(found, number, again=bool(entries))
            if found != number and entries:
                yield NBestList(number, tuple(entries))
                entries = []
            number = found
            entries.append(entry)
            _check(entries[-1:], len(entries), limits)
        except _MalformedError as error:
            raise FormatError(error.what, path=name, line=at, hint=error.hint) from None
        except LimitError as error:
            raise LimitError(error.what, path=name, line=at, hint=error.hint) from None
    if entries:
        yield NBestList(number, tuple(entries))


class _MalformedError(Exception):
    """What is wrong with a line, before its place is known."""

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what)
        self.what, self.hint = what, hint


def _rises(found: int, before: int, *, again: bool) -> None:
    if found < before or (found == before and not again):
        raise _MalformedError(
            f"sentence {found} comes after sentence {before}", "sort the lists by their sentences' numbers"
        )


def _check(entries: Iterable[Entry], count: int, limits: Limits) -> None:
    if count > limits.nbest:
        raise LimitError(f"a sentence has more than {limits.nbest} translations", hint="raise the limit: TOLKA_NBEST")
    most = limits.sentence_tokens
    if any(entry.words.count(" ") >= most for entry in entries):
        raise LimitError(f"a translation has more than {most} words", hint="raise the limit: TOLKA_SENTENCE_TOKENS")


def _from_bars(line: str) -> tuple[int, Entry]:
    number, *fields = (part.strip() for part in line.split(_BAR))
    if not fields:
        raise _MalformedError("a list has lines like `0 ||| words ||| features ||| score`")
    if not number.isdecimal():
        raise _MalformedError(f"{number!r} is no number of a sentence")
    words, features, score, *more = (*fields, *([""] * (3 - len(fields))))
    links: Links | None = None
    segments: tuple[Segment, ...] | None = None
    for part in more:
        if "=" in part and segments is None:
            segments = _segments(part.split())
        elif "=" not in part and links is None:
            links = _links(part.split())
        elif not part and segments is None:
            segments = ()
        else:
            raise _MalformedError(f"the field {part[:40]!r} is one too many", "after the score come links and phrases")
    return int(number), Entry(
        " ".join(words.split()), _features(features.split()), _number(score) if score else None, links, segments
    )


def _features(tokens: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    name, values = "", list[float]()

    def close() -> None:
        if name and not values:
            raise _MalformedError(f"the feature {name!r} has no value")
        for place, value in enumerate(values):
            full = f"F{place}" if not name else name if len(values) == 1 else f"{name}_{place}"
            if full in found:
                raise _MalformedError(f"the feature {full!r} comes twice")
            found[full] = value

    for token in tokens:
        head, sign, value = token.rpartition("=")
        if len(token) > 1 and ((sign and not value) or token[-1] == ":"):
            close()
            name, values = token[:-1], []
        elif sign and head:
            close()
            name, values = head, [_number(value)]
            close()
            name, values = "", []
        else:
            values.append(_number(token))
    close()
    return found


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or "_" in text:
        raise _MalformedError(f"{text[:40]!r} is not a finite number")
    return value


def _links(tokens: list[str]) -> Links:
    try:
        found = tuple((int(one), int(other)) for one, _, other in (token.partition("-") for token in tokens))
    except ValueError:
        raise _MalformedError(f"{' '.join(tokens)[:40]!r} are no links like 0-0 1-2") from None
    return found


def _segments(tokens: list[str]) -> tuple[Segment, ...]:
    found = []
    for token in tokens:
        source, _, target = token.partition("=")
        found.append(Segment(_span(source, token), _span(target, token)))
    return tuple(sorted(found, key=lambda segment: (segment.target, segment.source)))


def _span(text: str, token: str) -> tuple[int, int]:
    first, sign, last = text.partition("-")
    try:
        begin = int(first)
        end = (int(last) if sign else begin) + 1
    except ValueError:
        raise _MalformedError(f"{token[:40]!r} is no phrase like 0-1=0-2") from None
    if not 0 <= begin <= end:
        raise _MalformedError(f"the phrase {token[:40]!r} ends before it begins")
    return begin, end


def _from_json(line: str) -> NBestList:
    try:
        found = json.loads(line)
        own = found.get("nbest", [found])
        entries = tuple(_from_object(one) for one in own)
        source = found.get("source_words")
        number = found["line"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        hint = "write them with `tolka translate --nbest N --json`"
        raise _MalformedError("the line is no JSON list of translations", hint) from None
    if not isinstance(number, int) or number < 0 or not isinstance(source, str | None):
        raise _MalformedError("`line` is no number of a sentence, or `source_words` no text")
    return NBestList(number, entries, source)


def _from_object(one: Mapping[str, Any]) -> Entry:
    features = {
        str(name): _finite(value) for name, value in {**one.get("features", {}), **one.get("sparse", {})}.items()
    }
    links = one.get("links")
    segments = one.get("segments")
    return Entry(
        " ".join(str(one["words"]).split()),
        features,
        _finite(one["score"]) if "score" in one else None,
        None if links is None else tuple(_pair(link) for link in links),
        None if segments is None else tuple(Segment(_pair(source), _pair(target)) for source, target in segments),
        str(one["text"]) if "text" in one else None,
    )


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise _MalformedError(f"{str(value)[:40]!r} is not a finite number")
    return float(value)


def _pair(values: Any) -> tuple[int, int]:
    first, second = values
    if not (isinstance(first, int) and isinstance(second, int)) or first < 0 or second < 0:
        raise _MalformedError(f"{str(values)[:40]} are no two positions")
    return first, second
