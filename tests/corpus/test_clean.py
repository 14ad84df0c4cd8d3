"""Cleaning: the engine against a naive twin, the account of every pair, hostile input, the command."""

# ruff: noqa: RUF001 (letters that look alike are what is tested)

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import RULES, CleanSettings, CleanStream, clean, clean_to_files
from tolka.errors import InputError, SettingsError

INVISIBLE = set("\xad\u061c\u200e\u200f\u2060\ufeff") | {
    chr(c) for c in [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
}
SCRIPTS = {"de": ("LATIN",), "en": ("LATIN",), "ru": ("CYRILLIC",), "el": ("GREEK",)}


# The naive twin: each rule as one reads it, one pair at a time.


def is_space(c):
    return c == "\t" or unicodedata.category(c) == "Zs"


def words(line):
    return [word for word in line.translate(dict.fromkeys(map(ord, "\t\n\r\f"), " ")).split(" ") if word]


def normalise(line, set_):
    if set_.invisible:
        line = "".join(c for c in line if c not in INVISIBLE)
    if set_.nfc:
        line = unicodedata.normalize("NFC", line)
    if set_.spaces:
        line = " ".join("".join(" " if is_space(c) else c for c in line).split(" ")).strip(" ")
        while "  " in line:
            line = line.replace("  ", " ")
    return line


def is_control(c):
    return c != "\t" and (
        unicodedata.category(c) in {"Cc", "Co", "Zl", "Zp"}
        or c == "\ufffd"
        or ord(c) & 0xFFFE == 0xFFFE
        or 0xFDD0 <= ord(c) <= 0xFDEF
    )


def is_letter(c):
    return unicodedata.category(c).startswith("L")


def name_or_number(line, most):
    firsts = [next(filter(is_letter, word), None) for word in words(line)]
    letters = [first for first in firsts if first]
    if not letters:
        return True
    return len(firsts) <= most and all(unicodedata.category(first) in {"Lu", "Lt"} for first in letters)


def wrong_script(line, other, language, share):
    def wrong(texts):
        letters = [c for text in texts for c in text if is_letter(c)]
        right = sum(unicodedata.name(c).startswith(SCRIPTS[language]) for c in letters)
        return right < share * len(letters)

    return wrong([line]) and wrong(word for word in words(line) if word not in words(other))


def is_address(word):
    return "://" in word or word.startswith(("www.", "mailto:"))


def verdict(pair, set_, seen):
    source, target = pair
    lengths = sorted(len(words(side)) for side in pair)
    hits = {
        "empty": any(
            all(is_space(c) or c.isspace() or c in INVISIBLE or c in "\u200b\u200c\u200d" for c in s) for s in pair
        ),
        "control": any(map(is_control, source + target)),
        "length": lengths[0] < set_.min_tokens
        or lengths[1] > set_.max_tokens
        or max(map(len, pair)) > set_.max_characters,
        "long-word": any(
            len(word) > set_.max_word_characters and not is_address(word) for side in pair for word in words(side)
        ),
        "ratio": lengths[1] > set_.max_ratio * lengths[0] + set_.ratio_allowance,
        "identical": source == target and not name_or_number(source, set_.identical_name_tokens),
        "script": set_.languages is not None
        and any(
            wrong_script(side, other, language, set_.min_script_share)
            for side, other, language in zip(pair, pair[::-1], set_.languages, strict=True)
        ),
        "duplicate": {"pair": pair, "source": source, "target": target}[set_.duplicate_by] in seen,
    }
    return next((rule for rule in RULES if hits[rule] and rule not in set_.without), None)


def naive_clean(pairs, set_):
    kept, dropped, seen = [], [], set()
    for source, target in pairs:
        pair = normalise(source, set_), normalise(target, set_)
        rule = verdict(pair, set_, seen)
        if rule is None:
            kept.append(pair)
            seen.add({"pair": pair, "source": pair[0], "target": pair[1]}[set_.duplicate_by])
        else:
            dropped.append(rule)
    return kept, dropped


letters = st.text(alphabet="aAbZéßжЖΩω", min_size=1, max_size=6)
odd = st.sampled_from(
    [
        "\0",
        "\x85",
        "\ufffd",
        "\ue000",
        "\u2028",
        "12",
        "3.5",
        "http://example.org/long",
        "e\u0301",
        "\u200e",
        "\xa0",
        "\u3000",
        "\t",
        "\ufeff",
        "\u200b",
        "-",
        "ǅa",
    ]
)
lines = st.lists(st.one_of(letters, letters, odd), max_size=8).flatmap(
    lambda parts: st.sampled_from([" ", "  ", " \xa0"]).map(lambda space: space.join(parts))
)
pairs = st.lists(st.one_of(st.tuples(lines, lines), lines.map(lambda line: (line, line))), max_size=20)
choices = st.builds(
    CleanSettings,
    languages=st.sampled_from([None, ("de", "en"), ("ru", "de"), ("el", "ru")]),
    min_tokens=st.integers(0, 2),
    max_tokens=st.integers(2, 8),
    max_characters=st.integers(5, 60),
    max_word_characters=st.integers(2, 12),
    max_ratio=st.sampled_from([1.0, 1.5, 3.0]),
    ratio_allowance=st.integers(0, 3),
    identical_name_tokens=st.integers(0, 4),
    min_script_share=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    duplicate_by=st.sampled_from(["pair", "source", "target"]),
    without=st.lists(st.sampled_from(RULES), max_size=4).map(tuple),
    invisible=st.booleans(),
    nfc=st.booleans(),
    spaces=st.booleans(),
)


@settings(max_examples=300, deadline=None)
@given(pairs, choices)
def test_the_engine_agrees_with_the_naive_twin(some_pairs, set_):
    result = clean(some_pairs + some_pairs[:3], set_)
    kept, dropped = naive_clean(some_pairs + some_pairs[:3], set_)
    assert result.pairs == kept
    counts = {rule.rule: rule.count for rule in result.report.rules}
    assert counts == {rule: dropped.count(rule) for rule in RULES}
    assert result.report.pairs == result.report.kept + result.report.dropped == len(some_pairs) + len(some_pairs[:3])


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), max_size=10))
def test_any_text_is_accounted_for(some_pairs):
    report = clean(some_pairs, CleanSettings(languages=("zh", "de"))).report
    assert report.pairs == len(some_pairs) == report.kept + sum(rule.count for rule in report.rules)


