"""Truecasing and lower-casing: the engine against a naive twin, round trips, the commands."""

# ruff: noqa: RUF001 (letters that look alike are what is tested)

import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import Truecaser, lowercase, lowercase_lines
from tolka.errors import FormatError, InputError, LimitError
from tolka.limits import Limits

ENDS = {".", "?", "!", "…", "...", "。", "؟", "।", "։"}
ENTITIES = {"&quot;", "&apos;", "&#91;", "``", "''"}


# The naive twin.


def opens(word):
    if word in ENTITIES:
        return True
    return len(word) == 1 and word != "’" and (word in "\"'`¿¡" or unicodedata.category(word) in {"Ps", "Pi", "Pf"})


def places(words):
    """For each word, whether its place asks for a capital."""
    initial, found = True, []
    for word in words:
        found.append(initial)
        visible = any(c.isalnum() for c in word)
        initial = word in ENDS or word == ":" or opens(word) or (initial and not visible)
    return found


def shape(word):
    cased = [c for c in word if c.isupper() or c.islower()]
    if not cased:
        return "uncased"
    if len(cased) > 1 and all(c.isupper() for c in cased):
        return "caps"
    return "capital" if cased[0].isupper() else "lower"


def headline(words):
    shapes = [shape(word) for word in words if shape(word) != "uncased"]
    if "lower" in shapes:
        return False
    return len(shapes) >= 4 or (len(shapes) >= 2 and set(shapes) == {"caps"})


class NaiveTruecaser:
    def __init__(self, lines):
        inside, initial = Counter(), Counter()
        for line in lines:
            words = line.split()
            if headline(words):
                continue
            for word, at_start in zip(words, places(words), strict=True):
                if shape(word) != "uncased":
                    (initial if at_start else inside)[word] += 1
        variants = defaultdict(set)
        for word in [*inside, *initial]:
            variants[word.lower()].add(word)
        self.best, self.known = {}, set()
        for lower, members in variants.items():
            votes = inside if any(inside[word] for word in members) else initial
            self.known |= {word for word in members if votes[word]}
            self.best[lower] = min(members, key=lambda word: (-votes[word], word != lower, word.encode()))

    def truecase(self, line):
        words = line.split()
        starts = [True] * len(words) if headline(words) else places(words)
        return " ".join(
            word
            if shape(word) == "uncased" or (not at_start and word in self.known)
            else self.best.get(word.lower(), word)
            for word, at_start in zip(words, starts, strict=True)
        )


tokens = st.one_of(
    st.text(alphabet="aAbBσΣéÉжЖ", min_size=1, max_size=2),
    st.sampled_from(
        [".", ":", "?", "!", "(", ")", '"', "„", "“", "»", "’", "-", "12", "&quot;", "the", "The", "THE", "iPhone"]
    ),
)
lines = st.lists(st.lists(tokens, max_size=8).map(" ".join), max_size=12)


@settings(max_examples=300, deadline=None)
@given(lines, lines)
def test_the_engine_agrees_with_the_naive_twin(training, text):
    truecaser = Truecaser().train(training)
    naive = NaiveTruecaser(training)
    assert [truecaser.truecase(line) for line in text + training] == [naive.truecase(line) for line in text + training]
    assert len(truecaser) == len(naive.best)


@settings(deadline=None)
@given(st.lists(st.text(), max_size=5))
def test_any_text_passes_and_keeps_its_words(text):
    truecaser = Truecaser().train(text)
    for before, after in zip(text, truecaser.truecase_lines(text), strict=True):
        assert lowercase(after) == lowercase(before)
        assert len(truecaser.recase(before).split(" ")) == len(before.split(" "))


def test_truecasing_undoes_recasing():
    text = ["das Haus ist alt .", "ich mag das Haus . das Haus mag mich !", "Berlin ist groß .", "wir mögen Berlin ."]
    truecaser = Truecaser().train([*text, *("x " + line for line in text)])
    assert truecaser.truecase_lines(truecaser.recase_lines(text)) == text


def test_threads_make_no_difference():
    text = [f"Das Haus {n} ist Alt . Das Dach auch" for n in range(5000)]
    truecaser = Truecaser().train(text)
    assert truecaser.truecase_lines(text, threads=1) == truecaser.truecase_lines(text, threads=4)


def test_saved_and_loaded_it_does_the_same(tmp_path):
    truecaser = Truecaser(language="tr").train(["istanbul İstanbul x İstanbul", "ISPARTA", "a Isparta"])
    truecaser.save(tmp_path / "model")
    again = Truecaser.load(tmp_path / "model")
    assert again.language == "tr"
    assert again.model_.variants() == truecaser.model_.variants()
    assert again.truecase("ISTANBUL a ISPARTA") == truecaser.truecase("ISTANBUL a ISPARTA")
    assert again.usual("İSTANBUL") == "İstanbul"
    first = (tmp_path / "model").read_bytes()
    again.save(tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == first
    with pytest.raises(LimitError):
        Truecaser.load(tmp_path / "model", limits=Limits(model_bytes=10))


def test_damaged_files_are_refused(tmp_path):
    Truecaser().train(["a b C"]).save(tmp_path / "model")
    good = (tmp_path / "model").read_bytes()
    for cut in (0, 10, len(good) // 2, len(good) - 1):
        (tmp_path / "model").write_bytes(good[:cut])
        with pytest.raises(FormatError):
            Truecaser.load(tmp_path / "model")


def test_untrained_says_so():
    with pytest.raises(InputError, match="train or load"):
        Truecaser().truecase("a")


def test_lower_case():
    assert lowercase("ΟΔΥΣΣΕΥΣ") == "οδυσσευς"
    assert lowercase("IĞDIR İZMİR", language="tr") == "ığdır izmir"
    assert lowercase("IĞDIR", language="de") == "iğdir"
    text = ["GROẞ ÀB Ǆ"] * 3000
    assert lowercase_lines(text, threads=3) == [line.lower() for line in text]


def test_commands(tmp_path):
    (tmp_path / "train.de").write_text("Das Haus ist alt .\nich mag das Haus .\n", encoding="utf-8")
    (tmp_path / "text.de").write_text("Das Haus\nHaus das\n", encoding="utf-8")

    def run(*arguments, text=None):
        command = [sys.executable, "-m", "tolka", "corpus", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, input=text)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("learn-case", "train.de", "-o", "de.case", "--json") == '{"words": 6}\n'
    assert run("truecase", "text.de", "--model", "de.case") == "das Haus\nHaus das\n"
    assert run("truecase", "--model", "de.case", text="Das Haus") == "das Haus\n"
    assert run("recase", "--model", "de.case", "-o", "out.de", text="das Haus . das Dach\n") == ""
    assert (tmp_path / "out.de").read_text(encoding="utf-8") == "Das Haus . Das Dach\n"
    assert run("lowercase", "text.de") == "das haus\nhaus das\n"
