"""Lists of terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.corpus import Tokeniser
from tolka.decode import Given
from tolka.errors import FormatError, InputError
from tolka.markup import Terms

if TYPE_CHECKING:
    from pathlib import Path


def spans(terms: Terms, text: str) -> list[tuple[int, int, list[str], bool]]:
    found = terms.match(text.split())
    return [(one.start, one.end, [words for words, _ in one.targets], one.exclusive) for one in found]


def test_the_longest_term_wins_and_search_goes_on_behind_it() -> None:
    terms = Terms([("a", "1", True), ("a b", "2", True), ("b c", "3", True), ("c", "4", False)])
    assert spans(terms, "a b c a") == [(0, 2, ["2"], True), (2, 3, ["4"], False), (3, 4, ["1"], True)]


def test_capitals_matter_if_the_term_has_them() -> None:
    terms = Terms([("haus", "house", True), ("Essen", "food", True), ("essen", "eat", True), ("EU", "EU", True)])
    assert [span[2] for span in spans(terms, "HAUS Haus haus")] == [["house"]] * 3
    assert [span[2] for span in spans(terms, "Essen essen ESSEN")] == [["food"], ["eat"], ["eat"]]
    assert spans(terms, "eu Eu") == []


def test_several_translations_are_alternatives() -> None:
    terms = Terms([("bank", "bank", False), ("bank", "bench", False), ("bank", "bank", False)], weight=1.5)
    assert terms.match(["bank"]) == [Given(0, 1, (("bank", 1.5), ("bench", 1.5)), exclusive=False)]
    assert len(terms) == 2
    with pytest.raises(InputError, match="both forced and preferred"):
        Terms([("bank", "bank", False), ("bank", "bench", True)])


def test_a_file_is_cut_like_text(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("# terms\n\nL'eau\tthe water\npomme\tapple\tpreferred\nkg.\tkg\tforced\n", encoding="utf-8")
    source, target = Tokeniser("fr"), Tokeniser("en")
    terms = Terms.read(path, cut=source.lines, cut_target=target.lines)
    assert spans(terms, source.line("L'eau et la pomme")) == [
        (0, 2, ["the water"], True),
        (4, 5, ["apple"], False),
    ]
    assert not Terms.read(path, cut=source.lines, default=False).match(source.tokenise("l'eau"))


@pytest.mark.parametrize(
    ("line", "message"),
    [("a\tb\tmaybe", "not a term"), ("a\tb\tforced\tx", "not a term"), ("a\t ", "empty"), ("\tb", "empty")],
)
def test_wrong_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text(f"x\ty\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=message) as refused:
        Terms.read(path)
    assert (refused.value.path, refused.value.line) == (path, 2)


def test_a_line_without_a_tab_is_named(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("haus\n", encoding="utf-8")
    with pytest.raises(FormatError, match="not a term"):
        Terms.read(path)


tokens = st.lists(st.sampled_from("abAB"), min_size=1, max_size=3)


@given(st.lists(st.tuples(tokens, st.booleans()), max_size=8), st.lists(st.sampled_from("abABc"), max_size=8))
def test_the_trie_finds_what_comparing_finds(entries: list[tuple[list[str], bool]], text: list[str]) -> None:
    modes: dict[tuple[str, ...], bool] = {}
    for term, forced in entries:
        modes.setdefault(tuple(term), forced)
    terms = Terms((" ".join(term), f"t{at}", forced) for at, (term, forced) in enumerate(modes.items()))
    # The same by comparing every term at every place: exact spellings before those in any case, by the order of entry.
    expected = []
    at = 0
    while at < len(text):
        for length in (3, 2, 1):
            here = tuple(text[at : at + length])
            fits = [
                term
                for term in modes
                if len(term) == length == len(here)
                and all(o == w or (o == w.lower()) for o, w in zip(term, here, strict=True))
            ]
            if fits:
                best = here if here in modes else fits[0]
                expected.append((at, at + length, [f"t{list(modes).index(best)}"], modes[best]))
                at += length
                break
        else:
            at += 1
    assert spans(terms, " ".join(text)) == expected
