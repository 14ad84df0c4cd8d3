"""Files of grammars: what they say, and how what is wrong with them is told."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tolka.assist.rewriting import Grammar, Rewriter, names
from tolka.assist.rewriting import grammar as room
from tolka.errors import FileError, FormatError

GOOD = """language en
root S
words be = is are
rule S
  <= /S/ -> ... a:NP ... v:V ...
  => v.two(a) ... v.one ...
rule NP
  <= /NP/ | /N/[word not in be]
rule V
  <= /VP/ -> v:/VB/ ... o:NP ...
  => two(x): o case(x) "and" x
  => one: ... v ...
"""
FILES = [
    (Path(room.__file__).parent / "grammars" / f"{name}.rewrite").read_text(encoding="utf-8") for name in names()
] + [GOOD]


def test_all_that_come_with_tolka() -> None:
    assert names() == ("de.fronting", "en.cleft", "en.passive", "fr.cleft")
    for name in names():
        assert Grammar.load(name).name == name


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "my.rewrite"
    path.write_text("\ufeff" + GOOD, encoding="utf-8")
    grammar = Grammar.load(path)
    assert (grammar.name, grammar.language, grammar.root) == (str(path), "en", "S")
    assert grammar.by_name["V"].members == (("two", 1), ("one", 0))
    with pytest.raises(FileError):
        Grammar.load(tmp_path / "none.rewrite")


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("language en\n", "", None, "the grammar has no language"),
        ("language en", "language English", 1, "'English' is no code of a language"),
        ("root S", "root T", 2, "there is no rule 'T'"),
        ("root S", "root S\nroot S", 3, "the root was given in line 2"),
        ("root S", "root V", 4, "rule 'S' is not used"),
        ("rule V", "rule NP", 9, "rule 'NP' was given in line 7"),
        ("a:NP", "a:NQ", 5, "there is no rule 'NQ'"),
        ("a:NP", "v:NP", 5, "the name 'v' is given twice"),
        ("[word not in be]", "[word not in has]", 8, "there is no list of words 'has'"),
        ("[word not in be]", "", 3, "the list 'be' is not used"),
        ("[word not in be]", "[words in be]", 8, "a condition is"),
        ("= is are", "=", 3, "the list 'be' is empty"),
        ("words be", "word be", 3, "'word' does not begin a line here"),
        ("/NP/ |", "/N(P/ |", 8, "is no regular expression: missing"),
        ("/NP/ |", "/NP |", 8, "is opened and not closed|is no pattern|means nothing"),
        ("/NP/ |", "(/NP/)* |", 8, "the node must be one node"),
        ("/NP/ |", "(((/NP/ |", 8, "'\\)' is missing at the end"),
        ("/NP/ |", "(" * 100 + "/NP/ |", 8, "more than 30 deep"),
        ("/NP/ |", "NP |", 7, "rule 'NP' matches itself at the same node without end"),
        ("/NP/ |", "!(/N/ /P/) |", 8, "! is for one node"),
        ("v.two(a)", "v.two", 6, "'v.two' takes 1 arguments, not 0"),
        ("v.two(a)", "v.two(a, a)", 6, "'v.two' takes 1 arguments, not 2"),
        ("v.two(a)", "v.two()", 6, "an argument of 'v.two' is empty"),
        ("v.two(a)", "v.three(a)", 6, "rule 'V' does not give 'three'; it gives two, one"),
        ("v.two(a)", "v", 6, "rule 'V' gives several things; write v.two or v.one"),
        ("v.two(a)", "b", 6, "nothing on the left is called 'b'"),
        ("v.two(a)", "caes(a)", 6, "the language has no function 'caes'; its functions are: agree, case"),
        ("v.two(a)", "case(a, a)", 6, "'case' takes 1 arguments, not 2"),
        ("v.two(a)", "v.two(a) ... ...", 6, "there are more ... than on the left"),
        ("v.two(a)", '""', 6, "there are no words between quotation marks"),
        ("two(x): o", "two(x, x): o", 11, "two parameters of one name"),
        ("two(x): o", "two(v): o", 11, "'v' is a parameter and a name on the left"),
        ("two(x): o", "itself(x): o", 11, "'itself' is always"),
        ("  => one: ... v ...\n", "  => two: v\n", 12, "the member 'two' is given twice"),
        ("  => one: ... v ...\n", "  => v\n", 12, "a rule that gives several things names each"),
        ("  => one: ... v ...\n", "  => one: ... v ...\n  <= /VP/\n", 13, "does not give what the first does"),
        ("rule NP\n", "rule NP\nrule N\n", 7, "rule 'NP' has no alternative"),
        ("rule S\n", "", 4, "there is no rule for this line"),
        ("  <= /S/ -> ... a:NP ... v:V ...\n", "", 5, "there is nothing on the left for this line"),
        ("  => v.two(a) ... v.one ...", "  => one: a", 2, "the root 'S' gives several things"),
    ],
)
def test_slips(old: str, new: str, line: int | None, what: str) -> None:
    assert GOOD.count(old) >= 1
    with pytest.raises(FormatError, match=what) as caught:
        Grammar.of(GOOD.replace(old, new, 1), "my.rewrite")
    assert caught.value.line == line
    assert str(caught.value).startswith("my.rewrite")
    assert caught.value.hint
    assert "\n" not in str(caught.value)


PIECES = [
    *("...", "->", "<=", "=>", "/S/", "/(/", "NP", "V", "S", "(", ")", "*", "&", "|", "!", ":", ",", ".", '"by"', "x"),
    *("rule", "root", "words", "language", "\n", " ", "[", "]", "[head in be]", "=", "#", "\0", "é", "itself", "case("),
]


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_mutated_files_are_grammars_or_told(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(FILES))
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 12)))
        piece = data.draw(st.one_of(st.sampled_from(PIECES), st.just(text[begin:end] * 2), st.text(max_size=3)))
        text = text[:begin] + piece + text[end:]
    slip: FormatError | None = None
    try:
        grammar = Grammar.of(text)
    except FormatError as error:
        slip = error
    if slip:
        assert slip.hint
        assert "\n" not in str(slip)
    else:
        order = [rule.name for rule in grammar.rules]
        assert len(set(order)) == len(order)
        Rewriter([grammar])
        assert all(one.line >= 1 for rule in grammar.rules for one in rule.alternatives)
        assert grammar.root in order
        assert not [pair for pair in pairwise(order) if pair[0] == pair[1]]
