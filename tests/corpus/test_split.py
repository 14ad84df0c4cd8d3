"""Splitting by content: exact sizes, stability under growth, no leaks, the command."""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import SplitSettings, parse_size, split, split_to_files
from tolka.corpus.near import near_groups
from tolka.errors import InputError, SettingsError

WORDS = ("Anton", "Berta", "Cäsar", "Dora", "Emil", "Friedrich", "Gustav", "Heinrich", "Ida", "Julius")
texts = st.text(alphabet="abc ", max_size=3)
corpora = st.lists(st.tuples(texts, texts), min_size=1, max_size=60)


def numbered(count):
    return [(f"Satz {n}", f"sentence {n}") for n in range(count)]


@settings(max_examples=200, deadline=None)
@given(corpora, st.integers(0, 5), st.integers(0, 5), st.integers(0, 3), st.sampled_from(["pair", "source", "target"]))
def test_sizes_are_exact_and_nothing_leaks(pairs, dev, test, seed, by):
    def key(pair):
        return {"pair": pair, "source": pair[0], "target": pair[1]}[by]

    wanted = SplitSettings(dev=dev, test=test, seed=seed, by=by)
    if dev + test >= len(set(map(key, pairs))):
        with pytest.raises(InputError, match="different pairs"):
            split(pairs, wanted)
        return
    result = split(pairs, wanted)
    assert (len(result.dev), len(result.test)) == (dev, test)
    keys = [{key(pair) for pair in part} for part in (result.train, result.dev, result.test)]
    assert not keys[0] & keys[1]
    assert not keys[0] & keys[2]
    assert not keys[1] & keys[2]
    report = result.report
    assert report.pairs == len(pairs) == report.train + report.dev + report.test + report.repeats
    assert [pair for pair in pairs if key(pair) in keys[0]] == result.train


@settings(max_examples=50, deadline=None)
@given(st.integers(60, 400), st.integers(0, 400), st.integers(0, 20))
def test_growth_never_takes_from_training(before, more, seed):
    exact = SplitSettings(dev=20, test=20, seed=seed)
    old, new = split(numbered(before), exact), split(numbered(before + more), exact)
    assert set(old.train) <= set(new.train)
    assert len(set(old.test) - set(new.test)) <= more
    share = SplitSettings(dev=0.1, test=0.1, seed=seed)
    old, new = split(numbered(before), share), split(numbered(before + more), share)
    for part in ("train", "dev", "test"):
        assert set(getattr(old, part)) <= set(getattr(new, part))


def test_order_does_not_matter_but_the_seed_does():
    wanted = SplitSettings(dev=30, test=30, seed=1)
    one, other = split(numbered(300), wanted), split(numbered(300)[::-1], wanted)
    assert one.test == other.test[::-1]
    assert one.dev == other.dev[::-1]
    assert split(numbered(300), wanted, threads=4) == split(numbered(300), wanted, threads=1)
    assert set(split(numbered(300), SplitSettings(dev=30, test=30, seed=2)).test) != set(one.test)


def test_the_choice_is_the_same_for_ever():
    # Changing this set would move the test sets of everybody's corpora.
    chosen = split(numbered(100), SplitSettings(dev=2, test=3, seed=1))
    assert [pair[0] for pair in chosen.test] == ["Satz 17", "Satz 84", "Satz 97"]
    assert [pair[0] for pair in chosen.dev] == ["Satz 19", "Satz 98"]


@pytest.mark.parametrize(
    "wrong", [{"dev": -1}, {"test": 1.5}, {"dev": float("nan")}, {"seed": -1}, {"by": "line"}, {"dev": True}]
)
def test_settings_without_sense_are_refused(wrong):
    with pytest.raises(SettingsError):
        SplitSettings(**wrong)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "abc", "٣", "101%%", "1e3", "9" * 40])
def test_sizes_without_sense_are_refused(text):
    with pytest.raises(SettingsError):
        SplitSettings(dev=parse_size(text))


