"""`tolka train --kind multitree`, `tolka translate` and `tolka learn analyse` from end to end, on text of a grammar."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tolka.errors import FormatError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.forest import read_forests
from tolka.multitree import SYSTEMS, MultitreeSettings, MultitreeTranslator
from tolka.pipeline import StageError, TrainSettings, train, training_recipe
from tolka.syntax import parse_penn
from tolka.translate import Translator
from tolka.translate.multitree import TreeTranslator

QUICK = (
    "multitree.epochs=2",
    "multitree.partitions=2",
    "multitree.templates=thesis",
    "multitree.coarse=none",
    "multitree.prune_pairs=0",
    "multitree.beam=4",
    "multitree.least=0.05",
    "multitree.longest=[2, 2]",
    "multitree.penalty=0.05",
    "align.model=hmm",
)
SETS = [part for one in QUICK for part in ("--set", one)]


def tolka(*arguments: object, code: int = 0, given: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tolka", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, input=given)
    assert done.returncode == code, done.stderr + done.stdout
    if code:
        assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty pairs with trees, a parser, and a little text to tune and test on."""
    place = tmp_path_factory.mktemp("multitree") / "text"
    tolka(
        "corpus", "synth", "--multitrees", "--pairs", 60, "--dev", 8, "--test", 6, "--mono", 20, "-o", place, "--quiet"
    )
    tolka("parse", "train", place / "train.en.penn", "-o", place / "en.parser", "--rounds", 0, "--quiet")
    return place


def asked(text: Path, **given: Any) -> TrainSettings:
    files: dict[str, Any] = {"overrides": QUICK, "dev": (text / "dev.en", text / "dev.fr"), "kind": "multitree"}
    return TrainSettings(text / "train.en", text / "train.fr", ("en", "fr"), **{**files, "force": True, **given})


@pytest.fixture(scope="module")
def trained(text: Path) -> tuple[Path, dict[str, Any]]:
    """A model with a parser, trained through the command line, and what was said of it."""
    model = text.parent / "en-fr"
    files = (text / "train.en", text / "train.fr", "--dev", text / "dev.en", text / "dev.fr")
    tested = ("--test", text / "test.en", text / "test.fr", "--mono", text / "mono.fr", "--force", "--json")
    how = ("--kind", "multitree", "--parser", text / "en.parser", "--system", "forest-permissive", *SETS, "-o", model)
    return model, json.loads(tolka("train", *files, *tested, *how).stdout)


def test_a_model_is_trained_tuned_tested_and_reported(trained: tuple[Path, dict[str, Any]]) -> None:
    model, told = trained
    assert [one["stage"] for one in told["stages"]] == [
        *("corpus", "clean", "tokenise", "truecase", "mono-1", "align", "constituents", "multitree", "tune", "model")
    ]
    assert told["dev"]["metric"] == "gtm"
    assert len(told["dev"]["history"]) == 3
    assert told["dev"]["score"] == max(told["dev"]["history"])
    assert told["test"]["lines"] == 6
    assert told["sizes"]["pairs"] == 60
    page = (model / "report.html").read_text("utf-8")
    assert "with each penalty of classifiers" in page
    assert "pairs of phrases" in page
    opened = TreeTranslator.load(model, verify=True)
    assert opened.description.parser == "constituents"
    assert opened.model.settings.coarse is None
    assert opened.model.settings.longest == (2, 2)
    assert opened.model.record_.tuning is not None
    assert opened.model.settings.penalty == opened.model.record_.tuning.penalty


def test_translation_needs_nothing_but_the_model(trained: tuple[Path, dict[str, Any]], text: Path) -> None:
    model, _ = trained
    lines = (text / "test.en").read_text("utf-8")
    found = tolka("translate", model, given=lines).stdout.split("\n")
    assert len(found) == 7
    assert tolka("translate", model, "--threads", 1, given=lines).stdout.split("\n") == found
    assert TreeTranslator.load(model).translate(lines.split("\n")[:-1]) == found[:-1]
    assert tolka("translate", model, given="\n\n").stdout == "\n\n"
    # A line that is no sentence ends nothing.
    assert len(tolka("translate", model, given=f"{'the ' * 401}\nPaul.\n").stdout.split("\n")) == 3
    assert "more than 400 words" in tolka("translate", model, "--json", code=1, given="the " * 401).stderr
    # Words nobody has seen are copied.
    assert "Zzyzx" in tolka("translate", model, given="Zzyzx!\n").stdout
    with pytest.raises(FormatError, match="multitree-translator"):
        Translator.load(model)


