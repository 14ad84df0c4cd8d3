"""Search graphs of Moses (`-output-search-graph`): one hypothesis a line."""

from __future__ import annotations

import math
import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tolka.assist.senses.graph import SearchGraph
from tolka.assist.senses.packed import trimmed
from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError, LimitError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from tolka.limits import Limits

_LINE = re.compile(r"(\d{1,18}) hyp=(\d{1,18}) stack=(\d{1,9})((?: .*)?)")
_FIELD = re.compile(r" (back|score|transition|recombined|forward|fscore|covered)=(\S+)")
# What -output-search-graph-extended has between the fields, and behind the words.
_FEATURES = re.compile(r" \[ [^\]]* \]")
_SCORES = re.compile(r" , pC=\S+(?:, c=\S+)?\s*$")
_SPAN = re.compile(r"(\d{1,9})-(\d{1,9})")
_HINT = "give what Moses writes with -output-search-graph"
_MOST_EDGES = 5_000_000


class _Hypothesis(NamedTuple):
    number: int
    stack: int
    back: int
    transition: float
    recombined: int | None
    span: tuple[int, int]
    out: str
    line: int


def read_moses_graphs(
    path: str | PathLike[str],
    *,
    sources: Sequence[str] | None = None,
    scale: float = 1.0,
    most: int = _MOST_EDGES,
    limits: Limits = DEFAULT,
) -> Iterator[tuple[int, SearchGraph]]:
    """Read search graphs, plain or compressed, one at a time.

    A line is `sentence hyp=N stack=N back=N score=S transition=S [recombined=N] forward=N fscore=S covered=B-E out=WORDS`; the first
    of a sentence ends after `fscore`. Features and `pC`, `c` of the extended form are left out. A recombined hypothesis is one
    more edge to the one it gave way to. Hypotheses that lead to no whole translation are left out.

    Args:
        path: The file.
        sources: The tokenised sentences; Moses does not write them.
        scale: What scores are multiplied by.
        most: Hypotheses of a sentence, at most.
        limits: Caps on the file.

    Yields:
        Moses' number of the sentence, and its graph. Sentences that have no whole translation are left out.

    Raises:
        FormatError: A line that is not of the format; it is named.
        InputError: A graph that makes no sense: a hypothesis that is not there, a cycle, a source that is too short.
        LimitError: A sentence with too many hypotheses.
    """
    numbered = enumerate(read_lines(path, limits=limits), 1)
    parsed = (_parsed(line, number, path) for number, line in numbered if line.strip())
    seen: set[int] = set()
    for sentence, group in groupby(parsed, key=lambda one: one[0]):
        rows = iter(group)
        first = next(rows)
        if sentence in seen:
            what = f"the hypotheses of sentence {sentence} do not follow each other"
            raise FormatError(what, path=path, line=first[2], hint=_HINT)
        seen.add(sentence)
        root, hypotheses = _gathered(first, rows, path, most)
        if not hypotheses:
            continue
        words = None
        if sources is not None:
            if sentence >= len(sources):
                what = f"there are {len(sources)} sentences, but this is of sentence {sentence}, counted from 0"
                raise InputError(what, path=path, line=first[2], hint="give all sentences that Moses translated")
            words = sources[sentence].split()
        graph = _graph(root, hypotheses, words, scale, path)
        if graph is not None:
            yield sentence, graph