def test_a_corpus_that_changes_meanwhile_is_noticed(tmp_path):
    readings = iter([numbered(10), numbered(9)])
    with pytest.raises(InputError, match="changed"):
        split_to_files(lambda: next(readings), tmp_path / "x", ("de", "en"), SplitSettings(dev=1, test=1))
    wrong = [*numbered(10), ("a\nb", "c")]
    with pytest.raises(InputError, match="line end"):
        split_to_files(lambda: wrong, tmp_path / "x", ("de", "en"), SplitSettings(dev=1, test=1))
    assert list(tmp_path.iterdir()) == []


def test_command(tmp_path):
    pairs = numbered(50) + numbered(50)
    for side, name in enumerate(("all.de", "all.en")):
        (tmp_path / name).write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")

    def run(*arguments):
        command = [sys.executable, "-m", "tolka", "corpus", "split", "all.de", "all.en", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    done = run("-o", "out", "--dev", "5", "--test", "10%", "--seed", "1", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["dev"] == 5
    assert report["pairs"] == 100
    for part in ("train", "dev", "test"):
        sources = (tmp_path / f"out.{part}.de").read_text(encoding="utf-8").split("\n")[:-1]
        targets = (tmp_path / f"out.{part}.en").read_text(encoding="utf-8").split("\n")[:-1]
        assert len(sources) == len(targets) == report[part]
        assert all(pair in pairs for pair in zip(sources, targets, strict=True))
    failed = run("-o", "big", "--dev", "1000", "--test", "1000")
    assert failed.returncode == 1
    assert "50 different pairs" in failed.stderr
    assert not list(tmp_path.glob("big*"))


def test_near_repetitions_stay_together():
    templates = [(f"{word} öffnet {word} und {word} {n} Mal.", word) for n in range(3) for word in WORDS]
    chosen = np.random.default_rng(1).integers(1000, size=(200, 6))
    alone = [(" ".join(f"w{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in row), "x") for row in chosen.tolist()]
    settings = SplitSettings(dev=20, test=30, seed=1, by="near")
    result = split([*templates, *alone], settings)
    assert (len(result.dev), len(result.test)) == (20, 30)
    assert result.report.near == 0
    assert result.report.pairs == result.report.train + 50
    # All that differs in its numbers only is in one set.
    places = {}
    for name in ("train", "dev", "test"):
        for source, word in getattr(result, name):
            if "öffnet" in source:
                places.setdefault(word, set()).add(name)
    assert all(len(one) == 1 for one in places.values())
    assert split([*templates, *alone], settings) == result
    assert split([*templates, *alone], SplitSettings(dev=20, test=30, seed=2, by="near")).dev != result.dev


def test_one_template_is_set_aside_all_the_same_and_counted():
    pairs = [(f"Siehe Kapitel {n} im Handbuch.", str(n)) for n in range(50)]
    report = split(pairs, SplitSettings(dev=10, test=0.1, by="near")).report
    assert (report.dev, report.test, report.near) == (10, 5, 15)
    with pytest.raises(InputError, match="none to train on"):
        split(pairs, SplitSettings(dev=25, test=25, by="near"))


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6).map(" ".join), max_size=30))
def test_near_groups_are_those_of_the_naive_twin(lines):
    """Signatures estimate: what is the same is together, and what has nothing in common is apart."""
    groups = near_groups(lines).tolist()

    def pairs(line):
        return set(itertools.pairwise(["^", *line.split(), "$"]))

    for (one, first), (other, second) in itertools.combinations(zip(lines, groups, strict=True), 2):
        if pairs(one) == pairs(other):
            assert first == second
    # Groups hang together by what their lines share.
    for group in set(groups):
        members = [pairs(line) for line, own in zip(lines, groups, strict=True) if own == group]
        joined, rest = members[0], members[1:]
        while rest:
            touching = [one for one in rest if one & joined]
            assert touching
            joined = joined.union(*touching)
            rest = [one for one in rest if not one & joined]