def test_derivations_are_shown(trained: tuple[Path, dict[str, Any]], text: Path, tmp_path: Path) -> None:
    model, _ = trained
    first, *others = (text / "test.en").read_text("utf-8").splitlines(keepends=True)
    said = tolka("translate", model, "--explain", tmp_path / "a.txt", given=first).stdout
    told = (tmp_path / "a.txt").read_text("utf-8")
    assert "costs, worst first: " in told
    assert "worst step: " in told
    assert said == tolka("translate", model, given=first).stdout
    tolka("translate", model, "--explain", tmp_path / "a.svg", given=first)
    assert ET.parse(tmp_path / "a.svg").getroot().tag.endswith("svg")  # noqa: S314 - our own
    tolka("translate", model, "--explain", tmp_path / "a.jsonl", given=first + others[0])
    one, two = (json.loads(line) for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines())
    assert one["costs"] == sorted(one["costs"], reverse=True)
    assert one["steps"][one["worst"]]["cost"] == pytest.approx(one["costs"][0])
    assert sorted(round(step["cost"], 4) for step in two["steps"]) == sorted(round(cost, 4) for cost in two["costs"])
    tolka("translate", model, "--explain", tmp_path / "a.html", given=first + "\n")
    page = (tmp_path / "a.html").read_text("utf-8")
    assert page.count("<article>") == 2
    assert page.count("<svg") == 2
    (line,) = tolka("translate", model, "--json", given=first).stdout.splitlines()
    assert json.loads(line)["text"] == said.strip()
    assert json.loads(line)["derivation"]["complete"] is True


def test_two_models_beside_each_other(trained: tuple[Path, dict[str, Any]], text: Path, tmp_path: Path) -> None:
    model, _ = trained
    other = tmp_path / "other"
    made = TreeTranslator.load(model)
    bundle = Bundle.open(model)
    settings = {**bundle.settings, "multitree": replace(made.model.settings, penalty=0.375).stored()}
    with save_bundle(other, kind=bundle.kind, settings=settings) as out:
        for name in bundle.names:
            out.file(name).write_bytes(bundle.file(name).read_bytes())
    line = (text / "test.en").read_text("utf-8").splitlines(keepends=True)[0]
    for name, mark in (("b.txt", "highest cost first (MinMerge)"), ("b.html", "only in other"), ("b.json", '"other"')):
        tolka("translate", model, "--explain", tmp_path / name, "--beside", other, given=line)
        assert mark in (tmp_path / name).read_text("utf-8")
    assert (
        "room for one" in tolka("translate", model, "--explain", "b.svg", "--beside", other, code=2, given=line).stderr
    )
    assert "is of --explain" in tolka("translate", model, "--beside", other, code=2, given=line).stderr


