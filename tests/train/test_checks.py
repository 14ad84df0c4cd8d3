"""Mistakes in training text that would go unnoticed."""

import pytest

from tolka.corpus import write_lines, write_pairs
from tolka.corpus.synthetic import Synthetic
from tolka.errors import InputError, SettingsError
from tolka.train import check_training

LANGS = ("de", "en")


@pytest.fixture(scope="module")
def examples():
    return list(Synthetic(6).sample(500, unique=True))


@pytest.fixture
def files(examples, tmp_path):
    """Train, dev and test, and a function that writes more."""

    def write(name, lines):
        write_lines(tmp_path / name, lines)
        return tmp_path / name

    write.sets = {
        name: tuple(write(f"{name}.{lang}", [one.raw[lang] for one in part]) for lang in LANGS)
        for name, part in (("train", examples[:400]), ("dev", examples[400:450]), ("test", examples[450:]))
    }
    return write


def check(files, train=None, dev=None, test=None, langs=LANGS, **options):
    sets = files.sets
    return check_training([train or sets["train"]], langs, dev=dev or sets["dev"], test=test or sets["test"], **options)


def test_right_text_has_no_findings(files):
    assert check(files).notes == []
    assert check_training([files.sets["train"]], LANGS).notes == []


def test_swapped_names(files):
    train, dev = files.sets["train"], files.sets["dev"]
    with pytest.raises(SettingsError, match=r"train.en is named as en.*place of de.*--force"):
        check(files, train[::-1])
    with pytest.raises(SettingsError, match=r"dev.en"):
        check(files, dev=dev[::-1])
    found = check(files, train[::-1], force=True)
    assert any("named as en" in note for note in found.notes)
    # Varieties of one language are not each other's names.
    assert check(files, langs=("de", "de-AT"), test=files.sets["dev"], force=True).notes[:1] != ["named"]


@pytest.mark.parametrize("name", ["dev", "test"])
def test_swapped_sides_by_content(files, examples, name):
    there = files.sets[name]
    plain = tuple(files(f"{side}.txt", path.read_text().splitlines()) for side, path in zip("ab", there, strict=True))
    assert check(files, **{name: plain}).notes == []
    with pytest.raises(InputError, match=r"b.txt and a.txt are swapped.*give a.txt first.*--force"):
        check(files, **{name: plain[::-1]})
    with pytest.raises(InputError, match=r"b.txt and b.txt are the same text"):
        check(files, **{name: (plain[1], plain[1])})
    other = files("c.txt", [one.raw["en"] for one in Synthetic(9).sample(50)])
    with pytest.raises(InputError, match=r"c.txt is in the target language"):
        check(files, **{name: (other, plain[1])})
    assert "swapped" in check(files, **{name: plain[::-1]}, force=True).notes[0]


def test_further_text_in_the_source_language(files):
    source, target = files.sets["dev"]
    mono = files("mono.txt", source.read_text().splitlines())
    with pytest.raises(InputError, match="source language de"):
        check(files, mono=[mono])
    assert check(files, mono=[files("mono.txt", target.read_text().splitlines())]).notes == []


def test_swapped_scripts_of_the_training_text(files):
    greek, english = ["Κύριε, λάθος."] * 30, ["The house is small."] * 30
    one, other = files("a.txt", english), files("b.txt", greek)
    with pytest.raises(InputError, match=r"letters of the source are those of en"):
        check_training([(one, other)], ("el", "en"))
    assert check_training([(other, one)], ("el", "en")).notes == []


