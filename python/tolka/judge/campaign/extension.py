"""New systems, segments and test questions join a campaign that runs.

What was answered stays and counts: scores are comparable between all items that answers connect, so that a new system
needs answers about itself alone (Mohammad 2012, section 3.6: cheap to extend). Nothing that is there changes; a text
that differs from the one judges have seen is refused.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from tolka.errors import InputError, LimitError
from tolka.judge.campaign import schema
from tolka.judge.campaign.campaign import MATERIAL
from tolka.judge.campaign.material import MOST_ITEMS, BlankTest, Rows, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from tolka.judge.campaign.campaign import Campaign
    from tolka.judge.campaign.material import ChoiceTest, Lines

_CHUNK = 5000
EXTENDED = "extended"  # the line of the audit log that says so


@dataclass(frozen=True)
class Extension:
    """What joined.

    Attributes:
        items: Names of new items.
        segments: How many new segments.
        outputs: How many new outputs.
        questions: How many new questions: pairs of outputs of a segment that differ.
        tests: How many new test questions.
    """

    items: tuple[str, ...]
    segments: int
    outputs: int
    questions: int
    tests: int


@dataclass(frozen=True)
class _There:
    """What the campaign has, by name."""

    items: dict[str, int]
    segments: dict[str, tuple[int, Segment]]
    texts: dict[tuple[int, int], str]
    tests: tuple[int, set[tuple[str, str]]]

    @classmethod
    def read(cls, connection: Connection) -> _There:
        item, segment, test = schema.item.c, schema.segment.c, schema.test.c
        rows = connection.execute(select(schema.segment).order_by(segment.id))
        kept = {(row.kind, row.body) for row in connection.execute(select(schema.test))}
        last = connection.execute(select(func.max(test.id))).scalar()
        return cls(
            items={row.name: row.id for row in connection.execute(select(schema.item).order_by(item.id))},
            segments={row.name: (row.id, Segment(row.name, row.source, row.reference)) for row in rows},
            texts={(row.segment_id, row.item_id): row.text for row in connection.execute(select(schema.output))},
            tests=(0 if last is None else last + 1, kept),
        )


def extend(
    campaign: Campaign,
    more: Lines | Rows | None = None,
    *,
    tests: Sequence[BlankTest | ChoiceTest] = (),
    actor: str = "owner",
) -> Extension:
    """Let systems, segments or test questions join; servers that run take them in by themselves.

    Args:
        campaign: The campaign.
        more: Rows name their segments. Lines are the campaign's segments in their order, as far as there are such, and
            new ones beyond; or new ones altogether, if known systems say something else there.
        tests: More test questions.
        actor: For the audit log.

    Raises:
        InputError: Something is there already and differs, or the lines fit no segments.

    Example:
        >>> import tempfile
        >>> from tolka.judge.campaign import Material, create_campaign
        >>> rows = [{"item": item, "text": item.upper()} for item in "abc"]
        >>> with create_campaign(tempfile.mkdtemp(), Material.of_rows(rows[:2], where="rows")) as campaign:
        ...     extend(campaign, Rows.read(rows, where="rows")).questions, campaign.items
        (2, ('a', 'b', 'c'))
    """
    before = campaign.questions.number()
    with campaign.store.writing() as connection:
        campaign.store.take_turn(connection)
        there = _There.read(connection)
        rows = more if isinstance(more, Rows) or more is None else _rows(more, there)
        items, segments, outputs = ((), 0, 0) if rows is None else _add(connection, rows, there)
        added = _add_tests(connection, tests, there)
        told = f"{len(items)} items, {segments} segments, {outputs} outputs, {added} tests"
        if outputs or segments or added:
            at = connection.execute(select(schema.state.c.value).where(schema.state.c.name == MATERIAL)).scalar()
            put = campaign.store.insert(schema.state).values(name=MATERIAL, value=str(int(at or 0) + 1))
            connection.execute(put.on_conflict_do_update(index_elements=["name"], set_={"value": put.excluded.value}))
            now = {"at": campaign.now(), "actor": actor, "action": EXTENDED, "detail": told}
            connection.execute(schema.audit.insert().values(**now))
    campaign.keep_up()
    return Extension(items, segments, outputs, campaign.questions.number() - before, added)


def _rows(lines: Lines, there: _There) -> Rows:
    """Lines as rows: which segment is each of them?"""
    names = list(there.segments)
    number = len(lines.sources)
    differs = next((at for at in range(min(number, len(names))) if not _is_same(lines, at, names[at], there)), None)
    if differs is None and number >= len(names):
        names += _new_names(there, number - len(names))
    elif set(lines.outputs) - set(there.items) == set(lines.outputs):
        what = f"there are {number} lines, and the campaign has {len(names)} segments"
        if differs is not None:
            what = f"line {differs + 1} has another source or reference than segment {names[differs]!r}"
        raise InputError(what, hint="line n of a new system is segment n of the campaign")
    else:
        known = {_content(lines, None, segment, there) for segment in names} if names else set()
        again = sum(_content(lines, at, "", there) in known for at in range(number))
        if 2 * again > number:
            what = f"{again} of {number} lines are segments of the campaign already"
            raise InputError(what, hint="give new lines only, or all lines as they were and the new ones after them")
        names = _new_names(there, number)
    segments = {
        name: there.segments[name][1]
        if name in there.segments
        else Segment(name, lines.sources[at], lines.references[at])
        for at, name in enumerate(names)
    }
    texts = {(name, item): said[at] for item, said in lines.outputs.items() for at, name in enumerate(names)}
    return Rows(tuple(lines.outputs), segments, texts)


def _is_same(lines: Lines, at: int, name: str, there: _There) -> bool:
    """Whether nothing on a line speaks against its being that segment."""
    number, segment = there.segments[name]
    if lines.sources[at] not in {"", segment.source} or lines.references[at] not in {"", segment.reference}:
        return False
    return all(
        there.texts.get((number, there.items[item]), said[at]) == said[at]
        for item, said in lines.outputs.items()
        if item in there.items
    )


def _content(lines: Lines, at: int | None, name: str, there: _There) -> tuple[str | None, ...]:
    """What is said on a line, or of a segment: by the source, the reference, and the systems known here and there."""
    known = [item for item in lines.outputs if item in there.items]
    if at is not None:
        return lines.sources[at], lines.references[at], *(lines.outputs[item][at] for item in known)
    number, segment = there.segments[name]
    source = segment.source if any(lines.sources) else ""
    reference = segment.reference if any(lines.references) else ""
    return source, reference, *(there.texts.get((number, there.items[item])) for item in known)


def _new_names(there: _There, number: int) -> list[str]:
    """Names that go on counting."""
    counted = [int(name) for name in there.segments if name.isascii() and name.isdigit()]
    start = max([len(there.segments), *counted]) + 1
    return [str(start + at) for at in range(number)]


def _add(connection: Connection, rows: Rows, there: _There) -> tuple[tuple[str, ...], int, int]:
    items, segments = dict(there.items), {name: number for name, (number, _) in there.segments.items()}
    new_items = tuple(name for name in rows.items if name not in items)
    if len(items) + len(new_items) > MOST_ITEMS:
        raise LimitError(f"a campaign may have {MOST_ITEMS} items")
    for name in new_items:
        items[name] = len(items)
    new_segments = [one for name, one in rows.segments.items() if name not in segments]
    for one in new_segments:
        segments[one.name] = len(segments)
    for name, one in rows.segments.items():
        kept = there.segments[name][1] if name in there.segments else one
        if one.source not in {"", kept.source} or one.reference not in {"", kept.reference}:
            raise InputError(f"segment {name!r} has another source or reference in the campaign", hint=_RENAME)
    outputs = []
    for (name, item), text in rows.texts.items():
        place = segments[name], items[item]
        if there.texts.get(place, text) != text:
            what = f"item {item!r} has another text for segment {name!r} in the campaign, and judges may have seen it"
            raise InputError(what, hint=_RENAME)
        if place not in there.texts:
            outputs.append({"segment_id": place[0], "item_id": place[1], "text": text})
    _put(connection, schema.item, [{"id": items[name], "name": name} for name in new_items])
    _put(connection, schema.segment, [{"id": segments[one.name], **asdict(one)} for one in new_segments])
    _put(connection, schema.output, outputs)
    return new_items, len(new_segments), len(outputs)


_RENAME = "let what is new have a name of its own"


def _add_tests(connection: Connection, tests: Sequence[BlankTest | ChoiceTest], there: _There) -> int:
    first, kept = there.tests
    given = [("blank" if isinstance(one, BlankTest) else "choice", json.dumps(asdict(one))) for one in tests]
    fresh = [one for one in dict.fromkeys(given) if one not in kept]
    _put(connection, schema.test, [{"id": first + at, "kind": k, "body": body} for at, (k, body) in enumerate(fresh)])
    return len(fresh)


def _put(connection: Connection, table: Any, rows: list[dict[str, Any]]) -> None:
    for start in range(0, len(rows), _CHUNK):
        connection.execute(table.insert(), rows[start : start + _CHUNK])
