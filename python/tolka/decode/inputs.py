"""Inputs written as lines: lattices and sentences with what is known of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from tolka import _engine
from tolka.decode.lattice import Lattice
from tolka.decode.sentence import Given, Sentence, lines_and_spans
from tolka.decode.spans import Span
from tolka.errors import FormatError, InputError, SettingsError, TolkaError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.decode.sentence import Input

InputFormat = Literal["text", "plf", "plf-log", "json"]
"""How lines say what is to be translated: as text, or as lattices whose arcs have probabilities (`plf`) or logarithms
(`plf-log`), or as JSON (`json`), with natural logarithms."""

_KINDS = ("text", "arcs", "slots")
_KEYS = {*_KINDS, "spans", "walls", "given"}


def read_input(text: str, kind: InputFormat, *, line: int | None = None) -> Sentence | Lattice:
    """Read what a line says; its words are those of the model.

    Args:
        text: The line.
        kind: How it is written. A blank line is an empty sentence in any of them.
        line: Its number, for error messages.

    Raises:
        FormatError: The line is not written like that.
        InputError: It makes no sense.
        LimitError: It is too large.

    Example:
        >>> read_input('{"slots": [["das"], [["haus", -0.1], ["maus", -2.3]]], "walls": [1]}', "json").walls
        (1,)
        >>> read_input('{"text": "das haus", "spans": [[0, 2, "whole"]]}', "json").spans
        (Span(start=0, end=2, kind='whole'),)
    """
    if kind == "text" or not text.strip(" \t\r\n"):
        return Sentence(text)
    try:
        if kind == "json":
            return _object(_parse(text))
        if kind not in {"plf", "plf-log"}:
            raise SettingsError(f"unknown format {kind!r}", hint="use text, plf, plf-log or json")
        return Lattice.from_plf(text, scores="log" if kind == "plf-log" else "probability")
    except TolkaError as error:
        error.line = line
        raise


def check_inputs(inputs: Sequence[Input], *, first: int = 1) -> None:
    """Look for inputs that no decoder takes: spans that cross or are outside, lattices that are too large.

    Args:
        inputs: What is to be translated.
        first: The line of the first, for error messages.

    Raises:
        InputError: One of them makes no sense.
        LimitError: One of them is too large.

    Example:
        >>> check_inputs([Sentence("a b c", spans=[Span(0, 2), Span(1, 3)])], first=7)
        Traceback (most recent call last):
        tolka.errors.InputError: line 7: the spans from 0 to 2 and from 1 to 3 cross; put one inside of the other, or keep them apart
    """
    lines, given = lines_and_spans(inputs)
    try:
        _engine.check_inputs(lines, given=given)
    except TolkaError as error:
        error.line = None if error.line is None else error.line + first - 1
        raise


def _parse(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        _fail("lists within lists without end")
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not JSON: {error.msg}", byte=len(text[: error.pos].encode("utf-8", "replace")) + 1, hint=_HINT
        ) from None
    except ValueError:  # Python's limit on digits
        _fail("a number of too many digits")
    if not isinstance(data, dict):
        _fail("the line is not an object")
    # JSON can spell halves of characters.
    if "\\u" in text and any("\ud800" <= sign <= "\udfff" for sign in json.dumps(data, ensure_ascii=False)):
        _fail("a part of a word is not a character")
    return data


def _object(data: dict[str, Any]) -> Sentence | Lattice:
    unknown = sorted(data.keys() - _KEYS)
    if unknown:
        _fail(f"there is an unknown key {unknown[0]!r}")
    kinds = [kind for kind in _KINDS if kind in data]
    if len(kinds) != 1:
        _fail("there must be one of text, slots and arcs")
    spans = tuple(Span(*_fields(one, (int, int, str), 2)) for one in _list(data, "spans"))
    walls = tuple(_fields([one], (int,), 1)[0] for one in _list(data, "walls"))
    if "text" in data:
        if not isinstance(data["text"], str):
            _fail("the text is not a string")
        return Sentence(data["text"], tuple(_given(one) for one in _list(data, "given")), (), spans, walls)
    if "given" in data:
        raise InputError("translations cannot be given for the spans of a lattice", hint="give a text")
    if "arcs" in data:
        arcs = tuple(_fields(one, (int, int, str, float), 3) for one in _list(data, "arcs"))
        return Lattice(arcs, spans, walls)  # type: ignore[arg-type]
    slots = [[one if isinstance(one, str) else _fields(one, (str, float), 1) for one in _items(slot, "slots")]
             for slot in _list(data, "slots")]  # fmt: skip
    return Lattice(Lattice.from_confusion(slots).arcs, spans, walls)


def _given(one: Any) -> Given:
    start, end, targets, *exclusive = _fields(one, (int, int, list, bool), 3)
    return Given(start, end, tuple(_fields(target, (str, float), 2) for target in targets), *exclusive)


def _list(data: dict[str, Any], key: str) -> list[Any]:
    return _items(data.get(key, []), key)


def _items(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        _fail(f"{key} are not a list")
    return value


def _fields(value: Any, kinds: tuple[type, ...], least: int) -> tuple[Any, ...]:
    """The items of a list, checked; the last may be missing."""
    if not isinstance(value, list) or not least <= len(value) <= len(kinds):
        _fail(f"{_short(value)} is not a list of {least} to {len(kinds)} items")
    for item, kind in zip(value, kinds, strict=False):
        numbers = (int, float) if kind is float else (kind,)
        if not isinstance(item, numbers) or (isinstance(item, bool) and kind is not bool):
            _fail(f"{_short(item)} is not {_NAMES[kind]}")
    return tuple(value)


_NAMES = {int: "a whole number", float: "a number", str: "a string", list: "a list", bool: "true or false"}
_HINT = 'write lines like {"arcs": [[0, 1, "ein", -0.1], [1, 2, "haus"]]}'


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 60 else text[:56] + " …"  # noqa: PLR2004 - what fits a line


def _no_constant(name: str) -> NoReturn:
    _fail(f"{name} is not a finite number")


def _fail(what: str) -> NoReturn:
    raise FormatError(f"not an input: {what}", hint=_HINT)
