"""Every setting of the decoder, from Python to a recipe to a model on disk and back."""

import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tolka.decode import Decoder
from tolka.errors import FormatError, SettingsError
from tolka.files import Bundle, to_toml
from tolka.grammar import Extractor, Grammar
from tolka.lm import LanguageModel, LanguageModelTrainer
from tolka.pipeline import Recipe, TrainSettings, training_recipe
from tolka.translate import Description, ModelFiles, TextSettings, Translator
from tolka.translate.searching import store_search

WHOLE = st.integers(1, 1000)
BOTH = {
    "pop_limit": st.integers(0, 1000),
    "table_limit": st.integers(0, 1000),
    "memory_limit": st.none() | st.integers(1 << 16, 1 << 40),
    "time_limit": st.none() | st.floats(0.001, 1000.0) | st.integers(1, 1000),
}
KNOWN = {
    "chart": {
        **BOTH,
        "search": st.sampled_from(["cube", "boundary"]),
        "max_span": WHOLE,
        "shallow": st.none() | st.integers(0, 255),
        "passes": st.integers(1, 2),
        "beam": st.none() | st.floats(0.0, 1e6),
    },
    "phrase": {
        **BOTH,
        "stack_size": st.integers(0, 1000),
        "distortion_limit": st.integers(0, 64),
        "max_phrase": WHOLE,
        "estimate_jumps": st.booleans(),
    },
}
WAYS = [("hiero", None, "chart"), ("hiero", "chart", "chart"), ("phrase", None, "phrase"), ("phrase", "chart", "chart")]
STAGES = "[synth]\npairs = 10\n[align]\n[lm]\n[grammar]\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The parts of a tiny model of each kind."""
    place = tmp_path_factory.mktemp("parts")
    text = ["das haus", "das buch"], ["the house", "the book"], ["0-0 1-1", "0-0 1-1"]
    LanguageModelTrainer(order=2, smoothing="witten-bell").train(text[1]).save(place / "lm.tlm")
    for kind in ("hiero", "phrase"):
        Extractor(kind).extract(*text, place / f"{kind}.tbl")
    return {
        kind: ModelFiles({"grammar": place / f"{kind}.tbl"}, {"lm": place / "lm.tlm"}) for kind in ("hiero", "phrase")
    }


def drawn(strategy):
    return st.fixed_dictionaries({}, optional=KNOWN[strategy])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(WAYS).flatmap(lambda way: st.tuples(st.just(way), drawn(way[2]))))
def test_settings_come_back(files, tmp_path, asked):
    (kind, strategy, way), wanted = asked
    direct = Decoder(
        Grammar.load(files[kind].grammars["grammar"]), LanguageModel.load(files[kind].lms["lm"]), kind=way, **wanted
    )
    said = {"kind": kind, **({} if strategy is None else {"strategy": strategy}), "search": store_search(wanted)}
    stages = STAGES.replace("[grammar]", f'[grammar]\nkind = "{kind}"')
    recipe = Recipe.from_text(f"{stages}{to_toml({'tune': said, 'model': said})}")
    for name in ("tune", "model"):
        stored = recipe.graph[name].settings
        assert stored.chosen == way
        assert stored.search.items() >= store_search(wanted).items()
    description = Description(
        kind=kind, strategy=stored.chosen, langs=["de", "en"], text=TextSettings(tokenised=True), search=stored.search
    )
    place = tmp_path / "model"
    Translator(description, files[kind]).save(place)
    loaded = Translator.load(place, verify=True)
    assert Bundle.open(place).settings["strategy"] == loaded.decoder.kind == direct.kind == way
    # What was not drawn is the default of training; the rest is what was asked for, to the bit and the type.
    found = {name: loaded.decoder.settings[name] for name in wanted}
    assert found == direct.settings
    assert {name: type(value) for name, value in found.items()} == {name: type(value) for name, value in wanted.items()}
    assert loaded.translate("das haus") == Translator(description, files[kind]).translate("das haus")
    shutil.rmtree(place)


@pytest.mark.parametrize("strategy", ["chart", "phrase"])
def test_no_setting_is_forgotten_here(files, strategy):
    with pytest.raises(SettingsError) as caught:
        Decoder(Grammar.load(files["phrase"].grammars["grammar"]), kind=strategy, no_such_setting=1)
    _, _, known = str(caught.value).partition("settings are ")
    assert set(known.split(", ")) == set(KNOWN[strategy])


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ("stack_size = 3", r"search.stack_size.*unknown setting"),
        ("pop_limit = 'many'", r"search.pop_limit cannot be 'many'"),
        ("search = 'best'", r"search.search.*unknown search"),
        ("max_span = -1", r"search.max_span"),
        ("beam = -0.5", r"search.beam"),
        ("pop_limit = [3]", r"search.pop_limit"),
    ],
)
@pytest.mark.parametrize("table", ["tune", "model"])
def test_mistakes_name_the_setting_before_anything_runs(table, search, message):
    extra = "[tune]\n" if table == "model" else ""
    with pytest.raises(SettingsError, match=message):
        Recipe.from_text(f"{STAGES}{extra}[{table}.search]\n{search}\n")


def test_strategies_that_do_not_fit():
    with pytest.raises(SettingsError, match="kind hiero is not searched by strategy 'phrase'"):
        Recipe.from_text(f"{STAGES}[tune]\nstrategy = 'phrase'\n")
    with pytest.raises(SettingsError, match="kind phrase is not searched by strategy 'agenda'"):
        Recipe.from_text(f"{STAGES}[tune]\nkind = 'phrase'\nstrategy = 'agenda'\n")
    with pytest.raises(ValueError, match="not searched by"):
        Description(kind="hiero", strategy="phrase", langs=["de", "en"])


@pytest.mark.parametrize(("kind", "usual"), [("hiero", "chart"), ("phrase", "phrase")])
def test_old_models_say_no_strategy(files, tmp_path, kind, usual):
    place = tmp_path / "model"
    description = Description(kind=kind, langs=["de", "en"], text=TextSettings(tokenised=True))
    Translator(description, files[kind]).save(place)
    manifest = place / "model.toml"
    text = manifest.read_text()
    assert f'strategy = "{usual}"\n' in text
    manifest.write_text(text.replace(f'strategy = "{usual}"\n', ""))
    assert Translator.load(place).decoder.kind == usual
    manifest.write_text(text.replace(f'strategy = "{usual}"', 'strategy = "luck"'))
    with pytest.raises(FormatError, match="strategy 'luck'"):
        Translator.load(place)
    manifest.write_text(text.replace("[settings.search]", '[settings.search]\npop_limit = "all"'))
    with pytest.raises(SettingsError, match=r"search.pop_limit cannot be 'all'"):
        Translator.load(place)


def test_training_takes_a_strategy(tmp_path):
    asked = TrainSettings(tmp_path / "a.de", tmp_path / "a.en", ("de", "en"), kind="phrase", strategy="chart")
    graph = training_recipe(asked, dev_pairs=10).graph
    assert graph["tune"].settings.chosen == graph["model"].settings.chosen == "chart"
    assert "stack_size" not in graph["model"].settings.search
