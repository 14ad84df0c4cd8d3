"""The native engine as Python sees it. CI checks this stub against the built module (mypy stubtest)."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AlignmentModel",
    "ByteReader",
    "Cleaner",
    "ComposedRules",
    "Compounds",
    "CompoundsBuilder",
    "ConstituentForest",
    "ConstituentGrammar",
    "Container",
    "DecodeModel",
    "Decoder",
    "Detokeniser",
    "Forest",
    "ForestKBest",
    "ForestNgrams",
    "GrammarExtractor",
    "GrammarReport",
    "GrammarTable",
    "GraphIndex",
    "GraphProfiles",
    "GraphReservoir",
    "GraphText",
    "LabelGraph",
    "LabelSystem",
    "LineReader",
    "LinkBeliefs",
    "LmClusterer",
    "LmModel",
    "LmReport",
    "LmState",
    "LmTrainer",
    "Metric",
    "MetricTable",
    "MetricTexts",
    "MultitreeModel",
    "PairCounter",
    "RecurrentCorpus",
    "RecurrentModel",
    "RecurrentRule",
    "RecurrentShape",
    "RecurrentTrainer",
    "RewritingRules",
    "SequenceLabeller",
    "SideCounter",
    "Splitter",
    "SuffixIndex",
    "SuffixRules",
    "TaskPolicy",
    "TextWriter",
    "Tokeniser",
    "TreeEnsemble",
    "Truecaser",
    "TruecaserBuilder",
    "TuneForests",
    "TuneLists",
    "Vocabulary",
    "VocabularyBuilder",
    "WalkerModel",
    "__version__",
    "check_inputs",
    "count_agreement",
    "grammar_compose",
    "grammar_import",
    "grammar_join",
    "grammar_look_up",
    "graph_spelling",
    "learn_task",
    "learn_undirected",
    "linear_train",
    "lm_mix",
    "lm_prune",
    "lm_tune",
    "lower_lines",
    "multitree_hierarchy",
    "multitree_quality",
    "parse_links",
    "read_plf",
    "recurrent_given",
    "reorder_crossings",
    "reorder_differences",
    "reorder_fragments",
    "reorder_references",
    "rerank_matrix",
    "rerank_phrases",
    "symmetrise_links",
    "tune_forest_mert",
    "tune_forest_mira",
    "tune_mert",
    "tune_mira",
    "tune_pro",
    "undirected_start",
    "write_container",
]

# A table, a voice of one, a growing text, or two of these that are composed.
_RuleSource: TypeAlias = GrammarTable | tuple[GrammarTable, int] | SuffixRules | ComposedRules

# For each line what is given with it: translations of spans (begin, end, words with log weights, whether they are
# exclusive), spans that belong together (begin, end, whether they are one constituent), walls, and a lattice in its
# place (the last position, and arcs: begin, end, word, score).
_GivenSpans: TypeAlias = list[
    tuple[
        list[tuple[int, int, list[tuple[str, float]], bool]],
        list[tuple[int, int, bool]],
        list[int],
        tuple[int, list[tuple[int, int, str, float]]] | None,
    ]
]

__version__: str

@final
class AlignmentModel:
    """A trained aligner."""

    @staticmethod
    def train(
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        model: str,
        variant: str,
        warm_up: int | None,
        iterations: int | None,
        prior: float | None,
        null: float | None,
        agree: bool | None,
        shrink: float | None,
        chains: int | None,
        sweeps: tuple[int, int, int] | None,
        samples: int | None,
        priors: tuple[float, float, float, float] | None,
        seed: int,
        longest: int | None,
        memory: int | None,
        threads: int,
        most_tokens: int,
        step: Callable[[], object],
    ) -> tuple[AlignmentModel, LinkBeliefs, list[tuple[float, float]], int]:
        """Train on parallel lines; gives the model, its beliefs about them, log-likelihoods, and the number of shards."""

    @staticmethod
    def load(
        path: str | PathLike[str], source: str | PathLike[str], target: str | PathLike[str], most_bytes: int
    ) -> AlignmentModel:
        """Open a saved model from the files of its tables and of its source and target words."""

    def save(self, path: str | PathLike[str], source: str | PathLike[str], target: str | PathLike[str]) -> None:
        """Write the model to files: its tables, its source words, its target words."""

    @property
    def name(self) -> str:
        """Which kind of model it is."""

    def align(self, sources: Sequence[str], targets: Sequence[str], *, threads: int, most_tokens: int) -> LinkBeliefs:
        """Align parallel lines."""

    def probabilities(self, source: str, target: str) -> tuple[float, float]:
        """t(target | source) and t(source | target) of two words."""

    def log_confidences(
        self,
        sources: Sequence[str],
        targets: Sequence[str],
        links: Sequence[Sequence[tuple[int, int]]],
        *,
        threads: int,
        most_tokens: int,
    ) -> NDArray[np.float64]:
        """The logarithm of Huang's (2009) confidence in the links of each pair."""

    def null_probability(self, word: str, forward: bool) -> float:
        """p(word | NULL) of a target word, or of a source word if not `forward`."""

    def positions(self, source: int, target: int, forward: bool) -> list[list[float]] | None:
        """p(i | j, lengths) for every j and every i, NULL first, where the model has such a table."""

@final
class ByteReader:
    """Reads the bytes of a file or of standard input ("-"), decompressed if they are compressed."""

    def __new__(cls, path: str | PathLike[str], *, file_bytes: int, expansion: int) -> ByteReader: ...
    def read(self) -> bytes:
        """The next bytes; none at the end."""

@final
class Cleaner:
    """Cleans sentence pairs batch by batch."""

    def __new__(
        cls,
        *,
        languages: tuple[str, str] | None,
        min_tokens: int,
        max_tokens: int,
        max_characters: int,
        max_word_characters: int,
        max_ratio: float,
        ratio_allowance: int,
        ratio_unit: str,
        identical_name_tokens: int,
        min_script_share: float,
        duplicate_by: str,
        without: list[str],
        invisible: bool,
        nfc: bool,
        spaces: bool,
    ) -> Cleaner: ...
    @staticmethod
    def rules() -> list[str]:
        """The names of the rules in their order; rule i has the id i + 1."""

    @staticmethod
    def changes() -> list[str]:
        """The names of the changes, in the order in which they are made and counted."""

    @property
    def notes(self) -> list[str]:
        """Which rules could not be applied, and why."""

    def clean(
        self, sources: list[str], targets: list[str], threads: int
    ) -> tuple[list[str], list[str], bytes, list[list[int]]]:
        """The kept pairs' sides, each pair's verdict (0 is kept), and how many lines of each side each change altered."""

@final
class Compounds:
    """Splits compounds."""

    @staticmethod
    def open(path: str | PathLike[str], *, most_bytes: int) -> Compounds:
        """Open a saved splitter."""

    def save(self, path: str | PathLike[str]) -> None:
        """Save to a container."""

    @property
    def language(self) -> str:
        """The language, as it was given for training."""

    @property
    def settings(self) -> tuple[int, int, int, list[str]]:
        """Letters of a part, occurrences of a part, parts of a word, and letters between them."""

    def __len__(self) -> int: ...
    def parts(self, word: str) -> list[str]:
        """The parts of a word; none if it stays whole."""

    def split_lines(self, lines: list[str], threads: int) -> list[str]:
        """The lines with compounds split."""

@final
class CompoundsBuilder:
    """Counts words that compounds may be made of."""

    def __new__(
        cls, language: str, *, min_length: int, min_count: int, max_parts: int, fillers: list[str]
    ) -> CompoundsBuilder: ...
    def add_lines(self, lines: list[str]) -> None:
        """Count the words of tokenised lines."""

    def finish(self) -> Compounds:
        """The splitter of what was counted."""

_Parsed: TypeAlias = tuple[list[tuple[int, int, int]], bool]

