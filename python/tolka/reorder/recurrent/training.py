"""Training: sums of features from the engine, gradients from JAX, steps by the engine, until held-out orders say stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka import _engine
from tolka.errors import InputError
from tolka.reorder.recurrent.batches import batches

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from tolka.progress import Progress
    from tolka.reorder.recurrent.batches import Batch
    from tolka.reorder.recurrent.settings import Settings

SUMS: tuple[str, ...] = ("inputs", "candidates", "embeddings", "steps")
SQUARE = ("recurrent", "inner_recurrent")
SMALL = 20_000
"""Sentences, counted as often as they are trained on, for which careful compiling takes longer than it saves."""
ZERO = ("offsets",)


@dataclass(frozen=True)
class Data:
    """Sentences with their orders, as the engine takes them.

    Attributes:
        corpus: The sentences.
        orders: Their orders, one after the other.
        lengths: Words of each.
    """

    corpus: _engine.RecurrentCorpus
    orders: NDArray[np.uint32]
    lengths: NDArray[np.int64]

    @property
    def choices(self) -> int:
        """Words that had to be chosen; the last of each sentence is certain."""
        return int((self.lengths - 1).sum())


@dataclass(frozen=True)
class Round:
    """One validation.

    Attributes:
        sentences: Sentences trained on so far.
        training: Mean negated log-likelihood per choice since the last validation.
        held_out: The same of the held-out sentences.
    """

    sentences: int
    training: float
    held_out: float


def initial(sizes: Mapping[str, tuple[int, int]], settings: Settings) -> list[tuple[str, NDArray[np.float32]]]:
    """Tensors to begin with: uniform, recurrent matrices rescaled to a given norm (Miceli Barone 2015, section 4.3.4)."""
    random = np.random.default_rng(settings.seed)
    units = sizes["recurrent"][1]
    found = []
    for name, size in sizes.items():
        tensor = random.uniform(-settings.init, settings.init, size).astype(np.float32)
        if name in ZERO:
            tensor[:] = 0
        if name in SQUARE and tensor.size:
            # A GRU has one square matrix per gate.
            side = units if name == "recurrent" else size[1]
            blocks = tensor.reshape(-1, side, side)
            norms = np.linalg.norm(blocks, 2 if settings.norm == "spectral" else "fro", axis=(1, 2), keepdims=True)
            tensor = (blocks * (settings.contraction / norms)).astype(np.float32)
        found.append((name, tensor.ravel()))
    return found


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
        self._random = np.random.default_rng((seed, 1))

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
            kept = self._random.random((batch.room, units)) >= self._dropout
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
    model: _engine.RecurrentModel,
    sizes: Mapping[str, tuple[int, int]],
    cell: str,
    data: Data,
    held_out: Data,
    settings: Settings,
    *,
    progress: Progress,
    improved: Callable[[_engine.RecurrentModel], None],
) -> list[Round]:
    """Train; every model better than all before it on the held-out sentences is handed to `improved`."""
    trainer = _engine.RecurrentTrainer(model, data.corpus, data.orders, rule_of(settings))
    total = settings.epochs * len(data.lengths)
    level = int(total > SMALL)
    step = Step(trainer, sizes, cell, dropout=settings.dropout, seed=settings.seed, level=level)
    rounds: list[Round] = []
    best, waited, seen = float("inf"), 0, 0
    loss, choices, since = 0.0, 0, 0
    every = min(settings.validate_every, len(data.lengths))
    with progress.task("training", total=total, unit="sentences") as advance:
        for epoch in range(settings.epochs):
            for batch in batches(data.lengths, settings.batch_words, settings.seed, epoch):
                loss += step(batch, data.lengths)
                count = len(batch.sentences)
                choices += int((data.lengths[batch.sentences] - 1).sum())
                seen, since = seen + count, since + count
                advance(count)
                if since < every and seen < total:
                    continue
                now = trainer.model()
                sums = now.log_likelihoods(held_out.corpus, held_out.orders, threads=0)
                rounds.append(Round(seen, loss / max(choices, 1), -float(sums.sum()) / max(held_out.choices, 1)))
                loss, choices, since = 0.0, 0, 0
                if rounds[-1].held_out < best:
                    best, waited = rounds[-1].held_out, 0
                    improved(now)
                    continue
                if not np.isfinite(rounds[-1].held_out):
                    raise InputError("training diverged", hint="lower the rate")
                waited += 1
                if waited >= settings.patience:
                    return rounds
                trainer.slow_down(settings.decay)
    return rounds
