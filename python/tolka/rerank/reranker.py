"""Rerankers: choose again from lists of translations, with features that no decoder could afford."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np

from tolka.errors import FormatError, InputError, SettingsError
from tolka.evaluate.evaluation import reference_texts
from tolka.files import Bundle, Container, save_bundle, write_container
from tolka.lm import Embeddings
from tolka.progress import SILENT
from tolka.rerank.gathering import SCORE, Columns, complete, equip, extended, joined, weighted
from tolka.rerank.gesn import GesnFeatures, GesnSettings
from tolka.rerank.learning import Table, learn
from tolka.rerank.phrases import PhraseFeatures
from tolka.rerank.results import Reranked, RerankReport
from tolka.rerank.sources import Source
from tolka.tune import Tuner
from tolka.tune.gathered import MetricName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from tolka.align import Aligner
    from tolka.progress import Progress
    from tolka.rerank.gathering import Features
    from tolka.rerank.nbest import NBestList
    from tolka.syntax import Tree

MODELS = ("gesn-sequence", "gesn-bilingual", "gesn-dependency", "phrase-dependency")
KIND = "reranker"
TunerKind = Literal["mira", "pro"]


class Reranker:
    """Chooses again from n-best lists.

    The decoder's features and those of the reranker are weighed together; the weights are learnt on lists of a development
    set by the tuners that decoders use, beginning at the decoder's own order.

    Args:
        model: What the reranker adds: one of `MODELS`, or several joined by "+".
        gesn: What its reservoirs are like.
        tuner: "mira" (k-best batch MIRA) or "pro" (pairwise ranking).
        metric: What to tune for: bleu, chrf, chrf++ or ter, of words.
        retune: Whether each of the decoder's features gets a new weight, or all keep theirs and only its score counts; less
            to learn, for small development sets.
        folds: Into how many parts the sentences are cut. Each is left out once, and all of those say how far to go from the
            decoder's order; 0 to go all the way.
        seed: Of the tuner; that of reservoirs is one of their settings.
        options: Of the tuner; see `tolka.tune.Tuner`.

    Attributes:
        weights_: The weight of each feature.
        report_: What training did.

    Example:
        >>> from tolka.rerank import Entry, NBestList
        >>> wanted = ["i see a red house", "you read an old book"]
        >>> lists = [
        ...     NBestList(0, (Entry("i see a house red", {}, -1.0), Entry("i see a red house", {}, -1.1))),
        ...     NBestList(1, (Entry("you read a book old", {}, -1.0), Entry("you read an old book", {}, -1.1))),
        ... ]
        >>> embeddings = Embeddings.train(wanted, min_count=1)
        >>> reranker = Reranker("gesn-sequence").train(lists, wanted, target_embeddings=embeddings)
        >>> round(reranker.report_.before), round(reranker.report_.after)
        (29, 100)
        >>> [own.best.words for own in reranker.rerank(lists) if own.best]
        ['i see a red house', 'you read an old book']
    """

    weights_: dict[str, float]
    report_: RerankReport

    def __init__(
        self,
        model: str = "gesn-bilingual",
        *,
        gesn: GesnSettings | None = None,
        tuner: TunerKind = "mira",
        metric: MetricName = "bleu",
        retune: bool = True,
        folds: int = 5,
        seed: int = 1,
        options: Mapping[str, float] | None = None,
    ) -> None:
        self.kinds = tuple(model.split("+"))
        unknown = next((kind for kind in self.kinds if kind not in MODELS), None)
        if unknown is not None or len(set(self.kinds)) != len(self.kinds):
            what = f"unknown model {unknown!r}" if unknown is not None else f"the model {model!r} names one twice"
            raise SettingsError(what, hint=f"use {', '.join(MODELS)}, or several joined by +")
        if tuner not in get_args(TunerKind):
            raise SettingsError(f"a reranker cannot be tuned by {tuner!r}", hint="use mira or pro")
        if metric not in get_args(MetricName):
            raise SettingsError(f"unknown metric {metric!r}", hint=f"use one of {', '.join(get_args(MetricName))}")
        self.model = model
        self.gesn = gesn or GesnSettings()
        self.metric: MetricName = metric
        self.retune = retune
        if isinstance(folds, bool) or folds not in range(100) or folds == 1:
            raise SettingsError(f"{folds!r} parts cannot be held out in turn", hint="use 2 to 99, or 0")
        self.folds = folds
        chosen: dict[str, Any] = dict(options or {})
        self._tuner = Tuner(tuner, metric=metric, seed=seed, **chosen)
        self._features: tuple[Features, ...] = ()
        self._columns = Columns((), has_sparse=False)

    @property
    def needs_source(self) -> bool:
        """Whether it reads the source, too."""
        return any(kind != "gesn-sequence" for kind in self.kinds)

    @property
    def needs_trees(self) -> bool:
        """Whether it reads the source's dependencies, too."""
        return any("dependency" in kind for kind in self.kinds)

    @property
    def embeds_source(self) -> bool:
        """Whether it needs embeddings of source words."""
        return any(kind in {"gesn-bilingual", "gesn-dependency"} for kind in self.kinds)

    @property
    def embeds_target(self) -> bool:
        """Whether it needs embeddings of target words."""
        return any(kind.startswith("gesn") for kind in self.kinds)

    def train(
        self,
        lists: Iterable[NBestList],
        references: Sequence[str] | Sequence[Sequence[str]],
        sources: Iterable[str | Tree | Source] | None = None,
        *,
        source_embeddings: Embeddings | None = None,
        target_embeddings: Embeddings | None = None,
        weights: Mapping[str, float] | None = None,
        aligner: Aligner | None = None,
        threads: int = 0,
        progress: Progress = SILENT,
    ) -> Self:
        """Learn weights from the lists of a development set.

        Args:
            lists: The lists, in the order of their sentences.
            references: One tokenised line per sentence, or several such texts.
            sources: The sentences as the decoder saw them, as lines of words or as trees; if not given, those in the lists.
            source_embeddings: Of source words; learnt from the sources if not given and needed.
            target_embeddings: Of target words; learnt from the references if not given and needed.
            weights: The decoder's weights, to start from. If not given, its score is a feature, and the start.
            aligner: Makes links where lists have none.
            threads: How many; 0 for one per core. Nothing depends on it.
            progress: Who is told.

        Raises:
            InputError: Lists, references and sources do not fit each other, or lack what the model needs.
        """
        if weights is not None and not self.retune:
            raise SettingsError("weights to start from are of features that would not count", hint="let it retune")
        texts = reference_texts(references)
        sentences = len(texts[0])
        if self.embeds_source and source_embeddings is None:
            if sources is None:
                lists = list(lists)
                sources = [Source.of(own.source or "") for own in complete(lists, sentences)]
            known = [Source.of(source) for source in sources]
            if not any(source.words for source in known):
                raise InputError(f"the lists have no source, which {self.model} needs", hint="give the source")
            sources = known
            source_embeddings = Embeddings.train([" ".join(source.words) for source in known])
        if self.embeds_target and target_embeddings is None:
            target_embeddings = Embeddings.train([line for text in texts for line in text])
        self._features = tuple(self._made(kind, source_embeddings, target_embeddings) for kind in self.kinds)
        counts, words, dense, extra, sparse = list[int](), list[str](), [], [], list[dict[str, float]]()
        with progress.task("computing states", total=sentences, unit="sentences") as advance:
            for batch, own_sources in joined(complete(lists, sentences), sources):
                if not words:
                    self._columns = Columns.of(batch, score=weights is None, retune=self.retune)
                equipped = equip(self._features, batch, own_sources, aligner)
                extra.append(extended(self._features, equipped, own_sources, threads))
                for own in equipped:
                    rows, more = self._columns.rows(own)
                    counts.append(len(own.entries))
                    words += [entry.words for entry in own.entries]
                    dense.append(rows)
                    sparse += more
                advance(len(batch))
        if not words:
            raise InputError("there are no translations to learn from", hint="give lists of the development set")
        self._columns = Columns(self._columns.names, has_sparse=any(sparse), retune=self.retune)
        table = Table(
            (*self._columns.names, *self._extra_names()),
            texts,
            counts,
            words,
            np.concatenate([np.concatenate(dense), np.concatenate(extra)], axis=1),
            sparse if self._columns.has_sparse else [],
            metric=self.metric,
        )
        start = self._start(table, weights)
        with progress.task("tuning", total=max(self.folds, 1), unit="rounds") as advance:
            learnt = learn(table, start, self._tuner, self.folds, advance)
        self.weights_ = learnt.weights
        self.report_ = RerankReport(
            metric=self.metric,
            before=learnt.before,
            after=learnt.after,
            oracle=learnt.oracle,
            sentences=sum(count > 0 for count in counts),
            entries=len(words),
            features=len({*table.names, *(name for row in table.sparse for name in row)}),
            share=learnt.share,
            unsettled=sum(getattr(feature, "unsettled_", 0) for feature in self._features),
            held_out=learnt.held_out,
        )
        return self

    def _start(self, table: Table, weights: Mapping[str, float] | None) -> dict[str, float]:
        start = dict.fromkeys(table.names, 0.0)
        start |= {SCORE: 1.0} if SCORE in start else {}
        given = {name: float(weight) for name, weight in (weights or {}).items()}
        unknown = next((name for name in self._columns.names if weights is not None and name not in given), None)
        if unknown is not None:
            raise InputError(f"the feature {unknown!r} of the lists has no weight to start from")
        met = {*start, *(name for row in table.sparse for name in row)}
        return start | {name: value for name, value in given.items() if name in met}

    def rerank(
        self,
        lists: Iterable[NBestList],
        sources: Iterable[str | Tree | Source] | None = None,
        *,
        aligner: Aligner | None = None,
        threads: int = 0,
    ) -> Iterator[Reranked]:
        """Put lists into a new order, one after the other, some sentences at a time.

        Args:
            lists: Of the system whose lists it was trained on. Sentences without a list get an empty one.
            sources: As in `train`.
            aligner: As in `train`.
            threads: How many; 0 for one per core. Nothing depends on it.

        Raises:
            InputError: The lists have other features, or lack what the model needs.
        """
        if not hasattr(self, "weights_"):
            raise InputError("the reranker knows nothing yet", hint="call train() or load() first")
        dense = np.array([self.weights_.get(name, 0.0) for name in self._columns.names])
        ours = np.array([self.weights_.get(name, 0.0) for name in self._extra_names()])
        for batch, own_sources in joined(complete(lists), sources):
            equipped = equip(self._features, batch, own_sources, aligner)
            states = extended(self._features, equipped, own_sources, threads).astype(np.float64) @ ours
            begin = 0
            for own in equipped:
                rows, sparse = self._columns.rows(own)
                end = begin + len(own.entries)
                scores = rows.astype(np.float64) @ dense + states[begin:end]
                if self._columns.has_sparse:
                    scores += weighted(sparse, self.weights_)
                begin = end
                order = np.argsort(-scores, kind="stable")
                yield Reranked(
                    own.number, tuple(replace(own.entries[place], score=float(scores[place])) for place in order)
                )

    def save(self, path: str | PathLike[str]) -> None:
        """Save as a bundle, a directory with a manifest; one that is there is replaced whole or not at all."""
        if not hasattr(self, "weights_"):
            raise InputError("the reranker knows nothing yet", hint="call train() first")
        settings = {
            "model": self.model,
            "gesn": asdict(self.gesn),
            "tuner": self._tuner.kind,
            "metric": self.metric,
            "retune": self.retune,
            "seed": self._tuner.seed,
            "has_sparse": self._columns.has_sparse,
            "options": dict(self._tuner.options),
            "folds": self.folds,
            "report": {name: value for name, value in asdict(self.report_).items() if value is not None},
        }
        arrays: dict[str, NDArray[Any] | bytes] = {
            "names": "\n".join(self.weights_).encode(),
            "weights": np.array(list(self.weights_.values()), dtype=np.float64),
        }
        with save_bundle(str(path), kind=KIND, settings=settings, features=self._columns.names) as out:
            write_container(out.file("weights.tlk"), KIND, arrays)
            for feature in self._features:
                if isinstance(feature, GesnFeatures):
                    flat = {name: matrix.ravel() for name, matrix in feature.matrices.items()}
                    write_container(out.file(f"{feature.kind}.tlk"), "reservoir", flat)
            for name, table in self._embeddings().items():
                table.save(out.file(f"{name}.tlk"))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Load a saved reranker.

        Raises:
            FileError: There is none.
            FormatError: It is damaged or something else.
        """
        bundle = Bundle.open(str(path), kind=KIND)
        try:
            settings = dict(bundle.settings)
            report = RerankReport(**settings["report"])
            reranker = cls(
                settings["model"],
                gesn=GesnSettings(**settings["gesn"]),
                tuner=settings["tuner"],
                metric=settings["metric"],
                retune=bool(settings["retune"]),
                folds=settings["folds"],
                seed=settings["seed"],
                options=settings["options"],
            )
            has_sparse = bool(settings["has_sparse"])
        except (KeyError, TypeError, AttributeError, SettingsError) as error:
            raise FormatError(f"the reranker's settings make no sense: {error}", path=path, hint=_AGAIN) from error
        tables = {
            name: Embeddings.load(bundle.file(f"{name}.tlk"))
            for name, wanted in (("source", reranker.embeds_source), ("target", reranker.embeds_target))
            if wanted
        }
        reranker._columns = Columns(bundle.features, has_sparse=has_sparse, retune=reranker.retune)
        reranker._features = tuple(
            reranker._opened(kind, bundle, tables.get("source"), tables.get("target")) for kind in reranker.kinds
        )
        stored = Container.open(bundle.file("weights.tlk"), KIND)
        names = stored.bytes("names").decode("utf-8").split("\n")
        weights = stored.array("weights")
        if len(names) != len(weights) or not {*bundle.features, *reranker._extra_names()} <= set(names):
            raise FormatError("the reranker's weights do not fit its features", path=path, hint=_AGAIN)
        reranker.weights_ = dict(zip(names, weights.tolist(), strict=True))
        reranker.report_ = report
        return reranker

    def _opened(self, kind: str, bundle: Bundle, source: Embeddings | None, target: Embeddings | None) -> Features:
        if kind == "phrase-dependency":
            return PhraseFeatures()
        stored = Container.open(bundle.file(f"{kind}.tlk"), "reservoir")
        size = self.gesn.size
        try:
            matrices = {section.name: stored.array(section.name).reshape(size, -1) for section in stored.sections}
        except ValueError as error:
            raise FormatError("a matrix does not fit the reservoir", path=bundle.path, hint=_AGAIN) from error
        return self._made(kind, source, target, matrices)

    def _made(
        self,
        kind: str,
        source: Embeddings | None,
        target: Embeddings | None,
        matrices: Mapping[str, NDArray[np.float64]] | None = None,
    ) -> Features:
        if kind == "phrase-dependency":
            return PhraseFeatures()
        if target is None:
            raise SettingsError(f"{kind} needs embeddings of target words")
        return GesnFeatures(kind, self.gesn, target, source, matrices)

    def _embeddings(self) -> dict[str, Embeddings]:
        found: dict[str, Embeddings] = {}
        for feature in self._features:
            if isinstance(feature, GesnFeatures):
                found["target"] = feature.target
                if feature.source is not None:
                    found["source"] = feature.source
        return found

    def _extra_names(self) -> tuple[str, ...]:
        return tuple(name for feature in self._features for name in feature.names)

    def __repr__(self) -> str:
        return f"Reranker({self.model!r})"


_AGAIN = "copy or make the reranker again"
