"""Several corpora at once: which of the files that people name belong together, and what each corpus is called."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.corpus.formats import COMPRESSIONS, detect_format, format_of_name, read_corpus
from tolka.errors import InputError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tolka.corpus.rows import Format, Pair, Rows

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")
_PAIR = 2


@dataclass(frozen=True)
class CorpusFiles:
    """A corpus of sentence pairs in files.

    Attributes:
        name: What it is called, which later is the name of its domain.
        source: One side of two, or a file with both sides.
        target: The other side, if it has a file of its own.
    """

    name: str
    source: Path
    target: Path | None = None

    def __post_init__(self) -> None:
        if not NAME.match(self.name):
            raise SettingsError(f"{self.name!r} cannot be the name of a corpus", hint="use letters, digits, _ and -")

    @property
    def paths(self) -> list[Path]:
        """Its files."""
        return [self.source] if self.target is None else [self.source, self.target]


def group_corpora(paths: Sequence[Path], langs: tuple[str, str]) -> list[CorpusFiles]:
    """Tell which files make a corpus: a file with both sides is one, and so are two plain files, one for each language.

    Two plain files are the sides of a corpus whatever they are called. Of more, those belong together whose names differ in
    the language alone, or that follow each other and end in the two languages.

    Args:
        paths: In any order of corpora; the source before the target.
        langs: The languages of source and target.

    Raises:
        SettingsError: A plain file has no other side.
        FileError: A file whose name does not say what it is cannot be read.

    Example:
        >>> files = [Path(name) for name in ("gnome.tmx", "web.en", "web.it", "ui.it.po")]
        >>> [(one.name, len(one.paths)) for one in group_corpora(files, ("en", "it"))]
        [('gnome', 1), ('web', 2), ('ui-it', 1)]
    """
    if len(paths) == 1:
        return named([(paths[0],)], langs)
    whole = {path for path in paths if _both_sides(path)}
    plain = [path for path in paths if path not in whole]
    partners = {plain[0]: plain[1]} if len(plain) == _PAIR else _partners(plain, langs)
    groups: list[tuple[Path, ...]] = []
    for path in paths:
        if path in whole:
            groups.append((path,))
        elif path in partners:
            groups.append((path, partners[path]))
        elif path not in partners.values():
            # A last chance before it is an error: a table that only its first line tells.
            if detect_format(path) == "text":
                source, target = langs
                raise SettingsError(
                    f"the other side of {path} is not among the files",
                    hint=f"give two files that end in .{source} and .{target}, or files with both sides",
                )
            groups.append((path,))
    return named(groups, langs)


def named(groups: Iterable[Sequence[Path]], langs: tuple[str, str]) -> list[CorpusFiles]:
    """Corpora called after their files; of the same name, later ones have a number."""
    seen: Counter[str] = Counter()
    found = []
    for paths in groups:
        stem = corpus_name(paths[0], langs)
        seen[stem] += 1
        name = stem if seen[stem] == 1 else f"{stem}-{seen[stem]}"
        found.append(CorpusFiles(name, *paths))
    return found


def parse_corpus(text: str) -> CorpusFiles:
    """A corpus as it is written on the command line: `NAME=FILE` or `NAME=FILE,FILE`.

    Example:
        >>> parse_corpus("web=crawl.en,crawl.it").paths == [Path("crawl.en"), Path("crawl.it")]
        True
    """
    name, equals, files = text.partition("=")
    paths = [Path(one) for one in files.split(",")] if files else []
    if not equals or not 1 <= len(paths) <= _PAIR or not all(files.split(",")):
        raise SettingsError(f"{text!r} names no corpus", hint="write NAME=FILE or NAME=SOURCE,TARGET")
    return CorpusFiles(name, *paths)


def corpus_name(path: Path, langs: tuple[str, str]) -> str:
    """What a corpus in a file is called if nobody says it.

    Example:
        >>> corpus_name(Path("data/web.crawl.en.gz"), ("en", "it"))
        'web-crawl'
    """
    name = _uncompressed(path)
    if name.suffix[1:] in langs or format_of_name(name) is not None:
        name = name.with_suffix("")
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name.name).strip("-_")[:64]
    return plain if NAME.match(plain) else "corpus"


def check_names(corpora: Sequence[CorpusFiles]) -> None:
    """Refuse two corpora of one name."""
    twice = [name for name, count in Counter(one.name for one in corpora).items() if count > 1]
    if twice:
        raise SettingsError(f"two corpora are called {twice[0]}", hint="give each a name of its own")


def read_parts(
    corpus: CorpusFiles,
    langs: tuple[str, str],
    *,
    format: Format | None = None,  # noqa: A002
    repair: bool = False,
) -> tuple[Rows[tuple[str, ...]], Iterator[Pair]]:
    """The pairs of a corpus as they are read, and the account of what is left out."""
    rows = read_corpus(corpus.paths, format=format, langs=langs, repair=repair, required=True)
    return rows, pairs_only(rows, corpus.source)


def pairs_only(rows: Iterable[tuple[str, ...]], path: Path) -> Iterator[Pair]:
    """Rows of two texts; others are an error.

    Raises:
        InputError: A row has more or less than two.
    """
    for row in rows:
        if len(row) != 2:  # noqa: PLR2004
            hint = "name the other side as target" if len(row) == 1 else "leave two columns"
            raise InputError(f"a corpus has two sides, but this file has {len(row)}", path=path, hint=hint)
        yield row


def read_corpora(corpora: Sequence[CorpusFiles], langs: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Both sides of all pairs of corpora."""
    sources: list[str] = []
    targets: list[str] = []
    for corpus in corpora:
        for one, other in read_parts(corpus, langs)[1]:
            sources.append(one)
            targets.append(other)
    return sources, targets


def _both_sides(path: Path) -> bool:
    """Whether a file has both sides, as far as can be told for sure: a plain text may have a TAB in its first line."""
    if format_of_name(path) is not None:
        return True
    return path.is_file() and detect_format(path) in {"tmx", "po"}


def _partners(plain: Sequence[Path], langs: tuple[str, str]) -> dict[Path, Path]:
    """The target sides of source sides."""
    endings = [_uncompressed(path).suffix[1:] for path in plain]
    sides = [[path for path, ending in zip(plain, endings, strict=True) if ending == lang] for lang in langs]
    by_stem = {_stem(path): path for path in sides[1]}
    found = {path: by_stem[_stem(path)] for path in sides[0] if _stem(path) in by_stem}
    for one, other in pairwise(plain):
        if one in sides[0] and one not in found and other in sides[1] and other not in found.values():
            found[one] = other
    return found


def _stem(path: Path) -> Path:
    return _uncompressed(path).with_suffix("")


def _uncompressed(path: Path) -> Path:
    return path.with_suffix("") if path.suffix in COMPRESSIONS else path