def test_lists_and_forests_are_those_of_other_models(
    trained: tuple[Path, dict[str, Any]], text: Path, tmp_path: Path
) -> None:
    model, _ = trained
    lines = (text / "test.en").read_text("utf-8") + "\nThe Zzyzx\n"
    best = tolka("translate", model, given=lines).stdout.split("\n")[:-1]
    listed = tolka("translate", model, "--nbest", 3, given=lines).stdout.splitlines()
    rows = [line.split(" ||| ") for line in listed]
    assert [int(row[0]) for row in rows] == sorted(int(row[0]) for row in rows)
    own = {number: [row for row in rows if int(row[0]) == number] for number in range(len(best))}
    assert all(1 <= len(ones) <= 3 for ones in own.values())
    assert any(len(ones) == 3 for ones in own.values())
    assert [ones[0][1] for ones in own.values()] == best
    for _, _, features, score in rows:
        names, values = features.split()[::2], [float(value) for value in features.split()[1::2]]
        assert names == ["source-fuse=", "target-fuse=", "bilingual=", "monotonic=", "inverted="]
        assert -sum(values) == pytest.approx(float(score), abs=1e-4)
    # The sum of what its derivation costs.
    told = [json.loads(line) for line in tolka("translate", model, "--json", given=lines).stdout.splitlines()]
    costs = [sum(one["derivation"]["costs"]) for one in told]
    assert [-float(ones[0][3]) for ones in own.values()] == pytest.approx(costs, abs=1e-4)
    lists = [json.loads(one) for one in tolka("translate", model, "-n", 3, "--json", given=lines).stdout.splitlines()]
    assert [one["nbest"][0]["text"] for one in lists] == best
    assert [len(one["nbest"]) for one in lists] == [len(ones) for ones in own.values()]
    file = tmp_path / "forests.jsonl"
    assert tolka("translate", model, "--forest", file, given=lines).stdout.split("\n")[:-1] == best
    forests = list(read_forests(file))
    assert len(forests) == len(best)
    for own_list, forest in zip(lists, forests, strict=True):
        if forest.goal is not None:
            first, *others = forest.kbest(10, unique=True, semiring="minmerge")
            said = own_list["nbest"][0]
            assert first.score == pytest.approx(said["score"], abs=1e-4)
            # Several may be as good.
            assert said["words"] in {" ".join(one.target) for one in (first, *others) if one.score - first.score < 1e-4}
    assert sum(forest.goal is not None for forest in forests) > len(best) / 2


def test_a_line_without_a_tree_has_an_empty_forest(trained: tuple[Path, dict[str, Any]]) -> None:
    translator = TreeTranslator.load(trained[0])
    translator.model.searching(time_limit=1e-6)
    ((_, forest),) = translator.forests(["The dog sleeps and the cat drinks the tea."])
    assert forest.source
    assert forest.viterbi() is None
    (listed,) = translator.lists(["The dog sleeps and the cat drinks the tea."], 5)
    assert len(listed.translations) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--nbest", 3, "--derivations"), "--derivations is not for a model of multitrees"),
        (("--nbest", 3, "--forest", "a.jsonl"), "--forest and --nbest do not go together"),
        (("--lm", "x"), "--lm is not for"),
        (("--mbr", "nbest"), "--mbr is not for"),
        (("--explain", "a.pdf"), "cannot be written to a.pdf"),
        (("--explain", "a.txt", "--json"), "do not go together"),
    ],
)
def test_options_that_are_not_for_multitrees(
    trained: tuple[Path, dict[str, Any]], arguments: tuple[object, ...], said: str
) -> None:
    assert said in tolka("translate", trained[0], *arguments, code=2, given="a\n").stderr


def test_a_line_that_is_no_sentence_ends_no_training(
    trained: tuple[Path, dict[str, Any]], text: Path, tmp_path: Path
) -> None:
    long = tmp_path / "dev.en", tmp_path / "dev.fr"
    for path, words in zip(long, ("the " * 401, "le " * 401), strict=True):
        path.write_text(f"{words}\n{(text / path.name).read_text('utf-8')}", encoding="utf-8")
    how = (
        "--kind",
        "multitree",
        "--parser",
        text / "en.parser",
        "--system",
        "forest-permissive",
        *SETS,
        "--force",
        "-q",
    )
    files = (text / "train.en", text / "train.fr", "--mono", text / "mono.fr", "--dev", *long)
    tolka("train", *files, *how, "-o", tmp_path / "model")
    # Neither watched nor tuned on, as if it were not there.
    record = TreeTranslator.load(tmp_path / "model").model.record_
    assert record == TreeTranslator.load(trained[0]).model.record_


