"""Ensembles on disk: found by content, moved, nested, held, and what is refused."""

import shutil
import tomllib

import pytest
from tests.combine.small import inodes, one_sentence, pairs_of, remade, train

from tolka.combine import make_ensemble, refresh_ensemble
from tolka.combine.ensemble import part_states
from tolka.decode.mixture import Mixture
from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError, TolkaError
from tolka.files import save_bundle, to_toml
from tolka.files.manifest import manifest_hash
from tolka.lm import LanguageModel
from tolka.translate import Translator
from tolka.translate.bundle import open_model
from tolka.translate.ensemble import EnsembleDescription, EnsemblePart, EnsembleTranslator, open_ensemble
from tolka.translate.ensemble.files import MOST_DEEP
from tolka.translate.loading import Opener

KEY = "0" * 64


@pytest.fixture
def copies(parts, tmp_path):
    """Models of one's own, in one folder."""

    def copy(*names):
        return [shutil.copytree(parts[name], tmp_path / "all" / name) for name in names]

    return copy


def edited(path, change):
    """Change the settings in a manifest by hand."""
    values = tomllib.loads((path / "model.toml").read_text())
    change(values["settings"])
    (path / "model.toml").write_text(to_toml(values))


def test_a_description_there_and_back(parts, tmp_path):
    mixture = Mixture("prod", weights={"one": 0.25}, temperatures={"two": 2.0}, missing="veto", floor=-5.0)
    made = make_ensemble(
        {"one": parts["one"], "two": parts["two"]},
        tmp_path / "both",
        mixture=mixture,
        scale="lm",
        lead="two",
        search={"pop_limit": 7, "beam": None},
        made={"by": "hand"},
    )
    opened = open_ensemble(tmp_path / "both")
    assert opened.description == made.description
    assert opened.description.mixture["missing"] == "veto"
    assert opened.description.search == {"pop_limit": 7, "beam": "none"}
    assert opened.description.made == {"by": "hand"}
    translator = Translator.load(tmp_path / "both")
    assert isinstance(translator, EnsembleTranslator)
    assert translator.mixture == mixture
    assert translator.ensemble == made.description
    assert translator.preparation.lead == "two"
    assert translator.langs == ("de", "en")
    assert repr(translator) == "<EnsembleTranslator de-en, prod of one, two>"
    assert translator.decoder.settings == {"pop_limit": 7, "beam": None}
    assert Translator.load(tmp_path / "both", pop_limit=3).decoder.settings["pop_limit"] == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda own: own.update(odd=1), "odd: is not known"),
        (lambda own: own["mixture"].update(odd=1), "mixture.odd: is not known"),
        (lambda own: own["mixture"].update(operation="sum"), "unknown operation 'sum'"),
        (lambda own: own["mixture"].update(floor="deep"), "the floor is deep"),
        (lambda own: own["mixture"]["weights"].update(one=-1.0), "the weight of one is -1.0"),
        (lambda own: own["mixture"]["weights"].update(three=1.0), "no part 'three' to be weighted"),
        (lambda own: own["mixture"].update(weights=3), "weights cannot be 3"),
        (lambda own: own.update(parts=[]), "must have 1 to 64 items"),
        (lambda own: own.update(parts=own["parts"] * 2), "two parts are called 'one'"),
        (lambda own: own["parts"][0].update(key="12"), "parts.0.key: '12' is not allowed"),
        (lambda own: own["parts"][0].update(name="a b"), "parts.0.name: 'a b' is not allowed"),
        (lambda own: own["parts"][0].update(size=3), "parts.0.size: is not known"),
        (lambda own: own.update(lead="three"), "no part 'three' to lead"),
        (lambda own: own.update(scale="l2"), "scale: must be one of 'l1', 'lm', 'none'"),
        (lambda own: own.update(preparation="auto"), "preparation: must be one of"),
        (lambda own: own.update(langs=["de"]), "langs: must have 2 to 2 items"),
    ],
)
def test_manifests_that_describe_no_ensemble(parts, tmp_path, change, said):
    make_ensemble([parts["one"], parts["two"]], tmp_path / "both")
    edited(tmp_path / "both", change)
    with pytest.raises(FormatError, match="describes no ensemble") as error:
        Translator.load(tmp_path / "both")
    assert said in str(error.value)
    assert one_sentence(error)


