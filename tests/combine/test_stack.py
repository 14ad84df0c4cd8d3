"""`tolka combine stack`: models of folds that translate together, on text of a grammar."""

import json
import math
import re
import shutil
import signal
import statistics
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import compress, islice, pairwise

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st
from tests.combine.small import one_sentence, pairs_of

from tolka.combine import StackSettings, part_states, stack
from tolka.combine.scores import Judge
from tolka.combine.stacking import ROWS
from tolka.combine.stacking.recipe import bases, stacking_recipe
from tolka.combine.stacking.settings import MOST_USED, USUAL, usual_folds
from tolka.combine.stacking.stages import average, read_folds
from tolka.combine.tuning import OPERATIONS
from tolka.corpus import CorpusFiles, read_pairs, write_pairs
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.evaluate import approximate_randomisation, bleu, collect_statistics
from tolka.grammar import Extractor, Grammar
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.pipeline import StageError
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.translate import Translator
from tolka.translate.ensemble import EnsembleTranslator
from tolka.tune import read_weights

QUICK = ("tune.iterations=1", "tune.nbest=10", "align.model=ibm1", "lm.order=2", "grammar.max_length=4")


def put(place, name, pairs):
    files = place / f"{name}.de", place / f"{name}.en"
    write_pairs(files, pairs)
    return files


