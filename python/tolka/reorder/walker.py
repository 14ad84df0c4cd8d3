"""The walker: classifiers choose each step of a walk on the tree that emits the words in their new order."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from tolka import _engine
from tolka.errors import FormatError, InputError, SettingsError
from tolka.progress import SILENT
from tolka.reorder.flat import cut, flat_orders
from tolka.reorder.measure import score_orders
from tolka.reorder.preorderer import BUNDLE
from tolka.reorder.selection import every_twentieth, subsample
from tolka.syntax import Symbols, pack

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from tolka.files.manifest import Manifest
    from tolka.progress import Progress
    from tolka.reorder.preorderer import Order
    from tolka.syntax import Packed, Tree

    Text = tuple[NDArray[np.uint64], NDArray[np.uint32], list[NDArray[np.uint32]]]

WEIGHTS = "weights.tlk"
SYMBOLS = "symbols.tlk"
_CONTAINER = "walker"


@dataclass(frozen=True)
class WalkerReport:
    """What training found.

    Attributes:
        sentences: Sentences trained on.
        examples: Sentences that the classifiers were trained on before the rest of training.
        costs: The weight of the loss for either stage.
        accuracy: Share of right choices of either stage in two-fold cross-validation, at these costs.
        greedy_tau: Mean Kendall's tau in [0, 1] of held-out sentences with the greedy decoder and the classifiers alone.
        tau: The same with the decoder that is used, after all of training.
        tau_before: The same without reordering.
    """

    sentences: int
    examples: int
    costs: tuple[float, float]
    accuracy: tuple[float, float]
    greedy_tau: float | None
    tau: float | None
    tau_before: float | None


@dataclass
class Walker:
    """A pre-orderer that walks on the tree (Miceli Barone, section 4.2), greedily or with a beam that works.

    Attributes:
        decoder: `beam` compares partial orders of equal length, and is trained on its own mistakes; `greedy` takes the
            best action at every step, with classifiers that saw only perfect prefixes.
        beam: Hypotheses kept by the beam.
        tags: `xpos` or `upos`; a text without `xpos` is trained on `upos`.
        bits: Features are hashed into 2 to this many buckets.
        loss: Of the classifiers: `logistic`, `hinge` or `squared-hinge`.
        cost: The weight of the loss, or None to choose among `costs` by two-fold cross-validation.
        costs: What to choose from.
        passes: Over the examples at most, in training classifiers.
        sample: Sentences that classifiers are trained on; beam training sees all.
        folds: Sentences of cross-validation.
        rare: Forms and lemmas seen less often count as unknown.
        epochs: Passes with the dynamic oracle.
        violations: Passes with max-violation updates.
        rate: The size of their steps.
        decay: How much of a weight goes away when it is changed.
        explore: How often a walk under training goes its own way.
        seed: Of everything random.

    Learned attributes:
        report_: What training found.
        passes_: Kendall's tau of held-out sentences with the beam, before and after each pass of its training.

    Example:
        >>> from tolka.syntax import synthetic_treebank
        >>> text = synthetic_treebank(1, 300)
        >>> walker = Walker(bits=16, cost=0.1, epochs=2).train(text.trees, text.orders)
        >>> orders = walker.orders(text.trees[:1])
        >>> sorted(orders[0]) == list(range(len(text.trees[0])))
        True
    """

    kind: ClassVar[str] = "walker"

    decoder: Literal["greedy", "beam"] = "beam"
    beam: int = 4
    tags: Literal["xpos", "upos"] = "xpos"
    bits: int = 20
    loss: Literal["logistic", "hinge", "squared-hinge"] = "logistic"
    cost: float | None = None
    costs: tuple[float, ...] = (0.01, 0.1, 1.0)
    passes: int = 8
    sample: int = 5000
    folds: int = 1000
    rare: int = 2
    epochs: int = 4
    violations: int = 1
    rate: float = 0.05
    decay: float = 0.01
    explore: float = 0.5
    seed: int = 1
    _model: _engine.WalkerModel | None = field(default=None, init=False, repr=False, compare=False)
    _symbols: Symbols | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self.report_: WalkerReport | None = None
        self.passes_: list[float | None] = []
        self.costs = tuple(self.costs)
        self._check_choices()
        self._check_numbers()

    def train(
        self,
        trees: Sequence[Tree],
        orders: Sequence[Sequence[int]],
        *,
        held_out: tuple[Sequence[Tree], Sequence[Sequence[int]]] | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn from parsed sentences and their reference orders.

        Args:
            trees: The sentences.
            orders: For each the positions of its words, from 0, in their new order.
            held_out: Sentences and orders by which the best pass of training is chosen; without them, every twentieth
                training sentence, and at most 2,000, are kept for that. Of fewer than 20 sentences none are kept, and the
                last pass counts.
            progress: Told of every sentence.

        Raises:
            InputError: There is no sentence, numbers differ, or an order is no permutation.
        """
        if not trees:
            raise InputError("there is no sentence to learn from")
        score_orders([range(len(tree)) for tree in trees], orders)  # says which order is no permutation
        if held_out is None and self.decoder == "beam":
            kept = every_twentieth(len(trees))
            held_out = [trees[at] for at in kept], [orders[at] for at in kept]
            learnt = sorted(set(range(len(trees))) - set(kept))
            trees, orders = [trees[at] for at in learnt], [orders[at] for at in learnt]
        if self.tags == "xpos" and all(tag == "_" for tree in trees for tag in tree.xpos):
            self.tags = "upos"
        self._symbols = self._learn_symbols(trees)
        chosen = subsample(len(trees), self.sample, seed=self.seed)
        some = self._text([trees[k] for k in chosen])
        wanted = flat_orders([orders[k] for k in chosen])
        common: dict[str, Any] = {
            "bits": self.bits,
            "loss": self.loss,
            "passes": self.passes,
            "tolerance": 1e-2,
            "seed": self.seed,
            "threads": 0,
        }
        with progress.task("choosing the cost", unit="rounds"):
            costs, accuracy = self._choose(trees, orders, chosen, common)
        with progress.task("training classifiers", unit="rounds"):
            self._model = _engine.WalkerModel.train(some, wanted, costs=costs, **common)
        greedy = self._tau(held_out, beam=0)
        if self.decoder == "beam":
            self._refine(trees, orders, held_out, progress)
        before = None
        if held_out is not None and held_out[0]:
            before = float(score_orders([range(len(tree)) for tree in held_out[0]], held_out[1]).tau01.mean())
        tau = self._tau(held_out, beam=self._width)
        self.report_ = WalkerReport(len(trees), len(chosen), costs, accuracy, greedy, tau, before)
        return self

    def orders(self, trees: Sequence[Tree], *, threads: int = 1) -> list[Order]:
        """A permutation of each sentence.

        Raises:
            InputError: Nothing was learnt yet.
        """
        return self._orders(trees, beam=self._width, threads=threads)

    def log_probabilities(
        self, trees: Sequence[Tree], orders: Sequence[Sequence[int]], *, threads: int = 1
    ) -> NDArray[np.float32]:
        """The natural logarithm of the probability of an order of each sentence; those of all orders sum to 1.

        Raises:
            InputError: Nothing was learnt yet, numbers differ, or an order is no permutation.
        """
        model, _ = self._ready()
        return model.log_probabilities(self._text(trees), flat_orders(orders), threads=threads)

    def save(self, directory: str | PathLike[str]) -> None:
        """Save the walker as a bundle: settings, weights and symbols as plain arrays."""
        from tolka.files import save_bundle, write_container  # noqa: PLC0415 - checks with pydantic, slow to import

        model, symbols = self._ready()
        named = (entry.name for entry in fields(self) if entry.init)
        settings = {name: getattr(self, name) for name in named if getattr(self, name) is not None}
        settings["costs"] = list(self.costs)
        first, second = model.weights()
        with save_bundle(str(directory), kind=BUNDLE, settings={"kind": self.kind, **settings}) as out:
            write_container(out.file(WEIGHTS), _CONTAINER, {"first": first, "second": second})
            write_container(
                out.file(SYMBOLS),
                _CONTAINER,
                {name: "\n".join(values).encode() for name, values in symbols.values.items()},
            )

    @classmethod
    def load(cls, directory: Path, manifest: Manifest) -> Self:
        """Open a saved walker; see `tolka.reorder.load`."""
        from tolka.files import Bundle, Container  # noqa: PLC0415 - checks with pydantic, slow to import

        bundle = Bundle(Path(directory), manifest)
        settings = {name: value for name, value in bundle.settings.items() if name != "kind"}
        try:
            walker = cls(**settings)
            weights = Container.open(bundle.file(WEIGHTS), _CONTAINER)
            stored = Container.open(bundle.file(SYMBOLS), _CONTAINER)
            values = {name: stored.bytes(name).decode().split("\n") for name in walker._columns}
            walker._symbols = Symbols(walker._columns, values)
            walker._model = _engine.WalkerModel.from_weights(
                walker.bits, weights.array("first"), weights.array("second")
            )
        except (TypeError, KeyError, UnicodeDecodeError, SettingsError) as error:
            raise FormatError(
                f"the walker is damaged: {error}", path=directory, hint="copy or make the model again"
            ) from error
        return walker

    def _check_choices(self) -> None:
        for name, known in (
            ("decoder", ("greedy", "beam")),
            ("tags", ("xpos", "upos")),
            ("loss", ("logistic", "hinge", "squared-hinge")),
        ):
            if getattr(self, name) not in known:
                raise SettingsError(f"{name} cannot be {getattr(self, name)!r}", hint=f"choose from {', '.join(known)}")

    def _check_numbers(self) -> None:
        for name in ("beam", "passes", "sample", "folds", "rare"):
            _whole(name, getattr(self, name), 1)
        for name in ("epochs", "violations", "seed"):
            _whole(name, getattr(self, name), 0)
        if not 8 <= _whole("bits", self.bits, 8) <= 26:  # noqa: PLR2004 - what the engine allows
            raise SettingsError(f"bits must be from 8 to 26, not {self.bits}")
        for name, value in (("cost", self.cost), ("rate", self.rate), *(("costs", cost) for cost in self.costs)):
            if value is not None and not (isinstance(value, int | float) and math.isfinite(value) and value > 0):
                raise SettingsError(f"{name} must be positive, not {value!r}")
        if not self.costs and self.cost is None:
            raise SettingsError("there is no cost to choose from", hint="give cost or costs")
        for name in ("explore", "decay"):
            if not 0 <= getattr(self, name) <= 1:
                raise SettingsError(f"{name} must be from 0 to 1, not {getattr(self, name)!r}")

    @property
    def _columns(self) -> tuple[str, ...]:
        return ("forms", "lemmas", "feats", self.tags, "deprels")

    @property
    def _width(self) -> int:
        return self.beam if self.decoder == "beam" else 0

    def _learn_symbols(self, trees: Sequence[Tree]) -> Symbols:
        values = {}
        for name in self._columns:
            least = self.rare if name in {"forms", "lemmas"} else 1
            # A counter keeps the order in which values were first met.
            counts = Counter(value for tree in trees for value in getattr(tree, name))
            values[name] = ["", "<s>", "</s>", *(value for value, count in counts.items() if count >= least)]
        return Symbols(self._columns, values)

    def _text(self, trees: Sequence[Tree]) -> Text:
        if self._symbols is None:
            raise InputError("the walker knows nothing yet", hint="call train() or load() first")
        packed: Packed = pack(trees, self._symbols)
        return packed.offsets, packed.heads, [packed.columns[name] for name in self._columns]

    def _choose(
        self, trees: Sequence[Tree], orders: Sequence[Sequence[int]], chosen: Sequence[int], common: dict[str, Any]
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """The costs of either stage that do best, and how well; of equal ones the smaller."""
        tried = (self.cost,) if self.cost is not None else tuple(sorted(self.costs))
        folds = chosen[: self.folds]
        found = _engine.WalkerModel.cross_validate(
            self._text([trees[k] for k in folds]), flat_orders([orders[k] for k in folds]), costs=list(tried), **common
        )
        best = [max(range(len(tried)), key=lambda at: (found[at][stage], -at)) for stage in (0, 1)]
        return (tried[best[0]], tried[best[1]]), (found[best[0]][0], found[best[1]][1])

    def _refine(
        self,
        trees: Sequence[Tree],
        orders: Sequence[Sequence[int]],
        held_out: tuple[Sequence[Tree], Sequence[Sequence[int]]] | None,
        progress: Progress,
    ) -> None:
        """Train with the beam; the pass after which held-out sentences do best is kept, else the last."""
        model, _ = self._ready()
        rounds = self.epochs + self.violations
        with progress.task("training the beam", total=rounds * len(trees), unit="sentences") as advance:
            passes = model.refine(
                self._text(trees),
                flat_orders(orders),
                epochs=self.epochs,
                violations=self.violations,
                rate=self.rate,
                decay=self.decay,
                explore=self.explore,
                beam=self.beam,
                seed=self.seed,
                step=advance,
            )
        models = [model, *passes]
        self.passes_ = []
        for model in models:
            self._model = model
            self.passes_.append(self._tau(held_out, beam=self.beam))
        taus = [-1.0 if tau is None else tau for tau in self.passes_]
        if held_out is not None and held_out[0]:
            self._model = models[max(range(len(models)), key=lambda at: (taus[at], -at))]

    def _orders(self, trees: Sequence[Tree], *, beam: int, threads: int) -> list[Order]:
        model, _ = self._ready()
        text = self._text(trees)
        return cut(model.orders(text, beam=beam, threads=threads), text[0])

    def _tau(self, held_out: tuple[Sequence[Tree], Sequence[Sequence[int]]] | None, *, beam: int) -> float | None:
        if held_out is None or not held_out[0]:
            return None
        return float(score_orders(self._orders(held_out[0], beam=beam, threads=0), held_out[1]).tau01.mean())

    def _ready(self) -> tuple[_engine.WalkerModel, Symbols]:
        if self._model is None or self._symbols is None:
            raise InputError("the walker knows nothing yet", hint="call train() or load() first")
        return self._model, self._symbols


def _whole(name: str, value: object, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise SettingsError(f"{name} must be a whole number from {least}, not {value!r}")
    return value
