"""One command for every experiment: what the thesis has, what we have, and the difference."""

import json

import pytest
from typer.testing import CliRunner

from tolka.cli.main import app
from tolka.errors import SettingsError
from tolka.judge.experiment import Finding, Setting, experiments, reproduce
from tolka.judge.report.experiments import render_experiments

ON_DATA = {"information-curve", "lm-weight", "lm-data", "correlation", "budget", "aligner"}
NOT_HERE = {"rule-based", "parsing", "word-senses"}


def run(*arguments, **more):
    return CliRunner().invoke(app, ["judge", "experiment", "all", "--quiet", *map(str, arguments)], **more)


@pytest.fixture(scope="module")
def with_data(data, model):
    setting = Setting(data=data, model=model, runs=2, lines=20, threads=1)
    return {one.experiment.name: one for one in reproduce(setting, only=[*sorted(ON_DATA), "table33"])}


def test_figures_without_data_agree():
    outcomes = reproduce(Setting(runs=3, threads=1))
    by = {one.experiment.name: one for one in outcomes}
    assert [one.experiment.name for one in outcomes] == [one.name for one in experiments()]
    assert {name for name, one in by.items() if one.skipped} == ON_DATA | NOT_HERE
    assert "--data" in by["correlation"].skipped
    for one in outcomes:
        assert one.findings or one.skipped
        assert [finding.what for finding in one.findings if finding.agrees is False] == []
    told = [finding for one in outcomes for finding in one.findings if finding.agrees is not None]
    assert len(told) > 75


def test_everything_runs_on_data(with_data):
    assert {name for name, one in with_data.items() if one.skipped} == set()
    weights = {finding.what: finding for finding in with_data["lm-weight"].findings}
    assert weights["alpha with the best BLEU"].thesis == 2.25
    by_bleu = [one.ours for one in with_data["information-curve"].findings if one.printed]
    assert by_bleu[0] <= by_bleu[1] <= by_bleu[2] <= by_bleu[3] == pytest.approx(1)
    found = {finding.what: finding.ours for finding in with_data["correlation"].findings}
    assert found["wmt13 cs-en: Spearman of CLAIRE"] == pytest.approx(1)
    assert len(with_data["lm-data"].findings) == 7
    rates = [finding.ours for finding in with_data["aligner"].findings]
    assert rates[2] == pytest.approx(rates[1] - rates[0])


def test_same_seed_same_figures(data, model):
    setting = Setting(data=data, model=model, runs=2, lines=20, threads=1)
    once, again = (
        [one.as_json() for one in reproduce(setting, only=["lm-weight", "budget", "correlation"])] for _ in range(2)
    )
    assert once == again


def test_what_is_missing_is_said(tmp_path):
    [one] = reproduce(Setting(data=tmp_path), only=["budget"])
    assert one.skipped == f"there is no wmt-judgements/wmt13/preferences.cs-en.csv in {tmp_path}"
    with pytest.raises(SettingsError, match="no experiment 'tables'"):
        reproduce(only=["tables"])


def test_a_finding():
    assert Finding("x", 2.0, 1.5, within=0.4).agrees is False
    assert Finding("x", 2.0, 1.5, within=0.5).agrees is True
    assert Finding("x", 2.0, 1.5).agrees is None
    assert Finding("x", 2.0).difference is None


def test_page(with_data):
    page = render_experiments([*with_data.values(), *reproduce(only=["parsing"])])
    assert "agrees*" in page
    assert "tolka has no assisted parsing yet" in page
    assert "<script" not in page


def test_command(tmp_path, data, model):
    done = run("--only", "table33", "--only", "parsing", "-o", tmp_path / "page.html")
    assert done.exit_code == 0, done.output
    assert "skipped parsing (1.4): tolka has no assisted parsing yet" in done.output
    assert "12 of 12 figures that depend on no corpus agree" in done.output
    assert "0.643" in (tmp_path / "page.html").read_text(encoding="utf-8")
    with_json = run("--only", "lm-data", "--data", data, "--model", model, "--lines", 10, "--threads", 1, "--json")
    [found] = json.loads(with_json.output)["experiments"]
    assert found["skipped"] is None
    assert found["findings"][-1]["thesis"] is None
    missing = run("--data", tmp_path / "nowhere")
    assert missing.exit_code == 1
    assert "no such folder of data" in str(missing.exception) + missing.output


def test_a_model_is_trained_where_none_is_given(data):
    done = run("--only", "lm-weight", "--data", data, "--lines", 10, "--threads", 1, "--json")
    assert done.exit_code == 0, done.output
    [found] = json.loads(done.output)["experiments"]
    assert {one["what"] for one in found["findings"]} >= {"alpha with the best BLEU"}
