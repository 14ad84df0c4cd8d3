"""A model of several that lead from one language to the next: triangulation (Razmara 2013, chapter 3)."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, replace
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tolka.combine.ensemble import called_after
from tolka.errors import InputError, SettingsError
from tolka.grammar import ComposeLimits, Composition, Grammar, compose_tables
from tolka.progress import SILENT
from tolka.translate import Translator
from tolka.translate.bundle import ModelFiles, open_model
from tolka.translate.description import Description, Through
from tolka.translate.ensemble.preparing import check_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tolka.progress import Progress
    from tolka.translate.bundle import OpenModel

Place = str | PathLike[str]

How = Literal["dynamic", "dynamic-sum", "sum", "max"]
"""Whether rules are composed while a decoder asks for them (the best way, or all of them added up), or a table is made of
sums of probabilities, or of the greatest."""

Legs = Literal["lm", "none"]
"""Whether weights of all legs are made comparable by their language models', or taken as they are."""

_OWN = ("word_count", "glue", "unknown", "input", "distortion", "given")
"""What the last leg alone says: features of the target, and of the search."""


@dataclass(frozen=True)
class MadeThrough:
    """A model that leads through other languages.

    Attributes:
        path: Its directory.
        description: What it is.
        shared_words: How many words each pivot has in both tables.
        pivot_words: How many words it has in the table that leads to it.
        rules: Rules of its table, if it has one of its own.
        notes: What deserves attention.
    """

    path: Path
    description: Description
    shared_words: tuple[int, ...]
    pivot_words: tuple[int, ...]
    rules: int | None = None
    notes: tuple[str, ...] = ()


def make_through(
    legs: Sequence[Place],
    path: Place,
    *,
    how: How = "dynamic",
    limits: ComposeLimits | None = None,
    lexical: Literal["marginal", "links"] = "marginal",
    scale: Legs = "lm",
    leg_weights: Sequence[float] | None = None,
    recased: bool | None = None,
    threads: int = 0,
    progress: Progress = SILENT,
) -> MadeThrough:
    """Make a model of source to target of models of source to pivot and of pivot to target, or of a chain of them.

    It prepares text as the first does, and has language models, restoring of text and weights of the target as the last
    does. What the legs say of their rules counts as much as there; nothing is learnt.

    Args:
        legs: Directories of models with tables, each from the language that the one before it leads to.
        path: The model's directory.
        how: See `How`.
        limits: How much is composed; by default at most 100 pivots of a source side and 100 translations of each.
        lexical: Where lexical weights of a table come from; see `tolka.grammar.compose_tables`. What is composed while
            decoding has those of both legs.
        scale: See `Legs`.
        leg_weights: What each leg counts besides; all the same if not given.
        recased: Whether words of a pivot that the next leg has only in another case are the same; if not given, where the
            legs do not know case from the same text.
        threads: How many; 0 for one per core.
        progress: Who is told.

    Raises:
        SettingsError: Legs that do not lead to each other or prepare text differently, or a setting that makes no sense.
        InputError: A pivot of which two legs share no word, or rules that never meet.
        FileError: A model is missing, or the directory holds something else.
    """
    if lexical != "marginal" and how not in ("sum", "max"):
        what = "lexical weights of both legs are features of what is composed while decoding"
        raise SettingsError(what, hint="make a table to have new ones: sum or max")
    models = _opened(legs)
    notes: list[str] = []
    cased = _check_text(models, notes) if recased is None else recased
    limits = ComposeLimits() if limits is None else limits
    names = [f"{one.description.langs[0]}-{one.description.langs[1]}" for one in models]
    if doubled := next((name for at, name in enumerate(names) if name in names[:at]), None):
        raise SettingsError(f"two legs lead from {doubled.replace('-', ' to ')}", hint="name each leg of a path once")
    factors = _factors(models, scale, leg_weights)
    tables = {name: _table_of(model) for name, model in zip(names, models, strict=True)}
    opened = [_grammar_of(model) for model in models]
    shared, words = _shared(opened, cased, notes)
    with tempfile.TemporaryDirectory(dir=_above(path), prefix=f".{Path(path).name}.") as folder:
        made, rules = None, None
        if how in ("sum", "max"):
            made = Path(folder) / "grammar.tbl"
            rules = _static(opened, made, how, limits, lexical, cased, threads, progress)
        else:
            _check_meeting(opened, cased)
        description = _described(models, names if made is None else ["grammar"])
        if made is None:
            through = Through(
                pivots=[one.description.langs[1] for one in models[:-1]],
                over="max" if how == "dynamic" else "sum",
                rules=limits.rules,
                ways=limits.pivots,
                targets=limits.targets,
                linked=limits.linked,
                recased=cased,
                sums=_sums(models, names, factors) if how == "dynamic-sum" else {},
            )
            voices = {
                name: voice
                for name, one in zip(names, models, strict=True)
                for voice in (one.description.voices or {}).values()
            }
            description = replace(description, through=through, voices=voices or None)
        files = _files(models, tables if made is None else {"grammar": made})
        weights = _weights(models, names, factors, how)
        known = Translator(description, files).weights
        translator = Translator(
            description, files, {name: weight for name, weight in weights.items() if name in known}, stages=["through"]
        )
        translator.save(path)
    return MadeThrough(Path(path), description, shared, words, rules, tuple(notes))


