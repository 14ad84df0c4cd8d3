"""What `campaign.toml` may say, and the files a campaign is made from."""

import json
import re
import tomllib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tolka.errors import FileError, FormatError, InputError, LimitError, SettingsError
from tolka.files import to_toml
from tolka.judge.campaign import (
    BlankTest,
    CampaignSettings,
    ChoiceTest,
    Material,
    create_campaign,
    open_campaign,
    read_tests,
)
from tolka.judge.campaign.toml_text import changed, explained


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("titel = 'x'", "unknown setting titel; did you mean title?"),
        ("[ask]\nstratgy = 'x'", "unknown setting ask.stratgy; did you mean strategy?"),
        ("[colour]\nred = 1", "unknown setting colour; known here: ask, consent"),
        ("[ask]\nexplore = 2.0", "ask.explore must be at most 1.0, not 2.0"),
        ("[show]\nsource = 1", "show.source must be true or false, not 1"),
        ("[ask]\ntarget = -1", "ask.target must be at least 0, not -1"),
        ("[cost]\nper_answer = inf", "cost.per_answer"),
        ("language = 'x y'", "language: string should match pattern"),
        ("title = ", "not TOML"),
    ],
)
def test_complaints(text, message):
    with pytest.raises((SettingsError, FormatError)) as caught:
        CampaignSettings.from_text(text)
    assert message in str(caught.value)


def test_settings_round_trip():
    settings = CampaignSettings.from_values({"title": 'Ünïcode "x"\n', "show": {"differences": True}})
    assert CampaignSettings.from_text(to_toml(settings.model_dump())) == settings


def _tables(model, name=""):
    for key, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _tables(inner, f"{name}{key}.")
        else:
            yield f"{name}{key}"


def test_every_setting_is_explained(make):
    campaign = make(title="Ünïcode", instructions='One "\\" two\n\nthree """ four', ask={"target": 7})
    text = (campaign.directory / "campaign.toml").read_text(encoding="utf-8")
    lines = text.splitlines()
    table = ""
    explained = {}
    for before, line in pairwise(lines):
        if line.startswith("["):
            table = f"{line[1:-1]}."
        elif found := re.match(r"(\w+) =", line):
            explained[table + found[1]] = before.startswith("# ")
    assert explained == dict.fromkeys(_tables(CampaignSettings), True)
    assert CampaignSettings.from_text(text) == campaign.settings


OWN = """\
# My campaign, do not touch.
title = 'Mine'   # a good title
instructions = \'\'\'
first # no comment
[ask]
target = 3
\'\'\'

[ask] # asking
  # as many as we can pay for
target = 100 # "until" spring
strategy = "order"

[cost]
currency = "EUR" # and cents
# the end"""


def test_a_change_keeps_what_somebody_wrote():
    values = {"ask.target": 300, "cost.per_answer": 0.05, "show.source": False, "seed": 4, "title": "Die #1"}
    text = changed(OWN, values)
    expected = OWN.replace("target = 100", "target = 300").replace("'Mine'", '"Die #1"')
    expected = expected.replace("and cents\n", "and cents\nper_answer = 0.05\n")
    expected = expected.replace("'''\n\n[ask]", "'''\nseed = 4\n\n[ask]")
    assert text == expected + "\n\n[show]\nsource = false\n"
    assert 'title\ninstructions = """\na\n\nb\n"""\nseed = 4\n' in changed(text, {"instructions": "a\n\nb\n"})
    for values, message in [
        ({"ask.targt": 1}, "unknown setting ask.targt; did you mean target"),
        ({"ask.target": -1}, "ask.target must be at least 0"),
        ({"title.x": 1}, "unknown setting title.x"),
    ]:
        with pytest.raises(SettingsError, match=message):
            changed(OWN, values)
    for text in ("ask = { target = 3 }\n", "ask.target = 3\n"):
        with pytest.raises(SettingsError, match=r"only a person can change; edit campaign\.toml"):
            changed(text, {"ask.target": 4})


@given(
    st.sampled_from([OWN, explained(CampaignSettings()), "", "[ask]\ntarget = 1"]),
    st.dictionaries(
        st.sampled_from(["title", "instructions", "thanks", "cost.currency"]), st.text(max_size=12), max_size=3
    ),
    st.dictionaries(st.sampled_from(["ask.target", "show.pause_every", "seed"]), st.integers(0, 9), max_size=3),
)
def test_any_change_says_what_it_should(text, words, numbers):
    values = words | numbers
    after = tomllib.loads(changed(text, values))
    wanted = tomllib.loads(text)
    for name, value in values.items():
        *tables, key = name.split(".")
        (wanted.setdefault(tables[0], {}) if tables else wanted)[key] = value
    assert after == wanted


def test_an_unknown_setting_stops_the_campaign(make):
    campaign = make()
    path = campaign.directory / "campaign.toml"
    path.write_text(path.read_text() + "\n[extra]\nx = 1\n")
    with pytest.raises(SettingsError, match="unknown setting extra"):
        open_campaign(campaign.directory)


