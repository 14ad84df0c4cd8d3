"""Which side a line belongs to, from the corpus alone."""

import pytest

from tolka.corpus.profiles import Profile, Sides
from tolka.corpus.synthetic import Synthetic


@pytest.fixture(scope="module")
def examples():
    return list(Synthetic(4).sample(400))


@pytest.fixture(scope="module", params=[("de", "en"), ("fr", "en"), ("fr", "de")])
def languages(request):
    return request.param


@pytest.fixture(scope="module")
def sides(examples, languages):
    return Sides(*(Profile.of(one.raw[lang] for one in examples[:200]) for lang in languages))


def test_sides_of_new_text(sides, examples, languages):
    source, target = ([one.raw[lang] for one in examples[200:]] for lang in languages)
    assert sides.judge(source, target) == "right"
    assert sides.judge(target, source) == "swapped"
    assert sides.judge(target, target[::-1]) == "source"
    assert sides.judge(source, source[::-1]) == "target"
    assert sides.is_foreign(source, "target")
    assert not sides.is_foreign(target, "target")


def test_a_few_lines_are_enough_and_never_wrong(sides, examples, languages):
    source, target = ([one.raw[lang] for one in examples[200:]] for lang in languages)
    told = 0
    for at in range(0, 198, 3):
        some, others = source[at : at + 3], target[at : at + 3]
        assert sides.judge(some, others) == "right"
        told += sides.judge(others, some) == "swapped"
    assert told > 55


def test_what_says_nothing_is_right(sides):
    assert sides.judge([], []) == "right"
    assert sides.judge(["", "12 / 4"], ["", "12 / 4"]) == "right"
    assert sides.judge(["LibreOffice 7.2"] * 50, ["LibreOffice 7.2"] * 50) == "right"


def test_one_language_on_both_sides_is_right(examples):
    """Text that is paired with itself, corrected or made simple, has no sides to swap."""
    lines = [one.raw["en"] for one in examples]
    same = Sides(Profile.of(lines[:200]), Profile.of(lines[100:300]))
    assert same.judge(lines[300:], lines[300:]) == "right"
    assert Sides(Profile({}), Profile({})).judge(lines, lines) == "right"
