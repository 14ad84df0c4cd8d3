"""Expected BLEU against its definition, its gradient against differences, and the loop on ensembles that can be listed."""

import base64
import json
import math
import zlib
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.combine.naive_expected import expected_bleu, mixed

from tolka.combine.decodings import compact, pack, unpack
from tolka.combine.derivations import DerivationArrays, Derivations, MixedLists
from tolka.combine.expected import ExpectedBleu, Mixing, maximise_expected, vector
from tolka.combine.expected_loop import tune_expected
from tolka.errors import FormatError, InputError, LimitError, SettingsError
from tolka.limits import Limits

OPERATIONS = ["wsum", "wmax", "prod"]
SCALINGS = ["idempotent", "raw"]


def drawn(seed, components=3, missing=True, sentences=4):
    """Random sentences: for each derivation its statistics, parts of its edges, and rest."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(sentences):
        reference = int(random.integers(4, 9))
        derivations = []
        for _ in range(int(random.integers(1, 5))):
            words = int(random.integers(2, 10))
            totals = [max(words - n, 0) for n in range(4)]
            matches = [int(random.integers(0, total + 1)) for total in totals]
            edges = random.normal(-2.0, 1.5, (int(random.integers(0, 4)), components))
            if missing:
                gone = random.uniform(size=edges.shape) < 0.3
                gone[np.arange(len(edges)), random.integers(components, size=len(edges))] = False
                edges[gone] = -np.inf
            derivations.append(([words, reference, *matches, *totals], edges.tolist(), float(random.normal())))
        found.append(derivations)
    return found


def arrays(sentences, components=3):
    flat = [derivation for derivations in sentences for derivation in derivations]
    parts = [row for _, edges, _ in flat for row in edges]
    return DerivationArrays(
        statistics=np.array([statistics for statistics, _, _ in flat], dtype=np.float64),
        sentences=np.cumsum([len(derivations) for derivations in sentences]),
        edges=np.arange(len(parts)),
        ends=np.cumsum([len(edges) for _, edges, _ in flat]),
        parts=np.array(parts, dtype=np.float64).reshape(-1, components),
        rest=np.array([rest for _, _, rest in flat]),
    )


def drawn_mixing(seed, components=3):
    random = np.random.default_rng([seed, 1])
    return Mixing(
        np.exp(random.normal(0, 1, components)),
        np.exp(random.normal(0, 0.3, components)),
        float(np.exp(random.normal(0, 0.7))),
    )


@given(st.integers(0, 10_000), st.sampled_from(OPERATIONS), st.sampled_from(SCALINGS))
@settings(max_examples=60, deadline=None)
def test_is_its_definition(seed, operation, scaling):
    sentences = drawn(seed, missing=operation != "prod")
    mixing = drawn_mixing(seed)
    wanted = expected_bleu(
        sentences, mixing.weights.tolist(), mixing.temperatures.tolist(), mixing.sharpness, operation, scaling
    )
    found = ExpectedBleu(arrays(sentences), operation, scaling).bleu(mixing)
    assert found == pytest.approx(100.0 * wanted, rel=1e-9)


@given(st.integers(0, 10_000), st.sampled_from(OPERATIONS), st.sampled_from(SCALINGS))
@settings(max_examples=60, deadline=None)
def test_gradient_is_that_of_differences(seed, operation, scaling):
    objective = ExpectedBleu(arrays(drawn(seed, missing=operation != "prod")), operation, scaling)
    point = vector(drawn_mixing(seed))
    _, gradient = objective.value(point)
    for at in range(len(point)):
        step = np.zeros_like(point)
        step[at] = 1e-6
        slope = (objective.value(point + step)[0] - objective.value(point - step)[0]) / 2e-6
        # A kink of wmax, or the bend of the brevity penalty, within the step is unlikely enough.
        assert gradient[at] == pytest.approx(slope, rel=2e-4, abs=2e-6)
    _, without = objective.value(point, temperatures=False)
    assert without.tolist() == [*gradient[:3], 0.0, 0.0, 0.0, gradient[6]]


@given(st.integers(0, 10_000), st.sampled_from(OPERATIONS), st.permutations(range(3)))
@settings(max_examples=30, deadline=None)
def test_the_order_of_components_does_not_matter(seed, operation, order):
    one, mixing = arrays(drawn(seed, missing=operation != "prod")), drawn_mixing(seed)
    other = replace(one, parts=one.parts[:, order])
    value, gradient = ExpectedBleu(one, operation).value(vector(mixing))
    turned = Mixing(mixing.weights[order], mixing.temperatures[order], mixing.sharpness)
    again, slopes = ExpectedBleu(other, operation).value(vector(turned))
    assert again == pytest.approx(value, rel=1e-12, abs=1e-12)
    assert slopes == pytest.approx(gradient[[*order, *(3 + at for at in order), 6]], rel=1e-9, abs=1e-12)


@given(st.integers(0, 10_000), st.sampled_from(OPERATIONS), st.floats(0.1, 10.0))
@settings(max_examples=20, deadline=None)
def test_scaled_weights_know_no_scale(seed, operation, factor):
    objective, mixing = ExpectedBleu(arrays(drawn(seed, missing=False)), operation), drawn_mixing(seed)
    scaled = replace(mixing, weights=factor * mixing.weights)
    assert objective.bleu(scaled) == pytest.approx(objective.bleu(mixing), rel=1e-9)


def test_sharp_is_the_bleu_of_the_best():
    lists = MixedLists(["the very small house is old", "we see the big dog"], ["in", "out"])
    lists.add(
        [
            Derivations(["the very small house", "house small"], [[0], [1]], np.array([[-1.0, -9.0], [-2.0, -1.0]])),
            Derivations(["we see the dog big", "we see the big dog"], [[0], [1]], np.array([[-5.0, -3], [-1, -4.0]])),
        ]
    )
    objective = ExpectedBleu(lists.arrays())
    first = Mixing(np.array([1.0, 1e-6]), np.ones(2), 1000.0)
    assert objective.bleu(first) == pytest.approx(lists.score(["the very small house", "we see the big dog"]), rel=1e-4)


def test_hopeless_translations_are_finite():
    lists = MixedLists(["a b c d"], ["in", "out"])
    lists.add([Derivations(["", "x"], [[], [0]], np.array([[-1.0, -2.0]]))])
    value, gradient = ExpectedBleu(lists.arrays()).value(np.zeros(5))
    assert math.isfinite(value)
    assert np.isfinite(gradient).all()


def test_climbs_within_bounds():
    random = np.random.default_rng(5)
    sentences = []
    for _ in range(30):
        derivations = []
        for _ in range(8):
            matches = int(random.integers(1, 9))
            # The first component knows, the second guesses and the third is wrong.
            parts = np.array([[0.5, 0.0, -0.5]]) * matches + random.normal(0, 1, (1, 3))
            counts = [max(matches - n, 0) for n in range(4)]
            derivations.append(([9, 9, *counts, 9, 8, 7, 6], parts.tolist(), 0.0))
        sentences.append(derivations)
    objective = ExpectedBleu(arrays(sentences), "prod", "raw")
    start = Mixing(np.ones(3), np.ones(3), 1.0)
    found, value = maximise_expected(objective, start)
    assert value == pytest.approx(objective.bleu(found))
    assert value > objective.bleu(start) + 10.0
    assert found.weights[0] > 3 * found.weights[2]
    assert (found.weights >= 0.999e-3).all()
    assert (found.weights <= 10.001).all()
    assert found.temperatures.tolist() == [1.0] * 3
    kept, _ = maximise_expected(objective, start, sharpness_bounds=None, temperature_bounds=(0.5, 2.0))
    assert kept.sharpness == 1.0
    assert not np.allclose(kept.temperatures, 1.0)
    held, _ = maximise_expected(objective, start, penalty=1e9)
    assert held.weights == pytest.approx(1.0, abs=1e-3)
    scaled, _ = maximise_expected(ExpectedBleu(arrays(sentences), "prod"), replace(start, weights=np.full(3, 0.5)))
    assert scaled.weights[0] == pytest.approx(0.5)


REFERENCES = ["the small house", "a big dog sleeps", "we see the wide sea", "it rains in the old town"]


def ensemble(operation, components, size=4, scaling="idempotent", calls=None):
    """A decoder that ranks all translations there are: a choice of two for each word, an edge for each word."""
    random = np.random.default_rng(7)
    chart = []
    for reference in REFERENCES:
        words = reference.split()
        # The first component mostly knows the right word, the others mostly do not.
        right = random.normal([1.0] + [-0.6] * (components - 1), 0.6, (len(words), components))
        rows = np.stack([right, -right], axis=1).reshape(-1, components) - 2.0
        chart.append((words, rows))

    def decode(weights, temperatures=None):
        if calls is not None:
            calls.append(dict(weights))
        warm = list((temperatures or dict.fromkeys(weights, 1.0)).values())
        found = []
        for words, rows in chart:
            scores = [mixed(row, list(weights.values()), warm, operation, scaling) for row in rows.tolist()]
            derivations = []
            for choice in product((0, 1), repeat=len(words)):
                edges = [2 * at + wrong for at, wrong in enumerate(choice)]
                text = " ".join(f"{word}{'!' * wrong}" for word, wrong in zip(words, choice, strict=True))
                derivations.append((-sum(scores[edge] for edge in edges), text, edges))
            derivations = sorted(derivations)[:size]
            texts, edges = [text for _, text, _ in derivations], [edges for _, _, edges in derivations]
            found.append(Derivations(texts, edges, rows))
        return found

    return decode


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("scaling", SCALINGS)
def test_loop_finds_whom_to_trust(operation, scaling):
    calls = []
    decode = ensemble(operation, 3, scaling=scaling, calls=calls)
    start = {"good": 1.0, "bad": 1.0, "worse": 1.0}
    result = tune_expected(decode, REFERENCES, start, operation=operation, scaling=scaling)
    assert result.score > result.history[0].score + 10.0
    assert result.score == max(step.score for step in result.history)
    assert result.weights["good"] > 2 * max(result.weights["bad"], result.weights["worse"])
    assert result.temperatures == dict.fromkeys(start, 1.0)
    assert [step.weights for step in result.history] == calls
    assert result.history[0].weights == start
    assert result.history[0].expected is None
    assert tune_expected(decode, REFERENCES, start, operation=operation, scaling=scaling) == result


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("temperatures", [False, True])
def test_loop_goes_on_where_it_was_stopped(operation, temperatures, tmp_path):
    start, calls = {"good": 1.0, "bad": 1.0, "worse": 1.0}, []
    decode = ensemble(operation, 3, calls=calls)
    options = {"operation": operation, "temperatures": temperatures, "key": "a development set"}
    whole = tune_expected(decode, REFERENCES, start, **options)
    # A point that is met again is not decoded again.
    asked = len({repr((step.weights, step.temperatures)) for step in whole.history})
    assert asked > 2
    for stop in range(1, asked):
        log, calls[:] = tmp_path / f"log.{stop}", []

        def dies(*weights, stop=stop):
            if len(calls) == stop:
                raise KeyboardInterrupt
            return decode(*weights)

        with pytest.raises(KeyboardInterrupt):
            tune_expected(dies, REFERENCES, start, log=log, **options)
        calls[:] = []
        assert tune_expected(decode, REFERENCES, start, log=log, **options) == whole
        assert len(calls) == asked - stop
        assert tune_expected(dies, REFERENCES, start, log=log, **options) == whole
        assert log.read_bytes() == (tmp_path / "log.1").read_bytes()


def test_a_log_of_decodings_that_was_cut_off(tmp_path):
    start, log, calls = {"good": 1.0, "bad": 1.0}, tmp_path / "log", []
    decode = ensemble("wsum", 2, calls=calls)
    whole = tune_expected(decode, REFERENCES, start, log=log)
    content = log.read_bytes()
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    header = content.find(b"\n") + 1
    for cut in {0, 1, header - 1, header, header + 1, last, last + 1, last + 40, len(content) - 1}:
        log.write_bytes(content[:cut])
        assert tune_expected(decode, REFERENCES, start, log=log) == whole
        assert log.read_bytes() == content
    calls[:] = []
    log.write_bytes(content[:-1])
    tune_expected(decode, REFERENCES, start, log=log)
    assert len(calls) == 1


@pytest.mark.parametrize(
    "beside",
    [
        None,
        7,
        "",
        "AAAA",
        "x",
        pack([]),
        pack([Derivations(["a"], [[0]], np.zeros((1, 3), np.float32))] * len(REFERENCES)),
        pack([Derivations(["a"], [[1]], np.zeros((1, 2), np.float32))] * len(REFERENCES)),
        pack([Derivations(["a"], [[0]], np.full((1, 2), np.nan, np.float32))] * len(REFERENCES)),
        pack([Derivations([], [], np.zeros((0, 2), np.float32))])[:-4],
        base64.b64encode(zlib.compress(b"[{}]")).decode(),
        base64.b64encode(zlib.compress(b"[3]")).decode(),
        base64.b64encode(zlib.compress(b"{")).decode(),
        base64.b64encode(zlib.compress(b"[" * 100_000)).decode(),
        base64.b64encode(zlib.compress(b'[{"texts": [3], "edges": [[]], "rest": [], "parts": ""}]')).decode(),
    ],
)
def test_a_log_of_decodings_that_is_damaged(beside, tmp_path):
    start, log, calls = {"good": 1.0, "bad": 1.0}, tmp_path / "log", []
    decode = ensemble("wsum", 2, calls=calls)
    tune_expected(decode, REFERENCES, start, log=log)
    header, first, *rest = log.read_text("utf-8").splitlines()
    calls[:] = []
    entry = json.loads(first)
    log.write_text("\n".join([header, json.dumps({**entry, "beside": beside}), *rest, ""]), "utf-8")
    with pytest.raises(FormatError, match="remove the log, and begin again"):
        tune_expected(decode, REFERENCES, start, log=log)
    assert not calls


def test_a_log_of_other_decodings(tmp_path):
    start, log = {"good": 1.0, "bad": 1.0}, tmp_path / "log"
    tune_expected(ensemble("wsum", 2), REFERENCES, start, log=log)
    content = log.read_bytes()
    for change in ({"operation": "wmax"}, {"scaling": "raw"}, {"key": "another"}):
        with pytest.raises(InputError, match="the log is of another problem; name another file, or remove this one"):
            tune_expected(ensemble("wsum", 2), REFERENCES, start, log=log, **change)
    with pytest.raises(InputError, match="another problem"):
        tune_expected(ensemble("wsum", 2), REFERENCES, {"good": 1.0, "evil": 1.0}, log=log)
    assert log.read_bytes() == content
    log.write_text("my thesis\n")
    with pytest.raises(InputError, match="no log of evaluations"):
        tune_expected(ensemble("wsum", 2), REFERENCES, start, log=log)
    assert log.read_text() == "my thesis\n"


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=30, deadline=None)
def test_packing_loses_nothing_that_counts(seed, rests):
    random = np.random.default_rng(seed)
    decoded = []
    for _ in range(int(random.integers(1, 4))):
        parts = random.normal(0, 1e3, (6, 2))
        parts[random.uniform(size=parts.shape) < 0.2] = -np.inf
        many = int(random.integers(0, 4))
        texts = ["".join(map(chr, random.choice([32, 97, 228, 0x1F600, 10, 0], 4))) for _ in range(many)]
        edges = [random.integers(0, 6, int(random.integers(0, 5))).tolist() for _ in range(many)]
        decoded.append(Derivations(texts, edges, parts, random.normal(size=many) if rests else ()))
    references = ["a b"] * len(decoded)
    one, other = (MixedLists(references, ["x", "y"]) for _ in range(2))
    packed = unpack(pack([compact(own) for own in decoded]), 2)
    assert one.add(decoded) == other.add(packed)
    assert one.best(decoded) == other.best(packed)
    wanted, found = one.arrays(), other.arrays()
    for name in ("statistics", "sentences", "edges", "ends", "parts", "rest"):
        assert getattr(wanted, name).tolist() == getattr(found, name).tolist()
    assert pack(packed) == pack([compact(own) for own in decoded])


def test_loop_begins_with_temperatures():
    start, warmth = {"good": 1.0, "bad": 1.0}, {"bad": 2.0}
    decode = ensemble("wsum", 2)
    kept = tune_expected(decode, REFERENCES, start, warmth=warmth)
    assert all(step.temperatures == {"good": 1.0, "bad": 2.0} for step in kept.history)
    assert kept.score > kept.history[0].score
    with pytest.raises(InputError, match="'ugly', which is no component"):
        tune_expected(decode, REFERENCES, start, warmth={"ugly": 1.0})


def test_loop_tunes_temperatures():
    decode = ensemble("wsum", 2)
    result = tune_expected(decode, REFERENCES, {"good": 1.0, "bad": 1.0}, temperatures=True)
    assert result.score > result.history[0].score
    assert len({tuple(step.temperatures.values()) for step in result.history}) > 1


def test_loop_ends():
    everything = tune_expected(ensemble("wsum", 2, size=1000), REFERENCES, {"good": 1.0, "bad": 1.0}, iterations=50)
    assert everything.history[-1].added == 0
    assert len(everything.history) == 2
    once = tune_expected(ensemble("wsum", 2), REFERENCES, {"good": 1.0, "bad": 1.0}, iterations=0)
    assert (len(once.history), once.weights) == (1, {"good": 1.0, "bad": 1.0})
    numbers = iter(range(100))

    def useless(_):
        return [Derivations([f"word{next(numbers)}"], [[0]], np.array([[-1.0, -1.0]]))]

    assert len(tune_expected(useless, ["a"], {"a": 1.0, "b": 1.0}, patience=3).history) == 4


def test_sentences_without_derivations():
    empty = Derivations([], [], np.zeros((0, 2)))
    some = Derivations(["a b", "b a"], [[0], [1]], np.array([[-1.0, -2.0], [-2.0, -1.0]]))
    result = tune_expected(lambda _: [empty, some, empty], ["a b"] * 3, {"a": 1.0, "b": 1.0})
    assert math.isfinite(result.score)
    with pytest.raises(InputError, match="no derivations"):
        ExpectedBleu(MixedLists(["a"], ["a"]).arrays())


def test_the_same_derivations_are_one():
    lists = MixedLists(["a b", "c"], ["one", "two"])
    parts = np.array([[-1.0, -2.0], [-3.0, -np.inf], [-1.0, -2.0]])
    both = [Derivations(["a b", "a b", "a b"], [[0, 1], [1, 2], [0, 0, 1]], parts), Derivations(["c"], [[1]], parts)]
    assert lists.add(both) == 3
    assert lists.add(both) == 0
    assert lists.add([Derivations(["a b"], [[0, 1]], parts, [0.5]), Derivations([], [], parts)]) == 1
    found = lists.arrays()
    assert found.sentences.tolist() == [3, 4]
    assert found.edges.tolist() == [0, 1, 0, 0, 1, 0, 1, 2]
    assert found.ends.tolist() == [2, 5, 7, 8]
    assert found.parts.tolist() == [[-1.0, -2.0], [-3.0, -np.inf], [-3.0, -np.inf]]
    assert found.rest.tolist() == [0.0, 0.0, 0.5, 0.0]


@pytest.mark.parametrize(
    ("derivations", "what"),
    [
        (Derivations(["a"], [[0]], np.array([[1.0]])), "2 components"),
        (Derivations(["a"], [[0]], np.array([1.0, 2.0])), "2 components"),
        (Derivations(["a"], [], np.zeros((1, 2))), "1 texts, 0 lists"),
        (Derivations(["a"], [[0]], np.zeros((1, 2)), [0.0, 1.0]), "2 rests"),
        (Derivations(["a"], [[1]], np.zeros((1, 2))), "edge that is not there"),
        (Derivations(["a"], [[-1]], np.zeros((1, 2))), "edge that is not there"),
        (Derivations(["a"], [[0]], np.array([[math.nan, 1.0]])), "not a finite number"),
        (Derivations(["a"], [[0]], np.array([[math.inf, 1.0]])), "not a finite number"),
        (Derivations(["a"], [[0]], np.array([[1e300, 1.0]])), "not a finite number"),
        (Derivations(["a"], [[0]], np.zeros((1, 2)), [math.nan]), "rest is not a finite number"),
    ],
)
def test_refuses_derivations(derivations, what):
    lists = MixedLists(["a", "b"], ["one", "two"])
    good = Derivations(["a"], [[0]], np.zeros((1, 2)))
    with pytest.raises(InputError, match=what):
        lists.add([good, derivations])
    assert lists.size == 0


def test_refuses_long_lists_and_other_texts():
    many = Derivations(["a"] * 3, [[0]] * 3, np.zeros((1, 2)))
    with pytest.raises(LimitError, match="3 derivations, more than 2"):
        MixedLists(["a"], ["one", "two"], limits=Limits(nbest=2)).add([many])
    with pytest.raises(InputError, match="1 lists for 2 sentences"):
        MixedLists(["a", "b"], ["one", "two"]).add([many])
    with pytest.raises(InputError, match="components"):
        MixedLists(["a"], [])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"rest": np.zeros(3)}, "do not fit"),
        ({"statistics": np.zeros((2, 9))}, "do not fit"),
        ({"sentences": np.array([1])}, "do not fit"),
        ({"sentences": np.array([0, 2])}, "do not fit"),
        ({"ends": np.array([2, 1])}, "do not fit"),
        ({"edges": np.array([0, 7])}, "not there"),
        ({"statistics": np.full((2, 10), math.nan)}, "statistic"),
        ({"rest": np.array([0.0, math.inf])}, "score of a derivation"),
        ({"parts": np.array([[0.0, math.nan], [0.0, 0.0]])}, "score of a derivation"),
        ({"parts": np.array([[0.0, 0.0], [-math.inf, -math.inf]])}, "in no component"),
    ],
)
def test_refuses_arrays(change, what):
    good = DerivationArrays(
        np.ones((2, 10)), np.array([2]), np.array([0, 1]), np.array([1, 2]), np.zeros((2, 2)), np.zeros(2)
    )
    ExpectedBleu(good)
    with pytest.raises(InputError, match=what):
        ExpectedBleu(replace(good, **change))


def test_refuses_settings():
    good = arrays(drawn(1))
    with pytest.raises(SettingsError, match="switch:max"):
        ExpectedBleu(good, "switch:max")
    with pytest.raises(SettingsError, match="scaling"):
        ExpectedBleu(good, "wsum", "cooked")
    with pytest.raises(InputError, match="floor"):
        ExpectedBleu(replace(good, parts=np.where(good.parts < -2.0, -np.inf, 0.0)), "prod")
    objective, start = ExpectedBleu(good), Mixing(np.ones(3), np.ones(3), 1.0)
    with pytest.raises(SettingsError, match="bounds"):
        maximise_expected(objective, start, weight_bounds=(0.0, 1.0))
    with pytest.raises(SettingsError, match="penalty"):
        maximise_expected(objective, start, penalty=math.nan)
    for bad in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(InputError, match="above 0"):
            objective.bleu(replace(start, sharpness=bad))
        with pytest.raises(InputError, match="'a'"):
            tune_expected(lambda _: [], ["a"], {"a": bad})
    with pytest.raises(InputError, match="finite"):
        objective.value(np.full(7, math.nan))
    with pytest.raises(InputError, match="finite"):
        objective.value(np.full(7, 900.0))
    with pytest.raises(InputError, match="7 finite"):
        objective.value(np.zeros(6))
    for setting in ({"iterations": -1}, {"patience": 0}, {"patience": True}):
        with pytest.raises(SettingsError):
            tune_expected(lambda _: [], ["a"], {"a": 1.0}, **setting)
