"""A picture of an unknown word's neighbourhood: who is beside it, and which translations they vote for."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, NamedTuple

from tolka.page import document, made_by, page_style, section, svg, table, tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tolka.combine.oov.record import Entry, Neighbour

_ROW, _TOP, _SIDE, _LETTERS, _PAD = 30, 46, 18, 14, 9
_BETWEEN = 130
_MOST_NEIGHBOURS, _MOST_TRANSLATIONS = 20, 10
_BAR = 80

_FILLS = {"labelled": "#dcebfa", "bridge": "#f1f1f1", "unknown": "#fdf0d5"}
_LINES = {"labelled": "#1f5fa8", "bridge": "#7a828c", "unknown": "#b7791f"}
_SAID = {"labelled": "translations are known", "bridge": "leads to others", "unknown": "unknown, too"}
_FILLS |= {"own": "#fbe3ec", "found": "#e4f3e4", "bar": "#2f7d32", "page": "#ffffff"}
_LINES |= {"own": "#8a1c4a", "found": "#2f7d32"}
# A page's own style goes before what a picture says of itself.
_STYLE = (
    "".join(f".picture svg rect.{name}{{fill:{colour}}}" for name, colour in _FILLS.items())
    + ".picture svg text{fill:#1d2530}.picture svg text.box{font-size:14px}.picture svg{width:auto;max-width:none;margin:0 auto}"
    + ".picture{overflow-x:auto}td{overflow-wrap:anywhere}"
)


class _Box(NamedTuple):
    left: float
    middle: float
    width: float

    @property
    def right(self) -> float:
        return self.left + self.width


def draw_neighbourhood(entry: Entry) -> svg.Drawing:
    """Draw who voted for the translations of a word, as an SVG image.

    On the left is the word, beside it its neighbours, the thicker the line the more similar; broken lines lead to words that are
    written alike. Lines on the right lead to the translations that they vote for.

    Args:
        entry: Of a record.

    Example:
        >>> from tolka.combine.oov import Entry, Neighbour
        >>> entry = Entry("kater", (("cat", 1.0),), neighbours=(Neighbour("katze", 0.5, labels=(("cat", 0.9),)),))
        >>> draw_neighbourhood(entry).startswith("<svg")
        True
    """
    beside = entry.neighbours[:_MOST_NEIGHBOURS]
    said = entry.translations[:_MOST_TRANSLATIONS]
    rows = max(len(beside), len(said), 1)
    height = _TOP + _ROW * rows + 44
    word = _Box(_SIDE, _TOP + _ROW * rows / 2, _width(entry.word))
    column = word.right + _BETWEEN
    widest = max((_width(one.text) for one in beside), default=0.0)
    boxes = [_Box(column, _row(at, len(beside), rows), _width(one.text)) for at, one in enumerate(beside)]
    last = column + widest + _BETWEEN
    targets = [_Box(last, _row(at, len(said), rows), _width(text)) for at, (text, _) in enumerate(said)]
    bars = max((box.right for box in targets), default=last) + 10
    width = bars + _BAR + 52 + _SIDE
    strongest = max((one.similarity for one in beside), default=1.0)
    parts = _heads(word.left, column, last)
    parts += [_edge(word, box, one, strongest) for box, one in zip(boxes, beside, strict=True)]
    places = dict(zip((text for text, _ in said), targets, strict=True))
    for box, one in zip(boxes, beside, strict=True):
        for text, p in one.labels:
            # Who is copied votes for copying.
            aim = places.get(entry.word if text == one.text and text not in places else text)
            if aim is not None:
                parts.append(_vote(box, aim, one.text, text, p, one.similarity / strongest))
    parts.append(_box(word, entry.word, "own", f"{entry.word}: {entry.count:,} times in the text"))
    parts += [_box(box, one.text, one.role, _told(one)) for box, one in zip(boxes, beside, strict=True)]
    for box, (text, p) in zip(targets, said, strict=True):
        parts.append(_box(box, text, "found", f"{text} {p:.3f}"))
        parts.append(
            f'<rect class="bar" x="{bars:.1f}" y="{box.middle - 6:.1f}" width="{max(1.0, _BAR * p):.1f}" height="12" fill="#2f7d32"/>'
            f'<text x="{bars + _BAR * p + 6:.1f}" y="{box.middle + 4:.1f}" font-size="12">{p:.2f}</text>'
        )
    legend, end = _legend(_SIDE, height - 20, entry)
    return svg.image(
        max(width, end + _SIDE), height, [*parts, *legend], title=f"Who voted for the translations of {entry.word}"
    )


def neighbourhood_page(entry: Entry) -> str:
    """The picture as a page, with all figures in a table."""
    shown = draw_neighbourhood(entry)
    facts = [
        ("times in the text", f"{entry.count:,}"),
        ("translations", f"{len(entry.translations):,}"),
        ("neighbours", f"{len(entry.neighbours):,}"),
        ("confidence", f"{entry.confidence:.2f}"),
    ]
    found = [(escape(text), f"{p:.4f}") for text, p in entry.translations]
    beside = [
        (escape(one.text), f"{one.similarity:.4f}", one.kind, _SAID[one.role], escape(_labels(one.labels)))
        for one in entry.neighbours
    ]
    body = (
        f"<main><h1>{escape(entry.word)}</h1>{tiles(facts)}"
        + section("picture", "Who voted", "Thick lines are similar words; broken lines are words written alike.",
                  f'<div class="picture" tabindex="0" role="region" aria-label="Picture">{shown}</div>')
        + section("found", "Translations", "Probabilities as the model has them.", table("Translations", ("translation", "probability"), found))
        + section("beside", "Neighbours", "What each says counts by how similar it is.",
                  table("Neighbours", ("neighbour", "similarity", "edge", "what it is", "says"), beside))
        + f"</main>{made_by()}"
    )  # fmt: skip
    return document(f"{entry.word}: translations by neighbours", body, style=page_style() + _STYLE)


def _labels(labels: Sequence[tuple[str, float]]) -> str:
    return ", ".join(f"{text} {p:.2f}" for text, p in labels)


def _told(one: Neighbour) -> str:
    says = f": {_labels(one.labels)}" if one.labels else ""
    return f"{one.text} ({one.kind} {one.similarity:.3f}, {_SAID[one.role]}){says}"


def _row(at: int, count: int, rows: int) -> float:
    """The middle of a row; columns that are shorter stand in the middle of the others."""
    return _TOP + _ROW * (at + 0.5 + (rows - count) / 2)


def _width(text: str) -> float:
    return svg.width_of(svg.short(svg.readable(text)), _LETTERS) + 2 * _PAD


def _heads(*places: float) -> list[str]:
    said = ("unknown word", "neighbours", "translations")
    return [
        f'<text x="{x:.1f}" y="24" font-size="12" fill="#4a5360">{text}</text>'
        for x, text in zip(places, said, strict=True)
    ]


def _edge(word: _Box, box: _Box, one: Neighbour, strongest: float) -> str:
    broken = ' stroke-dasharray="6 4"' if one.kind == "spelling" else ""
    return _curve(word, box, _LINES[one.role], 0.8 + 4.2 * one.similarity / strongest, 0.75, broken, _told(one))


def _vote(box: _Box, aim: _Box, text: str, label: str, p: float, strength: float) -> str:
    return _curve(box, aim, "#2f7d32", 0.6 + 4.4 * p * strength, 0.55, "", f"{text}: {label} {p:.2f}")


def _curve(begin: _Box, end: _Box, colour: str, wide: float, opacity: float, more: str, said: str) -> str:
    half = (begin.right + end.left) / 2
    path = f"M{begin.right:.1f} {begin.middle:.1f}C{half:.1f} {begin.middle:.1f} {half:.1f} {end.middle:.1f} {end.left:.1f} {end.middle:.1f}"
    look = f'fill="none" stroke="{colour}" stroke-width="{wide:.2f}" stroke-opacity="{opacity}"{more}'
    return f'<path d="{path}" {look}><title>{svg.clean(said)}</title></path>'


def _box(box: _Box, text: str, kind: str, said: str) -> str:
    label = svg.clean(svg.short(svg.readable(text)))
    return (
        f'<g><title>{svg.clean(said)}</title><rect class="{kind}" x="{box.left:.1f}" y="{box.middle - 11:.1f}" width="{box.width:.1f}" '
        f'height="22" rx="5" fill="{_FILLS[kind]}" stroke="{_LINES[kind]}"/><text class="box" x="{box.left + _PAD:.1f}" y="{box.middle + 5:.1f}" '
        f'font-size="{_LETTERS}">{label}</text></g>'
    )


def _legend(x: float, y: float, entry: Entry) -> tuple[list[str], float]:
    """What boxes and lines mean, in a row, and where it ends."""
    parts = ['<g class="legend">']
    for role in dict.fromkeys(one.role for one in entry.neighbours):
        look = f'class="{role}" fill="{_FILLS[role]}" stroke="{_LINES[role]}"'
        parts.append(f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="14" height="12" rx="3" {look}/>')
        parts.append(f'<text x="{x + 20:.1f}" y="{y:.1f}" font-size="12" fill="#4a5360">{_SAID[role]}</text>')
        x += 20 + svg.width_of(_SAID[role], 12) + 18
    for kind in dict.fromkeys(one.kind for one in entry.neighbours):
        broken = ' stroke-dasharray="6 4"' if kind == "spelling" else ""
        text = "written alike" if kind == "spelling" else "used alike"
        parts.append(f'<path d="M{x:.1f} {y - 4:.1f}h22" stroke="#4a5360" stroke-width="2"{broken}/>')
        parts.append(f'<text x="{x + 28:.1f}" y="{y:.1f}" font-size="12" fill="#4a5360">{text}</text>')
        x += 28 + svg.width_of(text, 12) + 18
    return [*parts, "</g>"], x
