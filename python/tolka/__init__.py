"""tolka builds, combines, trains and judges machine translation systems from the data people have.

The package is arranged in rooms that data walks through from left to right: `tolka.corpus` reads and prepares text;
`tolka.align` finds which words translate each other; `tolka.lm` knows what is fluent; `tolka.graph` which words are used alike; `tolka.grammar` extracts rules;
`tolka.decode` translates with them; `tolka.tune` finds their weights; `tolka.evaluate` says how good the result is;
`tolka.translate` is the translator that all of them make, `tolka.train` tunes it and lets it grow;
`tolka.pipeline` joins the rooms into recipes; `tolka.combine` makes systems of systems. `tolka.errors`, `tolka.limits`, `tolka.progress`, `tolka.files`,
`tolka.page` and `tolka.web` are the foundation all rooms stand on.
The native engine is `tolka._engine`; its public face is always a room.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from tolka._engine import __version__

if _TYPE_CHECKING:
    from tolka.translate import Translator

__all__ = ["Translator", "__version__"]

_ROOMS = (
    "align", "combine", "corpus", "decode", "errors", "evaluate", "files", "forest", "grammar", "graph", "judge", "limits", "lm",
    "markup", "page", "pipeline", "progress", "reorder", "rerank", "syntax", "train", "translate", "tune", "web",
)  # fmt: skip
# Names that people guess, and where the thing is.
_INSTEAD = {"load": "tolka.Translator.load", "tokenise": "tolka.corpus.Tokeniser"}


def __getattr__(name: str) -> _Any:
    # Imported when it is first asked for: `import tolka` alone stays quick.
    if name == "Translator":
        return _import_module("tolka.translate").Translator
    if name in _ROOMS:
        return _import_module(f"tolka.{name}")
    hint = f"; use {_INSTEAD[name]}" if name in _INSTEAD else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS])
