"""A translator that asks about the senses of words."""

from __future__ import annotations

from copy import copy
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

from tolka.assist.senses.asking import ERRORS, Asker, Strategy
from tolka.assist.senses.dialogue import SenseDialogue
from tolka.assist.senses.graph import SearchGraph
from tolka.assist.senses.information import DRAWS
from tolka.assist.senses.substitutes import COMPONENTS, BackTranslations, Chooser
from tolka.assist.senses.thesaurus import Thesaurus
from tolka.grammar.join import PROBABILITIES
from tolka.progress import SILENT
from tolka.translate import Translator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from tolka.decode import Decoder, Input
    from tolka.progress import Progress

_AT_ONCE = 64


class SenseModel:
    """A translator, and what it takes to ask people about the senses of words.

    Args:
        translator: A model of `tolka train`, of phrases or of rules with gaps.
        scale: What scores are multiplied by to make probabilities; `calibrate` finds it, `usual_scale` guesses it if not given.
        components: The models of P(f|e) that are mixed.
        width: Source words that are asked about together, at most.
        exact: Whether an answer says nothing of the word as a part of longer phrases, as in the thesis.
        least_probability: The least mean P(f|e) of a substitute.
        functions: So many most frequent words are neither asked about nor offered.
        stems: Whether substitutes that differ from the word in their ends alone are left out.
        thesaurus: If given, or its file, substitutes are those it has of the word.
        choices: So many of a word's likeliest translations suggest substitutes.
        substitutes: So many for each.
        errors: The share of answers that are taken to be mistakes.
        draws: Mixtures that information is averaged over.
        seed: Of the draws and of random questions.
        edges: Edges of a search graph that are kept.
        progress: Who is told while the table is read.
    """

    def __init__(
        self,
        translator: Translator,
        *,
        scale: float | None = None,
        components: Sequence[str] = COMPONENTS,
        width: int = 1,
        exact: bool = False,
        least_probability: float = 0.02,
        functions: int = 100,
        stems: bool = True,
        thesaurus: Thesaurus | str | PathLike[str] | None = None,
        choices: int = 6,
        substitutes: int = 2,
        errors: float = ERRORS,
        draws: int = DRAWS,
        seed: int = 1,
        edges: int = 5000,
        progress: Progress = SILENT,
    ) -> None:
        self.translator, self.edges = translator, edges
        self.scale = usual_scale(translator) if scale is None else scale
        self.width, self.exact, self.seed = width, exact, seed
        if thesaurus is not None and not isinstance(thesaurus, Thesaurus):
            thesaurus = Thesaurus.read(thesaurus)
        self._components, self._progress = tuple(components), progress
        self._choosing: dict[str, Any] = {
            "least": least_probability, "functions": functions, "stems": stems, "thesaurus": thesaurus,
        }  # fmt: skip
        self._asking: dict[str, Any] = {
            "choices": choices, "substitutes": substitutes, "errors": errors, "draws": draws, "seed": seed,
        }  # fmt: skip

    @classmethod
    def load(cls, path: str | PathLike[str], **settings: Any) -> Self:
        """Load a translator; settings are those of the constructor."""
        return cls(Translator.load(path), **settings)

    @cached_property
    def table(self) -> BackTranslations:
        """The back-translations; reading them takes a second or so for half a million rules."""
        decoder = self.translator.decoder
        return BackTranslations.of(decoder, width=self.width, components=self._components, progress=self._progress)

    @cached_property
    def asker(self) -> Asker:
        """What finds questions."""
        return Asker(Chooser(self.table, **self._choosing), **self._asking)

    def with_scale(self, scale: float) -> SenseModel:
        """The same model with another scale."""
        other = copy(self)
        other.scale = scale
        return other

    def graphs(self, lines: Sequence[str], *, threads: int = 1) -> list[SearchGraph | None]:
        """The search graph of each line; None where there is nothing to translate."""
        sentences = self.translator.sentences(lines, threads=threads)
        forests = self.translator.decoder.forest(sentences, threads=threads)
        return [
            None if forest.goal is None else SearchGraph.from_forest(forest, scale=self.scale, most=self.edges)
            for forest in forests
        ]

    def dialogues(
        self,
        lines: Iterable[str],
        *,
        strategy: Strategy = "information",
        least: float = 0.0,
        most: int | None = None,
        per_word: int = 2,
        threads: int = 1,
    ) -> Iterator[SenseDialogue]:
        """A conversation about each line; the arguments are those of `SenseDialogue`."""
        rest = iter(lines)
        while some := list(islice(rest, _AT_ONCE)):
            for line, graph in zip(some, self.graphs(some, threads=threads), strict=True):
                yield SenseDialogue(
                    graph,
                    self.asker,
                    text=line,
                    restore=partial(self.restored, line),
                    strategy=strategy,
                    least=least,
                    most=most,
                    per_word=per_word,
                    width=self.width,
                    exact=self.exact,
                    seed=self.seed,
                )

    def dialogue(self, line: str, **settings: Any) -> SenseDialogue:
        """A conversation about one line; settings are those of `dialogues`."""
        return next(self.dialogues([line], **settings))

    def restored(self, line: str, words: str) -> str:
        """The text of a translation of a line."""

        def found(_decoder: Decoder, _sentences: Sequence[Input], /, *, threads: int) -> list[str]:  # noqa: ARG001
            return [words]

        return self.translator.translate_by(found, [line], threads=1)[0]


def usual_scale(translator: Translator) -> float:
    """One divided by the sum of the weights of all features that are logarithms of probabilities.

    Each of these features is a model of the same choices, so that the score is a product of experts; this makes it their
    weighted geometric mean, which is as sure as one of them. Where held-out translations are at hand, calibrate.
    """
    decoder = translator.decoder
    sums = sum(
        abs(weight)
        for name, weight in translator.weights.items()
        if name in decoder.lms or (last := name.rsplit(".", 1)[-1]) in PROBABILITIES or last.startswith("reorder_")
    )
    return 1.0 / sums if sums > 0 else 1.0
