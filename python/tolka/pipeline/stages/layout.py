"""The corpus that stages hand to each other: a directory with a text file per section and language.

`corpus.json` says which: `{"langs": ["de", "en"], "sections": ["train"], "history": ["corpus"], "text": {}}` beside
`train.de` and `train.en`. There is one section, `train`, until a corpus is split. The history names the stages it went
through, and `text` says what they did to each line, as `tolka.translate.TextSettings` has it.

A training section that is made of several corpora has `corpora.json` beside it: their names in the order in which they stand
there one after the other, each with its number of pairs.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tolka.corpus import read_lines, read_pairs
from tolka.errors import FormatError, InputError
from tolka.translate import TextSettings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tolka.corpus import Lines, Pair, Rows

TRAIN = "train"
SPLIT_REPORT = "split.json"
"""Beside a corpus that was split: how it was."""
_CORPORA = "corpora.json"


@dataclass(frozen=True)
class CorpusDirectory:
    """A corpus between stages."""

    path: Path
    langs: tuple[str, str]
    sections: tuple[str, ...]
    history: tuple[str, ...]
    text: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> CorpusDirectory:
        """Read what a stage wrote."""
        try:
            listed = json.loads((path / "corpus.json").read_bytes())
            source, target = listed["langs"]
            sections, history = tuple(map(str, listed["sections"])), tuple(map(str, listed["history"]))
            return cls(path, (str(source), str(target)), sections, history, dict(listed["text"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError("not a corpus that a stage wrote", path=path) from error

    def create(self) -> CorpusDirectory:
        """Make the directory and its list; the texts are the caller's."""
        self.path.mkdir()
        listed = {"langs": self.langs, "sections": self.sections, "history": self.history, "text": dict(self.text)}
        (self.path / "corpus.json").write_text(f"{json.dumps(listed)}\n", encoding="utf-8")
        return self

    def next(self, path: Path, stage: str, sections: tuple[str, ...] | None = None, **text: Any) -> CorpusDirectory:
        """Make the directory for what `stage` makes of this corpus; `text` is what it does to each line."""
        done = {**self.text, **text}
        made = CorpusDirectory(path, self.langs, sections or self.sections, (*self.history, stage), done).create()
        made.name_corpora(self.corpora())
        return made

    def corpora(self) -> tuple[tuple[str, int], ...]:
        """The names of the corpora in the training section with their pairs, one after the other; none if it is one."""
        path = self.path / _CORPORA
        if not path.exists():
            return ()
        try:
            return tuple((str(name), int(pairs)) for name, pairs in json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError) as error:
            raise FormatError("not a list of corpora that a stage wrote", path=path) from error

    def name_corpora(self, corpora: Sequence[tuple[str, int]]) -> None:
        """Say which corpora the training section is made of, if it is made of several."""
        if corpora:
            (self.path / _CORPORA).write_text(f"{json.dumps(list(corpora))}\n", encoding="utf-8")

    def text_settings(self) -> TextSettings:
        """What was done to each line, to be done again to text that comes later.

        Raises:
            InputError: That cannot be done again.
        """
        split, masked = "compounds" in self.history, "placeholders" in self.history
        if "tokenise" in self.history:
            untouched = {"invisible": False, "nfc": False, "spaces": False, "truecase": False}
            return TextSettings.read({**untouched, **self.text, "compounds": split, "masked": masked})
        if self.text.get("truecase"):
            raise InputError("the corpus was truecased but not tokenised", hint="put [tokenise] above [truecase]")
        return TextSettings(tokenised=True, truecase=False, compounds=split, masked=masked)

    def file(self, section: str, lang: str) -> Path:
        """Where a text is."""
        return self.path / f"{section}.{lang}"

    def lines(self, section: str, lang: str) -> Lines:
        """The lines of a text."""
        return read_lines(self.file(section, lang))

    def pairs(self, section: str) -> Rows[Pair]:
        """The sentence pairs of a section."""
        source, target = self.langs
        return read_pairs(self.file(section, source), self.file(section, target))

    def write(self, section: str, pairs: Iterable[Pair]) -> int:
        """Write a section; how many pairs it has."""
        source, target = (self.file(section, lang) for lang in self.langs)
        count = 0
        with (
            source.open("w", encoding="utf-8", newline="\n") as left,
            target.open("w", encoding="utf-8", newline="\n") as right,
        ):
            for one, other in pairs:
                left.write(f"{one}\n")
                right.write(f"{other}\n")
                count += 1
        return count


class CorpusCounter:
    """Counts what stays of each corpus while pairs are dropped; called with a number per pair, 0 for one that stays."""

    def __init__(self, corpora: Sequence[tuple[str, int]]) -> None:
        self._corpora = corpora
        self._left = [pairs for _, pairs in corpora]
        self._kept = [0] * len(corpora)
        self._at = 0

    def __call__(self, verdicts: bytes) -> None:
        """Take note of the next pairs."""
        begin = 0
        while self._corpora and begin < len(verdicts):
            while not self._left[self._at]:
                self._at += 1
            part = verdicts[begin : begin + self._left[self._at]]
            self._kept[self._at] += part.count(0)
            self._left[self._at] -= len(part)
            begin += len(part)

    def corpora(self) -> list[tuple[str, int]]:
        """What is left."""
        return [(name, kept) for (name, _), kept in zip(self._corpora, self._kept, strict=True)]