@final
class ConstituentForest:
    """A constituency forest."""

    def __new__(
        cls,
        *,
        words: Sequence[str],
        labels: Sequence[str],
        nodes: tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]],
        heads: NDArray[np.uint32],
        edge_begins: NDArray[np.uint32],
        scores: NDArray[np.float64],
        child_begins: NDArray[np.uint32],
        children: NDArray[np.uint32],
        root: int,
    ) -> ConstituentForest:
        """From arrays, which are checked."""

    @property
    def words(self) -> list[str]:
        """The words."""

    @property
    def labels(self) -> list[str]:
        """The labels."""

    @property
    def root(self) -> int:
        """The node of whole trees."""

    @property
    def nodes(self) -> list[NDArray[np.uint32]]:
        """Labels, first words, ends and heads of nodes."""

    @property
    def places(self) -> list[NDArray[np.uint32]]:
        """Where each node's edges begin, with an end; where each edge's children begin, with an end; children."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """Scores of edges."""

    def inside(self) -> NDArray[np.float64]:
        """The logarithms of the sums over the trees of nodes."""

    def sums(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """How often nodes and edges are expected in a tree, and the logarithms of what completes nodes."""

    def best(self) -> tuple[float, list[tuple[int, int]]]:
        """The best tree: the logarithm of its weight, and its nodes with their edges, parents first."""

    def nbest(self, count: int) -> list[tuple[float, list[tuple[int, int]]]]:
        """The best trees."""

    def sample(self, count: int, seed: int) -> list[list[tuple[int, int]]]:
        """Trees drawn by their weights."""

    def reweighted(self, deltas: NDArray[np.float64]) -> ConstituentForest:
        """The same trees with other scores."""

    def with_words(self, words: Sequence[str]) -> ConstituentForest:
        """The same trees over other words."""

    def pruned(self, least: float) -> ConstituentForest | None:
        """Without edges that are expected less often, if a tree is left."""

@final
class ConstituentGrammar:
    """A grammar of constituents."""

    @staticmethod
    def train(
        *,
        names: Sequence[str],
        kinds: Sequence[int],
        chains: Sequence[str],
        root: int,
        words: Sequence[str],
        begins: NDArray[np.uint64],
        symbols: NDArray[np.uint32],
        arities: NDArray[np.uint8],
        payloads: NDArray[np.uint32],
        rounds: int,
        passes: int,
        merged: float,
        smoothing: float,
        word_smoothing: float,
        seed: int,
        threads: int,
        settings: str,
        told: Callable[[int, int, float], None],
    ) -> ConstituentGrammar:
        """Learn from binarised trees; tells `told` of rounds, passes and log likelihoods."""

    @staticmethod
    def open(path: str | PathLike[str], *, most_bytes: int) -> ConstituentGrammar:
        """Open a file."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write a file."""

    @property
    def settings(self) -> str:
        """What was stored with it."""

    @property
    def symbols(self) -> tuple[list[str], bytes, list[str]]:
        """Names of symbols, their kinds, and names of chains."""

    @property
    def size(self) -> tuple[int, int, int, list[tuple[int, int]]]:
        """How many binary rules, unary rules and words there are, and for each level how many states and numbers."""

    def binary(self, rule: int) -> tuple[int, int, int]:
        """Left part, right part and parent of a binary rule."""

    def unary(self, rule: int) -> tuple[int, int, int]:
        """Child, parent and chain of a unary rule."""

    def parse(
        self, sentences: Sequence[Sequence[str]], *, threshold: float, best: str, longest: int, threads: int
    ) -> list[_Parsed]:
        """The best tree of each sentence."""

    def parse_agenda(
        self,
        sentences: Sequence[Sequence[str]],
        *,
        semiring: str,
        beam: int | None,
        seconds: float | None,
        longest: int,
        threads: int,
    ) -> list[_Parsed]:
        """The best derivation of each sentence, as a tree, by the generalised parser."""

    def best_trees(
        self, sentence: Sequence[str], count: int, *, threshold: float, best: str, longest: int
    ) -> list[tuple[_Parsed, float]]:
        """The best trees of a sentence, with logarithms of how probable they are together with its words."""

    def log_probability(self, sentence: Sequence[str], *, threshold: float, longest: int) -> float | None:
        """The logarithm of how probable a sentence is, if it has a tree."""

    def constituent_forest(
        self,
        sentence: Sequence[str],
        *,
        least: float,
        labels: Sequence[str],
        chains: Sequence[Sequence[str]],
        rules: Mapping[str, object],
        base: bool,
        arguments: bool,
        threshold: float,
        longest: int,
    ) -> ConstituentForest | None:
        """The forest of a sentence's trees as treebanks have them, with heads and marks, if the grammar has any."""

    def forest(self, sentence: Sequence[str], *, least: float, threshold: float, longest: int) -> Forest | None:
        """The forest of a sentence's trees, if the grammar has any."""

@final
class Container:
    """An open container."""

    @staticmethod
    def open(path: str | PathLike[str], kind: str | None, *, full: bool, most_bytes: int) -> Container:
        """Map and check a file."""

    @property
    def kind(self) -> str:
        """What it holds."""

    @property
    def kind_version(self) -> int:
        """The version of what it holds."""

    def sections(self) -> list[tuple[str, str, int, int]]:
        """Each section's name, element type, bytes per element, and bytes."""

    def read(self, name: str) -> bytes:
        """A copy of a section's bytes."""

    def verify(self) -> None:
        """Compare every section with its checksum."""

@final
class ComposedRules:
    """Rules through a pivot, which are composed when decoders ask for them."""

    def __new__(
        cls,
        first: tuple[str, _RuleSource],
        second: tuple[str, _RuleSource],
        *,
        sums: tuple[Sequence[float], Sequence[float]] | None,
        limits: tuple[int, int, int, bool],
        recased: bool,
    ) -> ComposedRules: ...
    @property
    def feature_names(self) -> list[str]:
        """The names of the features."""

    @property
    def leg_features(self) -> list[list[str]]:
        """The features of each leg."""

    @property
    def shared_words(self) -> int:
        """How many words of the pivot both legs have."""

    def meets(self, first: GrammarTable) -> bool:
        """Whether any source side of the first leg's table leads through the pivot."""

@final
class DecodeModel:
    """Sources of rules and language models under one set of feature names."""

    def __new__(
        cls,
        sources: list[tuple[str, _RuleSource]],
        lms: list[tuple[str, LmModel]],
        sparse: tuple[int, bool, bool],
    ) -> DecodeModel: ...
    @staticmethod
    def ensemble(
        components: list[tuple[str, list[tuple[str, _RuleSource]]]],
        lms: list[tuple[str, LmModel]],
        sparse: tuple[int, bool, bool],
    ) -> DecodeModel:
        """The sources of several components, and the language models of all of them."""

    def translates(self, words: Sequence[str]) -> list[bool]:
        """Whether a rule translates each of these source words alone."""
    @property
    def feature_names(self) -> list[str]:
        """The names of the features: those of rules, of language models, and the decoder's own."""

    @property
    def rule_features(self) -> int:
        """How many of them are those of rules."""

def undirected_start(decoder: Decoder) -> list[tuple[str, float]]:
    """The names of the features of a decoder's actions, each with the weight to begin with."""

def learn_task(
    task: object,
    examples: list[Any],
    *,
    learning: dict[str, Any],
    state: dict[str, Any],
    first: int,
    epochs: int,
    most_steps: int,
    told: Callable[[int, tuple[int, int, int, float], dict[str, Any]], bool],
) -> None:
    """Learns a policy for a task, beginning with a state of the learner and the names of its features.

    After each epoch `told` is called with its number, what came of it and the state; it goes on while that returns true.
    """

@final
class RewritingRules:
    """Rules of rewriting grammars."""

    def __new__(cls, code: Sequence[int], roots: Sequence[int]) -> RewritingRules:
        """From numbers."""

    def rewritten(
        self, forest: ConstituentForest, tests: Sequence[tuple[int, Sequence[bool]]], parts: bool, most: int
    ) -> tuple[list[tuple[int, int, int, list[int]]], ConstituentForest, list[list[int]], NDArray[np.float64]] | None:
        """Outputs, the forest told apart by them, the outputs of each of its root's edges and the logarithms of their chances."""

    @staticmethod
    def phrases(forest: ConstituentForest, nodes: Sequence[int]) -> list[list[tuple[int, int | None]]]:
        """The best trees of nodes: nodes with their edges, parents first; words have none."""

@final
class TaskPolicy:
    """Weights that act in a task."""

    def __new__(cls, weights: list[tuple[str, float]]) -> TaskPolicy:
        """From the names of features and their weights."""

    def run(self, task: object, example: object, *, most_steps: int) -> Any:
        """The last state that the policy comes to from the first of an example."""

    def act(self, task: object, state: object) -> Any:
        """The action that the policy takes in a state; None if there is none."""

