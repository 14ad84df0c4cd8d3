"""Models loaded, asked, changed and saved."""

import shutil
import subprocess
import sys

import pytest

import tolka
from tolka.errors import FileError, FormatError, InputError, SettingsError
from tolka.files import Bundle, save_bundle
from tolka.lm import LanguageModelTrainer
from tolka.train import TuneSettings, tune_translator
from tolka.translate import Description, Translator
from tolka.tune import write_weights


@pytest.mark.parametrize("name", ["hiero", "phrase"])
def test_raw_text_in_raw_text_out(models, bitext, name):
    translator = Translator.load(models[name])
    assert translator.langs == ("de", "en")
    sources = [source for source, _ in bitext[0][:50]]
    found = translator.translate(sources)
    assert len(found) == 50
    assert [translator.translate(source) for source in sources[:5]] == found[:5]
    same = sum(text == reference for text, (_, reference) in zip(found, bitext[0], strict=False))
    assert same > 25, "most sentences of the training text come out right, capitals and spaces included"
    assert all(text[0].isupper() or not text[0].isalpha() for text in found)
    assert not any(" ." in text or " ," in text for text in found)


def test_threads_and_company_do_not_matter(models, bitext):
    translator = Translator.load(models["hiero"])
    sources = [source for source, _ in bitext[1]]
    assert translator.translate(sources, threads=1) == translator.translate(sources, threads=3)
    assert translator.translate(sources[7:9]) == translator.translate(sources)[7:9]


def test_steps_are_the_translation(models, bitext):
    translator = Translator.load(models["phrase"])
    sources = [source for source, _ in bitext[1]]
    words = translator.prepare(sources)
    assert words[0] != sources[0]
    assert translator.restore(translator.search(words)) == translator.translate(sources)


def test_tokenised_text_passes_untouched(models):
    translator = Translator.load(models["words"])
    odd = "Zzz&amp;  [X]  ||| QqQ ."
    assert translator.prepare([odd]) == [odd]
    assert translator.restore([odd]) == [odd]
    found = translator.translate("Zzz&amp; QqQ")
    assert sorted(found.split()) == ["QqQ", "Zzz&amp;"]


def test_empty_lines_stay_empty(models):
    for name in models:
        translator = Translator.load(models[name])
        assert translator.translate(["", "  "]) == ["", ""]
        assert translator.translate("") == ""
        assert translator.translate([]) == []
        assert [one.text for one in translator.nbest("")] == [""]


def test_nbest_is_sorted_and_scores_are_sums(models, bitext):
    translator = Translator.load(models["hiero"])
    sources = [source for source, _ in bitext[1]]
    lists = translator.nbest(sources, 20)
    assert [own[0].text for own in lists] == translator.translate(sources)
    source, found = max(zip(sources, lists, strict=True), key=lambda pair: len(pair[1]))
    assert len({one.words for one in found}) == len(found) > 5
    scores = [one.score for one in found]
    assert scores == sorted(scores, reverse=True)
    for one in found:
        total = sum(translator.weights[name] * value for name, value in one.features.items())
        assert one.score == pytest.approx(total, abs=1e-3)
        assert translator.restore([one.words]) == [one.text]
    both = translator.nbest([source, ""], 3)
    assert both[0] == found[:3]


def test_weights_and_settings_in_place_of_the_models(models, bitext, tmp_path):
    source = bitext[1][0][0]
    without = Translator.load(models["hiero"], weights={"lm": 0.0})
    assert without.weights["lm"] == 0.0
    assert without.weights["phrase_ef"] == Translator.load(models["hiero"]).weights["phrase_ef"]
    with pytest.raises(InputError, match="no feature 'LM'"):
        Translator.load(models["hiero"], weights={"LM": 1.0})
    with pytest.raises(SettingsError, match="stack_size"):
        Translator.load(models["hiero"], stack_size=3)
    assert Translator.load(models["phrase"], stack_size=3, pop_limit=5).translate(source)

    shouting = tmp_path / "lm.arpa"
    LanguageModelTrainer(order=2).train(["THE HOUSE"]).save(shouting)
    other = Translator.load(models["hiero"], lm=shouting)
    own = Translator.load(models["hiero"])
    assert other.nbest(source, 1)[0].features["lm"] != own.nbest(source, 1)[0].features["lm"]
    other.save(tmp_path / "other")
    saved = Translator.load(tmp_path / "other", verify=True)
    assert saved.nbest(source, 1) == other.nbest(source, 1)
    saved.with_weights({"lm": 0.5}).save(tmp_path / "other")
    assert Translator.load(tmp_path / "other", lm=shouting).weights["lm"] == 0.5


def test_saved_weights_replace_only_weights(models, tmp_path):
    place = tmp_path / "model"
    shutil.copytree(models["hiero"], place)
    before = {path.name: path.stat().st_ino for path in place.iterdir()}
    Translator.load(place).with_weights({"lm": 0.123}).save(place)
    assert Translator.load(place, verify=True).weights["lm"] == 0.123
    after = {path.name: path.stat().st_ino for path in place.iterdir()}
    changed = {name.split("-")[0] for name in before.keys() ^ after.keys()}
    assert changed == {"weights"}
    assert all(before[name] == after[name] for name in before.keys() & after.keys() if name != "model.toml")

    moved = tmp_path / "elsewhere"
    Translator.load(place).save(moved)
    shutil.rmtree(place)
    assert Translator.load(moved, verify=True).weights["lm"] == 0.123
    assert Bundle.open(moved).stages == ("test",)


