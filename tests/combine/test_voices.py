"""Models that are voices of one table: alone, in ensembles, on disk, and what is refused."""

import shutil
import tomllib
from dataclasses import replace
from itertools import cycle, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.combine.small import one_sentence, pairs_of, remade, train

from tolka.combine import make_ensemble, part_states
from tolka.decode import Decoder, Mixture
from tolka.decode.ensemble import EnsembleDecoder
from tolka.errors import FormatError, InputError, TolkaError
from tolka.files import to_toml
from tolka.grammar import Extractor, Grammar, Voice
from tolka.lm import LanguageModelTrainer
from tolka.train import TuneSettings, tune_translator
from tolka.translate import ModelFiles, Translator, write_model
from tolka.translate.bundle import link_or_copy, open_model
from tolka.translate.description import Description

OPERATIONS = ("wsum", "wmax", "prod", "switch:max", "switch:sum")


def words_of(pairs):
    """Words of pairs, linked one by one as far as they go."""
    sides = [[text.lower().replace(".", " .").split() for text in side] for side in zip(*pairs, strict=True)]
    links = [
        " ".join(f"{at}-{at}" for at in range(min(len(one), len(other)))) for one, other in zip(*sides, strict=True)
    ]
    return [" ".join(one) for one in sides[0]], [" ".join(one) for one in sides[1]], links


@settings(max_examples=12, deadline=None)
@given(
    kind=st.sampled_from(["hiero", "phrase"]),
    seed=st.integers(0, 99),
    folds=st.integers(2, 6),
    exact=st.booleans(),
    operation=st.sampled_from(OPERATIONS),
    weights=st.lists(st.floats(0.1, 1.0), min_size=4, max_size=4),
)
def test_voices_say_what_their_tables_say(tmp_path_factory, kind, seed, folds, exact, operation, weights):
    place = tmp_path_factory.mktemp("voices")
    source, target, links = words_of(pairs_of(seed, 30))
    extractor = Extractor(kind, max_length=4, exact=exact)
    numbers = list(islice(cycle(range(folds)), len(source)))
    table = extractor.extract_folds(source, target, links, numbers, place / "rules.tbl")
    lm = LanguageModelTrainer(order=2).train(target)
    features = ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef")
    alone, written = {}, {}
    for at, name in enumerate(table.voices):
        own = {one: weight * (1 + at / 7) for one, weight in zip(features, weights, strict=True)}
        alone[name] = Decoder(Voice(table, name), lm, weights=own)
        written[name] = Decoder(table.voice(name, place / f"{name}.tbl"), lm, weights=own)
    asked = words_of(pairs_of(seed + 1, 6))[0]
    for name, decoder in alone.items():
        assert decoder.feature_names == written[name].feature_names
        found, wanted = (one.nbest(asked, 5) for one in (decoder, written[name]))
        assert [[one.score for one in own] for own in found] == [
            [pytest.approx(one.score, abs=1e-4) for one in own] for own in wanted
        ]
    # One table asked for all voices at once says what many tables do.
    both = [EnsembleDecoder(one, Mixture(operation)) for one in (alone, written)]
    found, wanted = (one.statistics(asked) for one in both)
    assert [one.score for one in found] == [pytest.approx(one.score, abs=1e-4) for one in wanted]


def test_a_voice_by_name(tmp_path):
    text = ["das haus", "das buch"], ["the house", "the book"], ["0-0 1-1"] * 2
    table = Extractor("phrase").extract_folds(*text, [0, 1], tmp_path / "rules.tbl")
    assert repr(Voice(table, "fold0")).endswith("'fold0')")
    assert Voice(table, "fold0").path == tmp_path / "rules.tbl"
    for wrong in ("fold2", 2, -1, True, None):
        with pytest.raises(InputError, match="the table has no voice") as error:
            Voice(table, wrong)
        assert "its voices are fold0, fold1" in str(error.value)
        assert one_sentence(error)
    with pytest.raises(InputError, match="it is an ordinary table"):
        Voice(table.voice(0), "fold0")


@pytest.fixture(scope="module")
def voices(tmp_path_factory):
    """Three models that are voices of one table, as directories by name."""
    place = tmp_path_factory.mktemp("voices")
    pairs = pairs_of(5, 120)
    plain = train(place / "plain", pairs)
    opened = open_model(plain)
    steps = Translator.load(plain)
    source, target = (own.prepare([pair[at] for pair in pairs]) for at, own in enumerate((steps.source, steps.target)))
    links = words_of(list(zip(source, target, strict=True)))[2]
    numbers = list(islice(cycle(range(3)), len(pairs)))
    Extractor("hiero", max_length=5).extract_folds(source, target, links, numbers, place / "rules.tbl")
    files = replace(opened.files, grammars={"grammar": place / "rules.tbl"})
    made = {}
    for at in range(3):
        name = f"fold{at}"
        described = replace(opened.description, voices={"grammar": name})
        own = {**opened.weights, "phrase_ef": 0.2 + 0.2 * at}
        write_model(place / name, described, files, own, place=link_or_copy)
        made[name] = place / name
    return made


