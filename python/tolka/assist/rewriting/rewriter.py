"""Rewrites sentences by forests of their trees, and says how probable it is that the tree yields each rewrite."""

from __future__ import annotations

import math
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from tolka import _engine
from tolka.assist.number import number as english_number
from tolka.assist.rewriting.encoding import Encoded
from tolka.assist.rewriting.grammar import Any, Grammar, Label
from tolka.assist.rewriting.morphology import morphology_of
from tolka.assist.rewriting.number import head_number
from tolka.assist.rewriting.sentence import Sentence
from tolka.errors import InputError, SettingsError
from tolka.syntax import ConstituentForest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from tolka.assist.rewriting.morphology import Morphology, Number
    from tolka.syntax import Constituent

    Found = tuple[
        list[tuple[int, int, int, list[int]]], _engine.ConstituentForest, list[list[int]], NDArray[np.float64]
    ]

MOST_OUTPUTS = 500
_NUMBERS: dict[str, Callable[[Constituent], Number]] = {"en": english_number}
PRUNED = (0.01, 0.1)  # chances of edges that are left out where telling all trees apart takes too much


@dataclass(frozen=True)
class Rewrite:
    """A sentence that some trees of another become by a grammar.

    Attributes:
        text: The sentence.
        tokens: Its words.
        grammar: The grammar.
        group: The first word of what was rearranged, and the word after its last.
        mass: How probable it is that the sentence's tree yields it.
    """

    text: str
    tokens: tuple[str, ...]
    grammar: str
    group: tuple[int, int]
    mass: float


@dataclass(frozen=True, eq=False)
class Rewritten:
    """A forest, its rewrites, and what is believed of which trees yield them.

    Attributes:
        rewrites: The rewrites; those of one grammar follow each other, the most probable first.
        forest: The trees, so that no two trees of one edge of the root differ in what they yield.
        yields: For each edge of the root, the rewrites that its trees yield, by number.
        exact: Whether all trees of the forest were looked at, rather than the more probable ones only.
        kept: The share of the weight that trees have that were looked at: 1 if exact.
        dropped: How many rewrites were left out because there were too many; they are the least probable.
    """

    rewrites: tuple[Rewrite, ...]
    forest: ConstituentForest
    yields: tuple[tuple[int, ...], ...]
    exact: bool = True
    kept: float = 1.0
    dropped: int = 0
    log_chances: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0), repr=False)

    @property
    def cells(self) -> tuple[tuple[frozenset[int], float], ...]:
        """The sets of rewrites that a tree may yield together, and how probable each is; the most probable first."""
        found: dict[frozenset[int], float] = defaultdict(float)
        for yielded, chance in zip(self.yields, np.exp(self.log_chances), strict=True):
            found[frozenset(yielded)] += float(chance)
        return tuple(sorted(found.items(), key=lambda cell: (-cell[1], sorted(cell[0]))))

    def reweighted(self, factors: Mapping[int, tuple[float, float]]) -> Rewritten:
        """The same with the weight of every tree multiplied, for each rewrite by what depends on whether the tree yields it.

        Args:
            factors: For rewrites, by number: the logarithms of the factors for trees that yield it, and for those that do not.

        Raises:
            InputError: There is no such rewrite, or no tree is left.
        """
        deltas = np.zeros(len(self.yields))
        for number, (if_yields, if_not) in factors.items():
            if not 0 <= number < len(self.rewrites):
                raise InputError(f"there is no rewrite {number}", hint=f"there are {len(self.rewrites)}, from 0")
            deltas += [if_yields if number in yielded else if_not for yielded in self.yields]
        chances = self.log_chances + deltas
        if np.isnan(chances).any() or not chances.size or chances.max() == -math.inf:
            raise InputError(
                "no tree is left after these factors", hint="do not rule out what must be one way or the other"
            )
        chances = chances - np.logaddexp.reduce(chances)
        full = np.zeros(self.forest.num_edges)
        full[_root_edges(self.forest)] = deltas
        masses = _masses(self.yields, chances, len(self.rewrites))
        rewrites = tuple(replace(one, mass=mass) for one, mass in zip(self.rewrites, masses, strict=True))
        return replace(self, rewrites=rewrites, forest=self.forest.reweighted(full), log_chances=chances)

    def best(self) -> Constituent:
        """The tree with the largest weight."""
        return self.forest.best()


