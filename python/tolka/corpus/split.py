"""Train, development and test sets chosen by content, so that a growing corpus keeps its test set.

A pair's place follows from a hash of its text and the seed, not from its position in the file.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tolka import _engine
from tolka.corpus.batches import in_batches, one_line, sides
from tolka.corpus.clean import side_paths
from tolka.corpus.output import Output
from tolka.errors import InputError, SettingsError
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tolka.corpus.rows import Pair
    from tolka.progress import Progress

PARTS = ("train", "dev", "test")
"""The parts of a split; what repeats a pair of dev or test is in none of them."""

NEAR = "near"
_REPEAT = len(PARTS)


@dataclass(frozen=True)
class SplitSettings:
    """How a corpus is split.

    Attributes:
        dev: The development set: a whole number asks for exactly so many pairs, a fraction for about such a share.
        test: The test set, likewise.
        seed: Other seeds choose other pairs.
        by: What makes two pairs the same, so that they never end up in different parts: "pair", "source", "target", or
            "near" for sources that nearly repeat each other.
    """

    dev: int | float = 1000
    test: int | float = 1000
    seed: int = 1
    by: str = "pair"

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 1 << 64:
            raise SettingsError(f"the seed must be a whole number from 0 to 2^64 - 1, not {self.seed}")
        for size in (self.dev, self.test):
            if isinstance(size, bool) or not 0 <= size <= (1 if isinstance(size, float) else 1 << 48):
                raise SettingsError(
                    f"{size} cannot be the size of a set",
                    hint="give a whole number of pairs, or a share from 0.0 to 1.0",
                )
        self.start()

    def start(self) -> _engine.Splitter:
        """A native splitter with these settings that has seen no pair yet."""
        return _engine.Splitter(seed=self.seed, by="source" if self.by == NEAR else self.by)


DEFAULTS = SplitSettings()


@dataclass(frozen=True)
class SplitReport:
    """How many pairs came in and went where: `pairs` is the sum of the others.

    Attributes:
        pairs: Pairs that came in.
        train: Pairs of the training set.
        dev: Pairs of the development set.
        test: Pairs of the test set.
        repeats: Pairs left out because they repeat one of dev or test.
        near: Pairs of dev and test that training pairs nearly repeat, where groups of such pairs were too large to be
            set aside; None unless pairs are kept together by "near".
        settings: The settings used.
    """

    pairs: int
    train: int
    dev: int
    test: int
    repeats: int
    near: int | None
    settings: SplitSettings

    def to_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class SplitResult:
    """The three sets, each in the order of the corpus, and the report."""

    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]
    report: SplitReport


def split(pairs: Iterable[Pair], settings: SplitSettings = DEFAULTS, *, threads: int = 0) -> SplitResult:
    """Split sentence pairs in memory; for files see `split_to_files`.

    Exact sizes take the pairs with the smallest hashes. When the corpus grows, no pair of the training set ever moves
    into dev or test; pairs of dev and test may go back to training when newcomers with smaller hashes take their
    places. Shares are fixed bounds on the hash: there nothing ever moves. A chosen pair is in its set once; what repeats
    it is left out and counted.

    Args:
        pairs: Source and target texts.
        settings: Sizes, seed, and what makes two pairs the same.
        threads: Threads to use; 0 means all cores. The result does not depend on it.

    Raises:
        InputError: There are too few different pairs.

    Example:
        >>> pairs = [(f"Satz {number}", f"sentence {number}") for number in range(10)]
        >>> result = split(pairs, SplitSettings(dev=2, test=3, seed=1))
        >>> len(result.train), len(result.dev), len(result.test)
        (5, 2, 3)
    """
    listed = list(pairs)
    parts, near = _assign(listed, settings, threads=threads, progress=SILENT)
    sets: list[list[Pair]] = [[], [], [], []]
    for pair, part in zip(listed, parts, strict=True):
        sets[part].append(pair)
    return SplitResult(sets[0], sets[1], sets[2], _report(parts, near, settings))


def split_to_files(
    read: Callable[[], Iterable[Pair]],
    stem: Path | str,
    languages: tuple[str, str],
    settings: SplitSettings = DEFAULTS,
    *,
    threads: int = 0,
    progress: Progress = SILENT,
    told: Callable[[bytes], object] | None = None,
) -> SplitReport:
    r"""Split sentence pairs into `stem.train.<source>`, `stem.train.<target>` and so on, reading them twice.

    The six files appear when all is done; on an error none does. Memory is 16 bytes per pair, three times over.

    Args:
        read: Gives the pairs from the start, each time it is called.
        stem: Path and beginning of the files' names.
        languages: The ends of the files' names.
        settings: Sizes, seed, and what makes two pairs the same.
        threads: Threads to use; 0 means all cores. The result does not depend on it.
        progress: Who is told how far it is.
        told: Called with the parts of all pairs, as indices into `PARTS`.

    Raises:
        InputError: There are too few different pairs, or the corpus changed between the readings.
        FileError: A file cannot be written.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> pairs = [("eins", "one"), ("zwei", "two"), ("drei", "three")]
        >>> with tempfile.TemporaryDirectory() as directory:
        ...     report = split_to_files(lambda: pairs, Path(directory, "all"), ("de", "en"), SplitSettings(dev=1, test=1))
        ...     len(list(Path(directory).iterdir())), report.train
        (6, 1)
    """
    outputs = [side_paths(f"{stem}.{part}", languages) for part in PARTS]
    parts, near = _assign(read(), settings, threads=threads, progress=progress)
    with ExitStack() as stack, progress.task("writing", total=len(parts), unit="pairs") as advance:
        files = [[stack.enter_context(Output(path)) for path in paths] for paths in outputs]
        if told is not None:
            told(parts)
        done = 0
        for batch in in_batches(read()):
            wanted = parts[done : done + len(batch)]
            done += len(batch)
            if len(wanted) != len(batch):
                break
            for pair, part in zip(batch, wanted, strict=True):
                if part != _REPEAT:
                    for file, text in zip(files[part], pair, strict=True):
                        file.write_line(one_line(text))
            advance(len(batch))
        if done != len(parts):
            raise InputError("the corpus changed while it was read", hint="split it again when nothing writes to it")
    return _report(parts, near, settings)


def parse_size(text: str) -> int | float:
    """A size as people write it: a number of pairs (`1000`) or a share (`2%`, `0.02`).

    Example:
        >>> parse_size("1000"), parse_size("2%"), parse_size("0.02")
        (1000, 0.02, 0.02)
    """
    if re.fullmatch(r"[0-9]+", text, flags=re.ASCII) and len(text) <= len(str(1 << 48)):
        return int(text)
    if matched := re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,18})?)%", text, flags=re.ASCII):
        return float(matched[1]) / 100
    if re.fullmatch(r"[01]\.[0-9]{1,18}", text, flags=re.ASCII):
        return float(text)
    raise SettingsError(f"{text!r} is not a size", hint="give a number of pairs such as 1000, or a share such as 2%")


def _assign(
    pairs: Iterable[Pair], settings: SplitSettings, *, threads: int, progress: Progress
) -> tuple[bytes, int | None]:
    with progress.task("hashing", unit="pairs") as advance:
        if settings.by == NEAR:
            from tolka.corpus.near import near_parts  # noqa: PLC0415 (numpy takes a while)

            wanted = {name: getattr(settings, name) for name in PARTS[1:]}
            return near_parts((source for source, _ in _counted(pairs, advance)), wanted, seed=settings.seed)
        splitter = settings.start()
        for batch in in_batches(pairs):
            splitter.add(*sides(batch), threads)
            advance(len(batch))
    return splitter.parts(dev=settings.dev, test=settings.test), None


def _counted(pairs: Iterable[Pair], advance: Callable[[int], None]) -> Iterator[Pair]:
    for batch in in_batches(pairs):
        yield from batch
        advance(len(batch))


def _report(parts: bytes, near: int | None, settings: SplitSettings) -> SplitReport:
    counts = Counter(parts)
    return SplitReport(
        pairs=len(parts),
        train=counts[0],
        dev=counts[1],
        test=counts[2],
        repeats=counts[_REPEAT],
        near=near,
        settings=settings,
    )
