r"""Whole rankings as JSON lines, from best to worst; a list in the list is a tie.

    {"ranking": ["a", ["b", "c"], "d"], "judge": "anna", "segment": "17"}

Example:
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "rankings.jsonl"
    >>> _ = path.write_text('{"ranking": ["a", ["b", "c"]]}\n', encoding="utf-8")
    >>> [ranked.groups for ranked in read_rankings(path)]
    [(('a',), ('b', 'c'))]
    >>> len(list(read_rankings_as_answers(path)))
    3
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError
from tolka.judge.exchange.reading import Answers
from tolka.judge.exchange.wmt import read_wmt_rankings
from tolka.judge.rankings import Ranked, ranked_pair
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from os import PathLike

    from tolka.judge.answers import Answer
    from tolka.limits import Limits

MOST_RANKED = 1000  # items in one ranking: more is most likely another kind of file
_FIELDS = {"ranking", "judge", "segment", "weight"}
_HINT = 'a ranking is {"ranking": ["a", ["b", "c"]], "judge": "anna", "segment": "17"}'


def read_rankings(
    path: str | PathLike[str],
    format: str = "rankings",  # noqa: A002
    *,
    pair: str | None = None,
    criterion: str | None = None,
    limits: Limits = DEFAULT,
) -> Iterator[Ranked]:
    """Read whole rankings.

    Args:
        path: The file.
        format: "rankings", "wmt", or any other format of answers, each of which is then a ranking of two.
        pair: The language pair to read, if a WMT file holds several.
        criterion: The criterion to read, if a parity file holds several.
        limits: Caps on lines and files.

    Raises:
        SettingsError: There is no such format, or it has no language pairs or criteria.
        FormatError: The file is not of that format, with the line.
    """
    if format == "rankings" and pair is None and criterion is None:
        yield from _read(path, limits)
    elif format == "wmt" and criterion is None:
        yield from read_wmt_rankings(path, pair=pair, limits=limits)
    else:
        from tolka.judge.exchange.formats import read_answers  # noqa: PLC0415 - it knows this module

        for answer in read_answers(path, format, pair=pair, criterion=criterion, limits=limits):
            ranked = ranked_pair(answer)
            if ranked is not None:
                yield ranked


def read_rankings_as_answers(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Answers:
    """Read whole rankings taken apart into answers about two.

    Raises:
        FormatError: A line is no ranking, with the line.
        InputError: There are no rankings in it.
    """

    def read(_: Counter[str]) -> Iterator[Answer]:
        for ranked in _read(path, limits):
            yield from ranked.answers()

    return Answers(path, "rankings", read)


def _read(path: str | PathLike[str], limits: Limits) -> Iterator[Ranked]:
    for number, line in enumerate(read_lines(path, limits=limits), 1):
        if not line.strip():
            continue
        try:
            yield _ranked(json.loads(line))
        except (InputError, ValueError, RecursionError) as error:
            what = "not JSON" if isinstance(error, (json.JSONDecodeError, RecursionError)) else str(error)
            raise FormatError(what, path=path, line=number, hint=_HINT) from None


def _ranked(found: Any) -> Ranked:
    if not isinstance(found, dict) or not isinstance(found.get("ranking"), list):
        raise ValueError("a ranking must be an object with a list")  # noqa: TRY004 - the caller asks what it is
    unknown = sorted(set(found) - _FIELDS)
    if unknown:
        raise ValueError(f"unknown field {unknown[0]!r}")
    groups = [group if isinstance(group, list) else [group] for group in found["ranking"]]
    if not all(isinstance(item, str) and item for group in groups for item in group) or not all(groups):
        raise ValueError("items must be names, or lists of names that are tied")
    if sum(map(len, groups)) > MOST_RANKED:
        raise ValueError(f"a ranking of more than {MOST_RANKED:,} items")
    for name in ("judge", "segment"):
        if not isinstance(found.get(name, ""), str):
            raise ValueError(f"{name} must be text")  # noqa: TRY004
    weight = found.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise ValueError("weight must be a number")  # noqa: TRY004
    return Ranked(
        tuple(tuple(group) for group in groups), found.get("judge", ""), found.get("segment", ""), float(weight)
    )