class Rewriter:
    """Rewrites sentences by grammars.

    All trees of a forest are looked at at once; if telling them apart takes too much, those without improbable edges are, and if
    that does, too, the best ones (`Rewritten.exact`).

    Args:
        grammars: Names of tolka's grammars, files of yours, or grammars.
        morphology: The functions of languages, by language, in the place of tolka's: `{"en": English(match_tense=True)}`.
        number: Whether a noun phrase is one or several; if not given, by the model of English that comes along, and by the
            head in other languages. For a phrase in a forest, it is asked about the phrase's best tree.
        parts: Rewrite parts of sentences, too, and put them in their places.
        most: How many edges telling trees apart may take.
        trees: How many of the best trees are looked at if it takes more.

    Example:
        >>> from tolka.syntax import ConstituentForest, parse_penn
        >>> low = parse_penn("(S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))))")
        >>> high = parse_penn("(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))))")
        >>> rewritten = Rewriter(["en.passive"]).rewritten(ConstituentForest.from_trees([(low, 0.0), (high, -1.0)]))
        >>> [(one.text, round(one.mass, 3)) for one in rewritten.rewrites]
        [('The man with a hat was seen by me', 0.731), ('The man was seen by me with a hat', 0.269)]
        >>> print(rewritten.reweighted({0: (-2.0, 0.0)}).best())
        (S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))))
    """

    def __init__(
        self,
        grammars: Sequence[str | PathLike[str] | Grammar],
        *,
        morphology: Mapping[str, Morphology] | None = None,
        number: Callable[[Constituent], Number] | None = None,
        parts: bool = False,
        most: int = 50_000,
        trees: int = 200,
    ) -> None:
        if isinstance(grammars, str) or not grammars:
            raise SettingsError("give at least one grammar, in a list")
        if most < 1 or trees < 1:
            raise SettingsError("most and trees must be at least 1")
        self.grammars = tuple(one if isinstance(one, Grammar) else Grammar.load(one) for one in grammars)
        languages = {grammar.language for grammar in self.grammars}
        if len(languages) > 1 or len({grammar.name for grammar in self.grammars}) < len(self.grammars):
            raise SettingsError("grammars must be of one language, and each given once")
        self.language = languages.pop()
        self.morphology = (morphology or {}).get(self.language) or morphology_of(self.language)
        self.number = number or _NUMBERS.get(self.language, head_number)
        self.parts, self.most, self.trees = parts, most, trees
        self._encoded = Encoded(self.grammars)
        self._rules = _engine.RewritingRules(self._encoded.code, self._encoded.roots)
        self._labels: dict[str, list[bool]] = {}

    def rewrite(self, forest: ConstituentForest) -> tuple[Rewrite, ...]:
        """The rewrites of a sentence."""
        return self.rewritten(forest).rewrites

    def rewritten(self, forest: ConstituentForest) -> Rewritten:
        """The rewrites of a sentence, and a forest that knows which trees yield them."""
        found = self._native(forest)
        if found is not None:
            return self._finished(forest, found, exact=True, kept=1.0)
        total = forest.log_inside
        for fewer in self._fewer(forest):
            found = self._native(fewer)
            if found is not None:
                return self._finished(fewer, found, exact=False, kept=min(1.0, math.exp(fewer.log_inside - total)))
        chances = np.zeros(len(range(*_root_edges(forest).indices(forest.num_edges))))
        return Rewritten((), forest, ((),) * len(chances), False, 0.0, 0, chances - math.log(len(chances)))

    def _fewer(self, forest: ConstituentForest) -> Iterator[ConstituentForest]:
        """Forests of fewer and fewer trees: without improbable edges, and then of the best trees."""
        for least in PRUNED:
            with suppress(InputError):
                yield forest.pruned(least)
        best = [(tree.tree, tree.log_probability) for tree in forest.nbest(self.trees)]
        while best:
            yield ConstituentForest.from_trees(best)
            best = best[: len(best) // 2]

    def _native(self, forest: ConstituentForest) -> Found | None:
        return self._rules.rewritten(forest.native, self._tests(forest), self.parts, self.most)

    def _tests(self, forest: ConstituentForest) -> list[tuple[int, list[bool]]]:
        tests = self._encoded.tests
        for label in forest.labels:
            if label not in self._labels:
                self._labels[label] = [
                    isinstance(test, Any) or (isinstance(test, Label) and test.regexp.fullmatch(label) is not None)
                    for test in tests
                ]
        rows = [self._labels[label] for label in forest.labels]
        words = [word.lower() for word in forest.words]
        found: list[tuple[int, list[bool]]] = []
        for at, test in enumerate(tests):
            if isinstance(test, (Label, Any)):
                found.append((0, [row[at] for row in rows]))
            else:
                found.append(
                    (1 if test.which == "head" else 2, [(word in test.words) == test.within for word in words])
                )
        return found

    def _finished(self, forest: ConstituentForest, found: Found, *, exact: bool, kept: float) -> Rewritten:
        outputs, native, sets, chances = found
        chances = chances - np.logaddexp.reduce(chances)
        masses = _masses(sets, chances, len(outputs))
        order = sorted(range(len(outputs)), key=lambda at: (-masses[at], at))
        sentence = Sentence(forest, self.language, self.morphology, self.number, self._encoded)
        sentence.prepare([outputs[at][3] for at in order[:MOST_OUTPUTS]])
        numbers: dict[tuple[int, tuple[str, ...]], list[int]] = {}
        for at in order[:MOST_OUTPUTS]:
            grammar, begin, end, code = outputs[at]
            words = sentence.words(code, begin, end)
            if words:
                numbers.setdefault((grammar, words), []).append(at)
        which: dict[int, int] = {}
        groups = sorted(numbers.items(), key=lambda group: (group[0][0], outputs[group[1][0]][1:3]))
        for number, (_, members) in enumerate(groups):
            which.update(dict.fromkeys(members, number))
        yields = [tuple(sorted({which[at] for at in one if at in which})) for one in sets]
        final = _masses(yields, chances, len(groups))
        ranks = sorted(range(len(groups)), key=lambda at: (groups[at][0][0], -final[at], groups[at][0][1]))
        place = {old: new for new, old in enumerate(ranks)}
        rewrites = []
        for old in ranks:
            (grammar, words), members = groups[old]
            group = outputs[members[0]][1:3]
            rewrites.append(Rewrite(sentence.text(words), words, self.grammars[grammar].name, group, final[old]))
        return Rewritten(
            tuple(rewrites),
            ConstituentForest(native),
            tuple(tuple(sorted(place[one] for one in yielded)) for yielded in yields),
            exact,
            kept,
            max(0, len(outputs) - MOST_OUTPUTS),
            chances,
        )


def _masses(yields: Sequence[Sequence[int]], log_chances: NDArray[np.float64], count: int) -> list[float]:
    found = [0.0] * count
    for yielded, chance in zip(yields, np.exp(log_chances).tolist(), strict=True):
        for number in yielded:
            found[number] += chance
    return found


def _root_edges(forest: ConstituentForest) -> slice:
    begins = forest.native.places[0]
    return slice(int(begins[forest.root]), int(begins[forest.root + 1]))
