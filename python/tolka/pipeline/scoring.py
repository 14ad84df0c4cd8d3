"""How well a model on disk translates the test section that it was trained beside."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tolka.evaluate import evaluate
from tolka.files import write_atomic
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.progress import SILENT
from tolka.translate import Translator
from tolka.translate.multitree import TreeTranslator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tolka.corpus import Pair
    from tolka.evaluate import Evaluation
    from tolka.pipeline.graph import Graph
    from tolka.pipeline.runner import RunResult
    from tolka.progress import Progress

TEST = "test"
MODEL = "model"
TREE_MODEL = "tree-model"
REMEMBERED = "scores.json"

# What these stages did to text, the model does itself.
_BY_THE_MODEL = {"tokenise", "truecase", "compounds", "placeholders", "reorder"}


@dataclass(frozen=True)
class Scored:
    """A test section that a model translated.

    Attributes:
        scores: How well.
        seconds: How long it took.
        translations: What it said.
    """

    scores: Evaluation
    seconds: float
    translations: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The scores as plain JSON values, for machines."""
        named = {one.metric: {"score": one.score, "signature": one.signature} for one in self.scores.scores}
        return {"lines": self.scores.sentences, "seconds": round(self.seconds, 3), "scores": named}


def score_model(translator: Translator | TreeTranslator, pairs: Sequence[Pair], *, threads: int = 0) -> Scored:
    """Translate text and compare it with its translations by people; load the translator from where it was saved."""
    began = time.perf_counter()
    found = translator.translate([source for source, _ in pairs], threads=threads)
    seconds = time.perf_counter() - began
    tokenised = translator.description.text.tokenised
    scores = evaluate(found, [target for _, target in pairs], tokenised=tokenised, threads=threads)
    return Scored(scores, seconds, tuple(found))


def text_beside(graph: Graph, done: RunResult, model: str) -> tuple[str, CorpusDirectory]:
    """The corpus that a model was made of while it was still text as people write it, and the table that wrote it."""
    name = graph[model].links["corpus"].node
    while True:
        corpus = CorpusDirectory.open(done[name].outputs["corpus"])
        before = graph[name].links.get("corpus")
        if before is None or not _BY_THE_MODEL & set(corpus.history):
            return name, corpus
        name = before.node


def score_run(graph: Graph, done: RunResult, work: Path, *, progress: Progress = SILENT) -> dict[str, dict[str, Any]]:
    """The scores of each model that a run made and whose corpus has a test section, by the model's table.

    They are remembered in the work directory, so that a model is not asked twice.
    """
    place = work / REMEMBERED
    known, now, found = _remembered(place), {}, {}
    for one in done.stages:
        if one.stage not in (MODEL, TREE_MODEL):
            continue
        name, corpus = text_beside(graph, done, one.name)
        if TEST not in corpus.sections:
            continue
        key = f"{one.key} {done[name].key}"
        if key not in known:
            pairs = list(corpus.pairs(TEST))
            with progress.task(f"testing {one.name}", total=len(pairs), unit="lines") as advance:
                opened = (TreeTranslator if one.stage == TREE_MODEL else Translator).load(one.outputs[MODEL])
                known[key] = score_model(opened, pairs).to_json()
                advance(len(pairs))
        found[one.name] = now[key] = known[key]
    if now:
        with write_atomic(place) as out:
            json.dump(now, out)
    return found


def _remembered(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return {}
