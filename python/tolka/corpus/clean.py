"""Cleaning sentence pairs by named rules, with an account of every pair that was dropped.

Each pair is first normalised, then shown to the rules in their fixed order (`RULES`); the first rule that hits drops it
and counts it. `docs/prepare.md` says what each rule looks for and why the defaults are what they are.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tolka._engine import Cleaner
from tolka.corpus.batches import in_batches, one_line, sides
from tolka.corpus.output import Output
from tolka.corpus.rows import Rows
from tolka.errors import InputError, SettingsError
from tolka.files import write_atomic
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tolka.corpus.rows import Pair
    from tolka.progress import Progress

RULES: tuple[str, ...] = tuple(Cleaner.rules())
"""The rules in the order in which they are asked."""

RULE_MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "empty": "a side has nothing to see",
        "control": "control or damaged characters",
        "length": "too few or too many words or characters",
        "long-word": "a word is too long to be one",
        "ratio": "one side is far longer than the other",
        "identical": "both sides are the same, and no name",
        "script": "letters of another script than the language's",
        "duplicate": "the pair was there before",
    }
)
"""What each rule drops, in a few words."""

CHANGES: tuple[str, ...] = tuple(Cleaner.changes())
"""The changes of normalisation in the order in which they are made."""

_EXAMPLE_CHARACTERS = 120


@dataclass(frozen=True)
class CleanSettings:
    """What is dropped and what is changed; a setting that makes no sense raises `SettingsError`.

    Attributes:
        languages: The languages of source and target, for the script and ratio rules; a code of ISO 639, with a script
            subtag where a language has several (`sr-Latn`).
        min_tokens: Fewest words of a side.
        max_tokens: Most words of a side.
        max_characters: Most characters of a side.
        max_word_characters: Most characters of a word that is not a web address.
        max_ratio: How many times longer one side may be than the other, beyond the allowance.
        ratio_allowance: How many words longer a side may be whatever the ratio; six characters each if counted in them.
        ratio_unit: What the ratio compares: "tokens", "characters", or "auto": tokens, unless a language is written
            without spaces, where the rule is not applied.
        identical_name_tokens: Most words of a pair with two equal sides that is kept as a name.
        min_script_share: The least share of a side's letters in the scripts of its language; words that both sides have
            (names, placeholders) are not counted against it.
        duplicate_by: What makes two pairs duplicates: "pair", "source" or "target".
        without: Rules that are not applied.
        invisible: Remove bidi controls, soft hyphens, word joiners and byte order marks.
        nfc: Compose characters (Unicode NFC).
        spaces: Make one plain space of each run of spaces and tabs, and none at the ends.
    """

    languages: tuple[str, str] | None = None
    min_tokens: int = 1
    max_tokens: int = 100
    max_characters: int = 2000
    max_word_characters: int = 50
    max_ratio: float = 3.0
    ratio_allowance: int = 6
    ratio_unit: str = "auto"
    identical_name_tokens: int = 4
    min_script_share: float = 0.5
    duplicate_by: str = "pair"
    without: tuple[str, ...] = ()
    invisible: bool = True
    nfc: bool = True
    spaces: bool = True

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int" and (not isinstance(value, int) or not 0 <= value < 1 << 32):
                raise SettingsError(f"{field.name} must be a whole number from 0, not {value!r}")
        self.start()

    def start(self) -> Cleaner:
        """A native cleaner with these settings that has seen no pair yet."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return Cleaner(**{**values, "without": list(self.without)})


DEFAULTS = CleanSettings()


@dataclass(frozen=True)
class Example:
    """A dropped pair as it was in the input, long sides cut; `line` counts pairs from 1."""

    line: int
    source: str
    target: str


