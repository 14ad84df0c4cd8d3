"""A constituency parser that learns from a treebank: a grammar whose symbols are split as far as it helps."""

from __future__ import annotations

import json
import math
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from tolka import _engine
from tolka.errors import FormatError, InputError, SettingsError
from tolka.limits import DEFAULT
from tolka.progress import SILENT
from tolka.syntax.agenda import Agenda
from tolka.syntax.binarise import PART, TAG, Binarisation, Step, chain_of, label_of, restored
from tolka.syntax.forests import ConstituentForest, ScoredTree
from tolka.syntax.heads import HeadRules
from tolka.syntax.marks import cleaned, marked
from tolka.syntax.penn import Constituent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike

    from tolka.limits import Limits
    from tolka.progress import Progress
    from tolka.syntax.binarise import Direction

CHUNK = 1000  # sentences that go to the engine at once
ROOT = "ROOT"
_SETTINGS = (
    *("functions", "base", "arguments", "rounds", "passes", "merged", "smoothing", "direction", "horizontal"),
    *("vertical", "tag_parents", "threshold", "best", "longest", "seed"),
)


class ConstituencyParser:
    """Parses sentences to constituency trees, by a grammar learnt from a treebank.

    Trees are binarised; the grammar of their rules is then refined by splitting every symbol in two, a few times over, and
    undoing the splits that helped least (Petrov, Barrett, Thibaux and Klein, 2006). Sentences are parsed from coarse to fine,
    and the best tree is the one whose rules are most probably all right (Petrov and Klein, 2007). What words that were
    never seen are is guessed from their case, endings, digits and hyphens. Nothing here knows a language.

    Args:
        functions: Learn function tags ("NP-SBJ") too. Brackets are the better for it; `cleaned` takes them off trees.
        base: Call noun phrases without another one in them NPB (Collins, 1999).
        arguments: Mark arguments with -A (Collins, 1999).
        rounds: How often symbols are split; 0 for the grammar as it is.
        passes: Passes over the treebank after each split; half as many follow each merging.
        merged: The share of splits that is undone.
        smoothing: How far variants of a symbol are drawn to each other.
        direction: How phrases of more than two are binarised, see `Binarisation`.
        horizontal: What parts of phrases remember.
        vertical: What phrases remember.
        tag_parents: Tags remember what phrase they are in.
        threshold: Parts with a smaller chance are not looked at with the finer grammar. Smaller is slower.
        best: What is maximised: that all "rules" are right, or that the "tree" is.
        longest: Sentences of more words get a flat tree.
        heads: Rules for heads, for marks and for binarising by heads; those of Collins if none are given.
        seed: For the noise that tells two halves of a symbol apart.

    Attributes:
        trees_: How many trees it has learnt from.
        log_likelihoods_: After each pass over them, round by round.

    Example:
        >>> from tolka.syntax import parse_penn
        >>> bank = ["(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man))))", "(S (NP (NN man)) (VP (VBD left)))"]
        >>> parser = ConstituencyParser(rounds=0).train(map(parse_penn, bank))
        >>> [tree] = parser.parse([["I", "saw", "the", "zebra"]])
        >>> print(tree)
        (S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN zebra))))
    """

    def __init__(
        self,
        *,
        functions: bool = True,
        base: bool = False,
        arguments: bool = False,
        rounds: int = 4,
        passes: int = 20,
        merged: float = 0.5,
        smoothing: float = 0.01,
        direction: Direction = "right",
        horizontal: int = 0,
        vertical: int = 1,
        tag_parents: bool = False,
        threshold: float = 3e-4,
        best: Literal["rules", "tree"] = "rules",
        longest: int = 200,
        heads: HeadRules | None = None,
        seed: int = 1,
    ) -> None:
        self.functions, self.base, self.arguments = functions, base, arguments
        self.rounds, self.passes, self.merged, self.smoothing = rounds, passes, merged, smoothing
        self.direction, self.horizontal, self.vertical, self.tag_parents = direction, horizontal, vertical, tag_parents
        self.threshold, self.best, self.longest, self.seed = threshold, best, longest, seed
        self.heads = heads or HeadRules.collins()
        self.trees_ = 0
        self.log_likelihoods_: list[float] = []
        self._root = ""
        self._grammar: _engine.ConstituentGrammar | None = None
        self._symbols: tuple[list[str], bytes, list[str]] = ([], b"", [])

    def _settings(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SETTINGS}

    def train(self, trees: Iterable[Constituent], *, threads: int = 0, progress: Progress = SILENT) -> Self:
        """Learn from a treebank; empty nodes and indices in it are taken away.

        Args:
            trees: The trees.
            threads: How many threads; 0 for one a core. What is learnt does not depend on it.
            progress: Told of passes over the treebank.

        Raises:
            InputError: There is no tree, or one has no words.
            SettingsError: A setting makes no sense.
        """
        if self.rounds < 0 or self.passes < 1 or threads < 0 or self.seed < 0:
            raise SettingsError("rounds, passes, threads and the seed must not be negative, and passes not 0")
        binarisation = Binarisation(self.direction, self.horizontal, self.vertical, self.tag_parents)
        prepared = [self._prepared(tree, number) for number, tree in enumerate(trees, 1)]
        if not prepared:
            raise InputError("there is no tree to learn from", hint="is the treebank empty?")
        roots = {tree.label for tree in prepared}
        # Treebanks put one label over all sentences, or none.
        self._root = next(iter(roots)) if len(roots) == 1 and not prepared[0].word else ""
        arrays = _Arrays(self._root or ROOT)
        for tree in prepared:
            arrays.add(binarisation.apply(tree if self._root else Constituent(ROOT, (tree,)), self.heads))
        settings = json.dumps({**self._settings(), "root": self._root, "trees": len(prepared)})
        likelihoods: list[float] = []
        total = self.rounds * (self.passes + (self.passes + 1) // 2)
        with progress.task("learning", total=total, unit="passes") as advance:

            def told(_round: int, _pass: int, log: float) -> None:
                likelihoods.append(log)
                advance(1)

            self._grammar = _engine.ConstituentGrammar.train(
                **arrays.given(),
                rounds=self.rounds,
                passes=self.passes,
                merged=self.merged,
                smoothing=self.smoothing,
                word_smoothing=min(1.0, 10 * self.smoothing),
                seed=self.seed,
                threads=threads,
                settings=settings,
                told=told,
            )
        self._symbols = self._grammar.symbols
        self.log_likelihoods_, self.trees_ = likelihoods, len(prepared)
        return self

    def _prepared(self, tree: Constituent, number: int) -> Constituent:
        try:
            tree = cleaned(tree, functions=self.functions)
        except InputError as error:
            raise InputError(f"tree {number} has no words", hint=error.hint) from None
        if self.base or self.arguments:
            tree = marked(tree, self.heads, base=self.base, arguments=self.arguments)
        return tree

    @property
    def grammar(self) -> _engine.ConstituentGrammar:
        """The engine's grammar."""
        return self._trained()

    def _trained(self) -> _engine.ConstituentGrammar:
        if self._grammar is None:
            raise InputError("the parser has not learnt anything yet", hint="call train, or load a parser")
        return self._grammar

    def parse(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        strategy: Literal["chart", "agenda"] | Agenda = "chart",
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> list[Constituent]:
        """The best tree of each sentence; every sentence gets one, over its words as they are.

        A sentence that is too long, or for which the grammar has no tree, gets a flat one: the most probable tag of each
        word, and one label over all; `parse_stream` tells which ones.

        Args:
            sentences: Words of each sentence, cut as in the treebank; `penn_words` helps with others.
            strategy: "chart" goes from coarse to fine, to the tree that `best` says; "agenda" looks for the best single
                derivation of the finest grammar, best first. An `Agenda` says how.
            threads: How many threads; 0 for one a core. The trees do not depend on it.
            progress: Told of sentences.

        Raises:
            InputError: A sentence is empty.
            SettingsError: There is no such strategy.
        """
        with progress.task("parsing", unit="sentences") as advance:
            found = []
            for tree, _ in self.parse_stream(sentences, strategy=strategy, threads=threads):
                found.append(tree)
                advance(1)
        return found

    def parse_stream(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        strategy: Literal["chart", "agenda"] | Agenda = "chart",
        threads: int = 0,
    ) -> Iterator[tuple[Constituent, bool]]:
        """Parse sentences as they come: each tree, and whether it is flat for want of a better one."""
        if threads < 0:
            raise SettingsError(f"the number of threads must not be negative, but is {threads}")
        agenda = Agenda.of(strategy)
        self._trained()
        remaining = iter(sentences)
        done = 0
        while chunk := [list(sentence) for sentence in islice(remaining, CHUNK)]:
            for number, sentence in enumerate(chunk, done + 1):
                _check(sentence, number)
            for sentence, (nodes, flat) in zip(chunk, self._parsed(chunk, agenda, threads), strict=True):
                yield self._tree(sentence, nodes, flat=flat), flat
            done += len(chunk)

    def _parsed(
        self, chunk: list[list[str]], agenda: Agenda | None, threads: int
    ) -> list[tuple[list[tuple[int, int, int]], bool]]:
        grammar = self._trained()
        if agenda is None:
            return grammar.parse(chunk, threshold=self.threshold, best=self.best, longest=self.longest, threads=threads)
        return grammar.parse_agenda(
            chunk,
            semiring=agenda.semiring,
            beam=agenda.beam,
            seconds=agenda.time_limit,
            longest=self.longest,
            threads=threads,
        )

    def nbest(self, sentence: Sequence[str], count: int) -> list[ScoredTree]:
        """The best trees of a sentence, with the logarithms of how probable they are together with its words.

        They come in the order of what is best, so that the first is what `parse` gives. With `best="rules"` that is not
        quite the order of their probabilities, which are exact: sums over all variants of symbols. A flat tree that stands
        in for want of a better one has a probability of 0.
        """
        if count < 1:
            raise SettingsError(f"there are no {count} best trees", hint="ask for at least 1")
        _check(sentence, 1)
        found = self._trained().best_trees(
            list(sentence), count, threshold=self.threshold, best=self.best, longest=self.longest
        )
        return [ScoredTree(self._tree(sentence, nodes, flat=flat), log) for (nodes, flat), log in found]

    def log_probability(self, sentence: Sequence[str]) -> float:
        """The logarithm of how probable a sentence is: the sum over the trees the parser looks at; minus infinity for none.

        The difference of a tree's log probability and this is the logarithm of its chance to be the right one.
        """
        _check(sentence, 1)
        found = self._trained().log_probability(list(sentence), threshold=self.threshold, longest=self.longest)
        return -math.inf if found is None else found

    def forest(self, sentence: Sequence[str], *, least: float = 1e-4, marks: bool = True) -> ConstituentForest:
        """The trees of a sentence as a forest with the labels of the treebank and one head word a node.

        A tree's weight is its probability given the words, by the product over rules that comes nearest to the parser's
        distribution (Matsuzaki et al., 2005); edges that are less probable than `least` are left out, or as much less as it
        takes to leave a tree. A sentence without a tree has a forest of the flat tree that `parse` gives it. If the treebank has
        no common root, ROOT is the root.

        Args:
            sentence: The words.
            least: The least chance of an edge.
            marks: Mark arguments with -A and call basic noun phrases NPB (Collins, 1999), as `marked` does with trees.

        Raises:
            InputError: The sentence has no words, or an empty one.
            SettingsError: The chance makes no sense.

        Example:
            >>> from tolka.syntax import parse_penn
            >>> bank = ["(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man))))", "(S (NP (NN man)) (VP (VBD left)))"]
            >>> parser = ConstituencyParser(rounds=0).train(map(parse_penn, bank))
            >>> print(parser.forest(["I", "saw", "the", "man"]).best())
            (S (NPB-A (PRP I)) (VP (VBD saw) (NPB-A (DT the) (NN man))))
        """
        _check(sentence, 1)
        grammar = self._trained()
        names, _, chains = self._symbols
        found = grammar.constituent_forest(
            list(sentence),
            least=least,
            labels=[label_of(name) for name in names],
            chains=[list(chain_of(chain)) for chain in chains],
            rules=self.heads.columns(),
            base=marks and not self.base,
            arguments=marks and not self.arguments,
            threshold=self.threshold,
            longest=self.longest,
        )
        if found is not None:
            return ConstituentForest(found)
        return self.nbest_forest(sentence, 1, marks=marks)

    def nbest_forest(self, sentence: Sequence[str], count: int, *, marks: bool = True) -> ConstituentForest:
        """The forest of exactly the best trees of a sentence, which have their chances among themselves.

        Args:
            sentence: The words.
            count: How many trees.
            marks: As of `forest`.
        """
        found = self.nbest(sentence, count)
        most = max(one.log_probability for one in found)
        # A flat tree stands in for want of a better one: it is alone, and has no probability.
        logs = [one.log_probability - most if most > -math.inf else 0.0 for one in found]
        whole = math.log(sum(map(math.exp, logs)))
        trees = [self._marked(one.tree) if marks else one.tree for one in found]
        return ConstituentForest.from_trees(
            [(tree, log - whole) for tree, log in zip(trees, logs, strict=True)], rules=self.heads
        )

    def _marked(self, tree: Constituent) -> Constituent:
        return marked(tree, self.heads, base=not self.base, arguments=not self.arguments)

    def packed_forest(self, sentence: Sequence[str], *, least: float = 1e-4) -> _engine.Forest | None:
        """The trees of a sentence whose parts have a chance of at least `least`, as the engine packs them.

        None if the sentence has no tree. `tolka.forest.constituent_forest` makes of it what people use.
        """
        _check(sentence, 1)
        return self._trained().forest(list(sentence), least=least, threshold=self.threshold, longest=self.longest)

    def restored(self, sentence: Sequence[str], nodes: Iterable[tuple[int, int, int]]) -> Constituent:
        """The tree of the engine's list of nodes: symbols, numbers of parts, places of words or chains."""
        return self._tree(sentence, list(nodes), flat=False)

    def _tree(self, sentence: Sequence[str], nodes: Sequence[tuple[int, int, int]], *, flat: bool) -> Constituent:
        names, kinds, chains = self._symbols

        def payload(arity: int, number: int) -> str:
            match arity:
                case 0:
                    return sentence[number]
                case 1:
                    return chains[number]
            return ""

        steps = [Step(names[symbol], kinds[symbol], arity, payload(arity, number)) for symbol, arity, number in nodes]
        if flat:
            return Constituent(self._root or ROOT, tuple(restored([step]) for step in steps))
        tree = restored(steps)
        return tree if self._root else tree.children[0]

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was learnt to a file that appears whole or not at all."""
        self._trained().save(path)

    @classmethod
    def load(cls, path: str | PathLike[str], *, limits: Limits = DEFAULT) -> Self:
        """Open a parser that was saved.

        Raises:
            FileError: There is no such file.
            FormatError: It is no such parser, or is damaged.
        """
        grammar = _engine.ConstituentGrammar.open(path, most_bytes=limits.model_bytes)
        try:
            settings = json.loads(grammar.settings)
            root, trees = str(settings.pop("root")), int(settings.pop("trees"))
            parser = cls(**settings)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FormatError("the settings of the parser cannot be read", path=path, hint="train it again") from None
        parser._root, parser.trees_ = root, trees
        parser._grammar, parser._symbols = grammar, grammar.symbols
        return parser


def _check(sentence: Sequence[str], number: int) -> None:
    if not sentence:
        raise InputError(f"sentence {number} has no words", hint="take empty lines out")
    if not all(sentence):
        raise InputError(f"sentence {number} has an empty word")


class _Arrays:
    """Binarised trees as the engine takes them."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.symbols: dict[tuple[str, int], int] = {}
        self.chains: dict[str, int] = {}
        self.words: dict[str, int] = {}
        self.begins = [0]
        self.nodes: list[tuple[int, int, int]] = []

    def add(self, steps: Iterable[Step]) -> None:
        for symbol, kind, arity, payload in steps:
            number = self.symbols.setdefault((symbol, kind), len(self.symbols))
            table = self.words if kind == TAG else self.chains
            value = table.setdefault(payload, len(table)) if kind != PART and arity < 2 else 0  # noqa: PLR2004 - both parts
            self.nodes.append((number, arity, value))
        self.begins.append(len(self.nodes))

    def given(self) -> dict[str, Any]:
        columns = np.asarray(self.nodes, dtype=np.uint32).reshape(-1, 3)
        return {
            "names": [symbol for symbol, _ in self.symbols],
            "kinds": [kind for _, kind in self.symbols],
            "chains": list(self.chains),
            "root": self.nodes[-1][0],
            "words": list(self.words),
            "begins": np.asarray(self.begins, dtype=np.uint64),
            "symbols": np.ascontiguousarray(columns[:, 0]),
            "arities": columns[:, 1].astype(np.uint8),
            "payloads": np.ascontiguousarray(columns[:, 2]),
        }
