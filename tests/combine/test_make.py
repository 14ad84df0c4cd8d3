"""Ensembles made, and those that cannot be."""

import math

import pytest
from tests.combine.small import in_cyrillic, one_sentence, pairs_of, remade, train

from tolka.combine import make_ensemble, refresh_ensemble
from tolka.combine.alphabets import target_scripts
from tolka.combine.ensemble import called_after
from tolka.decode.mixture import Mixture
from tolka.errors import InputError, LimitError, SettingsError
from tolka.train.growing import make_growing, update_model
from tolka.translate import Translator
from tolka.translate.bundle import open_model
from tolka.translate.ensemble.decoding import divisor


def test_names_come_from_directories(parts, tmp_path):
    made = make_ensemble([parts["one"], parts["two"]], tmp_path / "both")
    assert made.description.names == ["one", "two"]
    assert made.notes == ()
    assert made.preparation.kind == made.description.preparation == "same"
    assert made.description.search == {"pop_limit": 20}
    made = make_ensemble({"b": parts["one"], "a": parts["two"]}, tmp_path / "both")
    assert made.description.names == ["b", "a"]
    assert called_after(tmp_path / "-x y!") == "x_y_"
    assert called_after(tmp_path / "ä") == "part"


def test_one_part_is_allowed(parts, tmp_path):
    make_ensemble([parts["one"]], tmp_path / "alone")
    alone = Translator.load(tmp_path / "alone")
    assert alone.weights == {"one": 1.0}


def test_names_that_are_none(parts, tmp_path):
    for names, said in [
        (["a b", "c"], "'a b' cannot be the name of a part"),
        (["", "c"], "'' cannot be the name"),
        (["a.b", "c"], "'a.b' cannot be"),
        (["../x", "c"], "cannot be the name"),
    ]:
        with pytest.raises(SettingsError, match=said) as error:
            make_ensemble({names[0]: parts["one"], names[1]: parts["two"]}, tmp_path / "both")
        assert one_sentence(error)
    (tmp_path / "x").mkdir()
    train(tmp_path / "x" / "one", pairs_of(3, 20))
    with pytest.raises(SettingsError, match="two parts are called one; name them"):
        make_ensemble([parts["one"], tmp_path / "x" / "one"], tmp_path / "both")
    with pytest.raises(SettingsError, match="an ensemble of no parts"):
        make_ensemble([], tmp_path / "both")
    with pytest.raises(SettingsError, match="one model instead of several"):
        make_ensemble(str(parts["one"]), tmp_path / "both")
    assert not (tmp_path / "both").exists()


def test_as_many_parts_as_a_mask_has_bits(parts, tmp_path):
    many = {f"part-{number}": parts["one"] for number in range(30)}
    made = make_ensemble(many, tmp_path / "thirty")
    assert not made.description.inside
    assert "the parts part-0 and part-1 are the same model" in made.notes
    thirty = Translator.load(tmp_path / "thirty")
    assert len(thirty.weights) == 30
    # What they have in common is opened once.
    one, two = (thirty.decoder.components[name] for name in ("part-0", "part-29"))
    assert one.grammars["grammar"] is two.grammars["grammar"]
    assert one.lms["lm"] is two.lms["lm"]
    with pytest.raises(LimitError, match="65 parts are more than 64") as error:
        make_ensemble({f"part-{number}": parts["one"] for number in range(65)}, tmp_path / "both")
    assert one_sentence(error)
    nested = {"inner": tmp_path / "thirty", **{f"part-{number}": parts["one"] for number in range(35)}}
    with pytest.raises(LimitError, match="the parts have 65 models together, more than 64"):
        make_ensemble(nested, tmp_path / "both")
    assert not (tmp_path / "both").exists()


