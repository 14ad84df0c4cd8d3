"""Unknown words: which they are, lexicons, gold standards, scores, the record, and models with a table of them."""

import json
import math
import random
import shutil
import tomllib

import pytest
from tests.combine.small import one_sentence, pairs_of, train

from tolka.combine import make_ensemble, make_through
from tolka.combine.oov import (
    Entry,
    Lexicon,
    Neighbour,
    Record,
    extend_model,
    gold_of,
    open_record,
    read_gold,
    read_lexicon,
    score_entries,
    score_translations,
    write_gold,
    write_record,
)
from tolka.combine.oov.frames import of_paraphrases
from tolka.combine.oov.lexicons import entries_of, towards
from tolka.combine.oov.model import oov_weights, open_extensible
from tolka.combine.oov.table import write_table
from tolka.combine.oov.usage import Usage, prepare_text, share_known
from tolka.combine.oov.words import choose_unknown, given_words
from tolka.corpus import read_lines, write_lines
from tolka.errors import FileError, FormatError, InputError, SettingsError, TolkaError
from tolka.files import to_toml
from tolka.translate import Translator

ENTRIES = [
    Entry(
        "grünspan",
        (("verdigris", 0.625), ("green patina", 0.25), ("grünspan", 0.125)),
        4,
        0.25,
        neighbours=(
            Neighbour("rost", 0.5, labels=(("rust", 0.75),)),
            Neighbour("grünspanig", 0.25, "spelling", "bridge", (("green", 0.5),)),
        ),
    ),
    Entry("kakadu", (("cockatoo", 1.0),), 1, 0.0, "lexicon"),
]


def test_the_scores_of_the_thesis():
    # Vector T-16.
    found = {
        "o1": ["x", "a", "y"],
        "o2": ["a", "x", "y", "b"],
        "o3": ["x", "y"],
        "o4": [*(f"x{number}" for number in range(24)), "a"],
    }
    gold = {"o1": ["a"], "o2": ["a", "b"], "o3": ["z"], "o4": ["a"]}
    scored = score_translations(found, gold)
    assert (scored.mrr, scored.recall) == (pytest.approx(0.29125, abs=1e-12), 0.5)
    assert (scored.words, scored.translated) == (4, 4)
    assert score_translations(found, gold, top=30).recall == 0.75


def test_scores_are_their_definitions():
    draw = random.Random(3)  # noqa: S311 - no secrets here
    for _ in range(50):
        words = [f"w{number}" for number in range(6)]
        found = {word: draw.sample("abcdefgh", draw.randint(0, 6)) for word in draw.sample(words, 5)}
        gold = {word: draw.sample("abcdefgh", draw.randint(1, 3)) for word in draw.sample(words, 4)}
        scored = score_translations(found, gold, top=3)
        ranks, recall = [], []
        for word, right in gold.items():
            own = found.get(word, [])
            ranks.append(sum(1 / (own.index(one) + 1) if one in own else 0 for one in right) / len(right))
            recall.append(len(set(right) & set(own[:3])) / len(right))
        assert scored.mrr == pytest.approx(sum(ranks) / len(gold))
        assert scored.recall == pytest.approx(sum(recall) / len(gold))
    with pytest.raises(InputError, match="the gold standard has no word") as error:
        score_translations({"a": ["b"]}, {"a": []})
    assert one_sentence(error)


def test_gold_standards_there_and_back(tmp_path):
    gold = {"kater": ["tomcat", "tom cat"], "hund": ["dog"]}
    assert write_gold(tmp_path / "gold.tsv", gold) == 3
    assert read_gold(tmp_path / "gold.tsv") == gold
    (tmp_path / "more.tsv").write_text("# word, right\n\nkater\ttomcat\nkater\ttomcat\tseen twice\n")
    assert read_gold(tmp_path / "more.tsv") == {"kater": ["tomcat"]}
    assert score_entries(ENTRIES, {"kakadu": ["cockatoo"]}).mrr == 1.0
    for wrong in ("kater", "kater\t", "\tcat"):
        (tmp_path / "wrong.tsv").write_text(f"a\tb\n{wrong}\n")
        with pytest.raises(FormatError, match="line 2: this is no word with its translation") as error:
            read_gold(tmp_path / "wrong.tsv")
        assert one_sentence(error)


