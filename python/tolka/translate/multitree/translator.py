"""A multitree system as people use it: a directory with all it needs, from text to text."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from tolka.corpus import CompoundSplitter, Truecaser
from tolka.decode import words_of
from tolka.errors import FormatError
from tolka.files import Bundle, save_bundle
from tolka.files.checked import Checked, length
from tolka.forest import Forest
from tolka.multitree.derivation import TreeDerivation
from tolka.multitree.parsing import parse_tokens
from tolka.multitree.translator import MultitreeTranslator
from tolka.page.svg import readable
from tolka.syntax import ConstituencyParser, with_words
from tolka.translate.bundle import COMPOUNDS, MULTITREE
from tolka.translate.description import CorpusPart, Lang, TextSettings
from tolka.translate.text import TextSteps
from tolka.translate.translator import NbestList, Translation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from tolka.multitree.translation import TreeTranslation
    from tolka.syntax import Constituent

KIND = MULTITREE
PARSER = "parser.bin"
LONGEST, PIECE = 400, 60
"""Most words that are searched at once; lines with more are no sentences, and are translated in pieces."""


@dataclass(frozen=True)
class TreeDescription(Checked):
    """A model without its files.

    Attributes:
        langs: The language it translates from, and the one it translates to.
        parser: Who gives sentences their trees: a parser of constituents; word classes, which make no tree; or nobody.
        multitree: Settings of the search and of its training, as `tolka.multitree.MultitreeSettings` stores them.
        text: How text is prepared and restored.
        corpora: What it was trained on, if that has names.
        made: How it was made, for people to read; nothing depends on it.
    """

    langs: Annotated[list[Lang], length(2, 2)]
    parser: Literal["constituents", "classes", "flat"]
    multitree: dict[str, Any]
    text: TextSettings = field(default_factory=TextSettings)
    corpora: list[CorpusPart] | None = None
    made: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_manifest(cls, settings: Mapping[str, Any], path: str | PathLike[str]) -> TreeDescription:
        """The description in a manifest's settings.

        Raises:
            FormatError: They describe no such translator.
        """
        try:
            return cls.read(settings)
        except ValueError as error:
            what = f"the model's manifest describes no multitree translator: {error}"
            raise FormatError(what, path=path, hint="make the model again, or upgrade tolka") from error

    def written(self) -> dict[str, Any]:
        """As settings of a manifest."""
        return {name: value for name, value in asdict(self).items() if value is not None}


def write_tree_model(
    path: str | PathLike[str],
    description: TreeDescription,
    model: MultitreeTranslator,
    files: Mapping[str, Path],
    *,
    stages: Iterable[str] = (),
) -> None:
    """Write a model's directory, replacing the model that is there.

    Args:
        path: The directory.
        description: What the model is; the settings of its search are those of `model`.
        model: What searches.
        files: The parser (`PARSER`), truecasers (`truecaser.<lang>`) and the splitter of compounds, by name.
        stages: The stages that made it.

    Raises:
        FileError: The directory holds something else than a model, or cannot be written.
    """
    settings = {**description.written(), "multitree": model.settings.stored()}
    with save_bundle(Path(path), kind=KIND, settings=settings, stages=stages) as out:
        model.write(out)
        for name, source in sorted(files.items()):
            shutil.copyfile(source, out.file(name))


def copy_tree_model(made: str | PathLike[str], path: str | PathLike[str]) -> None:
    """Bring a model to another place, unless it is there."""
    bundle, place = Bundle.open(Path(made), kind=KIND, verify=False), Path(path)
    if (place / "model.toml").exists() and Bundle.open(place, verify=False).manifest == bundle.manifest:
        return
    with save_bundle(place, kind=KIND, settings=bundle.settings, stages=bundle.stages) as out:
        for name in bundle.names:
            shutil.copyfile(bundle.file(name), out.file(name))


class TreeTranslator:
    """Translates text by multitrees; `tolka train --kind multitree` makes one, `load` opens it.

    Attributes:
        description: What the model is.
        model: What searches.
        parser: Who gives sentences their trees; None if nobody does.
    """

    def __init__(
        self,
        description: TreeDescription,
        model: MultitreeTranslator,
        parser: ConstituencyParser | None,
        steps: tuple[TextSteps, TextSteps],
    ) -> None:
        self.description, self.model, self.parser = description, model, parser
        self._source, self._target = steps

    @property
    def langs(self) -> tuple[str, str]:
        """The language it translates from, and the one it translates to."""
        source, target = self.description.langs
        return source, target

    @classmethod
    def load(cls, path: str | PathLike[str], *, verify: bool = False) -> Self:
        """Open a model's directory.

        Args:
            path: The directory.
            verify: Compare every byte with the manifest's checksums; otherwise only sizes.

        Raises:
            FileError: There is no model.
            FormatError: It is damaged or of another kind.
        """
        bundle = Bundle.open(Path(path), kind=KIND, verify=verify)
        description = TreeDescription.of_manifest(bundle.settings, bundle.path)
        text = description.text
        if text.masked:
            raise FormatError("a multitree translator knows no placeholders", path=bundle.path, hint="train it again")
        cased = text.truecase and not text.tokenised
        splitter = CompoundSplitter.load(bundle.file(COMPOUNDS)) if text.compounds else None
        source, target = (
            TextSteps(lang, text, Truecaser.load(bundle.file(f"truecaser.{lang}")) if cased else None, compounds)
            for lang, compounds in zip(description.langs, (splitter, None), strict=True)
        )
        parser = ConstituencyParser.load(bundle.file(PARSER)) if description.parser == "constituents" else None
        return cls(description, MultitreeTranslator.read(bundle, description.multitree), parser, (source, target))

    def translate(self, lines: Sequence[str], *, threads: int = 0) -> list[str]:
        """Translate lines of text.

        Raises:
            InputError: A line has what can be no word.
        """
        words = self._words(lines, threads)
        pieces = [piece for sentence in words for piece in _pieces(sentence)]
        found = iter(self._searched(pieces, self._trees(pieces, threads), threads))
        said = [" ".join(str(next(found)) for _ in _pieces(sentence)) for sentence in words]
        return self._target.restore(said, threads=threads)

    def explain(self, lines: Sequence[str], *, threads: int = 0) -> list[tuple[str, TreeDerivation]]:
        """Translate lines of text, and tell how each translation came about.

        Raises:
            InputError: A line has what can be no word.
            LimitError: A line has more words than can be searched at once.
        """
        words = self._words(lines, threads)
        trees = self._trees(words, threads)
        found = self._searched(words, trees, threads)
        told = [_told(*one) for one in zip(words, found, trees, strict=True)]
        restored = self._target.restore([str(one) for one in found], threads=threads)
        return list(zip(restored, told, strict=True))

    def lists(self, lines: Sequence[str], most: int, *, threads: int = 0) -> list[NbestList]:
        """Up to so many translations of each line, best first; see `MultitreeTranslator.lists` for features and scores.

        Raises:
            InputError: A line has what can be no word.
            LimitError: A line has more words than can be searched at once.
        """
        words = self._words(lines, threads)
        found = self.model.lists(words, self._trees(words, threads), most=most, threads=threads)
        said = [" ".join(one.words) for ones in found for one in ones]
        restored = iter(zip(self._target.restore(said, threads=threads), said, strict=True))
        return [
            NbestList(" ".join(own), [Translation(*next(restored), one.score, one.features) for one in ones])
            for own, ones in zip(words, found, strict=True)
        ]

    def forests(self, lines: Sequence[str], *, threads: int = 0) -> list[tuple[str, Forest]]:
        """Translate lines of text, and pack all that was found; see `MultitreeTranslator.forests`.

        A line that no single tree covers has an empty forest.

        Raises:
            InputError: A line has what can be no word.
            LimitError: A line has more words than can be searched at once.
        """
        words = self._words(lines, threads)
        trees = self._trees(words, threads)
        said = [str(one) for one in self._searched(words, trees, threads)]
        packed = self.model.forests(words, trees, threads=threads)
        forests = [_nothing(own) if one is None else one for own, one in zip(words, packed, strict=True)]
        return list(zip(self._target.restore(said, threads=threads), forests, strict=True))

    def _words(self, lines: Sequence[str], threads: int) -> list[list[str]]:
        return [words_of(line) for line in self._source.prepare(list(lines), threads=threads)]

    def _trees(self, words: list[list[str]], threads: int) -> list[Constituent | None]:
        if self.parser is None:
            return [None] * len(words)
        return parse_tokens(self.parser, words, threads=threads)[0]

    def _searched(self, words: list[list[str]], trees: list[Constituent | None], threads: int) -> list[TreeTranslation]:
        return self.model.translate(words, trees, threads=threads)

    def __repr__(self) -> str:
        source, target = self.langs
        return f"<TreeTranslator {source}-{target}, trees by {self.description.parser}>"


def _pieces(words: list[str]) -> list[list[str]]:
    """A sentence that can be searched at once; of a longer line, parts of it."""
    if len(words) <= LONGEST:
        return [words]
    return [words[start : start + PIECE] for start in range(0, len(words), PIECE)]


def _nothing(words: list[str]) -> Forest:
    """A forest in which nothing grows."""
    return Forest.from_dict({"source": words, "categories": [], "rules": [], "nodes": [], "edges": []})


def _told(words: list[str], found: TreeTranslation, tree: Constituent | None) -> TreeDerivation:
    """A derivation over words as people write them, not as the tokeniser escapes them."""
    shown = [readable(word) for word in words]
    said = replace(found, words=tuple(readable(word) for word in found.words))
    return TreeDerivation.of(shown, said, None if tree is None else with_words(tree, shown))
