"""Pre-orderers by name: made from settings, or opened from a directory."""

from __future__ import annotations

from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tolka.errors import FormatError, SettingsError
from tolka.reorder.preorderer import BUNDLE

if TYPE_CHECKING:
    from os import PathLike

    from tolka.files import Bundle
    from tolka.reorder.preorderer import Preorderer

RULES = "rules:"
"""What the kind of a hand-written pre-orderer begins with; its rules' name follows."""

KINDS = ("walker", "rnn", "rnn-lex", "fragment", "fragment-gru", "gru")
"""The kinds that learn; hand-written ones are `rules:NAME`."""


def _class(kind: str) -> Any:
    # Imported when asked for: nobody waits for a model that they do not use.
    if kind.startswith(RULES):
        return import_module("tolka.reorder.rules").RulePreorderer
    if kind == "walker":
        return import_module("tolka.reorder.walker").Walker
    if kind in KINDS:
        return import_module("tolka.reorder.recurrent").RecurrentPreorderer
    raise SettingsError(
        f"there is no pre-orderer of kind {kind!r}", hint=f"choose from {', '.join(KINDS)}, {RULES}NAME"
    )


def create(kind: str, **settings: Any) -> Preorderer:
    """A new pre-orderer.

    Args:
        kind: One of `KINDS`, or `rules:NAME`.
        settings: Its settings; an unknown one is an error.

    Raises:
        SettingsError: There is no such kind or setting.

    Example:
        >>> create("sorcery")
        Traceback (most recent call last):
        ...
        tolka.errors.SettingsError: there is no pre-orderer of kind 'sorcery'; choose from walker, rnn, rnn-lex, fragment, fragment-gru, gru, rules:NAME
    """
    made = _class(kind)
    arguments = () if kind == "walker" else (kind.removeprefix(RULES),)
    parameters = signature(made).parameters
    # One that takes any keyword says itself what it does not know.
    if not any(one.kind is Parameter.VAR_KEYWORD for one in parameters.values()):
        for name in settings:
            if name not in list(parameters)[len(arguments) :]:
                raise SettingsError(f"the pre-orderer {kind} has no setting {name!r}")
    preorderer: Preorderer = made(*arguments, **settings)
    return preorderer


def load(directory: str | PathLike[str]) -> Preorderer:
    """Open a saved pre-orderer of any kind.

    Raises:
        FileError: There is none.
        FormatError: It is damaged, or something else.
    """
    from tolka.files import Bundle  # noqa: PLC0415 - checks manifests with pydantic, which is slow to import

    return from_bundle(Bundle.open(Path(directory), kind=BUNDLE))


def from_bundle(bundle: Bundle) -> Preorderer:
    """The pre-orderer of an open bundle, which may be a part of a larger model.

    Raises:
        FormatError: It is damaged, or something else.
    """
    kind = bundle.settings.get("kind")
    try:
        found = _class(kind if isinstance(kind, str) else "")
    except SettingsError as error:
        hint = "it was made by a newer tolka, or is damaged"
        raise FormatError(f"a pre-orderer of unknown kind {kind!r}", path=bundle.path, hint=hint) from error
    opened: Preorderer = found.load(bundle.path, bundle.manifest)
    return opened
