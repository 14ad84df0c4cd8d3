r"""`campaign.toml`: what a campaign asks, shows, allows and pays; an unknown key is an error.

Example:
    >>> CampaignSettings.from_text('title = "Spring test"\n[show]\nsource = false\n').show.source
    False
"""

from __future__ import annotations

import difflib
import re
import tomllib
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tolka.errors import FileError, FormatError, LimitError, SettingsError
from tolka.files.complaints import sentence
from tolka.web.settings import WebSettings

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

FILE = "campaign.toml"
MOST_BYTES = 1 << 20

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Text = Annotated[str, Field(max_length=20_000)]
Line = Annotated[str, Field(max_length=200)]
LanguageTag = Annotated[str, Field(pattern=r"^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$")]

INSTRUCTIONS = """\
You will see two translations of the same text. Choose the one that is better: the one whose meaning is nearest to the \
original, and that reads well.

There is no button for "equally good". If you cannot tell, follow your first impression; that is an answer too.

Take the time you need, and stop whenever you like. Everything you have answered is kept."""


class Table(BaseModel):
    """A table of settings: nothing unknown, nothing converted, nothing changed later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Show(Table):
    """What the page shows beside the two outputs."""

    source: bool = True
    reference: bool = True
    differences: bool = False  # mark the words in which the two outputs differ
    undecided: bool = False  # offer "I cannot tell", which is recorded and not fitted
    pause_every: Count = 50  # remind of a pause after so many answers; 0 never


class Ask(Table):
    """Which questions are asked, and how many."""

    strategy: Line = "order"
    explore: Share = 0.15  # share of pairs drawn at random, whatever the strategy
    overlap: Share = 0.2  # share of questions that another judge has had, so that agreement can be seen
    refit_every: Annotated[int, Field(ge=1, le=100_000)] = 20  # answers between two fits of the queue
    target: Count = 0  # answers wanted in all; 0 means until it is stopped
    stop_width: Annotated[float, Field(ge=0, allow_inf_nan=False)] = (
        0.0  # pause when every interval is as narrow; 0 is never
    )
    stop_confidence: Annotated[float, Field(ge=0, lt=1)] = (
        0.0  # pause when every two neighbours differ as surely; 0 is never
    )
    per_judge: Count = 0  # answers wanted of each judge; 0 means as many as there are questions
    lease_minutes: Annotated[float, Field(gt=0, le=1440)] = 30.0


class Tests(Table):
    """Test questions, whose right answers are known."""

    rate: Share = 0.05


class Cost(Table):
    """What answers cost."""

    per_answer: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    currency: Annotated[str, Field(max_length=12)] = "EUR"


class CampaignSettings(Table):
    """Everything that `campaign.toml` may say.

    Attributes:
        title: What the campaign is called, on the page.
        question: What the judges are asked.
        instructions: Shown before the first question and behind a link; blank lines separate paragraphs.
        consent: What a judge agrees to before the first question; empty if there is nothing to agree to.
        thanks: Shown at the end.
        language: The outputs' language as a BCP 47 tag, for browsers and screen readers; empty if it is not known.
        source_language: The source's.
        database: A PostgreSQL address; empty for a SQLite file in the campaign's directory.
        seed: Of everything random except secrets.
        show: What the page shows.
        ask: Which questions are asked.
        tests: Test questions.
        cost: What answers cost.
        web: Limits of the page.
    """

    title: Line = "Which is better?"
    question: Line = "Which of the two is better?"
    instructions: Text = INSTRUCTIONS
    consent: Text = ""
    thanks: Text = "That was the last question for you."
    language: LanguageTag = ""
    source_language: LanguageTag = ""
    database: Annotated[str, Field(max_length=2000)] = ""
    seed: int = 1
    show: Show = Show()
    ask: Ask = Ask()
    tests: Tests = Tests()
    cost: Cost = Cost()
    web: WebSettings = WebSettings()

    @classmethod
    def load(cls, directory: Path) -> CampaignSettings:
        """Read and check the settings of the campaign in a directory.

        Raises:
            FileError: There is no campaign, or its settings cannot be read.
            FormatError: They are not TOML.
            SettingsError: They say something that makes no sense.
        """
        path = directory / FILE
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except FileNotFoundError as error:
            hint = "make one with: tolka judge init"
            raise FileError("there is no campaign here", path=directory, hint=hint) from error
        except OSError as error:
            raise FileError(f"cannot read the settings: {error.strerror}", path=path) from error
        if len(data) > MOST_BYTES:
            raise LimitError(f"settings may have {MOST_BYTES} bytes", path=path, hint="is this the right file?")
        try:
            return cls.from_text(data.decode(), path=path)
        except UnicodeDecodeError as error:
            raise FormatError("not valid UTF-8", path=path, byte=error.start + 1, hint="save it as UTF-8") from error

    @classmethod
    def from_text(cls, text: str, *, path: Path | None = None) -> CampaignSettings:
        """Check settings given as text."""
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            what, _, where = str(error).partition(" (at ")
            line = re.match(r"line (\d+)", where)
            what = f"not TOML: {what[0].lower()}{what[1:]}"
            raise FormatError(what, path=path, line=int(line[1]) if line else None) from error
        except RecursionError:
            raise FormatError("not settings: brackets nested too deeply", path=path) from None
        return cls.from_values(values, path=path)

    @classmethod
    def from_values(cls, values: dict[str, Any], *, path: Path | None = None) -> CampaignSettings:
        """Check settings given as values."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            what, hint = _complaint(error.errors()[0])
            raise SettingsError(what, path=path, hint=hint) from None


def _complaint(found: ErrorDetails) -> tuple[str, str]:
    place = [str(part) for part in found["loc"]]
    name = ".".join(place)
    if found["type"] != "extra_forbidden":
        return sentence(name, found), ""
    table: Any = CampaignSettings
    for part in place[:-1]:
        table = table.model_fields[part].annotation
    known = sorted(table.model_fields)
    near = difflib.get_close_matches(place[-1], known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
    return f"unknown setting {name}", hint


Role = Literal["judge", "program", "admin"]
