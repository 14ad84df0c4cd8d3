"""Compounds: the engine against a naive twin, round trips, the commands."""

import math
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import CompoundSplitter
from tolka.errors import FormatError, InputError, SettingsError

WORDS = st.text("abns", min_size=1, max_size=5)


def ways(word, counts, fillers, least, parts):
    """Every way to cut a word into known words."""
    if parts and len(word) >= least and counts[word] >= 2:
        yield (word,)
    for end in range(least, len(word)):
        if parts < 2 or counts[word[:end]] < 2:
            continue
        for filler in ("", *fillers):
            if word[end:].startswith(filler):
                for rest in ways(word[end + len(filler) :], counts, fillers, least, parts - 1):
                    yield (word[:end], *rest)


def mean(parts, counts):
    return sum(math.log(counts[part]) for part in parts) / len(parts)


@given(st.lists(WORDS, max_size=60), st.text("abns", max_size=9), st.integers(1, 3), st.integers(2, 4))
@settings(max_examples=300, deadline=None)
def test_naive_twin(words, word, least, parts):
    splitter = CompoundSplitter(min_length=least, min_count=2, max_parts=parts).train([" ".join(words)])
    counts = Counter(words)
    found = splitter.parts(word)
    whole = math.log(counts[word] or 0.5)
    cuts = [cut for cut in ways(word, counts, ("s", "es", "n", "en"), least, parts) if len(cut) > 1]
    top = max((mean(cut, counts) for cut in cuts), default=-math.inf)
    if top > whole + 1e-9:
        assert tuple(found) in cuts
        assert mean(found, counts) == pytest.approx(top)
    elif top < whole - 1e-9:
        assert not found


def test_parts_get_their_usual_case():
    splitter = CompoundSplitter(min_count=1).train(["Die Straße , die Szene .", "STRASSE Szene szene Szene"])
    assert splitter.split("Straßenszene und straßenszenen !") == "Straße Szene und straßenszenen !"


def test_threads_and_round_trip(tmp_path):
    lines = ["regen wald und regen bogen", "wald regen"] * 4
    splitter = CompoundSplitter(language="de", min_length=3, fillers=["s"]).train(lines)
    splitter.save(tmp_path / "c")
    again = CompoundSplitter.load(tmp_path / "c")
    assert (again.language, again.min_length, again.min_count, again.fillers) == ("de", 3, 5, ("s",))
    text = ["regenwald", "ein regenbogen wald"] * 50
    assert again.split_lines(text, threads=1) == splitter.split_lines(text, threads=3)
    assert again.split("der regenwald") == "der regen wald"
    (tmp_path / "c").write_bytes((tmp_path / "c").read_bytes()[:-9])
    with pytest.raises(FormatError):
        CompoundSplitter.load(tmp_path / "c")


def test_refusals():
    with pytest.raises(InputError, match="learned nothing"):
        CompoundSplitter().split("a")
    with pytest.raises(SettingsError, match="2 to 8"):
        CompoundSplitter(max_parts=1).train(["a"])
    with pytest.raises(SettingsError, match="without spaces"):
        CompoundSplitter(fillers=["a b"]).train(["a"])


def test_commands(tmp_path):
    (tmp_path / "t").write_text("haus boot\n" * 5, encoding="utf-8")
    run = [sys.executable, "-m", "tolka", "corpus"]
    subprocess.run([*run, "learn-compounds", tmp_path / "t", "-o", tmp_path / "m"], check=True, capture_output=True)
    done = subprocess.run(
        [*run, "split-compounds", "-m", tmp_path / "m"],
        input="ein hausboot\n",
        text=True,
        check=True,
        capture_output=True,
    )
    assert done.stdout == "ein haus boot\n"
