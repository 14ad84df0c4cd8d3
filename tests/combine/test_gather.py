"""`tolka combine gather`: all sources in one translator, on text of a grammar."""

import json
import re
import tomllib

import pytest
from tests.combine.small import one_sentence, pairs_of
from tests.combine.test_command import refused, tolka

from tolka.combine import GatherSettings, Sources, gather, part_states
from tolka.combine.gathering.recipe import Plan, gather_recipe, parts_of, source_texts
from tolka.combine.gathering.settings import Row
from tolka.combine.recipes import lifted
from tolka.corpus import read_pairs, write_pairs
from tolka.errors import FileError, FormatError, SettingsError
from tolka.evaluate import bleu
from tolka.pipeline.recipe import Recipe
from tolka.translate import Translator

QUICK = ("tune.iterations=1", "tune.nbest=10", "align.model=ibm1", "lm.order=2", "grammar.max_length=4")
TEXT = """
langs = ["de", "fr"]
dev = ["dev.de", "dev.fr"]
test = ["test.de", "test.fr"]

[[direct]]
files = ["direct.de", "direct.fr"]

[[through]]
pivots = ["en"]
legs = [["first.de", "first.en"], ["second.en", "second.fr"]]

[unknown]
mono = ["mono.de"]
lexicon = ["words.tsv"]
"""


