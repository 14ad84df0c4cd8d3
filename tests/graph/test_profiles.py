"""Profiles, associations and neighbours: worked numbers, the naive way on random text, and what makes no sense."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.graph import naive

from tolka.errors import InputError, SettingsError, TolkaError
from tolka.graph import Profiles, Text, spelling_profiles

LINES = [
    "the cat drinks milk",
    "the dog drinks water",
    "a cat eats fish",
    "a dog eats meat",
    "the feline drinks milk",
]
SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=8).map(" ".join), min_size=1, max_size=12).filter(
    lambda lines: any(line.strip() for line in lines)
)


def as_dictionary(profiles, node):
    columns, values = profiles.row(node)
    return {profiles.contexts[column]: value for column, value in zip(columns.tolist(), values.tolist(), strict=True)}


def test_the_worked_example():
    profiles = Text.of(LINES).profiles(window=2)
    assert profiles.totals.sum() == 50
    assert [sum(as_dictionary(profiles, profiles.id(word)).values()) for word in ("cat", "dog", "feline")] == [6, 6, 3]
    assert as_dictionary(profiles, profiles.id("feline")) == {"the": 1, "drinks": 1, "milk": 1}
    pmi = profiles.weigh("pmi")
    wanted = {"the": 1.473931, "drinks": 0.888969, "milk": 2.058894}
    assert as_dictionary(pmi, pmi.id("feline")) == pytest.approx(wanted, abs=1e-6)
    feline, cat, dog = (profiles.id(word) for word in ("feline", "cat", "dog"))
    assert pmi.similarity(feline, cat) == pytest.approx(0.393139, abs=1e-6)
    assert pmi.similarity(cat, dog) == pytest.approx(0.189379, abs=1e-6)
    ppmi, cp = profiles.weigh("ppmi"), profiles.weigh("cp")
    assert ppmi.similarity(feline, dog) == pytest.approx(0.082115, abs=1e-6)
    assert cp.similarity(feline, cat, "l1") == pytest.approx(1.0, abs=1e-6)
    assert cp.similarity(feline, cat, "jsd") == pytest.approx(0.431523, abs=1e-6)
    assert (ppmi.measure, cp.measure, profiles.measure) == ("ppmi", "cp", "count")


@given(SENTENCES, st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_counts_are_those_of_the_naive_way(lines, order, window, positional):
    profiles = Text.of(lines).profiles(order=order, window=window, positional=positional)
    wanted = naive.profiles(lines, order, window, positional)
    assert set(profiles.nodes) == set(wanted)
    assert len(profiles.nodes) == len(wanted) == len(profiles)
    places = naive.phrases(lines, order)
    for node, name in enumerate(profiles.nodes):
        assert profiles.id(name) == node
        assert profiles.occurrences[node] == len(places[name])
        assert as_dictionary(profiles, node) == wanted[name]
    sums = naive.totals(lines, window, positional)
    found = dict(zip(profiles.contexts, profiles.totals.tolist(), strict=True))
    assert {name: value for name, value in found.items() if value} == sums


@given(SENTENCES, st.sampled_from(["pmi", "ppmi", "cp", "llr", "chi2"]), st.sampled_from(["text", "rows"]))
def test_associations_are_those_of_the_naive_way(lines, measure, marginals):
    wanted = sorted({word for line in lines for word in line.split()})[:3]
    profiles = Text.of(lines).profiles(wanted, window=2)
    rows = {word: row for word, row in naive.profiles(lines, 1, 2, positional=False).items() if word in wanted}
    columns = naive.totals(lines, 2, positional=False)
    if marginals == "rows":
        columns = {context: sum(row[context] for row in rows.values()) for context in columns}
    expected = naive.weighed(rows, columns, measure)
    weighed = profiles.weigh(measure, marginals=marginals)
    for word in wanted:
        found = as_dictionary(weighed, weighed.id(word))
        # What is next to nothing may be on either side of it.
        kept = {name: value for name, value in found.items() if abs(value) > 1e-9}
        assert kept == pytest.approx({n: v for n, v in expected[word].items() if abs(v) > 1e-9}, rel=1e-5, abs=1e-5)


@given(
    SENTENCES,
    st.sampled_from(
        [("ppmi", "cosine"), ("pmi", "cosine"), ("cp", "cosine"), ("cp", "l1"), ("cp", "jsd"), ("llr", "cosine")]
    ),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_neighbours_are_those_of_the_naive_way(lines, how, k, chance):
    measure, similarity = how
    profiles = Text.of(lines).profiles(order=2, window=2).weigh(measure)
    rows = naive.weighed(
        naive.profiles(lines, 2, 2, positional=False), naive.totals(lines, 2, positional=False), measure
    )
    everyone = range(len(profiles))
    of = chance.sample(everyone, chance.randint(1, len(everyone)))
    among = chance.sample(everyone, chance.randint(1, len(everyone)))
    found = profiles.neighbours(k, of, among, similarity, threads=2)
    assert found.of.tolist() == of
    for place, node in enumerate(of):
        wanted = naive.neighbours(rows, profiles.nodes, node, among, k, similarity)
        own = [(value, other) for other, value in found.row(place) if value > 1e-5]
        assert [value for value, _ in own] == pytest.approx([value for value, _ in wanted if value > 1e-5], abs=1e-5)
        for value, other in own:
            assert other in among
            assert other != node
            raw = naive.similarity(rows[profiles.nodes[node]], rows[profiles.nodes[other]], similarity)
            assert value == pytest.approx(naive.weight(raw, similarity), abs=1e-5)
            assert profiles.similarity(node, other, similarity) == pytest.approx(raw, abs=1e-5)


@given(SENTENCES, st.integers(1, 3))
def test_frames_are_those_of_the_naive_way(lines, longest):
    words = sorted({word for line in lines for word in line.split()})[:3]
    found = Text.of(lines).frames([*words, "never"], longest)
    wanted = naive.frames(lines, words, longest)
    assert found.pop("never") == []
    for word in words:
        assert set(found[word]) == set(wanted[word])
        counts = [wanted[word][phrase] for phrase in found[word]]
        assert counts == sorted(counts, reverse=True)


def test_threads_make_no_difference():
    lines = [" ".join(f"w{(at * at + by * 7) % 50}" for by in range(12)) for at in range(300)]
    ppmi = [Text.of(lines).profiles(order=2, threads=threads).weigh("ppmi", threads=threads) for threads in (1, 2, 0)]
    found = [profiles.neighbours(5, threads=threads) for profiles, threads in zip(ppmi, (1, 2, 0), strict=True)]
    for other in found[1:]:
        np.testing.assert_array_equal(other.ids, found[0].ids)
        np.testing.assert_array_equal(other.similarities, found[0].similarities)
    assert found[0].recall(found[1]) == 1.0


@given(SENTENCES, st.sampled_from([("ppmi", "cosine"), ("cp", "l1"), ("cp", "jsd")]), st.integers(1, 4))
def test_what_is_nearly_nearest_is_nothing_else(lines, how, k):
    measure, similarity = how
    profiles = Text.of(lines).profiles(order=2, window=2).weigh(measure)
    exact = profiles.neighbours(k, similarity=similarity)
    whole = profiles.neighbours(k, similarity=similarity, method="approximate", columns=99, rows=999, candidates=999)
    assert whole.starts.tolist() == exact.starts.tolist()
    assert whole.similarities == pytest.approx(exact.similarities, abs=1e-6)
    some = profiles.neighbours(k, similarity=similarity, method="approximate", columns=1, rows=2, candidates=1)
    for node in range(len(profiles)):
        assert len(some.row(node)) <= len(exact.row(node))
        for other, weight in some.row(node):
            assert weight == pytest.approx(
                naive.weight(profiles.similarity(node, other, similarity), similarity), abs=1e-6
            )
    assert 0 <= some.recall(exact) <= 1


def test_most_of_the_nearest_are_found():
    chance = np.random.default_rng(5)
    topics = [[f"t{topic}w{word}" for word in range(40)] for topic in range(20)]
    lines = [" ".join(chance.choice(topics[at % 20], 10)) for at in range(2000)]
    profiles = Text.of(lines).profiles().weigh("ppmi")
    exact = profiles.neighbours(5)
    found = profiles.neighbours(5, method="approximate", columns=30, rows=30, candidates=30)
    assert 0.6 < found.recall(exact) < 1
    same = profiles.neighbours(5, method="approximate", columns=30, rows=30, candidates=30, threads=2)
    np.testing.assert_array_equal(found.ids, same.ids)
    names = profiles.nodes
    near = [
        names[node].split("w")[0] == names[other].split("w")[0] for node in range(800) for other, _ in found.row(node)
    ]
    assert np.mean(near) > 0.99


def test_nodes_that_never_come_have_empty_rows():
    profiles = Text.of(LINES).profiles(["cat", "unicorn", "cat drinks"], window=2)
    assert profiles.occurrences.tolist() == [2, 0, 1]
    assert as_dictionary(profiles, 1) == {}
    found = profiles.weigh("ppmi").neighbours(3)
    assert found.row(1) == []
    assert {other for other, _ in found.row(0)} == {2}
    assert profiles.id("dog") is None
    # Columns do not depend on which rows there are.
    alone = Text.of(LINES).profiles(["feline"], window=2).weigh("pmi")
    assert as_dictionary(alone, 0)["milk"] == pytest.approx(2.058894, abs=1e-6)


def test_contexts_can_be_fewer():
    text = Text.of(LINES)
    assert text.profiles(contexts=2).contexts == ["the", "drinks"]
    assert text.profiles(min_context=2, min_count=3).contexts == ["the", "drinks", "cat", "milk", "dog", "a", "eats"]
    assert text.profiles(min_count=3).nodes == ["the", "drinks"]
    assert text.profiles(["cat"], positional=True, window=1, contexts=2).contexts == [
        "the@-1", "the@+1", "drinks@-1", "drinks@+1",
    ]  # fmt: skip


def test_rows_as_a_matrix():
    profiles = Text.of(LINES).profiles(window=2)
    starts, ids, values = profiles.matrix()
    assert starts[-1] == len(ids) == len(values)
    node = profiles.id("dog")
    part = slice(int(starts[node]), int(starts[node + 1]))
    np.testing.assert_array_equal(profiles.row(node)[0], ids[part])
    np.testing.assert_array_equal(profiles.row(node)[1], values[part])


def test_texts_are_streams_of_lines():
    text = Text()
    text.add(line for line in LINES[:2])
    text.add(["", *LINES[2:]])
    assert (text.tokens, text.lines, len(text.words)) == (20, 6, 11)
    assert dict(zip(text.words, text.counts.tolist(), strict=True))["the"] == text.count("the") == 3
    assert "milk" in text
    assert "unicorn" not in text
    assert text.count("<s>") == 0
    text.add(["<s> cat </s>"])
    assert text.count("<s>") == 1


def test_spelling():
    profiles = spelling_profiles(["walk", "walks", "talks", "ö"], 2, 3)
    assert set(as_dictionary(profiles, 0)) == {" w", "wa", "al", "lk", "k ", " wa", "wal", "alk", "lk "}
    assert as_dictionary(profiles, 3) == {" ö": 1, "ö ": 1, " ö ": 1}
    found = profiles.neighbours(3)
    assert [other for other, _ in found.row(1)] == [0, 2]


def worked() -> Profiles:
    return Text.of(LINES).profiles(window=2)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: Text.of([]).profiles(), "the text has no words"),
        (lambda: Text.of(["", " "]).frames(["a"]), "the text has no words"),
        (lambda: Text.of("the cat"), "a text is made of lines"),
        (lambda: Text.of([3]), "a line of a text is 3"),
        (lambda: Text.of(LINES).profiles(window=0), "the window must be from 1 to 100, not 0"),
        (lambda: Text.of(LINES).profiles(window=-1), "window must be a whole number"),
        (lambda: Text.of(LINES).profiles(order=0), "the order must be from 1 to 4, not 0"),
        (lambda: Text.of(LINES).profiles(["a b c d e"]), 'the phrase "a b c d e" has 5 words'),
        (lambda: Text.of(LINES).profiles([" "]), 'the phrase " " has 0 words'),
        (lambda: Text.of(LINES).profiles(["a", "b", "a"]), 'the phrase "a" is wanted twice'),
        (lambda: Text.of(LINES).profiles("a"), "nodes are a list"),
        (lambda: Text.of(LINES).frames(["a"], 0), "phrases have 1 to 4 words, not 0"),
        (lambda: worked().weigh("tfidf"), 'unknown measure "tfidf"; use ppmi, pmi, cp, llr or chi2'),
        (lambda: worked().weigh("count"), 'unknown measure "count"'),
        (lambda: worked().weigh("cp").weigh("cp"), "weighed by cp already"),
        (lambda: worked().weigh("cp", marginals="both"), "unknown marginals"),
        (lambda: worked().similarity(0, 99), "there is no node 99"),
        (lambda: worked().similarity(0, 1, "jsd"), "jsd compares distributions"),
        (lambda: worked().row(99), "there is no node 99"),
        (lambda: worked().neighbours(0), "k must be a whole number of 1 or more, not 0"),
        (lambda: worked().neighbours(1, [99]), "there is no node 99"),
        (lambda: worked().neighbours(1, None, [99]), "there is no node 99"),
        (lambda: worked().neighbours(1, [-1]), "of must be from 0"),
        (lambda: worked().neighbours(1, [0.5]), "of must be whole numbers"),
        (lambda: worked().neighbours(1, similarity="dice"), 'unknown similarity "dice"; use cosine, l1 or jsd'),
        (lambda: worked().neighbours(1, method="magic"), "unknown method 'magic'"),
        (
            lambda: worked().neighbours(1, method="approximate", columns=0),
            "columns must be a whole number of 1 or more",
        ),
        (lambda: worked().neighbours(1, method="approximate", rows=-1), "rows must be a whole number of 1 or more"),
        (lambda: worked().neighbours(1, [0]).row(1), "there is no row 1"),
        (lambda: worked().neighbours(1, [0]).recall(worked().neighbours(1, [1])), "neighbours of other nodes"),
        (lambda: spelling_profiles(["a", "a"]), "wanted twice"),
        (lambda: spelling_profiles(["a"], 3, 2), "make no sense"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_sentence(wrong, sentence):
    with pytest.raises((InputError, SettingsError)) as error:
        wrong()
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_lone_surrogate_is_no_text():
    with pytest.raises(TolkaError, match="lone surrogate"):
        Text.of(["a \ud800"])
