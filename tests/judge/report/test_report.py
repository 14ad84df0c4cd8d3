"""The pages: whole, closed, safe, and saying what the ranking says."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.judge import Answer, Choice
from tolka.judge.accounting import account
from tolka.judge.ask import simulate
from tolka.judge.exchange import write_jsonl
from tolka.judge.rank import Ranker, Rules
from tolka.judge.report import (
    About,
    Line,
    agreement_of,
    anonymised,
    better_map,
    interval_plot,
    line_chart,
    render,
    render_curves,
)
from tolka.judge.report.charts import labels
from tolka.judge.report.style import report_style
from tolka.page import document

VOID = {"meta"}
# Every number of the map against its cell, whose colour lies over the card's (WCAG 2, 1.4.3).
MAP_CONTRAST = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; })
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const card = parse(getComputedStyle(document.querySelector("section")).backgroundColor);
  return [...document.querySelectorAll("svg g")].map((cell) => {
    const fill = getComputedStyle(cell.querySelector("rect")), over = parse(fill.fill), share = Number(fill.fillOpacity);
    const back = card.slice(0, 3).map((v, i) => share * over[i] + (1 - share) * v);
    const [a, b] = [light(parse(getComputedStyle(cell.querySelector("text")).fill)), light(back)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  });
}"""
HOSTILE = '<script>alert("x")</script>'


