"""The engine's own BACKUP and RESTORE of our tables."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from errata.backup.errors import BackupFailed, RestoreIncomplete, RestoreRefused, TooNew
from errata.backup.manifest import Manifest, TableCopy
from errata.backup.place import BackupPlace
from errata.backup.sections import MARTS, SECTIONS, Section
from errata.backup.stored_rows import stored_rows
from errata.up.data_directory import DataIncomplete
from errata.warehouse import sql
from errata.warehouse.addresses import addresses_of
from errata.warehouse.backup_disk import DISK, FOLDER
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.migrations import MigrationsUnknown, planned
from errata.warehouse.replicas import DATABASES, alone

# A statement is silent until it has copied everything; while the warehouse answers pings, it is waited for.
LONGEST_COPY_SECONDS = 24 * 3600
DATABASES_COPIED = tuple(dict.fromkeys(section.database for section in SECTIONS))
ERASURE_TABLES = "0048_create_erasures"
# A table that is there while a restore to a server is under way.
RESTORING = "errata_ops.restoring"
SAME_TABLE = {"show_table_uuid_in_table_create_query_if_not_nil": 1}


def connect(url: str) -> Warehouse:
    """Raises BackupFailed for replicas, each of which may lack rows of the others."""
    if len(addresses_of(url)) > 1:
        raise BackupFailed(
            "A backup is of one server: name one of the replicas in "
            "ERRATA_WAREHOUSE_ADMIN_URL. Rows that it has not fetched from the others are then missing"
        )
    return Warehouse(url, timeout_seconds=LONGEST_COPY_SECONDS, silence_seconds=60)


def require_disk(warehouse: Warehouse, place: BackupPlace) -> None:
    """Raises BackupFailed where a server of one's own does not write to this directory."""
    directory = place.linked
    if directory is None:
        return
    rows = warehouse.rows(sql.build_statement("disk_of_backups"), {"disk": DISK})
    if not rows:
        raise BackupFailed(
            f"ClickHouse at {warehouse.address} has no disk named {DISK}: define it as described in "
            f"docs/backup.md"
        )
    expected = Path(rows[0]["path"]) / FOLDER
    if expected.resolve() != directory.resolve():
        raise BackupFailed(
            f"ClickHouse at {warehouse.address} writes backups to {expected}, not to {directory}. Give this "
            f"path, or change the disk {DISK}"
        )


def definitions(warehouse: Warehouse, with_marts: bool) -> dict[str, str]:
    """The statement that makes each table. A mart whose rows are copied is made as the same table, so that
    the records of its builds hold; one without rows is another table, to be built from the first row."""
    found: dict[str, str] = {}
    for database in DATABASES_COPIED:
        is_same = with_marts or database != MARTS.database
        rows = warehouse.rows(
            sql.build_statement("tables_to_back_up"),
            {"databases": [database]},
            SAME_TABLE if is_same else None,
        )
        found |= {row["name"]: alone(row["create_statement"]) for row in rows}
    return found


def copy_section(
    warehouse: Warehouse, section: Section, place: BackupPlace, backup: str, base: str | None
) -> None:
    """Rows acknowledged before are in the copy. Raises BackupFailed."""
    settings = f" settings base_backup = {place.destination(base, section.name)}" if base else ""
    try:
        warehouse.execute(f"backup {section.elements} to {place.destination(backup, section.name)}{settings}")
    except QueryFailed as error:
        raise BackupFailed(f"The warehouse could not copy {section.name}: {error.reason}") from error


def tables_copied(
    place: BackupPlace, chain: Sequence[str], copied: Sequence[Section], created: Mapping[str, str]
) -> dict[str, TableCopy]:
    """Each table with the rows that the first backup of the chain, newest first, has of it."""
    rows: dict[str, int] = {}
    for section in copied:
        rows |= stored_rows(place, chain, section.name)
    databases = {section.database for section in copied}
    return {
        name: TableCopy(create, rows.get(name, 0) if name.partition(".")[0] in databases else None)
        for name, create in created.items()
    }


def require_empty(warehouse: Warehouse) -> None:
    rows = warehouse.rows(sql.build_statement("databases_of_ours"), {"databases": list(DATABASES)})
    if rows:
        names = ", ".join(row["name"] for row in rows)
        raise RestoreRefused(
            f"ClickHouse at {warehouse.address} has {names} already; restore to an empty one"
        )


def require_restored(warehouse: Warehouse) -> None:
    """Raises DataIncomplete while a restore to a server is under way, and after it was interrupted."""
    asked = {"databases": [RESTORING.partition(".")[0]]}
    tables = warehouse.rows(sql.build_statement("tables_of_databases"), asked)
    if any(row["name"] == RESTORING for row in tables):
        raise DataIncomplete(
            f"A restore to ClickHouse at {warehouse.address} is under way, or was interrupted",
            "If none is running, drop the databases errata_… there, empty the account store, and run `errata "
            "restore` again",
        )


@contextmanager
def marked(warehouse: Warehouse, databases: Sequence[str]) -> Iterator[None]:
    """While this lasts, the server is one that is restored to; if it fails, what it made is dropped."""
    marked_database = RESTORING.partition(".")[0]
    warehouse.execute(f"create database {marked_database}")
    warehouse.execute(f"create table {RESTORING} (nothing UInt8) engine = Memory")
    try:
        yield
    except BaseException:
        # That of the mark last.
        for database in sorted(databases, key=lambda name: name == marked_database):
            warehouse.execute(f"drop database if exists {database} sync")
        raise
    warehouse.execute(f"drop table {RESTORING} sync")


def restore_warehouse(warehouse: Warehouse, place: BackupPlace, name: str, manifest: Manifest) -> None:
    """Makes the tables, and fills them. Raises TooNew, and RestoreIncomplete if a table lacks rows of the
    backup."""
    for database in manifest.databases:
        warehouse.execute(f"create database if not exists {database}")
    for table, copied in manifest.tables.items():
        warehouse.execute(copied.create)
        # A merge may drop rows that are out of date or replaced: none, until they are counted.
        warehouse.execute(f"system stop merges {table}")
    for section in manifest.sections:
        # That of a replica has other engines.
        different = " settings allow_different_table_def = 1"
        warehouse.execute(f"restore all from {place.destination(name, section)}{different}")
        # The records of migrations are in the first section, and the smallest.
        try:
            planned(warehouse)
        except MigrationsUnknown as error:
            raise TooNew(manifest.version, f"migrations {', '.join(error.names)}") from error
    require_rows(warehouse, manifest)
    for table in manifest.tables:
        warehouse.execute(f"system start merges {table}")


def make_erasure_tables(warehouse: Warehouse) -> None:
    """Makes the tables of erasures where the backup is of a version without them. `errata up` finds them."""
    (file,) = (one for one in sql.migrations() if one.path.stem == ERASURE_TABLES)
    for statement in file.statements:
        warehouse.execute(statement.replace("create table ", "create table if not exists ", 1))


def require_rows(warehouse: Warehouse, manifest: Manifest) -> None:
    rows = warehouse.rows(sql.build_statement("rows_of_tables"), {"databases": list(manifest.databases)})
    found = {row["name"]: row["row_count"] for row in rows}
    for table, copied in manifest.tables.items():
        if found.get(table, 0) != (copied.rows or 0):
            raise RestoreIncomplete(table, copied.rows or 0, found.get(table, 0))
