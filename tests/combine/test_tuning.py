"""Choosing a mixture on a development set, and looking at that first."""

from dataclasses import replace

import numpy as np
import pytest
from tests.combine.small import one_sentence, pairs_of, remade

from tolka.combine import EnsembleTuneSettings, make_ensemble, tune_ensemble
from tolka.combine.parts import best_derivations, edge_parts
from tolka.combine.tuning import OPERATIONS, check_development
from tolka.decode.mixture import Mixture
from tolka.errors import InputError, SettingsError
from tolka.evaluate import bleu
from tolka.translate import Translator
from tolka.translate.bundle import open_model

UNIFORM = EnsembleTuneSettings(scheme="uniform")


@pytest.fixture(scope="module")
def both(parts, tmp_path_factory):
    place = tmp_path_factory.mktemp("tuned") / "both"
    make_ensemble([parts["one"], parts["cased"]], place, mixture=Mixture("wmax"))
    return Translator.load(place)


@pytest.fixture(scope="module")
def dev():
    pairs = pairs_of(3, 10) + pairs_of(4, 10)
    return [source for source, _ in pairs], [target for _, target in pairs]


def test_operations_are_compared_by_bleu_of_words(both, dev):
    tuned, result = tune_ensemble(both, *dev, EnsembleTuneSettings(OPERATIONS, scheme="uniform"))
    assert [one.mixture.operation for one in result.tried] == list(OPERATIONS)
    assert result.score == max(one.score for one in result.tried)
    assert tuned.mixture == result.mixture
    # Scores are those of translations, as the ensemble finds them.
    inputs, wanted = both.prepare_inputs(*dev)
    for one in result.tried:
        found = both.with_mixture(one.mixture).decoder.translate(inputs)
        assert one.score == pytest.approx(bleu(found, wanted, tokeniser="none"))
    assert result.tried[0].score > 20
    first = next(one.mixture for one in result.tried if one.score == result.score)
    assert tuned.mixture == first


def test_without_a_choice_the_operation_stays(both, dev):
    tuned, result = tune_ensemble(both, *dev, UNIFORM)
    assert [one.mixture.operation for one in result.tried] == ["wmax"]
    assert tuned.mixture.operation == "wmax"
    with pytest.raises(SettingsError, match="unknown operation 'sum'; use wsum, wmax"):
        EnsembleTuneSettings(("sum",))


@pytest.mark.parametrize("scheme", ["joint", "pairwise", "expected"])
def test_lambdas_are_found_and_never_worse_than_equal_ones(scheme, both, dev, tmp_path):
    settings = EnsembleTuneSettings(scheme=scheme, starts=1, evaluations=6, log=tmp_path / "log")
    tuned, result = tune_ensemble(both.with_mixture(Mixture("wsum")), *dev, settings)
    _, uniform = tune_ensemble(both.with_mixture(Mixture("wsum")), *dev, EnsembleTuneSettings(scheme="uniform"))
    assert result.score >= uniform.score
    assert len({tuple(one.mixture.weights.items()) for one in result.tried}) > 1
    inputs, wanted = both.prepare_inputs(*dev)
    assert bleu(tuned.decoder.translate(inputs), wanted, tokeniser="none") == pytest.approx(result.score)
    again, repeated = tune_ensemble(both.with_mixture(Mixture("wsum")), *dev, settings)
    assert again.mixture == tuned.mixture
    assert repeated.score == result.score
    if scheme == "expected":
        assert repeated == result
    else:
        # From the log: only what was found is decoded again.
        assert len(repeated.tried) == 1


@pytest.mark.parametrize("temperatures", [False, True])
def test_tuning_on_derivations_goes_on_where_it_was_killed(both, dev, tmp_path, monkeypatch, temperatures):
    start = both.with_mixture(Mixture("wsum", temperatures={both.ensemble.names[0]: 1.5}))
    settings = EnsembleTuneSettings(scheme="expected", temperatures=temperatures)
    _, whole = tune_ensemble(start, *dev, settings)
    assert len(whole.tried) > 2
    # What is not tuned stays as it was.
    assert temperatures or all(one.mixture.temperatures == start.mixture.temperatures for one in whole.tried)
    log, decodings = replace(settings, log=tmp_path / "log"), []

    def dies(*arguments, **options):
        if len(decodings) % 2:
            decodings.append("killed")
            raise KeyboardInterrupt
        decodings.append("done")
        return best_derivations(*arguments, **options)

    monkeypatch.setattr("tolka.combine.parts.best_derivations", dies)
    results = []
    while not results:
        try:
            results.append(tune_ensemble(start, *dev, log)[1])
        except KeyboardInterrupt:
            continue
    assert results == [whole]
    assert decodings.count("done") == len({repr(one) for one in whole.tried})
    for other, text in (
        (start.with_mixture(replace(start.mixture, missing="veto")), dev),
        (start.with_mixture(Mixture("wsum")), dev),
        (start, [side[:-1] for side in dev]),
    ):
        with pytest.raises(InputError, match="the log is of another problem") as error:
            tune_ensemble(other, *text, log)
        assert one_sentence(error)
    with pytest.raises(InputError, match="the log is of another problem"):
        tune_ensemble(start, *dev, replace(log, scheme="joint"))