_APART = "no rule of a leg leads through the pivot to one of the next"


def _above(path: Place) -> Path:
    where = Path(path).absolute().parent
    where.mkdir(parents=True, exist_ok=True)
    return where


def _opened(legs: Sequence[Place]) -> list[OpenModel]:
    """The legs, once it is known that each leads to where the next begins."""
    if isinstance(legs, str | PathLike) or len(legs) < 2:  # noqa: PLR2004 (a pivot lies between two)
        raise SettingsError("one model leads through no other language", hint="name two or more, one after the other")
    models = [open_model(leg) for leg in legs]
    for model in models:
        name, described = called_after(model.bundle.path), model.description
        if described.growing is not None:
            what = f"the model {name} finds its rules in a text that grows, and cannot be a leg"
            raise SettingsError(what, hint="train it with a table, without --grow")
        if described.through is not None:
            raise SettingsError(
                f"the model {name} leads through another language already", hint="name its legs one after the other"
            )
        if len(described.grammars) != 1:
            raise SettingsError(f"the model {name} has several tables", hint="use one with a single table")
    for one, other in pairwise(models):
        (_, pivot), (begin, _) = one.description.langs, other.description.langs
        if pivot == begin:
            continue
        first, second = called_after(one.bundle.path), called_after(other.bundle.path)
        what = f"the model {first} translates into {pivot}, and the next one, {second}, from {begin}"
        turned = [model.description.langs for model in reversed(models)]
        fits = all(a[1] == b[0] for a, b in pairwise(turned))
        raise SettingsError(
            what,
            hint="give them the other way round" if fits else "name models that lead from one language to the next",
        )
    if (both := models[0].description.langs[0]) == models[-1].description.langs[1]:
        raise SettingsError(f"the legs lead from {both} back to {both}", hint="name the model into the target last")
    return models


def _check_text(models: Sequence[OpenModel], notes: list[str]) -> bool:
    """Refuse pivots that are not the same text on both sides; whether only their case may differ."""
    differs = False
    for one, other in pairwise(models):
        first, second = called_after(one.bundle.path), called_after(other.bundle.path)
        check_settings(first, one, second, other)
        pivot = one.description.langs[1]
        if other.description.reorder is not None:
            what = f"the model {second} puts words of {pivot} into another order, as {first} does not write them"
            raise SettingsError(what, hint="train it without --reorder")
        if other.files.compounds is not None:
            what = f"the model {second} splits compounds of {pivot}, which {first} writes whole"
            raise SettingsError(what, hint="train it without --compounds")
        if _checksum(one, f"truecaser.{pivot}") != _checksum(other, f"truecaser.{pivot}"):
            differs = True
            ways = " and ".join(" to ".join(model.description.langs) for model in (one, other))
            what = f"the models of {ways} know the case of {pivot} from different text"
            notes.append(f"{what}; words that only one case of is known are the same")
    return differs


def _checksum(model: OpenModel, name: str) -> str | None:
    known = model.bundle.manifest.files.get(name)
    return None if known is None else known.sha256


def _table_of(model: OpenModel) -> Path:
    return next(iter(model.files.grammars.values()))


def _grammar_of(model: OpenModel) -> Grammar:
    """The table of a leg; what it says of its rules, if it speaks for several models."""
    table = Grammar.load(_table_of(model))
    voice = next(iter((model.description.voices or {}).values()), None)
    return table if voice is None else table.voice(voice)


def _factors(models: Sequence[OpenModel], scale: Legs, given: Sequence[float] | None) -> list[float]:
    """What the weights of each leg are multiplied with."""
    if given is not None and len(given) != len(models):
        raise SettingsError(f"{len(given)} weights for {len(models)} legs", hint="give one for each")
    for one in given or ():
        if not (math.isfinite(one) and one > 0):
            raise SettingsError(f"a leg cannot weigh {one}", hint="give a number above 0; 1 leaves it as it is")
    own = [1.0] * len(models) if given is None else [float(one) for one in given]
    if scale == "none":
        return own
    wholes = [sum(model.weights.get(name, 0.0) for name in model.description.lms) for model in models]
    # Weights have a scale of their own in each model: per unit of language model they can be compared.
    if any(whole <= 0 for whole in wholes):
        return own
    return [factor * wholes[-1] / whole for factor, whole in zip(own, wholes, strict=True)]


