"""Mistakes that would go unnoticed: they cost nothing but a bad model, so they are looked for before any work is done.

What must be wrong is refused, unless the caller insists; what may be meant becomes a note.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tolka.corpus import CleanSettings, Vocabulary, clean, read_corpus, read_lines, read_pairs
from tolka.corpus.clean import RULES
from tolka.corpus.profiles import Profile, Sides
from tolka.corpus.runs import Runs
from tolka.corpus.shifts import find_shifts
from tolka.corpus.sniff import READ, ending_of, sniff, sniff_file
from tolka.errors import InputError, SettingsError, TolkaError
from tolka.grammar import Grammar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tolka.corpus import Pair
    from tolka.corpus.runs import Run
    from tolka.translate.bundle import OpenModel

FORCE = "add --force if it is meant"
LEARNT_FROM = 2000
"""Lines of each side that profiles are learnt from."""
LOOKED_AT = 500
"""Lines of a set that are compared with them."""
LEAST_LEARNT = 20
"""With fewer lines than these nothing is said about languages."""
LEAST_OVERLAP = 10
"""Different pairs that a set must have for what it has in common with others to be spoken of."""

_MOST_OVERLAP, _SOME_OVERLAP = 0.5, 0.05
_MOST_SHIFTED = 0.05
_MOST_WORDS = 20_000
_SCRIPT_KEPT, _SCRIPT_DROPPED = 0.8, 0.2


@dataclass
class Findings:
    """What was found.

    Attributes:
        force: Whether to go on whatever is found.
        notes: What deserves attention.
        skipped: Units that the reader of the training text left out, by reason.
    """

    force: bool = False
    notes: list[str] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)

    def refuse(self, error: TolkaError) -> None:
        """Raise the error, or note what it says if the caller insists."""
        if not self.force:
            error.hint = f"{error.hint}, or {FORCE}" if error.hint else FORCE
            raise error
        error.hint = ""
        self.notes.append(str(error))


def check_training(
    corpora: Sequence[Sequence[Path]],
    langs: tuple[str, str],
    *,
    dev: tuple[Path, Path] | None = None,
    test: tuple[Path, Path] | None = None,
    mono: Sequence[Path] = (),
    force: bool = False,
) -> Findings:
    """Look for mistakes in what a translator is to be trained on; what cannot be read is left to the reader's own error.

    Args:
        corpora: The training texts: each two files, or one with both sides.
        langs: The languages of source and target.
        dev: Source and target of the development set.
        test: Source and target of the test set.
        mono: Further texts of the target language.
        force: Whether what must be wrong is only noted.

    Raises:
        SettingsError: The names of files contradict the languages.
        InputError: Sides are swapped or shifted, a set is part of the training text, or a text is a document.
    """
    found = Findings(force)
    given = {name: files for name, files in (("development", dev), ("test", test)) if files is not None}
    pairs_of_files = [(files[0], files[1]) for files in corpora if len(files) > 1]
    for files in (*pairs_of_files, *given.values()):
        check_names(files, langs, found)
    for path in chain(*pairs_of_files):
        check_text(path, found, alone=True)
    for path in chain(*given.values(), mono):
        check_text(path, found)
    sets = {name: pairs for name, files in given.items() if (pairs := _read(files)) is not None}
    overlap = _Overlap(sets)
    try:
        samples = [_sample(corpus, langs, overlap, found) for corpus in corpora]
    except TolkaError:
        return found
    whole = [run for sample in samples for run in sample.kept]
    check_scripts(corpora[0][0], langs, whole, found)
    if (sides := sides_of_text(whole)) is not None:
        for name, pairs in sets.items():
            check_sides(sides, pairs, given[name], found)
        for path in mono:
            check_further(sides, path, langs, found)
    overlap.check(found)
    for corpus, sample in zip(corpora, samples, strict=True):
        check_shift(sample, corpus, found)
    for name, pairs in sets.items():
        check_shift(Runs.of(pairs), given[name], found)
    return found


def _read(files: tuple[Path, Path]) -> list[Pair] | None:
    try:
        return list(read_pairs(*files))
    except TolkaError:
        return None


def _sample(corpus: Sequence[Path], langs: tuple[str, str], overlap: _Overlap, found: Findings) -> Runs:
    """Read a corpus once: for a sample of it, for what it has in common with other sets, and for what is left out."""
    sample = Runs()
    rows = read_corpus(corpus, langs=langs)
    if rows.width == 2:  # noqa: PLR2004
        overlap.pass_by(sample.watch(cast("Iterable[Pair]", rows)))
    for reason, count in rows.skipped.items():
        found.skipped[reason] = found.skipped.get(reason, 0) + count
    return sample


def check_names(files: tuple[Path, Path], langs: tuple[str, str], found: Findings) -> None:
    """Refuse files whose names say that they are the other side."""
    for path, own, other in ((files[0], langs[0], langs[1]), (files[1], langs[1], langs[0])):
        ending = ending_of(path).removeprefix(".")
        if ending == _plain(other) != _plain(own):
            what = f"{path.name} is named as {ending}, but given in the place of {own}"
            found.refuse(SettingsError(what, hint="give the files in the order of --langs"))
            return


def _plain(lang: str) -> str:
    return lang.partition("-")[0].lower()


def check_text(path: Path, found: Findings, *, alone: bool = False) -> None:
    """Refuse a document where there should be plain text; `alone` says that a file with both sides would do."""
    document = sniff_file(path)
    if document is None:
        return
    if not document.sure:
        found.notes.append(f"{path.name} looks like {document.kind}, which is learnt as text, marks and all")
        return
    what = f"this is {document.kind} and not one sentence a line"
    hint = "take its text out first"
    if document.kind in READ:
        hint = f"convert it (tolka corpus convert {path.name} -o text)"
        if alone:
            hint = f"give it alone, as a file with both sides, or {hint}"
    found.refuse(InputError(what, path=path, hint=hint))


def sides_of_text(runs: Sequence[Run]) -> Sides | None:
    """The profiles of a corpus, if it has enough lines to tell its languages."""
    pairs = _spread([pair for run in runs for pair in run.pairs], LEARNT_FROM)
    if len(pairs) < LEAST_LEARNT:
        return None
    return Sides(Profile.of(source for source, _ in pairs), Profile.of(target for _, target in pairs))


def sides_of_model(model: OpenModel) -> Sides | None:
    """The profiles of a model's words: those of its aligner, or of its tables of rules; none if it has neither."""
    names = ("source.words", "target.words")
    if not all(name in model.files.aligner for name in names):
        words = [
            [word for path in model.tables_of(side) for word in rule_words(Grammar.load(path), LEARNT_FROM)[side]]
            for side in (0, 1)
        ]
        if len(words[0]) < LEAST_LEARNT:
            return None
        return Sides(Profile.of(words[0]), Profile.of(words[1]))
    source, target = (Profile(_counts(Vocabulary.load(model.files.aligner[name]))) for name in names)
    return Sides(source, target)