@final
class TreeEnsemble:
    """Boosted trees."""

    def __new__(
        cls,
        fields: Sequence[tuple[int, int, bool]],
        *,
        nodes: NDArray[np.uint32],
        weights: NDArray[np.float64],
        roots: NDArray[np.uint32],
        penalties: NDArray[np.float64],
        trees: NDArray[np.uint64],
    ) -> TreeEnsemble:
        """From arrays as `arrays` gives them; a field is its first slot, its width, and whether it is a number."""

    @staticmethod
    def train(
        fields: Sequence[tuple[int, int, bool]],
        rows: NDArray[np.uint32],
        labels: NDArray[np.bool_],
        *,
        weights: NDArray[np.float64] | None,
        offsets: NDArray[np.float64] | None,
        start: TreeEnsemble | None,
        first: float,
        decay: float,
        least: float,
        tolerance: float,
        max_depth: int | None,
        trees_per_penalty: int,
        max_trees: int,
        bins: int,
        exact: int,
        threads: int,
    ) -> TreeEnsemble:
        """Trains one on rows; `start` is an ensemble to begin with."""

    def scores(
        self, fields: Sequence[tuple[int, int, bool]], rows: NDArray[np.uint32], trees: int, *, threads: int
    ) -> NDArray[np.float64]:
        """The score of each row by so many trees; sets may be wider than in training."""

    def leaves(
        self, fields: Sequence[tuple[int, int, bool]], rows: NDArray[np.uint32], trees: int
    ) -> NDArray[np.uint32]:
        """The leaf that each row comes to in each of so many trees."""

    def mass(self, trees: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By field, how much the last tests of paths change weights in so many trees: passed ones, and others."""

    @property
    def snapshots(self) -> list[tuple[float, int]]:
        """The penalties of the path, and how many trees belong to each."""

    @property
    def risks(self) -> list[tuple[float, int, float]]:
        """The risk at the start of each penalty and after each tree: the penalty, the number of trees, the risk."""

    @property
    def fields(self) -> list[tuple[int, int, bool]]:
        """First slot, width, and whether it is a number, of each field."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that the constructor takes beside the fields."""

def learn_undirected(
    decoder: Decoder,
    lines: list[str],
    references: list[str],
    *,
    given: _GivenSpans,
    learning: dict[str, Any],
    state: dict[str, Any] | None,
    first: int,
    epochs: int,
    threads: int,
    memory: int,
    told: Callable[[int, tuple[int, int, int, float], dict[str, Any]], bool],
) -> None:
    """Learns the weights of undirected search.

    After each epoch `told` is called with its number, what came of it and the state of the learner; it goes on while that
    returns true.
    """

@final
class Decoder:
    """Searches for translations under a model, weights and settings."""

    def __new__(
        cls,
        model: DecodeModel,
        weights: list[float],
        sparse: list[tuple[str, float]],
        kind: str,
        settings: dict[str, Any],
    ) -> Decoder: ...
    @staticmethod
    def ensemble(
        model: DecodeModel,
        weights: list[tuple[list[float], list[tuple[str, float]]]],
        plan: dict[str, Any],
        kind: str,
        settings: dict[str, Any],
    ) -> Decoder:
        """Searches with several components: the weights of each, dense and sparse ones, and how they work together."""

    @property
    def mixes_edges(self) -> bool:
        """Whether the scores of edges are mixed, and not those of rules alone."""

    def translate(self, lines: list[str], *, given: _GivenSpans, threads: int) -> list[str]:
        """Translate lines of tokens, each with what is given for its spans."""

    def statistics(
        self, lines: list[str], *, given: _GivenSpans, threads: int
    ) -> list[tuple[str, float, tuple[int, int, int, int, int, int, int], bool, tuple[float, float, float]]]:
        """Translate lines of tokens; returns for each the translation, its score and what finding it took."""

    def nbest(
        self, lines: list[str], *, given: _GivenSpans, count: int, unique: bool, threads: int
    ) -> tuple[list[list[str]], NDArray[np.float64], NDArray[np.float64], list[list[tuple[str, float]]]]:
        """The best translations of each line: their texts, and for all of them in a row scores, features, sparse features."""

    def forests(self, lines: list[str], *, given: _GivenSpans, threads: int) -> list[Forest]:
        """What was found of derivations of each line."""

    def explain(
        self, lines: list[str], *, given: _GivenSpans, threads: int
    ) -> list[tuple[Forest, list[tuple[int, int]]]]:
        """The best derivation of each line as a forest, and how it grew.

        For each rule, those in its gaps before it, when it was connected and whether as the first (0), above (1) or in a gap
        (2); nothing if search has no order of its own.
        """

    def context_free(self, lines: list[str], *, given: _GivenSpans, threads: int) -> list[Forest]:
        """All derivations of each line without language models, with a chart."""

    def force(
        self, lines: list[str], references: list[str], *, given: _GivenSpans, threads: int
    ) -> tuple[list[list[str]], NDArray[np.float64], NDArray[np.float64], list[list[tuple[str, float]]]]:
        """The best derivation of each line that yields its reference, if there is one; as in `nbest`."""

@final
class Detokeniser:
    """Joins tokens of one language into text."""

    def __new__(cls, lang: str) -> Detokeniser: ...
    def line(self, line: str) -> str:
        """The text of one line of tokens."""
    def lines(self, lines: Sequence[str], threads: int) -> list[str]:
        """Each line's text, in order."""

_ForestRule: TypeAlias = tuple[
    str, tuple[int, int] | None, int, list[int | str], list[int | str], list[tuple[int, int]], int
]  # kind, grammar and number, left-hand side, source side, target side, links, components that have it

@final
class Forest:
    """A packed forest of derivations."""

    @staticmethod
    def from_parts(
        *,
        source: list[str],
        categories: list[str],
        features: list[str],
        sparse_features: list[str],
        components: list[str],
        rules: list[_ForestRule],
        nodes: NDArray[np.uint32],
        heads: NDArray[np.uint32],
        tails: NDArray[np.uint32],
        edge_rules: NDArray[np.uint32],
        scores: NDArray[np.float64],
        values: NDArray[np.float32],
        spans: NDArray[np.uint32],
        sparse_begins: NDArray[np.uint32],
        sparse: list[tuple[int, float]],
    ) -> Forest:
        """From lists of parts; everything is checked."""

    @property
    def source(self) -> list[str]:
        """The source sentence; empty if it is not known."""

    @property
    def categories(self) -> list[str]:
        """Names of categories."""

    @property
    def feature_names(self) -> list[str]:
        """Names of dense features."""

    @property
    def sparse_names(self) -> list[str]:
        """Names of sparse features."""

    @property
    def components(self) -> list[str]:
        """Names of the components of the ensemble that made it."""

    @property
    def size(self) -> tuple[int, int]:
        """How many nodes and edges there are."""

    def nodes(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """For each node its category, begin and end; and where its edges begin, with an end."""

    def edges(
        self,
    ) -> tuple[
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.float64],
        NDArray[np.uint32],
        NDArray[np.float32],
    ]:
        """For each edge its head, tails, rule, score, span and dense features."""

    def sparse(self, edge: int) -> list[tuple[int, float]]:
        """The sparse features of an edge."""

    def rules(self) -> list[_ForestRule]:
        """The rules, spelled out."""

    def inside(self, semiring: str, scale: float) -> NDArray[np.float64]:
        """For each node the sum over its derivations (`log`, `viterbi` or `count`) of scores times `scale`."""

    def outside(self, semiring: str, scale: float) -> NDArray[np.float64]:
        """For each node the sum over what completes its derivations to those of the goal."""

    def inside_min_merge(self) -> list[list[float] | None]:
        """For each node the costs of its best derivation in the MinMerge order, worst first; costs are negated scores."""

    def outside_min_merge(self) -> list[list[float] | None]:
        """For each node the costs of the best completion of its derivations in the MinMerge order."""

    def expected_uses(self, scale: float) -> NDArray[np.float64]:
        """For each edge how often derivations are expected to use it."""

    def kbest(self, *, unique: bool, semiring: str) -> ForestKBest:
        """Begin to enumerate derivations, best first by `viterbi` or `minmerge`; if `unique`, of different translations."""

    def sample(
        self, count: int, *, seed: int, temperature: float
    ) -> list[tuple[float, list[str], list[tuple[Any, ...]]]]:
        """Draw derivations."""

    def pruned(self, beam: float) -> Forest:
        """Leave out edges whose best derivation is more than `beam` worse than the best."""

    def pruned_to(self, most: int) -> Forest:
        """Keep the `most` edges with the best derivations through them."""

    def pruned_by_posterior(self, least: float, *, scale: float) -> Forest:
        """Leave out edges that are used less often than `least` is expected."""

    def reweighted(self, dense: list[float], sparse: list[float]) -> Forest:
        """The same derivations under weights, dense and sparse ones."""

    def remixed(
        self,
        weights: list[tuple[list[float], list[float], float]],
        mixture: tuple[str, list[Any]],
        missing: str,
    ) -> Forest:
        """The same derivations under the weights of components, mixed: dense and sparse ones, and what an absent rule adds."""

    def ngrams(self, order: int) -> ForestNgrams:
        """The n-grams of up to `order` words of its translations."""

    def to_json(self) -> str:
        """One line of JSON."""

@final
class ForestKBest:
    """Derivations of a forest, best first."""

    def next(self) -> tuple[float, list[str], list[tuple[Any, ...]]] | None:
        """The next derivation, if there is one."""

@final
class ForestNgrams:
    """The n-grams of a forest's translations."""

    def ngrams(self) -> list[list[str]]:
        """The n-grams."""

    def expected(self, scale: float) -> tuple[NDArray[np.float64], float]:
        """How often each n-gram is expected, and how many words."""

    def posteriors(self, scale: float) -> NDArray[np.float64]:
        """How likely each n-gram is to be there at least once."""

    def best(
        self, ngram_gains: NDArray[np.float64], word_gain: float
    ) -> tuple[float, tuple[float, list[str], list[tuple[Any, ...]]]] | None:
        """The derivation whose n-grams and words are worth most, and its worth; none if there is no derivation."""

@final
class GrammarExtractor:
    """Takes in aligned text and makes tables of its rules."""

    def __new__(cls) -> GrammarExtractor: ...
    def add(self, sources: Sequence[str], targets: Sequence[str], links: Sequence[str]) -> None:
        """Take in pairs with their links as Pharaoh lines."""

    def add_links(
        self, sources: Sequence[str], targets: Sequence[str], links: Sequence[Sequence[tuple[int, int]]]
    ) -> None:
        """Take in pairs with their links as positions."""

    def finish(
        self,
        path: str | PathLike[str],
        *,
        kind: str,
        max_length: int,
        max_symbols: int,
        max_gaps: int,
        min_gap: int,
        adjacent: bool,
        loose: bool,
        counting: str,
        orientation: str,
        smoothing: str,
        several: str,
        floor: float,
        min_count: float,
        singletons: int | None,
        significance: tuple[bool, float] | None,
        limit: int,
        orientation_prior: float,
        indicators: bool,
        exact: bool,
        memory: int,
        threads: int,
        step: Callable[[int], object],
        folds: tuple[Sequence[int], Sequence[int]] | None = None,
    ) -> GrammarReport:
        """Make the table of all pairs so far; `step` is told of the pairs done.

        If folds are given, of each pair and those that voices do without, the table has several voices.
        """

@final
class GrammarReport:
    """What extraction found out beside the table."""

    @property
    def pairs(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def occurrences(self) -> int: ...
    @property
    def counted(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def sources(self) -> int: ...
    @property
    def spilled(self) -> bool: ...
    @property
    def extract_seconds(self) -> float: ...
    @property
    def score_seconds(self) -> float: ...
    @property
    def write_seconds(self) -> float: ...

@final
class GrammarTable:
    """A table of rules, mapped into memory."""

    @staticmethod
    def open(path: str | PathLike[str], *, full: bool) -> GrammarTable:
        """Open a table."""

    def __len__(self) -> int:
        """How many rules there are."""

    @property
    def feature_names(self) -> list[str]:
        """The names of the features."""

    @property
    def categories(self) -> list[str]:
        """The names of the categories."""

    @property
    def voices(self) -> list[str]:
        """The names of the components that the table speaks for; none if it is of one."""

    @property
    def voice_features(self) -> list[str]:
        """The names of the features of each of them."""

    def voice(self, voice: int) -> GrammarTable:
        """The table of one voice, in memory."""

    def write_voice(self, voice: int, path: str | PathLike[str]) -> None:
        """Write the table of one voice."""

    def rules(
        self, source: str
    ) -> list[tuple[str, str, str, list[float], list[tuple[int, int]], tuple[float, float, float], int]]:
        """The rules with this source side, as (lhs, source, target, features, links, counts, a bit for each voice)."""

    def rule(
        self, number: int
    ) -> tuple[str, str, str, list[float], list[tuple[int, int]], tuple[float, float, float], int]:
        """Rule number `number`, in the same form."""

    def find(self, sources: Sequence[str], targets: Sequence[str]) -> NDArray[np.float32]:
        """The features of the rules with these sides, a row for each; not a number where there is no such rule."""

    def sizes(self) -> list[int]:
        """Numbers: rules, source sides, source words, target words, nodes, then rules with 0, 1 and 2 nonterminals."""

    def export(
        self,
        path: str | PathLike[str],
        *,
        format: str,  # noqa: A002
        reordering: str | PathLike[str] | None,
    ) -> None:
        """Write the table as text for another system."""

    def filter(self, lines: Sequence[str], path: str | PathLike[str]) -> int:
        """Write the rules that can match somewhere in these lines; gives their number."""
    def add_features(
        self,
        path: str | PathLike[str],
        names: Sequence[str],
        values: Callable[[list[str], list[str]], Sequence[float]],
    ) -> int:
        """Write the table with more features: `values` gets source and target sides and gives rows one after the other."""

@final
class GraphReservoir:
    """A reservoir that runs over graphs of words until its states settle."""

    def __new__(
        cls,
        source: Sequence[NDArray[np.float64]],
        target: Sequence[NDArray[np.float64]],
        *,
        links: float,
        children: float,
        prune: bool,
        mean: bool,
        tolerance: float,
        most: int,
        bounded: bool,
    ) -> GraphReservoir: ...
    @property
    def size(self) -> int:
        """Numbers in a state."""

    def pooled(
        self,
        source_inputs: NDArray[np.float32],
        target_inputs: NDArray[np.float32],
        *,
        source: NDArray[np.uint32],
        source_begins: NDArray[np.uint64],
        heads: NDArray[np.uint32],
        lists: NDArray[np.uint64],
        target: NDArray[np.uint32],
        target_begins: NDArray[np.uint64],
        links: NDArray[np.uint32],
        link_begins: NDArray[np.uint64],
        threads: int,
    ) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
        """Pooled states of the translations of many sentences, a row each, and the steps each took."""

    def states(
        self,
        source_inputs: NDArray[np.float32],
        target_inputs: NDArray[np.float32],
        heads: Sequence[int],
        links: Sequence[tuple[int, int]],
        *,
        start: float,
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], int]:
        """States of all vertices of one graph, source and target, and the steps taken from a start."""

@final
class LineReader:
    """Reads lines of UTF-8 text from a plain or compressed file, or from standard input ("-")."""

    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        line_bytes: int,
        file_bytes: int,
        expansion: int,
        repair: bool = False,
    ) -> LineReader: ...
    def next_batch(self) -> list[str]:
        """The next lines that can be had without waiting for more, at least one; an empty list at the end."""

    def count_rest(self) -> int:
        """Reads what is left and says how many lines it had."""

    @property
    def repairs(self) -> int:
        """How many places were repaired so far."""

@final
class Metric:
    """A metric with its references prepared: statistics as rows that add up, and scores of their sums."""

    @staticmethod
    def bleu(
        references: Sequence[MetricTexts],
        *,
        order: int,
        smoothing: str,
        value: float | None,
        effective_order: bool,
        plus_one: bool,
    ) -> Metric:
        """BLEU; `plus_one` smooths single sentences as Lin and Och (2004) instead of as sacrebleu."""

    @staticmethod
    def chrf(
        references: Sequence[MetricTexts], table: MetricTable, *, characters: int, words: int, beta: float
    ) -> Metric:
        """Give chrF of tokens that the table knows; with words, chrF++."""

    @staticmethod
    def ter(references: Sequence[MetricTexts]) -> Metric:
        """TER."""

    @staticmethod
    def nist(references: Sequence[MetricTexts], *, order: int) -> Metric:
        """NIST."""

    @staticmethod
    def gtm(references: Sequence[MetricTexts], *, exponent: float) -> Metric:
        """GTM."""

    @staticmethod
    def error_rate(references: Sequence[MetricTexts], *, ordered: bool) -> Metric:
        """Word error rate, or, `ordered` being false, position-independent error rate."""

    @property
    def width(self) -> int:
        """Numbers in a row of statistics."""

    @property
    def sentences(self) -> int:
        """Sentences there are references for."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better."""

    def stats(
        self, hypotheses: MetricTexts, sentences: NDArray[np.uint32] | None = None, *, threads: int = 0
    ) -> NDArray[np.float64]:
        """A row of statistics per hypothesis; the i-th is for sentence `sentences[i]`, or i if none are given."""

    def score(self, total: NDArray[np.float64]) -> float:
        """The score of summed statistics."""

    def sentence_scores(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of each sentence's statistics."""

    def bootstrap(
        self, rows: NDArray[np.float64], draws: NDArray[np.int64], *, threads: int = 0
    ) -> NDArray[np.float64]:
        """The score of each round of a bootstrap; a row of `draws` has the sentences of a round."""

    def randomise(
        self, first: NDArray[np.float64], second: NDArray[np.float64], kept: NDArray[np.bool_], *, threads: int = 0
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The scores of two systems in each round, after the outputs that are not kept changed sides."""

@final
class MetricTable:
    """Gives tokens ids, for metrics."""

    def __new__(cls) -> MetricTable: ...
    def texts(self, lines: list[str], tokeniser: str) -> MetricTexts:
        """Tokenise lines (13a, none or char) and look their tokens up; new ones get new ids."""

    def tokens(self) -> list[str]:
        """The tokens, by id."""

@final
class MetricTexts:
    """Sentences as token ids."""

    @staticmethod
    def from_arrays(ids: NDArray[np.uint32], ends: NDArray[np.uint64]) -> MetricTexts:
        """From all ids and, per sentence, where it ends."""

    def arrays(self) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """All ids and, per sentence, where it ends."""

    @property
    def longest(self) -> int:
        """Tokens of the longest sentence."""

    def __len__(self) -> int: ...

@final
class PairCounter:
    """Counts a corpus of sentence pairs."""

    def __new__(cls) -> PairCounter: ...
    def add(self, sources: list[str], targets: list[str], threads: int) -> None:
        """Count the next pairs."""

    def summary(self, top: int) -> list[dict[str, Any]]:
        """The summaries of source, target and pairs, with so many of the most frequent words."""

    def unknown_to(self, source: Vocabulary, target: Vocabulary) -> tuple[tuple[int, int], tuple[int, int]]:
        """For each side, how many running and how many different words are not in its vocabulary."""

@final
class SideCounter:
    """Counts one side of a corpus."""

    def __new__(cls) -> SideCounter: ...
    def add(self, lines: list[str]) -> None:
        """Count the next lines."""

    def summary(self, top: int) -> dict[str, Any]:
        """The summary, with so many of the most frequent words."""

    def unknown_to(self, vocabulary: Vocabulary) -> tuple[int, int]:
        """How many running and how many different words are not in the vocabulary."""

@final
class Splitter:
    """Collects the keys of pairs, then says where each goes."""

    def __new__(cls, *, seed: int, by: str) -> Splitter: ...
    def add(self, sources: list[str], targets: list[str], threads: int) -> None:
        """Take in the next pairs."""

    def parts(self, *, dev: float, test: float) -> bytes:
        """The part of each pair: 0 train, 1 dev, 2 test, 3 a repetition of a held-out pair.

        A whole number asks for so many pairs, a fraction for such a share.
        """

@final
class SuffixIndex:
    """A growing text as it is at one moment."""

    @staticmethod
    def open(paths: Sequence[str | PathLike[str]], *, full: bool) -> SuffixIndex:
        """Open the segments of a text in their order; none is an empty text."""

    def __len__(self) -> int:
        """Sentence pairs with links."""

    @property
    def segments(self) -> list[tuple[int, int]]:
        """Sentence pairs taken in, words of both sides, of each segment."""

    @property
    def words(self) -> tuple[int, int]:
        """Different words of the source and the target side."""

    def append(self, text: GrammarExtractor, path: str | PathLike[str], *, keep: int, threads: int) -> int:
        """Write a segment of new pairs, merged with small ones behind the first `keep`; gives how many stay before it."""

@final
class SuffixRules:
    """Finds the rules of sentences in a growing text."""

    def __new__(
        cls,
        index: SuffixIndex,
        *,
        kind: str,
        max_length: int,
        max_symbols: int,
        max_gaps: int,
        min_gap: int,
        adjacent: bool,
        loose: bool,
        counting: str,
        orientation: str,
        smoothing: str,
        several: str,
        floor: float,
        min_count: float,
        singletons: int | None,
        significance: tuple[bool, float] | None,
        limit: int,
        orientation_prior: float,
        indicators: bool,
        samples: int,
        max_span: int,
    ) -> SuffixRules: ...
    @property
    def feature_names(self) -> list[str]:
        """The names of the features of rules."""

    def extract(self, sentences: Sequence[str], *, threads: int) -> GrammarTable:
        """The table of the rules that can match somewhere in these sentences."""

@final
class TextWriter:
    """Writes text to a file, compressed as its name asks, or to standard output ("-")."""

    def __new__(cls, path: str | PathLike[str]) -> TextWriter: ...
    def write_lines(self, lines: list[str]) -> None:
        """Writes each text as one line; a text that is not one line is an error."""

    def write_text(self, text: str) -> None:
        """Writes a text as it is."""

    def flush(self) -> None:
        """Sends what is buffered on its way."""

    def finish(self) -> None:
        """Ends the file and puts it in its place."""

    def abandon(self) -> None:
        """Gives the file up; nothing of it remains."""

@final
class Tokeniser:
    """Cuts lines of one language into tokens."""

    def __new__(
        cls, lang: str, *, escape: bool, protect: bool, notation: bool, abbreviations: Sequence[str]
    ) -> Tokeniser: ...
    def tokenise(self, text: str) -> list[str]:
        """The tokens of a text."""
    def line(self, text: str) -> str:
        """The tokens of a text, joined by spaces."""
    def lines(self, lines: Sequence[str], threads: int) -> list[str]:
        """Each line tokenised, in order."""
    @property
    def abbreviations(self) -> tuple[list[str], list[str]]:
        """The words that keep their period always, and those that keep it before a digit."""

@final
class Truecaser:
    """Knows the usual casing of words."""

    @staticmethod
    def open(path: str | PathLike[str], *, most_bytes: int) -> Truecaser:
        """Open a saved truecaser."""

    def save(self, path: str | PathLike[str]) -> None:
        """Save to a container."""

    @property
    def language(self) -> str:
        """The language, as it was given for training."""

    def __len__(self) -> int: ...
    def usual(self, word: str) -> str | None:
        """The usual casing of a word, if it is known in any."""

    def variants(self) -> list[tuple[str, int, int]]:
        """Each casing seen with its counts inside sentences and at their starts, by bytes."""

    def truecase_lines(self, lines: list[str], threads: int) -> list[str]:
        """The lines with each word in its usual case."""

    def recase_lines(self, lines: list[str], threads: int) -> list[str]:
        """The lines with a capital at the start of each sentence."""

@final
class TruecaserBuilder:
    """Counts casings."""

    def __new__(cls, language: str) -> TruecaserBuilder: ...
    def add_lines(self, lines: list[str]) -> None:
        """Count the words of tokenised lines."""

    def finish(self) -> Truecaser:
        """The truecaser of what was counted."""

@final
class Vocabulary:
    """An immutable map between words and ids."""

    @staticmethod
    def from_words(words: list[str]) -> Vocabulary:
        """The vocabulary of these words in this order, after the specials."""

    @staticmethod
    def open(path: str | PathLike[str], *, most_bytes: int) -> Vocabulary:
        """Open a saved vocabulary where it lies."""

    def save(self, path: str | PathLike[str]) -> None:
        """Save to a container."""

    def __len__(self) -> int: ...
    def __contains__(self, word: str, /) -> bool: ...
    def id(self, word: str) -> int:
        """The id of a word, 0 if it has none."""

    def word(self, word_id: int) -> str:
        """The word of an id."""

    def count(self, word_id: int) -> int:
        """How often the word of an id was seen."""

    def encode_lines(self, lines: list[str], threads: int) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """The ids of the words of all lines, one line after the other, and where each line ends."""

    def decode(self, ids: NDArray[np.uint32]) -> str:
        """The words of ids with single spaces between them."""

@final
class VocabularyBuilder:
    """Collects words and their counts."""

    def __new__(cls) -> VocabularyBuilder: ...
    def add_lines(self, lines: list[str]) -> None:
        """Count the words of lines."""

    def finish(self, *, min_count: int, max_size: int | None) -> Vocabulary:
        """The vocabulary of what was counted; the builder starts anew."""

def lower_lines(lines: list[str], language: str, threads: int) -> list[str]:
    """The lines in lower case, by the rules of the language."""

_Text: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint32], Sequence[NDArray[np.uint32]]]

@final
class WalkerModel:
    """The weights of a walker."""

    @staticmethod
    def from_weights(bits: int, first: NDArray[np.float32], second: NDArray[np.float32]) -> WalkerModel:
        """A model with given weights: of stage 1, three side by side, and of stage 2."""

    def weights(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Its weights."""

    @staticmethod
    def cross_validate(
        text: _Text,
        orders: NDArray[np.uint32],
        *,
        bits: int,
        loss: str,
        costs: Sequence[float],
        passes: int,
        tolerance: float,
        seed: int,
        threads: int,
    ) -> list[tuple[float, float]]:
        """For each cost the accuracies of both stages in two-fold cross-validation."""

    @staticmethod
    def train(
        text: _Text,
        orders: NDArray[np.uint32],
        *,
        bits: int,
        loss: str,
        costs: tuple[float, float],
        passes: int,
        tolerance: float,
        seed: int,
        threads: int,
    ) -> WalkerModel:
        """Train the classifiers of both stages on reference executions."""

    def refine(
        self,
        text: _Text,
        orders: NDArray[np.uint32],
        *,
        epochs: int,
        violations: int,
        rate: float,
        decay: float,
        explore: float,
        beam: int,
        seed: int,
        step: Callable[[int], None],
    ) -> list[WalkerModel]:
        """Train further with a dynamic oracle, then with max-violation updates; gives the model after each pass."""

    def log_probabilities(self, text: _Text, orders: NDArray[np.uint32], *, threads: int) -> NDArray[np.float32]:
        """The log-probability of the order of each sentence."""

    def orders(self, text: _Text, *, beam: int, threads: int) -> NDArray[np.uint32]:
        """The orders of sentences, one after the other; greedily with a beam of 0."""

def check_inputs(lines: list[str], *, given: _GivenSpans) -> None:
    """Look for inputs that make no sense, without translating them."""

def count_agreement(
    pairs: Sequence[tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]], Sequence[tuple[int, int]]]],
) -> tuple[int, int, int, int, float, float, float]:
    """Links proposed, sure, both, and possible, then precision, recall, AER, over (proposed, sure, possible)."""

