"""What goes before the model's own translations: tags, terms, addresses and numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tolka.decode import Lattice, Sentence, check_inputs, read_input
from tolka.errors import SettingsError
from tolka.markup import NUMBER_STYLES, Annotator, Mode, Terms, number_style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tolka.decode import InputFormat
    from tolka.translate.description import MemoryUse, Remembering
    from tolka.translate.text import TextSteps

    Knows = Callable[[Sequence[str]], list[bool]]


@dataclass(frozen=True)
class GivenSettings:
    """What text brings along.

    Attributes:
        terms: Terms with their translations.
        markup: What tags in the text do; see `tolka.markup`.
        placeholders: Whether web and e-mail addresses are copied whole, placeholders of programs and paths if the model
            knows of notation, and numbers that the model does not know.
        convert_numbers: Whether those numbers are written as in the target language: 1.234,5 as 1,234.5.
        input_format: How lines are written: as text, or as words of the model in lattices or JSON.
        memory: What the model's corrections do; what the model says if that is None.
        threshold: Of `fuzzy`, likewise.
    """

    terms: Terms | None = None
    markup: Mode = "pass-through"
    placeholders: bool = True
    convert_numbers: bool = False
    input_format: InputFormat = "text"
    memory: MemoryUse | None = None
    threshold: float | None = None

    def remembering(self, stored: Remembering) -> Remembering:
        """What is done with a model's corrections.

        Raises:
            SettingsError: A threshold or use that there is not.
        """
        own = {"use": self.memory, "threshold": self.threshold}
        try:
            return replace(stored, **{name: value for name, value in own.items() if value is not None})  # type: ignore[arg-type]
        except ValueError as error:
            raise SettingsError(f"memory: {error}") from error

    def inputs(self, lines: Sequence[str], *, first: int = 1) -> list[Sentence | Lattice]:
        """What lines say that are not text.

        Raises:
            FormatError: A line is not written as `input_format` says.
            InputError: A line makes no sense.
        """
        found = [read_input(line, self.input_format, line=number) for number, line in enumerate(lines, first)]
        check_inputs(found, first=first)
        return found

    def annotator(self, source: TextSteps, target: TextSteps, knows: Knows, threads: int) -> Annotator:
        """What makes sentences of text, for a model."""
        styles = None
        if self.convert_numbers:
            own, other = number_style(source.lang), number_style(target.lang)
            if own is None or other is None:
                hint = f"it is known of {', '.join(sorted(NUMBER_STYLES))}"
                unknown = source.lang if own is None else target.lang
                raise SettingsError(f"how {unknown} writes numbers is not known", hint=hint)
            styles = own, other
        return Annotator(
            cut=partial(source.tokenise, threads=threads),
            cut_target=partial(target.tokenise, threads=threads),
            fold=partial(source.truecase, threads=threads),
            markup=self.markup,
            terms=self.terms,
            # A model of masked text knows addresses by their placeholders.
            addresses=self.placeholders and not source.settings.masked,
            verbatim=self.placeholders and source.settings.notation,
            # As they are, decoding copies them anyway.
            numbers="unknown" if self.convert_numbers and self.placeholders else "none",
            styles=styles,
            knows=knows,
            escape=source.settings.escape and not source.settings.tokenised,
        )