def test_what_aligned_text_says():
    sources, targets = ["a b c", "b", "b b"], ["x y z w", "y", "q , r"]
    links = [[(0, 0), (1, 1), (1, 3), (2, 2)], [(0, 0)], [(0, 0), (1, 2), (0, 1)]]
    # Gaps part what a word is linked with, and punctuation alone is no translation.
    assert gold_of(["b", "c", "d"], sources, targets, links) == {"b": ["y", "q ,", "r", "w"], "c": ["z"]}
    assert gold_of(["b"], sources, targets, links, least=2) == {"b": ["y"]}
    assert gold_of(["b"], ["b"], ["x ,"], [[(0, 1)]]) == {}
    with pytest.raises(InputError, match="1 sentences, 0 translations and links of 0"):
        gold_of(["b"], ["b"], [], [])


def test_unknown_words():
    usage = Usage()
    usage.add(["Der Kater sah Anna .", "er sah Anna und 17 kater", ". Anna kam : Kakadus !"])
    assert usage.count("Anna") == 3
    assert (usage.begins["Kakadus"], usage.inside["Kakadus"]) == (1, 0)
    words = [*usage.words(), "Anna"]

    def translates(listed):
        return [word in {"Der", "er", "sah", "und", "kam"} for word in listed]

    found = choose_unknown(words, translates, usage=usage, lang="en")
    # "Kater" is no name: small inside of sentences as often.
    assert found.words == ("Kakadus", "Kater", "kater")
    assert found.left_out == {"known words": 5, "names": 1, "numbers": 1, "signs": 4 - 1}
    assert choose_unknown(words, translates, usage=usage, lang="de").words == ("Anna", "Kakadus", "Kater", "kater")
    kept = choose_unknown(words, translates, usage=usage, names=True, lang="en")
    assert kept.words == ("Anna", "Kakadus", "Kater", "kater")
    assert kept.tokens == 5
    assert usage.small(translates) == {}
    usage.add(["ein kater"])
    assert share_known(usage, {"Anna"}) == pytest.approx(3 / 14)


def test_text_is_prepared_as_the_model_does(parts, tmp_path):
    translator = Translator.load(parts["one"])
    lines = [source for source, _ in pairs_of(20, 40)]
    lines += ["Blubberig ist das Haus.", "Das blubberig Haus.", "Das Haus ist blubberig."]
    write_lines(tmp_path / "a.xz", lines[:20])
    write_lines(tmp_path / "b", lines[20:])
    made = prepare_text(translator, [tmp_path / "a.xz", tmp_path / "b"], tmp_path / "out", threads=1)
    assert list(read_lines(made.path)) == translator.source.prepare(lines)
    assert made.lines == len(lines)
    assert made.small == {"Blubberig": "blubberig"}
    whole = [line for batch in made.batches() for line in batch]
    assert whole[-3].startswith("blubberig ist")
    assert whole[:-3] == translator.source.prepare(lines)[:-3]
    counts = {word: " ".join(whole).split().count(word) for word in " ".join(whole).split()}
    assert {word: made.usage.count(word) for word in counts if word != "blubberig"} == {
        word: count for word, count in counts.items() if word != "blubberig"
    }
    for content, said in (
        (b"", "the text is empty"),
        (b"\n \n", "the text is empty"),
        (b"a\xff", "UTF-8"),
        (b"a\0b", "NUL|text"),
    ):
        (tmp_path / "wrong").write_bytes(content)
        with pytest.raises(TolkaError, match=said) as error:
            prepare_text(translator, [tmp_path / "wrong"], tmp_path / "out", threads=1)
        assert one_sentence(error)
    with pytest.raises(FileError):
        prepare_text(translator, [tmp_path / "nothing"], tmp_path / "out", threads=1)


def test_words_that_people_list(parts):
    translator = Translator.load(parts["one"])
    found = given_words(["Kater", "", " HUND ", "zwei wörter", "Kater"], translator, {"hund"})
    assert found == (["Kater", "hund"], 1)
    with pytest.raises(InputError, match="the list of words is empty"):
        given_words([" "], translator, set())


