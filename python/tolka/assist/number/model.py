"""Which child of a phrase its number or gender comes from, learnt by expectation maximisation (Mohammad 2012, 1.3)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Literal, Self, get_args

import numpy as np

from tolka.assist.number.flat import FlatTrees, Floats, Observed, Rule, exact_counts, printed_counts, rule_of
from tolka.assist.number.heads import Heads, conjunction_place, head_place
from tolka.assist.number.leaves import LeafTable
from tolka.assist.number.words import Words
from tolka.errors import InputError, SettingsError
from tolka.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from os import PathLike

    from tolka.limits import Limits
    from tolka.syntax import Constituent

Em = Literal["exact", "printed"]
Start = Literal["uniform", "random"]
Backoff = Literal["heads", "endings"]
TIE = 1e-9

logger = logging.getLogger(__name__)


class FeatureHead:
    """A feature of phrases that climbs from the leaves: at each phrase it comes from one child, its F-head.

    P(F(root) = v) is the sum over children of P(child is F-head | rule) P(F(child) = v); leaves have the distributions of a
    table. All that is needed for learning is trees with what was observed at their roots.

    Args:
        em: "exact", or "printed": the M-step of the thesis, which is not quite EM.
        rounds: Passes over the trees.
        start: Chances at the start: all children alike, or random by `seed`.
        seed: For a random start.
        values: The values, of which the leaf table says more.
        leaves: What single words say; English number if none is given.
        lexicalised: Learn what single words say, too, drawn to their tags; exact EM only.
        shrinkage: How often a word must be seen to count as much as its tag.
        least: Words seen less often than this have no distribution of their own; those that the leaf table lists keep
            what it says.
        smoothing: How many examples of each rule to add that have the head the back-off says.
        backoff: What is the F-head by unseen rules: "heads", the syntactic head, or any child where nothing says which it
            is; or "endings": what the longest end of the rule says that was seen as a rule, then the same.
        heads: What syntactic heads are: those of Collins ("collins"), the word of a phrase of `phrase_tree` ("words"),
            or unknown ("none").

    Attributes:
        chances_: The chance of each child to be the F-head, by rule.
        words_: Learnt distributions of words, by key of the leaf table and word.
        tags_: Learnt distributions of tags, by key.
        majority_: The most frequent value, which breaks ties.
        log_likelihoods_: Before each round, and after the last.
        impossible_: Examples that could not have what was observed: they teach nothing.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> examples = [("(NP (NP (DT a) (NN list)) (PP (IN of) (NP (NNS names))))", "sing"), ("(NP (NNS dogs))", "plur")]
        >>> model = FeatureHead().train((parse_penn(tree), value) for tree, value in examples)
        >>> model.predict(parse_penn("(NP (NP (DT the) (NN age)) (PP (IN of) (NP (NNS ships))))"))
        'sing'
    """

    def __init__(
        self,
        em: Em = "exact",
        rounds: int = 10,
        start: Start = "uniform",
        seed: int = 1,
        values: Sequence[str] = ("sing", "plur"),
        leaves: LeafTable | None = None,
        *,
        lexicalised: bool = False,
        shrinkage: float = 5.0,
        least: int = 2,
        smoothing: float = 0.0,
        backoff: Backoff = "heads",
        heads: Heads = "collins",
    ) -> None:
        self.em, self.rounds, self.start, self.seed = em, rounds, start, seed
        self.leaves = leaves or LeafTable.load("english", "number")
        self.values = tuple(values)
        self.lexicalised, self.shrinkage, self.least = lexicalised, shrinkage, least
        self.smoothing, self.backoff, self.heads = smoothing, backoff, heads
        self._check()
        self.chances_: dict[Rule, tuple[float, ...]] = {}
        self.words_: dict[tuple[str, str], tuple[float, ...]] = {}
        self.tags_: dict[str, tuple[float, ...]] = {}
        self.majority_ = ""
        self.log_likelihoods_: list[float] = []
        self.impossible_ = 0

    def _check(self) -> None:
        for name, given, known in (
            ("em", self.em, get_args(Em)),
            ("start", self.start, get_args(Start)),
            ("backoff", self.backoff, get_args(Backoff)),
            ("heads", self.heads, get_args(Heads)),
        ):
            if given not in known:
                raise SettingsError(f"{name} {given!r} is unknown", hint=f"choose one of {', '.join(known)}")
        if self.values != self.leaves.values:
            raise SettingsError(
                f"the values are {', '.join(self.values)}, but those of the leaves {', '.join(self.leaves.values)}",
                hint="give `values` and `leaves` that belong together",
            )
        if self.rounds < 0 or self.seed < 0 or self.least < 1:
            raise SettingsError("rounds and seed must not be negative, and least not below 1")
        if not (0 < self.shrinkage < np.inf and 0 <= self.smoothing < np.inf):
            raise SettingsError("shrinkage must be positive, and smoothing not negative")
        if self.lexicalised and self.em != "exact":
            raise SettingsError("what words say is learnt by exact EM only", hint='set em="exact"')

    def train(self, examples: Iterable[tuple[Constituent, str]]) -> Self:
        """Learn from trees with the values observed at their roots.

        Raises:
            InputError: There is no example, or a value is not among `values`.
        """
        trees: list[Constituent] = []
        observed: list[int] = []
        for number, (tree, value) in enumerate(examples, 1):
            if value not in self.values:
                raise InputError(
                    f"example {number} has value {value!r}", hint=f"values of this model are {', '.join(self.values)}"
                )
            trees.append(tree)
            observed.append(self.values.index(value))
        if not trees:
            raise InputError("there is no example to learn from", hint="does the treebank have subjects (-SBJ, nsubj)?")
        self._learn(FlatTrees(trees), observed)
        self.majority_ = self.values[int(np.argmax(np.bincount(observed, minlength=len(self.values))))]
        return self

    def _learn(self, flat: FlatTrees, values: Sequence[int]) -> None:
        keys = [self.leaves.key(leaf) for leaf in flat.lexicon]
        table = np.asarray([self.leaves.mass(key) for key in keys])
        seen = np.bincount(flat.entries, minlength=len(keys))
        learnt = (seen >= self.least) & [not self.leaves.is_word(key) for key in keys]
        words = Words(keys, table, np.where(learnt, seen, 0), self.shrinkage) if self.lexicalised else None
        masses = words.masses() if words else table
        observed = Observed.of(flat, masses, values)
        chances = self._first(flat)
        prior = self.smoothing * np.asarray([chance for rule in flat.rules for chance in self._likely(rule)])
        self.log_likelihoods_ = []
        for _ in range(self.rounds):
            if self.em == "printed":
                heads, log = printed_counts(flat, chances, masses, observed)
            else:
                heads, spoken, log = exact_counts(flat, chances, masses, observed)
                if words:
                    words.update(spoken)
                    masses = words.masses()
            self.log_likelihoods_.append(log)
            chances = flat.normalised(heads + prior, chances)
        at_root = flat.upward(chances, masses)[flat.roots, observed.values]
        self.log_likelihoods_.append(observed.log_likelihood(at_root))
        if self.em == "printed" and self.log_likelihoods_[-1] < max(self.log_likelihoods_) - TIE:
            logger.warning("the likelihood has fallen, as it may with the printed M-step")
        self.impossible_ = int((~observed.possible).sum())
        self.chances_ = {
            rule: tuple(chances[flat.begins[number] : flat.begins[number + 1]].tolist())
            for number, rule in enumerate(flat.rules)
        }
        self.words_, self.tags_ = {}, {}
        if words:
            unseen = words.of_unseen().tolist()
            self.tags_ = {key: tuple(unseen[number]) for number, key in enumerate(words.tags)}
            for entry, (key, leaf) in enumerate(zip(keys, flat.lexicon, strict=True)):
                if learnt[entry]:
                    self.words_[key, leaf.word.casefold()] = tuple(masses[entry].tolist())

    def _first(self, flat: FlatTrees) -> Floats:
        if self.start == "uniform":
            return flat.normalised(np.ones(flat.begins[-1]), np.zeros(flat.begins[-1]))
        # 1 - random() is never 0, so that no child is ruled out from the start.
        drawn = 1 - np.random.default_rng(self.seed).random(flat.begins[-1])
        return flat.normalised(drawn, drawn)

    def _likely(self, rule: Rule) -> tuple[float, ...]:
        size = len(rule[1])
        # A conjunction that is known as a word says more than the first of what it joins.
        joining = conjunction_place(rule) if self.lexicalised and self.heads != "none" else None
        place = head_place(self.heads, rule) if joining is None else joining
        return tuple(1 / size if place is None else float(at == place) for at in range(size))

    def chances(self, rule: Rule) -> tuple[float, ...]:
        """The chance of each child of a phrase to be the F-head; those of the back-off for an unseen rule."""
        if rule in self.chances_:
            return self.chances_[rule]
        parent, children = rule
        if self.backoff == "endings":
            # An end that cuts a conjunction off from what it joins is another phrase.
            for begin in range(1, conjunction_place(rule) or len(children) - 1):
                if found := self.chances_.get((parent, children[begin:])):
                    return (0.0,) * begin + found
        return self._likely(rule)

    def leaf(self, leaf: Constituent) -> tuple[float, ...]:
        """What a word says."""
        key = self.leaves.key(leaf)
        return self.words_.get((key, leaf.word.casefold())) or self.tags_.get(key) or self.leaves.mass(key)

    def distribution(self, tree: Constituent) -> dict[str, float]:
        """How probable each value is at the root of a phrase; function tags and marks on it do not matter."""
        self._trained()
        done: list[list[tuple[float, ...]]] = [[]]
        stack: list[tuple[Constituent, bool]] = [(tree, False)]
        while stack:
            node, ready = stack.pop()
            if node.word:
                done[-1].append(self.leaf(node))
            elif not ready:
                stack.append((node, True))
                done.append([])
                stack.extend((child, False) for child in reversed(node.children))
            else:
                below = done.pop()
                chances = self.chances(rule_of(node))
                done[-1].append(
                    tuple(
                        sum(chance * masses[value] for chance, masses in zip(chances, below, strict=True))
                        for value in range(len(self.values))
                    )
                )
        return dict(zip(self.values, done[0][0], strict=True))

    def predict(self, tree: Constituent) -> str:
        """The most probable value; the one most frequent in training if there are several."""
        found = self.distribution(tree)
        best = max(found.values())
        tied = [value for value, mass in found.items() if mass >= best - TIE]
        return self.majority_ if self.majority_ in tied else tied[0]

    def _trained(self) -> None:
        if not self.majority_:
            raise InputError("the model has not learnt anything yet", hint="call train, or load a model")

    def save(self, path: str | PathLike[str], *, comment: str = "") -> None:
        """Write what was learnt to a text file that appears whole or not at all.

        Args:
            path: The file.
            comment: What to say at its beginning.
        """
        from tolka.assist.number.saved import save_model  # noqa: PLC0415 - files stand on models

        self._trained()
        save_model(self, path, comment)

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Self:
        """Read a model that was saved.

        Raises:
            FileError: There is no such file.
            FormatError: A line is malformed; says which.
        """
        from tolka.assist.number.saved import load_model  # noqa: PLC0415 - files stand on models
        from tolka.corpus import read_lines  # noqa: PLC0415 - only here

        return load_model(cls, read_lines(path, limits=limits), path)