def test_threads_and_batches_make_no_difference():
    many = [(f"Satz {n % 7000} ist  hier", f"sentence {n % 7000} is here") for n in range(20_000)]
    one = clean(many, threads=1)
    assert one == clean(many, threads=4)
    assert one.report.rules[-1].count == 13_000
    assert one.report.changed["spaces"] == (20_000, 0)


def test_examples_are_the_first_and_carry_their_lines():
    report = clean([("a", "b"), ("", "x" * 500), ("b", "c"), ("", "2"), ("", "3")], examples=2).report
    empty = report.rules[0]
    assert (empty.rule, empty.count, empty.share) == ("empty", 3, 0.6)
    assert [(example.line, len(example.target)) for example in empty.examples] == [(2, 120), (4, 1)]
    assert empty.examples[0].target.endswith("…")


def test_rules_that_cannot_be_applied_are_noted():
    assert clean([("a", "b")]).report.notes == ("script: not applied, because the languages were not given",)
    notes = clean([("漢字", "a b c d e f g h i j k l")], CleanSettings(languages=("zh", "xx"))).report.notes
    assert len(notes) == 2
    assert notes[0].startswith("script: not applied to xx")
    assert notes[1].startswith("ratio: not applied")


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_tokens": 5, "max_tokens": 4},
        {"min_tokens": -1},
        {"max_tokens": 1.5},
        {"max_ratio": float("nan")},
        {"max_ratio": float("inf")},
        {"min_script_share": 2.0},
        {"without": ("no-such-rule",)},
        {"duplicate_by": "both"},
        {"ratio_unit": "bytes"},
    ],
)
def test_settings_without_sense_are_refused(wrong):
    with pytest.raises(SettingsError):
        CleanSettings(**wrong)


def test_lone_surrogates_are_refused():
    with pytest.raises(InputError, match="lone surrogate"):
        clean([("a", "b"), ("\ud800", "x")])


