"""What a model's manifest says of it: kind, languages, how text is prepared, how hard it searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tolka.errors import FormatError
from tolka.reorder import AnalyserKind  # noqa: TC001 (pydantic reads the annotations)
from tolka.translate.defaults import Kind  # noqa: TC001 (pydantic reads the annotations)

if TYPE_CHECKING:
    from os import PathLike

Number = bool | int | float
# Names of tables and language models begin the names of files and of features.
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
Names = Annotated[list[Name], Field(max_length=64)]
Lang = Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}|_[A-Za-z0-9]{1,8})*$")]


class TextSettings(BaseModel):
    """How text becomes words, and words become text.

    Attributes:
        tokenised: Whether text comes as words with spaces between and leaves so; then nothing else is done.
        invisible: Whether invisible characters are removed, as `tolka.corpus.CleanSettings` says.
        nfc: Whether characters are composed, likewise.
        spaces: Whether spaces are made plain and single, likewise.
        escape: Whether the tokeniser escapes `& | < > ' " [ ]`.
        protect: Whether it leaves addresses and compound numbers whole.
        abbreviations: Further words that keep their period.
        truecase: Whether words at the start of a sentence get their usual case.
        compounds: Whether compounds of the language it translates from are split, tokenised or not.
        masked: Whether placeholders stand for numbers and addresses, tokenised or not.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    tokenised: bool = False
    invisible: bool = True
    nfc: bool = True
    spaces: bool = True
    escape: bool = True
    protect: bool = False
    abbreviations: list[str] = Field(default_factory=list)
    truecase: bool = True
    compounds: bool = False
    masked: bool = False


class Growing(BaseModel):
    """How a model that takes in new sentence pairs finds its rules.

    Attributes:
        rules: Settings of `tolka.grammar.Extractor`.
        samples: Occurrences that are looked at, as `tolka.grammar.SuffixGrammar` says.
        lm: The order and smoothing of the language model, if it is made again of the text that is kept.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    rules: dict[str, bool | int | float | str] = Field(default_factory=dict)
    samples: Annotated[int, Field(ge=0)] = 300
    lm: dict[str, int | str] | None = None


class Reorder(BaseModel):
    """How the words of a sentence are put into the target language's order before it is translated.

    Attributes:
        analyser: Who gives sentences their trees: `udpipe` or `classes`.
        settings: Of the pre-orderer, as its own manifest has them.
        files: The names of its files.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    analyser: AnalyserKind
    settings: dict[str, Any]
    files: Annotated[list[str], Field(max_length=64)]


class Description(BaseModel):
    """A model without its files.

    Attributes:
        kind: `hiero` (rules with gaps) or `phrase`.
        langs: The language it translates from, and the one it translates to.
        text: How text is prepared and restored.
        search: Settings of the decoder.
        sparse: Templates of sparse features, as `tolka.decode.SparseFeatures` has them.
        grammars: The names of its tables of rules.
        lms: The names of its language models.
        reorder: How words are put into another order first, if they are.
        aligner: Whether the aligner that it was made with is kept.
        growing: How it finds rules, if it keeps its text instead of a table of rules.
        made: How it was made, for people to read; nothing depends on it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    kind: Kind
    langs: Annotated[list[Lang], Field(min_length=2, max_length=2)]
    text: TextSettings = TextSettings()
    search: dict[str, Number] = Field(default_factory=dict)
    sparse: dict[Literal["word_pair", "rule_shape", "rule_count"], bool | int] = Field(default_factory=dict)
    grammars: Annotated[Names, Field(min_length=1)] = Field(default_factory=lambda: ["grammar"])
    lms: Names = Field(default_factory=lambda: ["lm"])
    reorder: Reorder | None = None
    aligner: bool = False
    growing: Growing | None = None
    made: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def read(cls, settings: dict[str, Any], path: str | PathLike[str]) -> Description:
        """The description in a manifest's settings.

        Raises:
            FormatError: They describe no translator.
        """
        try:
            return cls.model_validate(settings)
        except ValidationError as error:
            found = error.errors(include_url=False)[0]
            where = ".".join(map(str, found["loc"]))
            what = f"the model's manifest describes no translator: {where}: {found['msg']}"
            raise FormatError(what, path=path, hint="make the model again, or upgrade tolka") from error

    def written(self) -> dict[str, Any]:
        """As settings of a manifest."""
        return self.model_dump(exclude_none=True)
