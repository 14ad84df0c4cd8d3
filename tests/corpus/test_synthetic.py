"""The synthetic corpus in bulk: agreement by an independent checker, word order, links, trees, statistics, files."""

import json
import math
import subprocess
import sys
from collections import Counter
from dataclasses import FrozenInstanceError
from hashlib import blake2b
from itertools import islice, pairwise

import pytest

from tolka.corpus.synthetic import LANGUAGES, PAIRS, Seen, Synthetic, lexicon, write
from tolka.corpus.tokenise import Tokeniser
from tolka.errors import FileError, SettingsError

CONTENT = {"NOUN", "VERB", "ADJ", "PROPN", "NUM"}


@pytest.fixture(scope="module")
def examples():
    return list(Synthetic(seed=11, rare=0.1).sample(3000))


def rows(example, language):
    """The words of a CoNLL-U block as dictionaries."""
    names = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    lines = [line for line in example.conllu(language).split("\n") if line and not line.startswith("#")]
    assert all(line.count("\t") == 9 for line in lines)
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def brackets(text):
    """A Penn tree as nested lists [label, child, …], leaves being strings."""
    stack = [[]]
    for piece in text.replace("(", " ( ").replace(")", " ) ").split():
        if piece == "(":
            stack.append([])
        elif piece == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(piece)
    ((tree,),) = stack
    return tree


def leaves(tree):
    return [tree] if isinstance(tree, str) else [leaf for child in tree[1:] for leaf in leaves(child)]


def subtrees(tree):
    if not isinstance(tree, str):
        yield tree
        for child in tree[1:]:
            yield from subtrees(child)


# --- agreement, checked with paradigms written down anew ---

ARTICLES = {
    "der": "ms0 fs2 fs3 mp3 fp3 np3",
    "den": "ms1 mp2 fp2 np2",
    "dem": "ms2 ns2",
    "des": "ms3 ns3",
    "die": "fs0 fs1 mp0 fp0 np0 mp1 fp1 np1",
    "das": "ns0 ns1",
}
EIN_ENDINGS = {
    "": "ms0 ns0 ns1",
    "e": "fs0 fs1 mp0 fp0 np0 mp1 fp1 np1",
    "en": "ms1 mp2 fp2 np2",
    "em": "ms2 ns2",
    "er": "fs2 fs3 mp3 fp3 np3",
    "es": "ms3 ns3",
}
DIES_ENDINGS = {**EIN_ENDINGS, "": "", "er": EIN_ENDINGS["er"] + " ms0", "es": EIN_ENDINGS["es"] + " ns0 ns1"}
EIN_WORDS = ("mein", "dein", "sein", "ihr", "unser", "kein", "ein")