def test_preparations_that_are_not_true_any_more(parts, tmp_path):
    make_ensemble([parts["one"], parts["cased"]], tmp_path / "both")
    edited(tmp_path / "both", lambda own: own.update(preparation="same"))
    with pytest.raises(SettingsError, match="prepare source words differently"):
        Translator.load(tmp_path / "both")


def test_a_folder_with_everything_can_be_moved(copies, sentences, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one, two], tmp_path / "all" / "ensembles" / "both")
    said = Translator.load(tmp_path / "all" / "ensembles" / "both").translate([source for source, _ in sentences])
    assert [entry.path for entry in open_ensemble(tmp_path / "all" / "ensembles" / "both").description.parts] == [
        "../../one",
        "../../two",
    ]
    shutil.move(tmp_path / "all", tmp_path / "moved")
    moved = Translator.load(tmp_path / "moved" / "ensembles" / "both", verify=True)
    assert moved.translate([source for source, _ in sentences]) == said
    # Through a link it is the same.
    (tmp_path / "link").symlink_to(tmp_path / "moved" / "ensembles" / "both")
    assert Translator.load(tmp_path / "link").translate(sentences[0][0]) == said[0]


def test_a_part_that_is_missing(copies, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one, two], tmp_path / "both")
    shutil.move(two, tmp_path / "elsewhere")
    with pytest.raises(FileError, match=r"the part two of the ensemble is missing; put it back.*--part two=") as error:
        Translator.load(tmp_path / "both")
    assert str(two) in str(error.value)
    assert one_sentence(error)
    assert [one.state for one in part_states(tmp_path / "both")[1]] == ["as it was", "missing"]
    with pytest.raises(FileError, match="two of the ensemble is missing"):
        refresh_ensemble(tmp_path / "both")
    assert refresh_ensemble(tmp_path / "both", parts={"two": tmp_path / "elsewhere"}).changed == ()
    Translator.load(tmp_path / "both")


def test_a_part_that_changed(copies, sentences, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one, two], tmp_path / "both", mixture=Mixture("wmax", weights={"two": 0.5}))
    before = Translator.load(tmp_path / "both")
    assert before.latest() is before
    Translator.load(two).with_weights({"lm": 0.123}).save(two)
    for load in (lambda: Translator.load(tmp_path / "both"), before.latest):
        with pytest.raises(FormatError, match=r"the part two of the ensemble .* has changed since") as error:
            load()
        assert f"`tolka combine refresh {tmp_path / 'both'}` takes it as it is now" in str(error.value)
        assert one_sentence(error)
    # Who has it open goes on.
    assert before.translate(sentences[0][0])
    assert [one.state for one in part_states(tmp_path / "both")[1]] == ["as it was", "changed"]
    assert refresh_ensemble(tmp_path / "both").changed == ("two",)
    after = before.latest()
    assert after is not before
    assert after.latest() is after
    assert (after.mixture.operation, after.weights) == ("wmax", {"one": 1.0, "two": 0.5})
    # The same content once more is no change.
    Translator.load(two).save(two)
    assert after.latest() is not after
    assert after.latest().weights == after.weights