def test_shifted_target(files):
    source, target = files.sets["train"]
    lines = target.read_text().splitlines()
    with pytest.raises(
        InputError, match=r"late.en is shifted.*line [1-9] to 400 each translation stands 1 line earlier"
    ):
        check(files, (source, files("late.en", [*lines[1:], "The end."])))
    with pytest.raises(InputError, match=r"stands 1 line later; find the line.*near line 2\d\d"):
        check(files, (source, files("late.en", [*lines[:250], "Odd.", *lines[250:-1]])))
    write_pairs(
        files.sets["train"][0].with_name("a.tsv"), zip(source.read_text().splitlines(), [*lines[1:], "x"], strict=True)
    )
    with pytest.raises(InputError, match=r"the targets of a.tsv are shifted against the sources"):
        check(files, (source.with_name("a.tsv"),))
    dev = files.sets["dev"]
    lines = dev[1].read_text().splitlines()
    with pytest.raises(InputError, match=r"late.en is shifted against dev.de"):
        check(files, dev=(dev[0], files("late.en", [*lines[1:], "The end."])))


def test_small_shift_is_a_note(files, examples):
    more = list(Synthetic(7).sample(2000))
    source, target = ([one.raw[lang] for one in more] for lang in LANGS)
    late = [*target[:900], "Odd.", *target[900:970], *target[971:]]
    found = check_training([(files("a.de", source), files("a.en", late))], LANGS)
    assert len(found.notes) == 1
    assert "shifted" in found.notes[0]


def test_overlap(files, examples):
    train = files.sets["train"]
    with pytest.raises(InputError, match=r"all pairs of the development set are in the training text.*--force"):
        check(files, dev=train)
    for share, expected in ((30, InputError), (10, None), (1, "")):
        part = examples[400 - share : 450 - share]
        dev = tuple(files(f"d.{lang}", [one.raw[lang] for one in part]) for lang in LANGS)
        if expected is InputError:
            with pytest.raises(InputError, match=f"{share} of the 50 pairs"):
                check(files, dev=dev)
        else:
            assert bool(check(files, dev=dev).notes) == (expected is None)
    assert "development set, too" in check(files, test=files.sets["dev"]).notes[0]


def test_documents_as_one_side(files, examples, tmp_path):
    pairs = [(one.raw["de"], one.raw["en"]) for one in examples[:50]]
    for name, kind in (("a.tmx", "TMX"), ("a.po", "PO")):
        write_pairs(tmp_path / name, pairs, langs=LANGS)
        with pytest.raises(InputError, match=f"this is {kind} and not one sentence a line; give it alone"):
            check_training([(tmp_path / name, tmp_path / name)], LANGS)
        assert check_training([(tmp_path / name,)], LANGS).notes == []
    page = files("page.txt", ["<!DOCTYPE html>", *(f"<p>{one}</p>" for one, _ in pairs)])
    with pytest.raises(InputError, match=r"page.txt: this is HTML"):
        check(files, dev=(page, page))
    with pytest.raises(InputError, match=r"this is TMX and not one sentence a line; convert it"):
        check(files, dev=(tmp_path / "a.tmx", tmp_path / "a.tmx"))
    marks = files("guide.de", ["# Titel", "", "Ein **altes** [Haus](x).", *(f"- {one}" for one, _ in pairs)])
    target = files("guide.en", ["# Title", "", "An **old** [house](x).", *(f"- {other}" for _, other in pairs)])
    assert "looks like Markdown" in check_training([(marks, target)], LANGS).notes[0]


def test_what_readers_leave_out_is_counted(tmp_path):
    (tmp_path / "a.po").write_text('msgid "a"\nmsgstr "b"\n\n#, fuzzy\nmsgid "c"\nmsgstr "d"\n\nmsgid "e"\nmsgstr ""\n')
    assert check_training([(tmp_path / "a.po",)], LANGS).skipped == {"fuzzy": 1, "untranslated": 1}


def test_what_cannot_be_read_is_left_to_the_reader(files, tmp_path):
    gone = tmp_path / "gone.txt"
    assert check_training([(gone, gone)], LANGS, dev=(gone, gone), mono=[gone]).notes == []
    short = files("short.en", ["one"])
    assert check(files, (files.sets["train"][0], short)).notes == []
