"""Applies warehouse_sql/migrations: forward only, each file once, recorded with its hash."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from errata.errors import ErrataError
from errata.resolution.assignments import put_right
from errata.warehouse import sql
from errata.warehouse.analysis import analysis_views
from errata.warehouse.client import QueryFailed, Warehouse
from errata.warehouse.replicas import (
    DATABASES,
    NotReplicated,
    are_replicated,
    copy_tables,
    rendered,
    require_replicas,
)
from errata.warehouse.table_shape import keep_rows

# What makes a statement harmless if it was executed before.
REPEATABLE: Mapping[str, str] = {
    "create table": "if not exists",
    "add column": "if not exists",
    "add index": "if not exists",
    "drop column": "if exists",
}


class MigrationChanged(ErrataError):
    """The file of an applied migration has changed since."""

    code = "migration_changed"
    is_final = True

    def __init__(self, name: str) -> None:
        super().__init__(f"Migration {name} was changed after being applied; restore it and add a new one")
        self.name = name


class MigrationsUnknown(ErrataError):
    """The warehouse has migrations that this version lacks: the program is older than the data."""

    code = "migrations_unknown"
    is_final = True

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"The data was written by a newer version (unknown migrations: {', '.join(names)}). "
            f"Install that version"
        )
        self.names = tuple(names)


@dataclass(frozen=True, slots=True)
class Plan:
    """What `migrate` would do: migrations to apply, and marts with a changed model, which are built anew.
    `is_first`: the warehouse has nothing of ours yet."""

    migrations: tuple[sql.SqlFile, ...]
    marts: tuple[sql.SqlFile, ...]
    is_first: bool


def planned(warehouse: Warehouse) -> Plan:
    """Raises MigrationChanged and MigrationsUnknown; writes nothing."""
    is_begun = bool(warehouse.rows(sql.build_statement("has_migrations"))[0]["is_begun"])
    fresh, marts = _fresh(warehouse, is_begun), _changed_marts(warehouse, is_begun)
    return Plan(tuple(fresh), tuple(marts), not is_begun)


def migrate(warehouse: Warehouse, replicas: Sequence[Warehouse] = ()) -> list[str]:
    """Brings the warehouse to this version and returns the names of the migrations applied. After a stop at
    any moment it can be run again. `replicas`: the other servers of its shard, which get the same tables.
    Raises NotReplicated."""
    _begin(warehouse, replicas)
    fresh = _fresh(warehouse, True)
    begun = {
        row["name"]: row["statement_count"] for row in warehouse.rows(sql.build_statement("migrations_begun"))
    }
    for file in fresh:
        _apply(warehouse, file, begun.get(file.path.stem, 0))
    create_marts(warehouse)
    describe_columns(warehouse)
    copy_to(warehouse, replicas)
    for server in (warehouse, *replicas):
        create_views(server)
    put_right(warehouse)
    return [file.path.stem for file in fresh]


def _begin(first: Warehouse, replicas: Sequence[Warehouse]) -> None:
    """Makes what the migrator itself needs. Raises NotReplicated, and leaves nothing made on a server that
    was empty."""
    is_replicated = bool(replicas) or are_replicated(first)
    ours = sql.build_statement("databases_of_ours")
    servers = (first, *replicas)
    empty = [server for server in servers if not server.rows(ours, {"databases": list(DATABASES)})]
    try:
        for statement in sql.parse(sql.DIRECTORY / "bootstrap.sql").statements:
            first.execute(rendered(statement) if is_replicated else statement)
        copy_to(first, replicas)
    except (NotReplicated, QueryFailed) as error:
        if not replicas:
            raise
        for server in empty:
            for database in DATABASES:
                server.execute(f"drop database if exists {database} sync")
        if isinstance(error, QueryFailed):
            raise NotReplicated([server.address for server in servers], error.reason) from error
        raise


def copy_to(first: Warehouse, replicas: Sequence[Warehouse]) -> None:
    """Raises NotReplicated."""
    for other in replicas:
        copy_tables(first, other)
    if replicas:
        require_replicas([first, *replicas])


def _fresh(warehouse: Warehouse, is_begun: bool) -> list[sql.SqlFile]:
    applied = {
        row["name"]: row["file_hash"]
        for row in (warehouse.rows(sql.build_statement("applied_migrations")) if is_begun else ())
    }
    files = sql.migrations()
    unknown = sorted(set(applied) - {file.path.stem for file in files})
    if unknown:
        raise MigrationsUnknown(unknown)
    return [file for file in files if _is_new(file.path, applied.get(file.path.stem))]


def _apply(warehouse: Warehouse, file: sql.SqlFile, executed_count: int) -> None:
    """Executes the statements from the first that is not recorded; the one at which an earlier run was
    stopped may be executed twice."""
    named = {"name": file.path.stem, "file_hash": _hash(file.path)}
    for number, statement in enumerate(file.statements[executed_count:], executed_count + 1):
        _define(warehouse, _repeatable(statement))
        warehouse.execute(sql.build_statement("record_statement"), {**named, "statement_count": number})
    warehouse.execute(sql.build_statement("record_migration"), named)


def _repeatable(statement: str) -> str:
    """The statement as one that may be executed twice: applied files keep their text."""
    for words, condition in REPEATABLE.items():
        statement = re.sub(
            rf"(?m)^( *|alter table \S+ ){words} (?!if )", rf"\1{words} {condition} ", statement
        )
    return statement


def create_marts(warehouse: Warehouse) -> None:
    """Creates every mart, empty, before the first build: pages then find no table missing.

    A mart with a changed model, and those built from it, are built anew; until then their rows count as they
    are, unless other keys or types need another table. A changed comment changes no model.
    """
    for file in _changed_marts(warehouse, True):
        if not keep_rows(warehouse, file, _define):
            make_mart(warehouse, file)
        warehouse.execute(
            sql.build_statement("record_model"),
            {"mart": file.name, "file_hash": sql.model_hash(file.path.stem)},
        )


def _changed_marts(warehouse: Warehouse, is_begun: bool) -> list[sql.SqlFile]:
    recorded = {
        row["mart"]: row["file_hash"]
        for row in (warehouse.rows(sql.build_statement("applied_models")) if is_begun else ())
    }
    return [file for file in sql.models() if recorded.get(file.name) != sql.model_hash(file.path.stem)]


def make_mart(warehouse: Warehouse, file: sql.SqlFile) -> None:
    """Creates a mart anew, empty; its next build starts from the first row."""
    # At once: rows that are erased afterwards must not stay in files of a dropped table.
    warehouse.execute(f"drop table if exists {file.name} sync")
    _define(warehouse, file.statements[0])


def _define(warehouse: Warehouse, statement: str) -> None:
    """Executes a statement of a file; a table of a replica gets a replicated engine."""
    is_replicated = statement.startswith("create table") and are_replicated(warehouse)
    warehouse.execute(rendered(statement) if is_replicated else statement)


def describe_columns(warehouse: Warehouse) -> None:
    """Sets the comments of columns of existing marts to those of their models."""
    describe = sql.build_statement("describe_columns")
    known = {
        (row["table"], row["name"]): row["comment"]
        for row in warehouse.rows(sql.build_statement("comments_of_marts"))
    }
    for file in sql.models():
        comments = [
            "comment column {} '{}'".format(name, comment.replace("'", "''"))
            for name, comment in sql.comments_of(file, file.name).items()
            if known[file.name, name] != comment
        ]
        if comments:
            warehouse.execute(describe.at(table=file.name, comments=", ".join(comments)))


def create_views(warehouse: Warehouse) -> None:
    """Creates the views for pages that read several tables, such as a mart with new rows, and for
    analysts."""
    for file in (*sql.views(), *analysis_views()):
        warehouse.execute(file.statements[0])
    known = {file.name for file in sql.views()}
    created = {row["view"] for row in warehouse.rows(sql.build_statement("created_views"))}
    for view in sorted(created - known):
        warehouse.execute(f"drop view {view}")


def _is_new(path: Path, recorded_hash: str | None) -> bool:
    if recorded_hash is not None and recorded_hash != _hash(path):
        raise MigrationChanged(path.stem)
    return recorded_hash is None


def _hash(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
