"""Databases and their forms, for any room."""

import pytest
from sqlalchemy import text

from tolka.errors import FileError, FormatError, SettingsError
from tolka.web.keys import read_key
from tolka.web.migrations import make_append_only, migrate, run_statements
from tolka.web.store import Store

NOW = "2026-03-01T12:00:00.000+00:00"


def _first(connection):
    run_statements(connection, "CREATE TABLE a (id {number}, x {real}); CREATE TABLE b (id {number}, y {integer})")
    make_append_only(connection, ["a"])


def _second(connection):
    run_statements(connection, "ALTER TABLE a ADD COLUMN z TEXT")
    make_append_only(connection, ["b"])


def test_steps_are_taken_once(store):
    store.migrate([_first], NOW)
    with store.writing() as connection:
        connection.execute(text("INSERT INTO a (x) VALUES (0.5)"))
    store.migrate([_first, _second], NOW)
    store.migrate([_first, _second], NOW)
    with store.reading() as connection:
        assert connection.execute(text("SELECT x, z FROM a")).all() == [(0.5, None)]
    with pytest.raises(FormatError, match="has form 2, and this tolka knows 1; use a newer tolka"):
        store.migrate([_first], NOW)


def test_a_step_that_fails_leaves_the_form_it_had(store):
    def broken(connection):
        _second(connection)
        raise RuntimeError("stop")

    store.migrate([_first], NOW)
    with pytest.raises(RuntimeError):
        store.migrate([_first, broken], NOW)
    with store.writing() as connection:
        assert migrate(connection, [_first, _second], NOW) == 1


@pytest.mark.parametrize(
    ("address", "message"),
    [("mysql://x/y", "mysql databases cannot be used"), ("nonsense", "cannot be understood")],
)
def test_other_databases(tmp_path, address, message):
    with pytest.raises(SettingsError, match=message):
        Store(tmp_path / "x.db", address)


def test_a_server_that_is_not_there(tmp_path):
    store = Store(tmp_path / "x.db", f"postgresql://x@/y?host={tmp_path}")
    with pytest.raises(FileError, match="the database does not answer"):
        store.migrate([_first], NOW)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="the page's database is gone; restore it from a copy"):
        Store(tmp_path / "x.db")


def test_keys_are_made_once_and_kept_private(tmp_path):
    path = tmp_path / "key"
    key = read_key(path)
    assert len(key) == 32
    assert read_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("not hexadecimal")
    with pytest.raises(FileError, match="the key cannot be read"):
        read_key(path)
    with pytest.raises(FileError, match="cannot write the key"):
        read_key(tmp_path / "nowhere" / "key")
