"""Recurrent pre-orderers: a language model over the orders of a sentence, and the best order it finds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tolka import __version__, _engine
from tolka.errors import FormatError, InputError, SettingsError, TolkaError
from tolka.files import Bundle, Container, save_bundle, write_container
from tolka.limits import DEFAULT
from tolka.progress import SILENT
from tolka.reorder.flat import cut, offsets
from tolka.reorder.preorderer import BUNDLE
from tolka.reorder.recurrent.checkpoint import Checkpoint
from tolka.reorder.recurrent.settings import settings_of
from tolka.reorder.selection import every_twentieth
from tolka.syntax import Symbols, pack

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from tolka.files.manifest import Manifest
    from tolka.progress import Progress
    from tolka.reorder.preorderer import Order
    from tolka.reorder.recurrent.checkpoint import Round, Tensors
    from tolka.reorder.recurrent.training import Data
    from tolka.syntax import Tree

    Numbers = NDArray[np.uint32]
    Arrays = tuple[NDArray[np.uint64], Numbers, Numbers, Numbers, Numbers]

CONTAINER = "recurrent"
VERSION = 1


@dataclass(frozen=True)
class Perplexity:
    """How surprised a model is by orders.

    Attributes:
        per_word: Two to the cross-entropy, which is the mean over sentences of -log2 P / L (Miceli Barone 2015, eq. 4.7).
        per_choice: e to the mean over sentences of -ln P / (L - 1), as the author's program measures it: the last word of
            a sentence is no choice, and a sentence of one word is none at all.
    """

    per_word: float
    per_choice: float


class RecurrentPreorderer:
    """Chooses the words of a sentence one by one with a recurrent network (Miceli Barone 2015, section 4.3).

    Args:
        kind: "rnn", "rnn-lex", "fragment", "gru" or "fragment-gru".
        settings: See `tolka.reorder.recurrent.Settings`.

    Attributes:
        kind: Its kind.
        settings: Its settings, with the kind's defaults filled in.
        rounds_: How training went, a row per validation.
        resumed_: Training sentences that a stopped training had seen, and this one went on after.
        left_out_: Training sentences that were longer than `longest_trained` or had one word.

    Raises:
        SettingsError: There is no such kind or setting.

    Example:
        >>> from tolka.syntax import Tree
        >>> trees = [Tree(forms=("er", "Bier", "trinkt"), heads=(3, 3, 0), upos=("PRON", "NOUN", "VERB"))] * 40
        >>> model = RecurrentPreorderer("gru", units=4, epochs=30, batch_words=40).train(trees, [(0, 2, 1)] * 40)
        >>> model.orders(trees[:1])
        [(0, 2, 1)]
    """

    def __init__(self, kind: str = "gru", **settings: Any) -> None:
        self.kind = kind
        self.settings = settings_of(kind, settings)
        self.rounds_: tuple[Round, ...] = ()
        self.left_out_ = 0
        self.resumed_ = 0
        self._symbols: Symbols | None = None
        self._keys: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None
        self._model: _engine.RecurrentModel | None = None

    @property
    def _cell(self) -> str:
        if "gru" not in self.kind:
            return "rnn"
        return "gru" if self.settings.gate == "before" else "gru-after"

    def _shape(self, symbols: Symbols) -> _engine.RecurrentShape:
        settings = self.settings
        return _engine.RecurrentShape(
            cell=self._cell,
            profile=settings.profile,
            units=settings.units or 1,
            inner=settings.inner or 0,
            forms=len(symbols.values["forms"]) if settings.lexical else 0,
            layer=settings.layer,
            conjoin_only=settings.conjoin_only,
        )

    def train(
        self,
        trees: Sequence[Tree],
        orders: Sequence[Sequence[int]],
        *,
        held_out: tuple[Sequence[Tree], Sequence[Sequence[int]]] | None = None,
        progress: Progress = SILENT,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Self:
        """Learn from parsed sentences and their reference orders, until held-out sentences no longer improve.

        Args:
            trees: The sentences.
            orders: For each the positions of its words, from 0, in their new order.
            held_out: Sentences and orders that tell when to stop; without them, every twentieth training sentence, and at
                most 2,000, are kept for that.
            progress: Told of every sentence.
            checkpoint: A file where every validation notes how far training is. If it is there, and speaks of the same
                kind, settings and sentences, training goes on from it, and ends with the very model it would have made
                undisturbed; whoever saves that model removes the file.

        Raises:
            InputError: Orders do not fit the trees, or there is nothing to learn from.
            MissingExtraError: JAX is not installed.
        """
        from tolka.reorder.recurrent import training  # noqa: PLC0415 - those who only apply models need no training

        if len(trees) != len(orders):
            raise InputError(f"there are {len(trees)} trees and {len(orders)} orders")
        usable = [at for at, tree in enumerate(trees) if 1 < len(tree) <= self.settings.longest_trained]
        self.left_out_ = len(trees) - len(usable)
        if held_out is None:
            kept = [usable[at] for at in every_twentieth(len(usable))] or usable[-1:]
            held_out = [trees[at] for at in kept], [orders[at] for at in kept]
            usable = sorted(set(usable) - set(kept)) or usable
        if not usable or not any(len(tree) > 1 for tree in held_out[0]):
            what = f"there is no sentence of 2 to {self.settings.longest_trained} words to train or to validate on"
            raise InputError(what)
        chosen = [trees[at] for at in usable]
        self._symbols = self._learn_symbols(chosen)
        data = self._data(chosen, [orders[at] for at in usable])
        shape = self._shape(self._symbols)
        least = self.settings.least or min(100, max(2, len(chosen) // 2000))
        self._keys = shape.learn_values(data.corpus, data.orders, least)
        sizes = shape.sizes(*self._keys)
        begin = training.initial(sizes, self.settings, self._embeddings(chosen))
        validation = self._data(*held_out)

        def make(tensors: Tensors) -> _engine.RecurrentModel:
            assert self._keys is not None  # noqa: S101 - learnt above
            return _engine.RecurrentModel(shape, *self._keys, tensors)

        def improved(better: _engine.RecurrentModel) -> None:
            self._model = better

        noted = None if checkpoint is None else Checkpoint(checkpoint, self._training_key(data, validation))
        rounds, self.resumed_ = training.train(
            make,
            begin,
            sizes,
            self._cell,
            data,
            validation,
            self.settings,
            progress=progress,
            improved=improved,
            checkpoint=noted,
        )
        self.rounds_ = tuple(rounds)
        return self

    def _training_key(self, *texts: Data) -> str:
        symbols, _ = self._trained()
        told = json.dumps([__version__, self.kind, asdict(self.settings), symbols.values, [one.hash for one in texts]])
        return sha256(told.encode()).hexdigest()

    def _learn_symbols(self, trees: Sequence[Tree]) -> Symbols:
        tags = self.settings.tags
        if tags == "xpos" and all(tag == "_" for tree in trees for tag in tree.xpos):
            tags = "upos"
        columns = [tags, "deprels", *(["forms"] if self.settings.lexical else [])]
        symbols = Symbols(columns)
        symbols.learn(trees)
        if self.settings.lexical:
            counts: dict[str, int] = {}
            for form in chain.from_iterable(tree.forms for tree in trees):
                counts[form] = counts.get(form, 0) + 1
            often = [form for form in symbols.values["forms"][3:] if counts[form] >= self.settings.least_form]
            symbols = Symbols(columns, {**symbols.values, "forms": [*symbols.values["forms"][:3], *often]})
        return symbols

    def _embeddings(self, trees: Sequence[Tree]) -> NDArray[np.float32] | None:
        """A vector for each word that has a row; words without one of their own share a vector, as they share the row."""
        from tolka.lm import Embeddings  # noqa: PLC0415 - needs SciPy, which those who only apply models need not wait for

        settings = self.settings
        symbols, _ = self._trained()
        if not settings.lexical or not settings.embeddings:
            return None
        text = (" ".join(tree.forms) for tree in trees)
        found = Embeddings.train(text, dimensions=settings.embeddings, min_count=settings.least_form)
        return found.vectors(symbols.values["forms"])

    def _arrays(self, trees: Sequence[Tree]) -> Arrays:
        symbols, _ = self._trained()
        packed = pack(trees, symbols)
        tags = packed.columns[symbols.columns[0]]
        forms = packed.columns.get("forms", np.zeros(0, np.uint32))
        return packed.offsets, packed.heads, tags, packed.columns["deprels"], forms

    def _trained(self) -> tuple[Symbols, tuple[NDArray[np.uint64], NDArray[np.uint64]] | None]:
        if self._symbols is None:
            raise SettingsError("the pre-orderer has not been trained", hint="train or load one first")
        return self._symbols, self._keys

    def _ready(self) -> _engine.RecurrentModel:
        self._trained()
        if self._model is None:
            raise SettingsError("the pre-orderer has not been trained", hint="train or load one first")
        return self._model

    def _data(self, trees: Sequence[Tree], orders: Sequence[Sequence[int]]) -> Data:
        from tolka.reorder.recurrent.training import Data  # noqa: PLC0415

        lengths = np.array([len(tree) for tree in trees], np.int64)
        if len(orders) != len(trees) or any(len(order) != n for order, n in zip(orders, lengths, strict=True)):
            raise InputError("orders and trees differ in length")
        words = chain.from_iterable(orders)
        try:
            flat = np.fromiter(words, np.uint32, count=int(lengths.sum()))
        except (OverflowError, ValueError, TypeError) as error:
            raise InputError("an order has something else than positions from 0") from error
        arrays = self._arrays(trees)
        told = sha256()
        for array in (*arrays, flat):
            told.update(array.tobytes())
        return Data(_engine.RecurrentCorpus(*arrays), flat, lengths, told.hexdigest())

    def orders(self, trees: Sequence[Tree], *, threads: int = 1) -> list[Order]:
        """The best order that beam search finds for each sentence; one longer than `longest` words keeps its order.

        Args:
            trees: The sentences.
            threads: How many sentences are worked on at once; 0 for one per core. The result does not depend on it.
        """
        model = self._ready()
        if not trees:
            return []
        settings = self.settings
        corpus = _engine.RecurrentCorpus(*self._arrays(trees))
        flat, _ = model.orders(corpus, beam=settings.beam, longest=settings.longest, threads=threads)
        return cut(flat, offsets([tree.forms for tree in trees]))

    def log_likelihoods(
        self, trees: Sequence[Tree], orders: Sequence[Sequence[int]], *, threads: int = 1
    ) -> NDArray[np.float64]:
        """The natural logarithm of each order's probability."""
        model = self._ready()
        if not trees:
            return np.zeros(0)
        data = self._data(trees, orders)
        return model.log_likelihoods(data.corpus, data.orders, threads=threads)

    def perplexity(self, trees: Sequence[Tree], orders: Sequence[Sequence[int]], *, threads: int = 1) -> Perplexity:
        """Perplexity of orders, in both ways it is counted."""
        if not trees:
            raise InputError("there are no sentences to measure perplexity on")
        sums = self.log_likelihoods(trees, orders, threads=threads)
        lengths = np.array([len(tree) for tree in trees])
        choices = lengths > 1
        per_choice = float(np.mean(-sums[choices] / (lengths[choices] - 1))) if choices.any() else 0.0
        return Perplexity(float(2 ** np.mean(-sums / np.log(2) / lengths)), float(np.exp(per_choice)))

    def save(self, directory: str | PathLike[str]) -> None:
        """Save the model as a bundle."""
        model = self._ready()
        symbols, keys = self._trained()
        assert keys is not None  # noqa: S101 - a model has been made of them
        settings = {name: value for name, value in asdict(self.settings).items() if value is not None}
        description = {"kind": self.kind, "columns": list(symbols.columns), "recurrent": settings}
        with save_bundle(Path(directory), kind=BUNDLE, settings=description) as out:
            text = json.dumps(symbols.values, ensure_ascii=False, indent=0)
            out.file("symbols.json").write_text(text, encoding="utf-8")
            sections: dict[str, NDArray[Any] | bytes] = {"word_values": keys[0], "step_values": keys[1]}
            write_container(out.file("model.tlk"), CONTAINER, {**sections, **dict(model.tensors())}, version=VERSION)

    @classmethod
    def load(cls, directory: Path | str, manifest: Manifest | None = None) -> Self:
        """Open a saved model.

        Raises:
            FormatError: It is damaged, or something else.
        """
        bundle = Bundle.open(Path(directory), kind=BUNDLE) if manifest is None else Bundle(Path(directory), manifest)
        damaged = FormatError(
            "the model's description is damaged", path=bundle.path, hint="copy or make the model again"
        )
        kind, columns = bundle.settings.get("kind"), bundle.settings.get("columns")
        settings = bundle.settings.get("recurrent")
        if not isinstance(kind, str) or not isinstance(columns, list) or not isinstance(settings, dict):
            raise damaged
        try:
            loaded = cls(kind, **settings)
        except SettingsError as error:
            raise damaged from error
        expected = ("deprels", *(["forms"] if loaded.settings.lexical else []))
        if columns not in ([tags, *expected] for tags in ("xpos", "upos")):
            raise damaged
        loaded._symbols = symbols = _read_symbols(bundle.file("symbols.json"), columns)
        path = bundle.file("model.tlk")
        container = Container.open(path, CONTAINER)
        if container.version != VERSION:
            raise FormatError("the model was made by another version of tolka", path=path, hint="train it again")
        found = {section.name: container.array(section.name) for section in container.sections}
        words, steps = (found.pop(name, None) for name in ("word_values", "step_values"))
        if words is None or steps is None or {words.dtype, steps.dtype} != {np.dtype(np.uint64)}:
            raise damaged
        if any(tensor.dtype != np.float32 for tensor in found.values()):
            raise damaged
        loaded._keys = words, steps
        try:
            loaded._model = _engine.RecurrentModel(loaded._shape(symbols), words, steps, list(found.items()))
        except TolkaError as error:
            raise FormatError(error.what, path=path, hint="copy or make the model again") from error
        return loaded


def _read_symbols(path: Path, columns: list[str]) -> Symbols:
    damaged = FormatError(
        "the model's list of tags and words is damaged", path=path, hint="copy or make the model again"
    )
    if path.stat().st_size > DEFAULT.file_bytes:
        raise damaged
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise damaged from error
    if not isinstance(values, dict) or sorted(values) != sorted(columns):
        raise damaged
    for column in values.values():
        if not isinstance(column, list) or not all(isinstance(value, str) for value in column):
            raise damaged
        if column[:3] != ["", "<s>", "</s>"] or len(set(column)) != len(column):
            raise damaged
    return Symbols(columns, values)
