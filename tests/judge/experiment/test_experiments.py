"""The thesis's findings: every number the specification recomputes (5, 6.11, 9.10)."""

import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import FormatError, InputError
from tolka.judge import Answer
from tolka.judge.experiment import (
    TABLE,
    TRAPS,
    analyse,
    clipped_matches,
    correlations,
    read_official,
    read_outputs,
    read_traps,
    smoothed_bleu,
    surprisal_curve,
    try_traps,
)
from tolka.judge.experiment.surprisal import Likeliest
from tolka.lm import LanguageModel


def run(*arguments):
    return CliRunner().invoke(app, ["judge", "experiment", *map(str, arguments)])


class TestTable33:
    def test_correlations(self):
        found = analyse()
        assert found.claire.spearman == pytest.approx(0.643, abs=5e-4)
        assert found.claire.spearman_p == pytest.approx(0.12, abs=5e-3)
        assert found.bleu.spearman == pytest.approx(0.107, abs=5e-4)
        assert found.claire.kendall == pytest.approx(0.619, abs=5e-4)
        assert found.claire.kendall_p == pytest.approx(0.07, abs=5e-3)
        assert found.bleu.kendall == pytest.approx(0.143, abs=5e-4)

    def test_it_rests_on_one_system(self):
        without = analyse().without
        assert [round(one.spearman, 2) for one in without["upc"]] == [1.00, 0.09]
        assert [round(one.spearman, 2) for one in without["systran"]] == [0.43, 0.77]

    def test_what_sigma_can_mean(self):
        found = analyse()
        assert [(one.sigma, one.slope, one.answers) for one in found.readings] == [
            ("deviation", 2, 4464),
            ("deviation", 1, 17857),
            ("variance", 2, 107),
            ("variance", 1, 429),
        ]
        assert found.readings[0].best_worst_errors == pytest.approx(6.7, abs=0.05)
        assert found.readings[2].best_worst_errors == pytest.approx(1.05, abs=0.005)
        assert found.win == {2: pytest.approx(0.613, abs=5e-4), 1: pytest.approx(0.557, abs=5e-4)}
        assert found.elo == {2: pytest.approx(80, abs=0.5), 1: pytest.approx(40, abs=0.5)}

    def test_command(self):
        done = run("table33")
        assert done.exit_code == 0
        assert "0.643 (0.12)" in done.output
        assert "17,857" in done.output
        found = json.loads(run("table33", "--json").output)
        assert len(found["table"]) == len(TABLE) == 7
        assert found["claire"]["spearman"] == pytest.approx(0.643, abs=5e-4)


class TestTraps:
    @pytest.mark.parametrize(
        ("output", "reference", "matches", "bleu"),
        [
            ("the boy eats the apple .", "the apple eats the boy .", [(6, 6), (3, 5), (0, 4), (0, 3)], 0.4273),
            ("white people stole my car .", "people stole my white car .", [(6, 6), (3, 5), (1, 4), (0, 3)], 0.5081),
            ("george bush is an idiot .", "george bush is not an idiot .", [(6, 6), (4, 5), (2, 4), (0, 3)], 0.5033),
        ],
    )
    def test_worked_example(self, output, reference, matches, bleu):
        assert clipped_matches(output, reference) == matches
        assert smoothed_bleu(output, reference) == pytest.approx(bleu, abs=5e-5)

    def test_a_slip_of_grammar_costs_less_than_nonsense(self):
        right = smoothed_bleu("an hippopotamus wants me for christmas .", "a hippopotamus wants me for christmas .")
        assert right == pytest.approx(0.8366, abs=5e-5)

    def test_brevity(self):
        assert math.exp(1 - 7 / 6) == pytest.approx(0.8465, abs=5e-5)
        assert smoothed_bleu("nothing", "else") == 0

    def test_metrics_are_fooled(self):
        verdicts = try_traps()
        assert len(verdicts) == 3 * len(TRAPS)
        assert not any(verdict.passed for verdict in verdicts if verdict.metric == "BLEU")

    def test_a_metric_that_sees_no_difference_has_not_passed(self):
        [trap] = [one for one in TRAPS if "apple" in one.trap]
        same = type(trap)("x", "s", "a b c", "a b d", "a b d")
        assert not try_traps([same], ["bleu"])[0].passed
        better = type(trap)("x", "s", "a b c d e", "a b c d e", "e d c b a")
        assert all(verdict.passed for verdict in try_traps([better]))

    def test_own_traps(self, tmp_path):
        path = tmp_path / "traps.tsv"
        path.write_text("de-en\tquelle\tthe source\tthe spring\tthe sauce\n", encoding="utf-8")
        assert read_traps(path)[0].trap == "the sauce"
        found = json.loads(run("bleu-critique", "--traps", path, "--json").output)
        assert len(found["traps"]) == 3 * (len(TRAPS) + 1)
        path.write_text("too\tfew\n", encoding="utf-8")
        with pytest.raises(FormatError, match="5 columns"):
            read_traps(path)
        with pytest.raises(InputError):
            try_traps([])


