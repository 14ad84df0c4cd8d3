"""What goes before the model's own translations: tags, terms, addresses and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tolka.errors import SettingsError
from tolka.markup import NUMBER_STYLES, Annotator, Mode, Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tolka.translate.text import TextSteps

    Knows = Callable[[Sequence[str]], list[bool]]


@dataclass(frozen=True)
class GivenSettings:
    """What text brings along.

    Attributes:
        terms: Terms with their translations.
        markup: What tags in the text do; see `tolka.markup`.
        placeholders: Whether web and e-mail addresses are copied whole, and numbers that the model does not know.
        convert_numbers: Whether those numbers are written as in the target language: 1.234,5 as 1,234.5.
    """

    terms: Terms | None = None
    markup: Mode = "pass-through"
    placeholders: bool = True
    convert_numbers: bool = False

    def annotator(self, source: TextSteps, target: TextSteps, knows: Knows, threads: int) -> Annotator:
        """What makes sentences of text, for a model."""
        styles = None
        if self.convert_numbers:
            if unknown := [steps.lang for steps in (source, target) if _base(steps.lang) not in NUMBER_STYLES]:
                hint = f"it is known of {', '.join(sorted(NUMBER_STYLES))}"
                raise SettingsError(f"how {unknown[0]} writes numbers is not known", hint=hint)
            styles = NUMBER_STYLES[_base(source.lang)], NUMBER_STYLES[_base(target.lang)]
        return Annotator(
            cut=partial(source.tokenise, threads=threads),
            cut_target=partial(target.tokenise, threads=threads),
            fold=partial(source.truecase, threads=threads),
            markup=self.markup,
            terms=self.terms,
            addresses=self.placeholders,
            # As they are, decoding copies them anyway.
            numbers="unknown" if self.convert_numbers and self.placeholders else "none",
            styles=styles,
            knows=knows,
            escape=source.settings.escape and not source.settings.tokenised,
        )


def _base(lang: str) -> str:
    return lang.replace("_", "-").partition("-")[0].lower()
