"""Addresses, numbers and placeholders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.markup import NUMBER_STYLES, convert_number, find_addresses, is_address, is_number, mask, mask_pair, unmask


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see http://a.org/x(y)?z=1&b=2.", ["http://a.org/x(y)?z=1&b=2"]),
        ("(see https://a.org/x).", ["https://a.org/x"]),
        ("www.a.de, www.b.de!", ["www.a.de", "www.b.de"]),
        ("a.b+c@d-e.co.uk;", ["a.b+c@d-e.co.uk"]),
        ("a@b @c www. x@y.", []),
        ("foohttp://a.org", []),
    ],
)
def test_addresses_are_found_without_what_follows(text: str, expected: list[str]) -> None:
    found = find_addresses(text)
    assert [item.text for item in found] == expected
    assert all(text[item.start : item.end] == item.text for item in found)


def test_escaped_addresses_are_addresses() -> None:
    assert is_address("https://a.org/?b=1&amp;c=&#91;2&#93;")
    assert mask(["https://a.org/&#91;2&#93;"])[0] == ["$url_1"]
    assert not is_address("a@b.org,")


def test_long_words_are_searched_in_linear_time() -> None:
    # A search that began anew at every letter would take hours.
    assert find_addresses("a" * 1_000_000) == []
    assert not is_number("1" * 1_000_000 + "x")


def test_numbers_change_their_signs() -> None:
    de, en, fr = NUMBER_STYLES["de"], NUMBER_STYLES["en"], NUMBER_STYLES["fr"]
    assert convert_number("1.234.567,8", de, en) == "1,234,567.8"
    assert convert_number("1,234.5", en, fr) == "1\u00a0234,5"
    assert convert_number("-3,50%", de, en) == "-3.50%"
    for other in ("1.23", "12.34.5678", "1,2,3", "3/4", "", "x"):
        assert convert_number(other, de, en) == other


@given(st.integers(min_value=0, max_value=10**12), st.integers(min_value=0, max_value=999))
def test_converting_there_and_back(whole: int, fraction: int) -> None:
    de, en = NUMBER_STYLES["de"], NUMBER_STYLES["en"]
    english = f"{whole:,}.{fraction:03}"
    german = convert_number(english, en, de)
    assert german == english.translate(str.maketrans(",.", ".,"))
    assert convert_number(german, de, en) == english


def test_text_with_placeholders_of_its_own_stays() -> None:
    assert mask(["$num_1", "1999"]) == (["$num_1", "1999"], {})
    assert mask_pair(["1999"], ["1999", "$url_2"]) == (["1999"], ["1999", "$url_2"])
    assert mask(["$num_x", "1999"])[0] == ["$num_x", "$num_1"]


def test_only_what_both_sides_have_is_masked() -> None:
    de, en = NUMBER_STYLES["de"], NUMBER_STYLES["en"]
    source = ["am", "3.", "Mai", "1999", "kostete", "es", "1.234,5", "statt", "20", "und", "20"]
    target = ["it", "cost", "1,234.5", "instead", "of", "20", "on", "3", "May", "1999"]
    masked, other = mask_pair(source, target, styles=(de, en))
    assert masked == ["am", "3.", "Mai", "$num_1", "kostete", "es", "$num_2", "statt", "20", "und", "20"]
    assert other == ["it", "cost", "$num_2", "instead", "of", "20", "on", "3", "May", "$num_1"]
    assert mask_pair(source, target)[0] == [
        "am",
        "3.",
        "Mai",
        "$num_1",
        "kostete",
        "es",
        "1.234,5",
        "statt",
        "20",
        "und",
        "20",
    ]


def test_equal_items_pair_up_in_turn() -> None:
    masked, other = mask_pair(["10", "a", "10", "www.x.org"], ["www.x.org", "10", "10"])
    assert (masked, other) == (["$num_1", "a", "$num_2", "$url_1"], ["$url_1", "$num_1", "$num_2"])


words = st.lists(st.sampled_from(["10", "11", "3", "www.a.org", "a@b.org", "x"]), max_size=8)


@given(words, words)
def test_masks_hold_what_was_there(source: list[str], target: list[str]) -> None:
    masked, values = mask(source)
    assert unmask(" ".join(masked), values).split() == source
    ours, theirs = mask_pair(source, target)
    assert {token for token in ours if token[0] == "$"} == {token for token in theirs if token[0] == "$"}
    assert len({token for token in ours if token[0] == "$"}) == sum(token[0] == "$" for token in ours)
    # Each placeholder stands for the same thing on both sides.
    there = dict(zip(ours, source, strict=True))
    assert [there.get(token, token) if token[0] == "$" else token for token in theirs] == target
