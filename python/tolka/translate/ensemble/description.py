"""What the manifest of an ensemble says: its parts, and how they are mixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tolka.decode.mixture import Mixture
from tolka.errors import FormatError, TolkaError
from tolka.files.checked import Checked, length, pattern
from tolka.translate.description import Lang, Name, Strategy  # noqa: TC001 (annotations are read)
from tolka.translate.searching import Setting, store_search

if TYPE_CHECKING:
    from os import PathLike

MOST_PARTS = 64
"""Parts of an ensemble at most: a bit of a mask says who knows a rule."""

Scale = Literal["l1", "lm", "none"]
"""What the weights of each part are divided by: the sum of their sizes (Razmara 2013, section 2.4.3), what its language
models weigh, so that all parts give a shared one the same weight (section 3.4 of the specification), or nothing."""

PreparationKind = Literal["same", "common", "lattice"]
"""How sentences are prepared: as all parts would, as one part does, or as each part does, in one lattice."""


@dataclass(frozen=True)
class EnsemblePart(Checked):
    """A part of an ensemble.

    Attributes:
        name: What it is called; component weights have the same name.
        path: Where it is: from the ensemble's directory, or from the root.
        key: The hash of its manifest, which has the checksums of its files.
    """

    name: Name
    path: Annotated[str, length(1, 4096)]
    key: Annotated[str, pattern("[0-9a-f]{64}")]


@dataclass(frozen=True)
class EnsembleDescription(Checked):
    """An ensemble without its parts.

    Attributes:
        langs: The language it translates from, and the one it translates to.
        parts: The parts, in their order.
        mixture: Settings of `tolka.decode.Mixture`, as a manifest has them.
        scale: What the weights of each part are divided by.
        strategy: How it searches.
        search: Settings of the decoder, as `tolka.translate.searching` stores them.
        preparation: How sentences are prepared.
        lead: The part whose preparation is the first, or the only one; the first part if that is not said.
        inside: Whether the parts are in the ensemble's own directory.
        made: How it was made, for people to read; nothing depends on it.
    """

    langs: Annotated[list[Lang], length(2, 2)]
    parts: Annotated[list[EnsemblePart], length(1, MOST_PARTS)]
    mixture: dict[str, Any] = field(default_factory=dict)
    scale: Scale = "l1"
    strategy: Strategy = "chart"
    search: dict[str, Setting] = field(default_factory=dict)
    preparation: PreparationKind = "same"
    lead: str = ""
    inside: bool = False
    made: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.search, dict):
            object.__setattr__(self, "search", store_search(self.search))
        super().__post_init__()
        names = self.names
        if not self.lead:
            object.__setattr__(self, "lead", names[0])
        if len(set(names)) < len(names):
            double = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two parts are called {double!r}")
        if self.lead not in names:
            raise ValueError(f"there is no part {self.lead!r} to lead")
        mixture = read_mixture(self.mixture)
        unknown = [name for name in named_by(mixture) if name not in names]
        if unknown:
            raise ValueError(f"there is no part {unknown[0]!r} to be weighted; parts are {', '.join(names)}")
        object.__setattr__(self, "mixture", store_mixture(mixture))

    @property
    def names(self) -> list[str]:
        """The names of the parts."""
        return [part.name for part in self.parts]

    @classmethod
    def of_manifest(cls, settings: Mapping[str, Any], path: str | PathLike[str]) -> EnsembleDescription:
        """The description in a manifest's settings.

        Raises:
            FormatError: They describe no ensemble.
        """
        try:
            return cls.read(settings)
        except (ValueError, TolkaError) as error:
            what = f"the manifest describes no ensemble: {error}"
            raise FormatError(what, path=path, hint="make the ensemble again, or upgrade tolka") from error

    def written(self) -> dict[str, Any]:
        """As settings of a manifest."""
        return asdict(self)


def read_mixture(stored: Mapping[str, Any]) -> Mixture:
    """The mixture that a manifest's settings describe.

    Raises:
        ValueError: A setting that mixtures do not have.
        TolkaError: One whose value makes no sense.

    Example:
        >>> read_mixture({"operation": "wmax"}).operation
        'wmax'
    """
    known = {one.name for one in fields(Mixture)}
    unknown = next((name for name in stored if name not in known), None)
    if unknown is not None:
        raise ValueError(f"mixture.{unknown}: is not known")
    try:
        return Mixture(**stored)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"mixture: {error}") from error


def store_mixture(mixture: Mixture) -> dict[str, Any]:
    """The same as a manifest has it: every setting, so that what it was made with does not change with defaults."""
    return {one.name: _plain(value) for one in fields(mixture) if (value := getattr(mixture, one.name)) is not None}


def named_by(mixture: Mixture) -> list[str]:
    """The components that a mixture speaks of."""
    return list(dict.fromkeys(name for table in (mixture.weights, mixture.temperatures) for name in table))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(one) for one in value]
    return value
