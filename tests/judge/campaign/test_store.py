"""The database: its forms, its migrations, its durability settings."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import MetaData, inspect, select, text
from sqlalchemy.exc import DBAPIError

from tolka.errors import FileError, FormatError
from tolka.judge import Choice
from tolka.judge.campaign import Campaign, CampaignSettings, Given, Material, create_campaign, open_campaign, schema
from tolka.judge.campaign.migrations import STEPS
from tolka.web.migrations import migrate
from tolka.web.store import Store

NOW = "2026-03-01T12:00:00.000+00:00"


def test_migrations_lead_to_the_schema(tmp_path, database):
    store = Store(tmp_path / "campaign.db", database, create=True)
    store.migrate(STEPS, NOW)
    found = MetaData()
    found.reflect(store.engine)
    assert set(found.tables) == set(schema.metadata.tables)
    for name, table in schema.metadata.tables.items():
        told = {column.name: (column.nullable, column.primary_key) for column in found.tables[name].columns}
        assert told == {column.name: (column.nullable, column.primary_key) for column in table.columns}, name
        kinds = {column.name: column.type.python_type for column in found.tables[name].columns}
        assert kinds == {column.name: column.type.python_type for column in table.columns}, name
        indexes = {
            (one["name"], tuple(one["column_names"]), bool(one["unique"]))
            for one in inspect(store.engine).get_indexes(name)
        }
        wanted = {(one.name, tuple(column.name for column in one.columns), bool(one.unique)) for one in table.indexes}
        assert {one for one in indexes if not str(one[0]).endswith(("_key", "_once"))} >= {
            one for one in wanted if not one[0].endswith("_once")
        }, name
    store.close()


def test_an_older_form_is_brought_forward(tmp_path, database):
    store = Store(tmp_path / "campaign.db", database, create=True)
    with store.writing() as connection:
        assert migrate(connection, STEPS, NOW, upto=1) == 0
        connection.execute(schema.audit.insert().values(at=NOW, actor="x", action="y", detail=""))
    store.migrate(STEPS, NOW)
    store.migrate(STEPS, NOW)
    with store.reading() as connection:
        assert connection.execute(select(schema.version.c.version)).scalars().all() == [1, 2]
        assert connection.execute(select(schema.audit.c.actor)).scalars().all() == ["x"]
    store.close()


def test_a_newer_form_is_left_alone(campaign):
    with campaign.store.writing() as connection:
        connection.execute(schema.version.insert().values(version=len(STEPS) + 1, at=NOW))
    with pytest.raises(FormatError, match="use a newer tolka"):
        open_campaign(campaign.directory)


def test_sqlite_syncs_every_commit(make):
    campaign = make()
    with campaign.store.reading() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2  # FULL
        assert connection.execute(text("PRAGMA foreign_keys")).scalar() == 1


def test_what_fails_leaves_nothing(campaign):
    def fail():
        with campaign.store.writing() as connection:
            connection.execute(schema.audit.insert().values(at=NOW, actor="x", action="y", detail=""))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    with campaign.store.reading() as connection:
        assert connection.execute(select(schema.audit.c.actor)).scalars().all() == ["owner"]


def test_one_campaign_to_a_database(campaign, database, tmp_path, rows):
    if database:
        settings = CampaignSettings.from_values({"database": database})
        with pytest.raises(FileError, match="holds a campaign already"):
            create_campaign(tmp_path / "other", Material.of_rows(rows, where="rows"), settings)
    assert isinstance(campaign, Campaign)


def test_a_campaign_of_before_goes_on(tmp_path, clock):
    """Made by tolka before the foundation had the tables: six answers, the last of them taken back."""
    with sqlite3.connect(tmp_path / "campaign.db") as old:
        old.executescript((Path(__file__).parent / "before.sql").read_text(encoding="utf-8"))
    old.close()
    (tmp_path / "campaign.toml").write_text('title = "Made before"\nseed = 3\ntests.rate = 0.5\n', encoding="utf-8")
    with open_campaign(tmp_path, clock=clock) as campaign:
        anna = campaign.admit("QSIYCOiEuE0W.NKL9ZA9gVTBp1izkvOlqfkWye66Wpq5b")
        assert anna == campaign.named("anna")
        assert campaign.admit("QY1Q_Dz1lC8z.8pUleYWSjcUuvmrueQ_BvspoMW-luNKN") is None  # shut out
        told = [(one.left, one.right, str(one.choice), one.test is not None) for one in campaign.answers()]
        assert told == [
            ("b", "a", "left", False),
            ("c", "b", "left", False),
            ("a", "b", "left", False),
            ("a", "b", "left", False),
            ("", "", "left", True),
            ("a", "b", "right", False),
        ]
        task = campaign.next(anna)
        assert task.id == "r-ZufEm6i_pxdNOVUIAuxQ"
        assert task.redo
        shown = campaign.show(task)
        assert (shown.kind, shown.left, shown.right) == ("compare", "a says 0", "c says 0")
        assert campaign.answer(anna, task.id, Given(choice=Choice.RIGHT)) == "stored"
        assert campaign.answer(anna, "t5X14s4dAmbiTwUt-nTmvw", Given(choice=Choice.RIGHT)) == "already"
        assert campaign.undo(anna, task.id) == "stored"
        assert campaign.answered(anna) == 5
        assert campaign.next(anna).low == task.low
        with pytest.raises(DBAPIError, match="append-only"), campaign.store.writing() as connection:
            connection.execute(schema.answer.delete())
