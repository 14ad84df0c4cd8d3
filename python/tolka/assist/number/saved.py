"""Models of number and gender as text: one setting, rule, tag or word a line, columns apart by tabs."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, TypeVar

from tolka.assist.number.leaves import SHIPPED, LeafTable
from tolka.errors import FormatError, InputError, TolkaError
from tolka.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from tolka.assist.number.model import FeatureHead

FIRST = "tolka feature heads 1"
SETTINGS = (
    "em",
    "rounds",
    "start",
    "seed",
    "values",
    "lexicalised",
    "shrinkage",
    "least",
    "smoothing",
    "backoff",
    "heads",
)
Model = TypeVar("Model", bound="FeatureHead")


def save_model(model: FeatureHead, path: str | PathLike[str], comment: str) -> None:
    """Write a model; what is learnt is rounded to six digits."""
    leaves = model.leaves
    settings = {name: getattr(model, name) for name in SETTINGS}
    table = {"feature": leaves.feature, "feats": leaves.feats, "join": leaves.join, "name": leaves.name}
    if not leaves.feats and leaves.name not in SHIPPED:
        table["tags"] = {tag: sorted(listed) for tag, listed in sorted(leaves.tags.items())}
        table["words"] = [[*word, sorted(listed)] for word, listed in sorted(leaves.words.items())]
    rows: list[tuple[str, ...]] = [
        ("settings", json.dumps(settings, ensure_ascii=False)),
        ("leaves", json.dumps(table, ensure_ascii=False)),
        ("majority", model.majority_),
    ]
    for (parent, children), chances in sorted(model.chances_.items()):
        if len(children) > 1 and any(not label or label.split() != [label] for label in (parent, *children)):
            raise InputError(f"the rule of {parent!r} has a label with white space", hint="take it out of the trees")
        if len(children) > 1:  # An only child needs no line.
            rows.append(("rule", parent, " ".join(children), _numbers(chances)))
    rows.extend(("tag", key, _numbers(masses)) for key, masses in sorted(model.tags_.items()))
    rows.extend(("word", *key, _numbers(masses)) for key, masses in sorted(model.words_.items()))
    for row in rows:
        if any("\t" in column or "\n" in column or "\r" in column for column in row):
            raise InputError(f"{row[1]!r} has a tab or a line end in it", hint="take it out of the trees")
    with write_atomic(str(path)) as out:
        out.write(f"{FIRST}\n")
        out.writelines(f"# {line}\n" for line in comment.splitlines())
        out.writelines("\t".join(row) + "\n" for row in rows)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{value:.6g}" for value in values)


def load_model(kind: type[Model], lines: Iterable[str], path: str | PathLike[str]) -> Model:
    """Read a model; what is malformed is named with its line."""
    header: dict[str, Any] = {}
    found: Model | None = None
    first = True
    for number, line in enumerate(lines, 1):

        def wrong(what: str, at: int = number) -> FormatError:
            return FormatError(what, path=path, line=at, hint="write the model anew with save")

        if first:
            if line != FIRST:
                raise wrong("this is no model of number or gender")
            first = False
        elif not line or line.startswith("#"):
            continue
        elif found is None:
            name, _, text = line.partition("\t")
            header[name] = text
            if name == "majority":
                found = _begun(kind, header, wrong)
            elif name not in {"settings", "leaves"}:
                raise wrong(f"{name!r} stands where the settings should")
        else:
            _add(found, line.split("\t"), wrong)
    if found is None:
        raise FormatError("the model ends before it says anything", path=path, hint="was it written whole?")
    return found


def _begun(kind: type[Model], header: dict[str, Any], wrong: Callable[[str], FormatError]) -> Model:
    try:
        settings, table = json.loads(header["settings"]), json.loads(header["leaves"])
        values = tuple(settings.pop("values"))
        if table["name"] in SHIPPED:
            leaves = LeafTable.load(table["name"], table["feature"])
        else:
            leaves = LeafTable(
                str(table["feature"]),
                values,
                table.get("tags", {}),
                words={(str(tag), str(word)): listed for tag, word, listed in table.get("words", [])},
                join=str(table["join"]),
                feats=bool(table["feats"]),
                name=str(table["name"]),
            )
        model = kind(values=values, leaves=leaves, **settings)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise wrong("the settings cannot be read") from None
    except TolkaError as error:
        raise wrong(error.what) from None
    if header["majority"] not in model.values:
        raise wrong(f"the majority is {header['majority']!r}, which is none of its values")
    model.majority_ = header["majority"]
    return model


def _add(model: FeatureHead, row: list[str], wrong: Callable[[str], FormatError]) -> None:
    size = len(model.values)
    match row:
        case ["rule", parent, children, numbers]:
            labels = tuple(children.split())
            model.chances_[parent, labels] = _shares(numbers, len(labels), wrong)
        case ["tag", key, numbers]:
            model.tags_[key] = _shares(numbers, size, wrong)
        case ["word", key, word, numbers]:
            model.words_[key, word] = _shares(numbers, size, wrong)
        case _:
            raise wrong("the line is no rule, tag or word of a model")


def _shares(text: str, size: int, wrong: Callable[[str], FormatError]) -> tuple[float, ...]:
    try:
        found = tuple(map(float, text.split()))
    except ValueError:
        raise wrong(f"{text!r} are no numbers") from None
    if len(found) != size or not all(0 <= value <= 1 for value in found):  # Not a number fails, too.
        raise wrong(f"there should be {size} chances between 0 and 1")
    total = math.fsum(found)
    if abs(total - 1) > 1e-3:  # noqa: PLR2004 - rounded to six digits each
        raise wrong("the chances do not add up to 1")
    return tuple(value / total for value in found)