def parse_links(line: str, base: int) -> list[tuple[int, int, bool, float | None]]:
    """A line of Pharaoh links: source, target, whether it is sure, its probability."""

def read_plf(text: str, logarithms: bool) -> tuple[int, list[tuple[int, int, str, float]]]:
    """Read a lattice of one line; returns its last position and its arcs with natural logarithms."""

def reorder_crossings(
    offsets: NDArray[np.uint64],
    orders: NDArray[np.uint32],
    link_offsets: NDArray[np.uint64],
    sources: NDArray[np.uint32],
    targets: NDArray[np.uint32],
    *,
    threads: int,
) -> NDArray[np.uint64]:
    """For each sentence how many pairs of links cross when its words stand in the given order."""

def reorder_differences(
    offsets: NDArray[np.uint64], orders: NDArray[np.uint32], references: NDArray[np.uint32], *, threads: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """For each sentence the inversions and chunks of an order, seen from a reference order."""

def reorder_fragments(
    offsets: NDArray[np.uint64], heads: NDArray[np.uint32], orders: NDArray[np.uint32], *, threads: int
) -> tuple[dict[str, NDArray[np.int32]], NDArray[np.bool_]]:
    """The fragments of walks in the given orders, a number per word and kind, and whether each step up was forced."""

def reorder_references(
    lengths: NDArray[np.uint32],
    link_offsets: NDArray[np.uint64],
    sources: NDArray[np.uint32],
    targets: NDArray[np.uint32],
    policy: str,
    *,
    threads: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """The reference order of each sentence, one after the other, and the offsets of sentences among them."""

def rerank_matrix(
    rows: int,
    columns: int,
    *,
    bound: float,
    density: float,
    seed: int,
    stream: int,
    norm: str | None,
    wanted: float,
) -> NDArray[np.float64]:
    """A random matrix: uniform from -bound to bound; scaled to `wanted` by `norm` if that is given."""

def rerank_phrases(
    heads: NDArray[np.uint32],
    head_begins: NDArray[np.uint64],
    lists: NDArray[np.uint64],
    spans: NDArray[np.uint32],
    span_begins: NDArray[np.uint64],
    *,
    threads: int,
) -> tuple[list[str], NDArray[np.float32]]:
    """Features of phrases on dependencies: their names, and a row per derivation."""

def symmetrise_links(
    forward: Sequence[tuple[int, int]], backward: Sequence[tuple[int, int]], method: str, threshold: float
) -> list[tuple[int, int]]:
    """The links of two directions joined by a method."""

def write_container(
    path: str | PathLike[str],
    kind: str,
    kind_version: int,
    sections: Sequence[tuple[str, str, int, NDArray[np.uint8]]],
) -> None:
    """Write a container of sections given as name, element type, bytes per element, and bytes."""

@final
class LmClusterer:
    """Groups the words of a corpus into classes."""

    def __new__(cls) -> LmClusterer: ...
    def add(self, lines: Sequence[str]) -> None:
        """Take in lines."""

    def finish(self, number: int, rounds: int) -> list[tuple[str, int]]:
        """Group the words; gives each with the number of its class."""

@final
class LinkBeliefs:
    """What an aligner believes about the links of a text."""

    def __len__(self) -> int: ...
    def links(self, method: str, threshold: float) -> list[list[tuple[int, int]]]:
        """The links of every pair by a method of symmetrisation."""

    def lines(self, method: str, threshold: float, probabilities: bool) -> list[str]:
        """The same, as lines of Pharaoh links, with probabilities if wanted."""

    def pair(self, k: int) -> list[tuple[int, int, float, float]]:
        """The links of pair `k` worth keeping: source, target, forward and backward probability."""

@final
class LmModel:
    """A language model: n-grams as lists, or compiled for queries, or both."""

    @staticmethod
    def open(path: str | PathLike[str], *, verify: bool, most_bytes: int) -> LmModel:
        """Open a compiled model."""

    @staticmethod
    def read_arpa(path: str | PathLike[str], *, line_bytes: int, file_bytes: int, expansion: int) -> LmModel:
        """Read an ARPA file."""

    def write_arpa(self, path: str | PathLike[str]) -> None:
        """Write an ARPA file, compressed as its name says."""

    def write_compiled(self, path: str | PathLike[str], *, form: str, bits: int | None = None) -> None:
        """Write a compiled model."""

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""

    @property
    def counts(self) -> list[int]:
        """The number of n-grams of each order."""

    @property
    def form(self) -> str:
        """The form: "ngrams", or what it was compiled to: "fast" or "small"."""

    @property
    def of_classes(self) -> bool:
        """Whether its n-grams are of word classes."""

    def words(self) -> list[str]:
        """The words it knows, by id."""

    def knows(self, word: str) -> bool:
        """Whether it knows a word."""

    def scores(
        self, lines: Sequence[str], *, threads: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Per line: log10 of its probability, the part of unknown words in it, and the numbers of words and unknown words."""

    def word_scores(self, line: str, *, begin: bool, end: bool) -> list[tuple[float, int, bool]]:
        """Per word of a line: log10 of its probability, the length of the longest n-gram, whether it is unknown."""

    def state(self, begin: bool) -> LmState:
        """The state at the start of a sentence, or the empty one."""

    def score_word(self, state: LmState, word: str) -> tuple[float, LmState]:
        """log10 of the probability of a word after a state (`</s>` is the end of the sentence), and the state after it."""

@final
class LmReport:
    """What training found out beside the model."""

    @property
    def sentences(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def counted(self) -> list[int]: ...
    @property
    def kept(self) -> list[int]: ...
    @property
    def discounts(self) -> list[tuple[float, float, float]]: ...
    @property
    def fallback(self) -> list[int]: ...

@final
class LmState:
    """A language model's memory of the words so far."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class LmTrainer:
    """Takes in a corpus and estimates a language model of it."""

    def __new__(
        cls,
        *,
        order: int,
        smoothing: str,
        prune: Sequence[int],
        fallback: Sequence[float],
        memory: int,
        classes: Mapping[str, str] | None = None,
    ) -> LmTrainer: ...
    def add(self, lines: Sequence[str]) -> None:
        """Take in lines."""

    def add_file(self, path: str | PathLike[str], *, line_bytes: int, file_bytes: int, expansion: int) -> None:
        """Take in a file."""

    def finish(self, *, threads: int) -> tuple[LmModel, LmReport]:
        """Estimate the model; gives it with a report."""

    def finish_to(self, path: str | PathLike[str], *, threads: int) -> LmReport:
        """Estimate the model and write it to an ARPA file without holding it in memory; gives a report."""

def grammar_import(
    path: str | PathLike[str],
    out: str | PathLike[str],
    *,
    format: str | None,  # noqa: A002
    reordering: str | PathLike[str] | None,
    unescape: bool,
    exact: bool,
    memory: int,
    line_bytes: int,
    file_bytes: int,
    expansion: int,
) -> int:
    """Make a table of a grammar file of another system; gives the number of rules."""

def grammar_compose(
    first: tuple[str, GrammarTable],
    second: tuple[str, GrammarTable],
    path: str | PathLike[str],
    *,
    how: str,
    lexical: str,
    limits: tuple[int, int, int, bool],
    floor: float,
    exact: bool,
    recased: bool,
    threads: int,
    step: Callable[[int], object],
) -> tuple[int, int, int, int, int]:
    """Write the table of two; gives the numbers of rules, source sides, those with rules, ways and shared words."""

def grammar_join(
    tables: Sequence[tuple[str, GrammarTable]],
    path: str | PathLike[str],
    *,
    how: str,
    weights: Sequence[Sequence[float]] | None,
    floor: float,
    exact: bool,
    threads: int,
    step: Callable[[int], object],
) -> int:
    """Write the table of the rules of several; gives their number. `step` is told of the rules read."""

def grammar_look_up(
    asked: GrammarTable, tables: Sequence[GrammarTable], *, threads: int
) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
    """Counts of the rules of a table, and what others have as their features, rows that are not numbers where they lack it."""

def linear_train(
    offsets: NDArray[np.uint64],
    features: NDArray[np.uint32],
    labels: NDArray[np.bool_],
    width: int,
    *,
    loss: str,
    cost: float,
    passes: int,
    tolerance: float,
    seed: int,
) -> NDArray[np.float64]:
    """Weights of a linear classifier of examples that are lists of features, by dual coordinate descent."""

def lm_mix(models: Sequence[LmModel], weights: Sequence[float], *, log_linear: bool) -> LmModel:
    """One model of several: linear or log-linear interpolation."""

def lm_prune(model: LmModel, threshold: float) -> LmModel:
    """The model without the n-grams whose absence raises its perplexity by less than a factor of 1 + threshold."""

def lm_tune(models: Sequence[LmModel], lines: Sequence[str]) -> list[float]:
    """The weights of a linear interpolation under which lines are most probable."""

@final
class TuneForests:
    """Forests of a development set, as tuners see them."""

    def __new__(cls, features: list[str]) -> TuneForests: ...
    def merge(self, forests: Sequence[Forest], table: MetricTable, threads: int) -> TuneForests:
        """These derivations together with others, a forest per sentence."""

    @property
    def sparse_names(self) -> list[str]:
        """Names of sparse features."""

    @property
    def edges(self) -> int:
        """Edges of all forests."""

    def __len__(self) -> int: ...

@final
class TuneLists:
    """N-best lists with features and statistics."""

    def __new__(
        cls,
        begins: NDArray[np.uint64],
        hypotheses: MetricTexts,
        stats: NDArray[np.float64],
        dense: NDArray[np.float32],
        *,
        sparse_begins: NDArray[np.uint64],
        sparse_names: NDArray[np.uint32],
        sparse_values: NDArray[np.float32],
        sparse: int,
    ) -> TuneLists: ...
    def merge(self, other: TuneLists) -> TuneLists:
        """These lists and others', without duplicates."""

    @property
    def hypotheses(self) -> int:
        """Hypotheses of all sentences."""

    def __len__(self) -> int: ...

def tune_forest_mert(
    forests: TuneForests,
    metric: Metric,
    start: Sequence[float],
    frozen: Sequence[int],
    *,
    restarts: int,
    directions: int,
    rounds: int,
    tolerance: float,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], float, list[float]]:
    """Minimum error rate training over all derivations of forests."""

def tune_forest_mira(
    forests: TuneForests,
    metric: Metric,
    start: Sequence[float],
    frozen: Sequence[int],
    *,
    aggressiveness: float,
    epochs: int,
    decay: float,
    background: Sequence[float],
    safe_hope: bool,
    derivations: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], float, list[float]]:
    """MIRA with hope and fear from forests; `background` is empty for one of zeros."""

def tune_mert(
    lists: TuneLists,
    metric: Metric,
    start: Sequence[float],
    frozen: Sequence[int],
    *,
    restarts: int,
    directions: int,
    rounds: int,
    tolerance: float,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], float, list[float]]:
    """Minimum error rate training; gives weights, their score and the scores of all steps."""