def test_what_paraphrases_say():
    """The neighbours with labels of the worked example, 0.2 and 0.3 like o."""
    found = of_paraphrases([({"t1": 0.7, "t2": 0.3}, 0.2), ({"t2": 1.0}, 0.3)])
    assert found == pytest.approx({"t1": 0.28, "t2": 0.72}, abs=1e-6)


def test_lexicons(tmp_path):
    ding = tmp_path / "ding.txt.xz"
    write_lines(
        ding,
        [
            "# Version :: 1",
            "Aal {m} (auf der Karte) [cook.] | Aale {pl} :: eel | eels [coll.]",
            "jdn. ansprechen; etw. anreden :: to address sb.; to accost sb. /asb/",
            "Herz {n} | Herzen {pl} :: heart; hearts",
            "und/oder :: and/or",
        ],
    )
    found = read_lexicon(ding, langs=("de", "en"))
    assert found.pairs == (
        ("Aal", "eel"), ("Aale", "eels"), ("ansprechen", "address"), ("ansprechen", "accost"), ("anreden", "address"),
        ("anreden", "accost"), ("Herz", "heart"), ("Herz", "hearts"),
    )  # fmt: skip
    assert found.left_out == {"entries whose sides have not the same forms": 1, "entries that are not plain words": 1}
    write_lines(tmp_path / "free.tsv", ["abaisser /abɛse/ <v>\t1. to cry down, abase | 2. lower", "chat\tcat; tomcat"])
    free = read_lexicon(tmp_path / "free.tsv", langs=("fr", "en"))
    assert free.pairs == (
        ("abaisser", "cry down"), ("abaisser", "abase"), ("abaisser", "lower"), ("chat", "cat"), ("chat", "tomcat"),
    )  # fmt: skip
    for lines, line, said in (
        (["a\tb", "", "c", "d"], 3, "this is no entry of a dictionary, as are 2 of its 3 lines"),
        (["a :: b", "c\td", "e\tf"], 2, "DING has ` :: ` between"),
        (["a"], 1, "have a tab between"),
    ):
        write_lines(tmp_path / "wrong", lines)
        with pytest.raises(FormatError, match=said) as error:
            read_lexicon(tmp_path / "wrong")
        assert error.value.line == line
        assert one_sentence(error)
    write_lines(tmp_path / "wrong", ["# nothing"])
    with pytest.raises(InputError, match="the dictionary has no entry"):
        read_lexicon(tmp_path / "wrong")


def test_glosses_of_lexicons_are_no_translations(tmp_path):
    # Entries in all forms in which FreeDict's German-French, English-Hindi and French-English are printed.
    entries = {
        "esquiver": "esquiver",
        "bouteille, flacon | Flasche, in die man Wasser füllt": "bouteille flacon",
        "1. charogne | nur Plural: totes Tier, das verwest | 2. salaud, salope | gemeiner Mensch": "charogne salaud salope",
        "américain 2. | Amerika betreffend | 3. | die USA betreffend": "américain",
        "1. écouler 2. | zu laufen beginnen | 3. | abfließen | 2. parcourir | eine Strecke laufen": "écouler parcourir",
        "1. descendant | 2. dérivé": "descendant dérivé",
        '1. vers; envers | "Try again." | "Do, again." | 2. outre | "In addition."': "vers envers outre",
        "accusatif | 4. Fall der Deklination": "accusatif",
        "1. si | 7. Ton der Tonleiter | 2. h | Stunde": "si h",
        '1. | "Il faut" | We need': "",
    }
    for right, expected in entries.items():
        write_lines(tmp_path / "free.tsv", [f"Wort /vɔʁt/ <n, neut>\t{right}", "chat\tcat"])
        found = read_lexicon(tmp_path / "free.tsv").pairs
        assert [one for head, one in found if head == "Wort"] == expected.split(), right
    write_lines(tmp_path / "free.tsv", ["a\tb | c, d | 2. e"])
    assert read_lexicon(tmp_path / "free.tsv").left_out == {"glosses and examples": 2}


