"""WMT judgements, lists of preferences and JSON lines, whole and broken."""

import lzma

import pytest

from tolka.errors import FormatError, InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.exchange import read_answers, read_rankings, write_jsonl
from tolka.judge.rankings import Ranked

PAIRWISE = """srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID
ces,eng,7,7,judge1,a,3,b+c,4,1
ces,eng,8,8,judge2,a,2,b,2,2
ces,eng,9,9,judge2,a+b,2,b,1,3
"""
FIVE = """srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,\
system3Number,system3Id,system1rank,system2rank,system3rank
Czech,English,18,test,18,j1,1,a,2,b,3,c,2,1,1
German,English,18,test,18,j1,1,x,2,y,3,z,-1,2,1
"""


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_wmt_pairs(tmp_path):
    path = tmp_path / "answers.csv.xz"
    path.write_bytes(lzma.compress(PAIRWISE.encode()))
    answers = read_answers(path, "wmt")
    assert list(answers) == [
        Answer("a", "b", Choice.LEFT, "judge1", "7"),
        Answer("a", "c", Choice.LEFT, "judge1", "7"),
        Answer("a", "b", Choice.TIE, "judge2", "8"),
        Answer("a", "b", Choice.RIGHT, "judge2", "9"),
    ]
    assert answers.skipped == {"systems against themselves": 1}


def test_wmt_rankings_of_several(tmp_path):
    path = write(tmp_path / "five.csv", FIVE)
    found = list(read_answers(path, "wmt", pair="czech-english"))
    assert [(answer.winner, answer.loser) for answer in found] == [("b", "a"), ("c", "a"), (None, None)]
    assert found[0].segment == "test:18"
    other = read_answers(path, "wmt", pair="German-English")
    assert [(answer.winner, answer.loser) for answer in other] == [("z", "y")]
    assert other.skipped == {"blank places": 1, "of other language pairs": 1}
    with pytest.raises(InputError, match=r"line 3: German-English after Czech-English.*--pair Czech-English"):
        list(read_answers(path, "wmt"))
    with pytest.raises(InputError, match=r"no answers \(left out: 2 of other language pairs\)"):
        list(read_answers(path, "wmt", pair="ces-eng"))


def test_preferences(tmp_path):
    path = write(tmp_path / "p.csv", '\ufeffsegment,better,worse\r\n7,"a, b",c\r\n\r\n8,c,"a, b"\r\n')
    assert list(read_answers(path, "preferences")) == [
        Answer("a, b", "c", segment="7"),
        Answer("c", "a, b", segment="8"),
    ]


def test_jsonl_round_trip(tmp_path):
    answers = [
        Answer("a", "b"),
        Answer("ä\u2028", "b", Choice.UNDECIDED, "anna", "1", True, 2.5, "2026-01-01T00:00:00Z", Choice.LEFT, 3.0),
        Answer("same", "same", test=Choice.RIGHT),
    ]
    path = tmp_path / "a.jsonl"
    assert write_jsonl(path, answers) == 3
    assert list(read_answers(path)) == answers
    assert path.read_text(encoding="utf-8").split("\n")[0] == '{"left": "a", "right": "b", "choice": "left"}'


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        ("", "wmt", "the file is empty"),
        ("a,b\n1,2\n", "wmt", "line 1: there are no columns system1rank"),
        ("system1rank,system2rank\n1,2\n", "wmt", "no column system1Id"),
        (PAIRWISE + "ces,eng,9\n", "wmt", "line 5: 3 columns where the header has 10"),
        (PAIRWISE.replace("a,3", "a,x"), "wmt", "line 2: 'x' in column system1rank is not a number"),
        (PAIRWISE.replace("a,3", "a,nan"), "wmt", "line 2: 'nan' in column system1rank"),
        (PAIRWISE.replace("b+c", "b+"), "wmt", "line 2: 'b\\+' joins a system without a name"),
        ('segment,better,worse\n1,"a,b\n', "preferences", "line 2: not a table"),
        ("segment,better,worse\n1,a,a\n", "preferences", "line 2: 'a' is compared with itself"),
        ("segment,better,worse\n1,a,\n", "preferences", "line 2: column worse is empty"),
        ("segment,better,worse\n", "preferences", "there are no answers"),
        ("{}\n", "jsonl", "line 1: left or right is missing"),
        ('{"left": "a", "right": "b"}\n[]\n', "jsonl", "line 2: an answer must be an object"),
        ('{"left": "a", "right": "b", "wight": 2}\n', "jsonl", "line 1: unknown field 'wight'"),
        ('{"left": "a", "right": "b", "weight": NaN}\n', "jsonl", "weight must be a number"),
        ('{"left": "a", "right": "b", "weight": 0}\n', "jsonl", "weight must be above 0"),
        ('{"left": "a", "right": "b", "choice": "both"}\n', "jsonl", "choice must be one of left, right"),
        ('{"left": "a", "right": "", "choice": "left"}\n', "jsonl", "line 1: left or right is missing"),
        ('{"left": 3, "right": "", "test": "left"}\n', "jsonl", "left must be text"),
        ('{"left": "a", "right": 3}\n', "jsonl", "right must be text"),
        ('{"left": "a", "right": "a"}\n', "jsonl", "compared with itself"),
        ("[" * 100_000, "jsonl", "not JSON"),
    ],
)
def test_broken_files(tmp_path, text, format, message):  # noqa: A002
    path = write(tmp_path / "broken", text)
    with pytest.raises((FormatError, InputError), match=message) as error:
        list(read_answers(path, format))
    assert str(error.value).startswith(str(path))