def test_no_campaign(tmp_path):
    with pytest.raises(FileError, match="there is no campaign here; make one with: tolka judge init"):
        open_campaign(tmp_path)


def test_a_campaign_is_never_replaced(make, rows):
    campaign = make()
    material = Material.of_rows(rows, where="rows")
    with pytest.raises(FileError, match="there is a campaign here already"):
        create_campaign(campaign.directory, material)
    (campaign.directory / "campaign.toml").unlink()
    with pytest.raises(FileError, match="there is a campaign here already"):
        create_campaign(campaign.directory, material)


def test_a_lost_or_broken_database_is_said(make):
    campaign = make()
    campaign.close()
    path = campaign.directory / "campaign.db"
    path.write_bytes(b"no database at all, " * 100)
    for rest in campaign.directory.glob("campaign.db-*"):
        rest.unlink()
    with pytest.raises(FileError, match="not a database"):
        open_campaign(campaign.directory)
    path.unlink()
    with pytest.raises(FileError, match="the campaign's database is gone"):
        open_campaign(campaign.directory)


def test_files_per_system(tmp_path):
    for name, lines in {"src": "eins\nzwei\n", "a": "one\ntwo\n", "b": "one\n two \u2028 too\n"}.items():
        (tmp_path / name).write_text(lines, encoding="utf-8")
    systems = [("a", tmp_path / "a"), ("b", tmp_path / "b")]
    material = Material.of_files(systems, source=tmp_path / "src")
    assert [segment.source for segment in material.segments] == ["eins", "zwei"]
    assert material.questions() == 1  # the first outputs are the same
    (tmp_path / "b").write_text("one\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"different numbers of lines: .*src has 2, .*a has 2, .*b has 1"):
        Material.of_files(systems, source=tmp_path / "src")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv", "item,text,segment\na,one,1\nb,two,1\n"),
        ("x.csv", '\ufeffitem,text,segment\r\na,"one",1\r\nb,two,1\r\n'),
        ("x.jsonl", '{"item": "a", "text": "one", "segment": "1"}\n\n{"item": "b", "text": "two", "segment": "1"}\n'),
        ("x.json", '[{"item": "a", "text": "one", "segment": "1"}, {"item": "b", "text": "two", "segment": "1"}]'),
    ],
)
def test_items_of_any_kind(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    material = Material.of_table(path)
    assert material.items == ("a", "b")
    assert material.outputs == (("one", "two"),)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "item,text\na,one\na,two\n", "item 'a' has two texts"),
        ("x.csv", "item,text\na,one\n", "at least two items"),
        ("x.csv", "item,text\na,one\nb, one \n", "no two outputs differ"),
        ("x.csv", "item,output\na,one\n", "row 1 has no 'text'"),
        ("x.csv", "item,text,more\na,one,1\n", "unknown column 'more'"),
        ("x.csv", "item,text\na\n", "more or fewer columns"),
        ("x.csv", "item,text,segment,source\na,x,1,p\nb,y,1,q\n", "had another source"),
        ("x.json", "{}", "not a list of objects"),
        ("x.json", "[" * 100_000, "not JSON"),
        ("x.jsonl", "[1]", "not a JSON object"),
        ("x.jsonl", '{"item": "a", "text": 3}', "text must be text"),
        ("x.txt", "a", "cannot tell what kind of file"),
        ("x.csv", "item,text\na," + "x" * 20_001 + "\n", "20001 characters"),
    ],
)
def test_wrong_items(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises((FormatError, InputError, LimitError), match=message):
        Material.of_table(path)


def test_test_questions(tmp_path):
    path = tmp_path / "tests.jsonl"
    records = [
        {"text": "I ___ it.", "options": ["want", "is"], "right": ["want"]},
        {"better": "yes", "worse": "no", "source": "ja"},
    ]
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    assert read_tests(path) == [BlankTest("I ___ it.", ("want", "is"), (0,)), ChoiceTest("yes", "no", source="ja")]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"text": "no blank", "options": ["a", "b"], "right": ["a"]}, "one blank"),
        ({"text": "___", "options": ["a"], "right": ["a"]}, "2 to 9"),
        ({"text": "___", "options": ["a", "a"], "right": ["a"]}, "different options"),
        ({"text": "___", "options": ["a", "b"], "right": []}, "at least one"),
        ({"text": "___", "options": ["a", "b"], "right": ["c"]}, "at least one"),
        ({"text": "___", "options": "ab", "right": "a"}, "lists of texts"),
        ({"better": "a", "worse": " a"}, "are the same"),
        ({"better": "a", "worse": 1}, "must be text"),
        ({"better": "a"}, "test 1: needs either"),
    ],
)
def test_wrong_test_questions(tmp_path, record, message):
    path = tmp_path / "tests.json"
    path.write_text(json.dumps([record]), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_tests(path)
