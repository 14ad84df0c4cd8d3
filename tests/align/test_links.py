from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tolka.align import GoldLinks, read_gold, read_links, write_links
from tolka.errors import FormatError, SettingsError


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
