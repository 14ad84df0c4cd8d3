"""What a stage's output is kept under: a hash of everything that decides its bytes.

Example:
    >>> canonical({"b": 1e2, "a": (1, "x")})
    '{"a":[1,"x"],"b":100.0}'
    >>> canonical({"a": [1, "x"], "b": 100.0}) == canonical({"b": 1e2, "a": (1, "x")})
    True
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.pipeline.stage import Settings, Stage

# Raised when the meaning of keys, manifests or the layout of the store changes: nothing older is then found.
FORMAT = 1


def canonical(value: object) -> str:
    """JSON with one spelling per value: sorted keys, no spaces, ASCII, shortest floats; tuples are lists.

    Raises:
        TypeError: The value has no such spelling (NaN, a key that is not text, an unknown type).
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _plain(value: object) -> Any:  # noqa: PLR0911 (one return per kind of value is the clearest)
    match value:
        case Enum():
            return _plain(value.value)
        case None | bool() | str() | int():
            return value
        case float():
            if not math.isfinite(value):
                raise TypeError(f"{value} has no canonical form")
            return value
        case dict():
            if not all(isinstance(key, str) for key in value):
                raise TypeError("keys must be text")
            return {key: _plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case set() | frozenset():
            return sorted((_plain(inner) for inner in value), key=canonical)
        case PurePath():
            return value.as_posix()
    raise TypeError(f"a {type(value).__name__} has no canonical form")


@dataclass(frozen=True)
class Source:
    """Where one input's bytes came from, as far as they matter.

    Attributes:
        hash: The hash of the content.
        name: The file's own name if it is from outside (readers go by the suffix), else empty.
    """

    hash: str
    name: str = ""


@dataclass(frozen=True)
class Parts:
    """All that goes into a key; kept beside each output so that a later run can say what changed."""

    stage: str
    version: int
    settings: Mapping[str, Any]
    inputs: Mapping[str, Source]
    format: int = FORMAT

    @classmethod
    def of(cls, stage: Stage, settings: Settings, inputs: Mapping[str, Source]) -> Parts:
        """The parts for a stage.

        Paths of outside files are left out, their content is in `inputs`; and so is what does not change the bytes.
        """
        left_out: dict[str, Any] = dict.fromkeys((*stage.files, *stage.of_the_run), True)
        left_out |= {name: {"__all__": set(keys)} for name, keys in stage.tables.items()}
        values = _plain(settings.model_dump(exclude=left_out))
        return cls(stage.name, stage.version, values, dict(inputs))

    @classmethod
    def from_json(cls, value: Any) -> Parts:
        """Read back what `to_json` gave; a wrong shape raises KeyError, TypeError or AttributeError."""
        inputs = {
            str(name): Source(str(source["hash"]), str(source["name"])) for name, source in value["inputs"].items()
        }
        return cls(str(value["stage"]), int(value["version"]), dict(value["settings"]), inputs, int(value["format"]))

    def to_json(self) -> dict[str, Any]:
        """The parts as plain JSON values."""
        return asdict(self)

    @property
    def key(self) -> str:
        """The SHA-256 of the canonical JSON of the parts."""
        return hashlib.sha256(canonical(self.to_json()).encode()).hexdigest()
