"""From two files of text to a translator: the recipe of `tolka train`, run and reported."""

from __future__ import annotations

import json
import math
import shutil
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, get_args

from tolka.corpus import COMPOUNDING, CorpusFiles, Tokeniser, read_corpus
from tolka.corpus.several import check_names
from tolka.errors import FileError, SettingsError
from tolka.files import Bundle, write_atomic
from tolka.files.toml import to_toml
from tolka.grammar import Grammar, SuffixGrammar
from tolka.lm import LanguageModel
from tolka.pipeline.recipe import Recipe
from tolka.pipeline.runner import RunResult, StageResult, run
from tolka.pipeline.scoring import MODEL, TEST, score_model, text_beside
from tolka.pipeline.stages.layout import SPLIT_REPORT
from tolka.pipeline.training_page import training_page
from tolka.pipeline.tree_training import (
    MULTITREE,
    TreeKind,
    account_notes,
    check_tree_choices,
    tree_sizes,
    tree_tables,
    tree_tuner,
    tree_weights,
)
from tolka.progress import SILENT
from tolka.train import check_training, defaults
from tolka.train.tuning import DRL
from tolka.translate import Kind, Translator
from tolka.translate.bundle import KIND, open_model, write_model
from tolka.translate.description import Strategy
from tolka.translate.multitree import KIND as TREES
from tolka.translate.multitree import TreeTranslator, copy_tree_model
from tolka.tune.tuner import Kind as TunerKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tolka.evaluate import Evaluation
    from tolka.pipeline.stages.layout import CorpusDirectory
    from tolka.progress import Progress

REPORT = "report.html"
SAMPLES = 10
MANY_DROPPED = 0.2
"""The share of pairs above which cleaning is worth a note."""


@dataclass(frozen=True)
class TrainSettings:
    """What is trained; everything that is not said here has the defaults of `tolka.train.defaults`.

    Attributes:
        source: The text to translate from, or a file with both sides (TSV, `|||`, TMX, PO).
        target: Its translation, line by line.
        langs: Their languages.
        dev: Source and target of a development set; if there is none, pairs are set aside.
        test: Source and target of a test set, which is translated in the end; or none.
        kind: `hiero`, `phrase` or `multitree`.
        system: Of multitrees: one of `tolka.multitree.SYSTEMS`, `best` if it is not said.
        strategy: How it searches, `chart` or `phrase`; the usual way of its kind if it is not said.
        growing: Whether the model keeps its aligned text instead of a table of rules, for `tolka update`.
        tokenised: Whether the text is tokenised, and is left as it is.
        compounds: Whether compounds of the source are split; by default if its language has them.
        placeholders: Whether placeholders stand for numbers and addresses while the model learns.
        reorder: The pre-orderer that puts source words into the target's order first, such as `gru`; or none.
        parser: The parser it learns from, a file of `tolka parse train`; without one it learns from word classes. For multitrees
            a file of `tolka parse train`.
        tuner: mira, pro, mert, forest-mira, forest-mert or drl; if it is not said, drl for undirected search, else mira. For
            multitrees that weigh statistics pro, mert or mira, and pro if it is not said; others have none.
        lm: A language model, ARPA or compiled, to use instead of one of the target text.
        mono: Further texts of the target language.
        order: Of the language model.
        seed: Of everything random.
        threads: 0 for all cores; the model does not depend on it.
        overrides: Further settings of any stage, as `table.key=value`.
        force: Whether to train although the text looks wrong; see `tolka.train.check_training`.
        corpora: Several corpora to train on together, each with a name; `source` and `target` are then those of the first.
    """

    source: Path
    target: Path | None
    langs: tuple[str, str]
    dev: tuple[Path, Path] | None = None
    test: tuple[Path, Path] | None = None
    kind: Kind | TreeKind = defaults.KIND
    system: str | None = None
    strategy: Strategy | None = None
    growing: bool = False
    tokenised: bool = False
    compounds: bool | None = None
    placeholders: bool = False
    reorder: str | None = None
    parser: Path | None = None
    tuner: str | None = None
    lm: Path | None = None
    mono: tuple[Path, ...] = ()
    order: int = defaults.LM["order"]
    seed: int = 1
    threads: int = 0
    overrides: tuple[str, ...] = ()
    force: bool = False
    corpora: tuple[CorpusFiles, ...] = ()

    @property
    def chosen_tuner(self) -> str:
        """The tuner that was asked for, or the usual one of this search."""
        return tree_tuner(self) if self.kind == MULTITREE else self.tuner or defaults.tuner(self.strategy)