def test_damaged_parts(copies, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one, two], tmp_path / "both")
    table = next(two.glob("grammar-*"))
    content = bytearray(table.read_bytes())
    content[len(content) // 2] ^= 1
    table.write_bytes(content)
    with pytest.raises(FormatError, match=r"grammar\.tbl of the model has changed"):
        Translator.load(tmp_path / "both", verify=True)
    table.unlink()
    with pytest.raises(FormatError, match=r"grammar\.tbl of the model is missing"):
        Translator.load(tmp_path / "both")
    assert [one.state for one in part_states(tmp_path / "both")[1]] == ["as it was", "damaged"]


def write_manifest(path, parts, langs=("de", "en"), **settings):
    described = EnsembleDescription(list(langs), [EnsemblePart(name, str(place), KEY) for name, place in parts.items()])
    with save_bundle(path, kind="ensemble", settings={**described.written(), **settings}):
        pass
    return path


def test_ensembles_that_contain_themselves(parts, tmp_path):
    write_manifest(tmp_path / "self", {"own": "../self"})
    with pytest.raises(FormatError, match="the ensemble contains itself: its part own is") as error:
        Translator.load(tmp_path / "self")
    assert one_sentence(error)
    write_manifest(tmp_path / "a", {"b": "../b"})
    write_manifest(tmp_path / "b", {"a": "../a"})
    with pytest.raises(FormatError, match="contains itself"):
        Translator.load(tmp_path / "a")
    make_ensemble([parts["one"], parts["two"]], tmp_path / "both")
    with pytest.raises(SettingsError, match="cannot take the place of its part both"):
        make_ensemble([tmp_path / "both", parts["one"]], tmp_path / "both")
    make_ensemble({"both": tmp_path / "both", "one": parts["one"]}, tmp_path / "outer")
    with pytest.raises(SettingsError, match="cannot take the place of its part outer"):
        make_ensemble([tmp_path / "outer", parts["one"]], tmp_path / "both")
    Translator.load(tmp_path / "both")


def test_ensembles_too_deep_inside_of_ensembles(parts, tmp_path):
    inner = parts["one"]
    for depth in range(MOST_DEEP):
        make_ensemble({"inner": inner, "two": parts["two"]}, tmp_path / f"{depth}")
        inner = tmp_path / f"{depth}"
    assert len(Translator.load(inner).models) == MOST_DEEP + 1
    with pytest.raises(LimitError, match=f"more than {MOST_DEEP} deep") as error:
        make_ensemble({"inner": inner, "two": parts["two"]}, tmp_path / "deeper")
    assert one_sentence(error)
    assert not (tmp_path / "deeper").exists()


def test_other_languages(parts, tmp_path):
    french = train(tmp_path / "french", pairs_of(3, 40, ("de", "fr")), langs=("de", "fr"))
    with pytest.raises(SettingsError, match="the part french translates de to fr, and the ensemble de to en") as error:
        make_ensemble([parts["one"], french], tmp_path / "both")
    assert one_sentence(error)
    other = remade(
        parts["two"], tmp_path / "other", langs=["de-AT", "en"], files={"truecasers": {}}, text_truecase=False
    )
    plain = remade(parts["one"], tmp_path / "plain", text_truecase=False)
    assert make_ensemble([plain, other], tmp_path / "both").description.langs == ["de", "en"]
    edited(tmp_path / "both", lambda own: own.update(langs=["de", "fr"]))
    with pytest.raises(SettingsError, match="translates de to en, and the ensemble de to fr"):
        Translator.load(tmp_path / "both")


def test_what_is_no_model_is_no_part(parts, tmp_path):
    with save_bundle(tmp_path / "corpus", kind="corpus"):
        pass
    with pytest.raises(FormatError, match="of kind corpus, not translator or ensemble"):
        make_ensemble([parts["one"], tmp_path / "corpus"], tmp_path / "both")
    with pytest.raises(FileError, match="there is no model to be the part nothing"):
        make_ensemble([parts["one"], tmp_path / "nothing"], tmp_path / "both")
    assert not (tmp_path / "both").exists()


def test_ensembles_that_hold_their_parts(copies, sentences, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one, two], tmp_path / "held", inside=True)
    texts = [source for source, _ in sentences]
    said = Translator.load(tmp_path / "held", verify=True).translate(texts)
    # Nothing is copied where a second name will do.
    assert set(inodes(one).values()) & set(inodes(tmp_path / "held").values())
    shutil.rmtree(tmp_path / "all")
    shutil.move(tmp_path / "held", tmp_path / "moved")
    moved = Translator.load(tmp_path / "moved", verify=True)
    assert moved.translate(texts) == said
    # Other weights leave the parts alone.
    before = inodes(tmp_path / "moved")
    moved.with_weights({"one": 0.25}).save(tmp_path / "moved")
    after = inodes(tmp_path / "moved")
    assert {name for name in before if before[name] != after.get(name)} == {"model.toml"}
    assert before.keys() == after.keys()
    assert Translator.load(tmp_path / "moved").weights == {"one": 0.25, "two": 1.0}
    # Saved elsewhere it holds them there, too.
    moved.save(tmp_path / "again")
    shutil.rmtree(tmp_path / "moved")
    assert Translator.load(tmp_path / "again", verify=True).translate(texts) == said
    assert [one.state for one in part_states(tmp_path / "again")[1]] == ["as it was", "as it was"]


