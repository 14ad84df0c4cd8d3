"""`tolka train --kind multitree` as it is by default: statistics and a language model, whose weights are tuned."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.test_multitree import asked, tolka

from tolka.decode import words_of
from tolka.files import Bundle
from tolka.forest import read_forests
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.multitree import STATISTICS, SYSTEMS, MultitreeTranslator
from tolka.pipeline import train
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.translate.multitree import TreeTranslator
from tolka.tune import NBestLists

QUICK = ("align.model=hmm", "multitree.beam=10", "tune.iterations=2", "tune.nbest=20")
SETS = [part for one in QUICK for part in ("--set", one)]
# There are no classifiers, so nothing is said of what they weigh.
SHOWN = [name for name in STATISTICS if not name.endswith(".classifiers")]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs with trees, a parser, and a little text to tune and test on."""
    place = tmp_path_factory.mktemp("statistics") / "text"
    sizes = ("--pairs", 80, "--dev", 12, "--test", 6, "--mono", 20)
    tolka("corpus", "synth", "--multitrees", *sizes, "-o", place, "--quiet")
    tolka("parse", "train", place / "train.en.penn", "-o", place / "en.parser", "--rounds", 0, "--quiet")
    return place


@pytest.fixture(scope="module")
def command(text: Path) -> tuple[object, ...]:
    files = (text / "train.en", text / "train.fr", "--dev", text / "dev.en", text / "dev.fr", "--force", "--json")
    more = ("--test", text / "test.en", text / "test.fr", "--mono", text / "mono.fr", "--parser", text / "en.parser")
    return ("train", *files, *more, "--kind", "multitree", "--seed", 3, *SETS, "-o", text.parent / "en-fr")


@pytest.fixture(scope="module")
def trained(text: Path, command: tuple[object, ...]) -> tuple[Path, dict[str, Any]]:
    """A model trained through the command line, and what was said of it."""
    return text.parent / "en-fr", json.loads(tolka(*command).stdout)


def output(told: dict[str, Any], stage: str, name: str) -> Path:
    return Path(next(one["outputs"][name] for one in told["stages"] if one["stage"] == stage))


def language_of(model: Path) -> LanguageModel:
    return LanguageModel.load(Bundle.open(model).file("language.tlm"))


