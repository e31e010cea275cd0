"""Applies warehouse_sql/migrations: forward only, each file once, recorded with its hash."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from string import Template

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.resolution import put_right

DATABASES = ("errata_raw", "errata_mart", "errata_ops", "errata_read", "errata_analysis")


class MigrationChanged(ErrataError):
    """The file of an applied migration has changed since."""

    code = "migration_changed"

    def __init__(self, name: str) -> None:
        super().__init__(f"Migration {name} was changed after being applied; restore it and add a new one")
        self.name = name


class MigrationsUnknown(ErrataError):
    """The warehouse has migrations that this version lacks: the program is older than the data."""

    code = "migrations_unknown"

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"The data was written by a newer version (unknown migrations: {', '.join(names)}). "
            f"Install that version"
        )
        self.names = tuple(names)


def migrate(warehouse: Warehouse) -> list[str]:
    """Brings the warehouse to this version and returns the names of the migrations applied."""
    for statement in sql.parse(sql.DIRECTORY / "bootstrap.sql").statements:
        warehouse.execute(statement)
    applied = {
        row["name"]: row["file_hash"] for row in warehouse.rows(sql.build_statement("applied_migrations"))
    }
    files = sql.migrations()
    unknown = sorted(set(applied) - {file.path.stem for file in files})
    if unknown:
        raise MigrationsUnknown(unknown)
    fresh = [file for file in files if _is_new(file.path, applied.get(file.path.stem))]
    for file in fresh:
        for statement in file.statements:
            warehouse.execute(statement)
        warehouse.execute(
            sql.build_statement("record_migration"),
            {"name": file.path.stem, "file_hash": _hash(file.path)},
        )
    create_marts(warehouse)
    describe_columns(warehouse)
    create_views(warehouse)
    put_right(warehouse)
    return [file.path.stem for file in fresh]


def create_marts(warehouse: Warehouse) -> None:
    """Creates every mart, empty, before the first build: pages then find no table missing.

    A mart with a changed model is dropped, and with it the marts built from it: all can be rebuilt. A changed
    comment changes no model.
    """
    recorded = {
        row["mart"]: row["file_hash"] for row in warehouse.rows(sql.build_statement("applied_models"))
    }
    files = sql.models()
    changed = {file.name for file in files if recorded.get(file.name) != file.content_hash}
    while more := {file.name for file in files if changed & set(file.inputs)} - changed:
        changed |= more
    for file in files:
        if file.name not in changed:
            continue
        make_mart(warehouse, file)
        warehouse.execute(
            sql.build_statement("record_model"),
            {"mart": file.name, "file_hash": file.content_hash},
        )


def make_mart(warehouse: Warehouse, file: sql.SqlFile) -> None:
    """Creates a mart anew, empty; its next build starts from the first row."""
    warehouse.execute(f"drop table if exists {file.name}")
    warehouse.execute(file.statements[0])


def describe_columns(warehouse: Warehouse) -> None:
    """Sets the comments of columns of existing marts to those of their models."""
    template = Template(sql.build_statement("describe_columns"))
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
            warehouse.execute(template.substitute(table=file.name, comments=", ".join(comments)))


def create_views(warehouse: Warehouse) -> None:
    """Creates the views for pages that read several tables, such as a mart with new rows, and for
    analysts."""
    for file in (*sql.views(), *sql.analysis_views()):
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
