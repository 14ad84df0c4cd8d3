"""Grammars from and for other systems, and grammars for one text."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Literal

from tolka._engine import grammar_import
from tolka.corpus import read_lines
from tolka.errors import SettingsError
from tolka.grammar.table import Grammar
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tolka.limits import Limits

Format = Literal["moses-phrases", "moses-rules", "cdec"]
"""The formats of other systems that are read and written."""

_MEMORY = 2 << 30


def import_grammar(
    path: str | PathLike[str],
    out: str | PathLike[str],
    *,
    format: Format | None = None,  # noqa: A002 - the word for it
    reordering: str | PathLike[str] | None = None,
    unescape: bool = True,
    exact: bool = True,
    memory: int = _MEMORY,
    limits: Limits = DEFAULT,
) -> Grammar:
    """Make a table of a grammar file of another system, in any order, plain or compressed.

    Args:
        path: A Moses phrase table, a Moses rule table, or a cdec or Joshua grammar.
        out: The table to write; it is there whole or not at all.
        format: What `path` is; seen from its first line if not given.
        reordering: A Moses reordering table (msd-bidirectional-fe) of the same phrase pairs.
        unescape: Whether `&#124;`, `&#91;` and `&#93;` stand for `|`, `[` and `]`. Turn it off if the text that will
            be translated has these escapes in it too.
        exact: Whether features are stored as they are; if not, each is the nearest of 256 values fitted to its feature,
            and the table much smaller.
        memory: Bytes for sorting; beyond them the disk is used.
        limits: Caps on lines and files.

    Raises:
        FormatError: A line is malformed, or a rule is there twice.
    """
    try:
        grammar_import(
            path,
            out,
            format=format,
            reordering=reordering,
            unescape=unescape,
            exact=exact,
            memory=memory,
            line_bytes=limits.line_bytes,
            file_bytes=limits.file_bytes,
            expansion=limits.expansion,
        )
    except OverflowError as error:
        raise SettingsError("a setting is negative or too large") from error
    return Grammar.load(out)


def export_grammar(
    grammar: Grammar,
    path: str | PathLike[str],
    *,
    format: Format,  # noqa: A002 - the word for it
    reordering: str | PathLike[str] | None = None,
) -> None:
    """Write a grammar for another system, compressed as the name says.

    Moses' tables hold probabilities, the four usual ones first; the orientations of phrases go to `reordering` or are
    left out. cdec's grammars hold all features by name, as they are in the table: natural logarithms.

    Raises:
        InputError: The grammar does not fit in the format.
    """
    grammar.native.export(path, format=format, reordering=reordering)


def filter_grammar(
    grammar: Grammar, text: str | PathLike[str] | Iterable[str], out: str | PathLike[str], *, limits: Limits = DEFAULT
) -> Grammar:
    """Write the rules that can match somewhere in a text; no translation of it changes.

    Args:
        grammar: The table.
        text: A file of tokenised source sentences, or the sentences.
        out: The table to write.
        limits: Caps on lines and files.

    Raises:
        InputError: No rule matches.
    """
    lines = read_lines(text, limits=limits) if isinstance(text, (str, PathLike)) else text
    grammar.native.filter(list(lines), out)
    return Grammar.load(out)
