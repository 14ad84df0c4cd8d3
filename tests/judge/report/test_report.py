"""The pages: whole, closed, safe, and saying what the ranking says."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.judge import Answer, Choice
from tolka.judge.ask import simulate
from tolka.judge.exchange import write_jsonl
from tolka.judge.rank import Ranker, Rules
from tolka.judge.report import Line, better_map, interval_plot, line_chart, render, render_curves
from tolka.judge.report.charts import labels

VOID = {"meta"}
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
        ["report", campaign_at, "-o", str(page)],
    ):
        done = CliRunner().invoke(app, ["judge", *arguments])
        assert done.exit_code == 0, done.output
    text = page.read_text(encoding="utf-8")
    check(text)
    assert "<b>18</b>answers counted" in text
