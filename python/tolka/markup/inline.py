"""Inline tags: taken out of a text before it is translated, and put around the words that translate what they enclosed.

`<b>x</b>`, `<a href="…">x</a>`, `**x**`, `*x*`, `__x__`, `_x_` and `~~x~~` are pairs; `<br/>`, `<img …>` and tags
of pages without a partner stand alone. A tag like `<file>` that no other closes is a word of the text, and so is all that
stands between backticks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The length is bounded, so that a line of opening brackets costs no more than others.
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][\w:.-]{0,63})(?P<rest>(?:\s(?:\"[^\"]{0,999}\"|'[^']{0,999}'|[^<>\"']){0,999})?/?)>"
    r"|<!--.{0,999}?-->"
)
_MARK = re.compile(r"(?P<mark>\*{1,3}|_{1,3}|~~|`+)")
_TOKEN = re.compile(f"{_TAG.pattern}|{_MARK.pattern}")
_OPENABLE = frozenset("<*_`~%$&\"'({[./-+@#“„«")
# What may stand before signs that open, and behind those that close; so a_b, 2*3 and ${_x}_y have none.
_SPACES = frozenset(["", *" \t\u00a0\u202f"])
_BEFORE = _SPACES | frozenset("([\"'“„«>*_~/-\u2013\u2014")
_BEHIND = _SPACES | frozenset(".,;:!?)]\"'”»<*_~/-\u2013\u2014…\u2019")
_DEEPEST = 64
_LONGEST_CODE = 1000
_SIGNS = frozenset("<*_`~")
_ALONE = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_PAGES = _ALONE | frozenset(
    [
        "a",
        "abbr",
        "acronym",
        "address",
        "app",
        "article",
        "aside",
        "b",
        "big",
        "blockquote",
        "body",
        "button",
        "caption",
        "center",
        "cite",
        "code",
        "dd",
        "del",
        "details",
        "dfn",
        "div",
        "dl",
        "dt",
        "em",
        "figcaption",
        "figure",
        "font",
        "footer",
        "form",
        "g",
        "gui",
        "guibutton",
        "guilabel",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "html",
        "i",
        "ins",
        "kbd",
        "key",
        "keycap",
        "label",
        "li",
        "link",
        "main",
        "mark",
        "menu",
        "nav",
        "ol",
        "option",
        "p",
        "ph",
        "pre",
        "q",
        "s",
        "samp",
        "section",
        "select",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "textarea",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "tt",
        "u",
        "ul",
        "var",
        "video",
        "x",
    ]
)


@dataclass(frozen=True)
class Tag:
    """A pair of tags, or one that stands alone.

    Attributes:
        opening: What stands before the words.
        closing: What stands behind them; empty if it stands alone.
        start: Where they begin in the text without tags.
        end: Where they end.
        outer: The number of the pair around it, if there is one.
        spaced: Whether white space stood before the opening, and behind the closing.
        alone: Whether it has no partner.
    """

    opening: str
    closing: str
    start: int
    end: int
    outer: int | None = None
    spaced: tuple[bool, bool] = (True, True)
    alone: bool = False


def lift(text: str) -> tuple[str, tuple[Tag, ...]]:
    """Take inline tags out of a text.

    Returns:
        The text without them, and the tags; outer pairs before those inside.

    Example:
        >>> lift("Press <b>the *red* key</b>!")[0]
        'Press the red key!'
        >>> [(tag.opening, tag.start, tag.end, tag.outer) for tag in lift("Press <b>the *red* key</b>!")[1]]
        [('<b>', 6, 17, None), ('*', 10, 13, 0)]
        >>> lift("2 * 3 * 4, <file> and *.txt")
        ('2 * 3 * 4, <file> and *.txt', ())
    """
    if _SIGNS.isdisjoint(text):
        return text, ()
    pairs, alone = _matched(text)
    if not pairs and not alone:
        return text, ()
    cuts = sorted([cut for pair in pairs for cut in pair] + alone)
    plain, places = _without(text, cuts)
    tags: list[Tag] = []
    # By where they open; a pair that is still open is around what follows.
    around: list[tuple[int, int]] = []
    units = sorted([(opening, closing) for opening, closing in pairs] + [(one, one) for one in alone])
    for opening, closing in units:
        while around and around[-1][1] <= opening[0]:
            around.pop()
        lone = opening == closing
        spaced = _space_before(text, opening[0]), _space_behind(text, closing[1])
        end = "" if lone else text[slice(*closing)]
        outer = around[-1][0] if around else None
        places_of = places[opening][1], places[opening][1] if lone else places[closing][0]
        tags.append(Tag(text[slice(*opening)], end, *places_of, outer, spaced, lone))
        if not lone:
            around.append((len(tags) - 1, closing[1]))
    return plain, tuple(tags)


def without_tags(lines: Sequence[str]) -> list[str]:
    """Lines without their inline tags; a line of nothing else stays as it is.

    Example:
        >>> without_tags(["<b>a</b> b", "<br/>"])
        ['a b', '<br/>']
    """
    plain = (lift(line)[0] for line in lines)
    return [one if one.strip() else line for one, line in zip(plain, lines, strict=True)]


_Cut = tuple[int, int]


def _matched(text: str) -> tuple[list[tuple[_Cut, _Cut]], list[_Cut]]:
    """Where pairs of tags are, and those that stand alone."""
    pairs: list[tuple[_Cut, _Cut]] = []
    alone: list[_Cut] = []
    stack: list[tuple[str, _Cut, bool]] = []
    for name, cut, opens, closes, rest in _tokens(text):
        depth = _partner(stack, name, cut) if closes else None
        if depth is not None:
            alone += [own for _, own, keeps in stack[depth + 1 :] if keeps]
            pairs.append((stack[depth][1], cut))
            del stack[depth:]
        elif name.startswith("<") and (name == "<!" or name[1:] in _ALONE or rest.endswith("/") or closes):
            alone.append(cut)
        elif opens:
            page = name.startswith("<") and (bool(rest) or name[1:] in _PAGES)
            stack.append((name, cut, page))
    return pairs, alone + [own for _, own, keeps in stack if keeps]


def _partner(stack: Sequence[tuple[str, _Cut, bool]], name: str, cut: _Cut) -> int | None:
    """Which of the open tags one closes; signs close nothing beyond a tag, or without words between."""
    for depth in range(len(stack) - 1, max(-1, len(stack) - 1 - _DEEPEST), -1):
        other, own, _ = stack[depth]
        if other == name:
            return depth if name.startswith("<") or own[1] < cut[0] else None
        if other.startswith("<") and not name.startswith("<"):
            return None
    return None


def _tokens(text: str) -> Iterator[tuple[str, _Cut, bool, bool, str]]:
    """Tags and signs: name, place, whether it may open and close, and attributes."""
    at = 0
    while found := _TOKEN.search(text, at):
        cut = found.span()
        at = cut[1]
        if found["name"]:
            closes = bool(found["end"])
            yield f"<{found['name'].lower()}", cut, not closes, closes, (found["rest"] or "").strip()
        elif found["mark"]:
            before, behind = text[cut[0] - 1 : cut[0]], text[cut[1] : cut[1] + 1]
            opens = before in _BEFORE and (_wordy(behind) or behind in _OPENABLE) and behind != ""
            closes = before not in _SPACES and behind in _BEHIND
            if found["mark"][0] == "`":
                # Code is text, and what looks like tags in it, too.
                last = text.find(found["mark"], at, at + _LONGEST_CODE)
                end = last + len(found["mark"])
                if opens and last > at and not _wordy(text[end : end + 1]):
                    at = end
            elif opens or closes:
                yield found["mark"], cut, opens, closes, ""
        else:
            yield "<!", cut, False, False, ""


def _wordy(sign: str) -> bool:
    return bool(sign) and (sign.isalnum() or sign == "\\")


def _space_before(text: str, at: int) -> bool:
    return at == 0 or text[at - 1].isspace()


def _space_behind(text: str, at: int) -> bool:
    return at == len(text) or text[at].isspace()


def _without(text: str, cuts: Sequence[_Cut]) -> tuple[str, dict[_Cut, tuple[int, int]]]:
    """The text without the cuts, and where each was: the end of what is before it, and the beginning of what follows."""
    parts: list[str] = []
    places: dict[_Cut, tuple[int, int]] = {}
    at = size = 0
    for cut in cuts:
        kept = text[at : cut[0]]
        parts.append(kept)
        size += len(kept)
        before = size
        # Words that only tags held apart stay apart: <li>a</li><li>b</li>, a<br/>b.
        apart = text[cut[0]] == "<" and parts and _joins("".join(parts[-2:]), text, cut, at)
        if apart:
            parts.append(" ")
            size += 1
        places[cut] = before, size
        at = cut[1]
    parts.append(text[at:])
    return "".join(parts), places


def _joins(before: str, text: str, cut: _Cut, last: int) -> bool:
    """Whether a tag stands between two words with nothing else, and is no part of a word."""
    if not before[-1:].isalnum():
        return False
    alone = _TAG.match(text, cut[0])
    name = alone["name"].lower() if alone and alone["name"] else ""
    follows = text[cut[1] : cut[1] + 1]
    if name in _ALONE or (alone and (alone["rest"] or "").endswith("/")):
        return follows.isalnum()
    # A closing tag and an opening one.
    return bool(alone and not alone["end"] and last == cut[0] and follows.isalnum() and text[last - 1] == ">")


def put_back(
    text: str,
    places: Sequence[tuple[int, int]],
    tags: Sequence[Tag],
    sources: Sequence[tuple[int, int]],
    links: Sequence[tuple[int, int]],
) -> str:
    """Put tags around the words of a translation that translate the words they enclosed.

    A pair goes around the stretch of words of which most are linked to words inside the pair and fewest to others; pairs
    inside of others stay inside, and pairs side by side never overlap. A pair none of whose words is linked to anything
    stands behind the translation of the word before it.

    Args:
        text: The translation.
        places: Where its words begin and end.
        tags: As `lift` found them.
        sources: Where the source's words begin and end in the text without tags.
        links: Source and target words that translate each other.

    Example:
        >>> plain, tags = lift("the <b>white house</b>")
        >>> places = [(0, 2), (3, 7), (8, 14)]
        >>> put_back("la casa bianca", places, tags, [(0, 3), (4, 9), (10, 15)], [(0, 0), (1, 2), (2, 1)])
        'la <b>casa bianca</b>'
    """
    return _Placing(text, places, tags, sources, links).written()


class _Placing:
    def __init__(
        self,
        text: str,
        places: Sequence[tuple[int, int]],
        tags: Sequence[Tag],
        sources: Sequence[tuple[int, int]],
        links: Sequence[tuple[int, int]],
    ) -> None:
        self.text, self.places, self.tags, self.sources = text, places, tags, sources
        self.targets: list[set[int]] = [set() for _ in sources]
        self.linked: list[set[int]] = [set() for _ in places]
        for source, target in links:
            if source < len(self.targets) and target < len(self.linked):
                self.targets[source].add(target)
                self.linked[target].add(source)
        self.inner: dict[int | None, list[int]] = {}
        for number, tag in enumerate(tags):
            self.inner.setdefault(tag.outer, []).append(number)
        self.spans: dict[int, tuple[int, int]] = {}

    def written(self) -> str:
        self.place(None, 0, len(self.places))
        return self.render(None, 0, len(self.text))

    def place(self, outer: int | None, low: int, high: int) -> None:
        """Find the words of all tags inside of another, which has those from `low` to `high`."""
        taken: list[tuple[int, int]] = []
        own = self.inner.get(outer, ())
        for number in own:
            if not self.tags[number].alone and (found := self.best(self.tags[number], low, high, taken)):
                taken.append(found)
                self.spans[number] = found
        for number in own:
            if number not in self.spans:
                at = self.point(self.tags[number], low, high)
                at = next((end for start, end in taken if start < at < end), at)
                self.spans[number] = at, at
        for number in own:
            self.place(number, *self.spans[number])

    def words(self, tag: Tag) -> set[int]:
        return {at for at, (start, end) in enumerate(self.sources) if start < tag.end and end > tag.start}

    def best(self, tag: Tag, low: int, high: int, taken: list[tuple[int, int]]) -> tuple[int, int] | None:
        """The stretch of free words that has most of the tag's and fewest others."""
        inside = self.words(tag)
        most, found = 0.0, None
        total, start, begun = 0.0, low, False
        for at in range(low, high):
            linked = self.linked[at]
            own = len(linked & inside)
            total += (2 * own - len(linked)) / len(linked) if linked else 0.0
            begun = begun or own > 0
            # Nothing of it so far, more of others, or another's.
            if not begun or total < 0 or any(begin <= at < end for begin, end in taken):
                total, start, begun = 0.0, at + 1, False
            elif total > most:
                most, found = total, (start, at + 1)
        return found

    def point(self, tag: Tag, low: int, high: int) -> int:
        """Where a tag without words goes: before the translation of what follows it, or behind that of what precedes."""
        before = [at for at, (_, end) in enumerate(self.sources) if end <= tag.start]
        behind = [at for at, (start, _) in enumerate(self.sources) if start >= tag.end]
        if not behind:
            return high
        if not before:
            return low
        if not (tag.alone and tag.spaced == (False, True)):
            for at in behind:
                if self.targets[at]:
                    return min(max(min(self.targets[at]), low), high)
            return high
        for at in reversed(before):
            if self.targets[at]:
                return min(max(max(self.targets[at]) + 1, low), high)
        return low

    def render(self, outer: int | None, cursor: int, limit: int) -> str:
        parts: list[str] = []
        for number in sorted(self.inner.get(outer, ()), key=lambda number: (*self.spans[number], number)):
            tag, (first, last) = self.tags[number], self.spans[number]
            start, end = self.edges(tag, first, last)
            start = min(max(start, cursor), limit)
            end = min(max(end, start), limit)
            before = self.text[cursor:start]
            inner = self.render(number, start, end)
            behind = ""
            if tag.alone:
                if tag.spaced == (False, False):
                    before = before.rstrip()
                    end += len(self.text[end:limit]) - len(self.text[end:limit].lstrip())
                elif tag.spaced[1] and end < limit and not self.text[end].isspace():
                    behind = " "
            parts += [before, tag.opening, inner, tag.closing, behind]
            cursor = end
        parts.append(self.text[cursor:limit])
        return "".join(parts)

    def edges(self, tag: Tag, first: int, last: int) -> tuple[int, int]:
        if first < last:
            return self.places[first][0], self.places[last - 1][1]
        if not self.places:
            return 0, 0
        behind = first >= len(self.places) or (tag.alone and tag.spaced == (False, True) and first > 0)
        at = self.places[first - 1][1] if behind else self.places[first][0]
        return at, at