def rule_words(grammar: Grammar, most: int) -> tuple[list[str], list[str]]:
    """Source and target words of some rules of a table."""
    rules = grammar.sample(most)
    sides = [rule.source for rule in rules], [rule.target for rule in rules]
    # Nonterminals are in brackets.
    source, target = ([word for text in side for word in text.split() if not word.startswith("[")] for side in sides)
    return source, target


def _counts(words: Vocabulary) -> Mapping[str, int]:
    # The most frequent come first, after the three that are no words.
    return {words.word(at): max(words.count(at), 1) for at in range(3, min(len(words), _MOST_WORDS))}


def check_pairs(
    model: OpenModel, sources: Sequence[str], targets: Sequence[str], *, names: tuple[str, str], force: bool = False
) -> Findings:
    """Look for mistakes in pairs that are to go into a model, or to tune it: swapped or shifted sides.

    Args:
        model: The model.
        sources: Sentences that should be in its source language.
        targets: Their translations.
        names: What the two texts are called.
        force: Whether what must be wrong is only noted.

    Raises:
        SettingsError: The names of the texts contradict the model's languages.
        InputError: Sides are swapped or shifted, or a text is a document.
    """
    found = Findings(force)
    pairs = list(zip(sources, targets, strict=False))
    files = (Path(names[0]), Path(names[1]))
    source, target = model.description.langs
    check_names(files, (source, target), found)
    for path, lines in zip(files, (sources, targets), strict=True):
        document = sniff(lines, path)
        if document is not None and document.sure:
            found.refuse(InputError(f"this is {document.kind} and not one sentence a line", path=path))
    if len(sources) == len(targets):
        sides = sides_of_model(model)
        if sides is not None:
            check_sides(sides, pairs, files, found)
        check_shift(Runs.of(pairs), files, found)
    return found


