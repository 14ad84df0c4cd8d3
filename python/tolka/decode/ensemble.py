"""Several systems as one decoder: their rules in one chart, their scores mixed (ensemble decoding, Razmara 2013)."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tolka import _engine
from tolka.decode.decoder import Decoder, Kind
from tolka.decode.mixture import Mixture
from tolka.decode.sparse import SparseFeatures
from tolka.errors import InputError, LimitError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tolka.lm import LanguageModel

MOST_COMPONENTS = 64
"""Components of an ensemble, at most: who has a rule is a word of bits."""


@dataclass(frozen=True)
class _Leaf:
    """A component that is no ensemble itself, by its whole name."""

    name: str
    decoder: Decoder


class EnsembleDecoder(Decoder):
    """Decodes with the rules of several decoders at once; what they say of a rule becomes one score.

    Each span of a sentence is translated by the rules of all components and by what they made together of smaller spans, so
    that an ensemble finds translations that none of its components can. Components keep their own tables, language models,
    features and weights; language models that are one object are asked once. A word is unknown only if it is to all.

    Example:
        >>> import tempfile
        >>> from tolka.grammar import extract
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     one = extract(["das haus"], ["the house"], ["0-0 1-1"], f"{folder}/1.tbl")
        ...     two = extract(["ein hund"], ["a dog"], ["0-0 1-1"], f"{folder}/2.tbl")
        ...     both = EnsembleDecoder({"one": Decoder(one), "two": Decoder(two)}, Mixture("wsum"))
        ...     both.translate(["das haus ein hund"])
        ['the house a dog']
    """

    def __init__(
        self,
        components: Mapping[str, Decoder],
        mixture: Mixture | None = None,
        *,
        kind: Kind = "chart",
        **settings: Any,
    ) -> None:
        """Join decoders.

        Args:
            components: By name; each may be an ensemble itself, unless it switches.
            mixture: What becomes of their scores.
            kind: `chart`, or `phrase` where rules are mixed and not edges.
            **settings: As for `Decoder`; those of components do not count.

        Raises:
            InputError: No component, weights of components that are not there or that are not finite.
            LimitError: More than 64 components.
            SettingsError: A component that switches, an unknown kind or setting.
        """
        self._components = dict(components)
        self._mixture = mixture or Mixture()
        self._kind = kind
        self._settings = settings
        self._join()

    def _join(self) -> None:
        leaves = self._leaves()
        if not leaves:
            raise InputError("an ensemble of no components", hint="give it two or more")
        if len(leaves) > MOST_COMPONENTS:
            raise LimitError(f"an ensemble of {len(leaves)} components, more than {MOST_COMPONENTS}")
        lms: dict[int, tuple[str, LanguageModel]] = {}
        for leaf in leaves:
            for name, lm in leaf.decoder.lms.items():
                lms.setdefault(id(lm.native), (f"{leaf.name}.{name}", lm))
        parts = []
        for leaf in leaves:
            several = len(leaf.decoder.grammars) > 1
            names = [f"{leaf.name}.{name}" if several else leaf.name for name in leaf.decoder.grammars]
            grammars = [grammar.native for grammar in leaf.decoder.grammars.values()]
            parts.append((leaf.name, list(zip(names, grammars, strict=True))))
        templates = [leaf.decoder.sparse for leaf in leaves]
        self._sparse = SparseFeatures(
            max(one.word_pair for one in templates),
            any(one.rule_shape for one in templates),
            any(one.rule_count for one in templates),
        )
        self._named_lms = {key: name for key, (name, _) in lms.items()}
        self._lms = tuple(name for name, _ in lms.values())
        shared = [(name, lm.native) for name, lm in lms.values()]
        self._model = _engine.DecodeModel.ensemble(parts, shared, self._sparse.native())
        self._decide()

    def _decide(self) -> None:
        """Make the engine's decoder."""
        leaves = self._leaves()
        names = self._model.feature_names
        rows = []
        weights: dict[str, float] = {}
        for leaf in leaves:
            own = {self._joint_name(leaf, name): weight for name, weight in leaf.decoder.weights.items()}
            weights |= {f"{leaf.name}.{name}": weight for name, weight in leaf.decoder.weights.items()}
            dense = [own.pop(name, 0.0) for name in names]
            rows.append((dense, list(own.items())))
        self._weights = weights
        self._decoder = _engine.Decoder.ensemble(self._model, rows, self._plan(), self._kind, self._settings)

    def _speaking(self) -> dict[str, Decoder]:
        """The components that count: one with a weight of 0 is as if it was not there."""
        # Words that only it knows would have no translation that is possible, and would not be unknown either.
        rows = self._mixture.lambdas(list(self._components)) if self._components else []
        columns = zip(*rows, strict=True)
        return {name: one for (name, one), own in zip(self._components.items(), columns, strict=True) if any(own)}

    def _lambdas(self, length: int) -> list[float]:
        """What each component that counts does, in a class of spans."""
        rows = self._mixture.lambdas(list(self._components))
        row = dict(zip(self._components, rows[min(length, len(rows) - 1)], strict=True))
        return [row[name] for name in self._speaking()]

    def _leaves(self) -> list[_Leaf]:
        found: list[_Leaf] = []
        for name, decoder in self._speaking().items():
            if isinstance(decoder, EnsembleDecoder):
                if decoder.mixture.switches:
                    raise SettingsError(
                        f"the component {name!r} is an ensemble that switches, which cannot be mixed again",
                        hint="give it another operation, or its components to this one",
                    )
                found += [_Leaf(f"{name}.{leaf.name}", leaf.decoder) for leaf in decoder._leaves()]  # noqa: SLF001
            else:
                found.append(_Leaf(name, decoder))
        return found

    def _joint_name(self, leaf: _Leaf, name: str) -> str:
        """What a feature of a component is called in the ensemble."""
        if name in leaf.decoder.lms:
            return self._named_lms[id(leaf.decoder.lms[name].native)]
        if name in leaf.decoder.rule_features:
            return f"{leaf.name}.{name}"
        return name

    def _tree(self, first: int, length: int) -> tuple[tuple[str, list[Any]], int]:
        """The mixture of a class of spans as the engine takes it, and the number of the component behind its last."""
        parts: list[Any] = []
        at = first
        for (name, decoder), weight in zip(self._speaking().items(), self._lambdas(length), strict=True):
            part: Any = at
            if isinstance(decoder, EnsembleDecoder):
                part, at = decoder._tree(at, length)  # noqa: SLF001 - of the same class
            else:
                at += 1
            parts.append((part, weight, 1.0 / self._mixture.temperatures.get(name, 1.0)))
        return (self._mixture.operation, parts), at

    @property
    def _classes(self) -> int:
        own = len(self._mixture.lambdas(list(self._components)))
        inner = (one._classes for one in self._components.values() if isinstance(one, EnsembleDecoder))  # noqa: SLF001
        return max(own, *inner, 1) if self._components else 1

    def _plan(self) -> dict[str, Any]:
        mixture = self._mixture
        classes = range(self._classes)
        switch = None
        if mixture.switches:
            lambdas = [self._lambdas(length) for length in classes]
            by = mixture.operation.partition(":")[2]
            switch = (by, mixture.scope, mixture.switch_lm, mixture.literal, lambdas)
            parts = [[self._alone(name, length) for length in classes] for name in self._speaking()]
        else:
            parts = [[self._tree(0, length)[0] for length in classes]]
        # Phrases are put one after another, so that their edges have more than rules and language models.
        level = "rule" if self._kind == "phrase" and mixture.level == "auto" else mixture.level
        return {
            "parts": parts,
            "switch": switch,
            "spans": [length + 1 for length in classes if length],
            "level": level,
            "missing": mixture.missing,
            "floor": float(mixture.floor),
            "average_glue": mixture.glue == "average",
            "normalise": mixture.normalise,
            "union_limit": mixture.union_limit,
        }

    def _alone(self, wanted: str, length: int) -> tuple[str, list[Any]]:
        """A component that a cell may be given to, as the engine takes it."""
        at = 0
        for name, decoder in self._speaking().items():
            part: Any = at
            if isinstance(decoder, EnsembleDecoder):
                part, at = decoder._tree(at, length)  # noqa: SLF001 - of the same class
            else:
                at += 1
            if name == wanted:
                return "prod", [(part, 1.0, 1.0 / self._mixture.temperatures.get(name, 1.0))]
        raise InputError(f"there is no component {wanted!r}")

    @property
    def components(self) -> Mapping[str, Decoder]:
        """The decoders that are mixed, by name."""
        return MappingProxyType(self._components)

    @property
    def mixture(self) -> Mixture:
        """How their scores are mixed."""
        return self._mixture

    @property
    def component_names(self) -> tuple[str, ...]:
        """The names of all components, those of components that are ensembles behind theirs: `outer.inner`."""
        return tuple(leaf.name for leaf in self._leaves())

    @property
    def mixes_edges(self) -> bool:
        """Whether whole edges are mixed, language models included, and not the scores of rules alone, which is faster."""
        return self._decoder.mixes_edges

    def with_mixture(self, mixture: Mixture) -> EnsembleDecoder:
        """The same components, mixed in another way."""
        other = copy(self)
        other._mixture = mixture  # noqa: SLF001 - a copy of itself
        if other._speaking().keys() == self._speaking().keys():  # noqa: SLF001
            other._decide()  # noqa: SLF001
        else:
            other._join()  # noqa: SLF001
        return other

    def with_weights(self, weights: Mapping[str, float]) -> EnsembleDecoder:
        """The same ensemble with other weights in its components, by `component.feature`; those not named stay.

        Raises:
            InputError: A component or a feature that is not there.
        """
        own: dict[str, dict[str, float]] = {}
        for name, weight in weights.items():
            component = next((part for part in self._components if name.startswith(f"{part}.")), None)
            if component is None:
                raise InputError(
                    f"there is no component for the weight {name!r}",
                    hint=f"components are {', '.join(self._components)}",
                )
            own.setdefault(component, {})[name.removeprefix(f"{component}.")] = weight
        parts = self._components.items()
        other = copy(self)
        other._components = {name: one.with_weights(own[name]) if name in own else one for name, one in parts}  # noqa: SLF001
        other._decide()  # noqa: SLF001
        return other

    def untuned(self) -> dict[str, float]:
        """The weights that features have before tuning."""
        return {
            f"{name}.{feature}": weight
            for name, decoder in self._components.items()
            for feature, weight in decoder.untuned().items()
        }

    def component_weights(self) -> list[dict[str, float]]:
        """For each component, in the order of `component_names`, what each feature of the ensemble counts in it."""
        return [
            {self._joint_name(leaf, name): weight for name, weight in leaf.decoder.weights.items()}
            for leaf in self._leaves()
        ]

    def __repr__(self) -> str:
        return f"EnsembleDecoder({self._mixture.operation} of {', '.join(self._components)})"
