"""Grammars of other systems: read, written, filtered."""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.errors import FormatError, InputError, SettingsError
from tolka.grammar import Extractor, Grammar, Rule, export_grammar, filter_grammar, import_grammar

SOURCE = ["das haus ist | alt", "das alte [haus] fällt", "ein haus"]
TARGET = ["the house is | old", "the old [house] falls", "a house"]
LINKS = ["0-0 1-1 2-2 3-3 4-4", "0-0 1-1 2-2 3-3", "0-0 1-1"]


def listed(grammar: Grammar) -> list[tuple[str, str, str, tuple[tuple[int, int], ...], tuple[float, ...]]]:
    return sorted(
        (rule.lhs, rule.source, rule.target, tuple(sorted(rule.links)), tuple(rule.features.values()))
        for rule in grammar
    )


def same(one: Grammar, two: Grammar) -> None:
    for a, b in zip(listed(one), listed(two), strict=True):
        assert a[:4] == b[:4]
        assert a[4] == pytest.approx(b[4], abs=1e-6)


@pytest.mark.parametrize(("kind", "form"), [("hiero", "moses-rules"), ("hiero", "cdec"), ("phrase", "cdec")])
def test_what_is_written_is_read_again(kind: str, form: str, tmp_path: Path) -> None:
    made = Extractor(kind).extract(SOURCE, TARGET, LINKS, tmp_path / "t")  # type: ignore[arg-type]
    export_grammar(made, tmp_path / "g.gz", format=form)  # type: ignore[arg-type]
    back = import_grammar(tmp_path / "g.gz", tmp_path / "b")
    assert back.feature_names == made.feature_names
    same(made, back)


def test_a_phrase_table_and_its_reordering_table(tmp_path: Path) -> None:
    made = Extractor("phrase").extract(SOURCE, TARGET, LINKS, tmp_path / "t")
    export_grammar(made, tmp_path / "p.xz", format="moses-phrases", reordering=tmp_path / "r.zst")
    back = import_grammar(tmp_path / "p.xz", tmp_path / "b", reordering=tmp_path / "r.zst", memory=4096)
    assert back.feature_names == made.feature_names
    same(made, back)
    assert [rule.counts for rule in back.rules("haus")] == [rule.counts for rule in made.rules("haus")]
    alone = import_grammar(tmp_path / "p.xz", tmp_path / "c")
    assert alone.feature_names == made.feature_names[:4]
    (tmp_path / "short").write_text("haus ||| house ||| 1 1 1 1 1 1\n", encoding="utf-8")
    with pytest.raises(FormatError, match="not in the reordering table"):
        import_grammar(tmp_path / "p.xz", tmp_path / "d", reordering=tmp_path / "short")


