"""Models that lead through another language."""

import json
import math
from dataclasses import replace

import pytest
from tests.combine.naive_through import best, summed
from tests.combine.small import one_sentence, pairs_of, remade, train
from tests.combine.test_command import refused, tolka

from tolka.align import Aligner
from tolka.combine import Cascade, coverage, make_through, paths_of, triangulate
from tolka.corpus import Truecaser, write_pairs
from tolka.corpus.synthetic import Synthetic
from tolka.decode import Decoder
from tolka.errors import FormatError, InputError, SettingsError
from tolka.grammar import (
    ComposeLimits,
    Composition,
    Extractor,
    Grammar,
    compose_tables,
    import_grammar,
    join_tables,
)
from tolka.lm import LanguageModelTrainer
from tolka.translate import Description, ModelFiles, TextSettings, Translator
from tolka.translate.bundle import open_model


@pytest.fixture(scope="module")
def legs(tmp_path_factory):
    """German to English to French, of different text, and German to French of little text."""
    place = tmp_path_factory.mktemp("legs")
    return {
        "de-en": train(place / "de-en", pairs_of(5, 500, ("de", "en")), langs=("de", "en")),
        "en-fr": train(place / "en-fr", pairs_of(6, 500, ("en", "fr")), langs=("en", "fr")),
        "fr-en": train(place / "fr-en", pairs_of(6, 60, ("fr", "en")), langs=("fr", "en")),
        "de-fr": train(place / "de-fr", pairs_of(7, 30, ("de", "fr")), langs=("de", "fr")),
        "phrases": train(place / "phrases", pairs_of(6, 150, ("en", "fr")), langs=("en", "fr"), kind="phrase"),
    }


@pytest.fixture(scope="module")
def tables(legs):
    return [Grammar.load(open_model(legs[name]).files.grammars["grammar"]) for name in ("de-en", "en-fr")]


