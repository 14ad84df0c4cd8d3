"""A conversation about one sentence's parse: which of its rewrites mean the same?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tolka.assist.dialogue import Effect, Question, fitting_answer
from tolka.assist.parsing.belief import Belief, entropy
from tolka.assist.parsing.consensus import consensus, expected_brackets
from tolka.assist.parsing.reliability import Reliability
from tolka.errors import InputError, SettingsError
from tolka.syntax import format_penn, unmarked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from tolka.assist.parsing.reliability import Trust
    from tolka.syntax import Constituent, ConstituentForest

Order = Literal["information", "random"]


@dataclass(frozen=True)
class Candidate:
    """A rewritten sentence that people can be asked about.

    Attributes:
        text: The rewritten sentence.
        grammar: What rewrote it.
        group: What it moves: outputs of one group are asked about together.
    """

    text: str
    grammar: str
    group: str


class ParseDialogue:
    """Asks which rewrites of a sentence mean the same, and gives the tree that the answers speak for.

    Questions are groups of rewrites that move the same constituents, the most informative one first; all that are asked
    about before the person stops count. The tree is the parser's own until something is answered.

    Args:
        forest: Its parses. All trees of one edge of the root yield the same rewrites.
        candidates: Its rewrites.
        yields: For each edge of the root, which rewrites its trees yield.
        parsed: What the parser says; the best tree of the forest if it is not given.
        trust: How answers are believed: for all rewrites, or by the name of a grammar, "" being all others.
        right: Says of whoever answers how often they are right, or None if that is not known.
        least: Rewrites and questions that are expected to tell less, in nats, are not asked about.
        most: How many rewrites are shown together.
        trees: Among how many of the best trees the one to give is looked for.
        order: "information", or "random" to see what the order is worth.
        seed: Of a random order.

    Example:
        >>> from tolka.syntax import ConstituentForest, parse_penn
        >>> high = "(S (NP (PRP I)) (VP (VBD saw) (NP (NN him)) (PP (IN at) (NP (NN home)))))"
        >>> low = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN him)) (PP (IN at) (NP (NN home))))))"
        >>> forest = ConstituentForest.from_trees([(parse_penn(low), -0.5), (parse_penn(high), -0.9)])
        >>> about = [Candidate(text, "en.passive", "2-5") for text in ("he was seen by me at home", "he at home was seen by me")]
        >>> talk = ParseDialogue(forest, about, [[1], [0]])
        >>> talk.answer(talk.question.id, [True, False])
        >>> talk.result == high, talk.question
        (True, None)
    """

    def __init__(
        self,
        forest: ConstituentForest,
        candidates: Sequence[Candidate],
        yields: Sequence[Collection[int]],
        *,
        parsed: Constituent | None = None,
        trust: Trust | Mapping[str, Trust] | None = None,
        right: Callable[[str], float | None] | None = None,
        least: float = 0.01,
        most: int = 4,
        trees: int = 50,
        order: Order = "information",
        seed: int = 1,
    ) -> None:
        if order not in {"information", "random"}:
            raise SettingsError(f"there is no order {order!r}", hint="use information or random")
        if not least >= 0 or most < 1 or trees < 1 or seed < 0:
            raise SettingsError("least and seed must not be negative, and most and trees not less than 1")
        self._text, self._candidates = " ".join(forest.words), list(candidates)
        self._forest, self._trees = forest, trees
        self._alternatives = forest.nodes[forest.root].edges
        if len(yields) != len(self._alternatives):
            raise InputError(
                f"there are {len(self._alternatives)} edges of the root, and {len(yields)} rows of rewrites"
            )
        table = np.zeros((len(yields), len(self._candidates)), dtype=bool)
        for row, found in enumerate(yields):
            if any(not 0 <= one < len(self._candidates) for one in found):
                raise InputError(f"a tree yields a rewrite that there is not: there are {len(self._candidates)}")
            table[row, list(found)] = True
        with np.errstate(divide="ignore"):
            self._belief = Belief(np.log(forest.marginals().edges[self._alternatives]), table)
        self._prior = self._belief
        if len({one.text for one in self._candidates}) < len(self._candidates):
            raise InputError("two rewrites are the same", hint="make one of them, that either's parses yield")
        self._parsed = unmarked(parsed or forest.best())
        self._trust, self._right = trust or Reliability(), right or (lambda _: None)
        self._least, self._order, self._random = least, order, np.random.default_rng([seed, len(self._text)])
        self._most, self._groups = most, dict[str, list[int]]()
        for at, candidate in enumerate(self._candidates):
            self._groups.setdefault(candidate.group, []).append(at)
        self._account: list[Effect] = []
        self._now: Constituent | None = None
        self._asked: list[int] = []
        self._question = self._next()

    @property
    def belief(self) -> Belief:
        """What is believed now."""
        return self._belief

    @property
    def question(self) -> Question | None:
        """The most informative question; None if none is worth asking."""
        return self._question

    @property
    def result(self) -> str:
        """The tree that the answers speak for, in brackets."""
        return format_penn(self._parsed if self._now is None else self._now)

    def answer(self, question_id: str, answer: Sequence[bool | None] | int | None, *, by: str = "") -> None:
        """Take an answer: for each rewrite whether it means the same, or None."""
        asked = self._question
        given = fitting_answer(asked, question_id, answer)
        assert asked is not None  # noqa: S101 - what fitting_answer promises
        assert isinstance(given, tuple)  # noqa: S101
        before, unsure = self.result, entropy(self._belief.posterior)
        right = self._right(by)
        for rewrite, same in zip(self._asked, given, strict=True):
            if same is not None:
                trust = self._trusted(rewrite)
                if right is not None:
                    trust = trust.of_someone(max(right, 0.5))  # nobody is worse than a coin
                self._belief = self._belief.answered(rewrite, same, trust)
        if any(same is not None for same in given):
            self._now = self._chosen()
        gained = unsure - entropy(self._belief.posterior)
        self._account.append(Effect(asked, given, before, self.result, by, gained))
        for group in self._groups.values():
            group[:] = [one for one in group if one not in self._asked]
        self._question = self._next()

    def account(self) -> tuple[Effect, ...]:
        """What each answer changed."""
        return tuple(self._account)

    def _chosen(self) -> Constituent:
        deltas = np.zeros(self._forest.num_edges)
        with np.errstate(invalid="ignore"):
            told = self._belief.log_weights - self._prior.log_weights
        deltas[self._alternatives] = np.where(np.isnan(told), 0.0, told)
        forest = self._forest.reweighted(deltas)
        best = (one.tree for one in forest.nbest(self._trees))
        return unmarked(consensus([self._parsed, *best], expected_brackets(forest)))

    def _trusted(self, rewrite: int) -> Trust:
        if isinstance(self._trust, Mapping):
            grammar = self._candidates[rewrite].grammar
            return self._trust.get(grammar) or self._trust.get("") or Reliability()
        return self._trust

    def _telling(self) -> Iterator[list[int]]:
        """Of each group the rewrites that alone tell most, in their order; not those of which the answer is as good as known."""
        for group in self._groups.values():
            alone = {one: self._belief.information([one], [self._trusted(one)]) for one in group}
            worth = sorted((one for one in group if alone[one] >= self._least), key=lambda one: -alone[one])
            if worth:
                yield sorted(worth[: self._most])

    def _next(self) -> Question | None:
        asking = [(self._belief.information(one, list(map(self._trusted, one))), one) for one in self._telling()]
        asking = [(told, one) for told, one in asking if told >= self._least]
        if not asking:
            return None
        best = max(range(len(asking)), key=lambda at: asking[at][0])
        at = best if self._order == "information" else int(self._random.integers(len(asking)))
        told, self._asked = asking[at]
        choices = [self._candidates[one].text for one in self._asked]
        return Question.ask("rewrite", self._text, choices, information=told)
