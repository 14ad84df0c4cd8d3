from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.align import GoldLinks, read_gold, read_links, read_weighted_links, write_links, write_weighted_links
from tolka.errors import FormatError, InputError, SettingsError


def test_reads_gold(tmp_path):
    path = tmp_path / "gold"
    path.write_text("1-1 2?3 4p5\n\n1-2\n", encoding="utf-8")
    wanted = [GoldLinks(((0, 0),), ((1, 2), (3, 4))), GoldLinks(()), GoldLinks(((0, 1),))]
    assert read_gold(path, base=1) == wanted
    assert read_links(path) == [[(1, 1), (2, 3), (4, 5)], [], [(1, 2)]]


@pytest.mark.parametrize("bad", ["0_1", "0-", "-1-2", "0-1-2", "a-b", "0-99999", "0-1:x", "٣-1"])
def test_says_where_a_link_is_wrong(tmp_path, bad):
    path = tmp_path / "links"
    path.write_text(f"0-0\n1-1 {bad} 2-2\n", encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_links(path)
    assert (error.value.path, error.value.line, error.value.byte) == (path, 2, 5)


def test_zero_is_not_a_position_from_one(tmp_path):
    (tmp_path / "links").write_text("0-1\n", encoding="utf-8")
    with pytest.raises(FormatError, match="count from 1"):
        read_links(tmp_path / "links", base=1)
    with pytest.raises(SettingsError, match="from 2"):
        read_links(tmp_path / "links", base=2)


@given(st.lists(st.lists(st.tuples(st.integers(0, 65535), st.integers(0, 65535)), max_size=6), max_size=6))
def test_round_trip(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("links") / "links"
    write_links(path, rows)
    assert read_links(path) == [sorted(set(row)) for row in rows]


weights = st.dictionaries(st.tuples(st.integers(0, 65535), st.integers(0, 65535)), st.floats(0, 1), max_size=6)


@given(st.lists(weights, max_size=5))
def test_weighted_links_round_trip(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("links") / "links"
    write_weighted_links(path, rows)
    again = read_weighted_links(path)
    assert [list(row) for row in again] == [sorted(row) for row in rows]
    for row, found in zip(rows, again, strict=True):
        assert found == {link: pytest.approx(weight, rel=1e-5, abs=1e-37) for link, weight in row.items()}
    write_weighted_links(path, again)
    assert read_weighted_links(path) == again


def test_weights_in_files(tmp_path):
    path = tmp_path / "links"
    path.write_text("0-1:0.83 1-1 2?2:0.5\n\n", encoding="utf-8")
    assert read_weighted_links(path) == [{(0, 1): 0.83, (1, 1): 1.0, (2, 2): 0.5}, {}]
    path.write_text("0-0\n0-1:1.5\n", encoding="utf-8")
    with pytest.raises(FormatError, match="not between 0 and 1") as error:
        read_weighted_links(path)
    assert error.value.line == 2
    with pytest.raises(InputError, match="0-1 is not between"):
        write_weighted_links(tmp_path / "new", [{(0, 1): float("nan")}])
    assert not (tmp_path / "new").exists()