TEXT = [
    "the cat sat on the mat",
    "the dog sat on the mat",
    "the cat saw the dog",
    "a dog saw the cat on the mat",
    "the bird sat on a house",
] * 4


class TestSurprisal:
    def test_the_likeliest_word_is_the_likeliest_of_all(self):
        model = LanguageModel.train(TEXT, order=3)
        likeliest = Likeliest(model, TEXT)
        words = sorted({word for line in TEXT for word in line.split()})
        for context in [("<s>",), ("<s>", "the"), ("on", "the"), ("mat", "cat"), ("nowhere", "seen"), ("saw", "a")]:
            state = model.state(bos=context[0] == "<s>")
            for word in context:
                if word != "<s>":
                    _, state = model.score_word(state, word)
            best = max(model.score_word(state, word)[0] for word in words)
            assert model.score_word(state, likeliest(context))[0] == pytest.approx(best)

    def test_curve(self):
        text = ["the bird saw the house", "a cat sat on the dog on the mat"]
        points = surprisal_curve(TEXT, text, thresholds=(0.5, 1.5, 2.5, math.inf))
        assert points[-1].bleu == points[-1].control == pytest.approx(100)
        assert points[-1].kept == 1
        assert points[0].kept < points[-1].kept
        assert [point.information for point in points] == sorted(point.information for point in points)
        assert all(point.control_kept <= point.kept + 1e-9 for point in points)

    def test_command(self, tmp_path):
        for name, lines in (("train", TEXT), ("text", TEXT[:5])):
            (tmp_path / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
        arguments = ("--training", tmp_path / "train", "--text", tmp_path / "text")
        done = run("bleu-critique", *arguments, "-o", tmp_path / "page.html")
        assert done.exit_code == 0, done.output
        assert "nats per word left" in done.output
        assert (tmp_path / "page.html").read_text(encoding="utf-8").count("<polyline") == 2
        found = json.loads(run("bleu-critique", *arguments, "--json").output)
        assert found["curve"][-1]["threshold"] is None
        assert run("bleu-critique", "--text", tmp_path / "text").exit_code != 0

    def test_empty_text(self):
        with pytest.raises(InputError):
            surprisal_curve(TEXT, [""])


def campaign(number=2500):
    rng = np.random.default_rng(1)
    scores = dict(zip("abcde", (1.0, 0.5, 0.0, -0.5, -1.0), strict=True))
    answers = []
    for _ in range(number):
        left, right = (str(name) for name in rng.choice(list(scores), 2, replace=False))
        if rng.random() > 1 / (1 + math.exp(scores[right] - scores[left])):
            left, right = right, left
        answers.append(Answer(left, right, segment=str(rng.integers(100))))
    return answers


class TestCorrelation:
    def test_claire_agrees_with_people_and_a_misled_metric_does_not(self):
        reference = ["one two three four five six"] * 4
        words = reference[0].split()
        # The worse the system, the more words it has right: BLEU must disagree with people entirely.
        outputs = {name: [" ".join([*words[: at + 1], *["x"] * (5 - at)])] * 4 for at, name in enumerate("abcde")}
        found = {one.by: one for one in correlations(campaign(), outputs=outputs, reference=reference, runs=3)}
        assert found["claire"].mean.spearman > 0.9
        assert found["bleu"].mean.spearman < -0.8
        assert found["claire"].mean.kendall >= found["claire 200"].mean.kendall
        assert found["claire"].runs == 3
        assert found["claire"].mean.items == 5

    def test_files(self, tmp_path):
        official = tmp_path / "official.txt"
        lines = [f"{name} {score} (1.0, 2.0)" for name, score in zip("abcde", (2, 1.5, 1, 0.5, -0.25), strict=True)]
        official.write_text("\n".join([lines[0], "++++", *lines[1:], ""]), encoding="utf-8")
        assert read_official(official)["e"] == -0.25
        outputs = tmp_path / "outputs.tsv"
        outputs.write_text("seg\tsource\treference\ta\tb\n1\ts\tr\tx\ty\n", encoding="utf-8")
        assert read_outputs(outputs) == (["r"], {"a": ["x"], "b": ["y"]})
        answers = tmp_path / "answers.csv"
        rows = [f"{one.segment},{one.left},{one.right}" for one in campaign(1200)]
        answers.write_text("\n".join(["segment,better,worse", *rows, ""]), encoding="utf-8")
        done = run("correlation", answers, "--format", "preferences", "--official", official, "--runs", 2, "--json")
        assert done.exit_code == 0, done.output
        found = json.loads(done.output)["correlations"]
        ways = {"claire", "claire 200", "claire 1000", "win rate", "elo", "trueskill"}
        assert {one["by"] for one in found} == ways
        assert run("correlation", answers, "--format", "preferences", "--runs", 2).exit_code == 0

    @pytest.mark.parametrize(("reader", "text"), [(read_official, "what\n"), (read_outputs, "a\tb\n")])
    def test_malformed(self, tmp_path, reader, text):
        path = tmp_path / "file"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError):
            reader(path)

    def test_too_few_systems(self):
        with pytest.raises(InputError, match="only 2 systems"):
            correlations([Answer("a", "b", segment="1")])