def sides(place, name):
    return place / f"{name}.de", place / f"{name}.en"


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A training text with some sentences that have two translations, a development and a test set."""
    place = tmp_path_factory.mktemp("text")
    every = list(dict.fromkeys(pairs_of(1, 400)))
    train, dev, test = every[:120], every[120:156], every[156:186]
    put(place, "train", [*train, *((source, f"{target} {target}") for source, target in train[:6])])
    put(place, "dev", dev)
    put(place, "test", test)
    return place


def settings(place, **given):
    asked = {
        "train": CorpusFiles("train", *sides(place, "train")),
        "test": sides(place, "test"),
        "folds": 3,
        "overrides": QUICK,
        "force": True,
        **given,
    }
    return StackSettings(**{"dev": sides(place, "dev"), "langs": ("de", "en"), **asked})


@pytest.fixture(scope="module")
def compared(text, tmp_path_factory):
    """The usual rows, tuned once."""
    return stack(settings(text, compare=True), tmp_path_factory.mktemp("compared") / "model")


@pytest.fixture(scope="module")
def latest(compared):
    """The outputs of stages by the names of their tables."""
    return compared.model.with_name("model.work") / "latest"


def test_the_usual_rows_are_there(compared):
    assert [row.name for row in compared.rows] == [
        "conventional", "retrained", "resub", "bma", "average", "seeds", "mean", "wsum", "wmax", "prod", "switch:max",
        "switch:sum", "fixed-mean", "fixed-wsum", "without-mean", "without-wsum", "with-mean", "with-wsum",
    ]  # fmt: skip
    assert tuple(row.name for row in compared.rows) == USUAL
    assert {"fixed-switch:max", "without-prod", "with-wmax"} < set(ROWS) - set(USUAL)
    models = {row.name: row.models for row in compared.rows}
    assert {models[name] for name in ("conventional", "retrained", "resub", "bma", "average")} == {1}
    assert {models[name] for name in ("mean", "seeds", *OPERATIONS, "without-wsum", "with-mean")} == {3}
    # Each gives up a fifth of the training text.
    assert models["fixed-wsum"] == 5
    for row in compared.rows:
        assert row.test.low <= row.test.mean <= row.test.high
        baselines = set() if row.name.endswith("mean") else {"conventional", "retrained"} - {row.name}
        assert row.p.keys() == row.differences.keys() == baselines


def test_scores_are_those_of_the_translations(compared, text):
    references = [target for _, target in read_pairs(*sides(text, "test"))]
    for row in compared.rows:
        if row.name.endswith("mean"):
            assert row.test.mean == pytest.approx(statistics.fmean(row.each[0]))
            assert len(row.each[0]) == row.models
        else:
            assert row.test.scores == (pytest.approx(bleu(row.translations[0], references)),)
    ours, base = (compared[name].translations[0] for name in ("wsum", "retrained"))
    metric = Judge(references, tokenised=False).metric
    said = approximate_randomisation(*collect_statistics(metric, [ours, base], [references]))
    assert compared["wsum"].p["retrained"] == said.p
    assert compared["wsum"].differences["retrained"] == pytest.approx(said.difference)


def test_folds_of_all_text(latest, compared):
    folds = read_folds(latest / "folds" / "folds")
    corpus = CorpusDirectory.open(latest / "compounds" / "corpus")
    pairs = list(corpus.pairs("train"))
    assert len(folds) == len(pairs) == sum(compared.pairs.values())
    assert compared.pairs.keys() == {"train", "dev"}
    assert Counter(folds).keys() == {0, 1, 2}
    # No model has seen a sentence that it is tuned on, not even with another translation.
    own = {}
    for (source, _), fold in zip(pairs, folds, strict=True):
        assert own.setdefault(source, fold) == fold
    for fold in compared.folds:
        held = CorpusDirectory.open(latest / f"held-{fold.number}" / "corpus")
        assert list(held.pairs("dev")) == list(compress(pairs, (one == fold.number for one in folds)))
        assert fold.pairs == folds.count(fold.number)


def test_voices_are_the_models_without_their_folds(latest, tmp_path):
    folds = read_folds(latest / "folds" / "folds")
    corpus = CorpusDirectory.open(latest / "compounds" / "corpus")
    links = (latest / "align" / "links").read_text(encoding="utf-8").splitlines()
    table = Grammar.load(latest / "fold-grammar" / "grammar")
    assert table.voices == ("fold0", "fold1", "fold2")
    source, target = (list(corpus.lines("train", lang)) for lang in corpus.langs)
    rest = [[*compress(side, (fold != 1 for fold in folds))] for side in (source, target, links)]
    wanted = Extractor("hiero", limit=100, smoothing="kneser-ney", indicators=True, max_length=4, exact=True)
    wanted = wanted.extract(*rest, tmp_path / "rest.tbl")
    found = table.voice("fold1")
    assert len(found) == len(wanted)
    assert {(rule.source, rule.target) for rule in found} == {(rule.source, rule.target) for rule in wanted}


def test_language_models_have_not_seen_what_is_tuned_on(latest):
    folds = read_folds(latest / "folds" / "folds")
    corpus = CorpusDirectory.open(latest / "compounds" / "corpus")
    lines = list(corpus.lines("train", "en"))
    for fold in range(3):
        rest = compress(lines, (one != fold for one in folds))
        wanted = LanguageModelTrainer(order=2).train(rest)
        found = LanguageModel.load(latest / f"lm-fold{fold}" / "lm")
        held = [*compress(lines, (one == fold for one in folds))]
        assert found.counts == wanted.counts
        assert found.perplexity(held).log10 == pytest.approx(wanted.perplexity(held).log10)
    # What is translated with is that of all text, and of all models the same.
    whole = LanguageModel.load(latest / "lm" / "lm")
    assert whole.counts == LanguageModelTrainer(order=2).train(lines).counts


def test_controls_are_what_they_say(latest):
    weights = {
        row: Translator.load(latest / f"model-{row}-1" / "model").weights
        for row in ("conventional", "retrained", "resub", "average", "seed1", "fold0")
    }
    assert weights["retrained"] == weights["conventional"]
    assert weights["resub"] != weights["conventional"] != weights["seed1"]
    own = [read_weights(latest / f"tune-fold{at}-1" / "weights") for at in range(3)]
    assert weights["average"] == pytest.approx(average(own))
    rules = {name: len(Grammar.load(latest / f"grammar-{name}" / "grammar")) for name in ("learn", "all", "without0")}
    assert rules["without0"] < rules["learn"] < rules["all"]
    joined = Grammar.load(latest / "join-bma" / "grammar")
    assert rules["learn"] <= len(joined)
    taken = {
        name: list(CorpusDirectory.open(latest / name / "corpus").pairs("train"))
        for name in ("learn", "without0", "without1", "with0", "with1")
    }
    whole = len(taken["learn"])
    assert set(taken["without0"]) < set(taken["learn"])
    assert len(taken["without0"]) == round(0.8 * whole)
    assert taken["without0"] != taken["without1"]
    assert len(taken["with0"]) == whole > len(set(taken["with0"]))
    assert taken["with0"] != taken["with1"]
    base = CorpusDirectory.open(latest / "base-dev" / "corpus")
    assert not set(base.pairs("dev")) & set(taken["learn"])
    links = (latest / "with0" / "links").read_text(encoding="utf-8").splitlines()
    known = dict(zip(taken["learn"], (latest / "learn" / "links").read_text().splitlines(), strict=True))
    assert links == [known[pair] for pair in taken["with0"]]


def test_what_is_kept(compared, text, tmp_path):
    assert compared.test == pytest.approx(compared["wsum"].test.scores[0])
    moved = tmp_path / "moved"
    shutil.copytree(compared.model, moved)
    kept = Translator.load(moved, verify=True)
    assert isinstance(kept, EnsembleTranslator)
    assert kept.ensemble.names == ["fold0", "fold1", "fold2"]
    sources = [source for source, _ in read_pairs(*sides(text, "test"))]
    assert tuple(kept.translate(sources)) == compared["wsum"].translations[0]
    # One table, opened once, and one language model.
    decoders = kept.mixing.components.values()
    assert len({id(next(iter(one.grammars.values())).table) for one in decoders}) == 1
    assert len({id(one.lms["lm"]) for one in decoders}) == 1
    held = [one.files.grammars["grammar"].stat().st_ino for one in Translator.load(compared.model).models.values()]
    assert len(set(held)) == 1
    [part, *_] = part_states(moved)[1]
    assert part.voice == "fold0"
    assert Translator.load(part.path).translate(sources)


def test_the_page(compared):
    page = compared.page.read_text(encoding="utf-8")
    assert page.count("<circle") == len(compared.rows)
    assert all(row.name in page for row in compared.rows)
    assert f"{compared.test:.2f}" in page
    assert not re.search("nan|inf[^a-z]", re.sub("<style>.*</style>", "", page, flags=re.DOTALL), re.IGNORECASE)


def test_without_a_comparison_nothing_else_is_made(text, tmp_path):
    done = []
    found = stack(settings(text, test=None, operation="prod"), tmp_path / "model", stage_done=done.append)
    names = {one.name for one in done}
    assert not any(name.startswith(("answer", "grammar", "learn", "join", "base")) for name in names)
    assert found.rows == ()
    assert found.test is None
    assert Translator.load(found.model).mixture.operation == "prod"
    assert "<circle" not in found.page.read_text(encoding="utf-8")
    done.clear()
    # A comparison later takes what is there, and is compared with itself.
    more = stack(settings(text, only=("prod", "average")), tmp_path / "model", stage_done=done.append)
    fresh = {one.name for one in done if not one.cached}
    assert not fresh & {"align", "fold-grammar", "tune-fold0-1", "lm-fold1"}
    assert [row.name for row in more.rows] == ["average", "prod"]
    done.clear()
    again = stack(settings(text, only=("prod", "average")), tmp_path / "model", stage_done=done.append)
    assert all(one.cached for one in done)
    assert [row.to_json() for row in again.rows] == [row.to_json() for row in more.rows]


def test_several_tunings(text, tmp_path):
    found = stack(settings(text, only=("conventional", "wmax", "mean"), tunings=2), tmp_path / "model")
    assert len(found["wmax"].test.scores) == len(found["wmax"].translations) == 2
    assert len(found["mean"].each) == 2
    latest = tmp_path / "model.work" / "latest"
    one, two = (read_weights(latest / f"tune-conventional-{at}" / "weights") for at in (1, 2))
    assert one != two
    # The model that is kept is mixed as was asked for, whatever is compared.
    assert Translator.load(found.model).mixture.operation == "wsum"


def test_a_development_set_alone(text, tmp_path):
    asked = settings(text, train=None, only=("conventional", "retrained", "resub", "wsum", "fixed-mean"))
    found = stack(asked, tmp_path / "model")
    assert found.pairs.keys() == {"dev"}
    latest = tmp_path / "model.work" / "latest"
    # What is held out to tune on is the first fold.
    learnt = CorpusDirectory.open(latest / "learn" / "corpus")
    held = CorpusDirectory.open(latest / "base-dev" / "corpus")
    assert list(held.pairs("dev")) == list(CorpusDirectory.open(latest / "held-0" / "corpus").pairs("dev"))
    assert len(list(learnt.pairs("train"))) + len(list(held.pairs("dev"))) == found.pairs["dev"]
    # Its weights are those of the first model, which does without it as well.
    one, two = (read_weights(latest / f"tune-{name}-1" / "weights") for name in ("conventional", "fold0"))
    assert one.keys() == two.keys()
    assert found.test > 0


def test_folds_that_are_sampled_and_a_shared_language_model(text, tmp_path):
    asked = settings(text, folds=7, every=3, held_lm=False, contiguous=True, most=5, test=None)
    found = stack(asked, tmp_path / "model")
    assert [fold.number for fold in found.folds] == [0, 3, 6]
    assert {fold.pairs for fold in found.folds} == {5}
    latest = tmp_path / "model.work" / "latest"
    assert Grammar.load(latest / "fold-grammar" / "grammar").voices == ("fold0", "fold3", "fold6")
    folds = read_folds(latest / "folds" / "folds")
    assert folds == sorted(folds)
    assert not list(latest.glob("lm-fold*"))


def test_a_language_model_of_elsewhere(text, tmp_path):
    LanguageModelTrainer(order=2).train([target.lower() for _, target in pairs_of(7, 50)]).save(tmp_path / "other.arpa")
    found = stack(settings(text, lm=tmp_path / "other.arpa", only=("conventional", "wsum")), tmp_path / "model")
    latest = tmp_path / "model.work" / "latest"
    assert not list(latest.glob("lm-fold*"))
    assert (latest / "lm" / "lm").read_bytes() == (latest / "lm-learn" / "lm").read_bytes()
    assert found.test > 0


def test_phrases(text, tmp_path):
    found = stack(settings(text, kind="phrase", operation="wmax"), tmp_path / "model")
    kept = Translator.load(found.model)
    assert kept.ensemble.strategy == "phrase"
    assert found["wmax"].test.mean > 0


def test_a_killed_run_goes_on(text, tmp_path):
    arguments = command_of(text, tmp_path / "model", "--json")
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("tolka: tune-fold0-1"):
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    assert not (tmp_path / "model").exists()
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert "tolka: fold-grammar: kept from before" in done.stderr
    whole = stack(settings(text), tmp_path / "whole")
    assert json.loads(done.stdout)["test"] == whole.test


def test_settings_reach_every_table_of_a_stage(text):
    overrides = ("tune.iterations=7", "grammar.max_length=3", "lm.order=4", "ensemble.mixture={missing = 'veto'}")
    asked = settings(text, overrides=overrides, compare=True).divided(100)
    graph = stacking_recipe(asked).graph
    assert {node.settings.iterations for node in graph.order if node.stage.name == "tune"} == {7}
    rules = [node for node in graph.order if node.stage.name in {"grammar", "fold-grammar"}]
    assert {node.settings.max_length for node in rules} == {3}
    assert {node.settings.order for node in graph.order if node.stage.name in {"lm", "fold-lm"}} == {4}
    assert graph["ensemble-prod-1"].settings.mixed().missing == "veto"


@hypothesis(max_examples=10, deadline=None)
@given(
    rows=st.sets(st.sampled_from(ROWS), min_size=1, max_size=5),
    folds=st.integers(2, 7),
    every=st.integers(1, 3),
    tunings=st.integers(1, 2),
    alone=st.booleans(),
    held_lm=st.booleans(),
    share=st.floats(0.05, 0.95),
)
def test_any_rows_make_a_recipe(text, rows, folds, every, tunings, alone, held_lm, share):
    given = {"train": None} if alone else {}
    given |= {"only": tuple(rows), "tunings": tunings, "held_lm": held_lm, "share": share}
    if len(range(0, folds, every)) < 2:
        with pytest.raises(SettingsError, match="is one model"):
            settings(text, folds=folds, every=every, **given)
        return
    asked = settings(text, folds=folds, every=every, **given).divided(1000)
    names = {node.name for node in stacking_recipe(asked).graph.order}
    for tuning in range(1, tunings + 1):
        for row in rows:
            for base in bases(asked, row):
                assert {base.model_of(tuning), base.weights_of(tuning), base.grammar, base.lm, base.dev} <= names
    assert "ensemble-wsum-1" in names
    assert any(name.startswith("lm-fold") for name in names) == held_lm


@pytest.mark.parametrize("only", [("bma",), ("fixed-mean",), ("seeds", "with-prod", "average")])
def test_as_many_models_as_there_can_be(text, only):
    asked = settings(text, only=only, folds=64, share=0.999).divided(1000)
    graph = stacking_recipe(asked).graph
    several = [len(node.links) for node in graph.order if node.stage.name in {"join", "ensemble", "mean-weights"}]
    assert max(several) <= 65
    assert all(len(node.settings.voices) == 64 for node in graph.order if node.stage.name == "fold-grammar")


@given(st.integers(2, 3_000_000))
def test_usual_folds(pairs):
    if pairs < 4:
        with pytest.raises(InputError, match="cannot be divided into 4 folds"):
            StackSettings(("a", "b"), ("de", "en")).divided(pairs)
        return
    asked = StackSettings(("a", "b"), ("de", "en")).divided(pairs)
    assert asked.folds == usual_folds(pairs)
    assert 2 <= len(asked.used) <= MOST_USED
    assert pairs / asked.folds <= 2500


def test_averages_of_weights():
    assert average([{"a": 2.0, "b": -2.0}]) == {"a": 0.5, "b": -0.5}
    with pytest.raises(FormatError, match="different features"):
        average([{"a": 1.0}, {"b": 1.0}])
    with pytest.raises(InputError, match="all weights of a tuning are 0"):
        average([{"a": 1.0}, {"a": 0.0}])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"folds": 1}, "folds cannot be 1"),
        ({"folds": True}, "folds cannot be True"),
        ({"folds": 65}, "65 folds make more models than the 64"),
        ({"folds": 6.0}, "folds cannot be 6.0"),
        ({"folds": 4, "every": 4}, "every 4th is one model"),
        ({"every": 0}, "every cannot be 0"),
        ({"most": 0}, "most cannot be 0"),
        ({"tunings": 0}, "tunings cannot be 0"),
        ({"tunings": 101}, "tunings cannot be 101"),
        ({"share": math.nan}, "share cannot be nan"),
        ({"share": 1.0}, "share cannot be 1.0"),
        ({"operation": "sum"}, "unknown operation 'sum'"),
        ({"only": ("wsun",)}, "no row 'wsun'"),
        ({"compare": True, "test": None}, "no test set to compare on"),
        ({"only": ("wsum",), "test": None}, "no test set to compare on"),
    ],
)
def test_settings_that_make_no_sense(text, given, said):
    with pytest.raises(SettingsError, match=said) as error:
        settings(text, **given)
    assert one_sentence(error)


def test_settings_before_folds_are_known(text):
    with pytest.raises(SettingsError, match="not known yet"):
        _ = settings(text, folds=None).used


def test_unknown_settings_of_stages(text, tmp_path):
    for override in ("tune.iteration=3", "tunes.iterations=3", "nothing", "grammar.growing=true", "lm.order=nan"):
        with pytest.raises(SettingsError):
            stack(settings(text, overrides=(override,)), tmp_path / "model")


def test_mistakes_in_texts(text, tmp_path):
    asked = settings(text, force=False)

    def refused(kind, said, **given):
        with pytest.raises(kind, match=said) as error:
            stack(replace(asked, **given), tmp_path / "model")
        assert one_sentence(error)
        assert not (tmp_path / "model.work").exists()

    train, dev = (sides(text, name) for name in ("train", "dev"))
    refused(InputError, "all pairs of the development set are in the training text", dev=train)
    refused(InputError, "development and the test set are the same", test=dev)
    refused(InputError, "all pairs of the test set are in the training text", test=train)
    refused(InputError, "all pairs of the test set are in the training text", train=None, test=dev)
    refused(SettingsError, "named as en", dev=dev[::-1])
    plain = tmp_path / "one.txt", tmp_path / "two.txt"
    for path, content in zip(plain, reversed(dev), strict=True):
        path.write_bytes(content.read_bytes())
    refused(InputError, "swapped", dev=plain)
    pairs = list(read_pairs(*train))
    shifted = put(tmp_path, "shifted", [(one, other) for (one, _), (_, other) in pairwise(pairs)])
    refused(InputError, "shifted|do not belong", train=CorpusFiles("train", *shifted))
    refused(FileError, "no such file", dev=(dev[0], tmp_path / "nothing.en"))
    refused(FileError, "directory", train=CorpusFiles("train", tmp_path, tmp_path))
    refused(FileError, "no such file", lm=tmp_path / "nothing.arpa")
    refused(InputError, "the corpus is empty", dev=put(tmp_path, "empty", []))
    refused(InputError, "'dev' has no sentence pairs", dev=put(tmp_path, "blank", [(" ", "")] * 3))
    few = put(tmp_path, "few", list(islice(read_pairs(*dev), 5)))
    refused(InputError, "5 sentence pairs cannot be divided into 6 folds", train=None, dev=few, folds=6)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "something").write_text("else")
    with pytest.raises(FileError, match="not empty and not a model"):
        stack(asked, tmp_path / "taken")
    # What cleaning leaves may be fewer than there were.
    same = put(tmp_path, "same", [pairs[0]] * 9 + pairs[1:3])
    with pytest.raises(StageError, match="different sentences cannot be divided into 4 folds"):
        stack(settings(text, train=None, dev=same, folds=4, test=None), tmp_path / "model")


def test_small_folds_are_noted(text, tmp_path):
    notes = []
    stack(settings(text, test=None), tmp_path / "model", tell=notes.append)
    assert any("which is little to tune on" in note for note in notes)


def command_of(place, model, *more):
    files = {name: [*map(str, sides(place, name))] for name in ("train", "dev", "test")}
    return [
        sys.executable, "-m", "tolka", "combine", "stack", *files["train"], "--dev", *files["dev"],
        "--test", *files["test"], "--langs", "de", "en", "-o", str(model), "--folds", "3", "--force",
        *(part for one in QUICK for part in ("--set", one)), *map(str, more),
    ]  # fmt: skip


def run(arguments, code=0):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def test_the_command(text, tmp_path):
    rows = "conventional,retrained,mean,wsum"
    out = run(command_of(text, tmp_path / "model", "--only", rows, "--page", tmp_path / "page.html", "-q"))
    assert "to conventional" in out
    assert re.search(r"3 models of 3 folds, held-out BLEU [\d.]+\nsaved their wsum to .*: test BLEU [\d.]+\n", out)
    assert (tmp_path / "page.html").exists()
    said = json.loads(run(command_of(text, tmp_path / "model", "--only", rows, "--json", "-q")))
    assert [row["row"] for row in said["rows"]] == rows.split(",")
    assert said["models"][0].keys() == {"number", "pairs", "score"}
    shown = run([sys.executable, "-m", "tolka", "combine", "show", str(tmp_path / "model")])
    assert "hiero, voice fold0" in shown
    translated = run([sys.executable, "-m", "tolka", "translate", str(tmp_path / "model"), str(text / "test.de")])
    assert len(translated.splitlines()) == 30


def test_mistakes_on_the_command_line(text, tmp_path):
    for more, code, said in (
        (["more.txt"], 2, "3 files are more than a text and its translation"),
        (["--only", "best"], 2, "no row 'best'"),
        (["--folds", "1"], 2, "folds cannot be 1"),
        (["--folds", "700"], 2, "700 folds make more models"),
        (["--folds", "700", "--every", "100"], 1, "cannot be divided into 700 folds"),
    ):
        printed = run(command_of(text, tmp_path / "model", *more), code=code)
        assert said in printed
        assert printed.count("\n") == 1
