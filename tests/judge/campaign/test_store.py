"""The database: its forms, its migrations, its durability settings."""

import pytest
from sqlalchemy import MetaData, inspect, select, text

from tolka.errors import FileError, FormatError, SettingsError
from tolka.judge.campaign import Campaign, CampaignSettings, Material, create_campaign, open_campaign, schema
from tolka.judge.campaign.migrations import STEPS, migrate
from tolka.judge.campaign.store import Store

NOW = "2026-03-01T12:00:00.000+00:00"


def test_migrations_lead_to_the_schema(tmp_path, database):
    store = Store(tmp_path, database, create=True)
    store.migrate(NOW)
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
    store = Store(tmp_path, database, create=True)
    with store.writing() as connection:
        assert migrate(connection, NOW, steps=1) == 0
        connection.execute(schema.audit.insert().values(at=NOW, actor="x", action="y", detail=""))
    store.migrate(NOW)
    store.migrate(NOW)
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


@pytest.mark.parametrize(
    ("address", "message"),
    [("mysql://x/y", "mysql databases cannot be used"), ("nonsense", "cannot be understood")],
)
def test_other_databases(tmp_path, address, message):
    with pytest.raises(SettingsError, match=message):
        Store(tmp_path, address)


def test_a_server_that_is_not_there(tmp_path):
    store = Store(tmp_path, f"postgresql://x@/y?host={tmp_path}")
    with pytest.raises(FileError, match="the database does not answer"):
        store.migrate(NOW)
