"""States of graph echo state networks as features of translations (Miceli Barone 2015, section 5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from tolka._engine import GraphReservoir, rerank_matrix
from tolka.errors import InputError, SettingsError
from tolka.lm.embeddings import END

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from tolka.lm import Embeddings
    from tolka.rerank.nbest import Links, NBestList
    from tolka.rerank.sources import Source

KINDS = ("gesn-sequence", "gesn-bilingual", "gesn-dependency")
Norm = Literal["spectral", "frobenius", "radius"]
Degree = Literal["average", "prune"]
Pooling = Literal["sum", "mean"]

# Each matrix is drawn from a stream of its own, so that models of one seed share what they share.
_SOURCE_STREAMS = {"left": 0, "right": 1, "align": 2, "parent": 3, "child": 4}
_TARGET_STREAMS = {"left": 10, "right": 11, "align": 12}
_INPUT_STREAMS = {"source": 20, "target": 21}


@dataclass(frozen=True)
class GesnSettings:
    """What a reservoir is like; the defaults are those of Miceli Barone, section 5.1.4.

    Attributes:
        size: Numbers in a state.
        input_scale: Weights of inputs are uniform from minus this to this.
        contractivity: How much of a difference a step keeps at most; below 1, so that states settle.
        norm: What is scaled to it: the spectral norm, the Frobenius norm, or the spectral radius, which bounds nothing: then
            states may not settle.
        density: The share of recurrent weights that are not 0.
        links: What all links of a word weigh together, beside 1 for each neighbour.
        children: What all children of a word weigh together.
        degree: "average" takes the mean over links and children, "prune" keeps as many as `links` and `children` say, the
            nearest ones.
        shared: Whether source and target use the same recurrent matrices.
        shared_input: Whether they use the same input matrix, for embeddings of one space.
        pooling: States of the target's words are summed or averaged.
        tolerance: States have settled when no number moves further.
        iterations: Steps at most.
        seed: Of all matrices.
    """

    size: int = 30
    input_scale: float = 0.01
    contractivity: float = 0.99
    norm: Norm = "spectral"
    density: float = 1.0
    links: float = 1.0
    children: float = 1.0
    degree: Degree = "average"
    shared: bool = False
    shared_input: bool = False
    pooling: Pooling = "sum"
    tolerance: float = 1e-6
    iterations: int = 500
    seed: int = 1

    def __post_init__(self) -> None:
        for name, most in (("size", 10_000), ("iterations", 1_000_000)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
                raise SettingsError(f"{name} must be a whole number from 1 to {most}, not {value!r}")
        for name, low, high in (("contractivity", 0.0, 1.0), ("density", 0.0, 1.0), ("input_scale", 0.0, np.inf)):
            value = getattr(self, name)
            # Exactly 1 is fine for the density alone.
            if not low < value <= high or value == np.inf or (name == "contractivity" and value == high):
                raise SettingsError(f"{name} cannot be {value}", hint=f"use a number between {low:g} and {high:g}")
        for name, kinds in (("norm", Norm), ("degree", Degree), ("pooling", Pooling)):
            if getattr(self, name) not in get_args(kinds):
                raise SettingsError(
                    f"unknown {name} {getattr(self, name)!r}", hint=f"use one of {', '.join(get_args(kinds))}"
                )
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or not 0 <= self.seed < 1 << 63:
            raise SettingsError(f"seed must be a whole number of at least 0, not {self.seed!r}")


class GesnFeatures:
    """Pooled states of a reservoir that runs over each translation.

    Args:
        kind: "gesn-sequence" runs over the target, "gesn-bilingual" over target and source joined by links,
            "gesn-dependency" also over the dependencies of the source.
        settings: Of the reservoir.
        target: Embeddings of target words.
        source: Embeddings of source words; not used by "gesn-sequence".
        matrices: Those of a saved reservoir; drawn anew if not given.

    Attributes:
        matrices: By name, `source.left` and so on.
        names: Of the features.
        unsettled_: Translations whose states had not settled after the most steps, in all that was asked so far.
    """

    def __init__(
        self,
        kind: str,
        settings: GesnSettings,
        target: Embeddings,
        source: Embeddings | None = None,
        matrices: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> None:
        if kind not in KINDS:
            raise SettingsError(f"unknown reservoir {kind!r}", hint=f"use one of {', '.join(KINDS)}")
        if source is None and kind != "gesn-sequence":
            raise SettingsError(f"{kind} needs embeddings of source words")
        self.kind = kind
        self.settings = settings
        self.target = target
        self.source = None if kind == "gesn-sequence" else source
        self.matrices = dict(matrices) if matrices is not None else draw_matrices(kind, settings, target, self.source)
        self.names = tuple(f"{kind}.{place}" for place in range(settings.size))
        self.needs_links = kind != "gesn-sequence"
        self.needs_heads = kind == "gesn-dependency"
        self.needs_segments = False
        self.unsettled_ = 0
        sides = {
            side: [self.matrices[f"{side}.{edge}"] for edge in _SOURCE_STREAMS if f"{side}.{edge}" in self.matrices]
            for side in ("source", "target")
        }
        self.native = GraphReservoir(
            sides["source"],
            sides["target"],
            links=settings.links,
            children=settings.children,
            prune=settings.degree == "prune",
            mean=settings.pooling == "mean",
            tolerance=settings.tolerance,
            most=settings.iterations,
            bounded=settings.norm != "radius",
        )

    def rows(self, lists: Sequence[NBestList], sources: Sequence[Source], *, threads: int = 0) -> NDArray[np.float32]:
        """A row of states per translation, those of a sentence in a row."""
        target = _Words()
        targets = [target.ids(entry.words.split()) for own in lists for entry in own.entries]
        source = _Words()
        read: list[list[int]] = []
        heads: list[int] = []
        links: list[Links] = []
        if self.source is not None:
            read = [source.ids(sentence.words) for sentence in sources]
            links = [entry.links or () for own in lists for entry in own.entries]
        if self.needs_heads:
            heads = [*chain.from_iterable((*(sentence.heads or ()), 0) for sentence in sources)]
        inputs = [
            np.zeros((0, self.settings.size), dtype=np.float32)
            if embeddings is None
            else (embeddings.vectors(words.known) @ self.matrices[f"{side}.input"].T).astype(np.float32)
            for side, embeddings, words in (("source", self.source, source), ("target", self.target, target))
        ]
        states, steps = self.native.pooled(
            *inputs,
            source=_flat(read),
            source_begins=_begins(map(len, read)) if read else np.zeros(len(lists) + 1, dtype=np.uint64),
            heads=np.array(heads, dtype=np.uint32),
            lists=_begins(len(own.entries) for own in lists),
            target=_flat(targets),
            target_begins=_begins(map(len, targets)),
            links=_flat([link for own in links for link in own]).reshape(-1, 2),
            link_begins=_begins(map(len, links)) if links else np.zeros(len(targets) + 1, dtype=np.uint64),
            threads=threads,
        )
        self.unsettled_ += int((steps >= self.settings.iterations).sum())
        return states


def draw_matrices(
    kind: str, settings: GesnSettings, target: Embeddings, source: Embeddings | None
) -> dict[str, NDArray[np.float64]]:
    """Random matrices whose sizes keep states contracting: contractivity over the degree (eqs. 5.3 to 5.9).

    Example:
        >>> from tolka.lm import Embeddings
        >>> table = Embeddings(["a", "b"], np.eye(2))
        >>> found = draw_matrices("gesn-bilingual", GesnSettings(size=4), table, table)
        >>> list(found)
        ['source.left', 'source.right', 'source.align', 'target.left', 'target.right', 'target.align', 'source.input', 'target.input']
        >>> [round(float(np.linalg.norm(found[name], 2)), 6) for name in ("source.left", "target.align")]
        [0.33, 0.33]
    """
    edges = {"source": list[str](), "target": ["left", "right"]}
    degrees = {"source": 0.0, "target": 2.0}
    if kind != "gesn-sequence":
        edges = {"source": ["left", "right", "align"], "target": ["left", "right", "align"]}
        degrees = {"source": 2.0 + settings.links, "target": 2.0 + settings.links}
    if kind == "gesn-dependency":
        edges["source"] += ["parent", "child"]
        degrees["source"] += 1.0 + settings.children
    if settings.shared:
        degrees["target"] = max(degrees.values())
    found = {}
    for side, names in edges.items():
        streams = _SOURCE_STREAMS if side == "source" or settings.shared else _TARGET_STREAMS
        for name in names:
            found[f"{side}.{name}"] = rerank_matrix(
                settings.size,
                settings.size,
                bound=1.0,
                density=settings.density,
                seed=settings.seed,
                stream=streams[name],
                norm=settings.norm,
                wanted=settings.contractivity / degrees[side],
            )
    for side, embeddings in (("source", source), ("target", target)):
        if embeddings is not None:
            found[f"{side}.input"] = rerank_matrix(
                settings.size,
                embeddings.dimensions,
                bound=settings.input_scale,
                density=1.0,
                seed=settings.seed,
                stream=_INPUT_STREAMS["target" if settings.shared_input else side],
                norm=None,
                wanted=0.0,
            )
    if settings.shared_input and source is not None and source.dimensions != target.dimensions:
        raise InputError(
            f"source words have {source.dimensions} numbers and target words {target.dimensions}",
            hint="use embeddings of one space, or one input matrix for each side",
        )
    return found


class _Words:
    """Numbers for the words of some sentences; all end in `</s>`."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}

    @property
    def known(self) -> list[str]:
        return list(self._ids)

    def ids(self, words: Iterable[str]) -> list[int]:
        ids = self._ids
        return [ids.setdefault(word, len(ids)) for word in (*words, END)]


def _flat(rows: Iterable[Iterable[int]]) -> NDArray[np.uint32]:
    return np.fromiter(chain.from_iterable(rows), dtype=np.uint32)


def _begins(lengths: Iterable[int]) -> NDArray[np.uint64]:
    return np.cumsum([0, *lengths], dtype=np.uint64)
