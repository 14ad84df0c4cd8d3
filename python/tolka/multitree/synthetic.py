"""English-French pairs whose multitrees are known, from the synthetic corpus and its gold links and trees.

They show what a learned search must get right: *ce*, *cet* or *cette* by the noun that follows, adjectives behind the noun
(inversions), *ne ... pas* in one leaf with *not*, words that only one language has, compounds, and words whose translation
depends on their neighbours (*know*: *savoir* or *connaître*). docs/synthetic.md shows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tolka.align import read_links
from tolka.corpus import read_lines
from tolka.corpus.synthetic import Synthetic
from tolka.errors import FormatError, SettingsError
from tolka.multitree.bank import write_multitrees
from tolka.multitree.gold import multitree_of_links
from tolka.progress import SILENT
from tolka.syntax import parse_penn, read_conllu, read_penn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import PathLike

    from tolka.corpus.synthetic import Example
    from tolka.multitree.bank import Multitrees
    from tolka.progress import Progress

SOURCE, TARGET = "en", "fr"
LONGEST = 3
"""Words that a phrase may have in Galron's experiments (2012, section 5.2)."""


@dataclass(frozen=True)
class GoldBank:
    """What was written of a split.

    Attributes:
        path: The file.
        pairs: Sentence pairs, a line each.
        complete: How many have one tree that covers them.
        short: How many of these have no leaf with more than three words on a side.
        incomplete: Lines, from 1, of pairs that have only a cover.
    """

    path: str
    pairs: int
    complete: int
    short: int
    incomplete: tuple[int, ...]


def gold_multitrees(example: Example) -> Multitrees:
    """The multitree of the English and French sentences of a synthetic example.

    Example:
        >>> pair = gold_multitrees(Synthetic(seed=1).example(4))
        >>> print(pair.trees[0].pretty())
        TOP monotonic 0-6 | 0-7
        ├─ S monotonic 0-5 | 0-6
        │  ├─ NP monotonic 0-2 | 0-2
        │  │  ├─ DET My | Mon
        │  │  └─ NOUN sofa | canapé
        │  └─ VP monotonic 2-5 | 2-6
        │     ├─ AUX* is not | n' est pas
        │     └─ ADJ small | petit
        └─ PUNCT . | .
    """
    return multitree_of_links(
        example.tokens[SOURCE],
        example.tokens[TARGET],
        example.links(SOURCE, TARGET),
        source_tree=parse_penn(example.penn(SOURCE)),
        source_heads=example.heads(SOURCE),
    )


def synthetic_multitrees(
    seed: int = 1, pairs: int = 1000, *, start: int = 0, domain: str | None = None, longest: int | None = LONGEST
) -> Iterator[tuple[Example, Multitrees]]:
    """Sentence pairs with complete gold multitrees; the same seed always gives the same ones.

    Args:
        seed: Seed of everything random.
        pairs: How many.
        start: Number of the first example that is looked at.
        domain: `home` or `tech`; both if not given.
        longest: Pairs with a leaf of more words on a side are passed over; None allows any.

    Example:
        >>> example, found = next(synthetic_multitrees(seed=1, pairs=1))
        >>> example.raw["en"], str(found.trees[0])
        ('He ran.', '(TOP (S [PRON He | Il] [VERB ran | a couru]) [PUNCT . | .])')
    """
    if pairs < 0 or (longest is not None and longest < 1):
        raise SettingsError("the number of pairs and the longest phrase must not be negative")
    source = Synthetic(seed=seed, domain=domain)
    at = start
    while pairs > 0:
        example = source.example(at)
        at += 1
        found = gold_multitrees(example)
        if found.complete and (longest is None or longest_leaf(found) <= longest):
            pairs -= 1
            yield example, found


def write_gold(
    directory: str | PathLike[str],
    splits: Sequence[str] = ("train", "dev", "test"),
    *,
    progress: Progress = SILENT,
) -> dict[str, GoldBank]:
    """Write the English-French multitrees of a synthetic corpus beside its files, as `train.en-fr.multitrees` and so on.

    Args:
        directory: Where `tolka corpus synth` wrote the corpus.
        splits: Whose multitrees to write.
        progress: Told of each pair.

    Raises:
        FileError: A file of the corpus is missing.
        FormatError: The files do not belong together.
    """
    return {split: _write_split(Path(directory), split, progress) for split in splits}


def _write_split(directory: Path, split: str, progress: Progress) -> GoldBank:
    path = directory / f"{split}.{SOURCE}-{TARGET}.multitrees"
    complete = short = 0
    incomplete: list[int] = []

    def counted() -> Iterator[Multitrees]:
        nonlocal complete, short
        for number, found in enumerate(_read(directory, split), 1):
            if found.complete:
                complete += 1
                short += longest_leaf(found) <= LONGEST
            else:
                incomplete.append(number)
            advance(1)
            yield found

    with progress.task(f"multitrees of {split}", unit="pairs") as advance:
        pairs = write_multitrees(path, counted())
    return GoldBank(str(path), pairs, complete, short, tuple(incomplete))


def longest_leaf(pair: Multitrees) -> int:
    """Words of the longest side of a leaf."""
    return max((len(words) for leaf in pair.leaves() for words in leaf.words), default=0)


def _read(directory: Path, split: str) -> Iterator[Multitrees]:
    def named(ending: str) -> Path:
        return directory / f"{split}.{ending}"

    # The corpus has the links of French and English in that order.
    links = read_links(named(f"{TARGET}-{SOURCE}.links"))
    columns = zip(
        read_lines(named(f"tok.{SOURCE}")),
        read_lines(named(f"tok.{TARGET}")),
        links,
        read_penn(named(f"{SOURCE}.penn")),
        read_conllu(named(f"{SOURCE}.conllu")),
        strict=True,
    )
    try:
        for source, target, reversed_links, tree, dependencies in columns:
            yield multitree_of_links(
                source.split(" "),
                target.split(" "),
                [(i, j) for j, i in reversed_links],
                source_tree=tree,
                source_heads=[head - 1 for head in dependencies.heads],
            )
    except ValueError as error:
        raise FormatError(
            f"the files of {split} differ in their numbers of sentences", path=directory, hint="make the corpus again"
        ) from error
