"""Writes a whole corpus: training, development and test text with gold links and trees, and what it was made from."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tolka._engine import __version__
from tolka.corpus.synthetic.example import LANGUAGES, PAIRS, Example
from tolka.corpus.synthetic.generator import Seen, Synthetic
from tolka.corpus.synthetic.lexicon import lexicon
from tolka.errors import FileError, SettingsError
from tolka.files import write_atomic
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tolka.progress import Progress

MANIFEST = "manifest.json"
FORMAT = 1


@dataclass(frozen=True)
class Written:
    """What was written, and from which settings.

    Attributes:
        directory: Where.
        settings: Seed, sizes, domain and the rest.
        splits: Per split the number of examples and tokens, and the counts by domain and phenomenon.
        twins: The rare words that only test and monolingual text contain, with their frequent twins.
    """

    directory: str
    settings: dict[str, Any]
    splits: dict[str, dict[str, Any]]
    twins: list[dict[str, str]]


def write(
    directory: Path | str,
    *,
    pairs: int,
    dev: int = 500,
    test: int = 500,
    mono: int | None = None,
    seed: int = 1,
    domain: str | None = None,
    in_domain: float = 1.0,
    rare: float = 0.3,
    force: bool = False,
    progress: Progress = SILENT,
) -> Written:
    """Write a corpus; the same settings always write the same bytes.

    Development and test text come from `domain` alone, training and monolingual text from both in the share `in_domain`.
    No sentence pair stands in two of them or twice in one, and test and development text do not change with `pairs`.

    Args:
        directory: Where to write; made if missing.
        pairs: Sentence triples of training text.
        dev: Sentence triples of development text.
        test: Sentence triples of test text.
        mono: Lines of monolingual text per language, not parallel to one another; as many as `pairs` unless given.
        seed: Seed of everything random.
        domain: `home`, `tech`, or None for both in equal shares.
        in_domain: Share of training and monolingual text from `domain`.
        rare: How often test and monolingual text use the rare twin of a word; training and development text never do.
        force: Write into a directory that is not empty; files of the same names are replaced.
        progress: Told of each example.
    """
    mono = pairs if mono is None else mono
    for name, size in (("pairs", pairs), ("dev", dev), ("test", test), ("mono", mono)):
        if size < 0:
            raise SettingsError(f"{name} must not be negative, but is {size}")
    directory = Path(directory)
    mixed = {"test": Synthetic(seed, domain, rare=rare, stream="test"), "dev": Synthetic(seed, domain, stream="dev")}
    mixed["train"] = Synthetic(seed, domain, in_domain=in_domain, stream="train")
    _prepare(directory, force=force)
    seen = Seen()
    splits: dict[str, dict[str, Any]] = {}
    with progress.task("writing", total=pairs + dev + test + 3 * mono, unit="examples") as advance:
        for split, size in (("test", test), ("dev", dev), ("train", pairs)):
            examples = mixed[split].sample(size, seen=seen)
            splits[split] = _write_split(directory, split, examples, seen, advance)
        for language in LANGUAGES:
            source = Synthetic(seed, domain, in_domain=in_domain, rare=rare, stream=f"mono.{language}")
            with write_atomic(directory / f"mono.{language}") as file:
                for text in source.monolingual(language, mono, seen=seen):
                    file.write(text + "\n")
                    advance(1)
    settings: dict[str, Any] = {"seed": seed, "pairs": pairs, "dev": dev, "test": test, "mono": mono, "domain": domain}
    settings |= {"in_domain": in_domain, "rare": rare}
    written = Written(str(directory), settings, splits, lexicon().twins())
    facts = {"format": FORMAT, "made_by": f"tolka {__version__}", **asdict(written)}
    del facts["directory"]
    with write_atomic(directory / MANIFEST) as file:
        file.write(json.dumps(facts, ensure_ascii=False, indent=1) + "\n")
    return written


def _prepare(directory: Path, *, force: bool) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        occupied = any(directory.iterdir())
    except OSError as error:
        raise FileError(f"cannot write there ({error.strerror})", path=directory) from error
    if occupied and not force:
        raise FileError("the directory is not empty", path=directory, hint="choose another, or allow it with --force")


def _write_split(
    directory: Path, split: str, examples: Iterable[Example], seen: Seen, advance: Callable[[int], None]
) -> dict[str, Any]:
    """Write the files of one split side by side; each appears under its name when all are complete."""
    domains: Counter[str] = Counter()
    phenomena: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    crossing: Counter[str] = Counter()
    size = 0
    with ExitStack() as stack:

        def opened(name: str) -> TextIO:
            return stack.enter_context(write_atomic(directory / f"{split}.{name}"))

        text = {language: opened(language) for language in LANGUAGES}
        tokenised = {language: opened(f"tok.{language}") for language in LANGUAGES}
        truecased = {language: opened(f"true.{language}") for language in LANGUAGES}
        dependencies = {language: opened(f"{language}.conllu") for language in LANGUAGES}
        brackets = {language: opened(f"{language}.penn") for language in LANGUAGES}
        links = {pair: opened(f"{pair[0]}-{pair[1]}.links") for pair in PAIRS}
        derivations = opened("trees.jsonl")
        for example in examples:
            size += 1
            domains[example.domain] += 1
            phenomena.update(example.phenomena)
            for language in LANGUAGES:
                tokens[language] += len(example.tokens[language])
                crossing[language] += not example.projective(language)
                seen.add_line(language, example.raw[language])
                text[language].write(example.raw[language] + "\n")
                tokenised[language].write(" ".join(example.tokens[language]) + "\n")
                truecased[language].write(" ".join(example.truecased[language]) + "\n")
                dependencies[language].write(example.conllu(language))
                brackets[language].write(example.penn(language) + "\n")
            for pair in PAIRS:
                links[pair].write(example.pharaoh(*pair) + "\n")
            derivations.write(json.dumps(_record(example), ensure_ascii=False) + "\n")
            advance(1)
    return {
        "examples": size,
        "tokens": dict(sorted(tokens.items())),
        "domains": dict(sorted(domains.items())),
        "phenomena": dict(sorted(phenomena.items())),
        "nonprojective": {language: crossing[language] for language in LANGUAGES},
    }


def _record(example: Example) -> dict[str, Any]:
    return {
        "index": example.index,
        "domain": example.domain,
        "phenomena": list(example.phenomena),
        "tree": example.synchronous(),
    }