class Checker(HTMLParser):
    """Every element is closed where it should be, and nothing is fetched from elsewhere or styled in place."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.seen = []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        assert not {"src", "href", "onclick", "onerror", "style"} & {name for name, _ in attributes}
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check(page):
    checker = Checker()
    checker.feed(page)
    assert not checker.open
    assert "script" not in checker.seen
    assert "default-src &#x27;none&#x27;" in page
    assert "http:" not in page
    assert "https:" not in page
    return checker


def campaign(number=600, seed=0):
    rng = np.random.default_rng(seed)
    scores = dict(zip(["good", "fair", HOSTILE, "poor"], (1.0, 0.3, 0.2, -1.2), strict=True))
    answers = []
    for at in range(number):
        left, right = (str(name) for name in rng.choice(list(scores), 2, replace=False))
        won = rng.random() < 1 / (1 + np.exp(scores[right] - scores[left]))
        answers.append(
            Answer(
                left,
                right,
                Choice.LEFT if won else Choice.RIGHT,
                judge="anna" if at % 3 else "<b>ben</b>",
                segment=str(at % 40),
                sided=True,
                seconds=float(rng.uniform(2, 20)),
                test=Choice.LEFT if at % 29 == 0 else None,
            )
        )
    return answers


def test_page():
    answers = [*campaign(), *[Answer("good", "poor", judge="hasty", seconds=0.2)] * 5]
    ranking = Ranker(rules=Rules(least_seconds=1)).fit(answers)
    page = render(ranking, answers, title="<i>Test</i>")
    seen = check(page).seen
    assert HOSTILE not in page
    assert "<b>ben</b>" not in page
    assert "&lt;b&gt;ben&lt;/b&gt;" in page
    assert "<i>" not in page
    assert seen.count("svg") >= 2
    assert ranking.signature() in page
    assert "5 of 5 answers took less than 1 s" in page
    for heading in ("Ranking", "Who is better than whom?", "Judges", "Left out", "Method"):
        assert f">{heading}</h2>" in page
    for score in ranking.scores:
        assert f"{score:.3f}" in page


def test_how_it_was_done():
    answers = [
        Answer("a", "b", judge="x", segment="1", at="2026-03-01T12:00:00+00:00"),
        Answer("b", "a", Choice.RIGHT, judge="y", segment="1", at="2026-03-04T12:00:00+00:00"),
        Answer("b", "a", judge="z", segment="1", at="2026-03-02T12:00:00+00:00"),
        Answer("", "", judge="x", segment="t", test=Choice.LEFT),
    ]
    about = About("Which <one>?", "Read.\n\nThen <b>choose</b>.", "the source")
    page = render(Ranker().fit(answers), answers, about=about, spent=account(answers, price=12.5, currency="SEK"))
    check(page)
    for told in ("Which &lt;one&gt;?", "Then &lt;b&gt;choose&lt;/b&gt;.", "2026-03-01 to 2026-03-04", "50.00 SEK"):
        assert told in page, told
    assert "33% of 3 pairs" in page
    assert "-0.33 corrected" in page
    # Test questions are counted apart.
    assert "<b>1</b>test questions" in page
    assert '<th scope="row"><bdi>x</bdi></th><td>1</td>' in page


def test_agreement_equals_counting_every_pair():
    answers = campaign(300)
    found = agreement_of(answers)
    pairs = [
        one.winner == other.winner
        for at, one in enumerate(answers)
        for other in answers[at + 1 :]
        if one.judge != other.judge
        and one.segment == other.segment
        and {one.left, one.right} == {other.left, other.right}
        and one.test is None
        and other.test is None
    ]
    assert found.compared == len(pairs) > 10
    assert found.share == pytest.approx(sum(pairs) / len(pairs))


def test_anonymous_pages_name_no_judge():
    answers = list(anonymised([*campaign(), *[Answer("good", "poor", judge="hasty", seconds=0.2)] * 5]))
    ranking = Ranker(rules=Rules(least_seconds=1), judges="modelled").fit(answers)
    page = render(ranking, answers)
    for name in ("anna", "ben", "hasty"):
        assert name not in page
    for number in (1, 2, 3):
        assert f"judge {number}" in page


def test_who_guesses_is_marked():
    rng = np.random.default_rng(3)
    answers = campaign(900)
    guesses = [
        Answer("good", "poor", Choice.LEFT if rng.random() < 0.5 else Choice.RIGHT, judge="dice") for _ in range(60)
    ]
    page = render(Ranker().fit(answers), answers)
    assert "guessing" not in page
    both = [*answers, *guesses]
    page = render(Ranker().fit(both), both)
    check(page)
    (row,) = re.findall(r"<tr>[^/]*<bdi>dice</bdi>.*?</tr>", page)
    assert "likelier</span>" in row
    assert page.count("likelier</span>") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_on_the_map_can_be_read(browser, scheme):
    chances = np.array([[0.5, 1.0, 0.9, 0.6], [0.0, 0.5, 0.3, 0.7], [0.1, 0.7, 0.5, 0.95], [0.4, 0.3, 0.05, 0.5]])
    page = document("map", f"<main><section>{better_map('abcd', chances)}</section></main>", style=report_style())
    with browser.new_context(color_scheme=scheme) as context:
        shown = context.new_page()
        shown.set_content(page)
        found = shown.evaluate(MAP_CONTRAST)
    assert len(found) == 12
    assert min(found) >= 4.5


def test_columns_that_nobody_filled_are_not_there():
    page = render(Ranker().fit(found := [Answer("a", "b", judge="j")] * 4), found)
    assert "median time" not in page
    assert "agrees with the ranking" in page
    assert "Nothing was left out" in page


def test_without_answers_there_are_no_judges():
    assert ">Judges</h2>" not in render(Ranker().fit(campaign()))


def test_modelled_judges():
    answers = campaign()
    page = render(Ranker(judges="modelled").fit(answers), answers)
    assert "reliability" in page
    assert "estimated with the scores" in page


def test_model_is_checked_where_there_is_enough_to_check():
    rng = np.random.default_rng(1)
    names = [f"s{at}" for at in range(12)]
    scores = np.linspace(-1, 1, 12)
    answers = []
    for _ in range(9000):
        i, j = rng.choice(12, 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(scores[j] - scores[i]))
        answers.append(Answer(names[i], names[j], Choice.LEFT if won else Choice.RIGHT))
    page = render(Ranker().fit(answers), answers)
    assert ">Does the model fit?</h2>" in page
    check(page)


def test_curves_page():
    page = render_curves(simulate(4, 1.0, 30, ["order", "random"], runs=3))
    check(page)
    assert page.count("<polyline") == 4


def test_intervals_are_where_they_belong():
    drawn = interval_plot(["a", "b"], [1.0, -1.0], [0.5, -2.0], [1.5, 0.0], [["a"], ["b"]])
    ends = [(float(one), float(two)) for one, two in re.findall(r'whisker" x1="([\d.]+)" x2="([\d.]+)"', drawn)]
    middles = [float(one) for one in re.findall(r'cx="([\d.]+)"', drawn)]
    assert middles[0] == pytest.approx(sum(ends[0]) / 2, abs=0.1)
    assert ends[0][1] - ends[0][0] == pytest.approx((ends[1][1] - ends[1][0]) / 2, abs=0.2)
    assert drawn.count('class="band"') == 1


def test_heat_map_says_the_chance():
    drawn = better_map(["a", "b"], np.array([[0.5, 0.9999], [0.0001, 0.5]]))
    assert "a better than b: 1.000" in drawn
    assert "&gt;.99" in drawn
    assert 'fill-opacity="0.750"' in drawn


def test_lines_stay_inside():
    drawn = line_chart(
        [Line("a", [0, 10], [0.2, 3.0], [0.1, 2.0], [0.3, 4.0])], title="t", x_label="x", y_label="y", y_range=(0, 1)
    )
    heights = [float(y) for pair in re.findall(r'points="([^"]+)"', drawn) for y in re.findall(r",([\d.]+)", pair)]
    assert min(heights) >= 0
    assert max(heights) <= 320


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["x.a.txt", "x.b.txt"], ["a", "b"]),
        (["a", "b"], ["a", "b"]),
        (["same"], ["same"]),
        (["run-1", "run-1-b"], ["1", "1-b"]),
        (["sys_a", "sys_b", "other"], ["sys_a", "sys_b", "other"]),
    ],
)
def test_labels(names, short):
    assert labels(names) == short


def test_command(tmp_path):
    answers, page = tmp_path / "answers.jsonl", tmp_path / "report.html"
    write_jsonl(answers, campaign())
    done = CliRunner().invoke(app, ["judge", "report", str(answers), "-o", str(page), "--title", "Mine", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    text = page.read_text(encoding="utf-8")
    assert found["signature"] in text
    assert "<title>Mine</title>" in text
    check(text)


def test_command_on_a_campaign(tmp_path):
    source, answers, page = tmp_path / "src.txt", tmp_path / "answers.jsonl", tmp_path / "report.html"
    source.write_text("eins\nzwei\n", encoding="utf-8")
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"one {name}\ntwo {name}\n", encoding="utf-8")
    systems = [word for name in ("a", "b", "c") for word in ("--system", str(tmp_path / f"{name}.txt"))]
    write_jsonl(answers, [*[Answer("a", "b")] * 8, *[Answer("b", "c")] * 8, *[Answer("c", "a")] * 2])
    campaign_at = str(tmp_path / "campaign")
    for arguments in (
        ["init", campaign_at, "--source", str(source), *systems],
        ["import", campaign_at, str(answers)],
        ["report", campaign_at, "-o", str(page), "--anonymous"],
    ):
        done = CliRunner().invoke(app, ["judge", *arguments])
        assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    check(text)
    assert "<b>18</b>answers counted" in text
    assert "Which of the two is better?" in text
    assert "You will see two translations" in text