def test_unknown_settings(tmp_path):
    with pytest.raises(SettingsError, match="unknown format 'xml'"):
        read_answers(tmp_path / "a", "xml")
    with pytest.raises(SettingsError, match="jsonl knows no language pairs"):
        read_answers(tmp_path / "a", "jsonl", pair="de-en")


def test_wmt_rankings_whole(tmp_path):
    path = write(tmp_path / "five.csv", FIVE)
    assert list(read_rankings(path, "wmt", pair="czech-english")) == [Ranked((("b", "c"), ("a",)), "j1", "test:18")]
    assert list(read_rankings(path, "wmt", pair="german-english")) == [Ranked((("z",), ("y",)), "j1", "test:18")]
    pairs = write(tmp_path / "pairs.csv", PAIRWISE)
    assert list(read_rankings(pairs, "wmt")) == [
        Ranked((("a",), ("b",)), "judge1", "7", 0.5),
        Ranked((("a",), ("c",)), "judge1", "7", 0.5),
        Ranked((("a", "b"),), "judge2", "8"),
        Ranked((("b",), ("a",)), "judge2", "9", 0.5),
    ]
    joined = "+".join(f"s{i}" for i in range(33))
    many = write(tmp_path / "many.csv", PAIRWISE.replace("a,3", f"{joined},3").replace("b+c", joined))
    with pytest.raises(FormatError, match="line 2: too many systems are joined"):
        list(read_rankings(many, "wmt"))


def test_rankings_as_json_lines(tmp_path):
    path = write(tmp_path / "r.jsonl", '{"ranking": ["a", ["b", "c"]], "judge": "j", "weight": 2}\n\n')
    assert list(read_rankings(path)) == [Ranked((("a",), ("b", "c")), "j", "", 2.0)]
    assert [(one.left, one.choice, one.right, one.weight) for one in read_answers(path, "rankings")] == [
        ("a", "left", "b", 2.0),
        ("a", "left", "c", 2.0),
        ("b", "tie", "c", 2.0),
    ]
    other = write(tmp_path / "p.csv", "segment,better,worse\n7,a,b\n")
    assert list(read_rankings(other, "preferences")) == [Ranked((("a",), ("b",)), segment="7")]
    with pytest.raises(SettingsError, match="knows no language pairs"):
        list(read_rankings(path, "rankings", pair="x-y"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\n", "line 1: not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]\n", "an object with a list"),
        ('{"ranking": "ab"}\n', "an object with a list"),
        ('{"ranking": ["a", "b"], "by": "x"}\n', "unknown field 'by'"),
        ('{"ranking": ["a"]}\n', "at least two items"),
        ('{"ranking": ["a", "a"]}\n', "'a' is ranked twice"),
        ('{"ranking": ["a", 3]}\n', "items must be names"),
        ('{"ranking": ["a", []]}\n', "items must be names"),
        ('{"ranking": ["a", [["b"]]]}\n', "items must be names"),
        ('{"ranking": ["a", "b"], "judge": 3}\n', "judge must be text"),
        ('{"ranking": ["a", "b"], "weight": true}\n', "weight must be a number"),
        ('{"ranking": ["a", "b"], "weight": NaN}\n', "weight of a ranking must be a positive number"),
        ('{"ranking": ["a", "b"], "weight": 0}\n', "weight of a ranking must be a positive number"),
        ('{"ranking": [' + ", ".join(f'"s{i}"' for i in range(1001)) + "]}\n", "more than 1,000 items"),
    ],
)
def test_broken_rankings(tmp_path, text, message):
    path = write(tmp_path / "broken", text)
    for read in (lambda: read_rankings(path), lambda: read_answers(path, "rankings")):
        with pytest.raises(FormatError, match=message) as error:
            list(read())
        assert str(error.value).startswith(str(path))