def put(place, name, langs, pairs):
    write_pairs([place / f"{name}.{lang}" for lang in langs], pairs)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Little text of German and French, more of each with English."""
    place = tmp_path_factory.mktemp("sources")
    every = list(dict.fromkeys(pairs_of(1, 300, ("de", "fr"))))
    put(place, "direct", ("de", "fr"), every[:60])
    put(place, "dev", ("de", "fr"), every[60:100])
    put(place, "test", ("de", "fr"), every[100:130])
    put(place, "first", ("de", "en"), pairs_of(2, 150, ("de", "en")))
    put(place, "second", ("en", "fr"), pairs_of(3, 150, ("en", "fr")))
    (place / "mono.de").write_text("".join(f"{source}\n" for source, _ in every[130:]))
    (place / "words.tsv").write_text("Katze\tchat\nHund\tchien\nVogel\toiseau\n")
    (place / "sources.toml").write_text(TEXT)
    return place


def settings(place, **given):
    asked = {"folds": 2, "overrides": QUICK, "force": True, "scheme": "pairwise", **given}
    return GatherSettings(Sources.load(place / "sources.toml"), **asked)


@pytest.fixture(scope="module")
def compared(place, tmp_path_factory):
    """All rows, tuned twice."""
    return gather(settings(place, compare=True, tunings=2), tmp_path_factory.mktemp("compared") / "model")


def test_all_rows_are_there(compared, place):
    assert [row.name for row in compared.rows] == [
        "direct", "direct+unknown", "direct+through", "direct+through+unknown",
        "stack", "stack+unknown", "stack+through", "stack+through+unknown",
    ]  # fmt: skip
    references = [target for _, target in read_pairs(place / "test.de", place / "test.fr")]
    for row in compared.rows:
        assert len(row.translations) == 2
        assert row.test.scores == pytest.approx([bleu(text, references) for text in row.translations])
    assert compared["stack+through+unknown"].parts == ("stack", "via-en", "unknown")
    assert set(compared["stack+through+unknown"].p) == {
        "direct", "direct+through+unknown", "stack+unknown", "stack+through"
    }  # fmt: skip
    assert set(compared["direct+through"].p) == {"direct"}
    assert not compared["direct"].p
    known = {row.name: row.covered.unknown_types for row in compared.rows}
    assert known["stack+through"] <= min(known["stack"], known["direct+through"])
    assert all(known[f"{name}+unknown"] < known[name] for name in ("direct", "stack"))


def test_what_is_kept_is_the_whole(compared, place):
    assert compared.test == pytest.approx(compared["stack+through+unknown"].test.scores[0])
    translator = Translator.load(compared.model, verify=True)
    assert dict(compared.parts) == translator.weights
    _, states = part_states(compared.model)
    assert [one.name for one in states] == ["stack", "via-en", "unknown"]
    sources = [source for source, _ in read_pairs(place / "test.de", place / "test.fr")]
    assert tuple(translator.translate(sources)) == compared["stack+through+unknown"].translations[0]


def test_the_page_shows_all_rows(compared):
    text = compared.page.read_text(encoding="utf-8")
    for row in compared.rows:
        assert row.name in text
    assert "What steps give" in text
    assert not re.search(r'(src|href)="?https?:', text)


def test_halves_are_apart(compared, place):
    folder = compared.model.with_name("model.work") / "halves"
    learnt, left = (list(read_pairs(folder / f"{name}.de", folder / f"{name}.fr")) for name in ("learnt", "left"))
    assert not set(learnt) & set(left)
    assert sorted(learnt + left) == sorted(read_pairs(place / "dev.de", place / "dev.fr"))


def test_nothing_is_done_twice(compared, place):
    stages = []
    again = gather(settings(place, compare=True, tunings=2), compared.model, stage_done=stages.append)
    assert all(one.cached for one in stages)
    assert again.test == compared.test
    assert again.parts == compared.parts


@pytest.mark.parametrize(
    ("find", "what"),
    [
        ("{ least = 100000 }", "no unknown word: of the words that come 100000 times or more"),
        ("{ spelling = 0, contexts = 1, window = 1 }", "no unknown word has a neighbour"),
    ],
)
def test_nothing_to_find_is_no_end(place, tmp_path, find, what):
    """Where nothing can be said of unknown words, the other steps are made, and it is told."""
    table = TEXT.partition("[[through]]")[0] + '[unknown]\nmono = ["mono.de"]\n'
    (place / "nothing.toml").write_text(table)
    asked = GatherSettings(
        Sources.load(place / "nothing.toml"),
        without=("stack",),
        compare=True,
        overrides=(*QUICK, f"unknown.find={find}"),
        force=True,
    )
    told = []
    made = gather(asked, tmp_path / "model", tell=told.append)
    [note] = [one for one in made.notes if "left out" in one and "unknown" in one]
    assert note in told
    assert note.startswith(f"translations of unknown words are left out: {what}")
    assert made.settings.steps == ()
    assert [row.name for row in made.rows] == ["direct"]
    assert made.parts == {"direct": 1.0}
    assert Translator.load(tmp_path / "model").translate("Das ist gut.")


def test_the_command(place, tmp_path):
    """Without a direct text, and with a step left out."""
    table = TEXT.partition("[unknown]")[0].replace('[[direct]]\nfiles = ["direct.de", "direct.fr"]\n', "")
    (place / "through.toml").write_text(table)
    tuning, rest = ([part for one in own for part in ("--set", one)] for own in (QUICK[:2], QUICK[2:]))
    asked = ("--force", "-q", *rest)
    # Legs of so little text are not tuned.
    said = json.loads(tolka("combine", "gather", place / "through.toml", "-o", tmp_path / "a", "--json", *asked))
    assert (said["steps"], said["parts"]) == (["through"], {"via-en": 1.0})
    assert [row["row"] for row in said["rows"]] == ["through"]
    assert said["test"] > 0
    less = ("--without", "through,stack,unknown", *asked, *tuning)
    out = tolka("combine", "gather", place / "sources.toml", "-o", tmp_path / "b", *less)
    assert "saved to" in out
    assert "direct" in out
    assert Translator.load(tmp_path / "b").translate("Das ist gut.")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('langs = ["de", "fr"]', 'langs = ["de", "de"]', "source and target are both de"),
        ('pivots = ["en"]', 'pivots = ["fr"]', "leads through fr"),
        ('pivots = ["en"]', 'pivots = ["en", "cs"]', "2 legs do not lead through 2 languages, which take 3"),
        ("[[direct]]", "[[dircet]]", "unknown setting dircet: did you mean direct?|unknown setting dircet"),
        ("files =", "filse =", "unknown setting direct.0.filse"),
        ('dev = ["dev.de", "dev.fr"]', "", "dev is missing"),
        ("[[through]]", '[[direct]]\nfiles = ["x.tmx"]\n[[through]]', "two corpora are called direct"),
        ('mono = ["mono.de"]', "mono = 1", "unknown.mono must be a list in"),
    ],
)
def test_sources_that_make_no_sense(tmp_path, old, new, what):
    assert old in TEXT
    (tmp_path / "sources.toml").write_text(TEXT.replace(old, new))
    with pytest.raises(SettingsError, match=what) as error:
        Sources.load(tmp_path / "sources.toml")
    assert one_sentence(error)
    assert "sources.toml" in str(error.value)


def test_files_that_are_no_sources(tmp_path):
    with pytest.raises(FileError, match="cannot read the sources: No such file"):
        Sources.load(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"langs = \xff")
    with pytest.raises(FormatError, match="not valid UTF-8"):
        Sources.load(tmp_path / "bad.toml")
    (tmp_path / "bad.toml").write_text("langs = [")
    with pytest.raises(FormatError, match="not TOML"):
        Sources.load(tmp_path / "bad.toml")


def test_settings_that_make_no_sense(place):
    with pytest.raises(SettingsError, match="no step 'stacks'"):
        settings(place, without=("stacks",))
    with pytest.raises(SettingsError, match="tunings cannot be 0"):
        settings(place, tunings=0)
    sources = Sources.from_text(TEXT.replace('test = ["test.de", "test.fr"]', ""))
    with pytest.raises(SettingsError, match="no test set to compare on"):
        GatherSettings(sources, compare=True)


def test_texts_that_are_wrong(place, tmp_path):
    one = '[[direct]]\nfiles = ["x.tmx"]\n[unknown]\n'
    (place / "one.toml").write_text(TEXT.partition("[[direct]]")[0] + one)
    said = refused("combine", "gather", place / "one.toml", "-o", tmp_path / "x")
    assert "no text of de in a file of its own" in said
    said = refused("combine", "gather", place / "sources.toml", "-o", tmp_path / "x", "--without", "all")
    assert "no step 'all'" in said
    (place / "gone.toml").write_text(TEXT.replace("second.en", "gone.en"))
    said = refused("combine", "gather", place / "gone.toml", "-o", tmp_path / "x", code=1)
    assert "there is no such file" in said
    (place / "swapped.toml").write_text(TEXT.replace('["second.en", "second.fr"]', '["second.fr", "second.en"]'))
    said = refused("combine", "gather", place / "swapped.toml", "-o", tmp_path / "x")
    assert "second.fr" in said
    assert not (tmp_path / "x").exists()


def test_rows_are_named_by_their_steps():
    rows = [Row(), Row(stack=True), Row(through=True), Row(stack=True, through=True)]
    assert [row.lacks(rows[-1]) for row in rows] == [False, True, True, False]


def test_parts_come_from_their_own_tables(place):
    asked = settings(place, without=("stack", "unknown"))
    plan = Plan(asked)
    recipe = gather_recipe(plan)
    parts = parts_of(plan, asked.whole, 1)
    assert source_texts(asked) == tuple(place / f"{name}.de" for name in ("mono", "direct", "first"))
    assert parts == {"direct": "direct-1-model", "via-en": "way1-1"}
    lm = recipe.graph["direct-1-model"].links["lm"]
    assert lm.node == "direct-1-lm"
    assert recipe.graph["direct-1-mono-1"].files["source"] == place / "second.fr"
    legs = {name: recipe.graph[f"way1-1-leg{at}-model"] for at, name in ((1, "first"), (2, "second"))}
    for at, node in enumerate(legs.values(), 1):
        links = {name: link.node.rpartition("-")[0] for name, link in node.links.items()}
        assert links.pop("lm") == links.pop("lm_origin") == ("way1-1-leg1", "direct-1")[at - 1]
        assert set(links.values()) == {f"way1-1-leg{at}"}
    # German compounds are split; English, which the second leg reads, is taken as the first leg writes it.
    assert "compounds" in legs["first"].links
    assert "compounds" not in legs["second"].links


def test_lifted_recipes_stand_side_by_side():
    text = '[corpus]\nlangs = ["de", "en"]\nsource = "a.de"\ntarget = "a.en"\n[clean]\n'
    recipe = Recipe.from_text(text)
    tables = lifted(recipe.graph, "one")
    assert list(tables) == ["one-corpus", "one-clean"]
    assert tables["one-clean"]["inputs"] == {"corpus": "one-corpus.corpus"}
    assert tomllib.loads(text)["corpus"].items() <= tables["one-corpus"].items()
