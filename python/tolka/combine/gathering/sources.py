"""`sources.toml`: what there is to make a translator of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from tolka.corpus import CorpusFiles
from tolka.corpus.several import check_names
from tolka.errors import SettingsError
from tolka.files.settings import Table, check_settings, parse_toml, read_settings
from tolka.pipeline.stages.sources import Lang  # noqa: TC001 (pydantic reads the annotations)

FileName = Annotated[Path, Field(strict=False)]
Texts = Annotated[tuple[FileName, ...], Field(strict=False)]
Pair = Annotated[tuple[FileName, FileName], Field(strict=False)]
Bitext = Annotated[tuple[FileName, ...], Field(strict=False, min_length=1, max_length=2)]

MOST_DIRECT, MOST_WAYS = 16, 16


class Direct(Table):
    """A text of the source and its translation into the target."""

    files: Bitext
    """Two files, or one with both sides."""
    name: Annotated[str, Field(max_length=64)] = "direct"
    """What it is called."""


class Way(Table):
    """Texts that lead from the source to the target through other languages."""

    pivots: Annotated[tuple[Lang, ...], Field(strict=False, min_length=1, max_length=3)]
    """The languages it leads through, one after the other."""
    legs: Annotated[tuple[Bitext, ...], Field(strict=False)]
    """The texts: source to the first of them, on to the next, and to the target."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if len(self.legs) != len(self.pivots) + 1:
            what = f"{len(self.legs)} legs do not lead through {len(self.pivots)} languages"
            raise ValueError(f"{what}, which take {len(self.pivots) + 1}")
        return self

    @property
    def name(self) -> str:
        """What it is called."""
        return f"via-{'-'.join(self.pivots)}"


class Unknown(Table):
    """What translations of unknown words are induced from."""

    mono: Texts = ()
    """Texts of the source language, beside the source sides of all others."""
    lexicon: Texts = ()
    """Dictionaries of source and target."""


class Sources(Table):
    """What there is.

    Example:
        >>> text = '''
        ... langs = ["de", "fr"]
        ... dev = ["dev.de", "dev.fr"]
        ... [[direct]]
        ... files = ["web.de", "web.fr"]
        ... [[through]]
        ... pivots = ["en"]
        ... legs = [["a.de", "a.en"], ["b.en", "b.fr"]]
        ... '''
        >>> Sources.from_text(text).through[0].name
        'via-en'
    """

    langs: Annotated[tuple[Lang, Lang], Field(strict=False)]
    """The languages of source and target."""
    dev: Pair
    """The development set."""
    test: Pair | None = None
    """The test set."""
    lm: FileName | None = None
    """A language model of the target to use as it is, instead of one of all its texts."""
    target: Texts = ()
    """Further texts of the target language, for the language model."""
    direct: Annotated[tuple[Direct, ...], Field(strict=False, max_length=MOST_DIRECT)] = ()
    """Texts of the source and their translations into the target."""
    through: Annotated[tuple[Way, ...], Field(strict=False, max_length=MOST_WAYS)] = ()
    """Texts that lead through other languages."""
    unknown: Unknown | None = None
    """What translations of unknown words are induced from."""

    @classmethod
    def load(cls, path: Path | str) -> Sources:
        """Read a file; the paths in it start from its directory.

        Raises:
            FileError: It cannot be read.
            FormatError: It is not TOML.
            SettingsError: It says something that makes no sense.
        """
        path = Path(path)
        return cls.from_text(read_settings(path, "sources"), path=path)

    @classmethod
    def from_text(cls, text: str, *, path: Path | None = None) -> Sources:
        """Check what is given as text."""
        found = check_settings(cls, parse_toml(text, path, "sources"), path)
        found.check(path)
        return found if path is None else found.below(path.parent)

    def check(self, path: Path | None = None) -> None:
        """Refuse what is each for itself right, and wrong together."""
        try:
            self._check()
        except SettingsError as error:
            error.path = path
            raise

    def _check(self) -> None:
        source, target = self.langs
        if source == target:
            raise SettingsError(f"source and target are both {source}", hint="name two languages")
        if not self.direct and not self.through:
            raise SettingsError("there is no text to learn from", hint="add a table [[direct]] or [[through]]")
        if self.unknown is not None and not self.direct:
            what = "unknown words are learnt of words that a direct text translates, and there is none"
            raise SettingsError(what, hint="add a table [[direct]], or leave out [unknown]")
        check_names([CorpusFiles(one.name, *one.files) for one in self.direct])
        names = [way.name for way in self.through]
        if twice := next((name for at, name in enumerate(names) if name in names[:at]), None):
            what = f"two ways lead {twice.replace('-', ' ')}"
            raise SettingsError(what, hint="put their texts into one, leg by leg")
        for way in self.through:
            if known := next((lang for lang in way.pivots if lang in self.langs), None):
                raise SettingsError(f"a way from {source} to {target} leads through {known}", hint="name others")

    def below(self, place: Path) -> Sources:
        """The same with paths that start from a directory."""

        def at(paths: tuple[Path, ...]) -> tuple[Path, ...]:
            return tuple(place / path for path in paths)

        unknown = self.unknown
        moved = {
            "dev": at(self.dev),
            "test": None if self.test is None else at(self.test),
            "lm": None if self.lm is None else place / self.lm,
            "target": at(self.target),
            "direct": tuple(one.model_copy(update={"files": at(one.files)}) for one in self.direct),
            "through": tuple(
                way.model_copy(update={"legs": tuple(at(leg) for leg in way.legs)}) for way in self.through
            ),
            "unknown": unknown
            and unknown.model_copy(update={"mono": at(unknown.mono), "lexicon": at(unknown.lexicon)}),
        }
        return self.model_copy(update=moved)
