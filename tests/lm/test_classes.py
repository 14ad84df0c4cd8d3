"""Class models: p(class | classes) times p(word | class)."""

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import InputError
from tolka.lm import LanguageModel, LanguageModelTrainer, cluster_words, read_classes

CLASSES = {"a": "X", "b": "X", "c": "Y", "d": "Y", "e": "Y"}


@settings(max_examples=40, deadline=None)
@given(
    corpus=st.lists(st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join), min_size=1, max_size=15),
    text=st.lists(st.sampled_from("abcdefz"), max_size=6).map(" ".join),
)
def test_is_the_product(corpus, text):
    model = LanguageModelTrainer(3, classes=CLASSES).train(corpus)
    assert model.of_classes
    counts = Counter(word for line in corpus for word in line.split())
    known = [word for word in text.split() if word in counts]
    totals = Counter()
    for word, count in counts.items():
        totals[CLASSES.get(word, word)] += count

    def to_classes(line: str) -> str:
        return " ".join(CLASSES.get(word, word) if word in counts else "<unk>" for word in line.split())

    of_classes = LanguageModel.train([to_classes(line) for line in corpus], 3)
    expected = of_classes.score(to_classes(text))
    expected += sum(math.log10(counts[word] / totals[CLASSES.get(word, word)]) for word in known)
    assert model.score(text) == pytest.approx(expected, abs=1e-4)


def test_saves_and_loads(tmp_path):
    lines = ["a c", "b d", "a e", "b c f"]
    model = LanguageModelTrainer(2, classes=CLASSES).train(lines)
    model.save(tmp_path / "m.tlm")
    again = LanguageModel.load(tmp_path / "m.tlm")
    assert again.of_classes
    assert "b" in again
    assert "X" not in again
    assert list(again.scores(lines)) == list(model.scores(lines))


def test_reads_a_map(tmp_path):
    path = tmp_path / "classes"
    path.write_text("a\tX\nb X\n")
    assert read_classes(path) == {"a": "X", "b": "X"}
    for text, complaint in (("a\n", "line 1: a line has a word"), ("a X\na Y\n", "line 2: 'a' is listed twice")):
        path.write_text(text)
        with pytest.raises(InputError, match=complaint):
            read_classes(path)
    with pytest.raises(InputError, match="cannot be a class"):
        LanguageModelTrainer(2, classes={"a": "<s>"}).train(["a"])


def likelihood(lines, classes):
    """Of a class bigram model, up to what does not depend on the classes."""
    pairs, left, right = Counter(), Counter(), Counter()
    for line in lines:
        names = ["<s>", *(classes[word] for word in line.split()), "</s>"]
        for one, two in pairwise(names):
            pairs[one, two] += 1
            left[one] += 1
            right[two] += 1
    total = sum(n * math.log(n) for n in pairs.values())
    return total - sum(n * math.log(n) for counts in (left, right) for n in counts.values())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6).map(" ".join), min_size=1, max_size=15))
def test_no_single_move_improves_the_clusters(lines):
    found = cluster_words(lines, 3, rounds=100)
    best = likelihood(lines, found)
    for word in found:
        for name in ("c0", "c1", "c2"):
            assert likelihood(lines, {**found, word: name}) <= best + 1e-6