def tune_mira(
    lists: TuneLists,
    metric: Metric,
    start: Sequence[float],
    frozen: Sequence[int],
    *,
    aggressiveness: float,
    epochs: int,
    decay: float,
    background: Sequence[float],
    safe_hope: bool,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], float, list[float]]:
    """k-best batch MIRA; gives weights, their score and the scores of all epochs. No background is one of zeros."""

def tune_pro(
    lists: TuneLists,
    metric: Metric,
    start: Sequence[float],
    frozen: Sequence[int],
    *,
    candidates: int,
    kept: int,
    threshold: float,
    penalty: float,
    interpolation: float,
    iterations: int,
    seed: int,
    threads: int,
) -> tuple[NDArray[np.float64], float, list[float]]:
    """Pairwise ranking; gives weights, their score and the scores before and after."""

@final
class RecurrentCorpus:
    """Sentences with their trees, as flat arrays of numbers."""

    def __new__(
        cls,
        offsets: NDArray[np.uint64],
        heads: NDArray[np.uint32],
        tags: NDArray[np.uint32],
        relations: NDArray[np.uint32],
        forms: NDArray[np.uint32],
    ) -> RecurrentCorpus:
        """From arrays as `tolka.syntax.Packed` has them; `forms` may be empty."""

    def __len__(self) -> int: ...

