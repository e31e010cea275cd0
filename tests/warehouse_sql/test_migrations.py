import re
import shutil
from pathlib import Path

import pytest

from errata.warehouse import sql
from errata.warehouse.analysis import analysis_views
from errata.warehouse.client import Warehouse
from errata.warehouse.migrations import MigrationChanged, MigrationsUnknown, migrate
from errata.warehouse.retention import RETENTION_DAYS
from errata.warehouse.roles import Role
from pipelines.marts.registry import MARTS
from tests.processes import WarehouseProcess

CREATED = re.compile(r"create table (errata_raw\.\w+)")
TTL = re.compile(r"ttl toDate\(received_at\) \+ interval (\d+) day")


@pytest.fixture
def admin(warehouse: WarehouseProcess) -> Warehouse:
    return warehouse.client(Role.ADMIN)


def test_migrations_are_numbered_without_gaps_and_named_by_what_they_do() -> None:
    names = [file.path.stem for file in sql.migrations()]
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    assert all(re.fullmatch(r"\d{4}_[a-z]+(_[a-z0-9]+)+", name) for name in names)


def test_retention_in_python_is_that_of_the_tables() -> None:
    kept = {}
    for file in sql.migrations():
        for statement in file.statements:
            created, ttl = CREATED.search(statement), TTL.search(statement)
            if created and ttl:
                kept[created[1]] = int(ttl[1])
    assert kept == RETENTION_DAYS


def test_every_mart_has_its_model_its_check_and_its_query() -> None:
    assert sorted(file.path.stem for file in sql.models()) == sorted(mart.name for mart in MARTS)
    for number, mart in enumerate(MARTS):
        assert (sql.DIRECTORY / "checks" / f"{mart.name}.sql").is_file()
        assert sql.query(mart.dirty)
        assert bool(mart.raw) != bool(mart.source)
        assert not mart.source or mart.source in {before.name for before in MARTS[:number]}
        assert not mart.raw or mart.raw in RETENTION_DAYS


def test_migrating_again_changes_nothing(admin: Warehouse) -> None:
    tables = (
        "select database, name, uuid from system.tables where startsWith(database, 'errata_m') order by 1, 2"
    )
    before = admin.rows(tables)
    assert migrate(admin) == []
    assert admin.rows(tables) == before


def test_every_column_of_marts_and_of_views_for_analysts_says_what_it_holds(admin: Warehouse) -> None:
    columns = admin.rows(
        "select table, name, comment from system.columns where database in ('errata_mart', 'errata_analysis')"
    )
    assert {column["table"] for column in columns} >= {
        file.name.partition(".")[2] for file in (*sql.models(), *analysis_views())
    }
    assert [column for column in columns if not column["comment"]] == []


def test_no_migration_waits_until_raw_is_rewritten() -> None:
    """A hundred million rows take longer than a statement may: the service would not start."""
    rewriting = [
        statement
        for file in sql.migrations()
        for statement in file.statements
        if re.search(r"alter table errata_raw\.\w+\s+(materialize|update|delete|modify order)", statement)
    ]
    assert rewriting
    assert all(statement.endswith("settings mutations_sync = 0") for statement in rewriting)


def test_a_changed_or_unknown_migration_stops_the_start(admin: Warehouse) -> None:
    forget = "alter table errata_ops.migrations delete where name = {name:String} settings mutations_sync = 1"
    record = "insert into errata_ops.migrations (name, file_hash) values ({name:String}, {hash:String})"
    first = admin.rows("select name, file_hash as hash from errata_ops.migrations order by name limit 1")[0]
    admin.execute(forget, {"name": first["name"]})
    admin.execute(record, {"name": first["name"], "hash": "other"})
    with pytest.raises(MigrationChanged, match=first["name"]):
        migrate(admin)
    admin.execute(forget, {"name": first["name"]})
    admin.execute(record, first)
    admin.execute(record, {"name": "9999_from_the_future", "hash": ""})
    with pytest.raises(MigrationsUnknown, match="9999_from_the_future"):
        migrate(admin)
    admin.execute(forget, {"name": "9999_from_the_future"})
    assert migrate(admin) == []


def test_a_mart_whose_model_changed_is_made_anew(admin: Warehouse) -> None:
    uuid = "select uuid from system.tables where database = 'errata_mart' and name = 'variant_daily'"
    before = admin.rows(uuid)
    admin.execute(
        "insert into errata_ops.mart_models (mart, file_hash) values ('errata_mart.variant_daily', 'older')"
    )
    migrate(admin)
    assert admin.rows(uuid) != before


@pytest.mark.slow
def test_a_changed_comment_reaches_the_table_and_rebuilds_nothing(
    admin: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = "select name, uuid from system.tables where database = 'errata_mart' order by name"
    columns = "select table, name, comment from system.columns where database = 'errata_mart' order by all"
    tables_before, columns_before = admin.rows(tables), admin.rows(columns)
    monkeypatch.setattr(sql, "DIRECTORY", shutil.copytree(sql.DIRECTORY, tmp_path / "warehouse_sql"))
    model = sql.model("page_loads").path
    text = model.read_text().replace("    -- ", "    -- Changed: ")
    model.write_text(
        re.sub(r"^(    (?:url|timings) .+) comment '.+'", r"\1 comment 'client''s'", text, flags=re.M)
    )
    migrate(admin)
    changed = [(row["name"], row["comment"]) for row in admin.rows(columns) if row not in columns_before]
    assert changed == [("timings", "client's"), ("url", "client's")]
    monkeypatch.undo()
    migrate(admin)
    assert admin.rows(columns) == columns_before
    assert admin.rows(tables) == tables_before


def test_deliveries_of_an_older_version_count_for_the_day_and_name_of_their_file(admin: Warehouse) -> None:
    older, newer = (sql.migrations()[number].statements[0] for number in (4, 15))
    other = "errata_raw.deliveries_of_before"
    admin.execute(older.replace("errata_raw.deliveries", other))
    try:
        admin.execute(
            f"insert into {other} (project_id, host, file, received_at) values "
            "(7, 'web-1', 'errata-2026-11-20.log.1', '2026-11-21 10:00:00'), "
            "(7, 'web-1', 'app.log', '2026-11-21 10:00:00')"
        )
        admin.execute(newer.replace("errata_raw.deliveries", other))
        rows = admin.rows(
            f"select base_name, toString(day) as day, file_id, file_end from {other} order by day"
        )
        assert [tuple(row.values()) for row in rows] == [
            ("errata-2026-11-20.log", "2026-11-20", "", ""),
            ("app.log", "2026-11-21", "", ""),
        ]
    finally:
        admin.execute(f"drop table {other} sync")
