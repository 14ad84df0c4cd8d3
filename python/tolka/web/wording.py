r"""What a page says to the people who come to it, in their language.

Pages are written in English, and an English sentence is the name of its translations. A catalogue is a TOML file:

    language = "de"
    direction = "ltr"

    [words]
    "Leave" = "Beenden"
    "{answered} of {goal}" = "{answered} von {goal}"

What it leaves out stays English; a sentence that no page says, or one whose blanks differ, is an error.

Example:
    >>> say = Wording.of_text('language = "de"\n[words]\n"Hello, {name}" = "Hallo, {name}"', known=["Hello, {name}"])
    >>> str(say("Hello, {name}", name="<b>")), say("Goodbye")
    ('Hallo, &lt;b&gt;', 'Goodbye')
"""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Literal

from markupsafe import Markup, escape
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tolka.errors import FileError, FormatError, LimitError
from tolka.files.complaints import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

MOST_BYTES = 1 << 20
_BLANK = re.compile(r"\{(\w*)\}")


class _Catalogue(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")]
    direction: Literal["ltr", "rtl"] = "ltr"
    words: dict[str, str]


@dataclass(frozen=True)
class Wording:
    """The sentences of a page in a language.

    Attributes:
        language: A BCP 47 tag.
        direction: ltr or rtl.
        words: By the English sentence, the translation.
    """

    language: str = "en"
    direction: str = "ltr"
    words: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, text: str, **values: object) -> str:
        """A sentence in this language, with its blanks filled by values that are text, or HTML marked as such."""
        found = self.words.get(text, text)
        return Markup(escape(found)).format(**values) if values else found  # noqa: S704 (escaped)

    @classmethod
    def load(cls, path: Path, *, known: Iterable[str]) -> Wording:
        """Read a catalogue.

        Args:
            path: The file.
            known: Every sentence there is.

        Raises:
            FileError: It cannot be read.
            FormatError: It is no catalogue.
        """
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise FileError(f"cannot read the catalogue: {error.strerror}", path=path) from error
        if len(data) > MOST_BYTES:
            raise LimitError(f"a catalogue may have {MOST_BYTES} bytes", path=path, hint="is this the right file?")
        try:
            return cls.of_text(data.decode(), known=known, path=path)
        except UnicodeDecodeError as error:
            raise FormatError("not valid UTF-8", path=path, byte=error.start + 1, hint="save it as UTF-8") from error

    @classmethod
    def of_text(cls, text: str, *, known: Iterable[str], path: Path | None = None) -> Wording:
        """Read a catalogue given as text; see `load`."""
        try:
            found = _Catalogue.model_validate(tomllib.loads(text))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise FormatError(f"not TOML: {error}", path=path) from error
        except ValidationError as error:
            first = error.errors()[0]
            raise FormatError(sentence(".".join(str(part) for part in first["loc"]), first), path=path) from None
        every = list(known)
        for english, said in found.words.items():
            _check(english, said, every, path)
        return cls(found.language, found.direction, found.words)


def _check(english: str, said: str, known: list[str], path: Path | None) -> None:
    if english not in known:
        near = difflib.get_close_matches(english, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}?" if near else "look at the English sentences in en.toml"
        raise FormatError(f"no page says {english!r}", path=path, hint=hint)
    wanted, got = sorted(_BLANK.findall(english)), sorted(_BLANK.findall(said))
    if wanted != got or _BLANK.sub("", said).count("{") or _BLANK.sub("", said).count("}"):
        blanks = ", ".join(f"{{{name}}}" for name in wanted) or "none"
        raise FormatError(f"the translation of {english!r} needs these blanks, each once: {blanks}", path=path)