@final
class RecurrentShape:
    """Kind and sizes of a recurrent pre-orderer."""

    def __new__(
        cls, *, cell: str, profile: str, units: int, inner: int, forms: int, layer: int, conjoin_only: bool
    ) -> RecurrentShape:
        """Checked settings: cell "rnn", "gru" or "gru-after", profile "text" or "released"."""

    def learn_values(
        self, corpus: RecurrentCorpus, orders: NDArray[np.uint32], least: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Keys of the feature values met at least `least` times: of words and pairs, and of steps of walks."""

    def sizes(self, word_keys: NDArray[np.uint64], step_keys: NDArray[np.uint64]) -> dict[str, tuple[int, int]]:
        """Rows and columns of every tensor."""

@final
class RecurrentModel:
    """A recurrent pre-orderer."""

    def __new__(
        cls,
        shape: RecurrentShape,
        word_keys: NDArray[np.uint64],
        step_keys: NDArray[np.uint64],
        tensors: list[tuple[str, NDArray[np.float32]]],
    ) -> RecurrentModel:
        """From keys of feature values and named tensors, row by row."""

    def tensors(self) -> list[tuple[str, NDArray[np.float32]]]:
        """Copies of all tensors that have numbers, by name."""

    def orders(
        self, corpus: RecurrentCorpus, *, beam: int, longest: int, threads: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """The best orders, one after the other, and the natural logarithms of their probabilities."""

    def log_likelihoods(
        self, corpus: RecurrentCorpus, orders: NDArray[np.uint32], *, threads: int
    ) -> NDArray[np.float64]:
        """The natural logarithms of the probabilities of orders."""

    def inner_states(self, corpus: RecurrentCorpus, sentence: int, last: int) -> NDArray[np.float32]:
        """Inner states of the walks from the last word (the number of words for none) to every word."""

@final
class RecurrentRule:
    """A rule by which gradients change parameters."""

    def __new__(
        cls, method: str, *, rate: float, beta1: float, beta2: float, epsilon: float, clip: float, l2: float
    ) -> RecurrentRule:
        """Method "adam" with decays beta1 and beta2, or "adadelta" with decay beta2."""

    def update(
        self,
        step: int,
        parameters: NDArray[np.float32],
        gradients: NDArray[np.float32],
        first: NDArray[np.float32],
        second: NDArray[np.float32],
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Parameters and both averages after a step, counted from 1."""

@final
class RecurrentTrainer:
    """The sparse half of training a recurrent pre-orderer: sums of features, and what their gradients change."""

    def __new__(
        cls, model: RecurrentModel, corpus: RecurrentCorpus, orders: NDArray[np.uint32], rule: RecurrentRule
    ) -> RecurrentTrainer:
        """A trainer of a copy of the model."""

    def sums(self, batch: NDArray[np.uint32], padded: int) -> dict[str, NDArray[Any]]:
        """Sums of features of a batch, each sentence padded to a number of words, as flat arrays by name."""

    def learn(
        self,
        batch: NDArray[np.uint32],
        padded: int,
        *,
        inputs: NDArray[np.float32],
        candidates: NDArray[np.float32],
        embeddings: NDArray[np.float32],
        steps: NDArray[np.float32],
        dense: list[tuple[str, NDArray[np.float32]]],
    ) -> None:
        """Change the model by gradients of sums and of dense tensors."""

    def gathered(self) -> tuple[int, float, list[tuple[str, NDArray[np.float32], NDArray[np.float32]]]]:
        """Steps taken, their length now, and by name both averages of every tensor that has numbers."""

    def resume(
        self, step: int, rate: float, averages: list[tuple[str, NDArray[np.float32], NDArray[np.float32]]]
    ) -> None:
        """Go on where another trainer was, whose model this one was made with."""

    def slow_down(self, factor: float) -> None:
        """Multiply the length of steps."""

    def dense(self) -> list[tuple[str, NDArray[np.float32]]]:
        """Copies of the tensors that are not of features, by name."""

    def model(self) -> RecurrentModel:
        """A copy of the model as it is."""

def recurrent_given(
    cell: str,
    *,
    inputs: NDArray[np.float32],
    candidates: NDArray[np.float32],
    recurrent: NDArray[np.float32],
    start: NDArray[np.float32],
    scale: NDArray[np.float32],
    offsets: tuple[float, float],
    order: list[int],
    beam: int,
) -> tuple[float, list[int], float]:
    """Log probability of an order, and the best order with its own, from given sums of features (last word by word)."""

_TreeNode: TypeAlias = tuple[int, int, int, int]
_TreeSentence: TypeAlias = tuple[list[int], list[int], list[_TreeNode]]
_TreePair: TypeAlias = tuple[_TreeSentence, list[int], list[tuple[int, int, float]]]
_TreeInference: TypeAlias = tuple[str, int, int, int, int, int, int, float]
_TreeStep: TypeAlias = tuple[str, tuple[int, int], tuple[int, int], float]
_TreeTranslation: TypeAlias = tuple[list[int], list[_TreeStep], list[float], bool, bool, int, int]

@final
class MultitreeModel:
    def __new__(cls, settings: dict[str, Any]) -> MultitreeModel: ...
    def set(self, settings: dict[str, Any]) -> None: ...
    def add(self, pairs: list[_TreePair]) -> list[str | None]: ...
    def pairs(self) -> int: ...
    def count(self, sentences: list[list[int]]) -> None: ...
    def fertility(self, threads: int) -> None: ...
    def align(
        self, which: list[int], hierarchy: str, threads: int
    ) -> list[tuple[list[_TreeInference], bool, bool]]: ...
    def set_tree(self, pair: int, inferences: list[_TreeInference]) -> None: ...
    def set_target_tree(
        self, pair: int, sentence: tuple[list[int], list[int], list[tuple[int, int, int, int]]]
    ) -> None: ...
    def make_lexicon(
        self,
        which: list[int],
        origin: str,
        hierarchy: str,
        pruning: tuple[float, float, int, int],
        threads: int,
    ) -> tuple[int, list[int]]: ...
    def has_pair(self, source: list[int], target: list[int]) -> bool: ...
    def see_choices(self, which: list[int], threads: int) -> None: ...
    def coordinate(
        self,
        which: list[int],
        *,
        labelling: str,
        limit: int,
        supervisor: str,
        predictor: str,
        trailing: bool,
        neutral: bool,
        most: int,
        threads: int,
    ) -> list[tuple[bool, bool, int, int, int, int]]: ...
    def examples(self) -> tuple[int, int, int, int, int]: ...
    def train(self, learning: dict[str, Any], threads: int) -> int: ...
    def set_penalty(self, penalty: float) -> None: ...
    def mass(self, joins: bool | None = None) -> list[tuple[str, float, float]]: ...
    def confidence(
        self, most: int, threads: int
    ) -> list[tuple[str, tuple[int, int], tuple[float, float], int, int]]: ...
    def save_examples(self, path: str | PathLike[str], first: int) -> None: ...
    def open_examples(self, path: str | PathLike[str], most_bytes: int) -> None: ...
    def translate(self, sentences: list[_TreeSentence], threads: int) -> list[_TreeTranslation]: ...
    def profile(
        self, sentences: list[tuple[list[int], list[int], list[tuple[int, int, int, int]]]]
    ) -> tuple[float, float, list[tuple[str, int, float]], int, int]: ...
    def translate_knowing(
        self, sentences: list[_TreeSentence], references: list[list[int]], knowing: str, threads: int
    ) -> list[_TreeTranslation]: ...
    def proposals(
        self, sentences: list[_TreeSentence], most: int, threads: int
    ) -> list[list[tuple[list[int], list[float], list[float]]]]: ...
    def set_language(self, path: str | PathLike[str], texts: list[str], most_bytes: int) -> None: ...
    def check_symbols(self, symbols: int) -> None: ...
    def forests(self, sentences: list[_TreeSentence], names: list[str], threads: int) -> list[Forest | None]: ...
    def pair_forest(self, pair: int, hierarchy: str, names: list[str]) -> Forest | None: ...
    def save(
        self, counts: str | PathLike[str], lexicon: str | PathLike[str], classifiers: str | PathLike[str]
    ) -> None: ...
    def open(
        self,
        counts: str | PathLike[str],
        lexicon: str | PathLike[str],
        classifiers: str | PathLike[str] | None,
        coarse: float | None,
        prior: bool,
        most_bytes: int,
    ) -> None: ...

@final
class SequenceLabeller:
    """What was learnt of labels."""

    @staticmethod
    def train(
        sentences: Sequence[tuple[Sequence[str], Sequence[str]]],
        *,
        settings: dict[str, Any],
        threads: int,
        told: Callable[[int, int, int, int], None],
    ) -> SequenceLabeller:
        """Learns from sentences with labels; tells `told` of each epoch: its number, steps explored, right and wrong examples."""

    @staticmethod
    def open(path: str | PathLike[str], *, most_bytes: int) -> SequenceLabeller:
        """Opens a file."""

    def save(self, path: str | PathLike[str]) -> None:
        """Writes a file."""

    @property
    def labels(self) -> list[str]:
        """All labels, in order."""

    @property
    def search(self) -> tuple[str, int | None, int, int]:
        """How it searches: semiring, beam, words seen before and behind."""

    def label(self, sentences: Sequence[Sequence[str]], threads: int) -> list[list[tuple[int, float]]]:
        """The labels of each sentence by number, from 0 on, with their costs."""

    def mass(self) -> list[tuple[str, float, float]]:
        """Names of features with their shares of the weight, positive and negative."""

def multitree_quality(reference: list[int], texts: list[list[int]]) -> list[float]: ...
def multitree_hierarchy(text: str) -> None: ...

_Starts: TypeAlias = NDArray[np.uint64]
_Ids: TypeAlias = NDArray[np.uint32]
_LabelArrays: TypeAlias = tuple[_Starts, _Ids, NDArray[np.float64], NDArray[np.float64]]

@final
class GraphText:
    """Plain text as numbers."""

    def __new__(cls) -> GraphText: ...
    def add(self, lines: list[str]) -> None:
        """Add tokenised lines."""

    def words(self) -> list[str]:
        """The different words, in the order in which they came."""

    def counts(self) -> NDArray[np.uint64]:
        """How often each came."""

    def count(self, word: str) -> int:
        """How often a word came."""

    @property
    def tokens(self) -> int:
        """How many words came."""

    @property
    def lines(self) -> int:
        """How many lines were added."""

    @property
    def types(self) -> int:
        """How many different words there are."""

    def profiles(
        self,
        nodes: list[str] | None,
        *,
        order: int,
        window: int,
        positional: bool,
        min_count: int,
        contexts: int,
        min_context: int,
        threads: int,
    ) -> GraphProfiles:
        """Count the words around phrases: these, or all of up to `order` words."""

    def frames(self, words: list[str], longest: int) -> list[list[tuple[str, int]]]:
        """For each word the phrases that stand between the same two words, and how often."""

def graph_spelling(words: list[str], *, shortest: int, longest: int) -> GraphProfiles:
    """Profiles of how words are spelt."""

@final
class GraphProfiles:
    """A sparse row for each phrase."""

    def nodes(self) -> list[str]:
        """The phrases."""

    def contexts(self) -> list[str]:
        """The words that are counted, the most frequent first."""

    def id(self, node: str) -> int | None:
        """The number of a phrase."""

    def occurrences(self) -> NDArray[np.uint64]:
        """How often each phrase came."""

    def totals(self) -> NDArray[np.float64]:
        """How often each column is counted over all words of the text."""

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The number of rows, of columns and of numbers in them, and the window if places matter, else 0."""

    @property
    def measure(self) -> str:
        """What the numbers are."""

    def row(self, row: int) -> tuple[_Ids, NDArray[Any]]:
        """Columns and numbers of a row."""

    def matrix(self) -> tuple[_Starts, _Ids, NDArray[Any]]:
        """Where rows begin, columns and numbers."""

    def weigh(self, measure: str, *, marginals: str, threads: int) -> GraphProfiles:
        """Profiles of associations."""

    def similarity(self, one: int, other: int, similarity: str) -> float:
        """The similarity or distance of two rows."""

@final
class GraphIndex:
    """For each column the rows that have it."""

    def __new__(
        cls, profiles: GraphProfiles, among: _Ids | None, *, similarity: str, pruning: tuple[int, int, int] | None
    ) -> GraphIndex: ...
    def search(self, of: _Ids, *, k: int, threads: int) -> tuple[_Starts, _Ids, NDArray[np.float32]]:
        """The `k` nearest of each of these rows."""

@final
class LabelGraph:
    """An undirected graph whose edges weigh something."""

    def __new__(cls, size: int, begins: _Ids, ends: _Ids, weights: NDArray[np.float64]) -> LabelGraph: ...
    @property
    def size(self) -> int:
        """How many nodes there are."""

    def arrays(self) -> tuple[_Starts, _Ids, NDArray[np.float64]]:
        """Where the neighbours of each node begin, all neighbours, and what the edges to them weigh."""

@final
class LabelSystem:
    """Modified Adsorption on a graph, with the labels that it has come to."""

    def __new__(
        cls, graph: LabelGraph, seeds: _LabelArrays, *, mu: tuple[float, float, float], beta: float, keep: int
    ) -> LabelSystem: ...
    @property
    def labels(self) -> int:
        """How many different labels there are."""

    def probabilities(self) -> list[NDArray[np.float64]]:
        """The probabilities of each node to start anew, to go on and to give up."""

    def step(self, *, threads: int) -> None:
        """Go a step, all nodes at once."""

    def reached(self) -> _LabelArrays:
        """The labels that the steps have come to."""

    def solve(self, *, tolerance: float, threads: int, step: Callable[[int], None]) -> _LabelArrays:
        """The labels that further steps do not change."""

    def objective(self, labels: _LabelArrays, *, threads: int) -> float:
        """What labels should make as small as can be."""
