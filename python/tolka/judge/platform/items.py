"""Test items that come with tolka: what verbs and adjectives govern, and what is grammatical, in several languages.

Somebody who reads the language answers them at sight; whoever ticks at random is found out by most of them.

Example:
    >>> bank("de")[0].text
    'Er musste aus gesundheitlichen Gründen ___ den Urlaub verzichten.'
"""

from __future__ import annotations

from pathlib import Path

from tolka.errors import InputError
from tolka.judge.campaign.material import BlankTest, read_tests

_FOLDER = Path(__file__).parent / "bank"


def bank_languages() -> tuple[str, ...]:
    """The languages there are test items for.

    Example:
        >>> {"de", "en", "fr"} <= set(bank_languages())
        True
    """
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.jsonl")))


def bank(language: str) -> list[BlankTest]:
    """The test items of a language, named as in BCP 47 (`de`, or `de-AT`).

    Raises:
        InputError: There are none for it.
    """
    name = language.split("-", maxsplit=1)[0].lower()
    if name not in bank_languages():
        hint = f"there are for {', '.join(bank_languages())}; or write a file of your own"
        raise InputError(f"there are no test items for {language!r}", hint=hint)
    return [test for test in read_tests(_FOLDER / f"{name}.jsonl") if isinstance(test, BlankTest)]