@dataclass(frozen=True)
class Sample:
    """A sentence of the development or test set with its translation."""

    source: str
    translation: str
    reference: str


@dataclass(frozen=True)
class TrainResult:
    """A finished training.

    Attributes:
        model: Where the model is.
        report: Where its page is.
        settings: What was asked for.
        run: The stages, with times and sizes.
        tuning: What tuning found, as its stage wrote it; None if there was nothing to tune on.
        test: The scores of the test set, if one was given.
        test_seconds: How long its translation took.
        samples: Some translations.
        sizes: Pairs, rules (those of a table) or pairs of phrases, n-grams if there is a language model, and bytes.
        weights: The model's weights; none if it is one of classifiers alone.
        cleaning: The account of cleaning, as `tolka.corpus.CleanReport` writes it; with what the reader left out.
        notes: What deserves attention.
    """

    model: Path
    report: Path
    settings: TrainSettings
    run: RunResult
    tuning: Mapping[str, Any] | None
    test: Evaluation | None
    test_seconds: float
    samples: tuple[Sample, ...]
    sizes: Mapping[str, int]
    weights: Mapping[str, float]
    cleaning: Mapping[str, Any]
    notes: tuple[str, ...] = field(default=())

    @property
    def dev_score(self) -> float | None:
        """The score of the development set, of words, under the model's weights."""
        return None if self.tuning is None else float(self.tuning["score"])

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.run.seconds + self.test_seconds


def training_recipe(settings: TrainSettings, *, dev_pairs: int = 0) -> Recipe:
    """The recipe that makes the model.

    Args:
        settings: What is asked for.
        dev_pairs: Pairs to set aside for tuning if no development set is given; with 0 nothing is tuned.

    Example:
        >>> from pathlib import Path
        >>> recipe = training_recipe(TrainSettings(Path("a.de"), Path("a.en"), ("de", "en")), dev_pairs=100)
        >>> [node.name for node in recipe.graph.order]
        ['corpus', 'clean', 'split', 'tokenise', 'truecase', 'compounds', 'align', 'lm', 'grammar', 'tune', 'model']
    """
    threads = {"threads": settings.threads}
    tables: dict[str, dict[str, Any]] = {"corpus": {"langs": list(settings.langs)}}
    if settings.corpora:
        check_names(settings.corpora)
        tables["corpus"]["corpora"] = [
            {"name": one.name, **{key: str(path) for key, path in zip(("source", "target"), one.paths, strict=False)}}
            for one in settings.corpora
        ]
    else:
        tables["corpus"]["source"] = str(settings.source)
        if settings.target is not None:
            tables["corpus"]["target"] = str(settings.target)
    for name, files in (("dev", settings.dev), ("test", settings.test)):
        if files is not None:
            tables["corpus"] |= {f"{name}_source": str(files[0]), f"{name}_target": str(files[1])}
    untouched = {"invisible": False, "nfc": False, "spaces": False} if settings.tokenised else {}
    tables["clean"] = {**defaults.CLEAN, **untouched}
    if settings.dev is None and dev_pairs:
        tables["split"] = {"dev": dev_pairs, "test": 0, "seed": settings.seed, "by": "near"}
    tables |= _text_tables(settings)
    for number, path in enumerate(settings.mono, 1):
        tables[f"mono-{number}"] = {"stage": "mono", "source": str(path), **threads}
    tuned = settings.dev is not None or bool(dev_pairs)
    if settings.kind == MULTITREE:
        tables |= tree_tables(settings, _lm_table(settings), tuned=tuned)
    else:
        tables |= _rule_tables(settings, tuned=tuned)
    text = "\n".join(f"[{name}]\n{to_toml(table)}" for name, table in tables.items())
    try:
        return Recipe.from_text(text, settings.overrides)
    except SettingsError as error:
        error.line = None  # nobody has seen this recipe
        raise


