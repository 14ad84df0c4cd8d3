"""How hard a model searches, as recipes and manifests hold it; the decoder itself says what it knows and allows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from tolka.decode import Decoder
from tolka.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.decode import Kind as Strategy
    from tolka.grammar import Grammar

Setting = bool | int | float | str
"""A setting of the decoder in a recipe or a manifest."""

NONE = "none"
"""What stands for None there, which TOML has no word for: no limit, no beam."""


def read_search(stored: Mapping[str, Setting]) -> dict[str, Any]:
    """Settings for `tolka.decode.Decoder`, of those that a recipe or a manifest has.

    Example:
        >>> read_search({"pop_limit": 30, "beam": "none"})
        {'pop_limit': 30, 'beam': None}
    """
    return {name: None if value == NONE else value for name, value in stored.items()}


def store_search(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same as a recipe or a manifest has them.

    Example:
        >>> store_search({"pop_limit": 30, "beam": None})
        {'pop_limit': 30, 'beam': 'none'}
    """
    return {name: NONE if value is None else value for name, value in settings.items()}


def check_search(strategy: Strategy, stored: Mapping[str, Setting]) -> None:
    """Refuse settings that a decoder of this strategy does not know, or does not allow, before anything is trained.

    Raises:
        SettingsError: Says which.

    Example:
        >>> check_search("chart", {"search": "boundary", "time_limit": 2})
        >>> check_search("chart", {"stack_size": 100})
        Traceback (most recent call last):
            ...
        tolka.errors.SettingsError: search.stack_size: unknown setting `stack_size`; settings are search, pop_limit, table_limit, max_span, shallow, passes, beam, memory_limit, time_limit
    """
    for name, value in read_search(stored).items():
        try:
            Decoder(_no_rules(), kind=strategy, **{name: value})
        except SettingsError as error:
            raise SettingsError(f"search.{name}: {error}") from error
        except (TypeError, OverflowError, ValueError) as error:
            raise SettingsError(f"search.{name} cannot be {value!r}: {error}") from error


@cache
def _no_rules() -> Grammar:
    from tolka.grammar import SuffixGrammar  # noqa: PLC0415 - whoever translates checks nothing beforehand

    return SuffixGrammar().extract([])