def test_held_parts_that_are_changed_are_refreshed(copies, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one, two], tmp_path / "held", inside=True)
    held = next((tmp_path / "held").glob("two-*"))
    Translator.load(held).with_weights({"lm": 0.123}).save(held)
    with pytest.raises(FormatError, match=r"the part two of the ensemble .* has changed"):
        Translator.load(tmp_path / "held")
    assert refresh_ensemble(tmp_path / "held").changed == ("two",)
    assert not held.exists()
    translator = Translator.load(tmp_path / "held", verify=True)
    assert translator.models["two"].weights["lm"] == 0.123
    # From outside, as it is there.
    assert refresh_ensemble(tmp_path / "held", parts={"two": two}).changed == ("two",)
    assert Translator.load(tmp_path / "held").models["two"].weights["lm"] != 0.123
    # And it lets go of what it holds when something else is saved there.
    Translator.load(one).save(tmp_path / "held")
    assert not [path for path in (tmp_path / "held").iterdir() if path.is_dir()]


def test_nested_ensembles(copies, sentences, tmp_path):
    one, two, cased = copies("one", "two", "cased")
    make_ensemble([one, cased], tmp_path / "all" / "inner", mixture=Mixture("wmax"))
    made = make_ensemble({"inner": tmp_path / "all" / "inner", "two": two}, tmp_path / "all" / "outer")
    assert made.preparation.kind == "lattice"
    assert (made.preparation.lead, made.preparation.views) == ("inner/one", ("inner/one", "inner/cased"))
    texts = [source for source, _ in sentences]
    loaded = Translator.load(tmp_path / "all" / "outer")
    assert list(loaded.models) == ["inner/one", "inner/cased", "two"]
    assert loaded.weights == {"inner": 1.0, "two": 1.0}
    said = loaded.translate(texts)
    # Held by another, it holds its own parts; nothing of it changes that decides what it says.
    make_ensemble({"inner": tmp_path / "all" / "inner", "two": two}, tmp_path / "held", inside=True)
    shutil.rmtree(tmp_path / "all")
    held = Translator.load(tmp_path / "held", verify=True)
    assert held.translate(texts) == said
    assert len(list((tmp_path / "held").rglob("grammar-*"))) == 3
    before = inodes(tmp_path / "held")
    held.save(tmp_path / "held")
    after = inodes(tmp_path / "held")
    assert {name for name in before if before[name] != after.get(name)} <= {"model.toml"}


def test_inner_ensembles_that_prepare_in_one_way_count_as_their_lead(parts, tmp_path):
    make_ensemble([parts["one"], parts["cased"]], tmp_path / "inner", preparation="common", lead="cased")
    made = make_ensemble({"inner": tmp_path / "inner", "cased": parts["cased"]}, tmp_path / "outer")
    assert (made.preparation.kind, made.preparation.lead) == ("same", "inner/cased")
    made = make_ensemble({"one": parts["one"], "inner": tmp_path / "inner"}, tmp_path / "outer")
    assert (made.preparation.kind, made.preparation.views) == ("lattice", ("one", "inner/cased"))


def test_a_changed_part_of_a_part(copies, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one], tmp_path / "inner")
    make_ensemble([tmp_path / "inner", two], tmp_path / "outer")
    loaded = Translator.load(tmp_path / "outer")
    Translator.load(one).with_weights({"lm": 0.123}).save(one)
    with pytest.raises(FormatError, match=f"part one of the ensemble {tmp_path / 'inner'} has changed") as error:
        loaded.latest()
    assert f"`tolka combine refresh {tmp_path / 'inner'}`" in str(error.value)
    refresh_ensemble(tmp_path / "inner")
    with pytest.raises(FormatError, match=f"part inner of the ensemble {tmp_path / 'outer'} has changed"):
        loaded.latest()
    assert refresh_ensemble(tmp_path / "outer").changed == ("inner",)
    assert loaded.latest() is not loaded


def test_ensembles_that_switch_are_no_parts(parts, tmp_path):
    for operation in ("switch:max", "switch:sum"):
        make_ensemble([parts["one"], parts["two"]], tmp_path / "inner", mixture=Mixture(operation))
        with pytest.raises(SettingsError, match=f"the part inner is an ensemble that switches.*{operation}") as error:
            make_ensemble([tmp_path / "inner", parts["two"]], tmp_path / "outer")
        assert one_sentence(error)
    assert not (tmp_path / "outer").exists()


