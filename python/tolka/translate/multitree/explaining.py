"""Beside translations by multitrees: a file that says how they were made, alone or beside those of another model."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tolka.errors import InputError, LimitError, SettingsError
from tolka.files import write_atomic
from tolka.multitree.draw import within_page
from tolka.page import document, made_by, page_style

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tolka.multitree.compare import TreeComparison
    from tolka.multitree.derivation import TreeDerivation
    from tolka.translate.multitree.translator import TreeTranslator

_MOST = {".svg": 1, ".html": 500}
_FORMATS = (".html", ".svg", ".txt", ".json", ".jsonl")
_STYLE = """
.told{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9rem}
.tree{margin:.5rem 0}
.sides{display:flex;flex-wrap:wrap;gap:0 1.5rem}
.side{flex:1 1 20rem;min-width:0}
article{border-top:1px solid var(--line);padding:1rem 0}
h2{overflow-wrap:anywhere}
"""


class TreeForests:
    """Translates, and writes the forests, one per line, when the block ends well."""

    def __init__(self, translator: TreeTranslator, path: str | PathLike[str]) -> None:
        self._translator = translator
        self._writing = write_atomic(Path(path))

    def translate(self, lines: Sequence[str], *, first: int = 1, threads: int = 0) -> list[str]:  # noqa: ARG002 - as others
        """Translate lines of text, and write their forests."""
        found = self._translator.forests(lines, threads=threads)
        self._out.writelines(f"{forest.to_json()}\n" for _, forest in found)
        return [text for text, _ in found]

    def __enter__(self) -> Self:
        self._out = self._writing.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._writing.__exit__(*error)  # type: ignore[arg-type]


class TreeExplanations:
    """Translates, and writes how into a file when the block ends well.

    The name of the file says what it is: `.html` a page with pictures, `.svg` the picture of a single sentence, `.txt` derivations for
    a terminal, `.json` and `.jsonl` one derivation a line. With another model each derivation stands beside its own.

    Args:
        translator: Who translates.
        path: The file.
        other: Another model of the same languages.
        names: What to call the two.
    """

    def __init__(
        self,
        translator: TreeTranslator,
        path: str | PathLike[str],
        other: TreeTranslator | None = None,
        names: tuple[str, str] = ("this", "other"),
    ) -> None:
        self._translator, self._path, self._other = translator, Path(path), other
        self._names = names if names[0] != names[1] else ("this", "other")
        # What classifiers charge is how unsure they are; what is weighed is in units of its weights.
        weights = [None if one is None else one.model.settings.weights for one in (translator, other)]
        self._comparable = other is None or weights[0] == weights[1]
        self._found: list[tuple[TreeDerivation, TreeDerivation | None]] = []
        if self._path.suffix not in _FORMATS:
            raise SettingsError(
                f"explanations cannot be written to {self._path.name}", hint=f"end the name in {', '.join(_FORMATS)}"
            )
        if other is not None and self._path.suffix == ".svg":
            raise SettingsError("a picture has room for one derivation", hint="write .html or .txt")

    def translate(self, lines: Sequence[str], *, first: int = 1, threads: int = 0) -> list[str]:
        """Translate lines of text, and keep how.

        Raises:
            LimitError: There are too many for such a file.
            InputError: The other model sees other words.
        """
        found = self._translator.explain(lines, threads=threads)
        others = [None] * len(lines) if self._other is None else self._other.explain(lines, threads=threads)
        for number, ((_, one), other) in enumerate(zip(found, others, strict=True), first):
            if other is not None and other[1].pair.source != one.pair.source:
                raise InputError(
                    f"the two models see other words in line {number}", hint="compare models of text prepared alike"
                )
            self._found.append((one, None if other is None else other[1]))
        most = _MOST.get(self._path.suffix)
        if most is not None and len(self._found) > most:
            raise LimitError(f"{self._path.suffix} files explain at most {most} sentences", hint="write .jsonl or .txt")
        return [text for text, _ in found]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            return
        with write_atomic(self._path) as out:
            if self._path.suffix == ".html":
                out.write(self._page())
            elif self._path.suffix == ".svg":
                out.writelines(str(one.draw()) for one, _ in self._found)
            elif self._path.suffix == ".txt":
                out.writelines(f"{self._text(one, other)}\n\n" for one, other in self._found)
            else:
                out.writelines(f"{self._json(one, other)}\n" for one, other in self._found)

    def _compared(self, one: TreeDerivation, other: TreeDerivation | None) -> TreeComparison | None:
        if other is None or not (one.complete and other.complete):
            return None
        return one.beside(other, self._names, comparable=self._comparable)

    def _text(self, one: TreeDerivation, other: TreeDerivation | None) -> str:
        if other is None:
            return one.text()
        compared = self._compared(one, other)
        if compared is not None:
            return compared.text()
        return "\n".join(f"{name}\n{told.text()}" for name, told in zip(self._names, (one, other), strict=True))

    def _json(self, one: TreeDerivation, other: TreeDerivation | None) -> str:
        found = (
            one.to_dict()
            if other is None
            else {name: told.to_dict() for name, told in zip(self._names, (one, other), strict=True)}
        )
        return json.dumps(found, ensure_ascii=False, allow_nan=False)

    def _page(self) -> str:
        source, target = self._translator.langs
        title = f"Translations from {source} to {target}"
        parts = [f"<header><h1>{escape(title)}</h1></header><main>"]
        parts += [self._article(number, *pair) for number, pair in enumerate(self._found, 1)]
        parts.append(f"</main>{made_by()}")
        return document(title, "".join(parts), style=page_style() + _STYLE + within_page(".tree"))

    def _article(self, number: int, one: TreeDerivation, other: TreeDerivation | None) -> str:
        sides = [(self._names[0], one)] + ([] if other is None else [(self._names[1], other)])
        parts = [f'<article><h2 dir="auto">{number}. {escape(" ".join(one.pair.source))}</h2><div class="sides">']
        for name, told in sides:
            heading = "" if other is None else f"{name}: {' '.join(told.pair.target)}"
            costs = told.translation.costs
            shown = " ".join(f"{cost:.4f}" for cost in costs)
            what = "Sum of costs" if told.summed else f"All {len(costs)} costs, worst first"
            label = escape(f"tree {number} {name}", quote=True)
            parts.append(
                f'<div class="side"><div class="tree" tabindex="0" role="region" aria-label="{label}">{told.draw(heading)}</div>'
                f"<p>Worst step: {escape(told.worst())}.</p>"
                f"<details><summary>{what}</summary><p>{shown}</p></details></div>"
            )
        parts.append("</div>")
        compared = self._compared(one, other)
        if compared is not None:
            told_apart = "\n".join(compared.text().split("\n")[-4:])
            parts.append(f'<pre class="told">{escape(told_apart)}</pre>')
        return f"{''.join(parts)}</article>"