def _rule_tables(settings: TrainSettings, *, tuned: bool) -> dict[str, dict[str, Any]]:
    """The stages that make a model of rules."""
    threads = {"threads": settings.threads}
    tables = _order_tables(settings)
    tables["lm"] = _lm_table(settings)
    tables["grammar"] = {"kind": settings.kind, **({"growing": True} if settings.growing else {}), **threads}
    kind = {"kind": settings.kind, **({} if settings.strategy is None else {"strategy": settings.strategy})}
    if tuned:
        tables["tune"] = {**kind, "tuner": settings.chosen_tuner, "seed": settings.seed, **threads}
    tables["model"] = kind
    return tables


def _lm_table(settings: TrainSettings) -> dict[str, Any]:
    """The stage that makes the language model, or takes the one that is there."""
    file = {} if settings.lm is None else {"file": str(settings.lm)}
    return {"order": settings.order, "threads": settings.threads, **file}


def _text_tables(settings: TrainSettings) -> dict[str, dict[str, Any]]:
    """The stages that make words of text."""
    tables: dict[str, dict[str, Any]] = {}
    if not settings.tokenised:
        # Placeholders stand for tokens, so addresses and long numbers must be one.
        tables["tokenise"] = {"protect": True} if settings.placeholders else {}
        tables["truecase"] = {}
    split = settings.langs[0].partition("-")[0] in COMPOUNDING if settings.compounds is None else settings.compounds
    if split:
        tables["compounds"] = {}
    if settings.placeholders:
        tables["placeholders"] = {}
    return tables


def _order_tables(settings: TrainSettings) -> dict[str, dict[str, Any]]:
    """The stages that link words, and put those of the source into the order of their links."""
    threads = {"threads": settings.threads}
    tables: dict[str, dict[str, Any]] = {"align": {"seed": settings.seed, **threads}}
    if settings.reorder is not None:
        tables["reorder"] = {"model": settings.reorder, "seed": settings.seed, **threads}
    if settings.parser is None:
        return tables
    if settings.reorder is None:
        raise SettingsError("a parser is given, and nothing that needs it", hint="name a pre-orderer, too")
    return {"parse": {"model": str(settings.parser), **threads}, **tables}