def test_what_was_learnt_is_told(trained: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    model, _ = trained
    shown = tolka("learn", "analyse", model).stdout
    for mark in (
        "60 pairs",
        "iteration",
        "GTM of the tuning set",
        "chosen",
        "brackets",
        "bilingual",
        "features of joins",
    ):
        assert mark in shown
    page = tmp_path / "page.html"
    found = json.loads(tolka("learn", "analyse", model, "--json", "--html", page).stdout)
    assert len(found["curve"]) == 4
    assert sum("score" in row for row in found["curve"]) == sum("classifiers" in row for row in found["curve"]) > 0
    assert found["account"]["pairs"] == 60
    assert [row[0] for row in found["completeness"]] == [0, 1, 2, 3]
    assert {one["kind"] for one in found["sureness"]} == {"bilingual", "monotonic", "inverted"}
    assert {one["penalty"] for one in found["sureness"]} == {found["settings"]["penalty"]}
    assert sum(row["holds"] for row in found["mass"]["joins"]) == pytest.approx(1)
    assert page.read_text("utf-8").count("<polyline") == 10
    # What Python saves is as good.
    TreeTranslator.load(model).model.save(tmp_path / "saved")
    assert json.loads(tolka("learn", "analyse", tmp_path / "saved", "--json").stdout) == found
    assert "no model" in tolka("learn", "analyse", tmp_path, code=1).stderr


def test_a_training_that_was_killed_goes_on(text: Path, tmp_path: Path) -> None:
    arguments = [
        *("train", text / "train.en", text / "train.fr", "--dev", text / "dev.en", text / "dev.fr", "--force"),
        *("--kind", "multitree", "--system", "classifiers", *SETS, "--quiet"),
    ]
    tolka(*arguments, "-o", tmp_path / "whole")
    command = [sys.executable, "-m", "tolka", *map(str, arguments), "-o", str(tmp_path / "killed")]
    notes = tmp_path / "killed.work" / "notes"
    child = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while child.poll() is None:
        if any(notes.glob("*/examples-2-*")):
            child.send_signal(signal.SIGKILL)
            break
        time.sleep(0.01)
    child.wait()
    assert child.returncode == -signal.SIGKILL
    tolka(*arguments, "-o", tmp_path / "killed")
    assert not list(notes.iterdir())
    whole, killed = (Bundle.open(tmp_path / name) for name in ("whole", "killed"))
    assert whole.manifest == killed.manifest


def test_pairs_that_cannot_be_learnt_from_are_accounted_for(text: Path, tmp_path: Path) -> None:
    told: list[str] = []
    limit = "multitree.most_words=8"
    settings = asked(text, dev=None, overrides=(*QUICK, limit, "multitree.classes=0"), system="straw-man")
    result = train(settings, tmp_path / "model", tell=told.append)
    note = next(one for one in told if "could not be learnt from" in one)
    assert "because a side has more than 8 words" in note
    assert any("no parser is given" in one for one in told)
    assert result.dev_score is None
    translator = TreeTranslator.load(tmp_path / "model")
    account = translator.model.account_
    assert account is not None
    assert account.pairs + len(account.skipped) == 60
    assert account.pairs == result.sizes["pairs"] < 60
    assert translator.description.parser == "flat"
    assert translator.model.settings.supervisor == "tree"
    assert translator.translate(["The dog sleeps."])


def test_what_a_pair_can_lack() -> None:
    pairs = [
        (["the", "house"], ["la", "maison"]),
        ([], ["la"]),
        (["the"], []),
        (["the", "car"], ["la", "voiture"]),
        (["a"] * 9, ["b"]),
        (["the", "door"], ["la", "porte"]),
        (["house"], ["maison"]),
    ]
    links = [[(0, 0, 1.0), (1, 1, 1.0)], [], [], [], [(0, 0, 1.0)], [(0, 0, 1.0), (5, 1, 1.0)], [(0, 0, 1.0)]]
    trees = [None] * 6 + [parse_penn("(NP (NN car))")]
    settings = MultitreeSettings(epochs=1, partitions=1, prune_pairs=0, coarse=None, templates="thesis")
    translator = MultitreeTranslator(settings).train(pairs, trees, links=links, most_words=8)
    assert translator.account_ is not None
    assert translator.account_.pairs == 1
    reasons = list(translator.account_.skipped.values())
    assert list(translator.account_.skipped) == [1, 2, 3, 4, 5, 6]
    assert reasons[:4] == [
        *("a side is empty", "a side is empty", "there is no link", "a side has more than 8 words"),
    ]
    assert "link" in reasons[4]
    assert reasons[5] == "a tree has other words than its sentence"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"system": "forest-permissive", "lm": Path("x")}, "do not have a language model"),
        ({"system": "forest-permissive", "order": 3}, "do not have a language model"),
        ({"system": "classifiers", "tuner": "pro"}, "do not have a tuner"),
        ({"tuner": "forest-mira"}, "not tuned by forest-mira"),
        ({"tuner": "drl"}, "not tuned by drl"),
        ({"growing": True}, "do not grow"),
        ({"reorder": "gru"}, "another order"),
        ({"placeholders": True}, "placeholders"),
        ({"strategy": "chart"}, "search otherwise"),
        ({"system": "forest-permissive", "tuner": "mira"}, "tuner"),
        ({"system": "worst"}, "no system 'worst'"),
        ({"kind": "hiero", "system": "best"}, "only multitrees have a system"),
        ({"overrides": ("multitree.epochz=1",)}, "unknown key multitree.epochz"),
        ({"overrides": ("multitree.epochs=many",)}, "multitree.epochs"),
        ({"overrides": ("multitree.penalty=none",)}, "multitree.penalty"),
        ({"overrides": ("tune.metric=x",)}, "tune.metric"),
        ({"system": "forest-permissive", "overrides": ("tune.metric=x",)}, "tune.metric"),
        ({"overrides": ("tune.tuner=forest-mira",)}, "tune.tuner"),
        ({"system": "forest-permissive", "overrides": ("lm.order=3",)}, r"no table \[lm\]"),
        ({"overrides": ("multitree.weights={lm = 'much'}",)}, "multitree.weights"),
        ({"overrides": ("epochs=1",)}, "not of the form table.key=value"),
    ],
)
def test_choices_that_make_no_sense(text: Path, tmp_path: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        train(asked(text, **given), tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"system": "classifiers", "overrides": ("multitree.epochs=0",)},
            "--set multitree.epochs=0: epochs cannot be 0",
        ),
        ({"overrides": ("multitree.weights=none", "multitree.epochs=0")}, "epochs cannot be 0"),
        ({"overrides": ("multitree.weights=none",)}, "what context adds"),
        ({"overrides": ("multitree.system=worst",)}, "--set multitree.system=worst: there is no system 'worst'"),
        (
            {"overrides": ("multitree.explore=-1",)},
            "--set multitree.explore=-1: explore cannot be -1: use a whole number",
        ),
        ({"overrides": ("multitree.max_depth=-1",)}, "max_depth cannot be -1"),
        ({"overrides": ("multitree.least=1",)}, "least cannot be 1.0"),
    ],
)
def test_values_that_make_no_sense_are_refused_before_any_stage(
    text: Path, tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        train(asked(text, **given), tmp_path / "model")
    assert said in f"{caught.value.what}: {caught.value.hint}"
    assert not list(tmp_path.iterdir())


def test_a_parser_that_is_none_ends_its_stage(text: Path, tmp_path: Path) -> None:
    with pytest.raises(StageError, match=r"train\.en"):
        train(asked(text, parser=text / "train.en"), tmp_path / "model")


def test_the_recipe(text: Path) -> None:
    given: dict[str, Any] = {"parser": text / "en.parser", "tokenised": True, "overrides": ()}
    recipe = training_recipe(asked(text, system="classifiers", **given))
    names = [node.name for node in recipe.graph.order]
    assert names == ["corpus", "clean", "align", "constituents", "multitree", "tune", "model"]
    assert recipe.graph["tune"].stage.name == "penalty"
    recipe = training_recipe(asked(text, seed=7, order=3, tuner="mert", **given))
    names = [node.name for node in recipe.graph.order]
    assert names == ["corpus", "clean", "align", "constituents", "multitree", "lm", "tune", "model"]
    tune = recipe.graph["tune"]
    assert (tune.stage.name, tune.settings.model_dump()["tuner"], tune.settings.model_dump()["seed"]) == (
        *("statistics", "mert", 7),
    )
    assert recipe.graph["lm"].settings.model_dump()["order"] == 3
    assert recipe.graph["model"].links["lm"].node == "lm"
    # With nothing to tune on the language model is there all the same.
    names = [node.name for node in training_recipe(asked(text, dev=None, overrides=())).graph.order]
    assert names[-3:] == ["multitree", "lm", "model"]


@pytest.mark.parametrize(
    ("system", "override", "stage"),
    [
        ("best", "multitree.weights=none multitree.learn=all multitree.prior=false", "penalty"),
        ("best", "multitree.system=straw-man", "penalty"),
        ("straw-man", "multitree.system=best", "statistics"),
        ("forest-permissive-viterbi", "multitree.weights={lm = 1.0, target = 0.5}", "statistics"),
        ("best", "multitree.epochs=1", "statistics"),
    ],
)
def test_whether_statistics_are_weighed_decides_how_it_is_tuned(
    text: Path, system: str, override: str, stage: str
) -> None:
    # Weights have spaces of their own.
    overrides = (override,) if "{" in override else tuple(override.split())
    recipe = training_recipe(asked(text, system=system, overrides=overrides))
    assert recipe.graph["tune"].stage.name == stage
    assert ("lm" in {node.name for node in recipe.graph.order}) is (stage == "statistics")


def test_what_a_system_says_is_part_of_the_key(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def settings() -> dict[str, Any]:
        overrides = ("multitree.options=none", "multitree.most_words=30")
        return training_recipe(asked(text, overrides=overrides)).graph["multitree"].settings.model_dump()

    before = settings()
    assert before["beam"] == SYSTEMS["best"].beam
    assert before["options"] == before["coarse"] == "none"
    assert before["most_words"] == 30
    monkeypatch.setitem(SYSTEMS, "best", replace(SYSTEMS["best"], beam=7))
    assert settings() == {**before, "beam": 7}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"parser": "oracle"}, "parser"),
        ({"langs": ["en"]}, "langs"),
        ({"more": 1}, "more"),
        ({"multitree": {"epochs": "many"}}, "settings of the model"),
    ],
)
def test_manifests_that_were_changed(
    trained: tuple[Path, dict[str, Any]], tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    bundle = Bundle.open(trained[0])
    with save_bundle(tmp_path / "other", kind=bundle.kind, settings={**bundle.settings, **changed}) as out:
        for name in bundle.names:
            out.file(name).write_bytes(bundle.file(name).read_bytes())
    with pytest.raises(FormatError, match=said):
        TreeTranslator.load(tmp_path / "other")


def test_words_that_trees_cannot_have(text: Path, tmp_path: Path) -> None:
    """Brackets, and white space that does not separate words."""
    odd = "the ( red\u00a0house ) -LRB- | &bar; \u3000"
    for name, more in (("en", odd), ("fr", f"la {odd}")):
        lines = (text / f"train.tok.{name}").read_text("utf-8").split("\n")[:20]
        (tmp_path / f"train.{name}").write_text("".join(f"{line}\n" for line in (*lines, more)), "utf-8")
    settings = TrainSettings(
        tmp_path / "train.en",
        tmp_path / "train.fr",
        ("en", "fr"),
        kind="multitree",
        system="classifiers",
        parser=text / "en.parser",
        tokenised=True,
        overrides=QUICK,
        force=True,
    )
    train(settings, tmp_path / "model")
    translator = TreeTranslator.load(tmp_path / "model")
    assert translator.model.account_ is not None
    assert translator.model.account_.pairs == 21
    (said,) = translator.translate([odd])
    assert "red\u00a0house" in said
    (_, told), *_ = translator.explain([odd])
    assert told.to_dict()["source"][2] == "red\u00a0house"
