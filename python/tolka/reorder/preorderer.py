"""What every pre-orderer can do, whatever it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

from tolka.progress import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from pathlib import Path

    from tolka.files.manifest import Manifest
    from tolka.progress import Progress
    from tolka.syntax import Tree

Order = tuple[int, ...]
"""A permutation: positions in the sentence, counted from 0, in their new order."""

BUNDLE = "preorderer"
"""The kind of a pre-orderer's bundle; its setting `kind` says which pre-orderer it is."""


@runtime_checkable
class Preorderer(Protocol):
    """Puts the words of parsed sentences into another order.

    Attributes:
        kind: Its name in the registry, such as "walker" or "rules:collins-dep".
    """

    kind: str

    def orders(self, trees: Sequence[Tree], *, threads: int = 1) -> list[Order]:
        """A permutation of each sentence; the result does not depend on the threads (0: all cores)."""

    def save(self, directory: str | PathLike[str]) -> None:
        """Save it as a bundle of kind `BUNDLE`, with its own kind as the setting `kind`."""

    @classmethod
    def load(cls, directory: Path, manifest: Manifest) -> Self:
        """Open what `save` wrote; `tolka.reorder.load` calls this with a manifest it has checked."""


@runtime_checkable
class Trainable(Preorderer, Protocol):
    """A pre-orderer that learns from parsed sentences and their reference permutations."""

    def train(
        self,
        trees: Sequence[Tree],
        orders: Sequence[Sequence[int]],
        *,
        held_out: tuple[Sequence[Tree], Sequence[Sequence[int]]] | None = None,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn; `held_out` sentences serve to stop or to choose settings, never to learn from."""


@runtime_checkable
class Resumable(Trainable, Protocol):
    """A pre-orderer whose training can be stopped and gone on with.

    Attributes:
        resumed_: Training sentences that a stopped training had seen, and the last one went on after.
    """

    resumed_: int

    def train(
        self,
        trees: Sequence[Tree],
        orders: Sequence[Sequence[int]],
        *,
        held_out: tuple[Sequence[Tree], Sequence[Sequence[int]]] | None = None,
        progress: Progress = SILENT,
        checkpoint: str | PathLike[str] | None = None,
    ) -> Self:
        """Learn; the file `checkpoint` says how far training is, and training goes on from there if it is its own."""


def teach(
    preorderer: Trainable,
    trees: Sequence[Tree],
    orders: Sequence[Sequence[int]],
    *,
    held_out: tuple[Sequence[Tree], Sequence[Sequence[int]]] | None = None,
    progress: Progress = SILENT,
    checkpoint: str | PathLike[str],
) -> None:
    """Train; where the pre-orderer can, go on from the checkpoint of a training that was stopped.

    Whoever saves the pre-orderer then removes the checkpoint.
    """
    if isinstance(preorderer, Resumable):
        preorderer.train(trees, orders, held_out=held_out, progress=progress, checkpoint=checkpoint)
    else:
        preorderer.train(trees, orders, held_out=held_out, progress=progress)