def train(
    settings: TrainSettings,
    output: Path,
    *,
    work: Path | None = None,
    progress: Progress = SILENT,
    patience: float | None = None,
    tell: Callable[[str], None] | None = None,
    stage_done: Callable[[StageResult], None] | None = None,
) -> TrainResult:
    """Train a translator, tune it, save it, and write a page about it.

    A run that was interrupted, killed even, goes on where it was when it is started again with the same settings.

    Args:
        settings: What is trained.
        output: The model's directory; a translator that is there is replaced in the end.
        work: Where stages keep their outputs; beside the model by default.
        progress: Who is told.
        patience: See `tolka.pipeline.run`.
        tell: Is called with each note as soon as it is known.
        stage_done: Is called after each stage.

    Raises:
        InputError: The text must be wrong; see `tolka.train.check_training`.
        FileError: The output holds something else, or a file cannot be read.
        SettingsError: A setting makes no sense.
        StageError: A stage failed.
    """
    check_output(output)
    _check_choices(settings)
    if not settings.tokenised:
        for lang in settings.langs:
            Tokeniser(lang)
    with progress.task("checking the text", unit="pairs"):
        found = check_training(
            [one.paths for one in settings.corpora]
            or [[settings.source] if settings.target is None else [settings.source, settings.target]],
            settings.langs,
            dev=settings.dev,
            test=settings.test,
            mono=settings.mono,
            force=settings.force,
        )
    notes = _Notes(tell, found.notes)
    dev_pairs = 0
    if settings.dev is None:
        dev_pairs = usual_dev_pairs(settings)
        if dev_pairs:
            notes.append(f"no development set is given: {dev_pairs} pairs of the corpus are set aside for tuning")
        else:
            notes.append("the corpus is too small to set pairs aside: the weights are not tuned")
    recipe = training_recipe(settings, dev_pairs=dev_pairs)
    done = run(recipe, work or work_of(output), prune=True, progress=progress, patience=patience, stage_done=stage_done)
    if dev_pairs and (near := json.loads((done["split"].outputs["corpus"] / SPLIT_REPORT).read_bytes())["near"]):
        notes.append(
            f"{near:,} of the {dev_pairs:,} pairs set aside are nearly repeated in what is trained on: "
            "their score is better than that of new text will be"
        )
    cleaning = {**json.loads(done["clean"].outputs["report"].read_bytes()), "skipped": found.skipped}
    if cleaning["dropped"] > MANY_DROPPED * cleaning["pairs"]:
        notes.append(f"cleaning dropped {cleaning['dropped']:,} of {cleaning['pairs']:,} pairs: {dropped_by(cleaning)}")
    if settings.kind == MULTITREE:
        copy_tree_model(done["model"].outputs["model"], output)
        for note in account_notes(output, done):
            notes.append(note)
    else:
        _publish(done["model"].outputs["model"], output)
    _, text = text_beside(recipe.graph, done, MODEL)
    for note in done.notes:
        notes.append(note)
    return _report(settings, output, done, text, cleaning, notes.listed, progress)


class _Notes:
    """Notes that are told as they come."""

    def __init__(self, tell: Callable[[str], None] | None, first: Sequence[str]) -> None:
        self.listed: list[str] = []
        self._tell = tell
        for note in first:
            self.append(note)

    def append(self, note: str) -> None:
        self.listed.append(note)
        if self._tell is not None:
            self._tell(note)


def _check_choices(settings: TrainSettings) -> None:
    """Refuse what is none of the choices there are, by the name of its option."""
    choices = {
        "kind": (settings.kind, (*get_args(Kind), MULTITREE)),
        "strategy": (settings.strategy, (None, *get_args(Strategy))),
        "tuner": (settings.tuner, (None, DRL, *get_args(TunerKind))),
    }
    for name, (value, known) in choices.items():
        if value not in known:
            listed = ", ".join(one for one in known if one is not None)
            raise SettingsError(f"there is no {name} {value!r}", hint=f"use one of {listed}")
    check_tree_choices(settings)


def dropped_by(cleaning: Mapping[str, Any]) -> str:
    """What cleaning dropped, by rule, the most first.

    Example:
        >>> dropped_by({"rules": [{"rule": "empty", "count": 1}, {"rule": "length", "count": 0}, {"rule": "ratio", "count": 9}]})
        '9 ratio, 1 empty'
    """
    rules = sorted(cleaning["rules"], key=lambda one: -one["count"])
    return ", ".join(f"{one['count']:,} {one['rule']}" for one in rules if one["count"])


def work_of(output: Path) -> Path:
    """The work directory beside a model."""
    return output.with_name(f"{output.name}.work")


def check_output(output: Path) -> None:
    """Refuse a place where the model could not be saved, before any work is done.

    Raises:
        FileError: It is no directory, or holds something else than a translator.
    """
    if not output.name or output.name == "..":
        raise SettingsError(f"{output} cannot be the name of a model", hint="name a new directory")
    if not output.exists():
        return
    if not output.is_dir():
        raise FileError("there is a file in the place of the model", path=output, hint="name another directory")
    if (output / "model.toml").exists():
        kind = Bundle.open(output, verify=False).kind
        if kind not in (KIND, TREES):
            what = f"the directory holds a model of kind {kind}, which is not replaced by a translator"
            raise FileError(what, path=output, hint="name another directory")
    elif there := next((path.name for path in sorted(output.iterdir()) if not path.name.startswith(".tolka-")), None):
        what = f"the directory is not empty and not a model: it has {there}"
        raise FileError(what, path=output, hint="name a new or empty directory")


