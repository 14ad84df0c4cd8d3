"""Where a training is, in a file: enough to go on as if it had never been stopped."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.errors import TolkaError
from tolka.files import Container, write_container

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    from numpy.typing import NDArray

    from tolka import _engine

    Tensors = list[tuple[str, NDArray[np.float32]]]

CONTAINER = "order-training"
_PARTS = ("now", "best", "first", "second")


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


@dataclass
class Position:
    """How far a training is, just after a validation.

    Attributes:
        epoch: The epoch it is in.
        batch: Batches of this epoch that are done.
        seen: Sentences trained on.
        waited: Validations since the best one.
        best: Its mean negated log-likelihood per choice.
        rounds: All validations.
    """

    epoch: int = 0
    batch: int = 0
    seen: int = 0
    waited: int = 0
    best: float = float("inf")
    rounds: list[Round] = field(default_factory=list)


@dataclass(frozen=True)
class Kept:
    """What a checkpoint has kept.

    Attributes:
        position: How far the training was.
        random: The state of its generator of random numbers.
        now: The tensors of the model it had.
        best: Those of the best model so far.
        step: Steps taken.
        rate: Their length.
        averages: Both averages of gradients, by name of tensor.
    """

    position: Position
    random: dict[str, Any]
    now: Tensors
    best: Tensors
    step: int
    rate: float
    averages: list[tuple[str, NDArray[np.float32], NDArray[np.float32]]]


class Checkpoint:
    """A file that belongs to one training: one kind, one set of settings, one text.

    Attributes:
        path: The file.
        key: What tells this training from all others.
    """

    def __init__(self, path: str | PathLike[str], key: str) -> None:
        self.path = Path(path)
        self.key = key

    def write(
        self,
        position: Position,
        random: np.random.Generator,
        trainer: _engine.RecurrentTrainer,
        best: _engine.RecurrentModel,
    ) -> None:
        """Replace what was kept before; a kill leaves the old file or the new one."""
        step, rate, averages = trainer.gathered()
        note = {
            "key": self.key,
            "position": asdict(position),
            "random": random.bit_generator.state,
            "step": step,
            "rate": rate,
        }
        sections: dict[str, NDArray[Any] | bytes] = {"note": json.dumps(note).encode()}
        sections |= {f"now.{name}": tensor for name, tensor in trainer.model().tensors()}
        sections |= {f"best.{name}": tensor for name, tensor in best.tensors()}
        for name, first, second in averages:
            sections[f"first.{name}"], sections[f"second.{name}"] = first, second
        write_container(self.path, CONTAINER, sections)

    def read(self) -> Kept | None:
        """What was kept of this very training; None if there is nothing, or only something else."""
        try:
            container = Container.open(self.path, CONTAINER)
            container.verify()
            note = json.loads(container.bytes("note"))
            if note["key"] != self.key:
                return None
            found: dict[str, dict[str, NDArray[Any]]] = {part: {} for part in _PARTS}
            for section in container.sections:
                part, dot, name = section.name.partition(".")
                if dot:
                    found[part][name] = container.array(section.name)
            position = Position(**note["position"])
            position.rounds = [Round(**one) for one in note["position"]["rounds"]]
            averages = [(name, first, found["second"][name]) for name, first in found["first"].items()]
            now, best = list(found["now"].items()), list(found["best"].items())
            return Kept(position, note["random"], now, best, int(note["step"]), float(note["rate"]), averages)
        except (TolkaError, ValueError, KeyError, TypeError):
            # Training from the start is always right.
            return None
