"""MQM annotation: errors that experts marked, one a row, as Google publishes them (TSV).

A segment's score is minus the sum of its errors' weights (Freitag et al. 2021, table 4): 25 for a non-translation, 5 for
a major error, 1 for a minor one, 0.1 for a minor one of punctuation, 0 for neutral ones and for errors of the source.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tolka.judge.exchange.reading import Answers, Table
from tolka.judge.exchange.scores import implied_answers
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from os import PathLike

    from tolka.judge.answers import Answer
    from tolka.limits import Limits

_SEVERITIES = {"critical": 5.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0, "no error": 0.0}
_CONTROL = "hotw-test"  # Google's own check of attention, not an error
_NON_TRANSLATION, _PUNCTUATION = 25.0, 0.1


def read_mqm(path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Answers:
    """Read MQM errors and compare what each rater made of each segment.

    Raises:
        FormatError: The file is not such a table, with the line.
        InputError: No rater saw two systems on a segment.
    """

    def read(skipped: Counter[str]) -> Iterator[Answer]:
        table = Table(path, delimiter="\t", quoted=False, limits=limits)
        system, rater = table.need("system"), table.need("rater")
        segment = table.need("globalSegId", "seg_id", "docSegId", "segment")
        document = table.column("doc", "doc_id")
        category, severity = table.need("category"), table.need("severity")
        scores: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(dict)
        for row in table.rows():
            place = f"{row[document]}:{row[segment]}" if document is not None else row[segment]
            given = scores[row[rater], place].setdefault(table.text(row, system), [0.0])
            level = row[severity].strip().lower()
            if level == _CONTROL:
                skipped["controls of attention"] += 1
                continue
            if level not in _SEVERITIES:
                raise table.wrong(f"unknown severity {row[severity]!r}", "Critical, Major, Minor, Neutral or No-error")
            given[0] -= _weight(row[category].strip().lower(), level)
        yield from implied_answers(scores, skipped)

    return Answers(path, "mqm", read)


def _weight(category: str, severity: str) -> float:
    if category.startswith("source"):
        return 0.0
    if category.startswith("non-translation"):
        return _NON_TRANSLATION
    if severity == "minor" and category == "fluency/punctuation":
        return _PUNCTUATION
    return _SEVERITIES[severity]