def test_reads_moses_as_moses_writes_it(tmp_path: Path) -> None:
    lines = [
        "der [X][X] [X] ||| the [X][X] [X] ||| 0.5 0.25 1 0.125 2.718 ||| 0-0 1-1 ||| 4 2 2 ||| |||",
        "[X][X] &#91; [X][X] [X] ||| [X][X] a [X][X] [X] ||| 1 1 1 1 2.718 ||| 0-2 1-1 2-0 ||| 1 1 1",
    ]
    with gzip.open(tmp_path / "rule-table.gz", "wt", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    grammar = import_grammar(tmp_path / "rule-table.gz", tmp_path / "t")
    assert grammar.feature_names == ("phrase_fe", "lex_fe", "phrase_ef", "lex_ef", "score_4")
    [rule] = grammar.rules("der [X]")
    assert rule == Rule(
        "X",
        "der [X,1]",
        "the [X,1]",
        pytest.approx(
            {
                "phrase_fe": math.log(0.5),
                "lex_fe": math.log(0.25),
                "phrase_ef": 0.0,
                "lex_ef": math.log(0.125),
                "score_4": 1.0,
            },
            abs=1e-3,
        ),
        ((0, 0),),
        (4.0, 2.0, 2.0),
    )
    [inverted] = grammar.rules("[X] [ [X]")
    assert inverted.target == "[X,2] a [X,1]"
    kept = import_grammar(tmp_path / "rule-table.gz", tmp_path / "u", unescape=False)
    assert len(kept.rules("[X] &#91; [X]")) == 1


def test_reads_cdec_with_short_forms_and_sparse_features(tmp_path: Path) -> None:
    (tmp_path / "g").write_text(
        "[S] ||| [S,1] [X,2] ||| [1] [2] ||| Glue=1\n"
        "[X] ||| [X,1] de [X,2] ||| the [2] of [1] ||| P=-0.5 Q=3\n"
        "[X] ||| der ||| the ||| Q=1 R=2 ||| 0-0\n",
        encoding="utf-8",
    )
    grammar = import_grammar(tmp_path / "g", tmp_path / "t")
    assert grammar.feature_names == ("Glue", "P", "Q", "R")
    assert grammar.rules("der")[0].features == {"Glue": 0.0, "P": 0.0, "Q": 1.0, "R": 2.0}
    assert grammar.rules("[X] de [X]")[0].target == "the [X,2] of [X,1]"
    assert grammar.rules("[S] [X]")[0].lhs == "S"
    (tmp_path / "h").write_text("[X] ||| a ||| b ||| 0.5 1.5\n", encoding="utf-8")
    assert import_grammar(tmp_path / "h", tmp_path / "t").feature_names == ("feature_0", "feature_1")


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("a ||| b ||| 1\na ||| c\n", "fields", 2),
        ("a ||| b ||| 1\n\na ||| b ||| 1\n", "again", 3),
        ("a ||| b ||| x\n", "not a finite number", 1),
        ("a ||| b ||| 1 ||| 0-7\n", "outside", 1),
        ("a ||| <s> ||| 1\n", "meaning of its own", 1),
        ("[X] ||| [X,1] a [X,2] b [X,3] ||| [1] [2] [3] ||| 1\n", "more than 2", 1),
        ("[X] ||| [X,1] a ||| b ||| 1\n", "pair up", 1),
    ],
)
def test_malformed_lines_are_told_with_their_place(text: str, what: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "g").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=what) as caught:
        import_grammar(tmp_path / "g", tmp_path / "t")
    assert caught.value.line == line
    assert not (tmp_path / "t").exists()


def test_wrong_wishes(tmp_path: Path) -> None:
    made = Extractor("hiero").extract(SOURCE, TARGET, LINKS, tmp_path / "t")
    with pytest.raises(InputError, match="phrase table"):
        export_grammar(made, tmp_path / "p", format="moses-phrases")
    with pytest.raises(InputError, match="no orientations"):
        export_grammar(made, tmp_path / "p", format="cdec", reordering=tmp_path / "r")
    with pytest.raises(SettingsError):
        export_grammar(made, tmp_path / "p", format="xml")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no rule"):
        filter_grammar(made, ["nichts davon"], tmp_path / "f")
    (tmp_path / "empty").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="no rule"):
        import_grammar(tmp_path / "empty", tmp_path / "e")
    assert not (tmp_path / "p").exists()


def matches(pattern: list[str], words: list[str]) -> bool:
    """Whether a source side matches a stretch of words, each gap standing for one word or more."""

    def match_from(symbols: list[str], at: int) -> bool:
        if not symbols:
            return True
        if symbols[0].startswith("[X,"):
            return any(match_from(symbols[1:], end) for end in range(at + 1, len(words) + 1))
        return at < len(words) and words[at] == symbols[0] and match_from(symbols[1:], at + 1)

    return any(match_from(pattern, at) for at in range(len(words)))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), min_size=1, max_size=4),
    st.lists(st.lists(st.sampled_from("abcz"), min_size=1, max_size=5), min_size=1, max_size=2),
)
def test_filtering_keeps_what_can_match(train: list[list[str]], test: list[list[str]]) -> None:
    with TemporaryDirectory() as directory:
        lines = [" ".join(words) for words in train]
        links = [" ".join(f"{i}-{i}" for i in range(len(words))) for words in train]
        made = Extractor("hiero").extract(lines, lines, links, Path(directory) / "t")
        wanted = [rule for rule in made if any(matches(rule.source.split(), words) for words in test)]
        out = Path(directory) / "f"
        if wanted:
            assert list(filter_grammar(made, [" ".join(words) for words in test], out)) == wanted
        else:
            with pytest.raises(InputError):
                filter_grammar(made, [" ".join(words) for words in test], out)