@dataclass(frozen=True)
class RuleReport:
    """What one rule dropped: how many pairs, which share of all, and the first few of them."""

    rule: str
    applied: bool
    count: int
    share: float
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class CleanReport:
    """The account of a cleaning: `pairs` is always `kept` plus `dropped`, and `dropped` the sum over `rules`.

    Attributes:
        pairs: Pairs that came in.
        kept: Pairs that were kept.
        dropped: Pairs that were dropped.
        rules: One entry per rule, in the order in which they are asked.
        changed: For each change of normalisation, how many lines of source and target it altered.
        notes: What could not be applied, and why.
        skipped: Units that the reader left out before cleaning, by reason (for formats such as TMX and PO).
        repairs: Places that were not UTF-8 and that the reader replaced, if it was asked to.
        settings: The settings used.
    """

    pairs: int
    kept: int
    dropped: int
    rules: tuple[RuleReport, ...]
    changed: dict[str, tuple[int, int]]
    notes: tuple[str, ...]
    skipped: dict[str, int]
    repairs: int
    settings: CleanSettings

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values, as it is written to JSON."""
        return asdict(self)


@dataclass(frozen=True)
class CleanResult:
    """The kept pairs, normalised and in their order, and the report."""

    pairs: list[Pair]
    report: CleanReport


class CleanStream:
    """Cleans pairs as they come; iterate over it once, then ask for the `report`.

    Example:
        >>> stream = CleanStream([("ein Haus", "a house"), ("ein Haus", "a  house"), ("", "nothing")])
        >>> list(stream)
        [('ein Haus', 'a house')]
        >>> {rule.rule: rule.count for rule in stream.report().rules if rule.count}
        {'empty': 1, 'duplicate': 1}
    """

    def __init__(
        self,
        pairs: Iterable[Pair],
        settings: CleanSettings = DEFAULTS,
        *,
        examples: int = 3,
        threads: int = 0,
        progress: Progress = SILENT,
        told: Callable[[bytes], object] | None = None,
    ) -> None:
        self.settings = settings
        self._told = told
        self._input = pairs
        self._cleaner = settings.start()
        self._examples_wanted = examples
        self._threads = threads
        self._progress = progress
        self._pairs = 0
        self._verdicts: Counter[int] = Counter()
        self._examples: dict[int, list[Example]] = {verdict: [] for verdict in range(1, len(RULES) + 1)}
        self._changed = [[0] * len(CHANGES) for _ in range(2)]
        self._kept = self._clean(pairs)

    def __iter__(self) -> Iterator[Pair]:
        return self._kept

    def __next__(self) -> Pair:
        return next(self._kept)

    def _clean(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        with self._progress.task("cleaning", unit="pairs") as advance:
            for batch in in_batches(pairs):
                kept_sources, kept_targets, verdicts, changed = self._cleaner.clean(*sides(batch), self._threads)
                self._account(batch, verdicts, changed)
                if self._told is not None:
                    self._told(verdicts)
                advance(len(batch))
                yield from zip(kept_sources, kept_targets, strict=True)

    def _account(self, batch: list[Pair], verdicts: bytes, changed: list[list[int]]) -> None:
        self._verdicts.update(verdicts)
        for verdict, examples in self._examples.items():
            at = verdicts.find(verdict)
            while at >= 0 and len(examples) < self._examples_wanted:
                examples.append(Example(self._pairs + at + 1, _cut(batch[at][0]), _cut(batch[at][1])))
                at = verdicts.find(verdict, at + 1)
        for totals, counts in zip(self._changed, changed, strict=True):
            totals[:] = [total + count for total, count in zip(totals, counts, strict=True)]
        self._pairs += len(batch)

    def report(self) -> CleanReport:
        """The account of all pairs read so far."""
        rules = tuple(
            RuleReport(
                rule=rule,
                applied=rule not in self.settings.without,
                count=self._verdicts[verdict],
                share=self._verdicts[verdict] / self._pairs if self._pairs else 0.0,
                examples=tuple(self._examples[verdict]),
            )
            for verdict, rule in enumerate(RULES, start=1)
        )
        return CleanReport(
            pairs=self._pairs,
            kept=self._verdicts[0],
            dropped=sum(rule.count for rule in rules),
            rules=rules,
            changed={change: (self._changed[0][at], self._changed[1][at]) for at, change in enumerate(CHANGES)},
            notes=tuple(self._cleaner.notes),
            skipped=self._input.skipped if isinstance(self._input, Rows) else {},
            repairs=self._input.repairs if isinstance(self._input, Rows) else 0,
            settings=self.settings,
        )


def clean(
    pairs: Iterable[Pair],
    settings: CleanSettings = DEFAULTS,
    *,
    examples: int = 3,
    threads: int = 0,
    progress: Progress = SILENT,
) -> CleanResult:
    """Clean sentence pairs in memory; for files see `clean_to_files`.

    Args:
        pairs: Source and target texts.
        settings: What is dropped and what is changed.
        examples: How many examples per rule the report gives, the first ones of the corpus.
        threads: Threads to use; 0 means all cores. The result does not depend on it.
        progress: Who is told how far it is.

    Returns:
        The kept pairs and the report.

    Raises:
        InputError: A text has a lone surrogate.

    Example:
        >>> result = clean([("das Haus", "the house"), ("der Hund", "собака")], CleanSettings(languages=("de", "en")))
        >>> result.pairs
        [('das Haus', 'the house')]
        >>> [(rule.rule, rule.count) for rule in result.report.rules if rule.count]
        [('script', 1)]
    """
    stream = CleanStream(pairs, settings, examples=examples, threads=threads, progress=progress)
    return CleanResult(list(stream), stream.report())


def clean_to_files(
    pairs: Iterable[Pair],
    stem: Path | str,
    languages: tuple[str, str],
    settings: CleanSettings = DEFAULTS,
    *,
    examples: int = 3,
    threads: int = 0,
    progress: Progress = SILENT,
    told: Callable[[bytes], object] | None = None,
) -> CleanReport:
    r"""Clean sentence pairs into `stem.<source>`, `stem.<target>` and `stem.report.json`, without holding them in memory.

    The three files appear when all is done; on an error none does.

    Args:
        pairs: Source and target texts.
        stem: Path and beginning of the files' names.
        languages: The ends of the two text files' names; not the same.
        settings: What is dropped and what is changed.
        examples: How many examples per rule the report gives.
        threads: Threads to use; 0 means all cores. The result does not depend on it.
        progress: Who is told how far it is.
        told: Called with the verdicts on pairs, in their order and batch by batch: 0 for each that is kept.

    Returns:
        The report.

    Raises:
        InputError: There are no pairs, or a text has a lone surrogate.
        FileError: A file cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     report = clean_to_files([("ein Haus ", "a house"), ("", "x")], Path(directory, "clean"), ("de", "en"))
        ...     Path(directory, "clean.de").read_text(), report.kept, report.dropped
        ('ein Haus\n', 1, 1)
    """
    paths = side_paths(stem, languages)
    stream = CleanStream(pairs, settings, examples=examples, threads=threads, progress=progress, told=told)
    with ExitStack() as files:
        report_file = files.enter_context(write_atomic(Path(f"{stem}.report.json")))
        source_file, target_file = (files.enter_context(Output(path)) for path in paths)
        for source, target in stream:
            source_file.write_line(one_line(source))
            target_file.write_line(one_line(target))
        report = stream.report()
        if report.pairs == 0:
            raise InputError("the corpus is empty", hint="give a corpus with at least one pair")
        json.dump(report.to_dict(), report_file, ensure_ascii=False, allow_nan=False, indent=2)
        report_file.write("\n")
    return report


def side_paths(stem: Path | str, languages: tuple[str, str]) -> tuple[Path, Path]:
    """The paths `stem.<language>` of a corpus' two sides; they must differ and be mere ends of names."""
    if languages[0] == languages[1]:
        raise SettingsError(f"both sides are called {languages[0]}", hint="name two languages")
    for language in languages:
        if not language or "/" in language or language.startswith("."):
            raise SettingsError(
                f"{language!r} cannot be the end of a file's name", hint="give a language code such as de"
            )
    return Path(f"{stem}.{languages[0]}"), Path(f"{stem}.{languages[1]}")


def _cut(text: str) -> str:
    return text if len(text) <= _EXAMPLE_CHARACTERS else f"{text[: _EXAMPLE_CHARACTERS - 1]}…"