def german_nouns():
    """For each written form, the readings (gender, number, case) it can have."""
    found = {}
    for entry in lexicon().nouns:
        for noun in filter(None, (entry.de, entry.twin)):
            for position, form in enumerate(noun.forms):
                reading = noun.gender + "sp"[position // 4] + str(position % 4)
                found.setdefault(form, set()).add(reading)
    return found


def determiner_readings(form, lemma):
    if form in ARTICLES and lemma == "der":
        return set(ARTICLES[form].split())
    for stem, endings in [(word, EIN_ENDINGS) for word in EIN_WORDS] + [
        (word, DIES_ENDINGS) for word in ("dies", "jed", "viel")
    ]:
        if form.startswith(stem) and form[len(stem) :] in endings:
            return set(endings[form[len(stem) :]].split())
    raise AssertionError(form)


def adjective_ending(reading, determiner):
    """What an adjective ends in after this kind of determiner, by Duden's three declensions."""
    gender, number, case = reading
    definite = determiner in {"der", "dieser", "jeder"}
    if definite or determiner in EIN_WORDS:
        if number == "p" or case in "23" or (gender == "m" and case == "1"):
            return "en"
        return "e" if definite or gender == "f" else "er" if gender == "m" else "es"
    if number == "p":
        return {"0": "e", "1": "e", "2": "en", "3": "er"}[case]
    strong = {"m": ("er", "en", "em", "en"), "f": ("e", "e", "er", "er"), "n": ("es", "es", "em", "en")}
    return strong[gender][int(case)]


def test_german_noun_phrases_agree(examples):  # noqa: C901 (one branch per kind of dependent)
    nouns = german_nouns()
    checked = Counter()
    contracted = {"im": "m2 n2", "am": "m2 n2", "zum": "m2 n2", "vom": "m2 n2", "zur": "f2", "ins": "n1", "ans": "n1"}
    stems = {a.stem for a in lexicon().adjectives} | {a.twin for a in lexicon().adjectives if a.twin}
    for example in examples:
        if "idiom" in example.phenomena:
            continue
        words = rows(example, "de")
        words[0]["form"] = example.truecased["de"][0]
        for head in words:
            if head["upos"] != "NOUN" or head["form"] not in nouns:
                continue
            below = [word for word in words if word["head"] == head["id"]]
            readings = set(nouns[head["form"]])
            kind = ""
            for word in below:
                if word["deprel"] == "det" and word["upos"] == "DET":
                    readings &= determiner_readings(word["form"], word["lemma"])
                    kind = word["lemma"]
                elif word["deprel"] == "case" and word["form"] in contracted:
                    allowed = set(contracted[word["form"]].split())
                    readings = {r for r in readings if r[1] == "s" and r[0] + r[2] in allowed}
                    kind = "der"
                elif word["deprel"] == "nummod":
                    readings = {r for r in readings if r[1] == "p"}
            assert readings, (head["form"], example.raw["de"])
            for word in below:
                if word["deprel"] == "amod" and word["upos"] == "ADJ":
                    fitting = {
                        stem + adjective_ending(reading, kind)
                        for reading in readings
                        for stem in stems
                        if word["form"].startswith(stem)
                    }
                    assert word["form"] in fitting, example.raw["de"]
                    checked["adjective"] += 1
            checked["noun"] += 1
    assert checked["noun"] > 5000
    assert checked["adjective"] > 800


def test_french_noun_phrases_agree(examples):  # noqa: C901 (one branch per kind of dependent)
    genders = {}
    for entry in lexicon().nouns:
        for number, words in (("s", entry.fr.singular), ("p", entry.fr.plural)):
            genders.setdefault(" ".join(form for form, _ in words), set()).add(entry.fr.gender + number)
    allowed = {
        "le": {"ms"}, "la": {"fs"}, "les": {"mp", "fp"}, "un": {"ms"}, "une": {"fs"}, "des": {"mp", "fp"},
        "ce": {"ms"}, "cet": {"ms"}, "cette": {"fs"}, "ces": {"mp", "fp"}, "ma": {"fs"}, "sa": {"fs"}, "ta": {"fs"},
        "mes": {"mp", "fp"}, "ses": {"mp", "fp"}, "tes": {"mp", "fp"}, "nos": {"mp", "fp"}, "leurs": {"mp", "fp"},
        "du": {"ms"}, "au": {"ms"}, "aux": {"mp", "fp"},
    }  # fmt: skip
    forms = {}
    for a in lexicon().adjectives:
        masculine, feminine, vocalic = a.fr
        plural = masculine if masculine[-1] in "sx" else masculine + ("x" if masculine.endswith("eau") else "s")
        for reading, form in (
            ("ms", masculine),
            ("ms", vocalic),
            ("fs", feminine),
            ("mp", plural),
            ("fp", feminine + "s"),
        ):
            forms.setdefault(form, set()).add(reading)
    checked = 0
    for example in examples:
        if "idiom" in example.phenomena:
            continue
        words = rows(example, "fr")
        words[0]["form"] = example.truecased["fr"][0]
        for head in words:
            if head["upos"] != "NOUN" or head["form"] not in genders:
                continue
            readings = set(genders[head["form"]])
            for word in words:
                if word["head"] == head["id"] and word["deprel"] in {"det", "case"}:
                    readings &= allowed.get(word["form"], readings)
                elif word["head"] == head["id"] and word["deprel"] == "amod" and word["form"] in forms:
                    readings &= forms[word["form"]]
                    checked += 1
            assert readings, (head["form"], example.raw["fr"])
    assert checked > 800


def test_elision_is_complete(examples):
    vowels = "aeiouyhâàéèêîôœùû"
    short = {"je", "me", "te", "se", "le", "la", "ne", "de", "que", "ce", "ma", "sa", "ta"}
    for example in examples:
        tokens = [token.lower() for token in example.truecased["fr"]]
        for left, right in pairwise(tokens):
            if left in short and right not in {"huit", "onze"}:
                assert right[0] not in vowels, example.raw["fr"]
            if left.endswith("'"):
                assert right[0] in vowels, example.raw["fr"]
        assert not {("de", "le"), ("à", "le"), ("de", "les"), ("à", "les")} & {
            pair
            for pair in pairwise(tokens)
            if "clitic" not in example.phenomena and "anaphora" not in example.phenomena
        }


def test_english_agreement(examples):
    plain = {"he", "she", "it"}
    thirds = {entry.en.base: entry.en.third for entry in (*lexicon().verbs, *lexicon().idioms)}
    checked = 0
    for example in examples:
        words = rows(example, "en")
        for word in words:
            if word["deprel"] == "nsubj" and word["form"].lower() in plain | {"i", "we", "they", "you"}:
                head = words[int(word["head"]) - 1]
                if head["upos"] == "VERB" and head["form"] in {head["lemma"], thirds.get(head["lemma"])}:
                    helped = any(w["head"] == head["id"] and w["upos"] == "AUX" for w in words)
                    past = {v.en.past for v in (*lexicon().verbs, *lexicon().idioms) if v.en.base == head["lemma"]}
                    if not helped and head["form"] not in past:
                        assert (head["form"] == thirds[head["lemma"]]) == (word["form"].lower() in plain), example.raw
                        checked += 1
    assert checked > 100


# --- word order ---


def test_verb_second(examples):
    for example in examples:
        tree = brackets(example.penn("de"))
        clauses = [child for child in tree[1:] if child[0] == "S"]
        for clause in clauses:
            position = 1 if "question-yes-no" in example.phenomena else 2
            finite = clause[position]
            assert finite[0] in {"VERB", "AUX"}, example.penn("de")
            assert isinstance(finite[1], str)


def test_verb_last(examples):
    checked = 0
    for example in examples:
        for tree in subtrees(brackets(example.penn("de"))):
            if tree[0] == "SBAR" and tree[1][0] == "SCONJ":
                verbs = next(child for child in tree[2][1:] if child[0] == "VP")
                assert verbs[-1][0] in {"VERB", "AUX"}, example.raw["de"]
                checked += 1
    assert checked > 500


# --- links ---


def test_links_are_in_range_and_content_words_are_linked(examples):
    for example in examples:
        for source, target in PAIRS:
            links = example.links(source, target)
            assert links == sorted(set(links))
            assert all(i < len(example.tokens[source]) and j < len(example.tokens[target]) for i, j in links)
            assert {(j, i) for i, j in links} == set(example.links(target, source))
            for language, side in ((source, 0), (target, 1)):
                linked = {link[side] for link in links}
                for word in rows(example, language):
                    if word["upos"] in CONTENT:
                        assert int(word["id"]) - 1 in linked, (word["form"], example.raw)


def test_links_compose_through_french(examples):
    direct = reached = 0
    for example in examples:
        through = {}
        for j, k in example.links("fr", "en"):
            through.setdefault(j, set()).add(k)
        composed = {(i, k) for i, j in example.links("de", "fr") for k in through.get(j, ())}
        direct += len(example.links("de", "en"))
        reached += len(composed & set(example.links("de", "en")))
    assert reached / direct > 0.97


def test_names_and_digits_are_linked_to_themselves(examples):
    for example in examples:
        for i, j in example.links("de", "en"):
            word = example.tokens["de"][i]
            if word.isdigit():
                assert example.tokens["en"][j] == word


def test_fertility_and_unlinked_words():
    front = next(e for e in Synthetic(seed=1).sample(2000) if "Haustür" in e.tokens["de"])
    place = front.tokens["de"].index("Haustür")
    assert [front.tokens["en"][j] for i, j in front.links("de", "en") if i == place] == ["front", "door"]
    question = next(e for e in Synthetic(seed=1).sample(100) if "question-yes-no" in e.phenomena)
    assert question.tokens["fr"][0] == "Est-ce"
    assert 0 not in {i for i, _ in question.links("fr", "en")}


# --- trees ---


@pytest.mark.parametrize("language", LANGUAGES)
def test_dependency_trees_are_trees(examples, language):
    for example in examples:
        words = rows(example, language)
        assert tuple(word["form"] for word in words) == example.tokens[language]
        heads = [int(word["head"]) for word in words]
        assert heads.count(0) == 1
        assert [word["deprel"] for word in words].count("root") == 1
        for start in range(1, len(words) + 1):
            node, steps = start, 0
            while node:
                node = heads[node - 1]
                steps += 1
                assert steps <= len(words), example.conllu(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_constituents_cover_the_sentence(examples, language):
    for example in examples:
        assert tuple(leaves(brackets(example.penn(language)))) == example.tokens[language]


def test_synchronous_tree_covers_all_words_once(examples):
    def own(node, language):
        inside = {p for a, b in node["spans"][language] for p in range(a, b)}
        for child in node["children"]:
            below = {p for a, b in child["spans"][language] for p in range(a, b)}
            assert below <= inside
            inside -= below
        return inside

    def nodes(node):
        yield node
        for child in node["children"]:
            yield from nodes(child)

    for example in examples[:500]:
        tree = json.loads(json.dumps(example.synchronous()))
        for language in LANGUAGES:
            covered = sorted(p for node in nodes(tree) for p in own(node, language))
            assert covered == list(range(len(example.tokens[language])))


def test_some_german_trees_cross(examples):
    share = {language: sum(not e.projective(language) for e in examples) / len(examples) for language in LANGUAGES}
    assert 0.04 < share["de"] < 0.12
    assert share["en"] < 0.01
    assert share["fr"] < 0.01
    for example in examples:
        if not example.projective("de"):
            assert {"extraposition", "topicalised"} & set(example.phenomena), example.raw["de"]


# --- the stream ---


def test_example_depends_on_seed_and_number_alone():
    source = Synthetic(seed=5)
    stream = list(source.sample(30))
    assert source.example(17) == stream[17]
    assert list(source.sample(5, start=20)) == stream[20:25]
    assert [e.raw for e in Synthetic(seed=6).sample(30)] != [e.raw for e in stream]
    assert source.sample(10**12).__next__() == stream[0]
    with pytest.raises(FrozenInstanceError):
        stream[0].index = 3


def test_the_stream_is_pinned():
    digest = blake2b(digest_size=8)
    for example in Synthetic(seed=1, rare=0.2).sample(200):
        for language in LANGUAGES:
            digest.update(example.conllu(language).encode())
            digest.update(example.penn(language).encode())
        for pair in PAIRS:
            digest.update(example.pharaoh(*pair).encode())
    assert digest.hexdigest() == "410c7cb855cdeefe"


def test_no_duplicates():
    seen = set()
    for example in Synthetic(seed=3).sample(4000, unique=True):
        for a, b in PAIRS:
            assert (a, b, example.raw[a], example.raw[b]) not in seen
            seen.add((a, b, example.raw[a], example.raw[b]))
    shared = Seen()
    first = {e.raw["de"] for e in Synthetic(seed=3).sample(500, seen=shared)}
    assert first.isdisjoint(e.raw["de"] for e in Synthetic(seed=3).sample(500, seen=shared))


def test_domains_have_words_of_their_own():
    home, tech = (
        Counter(t for e in Synthetic(2, domain).sample(800) for t in e.tokens["de"]) for domain in ("home", "tech")
    )
    assert home["Hund"] > 20
    assert tech["Hund"] == 0
    assert tech["Datei"] > 20
    assert home["Datei"] == 0
    mixed = Counter(e.domain for e in Synthetic(2, "tech", in_domain=0.2).sample(2000))
    assert 0.17 < mixed["tech"] / 2000 < 0.23


def test_the_same_word_translates_by_domain():
    for domain, english in (("home", {"bench", "benches"}), ("tech", {"bank"})):
        for example in Synthetic(3, domain).sample(3000):
            for i, j in example.links("de", "en"):
                if example.tokens["de"][i] in {"Bank", "Bänke", "Banken"}:
                    assert example.truecased["en"][j] in english


def test_rare_twins_stay_where_they_are_asked_for():
    twins = {twin["rare"]: twin for twin in lexicon().twins()}
    assert len(twins) >= 25
    lemmas = Counter()
    for example in Synthetic(4).sample(1500):
        assert not set(twins) & {word["lemma"] for word in rows(example, "de")}
    for example in Synthetic(4, rare=0.5, rare_words=["Fahrstuhl", "erwerben"]).sample(1500):
        lemmas.update({word["lemma"] for word in rows(example, "de")} & set(twins))
    assert set(lemmas) == {"Fahrstuhl", "erwerben"}
    always = Synthetic(4, rare=1.0).sample(3000)
    shown = Counter((word["lemma"], word["upos"]) for example in always for word in rows(example, "de"))
    assert sum(shown[rare, twin["upos"]] > 0 for rare, twin in twins.items()) > 0.9 * len(twins)
    replaced = [twin for twin in twins.values() if twin["frequent"] not in lexicon().ambiguous]
    assert not [twin for twin in replaced if shown[twin["frequent"], twin["upos"]]]


def test_words_are_spread_like_words(examples):
    counts = Counter(token for example in examples for token in example.truecased["de"])
    few = {token for example in islice(examples, 500) for token in example.truecased["de"]}
    assert len(counts) > 1.3 * len(few) > 500
    ranked = [math.log(count) for _, count in counts.most_common(300)]
    ranks = [math.log(rank) for rank in range(1, 301)]
    mean_x, mean_y = sum(ranks) / 300, sum(ranked) / 300
    slope = sum((x - mean_x) * (y - mean_y) for x, y in zip(ranks, ranked, strict=True))
    slope /= sum((x - mean_x) ** 2 for x in ranks)
    assert -1.5 < slope < -0.7


def test_lexicon_is_large_enough():
    words = lexicon()
    assert len(words.nouns) >= 200
    assert len(words.verbs) >= 100
    assert sum(bool(verb.de.prefix) for verb in words.verbs) >= 25
    assert len(words.adjectives) >= 50
    assert len(words.adverbs) >= 25
    assert {"Bank", "Schloss", "Netz", "Speicher", "laufen"} <= words.ambiguous


def test_every_phenomenon_occurs(examples):
    found = Counter(label for example in examples for label in example.phenomena)
    expected = [
        "ambiguous",
        "anaphora",
        "attributive",
        "clitic",
        "compound",
        "contraction",
        "coordination",
        "do-support",
        "extraposition",
        "future",
        "genitive",
        "governed-preposition",
        "idiom",
        "inversion",
        "kein",
        "modal",
        "name",
        "negation",
        "number",
        "object-first",
        "particle",
        "partitive",
        "passive",
        "perfect",
        "plural",
        "possessive",
        "present",
        "pronoun",
        "question",
        "rare-twin",
        "reflexive",
        "relative",
        "separable",
        "topicalised",
        "verb-final",
        "zu-infinitive",
    ]
    assert {label for label in expected if found[label] < 10} == set()


def test_tokens_join_to_the_sentence(examples):
    for example in examples:
        for language in LANGUAGES:
            squeezed = example.raw[language].replace(" ", "").replace("\u00a0", "")
            assert "".join(example.tokens[language]) == squeezed
            assert example.raw[language][0].isupper() or example.raw[language][0].isdigit()
            assert "  " not in example.raw[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_tokeniser_finds_the_tokens(examples, language):
    tokeniser = Tokeniser(language, escape=False)
    for example in examples:
        assert tuple(tokeniser.tokenise(example.raw[language])) == example.tokens[language]


@pytest.mark.parametrize(
    "settings",
    [
        {"domain": "sports"},
        {"rare": 1.5},
        {"in_domain": 0.5},
        {"domain": "home", "in_domain": -1},
        {"rare_words": ["Hund"]},
    ],
)
def test_wrong_settings(settings):
    with pytest.raises(SettingsError):
        Synthetic(**settings)


def test_monolingual_text():
    lines = list(Synthetic(7, stream="mono").monolingual("fr", 50))
    assert lines == [e.raw["fr"] for e in Synthetic(7, stream="mono").sample(50)]
    with pytest.raises(SettingsError, match="no language 'sv'"):
        next(Synthetic().monolingual("sv", 1))


# --- files ---


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def test_corpus_directory(tmp_path):
    written = write(tmp_path / "a", pairs=120, dev=30, test=40, seed=9)
    write(tmp_path / "b", pairs=120, dev=30, test=40, seed=9)
    write(tmp_path / "c", pairs=60, dev=30, test=40, mono=0, seed=9)
    first = content(tmp_path / "a")
    assert first == content(tmp_path / "b")
    third = content(tmp_path / "c")
    for name in first:
        if name.startswith(("dev", "test")):
            assert third[name] == first[name]
    assert first["train.de"].startswith(third["train.de"])
    lines = {}
    for split, size in (("train", 120), ("dev", 30), ("test", 40)):
        names = [f"{split}.{part}{language}" for part in ("", "tok.", "true.") for language in LANGUAGES]
        names += [f"{split}.{language}.penn" for language in LANGUAGES]
        names += [f"{split}.{a}-{b}.links" for a, b in PAIRS] + [f"{split}.trees.jsonl"]
        for name in names:
            lines[name] = first[name].decode().split("\n")
            assert lines[name].pop() == ""
            assert len(lines[name]) == size, name
        for language in LANGUAGES:
            assert first[f"{split}.{language}.conllu"].decode().count("\n\n") == size
        assert written.splits[split]["examples"] == size
    for a, b in PAIRS:
        pairs = [
            pair
            for split in ("train", "dev", "test")
            for pair in zip(lines[f"{split}.{a}"], lines[f"{split}.{b}"], strict=True)
        ]
        assert len(set(pairs)) == len(pairs)
    for split in ("train", "dev", "test"):
        assert not set(first["mono.de"].decode().split("\n")[:-1]) & set(lines[f"{split}.de"])
    manifest = json.loads(first["manifest.json"])
    assert manifest["settings"]["seed"] == 9
    assert manifest["splits"]["train"]["phenomena"].get("rare-twin", 0) == 0
    assert manifest["splits"]["test"]["phenomena"]["rare-twin"] > 0
    assert {
        "rare": "Fahrstuhl",
        "frequent": "Aufzug",
        "upos": "NOUN",
        "en": "lift",
        "fr": "ascenseur",
        "domain": "home",
    } in manifest["twins"]


def test_directory_must_be_empty(tmp_path):
    (tmp_path / "letter").write_text("keep me")
    with pytest.raises(FileError, match="not empty"):
        write(tmp_path, pairs=1, dev=1, test=1)
    write(tmp_path, pairs=1, dev=1, test=1, force=True)
    assert (tmp_path / "letter").read_text() == "keep me"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def run(*arguments, cwd):
    command = [sys.executable, "-m", "tolka", "corpus", "synth", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_command(tmp_path):
    done = run("--pairs", "20", "--dev", "5", "--test", "5", "--seed", "1", "-o", "synth", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["splits"]["train"]["examples"] == 20
    assert (tmp_path / "synth" / "train.de-en.links").exists()
    again = run("--pairs", "20", "-o", "synth", cwd=tmp_path)
    assert again.returncode == 1
    assert again.stderr == "tolka: synth: the directory is not empty; choose another, or allow it with --force\n"
    wrong = run("--domain", "sports", "-o", "other", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "unknown domain 'sports'" in wrong.stderr
    assert not (tmp_path / "other").exists()