def test_weights_are_those_of_parts(parts, tmp_path):
    make_ensemble([parts["one"], parts["two"]], tmp_path / "both")
    translator = Translator.load(tmp_path / "both", weights={"two": 0.25})
    assert translator.weights == {"one": 1.0, "two": 0.25}
    assert translator.with_weights({"one": 3}).weights == {"one": 3.0, "two": 0.25}
    with pytest.raises(
        InputError, match="no part 'lm' in this ensemble; its parts are one, two; weights of features are"
    ):
        translator.with_weights({"lm": 1.0})
    for wrong in (float("nan"), float("inf"), -1.0):
        with pytest.raises(InputError, match="the weight of one is"):
            translator.with_weights({"one": wrong})
    with pytest.raises(SettingsError, match="parts of an ensemble have their own language models"):
        Translator.load(tmp_path / "both", lm=tmp_path / "lm.arpa")
    with pytest.raises(SettingsError, match="an ensemble takes in no sentence pairs itself; update one of its parts"):
        translator.update(["a"], ["b"])
    with pytest.raises(FormatError, match=r"this is an ensemble, which has neither rules.*; name one of its parts"):
        open_model(tmp_path / "both")
    with pytest.raises(InputError, match="no part 'three' to be weighted"):
        translator.with_mixture(Mixture("wmax", weights={"three": 1.0}))
    mixed = translator.with_mixture(Mixture("wmax"))
    assert (mixed.mixture.operation, translator.mixture.operation) == ("wmax", "wsum")
    mixed.save(tmp_path / "both")
    assert translator.latest().mixture.operation == "wmax"
    # What was changed in memory holds for what is loaded again.
    assert translator.with_weights({"one": 0.5}).latest().weights["one"] == 0.5


def test_settings_of_the_decoder_are_checked(parts, tmp_path):
    with pytest.raises(TolkaError, match="stack_size"):
        make_ensemble([parts["one"], parts["two"]], tmp_path / "both", search={"stack_size": 3})
    assert not (tmp_path / "both").exists()
    make_ensemble([parts["one"], parts["two"]], tmp_path / "both")
    with pytest.raises(TolkaError, match="stack_size"):
        Translator.load(tmp_path / "both", stack_size=3)


def test_files_with_the_same_content_are_opened_once(parts):
    models = [open_model(parts[name]) for name in ("one", "two", "cased")]
    checksums = {
        one.bundle.file(name): entry.sha256 for one in models for name, entry in one.bundle.manifest.files.items()
    }
    opener = Opener(checksums)
    opened = [opener.open(LanguageModel, one.files.lms["lm"]) for one in models]
    assert opened[0] is opened[1]
    assert opened[0] is not opened[2]
    # Files that nothing is known of are.
    alone = Opener()
    assert alone.open(LanguageModel, models[0].files.lms["lm"]) is not alone.open(
        LanguageModel, models[0].files.lms["lm"]
    )


def test_language_models_are_shared_in_the_decoder(parts, tmp_path):
    make_ensemble([parts["one"], parts["two"], parts["cased"]], tmp_path / "both")
    components = Translator.load(tmp_path / "both").decoder.components
    assert components["one"].lms["lm"] is components["two"].lms["lm"]
    assert components["one"].lms["lm"] is not components["cased"].lms["lm"]


def test_an_ensemble_is_known_by_all_that_is_in_it(copies, tmp_path):
    one, two = copies("one", "two")
    make_ensemble([one, two], tmp_path / "both")
    key = manifest_hash(tmp_path / "both")
    Translator.load(tmp_path / "both").save(tmp_path / "both")
    assert manifest_hash(tmp_path / "both") == key
    Translator.load(two).with_weights({"lm": 0.123}).save(two)
    refresh_ensemble(tmp_path / "both")
    assert manifest_hash(tmp_path / "both") != key


def test_an_ensemble_takes_the_place_of_a_model_and_back(parts, tmp_path):
    shutil.copytree(parts["one"], tmp_path / "place")
    translator = Translator.load(tmp_path / "place")
    make_ensemble([parts["one"], parts["two"]], tmp_path / "place")
    assert isinstance(translator.latest(), EnsembleTranslator)
    assert [path.name for path in (tmp_path / "place").iterdir()] == ["model.toml"]
    ensemble = Translator.load(tmp_path / "place")
    Translator.load(parts["one"]).save(tmp_path / "place")
    assert not isinstance(ensemble.with_weights({"one": 2.0}).latest(), EnsembleTranslator)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"")
    with pytest.raises(FileError, match="not a model"):
        make_ensemble([parts["one"], parts["two"]], tmp_path / "photos")
