"""Rules of a text that keeps growing, found when a sentence asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka import files
from tolka._engine import SuffixIndex, SuffixRules
from tolka.errors import FormatError, InputError, SettingsError
from tolka.grammar.extractor import Extractor
from tolka.grammar.table import Grammar
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from tolka.files import BundleWriter
    from tolka.grammar.extractor import Links, Text
    from tolka.progress import Progress

KIND = "suffix-grammar"
_SAMPLES = 300
_ENDING = ".sfx"


@dataclass(frozen=True)
class SuffixStats:
    """The sizes of a suffix grammar.

    Attributes:
        kind: The kind of its rules.
        pairs: Sentence pairs taken in.
        words: Words of both sides, counting every occurrence.
        source_words: Different source words.
        target_words: Different target words.
        segments: Parts, largest first.
        bytes: Bytes of its files.
    """

    kind: str
    pairs: int
    words: int
    source_words: int
    target_words: int
    segments: int
    bytes: int


class SuffixGrammar:
    """An aligned text in which rules are looked up, instead of a table of all rules.

    Building it takes seconds, and new sentence pairs are there at once. The rules and features are those of the
    `Extractor` whose settings it has; with `samples=0` exactly, else as estimated from a sample (Lopez 2008).

    Made by `SuffixGrammar.build` or `SuffixGrammar.load`.

    Args:
        segments: The files that the text is in, in their order; none for an empty text.
        extractor: The kind and the settings of rules.
        samples: Occurrences of a source side, and of a target side, that are looked at; 0 for all.
        max_span: Words of a sentence that a rule with gaps covers at most, if decoders have such a limit too; 0 for any
            number.
        threads: Threads to use; 0 means all cores. Rules do not depend on it.

    Example:
        >>> import tempfile
        >>> directory = tempfile.TemporaryDirectory()
        >>> grammar = SuffixGrammar.build(["das haus"], ["the house"], ["0-0 1-1"], directory.name + "/rules")
        >>> [rule.target for rule in grammar.extract(["das buch"]).rules("buch")]
        []
        >>> _ = grammar.append(["buch"], ["book"], ["0-0"])
        >>> [rule.target for rule in grammar.extract(["das buch"]).rules("buch")]
        ['book']
        >>> directory.cleanup()
    """

    def __init__(
        self,
        segments: Iterable[str | PathLike[str]] = (),
        extractor: Extractor | None = None,
        *,
        samples: int = _SAMPLES,
        max_span: int = 0,
        threads: int = 0,
    ) -> None:
        self.path: Path | None = None
        self.extractor = Extractor("hiero") if extractor is None else extractor
        self.samples = samples
        self.max_span = max_span
        self.threads = threads
        self._load([Path(segment) for segment in segments])

    @classmethod
    def build(
        cls,
        source: Text,
        target: Text,
        links: Links,
        path: str | PathLike[str],
        *,
        extractor: Extractor | None = None,
        samples: int = _SAMPLES,
        max_span: int = 0,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> SuffixGrammar:
        """Make the grammar of an aligned text in a directory.

        Args:
            source: A file with one tokenised sentence a line (plain or compressed), or the lines.
            target: The same for the translations.
            links: A file of Pharaoh lines, or the lines, or a list of positions for each pair.
            path: The directory to write; what is there is replaced when the grammar is whole.
            extractor: The kind and the settings of rules; hiero rules if not given.
            samples: See the class.
            max_span: See the class.
            threads: See the class.
            progress: Told of the sentence pairs read.

        Raises:
            InputError: The texts differ in length, or a link points outside its sentences.
            FormatError: A line of links has something else.
            SettingsError: A setting makes no sense, or needs the table of all rules.
        """
        made = cls([], extractor, samples=samples, max_span=max_span, threads=threads)
        with files.save_bundle(Path(path), kind=KIND, settings=made.settings(), features=made.feature_names) as out:
            made._write([], out, source, target, links, progress)
        return cls.load(path, threads=threads)

    @classmethod
    def load(
        cls, path: str | PathLike[str], *, samples: int | None = None, max_span: int | None = None, threads: int = 0
    ) -> SuffixGrammar:
        """Load the grammar in a directory; what is not given is as it was built.

        Raises:
            FileError: There is no such grammar.
            FormatError: It is damaged or something else.
        """
        bundle = files.Bundle.open(Path(path), kind=KIND, verify=False)
        try:
            extractor = Extractor(**bundle.settings["rules"])
            stored = int(bundle.settings["samples"]), int(bundle.settings["max_span"])
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError("the settings of the grammar are not valid", path=path) from error
        opened = cls(
            [bundle.file(name) for name in segment_names(bundle.names)],
            extractor,
            samples=stored[0] if samples is None else samples,
            max_span=stored[1] if max_span is None else max_span,
            threads=threads,
        )
        opened.path = Path(path)
        return opened

    def _load(self, segments: list[Path]) -> None:
        self.segments = segments
        self._index = SuffixIndex.open(segments, full=False)
        settings = self.extractor.engine_settings()
        try:
            self._rules = SuffixRules(self._index, **settings, samples=self.samples, max_span=self.max_span)
        except OverflowError as error:
            raise SettingsError("a setting is negative or too large") from error

    def settings(self) -> dict[str, Any]:
        """What it was built with, by name."""
        rules = {name: value for name, value in self.extractor.settings().items() if value is not None}
        return {"rules": rules, "samples": self.samples, "max_span": self.max_span}

    @property
    def native(self) -> SuffixRules:
        """The engine's rules, which decoders walk through."""
        return self._rules

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in order."""
        return tuple(self._rules.feature_names)

    def __len__(self) -> int:
        """Sentence pairs taken in."""
        return sum(pairs for pairs, _ in self._index.segments)

    def append(self, source: Text, target: Text, links: Links) -> SuffixGrammar:
        """Take in more sentence pairs; all rules found from now on know them.

        On disk the grammar is the old or the new one at any moment. A few pairs become a small part of their own, and
        small parts are merged, so that a pair costs the time to sort it into ever larger parts, logarithmically often.

        Raises:
            SettingsError: The grammar has no directory.
            InputError: The texts differ in length, or a link points outside its sentences.
            FormatError: A line of links has something else.
            FileError: Another process is saving the grammar.
        """
        if self.path is None:
            raise SettingsError("the grammar has no directory of its own", hint="make it with SuffixGrammar.build")
        with files.save_bundle(self.path, kind=KIND, settings=self.settings(), features=self.feature_names) as out:
            # Another process may have appended since.
            bundle = files.Bundle.open(self.path, kind=KIND, verify=False)
            names = segment_names(bundle.names)
            if [bundle.file(name) for name in names] != self.segments:
                self._load([bundle.file(name) for name in names])
            self._write(names, out, source, target, links)
        bundle = files.Bundle.open(self.path, kind=KIND, verify=False)
        self._load([bundle.file(name) for name in segment_names(bundle.names)])
        return self

    def append_to(
        self, out: BundleWriter, names: Sequence[str], source: Text, target: Text, links: Links, *, keep: int = 0
    ) -> None:
        """Write the grammar with more sentence pairs into a model that is being saved over the one it was opened from.

        Args:
            out: The model.
            names: What the model calls the files of `segments`, as `segment_names` gives them.
            source: As for `build`.
            target: As for `build`.
            links: As for `build`.
            keep: How many of the first files stay as they are, however small.
        """
        self._write(list(names), out, source, target, links, keep=keep)

    def _write(
        self,
        names: list[str],
        out: BundleWriter,
        source: Text,
        target: Text,
        links: Links,
        progress: Progress = SILENT,
        *,
        keep: int = 0,
    ) -> None:
        if len(names) != len(self.segments):
            raise InputError(f"{len(names)} names for the {len(self.segments)} files of the grammar")
        text, _ = self.extractor.read(source, target, links, progress=progress)
        number = _number(names[-1]) + 1 if names else 1
        path = out.file(f"segment-{number:06}{_ENDING}")
        stay = self._index.append(text, path, keep=keep, threads=self.threads)
        for name in names[:stay]:
            out.keep(name)

    def extract(self, sentences: Sequence[str]) -> Grammar:
        """The rules that can match somewhere in these sentences, as a grammar in memory for decoders.

        Args:
            sentences: Tokenised sentences. Several together cost less than one by one; a rule has the same features
                whichever sentences ask for it.
        """
        if isinstance(sentences, str):
            raise InputError("one string instead of a list of sentences", hint="put it into a list")
        return Grammar(self._rules.extract(list(sentences), threads=self.threads))

    def stats(self) -> SuffixStats:
        """Count what is in it."""
        segments = self._index.segments
        source_words, target_words = self._index.words
        return SuffixStats(
            kind=self.extractor.kind,
            pairs=len(self),
            words=sum(words for _, words in segments),
            source_words=source_words,
            target_words=target_words,
            segments=len(segments),
            bytes=sum(path.stat().st_size for path in self.segments),
        )

    def __repr__(self) -> str:
        """Say what it is."""
        return f"SuffixGrammar({str(self.path)!r}, {self.extractor.kind!r}, {len(self)} pairs)"


def segment_names(names: Iterable[str]) -> list[str]:
    """The names of a model's files that are segments of a suffix grammar, in their order."""
    return sorted((name for name in names if _is_segment(name)), key=_number)


def _is_segment(name: str) -> bool:
    stem = name.removeprefix("segment-").removesuffix(_ENDING)
    return name == f"segment-{stem}{_ENDING}" and stem.isascii() and stem.isdigit()


def _number(name: str) -> int:
    return int(name.removeprefix("segment-").removesuffix(_ENDING))
