"""Training: sums of features from the engine, gradients from JAX, steps by the engine, until held-out orders say stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka import _engine
from tolka.errors import InputError
from tolka.reorder.recurrent.batches import batches
from tolka.reorder.recurrent.checkpoint import Position, Round

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from tolka.progress import Progress
    from tolka.reorder.recurrent.batches import Batch
    from tolka.reorder.recurrent.checkpoint import Checkpoint, Tensors
    from tolka.reorder.recurrent.settings import Settings

SUMS: tuple[str, ...] = ("inputs", "candidates", "embeddings", "steps")
SQUARE = ("recurrent", "inner_recurrent")
SMALL = 20_000
"""Sentences, counted as often as they are trained on, for which careful compiling takes longer than it saves."""
ZERO = ("offsets",)
WORDS = ("input_forms", "output_forms", "embedding_forms")


@dataclass(frozen=True)
class Data:
    """Sentences with their orders, as the engine takes them.

    Attributes:
        corpus: The sentences.
        orders: Their orders, one after the other.
        lengths: Words of each.
        hash: Of all of it, to know it again.
    """

    corpus: _engine.RecurrentCorpus
    orders: NDArray[np.uint32]
    lengths: NDArray[np.int64]
    hash: str

    @property
    def choices(self) -> int:
        """Words that had to be chosen; the last of each sentence is certain."""
        return int((self.lengths - 1).sum())


def initial(
    sizes: Mapping[str, tuple[int, int]], settings: Settings, words: NDArray[np.float32] | None = None
) -> list[tuple[str, NDArray[np.float32]]]:
    """Tensors to begin with: uniform, recurrent matrices rescaled to a given norm (Miceli Barone 2015, section 4.3.4).

    Where embeddings of words are given, rows of words are random projections of them instead, with numbers as large on
    average: words that are used alike begin alike.
    """
    random = np.random.default_rng(settings.seed)
    units = sizes["recurrent"][1]
    found = []
    for name, size in sizes.items():
        tensor = random.uniform(-settings.init, settings.init, size).astype(np.float32)
        if name in ZERO:
            tensor[:] = 0
        if words is not None and name in WORDS and tensor.size:
            tensor = projected(words, tensor, random)
        if name in SQUARE and tensor.size:
            # A GRU has one square matrix per gate.
            side = units if name == "recurrent" else size[1]
            blocks = tensor.reshape(-1, side, side)
            norms = np.linalg.norm(blocks, 2 if settings.norm == "spectral" else "fro", axis=(1, 2), keepdims=True)
            tensor = (blocks * (settings.contraction / norms)).astype(np.float32)
        found.append((name, tensor.ravel()))
    return found


def projected(
    words: NDArray[np.float32], tensor: NDArray[np.float32], random: np.random.Generator
) -> NDArray[np.float32]:
    """Embeddings of words, turned into rows of the size of a tensor, with the mean square of its numbers."""
    found = words @ random.standard_normal((words.shape[1], tensor.shape[1]), np.float32)
    scale = float(np.sqrt(np.square(tensor).mean() / max(np.square(found).mean(), 1e-12)))
    return found * np.float32(scale)


def rule_of(settings: Settings) -> _engine.RecurrentRule:
    """How gradients change parameters."""
    assert settings.rate is not None and settings.beta2 is not None  # noqa: S101, PT018 - filled by settings_of
    assert settings.epsilon is not None and settings.clip is not None  # noqa: S101, PT018
    return _engine.RecurrentRule(
        settings.optimiser,
        rate=settings.rate,
        beta1=settings.beta1,
        beta2=settings.beta2,
        epsilon=settings.epsilon,
        clip=settings.clip,
        l2=settings.l2,
    )


class Step:
    """One step of training after the other."""

    def __init__(
        self,
        trainer: _engine.RecurrentTrainer,
        sizes: Mapping[str, tuple[int, int]],
        cell: str,
        *,
        dropout: float = 0.0,
        seed: int = 0,
        level: int = 0,
    ) -> None:
        from tolka.reorder.recurrent import core  # noqa: PLC0415 - needs JAX, which only training does

        self._loss_and_gradients = core.loss_and_gradients(level)
        self._trainer = trainer
        self._sizes = sizes
        self._cell = cell
        self._dropout = dropout
        self.random = np.random.default_rng((seed, 1))

    def arrays(
        self, batch: Batch, lengths: NDArray[np.int64]
    ) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Sums of features and facts of a batch, padded to its room."""
        words, count = batch.padded, len(batch.sentences)
        units, inner = self._sizes["recurrent"][1], self._sizes["inner_recurrent"][1]
        shapes = {
            "inputs": (words - 1, self._sizes["input"][1]),
            "candidates": (words - 1, words, self._sizes["output"][1]),
            "embeddings": (words, units),
            "steps": (3 * (words + 2), inner),
            "distances": (words - 1, words),
            "before": (words - 1, words + 3),
            "by": (words - 1, words + 3),
            "ends": (words - 1, words),
        }
        arrays = {}
        for name, flat in self._trainer.sums(batch.sentences, words).items():
            if flat.size:
                array = flat.reshape(count, *shapes[name])
                empty = np.zeros((batch.room - count, *shapes[name]), array.dtype)
                arrays[name] = np.concatenate([array, empty]) if len(empty) else array
        sums = {name: arrays.pop(name) for name in SUMS if name in arrays}
        real = np.zeros(batch.room, np.int32)
        real[:count] = lengths[batch.sentences]
        if self._dropout:
            kept = self.random.random((batch.room, units)) >= self._dropout
            arrays["kept"] = (kept / (1 - self._dropout)).astype(np.float32)
        return sums, {**arrays, "lengths": real}

    def dense(self) -> dict[str, NDArray[np.float32]]:
        """The tensors that are not of features."""
        return {name: tensor.reshape(self._sizes[name]) for name, tensor in self._trainer.dense()}

    def __call__(self, batch: Batch, lengths: NDArray[np.int64]) -> float:
        """Learn from a batch; gives its negated log-likelihood."""
        sums, facts = self.arrays(batch, lengths)
        loss, (dense, gradients) = self._loss_and_gradients(self.dense(), sums, facts, self._cell)
        count = len(batch.sentences)
        nothing = np.zeros(0, np.float32)
        flat = {name: np.asarray(array)[:count].ravel() for name, array in gradients.items()}
        self._trainer.learn(
            batch.sentences,
            batch.padded,
            inputs=flat["inputs"],
            candidates=flat["candidates"],
            embeddings=flat.get("embeddings", nothing),
            steps=flat.get("steps", nothing),
            dense=[(name, np.asarray(gradient).ravel()) for name, gradient in dense.items()],
        )
        return float(loss) * count


