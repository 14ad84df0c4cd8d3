"""Appraise, MQM, battles, the parity studies and our own tables."""

import json

import pytest

from tolka.errors import FormatError, InputError, SettingsError
from tolka.judge import Answer, Choice
from tolka.judge.exchange import FORMATS, WRITTEN, read_answers, write_answers

DIRECT = """j1,sys-a,7,TGT,eng,deu,80,100.0,109.5
j1,sys-b+sys-c,7,TGT,eng,deu,60,110.0,119.5
j1,sys-b,7,CHK,eng,deu,62,130.0,139.5
j1,sys-a,8,BAD,eng,deu,10,140.0,149.5
j2,sys-a,7,TGT,eng,deu,50,100.0,109.5
"""
DOCUMENTS = """j1,a,1,TGT,eng,deu,80,doc1,False,1.0,2.0
j1,b,1,TGT,eng,deu,80,doc1,False,3.0,4.0
j1,a,1,TGT,eng,deu,90,doc2,False,3.0,4.0
j1,a,9,TGT,eng,deu,99,doc1,True,3.0,4.0
"""
PAIRS = """taskID,segmentID,username,email,groups,system1ID,score1,system2ID,score2,startTime,endTime,\
durationInSeconds,itemType,campaignName
1,5,j1,x,g,a,70,b+c,80,0.0,4.5,4.5,TGT,camp
1,6,j1,x,g,a,70,None,None,0.0,4.5,4.5,TGT,camp
1,7,j1,x,g,a,70,b,10,0.0,4.5,4.5,BAD,camp
"""
MQM = """system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\td\t1\tr1\ts\tt\tAccuracy/Mistranslation\tMajor
A\td\t1\tr1\ts\t"t\tFluency/Punctuation\tMinor
B\td\t1\tr1\ts\tt\tFluency/Punctuation\tMinor
C\td\t1\tr1\ts\tt\tNo-error\tNo-error
D\td\t1\tr1\ts\tt\tSource issue\tMajor
A\td\t2\tr1\ts\tt\tNon-translation!\tMajor
B\td\t2\tr1\ts\tt\tStyle/Awkward\tMajor
A\td\t3\tr1\ts\tt\tNo-error\tNo-error
"""
SIDE_BY_SIDE = """system\tdoc\tglobalSegId\trater\tcategory\tseverity
A_with_B\td\t1\tr\tNo-error\tNo-error
A_with_C\td\t1\tr\tStyle/Awkward\tMinor
B\td\t1\tr\tStyle/Awkward\tMajor
C\td\t1\tr\tFound\tHOTW-test
"""
BATTLE = {"model_a": "x", "model_b": "y", "winner": "model_a"}
PARITY = """task_id,wmt_article,wmt_line,fluency_rater1,fluency_rater2,adequacy_rater1,A_origin,B_origin
t,85,1,human_a,tie,mt,mt,human_a
t,86,2,human_b,spam,human_b,spam,human_b
"""
RATINGS = """participant_id,condition,type,exp_item_number,rating
A,fluency,document,E-1,mt
A,fluency,document,E-2,tie
B,adequacy,document,E-1,human
"""


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def outcomes(answers):
    return [(answer.left, answer.right, str(answer.choice), answer.judge, answer.segment) for answer in answers]


def test_appraise_scores(tmp_path):
    answers = read_answers(write(tmp_path / "a.csv", DIRECT), "appraise")
    # b was scored twice: 61 on average.
    assert outcomes(answers) == [
        ("sys-a", "sys-b", "left", "j1", "7"),
        ("sys-a", "sys-c", "left", "j1", "7"),
        ("sys-b", "sys-c", "left", "j1", "7"),
    ]
    assert answers.skipped == {"controls (BAD)": 1, "scores without another of the same judge on the segment": 1}


def test_appraise_documents(tmp_path):
    answers = read_answers(write(tmp_path / "a.csv", DOCUMENTS), "appraise")
    assert outcomes(answers) == [("a", "b", "tie", "j1", "doc1:1")]
    assert answers.skipped["scores of documents"] == 1
    both = DIRECT + DIRECT.replace("eng,deu", "eng,ces")
    with pytest.raises(InputError, match="line 6: eng-ces after eng-deu"):
        list(read_answers(write(tmp_path / "b.csv", both), "appraise"))
    assert len(list(read_answers(tmp_path / "b.csv", "appraise", pair="eng-ces"))) == 3


