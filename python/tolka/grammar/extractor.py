"""Taking rules from aligned text."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from tolka._engine import GrammarExtractor
from tolka.corpus import read_lines
from tolka.errors import FormatError, InputError, SettingsError
from tolka.grammar.table import Grammar
from tolka.limits import DEFAULT
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tolka._engine import GrammarReport
    from tolka.limits import Limits
    from tolka.progress import Progress

    Text = str | PathLike[str] | Iterable[str]
    Links = str | PathLike[str] | Iterable[str] | Iterable[Sequence[tuple[int, int]]]

DEFAULT_MEMORY = 2 << 30
_PIECE = 10_000
_MOST_FOLDS = 2**32

Kind = Literal["hiero", "phrase"]
Counting = Literal["fractional", "unit"]
Orientation = Literal["word", "phrase", "none"]
Smoothing = Literal["none", "good-turing", "kneser-ney"]
Several = Literal["frequent", "min", "max"]
Significance = Literal["alpha+epsilon", "alpha-epsilon"] | float

_EPSILON = 1e-3
_SETTINGS = (
    "kind",
    "max_length",
    "max_symbols",
    "max_gaps",
    "min_gap",
    "adjacent",
    "loose",
    "counting",
    "orientation",
    "smoothing",
    "several",
    "floor",
    "min_count",
    "singletons",
    "significance",
    "limit",
    "orientation_prior",
    "indicators",
)


@dataclass(frozen=True)
class ExtractionReport:
    """What extraction found out beside the table.

    Attributes:
        kind: The kind of rules.
        pairs: Sentence pairs.
        skipped: Sentence pairs left out because a word is spelled `<s>`, `</s>` or `<unk>`.
        occurrences: Occurrences of rules in the text.
        counted: Different rules.
        kept: Rules in the table.
        sources: Source sides in the table.
        spilled: Whether memory did not suffice and the disk was used.
        extract_seconds: Time for finding and counting rules.
        score_seconds: Time for features.
        write_seconds: Time for writing the table.
    """

    kind: str
    pairs: int
    skipped: int
    occurrences: int
    counted: int
    kept: int
    sources: int
    spilled: bool
    extract_seconds: float
    score_seconds: float
    write_seconds: float


class Extractor:
    """Takes rules from aligned text and scores them.

    The features are natural logarithms: `phrase_fe` (p(f|e)), `lex_fe`, `phrase_ef` (p(e|f)), `lex_ef`; and of phrases
    with orientations six more, `reorder_prev_mono` to `reorder_next_other`.

    Args:
        kind: "hiero" (rules with gaps, Chiang 2007) or "phrase" (phrase pairs, Koehn et al. 2003).
        max_length: Words of an initial phrase pair on either side; 10 for hiero, 7 for phrases.
        max_symbols: Words and gaps on the source side of a hiero rule.
        max_gaps: Gaps of a hiero rule, 0 to 2.
        min_gap: Source words that a gap covers at least (Chiang: 2).
        adjacent: Whether two gaps may be neighbours on the source side.
        loose: Whether phrases may begin or end with words without links; as usual, phrases may and rules may not.
        counting: "fractional" shares a count of one for each initial phrase pair among its rules, "unit" counts each
            occurrence as one; phrases have unit counts.
        orientation: Of phrases to their neighbours: by "word" (Moses' default) or "phrase" links, or "none".
        smoothing: Of phrase probabilities: "none", "kneser-ney" or, for unit counts, "good-turing" (Foster et al. 2006).
        several: The lexical weights of a rule with several alignments are those of the most "frequent", or the "min"
            or "max" of all.
        floor: Lowest probability of a feature.
        min_count: Rules counted less are left out, after probabilities were estimated.
        singletons: Words and gaps on the source side of rules that count one or less, at most; longer ones are left out,
            after probabilities were estimated, unless they have a source word that no other rule has. None keeps them all.
        significance: Rules whose sides occur in the same sentence pairs hardly more often than by chance are left out
            (Johnson et al. 2007). "alpha+epsilon" drops those whose sides occur once each, together, and all that are
            less sure; "alpha-epsilon" keeps the former; a number is the least -ln p of Fisher's exact test.
        limit: Rules kept for each source side, by p(e|f); 0 for all.
        orientation_prior: Added to each count of an orientation.
        indicators: Add features that say how often a rule was seen: `count_1`, `count_2`, `count_3_5`, `count_6_more`.
        exact: Whether features are stored as they are. Otherwise each is the nearest of 256 values fitted to all of
            its feature, which takes a quarter of the room and changes translations as little as a retuning would; a
            feature of at most 256 different values loses nothing.
        memory: Bytes to use for counting; beyond them the disk is used (in TMPDIR), with the same result.
        threads: Threads to use; 0 means all cores. The table does not depend on it.
        limits: Caps on files.

    Attributes:
        report_: An `ExtractionReport` of the last extraction.
    """

    def __init__(
        self,
        kind: Kind = "hiero",
        *,
        max_length: int | None = None,
        max_symbols: int = 5,
        max_gaps: int = 2,
        min_gap: int = 1,
        adjacent: bool = False,
        loose: bool | None = None,
        counting: Counting | None = None,
        orientation: Orientation = "word",
        smoothing: Smoothing = "none",
        several: Several = "frequent",
        floor: float = 1e-6,
        min_count: float = 0.0,
        singletons: int | None = None,
        significance: Significance | None = None,
        limit: int = 100,
        orientation_prior: float = 0.5,
        indicators: bool = False,
        exact: bool = False,
        memory: int = DEFAULT_MEMORY,
        threads: int = 0,
        limits: Limits = DEFAULT,
    ) -> None:
        phrases = kind == "phrase"
        self.kind = kind
        self.max_length = (7 if phrases else 10) if max_length is None else max_length
        self.max_symbols = max_symbols
        self.max_gaps = max_gaps
        self.min_gap = min_gap
        self.adjacent = adjacent
        self.loose = phrases if loose is None else loose
        self.counting = ("unit" if phrases else "fractional") if counting is None else counting
        self.orientation = orientation
        self.smoothing = smoothing
        self.several = several
        self.floor = floor
        self.min_count = min_count
        self.singletons = singletons
        self.significance = significance
        self.limit = limit
        self.orientation_prior = orientation_prior
        self.indicators = indicators
        self.exact = exact
        self.memory = memory
        self.threads = threads
        self.limits = limits
        self.report_: ExtractionReport | None = None

    def extract(
        self, source: Text, target: Text, links: Links, path: str | PathLike[str], *, progress: Progress = SILENT
    ) -> Grammar:
        """Make a table of the rules of an aligned text.

        Args:
            source: A file with one tokenised sentence a line (plain or compressed), or the lines.
            target: The same for the translations.
            links: A file of Pharaoh lines, or the lines, or a list of positions for each pair.
            path: The file to write; it is there whole or not at all.
            progress: Told of the sentence pairs done.

        Raises:
            InputError: The texts differ in length, or a link points outside its sentences.
            FormatError: A line of links has something else.
            SettingsError: A setting makes no sense.
        """
        return self._finish(*self.read(source, target, links, progress=progress), path, None, progress)

    def extract_folds(
        self,
        source: Text,
        target: Text,
        links: Links,
        folds: Sequence[int],
        path: str | PathLike[str],
        *,
        voices: Sequence[int] | None = None,
        progress: Progress = SILENT,
    ) -> Grammar:
        """Make one table of many models, each of the text without one of its folds, in one pass.

        This is how stacking trains its models (Razmara 2013, section 4.3). Each fold is a voice of the table, which says
        what `extract` would of the text without the fold: the same rules with the same features, up to rounding. With
        `exact=False`, voices that say nearly the same of a rule say the same. Links of a rule are the whole text's. The
        cost is two to three extractions', however many folds there are.

        Args:
            source: A file with one tokenised sentence a line (plain or compressed), or the lines.
            target: The same for the translations.
            links: A file of Pharaoh lines, or the lines, or a list of positions for each pair; of the whole text.
            folds: The fold of each line, a number from 0, as `tolka.combine.split_folds` gives them.
            path: The file to write; it is there whole or not at all.
            voices: The folds that models do without, at most 64; all of them if not given. Voices are named after them:
                `fold3` does without fold 3.
            progress: Told of the sentence pairs done.

        Raises:
            InputError: The texts or the folds differ in length, a fold has no line, all of them or all rules, or a link
                points outside its sentences.
            FormatError: A line of links has something else.
            SettingsError: A setting makes no sense, or there are too many voices.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     table = Extractor("phrase").extract_folds(
            ...         ["das haus", "das buch"], ["the house", "the book"], ["0-0 1-1"] * 2, [1, 2], f"{folder}/rules.tbl"
            ...     )
            ...     [(voice, len(table.voice(voice).rules("haus"))) for voice in table.voices]
            [('fold1', 0), ('fold2', 1)]
        """
        own = [operator.index(fold) for fold in folds]
        without = sorted(set(own)) if voices is None else [operator.index(fold) for fold in voices]
        for fold in (*own, *without):
            if not 0 <= fold < _MOST_FOLDS:
                raise InputError(f"a fold cannot be {fold}", hint=f"number folds from 0 to {_MOST_FOLDS - 1}")
        return self._finish(*self.read(source, target, links, progress=progress), path, (own, without), progress)

    def _finish(
        self,
        native: GrammarExtractor,
        number: int,
        path: str | PathLike[str],
        folds: tuple[list[int], list[int]] | None,
        progress: Progress,
    ) -> Grammar:
        with progress.task("extracting", total=number, unit="pairs") as advance:
            try:
                report = native.finish(
                    path,
                    **self.engine_settings(),
                    exact=self.exact,
                    memory=self.memory,
                    threads=self.threads,
                    step=advance,
                    folds=folds,
                )
            except OverflowError as error:
                raise SettingsError("a setting is negative or too large") from error
        self.report_ = _report(self.kind, report)
        return Grammar.load(path)

    def read(
        self, source: Text, target: Text, links: Links, *, progress: Progress = SILENT
    ) -> tuple[GrammarExtractor, int]:
        """Read an aligned text; gives it as the engine has it, and the number of its pairs.

        Raises:
            InputError: The texts differ in length, or a link points outside its sentences.
            FormatError: A line of links has something else.
        """
        native = GrammarExtractor()
        number = 0
        with progress.task("reading", unit="pairs") as advance:
            for sources, targets, alignments in self._pieces(source, target, links):
                self._add(native, sources, targets, alignments, links)
                number += len(sources)
                advance(len(sources))
        return native, number

    def settings(self) -> dict[str, Any]:
        """What decides which rules there are and what their features say, by name."""
        return {name: getattr(self, name) for name in _SETTINGS}

    def engine_settings(self) -> dict[str, Any]:
        """The same in the engine's terms."""
        return {**self.settings(), "significance": _threshold(self.significance)}

    def last_report(self) -> ExtractionReport:
        """The report of the last extraction.

        Raises:
            SettingsError: There was none.
        """
        if self.report_ is None:
            raise SettingsError("nothing was extracted yet")
        return self.report_

    def _add(
        self,
        native: GrammarExtractor,
        sources: list[str],
        targets: list[str],
        alignments: list[str] | list[list[tuple[int, int]]],
        links: Links,
    ) -> None:
        try:
            if alignments and isinstance(alignments[0], str):
                native.add(sources, targets, alignments)
            else:
                native.add_links(sources, targets, alignments)  # type: ignore[arg-type]
        except FormatError as error:
            if not isinstance(links, (str, PathLike)):
                raise
            raise FormatError(error.what, path=links, line=error.line, byte=error.byte, hint=error.hint) from error
        except (OverflowError, TypeError) as error:
            raise InputError("links must be pairs of positions from 0, or Pharaoh lines") from error

    def _pieces(
        self, source: Text, target: Text, links: Links
    ) -> Iterator[tuple[list[str], list[str], list[str] | list[list[tuple[int, int]]]]]:
        streams = [self._lines(source), self._lines(target), self._lines(links)]
        done = 0
        while True:
            sources, targets, alignments = (list(islice(stream, _PIECE)) for stream in streams)
            if not len(sources) == len(targets) == len(alignments):
                sizes = [
                    done + len(piece) + sum(1 for _ in stream)
                    for piece, stream in zip((sources, targets, alignments), streams, strict=True)
                ]
                raise InputError(
                    f"the source has {sizes[0]} lines, the target {sizes[1]} and the links {sizes[2]}",
                    hint="give three texts that belong together line by line",
                )
            if not sources:
                return
            yield sources, targets, alignments
            done += len(sources)

    def _lines(self, text: Text | Links) -> Iterator[Any]:
        if isinstance(text, (str, PathLike)):
            return iter(read_lines(text, limits=self.limits))
        return iter(text)


def _threshold(significance: Significance | None) -> tuple[bool, float] | None:
    if significance is None:
        return None
    if isinstance(significance, str):
        relative = {"alpha+epsilon": _EPSILON, "alpha-epsilon": -_EPSILON}
        if significance not in relative:
            raise SettingsError(f"significance cannot be {significance!r}", hint="say alpha+epsilon or alpha-epsilon")
        return True, relative[significance]
    return False, significance


def extract(
    source: Text,
    target: Text,
    links: Links,
    path: str | PathLike[str],
    kind: Kind = "hiero",
    *,
    progress: Progress = SILENT,
    **settings: Any,
) -> Grammar:
    """Make a table of the rules of an aligned text in one call.

    Args:
        source: A file with one tokenised sentence a line (plain or compressed), or the lines.
        target: The same for the translations.
        links: A file of Pharaoh lines, or the lines, or a list of positions for each pair.
        path: The file to write; it is there whole or not at all.
        kind: "hiero" (rules with gaps, Chiang 2007) or "phrase" (phrase pairs, Koehn et al. 2003).
        progress: Told of the sentence pairs done.
        **settings: Those of `Extractor`.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = extract(["das haus"], ["the house"], ["0-0 1-1"], f"{folder}/rules.tbl", kind="phrase")
        ...     [rule.target for rule in table.rules("haus")]
        ['house']
    """
    return Extractor(kind, **settings).extract(source, target, links, path, progress=progress)


def _report(kind: str, report: GrammarReport) -> ExtractionReport:
    return ExtractionReport(
        kind=kind,
        pairs=report.pairs,
        skipped=report.skipped,
        occurrences=report.occurrences,
        counted=report.counted,
        kept=report.kept,
        sources=report.sources,
        spilled=report.spilled,
        extract_seconds=report.extract_seconds,
        score_seconds=report.score_seconds,
        write_seconds=report.write_seconds,
    )
