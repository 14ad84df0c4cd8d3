"""ARPA files: any order of n-grams, and every complaint has its line."""

import gzip
import lzma
import random

import pytest
from twin import log_prob, read_arpa

from tolka.errors import FormatError, SettingsError
from tolka.lm import LanguageModel, LanguageModelTrainer

GOOD = """\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.5\t<unk>
-99\t<s>\t-0.3
-0.7\t</s>
-0.6\ta\t-0.2
-0.8\tb\t-0.1

\\2-grams:
-0.4\t<s> a\t-0.05
-0.5\ta b\t-0.15
-0.3\tb </s>

\\3-grams:
-0.1\t<s> a b

\\end\\
"""


def load(tmp_path, text: str) -> LanguageModel:
    path = tmp_path / "m.arpa"
    path.write_text(text)
    return LanguageModel.load(path)


def test_scores_by_hand(tmp_path):
    model = load(tmp_path, GOOD)
    assert model.counts == (5, 3, 1)
    # <s> a (-0.4), <s> a b (-0.1), a b </s> backs off from "a b" to "b </s>" (-0.15 - 0.3).
    assert model.score("a b") == pytest.approx(-0.95)
    # b after <s>: -0.3 - 0.8; an unknown word after b: -0.1 - 1.5; the end after it: -0.7.
    assert model.score("b x") == pytest.approx(-3.4)
    assert [score.ngram for score in model.word_scores("a b")] == [2, 3, 2]
    assert [score.oov for score in model.word_scores("b x", bos=False, eos=False)] == [False, True]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("ngram 2=3", "ngram 2=4", r"line 17: 3 2-grams are listed, but the header says 4"),
        ("ngram 2=3", "ngram 5=3", r'line 3: "ngram 5=3" is no line like "ngram 2=42"'),
        ("-0.5\ta b", "0.5\ta b", r"line 15: the log probability 0.5 is above 0"),
        ("-0.5\ta b", "nan\ta b", r'line 15: the log probability "nan" is not a finite number'),
        ("a b\t-0.15", "a b\tinf", r'line 15: the back-off "inf" is not a finite number'),
        ("-0.1\t<s> a b", "-0.1\t<s> a b\t-0.5", r"line 19: an n-gram of the highest order has a back-off"),
        ("-1.5\t<unk>", "-1.5\tc", r"line 12: the unigrams have no <unk>"),
        ("-0.3\tb </s>", "-0.3\tb c", r'line 16: "c" is not among the unigrams'),
        ("-0.3\tb </s>", "-0.3\ta b", r'line 16: "a b" is listed twice'),
        ("-0.8\tb", "-0.8\ta", r'line 11: "a" is listed twice'),
        ("-0.1\t<s> a b", "-0.1\tb a b", r'line 19: "b a b" needs the 2-gram "b a", which is not listed'),
        ("-0.5\ta b", "-0.5\ta", r"line 15: 3 fields where a 2-gram has 3 or 4|is not among|finite"),
        ("-0.5\ta b", "-0.5\ta b a b", r"line 15: 6 fields where a 2-gram has 3 or 4"),
        ("\\end\\", "", r"the file ends without .end."),
        ("\\3-grams:", "\\4-grams:", r"line 18: found .* instead of .3-grams:"),
        ("\\data\\", "data", r"this is no ARPA file"),
    ],
)
def test_complaints(tmp_path, old, new, complaint):
    assert old in GOOD
    with pytest.raises(FormatError, match=complaint):
        load(tmp_path, GOOD.replace(old, new, 1))


def test_every_cut_is_noticed(tmp_path):
    for size in range(len(GOOD) - 1):
        if GOOD[:size].rstrip().endswith("\\end\\"):
            continue
        with pytest.raises(FormatError):
            load(tmp_path, GOOD[:size])


def test_missing_suffix_is_filled_in(tmp_path):
    text = GOOD.replace("ngram 2=3", "ngram 2=2").replace("-0.5\ta b\t-0.15\n", "")
    model = load(tmp_path, text)
    grams = read_arpa(tmp_path / "m.arpa")
    assert model.counts == (5, 3, 1)
    words = ["<s>", "b", "a", "b", "</s>"]
    by_hand = sum(log_prob(grams, tuple(words[max(0, i - 2) : i + 1])) for i in range(1, 5))
    assert model.score("b a b") == pytest.approx(by_hand, abs=1e-5)


def test_any_order_of_lines(tmp_path):
    lines = ["a b c d", "b c d e", "a c b d", "d a b c"] * 3
    model = LanguageModelTrainer(3).train(lines)
    model.save(tmp_path / "sorted.arpa")
    shuffled = []
    for block in (tmp_path / "sorted.arpa").read_text().split("\n\n"):
        title, *rest = block.split("\n")
        if title.endswith("-grams:"):
            random.Random(3).shuffle(rest)  # noqa: S311 this makes test data
        shuffled.append("\n".join([title, *rest]))
    again = load(tmp_path, "\n\n".join(shuffled))
    assert list(again.scores(lines)) == pytest.approx(list(model.scores(lines)))


@pytest.mark.parametrize(("ending", "opener"), [("gz", gzip.open), ("xz", lzma.open)])
def test_compressed(tmp_path, ending, opener):
    model = load(tmp_path, GOOD)
    path = tmp_path / f"again.arpa.{ending}"
    model.save(path)
    with opener(path, "rt") as file:
        assert file.read().startswith("\\data\\\nngram 1=5\n")
    assert LanguageModel.load(path).score("a b") == pytest.approx(-0.95)
    model.save(tmp_path / "again.arpa.zst")
    assert LanguageModel.load(tmp_path / "again.arpa.zst").score("a b") == pytest.approx(-0.95)


def test_what_is_written_is_read(tmp_path):
    model = LanguageModelTrainer(4).train(["a b c a", "a b d", "c a b"])
    model.save(tmp_path / "1.arpa")
    LanguageModel.load(tmp_path / "1.arpa").save(tmp_path / "2.arpa")
    assert (tmp_path / "1.arpa").read_bytes() == (tmp_path / "2.arpa").read_bytes()


def test_name_must_say_the_format(tmp_path):
    with pytest.raises(SettingsError, match="does not say what to write"):
        load(tmp_path, GOOD).save(tmp_path / "model.bin")