def sources_of(table, count=300):
    """Source sides, the first of which are single words."""
    words = {rule.source for rule in table if len(rule.source.split()) == 1}
    return [*sorted(words)[: count // 4], *sorted({rule.source for rule in table.sample(count)})]


def test_composing_while_decoding_is_brute_force(tables):
    weights = (
        {"phrase_fe": 0.3, "lex_fe": 0.2, "phrase_ef": 0.5, "lex_ef": 0.1},
        {"phrase_fe": 0.4, "lex_fe": 0.1, "phrase_ef": 0.7, "lex_ef": 0.3},
    )
    through = Composition(*tables, names=("a", "b"), limits=ComposeLimits(0, 0, 0))
    named = {f"{leg}.{name}": w for leg, own in zip("ab", weights, strict=True) for name, w in own.items()}
    decoder = Decoder(
        through, weights={**named, "word_count": 0.0, "rule_count": 0.0}, kind="chart", table_limit=10_000
    )
    seen = 0
    for source in sources_of(tables[0]):
        if "[" in source:
            continue
        known = best(*tables, source, weights)
        if len(source.split()) == 1:
            assert decoder.translates([source]) == [bool(known)]
        if not known:
            continue
        seen += 1
        found = {one.text: one.score for one in decoder.nbest([source], 10_000, unique=True)[0]}
        # Longer sources have derivations of several rules, too.
        for target, score in known.items():
            if "[" not in target:
                assert found[target] >= score - 1e-3
        if len(source.split()) == 1:
            assert set(found) == set(known)
            assert all(found[target] == pytest.approx(known[target], abs=1e-3) for target in known)
    assert seen > 20


@pytest.mark.parametrize("how", ["sum", "max"])
def test_composed_tables_are_brute_force(tables, tmp_path, how):
    made = compose_tables(*tables, tmp_path / "made.tbl", how, limits=ComposeLimits(0, 0, 0))
    assert 0 < made.reached <= made.sources
    assert made.rules == len(made.grammar) <= made.ways
    for source in sources_of(tables[0]):
        known = summed(*tables, source, how)
        found = {rule.target: rule.features for rule in made.grammar.rules(source)}
        assert set(found) == set(known)
        for target, features in found.items():
            for name, value in features.items():
                assert math.exp(value) == pytest.approx(min(max(known[target][name], 1e-6), 1.0), rel=1e-3, abs=1e-6)


def test_the_worked_mixture_of_pivots(tmp_path):
    """Vector T-9 from its second half: two pivots mixed evenly, then with a direct table."""

    def table(name, shares):
        lines = "".join(f"f ||| {e} ||| {p} {p} {p} {p}\n" for e, p in shares.items())
        (tmp_path / f"{name}.txt").write_text(lines)
        return import_grammar(tmp_path / f"{name}.txt", tmp_path / f"{name}.tbl")

    one, two = table("one", {"e1": 0.42, "e2": 0.45, "e3": 0.03}), table("two", {"e1": 0.2, "e4": 0.5})
    names = one.feature_names
    assert names == two.feature_names
    both = join_tables({"one": one, "two": two}, tmp_path / "both.tbl")
    direct = table("direct", {"e1": 0.9, "e2": 0.1})
    whole = join_tables({"direct": direct, "both": both}, tmp_path / "whole.tbl", weights={"direct": 0.6, "both": 0.4})

    def shares(grammar):
        return {rule.target: round(math.exp(rule.features[names[2]]), 6) for rule in grammar.rules("f")}

    assert shares(both) == pytest.approx({"e1": 0.31, "e2": 0.225, "e3": 0.015, "e4": 0.25}, abs=1e-5)
    assert shares(whole) == pytest.approx({"e1": 0.664, "e2": 0.15, "e3": 0.006, "e4": 0.1}, abs=1e-5)


@pytest.mark.parametrize("how", ["dynamic", "dynamic-sum", "sum", "max"])
def test_a_model_through_english(legs, tmp_path, how):
    made = make_through([legs["de-en"], legs["en-fr"]], tmp_path / "de-fr", how=how)
    assert made.description.langs == ["de", "fr"]
    assert 0 < made.shared_words[0] <= made.pivot_words[0]
    assert any("know the case of en from different text" in note for note in made.notes)
    translator = Translator.load(tmp_path / "de-fr", verify=True)
    assert (made.rules is None) == how.startswith("dynamic")
    first = Translator.load(legs["de-en"])
    lines = [source for source, _ in pairs_of(12, 20, ("de", "fr"))]
    assert translator.source.prepare(lines) == first.source.prepare(lines)
    found = translator.translate(lines)
    wanted = [target for _, target in pairs_of(12, 20, ("de", "fr"))]
    shared = sum(len({*one.split()} & {*other.split()}) for one, other in zip(found, wanted, strict=True))
    assert shared > 0.5 * sum(len({*one.split()}) for one in wanted)
    # What came about can be told like that of any other model.
    assert translator.explain(lines[0]).to_svg().startswith("<svg")
    assert translator.nbest(lines[0], 5)[0].text == found[0]
    translator.save(tmp_path / "again")
    assert Translator.load(tmp_path / "again").translate(lines) == found


def test_a_leg_counts_as_much_as_its_language_model(legs, tmp_path):
    make_through([legs["de-en"], legs["en-fr"]], tmp_path / "one", scale="lm", leg_weights=[0.5, 2.0])
    weights = open_model(tmp_path / "one").weights
    first, last = open_model(legs["de-en"]).weights, open_model(legs["en-fr"]).weights
    assert weights["lm"] == pytest.approx(2 * last["lm"])
    factor = 0.5 * last["lm"] / first["lm"]
    assert weights["de-en.phrase_ef"] == pytest.approx(factor * first["phrase_ef"])
    assert weights["rule_count"] == pytest.approx(factor * first["rule_count"] + 2 * last["rule_count"])
    for bad, what in (([1.0], "1 weights for 2 legs"), ([1.0, 0.0], "cannot weigh 0"), ([math.nan, 1.0], "weigh nan")):
        with pytest.raises(SettingsError, match=what) as error:
            make_through([legs["de-en"], legs["en-fr"]], tmp_path / "two", leg_weights=bad)
        assert one_sentence(error)


def test_chains_of_two_pivots(legs, tmp_path):
    back = train(tmp_path / "fr-it", pairs_of(8, 200, ("fr", "de")), langs=("fr", "it"))
    made = make_through([legs["de-en"], legs["en-fr"], back], tmp_path / "chain")
    assert len(made.shared_words) == 2
    translator = Translator.load(tmp_path / "chain")
    assert {name.partition(".")[0] for name in translator.weights if "." in name} == {"de-en", "en-fr", "fr-it"}
    line = pairs_of(5, 1, ("de", "en"))[0][0]
    # The chain leads back to German, here called Italian.
    assert {*translator.translate(line).lower().split()} & {*line.lower().split()}
    table = make_through([legs["de-en"], legs["en-fr"], back], tmp_path / "table", how="sum")
    assert table.rules
    summed_up = make_through([legs["de-en"], legs["en-fr"], back], tmp_path / "sums", how="dynamic-sum")
    assert summed_up.description.through.sums
    assert Translator.load(tmp_path / "sums").translate(line)


def test_phrases_and_rules_together(legs, tmp_path):
    made = make_through([legs["de-en"], legs["phrases"]], tmp_path / "mixed")
    assert (made.description.kind, made.description.strategy) == ("hiero", "chart")
    assert Translator.load(tmp_path / "mixed").translate("Das ist gut.")


def test_direct_and_through_english(legs, tmp_path):
    dev = pairs_of(21, 30, ("de", "fr"))
    made = triangulate([legs["de-en"], legs["en-fr"]], tmp_path / "both", direct=legs["de-fr"], dev=dev)
    assert set(made.ways) == {"via-en"}
    known = made.coverage
    assert set(known) == {"direct", "via-en", "via-en, first leg", "all"}
    assert known["all"].unknown_types <= min(known["direct"].unknown_types, known["via-en"].unknown_types)
    assert known["via-en"].unknown_types >= known["via-en, first leg"].unknown_types
    assert known["all"].share > known["direct"].share
    translator = Translator.load(tmp_path / "both")
    assert set(translator.weights) == {"direct", "via-en"}
    # Of 30 pairs one learns less than of 500, so that others are weighed beside what leads through English.
    assert next(iter(translator.weights)) == "via-en"
    assert made.mixed.mixture.weights["via-en"] >= made.mixed.mixture.weights["direct"]
    assert len(translator.translate([source for source, _ in dev])) == len(dev)
    # The ensemble can be moved: all its parts are inside.
    (tmp_path / "both").rename(tmp_path / "moved")
    assert Translator.load(tmp_path / "moved").translate("Das ist gut.") == translator.translate("Das ist gut.")


def test_the_command(legs, tmp_path):
    files = tmp_path / "dev.de", tmp_path / "dev.fr"
    write_pairs(files, pairs_of(21, 20, ("de", "fr")))
    out = tolka(
        "combine", "triangulate", legs["de-en"], legs["en-fr"], "--direct", legs["de-fr"], "-o", tmp_path / "both",
        "--dev", *files, "--operation", "wmax", "--scheme", "pairwise", "--json", "-q",
    )  # fmt: skip
    said = json.loads(out)
    assert said["operation"] == "wmax"
    assert set(said["weights"]) == {"direct", "via-en"}
    assert said["coverage"]["all"]["unknown_types"] <= said["coverage"]["direct"]["unknown_types"]
    out = tolka("combine", "triangulate", legs["de-en"], legs["en-fr"], "-o", tmp_path / "alone", "--how", "sum", "-q")
    assert "via-en: " in out
    assert " rules" in out
    assert tolka("translate", tmp_path / "alone", "-q", text="Das ist gut.\n").count("\n") == 1
    tolka("tune", tmp_path / "alone", "--dev", *files, "--iterations", 1, "-q")


def test_settings_of_the_command(legs, tmp_path):
    both = legs["de-en"], legs["en-fr"]
    asked = ("--leg-weights", "0.5,2", "--limit", 50, "--pivots", 7, "--rules", 9, "--linked", "--as-written")
    tolka("combine", "triangulate", *both, "-o", tmp_path / "one", *asked, "-q")
    make_through(
        both, tmp_path / "two", leg_weights=[0.5, 2.0], limits=ComposeLimits(9, 7, 50, linked=True), recased=False
    )
    one, two = (open_model(tmp_path / name) for name in ("one", "two"))
    assert one.description.through == two.description.through
    assert (one.description.through.ways, one.description.through.recased) == (7, False)
    assert one.weights == two.weights
    small = {}
    for lexical in ("marginal", "links"):
        place = tmp_path / lexical
        tolka("combine", "triangulate", *both, "-o", place, "--how", "max", "--rules", 3, "--lexical", lexical, "-q")
        small[lexical] = Grammar.load(open_model(place).files.grammars["grammar"])
    rules = [{(rule.source, rule.target): rule.features for rule in table} for table in small.values()]
    assert rules[0].keys() == rules[1].keys()
    assert any(rules[0][pair]["lex_ef"] != rules[1][pair]["lex_ef"] for pair in rules[0])
    assert all(rules[0][pair]["phrase_ef"] == rules[1][pair]["phrase_ef"] for pair in rules[0])
    for wrong, what in (
        (("--leg-weights", "a"), "not a list of numbers"),
        (("--leg-weights", "1"), "1 weights for 2 legs"),
        (("--lexical", "links"), "make a table"),
    ):
        assert what in refused("combine", "triangulate", *both, "-o", tmp_path / "never", *wrong)


def test_what_is_refused(legs, tmp_path):
    out = tmp_path / "never"
    said = refused("combine", "triangulate", legs["en-fr"], legs["de-en"], "-o", out)
    assert "give them the other way round" in said
    said = refused("combine", "triangulate", legs["de-en"], "-o", out)
    assert "leads to en, and no model goes on from there" in said
    said = refused("combine", "triangulate", legs["de-en"], legs["fr-en"], "-o", out)
    assert "to which the one before it does not lead" in said
    said = refused("combine", "triangulate", legs["de-en"], legs["en-fr"], "--direct", legs["de-en"], "-o", out)
    assert "the ways lead de to fr" in said
    with pytest.raises(SettingsError, match="leads through no other language"):
        make_through([legs["de-en"]], out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("changes", "what"),
    [({"text_escape": False}, "escape is on and off"), ({"text_tokenised": True}, "tokenised text")],
)
def test_pivots_that_are_prepared_otherwise(legs, tmp_path, changes, what):
    other = remade(legs["en-fr"], tmp_path / "other", **changes)
    with pytest.raises(SettingsError, match=what) as error:
        make_through([legs["de-en"], other], tmp_path / "out")
    assert one_sentence(error)


def test_pivots_that_share_no_word(legs, tmp_path):
    strange = [("qqq zzz", "ooo"), ("qqq", "ppp")] * 5
    odd = train(tmp_path / "odd", strange, langs=("en", "fr"))
    with pytest.raises(InputError, match="share no word") as error:
        make_through([legs["de-en"], odd], tmp_path / "out")
    assert one_sentence(error)


@pytest.mark.parametrize("how", ["dynamic", "dynamic-sum", "sum", "max"])
def test_pivots_whose_rules_never_meet(tmp_path, how):
    """Both legs know words of the pivot, but none that is a phrase of both."""
    first = table_model(tmp_path / "one", {"ja": "yes it", "nein": "no it"}, ("de", "en"))
    second = table_model(tmp_path / "two", {"it is": "c'est", "yes sir": "oui"}, ("en", "fr"))
    with pytest.raises(InputError, match="leads through the pivot to one of the") as error:
        make_through([first, second], tmp_path / "out", how=how)
    assert one_sentence(error)
    assert not (tmp_path / "out").exists()


def table_model(place, rules, langs, cased=()):
    """A model of these phrases alone, which may know case from some lines."""
    lines = [f"{source} ||| {target} ||| 0.5 0.5 0.5 0.5\n" for source, target in rules.items()]
    text = place.with_suffix(".txt")
    text.write_text("".join(lines), encoding="utf-8")
    table, lm = place.with_suffix(".tbl"), place.with_suffix(".tlm")
    import_grammar(text, table)
    LanguageModelTrainer(order=2).train(list(rules.values())).save(lm)
    truecasers = {lang: place.with_suffix(f".{lang}") for lang in langs} if cased else {}
    for lang, path in truecasers.items():
        Truecaser(language=lang).train(cased).save(path)
    description = Description(kind="phrase", langs=list(langs), text=TextSettings(truecase=bool(cased)))
    Translator(description, ModelFiles({"grammar": table}, {"lm": lm}, truecasers), stages=["test"]).save(place)
    return place


def test_pivots_that_mostly_differ_are_noted(tmp_path):
    """Such as text that was cut into words otherwise before tolka saw it."""
    first = table_model(tmp_path / "one", {"ja": "yes", "nein": "don@@ 't", "nie": "nev@@ er"}, ("de", "en"))
    second = table_model(tmp_path / "two", {"yes": "oui", "don't": "non", "never": "jamais"}, ("en", "fr"))
    made = make_through([first, second], tmp_path / "out")
    assert made.shared_words[0] == 1
    assert any("words of a pivot lead on" in note for note in made.notes)
    assert Translator.load(tmp_path / "out").translate("ja") == "oui"


def test_case_of_the_pivot_is_noticed_and_bridged(tmp_path):
    first = table_model(tmp_path / "one", {"ja": "Yes", "nein": "no", "gut": "good"}, ("de", "en"))
    second = table_model(tmp_path / "two", {"yes": "oui", "no": "non", "good": "bon"}, ("en", "fr"))
    bridged = make_through([first, second], tmp_path / "bridged", recased=True)
    made = make_through([first, second], tmp_path / "written")
    assert (bridged.shared_words, made.shared_words) == ((3,), (2,))
    assert Translator.load(tmp_path / "bridged").translate("ja") == "oui"
    assert Translator.load(tmp_path / "written").translate("ja") == "ja"


def test_pruned_legs_make_smaller_tables(tmp_path):
    """Significance is a matter of the legs' text, so that they are pruned before they are composed."""
    rules = {}
    for significance in (None, "alpha+epsilon"):
        tables = []
        for seed, langs in ((5, ("de", "en")), (6, ("en", "fr"))):
            pairs = [[" ".join(one.tokens[lang]) for lang in langs] for one in Synthetic(seed).sample(150)]
            words = [list(side) for side in zip(*pairs, strict=True)]
            links = Aligner("hmm", threads=1).train(pairs).lines()
            path = tmp_path / f"{'-'.join(langs)}-{significance}.tbl"
            tables.append(Extractor("phrase", significance=significance).extract(*words, links, path))
        made = compose_tables(*tables, tmp_path / f"{significance}.tbl")
        rules[significance] = {(rule.source, rule.target) for rule in made.grammar}
    assert rules["alpha+epsilon"] < rules[None]
    assert len(rules["alpha+epsilon"]) < 0.8 * len(rules[None])


def test_a_leg_that_is_a_voice(legs, tmp_path):
    """Of a table that speaks for several models, it says what it does itself."""
    opened = open_model(legs["de-en"])
    table = tmp_path / "both.tbl"
    join_tables({"own": table_of(legs["de-en"]), "other": table_of(legs["de-en"])}, table, "voices")
    description = replace(opened.description, voices={"grammar": "own"}, aligner=False)
    files = replace(opened.files, grammars={"grammar": table}, aligner={})
    Translator(description, files, opened.weights, stages=["test"]).save(tmp_path / "de-en")
    lines = [source for source, _ in pairs_of(12, 8, ("de", "fr"))]
    for how in ("dynamic", "sum"):
        for name, first in (("voice", tmp_path / "de-en"), ("own", legs["de-en"])):
            make_through([first, legs["en-fr"]], tmp_path / f"{name}-{how}", how=how)
        voice, own = (Translator.load(tmp_path / f"{name}-{how}").translate(lines) for name in ("voice", "own"))
        assert voice == own


def table_of(model):
    return open_model(model).files.grammars["grammar"]


def test_compounds_of_the_pivot_are_refused(legs, tmp_path):
    other = train(
        tmp_path / "split", pairs_of(6, 60, ("en", "fr")), langs=("en", "fr"), compounds=["Rain Forest", "Hand Bag"]
    )
    with pytest.raises(SettingsError, match="splits compounds of en") as error:
        make_through([legs["de-en"], other], tmp_path / "out")
    assert one_sentence(error)


def test_a_manifest_that_was_changed_is_not_believed(legs, tmp_path):
    make_through([legs["de-en"], legs["en-fr"]], tmp_path / "one")
    manifest = tmp_path / "one" / "model.toml"
    text = manifest.read_text(encoding="utf-8")
    for old, new in (
        ('pivots = ["en"]', 'pivots = ["en", "cs"]'),
        ('over = "max"', 'over = "most"'),
        ("ways = 100", "ways = -1"),
    ):
        assert old in text
        manifest.write_text(text.replace(old, new), encoding="utf-8")
        with pytest.raises(FormatError) as error:
            Translator.load(tmp_path / "one")
        assert one_sentence(error)


def test_ways_by_their_languages(legs):
    ways = paths_of([legs["de-en"], legs["en-fr"]])
    assert ways == {"via-en": [legs["de-en"], legs["en-fr"]]}
    with pytest.raises(SettingsError, match="two ways lead via en"):
        paths_of([legs["de-en"], legs["en-fr"], legs["de-en"], legs["en-fr"]])


def test_coverage_counts_types_and_tokens(legs):
    translator = Translator.load(legs["de-en"])
    found = coverage({"one": translator}, ["Das Xyzzy und das Xyzzy .", "Plugh ."])["one"]
    assert (found.unknown_types, found.unknown_tokens) == (2, 3)
    assert found.examples[0].lower() == "xyzzy"
    assert found.share == pytest.approx(1 - 2 / found.types)


def test_words_of_another_case_are_known_to_all_together(tmp_path):
    """Each model sees words in the case that it knows from its text."""
    one = table_model(tmp_path / "one", {"das": "the", "haus": "house"}, ("de", "en"), cased=["er sah das haus"])
    two = table_model(tmp_path / "two", {"und": "and", "Hof": "yard"}, ("de", "en"), cased=["er sah Das und den Hof"])
    models = {name: Translator.load(place) for name, place in (("one", one), ("two", two))}
    found = coverage(models, ["Das und Hof", "Das haus"])
    assert (found["one"].unknown_types, found["one"].unknown_tokens) == (2, 2)
    assert (found["two"].unknown_types, found["two"].unknown_tokens) == (2, 3)
    assert (found["all"].unknown_types, found["all"].types, found["all"].tokens) == (0, 4, 5)


def test_a_compound_is_known_if_its_parts_are(tmp_path):
    """Whether one model splits it and another does not, it is one word."""
    pairs = [("der Regen", "the rain"), ("der Wald", "the forest"), ("Regen", "rain"), ("Wald", "forest")]
    whole = train(tmp_path / "whole", pairs * 3)
    split = train(tmp_path / "split", pairs * 3, compounds=["Regen und Wald"])
    models = {name: Translator.load(place) for name, place in (("whole", whole), ("split", split))}
    found = coverage(models, ["der Regenwald"])
    assert models["split"].source.prepare(["der Regenwald"])[0].count(" ") == 2
    counted = {name: (one.types, one.unknown_types) for name, one in found.items()}
    assert counted == {"whole": (2, 1), "split": (2, 0), "all": (2, 0)}


def test_one_model_after_the_other(legs):
    first, second = Translator.load(legs["de-en"]), Translator.load(legs["en-fr"])
    lines = [source for source, _ in pairs_of(12, 8, ("de", "fr"))]
    one = Cascade(first, second, nbest=1).translate(lines)
    assert one == second.translate(first.translate(lines))
    several = Cascade(first, second, nbest=5).translate([*lines, ""])
    assert len(several) == 9
    with pytest.raises(SettingsError, match="the second from de"):
        Cascade(first, first)
    out = tolka("combine", "cascade", legs["de-en"], legs["en-fr"], "--nbest", 1, text="\n".join(lines) + "\n")
    assert out.splitlines() == one
