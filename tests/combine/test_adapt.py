"""`tolka combine adapt`: all ways to adapt to a domain, compared on text of a grammar."""

import json
import math
import re
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from tests.combine.small import one_sentence, pairs_of

from tolka.combine import AdaptSettings, adapt
from tolka.combine.adaptation.recipe import adaptation_recipe, table_of
from tolka.combine.scores import Judge
from tolka.corpus import CorpusFiles, read_pairs, write_pairs
from tolka.errors import FileError, InputError, SettingsError
from tolka.evaluate import approximate_randomisation, bleu, collect_statistics
from tolka.grammar import Grammar
from tolka.pipeline import StageError
from tolka.pipeline.stages.layout import CorpusDirectory
from tolka.translate import Translator
from tolka.translate.ensemble import EnsembleTranslator

QUICK = ("tune.iterations=1", "tune.nbest=10", "align.model=ibm1", "lm.order=2", "grammar.max_length=4")


def put(place, name, pairs):
    files = place / f"{name}.de", place / f"{name}.en"
    write_pairs(files, pairs)
    return files


def unlike(pairs, *others):
    """Pairs that are in none of the others."""
    known = {pair for other in others for pair in other}
    return [pair for pair in pairs if pair not in known]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Texts of one domain and of two others, with sets of the first."""
    place = tmp_path_factory.mktemp("text")
    inside = pairs_of(1, 60, domain="tech")
    dev = list(islice(unlike(pairs_of(3, 200, domain="tech"), inside), 25))
    put(place, "in", inside)
    put(place, "home", pairs_of(2, 150, domain="home"))
    put(place, "more", pairs_of(5, 80))
    put(place, "dev", dev)
    put(place, "test", list(islice(unlike(pairs_of(4, 200, domain="tech"), inside, dev), 25)))
    return place


def sides(place, name):
    return place / f"{name}.de", place / f"{name}.en"


def settings(place, outside=("home",), **given):
    named = ["out"] if len(outside) == 1 else outside
    asked = {"overrides": QUICK, "evaluations": 3, "starts": 1, **given}
    return AdaptSettings(
        CorpusFiles("in", *sides(place, "in")),
        tuple(CorpusFiles(name, *sides(place, one)) for name, one in zip(named, outside, strict=True)),
        sides(place, "dev"),
        sides(place, "test"),
        ("de", "en"),
        **asked,
    )


@pytest.fixture(scope="module")
def compared(text, tmp_path_factory):
    """All rows, tuned once."""
    return adapt(settings(text), tmp_path_factory.mktemp("compared") / "model")


def test_all_rows_are_there(compared):
    assert [row.name for row in compared.rows] == [
        "in", "out", "concatenation", "log-linear", "linear", "perplexity", "fill-up", "back-off", "union",
        "intersection", "selection", "wsum", "wsum-tuned", "wmax", "wmax-tuned", "prod", "prod-tuned",
        "switch:max", "switch:max-tuned", "switch:sum", "switch:sum-tuned",
    ]  # fmt: skip
    assert compared.pairs == {"in": 60, "out": 150}
    for row in compared.rows:
        assert math.isfinite(row.dev.mean)
        assert row.dev.low <= row.dev.mean <= row.dev.high
        assert row.dev.deviation == 0.0
        assert row.p.keys() == {"concatenation", "linear"} - {row.name}


def test_tables_are_what_they_say(compared):
    rules = {row.name: row.rules for row in compared.rows}
    assert rules["union"] == rules["log-linear"] == rules["linear"] == rules["perplexity"] == rules["fill-up"]
    assert rules["union"] + rules["intersection"] == rules["in"] + rules["out"] == rules["wsum"]
    assert max(rules["in"], rules["out"]) < rules["back-off"] <= rules["union"]
    found = compared["linear"].details["weights"]
    assert found.keys() == {"phrase_fe", "lex_fe", "phrase_ef", "lex_ef"}
    assert all(sum(own.values()) == pytest.approx(1) for own in found.values())
    assert compared["perplexity"].details["weights"]["in"] > 0.5
    assert 0 < compared["selection"].details["pairs"] <= 150


def test_scores_are_those_of_the_translations(compared, text):
    references = [target for _, target in read_pairs(*sides(text, "test"))]
    for row in compared.rows:
        assert row.test.scores == (pytest.approx(bleu(row.translations[0], references)),)
    ours, base = (compared[name].translations[0] for name in ("wsum", "concatenation"))
    metric = Judge(references, tokenised=False).metric
    said = approximate_randomisation(*collect_statistics(metric, [ours, base], [references]))
    assert compared["wsum"].p["concatenation"] == said.p
    assert compared["wsum"].differences["concatenation"] == pytest.approx(said.difference)


def test_the_best_on_dev_is_kept_and_scored_from_disk(compared, text):
    best = max(compared.rows, key=lambda row: row.dev.mean)
    assert compared.best == best.name
    pairs = list(read_pairs(*sides(text, "test")))
    found = Translator.load(compared.model, verify=True).translate([source for source, _ in pairs])
    assert tuple(found) == best.translations[compared.tuning - 1]
    assert compared.test == pytest.approx(bleu(found, [target for _, target in pairs]))
    assert compared.dev == pytest.approx(best.dev.scores[compared.tuning - 1])


def test_the_page_shows_all_rows(compared):
    page = compared.page.read_text(encoding="utf-8")
    assert compared.page.name == "model.html"
    assert page.count("<circle") == 2 * len(compared.rows)
    assert all(row.name in page for row in compared.rows)
    assert f"{compared.test:.2f}" in page
    # Text reads from the left, and a picture that is too wide for a phone scrolls.
    assert '[aria-label="Found on the way"] :is(td,thead th){text-align:left;white-space:normal}' in page
    assert re.search('<div class=chart tabindex="0" role="region"', page)
    ticks = [float(one) for one in re.findall('class="tick" x="[^"]*" y="15[^>]*>([^<]*)<', page)]
    assert len(ticks) > 2
    assert all(one == round(one, 1) for one in ticks)
    assert not re.search("nan|inf[^a-z]", re.sub("<style>.*</style>", "", page, flags=re.DOTALL), re.IGNORECASE)


def test_links_are_shared(compared):
    latest = compared.model.with_name("model.work") / "latest"
    whole = (latest / "align" / "links").read_text(encoding="utf-8").splitlines()
    words = CorpusDirectory.open(latest / "compounds" / "corpus")
    begin = 0
    for at, count in enumerate((60, 150)):
        part = CorpusDirectory.open(latest / f"part-{at}" / "corpus")
        assert list(part.pairs("train")) == list(islice(words.pairs("train"), begin, begin + count))
        links = (latest / f"part-{at}" / "links").read_text(encoding="utf-8").splitlines()
        assert links == whole[begin : begin + count]
        begin += count


def test_a_second_run_does_only_what_is_new(text, tmp_path):
    asked = settings(text, only=("in", "concatenation"))
    done = []
    first = adapt(asked, tmp_path / "model", stage_done=done.append)
    assert not any(one.cached for one in done)
    done.clear()
    again = adapt(asked, tmp_path / "model", stage_done=done.append)
    assert all(one.cached for one in done)
    assert [row.to_json() for row in again.rows] == [row.to_json() for row in first.rows]
    done.clear()
    more = adapt(
        replace(asked, only=("in", "concatenation", "fill-up"), tunings=2), tmp_path / "model", stage_done=done.append
    )
    fresh = {one.name for one in done if not one.cached}
    assert "join-fill-up" in fresh
    assert not fresh & {"corpus", "align", "lm", "grammar-0", "grammar-all", "tune-grammar-all-1"}
    assert more["in"].dev.scores[0] == first["in"].dev.scores[0]
    assert len(more["fill-up"].test.scores) == len(more["fill-up"].models) == 2
    assert more["in"].dev.deviation == pytest.approx(np.std(more["in"].dev.scores, ddof=1))


def test_a_killed_run_goes_on(text, tmp_path):
    arguments = command_of(text, tmp_path / "model", "--only", "in,concatenation,wmax-tuned", "--json")
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if line.startswith("tolka: tune-grammar-0-1"):
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stderr.close()
    assert not (tmp_path / "model").exists()
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    said = json.loads(done.stdout)
    assert "tolka: align: kept from before" in done.stderr
    whole = adapt(settings(text, only=("in", "concatenation", "wmax-tuned")), tmp_path / "whole")
    assert [row["test"] for row in said["rows"]] == [row.to_json()["test"] for row in whole.rows]


def test_an_ensemble_that_is_best_holds_its_parts(text, tmp_path):
    done = adapt(settings(text, only=("wsum",), parts=("in", "fill-up")), tmp_path / "model")
    moved = (tmp_path / "model").rename(tmp_path / "moved")
    (tmp_path / "model.work").rename(tmp_path / "gone")
    kept = Translator.load(moved)
    assert isinstance(kept, EnsembleTranslator)
    assert kept.ensemble.names == ["in", "fill-up"]
    sources = [source for source, _ in read_pairs(*sides(text, "test"))]
    assert tuple(kept.translate(sources)) == done["wsum"].translations[0]
    # A plain model takes the place of an ensemble, and the other way round.
    (tmp_path / "gone").rename(tmp_path / "model.work")
    moved.rename(tmp_path / "model")
    assert adapt(settings(text, only=("in",)), tmp_path / "model").best == "in"
    assert not isinstance(Translator.load(tmp_path / "model"), EnsembleTranslator)


def test_several_other_domains(text, tmp_path):
    asked = settings(text, ("home", "more"), lm="mixed", share=0.5, only=("out", "linear", "selection", "switch:max"))
    done = adapt(asked, tmp_path / "model")
    assert [row.name for row in done.rows] == ["out", "linear", "selection", "switch:max"]
    assert done["switch:max"].details["lambda"] == [{"in": 1.0, "home": 1.0, "more": 1.0}]
    assert done["linear"].details["weights"]["lex_ef"].keys() == {"in", "home", "more"}
    assert done["selection"].details == {"pairs": 115, "of": 230, "share": 0.5}
    latest = tmp_path / "model.work" / "latest"
    both = CorpusDirectory.open(latest / "part-out" / "corpus")
    assert len(list(both.pairs("train"))) == 230
    assert json.loads((latest / "lm" / "lm_origin").read_bytes())["settings"].keys() == {"in", "home", "more"}
    assert done["out"].rules == len(Grammar.load(latest / "grammar-out" / "grammar"))


def test_tables_with_nothing_in_common(text, tmp_path):
    other = [
        tuple(" ".join(f"x{word.strip('.,?!')}x" for word in side.split()) for side in pair) for pair in pairs_of(2, 60)
    ]
    put(tmp_path, "odd", other)
    notes = []
    outside = (CorpusFiles("out", *sides(tmp_path, "odd")),)
    asked = replace(settings(text, only=("in", "intersection"), force=True), outside=outside)
    done = adapt(asked, tmp_path / "model", tell=notes.append)
    assert [row.name for row in done.rows] == ["in"]
    assert "no rule is in the tables of all texts: there is no row for the intersection" in notes
    assert notes == list(done.notes)
    with pytest.raises(StageError, match="join-intersection"):
        adapt(replace(asked, only=("intersection",)), tmp_path / "model")


def test_files_with_both_sides(text, tmp_path):
    lines = ["\t".join(pair) for pair in read_pairs(*sides(text, "home"))]
    (tmp_path / "home.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    arguments = command_of(text, tmp_path / "model", "--only", "out,concatenation", "--json", "-q")
    at = arguments.index("--out")
    arguments[at + 1 : at + 3] = [str(tmp_path / "home.tsv")]
    assert json.loads(run(arguments))["pairs"] == {"in": 60, "out": 150}


def test_phrases(text, tmp_path):
    done = adapt(settings(text, kind="phrase", only=("linear", "prod")), tmp_path / "model")
    assert Translator.load(tmp_path / "model").description.kind in {"phrase", "ensemble"}
    assert done["linear"].test.mean > 0


def test_only_what_is_needed_is_made(text):
    recipe = adaptation_recipe(settings(text, only=("concatenation",)))
    names = [node.name for node in recipe.graph.order]
    assert "grammar-all" in names
    assert not any(name.startswith(("part-", "join-", "select", "pairs", "shares", "ensemble")) for name in names)
    asked = settings(text, only=("perplexity", "fill-up"))
    graph = adaptation_recipe(asked).graph
    assert "shares-to-take" in graph[table_of(asked, "perplexity")].links
    assert not {"shares-to-take", "rules-to-fit"} & graph[table_of(asked, "fill-up")].links.keys()


def test_settings_reach_every_table_of_a_stage(text):
    overrides = (
        "tune.iterations=7",
        "ensemble.mixture={missing = 'veto', normalise = true}",
        "grammar.max_length=3",
        "align.symmetrise=union",
    )
    graph = adaptation_recipe(settings(text, overrides=overrides, only=("in", "linear", "prod"))).graph
    mixture = graph["ensemble-prod-1"].settings.mixed()
    assert (mixture.operation, mixture.missing, mixture.normalise) == ("prod", "veto", True)
    assert {node.settings.iterations for node in graph.order if node.stage.name == "tune"} == {7}
    lengths = [node.settings.max_length for node in graph.order if node.stage.name in {"grammar", "dev-pairs"}]
    assert lengths == [3, 3, 3]
    assert graph["align"].settings.symmetrise == graph["pairs"].settings.symmetrise == "union"


def test_sentences_are_swapped_with_all_their_tunings():
    references = [f"a b c d e {at}" for at in range(8)]
    better, worse = references, [f"a b c d x {at}" for at in range(8)]
    judge = Judge(references, tokenised=True)
    once = judge.compare(judge.statistics([better]), judge.statistics([worse]))
    thrice = judge.compare(judge.statistics([better] * 3), judge.statistics([worse] * 3))
    # The same tuning three times is no more evidence than once.
    assert thrice == pytest.approx(once)
    assert once[0] > 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"only": ("wsun",)}, "no row 'wsun'"),
        ({"parts": ("in", "wsum")}, "no row 'wsum'"),
        ({"parts": ("in",)}, "two different parts"),
        ({"parts": ("in", "in")}, "two different parts"),
        ({"tunings": 0}, "0 tunings"),
        ({"share": 0.0}, "share cannot be 0.0"),
        ({"share": math.nan}, "share cannot be nan"),
        ({"scheme": "uniform"}, "not tuned by 'uniform'"),
        ({"outside": ()}, "no text of another domain"),
        ({"outside": (CorpusFiles("in", "a", "b"),)}, "cannot be called in"),
        ({"outside": (CorpusFiles("union", "a", "b"),)}, "cannot be called union"),
        ({"outside": (CorpusFiles("a", "a", "b"), CorpusFiles("a", "c", "d"))}, "cannot be called a"),
        ({"outside": (CorpusFiles("a", "a", "b"), CorpusFiles("out", "c", "d"))}, "cannot be called out"),
        ({"inside": CorpusFiles("mine", "a", "b")}, "called 'mine'"),
    ],
)
def test_settings_that_make_no_sense(text, given, said):
    with pytest.raises(SettingsError, match=said) as error:
        replace(settings(text), **given)
    assert one_sentence(error)


def test_unknown_settings_of_stages(text, tmp_path):
    for override in (
        "ensemble.mixture={missing = 'vet'}",
        "tune.iteration=3",
        "tunes.iterations=3",
        "nothing",
        "ensemble.mixture={mising = 'veto'}",
    ):
        with pytest.raises(SettingsError):
            adapt(settings(text, overrides=(override,)), tmp_path / "model")


def test_mistakes_in_texts(text, tmp_path):
    asked = settings(text)

    def refused(kind, said, **given):
        with pytest.raises(kind, match=said) as error:
            adapt(replace(asked, **given), tmp_path / "model")
        assert one_sentence(error)
        assert not (tmp_path / "model.work").exists()

    def other(name, *files):
        return (CorpusFiles(name, *files),)

    refused(InputError, "'in' and 'out' are the same", outside=other("out", *sides(text, "in")))
    copy = put(tmp_path, "copy", list(read_pairs(*sides(text, "in"))))
    refused(InputError, "'in' and 'out' are the same", outside=other("out", *copy))
    refused(InputError, "all pairs of the development set are in the training text", dev=sides(text, "in"))
    refused(InputError, "development and the test set are the same", test=asked.dev)
    home = sides(text, "home")
    refused(SettingsError, "home.en is named as en", outside=other("out", home[1], home[0]))
    plain = tmp_path / "one.txt", tmp_path / "two.txt"
    for path, content in zip(plain, reversed(home), strict=True):
        path.write_bytes(content.read_bytes())
    refused(InputError, "swapped", outside=other("out", *plain))
    refused(FileError, "no such file", outside=other("out", home[0], tmp_path / "nothing.en"))
    refused(FileError, "directory", dev=(tmp_path, tmp_path))
    empty = put(tmp_path, "empty", [])
    refused(InputError, "the corpus is empty", outside=other("out", *empty))
    refused(
        InputError, "'in' has no sentence pairs", inside=CorpusFiles("in", *put(tmp_path, "blank", [(" ", "")] * 3))
    )
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "something").write_text("else")
    with pytest.raises(FileError, match="not empty and not a model"):
        adapt(asked, tmp_path / "taken")


def command_of(place, model, *more):
    files = {name: [*map(str, sides(place, name))] for name in ("in", "home", "dev", "test")}
    return [
        sys.executable, "-m", "tolka", "combine", "adapt", "--in", *files["in"], "--out", *files["home"],
        "--dev", *files["dev"], "--test", *files["test"], "--langs", "de", "en", "-o", str(model),
        "--evaluations", "3", "--starts", "1", *(part for one in QUICK for part in ("--set", one)), *map(str, more),
    ]  # fmt: skip


def run(arguments, code=0):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, done.stderr
    return done.stderr if code else done.stdout


def test_the_command(text, tmp_path):
    rows = "in,concatenation,linear,wsum-tuned"
    out = run(command_of(text, tmp_path / "model", "--only", rows, "--page", tmp_path / "page.html", "-q"))
    assert "p to concatenation" in out
    assert re.search(r"best on dev: \S+, saved to .*: test BLEU [\d.]+, dev [\d.]+\n", out)
    assert (tmp_path / "page.html").exists()
    again = run(
        command_of(
            text,
            tmp_path / "model",
            "--only",
            rows,
            "--out",
            f"third={text / 'more.de'}",
            text / "more.en",
            "--json",
            "-q",
        )
    )
    said = json.loads(again)
    assert said["pairs"] == {"in": 60, "home": 150, "third": 80}
    assert [row["row"] for row in said["rows"]] == rows.split(",")


def test_mistakes_on_the_command_line(text, tmp_path):
    for more, said in (
        (["--out", text / "more.de"], "2 --out and 1 files behind them"),
        (["--only", "best"], "no row 'best'"),
        (["--out", text / "home.de", text / "home.en"], "are the same"),
    ):
        printed = run(command_of(text, tmp_path / "model", *more), code=2 if "same" not in said else 1)
        assert said in printed
        assert printed.count("\n") == 1
