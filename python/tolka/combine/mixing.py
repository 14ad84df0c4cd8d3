"""Weights of linear mixtures of tables: those under which the rules of a development text are most probable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tolka._engine import grammar_look_up
from tolka.errors import InputError, SettingsError
from tolka.grammar import Extractor, Grammar
from tolka.grammar.join import PROBABILITIES, open_tables
from tolka.progress import SILENT

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from tolka.grammar.extractor import Kind, Links, Text
    from tolka.grammar.join import Tables
    from tolka.progress import Progress

    Pairs = Mapping[tuple[str, str], float] | Grammar
    Column = NDArray[np.float64]


@dataclass(frozen=True)
class MixtureWeights:
    """Weights of tables, found on the rules of a development text.

    Attributes:
        weights: For each probability of rules the weight of each table; they sum to 1. `join_tables` takes them as
            they are.
        history: For each probability the mean log-probability of the pairs, before each iteration and after the last.
        kept: The share of the pairs' counts that at least one table knows; the others were left out.
        pairs: Different pairs that at least one table knows.
        unknown: Different pairs that none knows.
        converged: Whether the weights settled before iterations ran out.
    """

    weights: dict[str, dict[str, float]]
    history: dict[str, tuple[float, ...]]
    kept: float
    pairs: int
    unknown: int
    converged: bool


def mixture_weights(
    pairs: Pairs, tables: Tables, *, tolerance: float = 1e-7, iterations: int = 1000, threads: int = 0
) -> MixtureWeights:
    """The weights λ of tables that maximise Σ p̃(e,f) log Σ λ p(e|f) over pairs from a development text.

    After Foster et al. (2010), by EM (Dempster et al. 1977): each table answers for a pair with λp / Σλp, and its new
    weight is the mean of that. p̃ are the counts of the pairs, divided by their sum; a table that lacks a pair gives it
    0, and pairs that no table has are left out before. Each of the four probabilities of rules has weights of its own.

    Args:
        pairs: Counts of source and target sides, or the table of an aligned development text, from `dev_pairs`.
        tables: Grammars or their files, by name.
        tolerance: Weights that change by less than this have settled.
        iterations: The most of them.
        threads: Threads for looking rules up; 0 means all cores. The weights do not depend on it.

    Raises:
        InputError: Pairs without counts, tables without probabilities or with different ones, or no pair in any table.
        SettingsError: A setting makes no sense.

    Example:
        >>> import tempfile
        >>> from tolka.grammar import extract
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     law = extract(["das recht"], ["the law"], ["0-0 1-1"], f"{folder}/law.tbl", kind="phrase")
        ...     talk = extract(["recht", "recht"], ["right", "law"], ["0-0", "0-0"], f"{folder}/talk.tbl", kind="phrase")
        ...     found = mixture_weights({("recht", "law"): 3, ("recht", "right"): 1}, {"law": law, "talk": talk})
        >>> {name: round(weight, 3) for name, weight in found.weights["phrase_ef"].items()}
        {'law': 0.5, 'talk': 0.5}
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise SettingsError(f"the tolerance cannot be {tolerance}", hint="say 1e-7")
    if iterations < 0:
        raise SettingsError(f"{iterations} iterations", hint="say 0 or more")
    opened = open_tables(tables)
    if not opened:
        raise SettingsError("there is no table to weigh")
    features = _features(opened)
    counts, rows = _look_up(pairs, opened, threads)
    known = np.any([~np.isnan(own[:, 0]) for own in rows], axis=0)
    if not known.any():
        hint = "are the texts tokenised alike, and the pairs phrases or rules as the tables have them?"
        raise InputError("no table has any of the pairs", hint=hint)
    kept = counts[known]
    share = kept / kept.sum()
    weights, history, settled = {}, {}, True
    for feature in features:
        columns = [grammar.feature_names.index(feature) for grammar in opened.values()]
        # What a table lacks is not a number there, and nothing here.
        p = [
            np.nan_to_num(np.exp(own[known, at].astype(np.float64)), nan=0.0)
            for own, at in zip(rows, columns, strict=True)
        ]
        found, history[feature], done = _em(p, share, tolerance, iterations)
        weights[feature] = dict(zip(opened, found, strict=True))
        settled = settled and done
    return MixtureWeights(
        weights=weights,
        history=history,
        kept=float(kept.sum() / counts.sum()),
        pairs=int(known.sum()),
        unknown=int((~known).sum()),
        converged=settled,
    )


