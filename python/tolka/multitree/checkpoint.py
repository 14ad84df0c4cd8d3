"""How far the training of a multitree system is, kept in a directory from iteration to iteration."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.errors import FormatError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.limits import DEFAULT
from tolka.multitree.record import checked_row

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tolka._engine import MultitreeModel
    from tolka.multitree.settings import MultitreeSettings

KIND = "multitree-checkpoint"


@dataclass(frozen=True)
class State:
    """What is known of a training beside its model.

    Attributes:
        complete: Part of the pairs that have a complete multitree.
        lexicon: Source fuses, target fuses and pairs of phrases in the lexicon.
        curve: What came of each iteration so far.
        parts: Examples there were when each file of them was written.
    """

    complete: float
    lexicon: tuple[int, int, int]
    curve: tuple[dict[str, Any], ...] = ()
    parts: tuple[int, ...] = ()

    @classmethod
    def of_json(cls, text: bytes) -> State:
        """Read what `Checkpoint.write` noted; a ValueError, KeyError or TypeError if it is something else."""
        note = json.loads(text)
        one, other, pairs = (int(size) for size in note["lexicon"])
        curve, parts = tuple(checked_row(row) for row in note["curve"]), tuple(int(part) for part in note["parts"])
        if len(parts) != len(curve) or list(parts) != sorted(parts):
            raise ValueError("files of examples")
        return cls(float(note["complete"]), (one, other, pairs), curve, parts)


@dataclass(frozen=True)
class Checkpoint:
    """A directory with all that is known of a training.

    Attributes:
        path: The directory.
        key: Of what it must be to go on from it, see `key_of`.
    """

    path: Path
    key: str

    def write(self, native: MultitreeModel, state: State) -> State:
        """Keep the state after an iteration; a kill leaves this one or the one before.

        Examples are only ever added, so that each time only the new ones are written.

        Raises:
            FileError: The directory cannot be written.
        """
        before = state.parts[-1] if state.parts else 0
        there = sum(native.examples()[:4])
        made = State(state.complete, state.lexicon, state.curve, (*state.parts, there) if state.curve else ())
        note = {"complete": made.complete, "lexicon": made.lexicon, "curve": made.curve, "parts": made.parts}
        with save_bundle(self.path, kind=KIND, settings={"key": self.key}) as out:
            out.file("state.json").write_text(json.dumps(note), encoding="utf-8")
            native.save(out.file("counts.bin"), out.file("lexicon.bin"), out.file("classifiers.bin"))
            for number in range(len(state.parts)):
                out.keep(_examples(number))
            if made.parts:
                native.save_examples(out.file(_examples(len(state.parts))), before)
        return made

    def read(self, native: MultitreeModel, settings: MultitreeSettings) -> State | None:
        """Put what was kept into a model that has its pairs; None if nothing was kept yet.

        Raises:
            SettingsError: It is of other pairs or settings.
            FormatError: It is damaged.
        """
        if not (self.path / "model.toml").exists():
            return None
        bundle = Bundle.open(self.path, kind=KIND)
        if bundle.settings.get("key") != self.key:
            raise SettingsError(
                f"the checkpoint {self.path} is of other pairs or settings", hint="delete it, or name another one"
            )
        try:
            state = State.of_json(bundle.file("state.json").read_bytes())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._damaged() from error
        # That nobody was asked yet is something else than that nobody knows.
        trained = any("classifiers" in row for row in state.curve)
        classifiers = bundle.file("classifiers.bin") if trained else None
        native.open(
            bundle.file("counts.bin"),
            bundle.file("lexicon.bin"),
            classifiers,
            settings.coarse,
            settings.prior,
            DEFAULT.model_bytes,
        )
        for number, part in enumerate(state.parts):
            native.open_examples(bundle.file(_examples(number)), DEFAULT.model_bytes)
            if sum(native.examples()[:4]) != part:
                raise self._damaged()
        return state

    def _damaged(self) -> FormatError:
        return FormatError("the checkpoint is damaged", path=self.path, hint="delete it and train anew")


def _examples(number: int) -> str:
    return f"examples-{number + 1}.bin"


def key_of(parts: Iterable[Any]) -> str:
    """What a checkpoint must be of to go on from it, in few letters.

    Example:
        >>> key_of([{"epochs": 2}, ["a"]]) == key_of(iter([{"epochs": 2}, ["a"]]))
        True
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(json.dumps(part, sort_keys=True).encode())
        digest.update(b"\n")
    return digest.hexdigest()
