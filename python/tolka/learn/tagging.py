"""Labels for words, learnt by the coordinator of two searches (Galron 2012, section 6.3)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from tolka import _engine
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT
from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from tolka.limits import Limits
    from tolka.progress import Progress

_NATIVE = (
    *("epochs", "explore", "semiring", "beam", "before", "behind", "known", "most", "least", "tolerance"),
    "max_depth",
)


class TaggingEpoch(NamedTuple):
    """What an epoch of training came to.

    Attributes:
        epoch: Its number, from 1 on.
        explored: Steps beyond a mistake that were looked at.
        right: Examples of right labels so far.
        wrong: Examples of wrong ones.
    """

    epoch: int
    explored: int
    right: int
    wrong: int


class Label(NamedTuple):
    """The label of a word.

    Attributes:
        word: The word.
        label: Its label.
        cost: How unsure the classifier of the label was: ln(1 + e^-score), 0 for certain.
    """

    word: str
    label: str
    cost: float


@dataclass(eq=False)
class Tagger:
    """Gives each word of a sentence a label, such as its part of speech, by classifiers that learn from their own search.

    One search labels as it would without help, another can only give the right labels; each step of the first becomes an
    example, right if the second could have done the same. The first goes on from what is right and, from the second epoch
    on, some steps beyond a mistake: so the classifiers learn what follows one, and a label that cannot be told by what came
    before it is told by what comes next. It is the coordinator that teaches multitrees to translate, with another logic. Every label
    has `BoostedTrees` of its own, which ask for the word, two on either side, how it is written and the last two labels.

    Attributes:
        epochs: Passes over the sentences.
        explore: The most steps that are explored beyond a mistake; none in the first epoch, one more in each further one.
        semiring: Compare sequences of labels by their worst (`minmerge`) or by sums (`viterbi`).
        beam: Histories of two labels that are kept at each word; None for all.
        before: Words before that are seen, up to 2.
        behind: Words behind that are seen, up to 2.
        known: A word seen so often gets no labels but those it was seen with.
        most: Examples of a label; of more, a sample.
        least: The penalty of the classifiers: smaller learns more of every word.
        tolerance: By how much of itself the risk must fall for a tree to be kept.
        max_depth: How many tests a path of a tree may have.
        threads: 0 for one per core. What is learnt does not depend on it.

    Example:
        >>> text = [("she saw her".split(), "PRON VERB PRON".split()), ("the dog saw".split(), "DET NOUN VERB".split())] * 10
        >>> tagger = Tagger().train(text)
        >>> tagger.tag([["the", "dog", "saw", "her"]])
        [['DET', 'NOUN', 'VERB', 'PRON']]
    """

    epochs: int = 3
    explore: int = 1
    semiring: Literal["minmerge", "viterbi"] = "minmerge"
    beam: int | None = 20
    before: int = 2
    behind: int = 2
    known: int = 5
    most: int = 100_000
    least: float = 3 / 4096
    tolerance: float = 1e-4
    max_depth: int | None = 8
    threads: int = 0
    curve_: list[TaggingEpoch] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        self._native: _engine.SequenceLabeller | None = None
        self._labels: list[str] = []
        for one in fields(self):
            value = getattr(self, one.name)
            if one.init and isinstance(value, int | float) and value < 0:
                raise SettingsError(f"{one.name} cannot be {value}", hint="use 0 or more")

    def train(self, sentences: Iterable[tuple[Sequence[str], Sequence[str]]], *, progress: Progress = SILENT) -> Self:
        """Learn from sentences: the words of each, and a label for each word.

        Raises:
            InputError: There is nothing to learn from, or a sentence has more or fewer labels than words.
            SettingsError: A setting makes no sense.
        """
        given = [(list(words), list(labels)) for words, labels in sentences]
        settings: dict[str, Any] = {name: getattr(self, name) for name in _NATIVE}
        curve: list[TaggingEpoch] = []
        with progress.task("learning", total=self.epochs, unit="epochs") as advance:

            def told(epoch: int, explored: int, right: int, wrong: int) -> None:
                curve.append(TaggingEpoch(epoch, explored, right, wrong))
                advance(1)

            native = _engine.SequenceLabeller.train(given, settings=settings, threads=self.threads, told=told)
        self._native, self._labels, self.curve_ = native, native.labels, curve
        return self

    @property
    def labels_(self) -> list[str]:
        """The labels it knows, in order."""
        return list(self._labels)

    def tag(self, sentences: Iterable[Sequence[str]]) -> list[list[str]]:
        """The labels of each sentence's words.

        Raises:
            InputError: Nothing was learnt yet.
        """
        return [[self._labels[label] for label, _ in found] for found in self._found(list(map(list, sentences)))]

    def explain(self, sentence: Sequence[str]) -> list[Label]:
        """The labels of a sentence's words with what each cost: the largest is what the search was least sure of.

        Raises:
            InputError: Nothing was learnt yet.
        """
        [found] = self._found([list(sentence)])
        return [Label(word, self._labels[label], cost) for word, (label, cost) in zip(sentence, found, strict=True)]

    def feature_mass(self) -> list[tuple[str, float, float]]:
        """Features with their share of the weight where they hold and where they do not, the heaviest first."""
        return sorted(self._trained().mass(), key=lambda row: -row[1] - row[2])

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was learnt to a file, which appears whole or not at all.

        Raises:
            InputError: Nothing was learnt yet.
        """
        self._trained().save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, threads: int = 0, limits: Limits = DEFAULT) -> Self:
        """Open a file that `save` wrote. Settings of learning alone are not in it.

        Raises:
            FormatError: It is damaged, or holds something else.
        """
        native = _engine.SequenceLabeller.open(path, most_bytes=limits.model_bytes)
        semiring, beam, before, behind = native.search
        made = cls(
            semiring="viterbi" if semiring == "viterbi" else "minmerge",
            beam=beam,
            before=before,
            behind=behind,
            threads=threads,
        )
        made._native, made._labels = native, native.labels
        return made

    def _trained(self) -> _engine.SequenceLabeller:
        if self._native is None:
            raise InputError("the tagger has not learnt anything yet", hint="call train, or load one")
        return self._native

    def _found(self, sentences: list[list[str]]) -> list[list[tuple[int, float]]]:
        return self._trained().label(sentences, self.threads)
