"""The translator of an ensemble: several models that translate as one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, cast

from tolka.decode import Lattice, Sentence
from tolka.errors import InputError, SettingsError
from tolka.files.manifest import manifest_mark
from tolka.translate.ensemble.decoding import mixed_decoder
from tolka.translate.ensemble.description import read_mixture, store_mixture
from tolka.translate.ensemble.files import OpenEnsemble, leaves, open_ensemble, write_ensemble
from tolka.translate.ensemble.preparing import reconcile
from tolka.translate.ensemble.views import Views
from tolka.translate.given import GivenSettings
from tolka.translate.loading import Opener, make_steps
from tolka.translate.memory import Memory
from tolka.translate.translator import Translator, open_reordering_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from pathlib import Path

    from tolka.decode import Input
    from tolka.decode.ensemble import EnsembleDecoder
    from tolka.decode.mixture import Mixture
    from tolka.files import Bundle
    from tolka.translate.bundle import ModelFiles, OpenModel
    from tolka.translate.description import Description, Kind
    from tolka.translate.ensemble.description import EnsembleDescription
    from tolka.translate.ensemble.files import OpenPart
    from tolka.translate.ensemble.preparing import Preparation


class EnsembleTranslator(Translator):
    """Translates text with several models at once; made by `Translator.load` for the directory of an ensemble.

    Everything that a `Translator` does, it does, too. Its weights are those of its parts: lambda, by the names of the parts.
    Those of features belong to the parts and stay as they are.

    Attributes:
        ensemble: What the ensemble is: its parts, mixture, scale, preparation.
        parts: Its parts, read but for the large files.
        models: The models among its parts and their parts, by name.
        preparation: How sentences are prepared, and why.
        description: As one model that does the same would be described: languages, text settings, search settings.
    """

    def __init__(
        self, ensemble: EnsembleDescription, parts: Sequence[OpenPart], *, stages: Sequence[str] = (), **search: Any
    ) -> None:
        """Join the parts of an ensemble.

        Args:
            ensemble: What it is.
            parts: Its parts.
            stages: The stages that made it.
            **search: Settings of the decoder that go before those of the description.

        Raises:
            SettingsError: The parts do not go together.
        """
        self.ensemble = ensemble
        self.parts = tuple(parts)
        self.models = dict(leaves(parts))
        self.preparation = prepared_by(ensemble, parts)
        self.stages = tuple(stages)
        self.given = GivenSettings()
        self.origin = None
        opener = Opener(_checksums(self.models.values()))
        lead = self.models[self.preparation.lead]
        self.description = _as_one_model(ensemble, lead, list(self.models.values()))
        self.files = _all_files(self.models, lead)
        self.source, self.target = make_steps(lead.description, lead.files, opener)
        self.views: Views | None = None
        if self.preparation.kind == "lattice":
            seen = [self.models[name] for name in self.preparation.views]
            self.views = Views([make_steps(one.description, one.files, opener)[0] for one in seen])
        self.reordering = None if lead.description.reorder is None else open_reordering_of(lead.description, lead.files)
        self.memory = None
        if self.description.memory is not None and self.files.updates:
            self.memory = Memory([*self.files.updates.values()], self.source, self.description.memory)
        self.decoder = mixed_decoder(ensemble, parts, opener, search)

    @property
    def mixing(self) -> EnsembleDecoder:
        """What searches: a decoder of all parts."""
        return cast("EnsembleDecoder", self.decoder)

    @property
    def mixture(self) -> Mixture:
        """How the scores of the parts are mixed."""
        return read_mixture(self.ensemble.mixture)

    @property
    def weights(self) -> dict[str, float]:
        """What each part counts: lambda."""
        weights = self.mixture.weights
        return {name: float(weights.get(name, 1.0)) for name in self.ensemble.names}

    def with_weights(self, weights: Mapping[str, float]) -> EnsembleTranslator:
        """The same ensemble under other lambdas; those not named stay as they are.

        Raises:
            InputError: A part that there is not, or a lambda that is none.
        """
        names = self.ensemble.names
        for name in weights:
            if name not in names:
                hint = f"its parts are {', '.join(names)}; weights of features are those of the parts"
                raise InputError(f"there is no part {name!r} in this ensemble", hint=hint)
        mixture = replace(self.mixture, weights={**self.weights, **weights})
        return self._mixed(mixture, lambda now: now.with_weights(weights))

    def with_mixture(self, mixture: Mixture) -> EnsembleTranslator:
        """The same parts mixed in another way.

        Raises:
            InputError: The mixture speaks of a part that there is not.
        """
        return self._mixed(mixture, lambda now: now.with_mixture(mixture))

    def _mixed(self, mixture: Mixture, likewise: Callable[[EnsembleTranslator], Translator]) -> EnsembleTranslator:
        """With another mixture, as is what is loaded again, if that is an ensemble still."""
        try:
            ensemble = replace(self.ensemble, mixture=store_mixture(mixture))
        except ValueError as error:
            raise InputError(str(error)) from error
        other = self._with(ensemble=ensemble, decoder=self.mixing.with_mixture(mixture))
        if self.origin is None:
            return other
        path, mark, again = self.origin

        def once_more() -> Translator:
            now = again()
            return likewise(now) if isinstance(now, EnsembleTranslator) else now

        return other._with(origin=(path, mark, once_more))  # noqa: SLF001

    def save(self, path: str | PathLike[str]) -> None:
        """Save the ensemble to a directory; one that is there is replaced whole or not at all.

        Its parts stay where they are, unless it holds them: then the other directory holds them, too.

        Raises:
            FileError: The directory holds something else than a model, or cannot be written.
            SettingsError: It is that of a part.
        """
        write_ensemble(path, self.ensemble, self.parts, stages=self.stages)

    def update(self, *_: object, **__: object) -> NoReturn:
        """Refused: an ensemble has no text of its own.

        Raises:
            SettingsError: Always; says what to do instead.
        """
        raise SettingsError(
            "an ensemble takes in no sentence pairs itself",
            hint="update one of its parts, and take that as it is then with `tolka combine refresh`",
        )

    def sentences(self, lines: Sequence[str], *, first: int = 1, threads: int = 0) -> list[Sentence | Lattice]:
        """The first step with what the text brings along, as all parts see it; see `Translator.sentences`."""
        found = super().sentences(lines, first=first, threads=threads)
        if self.views is None or self.given.input_format != "text":
            return found
        return [
            one if isinstance(one, Sentence | Lattice) else Sentence(one)
            for one in self.views.inputs(list(lines), found, threads=threads)
        ]

    def prepare_inputs(
        self, sources: Sequence[str], references: Sequence[str], *, threads: int = 0
    ) -> tuple[list[Input], list[str]]:
        """Sentences as all parts see them, and the words of their translations: what ensembles are tuned on."""
        words, wanted = self.prepare_pairs(sources, references, threads=threads)
        if self.views is None:
            return [*words], wanted
        return self.views.inputs(list(sources), words, threads=threads), wanted

    def _mark(self, path: Path) -> object:
        marks = None if self.origin is None else self.origin[1]
        return {place: manifest_mark(place) for place in (marks if isinstance(marks, dict) else (path,))}

    def _with(self, **parts: Any) -> EnsembleTranslator:
        other: EnsembleTranslator = super()._with(**parts)  # type: ignore[assignment]
        return other

    def __repr__(self) -> str:
        source, target = self.langs
        return f"<EnsembleTranslator {source}-{target}, {self.mixture.operation} of {', '.join(self.ensemble.names)}>"


def load_ensemble(
    bundle: Bundle,
    again: Callable[[], Translator],
    *,
    weights: Mapping[str, float] | None = None,
    lm: str | PathLike[str] | None = None,
    verify: bool = False,
    **search: Any,
) -> EnsembleTranslator:
    """Load an ensemble that is open; see `Translator.load`.

    Args:
        bundle: The ensemble.
        again: Loads it again as it is then.
        weights: Lambdas to use in place of the ensemble's, by part.
        lm: Refused, since parts have their own.
        verify: Compare every byte of every part with its checksum first.
        **search: Settings of the decoder to use in place of the ensemble's.
    """
    if lm is not None:
        what = "the parts of an ensemble have their own language models, so another cannot take their place"
        raise SettingsError(what, hint="make the ensemble of other parts")
    opened = open_ensemble(bundle, verify=verify)
    loaded = EnsembleTranslator(opened.description, opened.parts, stages=bundle.stages, **search)
    loaded = loaded.with_weights(weights) if weights else loaded
    return loaded._with(origin=(bundle.path, dict(opened.marks), again))  # noqa: SLF001 - two halves of one thing


def prepared_by(ensemble: EnsembleDescription, parts: Sequence[OpenPart]) -> Preparation:
    """How an ensemble prepares sentences.

    Raises:
        SettingsError: Its parts do not agree, whatever its description says.
    """
    return reconcile(
        dict(views_of(parts)),
        asked=ensemble.preparation,
        lead=lead_of(ensemble.lead, parts),
        strategy=ensemble.strategy,
    )


def views_of(parts: Sequence[OpenPart], before: str = "") -> Iterator[tuple[str, OpenModel]]:
    """The models whose preparations count; of an ensemble that prepares all alike only its lead."""
    for part in parts:
        name = f"{before}{part.name}"
        if not isinstance(part.model, OpenEnsemble):
            yield name, part.model
            continue
        described, inner = part.model.description, part.model.parts
        chosen = inner if described.preparation == "lattice" else [one for one in inner if one.name == described.lead]
        yield from views_of(chosen, f"{name}/")


def lead_of(name: str, parts: Sequence[OpenPart]) -> str:
    """The model that leads: a part, or what leads a part that is an ensemble."""
    model = next(part.model for part in parts if part.name == name)
    return f"{name}/{lead_of(model.description.lead, model.parts)}" if isinstance(model, OpenEnsemble) else name


def _checksums(models: Iterable[OpenModel]) -> dict[Path, str]:
    return {
        model.bundle.file(name): entry.sha256 for model in models for name, entry in model.bundle.manifest.files.items()
    }


def _as_one_model(ensemble: EnsembleDescription, lead: OpenModel, models: Sequence[OpenModel]) -> Description:
    kind: Kind = "phrase" if all(one.description.kind == "phrase" for one in models) else "hiero"
    remembering = next((one.description.memory for one in models if one.description.memory is not None), None)
    return replace(
        lead.description,
        kind=kind,
        langs=list(ensemble.langs),
        strategy=ensemble.strategy,
        search=dict(ensemble.search),
        sparse={},
        lms=[],
        voices=None,
        aligner=False,
        growing=None,
        memory=remembering,
        corpora=None,
        made=dict(ensemble.made),
    )


def _all_files(models: Mapping[str, OpenModel], lead: OpenModel) -> ModelFiles:
    """The files of all models, those of preparation the lead's; of corrections, those of the first part count most."""
    named = [(name.replace("/", "."), model.files) for name, model in models.items()]
    return replace(
        lead.files,
        grammars={f"{name}.{own}": path for name, files in named for own, path in files.grammars.items()},
        lms={f"{name}.{own}": path for name, files in named for own, path in files.lms.items()},
        aligner={},
        text={},
        updates={f"{name}.{own}": path for name, files in reversed(named) for own, path in files.updates.items()},
    )