def check_sides(sides: Sides, pairs: Sequence[Pair], files: tuple[Path, Path], found: Findings) -> None:
    """Refuse pairs whose sides are not where those of the training text are."""
    some = _spread(pairs, LOOKED_AT)
    source, target = files[0].name, files[1].name
    if len(set(some)) >= LEAST_OVERLAP and all(one == other for one, other in some):
        found.refuse(InputError(f"{source} and {target} are the same text", hint="give a text and its translation"))
        return
    match sides.judge([one for one, _ in some], [other for _, other in some]):
        case "swapped":
            what = f"{source} and {target} are swapped: each is in the language of the training text's other side"
            found.refuse(InputError(what, hint=f"give {target} first"))
        case "source":
            found.refuse(InputError(f"{source} is in the target language, and should be the source"))
        case "target":
            found.refuse(InputError(f"{target} is in the source language, and should be its translation"))


def check_further(sides: Sides, path: Path, langs: tuple[str, str], found: Findings) -> None:
    """Refuse further text that is not in the target language."""
    try:
        lines = list(islice(read_lines(path), LOOKED_AT))
    except TolkaError:
        return
    if sides.is_foreign(lines, "target"):
        what = f"the further text is in the source language {langs[0]}, not in {langs[1]}"
        found.refuse(InputError(what, path=path, hint="give text of the target language"))


def check_scripts(path: Path, langs: tuple[str, str], runs: Sequence[Run], found: Findings) -> None:
    """Refuse training text whose letters are those of the other side's language."""
    pairs = _spread([pair for run in runs for pair in run.pairs], LOOKED_AT)
    only = CleanSettings(languages=langs, without=tuple(rule for rule in RULES if rule not in {"script", "empty"}))
    kept, turned = (len(clean(some, only).pairs) for some in (pairs, [(target, source) for source, target in pairs]))
    if turned > _SCRIPT_KEPT * len(pairs) and kept < _SCRIPT_DROPPED * len(pairs):
        what = f"the sides are swapped: the letters of the source are those of {langs[1]}, and of the target {langs[0]}"
        found.refuse(
            InputError(what, path=path, hint=f"give the files the other way, or --langs {langs[1]} {langs[0]}")
        )


def check_shift(sample: Runs, files: Sequence[Path], found: Findings) -> None:
    """Refuse text of which one side is shifted against the other; note it if it is a small part."""
    shifts = find_shifts(sample.kept)
    if not shifts:
        return
    looked_at = sum(len(run.pairs) for run in sample.kept)
    first = max(shifts, key=lambda one: one.lines)
    many = abs(first.by)
    where = f"{many} line{'s' if many > 1 else ''} {'later' if first.by > 0 else 'earlier'}"
    side = f"{files[1].name} is" if len(files) > 1 else f"the targets of {files[0].name} are"
    against = files[0].name if len(files) > 1 else "the sources"
    about = "about " if looked_at < sample.pairs else ""
    place = f"from {about}line {first.first:,} to {about}{first.last:,}"
    what = f"{side} shifted against {against}: {place} each translation stands {where}"
    if sum(one.lines for one in shifts) < _MOST_SHIFTED * looked_at:
        found.notes.append(what)
    else:
        hint = f"find the line that is missing or too many near line {first.first}"
        found.refuse(InputError(what, hint=hint))


class _Overlap:
    """Counts the pairs of other sets that are in the training text as it passes by."""

    def __init__(self, sets: Mapping[str, Sequence[Pair]]) -> None:
        self._sets = {name: set(pairs) for name, pairs in sets.items()}
        self._wanted = set().union(*self._sets.values())
        self._seen: set[Pair] = set()

    def pass_by(self, pairs: Iterable[Pair]) -> None:
        self._seen.update(pair for pair in pairs if pair in self._wanted)

    def check(self, found: Findings) -> None:
        """Refuse a set most of which is in the training text; note it if it is some of it."""
        for name, own in self._sets.items():
            share = len(own & self._seen) / len(own) if len(own) >= LEAST_OVERLAP else 0.0
            if share < _SOME_OVERLAP:
                continue
            part = "all" if own <= self._seen else f"{len(own & self._seen):,} of the {len(own):,}"
            what = f"{part} pairs of the {name} set are in the training text, too, so that its score says little"
            if share >= _MOST_OVERLAP:
                found.refuse(InputError(what, hint="take them out of one of the two"))
            else:
                found.notes.append(what)
        dev, test = (self._sets.get(name, set()) for name in ("development", "test"))
        if len(test) >= LEAST_OVERLAP and len(dev & test) >= _MOST_OVERLAP * len(test):
            found.notes.append("most pairs of the test set are in the development set, too: its score flatters")


def _spread(items: Sequence[Pair], most: int) -> list[Pair]:
    """At most so many items from all over a list."""
    count = min(most, len(items))
    return [items[at * len(items) // count] for at in range(count)]
