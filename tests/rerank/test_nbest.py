"""Reading lists: the formats of Moses, cdec and tolka, and files that are none of them."""

import gzip
import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.errors import FormatError, LimitError, TolkaError
from tolka.forest import Segment
from tolka.limits import DEFAULT
from tolka.rerank import parse_nbest, read_nbest


def test_moses():
    [own] = parse_nbest(["7 ||| das  Haus ||| LM0= -1.5 TM0= 1 2 WT_das~the= 1 ||| -3e0 ||| 0-1=0 2=1-2 ||| 0-0 2-1"])
    [entry] = own.entries
    assert (own.number, entry.words, entry.score) == (7, "das Haus", -3.0)
    assert entry.features == {"LM0": -1.5, "TM0_0": 1.0, "TM0_1": 2.0, "WT_das~the": 1.0}
    assert entry.links == ((0, 0), (2, 1))
    assert entry.segments == (Segment((0, 2), (0, 1)), Segment((2, 3), (1, 3)))
    [other] = parse_nbest(["7 ||| das ||| LM0= -1.5 ||| -3 ||| 0-0 2-1 ||| 2=1-2 0-1=0"])
    assert (other.entries[0].links, other.entries[0].segments) == (entry.links, entry.segments)


def test_moses_of_old_and_without_names():
    [own] = parse_nbest(["0 ||| a ||| d: 0 -1 lm: -3 ||| -2", "0 ||| b ||| 0.5 -1 ||| -3", "0 ||| c"])
    assert [entry.features for entry in own.entries] == [
        {"d_0": 0.0, "d_1": -1.0, "lm": -3.0},
        {"F0": 0.5, "F1": -1.0},
        {},
    ]
    assert own.entries[2].score is None
    assert own.entries[2].links is None


def test_cdec():
    [own] = parse_nbest(["0 ||| a b ||| LanguageModel=-1.5 Glue=2 R:a=b=1 ||| -0.75"])
    assert own.entries[0].features == {"LanguageModel": -1.5, "Glue": 2.0, "R:a=b": 1.0}
    assert own.entries[0].score == -0.75


def test_json():
    one = {"text": "A b.", "words": "a b .", "score": -1, "features": {"lm": -2.5}}
    more = one | {"links": [[0, 0], [1, 2]], "segments": [[[0, 2], [0, 3]]]}
    line = json.dumps({"line": 3, "source": "X y.", "source_words": "x y .", "nbest": [one, more]})
    [own] = parse_nbest([line])
    assert (own.number, own.source) == (3, "x y .")
    assert own.entries[0].links is None
    assert own.entries[1].links == ((0, 0), (1, 2))
    assert own.entries[1].segments == (Segment((0, 2), (0, 3)),)
    assert own.entries[1].text == "A b."


def test_lists_come_one_after_the_other(tmp_path):
    path = tmp_path / "lists.gz"
    with gzip.open(path, "wt") as out:
        out.write("0 ||| a\n0 ||| b\n2 ||| c\n")
    found = [(own.number, [entry.words for entry in own.entries]) for own in read_nbest(path)]
    assert found == [(0, ["a", "b"]), (2, ["c"])]

    def lines():
        yield "0 ||| a"
        yield "1 ||| b"
        raise AssertionError("read too far")

    assert next(parse_nbest(lines())).number == 0


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("0 a b", "lines like"),
        ("x ||| a", "no number"),
        ("-1 ||| a", "no number"),
        ("0 ||| a ||| LM= x", "'x' is not a finite number"),
        ("0 ||| a ||| LM= nan", "not a finite"),
        ("0 ||| a ||| LM= inf", "not a finite"),
        ("0 ||| a ||| LM=", "no value"),
        ("0 ||| a ||| LM= 1 LM= 2", "comes twice"),
        ("0 ||| a ||| LM= 1 ||| 1_0", "not a finite"),
        ("0 ||| a ||| LM= 1 ||| -1 ||| 0-a", "no links"),
        ("0 ||| a ||| LM= 1 ||| -1 ||| 0-0 ||| 1=x", "no phrase"),
        ("0 ||| a ||| LM= 1 ||| -1 ||| 0-0 ||| 3-1=0", "ends before"),
        ("0 ||| a ||| LM= 1 ||| -1 ||| 0-0 ||| 0=0 ||| 0-0", "one too many"),
        ("{", "no JSON"),
        ('{"line": 0, "nbest": [{"text": "a"}]}', "no JSON"),
        ('{"line": 0, "nbest": [{"words": "a", "score": NaN}]}', "not a finite"),
        ('{"line": -1, "nbest": []}', "no number"),
        ('{"line": 0, "nbest": [{"words": "a", "links": [[-1, 0]]}]}', "no two positions"),
    ],
)
def test_malformed_lines_are_named(line, what):
    with pytest.raises(FormatError, match=what) as caught:
        list(parse_nbest(["0 ||| fine", line] if not line.startswith("{") else ["", line][1:], name="lists"))
    assert caught.value.line == (1 if line.startswith("{") else 2)


def test_sentences_that_come_back_are_refused():
    with pytest.raises(FormatError, match="sentence 0 comes after sentence 1"):
        list(parse_nbest(["0 ||| a", "1 ||| a", "0 ||| b"]))


def test_limits():
    small = replace(DEFAULT, nbest=1, sentence_tokens=2)
    with pytest.raises(LimitError, match="more than 1 translations"):
        list(parse_nbest(["0 ||| a", "0 ||| b"], limits=small))
    with pytest.raises(LimitError, match="more than 2 words"):
        list(parse_nbest(["0 ||| a b c"], limits=small))


@given(st.lists(st.text(alphabet='0123|{}-= .:aE"[]', max_size=40), max_size=4))
def test_any_lines_are_read_or_refused(lines):
    with suppress(TolkaError):
        list(parse_nbest(lines))
