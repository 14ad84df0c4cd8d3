"""Mechanical Turk by files: tables of questions to upload, tables of results to read, and reviews to upload again.

Nothing here speaks to a network. A folder holds everything: `orders.jsonl` (what was asked, with the keys of test items:
keep it to yourself), `layout.html` for the project, a `hits-….csv` per batch, results as they were downloaded, a
`review-….csv` for each of them with the columns Approve and Reject filled in, `blocked.csv` and `bonuses.csv`.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.corpus import read_lines
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.files import write_atomic
from tolka.judge.platform.kinds import read_body
from tolka.judge.platform.layout import LAYOUT, answer_of_form, question_html
from tolka.judge.platform.platform import Order, Submission
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.limits import Limits

ORDERS = "orders.jsonl"
_NEEDED = ("AssignmentId", "WorkerId", "Input.order")
_TIME = "%a %b %d %H:%M:%S %Y"


class TurkFiles:
    """A folder of files that go to Mechanical Turk and come back.

    Args:
        folder: The folder; made if it is not there.
        results: Results as they were downloaded.
        language: The language of the questions, as a BCP 47 tag; that of an earlier batch if it is not said.
        limits: Caps on what is read.
    """

    def __init__(
        self, folder: Path | str, *, results: Sequence[Path] = (), language: str = "", limits: Limits = DEFAULT
    ) -> None:
        self.folder = Path(folder)
        self.language = language
        self.limits = limits
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"cannot make the folder: {error.strerror}", path=self.folder) from error
        self._tables = {path: _table(path, limits) for path in results}
        self._verdicts: dict[str, tuple[str, str]] = {}

    def orders(self) -> list[Order]:
        """Every order there is, as it was published first, with all answers wanted of it.

        Raises:
            FileError: Nothing was published from this folder.
        """
        if not (self.folder / ORDERS).exists():
            hint = "see: tolka judge turk publish"
            raise FileError("nothing was published from this folder", path=self.folder / ORDERS, hint=hint)
        return [order for order, _ in self._kept()]

    def _kept(self) -> list[tuple[Order, int]]:
        """Every order there is, and how many answers to it were asked for, on all batches together."""
        path = self.folder / ORDERS
        if not path.exists():
            return []
        found = []
        for number, line in enumerate(read_lines(path, limits=self.limits), start=1):
            try:
                one = json.loads(line)
                body = read_body(one["kind"], one["body"])
                order = Order(one["id"], one["kind"], body, int(one["wanted"]), dict(one["about"]))
                # What is asked anew is asked in the language of before.
                self.language = self.language or str(one["language"])
                found.append((order, int(one["published"])))
            except (ValueError, KeyError, TypeError, RecursionError, InputError, SettingsError) as error:
                raise FormatError(f"this is no order: {error}", path=path, line=number) from None
        return found

    def publish(self, orders: Sequence[Order]) -> None:
        """Write a table of questions per number of answers wanted; each is a batch of its own."""
        kept = self._kept()
        known = {one.id: one for one, _ in kept}
        published = Counter({one.id: number for one, number in kept})
        for order in orders:
            known.setdefault(order.id, order)
            published[order.id] += order.wanted
        # First what the house knows: a table that went out must never be about orders that it does not.
        with write_atomic(self.folder / ORDERS) as file:
            for one in known.values():
                line = {
                    "id": one.id,
                    "kind": one.kind,
                    "body": one.body.model_dump(mode="json"),
                    "wanted": one.wanted,
                    "about": dict(one.about),
                    "published": published[one.id],
                    "language": self.language,
                }
                file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")
        with write_atomic(self.folder / "layout.html") as file:
            file.write(LAYOUT)
        batch = 1 + len({path.name.split("-")[1] for path in self.folder.glob("hits-*.csv")})
        for wanted in sorted({order.wanted for order in orders}):
            rows = [
                {"order": one.id, "language": self.language, "question": question_html(one.body, self.language)}
                for one in orders
                if one.wanted == wanted
            ]
            name = f"hits-{batch}-{wanted}-answers.csv" if wanted > 1 else f"hits-{batch}-1-answer.csv"
            _write(self.folder / name, ["order", "language", "question"], rows)

    def collect(self) -> list[Submission]:
        """See `Platform`: the rows of all results, each assignment once, in the order of the files."""
        kinds = {order.id: order for order in self.orders()}
        found: dict[str, Submission] = {}
        for path, (_, rows) in self._tables.items():
            for number, row in enumerate(rows, start=2):
                if not row["AssignmentId"] or not row["WorkerId"]:
                    raise FormatError("a row has no assignment or no worker", path=path, line=number)
                order = kinds.get(row["Input.order"])
                answer = {} if order is None else answer_of_form(order.body, _given(row, path, number))
                found.setdefault(
                    row["AssignmentId"],
                    Submission(
                        row["AssignmentId"],
                        row["Input.order"],
                        row["WorkerId"],
                        answer,
                        _seconds(row.get("WorkTimeInSeconds", "")),
                        _time(row.get("SubmitTime", "")),
                    ),
                )
        return list(found.values())

    def outstanding(self) -> dict[str, int]:
        """See `Platform`: what was published less what is in the results."""
        left = Counter({order.id: number for order, number in self._kept()})
        for one in self.collect():
            left[one.order] -= 1
        return {order: number for order, number in left.items() if number > 0}

    def approve(self, submissions: Sequence[str]) -> None:
        """See `Platform`; written to the reviews."""
        self._verdicts |= dict.fromkeys(submissions, ("X", ""))
        self._write_reviews()

    def reject(self, submissions: Mapping[str, str]) -> None:
        """See `Platform`; written to the reviews."""
        self._verdicts |= {name: ("", reason) for name, reason in submissions.items()}
        self._write_reviews()

    def pay(self, worker: str, amount: float, reason: str) -> None:
        """See `Platform`; written to `bonuses.csv`, once per worker and reason."""
        _append(self.folder / "bonuses.csv", {"Worker ID": worker, "Bonus": f"{amount:.2f}", "Reason": reason}, 3)

    def block(self, worker: str, reason: str) -> None:
        """See `Platform`; written to `blocked.csv`, once per worker."""
        row = {"Worker ID": worker, "UPDATE BlockStatus": "Block", "BlockReason": reason}
        _append(self.folder / "blocked.csv", row, 1)

    def _write_reviews(self) -> None:
        for path, (heads, rows) in self._tables.items():
            names = [*heads, *(name for name in ("Approve", "Reject") if name not in heads)]
            filled = []
            for row in rows:
                approve, reject = self._verdicts.get(row["AssignmentId"], ("", ""))
                # What the platform has settled already it takes no review of.
                settled = row.get("AssignmentStatus", "Submitted") in {"Approved", "Rejected"}
                filled.append(row | ({} if settled else {"Approve": approve, "Reject": reject}))
            _write(self.folder / f"review-{path.name.split('.')[0]}.csv", names, filled)


def write_results(path: Path | str, submissions: Iterable[Submission]) -> int:
    """Write submissions in the form in which Mechanical Turk gives its results: for rehearsals. Returns how many."""
    rows = []
    for one in submissions:
        answer = dict(one.answer)
        given: dict[str, Any] = {f"tick_{at}": {"yes": True} for at in answer.get("ticked") or ()}
        if "choice" in answer:
            given["choice"] = {side: side == answer["choice"] for side in ("left", "right")}
        if answer.get("chosen") is not None:
            given["chosen"] = {str(at): at == answer["chosen"] for at in (0, 1)}
        for at, same in enumerate(answer.get("same", ())):
            given[f"same_{at}"] = {"yes": same, "no": not same}
        at_ = datetime.fromisoformat(one.at).strftime("%a %b %d %H:%M:%S UTC %Y") if one.at else ""
        rows.append(
            {
                "HITId": f"hit-{one.order}",
                "AssignmentId": one.id,
                "WorkerId": one.worker,
                "AssignmentStatus": "Submitted",
                "SubmitTime": at_,
                "WorkTimeInSeconds": "" if one.seconds is None else str(round(one.seconds)),
                "Input.order": one.order,
                "Answer.taskAnswers": json.dumps([given]),
                "Approve": "",
                "Reject": "",
            }
        )
    if not rows:
        raise InputError("there is nothing to write: nobody handed anything in")
    _write(Path(path), list(rows[0]), rows)
    return len(rows)


def _table(path: Path, limits: Limits) -> tuple[list[str], list[dict[str, str]]]:
    lines = (line + "\n" for line in read_lines(path, limits=limits))
    reader = csv.DictReader(lines, strict=True)
    try:
        heads = [head.removeprefix("\ufeff") for head in reader.fieldnames or ()]
        reader.fieldnames = heads
        missing = [name for name in _NEEDED if name not in heads]
        if missing:
            hint = "give the table of results as it was downloaded"
            raise FormatError(f"the table has no column {missing[0]}", path=path, line=1, hint=hint)
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise FormatError("the row has more or fewer columns than the head", path=path, line=reader.line_num)
            rows.append(dict(row))
    except csv.Error as error:
        raise FormatError(f"this is no CSV: {error}", path=path, line=reader.line_num) from None
    return heads, rows


def _given(row: Mapping[str, str], path: Path, line: int) -> dict[str, str]:
    """The fields of the form: from columns of their own, with or without their values, or from one column of JSON."""
    found: dict[str, str] = {}
    for head, cell in row.items():
        name = head.removeprefix("Answer.")
        if name == head or not cell:
            continue
        if name == "taskAnswers":
            found |= _from_json(cell, path, line)
        elif "." in name:
            if cell.lower() == "true":
                found[name.partition(".")[0]] = name.partition(".")[2]
        else:
            found[name] = cell
    return found


def _from_json(cell: str, path: Path, line: int) -> dict[str, str]:
    try:
        [fields] = json.loads(cell)
        found: dict[str, str] = {}
        for name, value in fields.items():
            if isinstance(value, dict):
                found.update((name, chosen) for chosen, on in value.items() if on is True)
            else:
                found[name] = str(value)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise FormatError("the column Answer.taskAnswers holds no list of one object", path=path, line=line) from None
    return found


def _seconds(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _time(cell: str) -> str:
    """A time such as `Thu Oct 09 07:30:20 UTC 2025`, in ISO 8601; empty where the zone is another or it is none."""
    words = cell.split()
    if len(words) != 6 or words[4] not in {"UTC", "GMT"}:  # noqa: PLR2004
        return ""
    try:
        found = datetime.strptime(" ".join([*words[:4], words[5]]), _TIME).replace(tzinfo=UTC)
    except ValueError:
        return ""
    return found.isoformat()


def _write(path: Path, heads: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, heads, extrasaction="ignore", lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    with write_atomic(path) as file:
        file.write(text.getvalue())


def _append(path: Path, row: Mapping[str, str], key: int) -> None:
    """Add a row to a table, unless there is one with the same first columns."""
    rows: list[dict[str, str]] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    names = list(row)[:key]
    if all(any(old.get(name) != row[name] for name in names) for old in rows):
        _write(path, list(row), [*rows, row])