def _of_rules(model: OpenModel) -> dict[str, float]:
    """The weights of what rules say, but orientations."""
    last = {*model.description.lms, *_OWN, "rule_count"}
    return {
        name: weight
        for name, weight in model.weights.items()
        if name not in last and not name.startswith(("reorder_", "action."))
    }


def _sums(models: Sequence[OpenModel], names: Sequence[str], factors: Sequence[float]) -> dict[str, int | float]:
    return {
        f"{name}.{feature}": factor * weight
        for model, name, factor in zip(models, names, factors, strict=True)
        for feature, weight in _of_rules(model).items()
    }


def _weights(models: Sequence[OpenModel], names: Sequence[str], factors: Sequence[float], how: How) -> dict[str, float]:
    """What features of the new model count, by what they do in its legs."""
    last, factor = models[-1], factors[-1]
    weights = {
        name: factor * weight
        for name, weight in last.weights.items()
        if name in {*last.description.lms, *_OWN} or name.startswith("reorder_")
    }
    # A rule is one of each leg.
    weights["rule_count"] = sum(
        factor * model.weights.get("rule_count", 0.0) for model, factor in zip(models, factors, strict=True)
    )
    if how == "dynamic":
        weights.update(_sums(models, names, factors))
    elif how == "dynamic-sum":
        weights["through"] = 1.0
    else:
        weights.update({name: factor * weight for name, weight in _of_rules(last).items()})
    return weights


def _described(models: Sequence[OpenModel], tables: list[str]) -> Description:
    first, last = models[0].description, models[-1].description
    kinds = {model.description.kind for model in models}
    alike = all(model.description.strategy == last.strategy for model in models) and len(kinds) == 1
    return Description(
        kind="phrase" if kinds == {"phrase"} else "hiero",
        langs=[first.langs[0], last.langs[1]],
        strategy=last.strategy if alike and last.strategy != "undirected" else None,  # type: ignore[arg-type]  # filled in
        text=replace(last.text, compounds=first.text.compounds),
        search=last.search if alike and last.strategy != "undirected" else {},
        grammars=tables,
        lms=list(last.lms),
        reorder=first.reorder,
        made={"through": [called_after(model.bundle.path) for model in models]},
    )


def _files(models: Sequence[OpenModel], tables: Mapping[str, Path]) -> ModelFiles:
    first, last = models[0], models[-1]
    (source, _), (_, target) = first.description.langs, last.description.langs
    cases = {lang: one.files.truecasers.get(lang) for lang, one in ((source, first), (target, last))}
    return ModelFiles(
        grammars=dict(tables),
        lms=last.files.lms,
        truecasers={lang: path for lang, path in cases.items() if path is not None},
        compounds=first.files.compounds,
        analyser=first.files.analyser,
        preorderer=first.files.preorderer,
    )


def _shared(tables: Sequence[Grammar], recased: bool, notes: list[str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many words each pivot has on both sides, and on the first."""
    shared, words = [], []
    for one, other in pairwise(tables):
        shared.append(Composition(one, other, recased=recased).shared_words)
        words.append(one.stats().target_words)
        if 2 * shared[-1] < words[-1]:
            share = shared[-1] / max(words[-1], 1)
            notes.append(
                f"only {share:.0%} of {words[-1]:,} words of a pivot lead on; make sure that both models prepare its text alike"
            )
    return tuple(shared), tuple(words)


def _check_meeting(tables: Sequence[Grammar], recased: bool) -> None:
    """Refuse tables of which no rules meet."""
    limits = ComposeLimits(0, 0, 0)
    whole: Grammar | Composition = tables[-1]
    for at, table in enumerate(reversed(tables[:-1])):
        whole = Composition(table, whole, names=(f"leg{at}", ""), limits=limits, recased=recased)
    if isinstance(whole, Composition) and not whole.meets:
        raise InputError(_APART, hint="use larger texts, or check that both models prepare the pivot alike")


def _static(
    tables: Sequence[Grammar],
    path: Path,
    how: Literal["sum", "max"],
    limits: ComposeLimits,
    lexical: Literal["marginal", "links"],
    recased: bool,
    threads: int,
    progress: Progress,
) -> int:
    """Make the table of all legs; gives the number of its rules."""
    done, rules = tables[0], 0
    for at, table in enumerate(tables[1:]):
        out = path if at == len(tables) - 2 else path.with_suffix(f".{at}")
        made = compose_tables(
            done, table, out, how, lexical=lexical, limits=limits, recased=recased, threads=threads, progress=progress
        )
        done, rules = made.grammar, made.rules
    return rules
