r"""`campaign.toml`: what a campaign asks, shows, allows and pays; an unknown key is an error.

Example:
    >>> CampaignSettings.from_text('title = "Spring test"\n[show]\nsource = false\n').show.source
    False
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from tolka.errors import FileError
from tolka.files.settings import Table, check_settings, parse_toml, read_settings
from tolka.web.settings import WebSettings

if TYPE_CHECKING:
    from pathlib import Path

FILE = "campaign.toml"

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


class Show(Table):
    """What the page shows beside the two outputs."""

    source: bool = True
    """Whether the source is shown."""
    reference: bool = True
    """Whether the reference is shown."""
    differences: bool = False
    """Mark the words in which the two outputs differ."""
    undecided: bool = False
    """Offer "I cannot tell", which is recorded and not fitted."""
    ties: Literal["none", "equal", "equal-bad"] = "none"
    """Offer "both are equally good", and with equal-bad "both are bad" too; recorded as a tie."""
    pause_every: Count = 50
    """Remind of a pause after so many answers; 0 never."""


class Ask(Table):
    """Which questions are asked, how many, and when it is enough."""

    strategy: Line = "order"
    """How pairs are chosen: order, information, uniform, adjacent, trueskill or random."""
    explore: Share = 0.15
    """Share of pairs drawn at random, whatever the strategy; it keeps the model honest."""
    overlap: Share = 0.2
    """Share of questions that another judge has had, so that agreement can be seen."""
    refit_every: Annotated[int, Field(ge=1, le=100_000)] = 20
    """Answers between two fits of the queue."""
    target: Count = 0
    """Answers wanted in all, of judges who are not left out; 0 means until it is stopped."""
    per_judge: Count = 0
    """Answers wanted of each judge; 0 means as many as there are questions."""
    stop_width: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Pause when every 95 % interval of a score is at most so wide; 0 is never."""
    stop_confidence: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Pause when every two neighbours of the ranking are told apart as surely, as 0.95; 0 is never."""
    stop_information: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Pause when no question is expected to tell more than so many nats, as 0.01; 0 is never."""
    stop_settled: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Pause when no 95 % interval of ranks has changed for so many answers per item, as 3; 0 is never."""
    stop_when: Literal["all", "any"] = "all"
    """Of several rules to stop by, whether all must hold or any is enough."""
    lease_minutes: Annotated[float, Field(gt=0, le=1440)] = 30.0
    """How long a question waits for its judge before its place is given away."""


class Tests(Table):
    """Test questions, whose right answers are known."""

    rate: Share = 0.05
    """Share of test questions among all."""


class Judges(Table):
    """Whose answers count in the ranking; all are kept. By name: tolka judge leave-out."""

    least_correct: Share = 0.0
    """Leave out judges who got a smaller share of their test questions right; 0 leaves out nobody."""
    least_tests: Annotated[int, Field(ge=1)] = 1
    """Test questions a judge must have had before that."""


class Cost(Table):
    """What answers cost."""

    per_answer: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """The price of a question answered, test questions included."""
    currency: Annotated[str, Field(max_length=12)] = "EUR"
    """Its currency."""


class Finish(Table):
    """What a judge gets who is done, for platforms that want proof."""

    code: Line = ""
    """A completion code."""
    own_code: bool = False
    """Whether each judge sees a code of their own after it; the admin page lists them."""
    url: Annotated[str, Field(max_length=2000, pattern=r"^(https?://[^\s]+)?$")] = ""
    """Where to go on; {code} stands for the code."""


class CampaignSettings(Table):
    """Everything that `campaign.toml` may say."""

    title: Line = "Which is better?"
    """What the campaign is called, on the page."""
    question: Line = "Which of the two is better?"
    """What the judges are asked."""
    instructions: Text = INSTRUCTIONS
    """Shown before the first question and behind a link; blank lines separate paragraphs."""
    consent: Text = ""
    """What a judge agrees to before the first question; empty if there is nothing to agree to."""
    thanks: Text = "That was the last question for you."
    """Shown at the end."""
    labels: Line = ""
    """The language of the page's own words, as de, or a catalogue in the campaign's directory; empty for English."""
    language: LanguageTag = ""
    """The outputs' language as a BCP 47 tag (de, pt-BR), for browsers and screen readers; empty if it is not known."""
    source_language: LanguageTag = ""
    """The source's language."""
    database: Annotated[str, Field(max_length=2000)] = ""
    """A PostgreSQL address; empty for a SQLite file in the campaign's directory."""
    seed: int = 1
    """Seed of everything random except secrets."""
    show: Show = Show()
    ask: Ask = Ask()
    tests: Tests = Tests()
    judges: Judges = Judges()
    cost: Cost = Cost()
    finish: Finish = Finish()
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
        return cls.from_text(read_text(directory), path=path)

    @classmethod
    def from_text(cls, text: str, *, path: Path | None = None) -> CampaignSettings:
        """Check settings given as text."""
        return cls.from_values(parse_toml(text, path), path=path)

    @classmethod
    def from_values(cls, values: dict[str, Any], *, path: Path | None = None) -> CampaignSettings:
        """Check settings given as values."""
        return check_settings(cls, values, path)


def read_text(directory: Path) -> str:
    """The text of the settings of the campaign in a directory."""
    try:
        return read_settings(directory / FILE)
    except FileError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            hint = "make one with: tolka judge init"
            raise FileError("there is no campaign here", path=directory, hint=hint) from error
        raise


Role = Literal["judge", "program", "admin"]
