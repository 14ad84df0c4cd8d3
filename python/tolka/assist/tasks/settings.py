r"""`tasks.toml`: what a directory of tasks asks, shows and allows; an unknown key is an error.

Example:
    >>> TaskSettings.from_text('task = "parse"\n[tests]\nrate = 0.2\n').tests.rate
    0.2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from tolka.errors import FileError
from tolka.files.settings import Table, check_settings, parse_toml, read_settings
from tolka.judge.campaign.settings import Count, LanguageTag, Line, Share, Text  # noqa: TC001 (pydantic looks at them)
from tolka.web.settings import WebSettings

if TYPE_CHECKING:
    from pathlib import Path

FILE = "tasks.toml"
HEAD = """\
# What these tasks ask, show and allow. A server reads it when it starts; an unknown key is an error.
# Lines that begin with # are yours to write, too.
"""

INSTRUCTIONS = """\
You will see a sentence, and a question about it that only its language is needed for: whether other sentences still \
mean the same, or which of two words could better stand in the place of the marked one.

Follow your first impression. If you cannot tell, say so; that is an answer too. Sentences may sound clumsy: it is the \
meaning that counts.

Take the time you need, and stop whenever you like. Everything you have answered is kept."""


class Ask(Table):
    """Which questions are asked, and how many."""

    least_information: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.01
    """Questions expected to tell less than so many nats are not asked."""
    judgements: Annotated[int, Field(ge=1, le=9)] = 1
    """How many people are asked each question; the majority answers."""
    per_judge: Count = 0
    """Answers wanted of each person; 0 means as many as there are questions."""
    per_sentence: Count = 0
    """Questions asked about a sentence at most; 0 means as many as are worth asking."""
    lease_minutes: Annotated[float, Field(gt=0, le=1440)] = 30.0
    """How long a sentence waits for whoever has it before it goes to others too."""
    pause_every: Count = 50
    """Remind of a pause after so many answers; 0 never."""


class Tests(Table):
    """Test questions, whose right answers are known."""

    rate: Share = 0.1
    """Share of test questions among all."""
    language: LanguageTag = ""
    """The language whose test questions come with tolka and are mixed in, as de; empty for none but your own."""


class Judges(Table):
    """Whose answers count; all are kept."""

    least_correct: Share = 0.5
    """People who get a smaller share of their test questions right do not count, and are asked no more …"""
    least_tests: Annotated[int, Field(ge=1)] = 4
    """… once they have had so many."""


class TaskSettings(Table):
    """Everything that `tasks.toml` may say."""

    task: Line
    """What is asked about: parse or senses."""
    title: Line = "What does it mean?"
    """What the tasks are called, on the page."""
    instructions: Text = INSTRUCTIONS
    """Shown before the first question and behind a link; blank lines separate paragraphs."""
    consent: Text = ""
    """What people agree to before the first question; empty if there is nothing to agree to."""
    thanks: Text = "That was the last question for you."
    """Shown at the end."""
    labels: Line = ""
    """The language of the page's own words, as de, or a catalogue in the directory; empty for English."""
    language: LanguageTag = ""
    """The sentences' language as a BCP 47 tag (de, pt-BR), for browsers and screen readers; empty if it is not known."""
    database: Annotated[str, Field(max_length=2000)] = ""
    """A PostgreSQL address; empty for a SQLite file in the directory."""
    seed: int = 1
    """Seed of everything random except secrets."""
    ask: Ask = Ask()
    tests: Tests = Tests()
    judges: Judges = Judges()
    web: WebSettings = WebSettings()

    @classmethod
    def load(cls, directory: Path) -> TaskSettings:
        """Read and check the settings in a directory.

        Raises:
            FileError: There are no tasks, or their settings cannot be read.
            FormatError: They are not TOML.
            SettingsError: They say something that makes no sense.
        """
        path = directory / FILE
        try:
            return cls.from_text(read_settings(path), path=path)
        except FileError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                hint = "make them with: tolka assist init"
                raise FileError("there are no tasks here", path=directory, hint=hint) from error
            raise

    @classmethod
    def from_text(cls, text: str, *, path: Path | None = None) -> TaskSettings:
        """Check settings given as text."""
        return cls.from_values(parse_toml(text, path), path=path)

    @classmethod
    def from_values(cls, values: dict[str, Any], *, path: Path | None = None) -> TaskSettings:
        """Check settings given as values."""
        return check_settings(cls, values, path)
