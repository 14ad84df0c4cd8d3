"""`compare` and its page."""

import re
from html.parser import HTMLParser

import pytest

from tolka.errors import InputError, SettingsError
from tolka.evaluate import compare, evaluate, render

VOID = {"meta"}


class Checker(HTMLParser):
    """Every element is closed where it should be, and nothing is fetched from elsewhere."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = set()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        assert not {"src", "href", "onclick", "onerror", "style"} & {name for name, _ in attributes}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def found(corpus):
    reference, second, good, poor = corpus
    return compare({"poor": poor, "good": good}, [reference, second], source=reference, rounds=100)


def test_figures_are_those_of_evaluate(corpus, found):
    reference, second, good, _ = corpus
    alone = evaluate(good, [reference, second], confidence=True, rounds=100)
    for figure, score in zip(found.figures, alone.scores, strict=True):
        assert (figure.scores[1], figure.intervals[1], figure.signature) == (
            score.score,
            score.interval,
            score.signature,
        )
        assert figure.pairs[0, 1].p < 0.05
    assert sum(bucket.size for bucket in found.lengths) == len(good)
    assert all(bucket.values[1] > bucket.values[0] for bucket in found.frequencies if bucket.size > 50)
    assert found.examples[0].source is not None


def test_by_hand():
    training = ["the the the a"]
    found = compare({"a": ["the cat sat"], "b": ["a cat"]}, ["the cat sat"], training=training, rounds=10)
    # Seen 3 times: the; never: cat, sat; seen once: a, which no reference has.
    assert [(bucket.label, bucket.size) for bucket in found.frequencies] == [("0", 2), ("3-4", 1)]
    assert found.frequencies[0].values == (100.0, pytest.approx(100 * 2 * 1 / 3))
    assert found.frequencies[1].values == (100.0, 0.0)
    [(won, lost)] = found.ngrams
    assert won == ()
    assert [(" ".join(ngram.words), ngram.first, ngram.other) for ngram in lost[:2]] == [
        ("the cat sat", 1, 0),
        ("cat sat", 1, 0),
    ]


def test_page_stands_alone(found):
    page = render(found)
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert not checker.open
    assert {"table", "caption", "svg", "mark", "select", "figure"} <= checker.seen
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert not re.search(r"https?://|@import|url\(", page)
    assert page == render(found)


def test_texts_cannot_break_out():
    bad = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\" ' &amp;"
    names = {f"a{bad}": [bad, "same"], "b": ["x", "same"]}
    page = render(compare(names, [f"{bad} {bad}", "same"], source=[bad, bad], tokenised=True, rounds=10))
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert "img" not in checker.seen
    assert page.count("<script>") == 1
    assert "&amp;amp;" in page


def test_same_outputs():
    page = render(compare({"a": ["x"], "b": ["x"]}, ["y"], rounds=10))
    assert "score the same on every line" in page


def test_mistakes():
    with pytest.raises(SettingsError, match="give 2 to 8"):
        compare({"a": ["x"]}, ["x"])
    with pytest.raises(InputError, match="the source has 2 lines and a has 1"):
        compare({"a": ["x"], "b": ["x"]}, ["x"], source=["x", "y"])
    with pytest.raises(InputError, match="a has 1 lines and b has 2"):
        compare({"a": ["x"], "b": ["x", "y"]}, ["x"])
