"""What is known of a learner, kept in a file from epoch to epoch."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka.errors import FormatError, SettingsError
from tolka.files.container import Container, write_container

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_KIND = "learning"
_ARRAYS = ("weights", "moved", "squares", "rates")


@dataclass(frozen=True)
class Checkpoint:
    """All that is known of a learner, in a file.

    Attributes:
        path: The file.
        key: Of what it must be to go on from it, see `key_of`.
        features: How many there are; None if they are found on the way, so that their names are in the file.
    """

    path: Path
    key: str
    features: int | None

    def write(self, epochs: int, state: dict[str, Any]) -> None:
        """Keep the state after so many epochs.

        Raises:
            FileError: The file cannot be written.
        """
        note = {"key": self.key, "epochs": epochs, "count": state["count"]}
        sections: dict[str, Any] = {name: np.asarray(state[name], np.float64) for name in _ARRAYS}
        if self.features is None:
            sections["names"] = json.dumps(state["names"]).encode()
        write_container(self.path, _KIND, {"note": json.dumps(note).encode(), **sections})

    def read(self) -> tuple[int, dict[str, Any] | None]:
        """How many epochs were made, and the state after them; 0 and None if there is no file.

        Raises:
            SettingsError: It is of something else.
            FormatError: It is damaged.
        """
        if not self.path.exists():
            return 0, None
        container = Container.open(self.path, _KIND)
        try:
            note = json.loads(container.bytes("note"))
            epochs, count, key = int(note["epochs"]), float(note["count"]), note["key"]
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged() from error
        if key != self.key:
            raise SettingsError(
                f"{self.path} is of other examples or settings", hint="delete it, or name another checkpoint"
            )
        state: dict[str, Any] = {name: container.array(name).astype(np.float64) for name in _ARRAYS}
        features = self.features
        if features is None:
            try:
                state["names"] = [str(name) for name in json.loads(container.bytes("names"))]
            except (ValueError, TypeError) as error:
                raise self._damaged() from error
            features = len(set(state["names"]))
        if epochs < 1 or count < 1 or any(len(state[name]) != features for name in _ARRAYS):
            raise self._damaged()
        state["average"] = state["weights"] - state["moved"] / count
        return epochs, {**state, "count": count}

    def _damaged(self) -> FormatError:
        return FormatError("the checkpoint is damaged", path=self.path, hint="delete it and learn anew")


def key_of(parts: Sequence[Any]) -> str:
    """What a checkpoint must be of to go on from it, in few letters."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