def test_malformed_lines_of_lexicons_are_passed_over(tmp_path):
    for lines, pairs, malformed in (
        (["a\tb", "c", "", "d :: e", "# f", "g\th", "i\tj"], (("a", "b"), ("g", "h"), ("i", "j")), (2, 4)),
        (["what is this", "a :: b", "c :: d", "e\tf"], (("a", "b"), ("c", "d")), (1, 4)),
    ):
        write_lines(tmp_path / "words", lines)
        found = read_lexicon(tmp_path / "words")
        assert found.pairs == pairs
        assert found.malformed == found.turn().malformed == malformed


def test_the_direction_of_a_lexicon_is_noticed():
    lexicon = Lexicon((("eel", "Aal"), ("heart", "Herz"), ("die", "sterben")), {}, name="ding")
    assert not towards(lexicon, {"eel", "heart"}).turned
    turned = towards(lexicon, {"aal", "Herz", "die"})
    assert turned.turned
    assert turned.pairs[0] == ("Aal", "eel")
    with pytest.raises(InputError, match="the dictionary ding has no word of the text") as error:
        towards(lexicon, {"chat"})
    assert one_sentence(error)


def test_entries_of_lexicons():
    first = Lexicon((("Aal", "eel"), ("Das Herz", "the heart"), ("Aal", "Eel")), {})
    second = Lexicon((("Aal", "eel"), ("AAL", "grig"), ("Hund", "")), {})

    def lower(lines):
        return [line.lower() for line in lines]

    found = entries_of([first, second], source=list, target=lower, known={"Aal", "aal"})
    assert found == {"Aal": ["eel"], "aal": ["grig"]}
    longer = entries_of([first], source=list, target=list, known={"herz"}, longest=2)
    assert longer == {"Aal": ["eel", "Eel"], "Das herz": ["the heart"]}


def test_records_there_and_back(tmp_path):
    draw = random.Random(7)  # noqa: S311 - no secrets here
    more = [Entry(f'"ö{number}\\', (("x", draw.random()), ("y z", draw.random()))) for number in range(30)]
    for entries in ([], ENTRIES, [*ENTRIES, *more]):
        write_record(tmp_path / "oov.jsonl.zst", entries)
        record = Record(tmp_path / "oov.jsonl.zst")
        assert len(record) == len(entries)
        assert list(record) == entries
        for entry in entries:
            assert record.find(entry.word) == record.entry(entry.word) == entry
    assert record.find("kakad") is None
    with pytest.raises(InputError, match="nothing was found for 'Kakadu'; did you mean kakadu") as error:
        record.entry("Kakadu")
    assert one_sentence(error)
    with pytest.raises(InputError, match="nothing was found for 'zzz'; name one of the words"):
        record.entry("zzz")


def test_damaged_records(tmp_path):
    path = tmp_path / "oov.jsonl.zst"
    write_record(path, ENTRIES)
    lines = list(read_lines(path))
    changes = [
        ([lines[1]], "this is no record of unknown words"),
        ([], "this is no record of unknown words"),
        (["[" * 100_000], "this is no record of unknown words"),
        (['{"format":"tolka-oov","version":2,"words":1}'], "upgrade tolka"),
        (['{"format":"tolka-oov","version":1,"words":-1}'], "a record of -1 words"),
        (['{"format":"tolka-oov","version":1,"words":true}'], "this is no record"),
        (lines[:-1], "the record has 1 words, and should have 2"),
        ([*lines, lines[-1]], "the record has 3 words, and should have 2"),
    ]
    row = json.loads(lines[1])
    for at, value in [
        (0, 3), (0, " "), (1, -1), (1, True), (1, 0.5), (2, 2), (2, None), (3, "guess"), (4, []), (4, [["a", 2]]),
        (4, [["a"]]), (4, [["a", 0]]), (5, [[]]), (5, [["a", 1, "odd", "labelled", []]]), (5, {}),
        (5, [["a", 1, "context", "labelled", [["b", "c"]]]]),
    ]:  # fmt: skip
        changes.append(([lines[0], json.dumps([*row[:at], value, *row[at + 1 :]]), lines[2]], "not an unknown word"))
    changes.append(([lines[0], lines[1].replace("0.625", "NaN"), lines[2]], "not an unknown word"))
    for changed, said in changes:
        write_lines(path, changed)
        with pytest.raises(TolkaError, match=said) as error:
            list(Record(path))
        assert one_sentence(error)


