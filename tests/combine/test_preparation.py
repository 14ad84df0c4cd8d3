"""How models that are used together prepare text, and which cannot be."""

import shutil
from dataclasses import replace

import pytest
from tests.combine.small import one_sentence, remade

from tolka.errors import SettingsError
from tolka.files.manifest import FileEntry
from tolka.translate.bundle import open_model
from tolka.translate.description import Reorder
from tolka.translate.ensemble import reconcile


def models(parts, *names):
    return {name: open_model(parts[name]) for name in names}


def test_models_that_prepare_alike(parts):
    found = reconcile(models(parts, "one", "two", "phrases"))
    assert (found.kind, found.lead, found.views, found.why) == ("same", "one", ("one",), "")
    # A lattice of one way is none.
    assert reconcile(models(parts, "one", "two"), asked="lattice").kind == "same"
    assert reconcile(models(parts, "one", "two"), asked="common").kind == "common"
    assert reconcile(models(parts, "one", "two"), lead="two").lead == "two"


def test_other_truecasers_and_compounds_make_lattices(parts):
    found = reconcile(models(parts, "one", "two", "cased", "split"))
    assert (found.kind, found.views) == ("lattice", ("one", "cased", "split"))
    assert found.why == "the parts one and cased prepare source words differently (case)"
    assert "(compounds)" in reconcile(models(parts, "one", "split")).why
    assert "(case and compounds)" in reconcile(models(parts, "split", "cased")).why
    led = reconcile(models(parts, "one", "two", "cased"), lead="cased")
    assert (led.lead, led.views) == ("cased", ("cased", "one"))
    common = reconcile(models(parts, "one", "cased"), asked="common", lead="cased")
    assert (common.kind, common.lead, common.views) == ("common", "cased", ("cased",))


def test_what_differs_is_refused_where_lattices_cannot_be(parts, tmp_path):
    with pytest.raises(SettingsError, match=r"one and cased.*\(case\); let all take it as one prepares it") as error:
        reconcile(models(parts, "one", "cased"), asked="same")
    assert one_sentence(error)
    with pytest.raises(SettingsError, match=r"these a chart; search by chart, or let all"):
        reconcile(models(parts, "one", "cased"), strategy="phrase")
    assert reconcile(models(parts, "one", "cased"), asked="common", strategy="phrase").kind == "common"
    assert reconcile(models(parts, "one", "two"), strategy="phrase").kind == "same"
    ordered = {name: reordered(model, "a") for name, model in models(parts, "one", "cased").items()}
    with pytest.raises(SettingsError, match=r"put its words into another order afterwards; let all"):
        reconcile(ordered)
    assert reconcile(ordered, asked="common").kind == "common"


def test_tokenised_and_raw_text(parts):
    for asked in ("auto", "common", "lattice"):
        for order in (("one", "words"), ("words", "one")):
            with pytest.raises(
                SettingsError, match="the part words takes tokenised text, and the part one raw"
            ) as error:
                reconcile(models(parts, *order), asked=asked)
            assert one_sentence(error)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("escape", False, "escape is on and off"),
        ("protect", True, "protect is off and on"),
        ("notation", True, "notation is off and on"),
        ("nfc", False, "nfc is on and off"),
        ("invisible", False, "invisible is on and off"),
        ("spaces", False, "spaces is on and off"),
        ("truecase", False, "truecase is on and off"),
        ("masked", True, "masked is off and on"),
        ("abbreviations", ["Abk"], r"abbreviations is none and \['Abk'\]"),
    ],
)
def test_settings_of_both_languages_must_agree(parts, tmp_path, name, value, said):
    other = remade(parts["two"], tmp_path / "other", **{f"text_{name}": value})
    for asked in ("auto", "common"):
        with pytest.raises(SettingsError, match=f"the parts one and other prepare text differently: {said}") as error:
            reconcile({"one": open_model(parts["one"]), "other": open_model(other)}, asked=asked)
        assert one_sentence(error)


def test_settings_that_tokenised_text_does_not_have(parts, tmp_path):
    other = remade(parts["words"], tmp_path / "other", text_escape=False, text_nfc=False)
    masked = remade(parts["words"], tmp_path / "masked", text_masked=True)
    own = open_model(parts["words"])
    assert reconcile({"a": own, "b": open_model(other)}).kind == "same"
    with pytest.raises(SettingsError, match="masked is off and on"):
        reconcile({"a": own, "b": open_model(masked)})


def reordered(model, settings):
    """The model as if it put words into another order, by a pre-orderer of these settings."""
    described = Reorder(analyser="classes", settings={"made": settings}, files=["weights.txt"])
    some = FileEntry(1, "1" * 64)
    files = {**model.bundle.manifest.files, "analyser": some, "weights.txt": some}
    bundle = replace(model.bundle, manifest=replace(model.bundle.manifest, files=files))
    return replace(model, bundle=bundle, description=replace(model.description, reorder=described))


def test_other_orders_of_source_words(parts):
    one, two = models(parts, "one", "two").values()
    with pytest.raises(
        SettingsError, match="the part two puts source words into another order, and the part one does not"
    ):
        reconcile({"one": one, "two": reordered(two, "a")})
    with pytest.raises(SettingsError, match="the part one puts source words into another order, and the part two does"):
        reconcile({"one": reordered(one, "a"), "two": two}, asked="common")
    with pytest.raises(SettingsError, match="the parts one and two put source words into different orders"):
        reconcile({"one": reordered(one, "a"), "two": reordered(two, "b")})
    # The same settings and other files: another order.
    changed = reordered(two, "a")
    files = {**changed.bundle.manifest.files, "weights.txt": changed.bundle.manifest.files["grammar.tbl"]}
    changed = replace(changed, bundle=replace(changed.bundle, manifest=replace(changed.bundle.manifest, files=files)))
    with pytest.raises(SettingsError, match="different orders"):
        reconcile({"one": reordered(one, "a"), "two": changed})


def test_what_is_asked_for_must_be_there(parts):
    with pytest.raises(SettingsError, match="unknown preparation 'both'; use auto, same, common, lattice"):
        reconcile(models(parts, "one", "two"), asked="both")
    with pytest.raises(SettingsError, match="no part 'three' to lead; parts are one, two"):
        reconcile(models(parts, "one", "two"), lead="three")


def test_a_copied_model_prepares_as_its_original(parts, tmp_path):
    shutil.copytree(parts["cased"], tmp_path / "copy")
    assert reconcile({"a": open_model(parts["cased"]), "b": open_model(tmp_path / "copy")}).kind == "same"