def usual_dev_pairs(settings: TrainSettings) -> int:
    """How many pairs are set aside for tuning if no development set is given."""
    corpora = settings.corpora or (CorpusFiles("corpus", settings.source, settings.target),)
    # With more than these it is the most in any case, so the rest of a large corpus is left to the stages.
    enough = math.ceil(defaults.DEV_PAIRS / defaults.DEV_SHARE)
    rows = (row for one in corpora for row in read_corpus(one.paths, langs=settings.langs, required=True))
    pairs = sum(1 for _ in islice(rows, enough))
    wanted = min(defaults.DEV_PAIRS, int(pairs * defaults.DEV_SHARE))
    return wanted if wanted >= defaults.LEAST_DEV_PAIRS else 0


def _publish(made: Path, output: Path) -> None:
    """Bring the model from the store to its place, unless it is there."""
    model = open_model(made)
    if (output / "model.toml").exists() and Bundle.open(output, verify=False).manifest == model.bundle.manifest:
        return
    write_model(output, model.description, model.files, model.weights, stages=model.bundle.stages, place=_copy)


def _copy(source: Path, target: Path) -> None:
    shutil.copyfile(source, target)


def _report(
    settings: TrainSettings,
    output: Path,
    done: RunResult,
    text: CorpusDirectory,
    cleaning: Mapping[str, Any],
    notes: Sequence[str],
    progress: Progress,
) -> TrainResult:
    """Say what the model that is on disk now is, and how well it translates."""
    tuning = (
        json.loads(done["tune"].outputs["tuning"].read_bytes()) if "tune" in {one.name for one in done.stages} else None
    )
    translator: Translator | TreeTranslator = (
        TreeTranslator.load(output) if settings.kind == MULTITREE else Translator.load(output)
    )
    test, samples = None, []
    with progress.task("translating samples", unit="lines") as advance:
        if TEST in text.sections and (pairs := list(text.pairs(TEST))):
            test = score_model(translator, pairs, threads=settings.threads)
            samples = _spread(
                [Sample(one, said, other) for (one, other), said in zip(pairs, test.translations, strict=True)]
            )
            advance(len(pairs))
        elif "dev" in text.sections and (pairs := _spread(list(text.pairs("dev")))):
            found = translator.translate([source for source, _ in pairs], threads=settings.threads)
            samples = [Sample(one, said, other) for (one, other), said in zip(pairs, found, strict=True)]
    result = TrainResult(
        model=output,
        report=output / REPORT,
        settings=settings,
        run=done,
        tuning=tuning,
        test=None if test is None else test.scores,
        test_seconds=0.0 if test is None else test.seconds,
        samples=tuple(samples),
        sizes=_sizes(translator, output) if isinstance(translator, Translator) else tree_sizes(translator, output),
        weights=translator.weights if isinstance(translator, Translator) else tree_weights(translator),
        cleaning=cleaning,
        notes=tuple(notes),
    )
    with write_atomic(result.report) as out:
        out.write(training_page(result))
    return result


def _spread(items: Sequence[Any]) -> list[Any]:
    """A few items from all over a list."""
    wanted = min(SAMPLES, len(items))
    return [items[at * len(items) // wanted] for at in range(wanted)]


def _sizes(translator: Translator, output: Path) -> dict[str, int]:
    files = translator.files
    manifest = Bundle.open(output, verify=False).manifest
    pairs = int(translator.description.made.get("pairs", 0))
    return {
        "pairs": len(SuffixGrammar(files.segments())) if translator.description.growing is not None else pairs,
        "rules": sum(len(Grammar.load(path)) for path in files.grammars.values()),
        "ngrams": sum(sum(LanguageModel.load(path).counts) for path in files.lms.values()),
        "bytes": sum(entry.size for entry in manifest.files.values()),
    }