@pytest.fixture(scope="module")
def models(parts, tmp_path_factory):
    """Models by name, and each with a table of the entries."""
    place = tmp_path_factory.mktemp("extended")
    made = {}
    for name in ("one", "phrases", "words"):
        extend_model(parts[name], place / name, ENTRIES, settings={"graph": "tripartite"})
        made[name] = parts[name], place / name
    return made


@pytest.mark.parametrize("name", ["one", "phrases", "words"])
def test_extended_models_translate_all_else_as_before(models, sentences, name):
    before, after = map(Translator.load, models[name])
    texts = [source for source, _ in sentences]
    assert after.translate(texts) == before.translate(texts)
    assert [one.score for one in after.nbest(texts[0])] == pytest.approx([one.score for one in before.nbest(texts[0])])
    assert (
        before.weights.items()
        <= {name.removeprefix("grammar."): weight for name, weight in after.weights.items()}.items()
    )
    assert after.description.grammars == ["grammar", "oov"]
    assert after.description.oov.words == 2
    assert after.description.oov.entries == (4 if name == "words" else 8)
    assert after.decoder.translates(["grünspan", "kakadu", "Kakadu"]) == [True, True, name != "words"]
    assert before.decoder.translates(["grünspan", "kakadu"]) == [False, False]
    # Of one probability there is what of four counts elsewhere.
    phrases = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
    assert after.weights["oov.phrase_ef"] == pytest.approx(sum(before.weights[one] for one in phrases))
    assert list(open_record(models[name][1])) == ENTRIES


def test_extended_models_translate_unknown_words(models, tmp_path):
    before, after = map(Translator.load, models["one"])
    assert "kakadu" in before.translate("Das Haus sieht den kakadu.")
    said = after.translate(["Das Haus sieht den kakadu.", "Kakadu ist das Haus."])
    assert "cockatoo" in said[0]
    assert said[1].startswith("Cockatoo")
    found = {one.words for one in after.nbest("grünspan", 20)}
    assert {"verdigris", "green patina", "grünspan"} <= found
    [rule] = after.decoder.grammars["oov"].rules("kakadu")
    assert rule.features == {"phrase_ef": 0.0, "confidence": 0.0, "lexicon": 1.0, "copy": 0.0}
    rules = {rule.target: rule for rule in after.decoder.grammars["oov"].rules("grünspan")}
    assert rules["grünspan"].features["copy"] == 1.0
    assert rules["verdigris"].features["phrase_ef"] == pytest.approx(math.log(0.625), abs=1e-6)
    assert rules["verdigris"].features["confidence"] == pytest.approx(math.log(0.75), abs=1e-6)
    assert rules["green patina"].links == ((0, 0), (0, 1))
    # Saved elsewhere the record goes along.
    after.save(tmp_path / "again")
    assert list(open_record(tmp_path / "again")) == ENTRIES
    assert Translator.load(tmp_path / "again", verify=True).translate("kakadu") == after.translate("kakadu")


def test_extended_models_are_parts_of_ensembles(models, parts, sentences, tmp_path):
    make_ensemble({"one": models["one"][1], "two": parts["two"]}, tmp_path / "both")
    make_ensemble({"one": models["one"][1], "two": models["phrases"][1]}, tmp_path / "held", inside=True)
    for name in ("both", "held"):
        whole = Translator.load(tmp_path / name)
        assert "cockatoo" in whole.translate("Das Haus sieht den kakadu.")
        assert len(whole.translate([source for source, _ in sentences])) == len(sentences)


def resealed(path, change):
    """Change the manifest by hand, so that its own checksum fits."""
    values = tomllib.loads((path / "model.toml").read_text())
    change(values)
    values.pop("hash", None)
    (path / "model.toml").write_text(to_toml(values))


