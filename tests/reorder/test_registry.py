"""Pre-orderers by name."""

import pytest

from tolka.errors import FormatError, SettingsError
from tolka.files import save_bundle
from tolka.reorder import create, load


def test_unknown_kinds_are_refused():
    with pytest.raises(SettingsError, match="no pre-orderer of kind 'magic'"):
        create("magic")


def test_a_bundle_of_an_unknown_kind_is_refused(tmp_path):
    with save_bundle(tmp_path / "pre", kind="preorderer", settings={"kind": "magic"}):
        pass
    with pytest.raises(FormatError, match="unknown kind 'magic'"):
        load(tmp_path / "pre")
    with save_bundle(tmp_path / "other", kind="preorderer", settings={"kind": 3}):
        pass
    with pytest.raises(FormatError, match="unknown kind 3"):
        load(tmp_path / "other")


def test_a_bundle_of_something_else_is_refused(tmp_path):
    with save_bundle(tmp_path / "lm", kind="lm"):
        pass
    with pytest.raises(FormatError, match="of kind lm"):
        load(tmp_path / "lm")