def test_a_model_says_its_voice(voices, tmp_path):
    for name, path in voices.items():
        translator = Translator.load(path, verify=True)
        assert translator.description.voices == {"grammar": name}
        translator.save(tmp_path / name)
        again = Translator.load(tmp_path / name)
        asked = [source for source, _ in pairs_of(9, 10)]
        assert again.translate(asked) == translator.translate(asked)
        [rules] = again.decoder.grammars.values()
        assert isinstance(rules, Voice)
        assert rules.name == name


def test_models_without_voices_are_written_as_ever(parts):
    assert "voices" not in (parts["one"] / "model.toml").read_text()
    assert "voices" not in Description(kind="hiero", langs=["de", "en"]).written()


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_ensemble_opens_the_table_once(voices, tmp_path, operation):
    make_ensemble(voices, tmp_path / "all", mixture=Mixture(operation), inside=True)
    # On disk it is there once, whoever holds it.
    whole = Translator.load(tmp_path / "all")
    held = [one.files.grammars["grammar"] for one in (*whole.models.values(), *map(open_model, voices.values()))]
    assert len({path.resolve() for path in held}) == 6
    assert len({path.stat().st_ino for path in held}) == 1
    natives = [next(iter(one.grammars.values())).native for one in whole.mixing.components.values()]
    assert len({id(table) for table, _ in natives}) == 1
    assert [voice for _, voice in natives] == [0, 1, 2]
    # The same of tables of their own.
    for name, path in voices.items():
        Grammar.load(open_model(path).files.grammars["grammar"]).voice(name, tmp_path / f"{name}.tbl")
        remade(path, tmp_path / name, voices=None, files={"grammars": {"grammar": tmp_path / f"{name}.tbl"}})
    make_ensemble([tmp_path / name for name in voices], tmp_path / "apart", mixture=Mixture(operation))
    asked = [source for source, _ in pairs_of(9, 12)]
    apart = Translator.load(tmp_path / "apart")
    assert whole.translate(asked) == apart.translate(asked)
    assert [part.voice for part in part_states(tmp_path / "all")[1]] == list(voices)


def test_a_part_translates_and_is_tuned(voices, tmp_path):
    make_ensemble(voices, tmp_path / "all", inside=True)
    [part, *_] = [one.path for one in part_states(tmp_path / "all")[1]]
    translator = Translator.load(part)
    dev = pairs_of(10, 12)
    tuned, result = tune_translator(
        translator,
        [source for source, _ in dev],
        [target for _, target in dev],
        TuneSettings(iterations=1, nbest=10),
    )
    tuned.save(tmp_path / "tuned")
    assert result.weights.keys() == translator.weights.keys()
    assert Translator.load(tmp_path / "tuned").description.voices == translator.description.voices


def edited(path, place, change):
    """A copy of a model whose manifest was changed by hand."""
    shutil.copytree(path, place)
    values = tomllib.loads((place / "model.toml").read_text())
    change(values["settings"])
    (place / "model.toml").write_text(to_toml(values))
    return place


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda own: own["voices"].update(grammar="fold7"), "no voice 'fold7'; its voices are fold0, fold1, fold2"),
        (lambda own: own.pop("voices"), "which of fold0, fold1, fold2 is meant"),
        (lambda own: own["voices"].clear(), "which of fold0, fold1, fold2 is meant"),
        (lambda own: own["voices"].update(other="fold1"), "voices.other: the model has no such table"),
        (lambda own: own["voices"].update({"../x": "fold1"}), "is not allowed here"),
        (lambda own: own["voices"].update(grammar=1), "must be text in quotes"),
        (lambda own: own.update(voices="fold1"), "must be a table or nothing"),
    ],
)
def test_a_voice_that_is_wrong(voices, tmp_path, change, said):
    place = edited(voices["fold1"], tmp_path / "wrong", change)
    with pytest.raises(FormatError, match=said) as error:
        Translator.load(place)
    assert one_sentence(error)


def test_a_voice_of_an_ordinary_table(parts, tmp_path):
    place = edited(parts["one"], tmp_path / "wrong", lambda own: own.update(voices={"grammar": "fold0"}))
    with pytest.raises(FormatError, match="no voice 'fold0'; it is an ordinary table") as error:
        Translator.load(place)
    assert one_sentence(error)
    with pytest.raises(TolkaError, match="no voice 'fold0'"):
        make_ensemble({"one": parts["one"], "wrong": place}, tmp_path / "both")
    with pytest.raises(ValueError, match="no such table"):
        Description(kind="hiero", langs=["de", "en"], voices={"rules": "fold0"})


def test_two_tables_of_one_model(voices, tmp_path):
    opened = open_model(voices["fold0"])
    table = opened.files.grammars["grammar"]
    Grammar.load(table).voice("fold2", tmp_path / "own.tbl")
    described = replace(opened.description, grammars=["first", "own"], voices={"first": "fold1"})
    files: ModelFiles = replace(opened.files, grammars={"first": table, "own": tmp_path / "own.tbl"})
    both = Translator(described, files)
    assert "first.phrase_ef" in both.weights
    assert "own.phrase_ef" in both.weights
    both.save(tmp_path / "both")
    asked = [source for source, _ in pairs_of(9, 5)]
    assert Translator.load(tmp_path / "both").translate(asked) == both.translate(asked)
