"""Which questions there are, what they tell and what answers change."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assist.senses import twins

from tolka.assist.senses import (
    Asker,
    BackTranslations,
    Chooser,
    SearchGraph,
    Thesaurus,
    Units,
    answered,
    choose,
    expected_information,
    factors,
    mixtures,
    shares,
)
from tolka.assist.senses.graph import Piece
from tolka.assist.senses.packed import Shape
from tolka.assist.senses.substitutes import same_stem
from tolka.errors import FormatError, InputError, SettingsError

# Mohammad's example: three translations of "schwer", and two models of P(f|e) for its substitutes.
WEIGHTS = np.array([0.5, 0.2, 0.3])
FIRST = np.array([[0.60, 0.50], [0.40, 0.30], [0.10, 0.05]])
SECOND = np.array([[0.05, 0.02], [0.10, 0.10], [0.30, 0.45]])
HALVES = np.array([[0.5, 0.5]])


def test_worked_example():
    share = shares(FIRST, SECOND, HALVES)
    assert share[0].tolist() == pytest.approx([0.940171, 0.777778, 0.166667], abs=1e-6)
    assert float(WEIGHTS @ share[0]) == pytest.approx(0.675641, abs=1e-6)
    assert float(expected_information(WEIGHTS, share)) == pytest.approx(0.275754, abs=1e-6)
    for answer, wanted in [(0, [0.695762, 0.230234, 0.074004]), (1, [0.092227, 0.137022, 0.770751])]:
        each, others = factors(WEIGHTS, share, answer)
        assert (WEIGHTS * each / others).tolist() == pytest.approx(wanted, abs=1e-6)


def test_uniform_mixtures():
    # Of two models Dirichlet(1) is the unit interval.
    nodes, weights = np.polynomial.legendre.leggauss(40)
    alpha = np.column_stack([(nodes + 1) / 2, (1 - nodes) / 2])
    each = [float(expected_information(WEIGHTS, shares(FIRST, SECOND, row[None]))) for row in alpha]
    assert float(np.array(each) @ weights / 2) == pytest.approx(0.276874, abs=1e-6)
    drawn = expected_information(WEIGHTS, shares(FIRST, SECOND, mixtures(2, draws=20_000, seed=3)))
    assert float(drawn) == pytest.approx(0.276874, abs=1e-3)
    assert mixtures(2, seed=3).tolist() == mixtures(2, seed=3).tolist()


def _rows(draw, width):
    value = st.one_of(st.just(0.0), st.floats(1e-5, 1))
    return draw(st.lists(st.lists(value, min_size=2, max_size=2), min_size=width, max_size=width))


@given(st.data())
def test_information_is_the_twins(data):
    width = data.draw(st.integers(1, 4))
    weights = data.draw(st.lists(st.floats(0.01, 0.25), min_size=width, max_size=width))
    first, second = _rows(data.draw, width), _rows(data.draw, width)
    alpha = mixtures(2, draws=5, seed=data.draw(st.integers(0, 9)))
    known = (np.array(first).sum(axis=1) + np.array(second).sum(axis=1)) > 0
    share = shares(np.array([first]), np.array([second]), alpha)
    found = float(expected_information(np.array(weights), share, known[None])[0])
    wanted = twins.information(weights, first, second, alpha.tolist()) if known.any() else 0.0
    assert found == pytest.approx(wanted, abs=1e-9)


def test_mistakes_tell_less():
    alpha = mixtures(2, draws=50)
    told = [float(expected_information(WEIGHTS, shares(FIRST, SECOND, alpha, errors=e))) for e in (0.0, 0.1, 0.3, 0.5)]
    assert told == sorted(told, reverse=True)
    assert told[-1] == pytest.approx(0.0, abs=1e-12)
    assert shares(FIRST, SECOND, HALVES, errors=0.2)[0, 0] == pytest.approx(
        0.2 * (1 - 0.940171) + 0.8 * 0.940171, abs=1e-6
    )


TABLE = {
    "difficult": [("schwierig", 0.6, 0.5, 0.5, 0.5, 10.0), ("schwer", 0.3, 0.4, 0.3, 0.3, 30.0)],
    "hard": [
        ("hart", 0.5, 0.5, 0.9, 0.9, 9.0),
        ("schwer", 0.3, 0.3, 0.4, 0.4, 30.0),
        ("schwere", 0.2, 0.2, 0.4, 0.4, 5.0),
    ],
    "heavy": [("gewichtig", 0.4, 0.3, 0.8, 0.8, 4.0), ("schwer", 0.5, 0.5, 0.2, 0.2, 30.0)],
    "the": [("die", 0.9, 0.9, 0.9, 0.9, 900.0)],
}
COUNTS = {"die": 900.0, "schwer": 30.0, "schwierig": 10.0, "hart": 9.0, "schwere": 5.0, "gewichtig": 4.0}


def _asker(**settings):
    chooser = Chooser(BackTranslations(TABLE, COUNTS), functions=1, **settings)
    return Asker(chooser, draws=50)


def _graph():
    return SearchGraph.from_edges(
        [
            (0, 1, "the", (0, 1), -0.1),
            (1, 2, "exam", (1, 2), -0.1),
            (2, 3, "difficult", (2, 3), -0.5),
            (2, 3, "hard", (2, 3), -0.9),
            (2, 3, "heavy", (2, 3), -1.0),
        ],
        source="die Prüfung schwer",
    )


def test_questions_of_a_sentence():
    graph, asker = _graph(), _asker()
    units = Units(graph)
    questions = asker.questions(graph, units)
    assert {frozenset(one.substitutes) for one in questions} == {
        frozenset(("schwierig", "hart")),
        frozenset(("schwierig", "gewichtig")),
        frozenset(("hart", "gewichtig")),
    }
    assert {one.phrase for one in questions} == {"schwer"}
    told = [one.information for one in questions]
    assert told == sorted(told, reverse=True)
    best = questions[0]
    posteriors = dict(zip([piece.words for piece in graph.pieces], graph.piece_posteriors.tolist(), strict=True))
    assert best.weights.tolist() == pytest.approx([posteriors[target] for target in best.targets])
    again = asker.questions(graph, units, asked={(best.span, frozenset(best.substitutes))})
    assert best.substitutes not in {one.substitutes for one in again}
    assert asker.questions(graph, units, spans={(0, 1)}) == []


@pytest.mark.parametrize("answer", [0, 1])
def test_an_answer_is_bayes_rule(answer):
    graph, asker = _graph(), _asker()
    units = Units(graph)
    question = asker.questions(graph, units)[0]
    after = answered(graph, units, question, answer)
    each, others = question.factors(answer)
    said = dict(zip(question.targets, each.tolist(), strict=True))
    weighed = [
        p * said.get(piece.words, others) if 2 in piece.at else p
        for piece, p in zip(graph.pieces, graph.piece_posteriors.tolist(), strict=True)
    ]
    total = sum(w for w, piece in zip(weighed, graph.pieces, strict=True) if 2 in piece.at)
    wanted = [w / total if 2 in piece.at else w for w, piece in zip(weighed, graph.pieces, strict=True)]
    assert after.piece_posteriors.tolist() == pytest.approx(wanted, abs=1e-9)


def test_an_answer_leaves_what_it_says_nothing_of_as_likely_as_it_was():
    # A phrase over two words without links says nothing of either.
    graph = SearchGraph.from_edges(
        [
            (0, 1, "exam", (0, 1), -0.1),
            (1, 2, "difficult", (1, 2), -0.5),
            (1, 2, "heavy", (1, 2), -0.4),
            (0, 2, "heavy burden", (0, 2), -0.6),
        ],
        source="Prüfung schwer",
    )
    units, asker = Units(graph), _asker()
    question = asker.questions(graph, units)[0]
    before = graph.posteriors()[3]
    for answer in (0, 1):
        assert answered(graph, units, question, answer).posteriors()[3] == pytest.approx(before)


def _linked():
    shape = Shape(np.array([1, 1]), np.array([[0, -1], [0, -1]]), 2, 1, 0)
    pieces = [Piece(("heavy", "rain"), (0, 1), ((0, 0), (1, 1))), Piece(("a", "downpour"), (0, 1), ((0, 1), (1, 1)))]
    return SearchGraph(shape, pieces, np.array([0, 1]), np.array([-0.5, -0.6]), source=("schwerer", "Regen"))


def test_links_say_what_a_word_of_a_phrase_becomes():
    graph = _linked()
    found = {span: [unit.target for unit in own] for span, own in Units(graph).by_span.items()}
    # In the other phrase both words became one, which is neither's alone.
    assert found == {(0, 1): ["heavy"], (1, 2): ["rain"]}
    assert Units(graph, exact=True).by_span == {}
    wider = {span: [unit.target for unit in own] for span, own in Units(graph, width=2).by_span.items()}
    assert wider[0, 2] == ["heavy rain", "a downpour"]


def test_strategies():
    graph, asker = _graph(), _asker()
    questions = asker.questions(graph, Units(graph))
    assert choose(questions, "information") is questions[0]
    assert choose([], "random") is None
    drawn = {choose(questions, "random", seed=seed, about="x").substitutes for seed in range(30)}
    assert drawn == {one.substitutes for one in questions}
    assert choose(questions, "random", seed=4, about="x") is choose(questions, "random", seed=4, about="x")
    # The likeliest translation is nearest to a half, and the likeliest other one comes second.
    assert set(choose(questions, "nearest-half").between) == {"difficult", "hard"}
    with pytest.raises(SettingsError, match="no strategy"):
        choose(questions, "best")


def test_which_words_may_stand_for_others():
    chooser = Chooser(BackTranslations(TABLE, COUNTS), functions=1)
    assert chooser.substitutes("schwer", "hard", 3) == ["hart"]
    loose = Chooser(BackTranslations(TABLE, COUNTS), functions=1, stems=False)
    # It contains the word itself.
    assert loose.substitutes("schwer", "hard", 3) == ["hart"]
    assert loose.substitutes("schwere", "hard", 3) == ["hart"]
    assert Chooser(BackTranslations(TABLE, COUNTS), functions=1, least=0.7).substitutes("schwer", "hard", 3) == []
    assert not chooser.fits("schwer", "die")
    assert not chooser.fits("schwer", "Schwierig")
    assert not chooser.is_content("2020")
    assert not chooser.is_content("es")
    only = Chooser(BackTranslations(TABLE, COUNTS), functions=1, thesaurus=Thesaurus({"schwer": ["Schwierig"]}))
    assert (only.substitutes("schwer", "hard", 3), only.substitutes("schwer", "difficult", 3)) == ([], ["schwierig"])
    assert same_stem("lebte", "lebten")
    assert not same_stem("lebte", "wohnte")


def test_models_of_back_translation():
    table = BackTranslations(TABLE, COUNTS, components=["inverse", "direct"])
    assert table.sources("hard")["hart"].tolist() == pytest.approx([8.1 / (8.1 + 12.0 + 2.0), 0.5])
    assert sum(row[0] for row in table.sources("hard").values()) == pytest.approx(1.0)
    assert table.probabilities("hard", "weich").tolist() == [0.0, 0.0]
    part = table.part(["hard"], ["schwer"])
    assert part.probabilities("hard", "hart").tolist() == table.probabilities("hard", "hart").tolist()
    assert "heavy" not in part.rows
    with pytest.raises(SettingsError, match="no model 'reverse'"):
        BackTranslations(TABLE, components=["reverse"])
    with pytest.raises(SettingsError, match="each named once"):
        BackTranslations(TABLE, components=[])


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Chooser(BackTranslations(TABLE), least=2.0), "between 0 and 1"),
        (lambda: Chooser(BackTranslations(TABLE), functions=-1), "cannot be left out"),
        (lambda: Asker(Chooser(BackTranslations(TABLE)), draws=0), "at least 1"),
        (lambda: Asker(Chooser(BackTranslations(TABLE)), errors=0.5), "a half"),
        (lambda: Asker(Chooser(BackTranslations(TABLE)), errors=math.nan), "a half"),
    ],
)
def test_settings(make, what):
    with pytest.raises(SettingsError, match=what):
        make()


def test_thesauri(tmp_path):
    mythes, table = tmp_path / "th.dat", tmp_path / "th.tsv"
    mythes.write_text("UTF-8\nschwer|2\n-|schwierig|nicht leicht (ugs.)\n(adj)|gewichtig\n", encoding="utf-8")
    table.write_text("schwer\tschwierig\tgewichtig\n\n", encoding="utf-8")
    for path in (mythes, table):
        found = Thesaurus.read(path)
        assert found.has("Schwer", "gewichtig")
        assert not found.has("gewichtig", "schwer")
    assert Thesaurus.read(mythes).has("schwer", "nicht leicht")


@pytest.mark.parametrize(
    ("text", "error", "what"),
    [
        ("", InputError, "no entry"),
        ("ISO8859-1\nschwer|1\n", FormatError, "line 1: .*UTF-8"),
        ("UTF-8\nschwer\n", FormatError, "line 2: 'schwer' is no"),
        ("UTF-8\nschwer|2\n-|schwierig\n", FormatError, "line 2: the file ends inside"),
        ("a\tb\nschwer\n", FormatError, "line 2: no word and its substitutes"),
    ],
)
def test_damaged_thesauri(tmp_path, text, error, what):
    path = tmp_path / "th"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=what):
        Thesaurus.read(path)