def dev_pairs(
    source: Text,
    target: Text,
    links: Links,
    path: str | PathLike[str],
    kind: Kind,
    *,
    progress: Progress = SILENT,
    **settings: Any,
) -> Grammar:
    """The phrase pairs or rules of an aligned development text, each occurrence counted as one.

    Args:
        source: A file with one tokenised sentence a line (plain or compressed), or the lines.
        target: The same for the translations.
        links: A file of Pharaoh lines, or the lines, or a list of positions for each pair.
        path: The file to write.
        kind: As the tables are: `table_kind` says it.
        progress: Told of the sentence pairs done.
        **settings: Those of `Extractor` that decide which rules there are, as the tables were made.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pairs = dev_pairs(["das haus"], ["the house"], ["0-0 1-1"], f"{folder}/dev.tbl", "phrase")
        ...     [(rule.source, rule.target, rule.counts[2]) for rule in pairs][0]
        ('das', 'the', 1.0)
    """
    chosen = {"counting": "unit", "orientation": "none", "limit": 0, "exact": True, **settings}
    return Extractor(kind, **chosen).extract(source, target, links, path, progress=progress)


def table_kind(tables: Tables) -> Kind:
    """Whether rules with gaps are among those of the tables ("hiero") or not ("phrase")."""
    stats = [grammar.stats() for grammar in open_tables(tables).values()]
    return "hiero" if any(one.one_gap or one.two_gaps for one in stats) else "phrase"


def _features(tables: Mapping[str, Grammar]) -> list[str]:
    having = {name: [one for one in PROBABILITIES if one in grammar.feature_names] for name, grammar in tables.items()}
    first, features = next(iter(having.items()))
    for name, own in having.items():
        if own != features:
            raise InputError(f"the tables {first} and {name} do not have the same probabilities")
    if not features:
        raise InputError(f"the tables have none of {', '.join(PROBABILITIES)}, whose weights are wanted")
    return features


def _look_up(pairs: Pairs, tables: Mapping[str, Grammar], threads: int) -> tuple[Column, list[NDArray[np.float32]]]:
    """Counts of pairs, and for each table its features of them; not numbers where it lacks the pair."""
    if isinstance(pairs, Grammar):
        try:
            found, rows = grammar_look_up(pairs.native, [one.native for one in tables.values()], threads=threads)
        except OverflowError as error:
            raise SettingsError("a setting is negative or too large") from error
        counts = found.astype(np.float64)
    elif isinstance(pairs, Mapping):
        counts = np.array(list(pairs.values()), dtype=np.float64)
        sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
        rows = [one.native.find(sources, targets) for one in tables.values()]
    else:
        raise InputError("pairs are neither a table nor counts by source and target side")
    if not np.all(np.isfinite(counts) & (counts >= 0)):
        raise InputError("a count of a pair is not a number from 0 up")
    if not counts.sum() > 0:
        raise InputError("the pairs have no counts", hint="take them from an aligned text with dev_pairs")
    return counts, rows


def _em(
    p: list[Column], share: Column, tolerance: float, iterations: int
) -> tuple[list[float], tuple[float, ...], bool]:
    """Weights, the objective before each iteration and after the last, and whether the weights settled."""
    weights = np.full(len(p), 1 / len(p))
    # Sums of columns instead of products of matrices, which would depend on the number of threads.
    mixed = sum(w * own for w, own in zip(weights, p, strict=True))
    history = [float(np.sum(share * np.log(mixed)))]
    for _ in range(iterations):
        answered = share / mixed
        new = weights * [float(np.sum(answered * own)) for own in p]
        new /= new.sum()
        change = float(np.abs(new - weights).max())
        weights = new
        mixed = sum(w * own for w, own in zip(weights, p, strict=True))
        history.append(float(np.sum(share * np.log(mixed))))
        if change < tolerance:
            return weights.tolist(), tuple(history), True
    return weights.tolist(), tuple(history), False
