"""Extending models by unknown words: the whole construction, its commands, and what is refused."""

import json
import random
import re
import shutil
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from tests.combine.naive_oov import by_frames, induce
from tests.combine.small import one_sentence, pairs_of, remade, train
from tests.combine.test_command import refused, tolka

from tolka.align import write_links
from tolka.combine import make_ensemble
from tolka.combine.oov import (
    Entry,
    Material,
    Neighbour,
    OovSettings,
    draw_neighbourhood,
    entry_text,
    extend_vocabulary,
    find_translations,
    gather,
    make_gold,
    neighbourhood_page,
    open_record,
    read_gold,
    score_entries,
    write_gold,
)
from tolka.combine.oov.usage import capitalised, prepare_text
from tolka.combine.oov.words import Unknown
from tolka.corpus import write_lines, write_pairs
from tolka.corpus.synthetic.lexicon import lexicon
from tolka.errors import FileError, InputError, SettingsError, TolkaError
from tolka.graph import Text
from tolka.train import make_growing
from tolka.translate import Translator
from tolka.translate.bundle import open_model

TWINS = {twin["rare"]: twin for twin in lexicon().twins()}
"""Words that training text lacks, with frequent words that are used alike and mean the same."""


def language(seed):
    """Text of an invented language whose words come in kinds, of which some are unknown."""
    draw = random.Random(seed)  # noqa: S311 - no secrets here
    kinds = {kind: [f"{kind}{number}" for number in range(5)] for kind in "abcd"}
    lines = []
    for _ in range(60):
        order = draw.sample("abcd", 3)
        lines.append(" ".join(draw.choice(kinds[kind]) for kind in order for _ in range(draw.randint(1, 2))))
    words = sorted({word for line in lines for word in line.split()})
    unknown = draw.sample(words, 4)
    bridges = draw.sample([word for word in words if word not in unknown], 3)
    known = {}
    for word in words:
        if word not in unknown and word not in bridges:
            masses = [draw.random() for _ in range(draw.randint(1, 3))]
            texts = draw.sample(["t1", "t2", "t3", "t4", "t5", word], len(masses))
            known[word] = tuple(
                sorted(((t, m / sum(masses)) for t, m in zip(texts, masses, strict=True)), key=lambda p: (-p[1], p[0]))
            )
    return lines, known, unknown, bridges


SHAPES = ["bipartite", "tripartite", "full"]


def test_the_whole_construction_is_that_on_dictionaries():
    compared = dict.fromkeys([*SHAPES, "marton"], 0)
    for seed in range(24):
        lines, known, unknown, bridges = language(seed)
        material = Material(Text.of(lines), Unknown(tuple(sorted(unknown))), known, tuple(bridges))
        for graph in compared:
            settings = OovSettings(graph=graph, labelled=4, bridges=2, spelling=0, copied=seed % 2 == 0, window=2)
            if graph == "marton":
                settings = replace(settings, labelled=3, copied=True)
                wanted, tied = by_frames(lines, unknown, known, count=3, window=2)
                wanted = {word: (own, 0.0) for word, own in wanted.items()}
            else:
                wanted, tied = induce(
                    lines, known, unknown, bridges, shape=graph, wide=4, across=2, window=2, copied=settings.copied
                )
            if tied:
                continue
            compared[graph] += 1
            found = {entry.word: entry for entry in find_translations(material, settings, threads=1).entries}
            assert found.keys() == wanted.keys()
            for word, (texts, dummy) in wanted.items():
                assert dict(found[word].translations) == pytest.approx(texts, abs=2e-5)
                assert found[word].dummy == pytest.approx(dummy, abs=2e-5)
    # Most seeds have no ties, or nothing was tested.
    assert min(compared.values()) > 8, compared