def test_statistics_and_a_language_model_are_the_default(trained: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    model, told = trained
    assert [one["stage"] for one in told["stages"]] == [
        *("corpus", "clean", "tokenise", "truecase", "mono-1", "align", "constituents", "multitree"),
        *("lm", "tune", "model"),
    ]
    assert told["dev"]["metric"] == "bleu"
    assert told["dev"]["score"] == max(told["dev"]["history"])
    opened = TreeTranslator.load(model, verify=True)
    weights = opened.model.settings.weights
    assert weights is not None
    assert list(weights) == list(SYSTEMS["best"].weights or ())
    assert told["weights"] == weights
    assert language_of(model).order == 5
    assert told["sizes"]["ngrams"] == sum(language_of(model).counts)
    page = (model / "report.html").read_text("utf-8")
    for mark in ("after each round of tuning with pro", "n-grams", "before.inverted", "pairs of phrases", "order 5"):
        assert mark in page
    assert "leaf.classifiers" in page
    assert "join.classifiers" not in page
    opened.model.save(tmp_path / "saved")
    assert MultitreeTranslator.load(tmp_path / "saved").settings == opened.model.settings


def test_the_model_translates_as_tuning_said(trained: tuple[Path, dict[str, Any]]) -> None:
    model, told = trained
    tuning = json.loads(output(told, "tune", "tuning").read_bytes())
    assert tuning["seed"] == 3
    corpus = CorpusDirectory.open(output(told, "truecase", "corpus"))
    sources, references = (list(corpus.lines("dev", lang)) for lang in corpus.langs)
    opened = TreeTranslator.load(model)
    assert opened.model.settings.weights == tuning["weights"]
    words = [words_of(line) for line in sources]
    found = [str(one) for one in opened.model.translate(words, opened._trees(words, 1))]
    assert NBestLists(references, ["lm"]).score(found) == pytest.approx(told["dev"]["score"], abs=1e-9)


def test_a_second_run_does_nothing(trained: tuple[Path, dict[str, Any]], command: tuple[object, ...]) -> None:
    model, told = trained
    before = Bundle.open(model).manifest
    again = json.loads(tolka(*command, "--threads", 1).stdout)
    assert all(one["cached"] for one in again["stages"])
    assert again["dev"] == told["dev"]
    assert again["weights"] == told["weights"]
    assert Bundle.open(model).manifest == before
    # Whoever asks for another seed tunes anew, and trains.
    other = json.loads(tolka(*command, "--seed", 4).stdout)
    assert {one["stage"] for one in other["stages"] if not one["cached"]} == {"align", "multitree", "tune", "model"}


def test_it_translates_and_tells_how(trained: tuple[Path, dict[str, Any]], text: Path, tmp_path: Path) -> None:
    model, _ = trained
    lines = (text / "test.en").read_text("utf-8")
    said = tolka("translate", model, "--explain", tmp_path / "why.txt", given=lines).stdout
    assert said == tolka("translate", model, given=lines).stdout
    told = (tmp_path / "why.txt").read_text("utf-8")
    assert told.count("sum of costs: ") == 6
    assert "worst first" not in told
    tolka("translate", model, "--explain", tmp_path / "why.html", given=lines)
    assert (tmp_path / "why.html").read_text("utf-8").count("Sum of costs") == 6


def test_what_context_says_is_told(trained: tuple[Path, dict[str, Any]]) -> None:
    model, _ = trained
    found = json.loads(tolka("learn", "analyse", model, "--json").stdout)
    (row,) = found["curve"]
    assert row["classifiers"] > 0
    assert row["examples"][2:] == [0, 0]
    assert "seen" not in row
    assert found["mass"]["joins"] == []
    assert "leaf.classifiers" in found["weights"]
    # Nothing was searched, and nothing was learnt of joins.
    assert [one["kind"] for one in found["sureness"]] == ["bilingual"]
    shown = tolka("learn", "analyse", model).stdout
    assert "iterations: examples so far" in shown
    assert "explored" not in shown
    assert "monotonic" not in shown


def test_nothing_is_told_of_classifiers_that_are_not_there(text: Path, tmp_path: Path) -> None:
    model = tmp_path / "model"
    result = train(asked(text, parser=text / "en.parser", overrides=(*QUICK, "multitree.epochs=0")), model)
    assert list(result.weights) == list(SHOWN)
    shown = tolka("learn", "analyse", model).stdout
    for mark in ("80 pairs", "weights of statistics", "before.inverted", "brackets"):
        assert mark in shown
    for mark in ("iteration", "confidence", "features", "classifiers", "penalty"):
        assert mark not in shown
    page = tmp_path / "page.html"
    found = json.loads(tolka("learn", "analyse", model, "--json", "--html", page).stdout)
    assert found["weights"] == result.weights
    assert found["curve"] == found["sureness"] == found["mass"]["pairs"] == found["mass"]["joins"] == []
    assert found["tuning"] is None
    written = page.read_text("utf-8")
    assert "Weights" in written
    assert "penalty" not in written


@pytest.mark.parametrize("tuner", ["mert", "mira"])
def test_another_tuner_and_another_language_model(text: Path, tmp_path: Path, tuner: str) -> None:
    lm = tmp_path / "own.arpa"
    LanguageModelTrainer(order=2).train((text / "train.tok.fr").read_text("utf-8").splitlines()).save(lm)
    # So bad to begin with that any tuner finds something better.
    start = "multitree.weights={lm = -1.0, target = -1.0, source = 0.1, words = -1.0, leaves = 1.0}"
    result = train(asked(text, tuner=tuner, lm=lm, overrides=(*QUICK, start)), tmp_path / "model")
    assert result.tuning is not None
    history = [step["score"] for step in result.tuning["history"]]
    assert result.dev_score == max(history) > history[0]
    opened = TreeTranslator.load(tmp_path / "model")
    assert opened.model.settings.weights == result.tuning["weights"] == result.weights
    assert set(result.weights) == {"lm", "target", "source", "words", "leaves"}
    assert language_of(tmp_path / "model").order == 2
    page = (tmp_path / "model" / "report.html").read_text("utf-8")
    assert f"tuning with {tuner}" in page
    assert "own.arpa" in page


def test_without_a_development_set_weights_stay(text: Path, tmp_path: Path) -> None:
    told: list[str] = []
    result = train(asked(text, dev=None, order=3, overrides=QUICK[:2]), tmp_path / "model", tell=told.append)
    assert "not tuned" in next(note for note in told if "too small" in note)
    assert result.tuning is None
    assert TreeTranslator.load(tmp_path / "model").model.settings.weights == SYSTEMS["best"].weights == result.weights
    assert language_of(tmp_path / "model").order == 3


def test_classifiers_can_be_weighed_too(text: Path, tmp_path: Path) -> None:
    more = ("multitree.learn=all", "multitree.prior=false", "multitree.longest=[2, 2]", "multitree.least=0.05")
    weights = "multitree.weights={" + ", ".join(f"'{name}' = {weight}" for name, weight in STATISTICS.items()) + "}"
    result = train(asked(text, overrides=(*QUICK, *more, weights, "multitree.penalty=0.05")), tmp_path / "model")
    model = TreeTranslator.load(tmp_path / "model").model
    assert list(result.weights) == list(STATISTICS)
    assert len(model.curve_) == 1
    assert model.record_.sureness
    # Their penalty is that of training: what they weigh is tuned instead.
    assert model.record_.tuning is None
    assert model.settings.penalty == 0.05
    assert any(one.features["join.classifiers"] for one in model.proposals([["Paul", "drinks", "the", "tea"]])[0])


def test_pairs_without_a_whole_tree_have_phrases(text: Path, tmp_path: Path) -> None:
    told: list[str] = []
    crossings = "multitree.most_crossings=0"
    settings = asked(text, parser=text / "en.parser", dev=None, overrides=(*QUICK[:2], crossings))
    train(settings, tmp_path / "model", tell=told.append)
    account = TreeTranslator.load(tmp_path / "model").model.account_
    assert account is not None
    assert account.complete < 1
    assert any("no complete multitree: phrases are taken from them all the same" in note for note in told)


@pytest.mark.parametrize(("option", "value"), [("--lm", "own.arpa"), ("--tuner", "pro"), ("--order", "3")])
def test_systems_of_the_thesis_have_nothing_to_weigh(
    command: tuple[object, ...], tmp_path: Path, option: str, value: str
) -> None:
    asked_for = ("--system", "forest-permissive", option, value, "-o", tmp_path / "model")
    said = tolka(*command, *asked_for, code=2).stderr
    assert "models of classifiers alone do not have a" in said
    assert f"leave out {option[2:]}, or take --system best" in said
    assert not (tmp_path / "model").exists()


def test_lists_have_what_is_weighed(trained: tuple[Path, dict[str, Any]], text: Path, tmp_path: Path) -> None:
    model, told = trained
    lines = (text / "test.en").read_text("utf-8")
    best = tolka("translate", model, given=lines).stdout.splitlines()
    lists = [json.loads(one) for one in tolka("translate", model, "-n", 4, "--json", given=lines).stdout.splitlines()]
    assert [one["nbest"][0]["text"] for one in lists] == best
    weights = told["weights"]
    for one in lists:
        scores = [row["score"] for row in one["nbest"]]
        assert all(list(row["features"]) == list(weights) for row in one["nbest"])
        sums = [sum(weights[name] * value for name, value in row["features"].items()) for row in one["nbest"]]
        assert scores == pytest.approx(sums, abs=1e-3)
        # Costs are in fixed point.
        assert all(later - former < 1e-3 for former, later in pairwise(scores))
    moses = tolka("translate", model, "-n", 1, given=lines).stdout.splitlines()
    assert [line.split(" ||| ")[1] for line in moses] == best
    assert tolka("translate", model, "--forest", tmp_path / "f.jsonl", given=lines).stdout.splitlines() == best
    assert sum(forest.goal is not None for forest in read_forests(tmp_path / "f.jsonl")) == len(best)