def train(
    make: Callable[[Tensors], _engine.RecurrentModel],
    begin: Tensors,
    sizes: Mapping[str, tuple[int, int]],
    cell: str,
    data: Data,
    held_out: Data,
    settings: Settings,
    *,
    progress: Progress,
    improved: Callable[[_engine.RecurrentModel], None],
    checkpoint: Checkpoint | None = None,
) -> tuple[list[Round], int]:
    """Train; every model better than all before it on the held-out sentences is handed to `improved`.

    Gives all validations, and how many sentences a stopped training had seen, which a checkpoint spared this one.
    """
    kept = None if checkpoint is None else checkpoint.read()
    trainer = _engine.RecurrentTrainer(make(kept.now if kept else begin), data.corpus, data.orders, rule_of(settings))
    total = settings.epochs * len(data.lengths)
    step = Step(trainer, sizes, cell, dropout=settings.dropout, seed=settings.seed, level=int(total > SMALL))
    at, best = Position(), trainer.model()
    if kept:
        at, best = kept.position, make(kept.best)
        trainer.resume(kept.step, kept.rate, kept.averages)
        step.random.bit_generator.state = kept.random
        improved(best)
    spared = at.seen
    loss, choices, since = 0.0, 0, 0
    every = min(settings.validate_every, len(data.lengths))
    with progress.task("training", total=total, unit="sentences") as advance:
        advance(spared)
        while at.epoch < settings.epochs and at.waited < settings.patience:
            for batch in batches(data.lengths, settings.batch_words, settings.seed, at.epoch)[at.batch :]:
                loss += step(batch, data.lengths)
                count = len(batch.sentences)
                choices += int((data.lengths[batch.sentences] - 1).sum())
                at.seen, at.batch, since = at.seen + count, at.batch + 1, since + count
                advance(count)
                if since < every and at.seen < total:
                    continue
                now = trainer.model()
                sums = now.log_likelihoods(held_out.corpus, held_out.orders, threads=0)
                at.rounds.append(Round(at.seen, loss / max(choices, 1), -float(sums.sum()) / max(held_out.choices, 1)))
                loss, choices, since = 0.0, 0, 0
                if not np.isfinite(at.rounds[-1].held_out):
                    raise InputError("training diverged", hint="lower the rate")
                if at.rounds[-1].held_out < at.best:
                    at.best, at.waited, best = at.rounds[-1].held_out, 0, now
                    improved(now)
                else:
                    at.waited += 1
                    trainer.slow_down(settings.decay)
                if checkpoint is not None:
                    checkpoint.write(at, step.random, trainer, best)
                if at.waited >= settings.patience:
                    break
            else:
                at.epoch, at.batch = at.epoch + 1, 0
    return at.rounds, spared