def test_settings_that_make_no_sense():
    for settings, said in (
        ({"graph": "square"}, "unknown graph 'square'; use bipartite, tripartite, full, marton"),
        ({"measure": "mi"}, "unknown measure"),
        ({"window": 0}, "window cannot be 0; use a whole number from 1 to 50"),
        ({"order": 4}, "order cannot be 4"),
        ({"spelling": True}, "spelling cannot be True"),
        ({"top": 2.5}, "top cannot be 2.5"),
        ({"mu": (1.0, 1.0)}, "give three numbers"),
        ({"mu": (1.0, 1.0, 0.0)}, "give three numbers, the last above 0"),
        ({"mu": (1.0, -1.0, 1.0)}, "mu cannot be -1.0"),
        ({"similarity": "jsd"}, "jsd compares distributions, which ppmi makes none; use the measure cp"),
        ({"beta": 1.0}, "beta cannot be 1.0"),
        ({"spelling_weight": float("nan")}, "spelling_weight cannot be nan"),
    ):
        with pytest.raises(SettingsError, match=said) as error:
            OovSettings(**settings)
        assert one_sentence(error)
    assert (
        OovSettings().neighbours,
        OovSettings(graph="bipartite").neighbours,
        OovSettings(labelled=7).neighbours,
    ) == (15, 20, 7)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Models of text without rare words, text with them, development pairs with them."""
    place = tmp_path_factory.mktemp("world")
    common, rare = pairs_of(3, 500), pairs_of(60, 2000, rare=0.5)
    for kind in ("phrase", "hiero"):
        train(place / kind, common, kind=kind)
    write_lines(place / "mono.de", [source for source, _ in [*common, *rare]])
    write_lines(place / "mono.de.xz", [source for source, _ in rare])
    dev = pairs_of(61, 40, rare=0.5)
    write_pairs((place / "dev.de", place / "dev.en"), dev)
    return place


SETTINGS = OovSettings(spelling=5, window=2)


@pytest.fixture(scope="module")
def extended(world):
    """An extended model, and what was told of it."""
    made = extend_vocabulary(world / "phrase", world / "better", world / "mono.de", settings=SETTINGS)
    return world / "better", made


def test_rare_words_get_the_translations_of_their_twins(world, extended):
    place, made = extended
    record = open_record(place)
    entries = {entry.word: entry for entry in record}
    assert len(entries) == made.translated == len(record)
    assert made.unknown >= made.translated > 50
    frequent = Translator.load(world / "phrase").decoder.translates([twin["frequent"] for twin in TWINS.values()])
    gold = {
        rare: [twin["en"]]
        for (rare, twin), known in zip(TWINS.items(), frequent, strict=True)
        if known and rare in entries
    }
    assert len(gold) > 10
    right = score_entries(entries.values(), gold)
    words = [twin["en"] for twin in TWINS.values()]
    wrong = score_entries(entries.values(), {rare: words[at : at + 1] for at, rare in enumerate(gold, 3)})
    assert right.recall > 0.35 > wrong.recall
    assert right.mrr > 2 * wrong.mrr
    for entry in entries.values():
        assert sum(p for _, p in entry.translations) == pytest.approx(1, abs=1e-4)
        assert entry.count >= 2
        assert [one.similarity for one in entry.neighbours] == sorted(
            (one.similarity for one in entry.neighbours), reverse=True
        )
        assert 0 <= entry.dummy < 1
    assert {one.kind for entry in entries.values() for one in entry.neighbours} == {"context", "spelling"}
    assert {one.role for entry in entries.values() for one in entry.neighbours} >= {"labelled", "unknown"}


def test_unknown_words_are_translated_and_all_else_as_before(world, extended):
    before, after = Translator.load(world / "phrase"), Translator.load(extended[0])
    texts = [source for source, _ in pairs_of(62, 30)]
    words = {word for line in after.prepare(texts) for word in line.split()}
    words_of_record = {entry.word for entry in open_record(extended[0])}
    new = words_of_record | {capitalised(word) for word in words_of_record}
    some = [line for line in texts if not new & {*after.prepare([line])[0].split()}]
    assert words & new
    assert some
    assert after.translate(some) == before.translate(some)
    rare = [source for source, _ in pairs_of(63, 60, rare=1.0)]
    changed = [
        line
        for line, one, other in zip(rare, before.translate(rare), after.translate(rare), strict=True)
        if one != other
    ]
    assert changed


def test_the_same_bytes_for_any_number_of_threads(world, extended, tmp_path):
    again = extend_vocabulary(world / "phrase", tmp_path / "again", [world / "mono.de"], settings=SETTINGS, threads=3)
    assert again.rules == extended[1].rules
    for one, other in zip(sorted(extended[0].iterdir()), sorted((tmp_path / "again").iterdir()), strict=True):
        assert one.name == other.name
        assert one.read_bytes() == other.read_bytes() or one.name == "model.toml"
    # Loaded and saved it stays what it is.
    Translator.load(tmp_path / "again").save(tmp_path / "third")
    assert [*open_record(tmp_path / "third")] == [*open_record(extended[0])]


def test_models_of_rules_with_gaps_and_of_masked_text(world, tmp_path):
    made = extend_vocabulary(
        world / "hiero",
        tmp_path / "hiero",
        world / "mono.de",
        settings=replace(SETTINGS, graph="bipartite", solve=True),
    )
    assert made.translated
    assert Translator.load(tmp_path / "hiero").translate("Opa sieht das Haus.")
    masked = remade(world / "phrase", tmp_path / "masked", text_masked=True)
    write_lines(tmp_path / "mono", [f"{line} 1999 www.example.org" for line in _lines(world / "mono.de")[:200]])
    extend_vocabulary(masked, tmp_path / "better", tmp_path / "mono", settings=SETTINGS)
    assert not [entry.word for entry in open_record(tmp_path / "better") if "$" in entry.word]


def _lines(path):
    return path.read_text().splitlines()


def test_words_and_texts_that_are_asked_for(world, tmp_path):
    before = Translator.load(world / "phrase")
    long = sorted(
        {word for line in _lines(world / "mono.de") for word in line.split() if word.isalpha() and len(word) > 8}
    )
    odd = long[before.decoder.translates(long).index(True)] + "x"
    write_lines(tmp_path / "words", ["Opa", "Haus", "zwei Wörter", odd, "Qqvvq", ""])
    made = extend_vocabulary(
        world / "phrase", tmp_path / "a", world / "mono.de", words=tmp_path / "words", settings=SETTINGS
    )
    assert made.left_out["known words"] >= 0
    assert "1 lines of the list are not one word" in " ".join(made.notes)
    record = {entry.word: entry for entry in open_record(tmp_path / "a")}
    assert "Opa" in record
    assert "Haus" not in record
    # A word that no text has may still be written like others.
    assert record[odd].count == 0
    assert {one.kind for one in record[odd].neighbours} == {"spelling"}
    assert "Qqvvq" not in record
    assert "1 unknown words have no translation" in " ".join(made.notes)
    assert {one.role for entry in record.values() for one in entry.neighbours} <= {"labelled", "bridge"}
    text = [source for source, _ in pairs_of(65, 30, rare=1.0)]
    made = extend_vocabulary(world / "phrase", tmp_path / "b", world / "mono.de", text=text, settings=SETTINGS)
    words = {word for line in before.prepare(text) for word in line.split()}
    assert {entry.word for entry in open_record(tmp_path / "b")} <= words | {word.lower() for word in words}
    with pytest.raises(SettingsError, match="both words and a text"):
        extend_vocabulary(world / "phrase", tmp_path / "c", world / "mono.de", words=["a"], text=["b"])


def test_lexicons_translate_unknown_words(world, tmp_path):
    write_lines(
        tmp_path / "ding",
        [
            "grandpa; granddad :: Opa {m}",
            "nag :: Gaul {m}",
            "no entry",
            "spider monkey :: Klammeraffe {m}",
            "dog :: Hund",
        ],
    )
    made = extend_vocabulary(
        world / "phrase", tmp_path / "a", world / "mono.de", lexicons=[tmp_path / "ding"], words=["Opa", "Gaul", "Klammeraffe", "Apfelsine"],
        settings=SETTINGS,
    )  # fmt: skip
    assert made.by_lexicon == 3
    assert any("read from right to left" in note for note in made.notes)
    assert any(note == "ding:3: this is no entry of a dictionary; lines passed over for that: 1" for note in made.notes)
    record = open_record(tmp_path / "a")
    opa = record.entry("Opa")
    assert opa.origin == "lexicon"
    assert {text for text, _ in opa.translations} == {"grandpa", "granddad"}
    assert record.entry("Klammeraffe").translations == (("spider monkey", 1.0),)
    assert record.entry("Klammeraffe").count == 0
    assert "spider monkey" in Translator.load(tmp_path / "a").translate("Das Haus sieht den Klammeraffe.")
    write_lines(tmp_path / "wrong", ["chien\tperro"])
    with pytest.raises(InputError, match="the dictionary wrong has no word of the text") as error:
        extend_vocabulary(world / "phrase", tmp_path / "b", world / "mono.de", lexicons=[tmp_path / "wrong"])
    assert one_sentence(error)


def test_rare_words_that_the_table_has(world, tmp_path):
    made = extend_vocabulary(world / "phrase", tmp_path / "a", world / "mono.de", settings=replace(SETTINGS, rare=1))
    after, before = Translator.load(tmp_path / "a"), Translator.load(world / "phrase")
    entries = list(open_record(tmp_path / "a"))
    rare = [entry for entry in entries if before.decoder.translates([entry.word])[0]]
    assert rare
    assert made.translated == len(entries)
    for entry in rare:
        old = {rule.target for rule in after.decoder.grammars["grammar"].rules(entry.word)}
        assert not old & {text for text, _ in entry.translations}
        assert sum(p for _, p in entry.translations) < 1
        assert max(rule.counts[1] for rule in after.decoder.grammars["grammar"].rules(entry.word)) <= 1


def test_new_weights_are_tuned(world, tmp_path):
    dev = [*zip(_lines(world / "dev.de"), _lines(world / "dev.en"), strict=True)]
    made = extend_vocabulary(world / "phrase", tmp_path / "a", world / "mono.de", dev=dev, settings=SETTINGS)
    assert made.score > 0
    plain = extend_vocabulary(world / "phrase", tmp_path / "b", world / "mono.de", settings=SETTINGS)
    assert plain.score is None
    assert Translator.load(tmp_path / "a").weights != Translator.load(tmp_path / "b").weights


def test_what_is_refused(world, extended, tmp_path):
    mono = world / "mono.de"
    write_lines(tmp_path / "english", [target for _, target in pairs_of(66, 200)])
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "latin").write_bytes("Das Haus ist schön\n".encode("latin-1"))
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "page.html").write_text("<!DOCTYPE html><html><body>Das Haus</body></html>\n")
    for text, said in (
        ("english", r"the model knows \d+% of the text's words; give text of the source language, de, or add --force"),
        ("binary", "binary"), ("latin", "latin, line 1.*UTF-8"), ("empty", "the text is empty"), ("nothing", "nothing"),
        ("page.html", "this is HTML and not one sentence a line"),
    ):  # fmt: skip
        with pytest.raises(TolkaError, match=said) as error:
            extend_vocabulary(world / "phrase", tmp_path / "new", tmp_path / text)
        assert one_sentence(error), str(error.value)
        assert not (tmp_path / "new").exists()
    forced = extend_vocabulary(world / "phrase", tmp_path / "forced", [tmp_path / "english", mono], force=True)
    assert forced.translated
    for arguments, said in (
        ({"words": ["zzzqqq"], "settings": OovSettings(spelling=0)}, "no unknown word has a neighbour"),
        (
            {"settings": OovSettings(least=100_000)},
            r"that come 100000 times or more all are left out \(none\); give more",
        ),
        ({"words": ["Haus"]}, "no unknown word: of the words that were given all are left out"),
        ({"text": [""]}, "the text whose words are unknown is empty"),
        ({"dev": [("", "")]}, "the development set has no sentence with a translation"),
    ):
        with pytest.raises(InputError, match=said) as error:
            extend_vocabulary(world / "phrase", tmp_path / "new", mono, **arguments)
        assert one_sentence(error)
    with pytest.raises(SettingsError, match="there is no text"):
        extend_vocabulary(world / "phrase", tmp_path / "new", [])
    with pytest.raises(SettingsError, match="has a table of unknown words already"):
        extend_vocabulary(extended[0], tmp_path / "new", mono)
    make_ensemble([world / "phrase", world / "hiero"], tmp_path / "both")
    with pytest.raises(SettingsError, match="an ensemble has no table of its own"):
        extend_vocabulary(tmp_path / "both", tmp_path / "new", mono)
    grows = shutil.copytree(world / "phrase", tmp_path / "grows")
    make_growing(grows, *map(list, zip(*pairs_of(3, 60), strict=True)))
    with pytest.raises(SettingsError, match="finds its rules in a text that grows") as error:
        extend_vocabulary(grows, tmp_path / "new", mono)
    assert one_sentence(error)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    with pytest.raises(FileError):
        extend_vocabulary(world / "phrase", tmp_path / "mine", mono)
    assert not (tmp_path / "new").exists()
    assert not [one for one in tmp_path.iterdir() if one.name.startswith(".")]


def test_graphs_without_labels(tmp_path):
    text = Text.of(["a x b", "a y b"] * 3)
    with pytest.raises(InputError, match=r"no unknown word has a neighbour|no neighbour of an unknown word"):
        find_translations(Material(text, Unknown(("x",)), {}, ("y",)), OovSettings())
    with pytest.raises(InputError, match="no word with a translation is seen in the same frame"):
        find_translations(Material(text, Unknown(("x",)), {}, ("y",)), OovSettings(graph="marton"))
    with pytest.raises(InputError, match="the text has no word of the model"):
        find_translations(Material(text, Unknown(("z",)), {}), OovSettings())


def test_letters_are_learnt_from_known_words(world, tmp_path):
    translator = Translator.load(world / "phrase")
    prepared = prepare_text(translator, [world / "mono.de"], tmp_path / "text")
    material = gather(open_model(world / "phrase"), translator, prepared, OovSettings(transliterated=True))
    assert {("Skript", "script"), ("Funktion", "function"), ("Student", "student")} <= set(material.sounds.items())
    assert all(text in translator.decoder.lms["lm"] for text in material.sounds.values())
    assert min(map(len, material.sounds)) == 4
    made = extend_vocabulary(
        world / "phrase", tmp_path / "a", world / "mono.de", settings=replace(SETTINGS, transliterated=True)
    )
    assert made.translated


def test_phrases_of_three_words_have_labels(world, tmp_path):
    """Nodes with translations have as many words as are asked for, and say theirs where they are neighbours."""
    opened = open_model(world / "phrase")
    translator = Translator.load(world / "phrase")
    prepared = prepare_text(translator, [world / "mono.de"], tmp_path / "text")
    most = {}
    for order in (1, 2, 3):
        material = gather(opened, translator, prepared, OovSettings(order=order))
        lengths = Counter(phrase.count(" ") + 1 for phrase in material.known)
        most[order] = max(lengths)
        assert all(lengths[length] for length in range(1, order + 1)), lengths
    assert most == {1: 1, 2: 2, 3: 3}
    assert not material.sounds
    found = find_translations(material, OovSettings(order=3, spelling=0))
    said = Counter(one.text.count(" ") + 1 for entry in found.entries for one in entry.neighbours)
    assert said[3] > 0


def test_the_commands(world, extended, tmp_path):
    out = tolka(
        "combine", "oov", world / "phrase", "--mono", world / "mono.de", "-o", tmp_path / "better", "--spelling", "5",
        "--dev", world / "dev.de", world / "dev.en",
    )  # fmt: skip
    assert re.search(r"the model knows \d+\.\d% of the text's words\n\d+ unknown words, [\d,]+ times", out)
    assert re.search(r"development set BLEU \d+\.\d\d\nsaved to ", out)
    said = json.loads(
        tolka(
            "combine",
            "oov",
            "-o",
            tmp_path / "again",
            world / "phrase",
            "--mono",
            world / "mono.de",
            "--spelling",
            "5",
            "--json",
        )
    )
    assert said["translated"] == extended[1].translated
    assert said["score"] is None
    second = open_record(extended[0]).entry("Opa").translations[1][0]
    write_gold(tmp_path / "gold.tsv", {"Opa": [second], "Zzz": ["z"]})
    out = tolka("combine", "oov", "score", extended[0], "--gold", tmp_path / "gold.tsv")
    assert out == "1 of 2 words have translations\nMRR 25.00\nrecall@20 50.00\n"
    scored = json.loads(
        tolka("combine", "oov", "score", extended[0], "--gold", tmp_path / "gold.tsv", "--json", "--top", "3")
    )
    assert (scored["words"], scored["top"]) == (2, 3)
    out = tolka("combine", "oov", "explain", extended[0], "Opa", "-o", tmp_path / "opa.svg")
    assert out.startswith("Opa, ")
    assert second in out
    assert "labelled" in out
    ET.fromstring((tmp_path / "opa.svg").read_text())  # noqa: S314 - written here
    said = json.loads(tolka("combine", "oov", "explain", extended[0], "Opa", "-o", tmp_path / "opa.html", "--json"))
    assert said["word"] == "Opa"
    assert "<h1>Opa</h1>" in (tmp_path / "opa.html").read_text()
    assert "did you mean Opa" in refused("combine", "oov", "explain", extended[0], "opa", code=1)
    assert "neither a picture nor a page" in refused("combine", "oov", "explain", extended[0], "Opa", "-o", "opa.png")
    assert "has no table of unknown words" in refused("combine", "oov", "explain", world / "phrase", "Opa", code=1)
    assert "add --force" in refused(
        "combine", "oov", world / "phrase", "--mono", world / "dev.en", "-o", tmp_path / "c", code=1
    )


@pytest.mark.parametrize("command", [[], ["extend"], ["explain"], ["score"], ["gold"]])
def test_help_has_examples(command):
    assert "Example: tolka combine oov" in " ".join(
        tolka("combine", "oov", *command, "--help").replace("`", "").split()
    )


def test_gold_standards_of_a_model(world, tmp_path):
    rare = pairs_of(67, 60, rare=1.0)
    write_pairs((tmp_path / "a.de", tmp_path / "a.en"), rare)
    found = make_gold(world / "phrase", tmp_path / "a.de", tmp_path / "a.en")
    translator = Translator.load(world / "phrase")
    assert found
    assert not any(translator.decoder.translates(list(found)))
    sources, targets = translator.prepare_pairs(*map(list, zip(*rare, strict=True)))
    links = [
        [(i, i) for i in range(min(len(a.split()), len(b.split())))] for a, b in zip(sources, targets, strict=True)
    ]
    write_links(tmp_path / "links", links)
    given = make_gold(world / "phrase", tmp_path / "a.de", tmp_path / "a.en", links=tmp_path / "links")
    word = next(iter(given))
    at = next(number for number, line in enumerate(sources) if word in line.split())
    place = sources[at].split().index(word)
    assert targets[at].split()[place] in given[word] or not targets[at].split()[place].isalnum()
    out = tolka(
        "combine", "oov", "gold", world / "phrase", tmp_path / "a.de", tmp_path / "a.en", "-o", tmp_path / "gold.tsv",
        "--links", tmp_path / "links",
    )  # fmt: skip
    assert out.startswith(f"{len(given)} words with ")
    assert read_gold(tmp_path / "gold.tsv") == given
    write_lines(tmp_path / "b.de", ["Das Haus ."])
    with pytest.raises(InputError, match="the model knows all words of the text"):
        make_gold(world / "phrase", tmp_path / "a.de", tmp_path / "a.en", text=tmp_path / "b.de")


def test_pictures_have_all_that_voted():
    odd = "<b>&\0" + "x" * 60
    entry = Entry(
        "kater",
        (("tomcat", 0.6), (odd, 0.3), ("kater", 0.1)),
        7,
        0.2,
        neighbours=(
            Neighbour("katze", 0.5, labels=(("tomcat", 0.9), (odd, 0.1))),
            Neighbour(odd, 0.25, "spelling", "bridge", ()),
            Neighbour("radio", 0.2, "context", "unknown", (("radio", 0.5),)),
        ),
    )
    picture = draw_neighbourhood(entry)
    root = ET.fromstring(picture)  # noqa: S314 - written here
    space = "{http://www.w3.org/2000/svg}"
    titles = [one.text for one in root.iter(f"{space}title")]
    assert "katze: tomcat 0.90" in titles
    # Who is copied votes for copying.
    assert "radio: radio 0.50" in titles
    paths = [one for one in root.iter(f"{space}path") if one.find(f"{space}title") is not None]
    assert len(paths) == 3 + 3
    assert sum("stroke-dasharray" in one.attrib for one in paths) == 1
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for one in root.iter(f"{space}rect"):
        if "page" not in one.attrib.get("class", ""):
            assert 0 <= float(one.attrib["x"]) <= float(one.attrib["x"]) + float(one.attrib["width"]) <= width
            assert 0 <= float(one.attrib["y"]) <= height
    page = neighbourhood_page(entry)
    assert "<b>&" not in page
    assert "written alike" in picture
    alone = Entry("kater", (("tomcat", 1.0),), 0, 0.0, "lexicon")
    ET.fromstring(draw_neighbourhood(alone))  # noqa: S314 - written here
    assert "not in the text" in entry_text(alone)
    assert "a dictionary" in entry_text(alone)
    assert draw_neighbourhood(entry) == picture
