"""Statistics: the engine against a naive twin; the command."""

import json
import math
import statistics
import subprocess
import sys
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.corpus import Vocabulary, pair_statistics, side_statistics

lines = st.lists(st.text(alphabet="ab жω\t12", max_size=8), max_size=30)
pairs = st.lists(st.tuples(st.text(alphabet="ab ", max_size=6), st.text(alphabet="ab ", max_size=6)), max_size=30)


def naive_side(text):
    words = [line.split() for line in text]
    flat = [word for line in words for word in line]
    counts = Counter(flat)
    lengths = [len(line) for line in words]
    letters = Counter({"Latin": 0, "Cyrillic": 0, "Greek": 0})
    for c in "".join(text):
        if c.isalpha():
            letters["Latin" if c in "ab" else "Cyrillic" if c == "ж" else "Greek"] += 1
    total = sum(letters.values())
    return {
        "lines": len(text),
        "empty_lines": sum(length == 0 for length in lengths),
        "duplicate_lines": len(text) - len(set(text)),
        "characters": sum(map(len, text)),
        "longest_characters": max(map(len, text), default=0),
        "tokens": len(flat),
        "types": len(counts),
        "hapaxes": sum(count == 1 for count in counts.values()),
        "mean_tokens": len(flat) / len(text) if text else 0.0,
        "median_tokens": statistics.median(lengths) if text else 0.0,
        "longest_tokens": max(lengths, default=0),
        "top": tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0].encode()))[:3]),
        "growth": ((len(flat), len(counts)),) if flat else (),
        "scripts": tuple(
            (script, count / total)
            for script, count in sorted(letters.items(), key=lambda item: (-item[1], item[0]))
            if count
        ),
        "unknown": None,
    }


@settings(max_examples=200, deadline=None)
@given(lines, lines)
def test_a_side_agrees_with_the_naive_twin(text, other):
    assert side_statistics(text, top=3).to_dict() == naive_side(text)
    unknown = side_statistics(text, against=Vocabulary.from_lines(other)).unknown
    known = {word for line in other for word in line.split()}
    missing = [word for line in text for word in line.split() if word not in known]
    assert (unknown.tokens, unknown.types) == (len(missing), len(set(missing)))
    assert 0.0 <= unknown.token_rate <= 1.0


@settings(max_examples=200, deadline=None)
@given(pairs)
def test_pairs_agree_with_the_naive_twin(some):
    found = pair_statistics(some, top=3)
    assert found == pair_statistics(some, top=3, threads=3)
    assert found.source.to_dict() == naive_side([pair[0] for pair in some])
    assert found.target.to_dict() == naive_side([pair[1] for pair in some])
    assert (found.pairs, found.duplicates) == (len(some), len(some) - len(set(some)))
    assert found.identical == sum(source == target for source, target in some)
    lengths = [(len(source.split()), len(target.split())) for source, target in some]
    ratios = sorted(target / source for source, target in lengths if source and target)
    expected = {q: ratios[max(math.ceil(q * len(ratios)), 1) - 1] for q, _ in found.ratio_quantiles}
    assert dict(found.ratio_quantiles) == expected
    assert bool(found.ratio_quantiles) == bool(ratios)
    tokens = sum(source for source, _ in lengths)
    assert found.ratio == (sum(target for _, target in lengths) / tokens if tokens else 0.0)


def test_the_vocabulary_grows_along_the_curve():
    growth = side_statistics([f"wort{n} das" for n in range(3000)]).growth
    assert growth == ((1000, 501), (2000, 1001), (5000, 2501), (6000, 3001))


def test_command(tmp_path):
    (tmp_path / "a.de").write_text("das Haus\ndas Dach\n", encoding="utf-8")
    (tmp_path / "a.en").write_text("the house\nthe roof\n", encoding="utf-8")
    (tmp_path / "b.de").write_text("das Haus\n", encoding="utf-8")
    (tmp_path / "b.en").write_text("the house\n", encoding="utf-8")

    def run(*arguments):
        command = [sys.executable, "-m", "tolka", "corpus", "stats", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    done = run("a.de", "a.en", "--against", "b.de", "--against", "b.en", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["pairs"], found["source"]["types"]) == (2, 3)
    assert found["source"]["unknown"] == {"tokens": 1, "types": 1, "token_rate": 0.25, "type_rate": 1 / 3}
    table = run("a.de", "a.en")
    assert table.returncode == 0, table.stderr
    assert "hapaxes" in table.stdout
    one = run("a.de", "--json")
    assert one.returncode == 0, one.stderr
    assert json.loads(one.stdout)["tokens"] == 4
    missing = run("nothing.de")
    assert missing.returncode == 1
    assert "nothing.de" in missing.stderr