def test_a_log_of_other_parts_is_refused(parts, dev, tmp_path):
    place = tmp_path / "grown"
    make_ensemble({"a": parts["one"], "b": parts["two"]}, place)
    settings = EnsembleTuneSettings(scheme="joint", starts=1, evaluations=2, log=tmp_path / "log")
    tune_ensemble(Translator.load(place), *dev, settings)
    # The same weights and settings, but other rules.
    make_ensemble({"a": parts["one"], "b": parts["one"]}, place)
    with pytest.raises(InputError, match="the log is of another problem"):
        tune_ensemble(Translator.load(place), *dev, settings)


def test_a_part_that_counts_nothing_is_tuned_on_derivations(both, dev):
    silent = both.with_mixture(Mixture("wsum", {both.ensemble.names[1]: 0.0}))
    _, result = tune_ensemble(silent, *dev, EnsembleTuneSettings(scheme="expected"))
    assert result.score >= max(one.score for one in result.tried[:1])
    assert result.tried[0].mixture.weights[both.ensemble.names[1]] == 1e-3


def test_what_is_tuned_on_derivations(both, dev):
    settings = EnsembleTuneSettings(scheme="expected")
    for mixture, what in (
        (Mixture("switch:max"), "switches is not tuned on its derivations"),
        (Mixture("wsum", glue="average"), "glue that is averaged"),
        (Mixture("wsum", spans={both.ensemble.names[0]: [1.0, 2.0]}), "lambdas by the length of spans"),
    ):
        with pytest.raises(SettingsError, match=what):
            tune_ensemble(both.with_mixture(mixture), *dev, settings)


@pytest.mark.parametrize("operation", ["wsum", "wmax", "prod"])
def test_parts_of_edges_mix_to_their_scores(operation, both, dev):
    decoder = both.with_mixture(Mixture(operation, {both.ensemble.names[0]: 0.3})).mixing
    inputs, _ = both.prepare_inputs(*dev)
    (forest,) = decoder.forest(inputs[:1])
    parts = edge_parts(decoder, forest)
    shares = np.array(decoder.mixture.lambdas(list(decoder.components))[0])
    if operation == "prod":
        mixed = parts @ shares
    else:
        mixed = parts + np.log(shares)
        mixed = np.logaddexp.reduce(mixed, axis=1) if operation == "wsum" else mixed.max(axis=1)
    assert mixed == pytest.approx(forest.edges.score, abs=1e-3)
    (found,) = best_derivations(decoder, inputs[:1], 5)
    (listed,) = decoder.nbest(inputs[:1], 5)
    assert list(found.texts) == [one.text for one in listed]
    assert [mixed[edges].sum() for edges in found.edges] == pytest.approx([one.score for one in listed], abs=1e-2)


@pytest.mark.parametrize("scheme", ["joint", "pairwise"])
def test_lambdas_are_searched_and_never_worse_than_equal_ones(both, dev, tmp_path, scheme):
    _, equal = tune_ensemble(both, *dev, UNIFORM)
    tuned, result = tune_ensemble(both, *dev, EnsembleTuneSettings(scheme=scheme, starts=1, evaluations=5))
    assert len({tuple(one.mixture.weights.items()) for one in result.tried}) > 2
    assert result.score == max(one.score for one in result.tried) >= equal.score
    tuned.save(tmp_path / "tuned")
    assert Translator.load(tmp_path / "tuned").weights == tuned.weights == dict(result.mixture.weights)


def test_pairs_with_an_empty_side_are_left_out(both, dev):
    sources, targets = dev
    _, whole = tune_ensemble(both, sources, targets, UNIFORM)
    _, holed = tune_ensemble(both, ["", *sources, "Haus", " "], ["house", *targets, "", ""], UNIFORM)
    assert holed.score == whole.score


def test_development_sets_that_are_none(both):
    with pytest.raises(InputError, match="no sentence with a translation") as error:
        tune_ensemble(both, ["", "a"], ["a", ""])
    assert one_sentence(error)
    with pytest.raises(InputError, match="2 sentences and 1 references"):
        tune_ensemble(both, ["a", "b"], ["a"])


def test_mistakes_in_development_sets(parts, tmp_path):
    pairs = pairs_of(21, 120)
    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    bare = remade(parts["one"], tmp_path / "bare", aligner=False)
    for models in ([parts["one"], parts["two"]], [bare]):
        opened = [open_model(one) for one in models]

        def check(one, other, names=("a", "b"), opened=opened, **options):
            return check_development(opened, one, other, names=names, **options).notes

        assert check(sources, targets) == []
        with pytest.raises(InputError, match="a and b are swapped") as error:
            check(targets, sources)
        assert one_sentence(error)
        assert len(check(targets, sources, force=True)) == 1
        with pytest.raises(InputError, match="shifted"):
            check(sources[1:], targets[:-1])
        with pytest.raises(SettingsError, match=r"d\.en is named as en, but given in the place of de"):
            check(sources, targets, names=("d.en", "d.de"))
        with pytest.raises(InputError, match="no sentence with a translation"):
            check([], [])
        with pytest.raises(InputError, match="no sentence with a translation"):
            check(["", " "], ["a", "b"])
