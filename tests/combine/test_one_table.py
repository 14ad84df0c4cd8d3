"""Ensembles whose parts share one table: the same translations, held inside, and what cannot share."""

import shutil
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.combine.small import one_sentence, pairs_of, remade, train
from tests.combine.test_command import refused, tolka

from tolka.combine import make_ensemble, part_states
from tolka.decode.mixture import Mixture
from tolka.errors import SettingsError, TolkaError
from tolka.train.growing import make_growing
from tolka.translate import Translator
from tolka.translate.bundle import open_model, write_model

OPERATIONS = ("wsum", "wmax", "prod", "switch:max", "switch:sum")


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    """Directories of five models that prepare text alike, by name."""
    place = tmp_path_factory.mktemp("five")
    pairs = pairs_of(7, 160)
    made = {}
    for at in range(5):
        own = [pair for number, pair in enumerate(pairs) if number % 5 != at]
        made[f"m{at}"] = train(place / f"m{at}", own, casing=pairs, lm=pairs, weights={"phrase_ef": 0.3 + at / 10})
    return made


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("scale", ["lm", "none"])
def test_one_table_translates_as_many_do(five, sentences, tmp_path, operation, scale):
    mixture = Mixture(operation, weights={"m1": 0.5, "m4": 2.0})
    found = []
    for tables in ("own", "one"):
        made = make_ensemble(five, tmp_path / tables, mixture=mixture, scale=scale, tables=tables)
        assert made.description.inside == (tables == "one")
        translator = Translator.load(tmp_path / tables, verify=True)
        listed = translator.mixing.nbest([source for source, _ in sentences], 5)
        found.append([[(one.text, one.score) for one in own] for own in listed])
    assert found[0] == found[1]
    files = [next((tmp_path / "one" / one.path).glob("*.tbl")) for one in made.description.parts]
    assert all(one.samefile(other) for one, other in pairwise(files))
    assert [one.voice for one in part_states(tmp_path / "one")[1]] == list(five)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["one", "own"]


def test_many_parts_share_a_table_unless_told_otherwise(five, tmp_path):
    few = dict(list(five.items())[:4])
    assert not make_ensemble(few, tmp_path / "few").description.inside
    made = make_ensemble(five, tmp_path / "many")
    assert made.description.inside
    assert "--tables own leaves them where they are" in made.notes[-1]
    assert [one.voice for one in part_states(tmp_path / "many")[1]] == list(five)
    # It is a model like any other: saved, loaded, refreshed, and a part again.
    Translator.load(tmp_path / "many").save(tmp_path / "again")
    assert [one.state for one in part_states(tmp_path / "again")[1]] == ["as it was"] * 5
    nested = make_ensemble({"many": tmp_path / "many", "m0": five["m0"]}, tmp_path / "nested")
    assert not nested.description.inside
    said = tolka("combine", "ensemble", *five.values(), "-o", tmp_path / "told", "--tables", "own", "--quiet")
    assert "saved an ensemble of m0, m1, m2, m3, m4 by wsum" in said
    assert [one.voice for one in part_states(tmp_path / "told")[1]] == [None] * 5


def test_what_cannot_share(five, parts, tmp_path):
    grows = train(tmp_path / "grows", pairs_of(7, 40), casing=pairs_of(7, 160))
    make_growing(grows, *zip(*pairs_of(7, 40), strict=True), lm=False)
    make_ensemble([five["m0"], five["m1"]], tmp_path / "inner", tables="one")
    opened = open_model(five["m2"])
    sparse = replace(opened.description, sparse={"rule_shape": True})
    write_model(tmp_path / "sparse", sparse, opened.files, opened.weights)
    reasons = {
        tmp_path / "inner": "is an ensemble itself",
        grows: "finds its rules in a text that grows",
        parts["phrases"]: "do not have the same features",
        tmp_path / "sparse": "has sparse features",
        next((tmp_path / "inner").glob("m0*")): "speaks for several models already",
    }
    for at, (place, reason) in enumerate(reasons.items()):
        with pytest.raises(SettingsError, match=reason) as error:
            make_ensemble({"m0": five["m0"], "other": place}, tmp_path / f"wrong{at}", tables="one", force=True)
        assert one_sentence(error)
        assert not (tmp_path / f"wrong{at}").exists()
        # Nobody asked for one table, so that each keeps its own.
        made = make_ensemble({**five, "other": place}, tmp_path / f"own{at}", force=True)
        assert [one.voice for one in part_states(made.path)[1]][:5] == [None] * 5
    said = refused("combine", "ensemble", five["m0"], parts["phrases"], "-o", tmp_path / "cli", "--tables", "one")
    assert "do not have the same features" in said
    assert "--tables own" in said


def test_wrong_input(five, tmp_path):
    with pytest.raises(SettingsError, match="tables cannot be 'both'"):
        make_ensemble(five, tmp_path / "wrong", tables="both")
    # A part whose table was cut short is told of, whatever is asked for.
    broken = tmp_path / "broken"
    shutil.copytree(five["m0"], broken)
    table = next(broken.glob("*.tbl"))
    table.write_bytes(table.read_bytes()[:-100])
    for tables in ("auto", "one"):
        with pytest.raises(TolkaError) as error:
            make_ensemble({**five, "broken": broken}, tmp_path / "wrong", tables=tables)
        assert one_sentence(error)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["broken"]


def test_parts_of_other_preparation_share_a_table(five, sentences, tmp_path):
    """Whether rules are one table has nothing to do with how text is prepared."""
    other = remade(five["m1"], tmp_path / "other", search={"pop_limit": 20})
    found = []
    for tables in ("own", "one"):
        make_ensemble({"m0": five["m0"], "other": other}, tmp_path / tables, tables=tables)
        found.append(Translator.load(tmp_path / tables).translate([source for source, _ in sentences]))
    assert found[0] == found[1]