@pytest.mark.parametrize("weight", [math.nan, math.inf, -0.1])
def test_weights_that_are_no_numbers(parts, tmp_path, weight):
    with pytest.raises(InputError, match="the weight of one is") as error:
        make_ensemble([parts["one"], parts["two"]], tmp_path / "both", mixture=Mixture(weights={"one": weight}))
    assert one_sentence(error)


def test_weights_of_nobody(parts, tmp_path):
    with pytest.raises(InputError, match="all weights are 0"):
        make_ensemble([parts["one"]], tmp_path / "both", mixture=Mixture(weights={"one": 0.0}))
    with pytest.raises(SettingsError, match="no part 'three' to be weighted; parts are one, two"):
        make_ensemble([parts["one"], parts["two"]], tmp_path / "both", mixture=Mixture(weights={"three": 1.0}))
    with pytest.raises(SettingsError, match="no part 'three' to lead; parts are one, two"):
        make_ensemble([parts["one"], parts["two"]], tmp_path / "both", lead="three")
    with pytest.raises(SettingsError, match="not an ensemble: scale: must be one of"):
        make_ensemble([parts["one"], parts["two"]], tmp_path / "both", scale="l2")
    make_ensemble([parts["one"], parts["two"]], tmp_path / "made")
    with pytest.raises(SettingsError, match="there is no part 'three'; parts are one, two"):
        refresh_ensemble(tmp_path / "made", parts={"three": parts["one"]})
    assert not (tmp_path / "both").exists()


def test_strategies(parts, tmp_path):
    made = make_ensemble([parts["one"], parts["phrases"]], tmp_path / "both")
    assert made.description.strategy == "chart"
    with pytest.raises(SettingsError, match="the part one: a model of kind hiero is not searched by strategy 'phrase'"):
        make_ensemble([parts["one"], parts["phrases"]], tmp_path / "both", strategy="phrase")
    made = make_ensemble({"a": parts["phrases"], "b": parts["phrases"]}, tmp_path / "phrases")
    assert made.description.strategy == "phrase"
    assert Translator.load(tmp_path / "phrases").decoder.kind == "phrase"
    made = make_ensemble({"a": parts["phrases"], "b": parts["phrases"]}, tmp_path / "chart", strategy="chart")
    assert Translator.load(tmp_path / "chart").decoder.kind == "chart"
    other = train(tmp_path / "other", pairs_of(4, 30), kind="phrase")
    with pytest.raises(SettingsError, match=r"prepare source words differently \(case\), which needs lattices"):
        make_ensemble([parts["phrases"], other], tmp_path / "both")
    assert (
        make_ensemble([parts["phrases"], other], tmp_path / "both", preparation="common").description.lead == "phrases"
    )


def test_only_settings_that_all_parts_have_are_taken_over(parts, tmp_path):
    other = remade(parts["two"], tmp_path / "other", search={"pop_limit": 30, "max_span": 12})
    third = remade(parts["two"], tmp_path / "third", search={"pop_limit": 20, "max_span": 12})
    assert make_ensemble([parts["one"], other], tmp_path / "both").description.search == {}
    assert make_ensemble([other, third], tmp_path / "both").description.search == {"max_span": 12}
    given = make_ensemble([other, third], tmp_path / "both", search={"pop_limit": 9})
    assert given.description.search == {"pop_limit": 9}


def test_other_alphabets_of_the_target(parts, tmp_path):
    cyrillic = train(tmp_path / "cyrillic", in_cyrillic(pairs_of(4, 60)))
    assert max(target_scripts(open_model(parts["one"])).items(), key=lambda one: one[1])[0] == "Latin"
    # From its aligner's words, or the rules of its tables.
    bare = remade(cyrillic, tmp_path / "bare", aligner=False)
    for path in (cyrillic, bare):
        assert target_scripts(open_model(path))["Cyrillic"] > 0.9
        with pytest.raises(
            InputError, match=r"the parts one and .* write en in different letters: Latin and Cyr"
        ) as error:
            make_ensemble([parts["one"], path], tmp_path / "both")
        assert one_sentence(error)
        assert "add --force if it is meant" in str(error.value)
        assert not (tmp_path / "both").exists()
    made = make_ensemble([parts["one"], cyrillic], tmp_path / "both", force=True)
    assert made.notes == ("the parts one and cyrillic write en in different letters: Latin and Cyrillic",)
    with pytest.raises(InputError, match="different letters"):
        refresh_ensemble(tmp_path / "both")
    refresh_ensemble(tmp_path / "both", force=True)