def test_appraise_pairs(tmp_path):
    answers = read_answers(write(tmp_path / "a.csv", PAIRS), "appraise")
    found = list(answers)
    assert outcomes(found) == [("a", "b", "right", "j1", "5"), ("a", "c", "right", "j1", "5")]
    assert (found[0].seconds, found[0].sided, found[0].at) == (4.5, True, "1970-01-01T00:00:00+00:00")
    assert answers.skipped == {"single outputs": 1, "controls (BAD)": 1}


def test_appraise_rankings_are_wmt_s(tmp_path):
    text = "judgeId,segmentId,system1Id,system1rank,system2Id,system2rank\nj,1,a,1,b,2\n"
    assert outcomes(read_answers(write(tmp_path / "a.csv", text), "appraise")) == [("a", "b", "left", "j", "1")]


def test_mqm(tmp_path):
    answers = read_answers(write(tmp_path / "a.tsv", MQM), "mqm")
    assert outcomes(answers) == [
        ("A", "B", "right", "r1", "d:1"),
        ("A", "C", "right", "r1", "d:1"),
        ("A", "D", "right", "r1", "d:1"),
        ("B", "C", "right", "r1", "d:1"),
        ("B", "D", "right", "r1", "d:1"),
        ("C", "D", "tie", "r1", "d:1"),
        ("A", "B", "right", "r1", "d:2"),  # 25 against 5
    ]
    side = read_answers(write(tmp_path / "b.tsv", SIDE_BY_SIDE), "mqm")
    assert outcomes(side) == [
        ("A", "B", "left", "r", "d:1"),
        ("A", "C", "right", "r", "d:1"),
        ("B", "C", "right", "r", "d:1"),
    ]
    assert side.skipped == {"controls of attention": 1}


@pytest.mark.parametrize("form", ["jsonl", "list", "pretty", "csv"])
def test_battles(tmp_path, form):
    battles = [
        {**BATTLE, "question_id": "q1", "judge": "u1", "tstamp": 1682351591.1322},
        {**BATTLE, "winner": "tie (bothbad)", "question_id": "q2", "judge": "u2", "tstamp": 1682351591.0},
        {**BATTLE, "model_b": "x", "question_id": "q3", "judge": "u2", "tstamp": 1682351591.0},
        {**BATTLE, "winner": "model_b", "question_id": "q4", "judge": "u2", "tstamp": 1682351591.0},
    ]
    text = {
        "jsonl": "\n".join(json.dumps(battle) for battle in battles) + "\n",
        "list": json.dumps(battles),
        "pretty": json.dumps(battles, indent=2),
        "csv": "model_a,model_b,winner,question_id,judge,tstamp\n"
        + "\n".join(",".join(str(value) for value in battle.values()) for battle in battles)
        + "\n",
    }[form]
    answers = read_answers(write(tmp_path / "battles", text), "battles")
    found = list(answers)
    assert outcomes(found) == [
        ("x", "y", "left", "u1", "q1"),
        ("x", "y", "tie", "u2", "q2"),
        ("x", "y", "right", "u2", "q4"),
    ]
    assert found[0].sided
    assert found[0].at.startswith("2023-04-24T15:53:11")
    assert answers.skipped == {"models against themselves": 1}


def test_battles_with_flags(tmp_path):
    text = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n1,x,y,0,1,0\n2,x,y,0,0,1\n"
    found = list(read_answers(write(tmp_path / "a.csv", text), "battles"))
    assert [answer.choice for answer in found] == [Choice.RIGHT, Choice.TIE]


def test_parity(tmp_path):
    path = write(tmp_path / "a.csv", PARITY)
    found = list(read_answers(path, "parity", criterion="fluency"))
    assert outcomes(found) == [
        ("mt", "human_a", "right", "rater1", "85:1"),
        ("mt", "human_a", "tie", "rater2", "85:1"),
        ("spam", "human_b", "right", "rater1", "86:2"),
        ("spam", "human_b", "left", "rater2", "86:2"),
    ]
    assert [answer.test for answer in found] == [None, None, Choice.RIGHT, Choice.RIGHT]
    with pytest.raises(InputError, match="ratings of fluency and of adequacy; choose one with --criterion"):
        list(read_answers(path, "parity"))
    ratings = write(tmp_path / "b.csv", RATINGS)
    assert outcomes(read_answers(ratings, "parity", criterion="fluency")) == [
        ("human", "mt", "right", "A", "E-1"),
        ("human", "mt", "tie", "A", "E-2"),
    ]


