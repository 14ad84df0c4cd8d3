"""What a model's manifest says of it: kind, languages, how text is prepared, how hard it searches."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from tolka.errors import FormatError
from tolka.files.checked import Checked, at_least, length, pattern
from tolka.translate.searching import Setting, store_search

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

Kind = Literal["hiero", "phrase"]
"""Which rules a model has: with gaps, or phrases."""

Strategy = Literal["chart", "phrase", "undirected"]
"""How it searches, see `tolka.decode.Kind`."""

STRATEGIES: Mapping[Kind, tuple[Strategy, ...]] = MappingProxyType(
    {"hiero": ("chart", "undirected"), "phrase": ("phrase", "chart", "undirected")}
)
"""How models of each kind can be searched, the usual way first."""

# A table of unknown words stands behind another one.
_WITH_OOV = 2

# Names of tables and language models begin the names of files and of features.
Name = Annotated[str, pattern("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")]
Lang = Annotated[str, pattern("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}|_[A-Za-z0-9]{1,8})*")]


def strategy_of(kind: str, strategy: str | None = None) -> Strategy:
    """How a model of this kind is searched: as is said, if that can be, or in the usual way.

    Raises:
        ValueError: It cannot be searched so.

    Example:
        >>> strategy_of("hiero"), strategy_of("phrase"), strategy_of("phrase", "chart")
        ('chart', 'phrase', 'chart')
    """
    known = next((ways for name, ways in STRATEGIES.items() if name == kind), None)
    if known is None:
        raise ValueError(f"unknown kind of model {kind!r}: use {' or '.join(STRATEGIES)}")
    found = next((way for way in known if strategy is None or strategy == way), None)
    if found is None:
        raise ValueError(f"a model of kind {kind} is not searched by strategy {strategy!r}: use {' or '.join(known)}")
    return found


@dataclass(frozen=True)
class TextSettings(Checked):
    """How text becomes words, and words become text.

    Attributes:
        tokenised: Whether text comes as words with spaces between and leaves so; then nothing else is done.
        invisible: Whether invisible characters are removed, as `tolka.corpus.CleanSettings` says.
        nfc: Whether characters are composed, likewise.
        spaces: Whether spaces are made plain and single, likewise.
        escape: Whether the tokeniser escapes `& | < > ' " [ ]`.
        protect: Whether it leaves addresses and compound numbers whole.
        notation: Whether it leaves text that is not words whole, which is then copied, and inline tags are put around the
            translation of their words. Models that do not say so were made before.
        abbreviations: Further words that keep their period.
        truecase: Whether words at the start of a sentence get their usual case.
        compounds: Whether compounds of the language it translates from are split, tokenised or not.
        masked: Whether placeholders stand for numbers and addresses, tokenised or not.
    """

    tokenised: bool = False
    invisible: bool = True
    nfc: bool = True
    spaces: bool = True
    escape: bool = True
    protect: bool = False
    notation: bool = False
    abbreviations: list[str] = field(default_factory=list)
    truecase: bool = True
    compounds: bool = False
    masked: bool = False


@dataclass(frozen=True)
class Growing(Checked):
    """How a model that takes in new sentence pairs finds its rules.

    Attributes:
        rules: Settings of `tolka.grammar.Extractor`.
        samples: Occurrences that are looked at, as `tolka.grammar.SuffixGrammar` says.
        lm: Settings of the language model, if it is made again of the text that is kept.
        base: Parts of the text that are not of updates, once there was one.
    """

    rules: dict[str, bool | int | float | str] = field(default_factory=dict)
    samples: Annotated[int, at_least(0)] = 300
    lm: dict[str, int | str | list[int]] | None = None
    base: Annotated[int, at_least(0)] | None = None


MemoryUse = Literal["exact", "fuzzy", "off"]
"""What corrections do: bind the very sentence, sentences like it as well, or nothing."""


@dataclass(frozen=True)
class Update(Checked):
    """Sentence pairs that a model took in.

    Attributes:
        id: Its number; no other update of the model ever has the same.
        name: What it is called, mostly after its file.
        pairs: How many pairs the model remembers.
        learned: How many of them are in the text of a model that grows.
    """

    id: Annotated[int, at_least(1)]
    name: str
    pairs: Annotated[int, at_least(1)]
    learned: Annotated[int, at_least(0)] = 0


@dataclass(frozen=True)
class Remembering(Checked):
    """What a model does with its corrections.

    Attributes:
        use: `exact`: a sentence that was corrected is translated by its correction; `fuzzy`: besides, words of similar
            sentences are translated as there; `off`: neither.
        threshold: Of `fuzzy`: the least share of words that need no edit.
        updates: What it took in, oldest first.
        last: The number of the last update, undone or not.
    """

    use: MemoryUse = "exact"
    threshold: float = 0.8
    updates: list[Update] = field(default_factory=list)
    last: Annotated[int, at_least(0)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.threshold <= 1:
            raise ValueError(f"the threshold is a share above 0 and up to 1, not {self.threshold}")
        if self.use not in get_args(MemoryUse):
            raise ValueError(f"unknown use of the memory {self.use!r}: use {', '.join(get_args(MemoryUse))}")


@dataclass(frozen=True)
class CorpusPart(Checked):
    """A corpus that a model was trained on.

    Attributes:
        name: What it is called.
        pairs: How many of its pairs the model was trained on.
    """

    name: Name
    pairs: Annotated[int, at_least(0)]


@dataclass(frozen=True)
class Reorder(Checked):
    """How the words of a sentence are put into the target language's order before it is translated.

    Attributes:
        analyser: Who gives sentences their trees: `udpipe` or `classes`.
        settings: Of the pre-orderer, as its own manifest has them.
        files: The names of its files.
    """

    analyser: Literal["udpipe", "classes"]
    settings: dict[str, Any]
    files: Annotated[list[str], length(0, 64)]


@dataclass(frozen=True)
class Through(Checked):
    """How the tables of a model lead through other languages: each from where the one before it leads to.

    Attributes:
        pivots: The languages between, in their order.
        over: What counts of several ways to a translation: the best (`max`), or all together (`sum`).
        rules: Translations of a source side that are composed, the best; 0 for all.
        ways: Pivot sides of a source side, the best; 0 for all.
        targets: Translations of a pivot side, the best; 0 for all.
        linked: Whether links must lead from a source word through the pivot to a target word.
        recased: Whether words of a pivot that a table has only in another case are the same.
        sums: Of `sum`: what features of the tables count, by names such as `de-en.phrase_fe`.
    """

    pivots: Annotated[list[Lang], length(1, 8)]
    over: Literal["max", "sum"] = "max"
    rules: Annotated[int, at_least(0)] = 100
    ways: Annotated[int, at_least(0)] = 100
    targets: Annotated[int, at_least(0)] = 100
    linked: bool = False
    recased: bool = False
    sums: dict[str, int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Induction(Checked):
    """Translations of words that a model's text lacks, found by how these words are used; see `tolka.combine.oov`.

    Attributes:
        table: The table that has them, the last of the model's.
        words: How many words they are of.
        entries: How many they are.
        settings: How they were found, for people to read.
    """

    table: Name
    words: Annotated[int, at_least(1)]
    entries: Annotated[int, at_least(1)]
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Description(Checked):
    """A model without its files.

    Attributes:
        kind: `hiero` (rules with gaps) or `phrase`.
        langs: The language it translates from, and the one it translates to.
        strategy: How it searches; the usual way of its kind if that is not said.
        text: How text is prepared and restored.
        search: Settings of the decoder, as `tolka.translate.searching` stores them.
        sparse: Templates of sparse features, as `tolka.decode.SparseFeatures` has them.
        grammars: The names of its tables of rules.
        lms: The names of its language models.
        voices: The voice that speaks for it in each table that speaks for several models, by the table's name.
        through: How its tables are composed, if they lead through other languages.
        oov: What its table of unknown words is, if it has one; the model keeps a record of how each was translated.
        reorder: How words are put into another order first, if they are.
        aligner: Whether the aligner that it was made with is kept.
        growing: How it finds rules, if it keeps its text instead of a table of rules.
        memory: What it does with its corrections, once it has some.
        corpora: What it was trained on, if that has names, in the order of its training text: that of a model that grows
            has the pairs of each one after the other.
        made: How it was made, for people to read; nothing depends on it.
    """

    kind: Kind
    langs: Annotated[list[Lang], length(2, 2)]
    strategy: Strategy = None  # type: ignore[assignment]  # filled in
    text: TextSettings = field(default_factory=TextSettings)
    search: dict[str, Setting] = field(default_factory=dict)
    sparse: dict[Literal["word_pair", "rule_shape", "rule_count"], bool | int] = field(default_factory=dict)
    grammars: Annotated[list[Name], length(1, 64)] = field(default_factory=lambda: ["grammar"])
    lms: Annotated[list[Name], length(0, 64)] = field(default_factory=lambda: ["lm"])
    voices: dict[Name, str] | None = None
    through: Through | None = None
    oov: Induction | None = None
    reorder: Reorder | None = None
    aligner: bool = False
    growing: Growing | None = None
    memory: Remembering | None = None
    corpora: list[CorpusPart] | None = None
    made: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "strategy", strategy_of(self.kind, self.strategy))
        if isinstance(self.search, dict):
            object.__setattr__(self, "search", store_search(self.search))
        super().__post_init__()
        known = [] if self.growing is not None else self.grammars
        if unknown := next((name for name in self.voices or () if name not in known), None):
            raise ValueError(f"voices.{unknown}: the model has no such table")
        if self.oov is not None and (len(known) < _WITH_OOV or known[-1] != self.oov.table):
            raise ValueError(f"oov.table: {self.oov.table!r} is not the last of several tables")
        if self.through is not None:
            if len(known) != len(self.through.pivots) + 1:
                raise ValueError(f"through.pivots: {len(known)} tables lead through {len(known) - 1} languages")
            if any(self.sparse.values()):
                raise ValueError("sparse: rules that lead through other languages have no sparse features")

    @classmethod
    def of_manifest(cls, settings: Mapping[str, Any], path: str | PathLike[str]) -> Description:
        """The description in a manifest's settings.

        Raises:
            FormatError: They describe no translator.
        """
        try:
            return cls.read(settings)
        except ValueError as error:
            what = f"the model's manifest describes no translator: {error}"
            raise FormatError(what, path=path, hint="make the model again, or upgrade tolka") from error

    def written(self) -> dict[str, Any]:
        """As settings of a manifest."""
        return _without_none(asdict(self))


def _without_none(table: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _without_none(value) if isinstance(value, dict) else value
        for name, value in table.items()
        if value is not None
    }
