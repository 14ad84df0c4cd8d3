"""How the parts of an ensemble prepare text, and whether one sentence can serve all of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal, get_args

from tolka.errors import SettingsError
from tolka.translate.description import TextSettings
from tolka.translate.ensemble.description import PreparationKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.translate.bundle import OpenModel

Asked = Literal["auto"] | PreparationKind

_KINDS = ("auto", *get_args(PreparationKind))
# What is done to the source alone; all other settings are those of both languages.
_OF_THE_SOURCE = {"compounds"}
# What is done to text that is tokenised already.
_OF_WORDS = {"tokenised", "masked", "compounds"}


@dataclass(frozen=True)
class Preparation:
    """How sentences become words for all parts of an ensemble.

    Attributes:
        kind: `same`: all parts prepare text alike. `common`: all take it as the lead prepares it. `lattice`: each part has
            the sentence as it prepares it; where that differs, all ways are in one lattice.
        lead: Whose preparation is the first, or the only one.
        views: The parts that prepare the source each in another way, the lead first; of equal ones the first.
        why: What differs, in words; empty if nothing does.
    """

    kind: PreparationKind
    lead: str
    views: tuple[str, ...]
    why: str = ""


def reconcile(
    models: Mapping[str, OpenModel], *, asked: Asked = "auto", lead: str | None = None, strategy: str = "chart"
) -> Preparation:
    """Decide how models that are used together prepare text.

    Settings that are also those of the target must agree, as must masks and the order of source words: no sentence could
    serve two that differ there. Models may write the case of source words differently and split other compounds.

    Args:
        models: By their names.
        asked: What to do; `auto` is `same` if that can be, else `lattice`.
        lead: Whose preparation comes first; the first if not given.
        strategy: How they are searched; lattices are for charts.

    Raises:
        SettingsError: They cannot be reconciled: names the setting and two of the models.
    """
    if asked not in _KINDS:
        raise SettingsError(f"unknown preparation {asked!r}", hint=f"use {', '.join(_KINDS)}")
    lead = next(iter(models)) if lead is None else lead
    if lead not in models:
        raise SettingsError(f"there is no part {lead!r} to lead", hint=f"parts are {', '.join(models)}")
    for name, model in models.items():
        check_settings(lead, models[lead], name, model)
        _check_order(lead, models[lead], name, model)
    seen: dict[tuple[str | None, str | None], str] = {_view(models[lead]): lead}
    for name, model in models.items():
        seen.setdefault(_view(model), name)
    views = tuple(seen.values())
    if len(views) == 1:
        return Preparation("same" if asked != "common" else "common", lead, views)
    other = views[1]
    steps = [
        what
        for what, one, two in zip(("case", "compounds"), *(_view(models[name]) for name in (lead, other)), strict=True)
        if one != two
    ]
    why = f"the parts {lead} and {other} prepare source words differently ({' and '.join(steps)})"
    if asked == "common":
        return Preparation("common", lead, (lead,), why)
    hint = f"let all take it as {lead} prepares it (common)"
    if asked == "same":
        raise SettingsError(why, hint=f"{hint}, or each as it does (lattice)")
    if strategy != "chart":
        raise SettingsError(f"{why}, which needs lattices, and these a chart", hint=f"search by chart, or {hint}")
    if models[lead].description.reorder is not None:
        raise SettingsError(f"{why}, and put its words into another order afterwards", hint=hint)
    return Preparation("lattice", lead, views, why)


def check_settings(one: str, model: OpenModel, two: str, other: OpenModel) -> None:
    """Refuse models whose text settings differ, but for what is done to the source alone.

    Raises:
        SettingsError: They differ: names the setting.
    """
    own, others = model.description.text, other.description.text
    if own.tokenised != others.tokenised:
        first, second = (one, two) if own.tokenised else (two, one)
        what = f"the part {first} takes tokenised text, and the part {second} raw text"
        raise SettingsError(what, hint="train both on the same kind of text")
    for field in fields(TextSettings):
        if field.name in _OF_THE_SOURCE or (own.tokenised and field.name not in _OF_WORDS):
            continue
        values = getattr(own, field.name), getattr(others, field.name)
        if values[0] != values[1]:
            what = f"the parts {one} and {two} prepare text differently: {field.name} is {_shown(values[0])} and {_shown(values[1])}"
            raise SettingsError(what, hint="train both with the same text settings")


def _check_order(one: str, model: OpenModel, two: str, other: OpenModel) -> None:
    own, others = _order(model), _order(other)
    if own == others:
        return
    if own is None or others is None:
        first, second = (one, two) if others is None else (two, one)
        what = f"the part {first} puts source words into another order, and the part {second} does not"
    else:
        what = f"the parts {one} and {two} put source words into different orders"
    raise SettingsError(what, hint="train both with the same pre-ordering")


def _order(model: OpenModel) -> tuple[object, ...] | None:
    reorder = model.description.reorder
    if reorder is None:
        return None
    files = tuple(_checksum(model, name) for name in ("analyser", *reorder.files))
    return reorder.analyser, reorder.settings, files


def _view(model: OpenModel) -> tuple[str | None, str | None]:
    """What tells one preparation of the source from another: what is known of case, and of compounds."""
    source = model.description.langs[0]
    truecaser = f"truecaser.{source}" if source in model.files.truecasers else None
    compounds = "compounds" if model.files.compounds is not None else None
    return _checksum(model, truecaser), _checksum(model, compounds)


def _checksum(model: OpenModel, name: str | None) -> str | None:
    return None if name is None else model.bundle.manifest.files[name].sha256


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value == [] else str(value)