def test_directories_that_are_something_else(models, tmp_path):
    with pytest.raises(FileError):
        Translator.load(tmp_path / "nothing")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"")
    with pytest.raises(FileError, match="not a model"):
        Translator.load(models["hiero"]).save(tmp_path / "photos")
    with save_bundle(tmp_path / "corpus", kind="corpus"):
        pass
    with pytest.raises(FormatError, match="kind corpus"):
        Translator.load(tmp_path / "corpus")


def test_damage_is_found(models, tmp_path):
    place = tmp_path / "model"
    shutil.copytree(models["phrase"], place)
    table = next(place.glob("grammar-*"))
    bytes_ = bytearray(table.read_bytes())
    table.chmod(0o644)
    bytes_[len(bytes_) // 2] ^= 1
    table.write_bytes(bytes_)
    with pytest.raises(FormatError, match="has changed"):
        Translator.load(place, verify=True)
    table.write_bytes(bytes_[:-64])
    with pytest.raises(FormatError, match="bytes instead of"):
        Translator.load(place)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('kind = "hiero"', "describes no translator: unknown kind of model 17"),
        ("truecase = true", "text.truecase"),
        ('langs = ["de", "en"]', "langs"),
    ],
)
def test_manifests_that_describe_no_translator(models, tmp_path, change, message):
    place = tmp_path / "model"
    shutil.copytree(models["hiero"], place)
    manifest = place / "model.toml"
    text = manifest.read_text()
    assert change in text
    manifest.write_text(text.replace(change, f"{change.split(' = ')[0]} = 17"))
    with pytest.raises(FormatError, match=message):
        Translator.load(place)


def test_features_and_weights_must_agree(models, tmp_path):
    place = tmp_path / "model"
    translator = Translator.load(models["hiero"])
    with save_bundle(place, kind="translator", settings=translator.description.written(), features=["lm"]) as out:
        for name, path in translator.files.named().items():
            shutil.copyfile(path, out.file(name))
        write_weights(out.file("weights.txt"), {"lm": 1.0, "glue": 1.0})
    with pytest.raises(FormatError, match="disagree about 'glue'"):
        Translator.load(place)


@pytest.mark.parametrize("tuner", ["mira", "forest-mira", "forest-mert"])
def test_tuning_helps_and_repeats(models, bitext, tuner):
    translator = Translator.load(models["hiero"])
    sources, references = map(list, zip(*bitext[1], strict=True))
    sources[3] = ""
    settings = TuneSettings(tuner=tuner, iterations=2, nbest=20, density=20)
    tuned, result = tune_translator(translator, sources, references, settings)
    assert result.score >= result.history[0].score
    assert tuned.weights == dict(result.weights)
    assert tuned.weights != translator.weights
    again, _ = tune_translator(translator, sources, references, settings, threads=1)
    assert again.weights == tuned.weights
    with pytest.raises(InputError, match="30 sentences and 29 references"):
        tune_translator(translator, sources, references[1:], settings)
    with pytest.raises(InputError, match="no sentence"):
        tune_translator(translator, [""], [""], settings)


@pytest.mark.parametrize("tuner", ["mira", "pro", "mert", "forest-mira", "forest-mert"])
def test_tuning_on_a_single_sentence(models, bitext, tuner):
    translator = Translator.load(models["phrase"])
    source, reference = bitext[1][0]
    settings = TuneSettings(tuner=tuner, iterations=1, nbest=5)
    tuned, _ = tune_translator(translator, [source], [reference], settings)
    assert tuned.translate(source)


def test_settings_of_tuning_are_checked():
    with pytest.raises(SettingsError, match="unknown tuner"):
        TuneSettings(tuner="hope")
    with pytest.raises(SettingsError, match="0 translations"):
        TuneSettings(nbest=0)


def test_import_is_lazy():
    check = "import sys, tolka; assert 'tolka.translate' not in sys.modules; tolka.Translator; assert 'tolka.translate' in sys.modules"
    subprocess.run([sys.executable, "-c", check], check=True)
    assert tolka.Translator is Translator
    with pytest.raises(AttributeError):
        _ = tolka.Nothing


def test_description_round_trip():
    described = Description(kind="phrase", langs=["de", "en"], search={"pop_limit": 3})
    assert Description.of_manifest(described.written(), "x") == described


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_threads_share_a_model(models, bitext, kind, hammered):
    translator = Translator.load(models[kind]).with_given(convert_numbers=True)
    texts = [f"{source} 1.234,5 {number}" for number, (source, _) in enumerate(bitext[1][:16])]
    alone = {text: {(translator.translate(text), translator.nbest(text, 2)[0].words)} for text in texts}
    for said in hammered(translator, texts):
        assert said == {text: alone[text] for text in said}
        assert len(said) > 1