@pytest.mark.parametrize(
    ("text", "format", "message"),
    [
        ("", "appraise", "the file is empty"),
        ("j1,sys-a,7\n", "appraise", "line 1: 3 columns where the header has 7"),
        ("j1,sys-a,7,TGT,eng,deu,high\n", "appraise", "line 1: 'high' in column score is not a number"),
        (DIRECT.split("\n", maxsplit=1)[0] + "\n", "appraise", r"no answers \(left out: 1 scores without another"),
        (PAIRS.replace("a,70", "a,x"), "appraise", "line 2: 'x' in column score1"),
        (MQM.replace("Major", "Huge"), "mqm", "line 2: unknown severity 'Huge'"),
        (MQM.replace("rater", "who"), "mqm", "line 1: there is no column rater"),
        (MQM + "A\n", "mqm", "line 10: 1 columns where"),
        ("", "battles", "there are no answers"),
        ("[1]", "battles", "a battle must be an object"),
        ('{"model_a": "x"}\n', "battles", "line 1: model_b is missing"),
        (json.dumps({**BATTLE, "winner": "nobody"}) + "\n", "battles", "line 1: unknown winner 'nobody'"),
        ('{"model_a": "x", "model_b": "y"}\n', "battles", "line 1: winner is missing"),
        (json.dumps(BATTLE) + "\n{\n", "battles", "line 2: not JSON"),
        ("[" * 100_000, "battles", "not JSON"),
        ("a,b\n1,2\n", "battles", "no column model_a"),
        (RATINGS.replace("mt\n", "cat\n"), "parity", "line 2: 'cat' was chosen, but human and mt were shown"),
        ("left,right,colour\na,b,red\n", "csv", "line 1: unknown column 'colour'"),
        ("left,right,weight\na,b,x\n", "csv", "line 2: 'x' in column weight"),
        ("left,right,choice\na,b,up\n", "csv", "line 2: choice must be one of"),
        ("left,right,sided\na,b,maybe\n", "csv", "line 2: sided must be true or false"),
    ],
)
def test_broken_files(tmp_path, text, format, message):  # noqa: A002
    path = write(tmp_path / "broken", text)
    with pytest.raises((FormatError, InputError), match=message) as error:
        list(read_answers(path, format))
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "data", [b"\xff\xfe\x00\x01", b"\x00\x00\x00", b"\xfd7zXZ\x00broken", b'"', b"\n\n\n", b"a\tb\n"]
)
def test_rubbish_is_an_error_of_ours(tmp_path, data, format):  # noqa: A002
    path = tmp_path / "rubbish"
    path.write_bytes(data)
    with pytest.raises((FormatError, InputError)):
        list(read_answers(path, format))


def test_long_cells_and_standard_input(tmp_path):
    path = write(tmp_path / "long.csv", "segment,better,worse\n" + "x" * 300_000 + ",a,b\n")
    assert len(next(read_answers(path, "preferences")).segment) == 300_000
    for kind in ("appraise", "battles"):
        with pytest.raises(SettingsError, match="read from a file, not from standard input"):
            read_answers("-", kind)


ALL = [
    Answer("a", "b"),
    Answer('a "1", b', "b\u2028", Choice.TIE, "anna", "1", True, 2.5, "2026-01-01T00:00:00Z", None, 3.25),
    Answer("r", "w", Choice.UNDECIDED, test=Choice.RIGHT),
    Answer("", "", Choice.LEFT, "anna", "test-3", seconds=4.0, test=Choice.LEFT),
]


@pytest.mark.parametrize("format", ["jsonl", "csv"])
def test_nothing_is_lost(tmp_path, format):  # noqa: A002
    path = tmp_path / "out"
    assert write_answers(path, ALL, format) == 4
    assert list(read_answers(path, format)) == ALL


def test_writing_preferences(tmp_path):
    path = tmp_path / "out.csv"
    answers = [Answer("a", "b", Choice.RIGHT, judge="j", segment="7"), Answer("a", "b")]
    assert write_answers(path, answers, "preferences") == 2
    assert path.read_text() == "segment,better,worse,judge\n7,b,a,j\n,a,b,\n"
    assert [answer.winner for answer in read_answers(path, "preferences")] == ["b", "a"]
    with pytest.raises(InputError, match="answer 2 is a tie, undecided, a test or weighted"):
        write_answers(path, ALL, "preferences")
    assert path.read_text().startswith("segment")  # the file that was there is there
    with pytest.raises(SettingsError, match="'wmt' cannot be written; choose one of jsonl, csv, preferences"):
        write_answers(path, ALL, "wmt")
    assert set(WRITTEN) <= set(FORMATS)