def test_nothing_is_written_when_reading_fails(tmp_path):
    def failing():
        yield "ein Haus", "a house"
        raise InputError("the files differ")

    with pytest.raises(InputError):
        clean_to_files(failing(), tmp_path / "clean", ("de", "en"))
    with pytest.raises(InputError, match="empty"):
        clean_to_files([], tmp_path / "clean", ("de", "en"))
    with pytest.raises(InputError, match="line end"):
        clean_to_files([("a\nb", "c")], tmp_path / "clean", ("de", "en"), CleanSettings(without=("control",)))
    with pytest.raises(SettingsError):
        clean_to_files([("a", "b")], tmp_path / "clean", ("de", "de"))
    with pytest.raises(SettingsError):
        clean_to_files([("a", "b")], tmp_path / "clean", ("de", "../en"))
    assert list(tmp_path.iterdir()) == []


def test_a_long_line_takes_linear_time():
    long = "wort " * 200_000
    stream = CleanStream([(long, long)], CleanSettings(max_characters=10))
    assert list(stream) == []
    assert stream.report().rules[2].count == 1


# The command.


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tolka", *arguments], capture_output=True, text=True, check=False, cwd=cwd
    )


@pytest.fixture
def raw(tmp_path):
    (tmp_path / "raw.de").write_text("ein  Haus\nein Haus\n\nein Hund\nдом\n", encoding="utf-8")
    (tmp_path / "raw.en").write_text("a house\na house\nnothing\na dog\nhouse\n", encoding="utf-8")
    return tmp_path


def test_command_writes_both_sides_and_the_report(raw):
    done = run("corpus", "clean", "raw.de", "raw.en", "--langs", "de", "en", "-o", "clean", cwd=raw)
    assert done.returncode == 0, done.stderr
    assert (raw / "clean.de").read_text(encoding="utf-8") == "ein Haus\nein Hund\n"
    assert (raw / "clean.en").read_text(encoding="utf-8") == "a house\na dog\n"
    report = json.loads((raw / "clean.report.json").read_text(encoding="utf-8"))
    assert (report["pairs"], report["kept"], report["dropped"]) == (5, 2, 3)
    assert {rule["rule"]: rule["count"] for rule in report["rules"] if rule["count"]} == {
        "empty": 1,
        "script": 1,
        "duplicate": 1,
    }
    assert "duplicate" in done.stdout
    assert sorted(path.name for path in raw.iterdir()) == [
        "clean.de",
        "clean.en",
        "clean.report.json",
        "raw.de",
        "raw.en",
    ]


def test_command_prints_the_same_report_as_json(raw):
    done = run("corpus", "clean", "raw.de", "raw.en", "-o", "c", "--without", "duplicate", "--json", cwd=raw)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((raw / "c.report.json").read_text(encoding="utf-8"))
    assert json.loads(done.stdout)["kept"] == 3


def test_command_reads_other_formats_and_counts_what_the_reader_left_out(raw):
    (raw / "memory.po").write_text(
        'msgid "a house"\nmsgstr "ein Haus"\n\n#, fuzzy\nmsgid "a dog"\nmsgstr "eine Katze"\n', encoding="utf-8"
    )
    done = run("corpus", "clean", "memory.po", "--langs", "en", "de", "-o", "po", "--json", cwd=raw)
    assert done.returncode == 0, done.stderr
    assert (raw / "po.de").read_text(encoding="utf-8") == "ein Haus\n"
    assert sum(json.loads(done.stdout)["skipped"].values()) == 1
    unnamed = run("corpus", "clean", "memory.po", "-o", "po", cwd=raw)
    assert unnamed.returncode == 2
    assert "--langs" in unnamed.stderr


def test_command_refuses_what_it_does_not_know(raw):
    done = run("corpus", "clean", "raw.de", "raw.en", "-o", "c", "--without", "dupes", cwd=raw)
    assert done.returncode == 2
    assert "the rules are empty, control" in done.stderr
    assert run("corpus", "clean", "raw.de", "raw.en", "-o", "c", "--max-rato", "3", cwd=raw).returncode == 2
    (raw / "short.en").write_text("one\n", encoding="utf-8")
    done = run("corpus", "clean", "raw.de", "short.en", "-o", "c", cwd=raw)
    assert done.returncode == 1
    assert "numbers of lines" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(raw.glob("c.*"))
