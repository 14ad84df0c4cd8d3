"""A conversation about one sentence's parse: which of its rewrites mean the same?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tolka.assist.dialogue import Effect, Question, fitting_answer
from tolka.assist.parsing.belief import Belief, entropy
from tolka.assist.parsing.consensus import Consensus
from tolka.assist.parsing.reliability import Reliability
from tolka.errors import InputError, SettingsError
from tolka.syntax import format_penn, unmarked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from tolka.assist.parsing.reliability import Trust
    from tolka.syntax import Constituent

Order = Literal["informative", "random"]


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
        words: The sentence.
        trees: Its parses.
        log_weights: How probable each is, up to a constant.
        candidates: Its rewrites.
        yields: A row a parse, a column a rewrite: whether the one yields the other.
        parsed: What the parser says; the first of the trees if it is not given.
        trust: How answers are believed: for all rewrites, or by the name of a grammar, "" being all others.
        judges: How those who answer are believed, by name, instead of `trust`.
        least: Questions that are expected to tell less, in nats, are not asked.
        most: How many rewrites are shown together.
        order: "informative", or "random" to see what the order is worth.
        seed: Of a random order.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> high = "(S (NP (PRP I)) (VP (VBD saw) (NP (NN him)) (PP (IN at) (NP (NN home)))))"
        >>> low = "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN him)) (PP (IN at) (NP (NN home))))))"
        >>> about = [Candidate("he was seen by me at home", "en.passive", "1"), Candidate("he at home was seen by me", "en.passive", "1")]
        >>> talk = ParseDialogue("I saw him at home".split(), [parse_penn(low), parse_penn(high)], np.log([0.6, 0.4]), about,
        ...     [[False, True], [True, False]])
        >>> talk.answer(talk.question.id, [True, False])
        >>> talk.result == high, talk.question
        (True, None)
    """

    def __init__(
        self,
        words: Sequence[str],
        trees: Sequence[Constituent],
        log_weights: ArrayLike,
        candidates: Sequence[Candidate],
        yields: ArrayLike,
        *,
        parsed: Constituent | None = None,
        trust: Trust | Mapping[str, Trust] | None = None,
        judges: Mapping[str, Trust] | None = None,
        least: float = 0.01,
        most: int = 6,
        order: Order = "informative",
        seed: int = 1,
    ) -> None:
        if order not in {"informative", "random"}:
            raise SettingsError(f"there is no order {order!r}", hint="use informative or random")
        if least < 0 or most < 1 or seed < 0:
            raise SettingsError("least and seed must not be negative, and most not less than 1")
        if not trees:
            raise InputError("the sentence has no parse", hint="a flat tree will do")
        self._text, self._candidates = " ".join(words), list(candidates)
        self._trees, self._belief = list(trees), Belief(log_weights, yields)
        if self._belief.yields.shape != (len(self._trees), len(self._candidates)):
            raise InputError("trees and rewrites do not fit the table of which yields which")
        if len({one.text for one in self._candidates}) < len(self._candidates):
            raise InputError("two rewrites are the same", hint="make one of them, that either's parses yield")
        self._parsed = format_penn(unmarked(parsed or self._trees[0]))
        self._trust, self._judges = trust or Reliability(), dict(judges or {})
        self._least, self._order, self._random = least, order, np.random.default_rng([seed, len(self._text)])
        groups: dict[str, list[int]] = {}
        for at, candidate in enumerate(self._candidates):
            groups.setdefault(candidate.group, []).append(at)
        self._open = [group[at : at + most] for group in groups.values() for at in range(0, len(group), most)]
        self._consensus: Consensus | None = None
        self._account: list[Effect] = []
        self._told = False
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
        if not self._told:
            return self._parsed
        if self._consensus is None:
            self._consensus = Consensus(self._trees)
        return format_penn(unmarked(self._trees[self._consensus.choose(self._belief.posterior)]))

    def answer(self, question_id: str, answer: Sequence[bool | None] | int | None, *, by: str = "") -> None:
        """Take an answer: for each rewrite whether it means the same, or None."""
        asked = self._question
        given = fitting_answer(asked, question_id, answer)
        assert asked is not None  # noqa: S101 - what fitting_answer promises
        assert isinstance(given, tuple)  # noqa: S101
        before, unsure = self.result, entropy(self._belief.posterior)
        for rewrite, same in zip(self._asked, given, strict=True):
            if same is not None:
                self._told = True
                trust = self._judges.get(by) or self._trusted(rewrite)
                self._belief = self._belief.answered(rewrite, same, trust)
        gained = unsure - entropy(self._belief.posterior)
        self._account.append(Effect(asked, given, before, self.result, by, gained))
        self._open.remove(self._asked)
        self._question = self._next()

    def account(self) -> tuple[Effect, ...]:
        """What each answer changed."""
        return tuple(self._account)

    def _trusted(self, rewrite: int) -> Trust:
        if isinstance(self._trust, Mapping):
            grammar = self._candidates[rewrite].grammar
            return self._trust.get(grammar) or self._trust.get("") or Reliability()
        return self._trust

    def _next(self) -> Question | None:
        told = [self._belief.information(group, [self._trusted(one) for one in group]) for group in self._open]
        worth = [at for at, information in enumerate(told) if information >= self._least]
        if not worth:
            return None
        at = max(worth, key=told.__getitem__) if self._order == "informative" else int(self._random.choice(worth))
        self._asked = self._open[at]
        choices = [self._candidates[one].text for one in self._asked]
        return Question.ask("rewrite", self._text, choices, information=told[at])