def _parsed(line: str, number: int, path: str | PathLike[str]) -> tuple[int, _Hypothesis | int, int]:
    """The sentence's number, a hypothesis or the number of the empty one, and the line's."""

    def refuse(what: str) -> FormatError:
        return FormatError(what, path=path, line=number, hint=_HINT)

    found = _LINE.fullmatch(line.rstrip("\r"))
    if found is None:
        raise refuse(f"{line[:60]!r} is no hypothesis of a search graph")
    fields, has_words, out = found[4].partition(" out=")
    own = dict(_FIELD.findall(_FEATURES.sub("", fields)))
    sentence, hypothesis, stack = int(found[1]), int(found[2]), int(found[3])
    if not has_words and "back" not in own:
        if stack:
            raise refuse(f"hypothesis {hypothesis} of stack {stack} says neither where it comes from nor what it adds")
        return sentence, hypothesis, number
    missing = [name for name in ("back", "transition", "covered") if name not in own]
    if missing or not has_words:
        raise refuse(f"hypothesis {hypothesis} has no {(missing or ['out'])[0]}=")
    span = _SPAN.fullmatch(own["covered"])
    if span is None or int(span[1]) > int(span[2]):
        raise refuse(f"covered={own['covered']} is no span of words")
    try:
        back, transition = int(own["back"]), float(own["transition"])
        recombined = int(own["recombined"]) if "recombined" in own else None
    except ValueError:
        raise refuse(f"a field of hypothesis {hypothesis} is no number") from None
    if not math.isfinite(transition):
        raise refuse(f"transition={own['transition']} is no finite number")
    covered = (int(span[1]), int(span[2]) + 1)
    words = _SCORES.sub("", out)
    return sentence, _Hypothesis(hypothesis, stack, back, transition, recombined, covered, words, number), number


def _gathered(
    first: tuple[int, _Hypothesis | int, int],
    rows: Iterable[tuple[int, _Hypothesis | int, int]],
    path: str | PathLike[str],
    most: int,
) -> tuple[int, list[_Hypothesis]]:
    if not isinstance(first[1], int):
        what = f"sentence {first[0]} does not begin with its empty hypothesis"
        raise FormatError(what, path=path, line=first[2], hint=_HINT)
    hypotheses: list[_Hypothesis] = []
    for _, one, line in rows:
        if isinstance(one, int):
            raise FormatError(f"sentence {first[0]} has two empty hypotheses", path=path, line=line, hint=_HINT)
        if len(hypotheses) == most:
            what = f"sentence {first[0]} has more than {most} hypotheses"
            raise LimitError(what, path=path, line=line, hint="raise the limit, or prune Moses' search")
        hypotheses.append(one)
    return first[1], hypotheses


def _graph(
    root: int, hypotheses: list[_Hypothesis], words: list[str] | None, scale: float, path: str | PathLike[str]
) -> SearchGraph | None:
    known = {root} | {one.number for one in hypotheses}
    length = max(one.stack for one in hypotheses) if words is None else len(words)
    tails, heads = [], []
    for one in hypotheses:
        to = one.number if one.recombined is None else one.recombined
        for number in (one.back, to):
            if number not in known:
                what = f"hypothesis {one.number} leads from or to {number}, which is not there"
                raise InputError(what, path=path, line=one.line, hint="give the whole search graph")
        if one.span[1] > length:
            what = f"hypothesis {one.number} covers word {one.span[1] - 1}, but the sentence has {length}"
            raise InputError(what, path=path, line=one.line, hint="give the sentences that Moses translated, tokenised")
        tails.append(one.back)
        heads.append(to)
    # Whole translations stand in the last stack; one more edge joins each with the goal.
    goal = max(known) + 1
    whole = sorted({head for head, one in zip(heads, hypotheses, strict=True) if one.stack == length})
    tails += whole
    heads += [goal] * len(whole)
    kept = trimmed(heads, tails, root, goal)
    if not kept:
        return None
    edges: list[tuple[int, int, str, tuple[int, int] | None, float]] = []
    for edge in kept:
        if edge < len(hypotheses):
            one = hypotheses[edge]
            edges.append((tails[edge], heads[edge], one.out, one.span, one.transition))
        else:
            edges.append((tails[edge], goal, "", None, 0.0))
    try:
        return SearchGraph.from_edges(edges, source=" ".join(words or ()), start=root, goal=goal, scale=scale)
    except InputError as error:
        raise InputError(error.what, path=path, line=hypotheses[0].line, hint=error.hint) from error
