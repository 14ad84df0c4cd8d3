"""A sentence's conversation about the senses of its words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tolka.assist.dialogue import Effect, Question, fitting_answer
from tolka.assist.senses.asking import Asker, SenseQuestion, Strategy, answered, choose
from tolka.assist.senses.units import Units

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tolka.assist.senses.graph import SearchGraph

_Span = tuple[int, int]


class SenseDialogue:
    """Asks somebody who knows only the source language which words could stand for others, and translates accordingly.

    Args:
        graph: What the decoder thought of the sentence; None of a sentence without words.
        asker: What finds questions.
        text: The sentence as its reader knows it, its tokens separated by spaces; the graph's words if not given.
        restore: Makes text of the words of a translation.
        strategy: Which question comes first.
        least: Questions that tell less than this, in nats, are not asked.
        most: So many questions, at most; None for no limit.
        per_word: So many questions about one word, at most.
        width: Source words that are asked about together, at most.
        exact: Whether an answer says nothing of the word as a part of longer phrases, as in the thesis.
        seed: Of random questions.

    Attributes:
        graph: What is believed now.
        asked: How many questions were answered.
    """

    def __init__(
        self,
        graph: SearchGraph | None,
        asker: Asker,
        *,
        text: str | None = None,
        restore: Callable[[str], str] | None = None,
        strategy: Strategy = "information",
        least: float = 0.0,
        most: int | None = None,
        per_word: int = 2,
        width: int = 1,
        exact: bool = False,
        seed: int = 1,
    ) -> None:
        self.graph, self.asker, self.strategy = graph, asker, strategy
        self.least, self.most, self.per_word, self.seed = least, most, per_word, seed
        self.text = (" ".join(graph.source) if graph else "") if text is None else " ".join(text.split())
        self._restore = restore or str
        self._units = None if graph is None else Units(graph, width=width, exact=exact)
        places = {} if graph is None else places_of(self.text.split(), graph.source)
        self._focus = (
            {span: found for span in self._units.by_span if (found := _focus(span, places))} if self._units else {}
        )
        self._pairs: set[tuple[_Span, frozenset[str]]] = set()
        self._about: Counter[_Span] = Counter()
        self._account: list[Effect] = []
        self._best = "" if graph is None else graph.best().words
        self._result: str | None = None
        self._next()

    @property
    def asked(self) -> int:
        """How many questions were answered."""
        return len(self._account)

    @property
    def question(self) -> Question | None:
        """The most telling question now; None if nothing is worth asking."""
        return self._question

    @property
    def present(self) -> SenseQuestion | None:
        """The same with what its answers would mean."""
        return self._present

    def answer(self, question_id: str, answer: Sequence[bool | None] | int | None, *, by: str = "") -> None:
        """Take an answer to the present question: 0 or 1 for the word that fits better, None for both or neither.

        Raises:
            GoneError: The question is no longer asked.
            InputError: This is no answer to it.
        """
        given = fitting_answer(self._question, question_id, answer)
        question, present = self._question, self._present
        graph = self.graph
        assert question is not None and present is not None and graph is not None and self._units is not None  # noqa: PT018, S101
        before, entropy = self.result, graph.entropy
        if isinstance(given, int):
            self.graph = answered(graph, self._units, present, given)
            best = self.graph.best().words
            if best != self._best:
                self._best, self._result = best, None
            entropy -= self.graph.entropy
        else:
            entropy = 0.0
        self._pairs.add((present.span, frozenset(present.substitutes)))
        self._about[present.span] += 1
        self._account.append(Effect(question, given, before, self.result, by, entropy))
        self._next()

    @property
    def words(self) -> str:
        """The words of the translation, as the model sees them."""
        return self._best

    @property
    def result(self) -> str:
        """The translation, as of now."""
        if self._result is None:
            self._result = self._restore(self._best)
        return self._result

    def account(self) -> tuple[Effect, ...]:
        """What each answer changed, in their order."""
        return tuple(self._account)

    def _next(self) -> None:
        self._present, self._question = None, None
        if self.graph is None or self._units is None or (self.most is not None and self.asked >= self.most):
            return
        spans = {span for span in self._focus if self._about[span] < self.per_word}
        questions = self.asker.questions(self.graph, self._units, spans=spans, asked=self._pairs)
        telling = [one for one in questions if one.information >= self.least]
        found = choose(telling, self.strategy, seed=self.seed, about=f"{self.text}\n{self.asked}")
        if found is not None:
            self._present = found
            focus = self._focus[found.span]
            told = found.information
            self._question = Question.ask("substitute", self.text, found.substitutes, focus=focus, information=told)


def places_of(tokens: Sequence[str], words: Sequence[str]) -> dict[int, int]:
    """Where the model's words are in a text, for those that are a whole token but for punctuation.

    A word that the text has as often as the model is the same word each time, in the same order; parts of compounds and
    what normalisation changed have no place.

    Example:
        >>> places_of("Das Haus, das alte Haus!".split(), "das Haus , das alte Haus !".split())
        {0: 0, 1: 1, 3: 2, 4: 3, 5: 4}
    """
    bare = [_bare(token) for token in tokens]
    own = [_bare(word) for word in words]
    inside, among = Counter(bare), Counter(own)
    seen: Counter[str] = Counter()
    found = {}
    for at, word in enumerate(own):
        if word and inside[word] == among[word]:
            start = -1
            for _ in range(seen[word] + 1):
                start = bare.index(word, start + 1)
            found[at] = start
        seen[word] += 1
    return found


def _bare(token: str) -> str:
    letters = [at for at, letter in enumerate(token) if letter.isalnum()]
    return token[letters[0] : letters[-1] + 1].casefold() if letters else ""


def _focus(span: _Span, places: dict[int, int]) -> _Span | None:
    found = [places.get(at) for at in range(*span)]
    first = found[0]
    if first is None or found != list(range(first, first + len(found))):
        return None
    return first, first + len(found)