def test_weights_are_divided_so_that_scores_compare(parts, tmp_path):
    own = open_model(parts["one"])
    loaded = Translator.load(parts["one"]).decoder
    whole = sum(abs(own.weights[name]) for name in own.weights if name not in {"unknown", "input", "given"})
    assert divisor("one", loaded, ["lm"], "l1") == pytest.approx(whole)
    assert divisor("one", loaded, ["lm"], "lm") == own.weights["lm"]
    assert divisor("one", loaded, ["lm"], "none") == 1.0
    for scale, expected in (("l1", whole), ("lm", own.weights["lm"]), ("none", 1.0)):
        make_ensemble([parts["one"], parts["two"]], tmp_path / "both", scale=scale)
        component = Translator.load(tmp_path / "both").decoder.components["one"]
        for name, weight in component.weights.items():
            assert weight == pytest.approx(own.weights[name] / expected)
    nothing = train(tmp_path / "nothing", pairs_of(3, 20), weights={"lm": 0.0}, casing=pairs_of(3, 150))
    with pytest.raises(SettingsError, match="the language models of the part nothing weigh 0, so that") as error:
        make_ensemble([nothing], tmp_path / "both", scale="lm")
    assert one_sentence(error)
    zero = dict.fromkeys(own.weights, 0.0)
    silent = train(tmp_path / "silent", pairs_of(3, 20), weights=zero)
    with pytest.raises(SettingsError, match="all weights of the part silent are 0; tune it first"):
        make_ensemble([silent], tmp_path / "both")
    make_ensemble([silent], tmp_path / "both", scale="none")


def test_a_part_that_grows(tmp_path, parts):
    first, second = pairs_of(3, 60), pairs_of(4, 60)
    growing = train(tmp_path / "growing", first, casing=first + second, lm=first)
    make_growing(growing, [source for source, _ in first], [target for _, target in first], lm=False)
    plain = train(tmp_path / "plain", second, casing=first + second, lm=first)
    make_ensemble([growing, plain], tmp_path / "both")
    source = "Der Kakadu schläft."
    before = Translator.load(tmp_path / "both")
    said = before.translate(source)
    update_model(growing, [source], ["The cockatoo sleeps!"])
    # It goes on as it was; what it is on disk has to be taken over first.
    assert before.translate(source) == said
    with pytest.raises(Exception, match="the part growing of the ensemble"):
        Translator.load(tmp_path / "both")
    assert refresh_ensemble(tmp_path / "both").changed == ("growing",)
    after = Translator.load(tmp_path / "both")
    assert after.translate(source) == "The cockatoo sleeps!"
    assert Translator.load(tmp_path / "both", memory="off").translate("Kakadu") != "Kakadu"
    # Moved inside, it is another model: what is updated there is its own.
    make_ensemble([growing, plain], tmp_path / "held", inside=True)
    update_model(growing, ["Ein Emu."], ["An emu."])
    assert Translator.load(tmp_path / "held").translate(source) == "The cockatoo sleeps!"


def test_refreshing_what_did_not_change_changes_nothing(parts, tmp_path):
    make_ensemble([parts["one"], parts["cased"]], tmp_path / "both", preparation="common", lead="cased")
    before = (tmp_path / "both" / "model.toml").read_bytes()
    made = refresh_ensemble(tmp_path / "both")
    assert made.changed == ()
    assert (tmp_path / "both" / "model.toml").read_bytes() == before
