"""Beside translations: files that say how they were made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tolka.errors import LimitError, SettingsError
from tolka.files import write_atomic
from tolka.forest import draw_page
from tolka.translate.memory import match_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tolka.decode import Decoder, Input
    from tolka.forest import Derivation, Forest
    from tolka.translate.translator import Translator

_FORMATS = (".html", ".svg", ".json", ".jsonl")
_MOST_ON_A_PAGE = 2000


class Explanations:
    """Translates, and writes how into a file when the block ends well: a page, a drawing or JSON lines.

    The name of the file says which: `.html` is a page of drawings, `.svg` the drawing of a single sentence, `.json` and
    `.jsonl` have one derivation a line.
    """

    def __init__(self, translator: Translator, path: str | PathLike[str]) -> None:
        self._translator, self._path = translator, Path(path)
        self._derivations: list[Derivation] = []
        if self._path.suffix not in _FORMATS:
            names = ", ".join(_FORMATS)
            raise SettingsError(f"explanations cannot be written to {self._path.name}", hint=f"end the name in {names}")

    def translate(self, lines: Sequence[str], *, first: int = 1, threads: int = 0) -> list[str]:
        """Translate lines of text, and keep how."""
        return self._translator.translate_by(self._explained, lines, first=first, threads=threads)

    def _explained(self, decoder: Decoder, sentences: Sequence[Input], *, threads: int) -> list[str]:
        found = decoder.explain(sentences, threads=threads)
        matches = map(match_of, sentences)
        self._derivations += [
            one if match is None else replace(one, note=str(match)) for one, match in zip(found, matches, strict=True)
        ]
        most = {".svg": 1, ".html": _MOST_ON_A_PAGE}.get(self._path.suffix)
        if most is not None and len(self._derivations) > most:
            raise LimitError(f"{self._path.suffix} files explain at most {most} sentences", hint="write .jsonl")
        return [one.text for one in found]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            return
        with write_atomic(self._path) as out:
            if self._path.suffix == ".html":
                source, target = self._translator.langs
                out.writelines(draw_page(self._derivations, title=f"Translations from {source} to {target}"))
            elif self._path.suffix == ".svg":
                out.writelines(one.to_svg() for one in self._derivations)
            else:
                out.writelines(f"{one.to_json()}\n" for one in self._derivations)


class ForestFile:
    """Translates, and writes the forests, one per line, when the block ends well."""

    def __init__(self, translator: Translator, path: str | PathLike[str]) -> None:
        self._translator, self._path = translator, Path(path)
        self._writing = write_atomic(self._path)

    def translate(self, lines: Sequence[str], *, first: int = 1, threads: int = 0) -> list[str]:
        """Translate lines of text, and write their forests."""
        return self._translator.translate_by(self._packed, lines, first=first, threads=threads)

    def _packed(self, decoder: Decoder, sentences: Sequence[Input], *, threads: int) -> list[str]:
        found = decoder.forest(sentences, threads=threads)
        self._out.writelines(f"{forest.to_json()}\n" for forest in found)
        return [_best(forest) for forest in found]

    def __enter__(self) -> Self:
        self._out = self._writing.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._writing.__exit__(*error)  # type: ignore[arg-type]


def _best(forest: Forest) -> str:
    best = forest.viterbi()
    return best.text if best else ""