def test_manifests_that_do_not_fit(models, tmp_path):
    for change, said in (
        (lambda own: own["settings"]["oov"].update(table="grammar"), "'grammar' is not the last of several tables"),
        (lambda own: own["settings"]["oov"].update(words=0), "oov.words: must be at least 1"),
        (lambda own: own["settings"]["oov"].update(odd=1), "oov.odd: is not known"),
        (lambda own: own["files"].pop("oov.jsonl.zst"), "has no file oov.jsonl.zst"),
        (lambda own: own["settings"]["oov"].update(words=3), "the record has 2 words, and the model says 3"),
    ):
        place = shutil.copytree(models["one"][1], tmp_path / "copy")
        resealed(place, change)
        with pytest.raises(TolkaError, match=said) as error:
            open_record(place)
        assert one_sentence(error)
        shutil.rmtree(place)
    place = shutil.copytree(models["one"][1], tmp_path / "copy")
    record = next(place.glob("oov-*.jsonl.zst"), None) or next(place.glob("oov.jsonl*"))
    record.write_bytes(b"\0" * record.stat().st_size)
    with pytest.raises(FormatError, match=r"oov\.jsonl\.zst of the model has changed"):
        Translator.load(place, verify=True)
    with pytest.raises(TolkaError) as error:
        list(open_record(place))
    assert one_sentence(error)
    record.unlink()
    with pytest.raises(FormatError, match=r"oov\.jsonl\.zst of the model is missing"):
        Translator.load(place)


def test_models_that_cannot_be_extended(models, parts, tmp_path):
    make_ensemble([parts["one"], parts["two"]], tmp_path / "both")
    french = train(tmp_path / "en-fr", pairs_of(6, 80, ("en", "fr")), langs=("en", "fr"))
    make_through([parts["one"], french], tmp_path / "de-fr")
    for place, said in (
        (tmp_path / "de-fr", "leads through another language.*extend the model that it begins with"),
        (models["one"][1], "has a table of unknown words already; start from the model that it was made of"),
        (tmp_path / "both", "an ensemble has no table of its own.*extend its parts"),
    ):
        with pytest.raises(SettingsError, match=said) as error:
            extend_model(place, tmp_path / "new", ENTRIES)
        assert one_sentence(error)
    with pytest.raises(SettingsError, match="would take the place of the one that it is made of"):
        extend_model(parts["one"], parts["one"], ENTRIES)
    with pytest.raises(InputError, match="the model has no table of unknown words; make one with"):
        open_record(parts["one"])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(FileError):
        extend_model(parts["one"], tmp_path / "mine", ENTRIES)
    with pytest.raises(FileError):
        extend_model(tmp_path / "nothing", tmp_path / "new", ENTRIES)
    assert not (tmp_path / "new").exists()


def test_odd_signs_in_rules(tmp_path):
    odd = [Entry("a", (("b|c [x] ]", 0.5), ("<s>", 0.25), ("w " * 11, 0.25)))]
    table = write_table(tmp_path / "odd.tbl", odd)
    assert [(rule.source, rule.target) for rule in table] == [("a", "b|c [x] ]")]
    odd = [Entry("a", (("b&#124;c", 0.5), ("d|e", 0.5)))]
    table = write_table(tmp_path / "odd.tbl", odd)
    assert [(rule.source, rule.target) for rule in table] == [("a", "b&#124;c")]
    with pytest.raises(InputError, match="no translation can be written as a rule"):
        write_table(tmp_path / "none.tbl", [Entry("a", (("</s>", 1.0),))])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["odd.tbl"]


def test_weights_before_tuning(parts):
    opened = open_extensible(parts["one"])
    assert set(oov_weights(opened)) == {"oov.phrase_ef", "oov.confidence", "oov.lexicon", "oov.copy"}
    # Where a model trusts its own probabilities in nothing, fluency does not decide alone.
    for name in ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef"):
        opened.weights[name] = -1.0
    opened.weights["lm"] = 2.0
    assert oov_weights(opened)["oov.phrase_ef"] == pytest.approx(0.2)
