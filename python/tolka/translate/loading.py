"""What the files of a model become in memory: text steps, and a decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from tolka.corpus import CompoundSplitter, Truecaser
from tolka.decode import Decoder, SparseFeatures
from tolka.errors import FormatError, SettingsError
from tolka.grammar import Grammar, Voice
from tolka.lm import LanguageModel
from tolka.translate.searching import check_search
from tolka.translate.text import TextSteps

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tolka.decode.decoder import Rules
    from tolka.translate.bundle import ModelFiles
    from tolka.translate.description import Description


class Loadable(Protocol):
    """Something that is in a file of its own."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load it."""
        ...


Kind = TypeVar("Kind", bound=Loadable)


class Opener:
    """Opens files of models; of those that are known to be the same, only the first.

    Args:
        checksums: Of files that others may be the same as.
    """

    def __init__(self, checksums: Mapping[Path, str] | None = None) -> None:
        self._checksums = dict(checksums or {})
        self._found: dict[tuple[type, str], Any] = {}

    def open(self, kind: type[Kind], path: Path) -> Kind:
        """What is in a file."""
        checksum = self._checksums.get(path)
        if checksum is None:
            return kind.load(path)
        key = kind, checksum
        if key not in self._found:
            self._found[key] = kind.load(path)
        found: Kind = self._found[key]
        return found


def make_steps(
    description: Description, files: ModelFiles, opener: Opener | None = None
) -> tuple[TextSteps, TextSteps]:
    """The text steps of a model's source and target language."""
    opener = opener or Opener()
    compounds = None if files.compounds is None else opener.open(CompoundSplitter, files.compounds)
    source, target = (
        TextSteps(
            lang,
            description.text,
            opener.open(Truecaser, files.truecasers[lang]) if lang in files.truecasers else None,
            splitter,
        )
        for lang, splitter in zip(description.langs, (compounds, None), strict=True)
    )
    return source, target


def make_decoder(
    description: Description,
    files: ModelFiles,
    weights: Mapping[str, float] | None,
    settings: Mapping[str, Any],
    opener: Opener | None = None,
) -> Decoder:
    """What searches with a model's rules and language models.

    Args:
        description: What the model is.
        files: Its parts.
        weights: By feature; those not named have the value they have before tuning.
        settings: Of the decoder.
        opener: Who opens the files.

    Raises:
        SettingsError: A setting that the decoder does not have, or sparse features of a model that grows.
        FormatError: A table that speaks for several models, and not for this one.
    """
    opener = opener or Opener()
    lms = {name: opener.open(LanguageModel, path) for name, path in files.lms.items()}
    grammars: dict[str, Rules] = {
        name: rules_of(opener.open(Grammar, path), (description.voices or {}).get(name), path)
        for name, path in files.grammars.items()
    }
    if description.growing is not None:
        if any(description.sparse.values()):
            raise SettingsError("a model that grows has no sparse features", hint="leave them out")
        from tolka.translate.on_demand import suffix_grammar  # noqa: PLC0415 - few models grow

        grammars = {"grammar": suffix_grammar(description, description.growing, files)}
    if description.through is not None:
        from tolka.translate.through import composition  # noqa: PLC0415 - few models lead through other languages

        grammars = {"grammar": composition(grammars, description.through)}
    try:
        return Decoder(
            # The features of a single table have no name before them.
            grammars if len(grammars) > 1 else next(iter(grammars.values())),
            lms,
            kind=description.strategy,
            weights=weights,
            sparse=SparseFeatures(**description.sparse),  # type: ignore[arg-type]
            **settings,
        )
    except (TypeError, ValueError, OverflowError):
        # A value that the engine cannot even read; which, is said here.
        check_search(description.strategy, settings)
        raise


def rules_of(table: Grammar, voice: str | None, path: Path) -> Grammar | Voice:
    """The rules of a model in a table, which may speak for others as well.

    Args:
        table: The table.
        voice: The model's voice; None for an ordinary table.
        path: Its file; what is opened once may have several names.

    Raises:
        FormatError: The table has no such voice, or several and none is named.
    """
    names = table.voices
    if voice is None and names:
        what = f"the table speaks for several models, and nothing says which of {', '.join(names)} is meant"
        raise FormatError(what, path=path, hint="name its voice in the model's manifest")
    if voice is not None and voice not in names:
        known = f"its voices are {', '.join(names)}" if names else "it is an ordinary table"
        raise FormatError(f"the table has no voice {voice!r}", path=path, hint=known)
    return table if voice is None else Voice(table, voice)
