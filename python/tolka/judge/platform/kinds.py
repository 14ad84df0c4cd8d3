"""What people on a platform are asked: three kinds of questions, each with a test item before it if there is one.

- `compare`: which of two outputs is nearer in meaning to the reference (Mohammad 2012, section 3.4)?
- `substitute`: which of two phrases could better stand in the place of the one emphasised (section 2.3)?
- `rewrite`: which of these rewritten sentences still mean the same (section 1.2)?

A body is what is asked, with the key of its test item; `shown` is what may leave the house. Answers are checked against
their body before anything else looks at them.

Example:
    >>> asked = Substitute(before="Das ist ein ", phrase="schweres", after=" Buch.", options=("schwieriges", "dickes"))
    >>> read_answer("substitute", asked, {"chosen": 0}).chosen
    0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tolka.errors import InputError, SettingsError
from tolka.files.complaints import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.judge.campaign.material import BlankTest

KindName = Literal["compare", "substitute", "rewrite"]
MOST_OPTIONS = 9
MOST_REWRITES = 9
Text = Annotated[str, Field(max_length=20_000)]
Phrase = Annotated[str, Field(min_length=1, max_length=2_000)]


class _Model(BaseModel):
    """Nothing unknown, nothing changed later."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TestItem(_Model):
    """A sentence with a blank, of whose options all that fit are to be ticked.

    Attributes:
        text: The sentence, with `___` where the blank is.
        options: What may stand there.
        right: The positions of those that fit: the key, which nobody is shown.
    """

    __test__ = False  # pytest thinks otherwise

    text: Text
    options: Annotated[tuple[Phrase, ...], Field(min_length=2, max_length=MOST_OPTIONS)]
    right: tuple[int, ...]

    @model_validator(mode="after")
    def _is_possible(self) -> TestItem:
        if self.text.count("___") != 1:
            raise ValueError("the text must have one blank, written ___")
        if len(set(self.options)) < len(self.options):
            raise ValueError("two options are the same")
        if not self.right or not set(self.right) < set(range(len(self.options))):
            raise ValueError("some options must fit, and not all of them")
        return self

    @classmethod
    def of(cls, test: BlankTest) -> TestItem:
        """A test item of the bank, or of a file of test questions."""
        return cls(text=test.text, options=test.options, right=test.right)

    def passed(self, ticked: tuple[int, ...] | None) -> bool:
        """Whether all that fit were ticked, and nothing else."""
        return ticked is not None and set(ticked) == set(self.right)


class _Body(_Model):
    test: TestItem | None = None

    def shown(self) -> dict[str, Any]:
        """What people see: everything but the key of the test item."""
        return self.model_dump(mode="json", exclude={"test": {"right"}})


class Compare(_Body):
    """Two outputs beside a reference, a source, or both."""

    reference: Text = ""
    source: Text = ""
    left: Text
    right: Text

    @model_validator(mode="after")
    def _differ(self) -> Compare:
        if " ".join(self.left.split()) == " ".join(self.right.split()):
            raise ValueError("the two outputs are the same")
        return self


class Substitute(_Body):
    """A phrase of a sentence, and two that might stand in its place."""

    before: Text = ""
    phrase: Phrase
    after: Text = ""
    options: tuple[Phrase, Phrase]

    @model_validator(mode="after")
    def _differ(self) -> Substitute:
        if self.options[0] == self.options[1]:
            raise ValueError("the two phrases are the same")
        return self


class Rewrite(_Body):
    """A sentence, and rewritten forms of it."""

    sentence: Phrase
    rewrites: Annotated[tuple[Phrase, ...], Field(min_length=1, max_length=MOST_REWRITES)]

    @model_validator(mode="after")
    def _differ(self) -> Rewrite:
        if len(set(self.rewrites)) < len(self.rewrites):
            raise ValueError("two rewritten sentences are the same")
        return self


class _Answer(_Model):
    ticked: tuple[int, ...] | None = None  # of the test item


class CompareAnswer(_Answer):
    """A side, or that it cannot be told."""

    choice: Literal["left", "right", "undecided"]


class SubstituteAnswer(_Answer):
    """The position of a phrase, or None: both or neither, which tells nothing."""

    chosen: Literal[0, 1] | None


class RewriteAnswer(_Answer):
    """Of each rewritten sentence, whether it means the same."""

    same: tuple[bool, ...]


BODIES: dict[str, type[_Body]] = {"compare": Compare, "substitute": Substitute, "rewrite": Rewrite}
ANSWERS: dict[str, type[_Answer]] = {
    "compare": CompareAnswer,
    "substitute": SubstituteAnswer,
    "rewrite": RewriteAnswer,
}
KINDS: tuple[KindName, ...] = ("compare", "substitute", "rewrite")
Body = Compare | Substitute | Rewrite
AnyAnswer = CompareAnswer | SubstituteAnswer | RewriteAnswer


def read_body(kind: str, given: Mapping[str, Any]) -> Any:
    """What is asked, checked.

    Raises:
        SettingsError: There is no such kind.
        InputError: It is no question of that kind.
    """
    if kind not in BODIES:
        raise SettingsError(f"there is no kind {kind!r} of questions", hint=f"use one of {', '.join(KINDS)}")
    return _checked(BODIES[kind], given, f"a question of kind {kind}")


def read_answer(kind: str, asked: Body, given: Mapping[str, Any]) -> Any:
    """What was answered, checked against what was asked.

    Raises:
        InputError: It is no answer to that question.
    """
    answer = _checked(ANSWERS[kind], given, f"an answer of kind {kind}")
    check_fits(asked, answer)
    return answer


def check_fits(asked: Body, answer: AnyAnswer) -> None:
    """Look whether an answer belongs to a question.

    Raises:
        InputError: It does not.
    """
    if (asked.test is None) != (answer.ticked is None):
        raise InputError("the test item is not answered" if asked.test else "there was no test item to answer")
    if asked.test is not None and not set(answer.ticked or ()) <= set(range(len(asked.test.options))):
        raise InputError(f"the test item has {len(asked.test.options)} options")
    if isinstance(asked, Rewrite) and isinstance(answer, RewriteAnswer) and len(answer.same) != len(asked.rewrites):
        raise InputError(f"there are {len(asked.rewrites)} rewritten sentences and {len(answer.same)} answers")


def _checked(model: type[BaseModel], given: Mapping[str, Any], what: str) -> Any:
    try:
        return model.model_validate(dict(given))
    except (ValidationError, TypeError, ValueError) as error:
        if not isinstance(error, ValidationError):
            raise InputError(f"{what} is wrong: it is no object") from None
        found = error.errors()[0]
        where = ".".join(str(part) for part in found["loc"])
        raise InputError(f"{what} is wrong: {sentence(where or 'it', found)}") from None
